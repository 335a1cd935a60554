/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column, where `spread` scores it: exact, without sorting the rows.

   Rows are counted by the first byte of their ranks. Sums at the ends of bins give exact gains
   there. Inside of a bin, the left side has the sums at its begin plus those of some of its rows:
   a point of a box, and as the gain is convex, it is at most that of the best corner (the idea of
   Alsabti, Ranka and Singh 1998, CLOUDS; Fayyad and Irani 1992 for convexity). Bins whose bound
   reaches the best gain so far are refined: their rows are counted by the next byte of their ranks
   or, if few, sorted.

   Cost: about a nanosecond a row, and a third of a microsecond. */

typedef struct {
    int64_t q, up, w, count; /* sums of targets, of positive ones, of weights; rows */
} single_bin;

typedef struct {
    const cart_problem *t;
    const cart_node_rows *v;
    cart_scratch *s;
    ptrdiff_t f;
    int missing_left;
    double T, W;
    cart_split *best;
} single_search;

static INLINE single_bin single_row(const cart_node_rows *v, ptrdiff_t i) {
    if (v->packs) {
        const int64_t w = v->packed[i] >> 32, q = v->packed[i] & 0xffffffff;
        return (single_bin){q, q, w, 1};
    }
    const int64_t q = v->q[i];
    return (single_bin){q, q > 0 ? q : 0, v->w[i], 1};
}

/* What a gain must reach to be looked at: beyond rounding, without a division. */
static INLINE double limit_of(const single_search *c) {
    return c->best->gain > 0 ? c->best->gain * (1 - CART_SLACK) : 0;
}

static INLINE int reaches(double a, double n, double T, double W, double limit) {
    const double d = a * W - n * T;
    return d * d >= limit * (n * (W - n));
}

/* The splits between m <= CART_SMALL rows, those at `place` or, if it is NULL, the first. Returns
   whether the column varies among them. */
static int single_sorted(single_search *c, const int32_t *place, ptrdiff_t m, single_bin left) {
    int32_t key[CART_SMALL], sorted[CART_SMALL];
    double a[CART_SMALL], n[CART_SMALL];
    int32_t hit[CART_SMALL];
    const cart_problem *t = c->t;
    const cart_node_rows *v = c->v;
    for (ptrdiff_t i = 0; i < m; i++) {
        const ptrdiff_t at = place ? place[i] : i;
        key[i] = (int32_t)(rank_of(t, c->f, v->rows[at]) << CART_BITS | (uint32_t)i);
    }
    for (ptrdiff_t i = m; i < ((m + 15) & ~15); i++) key[i] = INT32_MAX;
    sort_small(key, (int)m, sorted);
    if (sorted[0] >> CART_BITS == sorted[m - 1] >> CART_BITS) return 0;
    const int64_t before = left.count;
    for (ptrdiff_t i = 0; i < m - 1; i++) {
        const ptrdiff_t j = sorted[i] & (CART_SMALL - 1), at = place ? place[j] : j;
        const single_bin row = single_row(v, at);
        left.q += row.q;
        left.w += row.w;
        a[i] = (double)left.q;
        n[i] = (double)left.w;
    }
    const double T = c->T, W = c->W, limit = limit_of(c);
    for (ptrdiff_t i = 0; i < m - 1; i++)
        hit[i] = reaches(a[i], n[i], T, W, limit) &
                 ((sorted[i] ^ sorted[i + 1]) >= CART_SMALL);
    for (ptrdiff_t i = 0; i < m - 1; i++)
        if (hit[i] && is_allowed(t, v, before + i + 1, (int64_t)n[i])) {
            const double gain = spread(a[i], n[i], T, W);
            if (gain >= c->best->gain)
                take(c->best, gain, c->f, c->missing_left, sorted[i] >> CART_BITS);
        }
    return 1;
}

/* Sums of the rows of each bin. */
static void single_count(const cart_node_rows *v, const uint8_t *byte, const int32_t *place,
                         ptrdiff_t m, int bins, int drop, single_bin *bin) {
    if (!v->packs) {
        memset(bin, 0, (size_t)bins * sizeof *bin);
        for (ptrdiff_t i = 0; i < m; i++) {
            const single_bin row = single_row(v, place ? place[i] : i);
            single_bin *to = bin + (byte[i] >> drop);
            to->q += row.q;
            to->up += row.up;
            to->w += row.w;
            to->count++;
        }
        return;
    }
    int64_t sum[2][256];
    const int64_t *packed = v->packed;
    memset(sum[0], 0, (size_t)bins * sizeof **sum);
    memset(sum[1], 0, (size_t)bins * sizeof **sum);
    ptrdiff_t i = 0;
    if (place)
        for (; i < m; i++) sum[0][byte[i] >> drop] += packed[place[i]];
    for (; i + 1 < m; i += 2) {
        sum[0][byte[i] >> drop] += packed[i];
        sum[1][byte[i + 1] >> drop] += packed[i + 1];
    }
    for (; i < m; i++) sum[0][byte[i] >> drop] += packed[i];
    for (int b = 0; b < bins; b++) {
        const int64_t both = sum[0][b] + sum[1][b], q = both & 0xffffffff, w = both >> 32;
        bin[b] = (single_bin){q, q, w, w};
    }
}

