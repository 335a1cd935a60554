/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/block_descent.pyx for one instruction-set level. */
#ifndef STATFAST_BLOCK_DESCENT_KERNELS_H
#define STATFAST_BLOCK_DESCENT_KERNELS_H

#include <stddef.h>
#include "simd/levels.h"

/* What a sweep works on: see linear/block_descent.pyx. */
typedef struct {
    const double *G;        /* (width, ld) products of columns, or the columns themselves */
    const double *square;   /* (width,) their squared lengths; NULL where G are products */
    ptrdiff_t ld, m, width, tasks; /* a row of G has m numbers */
    const ptrdiff_t *order; /* (k,) */
    ptrdiff_t k;
    double l1, l2;
    double tiny;            /* a move that gains no more is left out, but for one to zero */
    double *b;              /* (tasks, width) */
    double *q;              /* (tasks, m) the gradient, or the residuals where G are columns */
    double *step;           /* (tasks,) */
} block_descent_state;

typedef struct {
    /* One sweep: returns the largest gain; counts the columns that move. */
    double (*sweep)(const block_descent_state *, ptrdiff_t *moved);
    /* The gradient or the residuals after the column whose row of G is given moves by step. */
    void (*move)(const block_descent_state *, const double *row);
    /* a'b */
    double (*dot)(const double *a, const double *b, ptrdiff_t n);
    /* The squared lengths of the gradients less l2 b, of all columns, (width,); where G are columns
       of those in order alone, (k,). */
    void (*lengths)(const block_descent_state *, double l2, double *out);
} block_descent_kernels;

TABLE_AT(block_descent_kernels, block_descent)

#endif
