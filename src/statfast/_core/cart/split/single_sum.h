/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column, where `spread` is the score: exact, without sorting the
   rows.

   Rows are counted by the first byte of their ranks. The sums at the ends of bins give exact gains
   there. Within a bin, the left side has the sums at its begin plus those of some of its rows,
   which is a point of a box; as the gain is convex, it is at most that of the best corner (the idea
   of Alsabti, Ranka and Singh 1998, CLOUDS; Fayyad and Irani 1992 for convexity). Bins whose bound
   reaches the best gain are in doubt. They are searched when the ends of the bins of all columns
   are known: their rows are counted by the next byte of their ranks or, if few, compared with each
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

/* The gain that a split must reach to be compared exactly; it allows for rounding. */
static INLINE double limit_of(const single_search *c) {
    return c->best->gain > 0 ? c->best->gain * (1 - CART_ROUNDING) : 0;
}

static INLINE int reaches(double a, double n, double T, double W, double limit) {
    const double d = a * W - n * T;
    return d * d >= limit * (n * (W - n));
}

/* The gains of m splits with the sums a and n on the left, as the bits of doubles, which have the
   order of the numbers; -1 where n is not between least and most. Returns the largest, or -1 if
   none reaches the limit. */
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
        gain[i] = ((n[i] > least) & (n[i] < most)) ? bits : -1;
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
