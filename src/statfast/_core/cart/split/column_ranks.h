/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of rows in a column, which is dense or sparse. */
#include "cart/cart.h"

/* The ranks of a column. */
typedef struct {
    const uint16_t *narrow;
    const uint32_t *wide;
    ptrdiff_t step; /* from row to row */
} cart_ranks;

static inline uint32_t rank_in(cart_ranks r, ptrdiff_t row) {
    return r.narrow ? r.narrow[row * r.step] : r.wide[row * r.step];
}

/* The ranks of a column for m rows; for few rows they are read row by row, as the ranks of all
   columns stay in the cache. */
static inline cart_ranks ranks_of(const cart_problem *t, ptrdiff_t f, ptrdiff_t m) {
    const ptrdiff_t p = t->p, n = t->n;
    if (m <= CART_MAX_CACHED_ROWS && (t->by_row16 || t->by_row32))
        return (cart_ranks){t->by_row16 ? t->by_row16 + f : NULL,
                            t->by_row16 ? NULL : t->by_row32 + f, p};
    return (cart_ranks){t->ranks16 ? t->ranks16 + f * n : NULL,
                        t->ranks16 ? NULL : t->ranks32 + f * n, 1};
}

static inline uint32_t sparse_rank(const cart_problem *t, ptrdiff_t f, ptrdiff_t row) {
    const cart_entries *e = &t->sparse;
    int64_t low = e->of_row[row], high = e->of_row[row + 1];
    const int64_t end = high;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (e->column[middle] < f) low = middle + 1;
        else high = middle;
    }
    return low < end && e->column[low] == f ? e->row_rank[low] : (uint32_t)e->zero[f];
}

static inline uint32_t rank_of(const cart_problem *t, ptrdiff_t f, ptrdiff_t row) {
    return t->sparse.zero ? sparse_rank(t, f, row) : rank_in(ranks_of(t, f, t->n), row);
}
