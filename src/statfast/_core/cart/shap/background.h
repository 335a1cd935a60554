/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of 32 patterns in one small subtree, where columns that are not asked about go as in
   rows of a background (Lundberg et al. 2020, interventional): part of cart/shap/shap_level.h,
   which says what a pattern is.

   Of the columns above a leaf, a pattern takes all ways of some, holds, and b others not. A row of
   the background that takes all ways of these b reaches the leaf with the pattern; if a of the
   columns that the pattern holds are ways that the row does not take, the leaf is a product of a
   columns asked about and b not asked about, whose values are beta integrals. Rows are words of
   bits, so that those of one a are counted together. */

static INLINE uint64_t word_at(const uint32_t *words, ptrdiff_t k) {
    uint64_t word;
    memcpy(&word, words + 2 * k, sizeof word);
    return word;
}

static INLINE double beta_at(const shap_block *b, ptrdiff_t u, ptrdiff_t v) {
    return u < 0 || v < 0 ? 0.0 : b->beta[u * (b->D + 1) + v];
}

/* Find the rows of the background that take the ways of the splits of a subtree. */
static void prepare_background(walk *w, int32_t root) {
    const shap_tree *s = w->s;
    against *g = &w->background;
    for (ptrdiff_t i = 0; i < 2 * s->splits[root] + 1; i++) {
        const int32_t above = s->above[root + i], split = (above >> 1) - root;
        const uint32_t *before = g->all;
        uint32_t *left = g->ways + 2 * i * g->words, *right = left + g->words;
        if (shap_is_leaf(s->route.tree + root + i)) continue;
        if (above >= 0 && split < 0) before = g->follows + w->level[w->places[i]] * g->words;
        if (above >= 0 && split >= 0) before = g->ways + (2 * split + (above & 1)) * g->words;
        compare_rows(w, &w->b->background, root + (int32_t)i, left);
        memcpy(right, left, (size_t)g->words * sizeof(uint32_t));
        keep_side(left, 0, before, g->words);
        keep_side(right, 1, before, g->words);
    }
}

/* Keep of the rows that reach a node with each pattern those that reach its child; returns the
   patterns that any row reaches it with. */
static NOINLINE uint32_t restrict_rows(const against *g, uint32_t patterns, uint32_t holds,
                               const uint32_t *takes, const uint32_t *from, uint32_t *to) {
    uint32_t reached = 0;
    for (uint32_t rest = patterns; rest; rest &= rest - 1) {
        const int i = LOWEST_BIT(rest);
        const uint32_t any = holds >> i & 1 ? 0xffffffffu : 0;
        uint32_t rows = 0;
        for (ptrdiff_t k = i * g->words; k < (i + 1) * g->words; k++)
            rows |= to[k] = from[k] & (takes[k - i * g->words] | any);
        reached |= (uint32_t)(rows != 0) << i;
    }
    return reached;
}

/* Add what columns earn by a leaf of value 1 from the rows in a word, which reach it with a pattern
   that holds the first `held` of n columns; of pairs, half of what they earn more together. */
static INLINE void earn_rows(const shap_block *block, const uint64_t *differs, uint64_t rows,
                             ptrdiff_t held, ptrdiff_t n, double *earned) {
    const ptrdiff_t b = n - held;
    uint64_t digit[16]; /* of the number of columns on which a row differs */
    int digits = 0;
    for (; held >> digits; digits++) digit[digits] = 0;
    for (ptrdiff_t k = 0; k < held; k++) {
        uint64_t carry = differs[k];
        for (int d = 0; d < digits; d++) {
            const uint64_t both = digit[d] & carry;
            digit[d] ^= carry;
            carry = both;
        }
    }
    while (rows) {
        const int row = LOWEST_BIT(rows);
        uint64_t same = rows;
        ptrdiff_t a = 0;
        for (int d = 0; d < digits; d++) {
            const uint64_t bit = digit[d] >> row & 1;
            a |= (ptrdiff_t)bit << d;
            same &= ~digit[d] ^ (0 - bit);
        }
        rows &= ~same;
        if (!block->pairs) {
            const double gain = beta_at(block, a - 1, b);
            for (ptrdiff_t k = 0; k < held; k++)
                earned[k] += gain * (double)(int)POPCOUNT(same & differs[k]);
            const double loss = beta_at(block, a, b - 1) * (double)(int)POPCOUNT(same);
            for (ptrdiff_t k = held; k < n; k++) earned[k] -= loss;
            continue;
        }
        const double by[3] = {0.5 * beta_at(block, a - 2, b), -0.5 * beta_at(block, a - 1, b - 1),
                              0.5 * beta_at(block, a, b - 2)};
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t k = 0; k < n; k++)
                earned[i * n + k] += by[(i >= held) + (k >= held)] *
                                     (double)(int)POPCOUNT(same & differs[i] & differs[k]);
    }
}

