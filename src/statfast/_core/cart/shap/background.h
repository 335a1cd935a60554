/* SPDX-License-Identifier: BSD-3-Clause */
/* The leaves of a walk with sets of rows, and the walk: part of cart/shap/shap_level.h. What sets
   are, and the idea, stand in cart/shap/background_sets.h. */

static const int64_t LANE_BIT[SHAP_LANES] = {
    1, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
    1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15,
};

static INLINE double beta_at(const shap_block *b, ptrdiff_t u, ptrdiff_t v) {
    return u < 0 || v < 0 ? 0.0 : b->beta[u * (b->D + 1) + v];
}

/* Weigh rows of the background for pairs with the column at `by`: their gain, and the sum of what
   columns lose. */
static NOINLINE double weigh_pairs(const sets_walk *w, const uint64_t *lost, ptrdiff_t count,
                                   ptrdiff_t b, ptrdiff_t by) {
    const uint64_t *absent = w->arena + w->absent[by / 64];
    const int is_lost = lost[by / 64] >> by % 64 & 1;
    double loss = 0.0;
    for (ptrdiff_t j = 0; j < count; j++) {
        const ptrdiff_t a = w->missing[j], of_by = is_lost ? 1 : 2;
        double half = 0.5 * (double)(absent[w->reached[j]] >> by % 64 & 1);
        if (is_lost) half = -0.5;
        w->gain[j] = half * beta_at(w->b, b - is_lost, a - of_by);
        loss += half * beta_at(w->b, b - 1 - is_lost, a - of_by + 1);
    }
    return loss;
}

/* Lanes whose bit is set: it makes a number greater than 1. */
static INLINE f64_m has_bit(uint64_t bits, int part) {
    const f64_i set = f64_iset1((int64_t)bits) & f64_iload(LANE_BIT + part * F64_LANES);
    return f64_gt(f64_asreal(set | f64_asint(f64_set1(1.0))), f64_set1(1.0));
}

/* Write what columns earn by a leaf of value 1 to `earned`; of pairs, half of what they earn more
   together with the column at `by`, which is -1 otherwise. */
static NOINLINE void earn_columns(const sets_walk *w, const uint64_t *lost, ptrdiff_t count,
                                ptrdiff_t b, ptrdiff_t by) {
    double loss = 0.0;
    if (by < 0) {
        const double *of_gain = w->b->beta + b * (w->b->D + 1) - 1;
        const double *of_loss = w->b->beta + (b - (b > 0)) * (w->b->D + 1);
        for (ptrdiff_t j = 0; j < count; j++) {
            const ptrdiff_t a = w->missing[j];
            w->gain[j] = of_gain[a + !a]; /* of no columns where there are none */
            loss += of_loss[a];
        }
    } else {
        loss = weigh_pairs(w, lost, count, b, by);
    }
    const double *gain = w->gain;
    const int32_t *reached = w->reached;
    for (ptrdiff_t k = 0; k < w->path; k += SHAP_LANES) {
        const uint64_t *absent = w->arena + w->absent[k / 64];
        const int shift = k % 64;
        f64_v total[PARTS];
        EACH_PART total[v] = f64_set1(0.0);
        for (ptrdiff_t j = 0; j < count; j++) {
            const uint64_t bits = absent[reached[j]] >> shift;
            EACH_PART total[v] = f64_add_if(has_bit(bits, v), total[v], f64_set1(gain[j]));
        }
        EACH_PART {
            const f64_m is_lost = has_bit(lost[k / 64] >> shift, v);
            f64_store(w->earned + k + v * F64_LANES,
                      f64_add_if(is_lost, total[v], f64_set1(-loss)));
        }
    }
}

/* List the rows of the background whose bits are set, and how many columns each does not take;
   returns how many there are. */
static INLINE ptrdiff_t list_reached(const sets_walk *w, const uint64_t *bits) {
    int32_t *reached = w->reached, *missing = w->missing;
    const uint64_t *absent = w->arena + w->absent[0];
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < w->words; k++)
        for (uint64_t rest = bits[k]; rest; rest &= rest - 1) {
            const ptrdiff_t i = 64 * k + LOWEST_BIT(rest);
            reached[count] = (int32_t)i;
            missing[count++] = (int32_t)POPCOUNT(absent[i]);
        }
    for (ptrdiff_t q = 1; q < w->masks; q++)
        for (ptrdiff_t j = 0; j < count; j++)
            missing[j] += (int32_t)POPCOUNT(w->arena[w->absent[q] + reached[j]]);
    return count;
}

/* Add what columns earn by a leaf to the rows of a group. */
static INLINE void add_earned(const sets_walk *w, const uint64_t *group, const double *value,
                              ptrdiff_t by) {
    const shap_block *b = w->b;
    const ptrdiff_t C = w->s->C, outputs = b->outputs, row = b->p * outputs, n = w->path;
    const int32_t *column = w->column;
    const double *earned = w->earned;
    for (uint64_t i = group[GROUP_BEGIN]; i < group[GROUP_END]; i++) {
        double *out = b->out + w->rows[i] * row * (by < 0 ? 1 : b->p) + b->to;
        if (by >= 0) out += column[by] * row;
        for (ptrdiff_t c = 0; c < C; c++) {
            const double scaled = b->weight * value[c];
            for (ptrdiff_t k = 0; k < n; k++) out[column[k] * outputs + c] += earned[k] * scaled;
        }
    }
}

