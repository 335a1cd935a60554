/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column, for several classes or other criteria than Gini's index: as
   cart/split/single_sum.h, with the weight of each class in a bin.

   Bound: for a fixed weight of the left side, each class adds a convex function of its own weight
   there, which is at most the larger of its values at the begin and the end of the bin. The sum of
   these is convex in the weight of the left side, so the bound is the larger of its values at the
   least and the largest weight possible. For misclassified weight it is the sum of two maxima. */

typedef struct {
    const cart_problem *t;
    const cart_node_rows *v;
    ptrdiff_t f;
    int missing_left;
    cart_split *best;
} class_search;

static double class_bound(const cart_problem *t, const cart_node_rows *v, const int64_t *low,
                          const int64_t *high, int64_t wl, int64_t wh) {
    const ptrdiff_t K = t->channels;
    const int64_t *T = v->total, W = v->weight;
    if (t->criterion == CART_ERROR) {
        double l = 0, r = 0;
        for (ptrdiff_t k = 0; k < K; k++) {
            if ((double)high[k] > l) l = (double)high[k];
            if ((double)(T[k] - low[k]) > r) r = (double)(T[k] - low[k]);
        }
        return l + r;
    }
    const int64_t few = wl + v->lightest, most = wh - v->lightest;
    if (t->criterion == CART_GINI) {
        double x = 0, y = 0;
        const double fl = 1 / (double)few, fr = 1 / (double)(W - few);
        const double ml = 1 / (double)most, mr = 1 / (double)(W - most);
        for (ptrdiff_t k = 0; k < K; k++) {
            const double a = (double)low[k], b = (double)high[k];
            const double c = (double)(T[k] - low[k]), d = (double)(T[k] - high[k]);
            const double p = a * a * fl + c * c * fr, q = b * b * fl + d * d * fr;
            const double u = a * a * ml + c * c * mr, z = b * b * ml + d * d * mr;
            x += p > q ? p : q;
            y += u > z ? u : z;
        }
        return x > y ? x : y;
    }
    double sum = 0;
    for (ptrdiff_t k = 0; k < K; k++) {
        const double p = xlogx_of(t, low[k]) + xlogx_of(t, T[k] - low[k]);
        const double q = xlogx_of(t, high[k]) + xlogx_of(t, T[k] - high[k]);
        sum += p > q ? p : q;
    }
    /* The subtracted term is least where both sides have the same weight. */
    const int64_t half = W / 2, n = few > half ? few : most < half ? most : half;
    return sum - xlogx_of(t, n) - xlogx_of(t, W - n);
}

/* The splits between few rows, or between rows with sorted keys rank << bits | number. */
static int classes_between(class_search *c, const int64_t *key, int bits, const int32_t *place,
                           ptrdiff_t m, const int64_t *base, int64_t weight, int64_t rows,
                           int64_t *left) {
    const cart_problem *t = c->t;
    const cart_node_rows *v = c->v;
    const int64_t mask = ((int64_t)1 << bits) - 1;
    memcpy(left, base, (size_t)t->channels * sizeof *left);
    if (key[0] >> bits == key[m - 1] >> bits) return 0;
    for (ptrdiff_t i = 0; i < m - 1; i++) {
        const ptrdiff_t j = key[i] & mask, at = place ? place[j] : j;
        for (ptrdiff_t o = 0; o < t->outputs; o++) {
            if (t->label)
                left[v->cls[o * v->m + at]] += v->w[at];
            else
                left[o] += v->q[o * v->m + at];
        }
        weight += v->w[at];
        rows++;
        if (key[i] >> bits == key[i + 1] >> bits || !is_allowed(t, v, rows, weight)) continue;
        const double gain = score(t, v, left, weight);
        if (gain >= c->best->gain && is_ordered(t, v, c->f, left, weight))
            take(c->best, gain, c->f, c->missing_left, key[i] >> bits);
    }
    return 1;
}

