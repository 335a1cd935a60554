/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linalg/products.pyx for one instruction-set level. */
#ifndef STATFAST_PRODUCTS_TABLE_H
#define STATFAST_PRODUCTS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    ptrdiff_t rows, across, across_float; /* of a tile, of double and of float numbers */
    /* z = scale (x - shift), row by row; scale may be NULL for ones */
    void (*shift_f64)(const double *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, const double *shift,
                      const double *scale, double *z, ptrdiff_t ld);
    void (*shift_f32)(const float *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, const double *shift,
                      const double *scale, double *z, ptrdiff_t ld);
    void (*shift_float)(const float *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,
                        const double *shift, const double *scale, float *z, ptrdiff_t ld);
    void (*shift_u8)(const uint8_t *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, const double *shift,
                     const double *scale, double *z, ptrdiff_t ld);
    /* sums += the columns of z, each row times w (NULL for ones) */
    void (*add)(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t d, const double *w,
                double *sums);
    /* the same of their squares */
    void (*add_squares)(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t d, const double *w,
                        double *sums);
    /* out = y of n rows of k numbers and zeros; returns 0 if all are finite, else NaN */
    double (*give_f64)(const double *y, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t k, double *out,
                       ptrdiff_t ldo);
    double (*give_f32)(const double *y, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t k, float *out,
                       ptrdiff_t ldo);
    /* c += a' b of (depth, m) and (depth, n); with `lower` the tiles above the diagonal are left
       out. m and n are read and written in whole tiles. The columns of b that a tile takes are
       `squared_distances` from those of the tile before: its width in rows, more in panels. */
    void (*inner)(const double *a, ptrdiff_t lda, ptrdiff_t m, const double *b, ptrdiff_t ldb,
                  ptrdiff_t stride, ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc,
                  int lower);
    /* c (+)= a b of rows (m, depth) and panels (depth, n): panel j holds the columns from
       j * across on. m and n are read and written in whole tiles. */
    void (*outer)(const double *a, ptrdiff_t lda, ptrdiff_t m, const double *panels, ptrdiff_t n,
                  ptrdiff_t depth, double *c, ptrdiff_t ldc, int more, int lower);
    /* the same of float numbers, across_float at a time; sums of many are in double */
    void (*inner_float)(const float *a, ptrdiff_t lda, ptrdiff_t m, const float *b, ptrdiff_t ldb,
                        ptrdiff_t stride, ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc,
                  int lower);
    void (*outer_float)(const float *a, ptrdiff_t lda, ptrdiff_t m, const float *panels,
                        ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc, int more,
                        int lower);
    /* n rows of nbytes, so many stride, that are read soon */
    void (*fetch)(const char *rows, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t nbytes);
} products_kernels;

TABLE_AT(products_kernels, products)

#endif
