/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of linear/block_descent.pyx. */

#include <math.h>
#include "linear/block_descent_table.h"

static INLINE double inner_product(const double *a, const double *b, ptrdiff_t n) {
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

static double block_descent_dot(const double *a, const double *b, ptrdiff_t n) {
    return inner_product(a, b, n);
}

/* The gradient of column j for task t. */
static INLINE double gradient_of(const block_descent_state *s, ptrdiff_t j, ptrdiff_t t) {
    const double *q = s->q + t * s->m;
    return s->square == NULL ? q[j] : inner_product(s->G + j * s->ld, q, s->m);
}

static void block_descent_move(const block_descent_state *s, const double *row) {
    const ptrdiff_t m = s->m, tasks = s->tasks;
    ptrdiff_t i = 0;
    for (; i + 2 * F64_LANES <= m; i += 2 * F64_LANES) {
        const f64_v low = f64_load(row + i), high = f64_load(row + i + F64_LANES);
        for (ptrdiff_t t = 0; t < tasks; t++) {
            double *to = s->q + t * m + i;
            const f64_v back = f64_set1(-s->step[t]);
            f64_store(to, f64_fma(back, low, f64_load(to)));
            f64_store(to + F64_LANES, f64_fma(back, high, f64_load(to + F64_LANES)));
        }
    }
    for (; i < m; i++)
        for (ptrdiff_t t = 0; t < tasks; t++) s->q[t * m + i] -= s->step[t] * row[i];
}

static double block_descent_sweep(const block_descent_state *s, ptrdiff_t *moved) {
    double largest = 0;
    for (ptrdiff_t i = 0; i < s->k; i++) {
        const ptrdiff_t j = s->order[i], width = s->width, tasks = s->tasks;
        const double *row = s->G + j * s->ld;
        const double own = s->square == NULL ? row[j] : s->square[j], curve = own + s->l2;
        if (!(curve > 0)) continue;
        double square = 0, held = 0, change = 0;
        for (ptrdiff_t t = 0; t < tasks; t++) {
            const double old = s->b[t * width + j], z = gradient_of(s, j, t) + own * old;
            s->step[t] = z;
            square += z * z;
            held += fabs(old);
        }
        const double size = sqrt(square), share = size > s->l1 ? (1 - s->l1 / size) / curve : 0;
        if (share == 0 && held == 0) continue;
        for (ptrdiff_t t = 0; t < tasks; t++) {
            s->step[t] = share * s->step[t] - s->b[t * width + j];
            change += s->step[t] * s->step[t];
        }
        const double gain = change * curve;
        if (share != 0 && gain <= s->tiny) continue;
        for (ptrdiff_t t = 0; t < tasks; t++)
            s->b[t * width + j] = share == 0 ? 0 : s->b[t * width + j] + s->step[t];
        block_descent_move(s, row);
        ++*moved;
        if (gain > largest) largest = gain;
    }
    return largest;
}

static void block_descent_lengths(const block_descent_state *s, double l2, double *out) {
    const ptrdiff_t m = s->m;
    if (s->square != NULL) {
        for (ptrdiff_t i = 0; i < s->k; i++) {
            out[i] = 0;
            for (ptrdiff_t t = 0; t < s->tasks; t++) {
                const ptrdiff_t j = s->order[i];
                const double rest = gradient_of(s, j, t) - l2 * s->b[t * s->width + j];
                out[i] += rest * rest;
            }
        }
        return;
    }
    for (ptrdiff_t i = 0; i < m; i++) out[i] = 0;
    for (ptrdiff_t t = 0; t < s->tasks; t++) {
        const double *b = s->b + t * m, *q = s->q + t * m;
        ptrdiff_t i = 0;
        for (; i + F64_LANES <= m; i += F64_LANES) {
            const f64_v rest = f64_fma(f64_set1(-l2), f64_load(b + i), f64_load(q + i));
            f64_store(out + i, f64_fma(rest, rest, f64_load(out + i)));
        }
        for (; i < m; i++) out[i] += (q[i] - l2 * b[i]) * (q[i] - l2 * b[i]);
    }
}

const block_descent_kernels GLUE(block_descent_, LEVEL) = {.sweep = block_descent_sweep,
                                                           .move = block_descent_move,
                                                           .dot = block_descent_dot,
                                                           .lengths = block_descent_lengths};
