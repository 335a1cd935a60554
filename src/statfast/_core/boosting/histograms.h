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

enum {
    BATCH_ROWS = 1024,       /* rows that are gathered together */
    ROWS_AHEAD = 16,         /* rows between a fetch and its use */
    LINE_PLANES = 8,         /* planes whose codes lie in one cache line of a row */
    PART_ROWS = 4096,        /* more rows are summed in runs, fewer in groups of planes */
    PART_PLANES = 2,         /* planes of such a group, where these are not too many */
    PART_ENTRIES = 1 << 17,  /* of sparse rows: the least number of entries of a run */
    ENTRY_ROWS_AHEAD = 8,
};

typedef struct { /* rows of a node one after the other, 80 kB */
    uint64_t codes[LINE_PLANES][BATCH_ROWS];
    bin_sum sums[BATCH_ROWS];
} row_batch;

static INLINE void zero_histogram(const grower *t, bin_sum *h, ptrdiff_t first, ptrdiff_t stop) {
    for (ptrdiff_t j = first; j < stop; j++) {
        bin_sum *to = h + j * HIST_STRIDE;
        memset(to, 0, sizeof(bin_sum) * (size_t)t->codes[j]);
        to[MISSING_CODE].gradient = to[MISSING_CODE].hessian_count = 0;
    }
}

/* Gather the codes of some planes, and the sums, of rows that may lie anywhere. */
static INLINE void gather(
    const grower *t, const uint32_t *rows, ptrdiff_t m, ptrdiff_t plane, ptrdiff_t planes,
    row_batch *to) {
    const uint8_t *codes = t->by_row + PLANE_COLUMNS * plane;
    const ptrdiff_t stride = t->stride;
    const bin_sum *sums = t->sums;
    for (ptrdiff_t i = 0; i < m; i++) {
        if (i + ROWS_AHEAD < m) {
            FETCH(codes + rows[i + ROWS_AHEAD] * stride);
            FETCH(sums + rows[i + ROWS_AHEAD]);
        }
        const uint8_t *from = codes + rows[i] * stride;
        for (ptrdiff_t k = 0; k < planes; k++)
            memcpy(&to->codes[k][i], from + PLANE_COLUMNS * k, PLANE_COLUMNS);
        to->sums[i] = sums[rows[i]];
    }
}

typedef struct { /* rows to be fetched while others are added up */
    const uint8_t *codes; /* of the planes of row 0 */
    const bin_sum *sums;
    const uint32_t *rows;
    ptrdiff_t stride, last, m; /* last: bytes from the first code of a row to the last */
    ptrdiff_t mask;            /* a row is fetched for every mask + 1 rows that are added */
} coming_rows;

/* Add m gathered rows to the histograms of one plane of columns, of which there are `width`. */
static INLINE void add_plane(
    const uint64_t *restrict codes, const bin_sum *restrict sums, ptrdiff_t m, const int width,
    char *restrict base, const coming_rows *coming) {
    const coming_rows next = *coming;
    ptrdiff_t fetched = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        if ((i & next.mask) == 0 && fetched < next.m) {
            const ptrdiff_t row = next.rows[fetched++];
            FETCH_FAR(next.codes + row * next.stride);
            FETCH_FAR(next.codes + row * next.stride + next.last);
            FETCH_FAR(next.sums + row);
        }
        const uint64_t word = codes[i];
        const pair_v x = LOAD_PAIR(sums + i);
        UNROLL
        for (int k = 0; k < width; k++) {
            const size_t at = k ? (word >> (8 * k - 4) & 0xff0) : (word << 4 & 0xff0);
            ADD_PAIR((bin_sum *)(base + at + k * HIST_STRIDE * sizeof(bin_sum)), x);
        }
    }
}

