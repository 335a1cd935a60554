/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node of few rows, where `spread` scores it, on several columns at once: each
   is a lane. What goes left with a row is the sum of the rows whose rank is not above its own. */

enum { FEW_COLUMNS = F64_LANES };

/* The sums that go left with each row, lane by lane. */
static INLINE void sums_below(
    const cart_node_rows *v, const double *rank, const int packs, const int counts, int64_t *sum,
    int64_t *weight, int64_t *rows) {
    const ptrdiff_t m = v->m;
    for (ptrdiff_t i = 0; i < m; i++) {
        const f64_v own = f64_load(rank + i * FEW_COLUMNS);
        const f64_i one = f64_iset1(1);
        f64_i q = f64_iset1(0), w = f64_iset1(0), n = f64_iset1(0);
        for (ptrdiff_t j = 0; j < m; j++) {
            const f64_m goes = f64_ge(own, f64_load(rank + j * FEW_COLUMNS));
            q = f64_iselect(goes, q + f64_iset1(packs ? v->packed[j] : v->q[j]), q);
            if (!packs) w = f64_iselect(goes, w + f64_iset1(v->w[j]), w);
            if (counts) n = f64_iselect(goes, n + one, n);
        }
        f64_istore(sum + i * FEW_COLUMNS, packs ? q & f64_iset1(0xffffffff) : q);
        f64_istore(weight + i * FEW_COLUMNS, packs ? q >> 32 : w);
        if (counts) f64_istore(rows + i * FEW_COLUMNS, n);
    }
}

/* Of the splits that gain most, that of the first column, at its lowest rank. */
static void take_first(single_search *c, const int32_t *columns, int32_t turn, const double *rank,
                       const int64_t *gain, int64_t top) {
    const ptrdiff_t all = c->v->m * FEW_COLUMNS;
    int64_t most[FEW_COLUMNS];
    double cut = INFINITY;
    int k = 0;
    for (int l = 0; l < FEW_COLUMNS; l++) most[l] = -1;
    for (ptrdiff_t i = 0; i < all; i += FEW_COLUMNS)
        for (int l = 0; l < FEW_COLUMNS; l++)
            most[l] = gain[i + l] > most[l] ? gain[i + l] : most[l];
    while (most[k] != top) k++;
    for (ptrdiff_t i = k; i < all; i += FEW_COLUMNS)
        cut = gain[i] == top && rank[i] < cut ? rank[i] : cut;
    c->f = columns[k];
    c->best->turn = turn + k;
    take_bits(c, top, (int64_t)cut);
}

/* Up to FEW_COLUMNS columns, which come in this order; returns whether one of them varies. */
static int split_few(const cart_problem *t, const cart_node_rows *v, const int32_t *columns,
                     int count, int32_t turn, cart_split *best) {
    double rank[CART_SMALL * FEW_COLUMNS], a[CART_SMALL * FEW_COLUMNS];
    double n[CART_SMALL * FEW_COLUMNS];
    int64_t sum[CART_SMALL * FEW_COLUMNS], weight[CART_SMALL * FEW_COLUMNS];
    int64_t rows[CART_SMALL * FEW_COLUMNS], gain[CART_SMALL * FEW_COLUMNS];
    const ptrdiff_t m = v->m, all = m * FEW_COLUMNS;
    for (int k = 0; k < FEW_COLUMNS; k++) {
        const cart_ranks ranks = ranks_of(t, columns[k < count ? k : 0], m);
        for (ptrdiff_t i = 0; i < m; i++)
            rank[i * FEW_COLUMNS + k] = k < count ? (double)rank_in(ranks, v->rows[i]) : 0;
    }
    const int strict = is_strict(t);
    if (v->packs) sums_below(v, rank, 1, 0, sum, weight, rows);
    else if (strict) sums_below(v, rank, 0, 1, sum, weight, rows);
    else sums_below(v, rank, 0, 0, sum, weight, rows);
    for (ptrdiff_t i = 0; i < all; i++) {
        a[i] = (double)sum[i];
        n[i] = (double)weight[i];
    }
    single_search c = search_for(t, v, columns[0], 0, best);
    int64_t top = gains_of(&c, a, n, all, 0, c.W, gain);
    if (strict) {
        top = -1;
        for (ptrdiff_t i = 0; i < all; i++) {
            if (!is_allowed(t, v, v->packs ? weight[i] : rows[i], weight[i])) gain[i] = -1;
            top = gain[i] > top ? gain[i] : top;
        }
    }
    if (top >= 0) take_first(&c, columns, turn, rank, gain, top);
    int vary = 0;
    for (ptrdiff_t i = FEW_COLUMNS; i < all; i++) vary |= rank[i] != rank[i - FEW_COLUMNS];
    return vary;
}

/* Whether it pays to look at several columns at once. */
static int is_few(const cart_problem *t, const cart_node_rows *v) {
    const ptrdiff_t m = v->m, k = t->max_features, lanes = FEW_COLUMNS;
    return m <= CART_SMALL && is_single(t) && !t->randomized && t->plain &&
           m * m * ((k + lanes - 1) / lanes) <= k * (m * ((m + lanes - 1) / lanes) + 60);
}

/* Whether there is but one way to split the node, which is that of the first column that varies. */
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
