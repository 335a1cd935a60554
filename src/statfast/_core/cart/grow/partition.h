/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a node on the two sides of its split. */

static int reserve(void **array, size_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity) return 1;
    size_t more = *capacity * 2 > wanted ? *capacity * 2 : wanted;
    if (more < 64) more = 64;
    void *moved = realloc(*array, more * size);
    if (!moved) return 0;
    *array = moved;
    *capacity = more;
    return 1;
}

/* Divide the rows of a split, without a branch, as sides are unpredictable, and find the ranks next
   to the cut, from which the threshold is computed later. */
static ptrdiff_t partition(cart_grower *g, const cart_split *s, cart_cut *cut) {
    const cart_problem *t = g->t;
    const ptrdiff_t m = g->v.m, f = s->feature;
    int32_t *rows = g->v.rows, *right = g->scratch.place, *rank_at = right + m;
    const uint32_t missing = (uint32_t)t->missing[f], lost_left = s->missing_left ? UINT32_MAX : 0;
    const int64_t last = s->cut;
    uint32_t low = 0, high = UINT32_MAX, lost = 0;
    ptrdiff_t l = 0, r = 0;
    if (t->sparse.zero) {
        const uint64_t *key = g->scratch.key;
        const ptrdiff_t count = entries_in(t, &g->v, f, g->scratch.key);
        for (ptrdiff_t i = 0; i < m; i++) rank_at[i] = t->sparse.zero[f];
        for (ptrdiff_t i = 0; i < count; i++)
            rank_at[(uint32_t)key[i]] = (int32_t)(key[i] >> 32);
    } else {
        const cart_ranks ranks = ranks_of(t, f, m);
        for (ptrdiff_t i = 0; i < m; i++) rank_at[i] = (int32_t)rank_in(ranks, rows[i]);
    }
    for (ptrdiff_t i = 0; i < m; i++) {
        const int32_t row = rows[i];
        const uint32_t rank = (uint32_t)rank_at[i];
        const uint32_t below = 0u - (rank <= last), known = 0u - (rank != missing);
        const uint32_t goes = known ? below : lost_left, one = rank & below, other = rank | below;
        low = one > low ? one : low;
        high = (other | ~known) < high ? other | ~known : high;
        lost |= ~known;
        rows[l] = row;
        right[r] = row;
        l += goes & 1;
        r += ~goes & 1;
    }
    memcpy(rows + l, right, (size_t)r * sizeof *rows);
    *cut = (cart_cut){s->threshold, low, high, (int32_t)f, lost ? s->missing_left : l > r};
    return l;
}

/* The thresholds of all nodes, computed last, so that reads of values far apart in
   memory overlap. Without values, the two ranks take the place of a threshold. */
static void place_thresholds(cart_grower *g) {
    const cart_problem *t = g->t;
    for (size_t i = 0; i < g->n_nodes; i++) {
        cart_cut *cut = &g->nodes[i].cut;
        if (cut->feature < 0 || !isnan(cut->threshold)) continue;
        if (!t->values) {
            memcpy(&cut->threshold, &cut->low, 2 * sizeof cut->low);
            continue;
        }
        cut->threshold = INFINITY; /* only missing values go right */
        if (cut->high == UINT32_MAX) continue;
        const double *values = t->values + t->first[cut->feature];
        cut->threshold = middle_of(values, cut->low, cut->high);
    }
}

/* ------------------------------------------------------------------ categories and surrogates */
static int is_by_sides(const cart_problem *t, ptrdiff_t f) {
    return t->known_only || (t->categories && f >= 0 && t->categories[f]);
}

static CART_SELDOM int push_set(cart_grower *g, const uint64_t *set) {
    const size_t size = 2 * (size_t)g->t->words;
    if (!reserve((void **)&g->sets, &g->set_capacity, (g->n_sets + 1) * size, sizeof *set))
        return 0;
    memcpy(g->sets + g->n_sets++ * size, set, size * sizeof *set);
    return 1;
}

/* The side of each row by the split alone, CART_SIDE_UNKNOWN where its value is missing. For
   numbers also the largest rank on the left and the least on the right. */
static CART_SELDOM void take_sides(cart_grower *g, const cart_split *split, int64_t *low,
                                   int64_t *high) {
    const cart_problem *t = g->t;
    const ptrdiff_t f = split->feature;
    const int of_sets = t->categories && t->categories[f];
    uint8_t *side = g->scratch.side;
    *low = -1;
    *high = INT64_MAX;
    for (ptrdiff_t i = 0; i < g->v.m; i++) {
        const int64_t rank = rank_of(t, f, g->v.rows[i]);
        if (rank == t->missing[f]) {
            side[i] = CART_SIDE_UNKNOWN;
        } else if (of_sets) {
            side[i] = !is_in(g->scratch.set, rank);
        } else if (rank <= split->cut) {
            side[i] = 0;
            *low = rank > *low ? rank : *low;
        } else {
            side[i] = 1;
            *high = rank < *high ? rank : *high;
        }
    }
}

/* Find surrogates, the best first. Returns -1 if memory runs out, CART_PAUSED if patience ends
   before all columns are searched. */
