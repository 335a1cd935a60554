/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns of rows on the way to a subtree and in it: part of cart/shap/shap_level.h. */

#define MAX_BITS 32 /* of a pattern; rows of longer ones are taken one by one */
#define SHORT 8       /* numbers of a row are padded to this, and added with those of all columns, */
#define MAX_SHORT 32  /* up to this many */

/* The way from the root to a node, and room for one subtree at a time. */
typedef struct {
    const shap_tree *s;
    const shap_rules *rules;
    const shap_block *b;
    int32_t *node, *slot, *before_level; /* (depth,) splits of the way; their columns' places; and
                                            the level that had the column before, or -1 */
    uint8_t *right;                      /* (depth,) the side of the way */
    uint32_t *follows;                   /* (depth, words) rows that take all ways of the column */
    int32_t *level;                      /* (longest + splits,) the last level of a column */
    int32_t *column;                     /* (longest + splits,) */
    int32_t *place;                      /* (p,) of a column among them, or -1 */
    ptrdiff_t path;                      /* columns of the way */
    uint32_t *sides;                     /* (splits, words) rows that go left */
    uint32_t *keys;                      /* (32, words) of row 32 b + i at [i, b] */
    uint64_t *known;                     /* (slots) patterns and their numbers, a hash table */
    uint32_t *pattern;                   /* (rows,) */
    int32_t *id;                         /* (rows,) */
    int slot_bits;
    double *share, *gain, *tables, *fixed; /* see subtree.h */
    uint32_t *bits;                        /* (longest + splits,) follows, then left */
    uint32_t *left, *alive;
    int32_t *places, *coefficients;
    double *weights, *stack, *sum;
    ptrdiff_t *offset;                     /* values of a pattern: their places in a row */
    ptrdiff_t stride;                      /* doubles from a pattern to the next in `values` */
    double *values;
    size_t capacity;
    double *rows;                          /* (m, stride) sums of the tree, if rows are short */
} walk;

/* The arrays of a walk, in one piece of memory; NULL if there is none. */
static void *allocate(walk *w) {
    const shap_tree *s = w->s;
    const ptrdiff_t words = w->b->words, rows = words * SHAP_ROWS, Q = w->rules->most;
    const ptrdiff_t depth = s->depth + 1, longest = s->longest + SHAP_SPLITS + 1;
    const ptrdiff_t pairs = w->b->pairs ? longest : 1, wide = longest < 32 ? 32 : longest;
    const ptrdiff_t nodes = 2 * SHAP_SPLITS + 1;
    const ptrdiff_t numbers = (w->b->p * s->C + SHORT - 1) / SHORT * SHORT;
    w->stride = w->b->pairs || numbers > MAX_SHORT ? 0 : numbers;
    w->slot_bits = 6;
    while ((1 << w->slot_bits) < 2 * rows) w->slot_bits++;
    const ptrdiff_t slots = (ptrdiff_t)1 << w->slot_bits;
    struct { void **at; double size; } parts[] = {
        {(void **)&w->share, 8.0 * longest},
        {(void **)&w->gain, 8.0 * longest * Q},
        {(void **)&w->tables, 16.0 * Q * (SHAP_SPLITS + 1)},
        {(void **)&w->fixed, 32.0 * Q},
        {(void **)&w->weights, 8.0 * Q * SHAP_ROWS},
        {(void **)&w->stack, 8.0 * Q * SHAP_ROWS * (2 * SHAP_SPLITS + 3)},
        {(void **)&w->sum, 8.0 * longest * SHAP_ROWS},
        {(void **)&w->offset, sizeof(ptrdiff_t) * (double)longest * pairs},
        {(void **)&w->node, 4.0 * depth},
        {(void **)&w->slot, 4.0 * depth},
        {(void **)&w->before_level, 4.0 * depth},
        {(void **)&w->follows, 4.0 * depth * words},
        {(void **)&w->level, 4.0 * longest},
        {(void **)&w->column, 4.0 * longest},
        {(void **)&w->place, 4.0 * w->b->p},
        {(void **)&w->sides, 4.0 * SHAP_SPLITS * words},
        {(void **)&w->keys, 4.0 * rows},
        {(void **)&w->known, 8.0 * slots},
        {(void **)&w->pattern, 4.0 * rows},
        {(void **)&w->id, 4.0 * rows},
        {(void **)&w->bits, 4.0 * wide},
        {(void **)&w->left, 4.0 * nodes},
        {(void **)&w->alive, 4.0 * nodes},
        {(void **)&w->places, 4.0 * nodes},
        {(void **)&w->coefficients, 4.0 * nodes},
        {(void **)&w->right, 1.0 * depth},
        {(void **)&w->rows, 8.0 * w->stride * rows},
    };
    const size_t n = sizeof parts / sizeof parts[0];
    double total = 0;
    for (size_t i = 0; i < n; i++) total += parts[i].size + 64;
    char *bytes = total < 9e15 ? (char *)malloc((size_t)total) : NULL;
    if (!bytes) return NULL;
    char *next = bytes;
    for (size_t i = 0; i < n; i++) {
        *parts[i].at = next;
        next += ((size_t)parts[i].size + 63) / 64 * 64;
    }
    for (ptrdiff_t j = 0; j < w->b->p; j++) w->place[j] = -1;
    if (w->stride) memset(w->rows, 0, (size_t)(w->stride * rows) * sizeof(double));
    else w->rows = NULL;
    return bytes;
}

