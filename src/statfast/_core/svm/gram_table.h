/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of svm/gram.pyx for one instruction-set level. */
#ifndef STATFAST_GRAM_KERNELS_H
#define STATFAST_GRAM_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    /* sums[c] += the sum over i < n of w[i] x[i * wide + c], c < wide, the columns of a panel */
    void (*sum_f32)(const float *x, ptrdiff_t wide, ptrdiff_t n, const double *w, double *sums);
    void (*sum_f64)(const double *x, ptrdiff_t wide, ptrdiff_t n, const double *w, double *sums);
} gram_kernels;

TABLE_AT(gram_kernels, gram)

#endif
