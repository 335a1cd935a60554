/* SPDX-License-Identifier: BSD-3-Clause */
/* A stable sort by counting, and a pass of a radix sort, for any type of item (D. E. Knuth 1998, The
   Art of Computer Programming 3, 5.2 and 5.2.5).

   DEFINE_COUNTING_SORT(name, item, context, DIGIT) defines the function `name`. DIGIT(context, x),
   a function or a macro, is the digit of an item, from 0 to n_digits - 1. */
#ifndef STATFAST_COUNTING_SORT_H
#define STATFAST_COUNTING_SORT_H

#include <stddef.h>
#include <string.h>

#define DEFINE_COUNTING_SORT(NAME, ITEM, CONTEXT, DIGIT)                                           \
    /* Sort n items by their digits; end[d] becomes where those of digit d end, and has room for   \
       n_digits + 1 numbers. */                                                                    \
    static inline void NAME(const ITEM *from, ptrdiff_t n, CONTEXT context, ptrdiff_t n_digits,    \
                            ptrdiff_t *end, ITEM *to) {                                            \
        memset(end, 0, (size_t)(n_digits + 1) * sizeof *end);                                      \
        for (ptrdiff_t i = 0; i < n; i++) end[DIGIT(context, from[i]) + 1]++;                      \
        for (ptrdiff_t d = 0; d < n_digits; d++) end[d + 1] += end[d];                             \
        for (ptrdiff_t i = 0; i < n; i++) to[end[DIGIT(context, from[i])]++] = from[i];            \
    }

#endif
