/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/coordinate_descent.pyx for one instruction-set level. */
#ifndef STATFAST_DESCENT_KERNELS_H
#define STATFAST_DESCENT_KERNELS_H

#include <stddef.h>
#include "simd/levels.h"

#define BLOCK_COLUMNS 32 /* columns of a factor that are made together: a multiple of any panel's */

/* What a sweep works on: see linear/coordinate_descent.pyx. */
typedef struct {
    const double *G;        /* (., ld) */
    ptrdiff_t ld, m;        /* m coordinates whose gradient is kept */
    const ptrdiff_t *order; /* (k,) */
    ptrdiff_t k;
    double l1, l2;
    double tiny;            /* a move that gains no more is left out */
    int positive;
    double *b, *q;          /* (m,) */
} descent_state;

typedef struct {
    /* One sweep: returns the largest gain; counts the signs that change and the coefficients that
       move. */
    double (*sweep)(const descent_state *, ptrdiff_t *turned, ptrdiff_t *moved);
    void (*move)(const double *, double, ptrdiff_t, double *);
    /* x becomes the solution of L L' x = x; the blocks on the diagonal of L are given inverted. */
    void (*solve)(const double *L, ptrdiff_t ld, const double *inverse, ptrdiff_t k, double *x);
} descent_kernels;

TABLE_AT(descent_kernels, descent)

#endif
