/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of svm/gram.pyx: a tile of kernel values summed over its rows, in double,
   row by row. A panel has a multiple of twice as many columns as there are doubles in a vector. */

#include "svm/gram_table.h"

#define SUM(NAME, REAL, LOAD)                                                                      \
    static void gram_sum_##NAME(const REAL *x, ptrdiff_t wide, ptrdiff_t n, const double *w,       \
                                double *sums) {                                                    \
        for (ptrdiff_t c = 0; c < wide; c += 2 * F64_LANES) {                                      \
            f64_v a = f64_load(sums + c), b = f64_load(sums + c + F64_LANES);                      \
            for (ptrdiff_t i = 0; i < n; i++) {                                                    \
                const REAL *row = x + i * wide + c;                                                \
                const f64_v by = f64_set1(w[i]);                                                   \
                a = f64_fma(by, LOAD(row), a);                                                     \
                b = f64_fma(by, LOAD(row + F64_LANES), b);                                         \
            }                                                                                      \
            f64_store(sums + c, a), f64_store(sums + c + F64_LANES, b);                            \
        }                                                                                          \
    }
SUM(f32, float, f64_widen)
SUM(f64, double, f64_load)
#undef SUM

const gram_kernels GLUE(gram_, LEVEL) = {.sum_f32 = gram_sum_f32, .sum_f64 = gram_sum_f64};
