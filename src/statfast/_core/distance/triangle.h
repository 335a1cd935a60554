/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over rows of a dissimilarity matrix, which may be as large as memory: each reads a row
   once. Numbers are read 64 at a time; only where they hold a new minimum, which is rare, are they
   compared one by one. */

#define STEP (64 / LANES) /* vectors of 64 numbers */

/* The smallest and the largest of n numbers; 0 if one is NaN or infinite. */
static int V(extent)(const REAL *x, ptrdiff_t n, double *low, double *high) {
    V(v) least = V(set1)(INFINITY), most = V(set1)(-INFINITY), rest = V(set1)(0);
    ptrdiff_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        const V(v) v = V(load)(x + c);
        least = V(min)(least, v);
        most = V(max)(most, v);
        rest = rest + v * V(set1)(0);
    }
    REAL lows[LANES], highs[LANES], rests[LANES], sum = 0;
    V(store)(lows, least);
    V(store)(highs, most);
    V(store)(rests, rest);
    for (int l = 0; l < LANES; l++) {
        *low = lows[l] < *low ? lows[l] : *low;
        *high = highs[l] > *high ? highs[l] : *high;
        sum += rests[l];
    }
    for (; c < n; c++) {
        *low = x[c] < *low ? x[c] : *low;
        *high = x[c] > *high ? x[c] : *high;
        sum += x[c] * 0;
    }
    return sum == 0;
}

/* Scan row `row`, whose numbers x are those of the columns first, first + 1, ...: find its first
   smallest number, if it is below *best, and update the smallest numbers of the columns (low, who,
   from column `first` on). */
static void V(scan)(const REAL *x, ptrdiff_t n, ptrdiff_t row, ptrdiff_t first, REAL *low,
                    int32_t *who, REAL *best, int32_t *at) {
    V(v) record = V(set1)(*best);
    ptrdiff_t c = 0;
    for (; c + 64 <= n; c += 64) {
        uint64_t hits = 0;
        UNROLL for (int u = 0; u < STEP; u++) {
            const ptrdiff_t at_ = c + u * LANES;
            const V(v) v = V(load)(x + at_);
            const uint64_t bits = V(bits)(V(gt)(V(load)(low + at_), v)) | V(bits)(V(gt)(record, v));
            hits |= bits << (u * LANES);
        }
        if (!hits) continue;
        for (; hits; hits &= hits - 1) {
            const ptrdiff_t k = c + LOWEST_BIT(hits);
            if (x[k] < low[k]) {
                low[k] = x[k];
                who[k] = (int32_t)row;
            }
            if (x[k] < *best) {
                *best = x[k];
                *at = (int32_t)(first + k);
            }
        }
        record = V(set1)(*best);
    }
    for (; c < n; c++) {
        if (x[c] < low[c]) {
            low[c] = x[c];
            who[c] = (int32_t)row;
        }
        if (x[c] < *best) {
            *best = x[c];
            *at = (int32_t)(first + c);
        }
    }
}
