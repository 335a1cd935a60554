/* SPDX-License-Identifier: BSD-3-Clause */
/* Many columns: rows stay rows, and sheets of them, scaled, go through the tile's rank_update; in
   float where half the digits of X'WX are enough. */

/* The linear predictors of four rows, which share what they load of shift and b; row r of them is
   row `first` + r, or the last one.  Rows of even number that come SCORE_SHEET_ROWS rows later are
   fetched meanwhile, and those of odd number while scores are summed. */
#define ROWS_OF(SRC, NAME, WIDE)                                                                   \
    static void irls_dot_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t rows,              \
                                double *eta) {                                                     \
        const double *b = job->b + job->intercept, *shift = job->shift;                            \
        const ptrdiff_t ahead = SCORE_SHEET_ROWS * job->ldx;                                       \
        const SRC *x[QUAD];                                                                        \
        for (int r = 0; r < QUAD; r++)                                                             \
            x[r] = (const SRC *)job->x + (first + (r < rows ? r : rows - 1)) * job->ldx;           \
        f64_v sum[QUAD];                                                                           \
        UNROLL for (int r = 0; r < QUAD; r++) sum[r] = f64_set1(0);                                \
        ptrdiff_t j = 0;                                                                           \
        for (; j + LANES <= job->p; j += LANES) {                                                  \
            const f64_v from = f64_load(shift + j), by = f64_load(b + j);                          \
            UNROLL for (int r = 0; r < QUAD; r++) {                                                \
                if (!(r & 1)) FETCH(x[r] + j + ahead);                                             \
                sum[r] = f64_fma(WIDE(x[r] + j) - from, by, sum[r]);                               \
            }                                                                                      \
        }                                                                                          \
        for (int r = 0; r < rows && r < QUAD; r++) {                                               \
            double one = irls_total(sum[r]);                                                       \
            for (ptrdiff_t k = j; k < job->p; k++) one += ((double)x[r][k] - shift[k]) * b[k];     \
            one += job->intercept ? job->b[0] : 0;                                                 \
            eta[r] = one + (job->offset ? job->offset[first + r] : 0);                             \
        }                                                                                          \
    }                                                                                              \
    /* g += s (1, x - shift) of four rows; those beyond `rows` have s = 0 */                       \
    static void irls_gather_##NAME(const irls_job *job, ptrdiff_t first, ptrdiff_t rows,           \
                                   const double *s) {                                              \
        const ptrdiff_t ahead = SCORE_SHEET_ROWS * job->ldx;                                       \
        const double *shift = job->shift;                                                          \
        double *g = job->g;                                                                        \
        const SRC *x[QUAD];                                                                        \
        f64_v by[QUAD];                                                                            \
        UNROLL for (int r = 0; r < QUAD; r++) {                                                    \
            x[r] = (const SRC *)job->x + (first + (r < rows ? r : rows - 1)) * job->ldx;           \
            by[r] = f64_set1(r < rows ? s[r] : 0);                                                 \
        }                                                                                          \
        if (job->intercept) {                                                                      \
            for (int r = 0; r < rows && r < QUAD; r++) *g += s[r];                                 \
            g++;                                                                                   \
        }                                                                                          \
        ptrdiff_t j = 0;                                                                           \
        for (; j + LANES <= job->p; j += LANES) {                                                  \
            const f64_v from = f64_load(shift + j);                                                \
            f64_v sum = f64_load(g + j);                                                           \
            UNROLL for (int r = 0; r < QUAD; r++) {                                                \
                if (r & 1) FETCH(x[r] + j + ahead);                                                \
                sum = f64_fma(by[r], WIDE(x[r] + j) - from, sum);                                  \
            }                                                                                      \
            f64_store(g + j, sum);                                                                 \
        }                                                                                          \
        for (; j < job->p; j++)                                                                    \
            for (int r = 0; r < rows && r < QUAD; r++) g[j] += s[r] * ((double)x[r][j] - shift[j]);\
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
    }                                                                                              \
    /* the same, rounded */                                                                        \
    static void irls_round_##NAME(const irls_job *job, ptrdiff_t row, double root, float *z) {     \
        const SRC *x = (const SRC *)job->x + row * job->ldx;                                       \
        const double *shift = job->shift;                                                          \
        if (job->intercept) *z++ = (float)root;                                                    \
        for (ptrdiff_t j = 0; j < job->p; j++) z[j] = (float)(root * ((double)x[j] - shift[j]));   \
    }
ROWS_OF(double, f64, f64_load)
ROWS_OF(float, f32, f64_widen)
#undef ROWS_OF

static void irls_many(const irls_job *job) {
    const ptrdiff_t q = job->p + job->intercept, ld = job->ld;
    irls_sheet *sheet = (irls_sheet *)job->work;
    double *z = (double *)(sheet + 1), *h = z + WIDE_ROWS * ld; /* where there is a job->h */
    float *round_z = (float *)z, *round_h = (float *)h;
    memset(sheet->eta, 0, sizeof sheet->eta);
    if (job->h) memset(z, 0, (size_t)((WIDE_ROWS + job->tall) * ld) * sizeof(double));
    const ptrdiff_t height = job->h ? WIDE_ROWS : SCORE_SHEET_ROWS;
    for (ptrdiff_t first = 0; first < job->n; first += height) {
        const ptrdiff_t rows = job->n - first < height ? job->n - first : height;
        for (ptrdiff_t r = 0; r < rows; r += QUAD) {
            if (job->single) irls_dot_f32(job, first + r, rows - r, sheet->eta + r);
            else irls_dot_f64(job, first + r, rows - r, sheet->eta + r);
        }
        for (ptrdiff_t r = rows; r < rows + LANES; r++) sheet->eta[r] = sheet->eta[rows - 1];
        irls_links(job, sheet, first, rows);
        if (job->kind == SWEEP_PREDICT) continue;
        for (ptrdiff_t r = 0; r < rows; r += QUAD) {
            if (job->single) irls_gather_f32(job, first + r, rows - r, sheet->s + r);
            else irls_gather_f64(job, first + r, rows - r, sheet->s + r);
        }
        if (!job->h) continue;
        for (ptrdiff_t r = 0; r < rows; r++) {
            const double root = sqrt(sheet->w[r]);
            if (job->rough && job->single) irls_round_f32(job, first + r, root, round_z + r * ld);
            else if (job->rough) irls_round_f64(job, first + r, root, round_z + r * ld);
            else if (job->single) irls_scale_f32(job, first + r, root, z + r * ld);
            else irls_scale_f64(job, first + r, root, z + r * ld);
        }
        if (job->rough) job->rough_update(round_z, round_z, ld, rows, q, round_h);
        else job->rank_update(z, z, ld, rows, q, h);
    }
    for (ptrdiff_t i = 0; job->h && job->kind != SWEEP_PREDICT && i < q; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            job->h[i * q + j] += job->rough ? round_h[i * ld + j] : h[i * ld + j];
}
