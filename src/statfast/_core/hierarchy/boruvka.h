/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest points in other parts of a forest, for the points of a k-d tree: see
   hierarchy/boruvka.pyx. The points of a leaf search together, each in a lane of its own; eight
   adjacent ones are a band. With M,
   edges are mutual reachability distances: no less than either point's distance of its core. Points that may be near a band are listed first. The list is then
   compared with all lanes without unpredictable branches: each point is inserted into the lanes'
   lists of their nearest points. Sums run in the order of `squared_distances` (tile/passes/rows.h),
   so that bounds hold in spite of rounding. */

#define BAND_POINTS 8
#define BANDS (LEAF_SIZE / BAND_POINTS)
#define ROOM (BANDS > F64_LANES ? BANDS : F64_LANES)
#define MAX_LISTED_POINTS 64 /* a list this long is processed, which tightens the limits */

typedef struct {
    kd_job metric; /* which has the exponent */
    /* (d, LEAF_SIZE) coordinates of the searching points. */
    double q[MAX_COLUMNS * LEAF_SIZE] ALIGN64;
    double part[LEAF_SIZE];
    double core[LEAF_SIZE];               /* No edge of a point is shorter than this (M alone). */
    /* Distances of the nearest points so far of each, rising,. */
    double low[MAX_NEIGHBORS][LEAF_SIZE];
    /* And the places of these, -1 where there is none. */
    double near[MAX_NEIGHBORS][LEAF_SIZE];
    double least[MAX_COLUMNS][ROOM];          /* the box of each band, */
    double most[MAX_COLUMNS][ROOM];
    double far[ROOM];                     /* and the limit of its searches */
    double low_end[MAX_COLUMNS], high_end[MAX_COLUMNS]; /* the box around all */
    double reach;                         /* the largest of these limits */
    double own;                           /* the part of the points; -1: several */
    ptrdiff_t count;                      /* points, filled up to whole bands */
    ptrdiff_t length[BANDS];
    int32_t list[BANDS][MAX_LISTED_POINTS + LEAF_SIZE + BAND_POINTS];
    int32_t place[LEAF_SIZE];
} V(together);

/* The lanes whose number differs from `own`. */
static INLINE unsigned V(others)(const double *parts, f64_v own) {
    const f64_v v = f64_load(parts);
    return f64_bits(f64_gt(v, own)) | f64_bits(f64_gt(own, v));
}

/* Distances of boxes from the box around all that search, of bands from a box, and of searching
   points from a point. */
#define GAP(low, high) f64_max(f64_max(low, high), f64_set1(0))
#define DISTANCE(NAME, DIFFERENCE)                                                                 \
    static INLINE f64_v V(NAME)(const V(together) *b, const REAL *x, ptrdiff_t at, ptrdiff_t d,    \
                                const int D, const int kind) {                                     \
        const kd_job *job = &b->metric;                                                            \
        SUM(DIFFERENCE)                                                                            \
    }
DISTANCE(of_boxes, GAP(WIDE(x + p * 2 * KD_LANES + at) - f64_set1(b->high_end[p]),
                       f64_set1(b->low_end[p]) - WIDE(x + p * 2 * KD_LANES + KD_LANES + at)))
DISTANCE(of_bands, GAP(f64_load(b->least[p] + at) - f64_set1((double)x[p * 2 * KD_LANES + KD_LANES]),
                       f64_set1((double)x[p * 2 * KD_LANES]) - f64_load(b->most[p] + at)))
DISTANCE(of_queries, f64_load(b->q + p * LEAF_SIZE + at) - f64_set1((double)x[p * LEAF_SIZE]))
#undef DISTANCE

#include "hierarchy/boruvka_lists.h"

