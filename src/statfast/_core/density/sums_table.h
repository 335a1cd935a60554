/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of density/sums.pyx for one instruction-set level, and the arguments of its kernels. */
#ifndef STATFAST_DENSITY_SUMS_TABLE_H
#define STATFAST_DENSITY_SUMS_TABLE_H

#include "kdtree/query.h"
#include "simd/levels.h"

enum { SHAPE_GAUSSIAN, SHAPE_TOPHAT, SHAPE_EPANECHNIKOV, SHAPE_EXPONENTIAL, SHAPE_LINEAR,
       SHAPE_COSINE };

/* What is known of the points of a k-d tree (kdtree/tree.pxd) beside their places. */
typedef struct {
    const double *weights; /* (leaves, leaf), 0 where no point is; NULL: all 1 */
    const double *node_weights;    /* (groups, KD_LANES) weight of the points of a child */
    const double *center;  /* (groups, d, KD_LANES) their weighted mean */
    const double *moment;  /* (groups, KD_LANES) sum of weight times squared distance from it */
    double total;          /* weight of all points */
} density_nodes;

/* Queries for sums of kernels about all points. The job holds the queries, their order, the metric
   and room for one query, `q`; of the points themselves (job.itself) each is without itself. */
typedef struct {
    kd_job job;
    int shape;
    double inverse;        /* turns reduced distances into t^2 (Euclidean) or t */
    double limit;          /* of SHAPE_TOPHAT: the largest reduced distance inside */
    double rtol, atol;     /* a sum may err by rtol times itself and atol */
    const double *shift;   /* by row: added to exponents; NULL: 0 */
    double *sum;           /* OUT by row */
    ptrdiff_t budget;      /* about the number of points to read in a call */
} density_search;

typedef struct {
    /* Sums of the queries begin to end, pruned by the tree, until the budget is spent; job.begin
       becomes the next query. */
    void (*sum_tree_f32)(const kd_tree *, const density_nodes *, density_search *);
    void (*sum_tree_f64)(const kd_tree *, const density_nodes *, density_search *);
} sums_kernels;
TABLE_AT(sums_kernels, sums)

#endif
