/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linalg/cholesky.pyx. */

#include "linalg/cholesky_table.h"

static void cholesky_dots(const double *a, ptrdiff_t lda, const double *b, ptrdiff_t n, double *out) {
    f64_v sum[4];
    ptrdiff_t k = 0;
    UNROLL for (int r = 0; r < 4; r++) sum[r] = f64_set1(0);
    for (; k + F64_LANES <= n; k += F64_LANES) {
        const f64_v by = f64_load(b + k);
        UNROLL for (int r = 0; r < 4; r++) sum[r] = f64_fma(f64_load(a + r * lda + k), by, sum[r]);
    }
    for (int r = 0; r < 4; r++) {
        double lane[F64_LANES];
        f64_store(lane, sum[r]);
        out[r] = 0;
        for (int l = 0; l < F64_LANES; l++) out[r] += lane[l];
        for (ptrdiff_t l = k; l < n; l++) out[r] += a[r * lda + l] * b[l];
    }
}

const cholesky_kernels GLUE(cholesky_, LEVEL) = {.dots = cholesky_dots};
