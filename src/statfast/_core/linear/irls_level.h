/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linear/irls.pyx: from rows to X'WX, X's and the deviance in one
   sweep.

   Few columns (q <= MAX_NARROW_COLUMNS) are transposed in sheets: linear/irls_few.h.  Many columns
   stay rows: linear/irls_many.h. */

#include "linear/irls_table.h"

#define REAL double
#define REAL_BITS 64
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "simd/vmath.h"

#define MAX_NARROW_COLUMNS IRLS_MAX_NARROW
#define SHEET_GROUPS 16  /* of LANES rows in a sheet, at most: more are not fetched in time */
#define SHEET_NUMBERS 4096 /* of a sheet that is transposed: 32 KB, with 4 groups at least */
#define WIDE_ROWS 64   /* rows of a sheet of many columns */
#define QUAD 4     /* of them are worked on together */
#define SCORE_SHEET_ROWS 16 /* the same where no products are wanted: read again in cache */
#if F64_LANES == 8 || defined(__aarch64__)
#define TILE 5 /* 25 sums, 5 factors: 30 of 32 registers */
#else
#define TILE 3
#endif

#include "linear/irls_link.h"
#include "linear/irls_scores.h"
#include "linear/irls_few.h"
#include "linear/irls_folds.h"
#include "linear/irls_many.h"

static ptrdiff_t irls_room(const irls_job *job) {
    const ptrdiff_t sheet = sizeof(irls_sheet) / sizeof(double), q = job->p + job->intercept;
    if (job->entries) return sheet + (SHEET_GROUPS + job->folds) * q * LANES;
    if (q <= MAX_NARROW_COLUMNS) return sheet + (SHEET_GROUPS * q + q + q * q) * LANES;
    return sheet + (job->h ? (WIDE_ROWS + job->tall) * job->ld : 0);
}

static void irls_sweep(const irls_job *job) {
    if (job->entries) irls_folds(job);
    else if (job->p + job->intercept <= MAX_NARROW_COLUMNS) irls_few(job);
    else irls_many(job);
}

const irls_kernels GLUE(irls_, LEVEL) = {.room = irls_room, .sweep = irls_sweep};
