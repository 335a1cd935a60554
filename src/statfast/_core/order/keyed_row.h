/* SPDX-License-Identifier: BSD-3-Clause */
/* A row and the number by which it is ordered: the items of order/keyed_rows.pxd. */
#ifndef STATFAST_KEYED_ROW_H
#define STATFAST_KEYED_ROW_H

#include "order/heap.h"

typedef struct {
    double key;
    ptrdiff_t row;
} keyed_row;

static inline int keyed_row_before(const keyed_row *a, const keyed_row *b) {
    return a->key < b->key || (a->key == b->key && a->row < b->row);
}

/* The last of the rows is the root of a heap. */
#define KEYED_ROW_ABOVE(context, a, b) keyed_row_before(b, a)
DEFINE_HEAP(keyed_row, keyed_row, const void *, KEYED_ROW_ABOVE)
#undef KEYED_ROW_ABOVE

#endif