/* The bounds of the children of a node; returns those within reach that hold another part. */
static INLINE unsigned V(approach)(const kd_tree *t, const kd_forest *f, const V(together) *b,
                                   ptrdiff_t group, double *bound, const int D, const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    unsigned near = 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        f64_v v = V(of_boxes)(b, box, c, d, D, kind);
        if (kind == METRIC_MINKOWSKI) v = v * f64_set1(1 - 1e-12); /* pow is not quite monotone */
        f64_store(bound + c, v);
        unsigned hits = f64_bits(f64_gt(f64_set1(b->reach), v));
        if (hits && b->own >= 0)
            hits &= V(others)(f->same + group * KD_LANES + c, f64_set1(b->own));
        near |= hits << c;
    }
    return near;
}

/* Visit all leaves within reach: the own leaf first, then always the nearest child of a node. */
static INLINE void V(search)(const kd_tree *t, kd_forest *f, V(together) *b, ptrdiff_t home,
                             const int D, const int M, const int kind) {
    const ptrdiff_t top = t->levels - 1;
    double bound[KD_MAX_LEVELS][KD_LANES] ALIGN64;
    ptrdiff_t node[KD_MAX_LEVELS], level = top, under = 0, at = home;
    unsigned open[KD_MAX_LEVELS];
    int entering = 1;
    for (;;) {
        int full = at == home || at < 0;
        if (at != home ? at >= 0 : b->own < 0 || f->same[t->first[0] * KD_LANES + home] != b->own)
            full |= V(visit)(t, f, b, at, D, M, kind);
        f->budget--;
        if (full) V(meet)(t, f, b, D, M, kind);
        if (at < 0) return;
        for (at = home; at == home;) {
            if (entering) {
                node[level] = under;
                open[level] = V(approach)(t, f, b, t->first[level] + under, bound[level], D, kind);
                entering = 0;
            }
            unsigned near = open[level];
            if (near) {
                unsigned still = 0;
                for (int c = 0; c < KD_LANES; c += F64_LANES)
                    still |= f64_bits(f64_gt(f64_set1(b->reach), f64_load(bound[level] + c))) << c;
                near &= still;
            }
            if (!near) {
                if (level++ == top) at = -1;
                continue;
            }
            int child = LOWEST_BIT(near);
            if (near & (near - 1)) child = f64_place_of_least(bound[level], near);
            open[level] = near & ~(1u << child);
            under = node[level] * KD_LANES + child;
            if (level == 0) at = under;
            else level--, entering = 1;
        }
    }
}

/* Gather the points of one leaf that have to search, among the lost points from f->begin on;
   returns the leaf. Points of different parts search together only if their limits do not exceed
   the width of the leaf, as no box of one part could be skipped for all of them. */