static NOINLINE void fill_plane(
    const row_batch *batch, ptrdiff_t k, ptrdiff_t m, ptrdiff_t width, bin_sum *h,
    const coming_rows *coming) {
    const uint64_t *codes = batch->codes[k];
    const bin_sum *sums = batch->sums;
    char *base = (char *)h;
    switch (width) {
    case 1: add_plane(codes, sums, m, 1, base, coming); break;
    case 2: add_plane(codes, sums, m, 2, base, coming); break;
    case 3: add_plane(codes, sums, m, 3, base, coming); break;
    case 4: add_plane(codes, sums, m, 4, base, coming); break;
    case 5: add_plane(codes, sums, m, 5, base, coming); break;
    case 6: add_plane(codes, sums, m, 6, base, coming); break;
    case 7: add_plane(codes, sums, m, 7, base, coming); break;
    default: add_plane(codes, sums, m, 8, base, coming);
    }
}

/* The histograms of up to LINE_PLANES planes. The rows are gathered a batch at a time and read again
   for each plane; those of the next batch are fetched evenly meanwhile, since memory answers few
   requests at once. */
static void fill_line(
    const grower *t, const uint32_t *rows, ptrdiff_t m, ptrdiff_t plane, ptrdiff_t planes,
    bin_sum *h) {
    row_batch batch;
    coming_rows coming = {
        .codes = t->by_row + PLANE_COLUMNS * plane, .sums = t->sums, .stride = t->stride,
        .last = PLANE_COLUMNS * planes - 1, .mask = 0};
    while (2 * (coming.mask + 1) <= planes) coming.mask = 2 * coming.mask + 1;
    for (ptrdiff_t i = 0; i < m; i += BATCH_ROWS) {
        const ptrdiff_t some = m - i < BATCH_ROWS ? m - i : BATCH_ROWS, end = i + some;
        const ptrdiff_t after = m - end < BATCH_ROWS ? m - end : BATCH_ROWS;
        gather(t, rows + i, some, plane, planes, &batch);
        for (ptrdiff_t k = 0; k < planes; k++) {
            const ptrdiff_t first = (plane + k) * t->width, left = t->p - first;
            const ptrdiff_t fetched = after * k / planes;
            coming.rows = rows + end + fetched;
            coming.m = after * (k + 1) / planes - fetched;
            fill_plane(
                &batch, k, some, left < t->width ? left : t->width, h + first * HIST_STRIDE,
                &coming);
        }
    }
}

static void fill(
    const grower *t, const uint32_t *rows, ptrdiff_t m, ptrdiff_t plane, ptrdiff_t stop,
    bin_sum *h) {
    for (; plane < stop; plane += LINE_PLANES)
        fill_line(t, rows, m, plane, stop - plane < LINE_PLANES ? stop - plane : LINE_PLANES, h);
}

/* How many planes a part of few rows has, so that a step has no more parts than it may. */
static INLINE ptrdiff_t part_planes(ptrdiff_t planes) {
    const ptrdiff_t least = (planes + TEAM_MAX_PARTS - 1) / TEAM_MAX_PARTS;
    return least < PART_PLANES ? PART_PLANES : least;
}

/* A part of the histograms of t->small: some planes of columns if the rows are few, else a run of
   rows. */
static void fill_part(void *job, ptrdiff_t part) {
    const grower *t = job;
    const boosted_node *node = t->nodes + t->small;
    const uint32_t *rows = t->rows + node->begin;
    const ptrdiff_t planes = t->stride / PLANE_COLUMNS;
    if (t->part == 0) {
        bin_sum *h = t->growing[t->small].histogram;
        const ptrdiff_t each = part_planes(planes), plane = part * each;
        const ptrdiff_t stop = plane + each < planes ? plane + each : planes;
        zero_histogram(t, h, plane * t->width, stop < planes ? stop * t->width : t->p);
        fill(t, rows, node->count, plane, stop, h);
        return;
    }
    bin_sum *h = t->partial + part * t->length;
    zero_histogram(t, h, 0, t->p);
    const ptrdiff_t begin = part * t->part;
    const ptrdiff_t stop = begin + t->part < node->count ? begin + t->part : node->count;
    fill(t, rows + begin, stop - begin, 0, planes, h);
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
        const ptrdiff_t planes = t->stride / PLANE_COLUMNS;
        const ptrdiff_t each = part_planes(planes);
        team_do(t->crew, fill_part, t, (planes + each - 1) / each);
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
