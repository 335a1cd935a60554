/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds on the distance of every row to its center (upper) and to every other center (lower), by
   which rows that cannot have changed their center are skipped. Hamerly 2010,
   doi:10.1137/1.9781611972801.12. They are kept in float, rounded to the safe side. */

#define FLOAT_ROUNDING 2.4e-7f /* more than the rounding of two float operations */

/* Widen the bounds after the centers have moved, and list the rows that they no longer decide. Rows
   are taken in groups, so that the first loop is vector code and the second is mostly skipped. */
#define ROWS_AT_A_TIME 64
static ptrdiff_t widen(const int32_t *restrict label, ptrdiff_t n, const float *restrict move,
                       const float *restrict drop, const float *restrict gap,
                       float *restrict upper, float *restrict lower, int32_t *restrict left) {
    ptrdiff_t count = 0;
    for (ptrdiff_t first = 0; first < n; first += ROWS_AT_A_TIME) {
        const ptrdiff_t some = n - first < ROWS_AT_A_TIME ? n - first : ROWS_AT_A_TIME;
        int32_t open[ROWS_AT_A_TIME], any = 0;
        for (ptrdiff_t i = 0; i < some; i++) {
            const int32_t c = label[first + i];
            const float before = lower[first + i];
            const float u = (upper[first + i] + move[c]) * (1 + FLOAT_ROUNDING);
            const float l = before - drop[c] - FLOAT_ROUNDING * (before + drop[c]);
            upper[first + i] = u;
            lower[first + i] = l;
            open[i] = !(u < (l > gap[c] ? l : gap[c]));
            any |= open[i];
        }
        for (ptrdiff_t i = 0; any && i < some; i++) {
            left[count] = (int32_t)(first + i);
            count += open[i];
        }
    }
    return count;
}
#undef ROWS_AT_A_TIME

/* Keep those of the listed rows that the distance to their own center, measured again, does not
   decide either. The rows are moved and scaled like those of the tiles; `a` holds the centers as
   tile rows, whose lengths are at most `reach`. Rounding the two points changes their distance by
   at most u (|x| + |a|), where |x| <= |a| + distance; summing the squares changes it by a
   share (d + 4) u. */
#define TIGHTEN(SRC, NAME, WIDE)                                                                   \
    static ptrdiff_t tighten_##NAME(const void *rows, ptrdiff_t ldx, const float *origin,          \
                                    double scale, const int32_t *label, const float *a,            \
                                    ptrdiff_t lda, ptrdiff_t d, float reach, const float *gap,     \
                                    float *upper, const float *lower, int32_t *left,               \
                                    ptrdiff_t n) {                                                 \
        const float wider = 1 + (float)(d + 16) * (FLT_EPSILON / 2);                               \
        const float rounding = 4 * (FLT_EPSILON / 2) * reach + (float)d * FLT_MIN;                 \
        ptrdiff_t count = 0;                                                                       \
        for (ptrdiff_t j = 0; j < n; j++) {                                                        \
            const int32_t i = left[j], c = label[i];                                               \
            const SRC *x = (const SRC *)rows + i * ldx;                                            \
            const float *y = a + c * lda;                                                          \
            float part[16] = {0}, sum = 0;                                                         \
            ptrdiff_t p = 0;                                                                       \
            for (; p + 16 <= d; p += 16)                                                           \
                for (int k = 0; k < 16; k++) {                                                     \
                    const float t = (float)(((WIDE)x[p + k] - (WIDE)origin[p + k]) * (WIDE)scale)  \
                                    - y[p + k];                                                    \
                    part[k] += t * t;                                                              \
                }                                                                                  \
            for (; p < d; p++) {                                                                   \
                const float t = (float)(((WIDE)x[p] - (WIDE)origin[p]) * (WIDE)scale) - y[p];      \
                sum += t * t;                                                                      \
            }                                                                                      \
            for (int half = 8; half; half /= 2)                                                    \
                for (int k = 0; k < half; k++) part[k] += part[k + half];                          \
            const float u = sqrtf(sum + part[0]) * wider + rounding;                                         \
            if (u < upper[i]) upper[i] = u;                                                        \
            left[count] = i;                                                                       \
            count += !(upper[i] < (lower[i] > gap[c] ? lower[i] : gap[c]));                        \
        }                                                                                          \
        return count;                                                                              \
    }
TIGHTEN(double, f64, double)
TIGHTEN(float, f32, float)
TIGHTEN(uint8_t, u8, float)
#undef TIGHTEN

/* Bounds on the distances of n points from their two largest scores; returns whether the scores of
   some point are too close to tell which is larger. The error of a score is at most slope |x| +
   base + delta |x|^2, and |x| lies between norm (1 - spread) and norm. */
static int bound(const float *best, const float *second, const float *norm, ptrdiff_t n,
                 const double *terms, float spread, float *upper, float *lower) {
    const float slope = (float)terms[1], base = (float)terms[2], delta = (float)terms[3];
    int unsure = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float square = norm[i] * norm[i];
        const float doubt = 1.001f * (slope * norm[i] + base + delta * square);
        const float near = square - 2 * best[i] + 2 * doubt;
        const float far = square * (1 - 2 * spread) - 2 * second[i] - 2 * doubt;
        unsure |= !(best[i] - second[i] > 2 * doubt) | !(norm[i] < (float)FAR_OUT);
        upper[i] = sqrtf(near > 0 ? near : 0) * (1 + FLOAT_ROUNDING) + FLOAT_ROUNDING * norm[i];
        lower[i] = sqrtf(far > 0 ? far : 0) * (1 - FLOAT_ROUNDING) - FLOAT_ROUNDING * norm[i];
    }
    return unsure;
}
