/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows on their way down trees. A node has 16 bytes; its left child follows it. A leaf is its own
   right child, and its threshold a NaN whose low bits are the number of the leaf: comparisons with
   it are false, so that a row that has arrived stays. */
#ifndef STATFAST_CART_WALK_H
#define STATFAST_CART_WALK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CART_LANES 8               /* rows or trees in work at a time */
#define CART_MISSING_LEFT 0x80000000u /* flag beside the number of the column */

typedef struct {
    double threshold;
    int32_t right;
    uint32_t column;
} cart_step;

static inline int64_t leaf_number(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return (int64_t)(bits & 0xffffffffffffu);
}

/* `count` <= CART_LANES walks, each in its own tree or on its own row; the leaves they end in. */
static inline void walk_lanes(const cart_step *const *tree, const double *const *row, int count,
                              int64_t *leaf) {
    int32_t at[CART_LANES] = {0};
    int moved = 1;
    while (moved) {
        moved = 0;
        for (int i = 0; i < count; i++) {
            const cart_step *node = tree[i] + at[i];
            const double x = row[i][node->column & ~CART_MISSING_LEFT];
            const int left = (x <= node->threshold) | ((x != x) & (node->column >> 31));
            const int32_t next = left ? at[i] + 1 : node->right;
            moved |= next ^ at[i];
            at[i] = next;
        }
    }
    for (int i = 0; i < count; i++) leaf[i] = leaf_number(tree[i] + at[i]);
}

static inline void walk_eight(const cart_step *tree, const double *rows, ptrdiff_t p,
                              int64_t *leaf) {
    const cart_step *same[CART_LANES];
    const double *row[CART_LANES];
    for (int i = 0; i < CART_LANES; i++) {
        same[i] = tree;
        row[i] = rows + i * p;
    }
    walk_lanes(same, row, CART_LANES, leaf);
}

/* The leaf of each of m rows in a tree. */
static void walk_rows(const cart_step *tree, const double *rows, ptrdiff_t m, ptrdiff_t p,
                      int64_t *leaf) {
    ptrdiff_t i = 0;
    for (; i + CART_LANES <= m; i += CART_LANES) walk_eight(tree, rows + i * p, p, leaf + i);
    if (i < m) {
        const cart_step *same[CART_LANES];
        const double *row[CART_LANES];
        for (int k = 0; k < m - i; k++) {
            same[k] = tree;
            row[k] = rows + (i + k) * p;
        }
        walk_lanes(same, row, (int)(m - i), leaf + i);
    }
}

/* The leaf of a row in each of T trees. */
static void walk_trees(const cart_step *nodes, const int64_t *root, ptrdiff_t T, const double *row,
                       int64_t *leaf) {
    for (ptrdiff_t t = 0; t < T; t += CART_LANES) {
        const int some = T - t < CART_LANES ? (int)(T - t) : CART_LANES;
        const cart_step *tree[CART_LANES];
        const double *same[CART_LANES];
        for (int i = 0; i < some; i++) {
            tree[i] = nodes + root[t + i];
            same[i] = row;
        }
        walk_lanes(tree, same, some, leaf + t);
    }
}

#endif
