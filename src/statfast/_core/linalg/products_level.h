/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linalg/products.pyx: products by register tiles of ROWS times two
   vectors, in double, that are added to what is in memory. */

#include "linalg/products_table.h"

#define NR (2 * F64_LANES)

#define SHIFT(SRC, NAME)                                                                           \
    static void products_shift_##NAME(const SRC *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,       \
                                      const double *shift, const double *scale, double *z,         \
                                      ptrdiff_t ld) {                                              \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx, z += ld) {                                     \
            if (scale)                                                                             \
                for (ptrdiff_t p = 0; p < d; p++) z[p] = ((double)x[p] - shift[p]) * scale[p];     \
            else                                                                                   \
                for (ptrdiff_t p = 0; p < d; p++) z[p] = (double)x[p] - shift[p];                  \
        }                                                                                          \
    }
SHIFT(double, f64)
SHIFT(float, f32)
SHIFT(uint8_t, u8)
#undef SHIFT

static void products_add(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t d, const double *w,
                         double *sums) {
    for (ptrdiff_t i = 0; i < n; i++, z += ld) {
        const double by = w ? w[i] : 1;
        for (ptrdiff_t p = 0; p < d; p++) sums[p] += by * z[p];
    }
}

static void products_add_squares(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t d,
                                 const double *w, double *sums) {
    for (ptrdiff_t i = 0; i < n; i++, z += ld) {
        const double by = w ? w[i] : 1;
        for (ptrdiff_t p = 0; p < d; p++) sums[p] += by * z[p] * z[p];
    }
}

/* acc += the product of ROWS numbers, `row` apart, with NR side by side, depth times. */
static INLINE void products_tile(
    f64_v acc[ROWS][2], const double *a, ptrdiff_t row, ptrdiff_t step, const double *b,
    ptrdiff_t ldb, ptrdiff_t depth) {
    for (ptrdiff_t p = 0; p < depth; p++, a += step, b += ldb) {
        const f64_v b0 = f64_load(b), b1 = f64_load(b + F64_LANES);
        UNROLL for (int i = 0; i < ROWS; i++) {
            const f64_v ai = f64_set1(a[i * row]);
            acc[i][0] = f64_fma(ai, b0, acc[i][0]);
            acc[i][1] = f64_fma(ai, b1, acc[i][1]);
        }
    }
}

static void products_inner(const double *a, ptrdiff_t lda, ptrdiff_t m, const double *b,
                           ptrdiff_t ldb, ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc,
                           int lower) {
    for (ptrdiff_t i0 = 0; i0 < m; i0 += ROWS) {
        for (ptrdiff_t j0 = 0; j0 < n && (!lower || j0 < i0 + ROWS); j0 += NR) {
            f64_v acc[ROWS][2];
            UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = f64_set1(0);
            products_tile(acc, a + i0, 1, lda, b + j0, ldb, depth);
            UNROLL for (int i = 0; i < ROWS; i++) {
                double *to = c + (i0 + i) * ldc + j0;
                f64_store(to, f64_load(to) + acc[i][0]);
                f64_store(to + F64_LANES, f64_load(to + F64_LANES) + acc[i][1]);
            }
        }
    }
}

static void products_outer(const double *a, ptrdiff_t lda, ptrdiff_t m, const double *panels,
                           ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc, int more,
                           int lower) {
    for (ptrdiff_t j0 = 0; j0 < n; j0 += NR, panels += NR * depth) {
        for (ptrdiff_t i0 = lower ? j0 / ROWS * ROWS : 0; i0 < m; i0 += ROWS) {
            f64_v acc[ROWS][2];
            double *to = c + i0 * ldc + j0;
            UNROLL for (int i = 0; i < ROWS; i++) {
                acc[i][0] = more ? f64_load(to + i * ldc) : f64_set1(0);
                acc[i][1] = more ? f64_load(to + i * ldc + F64_LANES) : f64_set1(0);
            }
            products_tile(acc, a + i0 * lda, lda, 1, panels, NR, depth);
            UNROLL for (int i = 0; i < ROWS; i++) {
                f64_store(to + i * ldc, acc[i][0]);
                f64_store(to + i * ldc + F64_LANES, acc[i][1]);
            }
        }
    }
}

/* out = y, whose rows have `ld` numbers, zero beyond k; returns 0 if all are finite, else NaN. */
#define GIVE(DST, NAME)                                                                            \
    static double products_give_##NAME(const double *y, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t k,    \
                                       DST *out, ptrdiff_t ldo) {                                  \
        f64_v seen = f64_set1(0);                                                                  \
        for (ptrdiff_t i = 0; i < n; i++, y += ld, out += ldo) {                                   \
            for (ptrdiff_t j = 0; j < ld; j += F64_LANES)                                          \
                seen = f64_fma(f64_load(y + j), f64_set1(0), seen);                                \
            for (ptrdiff_t j = 0; j < k; j++) out[j] = (DST)y[j];                                  \
        }                                                                                          \
        double lane[F64_LANES], sum = 0;                                                           \
        f64_store(lane, seen);                                                                     \
        for (int l = 0; l < F64_LANES; l++) sum += lane[l];                                        \
        return sum;                                                                                \
    }
GIVE(double, f64)
GIVE(float, f32)
#undef GIVE

const products_kernels GLUE(products_, LEVEL) = {
    .rows = ROWS, .across = NR,
    .shift_f64 = products_shift_f64, .shift_f32 = products_shift_f32,
    .shift_u8 = products_shift_u8, .add = products_add, .add_squares = products_add_squares,
    .give_f64 = products_give_f64, .give_f32 = products_give_f32,
    .inner = products_inner, .outer = products_outer,
};
