/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of irls.pyx: from rows to X'WX, X's and the deviance in one sweep.

   Few columns (q <= FEW): a sheet of rows is transposed, so that a vector holds one column of LANES
   rows; with that the linear predictor and the link are plain vector code,
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
#define GROUPS 16  /* of LANES rows in a sheet, at most: more are not fetched in time */
#define SHEET 4096 /* numbers of a sheet that is transposed: 32 KB, with 4 groups at least */
#define TALL 64    /* rows of a sheet of many columns */
#define FOUR 4     /* of them are worked on together */
#define AHEAD 8192 /* bytes from which rows of many columns are on their way from memory */
#if defined(STATFAST_VECTORS)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) (void)(address)
#endif
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

/* eta, s and w of the groups of a sheet, which begins at row `first`. */
typedef struct {
    double eta[GROUPS * LANES + TALL], s[GROUPS * LANES + TALL], w[GROUPS * LANES + TALL];
} irls_sheet;

enum { CLASSES = -1 }; /* SWEEP_LOGIT where all responses are 0 or 1, and weights 1 */

static INLINE void irls_links_as(const irls_job *job, irls_sheet *sheet, ptrdiff_t first,
                                 ptrdiff_t rows, const int kind) {
    const f64_v zero = f64_set1(0), one = f64_set1(1);
    f64_v loss = zero, chi = zero, factor = one;
    for (ptrdiff_t r = 0; r < rows; r += LANES) {
        const ptrdiff_t left = rows - r, i = first + r;
        const f64_v eta = f64_load(sheet->eta + r);
        f64_v more = one;
        irls_row row;
        if (kind == SWEEP_GIVEN) {
            row.s = irls_take(job->score + i, left), row.w = irls_take(job->curve + i, left);
            row.loss = zero;
        } else {
            const f64_v y = irls_take(job->y + i, left);
            const f64_v aux = job->aux ? irls_take(job->aux + i, left) : zero;
            const f64_v a = job->weight ? irls_take(job->weight + i, left) : one;
            switch (kind) {
                case CLASSES: row = irls_classes(eta, y, &more); break;
                case SWEEP_LOGIT: row = irls_logit(eta, y, a, aux); break;
                case SWEEP_POISSON: row = irls_poisson(eta, y, a, aux); break;
                case SWEEP_GAMMA_LOG: row = irls_gamma_log(eta, y, a, aux); break;
                case SWEEP_GAMMA_INVERSE: row = irls_gamma_inverse(eta, y, a, aux); break;
                default: row = irls_identity(eta, y, a);
            }
        }
        if (kind != CLASSES)
            row.chi = f64_select(f64_gt(row.w, zero), row.s * row.s / row.w, zero);
        if (left < LANES) { /* rows that are not there */
            double on[LANES];
            for (int l = 0; l < LANES; l++) on[l] = l < left;
            const f64_m there = f64_gt(f64_load(on), zero);
            row.s = f64_select(there, row.s, zero), row.w = f64_select(there, row.w, zero);
            row.loss = f64_select(there, row.loss, zero);
            row.chi = f64_select(there, row.chi, zero), more = f64_select(there, more, one);
        }
        loss = loss + row.loss, chi = chi + row.chi;
        if (kind == CLASSES) factor = factor * more;
        f64_store(sheet->s + r, row.s), f64_store(sheet->w + r, row.w);
    }
    if (kind == CLASSES) loss = loss + f64_log(factor);
    job->sums[0] += irls_total(loss), job->sums[1] += irls_total(chi);
}

