/* SPDX-License-Identifier: BSD-3-Clause */
/* All points of a k-d tree within a radius of queries.

   The least and the largest distance of a box are summed in the order of the distances of points,
   from differences whose order rounding preserves. Hence no point of a skipped box is within the
   radius, as computed, and all points of a box that is taken as a whole are. See kdtree/tree.pxd;
   the sums are those of kdtree/terms.h. */

/* The children of a group whose boxes are within reach of q, as bits. *inside, unless NULL, gets
   those that lie within the limit as a whole. */
static INLINE unsigned V(box_hits)(const kd_tree *t, const kd_job *job, const double *q,
                                   ptrdiff_t group, double limit, unsigned *inside, const int D,
                                   const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    const f64_v top = f64_set1(limit);
    unsigned near = 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        f64_v v = V(from_boxes)(job, q, box + c, d, D, kind);
        if (kind == METRIC_MINKOWSKI) v = v * f64_set1(1 - 1e-12); /* pow is not quite monotone */
        near |= f64_bits(f64_ge(top, v)) << c;
    }
    if (inside == NULL) return near;
    *inside = 0;
    if (!near) return 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        f64_v v = V(from_far_sides)(job, q, box + c, d, D, kind);
        if (kind == METRIC_MINKOWSKI) v = v * f64_set1(1 + 1e-12);
        *inside |= f64_bits(f64_ge(top, v)) << c;
    }
    *inside &= near;
    return near;
}

/* The distances of at most 64 points of a leaf, x[:m] and on; returns those within the limit as
   bits. */
static INLINE uint64_t V(point_hits)(const kd_tree *t, const kd_job *job, const double *q,
                                     const REAL *x, ptrdiff_t m, double limit, double *apart,
                                     const int D, const int kind) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf;
    uint64_t hits = 0;
    for (ptrdiff_t c = 0; c < m; c += F64_LANES) {
        const f64_v v = V(from_points)(job, q, x + c, leaf, d, D, kind);
        f64_store(apart + c, v);
        hits |= (uint64_t)f64_bits(f64_ge(f64_set1(limit), v)) << c;
    }
    return hits;
}

/* The two functions for each metric; the rest is the same for all. */
typedef struct {
    unsigned (*boxes)(const kd_tree *, const kd_job *, const double *, ptrdiff_t, double,
                      unsigned *);
    uint64_t (*points)(const kd_tree *, const kd_job *, const double *, const REAL *, ptrdiff_t,
                       double, double *);
} V(hits);

