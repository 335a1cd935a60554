/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of boruvka.pyx: the nearest points of other parts in a k-d tree. */
#ifndef STATFAST_BORUVKA_KERNELS_H
#define STATFAST_BORUVKA_KERNELS_H

#include "kdjob.h"
#include "levels.h"

#define AROUND 128 /* leaves around one that its points search together; a multiple of KD_LANES */
#define TOGETHER 4 /* points for which they are gathered */

/* A forest over the points of a k-d tree, and the shortest edges that leave its parts. Places are
   those of the tree; a part is the number of one of its places. */
typedef struct {
    const double *part;   /* (leaves * leaf,) by place */
    const double *same;   /* (groups, 8): the part of all points of a child; -1: of several */
    double largest;       /* the part whose edge need not be found; -1: none */
    ptrdiff_t k;          /* of each point, by place, the nearest of other parts when it searched: */
    double *low;          /* INOUT (n, k) distances, rising, */
    int32_t *near;        /* INOUT (n, k) and places; -1: there are no more */
    double *beyond;       /* INOUT (n,) none of another part that is not listed is nearer */
    double *best;         /* of each part, where its stamp is `now`: the shortest edge so far, */
    int32_t *one, *other; /*     from and to these places */
    int32_t *stamp, now;
    int32_t *touched;     /* parts that have one */
    ptrdiff_t count;      /* INOUT of those */
    ptrdiff_t begin, end; /* INOUT, IN: leaves to look at */
    ptrdiff_t budget;     /* leaves to visit, about, before it returns */
    double *q;            /* (d + 2 d AROUND,) work space */
} kd_forest;

typedef struct {
    void (*edges)(const kd_tree *, kd_forest *);
} boruvka_kernels;
TABLE_AT(boruvka_kernels, boruvka)

#endif
