/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of svm/class_descent.pyx for one instruction-set level. */
#ifndef STATFAST_CLASS_DESCENT_KERNELS_H
#define STATFAST_CLASS_DESCENT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

/* Of a row, x holds `length` numbers, of the columns `at`, or of all where that is NULL. The weights
   are (1 + d, lanes), those of the constant column first; lanes is a multiple of eight. */
typedef struct {
    /* the values of the row under all classes */
    void (*multiply)(const double *x, const int32_t *at, ptrdiff_t length, const double *weights,
                     ptrdiff_t lanes, double *out);
    /* add the row to the weights, times the step of each class */
    void (*move)(const double *x, const int32_t *at, ptrdiff_t length, double *weights,
                 ptrdiff_t lanes, const double *step);
} class_descent_kernels;

TABLE_AT(class_descent_kernels, class_descent)

#endif
