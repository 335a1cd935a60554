/* SPDX-License-Identifier: BSD-3-Clause */
/* The way from the root to a subtree, and its arrays: part of cart/shap/shap_level.h. */

#define MAX_BITS 64  /* of a pattern; rows of longer ones are taken one by one */
#define SHORT 8      /* numbers of a row are padded to this, and added with those of all columns, */
#define MAX_SHORT 32 /* up to this many */
#define LINE 64      /* bytes of a line of the cache, at which arrays begin */

/* Rows, or patterns of a larger subtree that stand for rows. */
typedef struct {
    ptrdiff_t m, words;
    uint32_t *follows;     /* (depth, words) rows that take all ways of the column */
    uint32_t *sides;       /* (splits, words) rows that go left in a subtree */
    uint32_t *alive;       /* (splits, words) rows that follow the column above */
    const uint32_t *given; /* (nodes, words) rows that go left, or NULL: rows are compared */
    int32_t first;         /* the node where these begin */
    uint32_t *keys;        /* (64, words + KEY_GAP) of row 32 b + i at [i, b] */
    int32_t *known;        /* (slots,) numbers of patterns, a hash table, or -1 */
    uint64_t *slot_key;    /* (slots,) the patterns */
    uint64_t *pattern;     /* (m,) */
    int32_t *id;           /* (m,) */
    double *sums;          /* (m, stride) of the tree, if rows are short */
    char *room;
    double *values; /* (patterns, stride) in the room */
    size_t capacity;
} row_set;

#define KEY_GAP 16 /* words, so that keys of a row do not fall on each other in the cache */

/* Rows of a background, in words of bits, on a way and in a small subtree: background.h. */
typedef struct {
    ptrdiff_t words;        /* 0: there are none */
    uint32_t *all;          /* (words,) */
    uint32_t *follows;      /* (depth, words) rows that take all ways of the column */
    uint32_t *ways;         /* (nodes, 2, words) and that of a split, to its left and right */
    uint32_t *reaches;      /* (splits + 1, SHAP_ROWS, words) that reach a node with a pattern */
    const uint32_t **takes; /* (used,) of a column, rows that take all ways to a node, or NULL */
    uint32_t *holds;        /* (used,) and the patterns that do */
    int32_t *columns;       /* (used,) places of the columns above a node */
    ptrdiff_t n_columns;
    uint64_t *differs;      /* (used,) rows that go another way than a pattern does */
    int32_t *order;         /* (2, used) places of columns, those first that a pattern holds */
    double *earned;         /* (used,) or of pairs (used, used) */
} against;

/* The way from the root to a node, and room for one subtree at a time. */
typedef struct {
    const shap_tree *s;
    const shap_rules *rules;
    const shap_block *b;
    row_set sets[2], *set;               /* rows, and patterns; and those that are on the way */
    int32_t *node, *slot, *before_level; /* (depth,) splits of the way; their columns' places; and
                                            the level that had the column before, or -1 */
    uint8_t *right;                      /* (depth,) the side of the way */
    int32_t *level;                      /* (longest + splits,) the last level of a column */
    int32_t *column;                     /* (longest + splits,) */
    int32_t *place;                      /* (p,) of a column among them, or -1 */
    ptrdiff_t path;                      /* columns of the way */
    double *share, *rest, *gain, *tables, *fixed; /* see subtree.h */
    uint32_t *bits;                               /* (longest + splits,) follows, then left */
    uint32_t *left, *alive;
    int32_t *places, *coefficients;
    double *weights, *stack, *sum, *factor;
    ptrdiff_t *offset;                   /* values of a pattern: their places in a row */
    uint32_t *given;                     /* (nodes, words) sides of patterns in a larger subtree */
    against background;
    ptrdiff_t stride;                    /* doubles from a pattern to the next in `values` */
} walk;

static char *aligned(char *bytes) { return bytes + (-(uintptr_t)bytes & (LINE - 1)); }

