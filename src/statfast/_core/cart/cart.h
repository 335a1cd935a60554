/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a tree in growth: columns as ranks, the targets, the rules for stopping, and the rows
   of the current node.

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
#define CART_MAX_PAIRED_ROWS 64 /* rows sorted by counting, which compares all pairs */
#define CART_MAX_CACHED_ROWS 1024    /* rows whose ranks stay in the cache, row by row */
#define CART_PLACE_BITS 6       /* bits of a place among as many rows */
#define CART_WIDE_RANK (1 << 25) /* ranks below this share 32 bits with such a place */
#define CART_MAX_GATHERED (1 << 22) /* sparse values that are gathered for subtrees */
#define CART_MAX_TABLES 24      /* tables of them, each of a part of the rows of the one before */
#define CART_SHARE_OF_ROWS 4    /* a table is made where a node has one in so many rows of the last */
#define CART_ROWS_OF_NODE 4     /* rows for each node of a subtree, about */
#define CART_STEPS_OF_LOOK_UP 6 /* cost of the search of a row for a column, in values read */
#define CART_STEPS_OF_GATHER 3  /* cost of a value that is gathered, likewise */
#define CART_MAX_CLASSES 64      /* classes with histograms */
/* Code that seldom runs is optimized for size, as it is compiled once for each level. */
#if defined(__GNUC__)
#define CART_SELDOM __attribute__((cold))
#else
#define CART_SELDOM
#endif
#define CART_SIDE_UNKNOWN 2       /* the side of a row whose value is missing */
#define CART_MAX_SUBSET_CATEGORIES 10   /* categories of which all subsets are tried */
#define CART_ROUNDING 1e-11  /* relative; more than the rounding of gains and bounds */

/* Sparse columns: the values that are not zero, and ranks of zeros. Those of a column are in the order
   of their ranks, those of a row in the order of columns. */
typedef struct {
    const int64_t *of_column; /* (p + 1,) where those of a column begin */
    const int32_t *row;       /* (entries,) */
    const uint32_t *rank;
    const int64_t *of_row;    /* (n + 1,) */
    const int32_t *column;
    const uint32_t *row_rank;
    const int32_t *zero;      /* (p,) or NULL: columns are dense */
} cart_entries;

typedef struct {
    ptrdiff_t n, p;
    cart_entries sparse;
    const uint8_t *codes;    /* (p, n) rank >> shift */
    const uint16_t *ranks16; /* (p, n) ranks16 or ranks32 is given, the other is NULL */
    const uint32_t *ranks32;
    const uint16_t *by_row16; /* (n, p) the same ranks row by row: one of the two, or none */
    const uint32_t *by_row32;
    const double *by_row;    /* (n, p) the values themselves, of random splits; or NULL */
    const int32_t *shift;    /* (p,) */
    const int32_t *missing;  /* (p,) the rank of missing values, above all others, or -1 */
    const double *values;    /* the distinct values of the columns, ascending; or NULL */
    const int64_t *first;    /* (p + 1,) where those of a column begin */
    const int32_t *label;    /* (n, outputs) or NULL */
    const double *y;         /* (n, outputs) or NULL */
    const uint32_t *y_rank;  /* (n, outputs) ranks of targets, for medians; or NULL */
    const double *xlogx;     /* x log2 x for integers below `tabulated`, or NULL */
    int64_t tabulated;       /* 0 without a table; for larger sums x log2 x is computed */
    const int32_t *classes;  /* (outputs,) or NULL */
    const int8_t *monotone;  /* (p,) or NULL */
    /* Channels: sums of a node, for each class of each output or for each target. */
    ptrdiff_t outputs, channels;
    int plain; /* whether no value is missing and no column holds categories */
    /* In_order: columns are searched from the first on, not in random order. */
    int criterion, randomized, in_order;
    ptrdiff_t max_features, min_split, min_leaf, max_depth;
    double min_weight, min_decrease, total_weight;
    /* Categories and surrogates. A rank of a column of categories is the number of its category. */
    const int32_t *categories; /* (p,) how many a column has, 0: it holds numbers; or NULL */
    ptrdiff_t most, words;     /* most: categories of a column; words: 64-bit words of a set */
    int known_only;            /* whether splits are chosen by the rows whose value is known */
    /* The most surrogates of a node; they send rows whose value is missing. */
    ptrdiff_t surrogates;
    /* (n,) weights of rows when surrogates are chosen; NULL: those of the node. */
    const int64_t *cases;
} cart_problem;

