/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of distance/dissimilarity.pyx: a register tile of distances by float64
   differences.

   Differences lose no digits by cancellation, so no distance has to be summed again. Up to some
   dozens of features that outweighs the third of the arithmetic that products would save. Points
   are lanes: a panel holds SPAN_PANEL_POINTS of them feature by feature. The terms of a distance
   are summed in the order of the features, so the distance of two points is the same number both
   ways. */

#include "simd/compiler.h"
#include "tile/passes/metric.h"
#include "distance/dissimilarity_table.h"

#define NR (2 * F64_LANES)

static INLINE f64_v span_join(f64_v acc, f64_v t, int kind) {
    if (kind == METRIC_EUCLIDEAN) return f64_fma(t, t, acc);
    t = f64_max(t, f64_set1(0) - t);
    if (kind == METRIC_MANHATTAN) return acc + t;
    return f64_max(acc, t);
}

static INLINE void span_tile(f64_v acc[ROWS][2], const double *a, ptrdiff_t lda,
                             const double *panel, ptrdiff_t depth, int kind) {
    UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = f64_set1(0);
    for (ptrdiff_t p = 0; p < depth; p++, a++, panel += SPAN_PANEL_POINTS) {
        const f64_v b0 = f64_load(panel), b1 = f64_load(panel + F64_LANES);
        UNROLL for (int i = 0; i < ROWS; i++) {
            const f64_v ai = f64_set1(a[i * lda]);
            acc[i][0] = span_join(acc[i][0], b0 - ai, kind);
            acc[i][1] = span_join(acc[i][1], b1 - ai, kind);
        }
    }
}

static INLINE f64_v span_finish(f64_v x, int finish) {
    if (finish == SPAN_ROOT) return f64_sqrt(x);
    if (finish == SPAN_HALF) return x * f64_set1(0.5);
    return x;
}

static INLINE f64_v span_with(f64_v so_far, f64_v x, int what) {
    if (what == SPAN_SUM) return so_far + x;
    if (what == SPAN_MINIMUM) return f64_min(so_far, x);
    return f64_max(so_far, x);
}

static INLINE void span_store_as(const double *a, ptrdiff_t lda, ptrdiff_t n, const double *panel,
                                 ptrdiff_t depth, int kind, int finish, double *out, ptrdiff_t ldo,
                                 ptrdiff_t columns) {
    double kept[ROWS * NR];
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        const ptrdiff_t rows = n - r < ROWS ? n - r : ROWS;
        for (ptrdiff_t j = 0; j < columns; j += NR) {
            f64_v acc[ROWS][2];
            span_tile(acc, a + r * lda, lda, panel + j, depth, kind);
            UNROLL for (int i = 0; i < ROWS; i++) {
                f64_store(kept + i * NR, span_finish(acc[i][0], finish));
                f64_store(kept + i * NR + F64_LANES, span_finish(acc[i][1], finish));
            }
            const ptrdiff_t some = columns - j < NR ? columns - j : NR;
            for (ptrdiff_t i = 0; i < rows; i++) {
                double *to = out + (r + i) * ldo + j;
                if (some == NR) {
                    f64_store(to, f64_load(kept + i * NR));
                    f64_store(to + F64_LANES, f64_load(kept + i * NR + F64_LANES));
                } else {
                    memcpy(to, kept + i * NR, (size_t)some * sizeof(double));
                }
            }
        }
    }
}

