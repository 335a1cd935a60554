/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of the kernels of the k-d tree. */
#ifndef STATFAST_KDJOB_H
#define STATFAST_KDJOB_H

#include <stddef.h>
#include <stdint.h>

#include "order/neighbor_order.h"

/* A k-d tree as kdtree/tree.pxd describes it; the numbers of blocks and boxes are float or
   double. */
#define KD_LANES 8    /* children of a node */
#define KD_MAX_LEVELS 12  /* 8^11 leaves are more than there are row numbers */
#define KD_MAX_LEAF_POINTS 256   /* the most points of a leaf */
typedef struct {
    const void *blocks;     /* (leaves, d, leaf) */
    const int32_t *ids;     /* (leaves, leaf) */
    const void *boxes;      /* (groups, d, 2, KD_LANES) */
    const int32_t *least;   /* (groups, KD_LANES) */
    const ptrdiff_t *first; /* (levels,) */
    ptrdiff_t n, d, leaf, leaves, levels;
} kd_tree;

/* Queries to a k-d tree, and their results. */
typedef struct {
    const void *queries;    /* rows of d doubles, or floats if `single` */
    ptrdiff_t ldq;
    const int32_t *order;   /* the order in which rows are taken; NULL: as they are */
    ptrdiff_t begin, end;   /* a range in that order, or in the order of the tree if `itself` */
    int single, itself;     /* itself: the queries are the points, each without itself */
    int kind;               /* of metric, up to METRIC_MINKOWSKI */
    double p;
    ptrdiff_t k;
    double *apart;          /* OUT (m, k) */
    ptrdiff_t *row;         /* OUT (m, k) */
    ptrdiff_t visited;      /* INOUT leaves visited */
    ptrdiff_t capacity;     /* of the work space: */
    double *key;            /* (2 capacity,) */
    int64_t *id;            /* (2 capacity,) */
    double *q;              /* (d,) */
} kd_job;

/* Queries for all points within a radius. The job holds the queries, the metric, the work space
   (with room for the points of one query and a leaf), and with `start` the results. */
typedef struct {
    kd_job job;
    const double *limit;    /* reduced radii, by row of the queries */
    const ptrdiff_t *start; /* where the points of a row begin; NULL: they are only counted */
    ptrdiff_t *count;       /* OUT by row */
    ptrdiff_t budget;       /* about the number of points to read in a call */
    const neighbor_order *by_row; /* the work space to write them by row; NULL: by distance */
} kd_radius_search;

#endif
