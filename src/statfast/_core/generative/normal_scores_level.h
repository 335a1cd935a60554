/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of generative/normal_scores.pyx: the points of a panel are the lanes, a
   few classes go side by side so that their sums do not wait for one another. */

#include "generative/normal_scores_table.h"

#define NR (2 * F64_LANES)
#define ABREAST(CLASSES)                                                                           \
    for (; c + CLASSES <= classes; c += CLASSES) {                                                 \
        f64_v low[CLASSES], high[CLASSES];                                                         \
        UNROLL for (int k = 0; k < CLASSES; k++) low[k] = high[k] = f64_set1(0);                   \
        for (ptrdiff_t j = 0; j < d; j++) {                                                        \
            const f64_v a = f64_load(panel + j * NR), b = f64_load(panel + j * NR + F64_LANES);    \
            UNROLL for (int k = 0; k < CLASSES; k++) {                                             \
                const f64_v m = f64_set1(mean[(c + k) * d + j]);                                   \
                const f64_v h = f64_set1(half[(c + k) * d + j]);                                   \
                const f64_v p = a - m, q = b - m;                                                  \
                low[k] = f64_fma(p * p, h, low[k]);                                                \
                high[k] = f64_fma(q * q, h, high[k]);                                              \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int k = 0; k < CLASSES; k++) {                                                 \
            f64_store(out + (c + k) * NR, f64_set1(begin[c + k]) - low[k]);                        \
            f64_store(out + (c + k) * NR + F64_LANES, f64_set1(begin[c + k]) - high[k]);           \
        }                                                                                          \
    }

static void score_panel(const double *panel, ptrdiff_t d, const double *mean, const double *half,
                        const double *begin, ptrdiff_t classes, double *out) {
    ptrdiff_t c = 0;
    ABREAST(4)
    ABREAST(1)
}
#undef ABREAST
#undef NR

const normal_scores_kernels GLUE(normal_scores_, LEVEL) = {.score = score_panel};
