/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns of rows on the way to a subtree and in it: part of cart/shap/shap_level.h. */

/* The bits of rows that go left at a node. */
static NOINLINE void compare_rows(const shap_tree *s, const shap_block *b, const shap_rows *rows,
                                  int32_t node, uint32_t *sides) {
    const cart_step *step = s->route.tree + node;
    const ptrdiff_t column = step->column & (ROUTE_SETS - 1), p = b->p;
    if (s->routed) {
        memset(sides, 0, (size_t)rows->words * sizeof(uint32_t));
        for (ptrdiff_t i = 0; i < rows->m; i++)
            sides[i / 32] |= (uint32_t)!routed_side(&s->route, node, rows->x + i * p) << i % 32;
        return;
    }
    const f64_v threshold = f64_set1(step->threshold);
    const double *x = rows->columns + column * rows->words * SHAP_ROWS;
    for (ptrdiff_t i = 0; i < rows->words; i++, x += SHAP_ROWS) {
        unsigned left = 0, number = 0;
        for (int l = 0; l < SHAP_ROWS; l += F64_LANES)
            left |= f64_bits(f64_ge(threshold, f64_load(x + l))) << l;
        if (step->column >> 31) {
            for (int l = 0; l < SHAP_ROWS; l += F64_LANES)
                number |= f64_bits(f64_ge(f64_load(x + l), f64_load(x + l))) << l;
            left |= ~number;
        }
        sides[i] = left;
    }
}

/* The same of rows that are on the way, or of patterns that stand for them. */
static void find_sides(const walk *w, int32_t node, uint32_t *sides) {
    const row_set *set = w->set;
    if (set->given)
        memcpy(sides, set->given + (node - set->first) * set->words,
               (size_t)set->words * sizeof(uint32_t));
    else compare_rows(w->s, w->b, &w->b->rows, node, sides);
}

/* Keep of rows that go left those that go to the side `right` and took all ways `before`. */
static NOINLINE void keep_side(uint32_t *sides, int right, const uint32_t *before,
                               ptrdiff_t words) {
    const uint32_t other = right ? 0xffffffffu : 0;
    for (ptrdiff_t i = 0; i < words; i++)
        sides[i] = (sides[i] ^ other) & (before ? before[i] : 0xffffffffu);
}

/* Go on to a side of the split at the end of the way. */
static void follow(walk *w, ptrdiff_t end) {
    const row_set *set = w->set;
    const int32_t node = w->node[end], before = w->before_level[end];
    uint32_t *follows = set->follows + end * set->words;
    find_sides(w, node, follows);
    keep_side(follows, w->right[end], before < 0 ? NULL : set->follows + before * set->words,
              set->words);
}

static void push(walk *w, ptrdiff_t end, int32_t node) {
    const int32_t column = (int32_t)(w->s->route.tree[node].column & (ROUTE_SETS - 1));
    int32_t slot = w->place[column];
    w->before_level[end] = slot < 0 ? -1 : w->level[slot];
    if (slot < 0) {
        slot = w->place[column] = (int32_t)w->path++;
        w->column[slot] = column;
    }
    w->node[end] = node;
    w->slot[end] = slot;
    w->level[slot] = (int32_t)end;
    w->right[end] = 0;
    follow(w, end);
}

static void pop(walk *w, ptrdiff_t end) {
    const int32_t slot = w->slot[end];
    w->level[slot] = w->before_level[end];
    if (w->before_level[end] >= 0) return;
    w->place[w->column[slot]] = -1;
    w->path--;
}

/* Transpose 32 x 32 bits in each of `n` columns of a (32, n), whose rows are `stride` apart. */
static void transpose(uint32_t *a, ptrdiff_t n, ptrdiff_t stride) {
    uint32_t mask = 0x0000ffffu;
    for (int j = 16; j; j >>= 1, mask ^= mask << j) {
        for (int k = 0; k < 32; k = (k + j + 1) & ~j) {
            uint32_t *low = a + k * stride, *high = a + (k + j) * stride;
            for (ptrdiff_t i = 0; i < n; i++) {
                const uint32_t t = ((low[i] >> j) ^ high[i]) & mask;
                low[i] ^= t << j;
                high[i] ^= t;
            }
        }
    }
}

