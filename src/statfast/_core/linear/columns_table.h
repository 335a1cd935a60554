/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/columns.pyx for one instruction-set level. x is float if `single`, else double;
   its columns are contiguous and `step` apart (..._down), or its rows are (..._across). `index` names
   the columns, or is NULL for the first ones. */
#ifndef STATFAST_COLUMNS_KERNELS_H
#define STATFAST_COLUMNS_KERNELS_H

#include <stddef.h>
#include "simd/levels.h"

typedef struct {
    const void *x;
    int single;
    ptrdiff_t step, n;
    const ptrdiff_t *index;
    ptrdiff_t k;
} columns_job;

typedef struct {
    /* out (k,) += X'v */
    void (*correlate_down)(const columns_job *, const double *v, double *out);
    void (*correlate_across)(const columns_job *, const double *v, double *out);
    /* out (n,) += X coef */
    void (*combine_down)(const columns_job *, const double *coef, double *out);
    void (*combine_across)(const columns_job *, const double *coef, double *out);
    /* z = root (x - mean) scale of n numbers of one column */
    void (*load)(const void *x, int single, ptrdiff_t n, const double *root, double mean,
                 double scale, double *z);
    double (*dot)(const double *, const double *, ptrdiff_t n);
    /* out (k, columns), ldo apart, += part (k, columns), lda apart */
    void (*add)(const double *part, ptrdiff_t lda, ptrdiff_t k, ptrdiff_t columns, double *out,
                ptrdiff_t ldo);
} columns_kernels;

TABLE_AT(columns_kernels, columns)

#endif
