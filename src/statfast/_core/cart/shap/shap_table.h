/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of cart/shap/shap.pyx: Shapley values of rows in one tree, where a column that is not
   asked about goes both ways, by the shares of the cover, or as rows of a background do. */
#ifndef STATFAST_CART_SHAP_TABLE_H
#define STATFAST_CART_SHAP_TABLE_H

#include <stdlib.h>

#include "cart/walk/route.h"
#include "simd/compiler.h"

#define SHAP_LANES 16 /* patterns whose sums stay in registers */
#define SHAP_GROUPS 2 /* groups of as many patterns that go through a subtree together */
#define SHAP_ROWS (SHAP_GROUPS * SHAP_LANES) /* also the bits of a word */
#define SHAP_SPLITS 9       /* most splits of a subtree whose rows are taken by their patterns, */
#define PATTERN_SPLITS 7    /* if patterns of a larger subtree stand for rows, */
#define GROUP_SPLITS 32     /* which has at most so many */

static INLINE int shap_is_leaf(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return bits >> 48 == 0x7ff8;
}

/* A tree and its splits. */
typedef struct {
    cart_route route;          /* its nodes in preorder */
    int routed;                /* whether it has sets of categories or surrogates */
    ptrdiff_t nodes;
    ptrdiff_t depth;           /* splits above the deepest leaf */
    ptrdiff_t longest;         /* most columns of a path */
    const double *left_share;  /* (nodes,) of the cover of a split that its left child has */
    const double *before;      /* (nodes,) product of such shares at splits of the same column above */
    const int32_t *above;      /* (nodes,) twice the last such split, + 1 if to its right; or -1 */
    const int32_t *splits;     /* (nodes,) in the subtree of a node */
    const int32_t *width;      /* (nodes,) most columns of a path through a node */
    const double *values;      /* (leaves of all trees, C) */
    ptrdiff_t C;
} shap_tree;

/* Rules of Gauss-Legendre on [0, 1]. */
typedef struct {
    const int64_t *of_width; /* (longest + 1,) the rule of paths of so many columns */
    const int64_t *begin;    /* (rules + 1,) */
    const double *point, *weight;
    ptrdiff_t most; /* points of a rule */
} shap_rules;

typedef struct {
    const double *x;       /* (m, p) */
    const double *columns; /* (p, words * SHAP_ROWS) the same by columns, and anything behind */
    ptrdiff_t m, words;
} shap_rows;

/* Rows, whose values are added to `out`. */
typedef struct {
    shap_rows rows;
    shap_rows background; /* of an even number of words, if values are not by the cover */
    double weight;        /* of each row of the background */
    const double *beta;   /* (D + 1, D + 1) the integral of t^u (1 - t)^v on [0, 1] */
    ptrdiff_t D;          /* the most columns of a path */
    ptrdiff_t p;
    double *out;           /* (m, p, 1 or p, outputs) */
    ptrdiff_t outputs, to; /* the first output of the tree */
    int pairs;
} shap_block;

typedef struct {
    /* Add the values of rows in the subtrees that begin at nodes [begin, end); 0: no memory. */
    int (*add)(const shap_tree *s, const shap_rules *rules, const shap_block *b, int32_t begin,
               int32_t end);
    /* The same against the rows of a background. */
    int (*against)(const shap_tree *s, const shap_block *b, int32_t begin, int32_t end);
} shap_kernels;
TABLE_AT(shap_kernels, shap)

#endif
