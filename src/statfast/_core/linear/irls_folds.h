/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of few columns at many coefficients, as the folds of cross-validation ask for them: a sheet
   of rows is laid out once, and serves all.  Entry e of a job, three numbers, says which
   coefficients, and the first and last row, exclusive, that are summed for them. */

static void irls_folds(const irls_job *job) {
    const ptrdiff_t q = job->p + job->intercept, most = SHEET_NUMBERS / (q ? q * LANES : 1);
    const ptrdiff_t height = LANES * (most > SHEET_GROUPS ? SHEET_GROUPS : most < 4 ? 4 : most);
    const double none[QUAD] = {0};
    double *z = job->work, *g = z + SHEET_GROUPS * q * LANES;
    irls_sheet *sheet = (irls_sheet *)(g + job->folds * q * LANES);
    memset(g, 0, (size_t)(job->folds * q * LANES) * sizeof(double));
    for (ptrdiff_t first = 0; first < job->n; first += height) {
        const ptrdiff_t rows = job->n - first < height ? job->n - first : height;
        const ptrdiff_t groups = (rows + LANES - 1) / LANES;
        irls_job one = *job; /* with rows counted from that of the sheet */
        one.y += first, one.offset = NULL;
        one.aux = job->aux ? job->aux + first : NULL;
        for (ptrdiff_t k = 0; k < groups; k++) /* what it adds up for the first fold is not used */
            irls_lay(job, first + k * LANES, rows - k * LANES, none, z + k * q * LANES, sheet->w);
        for (ptrdiff_t e = 0; e < job->entries; e++) {
            const ptrdiff_t *entry = job->entry + 3 * e, f = entry[0];
            const ptrdiff_t from = entry[1] - first, to = entry[2] - first;
            if (from >= rows || to <= 0) continue;
            const double *b = job->b + f * q;
            for (ptrdiff_t k = 0; k < groups; k++) {
                const double *column = z + k * q * LANES;
                f64_v eta = job->offset ? irls_take(job->offset + first + k * LANES,
                                                    rows - k * LANES) : f64_set1(0);
                f64_v odd = f64_set1(0);
                ptrdiff_t j = 0;
                for (; j + 2 <= q; j += 2) {
                    eta = f64_fma(f64_load(column + j * LANES), f64_set1(b[j]), eta);
                    odd = f64_fma(f64_load(column + (j + 1) * LANES), f64_set1(b[j + 1]), odd);
                }
                if (j < q) eta = f64_fma(f64_load(column + j * LANES), f64_set1(b[j]), eta);
                f64_store(sheet->eta + k * LANES, eta + odd);
            }
            double on[SHEET_GROUPS * LANES];
            one.weight = job->weight ? job->weight + first : NULL;
            if (from > 0 || to < rows) {
                for (ptrdiff_t r = 0; r < rows; r++)
                    on[r] = r < from || r >= to ? 0 : job->weight ? job->weight[first + r] : 1;
                one.weight = on;
            }
            one.sums = job->sums + 2 * f;
            irls_links(&one, sheet, 0, rows);
            irls_gather(z, sheet->s, q, groups, g + f * q * LANES);
        }
    }
    for (ptrdiff_t i = 0; i < job->folds * q; i++) job->g[i] += irls_total(f64_load(g + i * LANES));
}
