/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of medoids/pam.pyx.

   A candidate is a column of the matrix and a lane of the vectors. The points are read one after
   another, across all candidates of a panel, up to 512 bytes of a row at a time. The terms of a
   point in the loss without its medoid are thus added to adjacent numbers of one row of the table,
   without a scatter, and the sum of each candidate is made in the order of the points, with the
   same bits on every level. */

#include "simd/compiler.h"
#include "medoids/pam_table.h"

#define VECTORS 8 /* vectors whose sums are held in registers */
/* Points between a prefetch and its use, as rows are far from each other. */
#define POINTS_AHEAD 128

/* Add the terms of the points of t (n, width) for each candidate: to loss (k, PANEL_CANDIDATES), in
   the row of the point's own medoid, the increase of the loss if that medoid is removed; to gained
   (PANEL_CANDIDATES,) the change if it stays. With weights, near and second are multiplied by them
   already.

   There is no branch on whether a candidate is near enough to matter, as it would be mispredicted
   too often. */
#define WEIGH(SRC, NAME, WIDE)                                                                     \
    static INLINE void weigh_as_##NAME(const SRC *t, ptrdiff_t ldt, ptrdiff_t n,                    \
                                       const double *near, const double *second,                   \
                                       const int32_t *slot, const double *weights, double *loss,   \
                                       double *gained, int weighted, int vectors) {                \
        f64_v gain[VECTORS];                                                                       \
        UNROLL for (int v = 0; v < vectors; v++) gain[v] = f64_load(gained + v * F64_LANES);        \
        for (ptrdiff_t i = 0; i < n; i++, t += ldt) {                                              \
            if (i + POINTS_AHEAD < n)                                                              \
                UNROLL for (int v = 0; v < vectors; v++)                                           \
                    if (v * F64_LANES * sizeof(SRC) % 64 == 0)                                     \
                        FETCH(t + POINTS_AHEAD * ldt + v * F64_LANES);                             \
            const f64_v first = f64_set1(near[i]), other = f64_set1(second[i]);                    \
            const f64_v weight = f64_set1(weighted ? weights[i] : 1);                              \
            double *own = loss + (ptrdiff_t)slot[i] * PANEL_CANDIDATES;                            \
            UNROLL for (int v = 0; v < vectors; v++) {                                             \
                f64_v d = WIDE(t + v * F64_LANES);                                                 \
                if (weighted) d = d * weight;                                                      \
                const f64_v more = f64_max(first, f64_min(d, other)) - other;                      \
                f64_store(own + v * F64_LANES, f64_load(own + v * F64_LANES) + more);              \
                gain[v] = gain[v] + (f64_min(d, first) - first);                                   \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int v = 0; v < vectors; v++) f64_store(gained + v * F64_LANES, gain[v]);        \
    }                                                                                              \
    static void weigh_##NAME(const SRC *t, ptrdiff_t ldt, ptrdiff_t n, ptrdiff_t width,             \
                             const double *near, const double *second, const int32_t *slot,        \
                             const double *weights, double *loss, double *gained) {                \
        while (width > 0) {                                                                        \
            const int some = width >= VECTORS * F64_LANES ? VECTORS : width >= 2 * F64_LANES ? 2 : 1; \
            AS(NAME, some == VECTORS && weights, 1, VECTORS)                                        \
            AS(NAME, some == VECTORS && !weights, 0, VECTORS)                                       \
            AS(NAME, some == 2 && weights, 1, 2)                                                    \
            AS(NAME, some == 2 && !weights, 0, 2)                                                   \
            AS(NAME, some == 1 && weights, 1, 1)                                                    \
            AS(NAME, some == 1 && !weights, 0, 1)                                                   \
            t += some * F64_LANES, loss += some * F64_LANES, gained += some * F64_LANES;            \
            width -= some * F64_LANES;                                                             \
        }                                                                                          \
    }
#define AS(NAME, CASE, WEIGHTED, COUNT)                                                            \
    if (CASE)                                                                                      \
        weigh_as_##NAME(t, ldt, n, near, second, slot, weights, loss, gained, WEIGHTED, COUNT);
#define FROM_F64(p) f64_load(p)
#define FROM_F32(p) f64_widen(p)
WEIGH(double, f64, FROM_F64)
WEIGH(float, f32, FROM_F32)
#undef WEIGH
#undef AS

/* gained (width,) += sum max(near - d, 0), by how much the points are nearer to each candidate than
   to their medoid; or the sum of d where there is no medoid yet. */
