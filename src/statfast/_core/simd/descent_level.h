/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of descent.pyx. */

#include "descent_kernels.h"

/* q -= step g */
static INLINE void descent_move(const double *g, double step, ptrdiff_t m, double *q) {
    const f64_v back = f64_set1(-step);
    ptrdiff_t i = 0;
    for (; i + 4 * F64_LANES <= m; i += 4 * F64_LANES)
        UNROLL for (int u = 0; u < 4; u++) {
            double *to = q + i + u * F64_LANES;
            f64_store(to, f64_fma(back, f64_load(g + i + u * F64_LANES), f64_load(to)));
        }
    for (; i + F64_LANES <= m; i += F64_LANES)
        f64_store(q + i, f64_fma(back, f64_load(g + i), f64_load(q + i)));
    for (; i < m; i++) q[i] -= step * g[i];
}

static double descent_sweep(const descent_state *s, ptrdiff_t *turned) {
    double largest = 0;
    for (ptrdiff_t i = 0; i < s->k; i++) {
        const ptrdiff_t j = s->order[i];
        const double *g = s->G + j * s->ld;
        const double old = s->b[j], curve = g[j] + s->l2;
        if (!(curve > 0)) continue;
        const double z = s->q[j] + g[j] * old;
        double now = 0;
        if (z > s->l1) now = (z - s->l1) / curve;
        else if (z < -s->l1 && !s->positive) now = (z + s->l1) / curve;
        if (now == old) continue;
        if ((now > 0) != (old > 0) || (now < 0) != (old < 0)) ++*turned;
        const double step = now - old, gain = step * step * curve;
        s->b[j] = now;
        descent_move(g, step, s->m, s->q);
        if (gain > largest) largest = gain;
    }
    return largest;
}

static void descent_shift(const double *g, double step, ptrdiff_t m, double *q) {
    descent_move(g, step, m, q);
}

const descent_kernels GLUE(descent_, LEVEL) = {.sweep = descent_sweep, .move = descent_shift};
