/* SPDX-License-Identifier: BSD-3-Clause */
/* The k nearest points of a k-d tree. The arrays, and the reason why bounds are exact, are
   described in kdtree/tree.pxd. All distances are computed in double, in the order of
   `squared_distances` (tile/passes/rows.h).

   A query goes down to the child whose box is nearest, and returns to the others as long as they
   are within reach. For each node on the path it keeps the bounds of the children (one vector) and
   the set of those that have not been entered. */

/* Offer the points of a leaf as candidates, except the one at place `self` (-1: none). */
static INLINE void V(scan)(const kd_tree *t, kd_job *job, nearest *s, const double *q,
                           ptrdiff_t leaf_number, ptrdiff_t self, const int D, const int kind,
                           const int one) {
    const ptrdiff_t leaf = t->leaf, d = D ? D : t->d;
    const REAL *x = (const REAL *)t->blocks + leaf_number * d * leaf;
    const int32_t *id = t->ids + leaf_number * leaf;
    double apart[KD_MAX_LEAF_POINTS] ALIGN64;
    job->visited++;
    if (one) {
        f64_v best = f64_set1(DBL_MAX);
        for (ptrdiff_t c = 0; c < leaf; c += F64_LANES) {
            const f64_v v = V(from_points)(job, q, x + c, leaf, d, D, kind);
            f64_store(apart + c, v);
            best = f64_min(best, v);
        }
        if (self >= 0) {
            apart[self] = INFINITY;
            best = f64_set1(DBL_MAX);
            for (ptrdiff_t c = 0; c < leaf; c += F64_LANES)
                best = f64_min(best, f64_load(apart + c));
        }
        if (!f64_bits(f64_ge(f64_set1(s->limit), best))) return;
        const double nearest_here = f64_least(best);
        ptrdiff_t c = 0;
        unsigned at;
        while (!(at = f64_bits(f64_ge(f64_set1(nearest_here), f64_load(apart + c)))))
            if ((c += F64_LANES) == leaf) return; /* all distances are DBL_MAX or more */
        const int64_t number = id[c + LOWEST_BIT(at)];
        if (nearest_here < s->limit || number < s->limit_id) {
            s->limit = nearest_here;
            s->limit_id = number;
        }
        return;
    }
    for (ptrdiff_t start = 0; start < leaf; start += 64) {
        const ptrdiff_t stop = start + 64 < leaf ? start + 64 : leaf;
        uint64_t hits = 0;
        for (ptrdiff_t c = start; c < stop; c += F64_LANES) {
            const f64_v v = V(from_points)(job, q, x + c, leaf, d, D, kind);
            f64_store(apart + c, v);
            hits |= (uint64_t)f64_bits(f64_ge(f64_set1(s->limit), v)) << (c - start);
        }
        if (self >= start && self < stop) {
            hits &= ~((uint64_t)1 << (self - start));
            apart[self] = INFINITY;
        }
        if (hits) nearest_offer(s, apart + start, id + start, stop - start, hits);
    }
}

/* The bounds of the children of a node; returns those within reach as bits. */
static INLINE unsigned V(enter)(const kd_tree *t, const kd_job *job, const double *q,
                                ptrdiff_t group, double *bound, double limit, const int D,
                                const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    unsigned near = 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        f64_v v = V(from_boxes)(job, q, box + c, d, D, kind);
        if (kind == METRIC_MINKOWSKI) v = v * f64_set1(1 - 0x1p-48); /* pow is not quite monotone */
        f64_store(bound + c, v);
        near |= f64_bits(f64_ge(f64_set1(limit), v)) << c;
    }
    return near;
}

