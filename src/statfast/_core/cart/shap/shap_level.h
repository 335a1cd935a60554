/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of cart/shap/shap.pyx.

   A Shapley value is an integral along the diagonal of the multilinear extension of the game
   (Owen 1972): at t in [0, 1] a column is asked about with probability t, and a leaf has the weight
   of the product over columns of its path of f = z (1 - t) + o t, where z is the product of the
   shares of the cover and o tells whether the row takes all of these ways. The integrand is a
   polynomial in t, of a degree below the number D of columns on a path, so that ceil(D / 2) points
   of Gauss-Legendre give the integral exactly; all terms have one sign, so nothing cancels.

   At a point, a split of a column that was asked about above, with product z' and o' = 1, hands to
   the side T that the row takes the fraction 1 - s g of its weight P, and to the other one, N, of
   share s, s g, where g = z' (1 - t) / f and f = z' (1 - t) + t. With A the mean of the leaves
   below, by these fractions, the column earns s times the sum over points of k P (A_T - A_N), where
   k = z' / f^2. A column that goes another way above (o' = 0) has g = 1 and earns nothing.

   A tree is cut into its largest subtrees of a few splits. What a subtree adds to the values of a
   row depends on its pattern alone: which columns of the path to the subtree follow it (o of each),
   and the sides at the splits of the subtree. Many rows share a pattern, so that values are found
   once for each pattern of a block of rows, 32 of them together, and added to its rows. A column d
   of the path earns (o - z) times the sum over points of P A / f. Where rows are short, patterns of
   a larger subtree stand for rows in the small ones that it holds.

   Cost of 20 columns, rows of some thousands and trees grown to the end: some 10 ns for a row and a
   subtree of some five leaves, half of it to number patterns, half to add values to rows. */

#include <string.h>

#include "cart/shap/shap_table.h"
#include "cart/shap/subtree.h"
#include "cart/shap/workspace.h"
#include "cart/shap/patterns.h"
#include "cart/shap/background_sets.h"
#include "cart/shap/background.h"
#include "cart/shap/row_sums.h"

/* The tables of a subtree, for all patterns. */
static void fill(const subtree *c, double before, double *table) {
    for (ptrdiff_t q = 0; q < c->Q; q++) {
        const double t = c->point[q], f = before * (1.0 - t) + t;
        table[q] = before * (1.0 - t) / f;
        table[c->Q + q] = before / (f * f);
    }
}

/* Find the places of the columns of a subtree's splits; returns how many columns there are. */
static ptrdiff_t place_columns(walk *w, int32_t root) {
    const shap_tree *s = w->s;
    ptrdiff_t used = w->path;
    for (ptrdiff_t i = 0; i < 2 * s->splits[root] + 1; i++) {
        const cart_step *step = s->route.tree + root + i;
        if (shap_is_leaf(step)) continue;
        const int32_t column = (int32_t)(step->column & (ROUTE_SETS - 1));
        if (w->place[column] < 0) {
            w->column[used] = column;
            w->place[column] = (int32_t)used++;
        }
        w->places[i] = w->place[column];
    }
    for (ptrdiff_t d = w->path; d < used; d++) w->place[w->column[d]] = -1;
    return used;
}

static subtree prepare(walk *w, int32_t root, ptrdiff_t used) {
    const shap_tree *s = w->s;
    const int64_t rule = w->rules->of_width[s->width[root]], begin = w->rules->begin[rule];
    const ptrdiff_t Q = w->rules->begin[rule + 1] - begin, nodes = 2 * s->splits[root] + 1;
    subtree c = {
        .tree = s, .root = root, .Q = Q, .path = w->path, .used = used,
        .point = w->rules->point + begin, .weight = w->rules->weight + begin,
        .share = w->share, .rest = w->rest, .gain = w->gain, .tables = w->tables,
        .fixed = w->fixed, .follows = w->bits, .left = w->left, .alive = w->alive,
        .slot = w->places, .coefficients = w->coefficients, .weights = w->weights,
        .stack = w->stack, .sum = w->sum, .factor = w->factor, .set = -1, .sign = 1.0,
    };
    for (ptrdiff_t d = 0; d < w->path; d++) {
        const int32_t level = w->level[d], node = w->node[level];
        const double share = s->left_share[node];
        w->share[d] = s->before[node] * (w->right[level] ? 1.0 - share : share);
        for (ptrdiff_t q = 0; q < Q; q++) {
            w->rest[d * Q + q] = w->share[d] * (1.0 - c.point[q]);
            w->gain[d * Q + q] = (1.0 - w->share[d]) / (w->rest[d * Q + q] + c.point[q]);
        }
    }
    for (ptrdiff_t q = 0; q < Q; q++) {
        w->fixed[q] = 1.0;
        w->fixed[Q + q] = w->fixed[2 * Q + q] = w->fixed[3 * Q + q] = 0.0;
    }
    fill(&c, 1.0, w->tables);
    int32_t count = 1;
    for (ptrdiff_t i = 0; i < nodes; i++) {
        if (shap_is_leaf(s->route.tree + root + i)) continue;
        w->coefficients[i] = 0;
        if (s->above[root + i] < 0) continue;
        fill(&c, s->before[root + i], w->tables + 2 * Q * count);
        w->coefficients[i] = count++;
    }
    return c;
}

