/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of hierarchy/boruvka.pyx: the nearest points of other parts in a k-d tree. */
#ifndef STATFAST_BORUVKA_KERNELS_H
#define STATFAST_BORUVKA_KERNELS_H

#include "kdtree/query.h"
#include "simd/levels.h"

#define MAX_NEIGHBORS 4        /* neighbors that a point finds at once */
#define LEAF_SIZE 32     /* points of a leaf, which search at once */
#define MAX_COLUMNS 16      /* most columns of a tree */
/* The factor (squared) by which a search goes farther, for later rounds. */
#define SEARCH_MARGIN 1.5

/* A forest over the points of a k-d tree, and the shortest edges that leave its parts. Places are
   those of the tree; a part is the number of one of its places. */
typedef struct {
    const double *part;   /* (leaves * leaf,) by place */
    const double *core;   /* (leaves * leaf,) by place: no edge of a point is shorter; or NULL */
    const double *same;   /* (groups, 8): the part of all points of a child; -1: of several */
    double *low;          /* INOUT (n, MAX_NEIGHBORS) by place: distances to the nearest points of
                             other parts when the point searched, rising; those not listed are no
                             less than the last */
    int32_t *near;        /* INOUT (n, MAX_NEIGHBORS) their places; the point itself: no more */
    const double *known;  /* (n,) by part, the shortest edge found before; */
    double *best;         /* where the stamp is `now`, a shorter one found since, */
    int32_t *one, *other; /* between these places */
    int32_t *stamp, now;
    int32_t *touched;     /* the parts that have one */
    ptrdiff_t count;      /* INOUT the number of those */
    const int32_t *lost;  /* places of points whose lists do not decide their edge */
    ptrdiff_t begin, end; /* INOUT, IN: the range of lost points to process */
    int kind;             /* of metric, up to METRIC_MINKOWSKI */
    double p;
    int first;            /* whether every point is a part */
    ptrdiff_t budget;     /* leaves to visit, about, before it returns */
} kd_forest;

static inline double part_limit(const kd_forest *f, ptrdiff_t part) {
    return f->stamp[part] == f->now ? f->best[part] : f->known[part];
}

/* Note an edge of a part that is shorter than its limit. */
static inline void part_offer(kd_forest *f, ptrdiff_t part, double apart, ptrdiff_t one,
                              ptrdiff_t other) {
    if (f->stamp[part] != f->now) {
        f->stamp[part] = f->now;
        f->touched[f->count++] = (int32_t)part;
    }
    f->best[part] = apart;
    f->one[part] = (int32_t)one;
    f->other[part] = (int32_t)other;
}

typedef struct {
    void (*search)(const kd_tree *, kd_forest *);
    ptrdiff_t (*recall)(kd_forest *, ptrdiff_t, const double *, double, double *, int32_t *,
                        ptrdiff_t, ptrdiff_t);
    void (*mark)(const int32_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *, double *);
} boruvka_kernels;
TABLE_AT(boruvka_kernels, boruvka)

#endif
