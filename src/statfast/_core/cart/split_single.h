/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column, where `spread` scores it: exact, without sorting the rows.

   Rows are counted by the first byte of their ranks. Sums at the ends of bins give exact gains
   there. Inside of a bin, the left side has the sums at its begin plus those of some of its rows:
   a point of a box, and as the gain is convex, it is at most that of the best corner (the idea of
   Alsabti, Ranka and Singh 1998, CLOUDS; Fayyad and Irani 1992 for convexity). Bins whose bound
   reaches the best gain are in doubt, and are settled when the ends of bins of all columns are
   known: their rows are counted by the next byte of their ranks or, if few, compared with each
   other.

   Cost: about a nanosecond a row, and a tenth of a microsecond. */

typedef struct {
    const cart_problem *t;
    const cart_node_rows *v;
    ptrdiff_t f;
    int missing_left;
    double T, W;
    cart_split *best;
} single_search;

static INLINE single_search search_for(
    const cart_problem *t, const cart_node_rows *v, ptrdiff_t f, int missing_left,
    cart_split *best) {
    return (single_search){
        t, v, f, missing_left, (double)v->total[t->label ? 1 : 0], (double)v->weight, best};
}

static INLINE single_bin single_row(const cart_node_rows *v, ptrdiff_t i) {
    const int64_t q = v->q[i];
    return (single_bin){q, q > 0 ? q : 0, v->w[i], 1};
}

static INLINE single_bin unpacked(int64_t both) {
    const int64_t q = both & 0xffffffff, w = both >> 32;
    return (single_bin){q, q, w, w};
}

/* What a gain must reach to be looked at: beyond rounding, without a division. */
static INLINE double limit_of(const single_search *c) {
    return c->best->gain > 0 ? c->best->gain * (1 - CART_SLACK) : 0;
}

static INLINE int reaches(double a, double n, double T, double W, double limit) {
    const double d = a * W - n * T;
    return d * d >= limit * (n * (W - n));
}

/* The gains of m splits with sums a and n on the left, as the bits of a double, whose order is that
   of the numbers; -1 where n is not between least and most. Returns the largest, -1 if none reaches
   the limit. */
static INLINE int64_t gains_of(
    const single_search *c, const double *a, const double *n, ptrdiff_t m, double least,
    double most, int64_t *gain) {
    const double T = c->T, W = c->W, limit = limit_of(c);
    int64_t any = 0, top = -1;
    for (ptrdiff_t i = 0; i < m; i++)
        any |= (n[i] > least) & (n[i] < most) & reaches(a[i], n[i], T, W, limit);
    if (!any) return -1;
    for (ptrdiff_t i = 0; i < m; i++) {
        const double g = spread(a[i], n[i], T, W);
        int64_t bits;
        memcpy(&bits, &g, sizeof bits);
        gain[i] = (n[i] > least) & (n[i] < most) ? bits : -1;
        top = gain[i] > top ? gain[i] : top;
    }
    return top;
}

static INLINE int is_strict(const cart_problem *t) { return t->min_leaf > 1 || t->min_weight > 0; }

static INLINE void take_bits(single_search *c, int64_t bits, int64_t cut) {
    double gain;
    memcpy(&gain, &bits, sizeof gain);
    take(c->best, gain, c->f, c->missing_left, cut);
}

/* Splits between m <= CART_SMALL rows: what goes left with a row is the sum of those whose rank is
   not above its own. Returns whether the column varies among them. */
static INLINE int single_pairs(
    single_search *c, const int32_t *place, ptrdiff_t m, single_bin left, const int packs) {
    const cart_problem *t = c->t;
    const cart_node_rows *v = c->v;
    double rank[CART_SMALL], a[CART_SMALL], n[CART_SMALL];
    int64_t x[CART_SMALL], w[CART_SMALL], below_x[CART_SMALL], below_w[CART_SMALL];
    int64_t gain[CART_SMALL];
    const cart_ranks ranks = ranks_of(t, c->f, v->m);
    uint32_t first = 0, differ = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        const ptrdiff_t at = place ? place[i] : i;
        const uint32_t own = rank_in(ranks, v->rows[at]);
        first = i ? first : own;
        differ |= own ^ first;
        rank[i] = (double)own;
        x[i] = packs ? v->packed[at] : v->q[at];
        if (!packs) w[i] = v->w[at];
    }
    if (!differ) return 0;
    const ptrdiff_t wide = (m + F64_LANES - 1) / F64_LANES * F64_LANES;
    for (ptrdiff_t i = m; i < wide; i++) rank[i] = INFINITY;
    for (ptrdiff_t i = 0; i < wide; i += F64_LANES) {
        const f64_v own = f64_load(rank + i);
        f64_i some_x = f64_iset1(0), some_w = f64_iset1(0);
        for (ptrdiff_t j = 0; j < m; j++) {
            const f64_m goes = f64_ge(own, f64_set1(rank[j]));
            some_x = f64_iselect(goes, some_x + f64_iset1(x[j]), some_x);
            if (!packs) some_w = f64_iselect(goes, some_w + f64_iset1(w[j]), some_w);
        }
        f64_istore(below_x + i, some_x);
        if (!packs) f64_istore(below_w + i, some_w);
    }
    double most = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        const int64_t q = packs ? below_x[i] & 0xffffffff : below_x[i];
        const int64_t weight = packs ? below_x[i] >> 32 : below_w[i];
        a[i] = (double)(left.q + q);
        n[i] = (double)(left.w + weight);
        most = n[i] > most ? n[i] : most;
    }
    int64_t top = gains_of(c, a, n, m, (double)left.w, most, gain);
    if (top < 0) return 1;
    if (is_strict(t)) {
        top = -1;
        for (ptrdiff_t i = 0; i < m; i++) {
            int64_t rows = left.count;
            for (ptrdiff_t j = 0; j < m; j++)
                if (rank[j] <= rank[i]) rows += packs ? x[j] >> 32 : 1;
            const int64_t weight = left.w + (packs ? below_x[i] >> 32 : below_w[i]);
            if (!is_allowed(t, v, rows, weight)) gain[i] = -1;
            top = gain[i] > top ? gain[i] : top;
        }
        if (top < 0) return 1;
    }
    double cut = INFINITY;
    for (ptrdiff_t i = 0; i < m; i++) cut = gain[i] == top && rank[i] < cut ? rank[i] : cut;
    take_bits(c, top, (int64_t)cut);
    return 1;
}

static int single_few(single_search *c, const int32_t *place, ptrdiff_t m, single_bin left) {
    return c->v->packs ? single_pairs(c, place, m, left, 1) : single_pairs(c, place, m, left, 0);
}
