/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of rows on the path of an interior point: see hinges in svm/dual_descent.pyx.

   Vectors of 16 bytes divide as many numbers in a cycle as wider ones do, so there is one level. */
#ifndef STATFAST_HINGES_H
#define STATFAST_HINGES_H

#include "simd/compiler.h"

/* Arrays of a path, as svm/linear/interior_point.py names them: those of rows, then seven for each
   hinge. */
enum { VALUE_AIMED = 0, ROW_COST, ROW_VALUE, ROW_ALONG, ROW_SCORE, ROW_WEIGHT, ROW_ARRAYS };
enum { OF_A, OF_R, OF_XI, OF_THETA, OF_DA, OF_DR, OF_DXI, SIDE_ARRAYS };
enum { LOOKS, PREDICTS, AIMS, CORRECTS };

typedef struct {
    int stage;
    ptrdiff_t sides, begin, end;
    double *state;        /* (ROW_ARRAYS + SIDE_ARRAYS * sides, ld) */
    ptrdiff_t ld;
    double epsilon, number, *sums;
    const double *z;      /* (q, ldz) columns of the rows, and what is made of them unless NULL */
    ptrdiff_t ldz, q;
    const double *v;
    double *g, *h;
} hinge_job;

static inline double one_max(double a, double b) { return a > b ? a : b; }

/* V is a number, or a vector of LANES; MAX takes its second argument where the first is NaN. */
#define HINGES(NAME, V, LANES, LOAD, STORE, MAX)                                                   \
    static ptrdiff_t NAME##_stage(const hinge_job *job, ptrdiff_t i) {                             \
        const int stage = job->stage;                                                              \
        const V zero = {0}, mu = job->number + zero, one = 1.0 + zero;                             \
        const ptrdiff_t n = job->ld;                                                               \
        V sums[4] = {zero, zero, zero, zero};                                                      \
        for (; i + LANES <= job->end; i += LANES) {                                                \
            double *row = job->state + i;                                                          \
            if (job->v) {                                                                          \
                V sum = zero;                                                                      \
                for (ptrdiff_t j = 0; j < job->q; j++)                                             \
                    sum += job->v[j] * LOAD(job->z + j * job->ldz + i);                            \
                STORE(row + ROW_ALONG * n, sum);                                                   \
            }                                                                                      \
            const V target = LOAD(row), cost = LOAD(row + ROW_COST * n);                           \
            const V along = LOAD(row + ROW_ALONG * n);                                             \
            V f = LOAD(row + ROW_VALUE * n), score = zero, weight = zero;                          \
            if (stage == LOOKS) f += mu * along, STORE(row + ROW_VALUE * n, f);                    \
            for (ptrdiff_t k = 0; k < job->sides; k++) {                                           \
                double *side = row + (ROW_ARRAYS + k * SIDE_ARRAYS) * n;                           \
                V a = LOAD(side + OF_A * n), r = LOAD(side + OF_R * n);                            \
                V xi = LOAD(side + OF_XI * n);                                                     \
                V da = LOAD(side + OF_DA * n), dr = LOAD(side + OF_DR * n);                        \
                V dxi = LOAD(side + OF_DXI * n), theta = LOAD(side + OF_THETA * n);                \
                if (stage == LOOKS) {                                                              \
                    a += mu * da, r += mu * dr, xi += mu * dxi;                                    \
                    STORE(side + OF_A * n, a), STORE(side + OF_R * n, r);                          \
                    STORE(side + OF_XI * n, xi);                                                   \
                }                                                                                  \
                const V sign = job->sides == 1 ? target : 1.0 - 2.0 * k + zero;                    \
                const V level = job->sides == 1 ? one : sign * target - job->epsilon;              \
                const V lack = level - sign * f, rest = cost - a;                                  \
                if (stage == LOOKS) {                                                              \
                    theta = 1.0 / (r / a + xi / rest);                                             \
                    STORE(side + OF_THETA * n, theta);                                             \
                    score += sign * theta * lack, weight += theta;                                 \
                    sums[0] += cost * MAX(lack, zero);                                             \
                    sums[1] += a * level, sums[2] += a * r + rest * xi;                            \
                    continue;                                                                      \
                }                                                                                  \
                if (stage == AIMS) {                                                               \
                    score += sign * theta * (dr + mu * dxi);                                       \
                    continue;                                                                      \
                }                                                                                  \
                const V by_a = 1.0 / a, by_rest = 1.0 / rest;                                      \
                V now, most;                                                                       \
                if (stage == PREDICTS) {                                                           \
                    now = theta * (lack - sign * along);                                           \
                    const V up = now * by_a, down = now * by_rest;                                 \
                    dr = -r * (1.0 + up), dxi = -xi * (1.0 - down);                                \
                    sums[0] += (a * dr + rest * dxi) + now * (r - xi);                             \
                    sums[1] += now * (dr - dxi);                                                   \
                    most = MAX(MAX(-up, down), MAX(1.0 + up, 1.0 - down));                         \
                    /* What the corrector's score is made of. */                                   \
                    dr = lack - (dr * up + dxi * down), dxi = by_a - by_rest;                      \
                } else {                                                                           \
                    now = theta * (dr + mu * dxi - sign * along);                                  \
                    const V up = -r * (1.0 + da * by_a), down = -xi * (1.0 - da * by_rest);        \
                    dr = (mu - da * up - r * now) * by_a - r;                                      \
                    dxi = (mu + da * down + xi * now) * by_rest - xi;                              \
                    most = MAX(MAX(-now * by_a, now * by_rest), MAX(-dr / r, -dxi / xi));          \
                }                                                                                  \
                sums[3] = MAX(most, sums[3]);                                                      \
                STORE(side + OF_DA * n, now), STORE(side + OF_DR * n, dr);                         \
                STORE(side + OF_DXI * n, dxi);                                                     \
            }                                                                                      \
            if (stage == LOOKS) STORE(row + ROW_WEIGHT * n, weight);                               \
            if (stage == LOOKS || stage == AIMS) STORE(row + ROW_SCORE * n, score);                \
        }                                                                                          \
        double lane[4 * LANES];                                                                    \
        for (int s = 0; s < 4; s++) STORE(lane + s * LANES, sums[s]);                              \
        for (int l = 0; l < LANES; l++) {                                                          \
            for (int s = 0; s < 3; s++) job->sums[s] += lane[s * LANES + l];                       \
            job->sums[3] = one_max(lane[3 * LANES + l], job->sums[3]);                             \
        }                                                                                          \
        return i;                                                                                  \
    }                                                                                              \
    /* The sum of products of two or three arrays. */                                              \
    static double NAME##_sum(const double *a, const double *b, const double *c, ptrdiff_t *i,      \
                             ptrdiff_t end) {                                                      \
        V sum = {0};                                                                               \
        for (; *i + LANES <= end; *i += LANES) {                                                   \
            V part = LOAD(a + *i) * LOAD(b + *i);                                                  \
            sum += c ? part * LOAD(c + *i) : part;                                                 \
        }                                                                                          \
        double lane[LANES], out = 0;                                                               \
        STORE(lane, sum);                                                                          \
        for (int l = 0; l < LANES; l++) out += lane[l];                                            \
        return out;                                                                                \
    }

