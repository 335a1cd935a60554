/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of boosted trees: sixteen rows go down a tree together. */
#include <stddef.h>
#include <stdint.h>

#include "simd/compiler.h"

enum { MISSING_LEFT = 1u << 31, CATEGORICAL = 1u << 30, COLUMN = CATEGORICAL - 1 };
enum { ROWS_ABREAST = 16 };

typedef struct { /* a leaf has threshold infinity, MISSING_LEFT, and itself as left child */
    double threshold; /* the number of its set for a categorical split */
    uint32_t left, column;
} boosted_step;

/* The next node of a row: a value above the threshold goes right. Missing values, and categories
   beyond the set, go to the side that the fit has chosen for them. With `plain` there
   is neither. */
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

/* The leaves of `some` rows of p numbers each, ROWS_ABREAST at most. */
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

/* Add the values of one tree to m rows of p numbers each; `leaf`, unless NULL, gets
   their leaves. */
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
