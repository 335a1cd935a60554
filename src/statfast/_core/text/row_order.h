/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting the columns within rows of sparse counts: blocks of rows are sorted by the digits of
   their columns, the lowest first, then by row (D. E. Knuth 1998, The Art of Computer Programming
   3, 5.2.5). */
#ifndef STATFAST_ROW_ORDER_H
#define STATFAST_ROW_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "order/counting_sort.h"

#define MAX_DIGIT_BITS 10 /* bits of a rank sorted by in one pass */

typedef struct {
    uint32_t rank;
    int32_t count, row;
} row_entry;

typedef struct {
    int shift;
    uint32_t mask;
} rank_digit;

#define RANK_DIGIT(digit, entry) ((entry).rank >> (digit).shift & (digit).mask)
DEFINE_COUNTING_SORT(sort_by_digit, row_entry, rank_digit, RANK_DIGIT)

/* Sort the rows with entries from low to high, which end at end[]. The caller provides work space:
   `to` for a place in each row, `a` and `b` for the entries. */
static void sort_block(const int64_t *end, const int32_t *column, const int32_t *count,
                       const int32_t *rank, ptrdiff_t n_ranks, ptrdiff_t low, ptrdiff_t high,
                       ptrdiff_t *to, row_entry *a, row_entry *b, int32_t *to_column,
                       int64_t *to_count) {
    const ptrdiff_t n = high - low;
    int32_t row = 0;
    to[0] = low;
    for (ptrdiff_t s = low; s < high; s++) {
        for (; end[row] <= s; row++) to[row + 1] = (ptrdiff_t)end[row];
        a[s - low] = (row_entry){(uint32_t)rank[column[s]], count[s], row};
    }
    int bits = 1;
    while (bits < 32 && n_ranks >> bits) bits++;
    const int passes = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    bits = (bits + passes - 1) / passes;
    for (int shift = 0; shift < passes * bits; shift += bits) {
        ptrdiff_t rank_end[(1 << MAX_DIGIT_BITS) + 1];
        const rank_digit digit = {shift, (1u << bits) - 1};
        sort_by_digit(a, n, digit, (ptrdiff_t)1 << bits, rank_end, b);
        row_entry *swap = a;
        a = b;
        b = swap;
    }
    for (ptrdiff_t s = 0; s < n; s++) {
        const ptrdiff_t here = to[a[s].row]++;
        to_column[here] = (int32_t)a[s].rank;
        to_count[here] = a[s].count;
    }
}
#undef RANK_DIGIT
#undef MAX_DIGIT_BITS

#endif
