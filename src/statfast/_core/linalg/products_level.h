/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linalg/products.pyx: products by register tiles of ROWS times two
   vectors, in double, that are added to what is in memory. */

#include "linalg/products_table.h"

#define NR (2 * F64_LANES)


#define SHIFT(SRC, DST, NAME)                                                                      \
    static void products_shift_##NAME(const SRC *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d,       \
                                      const double *shift, const double *scale, DST *z,            \
                                      ptrdiff_t ld) {                                              \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx, z += ld) {                                     \
            if (scale)                                                                             \
                for (ptrdiff_t p = 0; p < d; p++)                                                  \
                    z[p] = (DST)(((double)x[p] - shift[p]) * scale[p]);                            \
            else                                                                                   \
                for (ptrdiff_t p = 0; p < d; p++) z[p] = (DST)((double)x[p] - shift[p]);           \
        }                                                                                          \
    }
SHIFT(double, double, f64)
SHIFT(float, double, f32)
SHIFT(float, float, float)
SHIFT(uint8_t, double, u8)
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

/* acc += the product of ROWS numbers, `row` stride, with V vectors side by side, depth times. */
#define TILE(T, REAL, V)                                                                           \
    static INLINE void products_tile_##T##_##V(                                                    \
        T##_v acc[ROWS][2], const REAL *a, ptrdiff_t row, ptrdiff_t step, const REAL *b,           \
        ptrdiff_t ldb, ptrdiff_t depth) {                                                          \
        for (ptrdiff_t p = 0; p < depth; p++, a += step, b += ldb) {                               \
            T##_v side[2];                                                                         \
            UNROLL for (int v = 0; v < V; v++) side[v] = T##_load(b + v * T##_LEN);                \
            UNROLL for (int i = 0; i < ROWS; i++) {                                                \
                const T##_v ai = T##_set1(a[i * row]);                                             \
                UNROLL for (int v = 0; v < V; v++) acc[i][v] = T##_fma(ai, side[v], acc[i][v]);    \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* c (+)= the product of a tile, read from the registers */                                    \
    static INLINE void products_give_tile_##T##_##V(                                               \
        double *c, ptrdiff_t ldc, const REAL *a, ptrdiff_t row, ptrdiff_t step, const REAL *b,     \
        ptrdiff_t ldb, ptrdiff_t depth, int more) {                                                \
        T##_v acc[ROWS][2];                                                                        \
        UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = T##_set1(0);                 \
        products_tile_##T##_##V(acc, a, row, step, b, ldb, depth);                                 \
        UNROLL for (int i = 0; i < ROWS; i++, c += ldc)                                            \
            UNROLL for (int v = 0; v < V; v++) products_more_##T(c + v * T##_LEN, acc[i][v], more); \
    }

#define f64_LEN F64_LANES
#define f32_LEN F32_LANES

static INLINE void products_more_f64(double *c, f64_v v, int more) {
    if (more) v = f64_load(c) + v;
    f64_store(c, v);
}

static INLINE void products_more_f32(double *c, f32_v v, int more) {
    float lane[F32_LANES];
    f32_store(lane, v);
    for (int l = 0; l < F32_LANES; l += F64_LANES)
        products_more_f64(c + l, f64_widen(lane + l), more);
}

TILE(f64, double, 1)
TILE(f64, double, 2)
TILE(f32, float, 1)
TILE(f32, float, 2)
#undef TILE

/* float numbers are multiplied and added DEPTH at a time in float, beyond that in double */
#define f64_DEPTH PTRDIFF_MAX
#define f32_DEPTH 128

#define PRODUCTS(T, REAL)                                                                          \
    static void products_inner_##T(const REAL *a, ptrdiff_t lda, ptrdiff_t m, const REAL *b,       \
                                   ptrdiff_t ldb, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t depth,  \
                                   double *c, ptrdiff_t ldc, int lower) {                          \
        for (ptrdiff_t i0 = 0; i0 < m; i0 += ROWS) {                                               \
            const REAL *side = b;                                                                  \
            for (ptrdiff_t j0 = 0; j0 < n && (!lower || j0 < i0 + ROWS);                           \
                 j0 += 2 * T##_LEN, side += stride) {                                              \
                double *to = c + i0 * ldc + j0;                                                    \
                const int half = (lower && j0 + T##_LEN >= i0 + ROWS) || j0 + T##_LEN >= n;        \
                if (half)                                                                          \
                    products_give_tile_##T##_1(to, ldc, a + i0, 1, lda, side, ldb, depth, 1);      \
                else                                                                               \
                    products_give_tile_##T##_2(to, ldc, a + i0, 1, lda, side, ldb, depth, 1);      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void products_outer_##T(const REAL *a, ptrdiff_t lda, ptrdiff_t m, const REAL *panels,  \
                                   ptrdiff_t n, ptrdiff_t depth, double *c, ptrdiff_t ldc,         \
                                   int more, int lower) {                                          \
        const ptrdiff_t nr = 2 * T##_LEN;                                                          \
        for (ptrdiff_t j0 = 0; j0 < n; j0 += nr, panels += nr * depth)                             \
            for (ptrdiff_t i0 = lower ? j0 / ROWS * ROWS : 0; i0 < m; i0 += ROWS)                  \
                for (ptrdiff_t p = 0; p < depth; p += T##_DEPTH) {                                 \
                    const ptrdiff_t some = depth - p < T##_DEPTH ? depth - p : T##_DEPTH;          \
                    double *to = c + i0 * ldc + j0;                                                \
                    const REAL *rows = a + i0 * lda + p, *side = panels + p * nr;                  \
                    if (j0 + T##_LEN >= n)                                                         \
                        products_give_tile_##T##_1(to, ldc, rows, lda, 1, side, nr, some,          \
                                                   more || p);                                     \
                    else                                                                           \
                        products_give_tile_##T##_2(to, ldc, rows, lda, 1, side, nr, some,          \
                                                   more || p);                                     \
                }                                                                                  \
    }
PRODUCTS(f64, double)
PRODUCTS(f32, float)
#undef PRODUCTS

/* Rows to come, on their way to the second cache. */
static void products_fetch(const char *rows, ptrdiff_t stride, ptrdiff_t n, ptrdiff_t nbytes) {
    for (ptrdiff_t i = 0; i < n; i++, rows += stride)
        for (ptrdiff_t b = 0; b < nbytes; b += 64) FETCH_FAR(rows + b);
}

/* out = y, whose rows have `ld` numbers, zero beyond k; returns 0 if all are finite, else NaN.
   Whole vectors are written where the next row, which comes later, has room for them. */
#define GIVE(DST, NAME)                                                                            \
    static double products_give_##NAME(const double *y, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t k,    \
                                       DST *out, ptrdiff_t ldo) {                                  \
        const ptrdiff_t whole = (k + F64_LANES - 1) / F64_LANES * F64_LANES;                       \
        f64_v seen = f64_set1(0);                                                                  \
        for (ptrdiff_t i = 0; i < n; i++, y += ld, out += ldo) {                                   \
            for (ptrdiff_t j = 0; j < whole; j += F64_LANES)                                       \
                seen = f64_fma(f64_load(y + j), f64_set1(0), seen);                                \
            if (whole <= (n - i) * ldo)                                                            \
                for (ptrdiff_t j = 0; j < whole; j += F64_LANES)                                   \
                    for (int l = 0; l < F64_LANES; l++) out[j + l] = (DST)y[j + l];                \
            else                                                                                   \
                for (ptrdiff_t j = 0; j < k; j++) out[j] = (DST)y[j];                              \
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
    .rows = ROWS, .across = NR, .across_float = 2 * F32_LANES,
    .shift_f64 = products_shift_f64, .shift_f32 = products_shift_f32,
    .shift_float = products_shift_float, .shift_u8 = products_shift_u8,
    .add = products_add, .add_squares = products_add_squares,
    .give_f64 = products_give_f64, .give_f32 = products_give_f32,
    .inner = products_inner_f64, .inner_float = products_inner_f32,
    .outer = products_outer_f64, .outer_float = products_outer_f32, .fetch = products_fetch,
};
