/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of irls.pyx: from rows to X'WX, X's and the deviance in one sweep.

   Few columns (q <= FEW): a sheet of rows is transposed, so that a vector holds one column of LANES
   rows; with that the linear predictor, the link and the scaling by sqrt(w) are plain vector code,
   and X'WX is summed lane by lane in tiles of TILE x TILE columns that fill the registers, exactly
   its lower triangle.  The lanes are added up once, at the end of a call.
   Many columns: rows stay rows, and sheets of them, scaled, go through the tile's rank_update.
   The last group of rows repeats the last row with weight 0. */

#include "irls_kernels.h"

#define REAL double
#define REAL_BITS 64
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "vmath.h"
#include "pack.h"
#include "irls_link.h"

#define FEW 64     /* columns: beyond, tiles of whole rows waste less than lanes cost */
#define GROUPS 16  /* of LANES rows in a sheet, at most: factors of 2 do not overflow then */
#define SHEET 4096 /* numbers of a sheet that is transposed: 32 KB, with 4 groups at least */
#define TALL 64    /* rows of a sheet of many columns */
#if defined(STATFAST_VECTORS)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) (void)(address)
#endif
#define AHEAD 4 /* groups: rows on their way from memory while these are worked on */
#if F64_LANES == 8 || defined(__aarch64__)
#define TILE 5 /* 25 sums, 5 factors: 30 of 32 registers */
#else
#define TILE 3
#endif

