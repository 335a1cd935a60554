/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of the rows of a node: sums of pairs of integers by code. */

#if defined(STATFAST_VECTORS)
typedef int64_t pair_v __attribute__((vector_size(16), aligned(8), may_alias));
#define ADD_PAIR(to, x) (*(pair_v *)(to) += (x))
#define LOAD_PAIR(from) (*(const pair_v *)(from))
#else
typedef bin_sum pair_v;
#define ADD_PAIR(to, x)                                                                            \
    ((to)->gradient += (x).gradient, (to)->hessian_count += (x).hessian_count)
#define LOAD_PAIR(from) (*(from))
#endif

enum { ROWS_AHEAD = 24, ROWS_IN_CACHE = 4096, PART_ROWS = 16384 };
enum { PART_ENTRIES = 1 << 17, ENTRY_ROWS_AHEAD = 8 }; /* of sparse rows */

static INLINE void zero_histogram(const grower *t, bin_sum *h, ptrdiff_t first, ptrdiff_t stop) {
    for (ptrdiff_t j = first; j < stop; j++) {
        bin_sum *to = h + j * HIST_STRIDE;
        memset(to, 0, sizeof(bin_sum) * (size_t)t->codes[j]);
        to[MISSING_CODE].gradient = to[MISSING_CODE].hessian_count = 0;
    }
}

/* Add rows to the histograms of one plane of columns, of which there are `width`. */
static INLINE void add_rows(
    const grower *t, const uint32_t *rows, ptrdiff_t m, ptrdiff_t plane, const int width,
    bin_sum *h) {
    const uint8_t *codes = t->by_row + PLANE_COLUMNS * plane;
    const ptrdiff_t stride = t->stride;
    char *base = (char *)(h + plane * t->width * HIST_STRIDE);
    for (ptrdiff_t i = 0; i < m; i++) {
        const ptrdiff_t row = rows[i];
        if (i + ROWS_AHEAD < m) {
            FETCH(codes + rows[i + ROWS_AHEAD] * stride);
            FETCH(t->sums + rows[i + ROWS_AHEAD]);
        }
        uint64_t word;
        memcpy(&word, codes + row * stride, 8);
        const pair_v x = LOAD_PAIR(t->sums + row);
        UNROLL
        for (int k = 0; k < width; k++) {
            const size_t at = k ? (word >> (8 * k - 4) & 0xff0) : (word << 4 & 0xff0);
            ADD_PAIR((bin_sum *)(base + at + k * HIST_STRIDE * sizeof(bin_sum)), x);
        }
    }
}

static NOINLINE void fill(
    const grower *t, const uint32_t *rows, ptrdiff_t m, ptrdiff_t plane, bin_sum *h) {
    const ptrdiff_t left = t->p - plane * t->width;
    switch (left < t->width ? left : t->width) {
    case 1: add_rows(t, rows, m, plane, 1, h); break;
    case 2: add_rows(t, rows, m, plane, 2, h); break;
    case 3: add_rows(t, rows, m, plane, 3, h); break;
    case 4: add_rows(t, rows, m, plane, 4, h); break;
    case 5: add_rows(t, rows, m, plane, 5, h); break;
    case 6: add_rows(t, rows, m, plane, 6, h); break;
    case 7: add_rows(t, rows, m, plane, 7, h); break;
    default: add_rows(t, rows, m, plane, 8, h);
    }
}

/* A part of the histograms of t->small: one plane of columns if the rows are few, else a run of
   rows. */
static void fill_part(void *job, ptrdiff_t part) {
    const grower *t = job;
    const boosted_node *node = t->nodes + t->small;
    const uint32_t *rows = t->rows + node->begin;
    const ptrdiff_t planes = t->stride / PLANE_COLUMNS;
    if (t->part == 0) {
        bin_sum *h = t->growing[t->small].histogram;
        const ptrdiff_t first = part * t->width;
        zero_histogram(t, h, first, first + t->width < t->p ? first + t->width : t->p);
        fill(t, rows, node->count, part, h);
        return;
    }
    bin_sum *h = t->partial + part * t->length;
    zero_histogram(t, h, 0, t->p);
    const ptrdiff_t begin = part * t->part;
    const ptrdiff_t stop = begin + t->part < node->count ? begin + t->part : node->count;
    for (ptrdiff_t i = begin; i < stop; i += ROWS_IN_CACHE)
        for (ptrdiff_t plane = 0; plane < planes; plane++)
            fill(t, rows + i, stop - i < ROWS_IN_CACHE ? stop - i : ROWS_IN_CACHE, plane, h);
}

