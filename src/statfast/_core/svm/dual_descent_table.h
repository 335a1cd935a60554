/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of svm/dual_descent.pyx: visits to the coordinates of a dual, one after the other. */
#ifndef STATFAST_DUAL_DESCENT_KERNELS_H
#define STATFAST_DUAL_DESCENT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

/* A row's record: a cache line. */
enum { TARGET, SHARE, SOFT, LOW, HIGH, BETA, RECORD = 8 };

/* What a sweep works on: see svm/dual_descent.pyx. */
typedef struct {
    const void *x;                      /* dense rows, ldx apart, of d numbers */
    ptrdiff_t ldx, d;
    const ptrdiff_t *start;             /* or sparse ones */
    const int32_t *column;
    const double *value;
    double one;                         /* square of the constant column; 0 without one */
    double *state;                      /* (n, RECORD) what a visit needs, side by side */
    double epsilon, slack;
    double *v;                          /* (1 + d,) the constant column's first */
    int32_t *order;                     /* coordinates to visit */
    ptrdiff_t begin, end, kept;         /* of them now; those that stay are packed to the front */
    double most, least, sum;            /* of the projected gradients */
} dual_job;

typedef struct {
    void (*f64)(dual_job *);
    void (*f32)(dual_job *);
} dual_descent_kernels;
TABLE_AT(dual_descent_kernels, dual_descent)

#endif