static INLINE double irls_total(f64_v v) {
    double lane[LANES], sum = 0;
    f64_store(lane, v);
    for (int l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

/* `left` numbers, the last of them repeated. */
static INLINE f64_v irls_take(const double *p, ptrdiff_t left) {
    if (left >= LANES) return f64_load(p);
    double lane[LANES];
    for (int l = 0; l < LANES; l++) lane[l] = p[l < left ? l : left - 1];
    return f64_load(lane);
}

/* ------------------------------------------------------------------ from eta to s and w */

/* eta, s and sqrt(w) of the groups of a sheet, which begins at row `first`. */
typedef struct {
    double eta[GROUPS * LANES + TALL], s[GROUPS * LANES + TALL], root[GROUPS * LANES + TALL];
} irls_sheet;

static INLINE void irls_links_as(const irls_job *job, irls_sheet *sheet, ptrdiff_t first,
                                 ptrdiff_t rows, const int kind, const int weighted) {
    const f64_v zero = f64_set1(0), one = f64_set1(1);
    f64_v loss = zero, chi = zero, factor = one;
    for (ptrdiff_t r = 0; r < rows; r += LANES) {
        const ptrdiff_t left = rows - r, i = first + r;
        const f64_v eta = f64_load(sheet->eta + r);
        irls_row row;
        if (kind == SWEEP_GIVEN) {
            row.s = irls_take(job->score + i, left), row.w = irls_take(job->curve + i, left);
            row.loss = zero;
        } else {
            const f64_v y = irls_take(job->y + i, left);
            const f64_v aux = job->aux ? irls_take(job->aux + i, left) : zero;
            const f64_v a = weighted && job->weight ? irls_take(job->weight + i, left) : one;
            switch (kind) {
                case SWEEP_LOGIT: row = irls_logit(eta, y, a, aux, !weighted, &factor); break;
                case SWEEP_POISSON: row = irls_poisson(eta, y, a, aux); break;
                case SWEEP_GAMMA_LOG: row = irls_gamma_log(eta, y, a, aux); break;
                case SWEEP_GAMMA_INVERSE: row = irls_gamma_inverse(eta, y, a, aux); break;
                default: row = irls_identity(eta, y, a);
            }
        }
        if (left < LANES) { /* rows that are not there */
            double on[LANES];
            for (int l = 0; l < LANES; l++) on[l] = l < left;
            const f64_m there = f64_gt(f64_load(on), zero);
            row.s = f64_select(there, row.s, zero), row.w = f64_select(there, row.w, zero);
            row.loss = f64_select(there, row.loss, zero);
            if (kind == SWEEP_LOGIT && !weighted) { /* their factors are in: take the last ones out */
                const f64_v e = f64_exp(f64_min(eta, zero - eta));
                factor = f64_select(there, factor, factor / (one + e));
            }
        }
        loss = loss + row.loss;
        chi = chi + f64_select(f64_gt(row.w, zero), row.s * row.s / row.w, zero);
        f64_store(sheet->s + r, row.s), f64_store(sheet->root + r, f64_sqrt(row.w));
    }
    if (kind == SWEEP_LOGIT && !weighted) loss = loss + f64_log(factor);
    job->sums[0] += irls_total(loss), job->sums[1] += irls_total(chi);
}

static void irls_links(const irls_job *job, irls_sheet *sheet, ptrdiff_t first, ptrdiff_t rows) {
#define AS(KIND) case KIND: irls_links_as(job, sheet, first, rows, KIND, 1); break
    switch (job->kind) {
        case SWEEP_PREDICT:
            memcpy(job->eta + first, sheet->eta, (size_t)rows * sizeof(double));
            break;
        case SWEEP_LOGIT:
            if (job->weight || job->aux) irls_links_as(job, sheet, first, rows, SWEEP_LOGIT, 1);
            else irls_links_as(job, sheet, first, rows, SWEEP_LOGIT, 0);
            break;
        AS(SWEEP_GIVEN);
        AS(SWEEP_POISSON);
        AS(SWEEP_GAMMA_LOG);
        AS(SWEEP_GAMMA_INVERSE);
        AS(SWEEP_IDENTITY);
    }
#undef AS
}

/* ------------------------------------------------------------------ few columns */

/* One group of rows less the shift, column by column, and their linear predictor. */
#define LAY(SRC, NAME, WIDE)                                                                       \
    static INLINE f64_v irls_lay_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t left,      \
                                        double *z) {                                               \
        const ptrdiff_t p = job->p;                                                                \
        const SRC *x[LANES];                                                                       \
        for (int l = 0; l < LANES; l++)                                                            \
            x[l] = (const SRC *)job->x + (first + (l < left ? l : left - 1)) * job->ldx;           \
        for (ptrdiff_t at = 0; at < LANES * job->ldx; at += 64 / (ptrdiff_t)sizeof(SRC))             \
            FETCH((const char *)(x[0] + AHEAD * LANES * job->ldx + at));                                         \
        f64_v eta = job->offset ? irls_take(job->offset + first, left) : f64_set1(0);              \
        const double *b = job->b;                                                                  \
        if (job->intercept) {                                                                      \
            f64_store(z, f64_set1(1));                                                             \
            eta = eta + f64_set1(*b++);                                                            \
            z += LANES;                                                                            \
        }                                                                                          \
        ptrdiff_t j = 0;                                                                           \
        LAY_VECTORS(WIDE)                                                                          \
        for (; j < p; j++) {                                                                       \
            for (int l = 0; l < LANES; l++) z[j * LANES + l] = (double)x[l][j] - job->shift[j];    \
            eta = f64_fma(f64_load(z + j * LANES), f64_set1(b[j]), eta);                           \
        }                                                                                          \
        return eta;                                                                                \
    }
#if F64_LANES > 1
/* The last vectors of a row overlap those before rather than going past its end. */
#define LAY_VECTORS(WIDE)                                                                          \
    for (; p >= LANES && j < p;) {                                                                 \
        const ptrdiff_t at = j + LANES <= p ? j : p - LANES;                                       \
        const f64_v shift = f64_load(job->shift + at);                                             \
        f64_v r[LANES];                                                                            \
        UNROLL for (int l = 0; l < LANES; l++) r[l] = WIDE(x[l] + at) - shift;                     \
        f64_transpose(r);                                                                          \
        UNROLL for (int l = 0; l < LANES; l++) f64_store(z + (at + l) * LANES, r[l]);              \
        for (; j < at + LANES; j++)                                                                \
            eta = f64_fma(f64_load(z + j * LANES), f64_set1(b[j]), eta);                           \
    }
#else
#define LAY_VECTORS(WIDE)
#endif
LAY(double, f64, f64_load)
LAY(float, f32, f64_widen)
#undef LAY
#undef LAY_VECTORS

/* h[i, j] += sum over groups of z_i z_j: `wide` rows and columns of the tile, the lower triangle of
   it if it lies on the diagonal. */
static INLINE void irls_tile(const double *zi, const double *zj, ptrdiff_t step, ptrdiff_t groups,
                             double *h, ptrdiff_t ldh, const int wide, const int diagonal) {
    f64_v sum[TILE][TILE];
#define EACH(i, j) /* constants all: what is left after unrolling are the pairs of the tile */      \
    UNROLL for (int i = 0; i < TILE; i++)                                                          \
        UNROLL for (int j = 0; j < TILE; j++)                                                      \
            if (i < wide && (!diagonal || j <= i))
    EACH(i, j) sum[i][j] = f64_load(h + (i * ldh + j) * LANES);
    for (ptrdiff_t g = 0; g < groups; g++, zi += step, zj += step) {
        f64_v a[TILE], b[TILE];
        UNROLL for (int j = 0; j < TILE; j++)
            if (!diagonal || j < wide) b[j] = f64_load(zj + j * LANES);
        UNROLL for (int i = 0; i < TILE; i++)
            if (i < wide) a[i] = diagonal ? b[i] : f64_load(zi + i * LANES);
        EACH(i, j) sum[i][j] = f64_fma(a[i], b[j], sum[i][j]);
    }
    EACH(i, j) f64_store(h + (i * ldh + j) * LANES, sum[i][j]);
#undef EACH
}

#define TILE_OF(N)                                                                                 \
    static void irls_tiles_##N(const double *z, ptrdiff_t step, ptrdiff_t groups, ptrdiff_t i,     \
                               double *h, ptrdiff_t ldh) {                                         \
        for (ptrdiff_t j = 0; j < i; j += TILE)                                                    \
            irls_tile(z + i * LANES, z + j * LANES, step, groups, h + (i * ldh + j) * LANES, ldh,  \
                      N, 0);                                                                       \
        irls_tile(z + i * LANES, z + i * LANES, step, groups, h + (i * ldh + i) * LANES, ldh, N,   \
                  1);                                                                              \
    }
