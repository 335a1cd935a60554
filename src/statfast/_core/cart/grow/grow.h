/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing a tree: nodes are opened one by one, depth first or best first. Random numbers depend on
   the path from the root to the node alone. */

static INLINE uint64_t below_of(uint64_t draw, uint64_t n) { /* of 0 .. n - 1 */
    return ((draw >> 32) * n) >> 32;
}

static int push_task(cart_grower *g, const cart_task *task) {
    if (!reserve((void **)&g->tasks, &g->task_capacity, g->n_tasks + 1, sizeof *task)) return 0;
    g->tasks[g->n_tasks++] = *task;
    return 1;
}

/* ------------------------------------------------------------------ the frontier, best first */
static int is_before(const cart_open *a, const cart_open *b) {
    return a->gain > b->gain || (a->gain == b->gain && a->node < b->node);
}

#define OPEN_ABOVE(context, a, b) is_before(a, b)
DEFINE_HEAP(open, cart_open, const void *, OPEN_ABOVE)

static int push_open(cart_grower *g, cart_open open) {
    if (!reserve((void **)&g->heap, &g->heap_capacity, g->n_heap + 1, sizeof open)) return 0;
    open_sift_up(g->heap, (ptrdiff_t)g->n_heap++, open, NULL);
    return 1;
}

static cart_open pop_open(cart_grower *g) {
    const cart_open top = g->heap[0];
    g->n_heap--;
    open_sift_down(g->heap, (ptrdiff_t)g->n_heap, g->heap[g->n_heap], NULL);
    return top;
}

/* ------------------------------------------------------------------ nodes */
static int add_node(cart_grower *g, const cart_task *task) {
    const cart_problem *t = g->t;
    const ptrdiff_t C = t->channels, id = (ptrdiff_t)g->n_nodes;
    if (!reserve((void **)&g->nodes, &g->node_capacity, id + 1, sizeof *g->nodes)) return 0;
    if (!reserve((void **)&g->values, &g->value_capacity, (id + 1) * C, sizeof *g->values))
        return 0;
    g->n_nodes++;
    cart_node *node = g->nodes + id;
    double *value = g->values + id * C;
    *node = (cart_node){{NAN, 0, 0, -2, 0}, g->v.impurity, g->v.mass, -1, -1, (int32_t)g->v.m,
                        (int32_t)task->depth};
    memcpy(value, g->v.sum, (size_t)C * sizeof *value);
    if (t->label) {
        for (ptrdiff_t o = 0, k = 0; o < t->outputs; o++) {
            double mass = 0;
            for (ptrdiff_t c = 0; c < t->classes[o]; c++) mass += value[k + c];
            for (ptrdiff_t c = 0; c < t->classes[o]; c++) value[k++] /= mass;
        }
    }
    if (t->monotone) {
        double *x = value + (t->label ? 1 : 0);
        if (*x < task->low) *x = task->low;
        if (*x > task->high) *x = task->high;
        if (t->label) value[0] = 1 - value[1];
    }
    if (task->parent >= 0) {
        cart_node *parent = g->nodes + task->parent;
        *(task->side ? &parent->right : &parent->left) = (int32_t)id;
    }
    return 1;
}

/* The nodes that will be split in a row below the open one, about, and it. */
static ptrdiff_t nodes_below(const cart_grower *g) {
    const ptrdiff_t levels = g->t->max_depth - g->now.depth, m = g->v.m;
    const ptrdiff_t least = g->t->min_split > CART_ROWS_OF_NODE ? g->t->min_split : CART_ROWS_OF_NODE;
    if (g->best_first) return 1;
    return levels < 24 && (m / least) >> levels ? (ptrdiff_t)1 << levels : m / least;
}

/* Load the rows of the next task and make its node. Returns 1 if it is to be split, 0 if it is a
   leaf, -1 without memory. */
