/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on one column, whichever way is for it. */

/* Codes of the rows whose value is known, their places, and the sums of those whose is not. */
static ptrdiff_t known_rows(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                            ptrdiff_t f) {
    const uint8_t *codes = t->codes + f * t->n;
    const uint32_t missing = (uint32_t)t->missing[f];
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int32_t row = v->rows[i];
        s->place[count] = (int32_t)i;
        s->byte[count] = codes[row];
        count += rank_of(t, f, row) != missing;
    }
    return count;
}

static int bits_to_drop(ptrdiff_t m) { return m < 256 ? 3 : m < 1024 ? 2 : m < 4096 ? 1 : 0; }

/* One pass over m rows at `place` (NULL: all), the others being on the side `missing_left`. */
static int split_once(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                      const int32_t *place, ptrdiff_t m, int missing_left, const int64_t *base,
                      single_bin left, int64_t weight, int64_t rows, cart_split *best) {
    const ptrdiff_t room = place ? v->m : 0;
    const int drop = bits_to_drop(m);
    if (is_single(t)) {
        single_search c = {t, v, s, f, missing_left, (double)v->total[t->label ? 1 : 0],
                           (double)v->weight, best};
        if (m <= CART_SMALL) return single_sorted(&c, place, m, left);
        return single_binned(&c, s->byte, place, m, 256 >> drop, drop, t->shift[f], 0, left,
                             s->byte + v->m, s->place + room);
    }
    class_search c = {t, v, f, missing_left, best};
    if (m <= CART_SMALL) return classes_sorted(&c, place, m, base, weight, rows, s->left);
    return classes_binned(&c, s->byte, place, m, 256 >> drop, drop, t->shift[f], 0, base, weight, rows,
                          s->byte + v->m, s->place + room, s->bins);
}

static int binned_splits(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                         ptrdiff_t f, cart_split *best) {
    const uint8_t *codes = t->codes + f * t->n;
    const ptrdiff_t m = v->m;
    const single_bin zero = {0, 0, 0, 0};
    int64_t sums[CART_MANY] = {0};
    if (t->missing[f] >= 0) {
        const ptrdiff_t known = known_rows(t, v, s, f);
        if (known == 0) return 0;
        if (known < m) {
            single_bin lost = {0, 0, v->weight, m - known};
            lost.q = v->total[t->label ? t->channels > 1 : 0];
            memcpy(sums, v->total, (size_t)t->channels * sizeof *sums);
            for (ptrdiff_t i = 0; i < known; i++) {
                const int32_t at = s->place[i];
                lost.w -= v->w[at];
                if (t->label) sums[v->cls[at]] -= v->w[at];
                if (is_single(t)) lost.q -= v->q[at];
            }
            const int64_t none[CART_MANY] = {0};
            split_once(t, v, s, f, s->place, known, 0, none, zero, 0, 0, best);
            int64_t rest[CART_MANY];
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
    } else if (m > CART_SMALL) {
        for (ptrdiff_t i = 0; i < m; i++) s->byte[i] = codes[v->rows[i]];
    }
    return split_once(t, v, s, f, NULL, m, 0, sums, zero, 0, 0, best);
}

/* Whether histograms serve: one output, not too many classes, sums that bound gains. */
static INLINE int is_binned(const cart_problem *t) {
    return t->outputs == 1 && !t->monotone && t->channels <= CART_MANY &&
           t->criterion != CART_POISSON && t->criterion != CART_ABSOLUTE &&
           (t->ranks16 || t->n < CART_WIDE_RANK);
}

/* Replace `best` by the best split on column f, if that is better; returns whether the column
   varies in the node. */
static int split_on(const cart_problem *t, const cart_node_rows *v, cart_scratch *s, ptrdiff_t f,
                    uint64_t draw, cart_split *best) {
    if (t->randomized) return random_split(t, v, s, f, draw, best);
    return is_binned(t) ? binned_splits(t, v, s, f, best) : sorted_splits(t, v, s, f, best);
}