TILE_OF(1)
TILE_OF(2)
TILE_OF(3)
#if TILE > 3
TILE_OF(4)
TILE_OF(5)
#endif
#undef TILE_OF

static void irls_products(const double *z, ptrdiff_t q, ptrdiff_t groups, double *h) {
    const ptrdiff_t step = q * LANES;
    for (ptrdiff_t i = 0; i < q; i += TILE) {
        switch (q - i) {
            case 1: irls_tiles_1(z, step, groups, i, h, q); break;
            case 2: irls_tiles_2(z, step, groups, i, h, q); break;
#if TILE > 3
            case 3: irls_tiles_3(z, step, groups, i, h, q); break;
            case 4: irls_tiles_4(z, step, groups, i, h, q); break;
            default: irls_tiles_5(z, step, groups, i, h, q);
#else
            default: irls_tiles_3(z, step, groups, i, h, q);
#endif
        }
    }
}

static void irls_few(const irls_job *job) {
    const ptrdiff_t q = job->p + job->intercept, most = SHEET / (q * LANES);
    const ptrdiff_t height = LANES * (most > GROUPS ? GROUPS : most < 4 ? 4 : most);
    double *z = job->work, *g = z + GROUPS * q * LANES, *h = g + q * LANES;
    irls_sheet *sheet = (irls_sheet *)(h + q * q * LANES);
    memset(g, 0, (size_t)(q * LANES) * sizeof(double));
    if (job->h) memset(h, 0, (size_t)(q * q * LANES) * sizeof(double));
    for (ptrdiff_t first = 0; first < job->n; first += height) {
        const ptrdiff_t rows = job->n - first < height ? job->n - first : height;
        const ptrdiff_t groups = (rows + LANES - 1) / LANES;
        for (ptrdiff_t k = 0; k < groups; k++) {
            const ptrdiff_t at = k * LANES, left = rows - at;
            const f64_v eta = job->single ? irls_lay_f32(job, first + at, left, z + k * q * LANES)
                                          : irls_lay_f64(job, first + at, left, z + k * q * LANES);
            f64_store(sheet->eta + at, eta);
        }
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        for (ptrdiff_t j = 0; j < q; j++) {
            f64_v sum = f64_load(g + j * LANES);
            double *column = z + j * LANES;
            for (ptrdiff_t k = 0; k < groups; k++, column += q * LANES) {
                const f64_v v = f64_load(column);
                sum = f64_fma(f64_load(sheet->s + k * LANES), v, sum);
                if (job->h) f64_store(column, v * f64_load(sheet->root + k * LANES));
            }
            f64_store(g + j * LANES, sum);
        }
        if (job->h) irls_products(z, q, groups, h);
    }
    if (job->kind == SWEEP_PREDICT) return;
    for (ptrdiff_t i = 0; i < q; i++) {
        job->g[i] += irls_total(f64_load(g + i * LANES));
        for (ptrdiff_t j = 0; job->h && j <= i; j++)
            job->h[i * q + j] += irls_total(f64_load(h + (i * q + j) * LANES));
    }
}

/* ------------------------------------------------------------------ many columns */

