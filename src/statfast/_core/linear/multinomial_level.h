/* SPDX-License-Identifier: BSD-3-Clause */
/* Multinomial logistic sums over a sheet of rows, in double: see linear/multinomial_table.h.

   Sums over rows keep their accumulators in registers. A column of vectors of z z' begins at its
   own diagonal, so that little of the upper triangle is computed; its rows come in strips of three,
   two or one times STRIP. */
#include "linear/multinomial_table.h"

#define REAL double
#define REAL_BITS 64
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "simd/vmath.h"
#include "tile/product/pack.h"

#define STRIP (LANES > 4 ? 8 : 4)
#define MAX_STRIP (3 * STRIP) /* accumulators: all but a few registers */

#define LAY(NAME, NUMBER)                                                                          \
    static void NAME(const NUMBER *x, ptrdiff_t ldx, ptrdiff_t n, ptrdiff_t d, int intercept,      \
                     const double *shift, const double *scale, double *z, ptrdiff_t ld) {          \
        for (ptrdiff_t i = 0; i < n; i++, x += ldx, z += ld) {                                     \
            if (intercept) z[0] = 1;                                                               \
            double *to = z + (intercept != 0);                                                     \
            for (ptrdiff_t j = 0; j < d; j++) to[j] = ((double)x[j] - shift[j]) * scale[j];        \
        }                                                                                          \
    }
LAY(multinomial_lay_f64, double)
LAY(multinomial_lay_f32, float)
#undef LAY

#define MAX_STACK_COLUMNS 512 /* with which coefficients of a few classes fit on the stack */

#if LANES > 1
/* One class: LANES rows at a time, columns in lanes, whose sums are added up by a transposition. */
static void multinomial_dot(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t q,
                            const double *coef, ptrdiff_t kp, double *t) {
    ALIGN64 double b[MAX_STACK_COLUMNS];
    for (ptrdiff_t j = 0; j < ld; j++) b[j] = j < q ? coef[j * kp] : 0;
    for (ptrdiff_t i = 0; i < n; i += LANES, z += LANES * ld) {
        V(v) sum[LANES];
        UNROLL for (int r = 0; r < LANES; r++) sum[r] = V(set1)(0);
        for (ptrdiff_t j = 0; j < ld; j += LANES) {
            const V(v) by = V(load)(b + j);
            UNROLL for (int r = 0; r < LANES; r++)
                sum[r] = V(fma)(V(load)(z + r * ld + j), by, sum[r]);
        }
        V(transpose)(sum);
        UNROLL for (int r = 1; r < LANES; r++) sum[0] = sum[0] + sum[r];
        V(store)(t + i, sum[0]);
    }
}
#endif

/* Eight rows at a time, classes in lanes, turned by way of a small table; classes that would leave
   most of the lanes idle one by one. */
static void multinomial_scores(const double *z, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t q,
                               const double *coef, ptrdiff_t kp, ptrdiff_t classes, double *t,
                               ptrdiff_t across) {
    ptrdiff_t most = classes;
#if LANES > 1
    const ptrdiff_t left = classes % LANES;
    if (2 * left < LANES && q >= 16 && ld <= MAX_STACK_COLUMNS) {
        most = classes - left;
        for (ptrdiff_t k = most; k < classes; k++)
            multinomial_dot(z, ld, n, q, coef + k, kp, t + k * across);
    }
#endif
    for (ptrdiff_t i = 0; i < n; i += 8) {
        for (ptrdiff_t k = 0; k < most; k += LANES) {
            ALIGN64 double out[8][LANES];
            V(v) sum[8];
            UNROLL for (int r = 0; r < 8; r++) sum[r] = V(set1)(0);
            for (ptrdiff_t j = 0; j < q; j++) {
                const V(v) b = V(load)(coef + j * kp + k);
                UNROLL for (int r = 0; r < 8; r++)
                    sum[r] = V(fma)(V(set1)(z[(i + r) * ld + j]), b, sum[r]);
            }
            UNROLL for (int r = 0; r < 8; r++) V(store)(out[r], sum[r]);
            const ptrdiff_t some = classes - k < LANES ? classes - k : LANES;
            for (ptrdiff_t c = 0; c < some; c++)
                for (int r = 0; r < 8; r++) t[(k + c) * across + i + r] = out[r][c];
        }
    }
}

