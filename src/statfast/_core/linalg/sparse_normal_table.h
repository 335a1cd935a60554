/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linalg/sparse_normal.pyx: a sparse row times eight columns, and back. */
#ifndef STATFAST_SPARSENORMAL_KERNELS_H
#define STATFAST_SPARSENORMAL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    /* z = weight * (sum over s of value[s] * table[8 column[s] :][:8] - shift), which is added to
       total; of each s value[s] * z is added to out[8 column[s] :][:8] */
    void (*add_row)(const double *value, const int32_t *column, ptrdiff_t n, const double *table,
                    const double *shift, double weight, double *total, double *out);
} sparsenormal_kernels;
TABLE_AT(sparsenormal_kernels, sparsenormal)

#endif