#define GAIN(SRC, NAME, WIDE)                                                                      \
    static INLINE void gain_as_##NAME(const SRC *t, ptrdiff_t ldt, ptrdiff_t n, ptrdiff_t width,    \
                                      const double *near, const double *weights, double *gained,   \
                                      int nearer, int weighted) {                                  \
        const f64_v zero = f64_set1(0);                                                            \
        for (ptrdiff_t i = 0; i < n; i++, t += ldt) {                                              \
            if (i + POINTS_AHEAD < n)                                                              \
                for (ptrdiff_t v = 0; v < width; v += (ptrdiff_t)(64 / sizeof(SRC)))               \
                    FETCH(t + POINTS_AHEAD * ldt + v);                                             \
            const f64_v first = f64_set1(nearer ? near[i] : 0);                                    \
            const f64_v weight = f64_set1(weighted ? weights[i] : 1);                              \
            for (ptrdiff_t v = 0; v < width; v += F64_LANES) {                                     \
                f64_v d = WIDE(t + v);                                                             \
                if (weighted) d = d * weight;                                                      \
                if (nearer) d = f64_max(first - d, zero);                                          \
                f64_store(gained + v, f64_load(gained + v) + d);                                   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void gain_##NAME(const SRC *t, ptrdiff_t ldt, ptrdiff_t n, ptrdiff_t width,              \
                            const double *near, const double *weights, double *gained) {           \
        if (near && weights)                                                                       \
            gain_as_##NAME(t, ldt, n, width, near, weights, gained, 1, 1);                          \
        else if (near)                                                                             \
            gain_as_##NAME(t, ldt, n, width, near, weights, gained, 1, 0);                          \
        else if (weights)                                                                          \
            gain_as_##NAME(t, ldt, n, width, near, weights, gained, 0, 1);                          \
        else                                                                                       \
            gain_as_##NAME(t, ldt, n, width, near, weights, gained, 0, 0);                          \
    }
GAIN(double, f64, FROM_F64)
GAIN(float, f32, FROM_F32)
#undef GAIN

/* As `weigh`, for one candidate from its row t (n,) of a symmetric matrix, with loss (k,) and one
   number gained. Only points nearer to it than to their second medoid contribute; the others would
   add 0. */
#define CHUNK_POINTS 1024 /* points that are compared before the terms of the near ones are added */
/* Bytes between a prefetch and its use; it may reach into the next row. */
#define BYTES_AHEAD 8192
#define ROW(SRC, NAME, WIDE)                                                                       \
    static INLINE void row_as_##NAME(const SRC *t, ptrdiff_t n, const double *near,                \
                                     const double *second, const int32_t *slot,                    \
                                     const double *weights, double *loss, double *gained,          \
                                     int weighted) {                                               \
        int32_t number[CHUNK_POINTS], found[CHUNK_POINTS + F64_LANES];                             \
        const ptrdiff_t most = n < CHUNK_POINTS ? n : CHUNK_POINTS;                                \
        for (ptrdiff_t i = 0; i < most; i++) number[i] = (int32_t)i;                               \
        double gain = *gained;                                                                     \
        for (; n > 0; n -= CHUNK_POINTS) {                                                         \
            const ptrdiff_t some = n < CHUNK_POINTS ? n : CHUNK_POINTS;                            \
            ptrdiff_t count = 0, i = 0;                                                            \
            for (; i + F64_LANES <= some; i += F64_LANES) {                                        \
                if (i % (ptrdiff_t)(64 / sizeof(SRC)) == 0) FETCH(t + i + BYTES_AHEAD / sizeof(SRC)); \
                f64_v d = WIDE(t + i);                                                             \
                if (weighted) d = d * f64_load(weights + i);                                       \
                const unsigned bits = f64_bits(f64_gt(f64_load(second + i), d));                   \
                f64_keep_id(found + count, bits, number + i);                                      \
                count += POPCOUNT(bits);                                                           \
            }                                                                                      \
            for (; i < some; i++) {                                                                \
                const double d = weighted ? (double)t[i] * weights[i] : (double)t[i];              \
                found[count] = (int32_t)i;                                                         \
                count += d < second[i];                                                            \
            }                                                                                      \
            for (ptrdiff_t c = 0; c < count; c++) {                                                \
                i = found[c];                                                                      \
                const double d = weighted ? (double)t[i] * weights[i] : (double)t[i];              \
                const double a = near[i];                                                          \
                loss[slot[i]] += (d > a ? d : a) - second[i];                                      \
                gain += (d < a ? d : a) - a;                                                       \
            }                                                                                      \
            t += CHUNK_POINTS, near += CHUNK_POINTS, second += CHUNK_POINTS, slot += CHUNK_POINTS; \
            if (weighted) weights += CHUNK_POINTS;                                                 \
        }                                                                                          \
        *gained = gain;                                                                            \
    }                                                                                              \
    static void row_##NAME(const SRC *t, ptrdiff_t n, const double *near, const double *second,    \
                           const int32_t *slot, const double *weights, double *loss,               \
                           double *gained) {                                                       \
        if (weights)                                                                               \
            row_as_##NAME(t, n, near, second, slot, weights, loss, gained, 1);                     \
        else                                                                                       \
            row_as_##NAME(t, n, near, second, slot, weights, loss, gained, 0);                     \
    }
