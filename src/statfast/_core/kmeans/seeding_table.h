/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kmeans/seeding.pyx: what candidates for the next center would gain. */
#ifndef STATFAST_SEEDING_TABLE_H
#define STATFAST_SEEDING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

enum { SEEDING_MAX_CANDIDATES = 32 }; /* candidates: 2 + log k */

/* Candidates, an even number, are columns of `a`, and points lie in panels of depth d.  All lengths
   are those of tile/product/tile.h, moved and scaled. */
typedef struct {
    const float *a, *start, *slope, *square; /* (d, m), and (m,) each */
    ptrdiff_t m, depth;
    const float *panels, *top, *weight;     /* of the points; weight may be NULL */
    const float *longest, *rest, *heaviest; /* (panels,) the most in each: |b|, r and weight */
    uint32_t *hit;                          /* (m, panels) OUT points that each may gain */
    ptrdiff_t all;                          /* panels */
} seeding_rows;

typedef struct {
    /* high, off, points: (m,) most that each gains of some panels, by how much less it may be, and
       of how many points */
    void (*weigh)(const seeding_rows *, ptrdiff_t first, ptrdiff_t stop, double *high, double *off,
                  double *points);
} seeding_kernels;
TABLE_AT(seeding_kernels, seeding)

#endif
