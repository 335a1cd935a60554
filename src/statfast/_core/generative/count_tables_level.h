/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of generative/count_tables.pyx: strips of classes stay in registers. The
   rows of the table lie anywhere in memory, so they are asked for a few steps ahead. */

#include "generative/count_tables_table.h"

#define WORDS_AHEAD 8

#define STRIP(WIDTH)                                                                               \
    for (; c + WIDTH * F64_LANES <= width; c += WIDTH * F64_LANES) {                               \
        f64_v sum[WIDTH];                                                                          \
        UNROLL for (int w = 0; w < WIDTH; w++) sum[w] = f64_load(begin + c + w * F64_LANES);       \
        for (ptrdiff_t s = 0; s < n; s++) {                                                        \
            const f64_v x = f64_set1(value ? value[s] : 1.0);                                      \
            const double *from = table + column[s] * ld + c;                                       \
            if (s + WORDS_AHEAD < n)                                                               \
                UNROLL for (int w = 0; w < WIDTH * F64_LANES; w += 8)                              \
                    FETCH(table + column[s + WORDS_AHEAD] * ld + c + w);                           \
            UNROLL for (int w = 0; w < WIDTH; w++)                                                 \
                sum[w] = f64_fma(x, f64_load(from + w * F64_LANES), sum[w]);                       \
        }                                                                                          \
        UNROLL for (int w = 0; w < WIDTH; w++) f64_store(out + c + w * F64_LANES, sum[w]);         \
    }

static void score_row(const int32_t *column, const double *value, ptrdiff_t n, const double *table,
                      ptrdiff_t ld, ptrdiff_t width, const double *begin, double *out) {
    ptrdiff_t c = 0;
    STRIP(8)
    STRIP(4)
    STRIP(3)
    STRIP(2)
    STRIP(1)
}
#undef STRIP
#undef WORDS_AHEAD

const count_tables_kernels GLUE(count_tables_, LEVEL) = {.score = score_row};