static void irls_links(const irls_job *job, irls_sheet *sheet, ptrdiff_t first, ptrdiff_t rows) {
#define AS(KIND) case KIND: irls_links_as(job, sheet, first, rows, KIND); break
    switch (job->kind) {
        case SWEEP_PREDICT:
            memcpy(job->eta + first, sheet->eta, (size_t)rows * sizeof(double));
            break;
        case SWEEP_LOGIT:
            if (job->weight || job->aux) irls_links_as(job, sheet, first, rows, SWEEP_LOGIT);
            else irls_links_as(job, sheet, first, rows, CLASSES);
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

/* Column j of a group of rows. */
#if F64_LANES == 8
#define COLUMN(j) \
    (f64_v){x[0][j], x[1][j], x[2][j], x[3][j], x[4][j], x[5][j], x[6][j], x[7][j]}
#elif F64_LANES == 4
#define COLUMN(j) (f64_v){x[0][j], x[1][j], x[2][j], x[3][j]}
#elif F64_LANES == 2
#define COLUMN(j) (f64_v){x[0][j], x[1][j]}
#else
#define COLUMN(j) (f64_v)x[0][j]
#endif

/* One group of rows less the shift, column by column, and their linear predictor. */
#define LAY(SRC, NAME, WIDE)                                                                       \
    static INLINE f64_v irls_lay_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t left,      \
                                        ptrdiff_t ahead, double *z) {                              \
        const ptrdiff_t p = job->p;                                                                \
        const SRC *x[LANES];                                                                       \
        for (int l = 0; l < LANES; l++)                                                            \
            x[l] = (const SRC *)job->x + (first + (l < left ? l : left - 1)) * job->ldx;           \
        for (ptrdiff_t at = 0; at < LANES * job->ldx; at += 64 / (ptrdiff_t)sizeof(SRC))           \
            FETCH((const char *)(x[0] + ahead * job->ldx + at));                                   \
        f64_v eta = job->offset ? irls_take(job->offset + first, left) : f64_set1(0);              \
        f64_v odd = f64_set1(0);                                                                   \
        const double *b = job->b;                                                                  \
        if (job->intercept) {                                                                      \
            f64_store(z, f64_set1(1));                                                             \
            eta = eta + f64_set1(*b++);                                                            \
            z += LANES;                                                                            \
        }                                                                                          \
        ptrdiff_t j = 0;                                                                           \
        LAY_VECTORS(WIDE)                                                                          \
        for (; j < p; j++) {                                                                       \
            const f64_v v = COLUMN(j) - f64_set1(job->shift[j]);                                   \
            f64_store(z + j * LANES, v);                                                           \
            eta = f64_fma(v, f64_set1(b[j]), eta);                                                 \
        }                                                                                          \
        return eta + odd;                                                                          \
    }
#if F64_LANES > 1
/* Where more than three columns are left, a vector of them that overlaps those before, rather than
   going past the end of the row. */
#define LAY_VECTORS(WIDE)                                                                          \
    while (p >= LANES && p - j > 3) {                                                              \
        const ptrdiff_t at = j + LANES <= p ? j : p - LANES;                                       \
        const f64_v shift = f64_load(job->shift + at);                                             \
        f64_v r[LANES];                                                                            \
        UNROLL for (int l = 0; l < LANES; l++) r[l] = WIDE(x[l] + at) - shift;                     \
        f64_transpose(r);                                                                          \
        UNROLL for (int l = 0; l < LANES; l++) f64_store(z + (at + l) * LANES, r[l]);              \
        UNROLL for (int l = 0; l < LANES; l += 2) {                                                \
            if (at + l >= j) eta = f64_fma(r[l], f64_set1(b[at + l]), eta);                        \
            if (at + l + 1 >= j) odd = f64_fma(r[l + 1], f64_set1(b[at + l + 1]), odd);            \
        }                                                                                          \
        j = at + LANES;                                                                            \
    }
#else
#define LAY_VECTORS(WIDE)
#endif
LAY(double, f64, f64_load)
LAY(float, f32, f64_widen)
#undef LAY
#undef LAY_VECTORS
#undef COLUMN

/* h[i, j] += sum over groups of w z_i z_j: `wide` rows and `across` columns. */
static INLINE void irls_tile(const double *zi, const double *zj, const double *w, ptrdiff_t step,
                             ptrdiff_t groups, double *h, ptrdiff_t ldh, const int wide,
                             const int across) {
    f64_v sum[TILE][TILE];
#define EACH /* constants all: what is left after unrolling are the pairs of the tile */            \
    UNROLL for (int i = 0; i < TILE; i++)                                                          \
        UNROLL for (int j = 0; j < TILE; j++)                                                      \
            if (i < wide && j < across)
    EACH sum[i][j] = f64_load(h + (i * ldh + j) * LANES);
    for (ptrdiff_t g = 0; g < groups; g++, zi += step, zj += step, w += LANES) {
        const f64_v weight = f64_load(w);
        f64_v b[TILE];
        UNROLL for (int j = 0; j < TILE; j++)
            if (j < across) b[j] = f64_load(zj + j * LANES);
        UNROLL for (int i = 0; i < TILE; i++) {
            if (i >= wide) continue;
            const f64_v a = weight * f64_load(zi + i * LANES);
            UNROLL for (int j = 0; j < TILE; j++)
                if (j < across) sum[i][j] = f64_fma(a, b[j], sum[i][j]);
        }
    }
    EACH f64_store(h + (i * ldh + j) * LANES, sum[i][j]);
#undef EACH
}

/* The same on the diagonal, lower triangle, and g[i] += sum of s z_i. */
static INLINE void irls_corner(const double *z, const double *w, const double *s, ptrdiff_t step,
                               ptrdiff_t groups, double *h, ptrdiff_t ldh, double *g,
                               const int wide) {
    f64_v sum[TILE][TILE], score[TILE];
#define EACH                                                                                       \
    UNROLL for (int i = 0; i < TILE; i++)                                                          \
        UNROLL for (int j = 0; j < TILE; j++)                                                      \
            if (i < wide && j <= i)
    EACH sum[i][j] = f64_load(h + (i * ldh + j) * LANES);
    UNROLL for (int i = 0; i < TILE; i++)
        if (i < wide) score[i] = f64_load(g + i * LANES);
    for (ptrdiff_t k = 0; k < groups; k++, z += step, w += LANES, s += LANES) {
        const f64_v by = f64_load(s), weight = f64_load(w);
        f64_v b[TILE];
        UNROLL for (int i = 0; i < TILE; i++) {
            if (i >= wide) continue;
            b[i] = f64_load(z + i * LANES);
            score[i] = f64_fma(by, b[i], score[i]);
            const f64_v a = weight * b[i];
            UNROLL for (int j = 0; j < TILE; j++)
                if (j <= i) sum[i][j] = f64_fma(a, b[j], sum[i][j]);
        }
    }
    EACH f64_store(h + (i * ldh + j) * LANES, sum[i][j]);
    UNROLL for (int i = 0; i < TILE; i++)
        if (i < wide) f64_store(g + i * LANES, score[i]);
#undef EACH
}

/* The columns are cut into as few parts as tiles allow, of sizes that differ by one at most: the
   larger ones first, so that a tile has no more rows than columns. */
static void irls_pair(const double *zi, const double *zj, const double *w, ptrdiff_t step,
                      ptrdiff_t groups, double *h, ptrdiff_t ldh, ptrdiff_t wide,
                      ptrdiff_t across) {
#define OF(WIDE, ACROSS)                                                                           \
    case 8 * WIDE + ACROSS: irls_tile(zi, zj, w, step, groups, h, ldh, WIDE, ACROSS); break
    switch (8 * wide + across) {
        OF(3, 3);
#if TILE > 3
        OF(3, 4);
        OF(4, 4);
        OF(4, 5);
        OF(5, 5);
#else
        OF(2, 2);
        OF(2, 3);
#endif
    }
#undef OF
}

static void irls_one(const double *z, const double *w, const double *s, ptrdiff_t step,
                     ptrdiff_t groups, double *h, ptrdiff_t ldh, double *g, ptrdiff_t wide) {
#define OF(WIDE) case WIDE: irls_corner(z, w, s, step, groups, h, ldh, g, WIDE); break
    switch (wide) {
        OF(1);
        OF(2);
        OF(3);
#if TILE > 3
        OF(4);
        OF(5);
#endif
    }
#undef OF
}

static void irls_products(const double *z, const irls_sheet *sheet, ptrdiff_t q, ptrdiff_t groups,
                          double *h, double *g) {
    const ptrdiff_t step = q * LANES, parts = (q + TILE - 1) / TILE;
    const ptrdiff_t size = q / parts, larger = q % parts;
    for (ptrdiff_t i = 0, part = 0; part < parts; part++) {
        const ptrdiff_t wide = size + (part < larger);
        for (ptrdiff_t j = 0, other = 0; other < part; other++) {
            const ptrdiff_t across = size + (other < larger);
            irls_pair(z + i * LANES, z + j * LANES, sheet->w, step, groups,
                      h + (i * q + j) * LANES, q, wide, across);
            j += across;
        }
        irls_one(z + i * LANES, sheet->w, sheet->s, step, groups, h + (i * q + i) * LANES, q,
                 g + i * LANES, wide);
        i += wide;
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
            double *to = z + k * q * LANES;
            const f64_v eta = job->single ? irls_lay_f32(job, first + at, left, height, to)
                                          : irls_lay_f64(job, first + at, left, height, to);
            f64_store(sheet->eta + at, eta);
        }
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        if (job->h) {
            irls_products(z, sheet, q, groups, h, g);
            continue;
        }
        for (ptrdiff_t j = 0; j < q; j++) {
            f64_v sum = f64_load(g + j * LANES);
            for (ptrdiff_t k = 0; k < groups; k++)
                sum = f64_fma(f64_load(sheet->s + k * LANES), f64_load(z + (k * q + j) * LANES),
                              sum);
            f64_store(g + j * LANES, sum);
        }
    }
    if (job->kind == SWEEP_PREDICT) return;
    for (ptrdiff_t i = 0; i < q; i++) {
        job->g[i] += irls_total(f64_load(g + i * LANES));
        for (ptrdiff_t j = 0; job->h && j <= i; j++)
            job->h[i * q + j] += irls_total(f64_load(h + (i * q + j) * LANES));
    }
}

