/* SPDX-License-Identifier: BSD-3-Clause */
/* The visits of svm/dual_descent.pyx to sparse rows: vectors would not make them faster. */

#include "svm/dual_step.h"

static void dual_sparse(dual_job *job) {
    double *v = job->v + 1;
    for (ptrdiff_t s = job->begin; s < job->end; s++) {
        const ptrdiff_t i = job->order[s], begin = job->start[i], end = job->start[i + 1];
        if (s + COORDINATES_AHEAD < job->end) {
            const ptrdiff_t next = job->order[s + COORDINATES_AHEAD], stop = job->start[next + 1];
            FETCH(job->state + next * RECORD);
            for (ptrdiff_t k = job->start[next]; k < stop; k += 16) {
                FETCH(job->column + k);
                FETCH(job->value + k), FETCH(job->value + k + 8);
            }
        }
        double f = job->v[0], two = 0, three = 0, four = 0; /* that do not wait for each other */
        ptrdiff_t k = begin;
        for (; k + 4 <= end; k += 4) {
            f += job->value[k] * v[job->column[k]];
            two += job->value[k + 1] * v[job->column[k + 1]];
            three += job->value[k + 2] * v[job->column[k + 2]];
            four += job->value[k + 3] * v[job->column[k + 3]];
        }
        for (; k < end; k++) f += job->value[k] * v[job->column[k]];
        const double step = dual_step(job, i, (f + two) + (three + four));
        if (step == 0) continue;
        for (k = begin; k < end; k++) v[job->column[k]] += step * job->value[k];
        job->v[0] += step * job->one;
    }
}
