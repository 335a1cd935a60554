/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of linear/coordinate_descent.pyx. */

#include "linear/coordinate_descent_table.h"

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

static double descent_sweep(const descent_state *s, ptrdiff_t *turned, ptrdiff_t *moved) {
    double largest = 0;
    for (ptrdiff_t i = 0; i < s->k; i++) {
        const ptrdiff_t j = s->order[i];
        const double *g = s->G + j * s->ld;
        const double old = s->b[j];
        if (old == 0 && s->q[j] <= s->l1 && (s->q[j] >= -s->l1 || s->positive)) continue;
        const double curve = g[j] + s->l2;
        if (!(curve > 0)) continue;
        const double z = s->q[j] + g[j] * old;
        double now = 0;
        if (z > s->l1) now = (z - s->l1) / curve;
        else if (z < -s->l1 && !s->positive) now = (z + s->l1) / curve;
        const double step = now - old, gain = step * step * curve;
        if (now == old || gain <= s->tiny) continue;
        if ((now > 0) != (old > 0) || (now < 0) != (old < 0)) ++*turned;
        s->b[j] = now;
        descent_move(g, step, s->m, s->q);
        ++*moved;
        if (gain > largest) largest = gain;
    }
    return largest;
}

static void descent_shift(const double *g, double step, ptrdiff_t m, double *q) {
    descent_move(g, step, m, q);
}

static INLINE double descent_dot(const double *a, const double *b, ptrdiff_t n) {
    f64_v sums[4];
    UNROLL for (int u = 0; u < 4; u++) sums[u] = f64_set1(0);
    ptrdiff_t i = 0;
    for (; i + 4 * F64_LANES <= n; i += 4 * F64_LANES)
        UNROLL for (int u = 0; u < 4; u++) {
            const ptrdiff_t at = i + u * F64_LANES;
            sums[u] = f64_fma(f64_load(a + at), f64_load(b + at), sums[u]);
        }
    double lanes[F64_LANES], total = 0;
    f64_store(lanes, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (int l = 0; l < F64_LANES; l++) total += lanes[l];
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

static void descent_solve(const double *L, ptrdiff_t ld, const double *inverse, ptrdiff_t k,
                          double *x) {
    double y[BLOCK_COLUMNS];
    for (ptrdiff_t c = 0; c < k; c += BLOCK_COLUMNS) {
        const ptrdiff_t some = k - c < BLOCK_COLUMNS ? k - c : BLOCK_COLUMNS;
        const double *D = inverse + c * BLOCK_COLUMNS;
        for (ptrdiff_t i = 0; i < some; i++)
            y[i] = x[c + i] - descent_dot(L + (c + i) * ld, x, c);
        for (ptrdiff_t i = 0; i < some; i++) {
            double sum = 0;
            for (ptrdiff_t t = 0; t <= i; t++) sum += D[i * BLOCK_COLUMNS + t] * y[t];
            x[c + i] = sum;
        }
    }
    for (ptrdiff_t c = (k - 1) / BLOCK_COLUMNS * BLOCK_COLUMNS; c >= 0; c -= BLOCK_COLUMNS) {
        const ptrdiff_t some = k - c < BLOCK_COLUMNS ? k - c : BLOCK_COLUMNS;
        const double *D = inverse + c * BLOCK_COLUMNS;
        for (ptrdiff_t t = 0; t < some; t++) y[t] = 0;
        for (ptrdiff_t i = 0; i < some; i++)
            for (ptrdiff_t t = 0; t <= i; t++) y[t] += D[i * BLOCK_COLUMNS + t] * x[c + i];
        for (ptrdiff_t i = 0; i < some; i++) {
            x[c + i] = y[i];
            descent_move(L + (c + i) * ld, y[i], c, x);
        }
    }
}

const descent_kernels GLUE(descent_, LEVEL) = {
    .sweep = descent_sweep, .move = descent_shift, .solve = descent_solve};
