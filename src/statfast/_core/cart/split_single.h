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

static INLINE single_bin single_row(const single_search *c, ptrdiff_t i) {
    const int64_t q = c->v->q[i];
    const single_bin b = {q, q > 0 ? q : 0, c->v->w[i], 1};
    return b;
}

/* The splits between m <= CART_SMALL rows, those at `place` or, if it is NULL, the first. Returns
   whether the column varies among them. */
static int single_sorted(single_search *c, const int32_t *place, ptrdiff_t m, single_bin left) {
    int32_t key[CART_SMALL], sorted[CART_SMALL];
    double a[CART_SMALL], n[CART_SMALL], gain[CART_SMALL];
    const cart_problem *t = c->t;
    const cart_node_rows *v = c->v;
    for (ptrdiff_t i = 0; i < m; i++) {
        const ptrdiff_t at = place ? place[i] : i;
        key[i] = (int32_t)(rank_of(t, c->f, v->rows[at]) << CART_BITS | (uint32_t)i);
    }
    for (ptrdiff_t i = m; i < ((m + 15) & ~15); i++) key[i] = INT32_MAX;
    sort_small(key, (int)m, sorted);
    if (sorted[0] >> CART_BITS == sorted[m - 1] >> CART_BITS) return 0;
    uint64_t open = 0;
    for (ptrdiff_t i = 0; i < m - 1; i++) {
        const ptrdiff_t j = sorted[i] & (CART_SMALL - 1), at = place ? place[j] : j;
        left.q += v->q[at];
        left.w += v->w[at];
        left.count++;
        a[i] = (double)left.q;
        n[i] = (double)left.w;
        open |= (uint64_t)(sorted[i] >> CART_BITS != sorted[i + 1] >> CART_BITS &&
                           is_allowed(t, v, left.count, left.w)) << i;
    }
    for (ptrdiff_t i = 0; i < m - 1; i++) gain[i] = spread(a[i], n[i], c->T, c->W);
    for (; open; open &= open - 1) {
        const int i = LOWEST_BIT(open);
        if (gain[i] >= c->best->gain)
            take(c->best, gain[i], c->f, c->missing_left, sorted[i] >> CART_BITS);
    }
    return 1;
}

static int single_refined(single_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                          int first, int last, int shift, int64_t base, single_bin left,
                          uint8_t *bytes, int32_t *places);

/* The splits between m rows by histograms. `byte` are their codes, of which `drop` bits are not
   looked at, and the rest is less than `bins`; the rank of a row is base + (code << below) + less than 1 << below. */
static int single_binned(single_search *c, const uint8_t *byte, const int32_t *place, ptrdiff_t m,
                         int bins, int drop, int below, int64_t base, single_bin left,
                         uint8_t *bytes, int32_t *places) {
    const cart_node_rows *v = c->v;
    const cart_problem *t = c->t;
    const int shift = below + drop;
    single_bin bin[256], at[257];
    double a[257], n[257], gain[256], bound[256], up[256], down[256];
    memset(bin, 0, (size_t)bins * sizeof *bin);
    if (v->packs) {
        int64_t sum[2][256];
        const int64_t *packed = v->packed;
        memset(sum, 0, sizeof sum);
        ptrdiff_t i = 0;
        if (place)
            for (; i < m; i++) sum[0][byte[i] >> drop] += packed[place[i]];
        for (; i + 1 < m; i += 2) {
            sum[0][byte[i] >> drop] += packed[i];
            sum[1][byte[i + 1] >> drop] += packed[i + 1];
        }
        for (; i < m; i++) sum[0][byte[i] >> drop] += packed[i];
        for (int b = 0; b < bins; b++) {
            const int64_t both = sum[0][b] + sum[1][b];
            bin[b].q = bin[b].up = both & 0xffffffff;
            bin[b].w = bin[b].count = both >> 32;
        }
    } else {
        for (ptrdiff_t i = 0; i < m; i++) {
            const single_bin row = single_row(c, place ? place[i] : i);
            single_bin *to = bin + (byte[i] >> drop);
            to->q += row.q;
            to->up += row.up;
            to->w += row.w;
            to->count++;
        }
    }
    int used = 0, varies;
    at[0] = left;
    for (int b = 0; b < bins; b++) {
        used += bin[b].count > 0;
        at[b + 1].q = at[b].q + bin[b].q;
        at[b + 1].w = at[b].w + bin[b].w;
        at[b + 1].count = at[b].count + bin[b].count;
        up[b] = (double)bin[b].up;
        down[b] = (double)(bin[b].up - bin[b].q);
    }
    varies = used > 1;
    for (int b = 0; b <= bins; b++) {
        a[b] = (double)at[b].q;
        n[b] = (double)at[b].w;
    }
    const double T = c->T, W = c->W;
    if (varies) {
        for (int b = 0; b < bins - 1; b++) gain[b] = spread(a[b + 1], n[b + 1], T, W);
        for (int b = 0; b < bins - 1; b++)
            if (bin[b].count && at[b + 1].count < at[bins].count && gain[b] >= c->best->gain &&
                is_allowed(t, v, at[b + 1].count, at[b + 1].w))
                take(c->best, gain[b], c->f, c->missing_left,
                     base + ((int64_t)(b + 1) << shift) - 1);
    }
    if (shift == 0) return varies;
    /* Corners: the sums of the left side between those at the begin and at the end of the bin.
       Gains at its begin and its end are known to the best, unless they are not allowed. */
    const double light = (double)v->lightest;
    const int guarded = t->min_leaf > 1 || t->min_weight > 0;
    if (t->label) {
        for (int b = 0; b < bins; b++) {
            const double other = n[b + 1] - n[b] - up[b];
            const double x = up[b] > 0 ? spread(a[b] + up[b], n[b] + up[b], T, W) : 0;
            const double y = other > 0 ? spread(a[b], n[b] + other, T, W) : 0;
            bound[b] = x > y ? x : y;
        }
        for (int b = 0; guarded && b < bins; b++) {
            const double x = n[b] > 0 ? spread(a[b], n[b], T, W) : 0;
            const double y = n[b + 1] < W ? spread(a[b + 1], n[b + 1], T, W) : 0;
            if (x > bound[b]) bound[b] = x;
            if (y > bound[b]) bound[b] = y;
        }
    } else {
        for (int b = 0; b < bins; b++) {
            const double high = a[b] + up[b], low = a[b] - down[b];
            const double few = n[b] + light, most = n[b + 1] - light;
            const double x = spread(high, few, T, W), y = spread(low, few, T, W);
            const double z = spread(high, most, T, W), u = spread(low, most, T, W);
            const double g = x > y ? x : y, h = z > u ? z : u;
            bound[b] = g > h ? g : h;
        }
    }
    for (int b = 0; b < bins; b++) {
        if (bin[b].count < 2) continue;
        if (at[b + 1].count - 1 < t->min_leaf || v->m - at[b].count - 1 < t->min_leaf) {
            if (used > 1) continue;
        }
        if (used == 1 || !(bound[b] * (1 + CART_SLACK) < c->best->gain))
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
