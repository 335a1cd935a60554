/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of one column of a node, from its histogram.

   With G and H the sums of gradients and hessians of a child, its value is -G / (H + l2), and the
   loss falls by the sum of G^2 / (H + l2) over the children less that of the node. Let a and b be
   the gradients of the left and the right child, u and v their H + l2. Without l2 the gain is
   (a v - b u)^2 / (u v (u + v)), a difference of products rather than of squares, so that children
   with the same mean gradient gain exactly 0. With l2 a constant of the node is subtracted.

   All of these, and the bounds, are in units of the sums until the tree is complete, so that no
   scale of gradients overflows. Comparisons are of doubles made from exact integer sums, so they do
   not depend on the order of summation. Ties go to the lowest column, then to the lowest code, then
   to missing values on the right. */

enum { MIN_ORDERED_ROWS = 10 }; /* rows of a category; rarer ones are not ordered, and go right */
#define MIN_HESSIAN 1e-3    /* of a child, expected if known, in units of the mean row */

typedef struct {
    double l2, least_hessian, lower, upper, parent_loss;
    double shrunk; /* the constant that l2 subtracts from the gains of all splits of the node */
    double smoothing;
    double expected; /* gradients, in units of hessians, times this complete expected ones, or 0 */
    double floor;    /* what a row's hessian is at least, where it may be lost by rounding */
    int64_t least_rows, count_mask;
    int count_bits, monotone, bounded;
    bin_sum total;
} split_rules;

static INLINE double hessian_of(const split_rules *r, int64_t hessian_count) {
    const double sum = (double)(hessian_count >> r->count_bits);
    const double least = r->floor * (double)(hessian_count & r->count_mask);
    return sum < least ? least : sum;
}

static double node_value(const split_rules *r, double g, double h) {
    const double value = -g / (h + r->l2);
    return value < r->lower ? r->lower : value > r->upper ? r->upper : value;
}

/* The decrease of the loss by a split where values are bounded; -1 if it violates a constraint, or
   if the decrease is within rounding, as where both values are at the bound. */
static double bounded_gain(const split_rules *r, bin_sum left, double g, double h) {
    const double gl = (double)left.gradient, hl = hessian_of(r, left.hessian_count);
    const double low = node_value(r, gl, hl), high = node_value(r, g, h);
    if ((r->monotone > 0 && low > high) || (r->monotone < 0 && low < high)) return -1.0;
    const double one = gl * low, other = g * high, gain = r->parent_loss - one - other;
    return gain > 0x1p-50 * (fabs(one) + fabs(other)) ? gain : -1.0;
}

/* (double)x by instructions that vectors have before AVX-512: each half of x becomes the last bits
   of a large number, from which the exact half is recovered by a subtraction; their sum is rounded
   once. A fit of 1e4 x 20 takes a quarter less time. */
static INLINE double as_double(int64_t x) {
#if defined(__AVX512DQ__) || !defined(STATFAST_VECTORS)
    return (double)x;
#else
    const uint64_t bits[2] = {((uint64_t)x & 0xffffffff) | 0x4330000000000000,
                              ((uint64_t)x >> 32) ^ 0x4530000080000000};
    double low, high;
    memcpy(&low, bits, sizeof low);
    memcpy(&high, bits + 1, sizeof high);
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
#endif
}

/* The gains of m candidate splits with the given sums of the left child; -1 where a child is too
   small. */
static void gains_of(
    const split_rules *r, const bin_sum *left, ptrdiff_t m, double *gain) {
    const int64_t total_g = r->total.gradient, total_h = r->total.hessian_count;
    const int64_t mask = r->count_mask, least = r->least_rows;
    const int bits = r->count_bits;
    const double l2 = r->l2, least_h = r->least_hessian, shrunk = r->shrunk;
    const double expected = r->expected, lowest = r->floor;
    for (ptrdiff_t i = 0; i < m; i++) {
        const int64_t gl = left[i].gradient, hcl = left[i].hessian_count;
        const int64_t gr = total_g - gl, hcr = total_h - hcl;
        const double a = as_double(gl), b = as_double(gr);
        const double hl = as_double((int64_t)((uint64_t)hcl >> bits));
        const double hr = as_double((int64_t)((uint64_t)hcr >> bits));
        const int fits = ((hcl & mask) >= least) & ((hcr & mask) >= least) &
                         (hl + expected * a >= least_h) & (hr + expected * b >= least_h);
        const double ul = lowest * (double)(hcl & mask), ur = lowest * (double)(hcr & mask);
        const double u = (hl < ul ? ul : hl) + l2, v = (hr < ur ? ur : hr) + l2;
        const double d = a * v - b * u;
        gain[i] = fits ? d * d / (u * v * (u + v)) - shrunk : -1.0;
    }
    if (!r->bounded) return;
    for (ptrdiff_t i = 0; i < m; i++)
        if (gain[i] != -1.0) {
            const double g = (double)(total_g - left[i].gradient);
            gain[i] = bounded_gain(r, left[i], g, hessian_of(r, total_h - left[i].hessian_count));
        }
}

