/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of distance/dissimilarity.pyx: distances between rows by differences, stored or
   gathered. */
#ifndef STATFAST_SPANS_KERNELS_H
#define STATFAST_SPANS_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

#define SPAN_PANEL_POINTS 32 /* points of a panel */
#define SPAN_SPARE_ROWS 14 /* rows beyond the last that may be read: the rows of the largest tile */

enum { SPAN_PLAIN, SPAN_ROOT, SPAN_HALF };  /* the function applied to a reduced distance */
enum { SPAN_SUM, SPAN_MINIMUM, SPAN_MAXIMUM };   /* the reduction of the distances to many rows */

typedef struct {
    void (*store)(const double *, ptrdiff_t, ptrdiff_t, const double *, ptrdiff_t, int, int,
                  double *, ptrdiff_t, ptrdiff_t);
    void (*gather)(const double *, ptrdiff_t, ptrdiff_t, const double *, ptrdiff_t, int, int, int,
                   double *);
    int (*sound_f64)(const double *, ptrdiff_t);
    int (*sound_f32)(const float *, ptrdiff_t);
} spans_kernels;
TABLE_AT(spans_kernels, spans)

#endif