static int classes_sorted(class_search *c, const int32_t *place, ptrdiff_t m, const int64_t *base,
                          int64_t weight, int64_t rows, int64_t *left) {
    int32_t key[CART_MAX_PAIRED_ROWS], sorted[CART_MAX_PAIRED_ROWS];
    int64_t wide[CART_MAX_PAIRED_ROWS];
    const cart_ranks ranks = ranks_of(c->t, c->f, c->v->m);
    for (ptrdiff_t i = 0; i < m; i++) {
        const uint32_t rank = rank_in(ranks, c->v->rows[place ? place[i] : i]);
        key[i] = (int32_t)(rank << CART_PLACE_BITS | (uint32_t)i);
    }
    for (ptrdiff_t i = m; i < ((m + 15) & ~15); i++) key[i] = INT32_MAX;
    sort_by_counting(key, (int)m, sorted);
    for (ptrdiff_t i = 0; i < m; i++) wide[i] = sorted[i];
    return classes_between(c, wide, CART_PLACE_BITS, place, m, base, weight, rows, left);
}

/* As single_binned. `bin` holds (bins + 1) (channels + 2) numbers for this level of histograms,
   followed by those of finer levels: the sums, weight and rows of the left side at the begin of
   each bin. */
static int classes_binned(class_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                          int bins, int drop, int below, int64_t base, const int64_t *start,
                          int64_t weight, int64_t rows, uint8_t *bytes, int32_t *places,
                          int64_t *bin) {
    const cart_problem *t = c->t;
    const cart_node_rows *v = c->v;
    const ptrdiff_t K = t->channels, step = K + 2;
    const int shift = below + drop;
    int64_t *next = bin + (bins + 1) * step;
    memset(bin, 0, (size_t)((bins + 1) * step) * sizeof *bin);
    for (ptrdiff_t i = 0; i < m; i++) {
        const ptrdiff_t at = place ? place[i] : i;
        int64_t *to = bin + ((byte[i] >> drop) + 1) * step;
        to[v->cls[at]] += v->w[at];
        to[K]++;
    }
    memcpy(bin, start, (size_t)K * sizeof *bin);
    bin[K] = rows;
    bin[K + 1] = weight;
    int used = 0;
    for (int b = 1; b <= bins; b++) {
        int64_t *to = bin + b * step, *from = to - step;
        used += to[K] > 0;
        if (to[K] == 0) {
            memcpy(to, from, (size_t)step * sizeof *to);
            continue;
        }
        int64_t sum = 0;
        for (ptrdiff_t k = 0; k < K; k++) {
            sum += to[k];
            to[k] += from[k];
        }
        to[K] += from[K];
        to[K + 1] = from[K + 1] + sum;
    }
    int varies = used > 1;
    for (int b = 1; varies && b < bins; b++) {
        const int64_t *to = bin + b * step;
        if (to[K] == to[K - step] || to[K] == bin[bins * step + K] ||
            !is_allowed(t, v, to[K], to[K + 1]))
            continue;
        const double gain = score_classes(t, to, v->total, K, to[K + 1], v->weight - to[K + 1]);
        if (gain >= c->best->gain)
            take(c->best, gain, c->f, c->missing_left, base + ((int64_t)b << shift) - 1);
    }
    if (shift == 0) return varies;
    for (int b = 0; b < bins; b++) {
        const int64_t *low = bin + b * step, *high = low + step;
        if (high[K] - low[K] < 2) continue;
        if (used > 1) {
            if (high[K] - 1 < t->min_leaf || v->m - low[K] - 1 < t->min_leaf) continue;
            const double bound = class_bound(t, v, low, high, low[K + 1], high[K + 1]);
            if (bound + CART_ROUNDING * fabs(bound) < c->best->gain) continue;
        }
        const ptrdiff_t count =
            places_between(byte, m, b << drop, ((b + 1) << drop) - 1, places);
        if (place)
            for (ptrdiff_t i = 0; i < count; i++) places[i] = place[places[i]];
        const int64_t from = base + ((int64_t)b << shift);
        if (count <= CART_MAX_PAIRED_ROWS) {
            varies |= classes_sorted(c, places, count, low, low[K + 1], low[K], next);
            continue;
        }
        const int under = shift > 8 ? shift - 8 : 0;
        for (ptrdiff_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)((rank_of(t, c->f, v->rows[places[i]]) - from) >> under);
        const int less = shift > 8 && count < 512 ? 2 : 0;
        varies |= classes_binned(c, bytes, places, count, shift < 8 ? 1 << shift : 256 >> less,
                                 less, under, from, low, low[K + 1], low[K], bytes + count,
                                 places + count, next);
    }
    return varies;
}