static INLINE void V(answer)(const kd_tree *t, kd_job *job, const int D, const int kind,
                             const int one) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf, top = t->levels - 1;
    nearest s;
    s.k = job->k;
    s.vectors = (job->k + F64_LANES - 1) / F64_LANES;
    s.key = job->key;
    s.id = job->id;
    s.capacity = job->capacity;
    double bound[KD_MAX_LEVELS][KD_LANES] ALIGN64, few[4];
    double *q = D ? few : job->q;
    ptrdiff_t node[KD_MAX_LEVELS];
    unsigned open[KD_MAX_LEVELS]; /* children within reach that have not been entered */
    for (ptrdiff_t p = 0; p < d; p++) q[p] = 0;

    for (ptrdiff_t i = job->begin; i < job->end; i++) {
        ptrdiff_t home = -1, row;
        if (job->itself) {
            home = i / leaf;
            row = t->ids[i];
            const REAL *x = (const REAL *)t->blocks + home * d * leaf + i % leaf;
            for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
            nearest_reset(&s, DBL_MAX);
            V(scan)(t, job, &s, q, home, i % leaf, D, kind, one);
        } else {
            row = job->order ? job->order[i] : i;
            double moved = 0; /* distance from the last query */
            for (ptrdiff_t p = 0; p < d; p++) {
                const double x = job->single
                                     ? (double)((const float *)job->queries)[row * job->ldq + p]
                                     : ((const double *)job->queries)[row * job->ldq + p];
                const double t = x - q[p];
                moved += t * t;
                q[p] = x;
            }
            double limit = DBL_MAX;
            if (kind == METRIC_EUCLIDEAN && job->order && i > job->begin) {
                const double reach = sqrt(moved) + sqrt(s.limit);
                limit = reach * reach * (1 + 1e-9) + 1e-300;
                limit = limit < DBL_MAX ? limit : DBL_MAX;
            }
            nearest_reset(&s, limit);
        }
        ptrdiff_t level = top, below = 0;
        while (level <= top) {
            node[level] = below;
            open[level] =
                V(enter)(t, job, q, t->first[level] + below, bound[level], s.limit, D, kind);
            for (;;) {
                unsigned near = open[level];
                if (near) {
                    const f64_v limit = f64_set1(s.limit);
                    unsigned still = 0;
                    for (int c = 0; c < KD_LANES; c += F64_LANES)
                        still |= f64_bits(f64_ge(limit, f64_load(bound[level] + c))) << c;
                    near &= still;
                }
                if (!near) {
                    if (level++ == top) break;
                    continue;
                }
                int child = LOWEST_BIT(near);
                if (near & (near - 1)) child = f64_place_of_least(bound[level], near);
                open[level] = near & ~(1u << child);
                if (bound[level][child] == s.limit
                    && t->least[(t->first[level] + node[level]) * KD_LANES + child] > s.limit_id)
                    continue;
                below = node[level] * KD_LANES + child;
                if (level--) break;
                level = 0;
                if (below != home) V(scan)(t, job, &s, q, below, -1, D, kind, one);
            }
        }
        if (one) {
            job->apart[row] = s.limit_id == NO_ROW ? INFINITY : s.limit;
            job->row[row] = s.limit_id == NO_ROW ? -1 : (ptrdiff_t)s.limit_id;
        } else {
            nearest_write(&s, job->apart + row * job->k, job->row + row * job->k);
        }
    }
}

#define CASE(D, KIND, ONE, NAME)                                                                   \
    static void V(search_##NAME)(const kd_tree *t, kd_job *job) { V(answer)(t, job, D, KIND, ONE); }
#define BOTH(D)                                                                                    \
    CASE(D, METRIC_EUCLIDEAN, 1, D##_one)                                                          \
    CASE(D, METRIC_EUCLIDEAN, 0, D)
#if F64_LANES >= 4 /* with shorter vectors it is not worth its size */
BOTH(2)
BOTH(3)
BOTH(4)
#endif
CASE(0, METRIC_EUCLIDEAN, 1, any_one)
CASE(0, METRIC_EUCLIDEAN, 0, any)
CASE(0, METRIC_MANHATTAN, 0, manhattan)
CASE(0, METRIC_CHEBYSHEV, 0, chebyshev)
CASE(0, METRIC_MINKOWSKI, 0, minkowski)
#undef BOTH
#undef CASE

/* Search for the queries begin .. end - 1 of the job. The tree must hold k points besides the
   query. */
static void V(search_tree)(const kd_tree *t, kd_job *job) {
    const int one = job->k == 1;
    if (job->kind == METRIC_MANHATTAN) V(search_manhattan)(t, job);
    else if (job->kind == METRIC_CHEBYSHEV) V(search_chebyshev)(t, job);
    else if (job->kind == METRIC_MINKOWSKI) V(search_minkowski)(t, job);
#if F64_LANES >= 4
    else if (t->d == 2) (one ? V(search_2_one) : V(search_2))(t, job);
    else if (t->d == 3) (one ? V(search_3_one) : V(search_3))(t, job);
    else if (t->d == 4) (one ? V(search_4_one) : V(search_4))(t, job);
#endif
    else (one ? V(search_any_one) : V(search_any))(t, job);
}