static int open_node(cart_grower *g) {
    const cart_problem *t = g->t;
    const cart_task task = g->tasks[--g->n_tasks];
    cart_node_rows *v = &g->v;
    g->now = task;
    v->rows = g->rows + task.start;
    v->m = task.stop - task.start;
    v->low = task.low;
    v->high = task.high;
    const int pure = load_node(t, v, g->weight, g->integral);
    if (!add_node(g, &task)) return -1;
    const int splits = !(pure || task.depth >= t->max_depth || v->m < t->min_split ||
                         v->m < 2 * t->min_leaf || v->mass < 2 * t->min_weight);
    if (splits && t->sparse.zero)
        gather_entries(t, v, g->scratch.spare, task.start, is_pair(t, v) ? 0 : t->max_features,
                       nodes_below(g));
    return splits;
}

static double impurity_between(cart_grower *g, int32_t *rows, ptrdiff_t m, double *mass) {
    cart_node_rows v = g->v;
    v.rows = rows;
    v.m = m;
    load_node(g->t, &v, g->weight, g->integral);
    *mass = v.mass;
    return v.impurity;
}

/* Bounds for the values of the children, by the monotone constraint of the feature. */
static void constrain(cart_grower *g, ptrdiff_t f, ptrdiff_t l, cart_task *left,
                      cart_task *right) {
    const cart_problem *t = g->t;
    if (!t->monotone || t->monotone[f] == 0) return;
    double mean[2];
    for (int side = 0; side < 2; side++) {
        /* Of targets; subtracting a part loses little precision. */
        const double whole = g->v.sum[0];
        double sum = 0, mass = 0;
        for (ptrdiff_t i = side ? l : 0; i < (side ? g->v.m : l); i++) {
            const ptrdiff_t row = g->v.rows[i];
            const double w = g->weight ? g->weight[row] : 1;
            sum += w * (t->label ? (double)t->label[row] : t->y[row] - whole);
            mass += w;
        }
        mean[side] = sum / mass + (t->label ? 0 : whole);
    }
    const double middle = mean[0] / 2 + mean[1] / 2;
    if (t->monotone[f] > 0)
        left->high = right->low = middle;
    else
        left->low = right->high = middle;
}

/* Split the node that is open; returns -1 without memory, CART_PAUSED if patience ends first. */
static int split_node(cart_grower *g, const cart_split *best) {
    const cart_problem *t = g->t;
    const cart_task now = g->now;
    const ptrdiff_t id = (ptrdiff_t)g->n_nodes - 1;
    double decrease = 0;
    cart_cut cut;
    if (best->feature < 0) return 0;
    const double impurity = g->v.impurity, mass = g->v.mass;
    const int by_sides = is_by_sides(t, best->feature);
    const ptrdiff_t l = by_sides ? partition_by_sides(g, best, &cut) : partition(g, best, &cut);
    const ptrdiff_t m = g->v.m;
    if (l < 0) return (int)l;
    cart_task left = {now.start, now.start + l, now.depth + 1, id, 0, mixed(now.key ^ 1),
                      now.low, now.high};
    cart_task right = {now.start + l, now.stop, now.depth + 1, id, 1, mixed(now.key ^ 2),
                       now.low, now.high};
    constrain(g, best->feature, l, &left, &right);
    if (t->min_decrease > 0 || g->best_first) {
        double ml, mr;
        const double il = impurity_between(g, g->v.rows, l, &ml);
        const double ir = impurity_between(g, g->v.rows + l, m - l, &mr);
        decrease = mass / t->total_weight * (impurity - ml / mass * il - mr / mass * ir);
        if (decrease + 2.220446049250313e-16 < t->min_decrease) return 0;
    }
    const cart_open open = {decrease, id, cut, left, right};
    if (g->best_first) return push_open(g, open) ? 0 : -1;
    g->nodes[id].cut = cut;
    return push_task(g, &right) && push_task(g, &left) ? 0 : -1;
}

/* Split the open node that gains most; returns 0 if there is none, or there are enough leaves. */
static int expand_best(cart_grower *g) {
    if (!g->n_heap || g->leaves_left <= 0) return 0;
    const cart_open open = pop_open(g);
    g->nodes[open.node].cut = open.cut;
    g->leaves_left--;
    return push_task(g, &open.right) && push_task(g, &open.left) ? 1 : -1;
}

/* ------------------------------------------------------------------ the columns to search */
/* The column at place i of the random order of a node. The shuffle of columns is
   undone afterwards. */
