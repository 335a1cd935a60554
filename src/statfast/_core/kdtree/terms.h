/* SPDX-License-Identifier: BSD-3-Clause */
/* A vector of distances to points or boxes of a k-d tree: the term of each axis, and the sum in the
   order of `squared_distances` (tile/passes/rows.h), for D axes (0: any number). */

#include "tile/passes/metric.h"

/* The functions of tile/passes/metric.h for vectors. */
static INLINE f64_v term(f64_v t, const int kind, double p) {
    if (kind == METRIC_EUCLIDEAN) return t * t;
    if (kind != METRIC_MINKOWSKI) return f64_max(t, f64_set1(0) - t);
    double x[F64_LANES];
    f64_store(x, t);
    for (int l = 0; l < F64_LANES; l++) x[l] = metric_term(x[l], METRIC_MINKOWSKI, p);
    return f64_load(x);
}

static INLINE f64_v join(f64_v a, f64_v b, const int kind) {
    if (kind == METRIC_CHEBYSHEV) return f64_max(a, b);
    return a + b;
}

/* The sum over the axes of the terms of DIFFERENCE, for the points or boxes of one vector. (gcc
   unrolls the loops of 8 by itself; UNROLL would unroll the loop around them as well.) */
#define SUM(DIFFERENCE)                                                                            \
    f64_v rest = f64_set1(0);                                                                      \
    ptrdiff_t p = 0;                                                                               \
    if (D == 0 && d >= 8) {                                                                         \
        f64_v part[8];                                                                             \
        for (int c = 0; c < 8; c++) part[c] = f64_set1(0);                                         \
        while (p + 8 <= d) {                                                                       \
            for (int c = 0; c < 8; c++, p++)                                                       \
                part[c] = join(part[c], term(DIFFERENCE, kind, job->p), kind);                     \
        }                                                                                          \
        for (; p < d; p++) rest = join(rest, term(DIFFERENCE, kind, job->p), kind);                \
        const f64_v low = join(join(part[0], part[1], kind), join(part[2], part[3], kind), kind);  \
        const f64_v high = join(join(part[4], part[5], kind), join(part[6], part[7], kind), kind); \
        return join(rest, join(low, high, kind), kind);                                            \
    }                                                                                              \
    for (; p < d; p++) rest = join(rest, term(DIFFERENCE, kind, job->p), kind);                    \
    return rest;