static int single_refined(single_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                          int first, int last, int shift, int64_t base, single_bin left,
                          uint8_t *bytes, int32_t *places);

/* Bins that a better split may lie in. Corners: the sums of the left side between those at the
   begin and at the end of the bin. Gains at its begin and its end are known to the best, unless
   they are not allowed. */
static void single_doubtful(const single_search *c, const double *a, const double *n,
                            const double *up, const double *down, int bins, uint8_t *doubtful) {
    const cart_problem *t = c->t;
    const double T = c->T, W = c->W, limit = limit_of(c), light = (double)c->v->lightest;
    if (!t->label) {
        for (int b = 0; b < bins; b++) {
            const double high = a[b] + up[b], low = a[b] - down[b];
            const double few = n[b] + light, most = n[b + 1] - light;
            doubtful[b] = (uint8_t)(reaches(high, few, T, W, limit) | reaches(low, few, T, W, limit) |
                                    reaches(high, most, T, W, limit) |
                                    reaches(low, most, T, W, limit));
        }
        return;
    }
    for (int b = 0; b < bins; b++) {
        const double other = n[b + 1] - n[b] - up[b];
        doubtful[b] = (uint8_t)(((up[b] > 0) & reaches(a[b] + up[b], n[b] + up[b], T, W, limit)) |
                                ((other > 0) & reaches(a[b], n[b] + other, T, W, limit)));
    }
    if (t->min_leaf > 1 || t->min_weight > 0)
        for (int b = 0; b < bins; b++)
            doubtful[b] |= (uint8_t)(reaches(a[b], n[b], T, W, limit) |
                                     reaches(a[b + 1], n[b + 1], T, W, limit));
}

/* The splits between m rows by histograms. `byte` are their codes, of which `drop` bits are not
   looked at, and the rest is less than `bins`; the rank of a row is base + (code << below) + less
   than 1 << below. */
static int single_binned(single_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                         int bins, int drop, int below, int64_t base, single_bin left,
                         uint8_t *bytes, int32_t *places) {
    const cart_node_rows *v = c->v;
    const cart_problem *t = c->t;
    const int shift = below + drop;
    single_bin bin[256], at[257];
    double a[257], n[257], up[256], down[256];
    uint8_t marked[256];
    single_count(v, byte, place, m, bins, drop, bin);
    int used = 0;
    at[0] = left;
    for (int b = 0; b < bins; b++) {
        used += bin[b].count > 0;
        at[b + 1].q = at[b].q + bin[b].q;
        at[b + 1].w = at[b].w + bin[b].w;
        at[b + 1].count = at[b].count + bin[b].count;
    }
    for (int b = 0; b <= bins; b++) {
        a[b] = (double)at[b].q;
        n[b] = (double)at[b].w;
    }
    int varies = used > 1;
    const double T = c->T, W = c->W, limit = limit_of(c);
    if (varies) {
        for (int b = 0; b < bins - 1; b++)
            marked[b] = (uint8_t)reaches(a[b + 1], n[b + 1], T, W, limit);
        for (int b = 0; b < bins - 1; b++) {
            if (!marked[b] || !bin[b].count || at[b + 1].count == at[bins].count ||
                !is_allowed(t, v, at[b + 1].count, at[b + 1].w))
                continue;
            const double gain = spread(a[b + 1], n[b + 1], T, W);
            if (gain >= c->best->gain)
                take(c->best, gain, c->f, c->missing_left,
                     base + ((int64_t)(b + 1) << shift) - 1);
        }
    }
    if (shift == 0) return varies;
    for (int b = 0; b < bins; b++) {
        up[b] = (double)bin[b].up;
        down[b] = (double)(bin[b].up - bin[b].q);
    }
    single_doubtful(c, a, n, up, down, bins, marked);
    for (int b = 0; b < bins; b++) {
        if (bin[b].count < 2 || (used > 1 && !marked[b])) continue;
        if (used > 1 && (at[b + 1].count - 1 < t->min_leaf || v->all - at[b].count - 1 < t->min_leaf))
            continue;
        varies |= single_refined(c, byte, place, m, b << drop, ((b + 1) << drop) - 1, shift,
                                 base + ((int64_t)b << shift), at[b], bytes, places);
    }
    return varies;
}

/* The splits inside of a bin: `byte` from first to last, ranks from base on. */
static int single_refined(single_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                          int first, int last, int shift, int64_t base, single_bin left,
                          uint8_t *bytes, int32_t *places) {
    const ptrdiff_t count = places_between(byte, m, first, last, places);
    if (place)
        for (ptrdiff_t i = 0; i < count; i++) places[i] = place[places[i]];
    if (count <= CART_SMALL) return single_sorted(c, places, count, left);
    const int below = shift > 8 ? shift - 8 : 0;
    for (ptrdiff_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)((rank_of(c->t, c->f, c->v->rows[places[i]]) - base) >> below);
    const int drop = shift > 8 && count < 512 ? 2 : 0;
    return single_binned(c, bytes, places, count, shift < 8 ? 1 << shift : 256 >> drop, drop, below,
                         base, left, bytes + count, places + count);
}
