/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of means.pyx. */

#include "means_kernels.h"

/* Of MEANS_GROUP clusters, the nearest other one of first .. last - 1 if it is nearer than `low`, by
   2 f g / (f + g) |a - b|^2 for sizes f and g: the first of equals. Means are columns; no size is below `smallest`, which gives a lower bound
   without a division: only where that is below the best so far is the distance itself computed. */
static void means_nearest(const double *mean, ptrdiff_t ld, ptrdiff_t first, ptrdiff_t last,
                          ptrdiff_t d, const double *size, double smallest, const int32_t *query,
                          double *low, int32_t *who) {
    double bound[MEANS_GROUP];
    for (int q = 0; q < MEANS_GROUP; q++) {
        const double f = size[query[q]];
        bound[q] = 2 * f * smallest / (f + smallest) * (1 - 1e-12);
    }
    for (ptrdiff_t c = first; c < last; c += F64_LANES) {
        f64_v sum[MEANS_GROUP];
        UNROLL for (int q = 0; q < MEANS_GROUP; q++) sum[q] = f64_set1(0);
        for (ptrdiff_t p = 0; p < d; p++) {
            const f64_v x = f64_load(mean + p * ld + c);
            UNROLL for (int q = 0; q < MEANS_GROUP; q++) {
                const f64_v t = x - f64_set1(mean[p * ld + query[q]]);
                sum[q] = f64_fma(t, t, sum[q]);
            }
        }
        UNROLL for (int q = 0; q < MEANS_GROUP; q++) {
            unsigned hits = f64_bits(f64_gt(f64_set1(low[q]), sum[q] * f64_set1(bound[q])));
            if (!hits) continue;
            double apart[F64_LANES];
            f64_store(apart, sum[q]);
            for (; hits; hits &= hits - 1) {
                const int l = LOWEST_BIT(hits);
                if (c + l >= last || c + l == query[q]) continue;
                const double f = size[query[q]], g = size[c + l];
                const double x = 2 * (f * g) / (f + g) * apart[l];
                if (x < low[q]) {
                    low[q] = x;
                    who[q] = (int32_t)(c + l);
                }
            }
        }
    }
}

const means_kernels GLUE(means_, LEVEL) = {.nearest = means_nearest};