/* The bits of rows that go left at a node. */
static void find_sides(const walk *w, int32_t node, uint32_t *sides) {
    const cart_step *step = w->s->route.tree + node;
    const shap_block *b = w->b;
    const ptrdiff_t column = step->column & (ROUTE_SETS - 1);
    if (w->s->routed) {
        memset(sides, 0, (size_t)b->words * sizeof(uint32_t));
        for (ptrdiff_t i = 0; i < b->m; i++)
            sides[i / 32] |= (uint32_t)!routed_side(&w->s->route, node, b->x + i * b->p) << i % 32;
        return;
    }
    const f64_v threshold = f64_set1(step->threshold);
    const double *x = b->columns + column * b->words * SHAP_ROWS;
    for (ptrdiff_t i = 0; i < b->words; i++, x += SHAP_ROWS) {
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

/* Go on to a side of the split at the end of the way. */
static void follow(walk *w, ptrdiff_t end) {
    const ptrdiff_t words = w->b->words;
    uint32_t *follows = w->follows + end * words;
    const uint32_t *before = NULL;
    find_sides(w, w->node[end], follows);
    if (w->before_level[end] >= 0) before = w->follows + w->before_level[end] * words;
    const uint32_t other = w->right[end] ? 0xffffffffu : 0;
    for (ptrdiff_t i = 0; i < words; i++)
        follows[i] = (follows[i] ^ other) & (before ? before[i] : 0xffffffffu);
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

/* Transpose 32 x 32 bits in each of `n` columns of a (32, n). */
static void transpose(uint32_t *a, ptrdiff_t n) {
    uint32_t mask = 0x0000ffffu;
    for (int j = 16; j; j >>= 1, mask ^= mask << j) {
        for (int k = 0; k < 32; k = (k + j + 1) & ~j) {
            uint32_t *low = a + k * n, *high = a + (k + j) * n;
            for (ptrdiff_t i = 0; i < n; i++) {
                const uint32_t t = ((low[i] >> j) ^ high[i]) & mask;
                low[i] ^= t << j;
                high[i] ^= t;
            }
        }
    }
}

/* Number the patterns of rows; returns how many there are. */
static ptrdiff_t number_patterns(walk *w, ptrdiff_t n_bits) {
    const uint32_t last = (1u << w->slot_bits) - 1;
    const int direct = n_bits <= w->slot_bits;
    ptrdiff_t count = 0;
    memset(w->known, 0xff, sizeof(uint64_t) << w->slot_bits);
    for (ptrdiff_t r = 0; r < w->b->m; r++) {
        const uint32_t key = w->keys[(r & 31) * w->b->words + (r >> 5)];
        uint32_t at = direct ? key : (key * 2654435769u) >> (32 - w->slot_bits);
        uint64_t known;
        while ((known = w->known[at]) != UINT64_MAX && known >> 32 != key) at = (at + 1) & last;
        if (known == UINT64_MAX) {
            known = w->known[at] = (uint64_t)key << 32 | (uint64_t)count;
            w->pattern[count++] = key;
        }
        w->id[r] = (int32_t)known;
    }
    return count;
}
