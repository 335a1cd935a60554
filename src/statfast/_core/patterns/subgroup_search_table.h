/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns/subgroup_search.pyx: sums over the rows in two sets, which are bits in words
   of 64 rows each. */
#ifndef STATFAST_SUBGROUP_SEARCH_KERNELS_H
#define STATFAST_SUBGROUP_SEARCH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    double rows, weight, sum; /* sum: weight of the rows before `split`, or weight times deviation */
    double high, low;         /* the most that a part of the rows may have, upward and downward */
} subgroup_sums;

typedef struct {
    /* rows, and those of the words before `split` */
    void (*count)(const uint64_t *a, const uint64_t *b, ptrdiff_t split, ptrdiff_t words,
                  subgroup_sums *out);
    /* the same with weights, a row after the other */
    void (*weigh)(const uint64_t *a, const uint64_t *b, ptrdiff_t split, ptrdiff_t words,
                  const double *weight, subgroup_sums *out);
    /* sums of weight times deviation, where deviations descend from row to row; `high` is the
       greatest sum * weight^(exponent - 1) of a beginning of the rows, `low` that of minus the sum
       of an end of them, if `both` */
    void (*deviate)(const uint64_t *a, const uint64_t *b, ptrdiff_t words, const double *weight,
                    const double *deviation, double exponent, int both, subgroup_sums *out);
} subgroup_search_kernels;
TABLE_AT(subgroup_search_kernels, subgroup_search)

#endif