/* The same of sparse rows: a run of rows, or all of them. */
static void fill_entries(void *job, ptrdiff_t part) {
    const grower *t = job;
    const boosted_node *node = t->nodes + t->small;
    const uint32_t *rows = t->rows + node->begin;
    bin_sum *h = t->parts ? t->partial + part * t->length : t->growing[t->small].histogram;
    memset(h, 0, sizeof(bin_sum) * (size_t)t->length);
    const ptrdiff_t begin = part * t->part;
    const ptrdiff_t stop = begin + t->part < node->count ? begin + t->part : node->count;
    for (ptrdiff_t i = begin; i < stop; i++) {
        const ptrdiff_t row = rows[i];
        if (i + 2 * ENTRY_ROWS_AHEAD < stop) {
            FETCH(t->of_row + rows[i + 2 * ENTRY_ROWS_AHEAD]);
            FETCH(t->sums + rows[i + 2 * ENTRY_ROWS_AHEAD]);
            FETCH(t->place + t->of_row[rows[i + ENTRY_ROWS_AHEAD]]);
        }
        const pair_v x = LOAD_PAIR(t->sums + row);
        for (int64_t e = t->of_row[row]; e < t->of_row[row + 1]; e++) ADD_PAIR(h + t->place[e], x);
    }
}

/* Parts of sparse rows are such that adding up their sums takes less time than the rows do. */
static void fill_sparse_histograms(grower *t) {
    const double m = (double)t->nodes[t->small].count;
    const double entries = m * ((double)t->of_row[t->n] / (double)t->n);
    const double least = t->length > PART_ENTRIES ? (double)t->length : PART_ENTRIES;
    const double parts = entries / least + 1.0;
    t->parts = parts < MAX_PARTS ? (ptrdiff_t)parts : MAX_PARTS;
    t->part = ((ptrdiff_t)m + t->parts - 1) / t->parts;
    t->parts = t->parts == 1 ? 0 : ((ptrdiff_t)m + t->part - 1) / t->part;
    team_do(t->crew, fill_entries, t, t->parts ? t->parts : 1);
}

/* The histograms of t->small, as t->parts partial sums that `settle_column` adds up. */
static void fill_histograms(grower *t) {
    if (t->of_row) {
        fill_sparse_histograms(t);
        return;
    }
    const ptrdiff_t m = (ptrdiff_t)t->nodes[t->small].count;
    if (m <= PART_ROWS) {
        t->part = t->parts = 0;
        team_do(t->crew, fill_part, t, t->stride / PLANE_COLUMNS);
        return;
    }
    const ptrdiff_t parts = m / PART_ROWS + 1 < MAX_PARTS ? m / PART_ROWS + 1 : MAX_PARTS;
    t->part = (m + parts - 1) / parts;
    t->parts = (m + t->part - 1) / t->part;
    team_do(t->crew, fill_part, t, t->parts);
}

/* Add up the parts of one column, whose m sums begin at `first`. The histogram of t->large is that of
   its parent less this one. */
static INLINE void settle(
    const grower *t, ptrdiff_t j, ptrdiff_t first, ptrdiff_t m, ptrdiff_t missing) {
    bin_sum *small = t->growing[t->small].histogram + first;
    for (ptrdiff_t part = 0; part < t->parts; part++) {
        const bin_sum *from = t->partial + part * t->length + first;
        if (part == 0) memcpy(small, from, sizeof(bin_sum) * (size_t)m);
        else
            for (ptrdiff_t b = 0; b < m; b++) {
                small[b].gradient += from[b].gradient;
                small[b].hessian_count += from[b].hessian_count;
            }
    }
    if (t->zero) {
        bin_sum zeros = t->growing[t->small].total;
        for (ptrdiff_t b = 0; b < m; b++) {
            zeros.gradient -= small[b].gradient;
            zeros.hessian_count -= small[b].hessian_count;
        }
        small[t->zero[j]] = zeros;
    }
    if (t->large < 0) return;
    bin_sum *large = t->growing[t->large].histogram + first;
    for (int b = 0; b < t->codes[j]; b++) {
        large[b].gradient -= small[b].gradient;
        large[b].hessian_count -= small[b].hessian_count;
    }
    if (missing >= m) return;
    large[missing].gradient -= small[missing].gradient;
    large[missing].hessian_count -= small[missing].hessian_count;
}

static void settle_column(const grower *t, ptrdiff_t j) {
    if (t->first)
        settle(t, j, t->first[j], (ptrdiff_t)(t->first[j + 1] - t->first[j]), t->codes[j]);
    else settle(t, j, j * HIST_STRIDE, N_CODES, MISSING_CODE);
}