/* The bits of 32 patterns at the splits of the subtree, from `words` after those of the path. */
static void spread_bits(walk *w, int32_t root) {
    const shap_tree *s = w->s;
    const uint32_t *side = w->bits + w->path;
    for (ptrdiff_t i = 0; i < 2 * s->splits[root] + 1; i++) {
        const int32_t above = s->above[root + i], split = above >> 1;
        if (shap_is_leaf(s->route.tree + root + i)) continue;
        w->left[i] = *side++;
        w->alive[i] = 0xffffffffu;
        if (above < 0) continue;
        if (split < root) {
            w->alive[i] = w->bits[w->places[i]];
        } else {
            const uint32_t way = w->left[split - root];
            w->alive[i] = w->alive[split - root] & (above & 1 ? ~way : way);
        }
    }
}

/* Find the values of `count` patterns, whose bits are in w->bits. */
static void find_values(walk *w, subtree *c, ptrdiff_t count, double *values) {
    const ptrdiff_t C = w->s->C, stride = w->stride;
    const int padded = w->set->sums != NULL;
    if (padded) memset(values, 0, (size_t)(count * stride) * sizeof(double));
    for (ptrdiff_t set = 0; set < (w->b->pairs ? c->used : 1); set++) {
        for (ptrdiff_t channel = 0; channel < C; channel++) {
            memset(w->sum, 0, (size_t)(c->used * SHAP_ROWS) * sizeof(double));
            if (w->b->pairs) {
                c->set = set;
                c->present = 0, c->sign = -0.5;
                add_channel(c, channel);
                c->present = 1, c->sign = 0.5;
            }
            add_channel(c, channel);
            for (ptrdiff_t k = 0; k < c->used; k++) {
                const ptrdiff_t place = set * c->used + k;
                double *to = values + (padded ? w->offset[place] : place * C) + channel;
                for (ptrdiff_t i = 0; i < count; i++) to[i * stride] = w->sum[k * SHAP_ROWS + i];
            }
        }
    }
}

/* Whether rows are so few that they need no patterns. */
static INLINE int is_few(const row_set *set) { return set->m <= SHAP_ROWS; }

/* Add the values of a small subtree to all rows. */
static int add_subtree(walk *w, int32_t root) {
    const shap_block *b = w->b;
    row_set *set = w->set;
    const ptrdiff_t n_bits = w->path + w->s->splits[root];
    const ptrdiff_t columns = place_columns(w, root), places = columns * (b->pairs ? columns : 1);
    const ptrdiff_t of_column = set->sums ? w->s->C : b->outputs * (b->pairs ? b->p : 1);
    if (!set->sums) w->stride = places * w->s->C;
    const ptrdiff_t size = w->stride;
    for (ptrdiff_t other = 0; other < (b->pairs ? columns : 1); other++)
        for (ptrdiff_t k = 0; k < columns; k++)
            w->offset[other * columns + k] =
                w->column[k] * of_column + (b->pairs ? w->column[other] * b->outputs : 0);
    find_subtree_sides(w, root);
    subtree c = prepare(w, root, columns);
    const int shared = n_bits <= MAX_BITS && !is_few(set);
    const ptrdiff_t count = shared ? number_patterns(w, n_bits) : set->m;
    if (!make_room(set, (size_t)size * (size_t)((shared ? count : 0) + SHAP_ROWS))) return 0;
    for (ptrdiff_t begin = 0; begin < count; begin += SHAP_ROWS) {
        const ptrdiff_t lanes = count - begin < SHAP_ROWS ? count - begin : SHAP_ROWS;
        double *values = set->values + (shared ? begin * size : 0);
        if (shared) spread_patterns(set->pattern + begin, lanes, n_bits, w->bits);
        for (ptrdiff_t d = 0; !shared && d < n_bits; d++)
            w->bits[d] = bits_of(w, d)[begin / SHAP_ROWS];
        spread_bits(w, root);
        find_values(w, &c, lanes, values);
        for (ptrdiff_t i = 0; !shared && i < lanes; i++)
            add_row(w, places, values + i * size, begin + i);
    }
    if (shared && set->sums) add_values(set, set->values, size);
    for (ptrdiff_t r = 0; shared && !set->sums && r < set->m; r++)
        add_row(w, places, set->values + set->id[r] * size, r);
    return 1;
}

