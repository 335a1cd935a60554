/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a sparse column, and a random one: zeros are one run among the sorted
   values, whose sums are those of the node without all others. Sums are integers, so they are those
   of dense columns, and so is each gain.

   Cost: a sort of the values of the node that are not zero, unless the column is read in order. */

typedef struct {
    const uint64_t *key;
    ptrdiff_t count, known, zeros; /* known: those before missing values */
    uint32_t zero;
} sparse_run;

static INLINE single_bin row_of(const cart_node_rows *v, uint64_t key) {
    const uint32_t place = (uint32_t)key;
    return v->packs ? unpacked(v->packed[place]) : single_row(v, place);
}

static INLINE void add_bin(single_bin *to, single_bin more) {
    to->q += more.q;
    to->w += more.w;
    to->count += more.count;
}

/* The rank of the next run of equal values; zeros are due where no value before them is left. */
static INLINE int is_zero_next(const sparse_run *r, ptrdiff_t i, int zeros_left) {
    return zeros_left && (i == r->known || r->key[i] >> 32 > r->zero);
}

static void sparse_single(const cart_problem *t, const cart_node_rows *v, const sparse_run *r,
                          ptrdiff_t f, cart_split *best) {
    single_bin zero = {v->total[t->label ? 1 : 0], 0, v->weight, v->all}, lost = {0, 0, 0, 0};
    for (ptrdiff_t i = 0; i < r->count; i++) {
        const single_bin row = row_of(v, r->key[i]);
        zero.q -= row.q;
        zero.w -= row.w;
        zero.count -= row.count;
        if (i >= r->known) add_bin(&lost, row);
    }
    for (int missing_left = 0; missing_left <= (r->known < r->count); missing_left++) {
        const single_search c = search_for(t, v, f, missing_left, best);
        const int ends = missing_left || r->known == r->count; /* the last run has no right side */
        single_bin left = missing_left ? lost : (single_bin){0, 0, 0, 0};
        int zeros_left = r->zeros > 0;
        for (ptrdiff_t i = 0; i < r->known || zeros_left;) {
            uint32_t rank = r->zero;
            if (is_zero_next(r, i, zeros_left)) {
                add_bin(&left, zero);
                zeros_left = 0;
            } else {
                rank = (uint32_t)(r->key[i] >> 32);
                do add_bin(&left, row_of(v, r->key[i]));
                while (++i < r->known && r->key[i] >> 32 == rank);
            }
            if (i == r->known && !zeros_left && ends) break;
            const double a = (double)left.q, n = (double)left.w;
            if (!reaches(a, n, c.T, c.W, limit_of(&c)) || !is_allowed(t, v, left.count, left.w))
                continue;
            take(best, spread(a, n, c.T, c.W), f, missing_left, rank);
        }
    }
}

static INLINE void add_row(const cart_problem *t, const cart_node_rows *v, uint64_t key,
                           int64_t sign, int64_t *sum, int64_t *weight) {
    const ptrdiff_t at = (ptrdiff_t)(uint32_t)key, m = v->m;
    *weight += sign * v->w[at];
    for (ptrdiff_t o = 0; o < t->outputs; o++)
        if (t->label) sum[v->cls[o * m + at]] += sign * v->w[at];
        else sum[o] += sign * v->q[o * m + at];
}

static void sparse_scored(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                          const sparse_run *r, ptrdiff_t f, cart_split *best) {
    const size_t size = (size_t)t->channels * sizeof *s->left;
    int64_t weight_of_zeros = v->weight, lost = 0;
    memcpy(s->zero, v->total, size);
    memset(s->lost, 0, size);
    for (ptrdiff_t i = 0; i < r->count; i++) {
        add_row(t, v, r->key[i], -1, s->zero, &weight_of_zeros);
        if (i >= r->known) add_row(t, v, r->key[i], 1, s->lost, &lost);
    }
    for (int missing_left = 0; missing_left <= (r->known < r->count); missing_left++) {
        const int ends = missing_left || r->known == r->count;
        int64_t weight = missing_left ? lost : 0, rows = missing_left ? r->count - r->known : 0;
        int zeros_left = r->zeros > 0;
        if (missing_left) memcpy(s->left, s->lost, size);
        else memset(s->left, 0, size);
        for (ptrdiff_t i = 0; i < r->known || zeros_left;) {
            uint32_t rank = r->zero;
            if (is_zero_next(r, i, zeros_left)) {
                for (ptrdiff_t k = 0; k < t->channels; k++) s->left[k] += s->zero[k];
                weight += weight_of_zeros;
                rows += r->zeros;
                zeros_left = 0;
            } else {
                rank = (uint32_t)(r->key[i] >> 32);
                do {
                    add_row(t, v, r->key[i], 1, s->left, &weight);
                    rows++;
                } while (++i < r->known && r->key[i] >> 32 == rank);
            }
            if (i == r->known && !zeros_left && ends) break;
            if (!is_allowed(t, v, rows, weight)) continue;
            const double gain = gain_of(t, v, s->left, weight);
            if (gain >= best->gain && is_ordered(t, v, f, s->left, weight))
                take(best, gain, f, missing_left, rank);
        }
    }
}