/* The arrays of a walk, in one piece of memory; NULL if there is none. */
static void *allocate(walk *w) {
    const shap_tree *s = w->s;
    const ptrdiff_t words = w->b->rows.words, rows = words * SHAP_ROWS, Q = w->rules->most;
    const ptrdiff_t others = w->b->background.words;
    against *g = &w->background;
    const ptrdiff_t depth = s->depth + 1, longest = s->longest + GROUP_SPLITS + 1;
    const ptrdiff_t pairs = w->b->pairs ? longest : 1, wide = longest < 64 ? 64 : longest;
    const ptrdiff_t nodes = 2 * GROUP_SPLITS + 1;
    const ptrdiff_t numbers = (w->b->p * s->C + SHORT - 1) / SHORT * SHORT;
    w->stride = w->b->pairs || numbers > MAX_SHORT ? 0 : numbers;
    ptrdiff_t slots = 64;
    while (slots < 2 * rows) slots *= 2;
    row_set *row = w->sets, *other = w->sets + 1;
    struct { void **at; double size; } parts[] = {
        {(void **)&w->share, 8.0 * longest},
        {(void **)&w->rest, 8.0 * longest * Q},
        {(void **)&w->gain, 8.0 * longest * Q},
        {(void **)&w->tables, 16.0 * Q * (SHAP_SPLITS + 1)},
        {(void **)&w->fixed, 32.0 * Q},
        {(void **)&w->weights, 8.0 * Q * SHAP_ROWS},
        {(void **)&w->stack, 8.0 * Q * SHAP_ROWS * (2 * SHAP_SPLITS + 3)},
        {(void **)&w->sum, 8.0 * longest * SHAP_ROWS},
        {(void **)&w->factor, 8.0 * longest * SHAP_LANES},
        {(void **)&w->offset, sizeof(ptrdiff_t) * (double)longest * pairs},
        {(void **)&w->node, 4.0 * depth},
        {(void **)&w->slot, 4.0 * depth},
        {(void **)&w->before_level, 4.0 * depth},
        {(void **)&w->level, 4.0 * longest},
        {(void **)&w->column, 4.0 * longest},
        {(void **)&w->place, 4.0 * w->b->p},
        {(void **)&w->bits, 4.0 * wide},
        {(void **)&w->left, 4.0 * nodes},
        {(void **)&w->alive, 4.0 * nodes},
        {(void **)&w->places, 4.0 * nodes},
        {(void **)&w->coefficients, 4.0 * nodes},
        {(void **)&w->right, 1.0 * depth},
        {(void **)&g->all, 4.0 * others},
        {(void **)&g->follows, 4.0 * depth * others},
        {(void **)&g->ways, 8.0 * nodes * others},
        {(void **)&g->reaches, 4.0 * (SHAP_SPLITS + 1) * SHAP_ROWS * others},
        {(void **)&g->takes, sizeof(uint32_t *) * (double)longest},
        {(void **)&g->holds, 4.0 * longest},
        {(void **)&g->columns, 4.0 * longest},
        {(void **)&g->differs, 8.0 * longest},
        {(void **)&g->order, 8.0 * longest},
        {(void **)&g->earned, 8.0 * longest * pairs},
        {(void **)&w->given, w->stride ? 4.0 * nodes * words : 0.0},
        /* of rows and of patterns */
        {(void **)&row->follows, 4.0 * depth * words},
        {(void **)&row->sides, 4.0 * GROUP_SPLITS * words},
        {(void **)&row->alive, 4.0 * GROUP_SPLITS * words},
        {(void **)&row->keys, 4.0 * MAX_BITS * (words + KEY_GAP)},
        {(void **)&row->known, 4.0 * slots},
        {(void **)&row->slot_key, 8.0 * slots},
        {(void **)&row->pattern, 8.0 * rows},
        {(void **)&row->id, 4.0 * rows},
        {(void **)&row->sums, 8.0 * w->stride * rows},
        {(void **)&other->follows, 4.0 * depth * words},
        {(void **)&other->sides, 4.0 * SHAP_SPLITS * words},
        {(void **)&other->alive, 4.0 * SHAP_SPLITS * words},
        {(void **)&other->keys, 4.0 * MAX_BITS * (words + KEY_GAP)},
        {(void **)&other->known, 4.0 * slots},
        {(void **)&other->slot_key, 8.0 * slots},
        {(void **)&other->pattern, 8.0 * rows},
        {(void **)&other->id, 4.0 * rows},
        {(void **)&other->sums, 8.0 * w->stride * rows},
    };
    const size_t all = sizeof parts / sizeof parts[0], n = w->stride ? all : all - 9;
    double total = LINE;
    for (size_t i = 0; i < n; i++) total += parts[i].size + LINE;
    char *bytes = total < 9e15 ? (char *)malloc((size_t)total) : NULL;
    if (!bytes) return NULL;
    char *next = aligned(bytes);
    for (size_t i = 0; i < n; i++) {
        *parts[i].at = next;
        next += ((size_t)parts[i].size + LINE - 1) / LINE * LINE;
    }
    for (ptrdiff_t j = 0; j < w->b->p; j++) w->place[j] = -1;
    row->m = w->b->rows.m;
    row->words = words;
    other->given = w->given;
    if (w->stride) memset(row->sums, 0, (size_t)(w->stride * rows) * sizeof(double));
    else row->sums = NULL;
    w->set = row;
    g->words = others;
    memset(g->all, 0, (size_t)others * sizeof(uint32_t));
    for (ptrdiff_t i = 0; i < w->b->background.m; i++) g->all[i / 32] |= 1u << i % 32;
    for (ptrdiff_t d = 0; d < longest; d++) g->takes[d] = NULL;
    return bytes;
}
