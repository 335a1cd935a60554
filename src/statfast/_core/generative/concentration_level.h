/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of generative/concentration.pyx: columns are the lanes of products, rows
   those of distances. */

#include "generative/concentration_table.h"

#define TOGETHER 4 /* rows whose products are added at once */

static void add_products(const double *X, ptrdiff_t d, const ptrdiff_t *rows, ptrdiff_t m,
                         const double *center, double *u, double *S, ptrdiff_t ld) {
    for (ptrdiff_t k = 0; k < TOGETHER * ld; k++) u[k] = 0;
    for (ptrdiff_t first = 0; first < m; first += TOGETHER) {
        for (ptrdiff_t r = 0; r < TOGETHER; r++) {
            const double *x = first + r < m ? X + rows[first + r] * d : center;
            for (ptrdiff_t j = 0; j < d; j++) u[r * ld + j] = x[j] - center[j];
        }
        for (ptrdiff_t i = 0; i < d; i++) {
            f64_v a[TOGETHER];
            UNROLL for (int r = 0; r < TOGETHER; r++) a[r] = f64_set1(u[r * ld + i]);
            for (ptrdiff_t j = 0; j <= i; j += F64_LANES) {
                f64_v sum = f64_load(S + i * ld + j);
                UNROLL for (int r = 0; r < TOGETHER; r++)
                    sum = f64_fma(a[r], f64_load(u + r * ld + j), sum);
                f64_store(S + i * ld + j, sum);
            }
        }
    }
}
#undef TOGETHER

#define ABREAST 4 /* vectors of rows */

static void measure_rows(const double *X, ptrdiff_t n, ptrdiff_t d, const double *center,
                         const double *L, double *out, double *z) {
    enum { ACROSS = ABREAST * F64_LANES };
    for (ptrdiff_t first = 0; first < n; first += ACROSS) {
        const ptrdiff_t some = n - first < ACROSS ? n - first : ACROSS;
        double total[ACROSS];
        f64_v sum[ABREAST];
        UNROLL for (int k = 0; k < ABREAST; k++) sum[k] = f64_set1(0);
        for (ptrdiff_t r = 0; r < ACROSS; r++) {
            const double *x = r < some ? X + (first + r) * d : center;
            for (ptrdiff_t i = 0; i < d; i++) z[i * ACROSS + r] = x[i] - center[i];
        }
        for (ptrdiff_t i = 0; i < d; i++) {
            const f64_v scale = f64_set1(1.0 / L[i * d + i]);
            f64_v a[ABREAST];
            UNROLL for (int k = 0; k < ABREAST; k++)
                a[k] = f64_load(z + i * ACROSS + k * F64_LANES);
            for (ptrdiff_t j = 0; j < i; j++) {
                const f64_v by = f64_set1(-L[i * d + j]);
                UNROLL for (int k = 0; k < ABREAST; k++)
                    a[k] = f64_fma(by, f64_load(z + j * ACROSS + k * F64_LANES), a[k]);
            }
            UNROLL for (int k = 0; k < ABREAST; k++) {
                a[k] = a[k] * scale;
                f64_store(z + i * ACROSS + k * F64_LANES, a[k]);
                sum[k] = f64_fma(a[k], a[k], sum[k]);
            }
        }
        UNROLL for (int k = 0; k < ABREAST; k++) f64_store(total + k * F64_LANES, sum[k]);
        for (ptrdiff_t r = 0; r < some; r++) out[first + r] = total[r];
    }
}
#undef ABREAST

const concentration_kernels GLUE(concentration_, LEVEL) = {
    .add = add_products, .measure = measure_rows};
