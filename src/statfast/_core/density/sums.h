/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of kernels about the points of a k-d tree of REAL numbers.

   A query keeps an estimate of its sum; a lower bound `low` of it, to which nodes that are not
   settled give their weight times the least kernel in their box; the error `spent` that the
   estimate may have by now; and the weight of what is not settled. A child is settled by its weight
   times one value of the kernel if that errs by no more than its share, by weight, of the error
   that is left. The nearest child is entered first: what is near makes the sum, and far nodes are
   then within the tolerance. Where that is rounding, they are settled once they do not change the
   sum. */

static INLINE f64_v V(from_centers)(const kd_job *job, const double *q, const double *center,
                                    ptrdiff_t d, const int D, const int kind) {
    SUM(f64_set1(q[p]) - f64_load(center + p * KD_LANES))
}

/* Minkowski distances themselves, of which kernels are functions; `slack` for bounds, as pow is not
   quite monotone. */
static INLINE void V(take_roots)(double *r, ptrdiff_t n, const kd_job *job, double slack) {
    for (ptrdiff_t i = 0; i < n; i++) r[i] = pow(r[i], 1 / job->p) * slack;
}

static INLINE void V(boxes)(const kd_tree *t, const kd_job *job, const double *q, ptrdiff_t group,
                            double *near, double *far, const int D, const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        f64_store(near + c, V(from_boxes)(job, q, box + c, d, D, kind));
        f64_store(far + c, V(from_far_sides)(job, q, box + c, d, D, kind));
    }
    if (kind == METRIC_MINKOWSKI) {
        V(take_roots)(near, KD_LANES, job, 1 - 1e-12);
        V(take_roots)(far, KD_LANES, job, 1 + 1e-12);
    }
}

static INLINE void V(points)(const kd_tree *t, const kd_job *job, const double *q, ptrdiff_t number,
                             double *apart, const int D, const int kind) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf;
    const REAL *x = (const REAL *)t->blocks + number * d * leaf;
    for (ptrdiff_t c = 0; c < leaf; c += F64_LANES)
        f64_store(apart + c, V(from_points)(job, q, x + c, leaf, d, D, kind));
    if (kind == METRIC_MINKOWSKI) V(take_roots)(apart, leaf, job, 1);
}

static INLINE void V(centers)(const kd_tree *t, const kd_job *job, const double *q,
                              const double *center, double *apart, const int D) {
    const ptrdiff_t d = D ? D : t->d;
    for (int c = 0; c < KD_LANES; c += F64_LANES)
        f64_store(apart + c, V(from_centers)(job, q, center + c, d, D, METRIC_EUCLIDEAN));
}

/* The functions of distances for each metric; the rest is the same for all. */
typedef struct {
    void (*boxes)(const kd_tree *, const kd_job *, const double *, ptrdiff_t, double *, double *);
    void (*points)(const kd_tree *, const kd_job *, const double *, ptrdiff_t, double *);
    void (*centers)(const kd_tree *, const kd_job *, const double *, const double *, double *);
} V(distances);

