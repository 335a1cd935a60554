/* SPDX-License-Identifier: BSD-3-Clause */
/* The visits of dual_descent.pyx to sparse rows: vectors would not make them faster. */

#include "dual_step.h"

static void dual_sparse(dual_job *job) {
    double *v = job->v + 1;
    for (ptrdiff_t s = job->begin; s < job->end; s++) {
        const ptrdiff_t i = job->order[s], begin = job->start[i], end = job->start[i + 1];
        if (s + AHEAD < job->end) {
            const ptrdiff_t next = job->start[job->order[s + AHEAD]];
            FETCH(job->value + next), FETCH(job->column + next);
        }
        double f = job->v[0], other = 0;
        ptrdiff_t k = begin;
        for (; k + 2 <= end; k += 2) {
            f += job->value[k] * v[job->column[k]];
            other += job->value[k + 1] * v[job->column[k + 1]];
        }
        if (k < end) f += job->value[k] * v[job->column[k]];
        const double step = dual_step(job, i, f + other);
        if (step == 0) continue;
        for (k = begin; k < end; k++) v[job->column[k]] += step * job->value[k];
        job->v[0] += step * job->one;
    }
}
