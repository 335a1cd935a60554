/* SPDX-License-Identifier: BSD-3-Clause */
/* Few columns: a sheet of rows is transposed, so that a vector holds one column of LANES rows; with
   that the linear predictor and the link are plain vector code, and X'WX is summed lane by lane in
   tiles of TILE x TILE columns that fill the registers, exactly its lower triangle.  The lanes are
   added up once, at the end of a call. */

/* Four columns of LANES rows, a vector each: what `from` finds in four numbers of each row becomes
   columns in two steps within groups of four lanes. */
#if F64_LANES > 1
#if defined(__clang__)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (f64_i){__VA_ARGS__})
#endif
#endif
#if F64_LANES == 8
#define EVEN(a, b) PICK(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b) PICK(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define FIRST(a, b) PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOAD_f64(p) _mm256_loadu_pd(p)
#define LOAD_f32(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define FOUR_OF(NAME, x, i) \
    _mm512_insertf64x4(_mm512_castpd256_pd512(LOAD_##NAME(x + i * ldx)), \
                       LOAD_##NAME(x + (i + 4) * ldx), 1)
#define SHIFT_OF(p) _mm512_insertf64x4(_mm512_castpd256_pd512(LOAD_f64(p)), LOAD_f64(p), 1)
#elif F64_LANES == 4
#define EVEN(a, b) PICK(a, b, 0, 4, 2, 6)
#define ODD(a, b) PICK(a, b, 1, 5, 3, 7)
#define FIRST(a, b) PICK(a, b, 0, 1, 4, 5)
#define SECOND(a, b) PICK(a, b, 2, 3, 6, 7)
#define FOUR_OF(NAME, x, i) LOAD_##NAME(x + i * ldx)
#define SHIFT_OF(p) f64_load(p)
#elif F64_LANES == 2
#define EVEN(a, b) PICK(a, b, 0, 2)
#define ODD(a, b) PICK(a, b, 1, 3)
#endif
#if F64_LANES >= 4
#define COLUMNS(NAME, x, shift)                                                                    \
    const f64_v from = SHIFT_OF(shift);                                                            \
    const f64_v r0 = FOUR_OF(NAME, (x), 0) - from, r1 = FOUR_OF(NAME, (x), 1) - from;              \
    const f64_v r2 = FOUR_OF(NAME, (x), 2) - from, r3 = FOUR_OF(NAME, (x), 3) - from;              \
    const f64_v e0 = EVEN(r0, r1), e1 = EVEN(r2, r3), o0 = ODD(r0, r1), o1 = ODD(r2, r3);          \
    const f64_v column[QUAD] = {FIRST(e0, e1), FIRST(o0, o1), SECOND(e0, e1), SECOND(o0, o1)}
#elif F64_LANES == 2
#define COLUMNS(NAME, x, shift)                                                                    \
    const f64_v from = f64_load(shift), more = f64_load((shift) + 2);                              \
    const f64_v a0 = LOAD_##NAME(x) - from, a1 = LOAD_##NAME((x) + ldx) - from;                    \
    const f64_v c0 = LOAD_##NAME((x) + 2) - more, c1 = LOAD_##NAME((x) + ldx + 2) - more;          \
    const f64_v column[QUAD] = {EVEN(a0, a1), ODD(a0, a1), EVEN(c0, c1), ODD(c0, c1)}
#else
#define COLUMNS(NAME, x, shift)                                                                    \
    f64_v column[QUAD];                                                                            \
    for (int i = 0; i < QUAD; i++) column[i] = (x)[i] - (shift)[i]
#endif
#if F64_LANES < 8
#define LOAD_f64(p) f64_load(p)
#define LOAD_f32(p) f64_widen(p)
#endif

/* One group of rows less the shift, column by column; eta plus what they add to it is returned.
   `rates` are the coefficients of the last four columns, but 0 for those that four before them have
   as well: where columns are left, the four that end the row are laid out again. */
#define LAY(SRC, NAME)                                                                             \
    static INLINE f64_v irls_lay_##NAME(const SRC *x, ptrdiff_t ldx, ptrdiff_t p,                  \
                                        const double *shift, const double *b,                      \
                                        const double *rates, f64_v eta, double *z) {               \
        f64_v odd = f64_set1(0);                                                                   \
        for (ptrdiff_t j = 0; j < p && p >= QUAD; j += QUAD) {                                     \
            const double *rate = j + QUAD <= p ? b + j : rates;                                    \
            j = j + QUAD <= p ? j : p - QUAD;                                                      \
            COLUMNS(NAME, x + j, shift + j);                                                       \
            UNROLL for (int i = 0; i < QUAD; i++) f64_store(z + (j + i) * LANES, column[i]);       \
            UNROLL for (int i = 0; i < QUAD; i += 2) {                                             \
                eta = f64_fma(column[i], f64_set1(rate[i]), eta);                                  \
                odd = f64_fma(column[i + 1], f64_set1(rate[i + 1]), odd);                          \
            }                                                                                      \
        }                                                                                          \
        for (ptrdiff_t j = 0; j < p && p < QUAD; j++) {                                            \
            double lane[LANES];                                                                    \
            for (int l = 0; l < LANES; l++) lane[l] = (double)x[l * ldx + j];                      \
            const f64_v v = f64_load(lane) - f64_set1(shift[j]);                                   \
            f64_store(z + j * LANES, v);                                                           \
            eta = f64_fma(v, f64_set1(b[j]), eta);                                                 \
        }                                                                                          \
        return eta + odd;                                                                          \
    }
LAY(double, f64)
LAY(float, f32)
#undef LAY

/* Group k of a sheet, laid out; the last row is repeated where rows are missing. */
static void irls_lay(const irls_job *job, ptrdiff_t first, ptrdiff_t left, const double *rates,
                     double *z, double *to) {
    const ptrdiff_t p = job->p, size = job->single ? sizeof(float) : sizeof(double);
    double some[LANES * MAX_NARROW_COLUMNS];
    const double *b = job->b;
    f64_v eta = job->offset ? irls_take(job->offset + first, left) : f64_set1(0);
    const char *x = (const char *)job->x + first * job->ldx * size;
    ptrdiff_t ldx = job->ldx;
    if (left < LANES) {
        for (ptrdiff_t l = 0; l < LANES; l++)
            memcpy((char *)some + l * p * size, x + (l < left ? l : left - 1) * ldx * size,
                   (size_t)(p * size));
        x = (const char *)some, ldx = p;
    }
    if (job->intercept) {
        f64_store(z, f64_set1(1));
        eta = eta + f64_set1(*b++);
        z += LANES;
    }
    eta = job->single ? irls_lay_f32((const float *)x, ldx, p, job->shift, b, rates, eta, z)
                      : irls_lay_f64((const double *)x, ldx, p, job->shift, b, rates, eta, z);
    f64_store(to, eta);
}

/* h[i, j] += sum over groups of w z_i z_j: `wide` rows and `across` columns. */
static INLINE void irls_tile(const double *zi, const double *zj, const double *w, ptrdiff_t step,
                             ptrdiff_t groups, double *h, ptrdiff_t ldh, const char *ahead,
                             const int wide, const int across) {
    f64_v sum[TILE][TILE];
#define EACH /* constants all: what is left after unrolling are the pairs of the tile */            \
    UNROLL for (int i = 0; i < TILE; i++)                                                          \
        UNROLL for (int j = 0; j < TILE; j++)                                                      \
            if (i < wide && j < across)
    EACH sum[i][j] = f64_load(h + (i * ldh + j) * LANES);
    for (ptrdiff_t g = 0; g < groups; g++, zi += step, zj += step, w += LANES, ahead += 64) {
        FETCH(ahead);
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
                               const char *ahead, const int wide) {
    f64_v sum[TILE][TILE], score[TILE];
#define EACH                                                                                       \
    UNROLL for (int i = 0; i < TILE; i++)                                                          \
        UNROLL for (int j = 0; j < TILE; j++)                                                      \
            if (i < wide && j <= i)
    EACH sum[i][j] = f64_load(h + (i * ldh + j) * LANES);
    UNROLL for (int i = 0; i < TILE; i++)
        if (i < wide) score[i] = f64_load(g + i * LANES);
    for (ptrdiff_t k = 0; k < groups; k++, z += step, w += LANES, s += LANES, ahead += 64) {
        FETCH(ahead);
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
                      ptrdiff_t groups, double *h, ptrdiff_t ldh, const char *ahead, ptrdiff_t wide,
                      ptrdiff_t across) {
#define OF(WIDE, ACROSS)                                                                           \
    case 8 * WIDE + ACROSS: irls_tile(zi, zj, w, step, groups, h, ldh, ahead, WIDE, ACROSS); break
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
                     ptrdiff_t groups, double *h, ptrdiff_t ldh, double *g, const char *ahead,
                     ptrdiff_t wide) {
#define OF(WIDE) case WIDE: irls_corner(z, w, s, step, groups, h, ldh, g, ahead, WIDE); break
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
                          double *h, double *g, const char *ahead) {
    if (q == 0) return;
    const ptrdiff_t step = q * LANES, parts = (q + TILE - 1) / TILE;
    const ptrdiff_t size = q / parts, larger = q % parts;
    for (ptrdiff_t i = 0, part = 0; part < parts; part++) {
        const ptrdiff_t wide = size + (part < larger);
        for (ptrdiff_t j = 0, other = 0; other < part; other++) {
            const ptrdiff_t across = size + (other < larger);
            irls_pair(z + i * LANES, z + j * LANES, sheet->w, step, groups,
                      h + (i * q + j) * LANES, q, ahead, wide, across);
            j += across, ahead += 64 * groups;
        }
        irls_one(z + i * LANES, sheet->w, sheet->s, step, groups, h + (i * q + i) * LANES, q,
                 g + i * LANES, ahead, wide);
        i += wide, ahead += 64 * groups;
    }
}

/* g[i] += sum of s z_i */
static void irls_gather(const double *z, const double *s, ptrdiff_t q, ptrdiff_t groups,
                        double *g) {
    for (ptrdiff_t j = 0; j < q; j += QUAD) {
        const ptrdiff_t last = q - 1 - j; /* where fewer are left, one of them is summed again */
        const double *from = z + j * LANES, *by = s;
        f64_v sum[QUAD];
        UNROLL for (int i = 0; i < QUAD; i++) sum[i] = f64_set1(0);
        for (ptrdiff_t k = 0; k < groups; k++, from += q * LANES, by += LANES) {
            const f64_v score = f64_load(by);
            UNROLL for (int i = 0; i < QUAD; i++)
                sum[i] = f64_fma(score, f64_load(from + (i < last ? i : last) * LANES), sum[i]);
        }
        for (int i = 0; i < QUAD && i <= last; i++)
            f64_store(g + (j + i) * LANES, f64_load(g + (j + i) * LANES) + sum[i]);
    }
}

static void irls_few(const irls_job *job) {
    const ptrdiff_t q = job->p + job->intercept, most = SHEET_NUMBERS / (q ? q * LANES : 1);
    const ptrdiff_t height = LANES * (most > SHEET_GROUPS ? SHEET_GROUPS : most < 4 ? 4 : most);
    /* A sheet is fetched while the one before it is worked on: so many lines of a group by each of
       its tiles, the others where it is laid out. */
    const ptrdiff_t size = job->single ? sizeof(float) : sizeof(double), row = job->ldx * size;
    const ptrdiff_t lines = (LANES * row + 63) / 64, parts = (q + TILE - 1) / TILE;
    const ptrdiff_t late = job->h ? parts * (parts + 1) / 2 : 0;
    const ptrdiff_t early = lines > late ? lines - late : 0;
    double rates[QUAD] = {0};
    for (ptrdiff_t j = job->p / QUAD * QUAD; j < job->p && job->p >= QUAD; j++)
        rates[j - job->p + QUAD] = job->b[j + job->intercept];
    double *z = job->work, *g = z + SHEET_GROUPS * q * LANES, *h = g + q * LANES;
    irls_sheet *sheet = (irls_sheet *)(h + q * q * LANES);
    memset(g, 0, (size_t)(q * LANES) * sizeof(double));
    if (job->h) memset(h, 0, (size_t)(q * q * LANES) * sizeof(double));
    for (ptrdiff_t first = 0; first < job->n; first += height) {
        const ptrdiff_t rows = job->n - first < height ? job->n - first : height;
        const ptrdiff_t groups = (rows + LANES - 1) / LANES;
        const char *ahead = (const char *)job->x + (first + height) * row;
        for (ptrdiff_t k = 0; k < groups; k++) {
            const ptrdiff_t at = k * LANES;
            for (ptrdiff_t l = 0; l < early; l++, ahead += 64) FETCH(ahead);
            irls_lay(job, first + at, rows - at, rates, z + k * q * LANES, sheet->eta + at);
        }
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        if (job->h) {
            irls_products(z, sheet, q, groups, h, g, ahead);
            continue;
        }
        irls_gather(z, sheet->s, q, groups, g);
    }
    if (job->kind == SWEEP_PREDICT) return;
    for (ptrdiff_t i = 0; i < q; i++) {
        job->g[i] += irls_total(f64_load(g + i * LANES));
        for (ptrdiff_t j = 0; job->h && j <= i; j++)
            job->h[i * q + j] += irls_total(f64_load(h + (i * q + j) * LANES));
    }
}