static INLINE ptrdiff_t V(gather)(const kd_tree *t, kd_forest *f, V(together) *b, const int D,
                                   const int M, const int kind) {
    const ptrdiff_t leaf = LEAF_SIZE, d = D ? D : t->d, home = f->lost[f->begin] / leaf;
    const REAL *box = (const REAL *)t->boxes
                      + (t->first[0] + home / KD_LANES) * d * 2 * KD_LANES + home % KD_LANES;
    ptrdiff_t m = 0;
    double width = f->first ? INFINITY : 0;
    for (ptrdiff_t p = 0; p < d; p++, box += 2 * KD_LANES)
        width = metric_join(width, metric_term((double)(box[KD_LANES] - box[0]), kind, f->p), kind);
    b->reach = 0;
    const ptrdiff_t leaf_end = (home + 1) * leaf;
    for (; f->begin < f->end && m < LEAF_SIZE && f->lost[f->begin] < leaf_end; f->begin++) {
        const ptrdiff_t i = f->lost[f->begin];
        const double part = f->part[i], known = part_limit(f, (ptrdiff_t)part);
        if (f->low[i * MAX_NEIGHBORS + MAX_NEIGHBORS - 1] >= known) continue;
        const double limit = known < DBL_MAX / SEARCH_MARGIN ? known * SEARCH_MARGIN : DBL_MAX;
        const int mixed = m > 0 && b->own != part;
        const double reach = limit > b->reach ? limit : b->reach;
        if (mixed && reach > width) break;
        const REAL *x = (const REAL *)t->blocks + home * d * leaf + i % leaf;
        for (ptrdiff_t p = 0; p < d; p++) b->q[p * LEAF_SIZE + m] = (double)x[p * leaf];
        b->own = mixed ? -1 : part;
        b->reach = reach;
        b->part[m] = part;
        if (M) b->core[m] = f->core[i];
        for (int k = 0; k < MAX_NEIGHBORS; k++) b->low[k][m] = limit;
        b->place[m++] = (int32_t)i;
    }
    for (; m % BAND_POINTS; m++) { /* unused lanes, whose limits are not reached */
        for (ptrdiff_t p = 0; p < d; p++) b->q[p * LEAF_SIZE + m] = b->q[p * LEAF_SIZE + m - 1];
        b->part[m] = -1;
        if (M) b->core[m] = 0;
        for (int k = 0; k < MAX_NEIGHBORS; k++) b->low[k][m] = -1;
    }
    b->count = m;
    for (ptrdiff_t p = 0; p < d; p++) {
        b->low_end[p] = INFINITY;
        b->high_end[p] = -INFINITY;
        for (ptrdiff_t g = 0; g < m; g += BAND_POINTS) {
            const double *q = b->q + p * LEAF_SIZE + g;
            f64_v least = f64_load(q), most = least;
            for (int c = F64_LANES; c < BAND_POINTS; c += F64_LANES) {
                least = f64_min(least, f64_load(q + c));
                most = f64_max(most, f64_load(q + c));
            }
            const double low = f64_least(least), high = -f64_least(f64_set1(0) - most);
            b->least[p][g / BAND_POINTS] = low;
            b->most[p][g / BAND_POINTS] = high;
            b->low_end[p] = low < b->low_end[p] ? low : b->low_end[p];
            b->high_end[p] = high > b->high_end[p] ? high : b->high_end[p];
        }
        for (ptrdiff_t g = m / BAND_POINTS; g < ROOM; g++) b->least[p][g] = b->most[p][g] = 0;
    }
    for (ptrdiff_t g = 0; g < ROOM; g++) b->far[g] = -1;
    for (ptrdiff_t g = 0; g < m; g += BAND_POINTS) {
        b->far[g / BAND_POINTS] = b->reach;
        b->length[g / BAND_POINTS] = 0;
    }
    for (int k = 0; k < MAX_NEIGHBORS; k++)
        for (ptrdiff_t g = 0; g < m; g += F64_LANES) f64_store(b->near[k] + g, f64_set1(-1));
    return home;
}

static INLINE void V(search_all)(const kd_tree *t, kd_forest *f, const int D, const int M,
                                 const int kind) {
    V(together) b;
    b.own = -1;
    b.metric.p = f->p;
    while (f->begin < f->end && f->budget > 0) {
        const ptrdiff_t home = V(gather)(t, f, &b, D, M, kind);
        f->budget--;
        if (!b.count) continue;
        V(search)(t, f, &b, home, D, M, kind);
        for (ptrdiff_t m = 0; m < b.count && b.part[m] >= 0; m++) {
            const ptrdiff_t i = b.place[m], part = (ptrdiff_t)b.part[m];
            double *low = f->low + i * MAX_NEIGHBORS;
            int32_t *near = f->near + i * MAX_NEIGHBORS;
            for (int k = 0; k < MAX_NEIGHBORS; k++) {
                low[k] = b.low[k][m];
                near[k] = (int32_t)(b.near[k][m] >= 0 ? b.near[k][m] : i);
            }
            if (!f->first && near[0] != i && low[0] < part_limit(f, part))
                part_offer(f, part, low[0], i, near[0]);
        }
    }
}

/* Find the shortest listed edge of each part; returns the number of points that may have to search.
   `same` and `floor` are those of the leaves: no point of a leaf has an edge shorter than its
   floor. */
