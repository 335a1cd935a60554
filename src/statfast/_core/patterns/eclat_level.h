/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of patterns/eclat.pyx: words of 64 baskets.

   Counting takes the processor's instruction for the bits of a word where the level has it. */

#include "patterns/eclat_table.h"

static void intersect_sets(const uint64_t *a, const uint64_t *b, ptrdiff_t words, uint64_t *out) {
    for (ptrdiff_t w = 0; w < words; w++) out[w] = a[w] & b[w];
}

static void count_joint_bits(const uint64_t *a, const uint64_t *vectors, const int32_t *which,
                             ptrdiff_t n, ptrdiff_t words, int32_t *count) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t *b = vectors + which[i] * words;
        ptrdiff_t w = 0, even = 0, odd = 0;
        for (; w + 2 <= words; w += 2) {
            even += POPCOUNT(a[w] & b[w]);
            odd += POPCOUNT(a[w + 1] & b[w + 1]);
        }
        if (w < words) even += POPCOUNT(a[w] & b[w]);
        count[i] = (int32_t)(even + odd);
    }
}

static int is_subset(const uint64_t *a, const uint64_t *b, ptrdiff_t words) {
    for (ptrdiff_t w = 0; w < words; w++)
        if (a[w] & ~b[w]) return 0;
    return 1;
}

/* The bits of x where mask has one, moved together to the low end. */
static INLINE uint64_t extract_bits(uint64_t x, uint64_t mask) {
#if defined(__BMI2__)
    return __builtin_ia32_pext_di(x, mask);
#else
    uint64_t bits = 0;
    for (int k = 0; mask; mask &= mask - 1, k++)
        bits |= (x >> LOWEST_BIT(mask) & 1) << k;
    return bits;
#endif
}

static void compress_set(const uint64_t *a, const uint64_t *b, ptrdiff_t words, uint64_t *out) {
    ptrdiff_t bit = 0;
    for (ptrdiff_t w = 0; w < words; w++) {
        if (!a[w]) continue;
        const uint64_t bits = extract_bits(b[w], a[w]);
        const int here = (int)(bit & 63), more = (int)POPCOUNT(a[w]);
        out[bit >> 6] |= bits << here;
        if (here + more > 64) out[(bit >> 6) + 1] = bits >> (64 - here);
        bit += more;
    }
}

const eclat_kernels GLUE(eclat_, LEVEL) = {
    .intersect = intersect_sets,
    .count_joint = count_joint_bits,
    .is_contained = is_subset,
    .compress = compress_set,
};