/* The first of the best candidates that gains more than `best` holds; -1 if none does. */
static ptrdiff_t best_of(const double *gain, ptrdiff_t m, double *best) {
    enum { GAIN_LANES = 8 };
    double most[GAIN_LANES];
    ptrdiff_t i = 0;
    for (int k = 0; k < GAIN_LANES; k++) most[k] = *best;
    for (; i + GAIN_LANES <= m; i += GAIN_LANES)
        for (int k = 0; k < GAIN_LANES; k++)
            most[k] = gain[i + k] > most[k] ? gain[i + k] : most[k];
    for (; i < m; i++) most[0] = gain[i] > most[0] ? gain[i] : most[0];
    for (int k = 1; k < GAIN_LANES; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    if (!(most[0] > *best)) return -1;
    *best = most[0];
    for (i = 0; gain[i] != most[0];) i++;
    return i;
}

static INLINE void add_to(bin_sum *sum, const bin_sum *x) {
    sum->gradient += x->gradient;
    sum->hessian_count += x->hessian_count;
}

/* The best split of codes in their order; `missing` is the place of missing values, or 0. */
static void split_ordered(
    const split_rules *r, const bin_sum *h, int codes, int missing, boosted_split *best) {
    bin_sum left[N_CODES], sum = {0, 0};
    double gain[N_CODES];
    const int ends = missing ? codes : codes - 1; /* after the last, only missing values go right */
    for (int c = 0; c < ends; c++) {
        add_to(&sum, h + c);
        left[c] = sum;
    }
    gains_of(r, left, ends, gain);
    ptrdiff_t at = best_of(gain, ends, &best->gain);
    if (at >= 0) {
        best->code = (uint8_t)at;
        best->missing_left = 0;
        best->left = left[at];
    }
    if (!missing) return;
    for (int c = 0; c < codes - 1; c++) add_to(left + c, h + missing);
    gains_of(r, left, codes - 1, gain);
    at = best_of(gain, codes - 1, &best->gain);
    if (at >= 0) {
        best->code = (uint8_t)at;
        best->missing_left = 1;
        best->left = left[at];
    }
}

/* The best split of categories in the order of G / (H + the hessian of 10 mean rows) (Fisher 1958).
   Rare categories go right. */
static void split_categories(
    const split_rules *r, const bin_sum *h, int codes, int missing, boosted_split *best) {
    int order[N_CODES], used = 0;
    double key[N_CODES], gain[N_CODES];
    bin_sum left[N_CODES];
    const double rows = (double)(r->total.hessian_count & r->count_mask);
    const double factor = rows / (hessian_of(r, r->total.hessian_count) +
                                  r->expected * (double)r->total.gradient);
    for (int c = 0; c < codes + missing; c++) {
        const int code = c < codes ? c : MISSING_CODE;
        const double hessian = hessian_of(r, h[code].hessian_count);
        const double gradient = (double)h[code].gradient;
        if (!((hessian + r->expected * gradient) * factor >= MIN_ORDERED_ROWS)) continue;
        const double k = gradient / (hessian + r->smoothing);
        int i = used++;
        for (; i > 0 && key[i - 1] > k; i--) {
            key[i] = key[i - 1];
            order[i] = order[i - 1];
        }
        key[i] = k;
        order[i] = code;
    }
    if (used <= 1) return;
    for (int down = 0; down < 2; down++) {
        const int ends = (used + 1) / 2 - down;
        bin_sum sum = {0, 0};
        for (int i = 0; i < ends; i++) {
            add_to(&sum, h + order[down ? used - 1 - i : i]);
            left[i] = sum;
        }
        gains_of(r, left, ends, gain);
        const ptrdiff_t at = best_of(gain, ends, &best->gain);
        if (at < 0) continue;
        best->left = left[at];
        memset(best->set, 0, sizeof best->set);
        for (int i = 0; i <= at; i++) {
            const int code = order[down ? used - 1 - i : i];
            best->set[code >> 6] |= (uint64_t)1 << (code & 63);
        }
        best->missing_left = (uint8_t)(best->set[MISSING_CODE >> 6] >> (MISSING_CODE & 63) & 1);
    }
}

/* Whether the mean gradients of the children differ by more than rounding: that of the gradients of
   rows to integers, and that of the difference of two products. */
static int differs(const split_rules *r, bin_sum left, double rounding) {
    const int64_t whole = r->total.hessian_count, rows = left.hessian_count & r->count_mask;
    const double nl = (double)rows, nr = (double)((whole & r->count_mask) - rows);
    const double a = (double)left.gradient, b = (double)(r->total.gradient - left.gradient);
    const double u = hessian_of(r, left.hessian_count) + r->l2;
    const double v = hessian_of(r, whole - left.hessian_count) + r->l2;
    const double of_rows = (fabs(a) + u) * nr + (fabs(b) + v) * nl;
    return fabs(a * v - b * u) > rounding * of_rows + 0x1p-51 * (fabs(a) * v + fabs(b) * u);
}

static void split_column(const grower *t, ptrdiff_t node, ptrdiff_t j, boosted_split *best) {
    const growing_node *g = t->growing + node;
    const bin_sum *h = g->histogram + (t->first ? t->first[j] : j * HIST_STRIDE);
    const int64_t count_mask = ((int64_t)1 << t->count_bits) - 1;
    /* One child has no zero, as a split parts them from others. */
    if (t->zero &&
        ((g->total.hessian_count - h[t->zero[j]].hessian_count) & count_mask) < t->least_rows)
        return;
    const double bounds[2] = {g->lower, g->upper};
    split_rules r = {
        .l2 = t->l2 / t->hessian_unit,
        .smoothing = MIN_ORDERED_ROWS * t->row_hessian / t->hessian_unit,
        .least_hessian = MIN_HESSIAN * t->row_hessian / t->hessian_unit,
        .expected = t->adds_to_expected ? t->gradient_unit / t->hessian_unit : 0.0,
        .floor = t->adds_to_expected ? t->rounding : 0.0,
        .lower = bounds[0], .upper = bounds[1],
        .least_rows = t->least_rows, .count_bits = t->count_bits, .total = g->total,
        .count_mask = count_mask,
    };
    r.monotone = t->monotone ? t->monotone[j] : 0;
    r.bounded = r.monotone != 0 || bounds[0] > -INFINITY || bounds[1] < INFINITY;
    /* G^2 / (h + l2) - G^2 / (h + 2 l2) */
    const double G = (double)g->total.gradient, h_all = hessian_of(&r, g->total.hessian_count);
    const double whole = G * G / (h_all + r.l2);
    r.parent_loss = node ? t->nodes[node].value * G : -whole;
    r.shrunk = whole * (r.l2 / (h_all + 2.0 * r.l2));
    best->gain = 0.0;
    best->feature = (int32_t)j;
    best->categorical = t->categorical[j];
    if (best->categorical) split_categories(&r, h, t->codes[j], t->missing[j], best);
    else if (!t->missing[j]) split_ordered(&r, h, t->codes[j], 0, best);
    else split_ordered(&r, h, t->codes[j], t->first ? t->codes[j] : MISSING_CODE, best);
    if (!(best->gain > 0.0)) return;
    if (!differs(&r, best->left, t->rounding)) {
        best->gain = 0.0;
        return;
    }
    const bin_sum *l = &best->left;
    best->value_left = node_value(&r, (double)l->gradient, hessian_of(&r, l->hessian_count));
    best->value_right = node_value(
        &r, (double)(r.total.gradient - l->gradient),
        hessian_of(&r, r.total.hessian_count - l->hessian_count));
}
