/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column by sorting its rows: for several outputs, monotone
   constraints, deviances, absolute errors and many classes. And random splits (extra-trees). */

#define BYTE_AT(shift, key) ((key) >> (shift) & 255)
DEFINE_COUNTING_SORT(sort_by_byte, uint64_t, int, BYTE_AT)

/* Sort (rank << 32 | place) by rank: a stable radix sort by the bytes that ranks use. */
static uint64_t *sort_keys(uint64_t *key, uint64_t *spare, ptrdiff_t m, uint32_t most) {
    if (m <= 48) {
        for (ptrdiff_t i = 1; i < m; i++) {
            const uint64_t k = key[i];
            ptrdiff_t j = i;
            for (; j > 0 && key[j - 1] > k; j--) key[j] = key[j - 1];
            key[j] = k;
        }
        return key;
    }
    for (int shift = 32; shift < 64 && (uint64_t)most >> (shift - 32); shift += 8) {
        ptrdiff_t end[257];
        sort_by_byte(key, m, shift, 256, end, spare);
        uint64_t *swap = key;
        key = spare;
        spare = swap;
    }
    return key;
}

/* The rows by rank; those with a missing value come last. Returns the number of the others. */
static ptrdiff_t sorted_rows(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                             ptrdiff_t f, uint64_t **sorted) {
    ptrdiff_t m = v->m;
    uint32_t most = 0;
    if (t->sparse.zero) most = fill_keys(t, v, s, f);
    else {
        const cart_ranks ranks = ranks_of(t, f, m);
        for (ptrdiff_t i = 0; i < m; i++) {
            const uint32_t rank = rank_in(ranks, v->rows[i]);
            s->key[i] = (uint64_t)rank << 32 | (uint32_t)i;
            if (rank > most) most = rank;
        }
    }
    *sorted = sort_keys(s->key, s->spare, m, most);
    if (t->missing[f] >= 0)
        while (m > 0 && (int64_t)((*sorted)[m - 1] >> 32) == t->missing[f]) m--;
    return m;
}

/* ------------------------------------------------------------------ absolute errors */
/* The least sum of w |y - c| while rows are added one by one: weights and weighted targets are kept
   in two Fenwick trees over the places of targets, which are searched for the median. */
typedef struct {
    double *w, *wy, all, sum;
    ptrdiff_t m;
} median_tree;

static void median_add(median_tree *b, ptrdiff_t place, double w, double y) {
    for (ptrdiff_t i = place + 1; i <= b->m; i += i & -i) {
        b->w[i] += w;
        b->wy[i] += w * y;
    }
    b->all += w;
    b->sum += w * y;
}

static double median_error(const median_tree *b, const double *ascending) {
    ptrdiff_t at = 0, step = 1;
    double w = 0, wy = 0;
    while (2 * step <= b->m) step *= 2;
    for (; step; step /= 2)
        if (at + step <= b->m && 2 * (w + b->w[at + step]) < b->all) {
            at += step;
            w += b->w[at];
            wy += b->wy[at];
        }
    const double median = ascending[at < b->m ? at : b->m - 1];
    return (median * w - wy) + (b->sum - wy - median * (b->all - w));
}

/* The errors errors[i] of both sides after row i, for rows in the `order` in which they move to the
   left. Returns 0 if patience ends before; the progress is kept in `s->pause`. */
static int absolute_errors(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                           const int32_t *order) {
    const ptrdiff_t m = v->m;
    cart_pause *p = &s->pause;
    int64_t left = p->patience > 0 ? p->patience : INT64_MAX;
    median_tree b = {s->tree, s->tree + m + 1, p->all, p->sum, m};
    if (p->turn == 0 && p->step == 0)
        for (ptrdiff_t i = 0; i < m; i++) s->errors[i] = 0;
    for (; p->turn < 2 * t->outputs; p->turn++, p->step = 0) {
        const ptrdiff_t o = p->turn / 2, side = p->turn % 2;
        if (p->step == 0) {
            memset(s->tree, 0, (size_t)(2 * m + 2) * sizeof *s->tree);
            b.all = b.sum = 0;
        }
        for (ptrdiff_t i = p->step; i < m - 1; i++) {
            if (left-- == 0) {
                p->step = i;
                p->all = b.all;
                p->sum = b.sum;
                return 0;
            }
            const ptrdiff_t at = order[side ? m - 1 - i : i];
            const double w = (double)v->w[at] * v->scale;
            median_add(&b, v->y_place[o * m + at], w, v->y[o * m + at]);
            s->errors[side ? m - 2 - i : i] += median_error(&b, v->ascending + o * m);
        }
    }
    p->turn = 0;
    return 1;
}

