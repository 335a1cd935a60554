/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of linear/irls.pyx: one sweep over rows for generalized linear models. */
#ifndef STATFAST_IRLS_KERNELS_H
#define STATFAST_IRLS_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

enum { IRLS_MAX_NARROW = 64 }; /* columns: beyond, tiles of whole rows waste less than lanes cost */

/* What is done with the linear predictor of a row. */
enum {
    SWEEP_PREDICT,         /* it is stored */
    SWEEP_GIVEN,           /* nothing: scores and weights are given */
    SWEEP_IDENTITY,        /* gaussian, identity */
    SWEEP_LOGIT,           /* binomial, logit */
    SWEEP_POISSON,         /* poisson, log */
    SWEEP_GAMMA_LOG,       /* gamma, log */
    SWEEP_GAMMA_INVERSE    /* gamma, inverse */
};

typedef struct {
    const void *x;          /* rows of p doubles, or floats if single, ldx apart */
    ptrdiff_t ldx, n, p;
    int single, intercept;  /* with an intercept, q = p + 1 and its column comes first */
    const double *shift;    /* (p,) taken off every row */
    const double *b;        /* (q,) */
    int kind;
    const double *y;        /* (n,) */
    const double *weight;   /* (n,) or NULL: ones */
    const double *offset;   /* (n,) or NULL: zeros */
    const double *aux;      /* (n,) or NULL: zeros; what the deviance takes of y alone */
    double *eta;            /* OUT (n,) for SWEEP_PREDICT, */
    const double *score, *curve; /* (n,) for SWEEP_GIVEN */
    double *h;              /* (q, q) lower triangle += z' w z, or NULL */
    double *g;              /* (q,) += z' s */
    double *sums;           /* (2,) += half the deviance, Pearson's chi-square */
    ptrdiff_t folds, entries; /* of q <= MAX_NARROW_COLUMNS b, g and sums have a row for each fold, */
    const ptrdiff_t *entry; /* (entries, 3) and an entry names a fold and rows of it: from, to */
    void (*rank_update)(const double *, const double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *);
    int rough;              /* of many columns, z' w z is summed in float by the next */
    void (*rough_update)(const float *, const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, float *);
    ptrdiff_t ld, tall;     /* what these want: a row stride, and rows of its result */
    double *work;           /* as many doubles as `room` says, on a cache line */
} irls_job;

typedef struct {
    ptrdiff_t (*room)(const irls_job *);
    void (*sweep)(const irls_job *);
} irls_kernels;
TABLE_AT(irls_kernels, irls)

#endif
