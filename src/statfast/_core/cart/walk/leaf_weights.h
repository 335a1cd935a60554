/* SPDX-License-Identifier: BSD-3-Clause */
/* Proximities of rows, and quantiles of targets, by the leaves that rows share. */
#ifndef STATFAST_CART_LEAF_WEIGHTS_H
#define STATFAST_CART_LEAF_WEIGHTS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The share of trees with both rows in one leaf, among those that count for both (`in`; NULL: all
   T). */
static double share_together(const int32_t *a, const int32_t *b, const uint8_t *in_a,
                             const uint8_t *in_b, ptrdiff_t T) {
    int32_t same = 0, count = in_a == NULL ? (int32_t)T : 0;
    for (ptrdiff_t t = 0; t < T; t++) {
        const int32_t counts = in_a == NULL ? 1 : in_a[t] & in_b[t];
        same += (a[t] == b[t]) & counts;
        if (in_a != NULL) count += counts;
    }
    return count ? (double)same / count : NAN;
}

/* Quantiles q of n ascending targets by the weights that T leaves give them; `weight` is zero. */
static void leaf_quantiles(const int32_t *leaf, ptrdiff_t T, const int64_t *begin,
                           const int32_t *member, const double *ascending, ptrdiff_t n,
                           const double *q, ptrdiff_t Q, double *weight, double *out) {
    ptrdiff_t low = n, high = 0, j = 0;
    double sum = 0;
    for (ptrdiff_t t = 0; t < T; t++) {
        const int64_t from = begin[leaf[t]], to = begin[leaf[t] + 1];
        const double share = 1.0 / ((double)T * (double)(to - from));
        for (int64_t i = from; i < to; i++) {
            weight[member[i]] += share;
            low = member[i] < low ? member[i] : low;
            high = member[i] > high ? member[i] : high;
        }
    }
    for (ptrdiff_t i = low; i <= high; i++) {
        sum += weight[i];
        for (; j < Q && weight[i] > 0 && sum >= q[j] * (1 - 1e-12); j++) out[j] = ascending[i];
        weight[i] = 0;
    }
    for (; j < Q; j++) out[j] = ascending[high];
}

#endif
