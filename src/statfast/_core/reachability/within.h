/* SPDX-License-Identifier: BSD-3-Clause */
/* What is within a limit of the points of a leaf of a k-d tree: boxes, points, and the walk over them.

   The points of a leaf search together. A node whose box is beyond the limit from the box of the
   leaf is skipped, and one all of whose points are within is processed as a whole. Both bounds are
   summed in the order of the distances of points, from differences whose order rounding preserves:
   what they say of points holds as computed. */

/* Powers are not quite monotone as computed. */
#define SLACK(kind, sign) ((kind) == METRIC_MINKOWSKI ? 1 + (sign) * 1e-12 : 1)

typedef struct {
    double *low, *high;    /* (d,) the box of the leaf */
    double *q;             /* (d,) one of its points */
    ptrdiff_t number;      /* of the leaf */
    kd_job metric;
} V(searching);

/* The least and the largest distances of eight boxes from the box of the leaf; returns those that
   are within the limit, and in *inside those all of whose points are. */
static INLINE unsigned V(boxes_within)(const kd_tree *t, const V(searching) *s, ptrdiff_t group,
                                       double limit, unsigned *inside, double *bound, const int D,
                                       const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    unsigned near = 0;
    *inside = 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        const f64_v v = V(boxes_from_box)(&s->metric, s->low, s->high, box + c, d, D, kind)
                        * f64_set1(SLACK(kind, -1));
        f64_store(bound + c, v);
        near |= f64_bits(f64_ge(f64_set1(limit), v)) << c;
    }
    if (!near) return 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        const f64_v v = V(far_sides_from_box)(&s->metric, s->low, s->high, box + c, d, D, kind);
        *inside |= f64_bits(f64_ge(f64_set1(limit), v * f64_set1(SLACK(kind, 1)))) << c;
    }
    *inside &= near;
    return near;
}

/* The points of a leaf that are within the limit of point i of the searching leaf, as bits. */
static INLINE uint32_t V(points_within)(const kd_tree *t, const V(searching) *s, int i,
                                        ptrdiff_t leaf, double limit, const int D,
                                        const int kind) {
    const ptrdiff_t d = D ? D : t->d, size = DBSCAN_LEAF_SIZE;
    const REAL *x = (const REAL *)t->blocks + leaf * d * size;
    const REAL *own = (const REAL *)t->blocks + s->number * d * size + i;
    uint32_t hits = 0;
    for (ptrdiff_t p = 0; p < d; p++) s->q[p] = (double)own[p * size];
    for (int c = 0; c < DBSCAN_LEAF_SIZE; c += F64_LANES) {
        const f64_v v = V(from_points)(&s->metric, s->q, x + c, size, d, D, kind);
        hits |= (uint32_t)f64_bits(f64_ge(f64_set1(limit), v)) << c;
    }
    return hits;
}

typedef struct {
    unsigned (*boxes)(const kd_tree *, const V(searching) *, ptrdiff_t, double, unsigned *,
                      double *);
    uint32_t (*points)(const kd_tree *, const V(searching) *, int, ptrdiff_t, double);
} V(within);

