/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of svm/class_descent.pyx: visits to the rows of a machine of all classes together. */
#ifndef STATFAST_CLASS_DESCENT_KERNELS_H
#define STATFAST_CLASS_DESCENT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

/* What a sweep works on: see svm/class_descent.pyx. */
typedef struct {
    const double *x;                    /* dense rows, ldx apart, of d numbers */
    const float *x_single;              /* or dense rows of single precision */
    ptrdiff_t ldx, d;
    const ptrdiff_t *start;             /* or sparse ones */
    const int32_t *column;
    const double *value;
    double one;                         /* square of the constant column; 0 without one */
    const int32_t *code;                /* the class of each row */
    const double *cost, *square;
    double *room;                       /* (n, lanes), not negative, each row sums to its cost */
    double *weights;                    /* (1 + d, lanes), the constant column's first */
    ptrdiff_t lanes;                    /* classes, and places up to a multiple of eight */
    double *line;                       /* (d,) a row of single precision, widened */
    double *gradient;                   /* (lanes,) of the row that is visited; then heights */
    int32_t *order;                     /* rows to visit */
    ptrdiff_t begin, end, kept;         /* of them now; those that stay are packed to the front */
    double slack, violation;
} class_job;

typedef struct {
    void (*visit)(class_job *);
} class_descent_kernels;
TABLE_AT(class_descent_kernels, class_descent)

#endif
