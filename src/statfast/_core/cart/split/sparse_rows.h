/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a sparse column in a node, all that are not zero.

   They are read in one of three ways, whichever reads least: the column is read and rows of other
   nodes are left out; each row of the node is searched for the column; or the rows of the node are
   read once for all columns (`gather_entries`). A place is stale unless the row is there (Briggs and
   Torczon 1993), so that places are written once a node and never cleared. */

/* Append the values of column f; those of the column alone are in the order of ranks. */
static ptrdiff_t entries_of_column(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                                   uint64_t *key) {
    const cart_entries *e = &t->sparse;
    const uint32_t m = (uint32_t)v->m;
    ptrdiff_t count = 0;
    for (int64_t j = e->of_column[f]; j < e->of_column[f + 1]; j++) {
        const int32_t row = e->row[j];
        const uint32_t place = (uint32_t)v->sparse.place_of[row];
        key[count] = (uint64_t)e->rank[j] << 32 | place;
        count += place < m && v->rows[place < m ? place : 0] == row;
    }
    return count;
}

static ptrdiff_t entries_of_rows(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                                 uint64_t *key) {
    const uint32_t zero = (uint32_t)t->sparse.zero[f];
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const uint32_t rank = sparse_rank(t, f, v->rows[i]);
        key[count] = (uint64_t)rank << 32 | (uint32_t)i;
        count += rank != zero;
    }
    return count;
}

static INLINE int reads_column(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f) {
    return t->sparse.of_column[f + 1] - t->sparse.of_column[f] <= CART_STEPS_OF_LOOK_UP * v->m;
}

/* The values of column f, in no order; `room` holds as many as the node has rows, and one. */
static INLINE uint64_t *entries_in(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                                   uint64_t *room, ptrdiff_t *count) {
    if (v->sparse.is_gathered) {
        *count = v->sparse.count[f];
        return v->sparse.key + v->sparse.begin[f];
    }
    *count = reads_column(t, v, f) ? entries_of_column(t, v, f, room)
                                   : entries_of_rows(t, v, f, room);
    return room;
}

/* Steps that a search of column f takes, about. */
static INLINE int64_t steps_of(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f) {
    if (v->sparse.is_gathered) return 2 + v->sparse.count[f];
    const int64_t column = t->sparse.of_column[f + 1] - t->sparse.of_column[f];
    const int64_t rows = CART_STEPS_OF_LOOK_UP * v->m;
    return 2 + (column < rows ? column : rows);
}

/* Write the places of a node's rows, and gather the values of all columns if that is less than to
   read `columns` of them. */
static void gather_entries(const cart_problem *t, cart_node_rows *v, ptrdiff_t columns) {
    const cart_entries *e = &t->sparse;
    cart_node_entries *to = &v->sparse;
    const int64_t each = e->of_row[t->n] / t->p, rows = CART_STEPS_OF_LOOK_UP * v->m;
    int64_t all = 0;
    for (ptrdiff_t i = 0; i < to->columns; i++) to->count[to->column[i]] = 0;
    to->columns = 0;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int32_t row = v->rows[i];
        to->place_of[row] = (int32_t)i;
        all += e->of_row[row + 1] - e->of_row[row];
    }
    to->is_gathered = all <= to->room &&
                      CART_STEPS_OF_GATHER * all <= columns * (each < rows ? each + 1 : rows);
    if (!to->is_gathered) return;
    for (ptrdiff_t i = 0; i < v->m; i++)
        for (int64_t j = e->of_row[v->rows[i]]; j < e->of_row[v->rows[i] + 1]; j++)
            if (to->count[e->column[j]]++ == 0) to->column[to->columns++] = e->column[j];
    int32_t begin = 0;
    for (ptrdiff_t i = 0; i < to->columns; i++) {
        const int32_t f = to->column[i];
        to->begin[f] = begin;
        begin += to->count[f];
        to->count[f] = 0;
    }
    for (ptrdiff_t i = 0; i < v->m; i++)
        for (int64_t j = e->of_row[v->rows[i]]; j < e->of_row[v->rows[i] + 1]; j++) {
            const int32_t f = e->column[j];
            to->key[to->begin[f] + to->count[f]++] = (uint64_t)e->row_rank[j] << 32 | (uint32_t)i;
        }
}

/* The keys of all rows of the node, rank << 32 | place, in `s->key`; returns the largest rank. */
static CART_SELDOM uint32_t fill_keys(const cart_problem *t, const cart_node_rows *v,
                                      cart_scratch *s, ptrdiff_t f) {
    ptrdiff_t count;
    const uint64_t *key = entries_in(t, v, f, s->spare, &count);
    uint32_t most = (uint32_t)t->sparse.zero[f];
    for (ptrdiff_t i = 0; i < v->m; i++) s->key[i] = (uint64_t)most << 32 | (uint32_t)i;
    for (ptrdiff_t i = 0; i < count; i++) {
        s->key[(uint32_t)key[i]] = key[i];
        if (key[i] >> 32 > most) most = (uint32_t)(key[i] >> 32);
    }
    return most;
}