ROW(double, f64, FROM_F64)
ROW(float, f32, FROM_F32)
#undef ROW

/* out (n,) = x in units, rounded down, plus one if asked; numbers too large become the largest. */
#define COARSE(SRC, NAME)                                                                          \
    static void coarse_##NAME(const SRC *x, ptrdiff_t n, double scale, int more, uint8_t *out) {   \
        for (ptrdiff_t i = 0; i < n; i++) {                                                        \
            const double d = (double)x[i] * scale;                                                 \
            out[i] = (uint8_t)((int32_t)(d < 254 ? d : 254) + more);                               \
        }                                                                                          \
    }
COARSE(double, f64)
COARSE(float, f32)
#undef COARSE

/* For 64 points, bit i of the result is q[i] < edge[i]. */
#if F64_LANES == 8
static INLINE uint64_t below(const uint8_t *q, const uint8_t *edge) {
    return _mm512_cmplt_epu8_mask(_mm512_loadu_si512(q), _mm512_loadu_si512(edge));
}
#elif F64_LANES == 4
static INLINE uint64_t below(const uint8_t *q, const uint8_t *edge) {
    uint64_t bits = 0;
    for (int h = 0; h < 64; h += 32) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(q + h));
        const __m256i b = _mm256_loadu_si256((const __m256i *)(edge + h));
        const __m256i not = _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), b);
        bits |= (uint64_t)~(uint32_t)_mm256_movemask_epi8(not) << h;
    }
    return bits;
}
#else
static INLINE uint64_t below(const uint8_t *q, const uint8_t *edge) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(q[i] < edge[i]) << i;
    return bits;
}
#endif

/* A lower bound of the least loss plus gained of `row`, from a row rounded down, as both only grow
   with each distance. `edge` is `second` in units, plus one. The sums are in four parts, so that
   additions do not wait for each other: loss (4 k,). */
static double least(const uint8_t *q, ptrdiff_t n, const uint8_t *edge, double unit,
                    const double *near, const double *second, const int32_t *slot,
                    const double *removal, ptrdiff_t k, double *loss) {
    int32_t number[CHUNK_POINTS], found[CHUNK_POINTS + F32_LANES];
    const ptrdiff_t most = n < CHUNK_POINTS ? n : CHUNK_POINTS;
    double gain[4] = {0};
    memcpy(loss, removal, (size_t)k * sizeof *loss);
    memset(loss + k, 0, 3 * (size_t)k * sizeof *loss);
    for (ptrdiff_t i = 0; i < most; i++) number[i] = (int32_t)i;
    for (; n > 0; n -= CHUNK_POINTS, q += CHUNK_POINTS, edge += CHUNK_POINTS,
                  near += CHUNK_POINTS, second += CHUNK_POINTS, slot += CHUNK_POINTS) {
        const ptrdiff_t some = n < CHUNK_POINTS ? n : CHUNK_POINTS;
        ptrdiff_t count = 0, i = 0;
        for (; i + 64 <= some; i += 64) {
            FETCH(q + i + BYTES_AHEAD);
            const uint64_t bits = below(q + i, edge + i);
            UNROLL for (int v = 0; v < 64; v += F32_LANES) {
                const unsigned part = (unsigned)(bits >> v & ((1ull << F32_LANES) - 1));
                f32_keep_id(found + count, part, number + i + v);
                count += POPCOUNT(part);
            }
        }
        for (; i < some; i++) {
            found[count] = (int32_t)i;
            count += q[i] < edge[i];
        }
        for (ptrdiff_t c = 0; c < count; c++) {
            i = found[c];
            const double d = q[i] * unit, a = near[i], b = second[i];
            const double own = (d > a ? d : a) - b;
            loss[(c & 3) * k + slot[i]] += own < 0 ? own : 0;
            gain[c & 3] += (d < a ? d : a) - a;
        }
    }
    double low = INFINITY;
    for (ptrdiff_t m = 0; m < k; m++) {
        const double sum = (loss[m] + loss[k + m]) + (loss[2 * k + m] + loss[3 * k + m]);
        low = sum < low ? sum : low;
    }
    return low + ((gain[0] + gain[1]) + (gain[2] + gain[3]));
}

const pam_kernels GLUE(pam_, LEVEL) = {
    .weigh_f64 = weigh_f64, .weigh_f32 = weigh_f32, .gain_f64 = gain_f64, .gain_f32 = gain_f32,
    .row_f64 = row_f64, .row_f32 = row_f32, .coarse_f64 = coarse_f64, .coarse_f32 = coarse_f32,
    .least = least,
};
