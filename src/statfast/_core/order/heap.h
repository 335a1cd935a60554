/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap in an array of any type of item (J. W. J. Williams 1964, doi:10.1145/512274.3734138).

   DEFINE_HEAP(name, item, context, ABOVE) defines name_sift_up and name_sift_down. ABOVE(context,
   a, b), a function or a macro of two addresses of items, says whether *a is to be nearer to the
   root than *b. */
#ifndef STATFAST_HEAP_H
#define STATFAST_HEAP_H

#include <stddef.h>

#define DEFINE_HEAP(NAME, ITEM, CONTEXT, ABOVE)                                                    \
    /* Put an item, new or risen, into the free place i or above it. */                            \
    static inline void NAME##_sift_up(ITEM *heap, ptrdiff_t i, ITEM item, CONTEXT context) {       \
        (void)context;                                                                             \
        for (; i > 0 && ABOVE(context, &item, heap + (i - 1) / 2); i = (i - 1) / 2)                \
            heap[i] = heap[(i - 1) / 2];                                                           \
        heap[i] = item;                                                                            \
    }                                                                                              \
    /* Put an item into the root of a heap of n, whose own item goes, or below it. */              \
    static inline void NAME##_sift_down(ITEM *heap, ptrdiff_t n, ITEM item, CONTEXT context) {     \
        ptrdiff_t i = 0;                                                                           \
        (void)context;                                                                             \
        for (ptrdiff_t child = 1; child < n; child = 2 * i + 1) {                                  \
            if (child + 1 < n && ABOVE(context, heap + child + 1, heap + child)) child++;          \
            if (!ABOVE(context, heap + child, &item)) break;                                       \
            heap[i] = heap[child];                                                                 \
            i = child;                                                                             \
        }                                                                                          \
        heap[i] = item;                                                                            \
    }

#endif
