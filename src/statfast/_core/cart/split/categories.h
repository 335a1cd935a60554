/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of a node on a column of categories, into two sets of them.

   With one sum beside the weight (two classes, one target) the best sets are the categories up to
   some place in the order of their means (Fisher 1958; Breiman et al. 1984, theorem 4.5). Otherwise
   all 2^(c - 1) - 1 pairs of sets are tried for c <= CART_MAX_SUBSET_CATEGORIES categories in the
   node, and for more of them the prefixes of the order along the first principal component of their
   means (Coppersmith, Hong and Hosking 1999), which need not hold the best.

   A missing value is a category like any other, unless splits are chosen by known values alone.
   Categories that the node has not seen go where missing values go. Random splits draw one pair of
   sets. */

/* Whether all pairs of sets are tried. A cut is then a set, bit by bit, else a place in
   the order. */
static int is_exhaustive(const cart_problem *t, ptrdiff_t used) {
    return (t->outputs > 1 || (t->label && t->channels > 2)) && used <= CART_MAX_SUBSET_CATEGORIES;
}

/* The sums (channels, weight, rows) of each category. Returns the number of categories in the node,
   which `order` lists by rising numbers. */
static CART_SELDOM ptrdiff_t count_categories(const cart_problem *t, const cart_node_rows *v,
                                              cart_scratch *s,
                                  ptrdiff_t f) {
    const ptrdiff_t C = t->channels, step = C + 2, all = t->categories[f] + 1;
    memset(s->table, 0, (size_t)(all * step) * sizeof *s->table);
    for (ptrdiff_t i = 0; i < v->m; i++) {
        int64_t *to = s->table + (ptrdiff_t)rank_of(t, f, v->rows[i]) * step;
        for (ptrdiff_t o = 0; o < t->outputs; o++)
            if (t->label) to[v->cls[o * v->m + i]] += v->w[i];
            else to[o] += v->q[o * v->m + i];
        to[C] += v->w[i];
        to[C + 1]++;
    }
    ptrdiff_t used = 0;
    for (ptrdiff_t c = 0; c < all; c++)
        if (s->table[c * step + C + 1] && !(t->known_only && c == t->missing[f]))
            s->order[used++] = (int32_t)c;
    return used;
}

/* The keys by which categories are ordered: their means along the first principal component. */
static CART_SELDOM void project_categories(const cart_problem *t, cart_scratch *s, ptrdiff_t used) {
    const ptrdiff_t C = t->channels, step = C + 2;
    double *center = s->means + (t->most + 1) * C, *axis = center + C, all = 0;
    for (ptrdiff_t k = 0; k < C; k++) center[k] = axis[k] = 0;
    for (ptrdiff_t u = 0; u < used; u++) {
        const int64_t *sums = s->table + s->order[u] * step;
        for (ptrdiff_t k = 0; k < C; k++) {
            s->means[u * C + k] = (double)sums[k] / (double)sums[C];
            center[k] += (double)sums[k];
        }
        all += (double)sums[C];
    }
    for (ptrdiff_t k = 0; k < C; k++) center[k] /= all;
    double longest = -1;
    for (ptrdiff_t u = 0; u < used; u++) { /* begin with the mean farthest from the center */
        double length = 0;
        for (ptrdiff_t k = 0; k < C; k++) {
            s->means[u * C + k] -= center[k];
            length += s->means[u * C + k] * s->means[u * C + k];
        }
        if (length <= longest) continue;
        longest = length;
        memcpy(axis, s->means + u * C, (size_t)C * sizeof *axis);
    }
    for (int round = 0; round < 30; round++) { /* powers of the covariance */
        double length = 0;
        for (ptrdiff_t k = 0; k < C; k++) center[k] = 0;
        for (ptrdiff_t u = 0; u < used; u++) {
            const double *mean = s->means + u * C;
            double along = 0;
            for (ptrdiff_t k = 0; k < C; k++) along += mean[k] * axis[k];
            along *= (double)s->table[s->order[u] * step + C];
            for (ptrdiff_t k = 0; k < C; k++) center[k] += along * mean[k];
        }
        for (ptrdiff_t k = 0; k < C; k++) length += center[k] * center[k];
        if (!(length > 0)) break;
        for (ptrdiff_t k = 0; k < C; k++) axis[k] = center[k] / sqrt(length);
    }
    for (ptrdiff_t u = 0; u < used; u++) {
        double along = 0;
        for (ptrdiff_t k = 0; k < C; k++) along += s->means[u * C + k] * axis[k];
        s->means[u * C] = along;
    }
}

/* Put the categories of the node in order, ties by their numbers; used: of count_categories. */
static CART_SELDOM void order_categories(const cart_problem *t, cart_scratch *s, ptrdiff_t used) {
    const ptrdiff_t C = t->channels, step = C + 2, k = t->label ? 1 : 0;
    if (is_exhaustive(t, used)) return;
    if (t->outputs > 1 || (t->label && C > 2)) project_categories(t, s, used);
    else
        for (ptrdiff_t u = 0; u < used; u++) {
            const int64_t *sums = s->table + s->order[u] * step;
            s->means[u * C] = C > k ? (double)sums[k] / (double)sums[C] : 0;
        }
    for (ptrdiff_t i = 1; i < used; i++) { /* by insertion, as there are few as a rule */
        const int32_t category = s->order[i];
        const double mean = s->means[i * C];
        ptrdiff_t j = i;
        for (; j > 0 && s->means[(j - 1) * C] > mean; j--) {
            s->order[j] = s->order[j - 1];
            s->means[j * C] = s->means[(j - 1) * C];
        }
        s->order[j] = category;
        s->means[j * C] = mean;
    }
}

