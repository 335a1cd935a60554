/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of svm/dual_descent.pyx, whatever the kind of rows. */
#ifndef STATFAST_DUAL_STEP_H
#define STATFAST_DUAL_STEP_H

#include <math.h>

#include "simd/compiler.h"
#include "svm/dual_descent_table.h"

#define COORDINATES_AHEAD 3   /* coordinates: their rows are on the way from memory */
#define GRADIENT_ROUNDING 1e-12 /* gradients below are rounding */

/* The step of coordinate i, whose row's product with v is f; notes its projected gradient, and
   whether it is visited again. */
static inline double dual_step(dual_job *job, ptrdiff_t i, double f) {
    double *row = job->state + i * RECORD;
    const double old = row[BETA], low = row[LOW], high = row[HIGH], share = row[SHARE];
    const double epsilon = job->epsilon, g = f - row[TARGET] + row[SOFT] * old;
    const double right = g + (old >= 0 ? epsilon : -epsilon);
    const double left = g + (old > 0 ? epsilon : -epsilon);
    double now = old, pull = 0;
    if (old < high && right < 0) pull = right;
    else if (old > low && left > 0) pull = left;
    if ((old >= high || right > job->slack) && (old <= low || left < -job->slack)) return 0;
    job->order[job->kept++] = (int32_t)i;
    const double seen = high > 0 ? pull : -pull;
    if (seen > job->most) job->most = seen;
    if (seen < job->least) job->least = seen;
    job->sum += fabs(pull);
    if (fabs(pull) <= GRADIENT_ROUNDING) return 0;
    if (share > 0) {
        const double z = old - g * share, gap = epsilon * share;
        now = z > gap ? z - gap : z < -gap ? z + gap : 0;
    } else {
        now = pull < 0 ? high : low; /* a row of zeros: the loss is what it is */
    }
    if (now > high) now = high;
    if (now < low) now = low;
    row[BETA] = now;
    return now - old;
}

#endif
