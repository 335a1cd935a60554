/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of neighbors/tangent.pyx for one instruction-set level. */
#ifndef STATFAST_TANGENT_TABLE_H
#define STATFAST_TANGENT_TABLE_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    void (*smooth)(const double *image, ptrdiff_t h, ptrdiff_t w, const double *taps,
                   ptrdiff_t reach, double *work, double *out);
    void (*tangents)(const double *f, ptrdiff_t h, ptrdiff_t w, double *out, ptrdiff_t ld);
    void (*products)(const double *a, const double *b, ptrdiff_t columns, ptrdiff_t ld,
                     double *out);
} tangent_kernels;

TABLE_AT(tangent_kernels, tangent)

#endif
