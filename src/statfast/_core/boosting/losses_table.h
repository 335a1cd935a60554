/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of boosting/losses.pyx: gradients and hessians, and columns as codes. */
#ifndef STATFAST_BOOSTING_LOSSES_H
#define STATFAST_BOOSTING_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

enum { LOSS_SQUARED, LOSS_ABSOLUTE, LOSS_GAMMA, LOSS_POISSON, LOSS_QUANTILE, LOSS_LOG,
       LOSS_MULTINOMIAL, LOSS_EXPONENTIAL };

typedef struct {
    int loss;
    double quantile, target; /* target: the class of a multinomial loss */
    const double *raw, *y, *weight, *normalizer; /* weight may be NULL */
} loss_rows;

typedef struct {
    /* (gradient, hessian) of n rows, and the largest of their sizes */
    void (*gradients)(const loss_rows *, ptrdiff_t n, double *out, double most[2]);
    /* the same in place as integers: units are scale[0] and scale[1], a count is added */
    void (*fix)(double *pairs, ptrdiff_t n, const double scale[4], int count_bits);
    /* log of the sum of exp over k predictions of n rows; predictions of a row are `step` apart */
    void (*normalize)(const double *raw, ptrdiff_t step, ptrdiff_t k, ptrdiff_t n, double *out);
    /* the number of the 255 thresholds below each value; 255 for NaN */
    void (*encode)(const double *x, ptrdiff_t n, const double *thresholds, uint8_t *code);
} boosting_losses_kernels;
TABLE_AT(boosting_losses_kernels, boosting_losses)

#endif
