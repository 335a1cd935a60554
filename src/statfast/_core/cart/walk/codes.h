/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks of rows down trees by codes. The code of a value is the number of cuts of its column below
   it, of 16 bits; a value is beyond a cut if and only if its code is. Eight rows lie side by side,
   column after column. A node has 8 bytes, and its right child follows the left one, so that a step
   is an addition with carry. */
#ifndef STATFAST_CART_WALK_CODES_H
#define STATFAST_CART_WALK_CODES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cart/walk/walk_table.h"
#include "simd/compiler.h"

#define CODED_ROWS 8

typedef struct {
    uint16_t cut;    /* the number of its cut; 65535 for leaves, which no row is beyond */
    uint16_t column; /* times CODED_ROWS */
    uint32_t child;  /* the place of the left child after the root; a leaf is its own child */
} cart_coded;

typedef struct {
    cart_coded *nodes; /* trees begin at the same places as in the nodes of 16 bytes */
    uint32_t *leaf;    /* the number of the leaf for nodes that are leaves */
    const double *cuts;
    const int64_t *begin; /* (p + 1,) where those of a column begin; ascending */
    ptrdiff_t sure;       /* steps after which few rows have arrived */
} cart_codes;

/* The codes of eight numbers: how many of the cuts of their column are below each. */
static INLINE void codes_of(const cart_codes *c, ptrdiff_t column, const double *x,
                            uint16_t *out) {
    const double *cuts = c->cuts + c->begin[column];
    int64_t n = c->begin[column + 1] - c->begin[column];
    uint32_t code[CODED_ROWS] = {0};
    if (n == 0) return;
    for (; n > 1; n -= n >> 1) {
        const uint32_t half = (uint32_t)(n >> 1);
        UNROLL for (int i = 0; i < CODED_ROWS; i++)
            code[i] += half & -(uint32_t)(cuts[code[i] + half - 1] < x[i]);
    }
    UNROLL for (int i = 0; i < CODED_ROWS; i++)
        out[i] = (uint16_t)(code[i] + (cuts[code[i]] < x[i]));
}

/* Write the tree of the nodes begin .. end - 1 in 8 bytes a node, by the numbers of their cuts;
   returns 1 if memory runs out. */
static int code_tree(const cart_step *nodes, const uint16_t *number, int64_t begin, int64_t end,
                     const cart_codes *c) {
    const cart_step *tree = nodes + begin;
    uint32_t *place = malloc((size_t)(end - begin) * sizeof *place), next = 1;
    if (place == NULL) return 1;
    place[0] = 0;
    for (int64_t i = 0; i < end - begin; i++) { /* parents come before their children */
        cart_coded *own = c->nodes + begin + place[i];
        if (tree[i].right == i) {
            uint64_t bits;
            memcpy(&bits, &tree[i].threshold, sizeof bits);
            *own = (cart_coded){UINT16_MAX, 0, place[i]};
            c->leaf[begin + place[i]] = (uint32_t)(bits & 0xffffffffffffu);
            continue;
        }
        const uint32_t column = tree[i].column & 0x7fffffffu;
        *own = (cart_coded){number[begin + i], (uint16_t)(column * CODED_ROWS), next};
        place[i + 1] = next++;
        place[tree[i].right] = next++;
    }
    free(place);
    return 0;
}

/* A step of eight rows; 0 when all have arrived. */
static INLINE uint32_t coded_step(const cart_coded *tree, const uint16_t *row, uint32_t *at) {
    uint32_t moved = 0;
    UNROLL for (int i = 0; i < CODED_ROWS; i++) {
        const cart_coded *node = tree + at[i];
        const uint32_t next = node->child + (uint32_t)(node->cut < row[node->column + i]);
        moved |= next ^ at[i];
        at[i] = next;
    }
    return moved;
}

#define MIN_ROWS_PER_LINE .25 /* rows for each cache line of a tree, for which all are fetched */

