/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbors of a query in the order of (distance, row), or of rows alone.

   By rows, distances may be left out (NULL). Few rows are sorted by insertion. Of many, the rows are
   marked as bits of words, and words with marks as bits of groups, so that reading the marks costs
   little where they are few among many rows: O(count + n / 4096). */
#ifndef STATFAST_NEIGHBOR_ORDER_H
#define STATFAST_NEIGHBOR_ORDER_H

#include <stdlib.h>

#include "simd/compiler.h"
#include "order/sort_pairs.h"

#define MAX_INSERTED_ROWS 24 /* fewer are moved faster than marked */

typedef struct {
    int by_row;
    ptrdiff_t capacity, n_groups;
    double *key;      /* by distance: (2 capacity,); by row: (n,) the distance of each marked row */
    int64_t *id;      /* by distance: (2 capacity,) */
    uint64_t *words;  /* by row: (64 n_groups,) zeros between the lists */
    uint64_t *groups; /* by row: (n_groups,) the same */
} neighbor_order;

/* Work space for lists of rows below n, no longer than `longest`; returns whether there was memory
   for it, which the caller frees as `key`. */
static inline int open_neighbor_order(neighbor_order *order, int by_row, ptrdiff_t n,
                                      ptrdiff_t longest) {
    order->by_row = by_row;
    order->capacity = longest + 1;
    order->n_groups = by_row ? (n + 4095) / 4096 : 0;
    const size_t marks = 65 * (size_t)order->n_groups;
    const size_t numbers = by_row ? (size_t)n : 4 * (size_t)order->capacity;
    order->key = (double *)malloc((numbers + marks + 1) * sizeof(double));
    if (order->key == NULL) return 0;
    order->id = (int64_t *)(order->key + 2 * order->capacity);
    order->words = (uint64_t *)(order->key + numbers);
    order->groups = order->words + 64 * order->n_groups;
    memset(order->words, 0, marks * sizeof(uint64_t));
    return 1;
}

static inline int rows_ascend(const ptrdiff_t *row, ptrdiff_t count) {
    for (ptrdiff_t i = 1; i < count; i++)
        if (row[i - 1] > row[i]) return 0;
    return 1;
}

static inline void arrange_by_row(const neighbor_order *order, double *distance, ptrdiff_t *row,
                                  ptrdiff_t count) {
    if (rows_ascend(row, count)) return;
    if (count <= MAX_INSERTED_ROWS) {
        for (ptrdiff_t i = 1; i < count; i++) {
            const double x = distance ? distance[i] : 0;
            const ptrdiff_t number = row[i];
            ptrdiff_t at = i;
            for (; at > 0 && row[at - 1] > number; at--) {
                if (distance) distance[at] = distance[at - 1];
                row[at] = row[at - 1];
            }
            if (distance) distance[at] = x;
            row[at] = number;
        }
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t number = row[i];
        order->words[number >> 6] |= (uint64_t)1 << (number & 63);
        order->groups[number >> 12] |= (uint64_t)1 << (number >> 6 & 63);
        if (distance) order->key[number] = distance[i];
    }
    ptrdiff_t at = 0;
    for (ptrdiff_t g = 0; g < order->n_groups; g++) {
        for (uint64_t group = order->groups[g]; group; group &= group - 1) {
            const ptrdiff_t word = 64 * g + LOWEST_BIT(group);
            for (uint64_t bits = order->words[word]; bits; bits &= bits - 1) {
                row[at] = 64 * word + LOWEST_BIT(bits);
                if (distance) distance[at] = order->key[row[at]];
                at++;
            }
            order->words[word] = 0;
        }
        order->groups[g] = 0;
    }
}

/* Put the neighbors of a query in order. */
static inline void arrange_neighbors(const neighbor_order *order, double *distance, ptrdiff_t *row,
                                     ptrdiff_t count) {
    if (order->by_row) {
        arrange_by_row(order, distance, row, count);
        return;
    }
    memcpy(order->key, distance, (size_t)count * sizeof *distance);
    for (ptrdiff_t i = 0; i < count; i++) order->id[i] = row[i];
    sort_pairs(order->key, order->id, count, order->capacity);
    memcpy(distance, order->key, (size_t)count * sizeof *distance);
    for (ptrdiff_t i = 0; i < count; i++) row[i] = (ptrdiff_t)order->id[i];
}

#endif
