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
    ptrdiff_t stride;                    /* doubles from a pattern to the next in `values` */
} walk;

/* Where an array begins, and its bytes. */
typedef struct {
    void **at;
    double size;
} array_part;

static char *aligned(char *bytes) { return bytes + (-(uintptr_t)bytes & (LINE - 1)); }

/* Arrays in one piece of memory; NULL if there is none. */
static void *allocate_parts(const array_part *parts, size_t n) {
    double total = LINE;
    for (size_t i = 0; i < n; i++) total += parts[i].size + LINE;
    char *bytes = total < 9e15 ? (char *)malloc((size_t)total) : NULL;
    if (!bytes) return NULL;
    char *next = aligned(bytes);
    for (size_t i = 0; i < n; i++) {
        *parts[i].at = next;
        next += ((size_t)parts[i].size + LINE - 1) / LINE * LINE;
    }
    return bytes;
}

/* The arrays of a walk; NULL if there is no memory. */
static void *allocate(walk *w) {
    const shap_tree *s = w->s;
    const ptrdiff_t words = w->b->rows.words, rows = words * SHAP_ROWS, Q = w->rules->most;
    const ptrdiff_t depth = s->depth + 1, longest = s->longest + GROUP_SPLITS + 1;
    const ptrdiff_t pairs = w->b->pairs ? longest : 1, wide = longest < 64 ? 64 : longest;
    const ptrdiff_t nodes = 2 * GROUP_SPLITS + 1;
    const ptrdiff_t numbers = (w->b->p * s->C + SHORT - 1) / SHORT * SHORT;
    w->stride = w->b->pairs || numbers > MAX_SHORT ? 0 : numbers;
    ptrdiff_t slots = 64;
    while (slots < 2 * rows) slots *= 2;
    row_set *row = w->sets, *other = w->sets + 1;
    array_part parts[] = {
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
    const size_t all = sizeof parts / sizeof *parts;
    void *bytes = allocate_parts(parts, w->stride ? all : all - 9);
    if (!bytes) return NULL;
    for (ptrdiff_t j = 0; j < w->b->p; j++) w->place[j] = -1;
    row->m = w->b->rows.m;
    row->words = words;
    other->given = w->given;
    if (w->stride) memset(row->sums, 0, (size_t)(w->stride * rows) * sizeof(double));
    else row->sums = NULL;
    w->set = row;
    return bytes;
}
