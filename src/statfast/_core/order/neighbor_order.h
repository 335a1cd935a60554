/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbors of a query in the order of (distance, row), or of rows alone.

   By rows, distances may be left out (NULL). Few rows are sorted by insertion. Of many, the rows are
   marked as bits of words, and words with marks as bits of groups, so that reading the marks costs
   little where they are few among many rows: O(count + n / 4096). Of a large share of all rows, the
   distances are written to a table of all rows, which is then read: O(n). */
#ifndef STATFAST_NEIGHBOR_ORDER_H
#define STATFAST_NEIGHBOR_ORDER_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simd/compiler.h"
#include "order/sort_pairs.h"

#define MAX_INSERTED_ROWS 24 /* fewer are moved faster than marked */
#define ROWS_PER_MARK 4 /* lists of more than one row in so many do without marks */
#define ROWS_PER_READ 8 /* the table is padded by as many */

typedef struct {
    int by_row;
    ptrdiff_t n, capacity, n_groups;
    double *key;      /* by distance: (2 capacity,); by row: (n,) the distance of each row of a list */
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
    const size_t numbers = by_row ? (size_t)n + ROWS_PER_READ : 4 * (size_t)order->capacity;
    order->n = n;
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

static inline void insert_by_row(double *distance, ptrdiff_t *row, ptrdiff_t count) {
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
}

/* Write a long list from the table of distances: NaN of other rows, 0 if they are left out. */
static inline void write_from_table(const neighbor_order *order, ptrdiff_t count,
                                    const double *distance, const ptrdiff_t *row,
                                    double *distance_out, ptrdiff_t *row_out) {
    double *key = order->key;
    ptrdiff_t at = 0, i = 0;
    for (ptrdiff_t c = 0; c < order->n + ROWS_PER_READ; c++) key[c] = NAN;
    if (distance)
        for (ptrdiff_t c = 0; c < count; c++) key[row[c]] = distance[c];
    else
        for (ptrdiff_t c = 0; c < count; c++) key[row[c]] = 0;
#ifdef F64_LANES
    int64_t number[F64_LANES];
    for (ptrdiff_t l = 0; l < F64_LANES; l++) number[l] = l;
    f64_i numbers = f64_iload(number);
    for (; at + F64_LANES <= count; i += F64_LANES) {
        const f64_v v = f64_load(key + i);
        const unsigned there = f64_bits(f64_ge(v, v));
        if (distance) f64_keep(distance_out + at, there, key + i);
        f64_keep((double *)(row_out + at), there, (const double *)number);
        numbers = numbers + f64_iset1(F64_LANES);
        f64_istore(number, numbers);
        at += POPCOUNT(there);
    }
#endif
    for (; at < count; i++) {
        row_out[at] = i;
        if (distance) distance_out[at] = key[i];
        at += key[i] == key[i];
    }
}

static inline void write_marked_bits(const neighbor_order *order, ptrdiff_t count,
                                     const double *distance, const ptrdiff_t *row,
                                     double *distance_out, ptrdiff_t *row_out) {
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
                row_out[at] = 64 * word + LOWEST_BIT(bits);
                if (distance) distance_out[at] = order->key[row_out[at]];
                at++;
            }
            order->words[word] = 0;
        }
        order->groups[g] = 0;
    }
}

/* Write the neighbors of a query in order, perhaps where they are. */
static inline void write_neighbors(const neighbor_order *order, ptrdiff_t count,
                                   const double *distance, const ptrdiff_t *row,
                                   double *distance_out, ptrdiff_t *row_out) {
    if (!order->by_row) {
        memcpy(order->key, distance, (size_t)count * sizeof *distance);
        for (ptrdiff_t i = 0; i < count; i++) order->id[i] = row[i];
        sort_pairs(order->key, order->id, count, order->capacity);
        memcpy(distance_out, order->key, (size_t)count * sizeof *distance);
        for (ptrdiff_t i = 0; i < count; i++) row_out[i] = (ptrdiff_t)order->id[i];
        return;
    }
    const int ascend = rows_ascend(row, count);
    if (ascend || count <= MAX_INSERTED_ROWS) {
        if (distance) memmove(distance_out, distance, (size_t)count * sizeof *distance);
        memmove(row_out, row, (size_t)count * sizeof *row);
        if (!ascend) insert_by_row(distance ? distance_out : NULL, row_out, count);
    } else if (count > order->n / ROWS_PER_MARK) {
        write_from_table(order, count, distance, row, distance_out, row_out);
    } else {
        write_marked_bits(order, count, distance, row, distance_out, row_out);
    }
}

#endif