static CART_SELDOM int find_surrogates(cart_grower *g, const cart_split *split) {
    const cart_problem *t = g->t;
    cart_making *now = &g->making;
    const size_t begin = now->first, most = (size_t)t->surrogates;
    int64_t left = now->patience > 0 ? now->patience : INT64_MAX;
    if (!reserve((void **)&g->surrogates, &g->surrogate_capacity, begin + most + 1,
                 sizeof *g->surrogates))
        return -1;
    for (; now->column < t->p; now->column++, left -= g->v.m) {
        const ptrdiff_t j = now->column;
        if (left <= 0) return CART_PAUSED;
        cart_surrogate one = {NAN, 0, 0, 0, (int32_t)g->n_nodes - 1, (int32_t)j, 0, 0};
        if (j == split->feature || !surrogate_of(t, &g->v, &g->scratch, j, now->weight, &one))
            continue;
        size_t at = g->n_surrogates;
        while (at > begin && g->surrogates[at - 1].agree < one.agree) at--;
        if (at - begin == most) continue;
        if (t->categories && t->categories[j]) {
            one.threshold = (double)g->n_sets;
            one.of_sets = 1;
            if (!push_set(g, g->scratch.set)) return -1;
        }
        memmove(g->surrogates + at + 1, g->surrogates + at, (g->n_surrogates - at) * sizeof one);
        g->surrogates[at] = one;
        if (++g->n_surrogates - begin > most) g->n_surrogates--;
    }
    return 0;
}

/* The side to which a surrogate sends a row; CART_SIDE_UNKNOWN if its value is missing, or a
   category that the node has not seen. */
static CART_SELDOM int sent_by(const cart_grower *g, const cart_surrogate *by, int32_t row) {
    const cart_problem *t = g->t;
    const ptrdiff_t j = by->column;
    const int64_t rank = rank_of(t, j, row);
    if (rank == t->missing[j]) return CART_SIDE_UNKNOWN;
    if (by->of_sets) {
        const uint64_t *set = g->sets + (size_t)by->threshold * 2 * (size_t)t->words;
        return is_in(set, rank) ? 0 : is_in(set + t->words, rank) ? 1 : CART_SIDE_UNKNOWN;
    }
    return (t->values[t->first[j] + rank] > by->threshold) != by->reversed;
}

/* The sides of all rows by the split alone, and its sets; returns 0 without memory. */
static CART_SELDOM int begin_making(cart_grower *g, const cart_split *split) {
    const cart_problem *t = g->t;
    const ptrdiff_t f = split->feature;
    cart_making *now = &g->making;
    int64_t low, high;
    *now = (cart_making){now->patience, 1, {NAN, 0, 0, (int32_t)f, 0}, {0, 0, 0}, 0, 0,
                         g->n_surrogates};
    if (t->categories && t->categories[f]) {
        category_sets(t, &g->v, &g->scratch, split, g->scratch.set);
        now->cut.threshold = (double)g->n_sets;
        if (!push_set(g, g->scratch.set)) return 0;
        take_sides(g, split, &low, &high);
    } else {
        take_sides(g, split, &low, &high);
        now->cut.threshold = middle_of(t->values + t->first[f], low, high);
    }
    for (ptrdiff_t i = 0; i < g->v.m; i++) {
        now->weight[g->scratch.side[i]] += case_of(t, &g->v, i);
        now->lost += g->scratch.side[i] == CART_SIDE_UNKNOWN;
    }
    now->cut.missing_left =
        t->known_only ? now->weight[0] >= now->weight[1] : split->missing_left;
    return 1;
}

/* As `partition`, for sets of categories and for nodes with surrogates. Returns -1 if memory runs
   out, CART_PAUSED if it is to be called again. */
static CART_SELDOM ptrdiff_t partition_by_sides(cart_grower *g, const cart_split *split,
                                                cart_cut *cut) {
    const cart_problem *t = g->t;
    const ptrdiff_t m = g->v.m;
    cart_making *now = &g->making;
    int32_t *rows = g->v.rows, *right = g->scratch.place;
    ptrdiff_t l = 0, r = 0;
    if (!now->begun && !begin_making(g, split)) return -1;
    const int state = t->surrogates > 0 ? find_surrogates(g, split) : 0;
    if (state < 0) return state;
    now->begun = 0;
    *cut = now->cut;
    for (ptrdiff_t i = 0; i < m; i++) {
        int goes = g->scratch.side[i];
        for (size_t k = now->first; goes == CART_SIDE_UNKNOWN && k < g->n_surrogates; k++) {
            goes = sent_by(g, g->surrogates + k, rows[i]);
            g->surrogates[k].sent += goes != CART_SIDE_UNKNOWN;
        }
        if (goes == CART_SIDE_UNKNOWN) goes = !cut->missing_left;
        rows[l] = rows[i];
        right[r] = rows[l];
        l += !goes;
        r += goes;
    }
    memcpy(rows + l, right, (size_t)r * sizeof *rows);
    if (!t->known_only && !now->lost) cut->missing_left = l > r;
    return l;
}
