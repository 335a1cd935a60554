/* SPDX-License-Identifier: BSD-3-Clause */
/* From the linear predictors of a sheet of rows to their scores and weights; deviance and
   chi-square are added up. What is left of a vector at the end of the rows repeats the last row
   with weight 0. */

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

enum { MAX_SHEET_ROWS = SHEET_GROUPS * LANES + WIDE_ROWS };

/* eta, s and w of the groups of a sheet, which begins at row `first`. */
typedef struct {
    double eta[MAX_SHEET_ROWS], s[MAX_SHEET_ROWS], w[MAX_SHEET_ROWS];
} irls_sheet;

enum { CLASSES = -1 }; /* SWEEP_LOGIT where all responses are 0 or 1, and weights 1 */

static INLINE void irls_links_as(const irls_job *job, irls_sheet *sheet, ptrdiff_t first,
                                 ptrdiff_t rows, const int kind) {
    const f64_v zero = f64_set1(0), one = f64_set1(1);
    f64_v loss = zero, chi = zero, factor = one;
    for (ptrdiff_t r = 0; r < rows; r += LANES) {
        const ptrdiff_t left = rows - r, i = first + r;
        f64_v eta = f64_load(sheet->eta + r);
        f64_v more = one;
        irls_row row;
        if (kind == SWEEP_GIVEN) {
            row.s = irls_take(job->score + i, left), row.w = irls_take(job->curve + i, left);
            row.loss = zero;
        } else {
            const f64_v y = irls_take(job->y + i, left);
            const f64_v aux = job->aux ? irls_take(job->aux + i, left) : zero;
            const f64_v a = job->weight ? irls_take(job->weight + i, left) : one;
            if (job->weight) /* a row without weight may be far out, where its mean is infinite */
                eta = f64_select(f64_gt(a, zero), eta, one);
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
