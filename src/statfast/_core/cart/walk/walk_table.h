/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of cart/walk/walk.pyx: walks of rows down trees. A node has 16 bytes; its left child
   follows it. A leaf is its own right child, and its threshold is a NaN whose low bits are the
   number of the leaf: comparisons with it are false, so that a row that has arrived stays. */
#ifndef STATFAST_CART_WALK_KERNELS_H
#define STATFAST_CART_WALK_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include "simd/levels.h"

typedef struct {
    double threshold;
    int32_t right;
    uint32_t column; /* the highest bit tells whether missing values go left */
} cart_step;

typedef struct {
    /* The leaf of each of m rows of p columns in a tree. */
    void (*rows)(const cart_step *tree, const double *rows, ptrdiff_t m, ptrdiff_t p,
                 int64_t *leaf);
    /* The leaf of a row in each of T trees. */
    void (*trees)(const cart_step *nodes, const int64_t *root, ptrdiff_t T, const double *row,
                  int64_t *leaf);
} walk_kernels;
TABLE_AT(walk_kernels, walk)

#endif