#define CASE(D, KIND, NAME)                                                                        \
    static unsigned V(boxes_##NAME)(const kd_tree *t, const kd_job *job, const double *q,          \
                                    ptrdiff_t group, double limit, unsigned *inside) {             \
        return V(box_hits)(t, job, q, group, limit, inside, D, KIND);                              \
    }                                                                                              \
    static uint64_t V(points_##NAME)(const kd_tree *t, const kd_job *job, const double *q,         \
                                     const REAL *x, ptrdiff_t m, double limit, double *apart) {    \
        return V(point_hits)(t, job, q, x, m, limit, apart, D, KIND);                              \
    }                                                                                              \
    static const V(hits) V(hits_##NAME) = {V(boxes_##NAME), V(points_##NAME)};
CASE(2, METRIC_EUCLIDEAN, 2)
CASE(3, METRIC_EUCLIDEAN, 3)
CASE(4, METRIC_EUCLIDEAN, 4)
CASE(0, METRIC_EUCLIDEAN, any)
CASE(0, METRIC_MANHATTAN, manhattan)
CASE(0, METRIC_CHEBYSHEV, chebyshev)
CASE(0, METRIC_MINKOWSKI, minkowski)
#undef CASE

static V(hits) V(hits_of)(const kd_tree *t, int kind) {
    if (kind == METRIC_MANHATTAN) return V(hits_manhattan);
    if (kind == METRIC_CHEBYSHEV) return V(hits_chebyshev);
    if (kind == METRIC_MINKOWSKI) return V(hits_minkowski);
    if (t->d == 2) return V(hits_2);
    if (t->d == 3) return V(hits_3);
    if (t->d == 4) return V(hits_4);
    return V(hits_any);
}

/* The first place of a node of a level (-1: of a leaf). */
static INLINE ptrdiff_t V(start)(const kd_tree *t, ptrdiff_t level, ptrdiff_t node) {
    const ptrdiff_t place = (node << (3 * (level + 1))) * t->leaf;
    return place < t->n ? place : t->n;
}

/* Search for the queries begin .. end - 1 until the budget is spent; job.begin becomes the next
   query. */
static void V(search_tree)(const kd_tree *t, kd_radius_search *r) {
    kd_job *job = &r->job;
    const V(hits) hits = V(hits_of)(t, job->kind);
    const ptrdiff_t d = t->d, leaf = t->leaf, top = t->levels - 1;
    const int keeps = r->start != NULL, measured = keeps && job->apart != NULL;
    ptrdiff_t node[KD_MAX_LEVELS], i, looked = 0;
    unsigned open[KD_MAX_LEVELS];
    double *q = job->q, *key = job->key, apart[64] ALIGN64;
    int32_t *id = (int32_t *)(job->id + job->capacity);

    for (i = job->begin; i < job->end && looked <= r->budget; i++) {
        const ptrdiff_t row = job->order ? job->order[i] : i;
        const double limit = r->limit[row];
        ptrdiff_t level = top, below = 0, n = 0;
        for (ptrdiff_t p = 0; p < d; p++)
            q[p] = job->single ? (double)((const float *)job->queries)[row * job->ldq + p]
                               : ((const double *)job->queries)[row * job->ldq + p];
        for (;;) {
            unsigned inside;
            open[level] = hits.boxes(t, job, q, t->first[level] + below, limit,
                                     measured ? NULL : &inside);
            node[level] = below;
            looked += KD_LANES;
            if (!measured) {
                open[level] &= ~inside;
                for (; inside; inside &= inside - 1) {
                    const ptrdiff_t child = below * KD_LANES + LOWEST_BIT(inside);
                    const ptrdiff_t from = V(start)(t, level - 1, child);
                    const ptrdiff_t more = V(start)(t, level - 1, child + 1) - from;
                    if (keeps) memcpy(id + n, t->ids + from, (size_t)more * sizeof *id);
                    n += more;
                }
            }
            if (level == 0) {
                for (unsigned near = open[0]; near; near &= near - 1) {
                    const ptrdiff_t number = below * KD_LANES + LOWEST_BIT(near);
                    const REAL *x = (const REAL *)t->blocks + number * d * leaf;
                    const int32_t *from = t->ids + number * leaf;
                    looked += leaf;
                    for (ptrdiff_t start = 0; start < leaf; start += 64) {
                        const ptrdiff_t m = leaf - start < 64 ? leaf - start : 64;
                        const uint64_t in = hits.points(t, job, q, x + start, m, limit, apart);
                        if (!keeps || !in) {
                            n += POPCOUNT(in);
                            continue;
                        }
                        for (ptrdiff_t c = 0; c < m; c += F64_LANES) {
                            const unsigned some = (unsigned)(in >> c) & ((1u << F64_LANES) - 1);
                            if (measured) f64_keep(key + n, some, apart + c);
                            f64_keep_id(id + n, some, from + start + c);
                            n += POPCOUNT(some);
                        }
                    }
                }
                open[0] = 0;
            }
            while (!open[level] && level < top) level++;
            if (!open[level]) break;
            below = node[level] * KD_LANES + LOWEST_BIT(open[level]);
            open[level] &= open[level] - 1;
            level--;
        }
        if (keeps) {
            double *to = measured ? job->apart + r->start[row] : NULL;
            ptrdiff_t *rows = job->row + r->start[row];
            if (r->by_row)
                write_by_row(job, r->by_row, n, to, rows);
            else
                write_in_order(job, n, to, rows);
            looked += 4 * n;
        } else {
            r->count[row] = n;
        }
    }
    job->begin = i;
}
