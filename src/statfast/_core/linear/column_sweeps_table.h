/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/column_sweeps.pyx for one instruction-set level. */
#ifndef STATFAST_COLUMN_SWEEPS_KERNELS_H
#define STATFAST_COLUMN_SWEEPS_KERNELS_H

#include <stddef.h>
#include "simd/levels.h"

typedef struct {
    /* a'b of n numbers */
    double (*dot)(const double *a, const double *b, ptrdiff_t n);
    /* y -= share x, of n numbers; then sums are y'y and y'target, which may be y itself */
    void (*less)(double *y, const double *x, double share, ptrdiff_t n, const double *target,
                 double *sums);
} column_sweeps_kernels;

TABLE_AT(column_sweeps_kernels, column_sweeps)

#endif
