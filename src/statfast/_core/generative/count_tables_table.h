/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of generative/count_tables.pyx: rows of a table added up for a sparse row. */
#ifndef STATFAST_COUNTTABLES_KERNELS_H
#define STATFAST_COUNTTABLES_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    /* out[c] = begin[c] + sum over s of value[s] table[column[s] * ld + c], c < width, a multiple of
       8; all values are 1 where value is NULL */
    void (*score)(const int32_t *column, const double *value, ptrdiff_t n, const double *table,
                  ptrdiff_t ld, ptrdiff_t width, const double *begin, double *out);
} count_tables_kernels;
TABLE_AT(count_tables_kernels, count_tables)

#endif
