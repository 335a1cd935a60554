/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of patterns/subgroup_search.pyx. */

#include "patterns/subgroup_search_table.h"

#define ROWS_OF_WORD 64

static void count_rows(const uint64_t *a, const uint64_t *b, ptrdiff_t split, ptrdiff_t words,
                       subgroup_sums *out) {
    int64_t before = 0, after = 0;
    for (ptrdiff_t i = 0; i < split; i++) before += POPCOUNT(a[i] & b[i]);
    for (ptrdiff_t i = split; i < words; i++) after += POPCOUNT(a[i] & b[i]);
    out->rows = out->weight = (double)(before + after);
    out->sum = (double)before;
}

static void weigh_rows(const uint64_t *a, const uint64_t *b, ptrdiff_t split, ptrdiff_t words,
                       const double *weight, subgroup_sums *out) {
    double total = 0.0;
    int64_t rows = 0;
    out->sum = 0.0;
    for (ptrdiff_t i = 0; i < words; i++) {
        uint64_t both = a[i] & b[i];
        const double *of_word = weight + ROWS_OF_WORD * i;
        if (i == split) out->sum = total;
        rows += POPCOUNT(both);
        for (; both; both &= both - 1) total += of_word[LOWEST_BIT(both)];
    }
    if (split >= words) out->sum = total;
    out->rows = (double)rows;
    out->weight = total;
}

/* sum * weight^(exponent - 1) */
static INLINE double quality_of(double sum, double weight, double exponent) {
    if (exponent == 1.0) return sum;
    return exponent == 0.5 ? sum / sqrt(weight) : sum * pow(weight, exponent - 1.0);
}

/* The greatest of the ends: the last rows have the least deviations. */
static double greatest_end(const uint64_t *a, const uint64_t *b, ptrdiff_t words,
                           const double *weight, const double *deviation, double exponent) {
    double total = 0.0, sum = 0.0, greatest = 0.0;
    for (ptrdiff_t i = words - 1; i >= 0; i--) {
        int row[ROWS_OF_WORD], rows = 0;
        for (uint64_t both = a[i] & b[i]; both; both &= both - 1) row[rows++] = LOWEST_BIT(both);
        while (rows--) {
            const ptrdiff_t r = ROWS_OF_WORD * i + row[rows];
            if (deviation[r] >= 0.0) return greatest;
            total += weight[r];
            sum -= weight[r] * deviation[r];
            const double quality = quality_of(sum, total, exponent);
            if (quality > greatest) greatest = quality;
        }
    }
    return greatest;
}

static void deviate_rows(const uint64_t *a, const uint64_t *b, ptrdiff_t words,
                         const double *weight, const double *deviation, double exponent,
                         int both_ways, subgroup_sums *out) {
    double total = 0.0, sum = 0.0, greatest = 0.0;
    int64_t rows = 0;
    for (ptrdiff_t i = 0; i < words; i++) {
        uint64_t both = a[i] & b[i];
        rows += POPCOUNT(both);
        for (; both; both &= both - 1) {
            const ptrdiff_t r = ROWS_OF_WORD * i + LOWEST_BIT(both);
            total += weight[r];
            sum += weight[r] * deviation[r];
            if (deviation[r] > 0.0) {
                const double quality = quality_of(sum, total, exponent);
                if (quality > greatest) greatest = quality;
            }
        }
    }
    out->rows = (double)rows;
    out->weight = total;
    out->sum = sum;
    out->high = greatest;
    out->low = both_ways ? greatest_end(a, b, words, weight, deviation, exponent) : 0.0;
}
#undef ROWS_OF_WORD

const subgroup_search_kernels GLUE(subgroup_search_, LEVEL) = {
    .count = count_rows, .weigh = weigh_rows, .deviate = deviate_rows};
