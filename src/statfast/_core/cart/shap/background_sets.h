/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of rows against rows of a background (Lundberg et al. 2020, interventional): a walk
   down the tree with sets of both. Part of cart/shap/shap_level.h, as is background.h, where its
   leaves are.

   A mixture of a row and one of the background reaches a node if each column above is one of which
   the row, or the other one, takes all ways. If the row does not take those of b columns, and the
   other one not those of a columns, a leaf is a product of a columns asked about and b not asked
   about, whose values are beta integrals.

   At a node, rows that do not take the ways of the same columns, `lost`, are one group: a slice of
   `rows`. Of the background, a group has the rows that reach the node with it, as bits. A split
   of a column divides the slice; those that go to the other side lose the column, and keep of the
   background what takes it. Groups without rows of the background end, and so do branches without
   groups: the cost is proportional to what is reached, and rows of a group share it.

   What grows on the way down stands in one array of words: bits of the background on the two sides
   of a split, for each of its rows the columns that it lost, and groups. */

/* A split on the way; places are those of words. */
typedef struct {
    int32_t node, end;                    /* where its subtree ends */
    int32_t place, side;                  /* its column's place on the way; sides that are done */
    ptrdiff_t groups, count, ways;        /* (count, size), and (2, words) */
    ptrdiff_t before_ways, before_absent; /* of the column above, or -1 */
} split_of_sets;

typedef struct {
    const shap_tree *s;
    const shap_block *b;
    int32_t begin, stop;             /* the nodes whose leaves are asked for */
    ptrdiff_t words, masks, size;    /* of bits of the background, of columns, and of a group */
    uint64_t *arena;
    ptrdiff_t top, capacity;
    split_of_sets *splits;           /* (depth,) */
    int32_t *rows;                   /* (m,) in the order of groups */
    uint32_t *sides;                 /* (words of rows,) */
    int32_t *place, *column;         /* (p,) of a column on the way, or -1; and (longest,) back */
    ptrdiff_t *ways;                 /* (longest,) rows that take all ways of a column, or -1 */
    ptrdiff_t *absent;               /* (masks,) and for each row columns that it does not take */
    ptrdiff_t path;                  /* columns of the way */
    int32_t *reached, *missing;      /* (rows of the background,) those of a group, and their a */
    double *gain, *earned;           /* (rows of the background,), (longest,) in whole lanes */
} sets_walk;

/* A group: where its slice begins, where those end that go left, where it ends; lost; bits. */
enum { GROUP_BEGIN, GROUP_MIDDLE, GROUP_END, GROUP_LOST };

static int reserve(sets_walk *w, ptrdiff_t words) {
    if (w->top + words <= w->capacity) return 1;
    const ptrdiff_t capacity = 2 * (w->top + words);
    uint64_t *arena = (uint64_t *)realloc(w->arena, (size_t)capacity * sizeof(uint64_t));
    if (!arena) return 0;
    w->arena = arena;
    w->capacity = capacity;
    return 1;
}

/* Divide the slice of a group: those that go left come first; returns where others begin. */
static INLINE int64_t divide(int32_t *rows, const uint32_t *left, int64_t begin, int64_t end) {
    int64_t middle = begin;
    for (int64_t i = begin; i < end; i++) {
        const int32_t row = rows[i];
        rows[i] = rows[middle];
        rows[middle] = row;
        middle += left[row / 32] >> row % 32 & 1;
    }
    return middle;
}

