/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linear/columns.pyx.

   Products have the same bits whether rows or columns are contiguous. A product with a vector is
   LANES sums, of the rows i = l modulo LANES for l = 0, 1, ..., added up at the end; a combination
   is added column after column, in the order of the index. */

#include "linear/columns_table.h"

#define STRIP_COLUMNS 512 /* columns whose sums are kept together where rows are contiguous */
#define CACHED_ROWS 1024 /* rows of a combination that stay in cache */

static INLINE double columns_total(f64_v sums) {
    double lanes[F64_LANES], total = 0;
    f64_store(lanes, sums);
    for (int l = 0; l < F64_LANES; l++) total += lanes[l];
    return total;
}

static INLINE ptrdiff_t columns_of(const columns_job *job, ptrdiff_t j) {
    return job->index ? job->index[j] : j;
}

static double columns_dot(const double *a, const double *b, ptrdiff_t n) {
    f64_v one = f64_set1(0), two = one;
    ptrdiff_t i = 0;
    for (; i + 2 * F64_LANES <= n; i += 2 * F64_LANES) {
        one = f64_fma(f64_load(a + i), f64_load(b + i), one);
        two = f64_fma(f64_load(a + i + F64_LANES), f64_load(b + i + F64_LANES), two);
    }
    double total = columns_total(one + two);
    for (; i < n; i++) total += a[i] * b[i];
    return total;
}

static void columns_add(const double *part, ptrdiff_t lda, ptrdiff_t k, ptrdiff_t columns,
                        double *out, ptrdiff_t ldo) {
    for (ptrdiff_t i = 0; i < k; i++, part += lda, out += ldo) {
        ptrdiff_t t = 0;
        for (; t + F64_LANES <= columns; t += F64_LANES)
            f64_store(out + t, f64_load(out + t) + f64_load(part + t));
        for (; t < columns; t++) out[t] += part[t];
    }
}

