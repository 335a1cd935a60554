/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kmeans/sparse.pyx: scores of sparse rows and dense centers. */
#ifndef STATFAST_SPARSELLOYD_KERNELS_H
#define STATFAST_SPARSELLOYD_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    /* score[c] = begin[c] + sum over s of value[s] * centers[column[s] * ld + c], ld a multiple of
       8 */
    void (*score)(const double *value, const int32_t *column, ptrdiff_t n, const double *centers,
                  ptrdiff_t ld, const double *begin, double *score);
} sparselloyd_kernels;
TABLE_AT(sparselloyd_kernels, sparselloyd)

#endif
