/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of boosted trees: eight rows go down a tree together. */
#include <stddef.h>
#include <stdint.h>

enum { MISSING_LEFT = 1u << 31, CATEGORICAL = 1u << 30, COLUMN = CATEGORICAL - 1, ABREAST = 8 };

typedef struct { /* of a leaf: threshold infinity, MISSING_LEFT, and left is the node itself */
    double threshold; /* of a categorical split the number of its set */
    uint32_t left, column;
} boosted_step;

/* Where a row goes from a node: a value above the threshold goes right; one that is missing, or a
   category beyond the set, where most rows went or where it gains most. */
static inline uint32_t next_step(
    const boosted_step *s, const double *x, const uint64_t *sets) {
    const double value = x[s->column & COLUMN];
    int right = (value > s->threshold) | ((value != value) & !(s->column & MISSING_LEFT));
    if (sets && s->column & CATEGORICAL && value == value) {
        const uint64_t *set = sets + 4 * (ptrdiff_t)s->threshold;
        const int code = (int)value;
        right = !(set[code >> 6] >> (code & 63) & 1);
    }
    return s->left + (uint32_t)right;
}

/* Add the values of one tree to m rows, p numbers each; leaf, if any, tells where they ended. */
static inline void add_tree(
    const boosted_step *tree, const double *values, const uint64_t *sets, const double *x,
    ptrdiff_t p, ptrdiff_t m, double *to, ptrdiff_t step, int32_t *leaf, ptrdiff_t leaf_step) {
    ptrdiff_t i = 0;
    for (; i < m; i += ABREAST) {
        const int some = m - i < ABREAST ? (int)(m - i) : ABREAST;
        uint32_t at[ABREAST] = {0}, moved;
        do {
            moved = 0;
            for (int k = 0; k < some; k++) at[k] = next_step(tree + at[k], x + (i + k) * p, sets);
            for (int k = 0; k < some; k++) at[k] = next_step(tree + at[k], x + (i + k) * p, sets);
            for (int k = 0; k < some; k++) {
                const uint32_t next = next_step(tree + at[k], x + (i + k) * p, sets);
                moved |= next ^ at[k];
                at[k] = next;
            }
        } while (moved);
        for (int k = 0; k < some; k++) {
            to[(i + k) * step] += values[at[k]];
            if (leaf) leaf[(i + k) * leaf_step] = (int32_t)at[k];
        }
    }
}
