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
#define CART_MAX_PAIRED_ROWS 64 /* sorted by counting: the square of this in comparisons */
#define CART_MAX_CACHED_ROWS 1024    /* rows whose ranks stay in the cache, row by row */
#define CART_PLACE_BITS 6       /* of a place among them */
#define CART_WIDE_RANK (1 << 25) /* ranks below this share 32 bits with such a place */
#define CART_MAX_CLASSES 64      /* classes with histograms */
/* Code that seldom runs is made small: it is compiled once for each level. */
#if defined(__GNUC__)
#define CART_SELDOM __attribute__((cold))
#else
#define CART_SELDOM
#endif
#define CART_SIDE_UNKNOWN 2       /* the side of a row whose value is missing */
#define CART_MAX_SUBSET_CATEGORIES 10   /* categories of which all subsets are tried */
#define CART_ROUNDING 1e-11  /* relative: above the rounding of gains and bounds */

typedef struct {
    ptrdiff_t n, p;
    const uint8_t *codes;    /* (p, n) rank >> shift */
    const uint16_t *ranks16; /* (p, n) one of the two, the other is NULL */
    const uint32_t *ranks32;
    const uint16_t *by_row16; /* (n, p) the same, one of the two, or none */
    const uint32_t *by_row32;
    const double *by_row;    /* (n, p) the values themselves, of random splits; or NULL */
    const int32_t *shift;    /* (p,) */
    const int32_t *missing;  /* (p,) the rank of missing values, above all others, or -1 */
    const double *values;    /* the distinct values of the columns, ascending */
    const int64_t *first;    /* (p + 1,) where those of a column begin */
    const int32_t *label;    /* (n, outputs) or NULL */
    const double *y;         /* (n, outputs) or NULL */
    const uint32_t *y_rank;  /* (n, outputs) ranks of targets, for medians; or NULL */
    const double *xlogx;     /* x log2 x for integers below `tabulated`, or NULL */
    int64_t tabulated;       /* 0 without a table; larger sums are computed */
    const int32_t *classes;  /* (outputs,) or NULL */
    const int8_t *monotone;  /* (p,) or NULL */
    ptrdiff_t outputs, channels; /* channels: sums a node keeps; classes of all outputs, or outputs */
    int plain; /* no value is missing, no column holds categories */
    int criterion, randomized, in_order; /* in_order: columns are looked at from the first on */
    ptrdiff_t max_features, min_split, min_leaf, max_depth;
    double min_weight, min_decrease, total_weight;
    /* Categories and surrogates. A rank of a column of categories is the number of its category. */
    const int32_t *categories; /* (p,) how many a column has, 0: it holds numbers; or NULL */
    ptrdiff_t most, words;     /* the most categories of a column, and 64-bit words of a set */
    int known_only;            /* splits are chosen by rows whose value is known */
    ptrdiff_t surrogates;      /* which send the others: at most so many a node */
    const int64_t *cases;      /* (n,) weights of rows to surrogates, or NULL: those of the node */
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
    double *center;    /* (outputs,) what targets are less; 0 where the least count is 0 */
    double mass;       /* the weight of all */
    double impurity;
    double low, high;  /* between which values must be, by monotone constraints */
    double *y;         /* (outputs, m) targets */
    double *heavy;     /* (m,) weights as given */
    const int64_t *record; /* (n,) of all rows, as `packed`, or NULL */
    double *ascending; /* (outputs, m) targets in ascending order */
    int32_t *y_place;  /* (outputs, m) the places of targets there */
    double *low_high;  /* (outputs, 2) the range of targets */
    uint64_t *targets; /* (2, m) room to sort them */
    int unit_weights;  /* all weights are 1 */
    int packs;         /* `packed` is there */
} cart_node_rows;

typedef struct {
    double gain;
    int32_t feature;
    int32_t missing_left;
    int64_t cut;       /* the largest rank that goes left */
    double threshold;  /* of a random split; else NaN */
    int32_t order, turn; /* of columns, in which they are drawn: of this one; of that at hand */
} cart_split;

#define NO_SPLIT {-INFINITY, -1, 0, 0, NAN, -1, 0}
#define CART_MAX_CODE_BYTES (1 << 20) /* bytes for codes of rows in the columns of a node */
#define CART_MAX_DOUBTS 1024 /* room for them: a column has at most 256 */
typedef struct {
    int64_t q, up, w, count; /* sums of targets, of positive ones, of weights; rows */
} single_bin;

