/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of generative/concentration.pyx: sums of products of rows, and distances. */
#ifndef STATFAST_CONCENTRATION_KERNELS_H
#define STATFAST_CONCENTRATION_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

#define CONCENTRATION_LANES 32 /* rows whose distances are found side by side, of four vectors or more */
#define CONCENTRATION_PAD 8    /* rows of sums are as long as vectors of the widest level */

typedef struct {
    /* S[i * ld + j] += sum over the m rows of (x_i - center_i) (x_j - center_j) for j <= i; what is
       beyond, up to a vector, holds anything. u has room for 4 ld. */
    void (*add)(const double *X, ptrdiff_t d, const ptrdiff_t *rows, ptrdiff_t m,
                const double *center, double *u, double *S, ptrdiff_t ld);
    /* out[r] = |L^-1 (x - center)|^2 of n rows, for a lower triangle L (d, d). z has room for
       CONCENTRATION_LANES d. */
    void (*measure)(const double *X, ptrdiff_t n, ptrdiff_t d, const double *center,
                    const double *L, double *out, double *z);
} concentration_kernels;
TABLE_AT(concentration_kernels, concentration)

#endif