#if defined(STATFAST_VECTORS) && (defined(__x86_64__) || defined(__aarch64__))
#include "simd/vec_128.h"
HINGES(pair, f64_v, F64_LANES, f64_load, f64_store, f64_max)
#else
#define pair_stage(job, begin) (begin)
#define pair_sum(a, b, c, i, end) 0.0
#endif

#define ONE_LOAD(p) (*(p))
#define ONE_STORE(p, x) (*(p) = (x))
HINGES(one, double, 1, ONE_LOAD, ONE_STORE, one_max)

static double sum_of_products(const hinge_job *job, const double *a, const double *b,
                              const double *c) {
    ptrdiff_t i = job->begin;
    const double pairs = pair_sum(a, b, c, &i, job->end);
    return pairs + one_sum(a, b, c, &i, job->end);
}

static void hinges_of_rows(const hinge_job *job) {
    const double *score = job->state + ROW_SCORE * job->ld;
    const double *weight = job->state + ROW_WEIGHT * job->ld;
    one_stage(job, pair_stage(job, job->begin));
    if (!job->g) return;
    for (ptrdiff_t j = 0; j < job->q; j++) {
        const double *column = job->z + j * job->ldz;
        job->g[j] += sum_of_products(job, score, column, NULL);
        for (ptrdiff_t k = 0; job->h && k <= j; k++)
            job->h[j * job->q + k] +=
                sum_of_products(job, weight, column, job->z + k * job->ldz);
    }
}

#endif
