/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a boosted tree in growth.

   A row adds one pair of 64-bit integers to each histogram: its gradient in units of gradient_unit,
   and a number whose lowest count_bits hold the count 1 and whose other bits hold the hessian in
   units of hessian_unit. The units
   are powers of two chosen so that no sum over all rows overflows; integer sums do not depend on
   the order of the rows, and the histogram of a sibling is an exact difference.

   Codes are a table, or those of sparse rows alone that differ from the code of 0 in their column:
   its sum is that of the node less all others, exactly. Histograms of sparse rows lie one after the
   other, each as long as its column has codes, with the sum of missing values last. */
#ifndef STATFAST_BOOSTED_TREE_H
#define STATFAST_BOOSTED_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "threads/team.h"

enum {
    N_CODES = 256,
    MISSING_CODE = 255,
    HIST_STRIDE = 260, /* with 256, equal codes of adjacent columns would lie 4096 bytes apart */
    PLANE_COLUMNS = 8,         /* columns whose histograms, 32 kB, fit into the first-level cache */
};

typedef struct {
    int64_t gradient, hessian_count;
} bin_sum;

typedef struct {
    double gain, value_left, value_right;
    bin_sum left;
    int32_t feature;
    uint8_t code, missing_left, categorical;
    uint64_t set[4]; /* codes of a categorical split that go left */
} boosted_split;

typedef struct { /* NODE of ensemble/boosting/trees.py is the same layout */
    double value, gain, hessian;
    int64_t begin, count; /* its rows are rows[begin .. begin + count) */
    int32_t feature, left, parent, depth; /* left is 0 in a leaf; the other child is left + 1 */
    uint8_t code, missing_left, categorical, pad[5];
    uint64_t set[4];
} boosted_node;

typedef struct {
    bin_sum total;
    double lower, upper; /* bounds of the values of its leaves, by monotone constraints */
    bin_sum *histogram;  /* NULL if the node is not split any further */
    boosted_split best;
    int open;
} growing_node;

typedef struct {
    /* the rows */
    ptrdiff_t n, p, stride, width; /* width: columns of a plane; stride: bytes of a coded row */
    const uint8_t *by_row, *by_column; /* codes (n, stride), (p, n); NULL for sparse rows */
    const int64_t *of_row, *of_column; /* (n + 1,), (p + 1,) where entries of sparse rows begin */
    const int32_t *place;              /* (entries,) places in the histograms, row by row */
    const uint32_t *entry_row;         /* (entries,) rows, column by column */
    const uint8_t *entry_code, *zero;  /* (entries,) their codes; (p,) the codes of 0 */
    const int64_t *first;              /* (p + 1,) where histograms begin, for sparse rows */
    uint8_t *marks;                    /* (n,) zeros but while rows are shared out */
    ptrdiff_t length;                  /* of the histograms of a node */
    const bin_sum *sums;               /* (n,) */
    const int32_t *codes;              /* (p,) how many codes there are but for MISSING_CODE */
    const uint8_t *missing, *categorical;
    const int8_t *monotone;            /* (p,), or NULL */
    const uint8_t *groups;             /* (n_groups, p) columns that may meet, or NULL */
    ptrdiff_t n_groups;
    uint32_t *rows, *spare; /* (n,) the rows by leaf; (2 n,) room */
    /* the rules */
    double gradient_unit, hessian_unit, l2, row_hessian, rounding, fraction;
    int adds_to_expected; /* whether gradient + hessian of a row is its expected hessian */
    int count_bits;
    int64_t least_rows;
    ptrdiff_t most_leaves, most_depth; /* 0: no limit */
    uint64_t seed;
    /* the tree */
    boosted_node *nodes;
    growing_node *growing;
    ptrdiff_t n_nodes, n_leaves, n_open, room;
    ptrdiff_t *open; /* nodes that can be split */
    bin_sum **free_histograms;
    ptrdiff_t n_free, n_histograms;
    bin_sum *partial; /* (MAX_PARTS, length) histograms of parts of the rows */
    uint8_t *allowed, *spare_columns; /* (2, p) columns that may split the children; (p,) room */
    double *predicted; /* (n,) the predictions that add_leaves updates */
    team *crew;
    /* the current step */
    ptrdiff_t node, small, large, parts, part;
    const uint8_t *column; /* (n,) codes of the column that splits t->node */
    uint8_t goes[N_CODES];
    int64_t *went; /* (2, MAX_WAYS) rows that go left: of each part, and of the parts before it */
    boosted_split *found; /* (2, p) */
} grower;

enum { MAX_PARTS = 16, MAX_WAYS = 64 };

#endif
