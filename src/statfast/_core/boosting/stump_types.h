/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of the search for a stump: see boosting/stump.h. */
#ifndef STATFAST_STUMP_TYPES_H
#define STATFAST_STUMP_TYPES_H

#include "boosting/tree_types.h"

enum { BY_GINI, BY_ERROR };
enum { CODE_SPANS = 4 }; /* parts of a column's codes, searched as separate tasks */

typedef struct {
    double score;
    int64_t rank; /* rows of ranks up to it go left; -1: there is no split */
} stump_cut;

typedef struct {
    grower t;            /* rows, codes, and the current histogram */
    ptrdiff_t n_classes, n_pairs;
    int criterion;
    bin_sum *pairs;      /* (n_pairs, n) weights of classes 2k and 2k + 1 */
    bin_sum *histograms; /* (n_pairs, p, HIST_STRIDE) */
    const int32_t *shift; /* (p,) rank >> shift is the code */
    const void *ranks;   /* (p, n) */
    int wide;            /* whether ranks have 32 bits, else 16 */
    const uint32_t *order; /* (p, n) rows by code, ascending within one */
    const int64_t *start;  /* (p, N_CODES + 1) where the rows of a code begin in that order */
    const int64_t *total; /* (n_classes,) */
    double best;         /* score between codes, over all columns */
    stump_cut *cut;      /* (p,) */
    stump_cut *inner;    /* (p, CODE_SPANS) */
    int failed;          /* whether memory ran out */
} stump_job;

#endif
