/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/multinomial_level.h: sums over a sheet of rows, for multinomial logistic
   models.

   A sheet holds rows z of q numbers, `ld` apart, and after them rows of zeros up to a multiple of
   SHEET_ROUND. What is of classes has class k in row k, `across` points apart. */
#ifndef STATFAST_MULTINOMIAL_KERNELS_H
#define STATFAST_MULTINOMIAL_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

#define SHEET_ROUND 16 /* rows, columns and classes are padded to multiples of this, at most */

typedef struct {
    /* z = (x - shift) * scale, after a 1 if `intercept` */
    void (*lay_f64)(const double *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, int intercept,
                    const double *shift, const double *scale, double *z, ptrdiff_t ld);
    void (*lay_f32)(const float *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, int intercept,
                    const double *shift, const double *scale, double *z, ptrdiff_t ld);
    /* t[k] = z coef[k], where coef has one row per column of z and `kp` classes in each */
    void (*scores)(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t q, const double *coef,
                   ptrdiff_t kp, ptrdiff_t classes, double *t, ptrdiff_t across);
    /* t = posteriors, loss[i] = -log of that of the row's own class, whose score `own` holds */
    void (*posteriors)(double *t, ptrdiff_t across, ptrdiff_t classes, const double *own,
                       double *loss);
    /* g[k] += sum of r[k] z */
    void (*gradient)(const double *r, ptrdiff_t across, ptrdiff_t classes, const double *z,
                     ptrdiff_t ld, ptrdiff_t n, double *g);
    /* c += sum of w z z', the lower triangle, where it lies in columns of vectors */
    void (*outer)(const double *w, const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t q,
                  double *c);
    ptrdiff_t lanes;
} multinomial_kernels;

TABLE_AT(multinomial_kernels, multinomial)

#endif
