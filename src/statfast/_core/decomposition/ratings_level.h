/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of decomposition/ratings.pyx: rows gathered, and small systems. */

#include "decomposition/ratings_table.h"

#define AHEAD_ROWS 4  /* rows of the table asked for before they are read: they lie anywhere */

#define GATHER(name, REAL)                                                                         \
    static void name(const REAL *table, ptrdiff_t q, const int *places, const double *target,      \
                     const double *w, ptrdiff_t n, REAL *restrict z, REAL *restrict wz,            \
                     ptrdiff_t ld) {                                                               \
        for (ptrdiff_t i = 0; i < n; i++, z += ld, wz += ld) {                                     \
            const REAL *from = table + (ptrdiff_t)places[i] * (q + 1);                             \
            const ptrdiff_t ahead = i + AHEAD_ROWS < n ? i + AHEAD_ROWS : i;                        \
            const REAL *next = table + (ptrdiff_t)places[ahead] * (q + 1);                         \
            for (ptrdiff_t p = 0; p <= q; p += 64 / sizeof *next) FETCH(next + p);                 \
            for (ptrdiff_t p = 0; p < q; p++) z[p] = from[p];                                      \
            z[q] = (REAL)(target[i] - from[q]);                                                    \
            if (w)                                                                                 \
                for (ptrdiff_t p = 0; p <= q; p++) wz[p] = (REAL)w[i] * z[p];                      \
        }                                                                                          \
    }
GATHER(ratings_gather, double)
GATHER(ratings_gather_rough, float)

/* to += the sum of PIVOTS rows, each by a factor, from column `first` to q. */
#define PIVOTS 4
static INLINE void add_rows(double *to, const double *rows, ptrdiff_t ld, const double *by,
                            ptrdiff_t first, ptrdiff_t q) {
    f64_v f[PIVOTS];
    UNROLL for (int r = 0; r < PIVOTS; r++) f[r] = f64_set1(by[r]);
    for (ptrdiff_t p = first / F64_LANES * F64_LANES; p <= q; p += F64_LANES) {
        f64_v sum = f64_load(to + p);
        UNROLL for (int r = 0; r < PIVOTS; r++) sum = f64_fma(f[r], f64_load(rows + r * ld + p), sum);
        f64_store(to + p, sum);
    }
}

/* Gaussian elimination without square roots, by PIVOTS rows at a time: the rows below are read and
   written a fourth as often. Rows from q on are there, and zero. */
static void ratings_solve(double *upper, ptrdiff_t q, ptrdiff_t ld, double least, double *x) {
    for (ptrdiff_t j = 0; j < q; j++) x[j] = upper[j * ld + j] * least;
    for (ptrdiff_t j = 0; j < q; j += PIVOTS) {
        double *rows = upper + j * ld, by[PIVOTS] = {0, 0, 0, 0};
        for (int r = 0; r < PIVOTS && j + r < q; r++) {
            const double *row = rows + r * ld, pivot = row[j + r];
            by[r] = pivot > x[j + r] ? -1 / pivot : 0;
            for (int s = r + 1; s < PIVOTS && j + s < q; s++) {
                const double f = row[j + s] * by[r];
                double *to = rows + s * ld;
                for (ptrdiff_t p = j + s; p <= q; p++) to[p] += f * row[p];
            }
        }
        for (ptrdiff_t i = j + PIVOTS; i < q; i++) {
            double f[PIVOTS];
            for (int r = 0; r < PIVOTS; r++) f[r] = rows[r * ld + i] * by[r];
            add_rows(upper + i * ld, rows, ld, f, i, q);
        }
    }
    for (ptrdiff_t j = q - 1; j >= 0; j--) {
        const double *row = upper + j * ld;
        if (!(row[j] > x[j])) {
            x[j] = 0;
            continue;
        }
        double sum = row[q];
        for (ptrdiff_t i = j + 1; i < q; i++) sum -= row[i] * x[i];
        x[j] = sum / row[j];
    }
}

/* Cyclic coordinate descent (Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708). The slope is
   kept up to date in row q, which is there. */
#define MAX_SWEEPS 10000
#define SLOPE_LEFT 1e-13 /* of the first slope, at which the descent ends */
static void ratings_solve_bounded(double *upper, ptrdiff_t q, ptrdiff_t ld, ptrdiff_t bounded,
                                  double least, double *x) {
    double *slope = upper + q * ld, first = 0, largest = 0;
    for (ptrdiff_t i = 0; i < q; i++) {
        slope[i] = -upper[i * ld + q];
        first += slope[i] < 0 ? -slope[i] : slope[i];
        largest = upper[i * ld + i] > largest ? upper[i * ld + i] : largest;
        x[i] = 0;
    }
    for (ptrdiff_t i = 0; i < q; i++)
        for (ptrdiff_t j = 0; j < i; j++) upper[i * ld + j] = upper[j * ld + i];
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double violation = 0;
        for (ptrdiff_t i = 0; i < q; i++) {
            const double *row = upper + i * ld, curvature = row[i], steep = slope[i];
            if (!(curvature > least * largest)) continue;
            double next = x[i] - steep / curvature;
            if (i < bounded && next < 0) next = 0;
            if (i >= bounded || steep < 0 || x[i] > 0) violation += steep < 0 ? -steep : steep;
            const double by = next - x[i];
            if (by == 0) continue;
            for (ptrdiff_t j = 0; j < q; j++) slope[j] += by * row[j];
            x[i] = next;
        }
        if (violation <= SLOPE_LEFT * first) break;
    }
    for (ptrdiff_t j = 0; j < ld; j++) slope[j] = 0; /* rows from q on are zero for `solve` */
}

const ratings_kernels GLUE(ratings_, LEVEL) = {.gather = ratings_gather,
                                               .gather_rough = ratings_gather_rough,
                                               .solve = ratings_solve,
                                               .solve_bounded = ratings_solve_bounded};