#define ROWS_OF(SRC, NAME, WIDE)                                                                   \
    static double irls_dot_##NAME(const irls_job *job, ptrdiff_t row) {                            \
        const SRC *x = (const SRC *)job->x + row * job->ldx;                                       \
        const double *b = job->b + job->intercept, *shift = job->shift;                            \
        f64_v one = f64_set1(0), two = one;                                                        \
        ptrdiff_t j = 0;                                                                           \
        for (; j + 2 * LANES <= job->p; j += 2 * LANES) {                                          \
            one = f64_fma(WIDE(x + j) - f64_load(shift + j), f64_load(b + j), one);                \
            two = f64_fma(WIDE(x + j + LANES) - f64_load(shift + j + LANES),                       \
                          f64_load(b + j + LANES), two);                                           \
        }                                                                                          \
        double sum = irls_total(one + two);                                                        \
        for (; j < job->p; j++) sum += ((double)x[j] - shift[j]) * b[j];                           \
        return sum + (job->intercept ? job->b[0] : 0) + (job->offset ? job->offset[row] : 0);      \
    }                                                                                              \
    /* z = root (1, x - shift) if there is a z, and g += s (1, x - shift) */                       \
    static void irls_scale_##NAME(const irls_job *job, ptrdiff_t row, double s, double root,       \
                                  double *z) {                                                     \
        const SRC *x = (const SRC *)job->x + row * job->ldx;                                       \
        double *g = job->g;                                                                        \
        const double *shift = job->shift;                                                          \
        ptrdiff_t j = 0;                                                                           \
        if (job->intercept) {                                                                      \
            *g++ += s;                                                                             \
            if (z) *z++ = root;                                                                    \
        }                                                                                          \
        const f64_v by = f64_set1(s), times = f64_set1(root);                                      \
        for (; j + LANES <= job->p; j += LANES) {                                                  \
            const f64_v v = WIDE(x + j) - f64_load(shift + j);                                     \
            f64_store(g + j, f64_fma(by, v, f64_load(g + j)));                                     \
            if (z) f64_store(z + j, times * v);                                                    \
        }                                                                                          \
        for (; j < job->p; j++) {                                                                  \
            const double v = (double)x[j] - shift[j];                                              \
            g[j] += s * v;                                                                         \
            if (z) z[j] = root * v;                                                                \
        }                                                                                          \
    }
ROWS_OF(double, f64, f64_load)
ROWS_OF(float, f32, f64_widen)
#undef ROWS_OF

static void irls_many(const irls_job *job) {
    const ptrdiff_t q = job->p + job->intercept, ld = job->ld;
    double *z = job->work, *h = z + TALL * ld;
    irls_sheet *sheet = (irls_sheet *)(h + job->tall * ld);
    memset(z, 0, (size_t)((TALL + (job->h ? job->tall : 0)) * ld) * sizeof(double));
    memset(sheet->eta, 0, sizeof sheet->eta);
    for (ptrdiff_t first = 0; first < job->n; first += TALL) {
        const ptrdiff_t rows = job->n - first < TALL ? job->n - first : TALL;
        for (ptrdiff_t r = 0; r < rows; r++)
            sheet->eta[r] = job->single ? irls_dot_f32(job, first + r) : irls_dot_f64(job, first + r);
        for (ptrdiff_t r = rows; r < rows + LANES; r++) sheet->eta[r] = sheet->eta[rows - 1];
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        for (ptrdiff_t r = 0; r < rows; r++) {
            double *to = job->h ? z + r * ld : NULL;
            if (job->single) irls_scale_f32(job, first + r, sheet->s[r], sheet->root[r], to);
            else irls_scale_f64(job, first + r, sheet->s[r], sheet->root[r], to);
        }
        if (job->h) job->rank_update(z, z, ld, rows, q, h);
    }
    for (ptrdiff_t i = 0; job->h && job->kind != SWEEP_PREDICT && i < q; i++)
        for (ptrdiff_t j = 0; j <= i; j++) job->h[i * q + j] += h[i * ld + j];
}

static ptrdiff_t irls_room(ptrdiff_t q, ptrdiff_t ld, ptrdiff_t tall) {
    const ptrdiff_t sheet = sizeof(irls_sheet) / sizeof(double);
    return q <= FEW ? (GROUPS * q + q + q * q) * LANES + sheet : (TALL + tall) * ld + sheet;
}

static void irls_sweep(const irls_job *job) {
    if (job->p + job->intercept <= FEW) irls_few(job);
    else irls_many(job);
}

const irls_kernels GLUE(irls_, LEVEL) = {.room = irls_room, .sweep = irls_sweep};
