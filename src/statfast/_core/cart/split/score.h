/* SPDX-License-Identifier: BSD-3-Clause */
/* The score of a split, which orders splits as the decrease of impurity does. `spread` is used
   where one sum beside the weight decides (two classes with Gini's index; one target with squared
   errors), `score` everywhere else. Both are convex in the sums of the left side, on which bounds
   rest. */

#include <math.h>
#include <string.h>

#include "cart/cart.h"
#include "simd/compiler.h"

/* Whether splits are scored by `spread`. */
static INLINE int is_single(const cart_problem *t) {
    return t->outputs == 1 && !t->monotone &&
           (t->criterion == CART_SQUARED || (t->criterion == CART_GINI && t->channels == 2));
}

/* (a W - n T)^2 / (n (W - n)): W times the decrease of the sum of squares. */
static INLINE double spread(double a, double n, double T, double W) {
    const double d = a * W - n * T;
    return d * d / (n * (W - n));
}

/* x log2 x, computed for sums beyond the table; those of fractional weights are up to 2^60. */
static INLINE double xlogx_of(const cart_problem *t, int64_t x) {
    if (x <= 0) return 0;
    return x < t->tabulated ? t->xlogx[x] : (double)x * log2((double)x);
}

/* (1 + d) log(1 + d) - d for d >= -1: the Poisson deviance of a mean that is 1 + d times another.
   For small d a series avoids the difference of two large numbers; the terms it leaves out are
   below 2^-53 of the first. */
static double poisson_excess(double d) {
    enum { SERIES_TERMS = 17 };
    if (d <= -1) return 1;
    if (fabs(d) >= 0.125) return (1 + d) * log1p(d) - d;
    double sum = 0;
    for (int k = SERIES_TERMS; k >= 2; k--) sum = 1.0 / (k * (k - 1)) - d * sum;
    return sum * d * d;
}

/* The decrease of the Poisson deviance of output o, in units of weight times target. */
static double score_counts(const cart_node_rows *v, ptrdiff_t o, int64_t left, int64_t weight) {
    const double n = (double)weight, W = (double)v->weight, m = W - n;
    const double l = (double)left, T = (double)v->total[o];
    const double mean = v->center[o] + T / W * v->unit;
    if (v->center[o] == 0 && (left <= 0 || v->total[o] - left <= 0)) return -INFINITY;
    const double more = (l * W - T * n) / W * v->unit / mean;
    return mean * (n * poisson_excess(more / n) + m * poisson_excess(-more / m));
}

static double score_classes(const cart_problem *t, const int64_t *left, const int64_t *total,
                            ptrdiff_t K, int64_t nl, int64_t nr) {
    double l = 0, r = 0;
    if (t->criterion == CART_GINI) {
        for (ptrdiff_t k = 0; k < K; k++) {
            const double a = (double)left[k], b = (double)(total[k] - left[k]);
            l += a * a;
            r += b * b;
        }
        return l / (double)nl + r / (double)nr;
    }
    if (t->criterion == CART_ENTROPY) {
        for (ptrdiff_t k = 0; k < K; k++) {
            l += xlogx_of(t, left[k]);
            r += xlogx_of(t, total[k] - left[k]);
        }
        return (l - xlogx_of(t, nl)) + (r - xlogx_of(t, nr));
    }
    for (ptrdiff_t k = 0; k < K; k++) {
        if ((double)left[k] > l) l = (double)left[k];
        if ((double)(total[k] - left[k]) > r) r = (double)(total[k] - left[k]);
    }
    return l + r;
}

/* -infinity for splits that the criterion rules out. */
static double score(const cart_problem *t, const cart_node_rows *v, const int64_t *left,
                    int64_t nl) {
    const int64_t nr = v->weight - nl;
    double sum = 0;
    if (t->label) {
        for (ptrdiff_t o = 0, k = 0; o < t->outputs; k += t->classes[o++])
            sum += score_classes(t, left + k, v->total + k, t->classes[o], nl, nr);
        return sum;
    }
    for (ptrdiff_t o = 0; o < t->outputs; o++) {
        const double l = (double)left[o], r = (double)(v->total[o] - left[o]);
        if (t->criterion == CART_POISSON) {
            sum += score_counts(v, o, left[o], nl);
        } else {
            sum += l * l / (double)nl + r * r / (double)nr;
        }
    }
    return sum;
}

