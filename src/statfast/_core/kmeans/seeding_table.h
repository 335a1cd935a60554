/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kmeans/seeding.pyx: what candidates for the next center would gain. */
#ifndef STATFAST_SEEDING_KERNELS_H
#define STATFAST_SEEDING_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

/* Candidates, an even number, are columns of `a`, and points lie in panels of depth d.  All lengths
   are those of tile/tile.h, moved and scaled. */
typedef struct {
    const float *a, *start, *slope, *square; /* (d, m), and (m,) each */
    ptrdiff_t m, depth;
    const float *panels, *weight; /* of the points; weight may be NULL */
    float *top;
    const float *longest, *rest, *heaviest;    /* (panels,) the most in each: |b|, r and weight */
    uint32_t *hit;                             /* (m, all) points of panels that each may gain */
    ptrdiff_t all;
    float *held; /* (m, wide) scores from above; or NULL, and gains are told at once */
    ptrdiff_t wide;
    int32_t *who;                     /* (points,) which candidate came nearer last: see outdo */
    float loose_slope, loose_square;  /* how far `top` may be off where one did */
    double *high, *off; /* (m,) most that each gains, and by how much less it may be; added to */
} seeding_job;

/* Squared distances of rows, so many bytes apart, to a point: of those that `near` names, if not
   NULL. */
typedef void (*apart_some)(const double *q, const void *rows, ptrdiff_t step, const int32_t *near,
                           ptrdiff_t count, ptrdiff_t d, double *out);

typedef struct {
    void (*weigh)(const seeding_job *, ptrdiff_t first, ptrdiff_t stop); /* panels */
    /* what held scores tell of the gains of some candidates, once candidate `last`, if not -1, is a
       center, which `who` calls `name` */
    void (*weigh_held)(const seeding_job *, const int32_t *group, ptrdiff_t count, int32_t last,
                       int32_t name, ptrdiff_t first, ptrdiff_t stop);
    /* the sum of weight * closest; all weights are 1 where there are none */
    double (*add_up)(const double *closest, const double *weights, ptrdiff_t n);
    apart_some apart_f64, apart_f32, apart_u8;
} seeding_kernels;
TABLE_AT(seeding_kernels, seeding)

#endif