/* Find the rows of both that take the ways of a split; 0: no memory. */
static int enter_split(sets_walk *w, split_of_sets *f) {
    const int32_t column = (int32_t)(w->s->route.tree[f->node].column & (ROUTE_SETS - 1));
    if (!reserve(w, 2 * w->words)) return 0;
    if (w->place[column] < 0) {
        w->place[column] = (int32_t)w->path;
        w->column[w->path] = column;
        w->ways[w->path++] = -1;
    }
    f->place = w->place[column];
    f->before_ways = w->ways[f->place];
    f->before_absent = w->absent[f->place / 64];
    f->side = 0;
    f->ways = w->top;
    w->top += 2 * w->words;
    uint64_t *left = w->arena + f->ways, *right = left + w->words;
    compare_rows(w->s, w->b, &w->b->background, f->node, (uint32_t *)left);
    for (ptrdiff_t k = 0; k < w->words; k++) {
        const uint64_t before = f->before_ways < 0 ? ~(uint64_t)0 : w->arena[f->before_ways + k];
        right[k] = ~left[k] & before;
        left[k] &= before;
    }
    compare_rows(w->s, w->b, &w->b->rows, f->node, w->sides);
    uint64_t *group = w->arena + f->groups;
    for (ptrdiff_t i = 0; i < f->count; i++, group += w->size)
        if (!(group[GROUP_LOST + f->place / 64] >> f->place % 64 & 1))
            group[GROUP_MIDDLE] = (uint64_t)divide(w->rows, w->sides, (int64_t)group[GROUP_BEGIN],
                                                   (int64_t)group[GROUP_END]);
    return 1;
}

/* Write the part of a group that goes to a child, if any of the background does with it; returns
   where the next one is written. */
static INLINE uint64_t *hand_down(const sets_walk *w, const uint64_t *group, uint64_t begin,
                                  uint64_t end, ptrdiff_t mask, uint64_t lost,
                                  const uint64_t *takes, uint64_t *to) {
    uint64_t any = 0;
    to[GROUP_BEGIN] = begin;
    to[GROUP_END] = end;
    for (ptrdiff_t k = GROUP_LOST; k < GROUP_LOST + w->masks; k++) to[k] = group[k];
    to[GROUP_LOST + mask] |= lost;
    for (ptrdiff_t k = 0; k < w->words; k++) {
        const ptrdiff_t at = GROUP_LOST + w->masks + k;
        any |= to[at] = group[at] & (takes ? takes[k] : ~(uint64_t)0);
    }
    return begin < end && any ? to + w->size : to;
}

/* Find the groups that reach the child on a side; they begin at the top. Returns how many there
   are, or -1: no memory. */
static NOINLINE ptrdiff_t find_groups(sets_walk *w, const split_of_sets *f, int right) {
    if (!reserve(w, 2 * f->count * w->size + w->size)) return -1;
    const uint64_t *group = w->arena + f->groups, *takes = w->arena + f->ways + right * w->words;
    const ptrdiff_t mask = f->place / 64;
    const uint64_t bit = (uint64_t)1 << f->place % 64;
    uint64_t *first = w->arena + w->top, *to = first;
    for (ptrdiff_t i = 0; i < f->count; i++, group += w->size) {
        const uint64_t begin = group[GROUP_BEGIN], end = group[GROUP_END];
        if (group[GROUP_LOST + mask] & bit) {
            to = hand_down(w, group, begin, end, mask, bit, takes, to);
            continue;
        }
        const uint64_t middle = group[GROUP_MIDDLE];
        to = hand_down(w, group, right ? middle : begin, right ? end : middle, mask, 0, NULL, to);
        to = hand_down(w, group, right ? begin : middle, right ? middle : end, mask, bit, takes,
                       to);
    }
    return (to - first) / w->size;
}

/* Note for each row of the background whether it takes the ways to a child; 0: no memory. */
static NOINLINE int note_absent(sets_walk *w, const split_of_sets *f, int right) {
    const ptrdiff_t n = 64 * w->words;
    if (!reserve(w, n)) return 0;
    const uint64_t *takes = w->arena + f->ways + right * w->words;
    const uint64_t *before = w->arena + f->before_absent;
    uint64_t *absent = w->arena + w->top;
    for (ptrdiff_t k = 0; k < w->words; k++) {
        const uint64_t other = ~takes[k];
        for (ptrdiff_t i = 64 * k; i < 64 * k + 64; i++)
            absent[i] = before[i] | (other >> (i & 63) & 1) << f->place % 64;
    }
    w->ways[f->place] = f->ways + right * w->words;
    w->absent[f->place / 64] = w->top;
    w->top += n;
    return 1;
}
