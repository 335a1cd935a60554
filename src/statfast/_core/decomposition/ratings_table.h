/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of decomposition/ratings.pyx for one instruction-set level. */
#ifndef STATFAST_RATINGS_TABLE_H
#define STATFAST_RATINGS_TABLE_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    /* z = the first q numbers of some rows of a table (q + 1 wide), then the targets less the last
       number; wz = w z unless w is NULL */
    void (*gather)(const double *table, ptrdiff_t q, const int *places, const double *target,
                   const double *w, ptrdiff_t n, double *z, double *wz, ptrdiff_t ld);
    void (*gather_rough)(const float *table, ptrdiff_t q, const int *places, const double *target,
                         const double *w, ptrdiff_t n, float *z, float *wz, ptrdiff_t ld);
    /* solve for the upper triangle (q, q) with the right side in column q; rows `ld` apart. What
       the rows do not determine, to `least` of the diagonal, is 0. */
    void (*solve)(double *upper, ptrdiff_t q, ptrdiff_t ld, double least, double *x);
    /* the same with x >= 0 in the first `bounded` coordinates, by coordinate descent from zeros;
       the lower triangle is written. */
    void (*solve_bounded)(double *upper, ptrdiff_t q, ptrdiff_t ld, ptrdiff_t bounded, double least,
                          double *x);
} ratings_kernels;

TABLE_AT(ratings_kernels, ratings)

#endif
