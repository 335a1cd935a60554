/* SPDX-License-Identifier: BSD-3-Clause */
/* From the user's rows to the tile's operands: convert, measure, and lay out in panels. */

#define NR (2 * LANES)

/* out = (x - origin) * scale, row by row, in the wider of the two types.  The origin is
   representable in float, so that rows of different types are moved by the very same vector. */
#define CONVERT(SRC, NAME, WIDE)                                                                   \
    static void V(convert_##NAME)(const void *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,       \
                                  const float *origin, double scale, REAL *out,                    \
                                  ptrdiff_t ldo) {                                                 \
        for (ptrdiff_t i = 0; i < n; i++) {                                                        \
            const SRC *x = (const SRC *)rows + i * ldx;                                            \
            REAL *y = out + i * ldo;                                                               \
            for (ptrdiff_t p = 0; p < d; p++)                                                      \
                y[p] = (REAL)(((WIDE)x[p] - (WIDE)origin[p]) * (WIDE)scale);                       \
        }                                                                                          \
    }
CONVERT(double, f64, double)
CONVERT(float, f32, REAL)
CONVERT(uint8_t, u8, REAL)
#undef CONVERT

/* start = -|a|^2 / 2 (summed in double, rounded once) and norm >= |a| of n rows, where numbers of a
   below the normal range may have been lost. */
static void V(measure)(const REAL *a, ptrdiff_t lda, ptrdiff_t n, ptrdiff_t d, REAL *start,
                       REAL *norm) {
    for (ptrdiff_t i = 0; i < n; i++, a += lda) {
        double part[8] = {0, 0, 0, 0, 0, 0, 0, 0}, sum = 0;
        ptrdiff_t p = 0;
        for (; p + 8 <= d; p += 8)
            for (int q = 0; q < 8; q++) part[q] += (double)a[p + q] * (double)a[p + q];
        for (; p < d; p++) sum += (double)a[p] * (double)a[p];
        for (int q = 0; q < 8; q++) sum += part[q];
        start[i] = (REAL)(-0.5 * sum);
        norm[i] = (REAL)(sqrt(sum) * 1.000001 + (double)d * REAL_MIN);
    }
}

#if LANES > 1
#define PICK_LOW(l) ((l) & STEP ? LANES + (l) - STEP : (l))
#define PICK_HIGH(l) ((l) & STEP ? LANES + (l) : (l) + STEP)
#if LANES == 16
#define EACH_LANE(f)                                                                               \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), \
        f(15)
#elif LANES == 8
#define EACH_LANE(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#elif LANES == 4
#define EACH_LANE(f) f(0), f(1), f(2), f(3)
#else
#define EACH_LANE(f) f(0), f(1)
#endif
#if defined(__clang__)
#define MERGE(a, b, PICK) __builtin_shufflevector(a, b, EACH_LANE(PICK))
#else
#define MERGE(a, b, PICK) __builtin_shuffle(a, b, (V(i)){EACH_LANE(PICK)})
#endif
/* One butterfly stage: swap the off-diagonal STEP x STEP blocks of every 2 STEP x 2 STEP block. */
#define STAGE                                                                                      \
    UNROLL for (int i = 0; i < LANES; i++) if (!(i & STEP)) {                                      \
        const V(v) x = r[i], y = r[i + STEP];                                                      \
        r[i] = MERGE(x, y, PICK_LOW);                                                              \
        r[i + STEP] = MERGE(x, y, PICK_HIGH);                                                      \
    }
static INLINE void V(transpose)(V(v) r[LANES]) {
#define STEP 1
    STAGE
#undef STEP
#if LANES > 2
#define STEP 2
    STAGE
#undef STEP
#endif
#if LANES > 4
#define STEP 4
    STAGE
#undef STEP
#endif
#if LANES > 8
#define STEP 8
    STAGE
#undef STEP
#endif
}
#undef STAGE
#undef MERGE
#undef EACH_LANE
#undef PICK_LOW
#undef PICK_HIGH
#endif

