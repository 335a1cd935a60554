/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree grown leaf by leaf: the split that lowers the loss most comes first. */

static uint64_t mixed(uint64_t x) { /* Steele, Lea & Flood 2014, doi:10.1145/2714064.2660195 */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The columns that the interaction constraints allow, given those on the path to the node. */
static void allow(grower *t, ptrdiff_t node) {
    if (t->groups == NULL) {
        memset(t->allowed, 1, (size_t)t->p);
        return;
    }
    memset(t->allowed, 0, (size_t)t->p);
    for (ptrdiff_t k = 0; k < t->n_groups; k++) {
        const uint8_t *group = t->groups + k * t->p;
        int holds = 1;
        for (ptrdiff_t above = t->nodes[node].parent; holds && above >= 0;
             above = t->nodes[above].parent)
            holds = group[t->nodes[above].feature];
        if (holds)
            for (ptrdiff_t j = 0; j < t->p; j++) t->allowed[j] |= group[j];
    }
}

/* The columns that may split a node: a random fraction of those allowed. */
static void draw_columns(grower *t, ptrdiff_t node, uint8_t *drawn) {
    ptrdiff_t left = 0;
    for (ptrdiff_t j = 0; j < t->p; j++) left += t->allowed[j];
    const double share = ceil(t->fraction * (double)left);
    ptrdiff_t wanted = share < 1.0 ? 1 : share > (double)left ? left : (ptrdiff_t)share;
    uint64_t state = mixed(t->seed ^ mixed((uint64_t)node));
    for (ptrdiff_t j = 0; j < t->p; j++) {
        drawn[j] = 0;
        if (!t->allowed[j]) continue;
        state = mixed(state);
        if ((double)(state >> 11) * 0x1p-53 * (double)left < (double)wanted) {
            drawn[j] = 1;
            wanted--;
        }
        left--;
    }
}

/* The mean number of codes of a row that are read. */
static double row_values(const grower *t) {
    return t->of_row ? (double)t->of_row[t->n] / (double)t->n : (double)t->p;
}

static bin_sum *take_histogram(grower *t) {
    if (t->n_free) return t->free_histograms[--t->n_free];
    bin_sum *h = malloc(sizeof(bin_sum) * (size_t)t->length);
    if (h) t->n_histograms++;
    return h;
}

static void drop_histogram(grower *t, ptrdiff_t node) {
    if (t->growing[node].histogram) t->free_histograms[t->n_free++] = t->growing[node].histogram;
    t->growing[node].histogram = NULL;
}

/* One column of the step: its histograms, and its best splits of both children. */
static void column_part(void *job, ptrdiff_t part) {
    grower *t = job;
    const ptrdiff_t each = (t->p + TEAM_MAX_PARTS - 1) / TEAM_MAX_PARTS;
    for (ptrdiff_t j = part * each; j < (part + 1) * each && j < t->p; j++) {
        settle_column(t, j);
        const ptrdiff_t nodes[2] = {t->small, t->large};
        for (int k = 0; k < 2; k++) {
            boosted_split *found = t->found + k * t->p + j;
            found->gain = 0.0;
            if (nodes[k] >= 0 && t->growing[nodes[k]].open && t->allowed[k * t->p + j])
                split_column(t, nodes[k], j, found);
        }
    }
}

/* Histograms and best splits of the children of this step (t->large is -1 for the root). */
static void find_splits(grower *t) {
    fill_histograms(t);
    const ptrdiff_t nodes[2] = {t->small, t->large};
    allow(t, t->small);
    if (t->fraction < 1.0) {
        if (t->large >= 0) draw_columns(t, t->large, t->allowed + t->p);
        draw_columns(t, t->small, t->spare_columns);
        memcpy(t->allowed, t->spare_columns, (size_t)t->p);
    } else memcpy(t->allowed + t->p, t->allowed, (size_t)t->p);
    const ptrdiff_t each = (t->p + TEAM_MAX_PARTS - 1) / TEAM_MAX_PARTS;
    team_do(t->crew, column_part, t, (t->p + each - 1) / each);
    for (int k = 0; k < 2; k++) {
        if (nodes[k] < 0) continue;
        growing_node *g = t->growing + nodes[k];
        if (g->open) {
            g->best.gain = 0.0;
            for (ptrdiff_t j = 0; j < t->p; j++)
                if (t->found[k * t->p + j].gain > g->best.gain) g->best = t->found[k * t->p + j];
            g->open = g->best.gain > 0.0;
        }
        if (g->open) t->open[t->n_open++] = nodes[k];
        else drop_histogram(t, nodes[k]);
    }
}

static int begin_tree(grower *t) {
    t->n_nodes = t->n_leaves = 1;
    t->n_open = 0;
    boosted_node *root = t->nodes;
    memset(root, 0, sizeof *root);
    root->count = t->n;
    root->parent = root->feature = -1;
    bin_sum total = {0, 0};
    for (ptrdiff_t i = 0; i < t->n; i++) {
        t->rows[i] = (uint32_t)i;
        add_to(&total, t->sums + i);
    }
    const double hessian = (double)(total.hessian_count >> t->count_bits) * t->hessian_unit;
    root->hessian = hessian;
    t->growing[0] =
        (growing_node){.total = total, .lower = -INFINITY, .upper = INFINITY, .open = 1};
    const double expected =
        t->adds_to_expected ? hessian + (double)total.gradient * t->gradient_unit : hessian;
    if (t->n < 2 * t->least_rows || expected < MIN_HESSIAN * t->row_hessian ||
        t->most_leaves == 1)
        return 0;
    t->growing[0].histogram = take_histogram(t);
    if (t->growing[0].histogram == NULL) return -1;
    t->small = 0;
    t->large = -1;
    find_splits(t);
    return 0;
}

/* The node to be split next, taken from those that are open. */
static ptrdiff_t next_node(grower *t) {
    ptrdiff_t at = t->n_open - 1; /* without a limit the order does not matter: the latest */
    if (t->most_leaves)
        for (ptrdiff_t i = t->n_open - 1; i >= 0; i--) {
            const double ahead =
                t->growing[t->open[i]].best.gain - t->growing[t->open[at]].best.gain;
            if (ahead > 0.0 || (ahead == 0.0 && t->open[i] < t->open[at])) at = i;
        }
    const ptrdiff_t node = t->open[at];
    t->open[at] = t->open[--t->n_open];
    return node;
}

/* The children of a node that is split, with bounds that keep the tree monotone. */
static void make_children(grower *t, ptrdiff_t above) {
    boosted_node *node = t->nodes + above;
    const growing_node *g = t->growing + above;
    const boosted_split *s = &g->best;
    const bin_sum right = {
        g->total.gradient - s->left.gradient, g->total.hessian_count - s->left.hessian_count};
    const int64_t mask = ((int64_t)1 << t->count_bits) - 1;
    const double middle = (s->value_left + s->value_right) / 2.0;
    const int monotone = t->monotone ? t->monotone[s->feature] : 0;
    node->gain = s->gain;
    node->feature = s->feature;
    node->code = s->code;
    node->categorical = s->categorical;
    node->missing_left = s->missing_left;
    memcpy(node->set, s->set, sizeof s->set);
    node->left = (int32_t)t->n_nodes;
    for (int k = 0; k < 2; k++) {
        boosted_node *child = t->nodes + t->n_nodes + k;
        growing_node *c = t->growing + t->n_nodes + k;
        memset(child, 0, sizeof *child);
        c->total = k ? right : s->left;
        c->lower = g->lower;
        c->upper = g->upper;
        c->histogram = NULL;
        if (monotone) {
            if ((monotone > 0) == (k == 0)) c->upper = middle;
            else c->lower = middle;
        }
        child->value = k ? s->value_right : s->value_left;
        child->count = c->total.hessian_count & mask;
        child->hessian = (double)(c->total.hessian_count >> t->count_bits) * t->hessian_unit;
        child->begin = k ? node->begin + (s->left.hessian_count & mask) : node->begin;
        child->parent = (int32_t)above;
        child->feature = -1;
        child->depth = node->depth + 1;
        c->open = child->count >= 2 * t->least_rows &&
                  (t->most_depth == 0 || child->depth < t->most_depth);
    }
    if (!t->missing[s->feature]) /* missing values that only come later go where most rows go */
        node->missing_left = t->nodes[node->left].count > t->nodes[node->left + 1].count;
    t->n_nodes += 2;
    t->n_leaves++;
}

/* Split nodes until none is left or the budget, a number of codes to read, is spent. Returns 1 if
   done, 0 if not, -1 if memory runs out. */
static int grow_tree(grower *t, int begin, double budget) {
    if (begin && begin_tree(t) < 0) return -1;
    while (t->n_open && t->n_leaves != t->most_leaves && t->n_nodes + 2 <= t->room) {
        if (budget < 0.0) return 0;
        const ptrdiff_t above = t->node = next_node(t);
        make_children(t, above);
        const boosted_node *node = t->nodes + above;
        share_rows(t);
        budget -= (double)node->count + 64.0 * N_CODES;
        const ptrdiff_t left = node->left;
        const int more = t->n_leaves != t->most_leaves;
        if (more && (t->growing[left].open || t->growing[left + 1].open)) {
            const int small = t->nodes[left].count > t->nodes[left + 1].count;
            t->small = left + small;
            t->large = left + !small;
            t->growing[t->large].histogram = t->growing[above].histogram;
            t->growing[above].histogram = NULL;
            t->growing[t->small].histogram = take_histogram(t);
            if (t->growing[t->small].histogram == NULL) return -1;
            budget -= (double)t->nodes[t->small].count * row_values(t);
            budget -= 4.0 * (double)(t->length + t->p);
            find_splits(t);
        } else drop_histogram(t, above);
    }
    while (t->n_open) drop_histogram(t, t->open[--t->n_open]);
    const double unit = t->gradient_unit / t->hessian_unit;
    for (ptrdiff_t k = 0; k < t->n_nodes; k++) t->nodes[k].value *= unit;
    return 1;
}

/* ------------------------------------------------------------------ predictions of the leaves */
static void leaf_part(void *job, ptrdiff_t part) {
    const grower *t = job;
    for (ptrdiff_t k = part * t->part; k < (part + 1) * t->part && k < t->n_nodes; k++) {
        const boosted_node *node = t->nodes + k;
        if (node->left) continue;
        const uint32_t *rows = t->rows + node->begin;
        const double value = node->value;
        for (int64_t i = 0; i < node->count; i++) t->predicted[rows[i]] += value;
    }
}

static void add_leaves(grower *t) {
    t->part = (t->n_nodes + TEAM_MAX_PARTS - 1) / TEAM_MAX_PARTS;
    team_do(t->crew, leaf_part, t, (t->n_nodes + t->part - 1) / t->part);
}
