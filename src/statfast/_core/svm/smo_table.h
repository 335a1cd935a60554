/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of svm/smo.pyx for one instruction-set level. */
#ifndef STATFAST_SMO_KERNELS_H
#define STATFAST_SMO_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

#define SMO_ROW_MULTIPLE 16 /* rows of the local block are padded to a multiple of this */

/* A problem on a matrix that is at hand: see svm/smo.pyx. */
typedef struct {
    const float *K; /* (m, ld), symmetric, zero beyond m; ld a multiple of SMO_ROW_MULTIPLE */
    ptrdiff_t ld, m;
    const int32_t *slot;  /* or null: which row of K is that of a variable, -1 if none is, */
    int32_t *wanted;      /* (q,) and variables whose rows are to be made, */
    ptrdiff_t missing;    /* so many */
    const double *low, *high;
    const int32_t *group; /* 0, or 1 where steps stay within a group */
    int groups;
    double tol, share;    /* the violation wanted; that left within a set, of the whole one */
    ptrdiff_t q, most, limit; /* variables of a working set, steps on it, steps in all */
    double *b, *f;
    int32_t *recent;      /* (q,) the last working set, filled up with -1 */
    char *work;           /* smo_space(m, q) bytes */
    double gap;
    ptrdiff_t steps, sets; /* counted up */
} smo_task;

typedef struct {
    /* Work until the violation is at most tol, nothing moves (returns 0), rows are missing, or for
       about so many multiply-adds. */
    int (*descend)(smo_task *, double);
    /* f[c] += sum over r of w[r] rows[which[r], c], first <= c < stop */
    void (*add)(const float *rows, ptrdiff_t ld, const int32_t *which, const double *w, ptrdiff_t k,
                ptrdiff_t first, ptrdiff_t stop, double *f);
} smo_kernels;

TABLE_AT(smo_kernels, smo)

/* Bytes of work space: the local block and its vectors, and what choosing needs. */
static inline ptrdiff_t smo_space(ptrdiff_t m, ptrdiff_t q) {
    const ptrdiff_t wide = (q + SMO_ROW_MULTIPLE - 1) / SMO_ROW_MULTIPLE * SMO_ROW_MULTIPLE;
    return wide * wide * 4 + wide * (6 * 4 + 5 * 8 + 4) + m * 17 + 1024;
}

#endif