static INLINE void span_gather_as(const double *a, ptrdiff_t lda, ptrdiff_t n, const double *panel,
                                  ptrdiff_t depth, int kind, int finish, int what, double *out) {
    for (ptrdiff_t j = 0; j < SPAN_PANEL_POINTS; j += NR) {
        f64_v out0 = f64_load(out + j), out1 = f64_load(out + j + F64_LANES);
        for (ptrdiff_t r = 0; r < n; r += ROWS) {
            const ptrdiff_t rows = n - r < ROWS ? n - r : ROWS;
            f64_v acc[ROWS][2];
            span_tile(acc, a + r * lda, lda, panel + j, depth, kind);
            if (rows == ROWS) {
                UNROLL for (int i = 0; i < ROWS; i++) {
                    out0 = span_with(out0, span_finish(acc[i][0], finish), what);
                    out1 = span_with(out1, span_finish(acc[i][1], finish), what);
                }
            } else {
                UNROLL for (int i = 0; i < ROWS; i++) {
                    if (i < rows) {
                        out0 = span_with(out0, span_finish(acc[i][0], finish), what);
                        out1 = span_with(out1, span_finish(acc[i][1], finish), what);
                    }
                }
            }
        }
        f64_store(out + j, out0), f64_store(out + j + F64_LANES, out1);
    }
}

#define BY_KIND(AS)                                                                                \
    switch (kind) {                                                                                \
        case METRIC_EUCLIDEAN: AS(METRIC_EUCLIDEAN); break;                                        \
        case METRIC_MANHATTAN: AS(METRIC_MANHATTAN); break;                                        \
        default: AS(METRIC_CHEBYSHEV);                                                             \
    }

/* out[i, l] = the distance of row i of a (n, depth) to point l of the panel */
static void span_store(const double *a, ptrdiff_t lda, ptrdiff_t n, const double *panel,
                       ptrdiff_t depth, int kind, int finish, double *out, ptrdiff_t ldo,
                       ptrdiff_t columns) {
#define AS(KIND) span_store_as(a, lda, n, panel, depth, KIND, finish, out, ldo, columns)
    BY_KIND(AS)
#undef AS
}

/* out[l] becomes the sum, least or most of what it was and the distances of point l to the rows */
static void span_gather(const double *a, ptrdiff_t lda, ptrdiff_t n, const double *panel,
                        ptrdiff_t depth, int kind, int finish, int what, double *out) {
#define SUM(KIND) span_gather_as(a, lda, n, panel, depth, KIND, finish, SPAN_SUM, out)
#define MINIMUM(KIND) span_gather_as(a, lda, n, panel, depth, KIND, SPAN_PLAIN, SPAN_MINIMUM, out)
#define MAXIMUM(KIND) span_gather_as(a, lda, n, panel, depth, KIND, SPAN_PLAIN, SPAN_MAXIMUM, out)
    if (what == SPAN_SUM) BY_KIND(SUM)
    else if (what == SPAN_MINIMUM) BY_KIND(MINIMUM)
    else BY_KIND(MAXIMUM)
#undef SUM
#undef MINIMUM
#undef MAXIMUM
}

#undef NR

/* Whether all numbers are finite and none is negative; x * 0 is 0 for finite ones alone. */
#define SOUND(REAL, T, LANES)                                                                      \
    static int sound_##T(const REAL *x, ptrdiff_t n) {                                             \
        const T##_v zero = T##_set1(0);                                                            \
        T##_v least = zero, other = zero, nothing = zero, more = zero;                             \
        REAL low[LANES], sum[LANES];                                                               \
        ptrdiff_t i = 0;                                                                           \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                               \
            const T##_v a = T##_load(x + i), b = T##_load(x + i + LANES);                          \
            least = T##_min(least, a), nothing = nothing + a * zero;                               \
            other = T##_min(other, b), more = more + b * zero;                                     \
        }                                                                                          \
        T##_store(low, T##_min(least, other)), T##_store(sum, nothing + more);                     \
        int sound = 1;                                                                             \
        for (int l = 0; l < LANES; l++) sound &= low[l] == 0 && sum[l] == 0;                        \
        for (; i < n; i++) sound &= x[i] >= 0 && x[i] * 0 == 0;                                     \
        return sound;                                                                              \
    }
SOUND(double, f64, F64_LANES)
SOUND(float, f32, F32_LANES)
#undef SOUND

const spans_kernels GLUE(spans_, LEVEL) = {
    .store = span_store, .gather = span_gather, .sound_f64 = sound_f64, .sound_f32 = sound_f32,
};
