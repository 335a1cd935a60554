/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting pairs of a distance and a number. */
#ifndef STATFAST_SORT_PAIRS_H
#define STATFAST_SORT_PAIRS_H

#include "simd/compiler.h"

static INLINE int pair_before(double a, int64_t a_id, double b, int64_t b_id) {
    return a < b || (a == b && a_id < b_id);
}

static void merge_pairs(double *key, int64_t *id, ptrdiff_t n, double *to, int64_t *to_id) {
    for (ptrdiff_t width = 1; width < n; width *= 2) {
        for (ptrdiff_t begin = 0; begin < n; begin += 2 * width) {
            const ptrdiff_t middle = begin + width < n ? begin + width : n;
            const ptrdiff_t end = middle + width < n ? middle + width : n;
            for (ptrdiff_t at = begin, i = begin, j = middle; at < end; at++) {
                const int second = i == middle || (j < end && pair_before(key[j], id[j], key[i], id[i]));
                const ptrdiff_t from = second ? j++ : i++;
                to[at] = key[from];
                to_id[at] = id[from];
            }
        }
        memcpy(key, to, (size_t)n * sizeof *key);
        memcpy(id, to_id, (size_t)n * sizeof *id);
    }
}

/* Sort by (key, id): pairs are distributed by value over as many buckets as there are pairs, then
   sorted by insertion, or by merging where a bucket would be crowded. The upper halves of the
   arrays are work space. */
static void sort_pairs(double *key, int64_t *id, ptrdiff_t n, ptrdiff_t capacity) {
    double low = DBL_MAX, high = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        low = key[i] < low ? key[i] : low;
        high = key[i] > high ? key[i] : high;
    }
    const double scale = (double)(n - 1) / (high - low);
    int crowded = n < 2 || !(scale > 0 && scale <= DBL_MAX);
    double *to = key + capacity;
    int64_t *to_id = id + capacity;
    int32_t *start = (int32_t *)to; /* n + 1 counts, which fit into n doubles */
    if (!crowded) {
        for (ptrdiff_t i = 0; i <= n; i++) start[i] = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t bucket = (ptrdiff_t)((key[i] - low) * scale);
            crowded |= ++start[bucket + 1] > 24;
        }
    }
    if (crowded) {
        merge_pairs(key, id, n, to, to_id);
        return;
    }
    for (ptrdiff_t i = 0; i < n; i++) start[i + 1] += start[i];
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t bucket = (ptrdiff_t)((key[i] - low) * scale);
        to_id[start[bucket]++] = (int64_t)i;
    }
    /* to_id is now a permutation; the counts are no longer needed and may be overwritten. */
    for (ptrdiff_t i = 0; i < n; i++) {
        to[i] = key[to_id[i]];
        to_id[i] = id[to_id[i]];
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const double x = to[i];
        const int64_t number = to_id[i];
        ptrdiff_t at = i;
        for (; at > 0 && pair_before(x, number, key[at - 1], id[at - 1]); at--) {
            key[at] = key[at - 1];
            id[at] = id[at - 1];
        }
        key[at] = x;
        id[at] = number;
    }
}

#endif
