/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of patterns, added to the rows that have them: part of cart/shap/shap_level.h. */

/* Add `values` of patterns to the sums of rows. */
static INLINE void add_short(const row_set *set, const double *values, const ptrdiff_t stride) {
    for (ptrdiff_t r = 0; r < set->m; r++) {
        double *row = set->sums + r * stride;
        const double *value = values + set->id[r] * stride;
        for (ptrdiff_t k = 0; k < stride; k += F64_LANES)
            f64_store(row + k, f64_load(row + k) + f64_load(value + k));
    }
}

static void add_values(const row_set *set, const double *values, ptrdiff_t stride) {
    if (stride == SHORT) add_short(set, values, SHORT);
    else if (stride == 2 * SHORT) add_short(set, values, 2 * SHORT);
    else if (stride == 3 * SHORT) add_short(set, values, 3 * SHORT);
    else add_short(set, values, 4 * SHORT);
}

/* Add the values of a pattern to a row of the result. */
static INLINE void add_row(const walk *w, ptrdiff_t places, const double *values, ptrdiff_t r) {
    const shap_block *b = w->b;
    const ptrdiff_t C = w->s->C;
    double *row = w->set->sums ? w->set->sums + r * w->stride
                               : b->out + r * b->p * (b->pairs ? b->p : 1) * b->outputs + b->to;
    if (w->set->sums) {
        for (ptrdiff_t k = 0; k < w->stride; k++) row[k] += values[k];
        return;
    }
    for (ptrdiff_t k = 0; k < places; k++)
        for (ptrdiff_t c = 0; c < C; c++) row[w->offset[k] + c] += values[k * C + c];
}

/* Add the sums of the tree to the values of short rows, whole rows if it has all outputs. */
static void flush(const walk *w) {
    const shap_block *b = w->b;
    const ptrdiff_t C = w->s->C, outputs = b->outputs, whole = C == outputs;
    const ptrdiff_t columns = whole ? 1 : b->p, length = whole ? b->p * C : C;
    for (ptrdiff_t r = 0; w->set->sums && r < b->rows.m; r++) {
        double *restrict row = b->out + r * b->p * outputs + b->to;
        const double *sums = w->set->sums + r * w->stride;
        for (ptrdiff_t j = 0; j < columns; j++)
            for (ptrdiff_t c = 0; c < length; c++) row[j * outputs + c] += sums[j * C + c];
    }
}

/* Room for the values of patterns; 0: no memory. */
static int make_room(row_set *set, size_t wanted) {
    if (wanted <= set->capacity) return 1;
    free(set->room);
    set->capacity = 0;
    set->room = (char *)malloc(wanted * sizeof(double) + LINE);
    if (!set->room) return 0;
    set->values = (double *)aligned(set->room);
    set->capacity = wanted;
    return 1;
}