static ptrdiff_t V(recall)(kd_forest *f, ptrdiff_t n, const double *same, double largest,
                           double *floor, int32_t *lost, ptrdiff_t begin, ptrdiff_t end) {
    ptrdiff_t found = 0;
    for (ptrdiff_t number = begin; number < end; number++) {
        const double all = same[number];
        const ptrdiff_t first = number * LEAF_SIZE, end_of = first + LEAF_SIZE;
        const ptrdiff_t last = end_of < n ? end_of : n;
        double lowest = INFINITY;
        if (all >= 0 && (all == largest || floor[number] >= part_limit(f, (ptrdiff_t)all))) continue;
        for (ptrdiff_t i = first; i < last; i++) {
            const double own = f->part[i];
            const int32_t *near = f->near + i * MAX_NEIGHBORS;
            int at = MAX_NEIGHBORS; /* the first listed point that is still in another part */
            for (int k = MAX_NEIGHBORS - 1; k >= 0; k--) at = f->part[near[k]] != own ? k : at;
            const ptrdiff_t last = at < MAX_NEIGHBORS ? at : MAX_NEIGHBORS - 1;
            const double apart = f->low[i * MAX_NEIGHBORS + last];
            if (own == largest) {
                lowest = 0;
                continue;
            }
            lowest = apart < lowest ? apart : lowest;
            if (apart >= part_limit(f, (ptrdiff_t)own)) continue;
            if (at < MAX_NEIGHBORS) part_offer(f, (ptrdiff_t)own, apart, i, near[at]);
            else lost[found++] = (int32_t)i;
        }
        floor[number] = lowest;
    }
    return found;
}

/* Update the part of every point, and of the leaves whose points are all in one part. */
static void V(mark)(const int32_t *parent, ptrdiff_t n, ptrdiff_t begin, ptrdiff_t end, double *part,
                    double *same) {
    for (ptrdiff_t number = begin; number < end; number++) {
        const ptrdiff_t first = number * LEAF_SIZE, end_of = first + LEAF_SIZE;
        const ptrdiff_t last = end_of < n ? end_of : n;
        if (same[number] >= 0) {
            const int32_t to = parent[(ptrdiff_t)same[number]];
            if (to < 0) continue;
            same[number] = to;
            for (ptrdiff_t i = first; i < last; i++) part[i] = to;
            continue;
        }
        int one = 1;
        for (ptrdiff_t i = first; i < last; i++) {
            const int32_t to = parent[(ptrdiff_t)part[i]];
            part[i] = to >= 0 ? (double)to : part[i];
            one &= part[i] == part[first];
        }
        if (one) same[number] = part[first];
    }
}

/* Metrics other than the Euclidean one have core distances, and share one compiled search. */
#define SEARCH_ALL(D, M, KIND) V(search_all)(t, f, D, M, KIND)
static void V(search_lost)(const kd_tree *t, kd_forest *f) {
    if (f->kind != METRIC_EUCLIDEAN) {
        SEARCH_ALL(0, 1, f->kind);
        return;
    }
#if F64_LANES > 2 /* with shorter vectors it does not pay */
    if (t->d == 2) {
        if (f->core) SEARCH_ALL(2, 1, METRIC_EUCLIDEAN);
        else SEARCH_ALL(2, 0, METRIC_EUCLIDEAN);
        return;
    }
    if (t->d == 3 && !f->core) {
        SEARCH_ALL(3, 0, METRIC_EUCLIDEAN);
        return;
    }
#endif
    if (f->core) SEARCH_ALL(0, 1, METRIC_EUCLIDEAN);
    else SEARCH_ALL(0, 0, METRIC_EUCLIDEAN);
}
#undef SEARCH_ALL
#undef GAP
#undef MAX_LISTED_POINTS
#undef BAND_POINTS
#undef BANDS
#undef ROOM