static int traverse(walk *w, int32_t root, ptrdiff_t base, int32_t begin, int32_t end);

/* Add the values of a larger subtree, whose way has `length` splits: its patterns take the place of
   rows, and what they get is added to their rows. */
static int add_group(walk *w, int32_t root, ptrdiff_t length) {
    const shap_tree *s = w->s;
    row_set *set = w->set, *other = set + 1;
    const ptrdiff_t n_bits = w->path + s->splits[root];
    uint32_t *to[MAX_BITS], bits[MAX_BITS];
    place_columns(w, root);
    find_subtree_sides(w, root);
    if (is_few(set))
        for (ptrdiff_t r = 0; r < set->m; r++) set->id[r] = (int32_t)r;
    other->m = is_few(set) ? set->m : number_patterns(w, n_bits);
    other->words = (other->m + SHAP_ROWS - 1) / SHAP_ROWS;
    other->first = root;
    for (ptrdiff_t d = 0; d < w->path; d++) to[d] = other->follows + w->level[d] * other->words;
    ptrdiff_t n = w->path;
    for (ptrdiff_t i = 0; i < 2 * s->splits[root] + 1; i++)
        if (!shap_is_leaf(s->route.tree + root + i)) to[n++] = w->given + i * other->words;
    for (ptrdiff_t k = 0; k < other->words; k++) {
        if (!is_few(set))
            spread_patterns(set->pattern + k * SHAP_ROWS, other->m - k * SHAP_ROWS, n_bits, bits);
        for (ptrdiff_t d = 0; d < n_bits; d++) to[d][k] = is_few(set) ? *bits_of(w, d) : bits[d];
    }
    memset(other->sums, 0, (size_t)(other->m * w->stride) * sizeof(double));
    w->set = other;
    const int enough = traverse(w, root, length, 0, INT32_MAX);
    w->set = set;
    if (enough) add_values(set, other->sums, w->stride);
    return enough;
}

/* Add the values of the subtrees that begin at nodes [begin, end) below a node. */
static int traverse(walk *w, int32_t root, ptrdiff_t base, int32_t begin, int32_t end) {
    const shap_tree *s = w->s;
    const int32_t most = w->set->sums ? PATTERN_SPLITS : SHAP_SPLITS;
    const int grouped = w->set == w->sets && w->set->sums;
    ptrdiff_t length = base;
    int32_t node = root;
    for (;;) {
        const int32_t splits = s->splits[node];
        const int asked = node < end && node + 2 * splits + 1 > begin;
        const int group = grouped && splits > most && splits <= GROUP_SPLITS &&
                          w->path + splits <= MAX_BITS;
        if (asked && splits > most && !group) {
            push(w, length++, node++);
            continue;
        }
        if (asked && node >= begin && !(group ? add_group(w, node, length) : add_subtree(w, node)))
            return 0;
        while (length > base && w->right[length - 1]) pop(w, --length);
        if (length == base) return 1;
        w->right[length - 1] = 1;
        follow(w, length - 1);
        node = s->route.tree[w->node[length - 1]].right;
    }
}

static int shap_add(const shap_tree *s, const shap_rules *rules, const shap_block *b, int32_t begin,
                    int32_t end) {
    walk w = {.s = s, .rules = rules, .b = b};
    void *bytes = allocate(&w);
    if (!bytes) return 0;
    const int enough = traverse(&w, 0, 0, begin, end);
    flush(&w);
    free(w.sets[0].room);
    free(w.sets[1].room);
    free(bytes);
    return enough;
}

const shap_kernels GLUE(shap_, LEVEL) = {.add = shap_add, .against = shap_against};
