/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits that `spread` scores, among many rows: by histograms, bounds, and the bins in doubt. */

/* Rows to search a split among: all of the node's, or those at m places; their codes. */
typedef struct {
    const uint8_t *byte;
    const int32_t *place;
    ptrdiff_t m;
    uint8_t *bytes; /* room for codes and places of some of them */
    int32_t *places;
} single_rows;

/* The sums before each bin, and after the last one. */
typedef struct {
    single_bin at[257];
    double a[257], n[257]; /* the same of targets and weights */
    double up[256], down[256]; /* how far the sum of targets can rise and fall within a bin */
    int used; /* bins with rows */
} single_sums;

static void count_packed(
    const cart_node_rows *v, const single_rows *r, int bins, int drop, single_bin left,
    single_sums *z) {
    int64_t sum[2][256], run = left.w << 32 | left.q;
    const int64_t *packed = v->packed;
    const uint8_t *byte = r->byte;
    const ptrdiff_t m = r->m;
    memset(sum[0], 0, (size_t)bins * sizeof **sum);
    memset(sum[1], 0, (size_t)bins * sizeof **sum);
    ptrdiff_t i = 0;
    if (r->place)
        for (; i < m; i++) sum[0][byte[i] >> drop] += packed[r->place[i]];
    for (; i + 1 < m; i += 2) {
        sum[0][byte[i] >> drop] += packed[i];
        sum[1][byte[i + 1] >> drop] += packed[i + 1];
    }
    for (; i < m; i++) sum[0][byte[i] >> drop] += packed[i];
    z->used = 0;
    z->at[0] = left;
    for (int b = 0; b < bins; b++) {
        const int64_t own = sum[0][b] + sum[1][b];
        z->used += own > 0;
        sum[0][b] = run += own;
    }
    z->a[0] = (double)left.q;
    z->n[0] = (double)left.w;
    for (int b = 0; b < bins; b++) {
        z->a[b + 1] = (double)(int32_t)sum[0][b];
        z->n[b + 1] = (double)(int32_t)(sum[0][b] >> 32);
    }
    for (int b = 0; b < bins; b++) z->up[b] = z->a[b + 1] - z->a[b];
}

static void count_rows(
    const cart_node_rows *v, const single_rows *r, int bins, int drop, single_bin left,
    single_sums *z) {
    single_bin bin[256];
    memset(bin, 0, (size_t)bins * sizeof *bin);
    for (ptrdiff_t i = 0; i < r->m; i++) {
        const single_bin row = single_row(v, r->place ? r->place[i] : i);
        single_bin *to = bin + (r->byte[i] >> drop);
        to->q += row.q;
        to->up += row.up;
        to->w += row.w;
        to->count++;
    }
    z->used = 0;
    z->at[0] = left;
    for (int b = 0; b < bins; b++) {
        z->used += bin[b].count > 0;
        z->at[b + 1].q = z->at[b].q + bin[b].q;
        z->at[b + 1].w = z->at[b].w + bin[b].w;
        z->at[b + 1].count = z->at[b].count + bin[b].count;
        z->up[b] = (double)bin[b].up;
        z->down[b] = (double)(bin[b].up - bin[b].q);
    }
    for (int b = 0; b <= bins; b++) {
        z->a[b] = (double)z->at[b].q;
        z->n[b] = (double)z->at[b].w;
    }
}

static INLINE single_bin sums_at(const single_search *c, const single_sums *z, int b) {
    if (!c->v->packs) return z->at[b];
    return (single_bin){(int64_t)z->a[b], 0, (int64_t)z->n[b], (int64_t)z->n[b]};
}

/* The best of the splits between bins. */
static void split_at_ends(
    single_search *c, const single_sums *z, int bins, int shift, int64_t base) {
    int64_t gain[256];
    int64_t top = gains_of(c, z->a + 1, z->n + 1, bins - 1, z->n[0], z->n[bins], gain);
    if (top >= 0 && is_strict(c->t)) {
        top = -1;
        for (int b = 0; b < bins - 1; b++) {
            const single_bin left = sums_at(c, z, b + 1);
            if (!is_allowed(c->t, c->v, left.count, left.w)) gain[b] = -1;
            top = gain[b] > top ? gain[b] : top;
        }
    }
    if (top < 0) return;
    int b = 0;
    while (gain[b] != top) b++;
    take_bits(c, top, base + ((int64_t)(b + 1) << shift) - 1);
}

/* The gain at a corner of the box of possible sums; of two classes there is none where all rows are
   on one side. */
static INLINE double corner(const single_search *c, double a, double n) {
    if (n > 0 && n < c->W) return spread(a, n, c->T, c->W);
    return c->t->label ? 0 : INFINITY;
}

/* An upper bound of the gains of splits within a bin, without those at its ends. */
static double bound_of(const single_search *c, const single_sums *z, int b) {
    const double a = z->a[b], n = z->n[b], light = (double)c->v->lightest;
    double bound = 0;
    if (!c->t->label) {
        for (int k = 0; k < 4; k++) {
            const double x = corner(c, k & 1 ? a + z->up[b] : a - z->down[b],
                                    k & 2 ? n + light : z->n[b + 1] - light);
            bound = x > bound ? x : bound;
        }
        return bound;
    }
    const double up = z->up[b], other = z->n[b + 1] - n - up;
    const double one = up > 0 ? corner(c, a + up, n + up) : 0;
    const double two = other > 0 ? corner(c, a, n + other) : 0;
    bound = one > two ? one : two;
    if (is_strict(c->t))
        for (int k = 0; k < 2; k++) {
            const double x = corner(c, z->a[b + k], z->n[b + k]);
            bound = x > bound ? x : bound;
        }
    return bound;
}

