/* SPDX-License-Identifier: BSD-3-Clause */
/* What the growing of a tree works on: columns as ranks, the targets, the rules for stopping, and
   the rows of the node at hand.

   A column is kept as the rank of each value among the distinct values of the column (a number of
   16 or 32 bits), and as a code of one byte, rank >> shift. Ranks keep the order of float64 values
   exactly; a split is a largest rank that goes to the left.

   Weights and targets are integers within a node, so that no sum depends on its order: weights are
   multiplied by a power of two (by 1, where all are integers), targets are centered at the node and
   multiplied by a power of two, such that a sum over the node fits 62 bits. */
#ifndef STATFAST_CART_H
#define STATFAST_CART_H

#include <stddef.h>
#include <stdint.h>

/* Criteria. */
enum { CART_GINI, CART_ENTROPY, CART_ERROR, CART_SQUARED, CART_POISSON, CART_ABSOLUTE };
#define CART_SMALL 64     /* rows that are sorted by counting: the square of this in comparisons */
#define CART_BITS 6       /* of a place among them */
#define CART_WIDE_RANK (1 << 25) /* ranks below this share 32 bits with such a place */
#define CART_MANY 64      /* classes with histograms */
#define CART_SLACK 1e-11  /* relative: above the rounding of gains and bounds */

typedef struct {
    ptrdiff_t n, p;
    const uint8_t *codes;    /* (p, n) rank >> shift */
    const uint16_t *ranks16; /* (p, n) one of the two, the other is NULL */
    const uint32_t *ranks32;
    const int32_t *shift;    /* (p,) */
    const int32_t *missing;  /* (p,) the rank of missing values, above all others, or -1 */
    const double *values;    /* the distinct values of the columns, ascending */
    const int64_t *first;    /* (p + 1,) where those of a column begin */
    const int32_t *label;    /* (n, outputs) or NULL */
    const double *y;         /* (n, outputs) or NULL */
    const double *xlogx;     /* x log2 x for integers up to the largest sum, or NULL */
    const int32_t *classes;  /* (outputs,) or NULL */
    const int8_t *monotone;  /* (p,) or NULL */
    ptrdiff_t outputs, channels; /* channels: sums a node keeps; classes of all outputs, or outputs */
    int criterion, randomized, in_order; /* in_order: columns are looked at from the first on */
    ptrdiff_t max_features, min_split, min_leaf, max_depth;
    double min_weight, min_decrease, total_weight;
} cart_problem;

/* The rows of a node, gathered once for all columns. */
typedef struct {
    int32_t *rows;     /* the rows, in ascending order */
    ptrdiff_t m;
    int64_t all;       /* the rows, or their weight, where rows are packed: one each is enough */
    int64_t *w, *q;    /* (m,) weights; (outputs, m) weighted targets */
    int64_t *packed;   /* (m,) two classes: weight << 32 | weight of class 1 */
    int32_t *cls;      /* (outputs, m) classes, as numbers of channels */
    int64_t *total;    /* (channels,) */
    double *sum;       /* (channels,) the same before scaling */
    int64_t weight, lightest; /* of all, of the lightest row */
    double scale;      /* weights are these times it */
    double unit;       /* what 1 of a target sum over 1 of a weight sum means */
    double *center;    /* (outputs,) what targets are less */
    double mass;       /* the weight of all */
    double impurity;
    double low, high;  /* between which values must be, by monotone constraints */
    double *y;         /* (outputs, m) targets */
    double *heavy;     /* (m,) weights as given */
    const int64_t *record; /* (n,) of all rows, as `packed`, or NULL */
    double *ascending; /* (outputs, m) targets in ascending order */
    int32_t *y_place;  /* (outputs, m) the places of targets there */
    double *low_high;  /* (outputs, 2) the range of targets */
    void *targets;     /* (m,) room to sort them */
    int unit_weights;  /* all weights are 1 */
    int packs;         /* `packed` is there */
} cart_node_rows;

typedef struct {
    double gain;
    int32_t feature;
    int32_t missing_left;
    int64_t cut;       /* the largest rank that goes left */
    double threshold;  /* of a random split; else NaN */
} cart_split;

/* What one thread needs besides. */
typedef struct {
    uint8_t *byte;     /* (m,) codes of the rows, kept */
    int32_t *place;    /* (2 m + ...) places of rows in the node: lists of bins */
    uint64_t *key, *spare;  /* (m,) sorted */
    int64_t *bins;     /* histograms of three levels */
    int64_t *left;     /* (channels,) */
    double *errors, *tree; /* (m,), (2 m + 2,) of absolute errors */
} cart_scratch;

/* A node to be opened. */
typedef struct {
    ptrdiff_t start, stop, depth, parent;
    int side; /* of the parent: 0 left, 1 right */
    uint64_t key; /* of its random numbers */
    double low, high;
} cart_task;

/* A node whose split is known but not made, best first. */
typedef struct {
    double gain;
    ptrdiff_t node;
    int32_t feature, missing_left;
    double threshold;
    cart_task left, right;
} cart_open;

typedef struct {
    double threshold, impurity, weight;
    int32_t left, right, feature, count, missing_left, depth;
} cart_node;

typedef struct {
    const cart_problem *t;
    const double *weight; /* (n,) of rows, or NULL */
    int integral, best_first;
    ptrdiff_t leaves_left;
    int32_t *rows;        /* of the whole tree */
    int32_t *columns, *swaps; /* (p,) */
    cart_node_rows v;
    cart_scratch scratch;
    cart_task now;
    cart_task *tasks;
    cart_open *heap;
    cart_node *nodes;
    double *values;       /* (nodes, channels) */
    size_t n_tasks, task_room, n_heap, heap_room, n_nodes, node_room, value_room;
} cart_grower;

static inline uint32_t rank_of(const cart_problem *t, ptrdiff_t f, ptrdiff_t row) {
    return t->ranks16 ? t->ranks16[f * t->n + row] : t->ranks32[f * t->n + row];
}

#endif
