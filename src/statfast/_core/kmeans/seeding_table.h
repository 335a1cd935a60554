/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kmeans/seeding.pyx: what candidates for the next center would gain. */
#ifndef STATFAST_SEEDING_TABLE_H
#define STATFAST_SEEDING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

enum { SEEDING_MAX_CANDIDATES = 32 }; /* the number of candidates is 2 + log k */

/* Candidates, an even number, are columns of `a`, and points lie in panels of depth d.  All lengths
   are those of tile/product/tile.h, moved and scaled. */
typedef struct {
    const float *a, *start, *slope, *square; /* (d, m), and (m,) each */
    ptrdiff_t m, depth;
    const float *panels, *top, *weight;     /* of the points; weight may be NULL */
    const float *longest, *rest, *heaviest; /* (panels,) the largest |b|, r and weight in each */
    /* (m, panels) OUT the points that each may gain, as bits. */
    uint32_t *hit;
    ptrdiff_t all;                          /* number of panels */
} seeding_rows;

typedef struct {
    /* high, off, points: (m,) an upper bound of the gain of each from some panels, by how much the
       gain may be less, and the number of points that it may gain */
    void (*weigh)(const seeding_rows *, ptrdiff_t first, ptrdiff_t stop, double *high, double *off,
                  double *points);
} seeding_kernels;
TABLE_AT(seeding_kernels, seeding)

#endif