/* Add the values of `count` groups at a leaf. */
static NOINLINE void add_leaf(const sets_walk *w, int32_t leaf, const uint64_t *group,
                              ptrdiff_t count) {
    const double *value = w->s->values + leaf_of(w->s->route.tree + leaf) * w->s->C;
    for (; count; count--, group += w->size) {
        const uint64_t *lost = group + GROUP_LOST;
        const ptrdiff_t reached = list_reached(w, lost + w->masks);
        ptrdiff_t b = 0;
        for (ptrdiff_t q = 0; q < w->masks; q++) b += POPCOUNT(lost[q]);
        for (ptrdiff_t by = w->b->pairs ? 0 : -1; by < (w->b->pairs ? w->path : 0); by++) {
            earn_columns(w, lost, reached, b, by);
            add_earned(w, group, value, by);
        }
    }
}

/* Go through the tree; 0: no memory. */
static int walk_sets(sets_walk *w) {
    const cart_step *tree = w->s->route.tree;
    split_of_sets *f = w->splits;
    if (shap_is_leaf(tree)) return 1;
    f->node = 0;
    f->end = (int32_t)w->s->nodes;
    f->groups = w->absent[0] - w->size;
    f->count = 1;
    if (!enter_split(w, f)) return 0;
    while (f >= w->splits) {
        if (f->side == 2) {
            w->ways[f->place] = f->before_ways;
            w->absent[f->place / 64] = f->before_absent;
            if (f->before_ways < 0) w->place[w->column[--w->path]] = -1;
            w->top = f->groups;
            f--;
            continue;
        }
        const int right = f->side++;
        const int32_t child = right ? tree[f->node].right : f->node + 1;
        const int32_t end = right ? f->end : tree[f->node].right;
        if (child >= w->stop || end <= w->begin) continue;
        w->top = f->ways + 2 * w->words;
        const ptrdiff_t count = find_groups(w, f, right), groups = w->top;
        if (count < 0) return 0;
        if (!count) continue;
        w->top += count * w->size;
        if (!note_absent(w, f, right)) return 0;
        if (shap_is_leaf(tree + child)) {
            add_leaf(w, child, w->arena + groups, count);
            continue;
        }
        f++;
        f->node = child;
        f->end = end;
        f->groups = groups;
        f->count = count;
        if (!enter_split(w, f)) return 0;
    }
    return 1;
}

/* The arrays of a walk, but for those that grow; NULL if there is no memory. */
static void *allocate_sets(sets_walk *w) {
    const shap_block *b = w->b;
    const ptrdiff_t others = 64 * w->words, lanes = b->D + SHAP_LANES;
    const array_part parts[] = {
        {(void **)&w->splits, sizeof(split_of_sets) * (w->s->depth + 1.0)},
        {(void **)&w->ways, sizeof(ptrdiff_t) * (b->D + 1.0)},
        {(void **)&w->absent, sizeof(ptrdiff_t) * (double)w->masks},
        {(void **)&w->gain, 8.0 * others},
        {(void **)&w->earned, 8.0 * lanes},
        {(void **)&w->rows, 4.0 * b->rows.m},
        {(void **)&w->sides, 4.0 * b->rows.words},
        {(void **)&w->place, 4.0 * b->p},
        {(void **)&w->column, 4.0 * (b->D + 1)},
        {(void **)&w->reached, 4.0 * others},
        {(void **)&w->missing, 4.0 * others},
    };
    return allocate_parts(parts, sizeof parts / sizeof *parts);
}

static int shap_against(const shap_tree *s, const shap_block *b, int32_t begin, int32_t end) {
    sets_walk w = {.s = s, .b = b, .begin = begin, .stop = end};
    w.words = b->background.words / 2;
    w.masks = b->D / 64 + 1;
    w.size = GROUP_LOST + w.masks + w.words;
    void *bytes = allocate_sets(&w);
    int enough = bytes && reserve(&w, w.size + 64 * w.words);
    if (enough) {
        for (ptrdiff_t i = 0; i < b->rows.m; i++) w.rows[i] = (int32_t)i;
        for (ptrdiff_t j = 0; j < b->p; j++) w.place[j] = -1;
        for (ptrdiff_t q = 0; q < w.masks; q++) w.absent[q] = w.size;
        w.top = w.size + 64 * w.words; /* a group of all rows, which lost no columns */
        memset(w.arena, 0, (size_t)w.top * sizeof(uint64_t));
        w.arena[GROUP_END] = (uint64_t)b->rows.m;
        for (ptrdiff_t i = 0; i < b->background.m; i++)
            w.arena[GROUP_LOST + w.masks + i / 64] |= (uint64_t)1 << i % 64;
        enough = walk_sets(&w);
    }
    free(w.arena);
    free(bytes);
    return enough;
}