/* ------------------------------------------------------------------ many columns */

/* The linear predictors of four rows, which share what they load of shift and b; row r of them is
   row `first` + r, or the last one. */
#define ROWS_OF(SRC, NAME, WIDE)                                                                   \
    static void irls_dot_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t rows,              \
                                double *eta) {                                                     \
        const double *b = job->b + job->intercept, *shift = job->shift;                            \
        const SRC *x[FOUR];                                                                        \
        for (int r = 0; r < FOUR; r++)                                                             \
            x[r] = (const SRC *)job->x + (first + (r < rows ? r : rows - 1)) * job->ldx;           \
        f64_v sum[FOUR];                                                                           \
        UNROLL for (int r = 0; r < FOUR; r++) sum[r] = f64_set1(0);                                \
        ptrdiff_t j = 0;                                                                           \
        for (; j + LANES <= job->p; j += LANES) {                                                  \
            const f64_v from = f64_load(shift + j), by = f64_load(b + j);                          \
            UNROLL for (int r = 0; r < FOUR; r++) {                                                \
                FETCH((const char *)(x[r] + j) + AHEAD);                                           \
                sum[r] = f64_fma(WIDE(x[r] + j) - from, by, sum[r]);                               \
            }                                                                                      \
        }                                                                                          \
        for (int r = 0; r < rows && r < FOUR; r++) {                                               \
            double one = irls_total(sum[r]);                                                       \
            for (ptrdiff_t k = j; k < job->p; k++) one += ((double)x[r][k] - shift[k]) * b[k];     \
            one += job->intercept ? job->b[0] : 0;                                                 \
            eta[r] = one + (job->offset ? job->offset[first + r] : 0);                             \
        }                                                                                          \
    }                                                                                              \
    /* g += s (1, x - shift) of four rows; those beyond `rows` have s = 0 */                       \
    static void irls_gather_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t rows,           \
                                   const double *s) {                                              \
        const double *shift = job->shift;                                                          \
        double *g = job->g;                                                                        \
        const SRC *x[FOUR];                                                                        \
        f64_v by[FOUR];                                                                            \
        UNROLL for (int r = 0; r < FOUR; r++) {                                                    \
            x[r] = (const SRC *)job->x + (first + (r < rows ? r : rows - 1)) * job->ldx;           \
            by[r] = f64_set1(r < rows ? s[r] : 0);                                                 \
        }                                                                                          \
        if (job->intercept) {                                                                      \
            for (int r = 0; r < rows && r < FOUR; r++) *g += s[r];                                 \
            g++;                                                                                   \
        }                                                                                          \
        ptrdiff_t j = 0;                                                                           \
        for (; j + LANES <= job->p; j += LANES) {                                                  \
            const f64_v from = f64_load(shift + j);                                                \
            f64_v sum = f64_load(g + j);                                                           \
            UNROLL for (int r = 0; r < FOUR; r++) sum = f64_fma(by[r], WIDE(x[r] + j) - from, sum); \
            f64_store(g + j, sum);                                                                 \
        }                                                                                          \
        for (; j < job->p; j++)                                                                    \
            for (int r = 0; r < rows && r < FOUR; r++) g[j] += s[r] * ((double)x[r][j] - shift[j]); \
    }                                                                                              \
    /* z = root (1, x - shift) */                                                                  \
    static void irls_scale_##NAME(const irls_job *job, ptrdiff_t row, double root, double *z) {    \
        const SRC *x = (const SRC *)job->x + row * job->ldx;                                       \
        const double *shift = job->shift;                                                          \
        ptrdiff_t j = 0;                                                                           \
        if (job->intercept) *z++ = root;                                                           \
        const f64_v times = f64_set1(root);                                                        \
        for (; j + LANES <= job->p; j += LANES)                                                    \
            f64_store(z + j, times * (WIDE(x + j) - f64_load(shift + j)));                         \
        for (; j < job->p; j++) z[j] = root * ((double)x[j] - shift[j]);                           \
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
        for (ptrdiff_t r = 0; r < rows; r += FOUR) {
            if (job->single) irls_dot_f32(job, first + r, rows - r, sheet->eta + r);
            else irls_dot_f64(job, first + r, rows - r, sheet->eta + r);
        }
        for (ptrdiff_t r = rows; r < rows + LANES; r++) sheet->eta[r] = sheet->eta[rows - 1];
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        for (ptrdiff_t r = 0; r < rows; r += FOUR) {
            if (job->single) irls_gather_f32(job, first + r, rows - r, sheet->s + r);
            else irls_gather_f64(job, first + r, rows - r, sheet->s + r);
        }
        if (!job->h) continue;
        for (ptrdiff_t r = 0; r < rows; r++) {
            if (job->single) irls_scale_f32(job, first + r, sqrt(sheet->w[r]), z + r * ld);
            else irls_scale_f64(job, first + r, sqrt(sheet->w[r]), z + r * ld);
        }
        job->rank_update(z, z, ld, rows, q, h);
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