/* The sum of the least sums of w |y - c| of both sides. Weights are in the order of targets; those
   of rows on the right are negative. */
static double errors_of_sides(const double *w, const double *ascending, ptrdiff_t m) {
    double all[2] = {0, 0}, below[2] = {0, 0}, median[2] = {0, 0}, sum = 0;
    for (ptrdiff_t i = 0; i < m; i++) all[w[i] < 0] += fabs(w[i]);
    for (ptrdiff_t i = 0; i < m; i++) {
        const int side = w[i] < 0;
        if (2 * below[side] < all[side]) median[side] = ascending[i];
        below[side] += fabs(w[i]);
    }
    for (ptrdiff_t i = 0; i < m; i++) sum += fabs(w[i]) * fabs(ascending[i] - median[w[i] < 0]);
    return sum;
}

/* ------------------------------------------------------------------ all splits in order */
/* Returns CART_PAUSED if patience ends before the column is searched: call it again. */
static int sorted_splits(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                         ptrdiff_t f, cart_split *best) {
    const ptrdiff_t m = v->m;
    cart_pause *p = &s->pause;
    if (p->sorted) *best = p->best;
    else {
        p->known = sorted_rows(t, v, s, f, &p->sorted);
        p->missing_left = 0;
    }
    const uint64_t *key = p->sorted;
    const ptrdiff_t known = p->known;
    p->sorted = NULL;
    if (key[0] >> 32 == key[m - 1] >> 32) return 0;
    for (int missing_left = p->missing_left; missing_left <= (known < m); missing_left++) {
        /* The rows in the order in which they move to the left: those with missing values come
           last, or first. */
        const ptrdiff_t ahead = missing_left ? m - known : 0;
        for (ptrdiff_t i = 0; i < m; i++)
            s->place[i < known ? i + ahead : i - (missing_left ? known : 0)] =
                (int32_t)(uint32_t)key[i];
        if (t->criterion == CART_ABSOLUTE && !absolute_errors(t, v, s, s->place)) {
            p->sorted = (uint64_t *)key;
            p->missing_left = missing_left;
            p->best = *best;
            return CART_PAUSED;
        }
        int64_t weight = 0;
        memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
        for (ptrdiff_t i = 0; i < m - 1; i++) {
            const ptrdiff_t at = s->place[i];
            weight += v->w[at];
            for (ptrdiff_t o = 0; o < t->outputs; o++)
                if (t->label)
                    s->left[v->cls[o * m + at]] += v->w[at];
                else
                    s->left[o] += v->q[o * m + at];
            if (i < ahead) continue;
            const uint64_t rank = key[i - ahead] >> 32;
            if (rank == key[i - ahead + 1] >> 32 || !is_allowed(t, v, i + 1, weight)) continue;
            const double gain = t->criterion == CART_ABSOLUTE ? -s->errors[i]
                                                              : gain_of(t, v, s->left, weight);
            if (gain >= best->gain && is_ordered(t, v, f, s->left, weight))
                take(best, gain, f, missing_left, (int64_t)rank);
        }
    }
    return 1;
}

/* ------------------------------------------------------------------ a random split */
static double drawn_between(double a, double b, uint64_t draw) {
    const double u = (double)(draw >> 11) * 0x1p-53, threshold = a * (1 - u) + b * u;
    return threshold < b ? threshold : a;
}

/* The largest rank whose value is not above the threshold, which lies between the values of the
   ranks `low` and `high`. */