/* The score of a split by `spread` or `score`. */
static double gain_of(const cart_problem *t, const cart_node_rows *v, const int64_t *left,
                      int64_t weight) {
    const ptrdiff_t k = t->label ? 1 : 0;
    if (is_single(t))
        return spread((double)left[k], (double)weight, (double)v->total[k], (double)v->weight);
    return score(t, v, left, weight);
}

/* Whether both sides hold enough rows and weight. */
static INLINE int is_allowed(const cart_problem *t, const cart_node_rows *v, int64_t rows,
                             int64_t weight) {
    const double least = t->min_weight;
    return rows >= t->min_leaf && v->all - rows >= t->min_leaf &&
           (least <= 0 || ((double)weight * v->scale >= least &&
                           (double)(v->weight - weight) * v->scale >= least));
}

/* The mean of class 1, or of the target, on which monotone constraints are imposed. */
static INLINE double value_of(const cart_problem *t, const cart_node_rows *v, const int64_t *sum,
                              const int64_t *less, int64_t weight) {
    const ptrdiff_t k = t->label ? 1 : 0;
    const double x = (double)(sum[k] - (less ? less[k] : 0)) / (double)weight;
    return t->label ? x : v->center[0] + x * v->unit;
}

/* Whether the values of both sides obey the monotone constraints. */
static INLINE int is_ordered(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                             const int64_t *left, int64_t weight) {
    /* Values of other columns are clipped to the bounds. */
    if (!t->monotone || t->monotone[f] == 0) return 1;
    const double l = value_of(t, v, left, NULL, weight);
    const double r = value_of(t, v, v->total, left, v->weight - weight);
    return l >= v->low && r >= v->low && l <= v->high && r <= v->high &&
           (l - r) * t->monotone[f] <= 0;
}

/* Whether a split is better. Ties go to the column drawn first, then to missing values on the
   right, then to the lowest cut, so that the order of the search does not matter. */
static INLINE int is_better(const cart_split *best, double gain, int missing_left, int64_t cut) {
    if (gain != best->gain) return gain > best->gain;
    if (best->turn != best->order) return best->turn < best->order;
    if (missing_left != best->missing_left) return missing_left < best->missing_left;
    return cut < best->cut;
}

static INLINE void take(cart_split *best, double gain, ptrdiff_t f, int missing_left,
                        int64_t cut) {
    if (is_better(best, gain, missing_left, cut)) {
        best->gain = gain;
        best->feature = (int32_t)f;
        best->missing_left = missing_left;
        best->cut = cut;
        best->threshold = NAN;
        best->order = best->turn;
    }
}

/* Sort at most CART_MAX_PAIRED_ROWS keys: the place of each is the number of those below it. */
static INLINE void sort_by_counting(const int32_t *key, int m, int32_t *sorted) {
    int32_t below[CART_MAX_PAIRED_ROWS];
    const int wide = (m + 15) & ~15;
    for (int i = 0; i < wide; i++) below[i] = 0;
    for (int j = 0; j < m; j++) {
        const int32_t k = key[j];
        for (int i = 0; i < wide; i++) below[i] += k < key[i];
    }
    for (int i = 0; i < m; i++) sorted[below[i]] = key[i];
}

/* Places i of 0 .. m - 1 with first <= byte[i] <= last, ascending; returns how many. */
static ptrdiff_t places_between(const uint8_t *byte, ptrdiff_t m, int first, int last,
                                int32_t *place) {
    ptrdiff_t count = 0, i = 0;
    const uint8_t width = (uint8_t)(last - first);
#if defined(__AVX512BW__) && defined(STATFAST_VECTORS)
    const __m512i low = _mm512_set1_epi8((char)first), most = _mm512_set1_epi8((char)width);
    for (; i + 64 <= m; i += 64) {
        const __m512i v = _mm512_sub_epi8(_mm512_loadu_si512(byte + i), low);
        uint64_t found = _mm512_cmple_epu8_mask(v, most);
        for (; found; found &= found - 1) place[count++] = (int32_t)(i + LOWEST_BIT(found));
    }
#elif defined(__AVX2__) && defined(STATFAST_VECTORS)
    const __m256i low = _mm256_set1_epi8((char)first), most = _mm256_set1_epi8((char)width);
    for (; i + 32 <= m; i += 32) {
        const __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)(byte + i)), low);
        uint32_t found =
            (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(v, most), v));
        for (; found; found &= found - 1) place[count++] = (int32_t)(i + LOWEST_BIT(found));
    }
#endif
    for (; i < m; i++) {
        place[count] = (int32_t)i;
        count += (uint8_t)(byte[i] - first) <= width;
    }
    return count;
}