/* The values of a column in the rows of a table: `count` keys from `begin` on. */
typedef struct {
    int32_t column, outer; /* outer: what `slot_of` the column was before this table */
    int32_t begin, count;
} cart_slot;

/* The values of the rows from start to stop of the tree, column by column. */
typedef struct {
    ptrdiff_t start, stop;
    int32_t slot, slots; /* the first one, and how many */
    int32_t key, keys;
} cart_table;

/* The values of sparse columns in the node and those around it: rank << 32 | row. */
typedef struct {
    int32_t *place_of;  /* (n,) places of rows: that of a row of the node is one where the row is */
    int32_t *slot_of;   /* (p,) of columns, in the last table; stale unless the slot is the column's */
    cart_slot *slot;    /* (slot_room,) */
    uint64_t *key;      /* (room,) */
    ptrdiff_t slot_room, room;
    cart_table table[CART_MAX_TABLES]; /* each within the one before */
    int tables;
} cart_node_entries;

/* The rows of a node, gathered once for all columns. */
typedef struct {
    int32_t *rows;     /* the rows, in ascending order */
    ptrdiff_t m;
    int64_t all;       /* the number of rows, or their weight where rows are packed */
    int64_t *w, *q;    /* (m,) weights; (outputs, m) weighted targets */
    int64_t *packed;   /* (m,) two classes: weight << 32 | weight of class 1 */
    int32_t *cls;      /* (outputs, m) classes, as numbers of channels */
    int64_t *total;    /* (channels,) */
    double *sum;       /* (channels,) the same before scaling */
    int64_t weight, lightest; /* of all rows, and of the lightest row */
    double scale;      /* the integer weights are the weights times this */
    double unit;       /* the value of a sum of targets of 1 over a sum of weights of 1 */
    double *center;    /* (outputs,) subtracted from targets; 0 for counts of which one is 0 */
    double mass;       /* the weight of all */
    double impurity;
    double low, high;  /* bounds of the value, by monotone constraints */
    double *y;         /* (outputs, m) targets */
    double *heavy;     /* (m,) weights before scaling */
    const int64_t *record; /* (n,) of all rows, as `packed`, or NULL */
    double *ascending; /* (outputs, m) targets in ascending order */
    int32_t *y_place;  /* (outputs, m) the places of targets in `ascending` */
    double *low_high;  /* (outputs, 2) the range of targets */
    uint64_t *targets; /* (2, m) work space to sort targets */
    int unit_weights;  /* all weights are 1 */
    int packs;         /* whether `packed` is used */
    cart_node_entries sparse;
} cart_node_rows;

typedef struct {
    double gain;
    int32_t feature;
    int32_t missing_left;
    int64_t cut;       /* the largest rank that goes left */
    double threshold;  /* of a random split; else NaN */
    /* Places of this column, and of the current one, in the order in which columns are drawn. */
    int32_t order, turn;
} cart_split;

#define NO_SPLIT {-INFINITY, -1, 0, 0, NAN, -1, 0}
#define CART_MAX_CODE_BYTES (1 << 20) /* most bytes for the codes of a node's rows */
#define CART_MAX_DOUBTS 1024 /* most bins in doubt; a column has at most 256 */
typedef struct {
    int64_t q, up, w, count; /* sums of targets, of positive ones, of weights; rows */
} single_bin;

/* A bin in doubt, which may hold a better split: the rows with codes from first to last, whose
   ranks are from base to base + (1 << shift) - 1. */
