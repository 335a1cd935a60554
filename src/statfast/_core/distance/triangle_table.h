/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of distance/triangle.pyx: passes over rows of a dissimilarity matrix, which
   distance/triangle.h describes. */
#ifndef STATFAST_TRIANGLE_KERNELS_H
#define STATFAST_TRIANGLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

#define TRIANGLE(REAL, NAME)                                                                       \
    typedef struct {                                                                               \
        int (*extent)(const REAL *x, ptrdiff_t n, double *low, double *high);                      \
        void (*scan)(const REAL *x, ptrdiff_t n, ptrdiff_t row, ptrdiff_t first, REAL *low,        \
                     int32_t *who, REAL *best, int32_t *at);                                       \
    } NAME;
TRIANGLE(float, triangle_f32)
TRIANGLE(double, triangle_f64)
#undef TRIANGLE

typedef struct {
    triangle_f32 f32;
    triangle_f64 f64;
} triangle_kernels;

TABLE_AT(triangle_kernels, triangle)

#endif
