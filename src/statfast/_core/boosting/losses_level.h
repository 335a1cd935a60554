/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of boosting/losses.pyx. */
#include "boosting/losses_table.h"

#define REAL double
#define REAL_BITS 64
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "simd/vmath.h"

enum { ROWS_AT_A_TIME = 512 }; /* so that intermediate results stay in the first-level cache */

static INLINE void exp_of(const double *x, ptrdiff_t m, double sign, double *e) {
    double padded[LANES];
    ptrdiff_t i = 0;
    for (; i + LANES <= m; i += LANES)
        f64_store(e + i, f64_exp(f64_load(x + i) * f64_set1(sign)));
    if (i == m) return;
    for (ptrdiff_t k = 0; k < LANES; k++) padded[k] = i + k < m ? x[i + k] : 0.0;
    f64_store(padded, f64_exp(f64_load(padded) * f64_set1(sign)));
    memcpy(e + i, padded, sizeof(double) * (size_t)(m - i));
}

static INLINE void sigmoid_of(const double *x, ptrdiff_t m, double *p) {
    double padded[LANES];
    ptrdiff_t i = 0;
    for (; i + LANES <= m; i += LANES) f64_store(p + i, f64_sigmoid(f64_load(x + i)));
    if (i == m) return;
    for (ptrdiff_t k = 0; k < LANES; k++) padded[k] = i + k < m ? x[i + k] : 0.0;
    f64_store(padded, f64_sigmoid(f64_load(padded)));
    memcpy(p + i, padded, sizeof(double) * (size_t)(m - i));
}

/* Up to ROWS_AT_A_TIME rows; e is room for as many numbers. */
static INLINE void stretch(
    const loss_rows *r, ptrdiff_t begin, ptrdiff_t m, double *e, double *g, double *h) {
    const double *raw = r->raw + begin, *y = r->y + begin;
    switch (r->loss) {
    case LOSS_SQUARED:
        for (ptrdiff_t i = 0; i < m; i++) g[i] = raw[i] - y[i], h[i] = 1.0;
        break;
    case LOSS_ABSOLUTE:
        for (ptrdiff_t i = 0; i < m; i++)
            g[i] = (double)((raw[i] > y[i]) - (raw[i] < y[i])), h[i] = 1.0;
        break;
    case LOSS_QUANTILE:
        for (ptrdiff_t i = 0; i < m; i++)
            g[i] = (double)(raw[i] > y[i]) - (raw[i] != y[i] ? r->quantile : 0.0), h[i] = 1.0;
        break;
    case LOSS_POISSON:
        exp_of(raw, m, 1.0, e);
        for (ptrdiff_t i = 0; i < m; i++) g[i] = e[i] - y[i], h[i] = e[i];
        break;
    case LOSS_GAMMA:
        exp_of(raw, m, -1.0, e);
        for (ptrdiff_t i = 0; i < m; i++) g[i] = 1.0 - y[i] * e[i], h[i] = y[i] * e[i];
        break;
    case LOSS_LOG:
        sigmoid_of(raw, m, e);
        for (ptrdiff_t i = 0; i < m; i++) g[i] = e[i] - y[i], h[i] = e[i] * (1.0 - e[i]);
        break;
    case LOSS_MULTINOMIAL:
        for (ptrdiff_t i = 0; i < m; i++) g[i] = raw[i] - r->normalizer[begin + i];
        exp_of(g, m, 1.0, e);
        for (ptrdiff_t i = 0; i < m; i++)
            g[i] = e[i] - (y[i] == r->target ? 1.0 : 0.0), h[i] = e[i] * (1.0 - e[i]);
        break;
    default: /* LOSS_EXPONENTIAL: exp(-raw) of class 1, exp(raw) of class 0 */
        for (ptrdiff_t i = 0; i < m; i++) g[i] = y[i] == 0.0 ? raw[i] : -raw[i];
        exp_of(g, m, 1.0, e);
        for (ptrdiff_t i = 0; i < m; i++) g[i] = y[i] == 0.0 ? e[i] : -e[i], h[i] = e[i];
    }
}

static void gradients(const loss_rows *r, ptrdiff_t n, double *out, double most[2]) {
    double e[ROWS_AT_A_TIME], g[ROWS_AT_A_TIME], h[ROWS_AT_A_TIME];
    double most_g = 0.0, most_h = 0.0;
    for (ptrdiff_t begin = 0; begin < n; begin += ROWS_AT_A_TIME) {
        const ptrdiff_t m = n - begin < ROWS_AT_A_TIME ? n - begin : ROWS_AT_A_TIME;
        stretch(r, begin, m, e, g, h);
        if (r->weight)
            for (ptrdiff_t i = 0; i < m; i++)
                g[i] *= r->weight[begin + i], h[i] *= r->weight[begin + i];
        for (ptrdiff_t i = 0; i < m; i++) {
            const double size = fabs(g[i]); /* a NaN stays, so that the caller sees it */
            most_g = most_g >= size ? most_g : size;
            most_h = most_h >= h[i] ? most_h : h[i];
            out[2 * (begin + i)] = g[i];
            out[2 * (begin + i) + 1] = h[i];
        }
    }
    most[0] = most_g;
    most[1] = most_h;
}

/* Each scale is the product of two powers of two, since that of tiny gradients would overflow. */
static void fix(double *pairs, ptrdiff_t n, const double scale[4], int count_bits) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const double g = pairs[2 * i] * scale[0] * scale[1];
        const double h = pairs[2 * i + 1] * scale[2] * scale[3];
        const int64_t both[2] = {
            (int64_t)(g + (g < 0.0 ? -0.5 : 0.5)), ((int64_t)(h + 0.5) << count_bits) + 1};
        memcpy(pairs + 2 * i, both, sizeof both);
    }
}

static void normalize(const double *raw, ptrdiff_t step, ptrdiff_t k, ptrdiff_t n, double *out) {
    double top[ROWS_AT_A_TIME], e[ROWS_AT_A_TIME], sum[ROWS_AT_A_TIME];
    for (ptrdiff_t begin = 0; begin < n; begin += ROWS_AT_A_TIME) {
        const ptrdiff_t m = n - begin < ROWS_AT_A_TIME ? n - begin : ROWS_AT_A_TIME;
        memcpy(top, raw + begin, sizeof(double) * (size_t)m);
        for (ptrdiff_t c = 1; c < k; c++)
            for (ptrdiff_t i = 0; i < m; i++) {
                const double x = raw[c * step + begin + i];
                top[i] = x > top[i] ? x : top[i];
            }
        memset(sum, 0, sizeof sum);
        for (ptrdiff_t c = 0; c < k; c++) {
            for (ptrdiff_t i = 0; i < m; i++) e[i] = raw[c * step + begin + i] - top[i];
            exp_of(e, m, 1.0, e);
            for (ptrdiff_t i = 0; i < m; i++) sum[i] += e[i];
        }
        for (ptrdiff_t i = 0; i < m; i++) out[begin + i] = top[i] + log(sum[i]);
    }
}

static void encode(const double *x, ptrdiff_t n, const double *thresholds, uint8_t *code) {
    for (ptrdiff_t i = 0; i < n; i++) {
        int64_t at = 0;
        UNROLL
        for (int step = 128; step; step /= 2)
            at += thresholds[at + step - 1] < x[i] ? step : 0;
        code[i] = (uint8_t)(x[i] == x[i] ? at : 255);
    }
}

const boosting_losses_kernels GLUE(boosting_losses_, LEVEL) = {
    .gradients = gradients, .fix = fix, .normalize = normalize, .encode = encode,
};
