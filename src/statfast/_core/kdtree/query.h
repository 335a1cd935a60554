/* SPDX-License-Identifier: BSD-3-Clause */
/* What is handed to the kernels of the k-d tree. */
#ifndef STATFAST_KDJOB_H
#define STATFAST_KDJOB_H

#include <stddef.h>
#include <stdint.h>

/* A k-d tree as kdtree/tree.pxd describes it; the numbers of blocks and boxes are float or double. */
#define KD_LANES 8    /* children of a node */
#define KD_MAX_LEVELS 12  /* 8^11 leaves are more than there are row numbers */
#define KD_MAX_LEAF_POINTS 256   /* most points of a leaf */
typedef struct {
    const void *blocks;     /* (leaves, d, leaf) */
    const int32_t *ids;     /* (leaves, leaf) */
    const void *boxes;      /* (groups, d, 2, KD_LANES) */
    const int32_t *least;   /* (groups, KD_LANES) */
    const ptrdiff_t *first; /* (levels,) */
    ptrdiff_t n, d, leaf, leaves, levels;
} kd_tree;

/* Queries to a k-d tree, and where the answers go. */
typedef struct {
    const void *queries;    /* rows of d doubles, or floats if single */
    ptrdiff_t ldq;
    const int32_t *order;   /* the rows to take, one after the other; NULL: as they lie */
    ptrdiff_t begin, end;   /* in that order, or in that of the tree if itself */
    int single, itself;     /* itself: the queries are the points, each without itself */
    int kind;               /* of metric, up to METRIC_MINKOWSKI */
    double p;
    ptrdiff_t k;
    double *apart;          /* OUT (m, k) */
    ptrdiff_t *row;         /* OUT (m, k) */
    ptrdiff_t visited;      /* INOUT leaves looked at */
    ptrdiff_t capacity;     /* of the work space: */
    double *key;            /* (2 capacity,) */
    int64_t *id;            /* (2 capacity,) */
    double *q;              /* (d,) */
} kd_job;

/* Queries for all points within a radius. Of the job: the queries, the metric, the work space (with
   room for the points of one query and a leaf), and with `start` the answers. */
typedef struct {
    kd_job job;
    const double *limit;    /* reduced radii, by row of the queries */
    const ptrdiff_t *start; /* where the answers of a row begin; NULL: they are counted */
    ptrdiff_t *count;       /* OUT by row */
    ptrdiff_t budget;       /* points to look at, about, before it returns */
} kd_radius_search;

#endif