/* List the bins in doubt, which may hold a better split. The gains at their ends have been compared
   with the best already, unless such splits are not allowed. */
static void mark_bins(const single_search *c, const single_sums *z, int bins, uint8_t *marked) {
    const cart_problem *t = c->t;
    const double *a = z->a, *n = z->n, *up = z->up, *down = z->down;
    const double T = c->T, W = c->W, limit = limit_of(c), light = (double)c->v->lightest;
    if (!t->label) {
        for (int b = 0; b < bins; b++) {
            const double high = a[b] + up[b], low = a[b] - down[b];
            const double few = n[b] + light, most = n[b + 1] - light;
            marked[b] = (uint8_t)(reaches(high, few, T, W, limit) | reaches(low, few, T, W, limit) |
                                  reaches(high, most, T, W, limit) |
                                  reaches(low, most, T, W, limit));
        }
        return;
    }
    for (int b = 0; b < bins; b++) {
        const double other = n[b + 1] - n[b] - up[b];
        marked[b] = (uint8_t)(((up[b] > 0) & reaches(a[b] + up[b], n[b] + up[b], T, W, limit)) |
                              ((other > 0) & reaches(a[b], n[b] + other, T, W, limit)));
    }
    if (is_strict(t))
        for (int b = 0; b < bins; b++)
            marked[b] |= (uint8_t)(reaches(a[b], n[b], T, W, limit) |
                                   reaches(a[b + 1], n[b + 1], T, W, limit));
}

/* The splits between bins of rows with `bins` codes, of which the lowest `drop` bits are ignored.
   The rank of a row lies between base + (code << below) and the base of the next code. Bins that
   may hold a better split are in doubt. Returns the number of bins with rows; a single one is in
   doubt. */
static int single_binned(single_search *c, const single_rows *r, int bins, int drop, int below,
                         int64_t base, single_bin left, single_doubt *doubt, ptrdiff_t *doubts) {
    const cart_problem *t = c->t;
    const int shift = below + drop;
    single_sums z;
    uint8_t marked[256];
    if (c->v->packs) count_packed(c->v, r, bins, drop, left, &z);
    else count_rows(c->v, r, bins, drop, left, &z);
    const int several = z.used > 1;
    if (several) split_at_ends(c, &z, bins, shift, base);
    if (shift == 0) return z.used;
    mark_bins(c, &z, bins, marked);
    for (int b = 0; b < bins; b++) {
        if (several && !marked[b]) continue;
        const single_bin begin = sums_at(c, &z, b), end = sums_at(c, &z, b + 1);
        const int64_t above = c->v->all - begin.count;
        if (end.count - begin.count < 2) continue;
        if (several && (end.count - 1 < t->min_leaf || above - 1 < t->min_leaf)) continue;
        doubt[(*doubts)++] = (single_doubt){
            begin, several ? bound_of(c, &z, b) : INFINITY, r->byte, base + ((int64_t)b << shift),
            (int32_t)c->f, c->best->turn, (uint8_t)(b << drop), (uint8_t)(((b + 1) << drop) - 1),
            (uint8_t)shift};
    }
    return z.used;
}

static int single_settled(const cart_problem *t, const cart_node_rows *v, int missing_left,
                          const single_rows *r, single_doubt *doubt, ptrdiff_t doubts,
                          cart_split *best);

/* The splits within a bin. */
static int single_refined(single_search *c, const single_rows *r, const single_doubt *d) {
    int32_t *places = r->places;
    const ptrdiff_t count = places_between(d->byte, r->m, d->first, d->last, places);
    if (r->place)
        for (ptrdiff_t i = 0; i < count; i++) places[i] = r->place[places[i]];
    if (count <= CART_MAX_PAIRED_ROWS) return single_paired(c, places, count, d->left);
    const int below = d->shift > 8 ? d->shift - 8 : 0, drop = d->shift > 8 && count < 512 ? 2 : 0;
    const cart_ranks ranks = ranks_of(c->t, c->f, c->v->m);
    for (ptrdiff_t i = 0; i < count; i++)
        r->bytes[i] = (uint8_t)((rank_in(ranks, c->v->rows[places[i]]) - d->base) >> below);
    const single_rows some = {r->bytes, places, count, r->bytes + count, places + count};
    single_doubt own[256];
    ptrdiff_t doubts = 0;
    const int bins = d->shift < 8 ? 1 << d->shift : 256 >> drop;
    const int used = single_binned(c, &some, bins, drop, below, d->base, d->left, own, &doubts);
    const int within = single_settled(c->t, c->v, c->missing_left, &some, own, doubts, c->best);
    return used > 1 || within;
}

/* Search the bins in doubt in the order of their bounds; returns whether the column varies
   in one. */
static int single_settled(const cart_problem *t, const cart_node_rows *v, int missing_left,
                          const single_rows *r, single_doubt *doubt, ptrdiff_t doubts,
                          cart_split *best) {
    int varies = 0;
    ptrdiff_t first = 0;
    for (ptrdiff_t i = 1; i < doubts; i++)
        if (doubt[i].bound > doubt[first].bound) first = i;
    for (ptrdiff_t i = 0; i < doubts; i++) {
        const single_doubt *d = doubt + (i == 0 ? first : i <= first ? i - 1 : i);
        if (d->bound + CART_ROUNDING * d->bound < best->gain) continue;
        single_search c = search_for(t, v, d->column, missing_left, best);
        best->turn = d->turn;
        varies |= single_refined(&c, r, d);
    }
    return varies;
}
