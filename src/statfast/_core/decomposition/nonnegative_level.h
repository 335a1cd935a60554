/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of decomposition/nonnegative.pyx: coordinate descent for one row. */

#include "decomposition/nonnegative_table.h"

/* slope += by * row, whole vectors. */
static INLINE void add_row(double *slope, const double *row, double by, ptrdiff_t k) {
    const f64_v factor = f64_set1(by);
    for (ptrdiff_t s = 0; s < k; s += F64_LANES)
        f64_store(slope + s, f64_fma(factor, f64_load(row + s), f64_load(slope + s)));
}

static double nonnegative_sweep_row(const double *gram, const double *inverse,
                                    const double *target, ptrdiff_t k, ptrdiff_t ld, ptrdiff_t most, double tol, double *slope,
                                    double *w) {
    double first = 0;
    for (ptrdiff_t s = 0; s < ld; s++) slope[s] = s < k ? -target[s] : 0;
    for (ptrdiff_t t = 0; t < k; t++)
        if (w[t] != 0) add_row(slope, gram + t * ld, w[t], k);
    for (ptrdiff_t sweep = 0; sweep < most; sweep++) {
        double violation = 0;
        for (ptrdiff_t t = 0; t < k; t++) {
            if (inverse[t] == 0) continue;
            const double steep = slope[t], wanted = w[t] - steep * inverse[t];
            const double next = wanted > 0 ? wanted : 0;
            violation += steep < 0 ? -steep : w[t] > 0 ? steep : 0;
            if (next != w[t]) {
                add_row(slope, gram + t * ld, next - w[t], k);
                w[t] = next;
            }
        }
        if (sweep == 0) first = violation;
        if (violation <= tol * first) break;
    }
    return first;
}

const nonnegative_kernels GLUE(nonnegative_, LEVEL) = {.sweep_row = nonnegative_sweep_row};