static uint32_t rank_below(const double *values, double threshold, uint32_t low, uint32_t high) {
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (values[middle] <= threshold)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A random split of few rows without missing values: values are read row by row, as those of ranks
   lie far apart in memory. Keys become 0 on the left and 1 on the right; returns whether the column
   varies. */
static int near_sides(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                      uint64_t draw, double *threshold) {
    const double *x = t->by_row + f;
    double low = INFINITY, high = -INFINITY;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const double value = x[v->rows[i] * t->p];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (!(low < high)) return 0;
    *threshold = drawn_between(low, high, draw);
    for (ptrdiff_t i = 0; i < v->m; i++) s->key[i] = x[v->rows[i] * t->p] > *threshold;
    return 1;
}

/* Absolute errors of both sides of a random split; keys are ranks. */
static double errors_of_split(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                              uint64_t cut, uint64_t lost_left) {
    double sum = 0;
    for (ptrdiff_t o = 0; o < t->outputs; o++) {
        for (ptrdiff_t i = 0; i < v->m; i++) {
            const int goes = s->key[i] <= cut || s->key[i] == lost_left;
            const double w = (double)v->w[i] * v->scale;
            s->tree[v->y_place[o * v->m + i]] = goes ? w : -w;
        }
        sum += errors_of_sides(s->tree, v->ascending + o * v->m, v->m);
    }
    return sum;
}

static int random_split(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                        ptrdiff_t f, uint64_t draw, cart_split *best) {
    const ptrdiff_t m = v->m;
    const uint32_t missing = t->missing[f] >= 0 ? (uint32_t)t->missing[f] : UINT32_MAX;
    const cart_ranks ranks = ranks_of(t, f, m);
    const int near = t->by_row && m <= CART_MAX_CACHED_ROWS && missing == UINT32_MAX;
    double threshold = INFINITY;
    uint32_t cut = 0;
    uint64_t lost_left = 0; /* a second key that goes left */
    int missing_left = 0;
    if (near) {
        if (!near_sides(t, v, s, f, draw, &threshold)) return 0;
    } else {
        uint32_t low = UINT32_MAX, high = 0, none = 0;
        for (ptrdiff_t i = 0; i < m; i++) {
            const uint32_t rank = rank_in(ranks, v->rows[i]), lost = 0u - (rank == missing);
            s->key[i] = rank;
            none |= lost & 1;
            low = rank < low ? rank : low; /* a missing value has the largest rank */
            high = (rank & ~lost) > high ? rank & ~lost : high;
        }
        if (low == missing || (low == high && !none)) return 0;
        const double *values = t->values + t->first[f];
        cut = high;
        if (low < high) {
            threshold = drawn_between(values[low], values[high], draw);
            cut = rank_below(values, threshold, low, high);
        }
        missing_left = none && low < high && (draw & 1);
        lost_left = missing_left ? missing : cut;
    }
    int64_t weight = 0, rows = 0;
    memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
    if (is_single(t)) { /* without a branch, as sides are unpredictable */
        int64_t sum = 0;
        for (ptrdiff_t i = 0; i < m; i++) {
            const int64_t goes = -(int64_t)(s->key[i] <= cut || s->key[i] == lost_left);
            weight += v->w[i] & goes;
            sum += v->q[i] & goes;
            rows -= goes;
        }
        s->left[t->label ? 1 : 0] = sum;
    } else
        for (ptrdiff_t i = 0; i < m; i++) {
            if (s->key[i] > cut && s->key[i] != lost_left) continue;
            weight += v->w[i];
            rows++;
            for (ptrdiff_t o = 0; o < t->outputs; o++)
                if (t->label)
                    s->left[v->cls[o * m + i]] += v->w[i];
                else
                    s->left[o] += v->q[o * m + i];
        }
    if (!is_allowed(t, v, rows, weight)) return 1;
    const double gain = t->criterion == CART_ABSOLUTE ? -errors_of_split(t, v, s, cut, lost_left)
                                                      : gain_of(t, v, s->left, weight);
    if (gain > best->gain && is_ordered(t, v, f, s->left, weight)) {
        for (ptrdiff_t i = 0; near && i < m; i++) { /* rows are divided by a rank */
            const uint32_t rank = s->key[i] ? 0 : rank_in(ranks, v->rows[i]);
            cut = rank > cut ? rank : cut;
        }
        take(best, gain, f, missing_left, (int64_t)cut);
        best->threshold = threshold;
    }
    return 1;
}
