/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits chosen by rows whose value is known, and columns that send rows as a split does (Breiman,
   Friedman, Olshen and Stone 1984, section 5.3; Therneau and Atkinson 1997 for the rules of ties).

   A surrogate must send two rows or more to each side, and agree with more weight than the side
   that most rows go to. Cost: a sort of the node's rows for each column. */

/* The middle of two neighboring values of a node, by their ranks. */
static double middle_of(const double *values, int64_t low, int64_t high) {
    const double middle = values[low] / 2 + values[high] / 2;
    /* Half of the smallest number would be 0; the middle of two adjacent numbers is one of them. */
    return middle >= values[low] && middle < values[high] ? middle : values[low];
}

static ptrdiff_t count_known(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f) {
    ptrdiff_t known = v->m;
    for (ptrdiff_t i = 0; t->missing[f] >= 0 && i < v->m; i++)
        known -= (int64_t)rank_of(t, f, v->rows[i]) == t->missing[f];
    return known;
}

/* The node without the rows whose value of column f is missing. */
static CART_SELDOM cart_node_rows known_view(const cart_problem *t, const cart_node_rows *v,
                                             cart_scratch *s,
                                 ptrdiff_t f) {
    cart_node_rows k = *v;
    k.total = s->known;
    k.all = v->m;
    memcpy(k.total, v->total, (size_t)t->channels * sizeof *k.total);
    for (ptrdiff_t i = 0; i < v->m; i++) {
        if ((int64_t)rank_of(t, f, v->rows[i]) != t->missing[f]) continue;
        k.all--;
        k.weight -= v->w[i];
        for (ptrdiff_t o = 0; o < t->outputs; o++)
            if (t->label) k.total[v->cls[o * v->m + i]] -= v->w[i];
            else k.total[o] -= v->q[o * v->m + i];
    }
    return k;
}

/* The score of a node that is not split. */
static CART_SELDOM double score_whole(const cart_problem *t, const cart_node_rows *v) {
    const double all = (double)v->weight;
    double sum = 0;
    if (!t->label) {
        for (ptrdiff_t o = 0; o < t->outputs; o++) {
            const double x = (double)v->total[o];
            /* Scores of counts are differences already. */
            if (t->criterion != CART_POISSON) sum += x * x / all;
        }
        return sum;
    }
    for (ptrdiff_t o = 0, k = 0; o < t->outputs; o++) {
        double most = 0;
        for (ptrdiff_t c = 0; c < t->classes[o]; c++, k++) {
            const double x = (double)v->total[k];
            if (t->criterion == CART_GINI) sum += x * x / all;
            if (t->criterion == CART_ENTROPY) sum += xlogx_of(t, v->total[k]);
            most = x > most ? x : most;
        }
        if (t->criterion == CART_ENTROPY) sum -= xlogx_of(t, v->weight);
        if (t->criterion == CART_ERROR) sum += most;
    }
    return sum;
}

/* The best split by the rows whose value is known; its gain is that among these rows. */
static CART_SELDOM int known_splits(const cart_problem *t, const cart_node_rows *v,
                                    cart_scratch *s, ptrdiff_t f,
                        cart_split *best) {
    const cart_node_rows k = known_view(t, v, s, f);
    cart_split own = {-INFINITY, (int32_t)f, 0, INT64_MAX, NAN, best->turn, best->turn};
    if (k.all < 2) return 0;
    if (t->categories && t->categories[f]) {
        if (!category_splits(t, &k, s, f, &own)) return 0;
    } else {
        uint64_t *key;
        const ptrdiff_t known = sorted_rows(t, v, s, f, &key);
        if (key[0] >> 32 == key[known - 1] >> 32) return 0;
        int64_t weight = 0;
        memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
        for (ptrdiff_t i = 0; i < known - 1; i++) {
            const ptrdiff_t at = (ptrdiff_t)(key[i] & UINT32_MAX);
            const uint64_t rank = key[i] >> 32;
            weight += v->w[at];
            for (ptrdiff_t o = 0; o < t->outputs; o++)
                if (t->label) s->left[v->cls[o * v->m + at]] += v->w[at];
                else s->left[o] += v->q[o * v->m + at];
            if (rank == key[i + 1] >> 32 || !is_allowed(t, &k, i + 1, weight)) continue;
            const double gain = gain_of(t, &k, s->left, weight);
            if (is_ordered(t, &k, f, s->left, weight)) take(&own, gain, f, 0, (int64_t)rank);
        }
    }
    if (is_single(t)) own.gain *= (double)v->weight / (double)k.weight;
    else own.gain += score_whole(t, v) - score_whole(t, &k);
    if (own.gain > best->gain) *best = own;
    return 1;
}

