/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of hierarchy/centroids.pyx: the nearest of many points, which may stand for
   clusters. */
#ifndef STATFAST_MEANS_KERNELS_H
#define STATFAST_MEANS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

#define MEANS_GROUP 8 /* queries that share a load */

/* Points in columns, a multiple of 64 of them; missing ones are at infinity. */
typedef struct {
    const double *mean; /* (d, ld) */
    ptrdiff_t ld, d;
    const double *size; /* (ld,) Ward's weights; NULL: distances have none */
    double smallest;    /* no size is below it */
} means_points;

/* Some of the points as queries, and the nearest other point so far of each. */
typedef struct {
    const double *at; /* (d, MEANS_GROUP) */
    double size[MEANS_GROUP];
    ptrdiff_t point[MEANS_GROUP]; /* their numbers */
    double low[MEANS_GROUP];      /* INOUT */
    int32_t who[MEANS_GROUP];     /* INOUT */
} means_queries;

typedef struct {
    void (*nearest)(const means_points *, means_queries *, ptrdiff_t first, ptrdiff_t last);
    void (*one)(const double *mean, ptrdiff_t ld, ptrdiff_t d, const double *at, ptrdiff_t last,
                double *low, int32_t *who);
} means_kernels;
TABLE_AT(means_kernels, means)

#endif