/* The rows that go left at the splits of a subtree. At a split of a column that a row does not
   follow above, its side is of no matter: it is none, so that more rows share a pattern. */
static void find_subtree_sides(const walk *w, int32_t root) {
    const shap_tree *s = w->s;
    const row_set *set = w->set;
    const ptrdiff_t words = set->words;
    const uint32_t *alive[2 * GROUP_SPLITS + 1], *left[2 * GROUP_SPLITS + 1];
    uint32_t *side = set->sides, *rows = set->alive;
    for (ptrdiff_t i = 0; i < 2 * s->splits[root] + 1; i++) {
        if (shap_is_leaf(s->route.tree + root + i)) continue;
        find_sides(w, root + (int32_t)i, side);
        const int32_t above = s->above[root + i], split = (above >> 1) - root;
        alive[i] = NULL;
        if (above >= 0 && split < 0) alive[i] = set->follows + w->level[w->places[i]] * words;
        if (above >= 0 && split >= 0) {
            const uint32_t other = above & 1 ? 0xffffffffu : 0, *before = alive[split];
            for (ptrdiff_t k = 0; k < words; k++)
                rows[k] = (left[split][k] ^ other) & (before ? before[k] : 0xffffffffu);
            alive[i] = rows;
            rows += words;
        }
        for (ptrdiff_t k = 0; k < words && alive[i]; k++) side[k] &= alive[i][k];
        left[i] = side;
        side += words;
    }
}

/* The bits of a subtree's patterns: those of the columns of the path, then those of its splits. */
static INLINE const uint32_t *bits_of(const walk *w, ptrdiff_t d) {
    const row_set *set = w->set;
    return d < w->path ? set->follows + w->level[d] * set->words
                       : set->sides + (d - w->path) * set->words;
}

/* Number the patterns of rows; returns how many there are. */
static ptrdiff_t number_patterns(walk *w, ptrdiff_t n_bits) {
    row_set *set = w->set;
    const ptrdiff_t words = set->words, stride = words + KEY_GAP, halves = n_bits > 32 ? 2 : 1;
    int slot_bits = 6;
    while ((ptrdiff_t)1 << slot_bits < 2 * set->m) slot_bits++;
    const int direct = n_bits <= slot_bits;
    if (direct) slot_bits = (int)n_bits;
    const uint32_t last = (1u << slot_bits) - 1;
    for (ptrdiff_t d = 0; d < 32 * halves; d++) {
        uint32_t *key = set->keys + d * stride;
        if (d < n_bits) memcpy(key, bits_of(w, d), (size_t)words * sizeof(uint32_t));
        else memset(key, 0, (size_t)words * sizeof(uint32_t));
    }
    for (ptrdiff_t h = 0; h < halves; h++) transpose(set->keys + 32 * h * stride, words, stride);
    memset(set->known, 0xff, sizeof(int32_t) << slot_bits);
    int32_t count = 0;
    for (ptrdiff_t r = 0; r < set->m; r++) {
        const uint32_t *half = set->keys + (r & 31) * stride + (r >> 5);
        const uint64_t key = half[0] | (halves > 1 ? (uint64_t)half[32 * stride] << 32 : 0);
        uint64_t at = direct ? key : (key * 0x9e3779b97f4a7c15u) >> (64 - slot_bits);
        if (!direct)
            while (set->known[at] >= 0 && set->slot_key[at] != key) at = (at + 1) & last;
        int32_t known = set->known[at];
        if (known < 0) {
            known = set->known[at] = count++;
            set->pattern[known] = set->slot_key[at] = key;
        }
        set->id[r] = known;
    }
    return count;
}

/* Write the bits of 32 patterns: bit d of pattern i as bit i of the word to[d]. */
static void spread_patterns(const uint64_t *pattern, ptrdiff_t count, ptrdiff_t n_bits,
                            uint32_t *to) {
    for (int half = 0; half < (n_bits > 32 ? 2 : 1); half++) {
        uint32_t *words = to + 32 * half;
        for (ptrdiff_t i = 0; i < 32; i++)
            words[i] = i < count ? (uint32_t)(pattern[i] >> (32 * half)) : 0;
        transpose(words, 1, 1);
    }
}
