/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a sparse column in a node, all that are not zero.

   They are read in one of three ways, whichever reads least: the column is read and rows of other
   nodes are left out; each row of the node is searched for the column; or the values of a node are
   gathered column by column into a table, of which the nodes below read what is theirs
   (`gather_entries`). A place is stale unless the row is there (Briggs and Torczon 1993,
   doi:10.1145/176454.176484), so that places are written once a node and never cleared. */

static uint64_t *sort_keys(uint64_t *key, uint64_t *spare, ptrdiff_t m, uint32_t most);

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

/* The slot of column f in the last table, or NULL: there it is all zeros. */
static INLINE const cart_slot *slot_in_table(const cart_node_entries *e, ptrdiff_t f) {
    const cart_table *last = &e->table[e->tables - 1];
    const int32_t at = e->slot_of[f];
    if ((uint32_t)at - (uint32_t)last->slot >= (uint32_t)last->slots) return NULL;
    return e->slot[at].column == f ? e->slot + at : NULL;
}

static ptrdiff_t entries_of_table(const cart_node_rows *v, ptrdiff_t f, uint64_t *to) {
    const cart_slot *slot = slot_in_table(&v->sparse, f);
    if (!slot) return 0;
    const uint64_t *key = v->sparse.key + slot->begin;
    const uint32_t m = (uint32_t)v->m;
    ptrdiff_t count = 0;
    for (int32_t j = 0; j < slot->count; j++) {
        const int32_t row = (int32_t)(uint32_t)key[j];
        const uint32_t place = (uint32_t)v->sparse.place_of[row];
        to[count] = (key[j] & ~(uint64_t)UINT32_MAX) | place;
        count += place < m && v->rows[place < m ? place : 0] == row;
    }
    return count;
}

/* Write the values of column f, and return how many they are; `to` holds as many as the node has
   rows, and one. They are in the order of ranks if `is_in_order`. */
static INLINE ptrdiff_t entries_in(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f,
                                   uint64_t *to) {
    if (v->sparse.tables) return entries_of_table(v, f, to);
    return reads_column(t, v, f) ? entries_of_column(t, v, f, to) : entries_of_rows(t, v, f, to);
}

static INLINE int is_in_order(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f) {
    return v->sparse.tables ? !t->randomized : reads_column(t, v, f);
}

/* Steps that a search of column f takes, about. */
static INLINE int64_t steps_of(const cart_problem *t, const cart_node_rows *v, ptrdiff_t f) {
    if (v->sparse.tables) {
        const cart_slot *slot = slot_in_table(&v->sparse, f);
        return 2 + (slot ? slot->count : 0);
    }
    const int64_t column = t->sparse.of_column[f + 1] - t->sparse.of_column[f];
    const int64_t rows = CART_STEPS_OF_LOOK_UP * v->m;
    return 2 + (column < rows ? column : rows);
}

/* Leave the last table. */
static void drop_table(cart_node_entries *e) {
    const cart_table last = e->table[--e->tables];
    for (int32_t i = last.slot; i < last.slot + last.slots; i++)
        e->slot_of[e->slot[i].column] = e->slot[i].outer;
}

/* Whether to gather `all` values of a node: that is less than to read `columns` columns, or will be
   where the nodes below read them, too, of which there are `below`. */
static int pays_to_gather(const cart_problem *t, const cart_node_rows *v, int64_t all,
                          ptrdiff_t columns, ptrdiff_t below) {
    const cart_node_entries *e = &v->sparse;
    const cart_table *last = e->tables ? &e->table[e->tables - 1] : NULL;
    const int64_t values = last ? last->keys : t->sparse.of_row[t->n];
    const int64_t rows = last ? last->stop - last->start : t->n;
    const double each = (double)values / (double)t->p;
    const double look_ups = last ? each : (double)(CART_STEPS_OF_LOOK_UP * v->m);
    const double reads = (double)columns * (each < look_ups ? each : look_ups);
    const double cost = (double)(CART_STEPS_OF_GATHER * all);
    return cost <= reads ||
           (v->m * CART_SHARE_OF_ROWS <= rows && cost <= reads * (double)below);
}

