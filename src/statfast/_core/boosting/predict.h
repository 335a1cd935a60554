/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of boosted trees: sixteen rows go down a tree together. */
#include <stddef.h>
#include <stdint.h>

#include "simd/compiler.h"

enum { MISSING_LEFT = 1u << 31, CATEGORICAL = 1u << 30, COLUMN = CATEGORICAL - 1 };
enum { ROWS_ABREAST = 16 };

typedef struct { /* of a leaf: threshold infinity, MISSING_LEFT, and left is the node itself */
    double threshold; /* of a categorical split the number of its set */
    uint32_t left, column;
} boosted_step;

/* Where a row goes from a node: a value above the threshold goes right; one that is missing, or a
   category beyond the set, where most rows went or where it gains most. `plain`: there is
   neither. */
static INLINE uint32_t next_step(
    const boosted_step *s, const double *x, const uint64_t *sets, const int plain) {
    const double value = x[s->column & COLUMN];
    int right = value > s->threshold;
    if (plain) return s->left + (uint32_t)right;
    right |= (value != value) & !(s->column & MISSING_LEFT);
    if (sets && s->column & CATEGORICAL && value == value) {
        const uint64_t *set = sets + 4 * (ptrdiff_t)s->threshold;
        const int code = (int)value;
        right = !(set[code >> 6] >> (code & 63) & 1);
    }
    return s->left + (uint32_t)right;
}

/* Where `some` rows of p numbers each end, ROWS_ABREAST at most. */
static INLINE void walk_tree(
    const boosted_step *tree, const uint64_t *sets, const double *x, ptrdiff_t p, const int some,
    const int plain, uint32_t *at) {
    uint32_t moved;
    UNROLL for (int k = 0; k < some; k++) at[k] = 0;
    do {
        moved = 0;
        for (int step = 0; step < 2; step++)
            UNROLL for (int k = 0; k < some; k++) at[k] = next_step(tree + at[k], x + k * p, sets, plain);
        UNROLL for (int k = 0; k < some; k++) {
            const uint32_t next = next_step(tree + at[k], x + k * p, sets, plain);
            moved |= next ^ at[k];
            at[k] = next;
        }
    } while (moved);
}

/* Add the values of one tree to m rows, p numbers each; leaf, if any, tells where they ended. */
static inline void add_tree(
    const boosted_step *tree, const double *values, const uint64_t *sets, int plain,
    const double *x, ptrdiff_t p, ptrdiff_t m, double *to, ptrdiff_t step, int32_t *leaf,
    ptrdiff_t leaf_step) {
    for (ptrdiff_t i = 0; i < m; i += ROWS_ABREAST) {
        const int some = m - i < ROWS_ABREAST ? (int)(m - i) : ROWS_ABREAST;
        uint32_t at[ROWS_ABREAST];
        /* Loops without a count, and steps of one comparison: half the time. */
        if (some == ROWS_ABREAST && plain) walk_tree(tree, NULL, x + i * p, p, ROWS_ABREAST, 1, at);
        else walk_tree(tree, sets, x + i * p, p, some, 0, at);
        for (int k = 0; k < some; k++) {
            to[(i + k) * step] += values[at[k]];
            if (leaf) leaf[(i + k) * leaf_step] = (int32_t)at[k];
        }
    }
}
