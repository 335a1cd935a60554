/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of metrics/rank.pyx: what is done with the rows of one bucket. */
#ifndef STATFAST_RANK_KERNELS_H
#define STATFAST_RANK_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/levels.h"

typedef struct {
    uint64_t code;
    int64_t row;
} row_item;

/* How many rows are of either class, and twice the pairs of a positive above a negative, ties
   counting half. */
typedef struct {
    int64_t twice, positive, negative;
} rank_sums;

/* Where runs of equal keys go; of items with rows, `positive` gets the end of each run. */
typedef struct {
    uint64_t *keys;
    int64_t *positive, *negative, *rows;
    ptrdiff_t runs, at;
} rank_runs;

typedef struct {
    rank_sums (*area)(uint64_t *items, uint64_t *spare, ptrdiff_t n);
    void (*runs)(uint64_t *items, uint64_t *spare, ptrdiff_t n, uint64_t base, rank_runs *out);
    void (*rows)(row_item *items, row_item *spare, ptrdiff_t n, uint64_t base, rank_runs *out);
} rank_kernels;
TABLE_AT(rank_kernels, rank)

/* Order-preserving: negative numbers are flipped, and others put above them. */
static inline uint64_t key_of_double(double x) {
    uint64_t bits;
    x += 0.0; /* -0.0 is 0.0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

static inline uint64_t key_of_int(int64_t x) { return (uint64_t)x ^ (UINT64_C(1) << 63); }

static inline double double_of_key(uint64_t key) {
    const uint64_t top = UINT64_C(1) << 63, bits = key & top ? key ^ top : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void put_below(rank_sums *all, rank_sums part) {
    all->twice += part.twice + 2 * all->positive * part.negative;
    all->positive += part.positive;
    all->negative += part.negative;
}
#endif
