/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of dual_descent.pyx: a coordinate's step, and rows dense or sparse. */

#include "dual_descent_kernels.h"

#if defined(STATFAST_VECTORS)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) (void)(address)
#endif
#define AHEAD 3   /* coordinates: their rows are on the way from memory */
#define STILL 1e-12 /* gradients below are rounding */

/* The step of coordinate i, whose row's product with v is f; notes its projected gradient, and
   whether it is visited again. */
static INLINE double dual_step(dual_job *job, ptrdiff_t i, double f) {
    const double old = job->beta[i], low = job->low[i], high = job->high[i];
    const double epsilon = job->epsilon, g = f - job->target[i] + job->soft[i] * old;
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
    if (fabs(pull) <= STILL) return 0;
    if (job->curve[i] > 0) {
        const double z = old - g / job->curve[i], gap = epsilon / job->curve[i];
        now = z > gap ? z - gap : z < -gap ? z + gap : 0;
    } else {
        now = pull < 0 ? high : low; /* a row of zeros: the loss is what it is */
    }
    if (now > high) now = high;
    if (now < low) now = low;
    job->beta[i] = now;
    return now - old;
}

#define DENSE(SRC, NAME, WIDE)                                                                     \
    static void dual_##NAME(dual_job *job) {                                                       \
        const ptrdiff_t d = job->d, all = job->end;                                                \
        double *v = job->v + 1;                                                                    \
        for (ptrdiff_t s = job->begin; s < all; s++) {                                             \
            const ptrdiff_t i = job->order[s];                                                     \
            const SRC *x = (const SRC *)job->x + i * job->ldx;                                     \
            if (s + AHEAD < all) {                                                                 \
                const SRC *next = (const SRC *)job->x + job->order[s + AHEAD] * job->ldx;          \
                for (ptrdiff_t j = 0; j < d; j += 64 / (ptrdiff_t)sizeof(SRC)) FETCH(next + j);    \
            }                                                                                      \
            f64_v one = f64_set1(0), two = one;                                                    \
            ptrdiff_t j = 0;                                                                       \
            for (; j + 2 * F64_LANES <= d; j += 2 * F64_LANES) {                                   \
                one = f64_fma(WIDE(x + j), f64_load(v + j), one);                                  \
                two = f64_fma(WIDE(x + j + F64_LANES), f64_load(v + j + F64_LANES), two);          \
            }                                                                                      \
            double lane[F64_LANES], f = job->v[0];                                                 \
            f64_store(lane, one + two);                                                            \
            for (int l = 0; l < F64_LANES; l++) f += lane[l];                                      \
            for (; j < d; j++) f += x[j] * v[j];                                                   \
            const double step = dual_step(job, i, f);                                              \
            if (step == 0) continue;                                                               \
            const f64_v by = f64_set1(step);                                                       \
            for (j = 0; j + F64_LANES <= d; j += F64_LANES)                                        \
                f64_store(v + j, f64_fma(by, WIDE(x + j), f64_load(v + j)));                       \
            for (; j < d; j++) v[j] += step * x[j];                                                \
            job->v[0] += step * job->one;                                                          \
        }                                                                                          \
    }
DENSE(double, f64, f64_load)
DENSE(float, f32, f64_widen)
#undef DENSE

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

const dual_descent_kernels GLUE(dual_descent_, LEVEL) = {
    .f64 = dual_f64, .f32 = dual_f32, .sparse = dual_sparse};
