/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributing the rows of a node among its children; they keep their order. */

enum { MIN_ROWS_OF_WAY = 16384 }; /* the least number of rows of a part */

/* Write the rows that go left to `left` in their order, the others to `right`; returns the number
   of those that go left. */
static INLINE ptrdiff_t share_out(
    const grower *t, const uint8_t *column, const uint32_t *rows, ptrdiff_t m, uint32_t *left,
    uint32_t *right) {
    ptrdiff_t l = 0, r = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        const uint32_t row = rows[i];
        const int goes = t->goes[column[row]];
        left[l] = row;
        right[r] = row;
        l += goes;
        r += !goes;
    }
    return l;
}

static void share_part(void *job, ptrdiff_t part) {
    const grower *t = job;
    const boosted_node *node = t->nodes + t->node;
    const ptrdiff_t begin = part * t->part;
    const ptrdiff_t stop = begin + t->part < node->count ? begin + t->part : node->count;
    t->went[part] = share_out(
        t, t->column, t->rows + node->begin + begin, stop - begin, t->spare + begin,
        t->spare + t->n + begin);
}

static void place_part(void *job, ptrdiff_t part) {
    const grower *t = job;
    const boosted_node *node = t->nodes + t->node;
    const ptrdiff_t begin = part * t->part, before = (ptrdiff_t)t->went[MAX_WAYS + part];
    const ptrdiff_t stop = begin + t->part < node->count ? begin + t->part : node->count;
    const ptrdiff_t left = (ptrdiff_t)t->went[part], right = stop - begin - left;
    const ptrdiff_t lefts = (ptrdiff_t)t->nodes[node->left].count;
    uint32_t *rows = t->rows + node->begin;
    memcpy(rows + before, t->spare + begin, sizeof(uint32_t) * (size_t)left);
    memcpy(
        rows + lefts + begin - before, t->spare + t->n + begin, sizeof(uint32_t) * (size_t)right);
}

/* Distribute the rows of t->node by the codes of t->column. */
static void share_column(grower *t) {
    const boosted_node *node = t->nodes + t->node;
    const ptrdiff_t m = (ptrdiff_t)node->count;
    if (m <= MIN_ROWS_OF_WAY) {
        uint32_t *rows = t->rows + node->begin;
        const ptrdiff_t left = share_out(t, t->column, rows, m, rows, t->spare);
        memcpy(rows + left, t->spare, sizeof(uint32_t) * (size_t)(m - left));
        return;
    }
    t->parts = m / MIN_ROWS_OF_WAY + 1 < MAX_WAYS ? m / MIN_ROWS_OF_WAY + 1 : MAX_WAYS;
    t->part = (m + t->parts - 1) / t->parts;
    t->parts = (m + t->part - 1) / t->part;
    team_do(t->crew, share_part, t, t->parts);
    int64_t before = 0;
    for (ptrdiff_t part = 0; part < t->parts; before += t->went[part++])
        t->went[MAX_WAYS + part] = before;
    team_do(t->crew, place_part, t, t->parts);
}

/* Mark the rows of sparse column j that do not go where its zeros go: marks are codes of two ways.
   Returns the way of the zeros. */
static uint8_t mark_rows(grower *t, ptrdiff_t j) {
    const uint8_t zeros = t->goes[t->zero[j]];
    for (int64_t e = t->of_column[j]; e < t->of_column[j + 1]; e++)
        t->marks[t->entry_row[e]] = t->goes[t->entry_code[e]] != zeros;
    return zeros;
}

static void clear_marks(grower *t, ptrdiff_t j) {
    for (int64_t e = t->of_column[j]; e < t->of_column[j + 1]; e++) t->marks[t->entry_row[e]] = 0;
}

/* Distribute the rows of t->node among its children, whose counts are known. */
static void share_rows(grower *t) {
    const boosted_node *node = t->nodes + t->node;
    const ptrdiff_t j = node->feature;
    for (int c = 0; c < N_CODES; c++)
        t->goes[c] = node->categorical ? (uint8_t)(node->set[c >> 6] >> (c & 63) & 1)
                     : c == MISSING_CODE    ? node->missing_left
                                       : c <= node->code;
    if (t->by_column) {
        t->column = t->by_column + j * t->n;
        share_column(t);
        return;
    }
    t->goes[0] = mark_rows(t, j);
    t->goes[1] = !t->goes[0];
    t->column = t->marks;
    share_column(t);
    clear_marks(t, j);
}