typedef struct {
    single_bin left; /* the sums before it */
    double bound;
    const uint8_t *byte;
    int64_t base;
    int32_t column, turn;
    uint8_t first, last, shift;
} single_doubt;

/* The progress of a search by absolute errors in a column that takes several calls. */
typedef struct {
    int64_t patience;  /* steps of a call; 0: as many as there are */
    uint64_t *sorted;  /* rows by rank, or NULL: no column is begun */
    ptrdiff_t known, turn, step; /* turn: of outputs and sides */
    double all, sum;
    int missing_left;
    cart_split best;
} cart_pause;

/* The work space of a thread. */
typedef struct {
    cart_pause pause;
    uint8_t *byte;     /* (kept,) codes of the rows in as many columns as fit */
    uint8_t *bytes;    /* (4 m + ...) codes of some of the rows */
    int32_t *place;    /* (6 m + ...) places of rows in the node: lists of bins */
    single_doubt *doubt; /* (CART_MAX_DOUBTS,) */
    ptrdiff_t kept, used, doubts; /* used: bytes of the columns with bins in doubt */
    uint64_t *key, *spare;  /* (m,) sorted */
    int64_t *bins;     /* histograms of three levels */
    int64_t *left;     /* (channels,) */
    double *errors, *tree; /* (m,), (2 m + 2,) of absolute errors */
    int64_t *table, *known; /* sums of categories (most + 1, channels + 2); (channels,) */
    double *means;     /* (most + 1, channels) of categories, and (2, channels) */
    int32_t *order;    /* (most + 1,) categories of the node, ordered by their means */
    uint64_t *set;     /* (2, words) categories that go left, and right */
    uint8_t *side;     /* (m,) where rows go */
    int64_t *zero, *lost; /* (channels,) sums of rows whose value is zero, or missing */
} cart_scratch;

/* A node that is still to be opened. */
typedef struct {
    ptrdiff_t start, stop, depth, parent;
    int side; /* of the parent: 0 left, 1 right */
    uint64_t key; /* determines its random numbers */
    double low, high;
} cart_task;

/* The test of a split: whether a value is at most the threshold, which lies midway between the
   values of two ranks, or is given, as in a random split. */
typedef struct {
    double threshold;
    uint32_t low, high;
    int32_t feature, missing_left;
} cart_cut;

/* A node whose best split is known but not yet made. */
typedef struct {
    double gain;
    ptrdiff_t node;
    cart_cut cut;
    cart_task left, right;
} cart_open;

typedef struct {
    cart_cut cut;
    double impurity, weight;
    int32_t left, right, count, depth;
} cart_node;

/* A surrogate: a column that decides where the value that a node tests is missing. */
typedef struct {
    double threshold;  /* the number of its set for a column of categories */
    /* Share of the weight that it sends as the split does, and the same above chance. */
    double agree, adjusted;
    int64_t sent;      /* rows of the fit that it sent */
    int32_t node, column, reversed, of_sets; /* reversed: values up to the threshold go right */
} cart_surrogate;

/* The progress of a split that takes several calls, as surrogates are searched for. */
typedef struct {
    int64_t patience; /* rows times columns in a call; 0: no limit */
    int begun;
    cart_cut cut;
    int64_t weight[3];
    ptrdiff_t lost, column; /* column: which comes next */
    size_t first;           /* surrogate */
} cart_making;
#define CART_PAUSED (-2)

typedef struct {
    const cart_problem *t;
    cart_making making;
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
    uint64_t *sets;       /* (sets, 2, words) categories that go left, and right */
    cart_surrogate *surrogates;
    size_t n_sets, set_capacity, n_surrogates, surrogate_capacity;
    size_t n_tasks, task_capacity, n_heap, heap_capacity, n_nodes, node_capacity, value_capacity;
} cart_grower;

static inline int is_in(const uint64_t *set, int64_t c) {
    return (int)(set[c >> 6] >> (c & 63) & 1);
}

#endif