static int sparse_splits(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                         ptrdiff_t f, cart_split *best) {
    uint64_t *key = s->key;
    const ptrdiff_t count = entries_in(t, v, f, key);
    if (count == 0) return 0;
    if (!is_in_order(t, v, f)) {
        uint64_t most = 0;
        for (ptrdiff_t i = 0; i < count; i++) most = key[i] > most ? key[i] : most;
        key = sort_keys(key, s->spare, count, (uint32_t)(most >> 32));
    }
    sparse_run r = {key, count, count, v->m - count, (uint32_t)t->sparse.zero[f]};
    if (t->missing[f] >= 0)
        while (r.known > 0 && (int64_t)(key[r.known - 1] >> 32) == t->missing[f]) r.known--;
    if (r.zeros == 0 && (r.known == 0 || key[0] >> 32 == key[count - 1] >> 32)) return 0;
    if (is_single(t)) sparse_single(t, v, &r, f, best);
    else sparse_scored(t, v, s, &r, f, best);
    return 1;
}

/* The sums of the left side, from the values that are not zero; returns its rows. */
static ptrdiff_t sum_drawn_side(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                                const sparse_run *r, uint32_t cut, uint32_t lost_left,
                                int64_t *weight) {
    const int with_zeros = r->zeros > 0 && r->zero <= cut;
    ptrdiff_t rows = with_zeros ? v->m : 0;
    *weight = with_zeros ? v->weight : 0;
    for (ptrdiff_t k = 0; k < t->channels; k++) s->left[k] = with_zeros ? v->total[k] : 0;
    for (ptrdiff_t i = 0; i < r->count; i++) {
        const uint32_t rank = (uint32_t)(r->key[i] >> 32);
        if ((rank <= cut || rank == lost_left) == with_zeros) continue;
        add_row(t, v, r->key[i], with_zeros ? -1 : 1, s->left, weight);
        rows += with_zeros ? -1 : 1;
    }
    return rows;
}

/* As `random_split`. */
static int sparse_random_split(const cart_problem *t, const cart_node_rows *v, cart_scratch *s,
                               ptrdiff_t f, uint64_t draw, cart_split *best) {
    const uint64_t *key = s->spare;
    const ptrdiff_t count = entries_in(t, v, f, s->spare);
    if (count == 0) return 0;
    const uint32_t missing = t->missing[f] >= 0 ? (uint32_t)t->missing[f] : UINT32_MAX;
    const sparse_run r = {key, count, count, v->m - count, (uint32_t)t->sparse.zero[f]};
    uint32_t low = r.zeros ? r.zero : UINT32_MAX, high = r.zeros ? r.zero : 0, none = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint32_t rank = (uint32_t)(key[i] >> 32), lost = 0u - (rank == missing);
        none |= lost & 1;
        low = rank < low ? rank : low;
        high = (rank & ~lost) > high ? rank & ~lost : high;
    }
    if (low == missing || (low == high && !none)) return 0;
    const double *values = t->values + t->first[f];
    double threshold = INFINITY, gain;
    uint32_t cut = high;
    if (low < high) {
        threshold = drawn_between(values[low], values[high], draw);
        cut = rank_below(values, threshold, low, high);
    }
    const int missing_left = none && low < high && (draw & 1);
    const uint32_t lost_left = missing_left ? missing : cut; /* a second rank that goes left */
    int64_t weight;
    const ptrdiff_t rows = sum_drawn_side(t, v, s, &r, cut, lost_left, &weight);
    if (!is_allowed(t, v, rows, weight)) return 1;
    if (t->criterion == CART_ABSOLUTE) {
        fill_keys(t, v, s, f);
        for (ptrdiff_t i = 0; i < v->m; i++) s->key[i] >>= 32;
        gain = -errors_of_split(t, v, s, cut, lost_left);
    } else {
        gain = gain_of(t, v, s->left, weight);
    }
    if (gain > best->gain && is_ordered(t, v, f, s->left, weight)) {
        take(best, gain, f, missing_left, (int64_t)cut);
        best->threshold = threshold;
    }
    return 1;
}

/* The first column that two rows differ in; -1 if they are equal. */
static ptrdiff_t first_difference(const cart_problem *t, int32_t row, int32_t other) {
    const cart_entries *e = &t->sparse;
    int64_t i = e->of_row[row], j = e->of_row[other];
    while (i < e->of_row[row + 1] || j < e->of_row[other + 1]) {
        const int32_t a = i < e->of_row[row + 1] ? e->column[i] : INT32_MAX;
        const int32_t b = j < e->of_row[other + 1] ? e->column[j] : INT32_MAX;
        if (a != b) return a < b ? a : b;
        if (e->row_rank[i++] != e->row_rank[j++]) return a;
    }
    return -1;
}