/* n rows of depth d into ceil(n / NR) panels; missing points are zero. */
static void V(pack)(const REAL *rows, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, REAL *panels) {
    for (ptrdiff_t j = 0; j < n; j += NR, rows += NR * ldx, panels += NR * d) {
        const ptrdiff_t points = n - j < NR ? n - j : NR;
        ptrdiff_t p = 0;
#if LANES > 1
        if (points == NR) {
            for (; p + LANES <= d; p += LANES) {
                for (ptrdiff_t half = 0; half < NR; half += LANES) {
                    V(v) r[LANES];
                    UNROLL for (int i = 0; i < LANES; i++)
                        r[i] = V(load)(rows + (half + i) * ldx + p);
                    V(transpose)(r);
                    UNROLL for (int i = 0; i < LANES; i++)
                        V(store)(panels + (p + i) * NR + half, r[i]);
                }
            }
        }
#endif
        for (; p < d; p++) {
            for (ptrdiff_t l = 0; l < points; l++) panels[p * NR + l] = rows[l * ldx + p];
            for (ptrdiff_t l = points; l < NR; l++) panels[p * NR + l] = 0;
        }
    }
}

/* One panel of up to NR points straight from the user's rows: rows[pick[l]], or rows[l] without a
   pick, moved and scaled; and norm >= |b| of each, larger by at most 2 (d + 8) u |b|, except for
   squares below the range of REAL: see tau in tile/product/tile.h.  It is made in slices of
   SLICE_FEATURES features, so that everything but the panel itself stays in the first cache. */
#define SLICE_FEATURES 64
#define LAY(SRC, NAME)                                                                             \
    static void V(lay_##NAME)(const void *rows, ptrdiff_t ldx, const int32_t *pick, ptrdiff_t n,   \
                              ptrdiff_t d, const float *origin, double scale, REAL *panel,         \
                              REAL *norm) {                                                        \
        REAL sheet[NR * SLICE_FEATURES];                                                           \
        V(v) sum0 = V(set1)(0), sum1 = V(set1)(0);                                                 \
        for (ptrdiff_t p = 0; p < d; p += SLICE_FEATURES, panel += NR * SLICE_FEATURES) {          \
            const ptrdiff_t some = d - p < SLICE_FEATURES ? d - p : SLICE_FEATURES;                \
            if (pick) {                                                                            \
                for (ptrdiff_t l = 0; l < n; l++)                                                  \
                    V(convert_##NAME)((const SRC *)rows + pick[l] * ldx + p, ldx, 1, some,         \
                                      origin + p, scale, sheet + l * SLICE_FEATURES,               \
                                      SLICE_FEATURES);                                             \
            } else {                                                                               \
                V(convert_##NAME)((const SRC *)rows + p, ldx, n, some, origin + p, scale, sheet,   \
                                  SLICE_FEATURES);                                                 \
            }                                                                                      \
            V(pack)(sheet, SLICE_FEATURES, n, some, panel);                                        \
            for (ptrdiff_t q = 0; q < some; q++) {                                                 \
                const V(v) b0 = V(load)(panel + q * NR), b1 = V(load)(panel + q * NR + LANES);     \
                sum0 = V(fma)(b0, b0, sum0);                                                       \
                sum1 = V(fma)(b1, b1, sum1);                                                       \
            }                                                                                      \
        }                                                                                          \
        const V(v) up = V(set1)((REAL)(1 + (double)(d + 8) * REAL_UNIT));                          \
        V(store)(norm, V(sqrt)(sum0) * up);                                                        \
        V(store)(norm + LANES, V(sqrt)(sum1) * up);                                                \
    }
LAY(double, f64)
LAY(float, f32)
LAY(uint8_t, u8)
#undef LAY
#undef SLICE_FEATURES

#undef NR
