/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split between few rows, where `spread` is the score: on one column, or on several
   columns at once. */

/* Splits between m <= CART_MAX_PAIRED_ROWS rows. Returns whether the column varies among them. */
static int single_paired(single_search *c, const int32_t *place, ptrdiff_t m, single_bin left) {
    const cart_node_rows *v = c->v;
    const cart_ranks ranks = ranks_of(c->t, c->f, v->m);
    int32_t rank[CART_MAX_PAIRED_ROWS + F32_LANES], differ = 0, cut = INT32_MAX;
    int64_t gain[CART_MAX_PAIRED_ROWS];
    paired_sums z;
    double most = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        rank[i] = (int32_t)rank_in(ranks, v->rows[place ? place[i] : i]);
        differ |= rank[i] ^ rank[0];
    }
    if (!differ) return 0;
    sums_below(v, place, m, left, rank, 0, &z);
    for (ptrdiff_t i = 0; i < m; i++) most = z.n[i] > most ? z.n[i] : most;
    const int64_t top = paired_gains(c, &z, m, (double)left.w, most, gain);
    if (top < 0) return 1;
    for (ptrdiff_t i = 0; i < m; i++) cut = gain[i] == top && rank[i] < cut ? rank[i] : cut;
    take_bits(c, top, cut);
    return 1;
}

/* Among the splits of the largest gain, take the first column, at its lowest rank. */
static void take_first(single_search *c, const int32_t *columns, int32_t turn, const int32_t *rank,
                       const int64_t *gain, int64_t top) {
    const ptrdiff_t all = c->v->m * PAIRED_COLUMNS;
    int64_t most[PAIRED_COLUMNS];
    int32_t cut = INT32_MAX;
    int k = 0;
    for (int l = 0; l < PAIRED_COLUMNS; l++) most[l] = -1;
    for (ptrdiff_t i = 0; i < all; i += PAIRED_COLUMNS)
        for (int l = 0; l < PAIRED_COLUMNS; l++)
            most[l] = gain[i + l] > most[l] ? gain[i + l] : most[l];
    while (most[k] != top) k++;
    for (ptrdiff_t i = k; i < all; i += PAIRED_COLUMNS)
        cut = gain[i] == top && rank[i] < cut ? rank[i] : cut;
    c->f = columns[k];
    c->best->turn = turn + k;
    take_bits(c, top, cut);
}

/* Search up to PAIRED_COLUMNS columns, in this order; returns whether one of them varies. */
static int split_paired(const cart_problem *t, const cart_node_rows *v, const int32_t *columns,
                     int count, int32_t turn, cart_split *best) {
    int32_t rank[PAIRED_LANES];
    int64_t gain[PAIRED_LANES];
    paired_sums z;
    const ptrdiff_t m = v->m, all = m * PAIRED_COLUMNS;
    const single_bin none = {0, 0, 0, 0};
    for (int k = 0; k < PAIRED_COLUMNS; k++) {
        const cart_ranks ranks = ranks_of(t, columns[k < count ? k : 0], m);
        for (ptrdiff_t i = 0; i < m; i++)
            rank[i * PAIRED_COLUMNS + k] = k < count ? (int32_t)rank_in(ranks, v->rows[i]) : 0;
    }
    sums_below(v, NULL, m, none, rank, 1, &z);
    single_search c = search_for(t, v, columns[0], 0, best);
    const int64_t top = paired_gains(&c, &z, all, 0, c.W, gain);
    if (top >= 0) take_first(&c, columns, turn, rank, gain, top);
    int32_t vary = 0;
    for (ptrdiff_t i = PAIRED_COLUMNS; i < all; i++) vary |= rank[i] ^ rank[i - PAIRED_COLUMNS];
    return vary != 0;
}

/* Whether it pays to search several columns at once. */
static int is_paired(const cart_problem *t, const cart_node_rows *v) {
    const ptrdiff_t m = v->m, k = t->max_features, lanes = PAIRED_COLUMNS;
    return m <= CART_MAX_PAIRED_ROWS && is_single(t) && !t->randomized && t->plain &&
           !t->sparse.zero &&
           m * m * ((k + lanes - 1) / lanes) <= k * (m * ((m + lanes - 1) / lanes) + 60);
}

/* Whether the node has only one possible split, which the first column that varies gives. */
static int is_pair(const cart_problem *t, const cart_node_rows *v) {
    return v->m == 2 && !t->randomized && !t->monotone && t->plain && !is_strict(t) &&
           t->criterion != CART_POISSON;
}

static void split_pair(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                       cart_split *best) {
    const int64_t one = rank_of(t, f, v->rows[0]), other = rank_of(t, f, v->rows[1]);
    if (one == other) return;
    best->feature = (int32_t)f;
    best->cut = one < other ? one : other;
}