static void add_category(const cart_problem *t, cart_scratch *s, ptrdiff_t u, int64_t *weight,
                         int64_t *rows) {
    const int64_t *sums = s->table + s->order[u] * (t->channels + 2);
    for (ptrdiff_t k = 0; k < t->channels; k++) s->left[k] += sums[k];
    *weight += sums[t->channels];
    *rows += sums[t->channels + 1];
}

/* The splits of `used` categories, which are in order. */
static CART_SELDOM void split_categories(const cart_problem *t, const cart_node_rows *v,
                                         cart_scratch *s,
                             ptrdiff_t f, ptrdiff_t used, cart_split *best) {
    const int subsets = is_exhaustive(t, used);
    const int64_t last = subsets ? ((int64_t)1 << (used - 1)) - 1 : used - 1;
    const int32_t lost = t->missing[f];
    int64_t weight = 0, rows = 0;
    memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
    for (int64_t i = 0; i < last; i++) {
        const int64_t cut = subsets ? 2 * i + 1 : i; /* subsets: the first category goes left */
        if (subsets) {
            weight = rows = 0;
            memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
            for (ptrdiff_t u = 0; u < used; u++)
                if (cut >> u & 1) add_category(t, s, u, &weight, &rows);
        } else {
            add_category(t, s, i, &weight, &rows);
        }
        if (!is_allowed(t, v, rows, weight)) continue;
        const double gain = gain_of(t, v, s->left, weight);
        if (!(gain > best->gain)) continue;
        int missing_left = 0;
        for (ptrdiff_t u = 0; u < used; u++)
            missing_left |= s->order[u] == lost && (subsets ? (int)(cut >> u & 1) : u <= cut);
        *best = (cart_split){gain, (int32_t)f, missing_left, cut, NAN, best->turn, best->turn};
    }
}

static CART_SELDOM int category_splits(const cart_problem *t, const cart_node_rows *v,
                                       cart_scratch *s,
                           ptrdiff_t f, cart_split *best) {
    const ptrdiff_t used = count_categories(t, v, s, f);
    if (used < 2) return 0;
    order_categories(t, s, used);
    split_categories(t, v, s, f, used, best);
    return 1;
}

/* ------------------------------------------------------------------ a random pair of sets */
static INLINE uint64_t mixed(uint64_t x) { /* Steele, Lea and Flood 2014, splitmix64 */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int is_drawn_left(int64_t draw, int64_t c) {
    return (int)(mixed((uint64_t)draw + (uint64_t)(c >> 6)) >> (c & 63) & 1);
}

/* Each category of the node goes left or right by a random bit; bits are drawn until both sides
   hold a category (Geurts, Ernst and Wehenkel 2006). The draw serves as the cut. */
static CART_SELDOM int random_categories(const cart_problem *t, const cart_node_rows *v,
                                         cart_scratch *s, ptrdiff_t f, uint64_t draw,
                                         cart_split *best) {
    const ptrdiff_t used = count_categories(t, v, s, f);
    int64_t cut = (int64_t)draw, weight = 0, rows = 0;
    ptrdiff_t left = 0;
    if (used < 2) return 0;
    while (left == 0 || left == used) {
        cut = (int64_t)mixed((uint64_t)cut);
        left = 0;
        for (ptrdiff_t u = 0; u < used; u++) left += is_drawn_left(cut, s->order[u]);
    }
    memset(s->left, 0, (size_t)t->channels * sizeof *s->left);
    for (ptrdiff_t u = 0; u < used; u++)
        if (is_drawn_left(cut, s->order[u])) add_category(t, s, u, &weight, &rows);
    if (!is_allowed(t, v, rows, weight)) return 1;
    const double gain = gain_of(t, v, s->left, weight);
    const int lost = t->missing[f];
    if (gain > best->gain)
        *best = (cart_split){gain, (int32_t)f, lost >= 0 && is_drawn_left(cut, lost), cut, NAN,
                             best->turn, best->turn};
    return 1;
}

/* The sets of a split that was found, (left, right). */
static CART_SELDOM void category_sets(const cart_problem *t, const cart_node_rows *v,
                                      cart_scratch *s,
                          const cart_split *split, uint64_t *set) {
    const ptrdiff_t used = count_categories(t, v, s, split->feature);
    const int subsets = is_exhaustive(t, used);
    if (!t->randomized) order_categories(t, s, used);
    memset(set, 0, (size_t)(2 * t->words) * sizeof *set);
    for (ptrdiff_t u = 0; u < used; u++) {
        const int32_t c = s->order[u];
        const int left = t->randomized ? is_drawn_left(split->cut, c)
                         : subsets     ? (int)(split->cut >> u & 1)
                                       : u <= split->cut;
        if (c != t->missing[split->feature])
            set[(left ? 0 : t->words) + (c >> 6)] |= (uint64_t)1 << (c & 63);
    }
}
