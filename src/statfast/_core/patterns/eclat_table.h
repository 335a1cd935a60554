/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns/eclat.pyx: sets of baskets as vectors of bits. */
#ifndef STATFAST_ECLAT_TABLE_H
#define STATFAST_ECLAT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

typedef struct {
    /* out = a & b */
    void (*intersect)(const uint64_t *a, const uint64_t *b, ptrdiff_t words, uint64_t *out);
    /* count[i] = the number of bits of a & vector which[i]; vectors lie one after another */
    void (*count_joint)(const uint64_t *a, const uint64_t *vectors, const int32_t *which,
                        ptrdiff_t n, ptrdiff_t words, int32_t *count);
    /* whether all bits of a are bits of b */
    int (*is_contained)(const uint64_t *a, const uint64_t *b, ptrdiff_t words);
    /* out = the bits of b where a has one, moved together; `out` has zeros before */
    void (*compress)(const uint64_t *a, const uint64_t *b, ptrdiff_t words, uint64_t *out);
} eclat_kernels;
TABLE_AT(eclat_kernels, eclat)

#endif