#define CASE(D, KIND, NAME)                                                                        \
    static void V(boxes_##NAME)(const kd_tree *t, const kd_job *job, const double *q,              \
                                ptrdiff_t group, double *near, double *far) {                      \
        V(boxes)(t, job, q, group, near, far, D, KIND);                                            \
    }                                                                                              \
    static void V(points_##NAME)(const kd_tree *t, const kd_job *job, const double *q,             \
                                 ptrdiff_t number, double *apart) {                                \
        V(points)(t, job, q, number, apart, D, KIND);                                              \
    }                                                                                              \
    static void V(centers_##NAME)(const kd_tree *t, const kd_job *job, const double *q,            \
                                  const double *center, double *apart) {                           \
        V(centers)(t, job, q, center, apart, D);                                                   \
    }                                                                                              \
    static const V(distances) V(distances_##NAME) = {V(boxes_##NAME), V(points_##NAME),            \
                                                     V(centers_##NAME)};
CASE(1, METRIC_EUCLIDEAN, 1)
CASE(2, METRIC_EUCLIDEAN, 2)
CASE(3, METRIC_EUCLIDEAN, 3)
CASE(0, METRIC_EUCLIDEAN, any)
CASE(0, METRIC_MANHATTAN, manhattan)
CASE(0, METRIC_CHEBYSHEV, chebyshev)
CASE(0, METRIC_MINKOWSKI, minkowski)
#undef CASE

static const V(distances) *V(distances_of)(const kd_tree *t, int kind) {
    if (kind == METRIC_MANHATTAN) return &V(distances_manhattan);
    if (kind == METRIC_CHEBYSHEV) return &V(distances_chebyshev);
    if (kind == METRIC_MINKOWSKI) return &V(distances_minkowski);
    if (t->d == 1) return &V(distances_1);
    if (t->d == 2) return &V(distances_2);
    if (t->d == 3) return &V(distances_3);
    return &V(distances_any);
}

/* A node on the path to the leaf, and what its children may add to the sum. */
typedef struct {
    double estimate[KD_LANES] ALIGN64, error[KD_LANES] ALIGN64, least[KD_LANES] ALIGN64;
    double near[KD_LANES] ALIGN64;
    const double *node_weights;
    ptrdiff_t number; /* among the nodes of its level */
    unsigned open;    /* children that are not settled */
    int home;         /* the child in which the query lies as a point; -1: none */
} V(node);

/* The state of a query. */
typedef struct {
    const V(distances) *distances;
    const double *q;
    density_values values;
    density_add add;
    ptrdiff_t home; /* place of the point that the query is, or -1 */
    double shift, peak;
    double sum, low, spent, remaining;
    ptrdiff_t looked;
} V(query);

static void V(enter)(const kd_tree *t, const density_nodes *nodes, const density_search *s,
                     V(query) *query, V(node) *node, ptrdiff_t level, ptrdiff_t number) {
    double far[KD_LANES] ALIGN64, top[KD_LANES] ALIGN64, bottom[KD_LANES] ALIGN64;
    const ptrdiff_t group = t->first[level] + number, home_leaf = query->home / t->leaf;
    const double *node_weights = nodes->node_weights + group * KD_LANES;
    node->number = number;
    node->node_weights = node_weights;
    node->home = query->home >= 0 && home_leaf >> 3 * (level + 1) == number
                     ? (int)(home_leaf >> 3 * level & (KD_LANES - 1))
                     : -1;
    query->distances->boxes(t, &s->job, query->q, group, node->near, far);
    query->values(node->near, top, query->shift, s);
    query->values(far, bottom, query->shift, s);
    unsigned open = 0;
    for (int c = 0; c < KD_LANES; c++) {
        node->least[c] = node_weights[c] * bottom[c];
        node->error[c] = 0.5 * node_weights[c] * (top[c] - bottom[c]);
        node->estimate[c] = node->least[c] + node->error[c];
        open |= (unsigned)(node_weights[c] > 0 && top[c] > 0) << c;
    }
    node->open = open;
    query->looked += KD_LANES;
    if (nodes->center != NULL && open) {
        double apart[KD_LANES] ALIGN64, middle[KD_LANES] ALIGN64;
        query->distances->centers(t, &s->job, query->q, nodes->center + group * t->d * KD_LANES,
                                  apart);
        query->values(apart, middle, query->shift, s);
        for (int c = 0; c < KD_LANES; c++) {
            const double squares = nodes->moment[group * KD_LANES + c] * s->inverse;
            const double error =
                shape_curvature(far[c] * s->inverse, top[c], query->peak, s->shape) * squares;
            if (!(error < node->error[c])) continue;
            node->error[c] = error;
            node->estimate[c] = node_weights[c] * middle[c];
            if (s->shape == SHAPE_EPANECHNIKOV) node->estimate[c] -= squares;
        }
    }
    if (node->home >= 0) {
        node->least[node->home] = 0; /* the weight of the child holds that of the query */
        node->error[node->home] = INFINITY;
    }
    for (int c = 0; c < KD_LANES; c++) {
        query->low += node->least[c];
        if (!(open >> c & 1)) query->remaining -= node_weights[c];
    }
}

/* Settle the children that the error allows; returns the nearest of the others, or -1. */
static int V(settle)(const density_search *s, V(query) *query, V(node) *node) {
    int nearest = -1;
    for (unsigned open = node->open; open; open &= open - 1) {
        const int c = LOWEST_BIT(open);
        const double left = s->rtol * query->low + s->atol - query->spent;
        const double held = node->node_weights[c];
        if (node->error[c] <= left && node->error[c] * query->remaining <= left * held) {
            query->sum += node->estimate[c];
            query->spent += node->error[c];
            query->remaining -= held;
            node->open &= ~(1u << c);
        } else if (nearest < 0 || node->near[c] < node->near[nearest]) {
            nearest = c;
        }
    }
    return nearest;
}

static void V(add_leaves)(const kd_tree *t, const density_nodes *nodes, const density_search *s,
                          V(query) *query, const V(node) *node) {
    double apart[KD_MAX_LEAF_POINTS] ALIGN64;
    for (unsigned open = node->open; open; open &= open - 1) {
        const int c = LOWEST_BIT(open);
        const ptrdiff_t number = node->number * KD_LANES + c;
        query->distances->points(t, &s->job, query->q, number, apart);
        if (c == node->home) apart[query->home % t->leaf] = INFINITY;
        const double part = query->add(apart, nodes->weights ? nodes->weights + number * t->leaf
                                                             : NULL,
                                       t->leaf, query->shift, s);
        query->sum += part;
        query->low += part - node->least[c];
        query->remaining -= node->node_weights[c];
        query->looked += t->leaf;
    }
}

static void V(sum_query)(const kd_tree *t, const density_nodes *nodes, const density_search *s,
                         V(query) *query) {
    V(node) path[KD_MAX_LEVELS];
    ptrdiff_t level = t->levels - 1;
    V(enter)(t, nodes, s, query, &path[level], level, 0);
    while (level < t->levels) {
        V(node) *node = &path[level];
        const int child = V(settle)(s, query, node);
        if (child >= 0 && level == 0) V(add_leaves)(t, nodes, s, query, node);
        if (child < 0 || level == 0) {
            level++;
            continue;
        }
        node->open &= ~(1u << child);
        query->low -= node->least[child];
        level--;
        V(enter)(t, nodes, s, query, &path[level], level, node->number * KD_LANES + child);
    }
}

/* Answer the queries begin .. end - 1 until the budget is spent; job.begin becomes the next. */
static void V(sum_tree)(const kd_tree *t, const density_nodes *nodes, density_search *s) {
    kd_job *job = &s->job;
    const ptrdiff_t d = t->d, leaf = t->leaf;
    const double zeros[KD_LANES] ALIGN64 = {0};
    double peak[KD_LANES] ALIGN64, *q = job->q;
    V(query) query = {.distances = V(distances_of)(t, job->kind),
                      .values = density_values_of(s->shape, job->kind),
                      .add = density_add_of(s->shape, job->kind, nodes->weights != NULL)};
    ptrdiff_t i = job->begin;
    query.q = q;
    for (; i < job->end && query.looked <= s->budget; i++) {
        ptrdiff_t row = job->order ? job->order[i] : i;
        query.sum = query.low = query.spent = 0;
        query.remaining = nodes->total;
        query.home = -1;
        if (job->itself) {
            const REAL *x = (const REAL *)t->blocks + i / leaf * d * leaf + i % leaf;
            for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
            query.home = i;
            query.remaining -= nodes->weights ? nodes->weights[i] : 1;
            row = t->ids[i];
        } else if (job->single) {
            for (ptrdiff_t p = 0; p < d; p++)
                q[p] = (double)((const float *)job->queries)[row * job->ldq + p];
        } else {
            for (ptrdiff_t p = 0; p < d; p++)
                q[p] = ((const double *)job->queries)[row * job->ldq + p];
        }
        query.shift = s->shift ? s->shift[row] : 0;
        query.values(zeros, peak, query.shift, s);
        query.peak = peak[0];
        V(sum_query)(t, nodes, s, &query);
        s->sum[row] = query.sum;
    }
    job->begin = i;
}