/* Fetch the nodes begin .. end - 1 in their order: a row at a time, each new line is waited for. */
static void fetch_tree(const cart_codes *c, int64_t begin, int64_t end, ptrdiff_t m) {
    if ((double)m * 8 < MIN_ROWS_PER_LINE * (double)(end - begin)) return;
    for (int64_t i = begin; i < end; i += 8) FETCH_FAR(c->nodes + i);
    for (int64_t i = begin; i < end; i += 16) FETCH_FAR(c->leaf + i);
}

/* The leaf of each of m rows; `leaf` has room for whole groups. */
static void walk_coded(const cart_codes *c, int64_t root, const uint16_t *row, ptrdiff_t m,
                       ptrdiff_t p, int64_t *leaf) {
    const cart_coded *tree = c->nodes + root;
    const uint32_t *number = c->leaf + root;
    for (ptrdiff_t i = 0; i < m; i += CODED_ROWS, row += CODED_ROWS * p) {
        uint32_t at[CODED_ROWS] = {0};
        for (ptrdiff_t step = 0; step < c->sure; step++) (void)coded_step(tree, row, at);
        do (void)coded_step(tree, row, at);
        while (coded_step(tree, row, at));
        UNROLL for (int l = 0; l < CODED_ROWS; l++) leaf[i + l] = number[at[l]];
    }
}

#define MIN_CODED_ROWS 8 /* below, trees are walked side by side */

/* m rows of p columns that go down trees, in one of three ways. */
typedef struct {
    const walk_kernels *kernels;
    const cart_step *nodes;
    const int64_t *root;     /* (T,) where trees begin */
    const cart_codes *codes; /* NULL: none */
    ptrdiff_t m, p, T, N;    /* N nodes */
    ptrdiff_t coded; /* rows with codes, which come first; the others miss values */
    int64_t *place;  /* (m,) of the rows among those of the caller */
    uint16_t *code;  /* of the `coded` rows, side by side */
    double *rows;    /* (m - coded, p) the others */
    int64_t *leaf;   /* WORK: of all rows in a tree */
    int64_t *by_row; /* WORK: (m, trees of a call) leaves of few rows */
} cart_walkers;

static void walkers_free(cart_walkers *w) {
    free(w->place);
    free(w->rows);
    free(w->code);
    free(w->leaf);
    free(w->by_row);
}

/* Allocate, once `coded` is known; returns 0 if memory runs out. */
static int walkers_room(cart_walkers *w) {
    const ptrdiff_t padded = w->m + CODED_ROWS;
    w->rows = malloc((size_t)((w->m - w->coded) * w->p + 1) * sizeof *w->rows);
    w->leaf = malloc((size_t)padded * sizeof *w->leaf);
    w->code = w->coded ? malloc((size_t)(padded * w->p) * sizeof *w->code) : NULL;
    return w->rows && w->leaf && (w->code || !w->coded);
}

/* Prepare for trees first .. last - 1; returns 0 if memory runs out. */
static int walkers_start(cart_walkers *w, ptrdiff_t first, ptrdiff_t last) {
    const ptrdiff_t T = last - first;
    if (w->m >= MIN_CODED_ROWS) return 1;
    free(w->by_row);
    w->by_row = malloc((size_t)(w->m * T + 1) * sizeof *w->by_row);
    for (ptrdiff_t i = 0; i < w->m && w->by_row; i++)
        w->kernels->trees(w->nodes, w->root + first, T, w->rows + i * w->p, w->by_row + i * T);
    return w->by_row != NULL;
}

/* The leaves of the rows in tree t. */
static const int64_t *walkers_leaves(cart_walkers *w, ptrdiff_t first, ptrdiff_t last,
                                     ptrdiff_t t) {
    if (w->by_row != NULL) {
        for (ptrdiff_t i = 0; i < w->m; i++) w->leaf[i] = w->by_row[i * (last - first) + t - first];
        return w->leaf;
    }
    if (w->coded) {
        fetch_tree(w->codes, w->root[t], t + 1 < w->T ? w->root[t + 1] : w->N, w->coded);
        walk_coded(w->codes, w->root[t], w->code, w->coded, w->p, w->leaf);
    }
    if (w->coded < w->m)
        w->kernels->rows(w->nodes + w->root[t], w->rows, w->m - w->coded, w->p,
                         w->leaf + w->coded);
    return w->leaf;
}

#endif