/* ------------------------------------------------------------------ surrogates */
static INLINE int64_t case_of(const cart_problem *t, const cart_node_rows *v, ptrdiff_t i) {
    return t->cases ? t->cases[v->rows[i]] : v->w[i];
}

/* The weight that the best cut of column j sends to the same side as the split; 0 if there
   is none. */
static CART_SELDOM int64_t agree_by_cut(const cart_problem *t, const cart_node_rows *v,
                                        cart_scratch *s,
                            ptrdiff_t j, cart_surrogate *one) {
    uint64_t *key;
    const ptrdiff_t known = sorted_rows(t, v, s, j, &key);
    const double *values = t->values + t->first[j];
    int64_t low[2] = {0, 0}, high[2] = {0, 0}, best;
    ptrdiff_t below = 0, above = 0;
    int found = 0;
    for (ptrdiff_t i = 0; i < known; i++) {
        const ptrdiff_t at = (ptrdiff_t)(key[i] & UINT32_MAX);
        if (s->side[at] == CART_SIDE_UNKNOWN) continue;
        high[s->side[at]] += case_of(t, v, at);
        above++;
    }
    best = high[0] > high[1] ? high[0] : high[1];
    for (ptrdiff_t i = 0; i < known && above >= 2; i++) {
        const ptrdiff_t at = (ptrdiff_t)(key[i] & UINT32_MAX);
        const int64_t rank = (int64_t)(key[i] >> 32);
        if (below >= 2 && rank != (int64_t)(key[i - 1] >> 32)) {
            const int64_t same = low[0] + high[1], other = low[1] + high[0];
            if (same > best || other > best) {
                found = 1;
                best = same > best ? same : other;
                one->reversed = best == other && best != same;
                one->threshold = middle_of(values, (int64_t)(key[i - 1] >> 32), rank);
            }
        }
        if (s->side[at] == CART_SIDE_UNKNOWN) continue;
        low[s->side[at]] += case_of(t, v, at);
        high[s->side[at]] -= case_of(t, v, at);
        below++;
        above--;
    }
    return found ? best : 0;
}

/* The same for the best sets of categories, which are written to `s->set`: each category goes where
   most of its rows go. */
static CART_SELDOM int64_t agree_by_sets(const cart_problem *t, const cart_node_rows *v,
                                         cart_scratch *s,
                             ptrdiff_t j) {
    int64_t *sums = s->table, all[2] = {0, 0}, rows[2] = {0, 0}, best = 0; /* (categories, 3) */
    memset(sums, 0, (size_t)(3 * (t->categories[j] + 1)) * sizeof *sums);
    memset(s->set, 0, (size_t)(2 * t->words) * sizeof *s->set);
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int64_t c = rank_of(t, j, v->rows[i]);
        if (s->side[i] == CART_SIDE_UNKNOWN || c == t->missing[j]) continue;
        sums[3 * c + s->side[i]] += case_of(t, v, i);
        sums[3 * c + 2]++;
        all[s->side[i]] += case_of(t, v, i);
    }
    for (ptrdiff_t c = 0; c < t->categories[j]; c++) {
        const int64_t *own = sums + 3 * c;
        if (!own[2]) continue;
        const int right = own[1] > own[0] || (own[1] == own[0] && all[1] > all[0]);
        best += own[right];
        rows[right] += own[2];
        s->set[(right ? t->words : 0) + (c >> 6)] |= (uint64_t)1 << (c & 63);
    }
    return rows[0] >= 2 && rows[1] >= 2 ? best : 0;
}

/* Column j as a surrogate; returns 0 if it agrees no better than the side that most rows go to.
   `weight` holds the weights of the rows on each side whose value is known to the split. */
static CART_SELDOM int surrogate_of(const cart_problem *t, const cart_node_rows *v,
                                    cart_scratch *s, ptrdiff_t j,
                        const int64_t *weight, cart_surrogate *one) {
    const int64_t agree = t->categories && t->categories[j] ? agree_by_sets(t, v, s, j)
                                                            : agree_by_cut(t, v, s, j, one);
    const double all = (double)(weight[0] + weight[1]);
    const double most = (double)(weight[0] > weight[1] ? weight[0] : weight[1]) / all;
    one->agree = (double)agree / all;
    one->adjusted = (one->agree - most) / (1 - most);
    return one->adjusted > 1e-10;
}