static void multinomial_posteriors(double *t, ptrdiff_t across, ptrdiff_t classes,
                                   const double *own, double *loss) {
    for (ptrdiff_t i = 0; i < across; i += LANES, t += LANES) {
        V(v) top = V(load)(t), sum = V(set1)(0);
        for (ptrdiff_t k = 1; k < classes; k++) top = V(max)(top, V(load)(t + k * across));
        for (ptrdiff_t k = 0; k < classes; k++) {
            const V(v) e = V(exp)(V(load)(t + k * across) - top);
            V(store)(t + k * across, e);
            sum = sum + e;
        }
        const V(v) rate = V(set1)(1) / sum;
        for (ptrdiff_t k = 0; k < classes; k++)
            V(store)(t + k * across, V(load)(t + k * across) * rate);
        V(store)(loss + i, V(log)(sum) + (top - V(load)(own + i)));
    }
}

/* So many classes by so many vectors: eight sums in all. */
#define GRADIENT_OF(CLASSES, ACROSS)                                                               \
    for (ptrdiff_t j = 0; j < ld; j += ACROSS * LANES) {                                           \
        V(v) sum[CLASSES][ACROSS];                                                                 \
        ptrdiff_t at[ACROSS]; /* beyond the last vector the last again, to be dropped */            \
        for (int a = 0; a < ACROSS; a++)                                                           \
            at[a] = j + a * LANES < ld ? j + a * LANES : ld - LANES;                               \
        UNROLL for (int c = 0; c < CLASSES; c++)                                                   \
            UNROLL for (int a = 0; a < ACROSS; a++)                                                \
                sum[c][a] = V(load)(g + (k + c) * ld + at[a]);                                     \
        for (ptrdiff_t i = 0; i < n; i++) {                                                        \
            V(v) x[ACROSS];                                                                        \
            UNROLL for (int a = 0; a < ACROSS; a++) x[a] = V(load)(z + i * ld + at[a]);            \
            UNROLL for (int c = 0; c < CLASSES; c++) {                                             \
                const V(v) b = V(set1)(r[(k + c) * across + i]);                                   \
                UNROLL for (int a = 0; a < ACROSS; a++) sum[c][a] = V(fma)(b, x[a], sum[c][a]);    \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int c = 0; c < CLASSES; c++)                                                   \
            UNROLL for (int a = 0; a < ACROSS; a++)                                                \
                V(store)(g + (k + c) * ld + at[a], sum[c][a]);                                     \
    }

static void multinomial_gradient(const double *r, ptrdiff_t across, ptrdiff_t classes,
                                 const double *z, ptrdiff_t ld, ptrdiff_t n, double *g) {
    for (ptrdiff_t k = 0; k < classes; k += 8) {
        if (classes - k <= 2) GRADIENT_OF(2, 4)
        else if (classes - k <= 4) GRADIENT_OF(4, 2)
        else GRADIENT_OF(8, 1)
    }
}

#define STRIP_OF(ROWS_OF_IT)                                                                       \
    do {                                                                                           \
        V(v) sum[ROWS_OF_IT];                                                                      \
        UNROLL for (int r = 0; r < ROWS_OF_IT; r++) sum[r] = V(load)(c + (p + r) * ld + j);        \
        for (ptrdiff_t i = 0; i < n; i++) {                                                        \
            const double *row = z + i * ld;                                                        \
            const V(v) x = V(load)(row + j) * V(set1)(w[i]);                                       \
            UNROLL for (int r = 0; r < ROWS_OF_IT; r++)                                            \
                sum[r] = V(fma)(V(set1)(row[p + r]), x, sum[r]);                                   \
        }                                                                                          \
        UNROLL for (int r = 0; r < ROWS_OF_IT; r++) V(store)(c + (p + r) * ld + j, sum[r]);        \
        p += ROWS_OF_IT;                                                                           \
    } while (0)

static void multinomial_outer(const double *w, const double *z, ptrdiff_t ld, ptrdiff_t n,
                              ptrdiff_t q, double *c) {
    for (ptrdiff_t j = 0; j < q; j += LANES) {
        for (ptrdiff_t p = j; p < q;) {
            if (q - p > 2 * STRIP) STRIP_OF(MAX_STRIP);
            else if (q - p > STRIP) STRIP_OF(2 * STRIP);
            else STRIP_OF(STRIP);
        }
    }
}

const multinomial_kernels GLUE(multinomial_, LEVEL) = {
    .lay_f64 = multinomial_lay_f64, .lay_f32 = multinomial_lay_f32,
    .scores = multinomial_scores, .posteriors = multinomial_posteriors,
    .gradient = multinomial_gradient, .outer = multinomial_outer, .lanes = LANES,
};
