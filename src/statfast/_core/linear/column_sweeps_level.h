/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of linear/column_sweeps.pyx. */

#include "linear/column_sweeps_table.h"

static INLINE double lanes_sum(f64_v a, f64_v b) {
    double lanes[F64_LANES], total = 0;
    f64_store(lanes, a + b);
    for (int l = 0; l < F64_LANES; l++) total += lanes[l];
    return total;
}

static double column_sweeps_dot(const double *a, const double *b, ptrdiff_t n) {
    f64_v sums[2] = {f64_set1(0), f64_set1(0)};
    ptrdiff_t i = 0;
    for (; i + 2 * F64_LANES <= n; i += 2 * F64_LANES)
        UNROLL for (int u = 0; u < 2; u++) {
            const ptrdiff_t at = i + u * F64_LANES;
            sums[u] = f64_fma(f64_load(a + at), f64_load(b + at), sums[u]);
        }
    double total = lanes_sum(sums[0], sums[1]);
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

static void column_sweeps_less(double *y, const double *x, double share, ptrdiff_t n,
                               const double *target, double *sums) {
    const f64_v back = f64_set1(-share);
    f64_v square[2] = {f64_set1(0), f64_set1(0)}, product[2] = {f64_set1(0), f64_set1(0)};
    ptrdiff_t i = 0;
    for (; i + 2 * F64_LANES <= n; i += 2 * F64_LANES)
        UNROLL for (int u = 0; u < 2; u++) {
            const ptrdiff_t at = i + u * F64_LANES;
            const f64_v left = f64_fma(back, f64_load(x + at), f64_load(y + at));
            f64_store(y + at, left);
            square[u] = f64_fma(left, left, square[u]);
            product[u] = f64_fma(left, f64_load(target + at), product[u]);
        }
    sums[0] = lanes_sum(square[0], square[1]);
    sums[1] = lanes_sum(product[0], product[1]);
    for (; i < n; i++) {
        y[i] -= share * x[i];
        sums[0] += y[i] * y[i];
        sums[1] += y[i] * target[i];
    }
}

const column_sweeps_kernels GLUE(column_sweeps_, LEVEL) = {.dot = column_sweeps_dot,
                                                           .less = column_sweeps_less};
