/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linalg/cholesky.pyx for one instruction-set level. */
#ifndef STATFAST_CHOLESKY_TABLE_H
#define STATFAST_CHOLESKY_TABLE_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    /* the products of four rows of n numbers, lda apart, with another */
    void (*dots)(const double *a, ptrdiff_t lda, const double *b, ptrdiff_t n, double *out);
} cholesky_kernels;

TABLE_AT(cholesky_kernels, cholesky)

#endif