/* Add the values of patterns at a leaf that rows reach with them. */
static NOINLINE void add_leaf(const walk *w, int32_t leaf, uint32_t patterns,
                              const uint32_t *reaches, ptrdiff_t used, double *values) {
    const against *g = &w->background;
    const shap_block *block = w->b;
    const ptrdiff_t C = w->s->C, n = g->n_columns, sets = block->pairs ? n : 1;
    const double *value = w->s->values + leaf_of(w->s->route.tree + leaf) * C;
    uint64_t *differs = g->differs;
    double *earned = g->earned;
    int32_t *order = g->order, *rest = order + n; /* columns that the pattern holds come first */
    for (; patterns; patterns &= patterns - 1) {
        const int lane = LOWEST_BIT(patterns);
        ptrdiff_t held = 0;
        for (ptrdiff_t k = 0; k < n; k++) { /* without branches, which nothing predicts */
            const int32_t place = g->columns[k];
            order[held] = rest[k - held] = place;
            held += g->holds[place] >> lane & 1;
        }
        memcpy(order + held, rest, (size_t)(n - held) * sizeof(int32_t));
        memset(earned, 0, (size_t)(n * sets) * sizeof(double));
        for (ptrdiff_t word = 0; word < g->words / 2; word++) {
            const uint64_t rows = word_at(reaches + lane * g->words, word);
            if (!rows) continue;
            for (ptrdiff_t k = 0; k < held; k++)
                differs[k] = rows & ~word_at(g->takes[order[k]], word);
            for (ptrdiff_t k = held; block->pairs && k < n; k++) differs[k] = rows;
            earn_rows(block, differs, rows, held, n, earned);
        }
        double *to = values + lane * w->stride;
        for (ptrdiff_t i = 0; i < sets; i++)
            for (ptrdiff_t k = 0; k < n; k++) {
                const ptrdiff_t place = order[k] + (block->pairs ? order[i] * used : 0);
                const ptrdiff_t at = w->set->sums ? w->offset[place] : place * C;
                for (ptrdiff_t c = 0; c < C && !(block->pairs && i == k); c++)
                    to[at + c] += earned[i * n + k] * block->weight * value[c];
            }
    }
}

/* Add the values of patterns at the leaves below a node of the subtree. */
static void add_leaves(walk *w, int32_t root, int32_t node, uint32_t patterns, uint32_t *reaches,
                       ptrdiff_t used, double *values) {
    const cart_step *step = w->s->route.tree + node;
    against *g = &w->background;
    if (shap_is_leaf(step)) {
        add_leaf(w, node, patterns, reaches, used, values);
        return;
    }
    const ptrdiff_t i = node - root;
    const int32_t place = w->places[i];
    const uint32_t *takes = g->takes[place], holds = g->holds[place];
    uint32_t *below = reaches + SHAP_ROWS * g->words;
    if (!takes) g->columns[g->n_columns++] = place;
    for (int right = 0; right < 2; right++) {
        g->takes[place] = g->ways + (2 * i + right) * g->words;
        g->holds[place] = w->alive[i] & (right ? ~w->left[i] : w->left[i]);
        const uint32_t reached =
            restrict_rows(g, patterns, g->holds[place], g->takes[place], reaches, below);
        if (reached)
            add_leaves(w, root, right ? step->right : node + 1, reached, below, used, values);
    }
    g->takes[place] = takes;
    g->holds[place] = holds;
    g->n_columns -= !takes;
}

/* Go down the path with `count` patterns, whose bits are in w->bits; returns those that any row
   reaches its end with. */
static NOINLINE uint32_t reach_root(walk *w, ptrdiff_t count) {
    against *g = &w->background;
    uint32_t patterns = 0xffffffffu >> (SHAP_ROWS - count);
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy(g->reaches + i * g->words, g->all, (size_t)g->words * sizeof(uint32_t));
    for (ptrdiff_t d = 0; d < w->path; d++) {
        g->takes[d] = g->follows + w->level[d] * g->words;
        g->holds[d] = w->bits[d];
        g->columns[d] = (int32_t)d;
        patterns = restrict_rows(g, patterns, w->bits[d], g->takes[d], g->reaches, g->reaches);
    }
    g->n_columns = w->path;
    return patterns;
}

/* Find the values of `count` patterns. */
static void find_background_values(walk *w, int32_t root, ptrdiff_t used, ptrdiff_t count,
                                   double *values) {
    against *g = &w->background;
    const uint32_t patterns = reach_root(w, count);
    memset(values, 0, (size_t)(count * w->stride) * sizeof(double));
    if (patterns) add_leaves(w, root, root, patterns, g->reaches, used, values);
    for (ptrdiff_t d = 0; d < w->path; d++) g->takes[d] = NULL;
}
