/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of svm/dual_descent.pyx: visits to dense rows. */

#include "svm/dual_step.h"

#define DENSE(SRC, NAME, WIDE)                                                                     \
    static void dual_##NAME(dual_job *job) {                                                       \
        const ptrdiff_t d = job->d, all = job->end;                                                \
        double *v = job->v + 1;                                                                    \
        for (ptrdiff_t s = job->begin; s < all; s++) {                                             \
            const ptrdiff_t i = job->order[s];                                                     \
            const SRC *x = (const SRC *)job->x + i * job->ldx;                                     \
            if (s + COORDINATES_AHEAD < all) {                                                     \
                const ptrdiff_t ahead = job->order[s + COORDINATES_AHEAD];                         \
                const SRC *next = (const SRC *)job->x + ahead * job->ldx;                          \
                FETCH(job->state + job->order[s + COORDINATES_AHEAD] * RECORD);                    \
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

const dual_descent_kernels GLUE(dual_descent_, LEVEL) = {
    .f64 = dual_f64, .f32 = dual_f32};
