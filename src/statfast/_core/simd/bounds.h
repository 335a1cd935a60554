/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds on the distance of every row to its centre (upper) and to every other centre (lower), which
   tell rows that cannot have changed their centre without looking at them.  Hamerly 2010,
   doi:10.1137/1.9781611972801.12.  Kept in float, always rounded to the safe side. */

#define OUTWARD 2.4e-7f /* more than the rounding of two float operations */

/* Rows so far out that a score might overflow are left to float64. */
#define FAR 1e15f

/* The centres have moved: widen the bounds, and list the rows they no longer decide. */
static ptrdiff_t widen(const int32_t *label, ptrdiff_t n, const float *move, const float *drop,
                       const float *gap, float *upper, float *lower, int32_t *left) {
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const int32_t c = label[i];
        const float u = (upper[i] + move[c]) * (1 + OUTWARD);
        const float l = lower[i] - drop[c] - OUTWARD * (lower[i] + drop[c]);
        upper[i] = u;
        lower[i] = l;
        left[count] = (int32_t)i;
        count += !(u < (l > gap[c] ? l : gap[c]));
    }
    return count;
}

/* From the two largest scores of n points to bounds on their distances; returns whether some point's
   scores lie too close together to tell which is larger.  A score is good to
   slope |x| + base + delta |x|^2, and |x| lies between norm (1 - spread) and norm. */
static int bound(const float *best, const float *second, const float *norm, ptrdiff_t n,
                 const double *terms, float spread, float *upper, float *lower) {
    const float slope = (float)terms[1], base = (float)terms[2], delta = (float)terms[3];
    int unsure = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float square = norm[i] * norm[i];
        const float doubt = 1.001f * (slope * norm[i] + base + delta * square);
        const float near = square - 2 * best[i] + 2 * doubt;
        const float far = square * (1 - 2 * spread) - 2 * second[i] - 2 * doubt;
        unsure |= !(best[i] - second[i] > 2 * doubt) | !(norm[i] < FAR);
        upper[i] = sqrtf(near > 0 ? near : 0) * (1 + OUTWARD) + OUTWARD * norm[i];
        lower[i] = sqrtf(far > 0 ? far : 0) * (1 - OUTWARD) - OUTWARD * norm[i];
    }
    return unsure;
}
