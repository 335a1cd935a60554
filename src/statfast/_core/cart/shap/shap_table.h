/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of cart/shap/shap.pyx: Shapley values of rows in one tree, where a column that is not
   asked about goes both ways, by the shares of the cover. */
#ifndef STATFAST_CART_SHAP_TABLE_H
#define STATFAST_CART_SHAP_TABLE_H

#include <stdlib.h>

#include "cart/walk/route.h"

#define SHAP_LANES 16 /* rows whose sums stay in registers */
#define SHAP_GROUPS 2 /* groups of as many rows that go through a tree together */
#define SHAP_ROWS (SHAP_GROUPS * SHAP_LANES)

/* A tree, its splits, and the points of the quadrature. */
typedef struct {
    cart_route route;          /* its nodes in preorder */
    int routed;                /* whether it has sets of categories or surrogates */
    ptrdiff_t nodes, splits;   /* of which some are splits */
    ptrdiff_t depth;           /* splits above the deepest leaf */
    const double *left_share;  /* (nodes,) of the cover of a split that its left child has */
    const double *before;      /* (nodes,) product of such shares at splits of the same column above */
    const int32_t *above;      /* (nodes,) twice the last such split, + 1 if to its right; or -1 */
    const double *values;      /* (leaves of all trees, C) */
    ptrdiff_t C;
    const double *point, *weight; /* (Q,) Gauss-Legendre on [0, 1] */
    ptrdiff_t Q;
} shap_tree;

/* Room for one tree at a time, and all the bytes of it. */
typedef struct {
    void *bytes;
    ptrdiff_t used;       /* columns that the tree asks about */
    int32_t *column;      /* (used,) */
    int32_t *place;       /* (p,) of columns among them */
    int32_t *coefficients; /* (nodes,) the number of a split's pair in `tables` */
    double *tables;       /* (1 + splits, 2, Q) what splits are multiplied by, `g` and `k` */
    double *fixed;        /* (2, 2, Q) the same for a column whose value is set: absent, present */
    double *x;            /* (used, SHAP_ROWS) values */
    uint32_t *missing;    /* (used,) bits of rows */
    uint32_t *left, *alive; /* (nodes,) bits of rows */
    double *stack;        /* (1 + 2 (depth + 1), SHAP_GROUPS, Q, SHAP_LANES) */
    int32_t *node;        /* (depth + 1,) */
    uint8_t *phase;       /* (depth + 1,) */
    double *sum;          /* (used, SHAP_ROWS) */
} shap_room;

/* The arrays of a room, in one piece of memory; 0 if there is none. */
static inline int shap_allocate(shap_room *r, ptrdiff_t nodes, ptrdiff_t splits, ptrdiff_t depth,
                                ptrdiff_t Q, ptrdiff_t p) {
    const double doubles = 2.0 * (double)Q * (double)(splits + 3) +
                           (2.0 * (double)depth + 3.0) * SHAP_ROWS * (double)Q +
                           2.0 * SHAP_ROWS * (double)p;
    const double small = 4.0 * (2.0 * (double)p + (double)nodes) + 5.0 * (double)(depth + 1) +
                         4.0 * ((double)p + 2.0 * (double)nodes);
    const double bytes = 8.0 * doubles + small;
    r->bytes = bytes < 9e15 ? calloc(1, (size_t)bytes) : NULL;
    if (!r->bytes) return 0;
    double *d = (double *)r->bytes;
    r->tables = d, d += 2 * Q * (splits + 1);
    r->fixed = d, d += 4 * Q;
    r->stack = d, d += (2 * depth + 3) * Q * SHAP_ROWS;
    r->x = d, d += p * SHAP_ROWS;
    r->sum = d, d += p * SHAP_ROWS;
    int32_t *i = (int32_t *)d;
    r->column = i, i += p;
    r->place = i, i += p;
    r->coefficients = i, i += nodes;
    r->node = i, i += depth + 1;
    uint32_t *b = (uint32_t *)i;
    r->missing = b, b += p;
    r->left = b, b += nodes;
    r->alive = b, b += nodes;
    r->phase = (uint8_t *)b;
    return 1;
}

typedef struct {
    /* Tables of a tree, for all rows. */
    void (*prepare)(const shap_tree *s, shap_room *r);
    /* The sides that rows take. */
    void (*sides)(const shap_tree *s, shap_room *r, const double *const rows[SHAP_ROWS]);
    /* Add `sign` times the values of one channel to r->sum; of the game in which `set` (or -1) is
       always `present`, or always absent. */
    void (*add)(const shap_tree *s, shap_room *r, ptrdiff_t channel, int32_t set, int present,
                double sign);
} shap_kernels;
TABLE_AT(shap_kernels, shap)

#endif