#define OF(T, REAL, READ)                                                                          \
    static INLINE f64_v columns_rest_##T(const REAL *x, ptrdiff_t step, ptrdiff_t n) {             \
        REAL some[F64_LANES] = {0};                                                                \
        for (ptrdiff_t l = 0; l < n; l++) some[l] = x[l * step];                                   \
        return READ(some);                                                                         \
    }                                                                                              \
                                                                                                   \
    static INLINE void columns_together_##T(const REAL *const *x, int count, const double *v,      \
                                            ptrdiff_t n, double *out) {                            \
        f64_v sums[4];                                                                             \
        ptrdiff_t i = 0;                                                                           \
        for (int c = 0; c < count; c++) sums[c] = f64_set1(0);                                     \
        for (; i + F64_LANES <= n; i += F64_LANES) {                                               \
            const f64_v vi = f64_load(v + i);                                                      \
            UNROLL for (int c = 0; c < count; c++)                                                 \
                sums[c] = f64_fma(READ(x[c] + i), vi, sums[c]);                                    \
        }                                                                                          \
        if (i < n) {                                                                               \
            double some[F64_LANES] = {0};                                                          \
            for (ptrdiff_t l = i; l < n; l++) some[l - i] = v[l];                                  \
            for (int c = 0; c < count; c++)                                                        \
                sums[c] = f64_fma(columns_rest_##T(x[c] + i, 1, n - i), f64_load(some), sums[c]);  \
        }                                                                                          \
        for (int c = 0; c < count; c++) out[c] += columns_total(sums[c]);                          \
    }                                                                                              \
                                                                                                   \
    static void columns_correlate_down_##T(const columns_job *job, const double *v,                \
                                           double *out) {                                          \
        const REAL *x = job->x, *four[4];                                                          \
        ptrdiff_t j = 0;                                                                           \
        for (; j + 4 <= job->k; j += 4) {                                                          \
            for (int c = 0; c < 4; c++) four[c] = x + columns_of(job, j + c) * job->step;          \
            columns_together_##T(four, 4, v, job->n, out + j);                                     \
        }                                                                                          \
        for (; j < job->k; j++) {                                                                  \
            four[0] = x + columns_of(job, j) * job->step;                                          \
            columns_together_##T(four, 1, v, job->n, out + j);                                     \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void columns_correlate_across_##T(const columns_job *job, const double *v,              \
                                             double *out) {                                        \
        double sums[F64_LANES * STRIP_COLUMNS];                                                    \
        for (ptrdiff_t c = 0; c < job->k; c += STRIP_COLUMNS) {                                    \
            const ptrdiff_t some = job->k - c < STRIP_COLUMNS ? job->k - c : STRIP_COLUMNS;        \
            for (ptrdiff_t t = 0; t < F64_LANES * STRIP_COLUMNS; t++) sums[t] = 0;                 \
            for (ptrdiff_t i = 0; i < job->n; i++) {                                               \
                const REAL *x = (const REAL *)job->x + i * job->step;                              \
                const f64_v vi = f64_set1(v[i]);                                                   \
                double *to = sums + i % F64_LANES * STRIP_COLUMNS;                                 \
                for (ptrdiff_t t = 0; t < some; t += F64_LANES) {                                  \
                    f64_v xt;                                                                      \
                    if (!job->index && t + F64_LANES <= some) xt = READ(x + c + t);                \
                    else {                                                                         \
                        REAL few[F64_LANES] = {0};                                                 \
                        for (ptrdiff_t l = 0; l < F64_LANES && t + l < some; l++)                  \
                            few[l] = x[columns_of(job, c + t + l)];                                \
                        xt = READ(few);                                                            \
                    }                                                                              \
                    f64_store(to + t, f64_fma(xt, vi, f64_load(to + t)));                          \
                }                                                                                  \
            }                                                                                      \
            for (ptrdiff_t t = 0; t < some; t++) {                                                 \
                double total = 0;                                                                  \
                for (ptrdiff_t l = 0; l < F64_LANES; l++) total += sums[l * STRIP_COLUMNS + t];    \
                out[c + t] += total;                                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void columns_combine_down_##T(const columns_job *job, const double *coef,               \
                                         double *out) {                                            \
        const REAL *x = job->x;                                                                    \
        for (ptrdiff_t first = 0; first < job->n; first += CACHED_ROWS) {                          \
            const ptrdiff_t stop = job->n - first < CACHED_ROWS ? job->n : first + CACHED_ROWS;    \
            for (ptrdiff_t j = 0; j < job->k; j++) {                                               \
                const REAL *from = x + columns_of(job, j) * job->step;                             \
                const f64_v b = f64_set1(coef[j]);                                                 \
                ptrdiff_t i = first;                                                               \
                for (; i + F64_LANES <= stop; i += F64_LANES)                                      \
                    f64_store(out + i, f64_fma(READ(from + i), b, f64_load(out + i)));             \
                if (i < stop) {                                                                    \
                    double few[F64_LANES] = {0};                                                   \
                    for (ptrdiff_t l = i; l < stop; l++) few[l - i] = out[l];                      \
                    f64_store(few, f64_fma(columns_rest_##T(from + i, 1, stop - i), b,             \
                                           f64_load(few)));                                        \
                    for (ptrdiff_t l = i; l < stop; l++) out[l] = few[l - i];                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void columns_combine_across_##T(const columns_job *job, const double *coef,             \
                                           double *out) {                                          \
        for (ptrdiff_t i = 0; i < job->n; i += F64_LANES) {                                        \
            const ptrdiff_t rows = job->n - i < F64_LANES ? job->n - i : F64_LANES;                \
            const REAL *x = (const REAL *)job->x + i * job->step;                                  \
            double few[F64_LANES] = {0};                                                           \
            for (ptrdiff_t l = 0; l < rows; l++) few[l] = out[i + l];                              \
            f64_v total = f64_load(few);                                                           \
            for (ptrdiff_t j = 0; j < job->k; j++)                                                 \
                total = f64_fma(columns_rest_##T(x + columns_of(job, j), job->step, rows),         \
                                f64_set1(coef[j]), total);                                         \
            f64_store(few, total);                                                                 \
            for (ptrdiff_t l = 0; l < rows; l++) out[i + l] = few[l];                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void columns_load_##T(const REAL *x, ptrdiff_t n, const double *root, double mean,      \
                                 double scale, double *z) {                                        \
        const f64_v m = f64_set1(mean), s = f64_set1(scale);                                       \
        ptrdiff_t i = 0;                                                                           \
        for (; i + F64_LANES <= n; i += F64_LANES)                                                 \
            f64_store(z + i, (READ(x + i) - m) * s * f64_load(root + i));                          \
        for (; i < n; i++) z[i] = ((double)x[i] - mean) * scale * root[i];                         \
    }
OF(f64, double, f64_load)
OF(f32, float, f64_widen)

#define EITHER(NAME)                                                                               \
    static void columns_##NAME(const columns_job *job, const double *v, double *out) {             \
        if (job->single) columns_##NAME##_f32(job, v, out);                                        \
        else columns_##NAME##_f64(job, v, out);                                                    \
    }
EITHER(correlate_down)
EITHER(correlate_across)
EITHER(combine_down)
EITHER(combine_across)

static void columns_load(const void *x, int single, ptrdiff_t n, const double *root, double mean,
                         double scale, double *z) {
    if (single) columns_load_f32(x, n, root, mean, scale, z);
    else columns_load_f64(x, n, root, mean, scale, z);
}

const columns_kernels GLUE(columns_, LEVEL) = {
    .correlate_down = columns_correlate_down, .correlate_across = columns_correlate_across,
    .combine_down = columns_combine_down, .combine_across = columns_combine_across,
    .load = columns_load, .dot = columns_dot, .add = columns_add};
