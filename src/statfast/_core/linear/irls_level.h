/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of irls.pyx: from rows to X'WX, X's and the deviance in one sweep.

   Few columns (q <= FEW) are transposed in sheets: irls_few.h.  Many columns stay rows: irls_many.h. */

#include "irls_kernels.h"

#define REAL double
#define REAL_BITS 64
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "vmath.h"

#define FEW 64     /* columns: beyond, tiles of whole rows waste less than lanes cost */
#define GROUPS 16  /* of LANES rows in a sheet, at most: more are not fetched in time */
#define SHEET 4096 /* numbers of a sheet that is transposed: 32 KB, with 4 groups at least */
#define TALL 64   /* rows of a sheet of many columns */
#define FOUR 4     /* of them are worked on together */
#define SHORT 16   /* the same where their products are not wanted: they are read again in cache */
#if defined(FETCH)
#elif defined(STATFAST_VECTORS)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) (void)(address)
#endif
#if F64_LANES == 8 || defined(__aarch64__)
#define TILE 5 /* 25 sums, 5 factors: 30 of 32 registers */
#else
#define TILE 3
#endif

#include "irls_link.h"
#include "irls_scores.h"
#include "irls_few.h"
#include "irls_many.h"

static ptrdiff_t irls_room(const irls_job *job) {
    const ptrdiff_t sheet = sizeof(irls_sheet) / sizeof(double), q = job->p + job->intercept;
    if (q <= FEW) return sheet + (GROUPS * q + q + q * q) * LANES;
    return sheet + (job->h ? (TALL + job->tall) * job->ld : 0);
}

static void irls_sweep(const irls_job *job) {
    if (job->p + job->intercept <= FEW) irls_few(job);
    else irls_many(job);
}

static void irls_dots(const double *a, ptrdiff_t lda, const double *b, ptrdiff_t n, double *out) {
    f64_v sum[FOUR];
    ptrdiff_t k = 0;
    UNROLL for (int r = 0; r < FOUR; r++) sum[r] = f64_set1(0);
    for (; k + LANES <= n; k += LANES) {
        const f64_v by = f64_load(b + k);
        UNROLL for (int r = 0; r < FOUR; r++) sum[r] = f64_fma(f64_load(a + r * lda + k), by, sum[r]);
    }
    for (int r = 0; r < FOUR; r++) {
        out[r] = irls_total(sum[r]);
        for (ptrdiff_t l = k; l < n; l++) out[r] += a[r * lda + l] * b[l];
    }
}

const irls_kernels GLUE(irls_, LEVEL) = {
    .room = irls_room, .sweep = irls_sweep, .dots = irls_dots
};
