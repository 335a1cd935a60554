/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kmeans/sparse.pyx: a sparse row times a dense matrix, in strips of
   columns whose sums stay in registers. */

#include "kmeans/sparse_table.h"

#define STRIP(WIDTH)                                                                               \
    for (; c + WIDTH * F64_LANES <= ld; c += WIDTH * F64_LANES) {                                  \
        f64_v sum[WIDTH];                                                                          \
        UNROLL for (int w = 0; w < WIDTH; w++) sum[w] = f64_load(begin + c + w * F64_LANES);       \
        for (ptrdiff_t s = 0; s < n; s++) {                                                        \
            const f64_v x = f64_set1(value[s]);                                                    \
            const double *from = centers + column[s] * ld + c;                                     \
            UNROLL for (int w = 0; w < WIDTH; w++)                                                 \
                sum[w] = f64_fma(x, f64_load(from + w * F64_LANES), sum[w]);                       \
        }                                                                                          \
        UNROLL for (int w = 0; w < WIDTH; w++) f64_store(score + c + w * F64_LANES, sum[w]);       \
    }

static void score_row(const double *value, const int32_t *column, ptrdiff_t n,
                      const double *centers, ptrdiff_t ld, const double *begin, double *score) {
    ptrdiff_t c = 0;
    STRIP(8)
    STRIP(4)
    STRIP(1)
}
#undef STRIP

const sparselloyd_kernels GLUE(sparselloyd_, LEVEL) = {.score = score_row};
