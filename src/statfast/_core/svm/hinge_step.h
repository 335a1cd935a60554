/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole step of the path of few rows: see path_step in svm/dual_descent.pyx. */
#ifndef STATFAST_HINGE_STEP_H
#define STATFAST_HINGE_STEP_H

#include "svm/hinges.h"

static double dot_of_few(const double *a, const double *b, ptrdiff_t n) {
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* Cholesky's factor a (lower triangle) of h + diag(ridge), scaled to a diagonal of ones; whether
   its pivots are above `least` and the diagonal below `most`. */
static int factor_of_few(const double *h, const double *ridge, ptrdiff_t q, double least,
                         double most, double *a, double *scale) {
    for (ptrdiff_t i = 0; i < q; i++) {
        const double diagonal = h[i * q + i] + ridge[i];
        if (!(diagonal < most)) return 0;
        scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        double *row = a + i * q, pivot;
        for (ptrdiff_t j = 0; j < i; j++)
            row[j] = (h[i * q + j] * (scale[i] * scale[j]) - dot_of_few(row, a + j * q, j)) /
                     a[j * q + j];
        pivot = diagonal * (scale[i] * scale[i]) - dot_of_few(row, row, i);
        if (!(pivot > least)) return 0;
        row[i] = sqrt(pivot);
    }
    return 1;
}

/* x = (a a' scaled back)^-1 (g - lag) */
static void solve_of_few(const double *a, const double *scale, ptrdiff_t q, const double *g,
                         const double *lag, double *x) {
    for (ptrdiff_t i = 0; i < q; i++)
        x[i] = (scale[i] * (g[i] - lag[i]) - dot_of_few(a + i * q, x, i)) / a[i * q + i];
    for (ptrdiff_t i = q - 1; i >= 0; i--) {
        x[i] /= a[i * q + i];
        for (ptrdiff_t j = 0; j < i; j++) x[j] -= a[i * q + j] * x[i];
    }
    for (ptrdiff_t i = 0; i < q; i++) x[i] *= scale[i];
}

static void run_stage(hinge_job *job, int stage, double number, const double *v, double *g) {
    for (int s = 0; s < 4; s++) job->sums[s] = 0;
    for (ptrdiff_t j = 0; g && j < job->q; j++) g[j] = 0;
    job->stage = stage, job->number = number, job->v = v, job->g = g;
    hinges_of_rows(job);
}

/* The step of `job` after its LOOK, and LOOK at where it leads. LOOK makes h, the matrix, the first
   of `vectors`, its right-hand side, and sums; the other vectors are the ridge, lag and
   coefficients, of which the last two move. `total` is a'r + (c - a)'xi, and `limits` are
   the least pivot, the most of the diagonal, and the share of the longest step that is taken.
   Returns how far the step goes; -1 if the matrix is for another kind of factor. */
static double step_of_few(hinge_job *job, double total, double *h, double *vectors,
                          const double *limits, double *room) {
    const ptrdiff_t q = job->q;
    double *pull = vectors, *ridge = pull + q, *lag = ridge + q, *v = lag + q;
    double *scale = room + q * q, *along = scale + q, *g = along + q;
    if (!factor_of_few(h, ridge, q, limits[0], limits[1], room, scale)) return -1;
    solve_of_few(room, scale, q, pull, lag, along);
    run_stage(job, PREDICTS, 0, along, NULL);
    double t = job->sums[3] > 1 ? 1 / job->sums[3] : 1;
    const double after = total + t * job->sums[0] + t * t * job->sums[1];
    const double left = one_max(after, 0) / total;
    const double mu = total / (2.0 * job->sides * job->end) * (left * left * left);
    run_stage(job, AIMS, mu, NULL, g);
    solve_of_few(room, scale, q, g, lag, along);
    run_stage(job, CORRECTS, mu, along, NULL);
    t = limits[2] < job->sums[3] ? limits[2] / job->sums[3] : 1;
    for (ptrdiff_t j = 0; j < q; j++) v[j] += t * along[j], lag[j] *= 1 - t;
    for (ptrdiff_t j = 0; j < q * q; j++) h[j] = 0;
    job->h = h;
    run_stage(job, LOOKS, t, NULL, pull);
    return t;
}

#endif
