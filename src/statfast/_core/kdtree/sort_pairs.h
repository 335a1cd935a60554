/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of a distance and a number, sorted. */

static INLINE int pair_before(double a, int64_t a_id, double b, int64_t b_id) {
    return a < b || (a == b && a_id < b_id);
}

static void sift(double *key, int64_t *id, ptrdiff_t at, ptrdiff_t n) {
    const double x = key[at];
    const int64_t number = id[at];
    for (ptrdiff_t child = 2 * at + 1; child < n; at = child, child = 2 * at + 1) {
        if (child + 1 < n && pair_before(key[child], id[child], key[child + 1], id[child + 1]))
            child++;
        if (!pair_before(x, number, key[child], id[child])) break;
        key[at] = key[child];
        id[at] = id[child];
    }
    key[at] = x;
    id[at] = number;
}

/* Into the order of (key, id): spread over as many buckets as there are pairs, by value, then by
   insertion; by a heap where a bucket would be crowded. The upper halves of the arrays are used. */
static void sort_pairs(double *key, int64_t *id, ptrdiff_t n, ptrdiff_t capacity) {
    double low = DBL_MAX, high = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        low = key[i] < low ? key[i] : low;
        high = key[i] > high ? key[i] : high;
    }
    const double scale = (double)(n - 1) / (high - low);
    int crowded = n < 2 || !(scale > 0 && scale <= DBL_MAX);
    double *to = key + capacity;
    int64_t *to_id = id + capacity;
    int32_t *start = (int32_t *)to; /* n + 1 counts: they fit into n doubles */
    if (!crowded) {
        for (ptrdiff_t i = 0; i <= n; i++) start[i] = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t bucket = (ptrdiff_t)((key[i] - low) * scale);
            crowded |= ++start[bucket + 1] > 24;
        }
    }
    if (crowded) {
        for (ptrdiff_t at = n / 2; at-- > 0;) sift(key, id, at, n);
        for (ptrdiff_t last = n - 1; last > 0; last--) {
            const double x = key[0];
            const int64_t number = id[0];
            key[0] = key[last], id[0] = id[last];
            key[last] = x, id[last] = number;
            sift(key, id, 0, last);
        }
        return;
    }
    for (ptrdiff_t i = 0; i < n; i++) start[i + 1] += start[i];
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t bucket = (ptrdiff_t)((key[i] - low) * scale);
        to_id[start[bucket]++] = (int64_t)i;
    }
    /* to_id is now a permutation; the counts are spent, so their place may be taken. */
    for (ptrdiff_t i = 0; i < n; i++) {
        to[i] = key[to_id[i]];
        to_id[i] = id[to_id[i]];
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const double x = to[i];
        const int64_t number = to_id[i];
        ptrdiff_t at = i;
        for (; at > 0 && pair_before(x, number, key[at - 1], id[at - 1]); at--) {
            key[at] = key[at - 1];
            id[at] = id[at - 1];
        }
        key[at] = x;
        id[at] = number;
    }
}
