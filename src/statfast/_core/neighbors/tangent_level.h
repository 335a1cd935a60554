/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of neighbors/tangent.pyx: images, their tangents, and the products of
   eight rows with eight. Images are continued beyond their edges by the numbers at the edge. */

#include <string.h>

#include "neighbors/tangent_table.h"

#define FILTER_NUMBERS 64 /* numbers computed at a time, which stay in registers */
#define BLOCK_COLUMNS 128   /* columns of a block of products: 16 rows of them fit in level 1 */

/* out[i] = sum over k of taps[k] * in[i + k * step] */
static void filter(const double *in, ptrdiff_t step, const double *taps, ptrdiff_t count,
                   ptrdiff_t n, double *out) {
    double sum[FILTER_NUMBERS];
    for (ptrdiff_t i = 0; i < n; i += FILTER_NUMBERS, in += FILTER_NUMBERS, out += FILTER_NUMBERS) {
        const ptrdiff_t some = n - i < FILTER_NUMBERS ? n - i : FILTER_NUMBERS;
        for (ptrdiff_t j = 0; j < FILTER_NUMBERS; j++) sum[j] = 0;
        for (ptrdiff_t k = 0; k < count; k++) {
            const double tap = taps[k], *from = in + k * step;
            if (some == FILTER_NUMBERS)
                for (ptrdiff_t j = 0; j < FILTER_NUMBERS; j++) sum[j] += tap * from[j];
            else
                for (ptrdiff_t j = 0; j < some; j++) sum[j] += tap * from[j];
        }
        memcpy(out, sum, (size_t)some * sizeof *out);
    }
}

/* The image of h x w numbers convolved with 2 reach + 1 taps along rows and columns.
   `work` has room for 2 h (w + 2 reach) + (h + 2 reach) w numbers. */
static void smooth_image(const double *image, ptrdiff_t h, ptrdiff_t w, const double *taps,
                         ptrdiff_t reach, double *work, double *out) {
    const ptrdiff_t wide = w + 2 * reach, count = 2 * reach + 1;
    double *padded = work, *along = padded + h * wide, *tall = along + h * wide;
    if (reach == 0) {
        memcpy(out, image, (size_t)(h * w) * sizeof *out);
        return;
    }
    for (ptrdiff_t y = 0; y < h; y++) {
        const double *from = image + y * w;
        double *to = padded + y * wide;
        for (ptrdiff_t x = 0; x < reach; x++) {
            to[x] = from[0];
            to[reach + w + x] = from[w - 1];
        }
        memcpy(to + reach, from, (size_t)w * sizeof *to);
    }
    filter(padded, 1, taps, count, h * wide - 2 * reach, along);
    for (ptrdiff_t y = 0; y < h + 2 * reach; y++) {
        const ptrdiff_t inside = y < reach ? 0 : y - reach < h ? y - reach : h - 1;
        memcpy(tall + y * w, along + inside * wide, (size_t)w * sizeof *tall);
    }
    filter(tall, w, taps, count, h * w, out);
}

static double length_of(const double *x, ptrdiff_t d) {
    double part[8] = {0, 0, 0, 0, 0, 0, 0, 0}, sum = 0;
    ptrdiff_t p = 0;
    for (; p + 8 <= d; p += 8)
        for (int k = 0; k < 8; k++) part[k] += x[p + k] * x[p + k];
    for (; p < d; p++) sum += x[p] * x[p];
    return sqrt(sum + (((part[0] + part[1]) + (part[2] + part[3]))
                       + ((part[4] + part[5]) + (part[6] + part[7]))));
}

