/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain passes over the user's rows, in the user's type, with sums in double. They are loops over
   eight independent partial sums, which every compiler turns into vectors without being allowed to
   reorder floating-point sums: the order is fixed. */

#include "tile/passes/squared_distance.h"

/* out[i] = |q - x_i|^2 */
#define SQUARED_DISTANCES(SRC, NAME)                                                               \
    static void squared_distances_##NAME(const double *q, const void *rows, ptrdiff_t ldx,         \
                                         ptrdiff_t n,                                              \
                             ptrdiff_t d, double *out) {                                           \
        const SRC *x = (const SRC *)rows;                                                          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx) out[i] = squared_distance_##NAME(q, x, d);     \
    }
SQUARED_DISTANCES(double, f64)
SQUARED_DISTANCES(float, f32)
SQUARED_DISTANCES(uint8_t, u8)
#undef SQUARED_DISTANCES

/* out[i] = the reduced distance of q and x_i: tile/passes/metric.h */
#define REDUCED_DISTANCES(SRC, NAME)                                                               \
    static void reduced_distances_##NAME(const double *q, const void *rows, ptrdiff_t ldx,         \
                                         ptrdiff_t n,                                              \
                                ptrdiff_t d, int kind, double p, double *out) {                    \
        const SRC *x = (const SRC *)rows;                                                          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx)                                                \
            out[i] = metric_reduced_##NAME(q, x, d, kind, p);                                      \
    }
REDUCED_DISTANCES(double, f64)
REDUCED_DISTANCES(float, f32)
REDUCED_DISTANCES(uint8_t, u8)
#undef REDUCED_DISTANCES

/* Update column sums, minima and maxima. */
#define EXTENT(SRC, NAME)                                                                          \
    static void extent_##NAME(const void *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,            \
                              double *sum, double *low, double *high) {                            \
        const SRC *x = (const SRC *)rows;                                                          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx)                                                \
            for (ptrdiff_t p = 0; p < d; p++) {                                                    \
                const double v = (double)x[p];                                                     \
                sum[p] += v;                                                                       \
                low[p] = v < low[p] ? v : low[p];                                                  \
                high[p] = v > high[p] ? v : high[p];                                               \
            }                                                                                      \
    }
EXTENT(double, f64)
EXTENT(float, f32)
EXTENT(uint8_t, u8)
#undef EXTENT

/* sums[label] += w x and total_weight[label] += w for every row; all weights are 1 where there are
   none. */
#define ADD(SRC, NAME)                                                                             \
    static void add_##NAME(const void *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,               \
                           const double *weights, const int32_t *labels, double *sums,             \
                           double *total_weight) {                                                 \
        const SRC *x = (const SRC *)rows;                                                          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx) {                                              \
            const double w = weights ? weights[i] : 1;                                             \
            double *sum = sums + labels[i] * d;                                                    \
            total_weight[labels[i]] += w;                                                          \
            if (weights)                                                                           \
                for (ptrdiff_t p = 0; p < d; p++) sum[p] += w * (double)x[p];                      \
            else                                                                                   \
                for (ptrdiff_t p = 0; p < d; p++) sum[p] += (double)x[p];                          \
        }                                                                                          \
    }
ADD(double, f64)
ADD(float, f32)
ADD(uint8_t, u8)
#undef ADD

/* z = x - shift of the class, wz = w z (unless it is the same array), and the sums by class. */
#define SHIFT(SRC, NAME)                                                                           \
    static void shift_##NAME(const void *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,             \
                             const double *weights, const ptrdiff_t *codes, const double *shift,   \
                             double *total_weight, double *sums, double *z, double *wz,            \
                             ptrdiff_t ld) {                                                       \
        const SRC *x = (const SRC *)rows;                                                          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx, z += ld, wz += ld) {                           \
            const double w = weights ? weights[i] : 1, *from = shift + codes[i] * d;               \
            double *sum = sums + codes[i] * d;                                                     \
            total_weight[codes[i]] += w;                                                           \
            for (ptrdiff_t p = 0; p < d; p++) {                                                    \
                const double t = (double)x[p] - from[p];                                           \
                z[p] = t;                                                                          \
                sum[p] += w * t;                                                                   \
            }                                                                                      \
            if (z != wz)                                                                           \
                for (ptrdiff_t p = 0; p < d; p++) wz[p] = w * z[p];                                \
        }                                                                                          \
    }
SHIFT(double, f64)
SHIFT(float, f32)
SHIFT(uint8_t, u8)
#undef SHIFT

/* Whether all numbers are finite: x * 0 is 0 for those and NaN for the others. */
#define FINITE(SRC, NAME)                                                                          \
    static int finite_##NAME(const void *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d) {           \
        const SRC *x = (const SRC *)rows;                                                          \
        SRC part[16] = {0}, sum = 0;                                                               \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx) {                                              \
            ptrdiff_t p = 0;                                                                       \
            for (; p + 16 <= d; p += 16)                                                           \
                for (int k = 0; k < 16; k++) part[k] += x[p + k] * 0;                              \
            for (; p < d; p++) sum += x[p] * 0;                                                    \
        }                                                                                          \
        for (int k = 0; k < 16; k++) sum += part[k];                                               \
        return sum == 0;                                                                           \
    }
FINITE(double, f64)
FINITE(float, f32)
#undef FINITE

/* sum of all numbers, to measure how fast memory is read */
static double read_f64(const double *x, ptrdiff_t n) {
    double part[64] = {0}, sum = 0;
    for (ptrdiff_t i = 0; i + 64 <= n; i += 64)
        for (int k = 0; k < 64; k++) part[k] += x[i + k];
    for (int k = 0; k < 64; k++) sum += part[k];
    return sum;
}