/* A bin that a better split may lie in: the rows with codes from first to last, whose ranks begin
   with base and end before base + (1 << shift). */
typedef struct {
    single_bin left; /* the sums before it */
    double bound;
    const uint8_t *byte;
    int64_t base;
    int32_t column, turn;
    uint8_t first, last, shift;
} single_doubt;

/* How far the absolute errors of a column have come, where a call ends before they do. */
typedef struct {
    int64_t patience;  /* steps of a call; 0: as many as there are */
    uint64_t *sorted;  /* rows by rank, or NULL: no column is begun */
    ptrdiff_t known, turn, step; /* turn: of outputs and sides */
    double all, sum;
    int missing_left;
    cart_split best;
} cart_pause;

/* What one thread needs besides. */
typedef struct {
    cart_pause pause;
    uint8_t *byte;     /* (kept,) codes of the rows, of as many columns as there is room for */
    uint8_t *bytes;    /* (4 m + ...) of some of them */
    int32_t *place;    /* (6 m + ...) places of rows in the node: lists of bins */
    single_doubt *doubt; /* (CART_MAX_DOUBTS,) */
    ptrdiff_t kept, used, doubts; /* used: bytes of columns with bins in doubt */
    uint64_t *key, *spare;  /* (m,) sorted */
    int64_t *bins;     /* histograms of three levels */
    int64_t *left;     /* (channels,) */
    double *errors, *tree; /* (m,), (2 m + 2,) of absolute errors */
    int64_t *table, *known; /* sums of categories (most + 1, channels + 2); (channels,) */
    double *means;     /* (most + 1, channels) of categories, and (2, channels) */
    int32_t *order;    /* (most + 1,) categories of the node, in order */
    uint64_t *set;     /* (2, words) categories that go left, and right */
    uint8_t *side;     /* (m,) where rows go */
} cart_scratch;

/* A node to be opened. */
typedef struct {
    ptrdiff_t start, stop, depth, parent;
    int side; /* of the parent: 0 left, 1 right */
    uint64_t key; /* of its random numbers */
    double low, high;
} cart_task;

/* What a split asks: whether a value is at most the threshold. That lies in the middle between the
   values of two ranks, unless it is known, as in a random split. */
typedef struct {
    double threshold;
    uint32_t low, high;
    int32_t feature, missing_left;
} cart_cut;

/* A node whose split is known but not made, best first. */
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

/* A column that stands in where the value that a node asks for is missing. */
typedef struct {
    double threshold;  /* of a column of categories, the number of its set */
    double agree, adjusted; /* weight that it sends as the split does: share, and above chance */
    int64_t sent;      /* rows of the fit that it sent */
    int32_t node, column, reversed, of_sets; /* reversed: values up to the threshold go right */
} cart_surrogate;

/* A split that is being made, where a call ends before all its surrogates are found. */
typedef struct {
    int64_t patience; /* rows times columns of a call; 0: as many as there are */
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

/* The ranks of a column. */
typedef struct {
    const uint16_t *narrow;
    const uint32_t *wide;
    ptrdiff_t step; /* from row to row */
} cart_ranks;

static inline uint32_t rank_in(cart_ranks r, ptrdiff_t row) {
    return r.narrow ? r.narrow[row * r.step] : r.wide[row * r.step];
}

/* To be looked up for m rows: of few rows the ranks of all columns stay in the cache. */
static inline cart_ranks ranks_of(const cart_problem *t, ptrdiff_t f, ptrdiff_t m) {
    const ptrdiff_t p = t->p, n = t->n;
    if (m <= CART_MAX_CACHED_ROWS && (t->by_row16 || t->by_row32))
        return (cart_ranks){t->by_row16 ? t->by_row16 + f : NULL,
                            t->by_row16 ? NULL : t->by_row32 + f, p};
    return (cart_ranks){t->ranks16 ? t->ranks16 + f * n : NULL,
                        t->ranks16 ? NULL : t->ranks32 + f * n, 1};
}

static inline uint32_t rank_of(const cart_problem *t, ptrdiff_t f, ptrdiff_t row) {
    return rank_in(ranks_of(t, f, t->n), row);
}

#endif