/* Add a value of column f to the table being made: count it. */
static INLINE void count_entry(cart_node_entries *e, cart_table *table, int32_t f) {
    const int32_t at = e->slot_of[f];
    if ((uint32_t)at - (uint32_t)table->slot < (uint32_t)table->slots && e->slot[at].column == f) {
        e->slot[at].count++;
        return;
    }
    e->slot_of[f] = table->slot + table->slots++;
    e->slot[e->slot_of[f]] = (cart_slot){f, at, 0, 1};
}

/* Write the places of the rows of a node, which are those from `start` on in its tree, and make a
   table of their values if that pays, by `columns` and `below` as above. */
static void gather_entries(const cart_problem *t, cart_node_rows *v, uint64_t *spare,
                           ptrdiff_t start, ptrdiff_t columns, ptrdiff_t below) {
    const cart_entries *from = &t->sparse;
    cart_node_entries *e = &v->sparse;
    int64_t all = 0;
    for (; e->tables; drop_table(e)) {
        const cart_table *last = &e->table[e->tables - 1];
        if (last->start <= start && start + v->m <= last->stop) break;
    }
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int32_t row = v->rows[i];
        e->place_of[row] = (int32_t)i;
        all += from->of_row[row + 1] - from->of_row[row];
    }
    cart_table table = {start, start + v->m, 0, 0, 0, (int32_t)all};
    if (e->tables) {
        const cart_table *last = &e->table[e->tables - 1];
        table.slot = last->slot + last->slots;
        table.key = last->key + last->keys;
    }
    if (e->tables == CART_MAX_TABLES || table.key + all > e->room ||
        table.slot + (all < t->p ? all : t->p) > e->slot_room ||
        !pays_to_gather(t, v, all, columns, below))
        return;
    for (ptrdiff_t i = 0; i < v->m; i++)
        for (int64_t j = from->of_row[v->rows[i]]; j < from->of_row[v->rows[i] + 1]; j++)
            count_entry(e, &table, from->column[j]);
    int32_t begin = table.key;
    cart_slot *slot = e->slot + table.slot;
    for (int32_t k = 0; k < table.slots; k++) {
        slot[k].begin = begin;
        begin += slot[k].count;
        slot[k].count = 0;
    }
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int32_t row = v->rows[i];
        for (int64_t j = from->of_row[row]; j < from->of_row[row + 1]; j++) {
            cart_slot *to = e->slot + e->slot_of[from->column[j]];
            e->key[to->begin + to->count++] = (uint64_t)from->row_rank[j] << 32 | (uint32_t)row;
        }
    }
    e->table[e->tables++] = table;
    if (t->randomized) return; /* random splits need no order */
    for (int32_t k = 0; k < table.slots; k++) {
        uint64_t *key = e->key + slot[k].begin, most = 0;
        for (int32_t i = 0; i < slot[k].count; i++) most = key[i] > most ? key[i] : most;
        const uint64_t *sorted = sort_keys(key, spare, slot[k].count, (uint32_t)(most >> 32));
        if (sorted != key) memcpy(key, sorted, (size_t)slot[k].count * sizeof *key);
    }
}

/* The keys of all rows of the node, rank << 32 | place, in `s->key`; returns the largest rank. */
static CART_SELDOM uint32_t fill_keys(const cart_problem *t, const cart_node_rows *v,
                                      cart_scratch *s, ptrdiff_t f) {
    const uint64_t *key = s->spare;
    const ptrdiff_t count = entries_in(t, v, f, s->spare);
    uint32_t most = (uint32_t)t->sparse.zero[f];
    for (ptrdiff_t i = 0; i < v->m; i++) s->key[i] = (uint64_t)most << 32 | (uint32_t)i;
    for (ptrdiff_t i = 0; i < count; i++) {
        s->key[(uint32_t)key[i]] = key[i];
        if (key[i] >> 32 > most) most = (uint32_t)(key[i] >> 32);
    }
    return most;
}
