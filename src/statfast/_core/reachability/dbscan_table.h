/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of reachability/dbscan.pyx: clusters of core points in a k-d tree. */
#ifndef STATFAST_DBSCAN_KERNELS_H
#define STATFAST_DBSCAN_KERNELS_H

#include "kdtree/query.h"
#include "simd/levels.h"

#define DBSCAN_LEAF_SIZE 32   /* points of a leaf, as bits of a word */
#define DBSCAN_NO_CLUSTER INT32_MAX

/* The points of a k-d tree and their clusters. Places are those of the tree; places of missing
   points hold no core point. */
typedef struct {
    const double *weight;  /* (leaves * leaf,) by place; NULL: all are 1 */
    const double *total;   /* (groups, 8) weights of the points of a child */
    int inhibits;          /* whether weights may be negative, so that no sum is known early */
    int kind;              /* of metric */
    double p;
    double limit;          /* points are neighbors up to this reduced distance */
    double enough;         /* core points have neighbors of this weight */
    uint8_t *core;         /* INOUT (leaves * leaf,) whether a place holds a core point */
    int32_t *parent;       /* INOUT (leaves * leaf,) a forest: a place, or a lower one of its set */
    const int32_t *one;    /* (groups, 8) a core point of each child; -1: none */
    uint8_t *joined;       /* INOUT (groups, 8) whether all core points of a child are in one set */
    int32_t *label;        /* INOUT (leaves * leaf,) numbers of clusters */
    const int32_t *least;  /* (groups, 8) the lowest number of a cluster of a child's core points */
    double *work;          /* (3 d,) */
    ptrdiff_t begin, end;  /* INOUT, IN: the leaves to process */
    ptrdiff_t budget;      /* leaves to visit, about, before it returns */
} kd_clusters;

typedef struct {
    void (*count_f32)(const kd_tree *, kd_clusters *);
    void (*count_f64)(const kd_tree *, kd_clusters *);
    void (*join_f32)(const kd_tree *, kd_clusters *);
    void (*join_f64)(const kd_tree *, kd_clusters *);
    void (*claim_f32)(const kd_tree *, kd_clusters *);
    void (*claim_f64)(const kd_tree *, kd_clusters *);
} dbscan_kernels;
TABLE_AT(dbscan_kernels, dbscan)

#endif