static INLINE int32_t drawn(cart_grower *g, ptrdiff_t i, uint64_t *state) {
    const ptrdiff_t p = g->t->p;
    if (g->t->in_order) return (int32_t)i;
    *state = mixed(*state);
    const ptrdiff_t j = i + (ptrdiff_t)below_of(*state, (uint64_t)(p - i));
    const int32_t column = g->columns[j];
    g->columns[j] = g->columns[i];
    g->columns[i] = column;
    g->swaps[i] = (int32_t)j;
    return column;
}

static INLINE void restore_columns(cart_grower *g, ptrdiff_t count) {
    if (g->t->in_order) return;
    for (ptrdiff_t i = count - 1; i >= 0; i--) {
        const int32_t column = g->columns[i];
        g->columns[i] = g->columns[g->swaps[i]];
        g->columns[g->swaps[i]] = column;
    }
}

static uint64_t draw_for(const cart_grower *g, ptrdiff_t f) {
    return mixed(g->now.key + 0x632be59bd9b4e019u * (uint64_t)(f + 1));
}

/* Search the requested number of columns, and more until one of them varies. */
static cart_split search_columns(cart_grower *g, int64_t *effort) {
    const cart_problem *t = g->t;
    cart_split best = NO_SPLIT;
    uint64_t state = g->now.key;
    ptrdiff_t i = 0;
    int varies = 0;
    if (t->sparse.zero && t->in_order && is_pair(t, &g->v)) {
        const ptrdiff_t f = first_difference(t, g->v.rows[0], g->v.rows[1]);
        if (f >= 0) split_pair(t, &g->v, f, &best);
        return best;
    }
    if (t->sparse.zero && t->in_order && g->v.sparse.tables) {
        const cart_table *table = &g->v.sparse.table[g->v.sparse.tables - 1];
        for (; i < table->slots; i++) { /* other columns are zero in the node */
            const int32_t f = best.turn = g->v.sparse.slot[table->slot + i].column;
            look_at(t, &g->v, &g->scratch, f, draw_for(g, f), &best);
            *effort += steps_of(t, &g->v, f);
        }
        return best;
    }
    if (is_pair(t, &g->v)) {
        while (i < t->p && best.feature < 0) split_pair(t, &g->v, drawn(g, i++, &state), &best);
        restore_columns(g, i);
        return best;
    }
    if (is_paired(t, &g->v)) {
        int32_t columns[PAIRED_COLUMNS];
        while (i < t->max_features) {
            const int32_t turn = (int32_t)i;
            int count = 0;
            for (; count < PAIRED_COLUMNS && i < t->max_features; i++)
                columns[count++] = drawn(g, i, &state);
            varies |= split_paired(t, &g->v, columns, count, turn, &best);
        }
        *effort += g->v.m * i;
    }
    for (; i < t->p && (i < t->max_features || !varies); i++) {
        const int32_t f = drawn(g, i, &state);
        best.turn = (int32_t)i;
        varies |= look_at(t, &g->v, &g->scratch, f, draw_for(g, f), &best);
        *effort += t->sparse.zero ? steps_of(t, &g->v, f) : g->v.m;
    }
    settle(t, &g->v, &g->scratch, &best);
    restore_columns(g, i);
    return best;
}

/* Grow until the tree is complete (returns 0), the next node has more than `large` rows (1: the
   caller opens it), or the effort is spent (2); returns -1 if memory runs out. */
static int grow_on(cart_grower *g, ptrdiff_t large, int64_t effort) {
    int64_t spent = 0;
    while (spent < effort) {
        if (!g->n_tasks) {
            const int more = g->best_first ? expand_best(g) : 0;
            if (more <= 0) return more;
        }
        const cart_task *next = g->tasks + g->n_tasks - 1;
        if (next->stop - next->start > large) return 1;
        spent += 64 + next->stop - next->start;
        const int splits = open_node(g);
        if (splits < 0) return -1;
        if (splits) {
            const cart_split best = search_columns(g, &spent);
            if (split_node(g, &best) < 0) return -1;
        }
    }
    return 2;
}
