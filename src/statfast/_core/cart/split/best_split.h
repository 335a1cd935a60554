/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on one column, by the search that fits the column and the criterion. */

/* The codes and places of the rows whose value is known; returns their number. */
static ptrdiff_t known_rows(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                            ptrdiff_t f) {
    const uint8_t *codes = t->codes + f * t->n;
    uint8_t *byte = s->byte + s->used;
    const uint32_t missing = (uint32_t)t->missing[f];
    const cart_ranks ranks = ranks_of(t, f, v->m);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int32_t row = v->rows[i];
        s->place[count] = (int32_t)i;
        byte[count] = codes[row];
        count += rank_in(ranks, row) != missing;
    }
    return count;
}

static int bits_to_drop(ptrdiff_t m) { return m < 256 ? 3 : m < 1024 ? 2 : m < 4096 ? 1 : 0; }

/* Search all bins in doubt. */
static void settle(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                   cart_split *best) {
    if (s->doubts) {
        const single_rows all = {NULL, NULL, v->m, s->bytes, s->place};
        single_settled(t, v, 0, &all, s->doubt, s->doubts, best);
    }
    s->doubts = s->used = 0;
}

/* One pass over m rows at `place` (NULL: all); missing values are on the side `missing_left`. Bins
   in doubt wait until all columns are seen, unless there are places. */
static int split_once(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                      const int32_t *place, ptrdiff_t m, int missing_left, const int64_t *base,
                      single_bin left, int64_t weight, int64_t rows, cart_split *best) {
    const ptrdiff_t room = place ? v->m : 0;
    const int drop = bits_to_drop(m);
    uint8_t *byte = s->byte + s->used;
    if (is_single(t)) {
        single_search c = search_for(t, v, f, missing_left, best);
        if (m <= CART_MAX_PAIRED_ROWS) return single_paired(&c, place, m, left);
        const single_rows r = {byte, place, m, s->bytes, s->place + room};
        const ptrdiff_t before = s->doubts;
        const int used = single_binned(&c, &r, 256 >> drop, drop, t->shift[f], 0, left, s->doubt,
                                       &s->doubts);
        if (used > 1 && !place) {
            if (s->doubts > before) s->used += m;
            return 1;
        }
        const ptrdiff_t own = s->doubts - before;
        s->doubts = before;
        const int varies = single_settled(t, v, missing_left, &r, s->doubt + before, own, best);
        return used > 1 || varies;
    }
    class_search c = {t, v, f, missing_left, best};
    if (m <= CART_MAX_PAIRED_ROWS) return classes_sorted(&c, place, m, base, weight, rows, s->left);
    return classes_binned(&c, byte, place, m, 256 >> drop, drop, t->shift[f], 0, base, weight, rows,
                          s->bytes, s->place + room, s->bins);
}

static int binned_splits(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                         ptrdiff_t f, cart_split *best) {
    const uint8_t *codes = t->codes + f * t->n;
    static const int64_t none[CART_MAX_CLASSES];
    const ptrdiff_t m = v->m;
    const single_bin zero = {0, 0, 0, 0};
    if (t->missing[f] >= 0) {
        const ptrdiff_t known = known_rows(t, v, s, f);
        if (known == 0) return 0;
        if (known < m) {
            single_bin lost = {0, 0, v->weight, m - known};
            lost.q = v->total[t->label ? t->channels > 1 : 0];
            int64_t sums[CART_MAX_CLASSES];
            memcpy(sums, v->total, (size_t)t->channels * sizeof *sums);
            for (ptrdiff_t i = 0; i < known; i++) {
                const int32_t at = s->place[i];
                lost.w -= v->w[at];
                if (t->label) sums[v->cls[at]] -= v->w[at];
                if (is_single(t)) lost.q -= v->q[at];
            }
            split_once(t, v, s, f, s->place, known, 0, none, zero, 0, 0, best);
            int64_t rest[CART_MAX_CLASSES];
            for (ptrdiff_t k = 0; k < t->channels; k++) rest[k] = v->total[k] - sums[k];
            if (is_allowed(t, v, known, v->weight - lost.w)) {
                const double q = (double)(v->total[t->label ? 1 : 0] - lost.q);
                const double gain =
                    is_single(t) ? spread(q, (double)(v->weight - lost.w),
                                          (double)v->total[t->label ? 1 : 0], (double)v->weight)
                                 : score(t, v, rest, v->weight - lost.w);
                take(best, gain, f, 0, t->missing[f] - 1);
            }
            split_once(t, v, s, f, s->place, known, 1, sums, lost, lost.w, lost.count, best);
            return 1;
        }
    } else if (m > CART_MAX_PAIRED_ROWS) {
        const int32_t *rows = v->rows;
        uint8_t *byte = s->byte + s->used;
        for (ptrdiff_t i = 0; i < m; i++) byte[i] = codes[rows[i]];
    }
    return split_once(t, v, s, f, NULL, m, 0, none, zero, 0, 0, best);
}

/* Whether splits are searched by histograms: for one output, few classes, and criteria
   with bounds. */
static INLINE int is_binned(const cart_problem *t) {
    return t->outputs == 1 && !t->monotone && t->channels <= CART_MAX_CLASSES &&
           t->criterion != CART_POISSON && t->criterion != CART_ABSOLUTE &&
           (t->ranks16 || t->n < CART_WIDE_RANK);
}

/* Replace `best` by a better split on column f, if there is one outside of the bins that stay in
   doubt; returns whether the column varies in the node. */
static int look_at(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                   uint64_t draw, cart_split *best) {
    if (t->known_only && count_known(t, v, f) < v->m) return known_splits(t, v, s, f, best);
    if (t->categories && t->categories[f])
        return t->randomized ? random_categories(t, v, s, f, draw, best)
                             : category_splits(t, v, s, f, best);
    if (t->sparse.zero && t->randomized) return sparse_random_split(t, v, s, f, draw, best);
    if (t->sparse.zero && t->criterion != CART_ABSOLUTE) return sparse_splits(t, v, s, f, best);
    if (t->randomized) return random_split(t, v, s, f, draw, best);
    if (!is_binned(t)) return sorted_splits(t, v, s, f, best);
    if (s->used + v->m > s->kept || s->doubts + 256 > CART_MAX_DOUBTS) settle(t, v, s, best);
    return binned_splits(t, v, s, f, best);
}

/* The same, searching bins in doubt as well; or, if `bound` is not NULL, giving their bound. */
static int split_on(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                    uint64_t draw, cart_split *best, double *bound) {
    const int varies = look_at(t, v, s, f, draw, best);
    if (bound) {
        *bound = -INFINITY;
        for (ptrdiff_t i = 0; i < s->doubts; i++)
            *bound = s->doubt[i].bound > *bound ? s->doubt[i].bound : *bound;
        s->doubts = s->used = 0;
    }
    settle(t, v, s, best);
    return varies;
}