#define CASE(D, KIND, NAME)                                                                        \
    static unsigned V(boxes_##NAME)(const kd_tree *t, const V(searching) *s, ptrdiff_t group,      \
                                    double limit, unsigned *inside, double *bound) {               \
        return V(boxes_within)(t, s, group, limit, inside, bound, D, KIND);                        \
    }                                                                                              \
    static uint32_t V(points_##NAME)(const kd_tree *t, const V(searching) *s, int i,               \
                                     ptrdiff_t leaf, double limit) {                               \
        return V(points_within)(t, s, i, leaf, limit, D, KIND);                                    \
    }                                                                                              \
    static const V(within) V(within_##NAME) = {V(boxes_##NAME), V(points_##NAME)};
CASE(2, METRIC_EUCLIDEAN, 2)
CASE(3, METRIC_EUCLIDEAN, 3)
CASE(0, METRIC_EUCLIDEAN, any)
CASE(0, METRIC_MANHATTAN, manhattan)
CASE(0, METRIC_CHEBYSHEV, chebyshev)
CASE(0, METRIC_MINKOWSKI, minkowski)
#undef CASE

static V(within) V(within_of)(const kd_tree *t, int kind) {
    if (kind == METRIC_MANHATTAN) return V(within_manhattan);
    if (kind == METRIC_CHEBYSHEV) return V(within_chebyshev);
    if (kind == METRIC_MINKOWSKI) return V(within_minkowski);
    if (t->d == 2) return V(within_2);
    if (t->d == 3) return V(within_3);
    return V(within_any);
}

/* Begin the searches of a leaf. */
static void V(begin_leaf)(const kd_tree *t, const kd_clusters *f, V(searching) *s,
                          ptrdiff_t number) {
    const ptrdiff_t d = t->d;
    const REAL *box = (const REAL *)t->boxes
                      + (t->first[0] + number / KD_LANES) * d * 2 * KD_LANES + number % KD_LANES;
    s->low = f->work;
    s->high = f->work + d;
    s->q = f->work + 2 * d;
    s->number = number;
    s->metric.p = f->p;
    for (ptrdiff_t p = 0; p < d; p++, box += 2 * KD_LANES) {
        s->low[p] = (double)box[0];
        s->high[p] = (double)box[KD_LANES];
    }
}

/* The first place of a node of a level (-1: of a leaf). */
static INLINE ptrdiff_t V(place)(const kd_tree *t, ptrdiff_t level, ptrdiff_t node) {
    const ptrdiff_t place = (node << (3 * (level + 1))) * DBSCAN_LEAF_SIZE;
    return place < t->n ? place : t->n;
}

/* Walk over the children of nodes within the limit of the searching leaf. PICK chooses among those
   of a group (`near`), of which SKIP leaves out single ones; WHOLE processes the child `under` whose
   points are all within, if it may be TAKEN as a whole, and LEAF the leaf `under`. */
#define WALK(PICK, SKIP, TAKEN, WHOLE, LEAF)                                                                    \
    do {                                                                                           \
        ptrdiff_t node[KD_MAX_LEVELS], level = t->levels - 1, under = 0;                           \
        unsigned open[KD_MAX_LEVELS], within_all[KD_MAX_LEVELS];                                   \
        double bound[KD_MAX_LEVELS][KD_LANES] ALIGN64;                                             \
        int entering = 1;                                                                          \
        for (;;) {                                                                                 \
            if (entering) {                                                                        \
                const ptrdiff_t group = t->first[level] + under;                                   \
                node[level] = under;                                                               \
                open[level] = within.boxes(t, &s, group, f->limit, &within_all[level],             \
                                           bound[level]);                                          \
                entering = 0;                                                                      \
                f->budget--;                                                                       \
            }                                                                                      \
            unsigned near = open[level];                                                           \
            const ptrdiff_t flat = (t->first[level] + node[level]) * KD_LANES;                     \
            PICK                                                                                   \
            if (!near) {                                                                           \
                if (++level == t->levels) break;                                                   \
                continue;                                                                          \
            }                                                                                      \
            int c = LOWEST_BIT(near);                                                              \
            if (near & (near - 1)) c = f64_place_of_least(bound[level], near);                     \
            open[level] = near & ~(1u << c);                                                       \
            under = node[level] * KD_LANES + c;                                                    \
            if (SKIP) continue;                                                                    \
            if ((within_all[level] >> c & 1) && (TAKEN)) {                                         \
                WHOLE                                                                              \
            } else if (level > 0) {                                                                \
                level--;                                                                           \
                entering = 1;                                                                      \
            } else {                                                                               \
                f->budget--;                                                                       \
                LEAF                                                                               \
            }                                                                                      \
        }                                                                                          \
    } while (0)