/* The seven tangents of an image, each of length 1 (or zeros), in rows `ld` apart. */
static void tangents_of(const double *f, ptrdiff_t h, ptrdiff_t w, double *out, ptrdiff_t ld) {
    const ptrdiff_t d = h * w;
    double *gx = out, *gy = out + ld, most = 0;
    for (ptrdiff_t y = 0; y < h; y++) {
        const double *at = f + y * w, *above = y > 0 ? at - w : at, *below = y < h - 1 ? at + w : at;
        double *across = gx + y * w, *down = gy + y * w;
        for (ptrdiff_t x = 1; x < w - 1; x++) across[x] = 0.5 * at[x + 1] - 0.5 * at[x - 1];
        across[0] = 0.5 * at[w > 1] - 0.5 * at[0];
        if (w > 1) across[w - 1] = 0.5 * at[w - 1] - 0.5 * at[w - 2];
        for (ptrdiff_t x = 0; x < w; x++) down[x] = 0.5 * below[x] - 0.5 * above[x];
    }
    for (ptrdiff_t p = 0; p < d; p++) {
        const double a = fabs(gx[p]), b = fabs(gy[p]), larger = a > b ? a : b;
        most = larger > most ? larger : most;
    }
    if (most > 0) /* scale, so that squares neither overflow nor underflow; lengths do not matter */
        for (ptrdiff_t p = 0; p < d; p++) {
            gx[p] /= most;
            gy[p] /= most;
        }
    for (ptrdiff_t row = 0; row < h; row++) {
        const double y = (double)row - 0.5 * (double)(h - 1), left = 0.5 * (double)(w - 1);
        const double *fx = gx + row * w, *fy = gy + row * w;
        double *to = out + 2 * ld + row * w;
        for (ptrdiff_t column = 0; column < w; column++) {
            const double x = (double)column - left, a = fx[column], b = fy[column];
            to[column] = x * a + y * b;          /* scaling */
            to[column + ld] = y * a - x * b;     /* rotation */
            to[column + 2 * ld] = x * a - y * b; /* hyperbolic, along the axes */
            to[column + 3 * ld] = y * a + x * b; /* hyperbolic, along the diagonals */
            to[column + 4 * ld] = a * a + b * b; /* thickness of lines */
        }
    }
    for (int i = 0; i < 7; i++) {
        double *t = out + i * ld, length = length_of(t, d);
        if (length > 0)
            for (ptrdiff_t p = 0; p < d; p++) t[p] /= length;
    }
}

/* out[i][j] = a_i . b_j of eight rows a and `columns` (even, at most 8) rows b, all `ld` apart and
   padded with zeros to a multiple of 16 numbers.  If a and b are the same rows, only for j >= i. */
static void products_of(const double *a, const double *b, ptrdiff_t columns, ptrdiff_t ld,
                        double *out) {
    double sums[64][F64_LANES];
    for (int i = 0; i < 64; i++) f64_store(sums[i], f64_set1(0));
    for (ptrdiff_t start = 0; start < ld; start += BLOCK_COLUMNS) {
        const ptrdiff_t stop = start + BLOCK_COLUMNS < ld ? start + BLOCK_COLUMNS : ld;
        for (ptrdiff_t i = 0; i < 8; i += 4)
            for (ptrdiff_t j = a == b ? i : 0; j < columns; j += 2) {
                const double *ai = a + i * ld, *bj = b + j * ld;
                f64_v sum[4][2];
                UNROLL for (int k = 0; k < 4; k++)
                    UNROLL for (int l = 0; l < 2; l++) sum[k][l] = f64_load(sums[(i + k) * 8 + j + l]);
                for (ptrdiff_t p = start; p < stop; p += F64_LANES) {
                    const f64_v b0 = f64_load(bj + p), b1 = f64_load(bj + ld + p);
                    UNROLL for (int k = 0; k < 4; k++) {
                        const f64_v v = f64_load(ai + k * ld + p);
                        sum[k][0] = f64_fma(v, b0, sum[k][0]);
                        sum[k][1] = f64_fma(v, b1, sum[k][1]);
                    }
                }
                UNROLL for (int k = 0; k < 4; k++)
                    UNROLL for (int l = 0; l < 2; l++) f64_store(sums[(i + k) * 8 + j + l], sum[k][l]);
            }
    }
    for (ptrdiff_t i = 0; i < 8; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int l = 0; l < F64_LANES; l++) sum += sums[i * 8 + j][l];
            out[i * columns + j] = sum;
        }
}

#undef FILTER_NUMBERS
#undef BLOCK_COLUMNS

const tangent_kernels GLUE(tangent_, LEVEL) = {
    .smooth = smooth_image, .tangents = tangents_of, .products = products_of};
