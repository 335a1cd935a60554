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
   of the path earns (o - z) times the sum over points of P A / f. */

#include <string.h>

#include "cart/shap/shap_table.h"
#include "cart/shap/subtree.h"
#include "cart/shap/patterns.h"

/* The tables of a subtree, for all patterns. */
static void fill(const subtree *c, double before, double *table) {
    for (ptrdiff_t q = 0; q < c->Q; q++) {
        const double t = c->point[q], f = before * (1.0 - t) + t;
        table[q] = before * (1.0 - t) / f;
        table[c->Q + q] = before / (f * f);
    }
}

static subtree prepare(walk *w, int32_t root) {
    const shap_tree *s = w->s;
    const int64_t rule = w->rules->of_width[s->width[root]], begin = w->rules->begin[rule];
    const ptrdiff_t Q = w->rules->begin[rule + 1] - begin, nodes = 2 * s->splits[root] + 1;
    subtree c = {
        .tree = s, .root = root, .Q = Q, .path = w->path, .used = w->path,
        .point = w->rules->point + begin, .weight = w->rules->weight + begin,
        .share = w->share, .gain = w->gain, .tables = w->tables, .fixed = w->fixed,
        .follows = w->bits, .left = w->left, .alive = w->alive, .slot = w->places,
        .coefficients = w->coefficients, .weights = w->weights, .stack = w->stack, .sum = w->sum,
        .set = -1, .sign = 1.0,
    };
    for (ptrdiff_t d = 0; d < w->path; d++) {
        const int32_t level = w->level[d], node = w->node[level];
        const double share = s->left_share[node];
        w->share[d] = s->before[node] * (w->right[level] ? 1.0 - share : share);
        for (ptrdiff_t q = 0; q < Q; q++)
            w->gain[d * Q + q] = (1.0 - w->share[d]) / (w->share[d] * (1.0 - c.point[q]) + c.point[q]);
    }
    for (ptrdiff_t q = 0; q < Q; q++) {
        w->fixed[q] = 1.0;
        w->fixed[Q + q] = w->fixed[2 * Q + q] = w->fixed[3 * Q + q] = 0.0;
    }
    fill(&c, 1.0, w->tables);
    int32_t count = 1;
    for (ptrdiff_t i = 0; i < nodes; i++) {
        const cart_step *step = s->route.tree + root + i;
        if (is_leaf(step)) continue;
        const int32_t column = (int32_t)(step->column & (ROUTE_SETS - 1));
        if (w->place[column] < 0) {
            w->column[c.used] = column;
            w->place[column] = (int32_t)c.used++;
        }
        w->places[i] = w->place[column];
        w->coefficients[i] = 0;
        if (s->above[root + i] < 0) continue;
        fill(&c, s->before[root + i], w->tables + 2 * Q * count);
        w->coefficients[i] = count++;
    }
    for (ptrdiff_t d = w->path; d < c.used; d++) w->place[w->column[d]] = -1;
    return c;
}

/* The bits of 32 patterns at the splits of the subtree, from `words` after those of the path. */
static void spread_bits(walk *w, const subtree *c) {
    const shap_tree *s = w->s;
    const uint32_t *side = w->bits + w->path;
    for (ptrdiff_t i = 0; i < 2 * s->splits[c->root] + 1; i++) {
        const int32_t above = s->above[c->root + i], split = above >> 1;
        if (is_leaf(s->route.tree + c->root + i)) continue;
        w->left[i] = *side++;
        w->alive[i] = 0xffffffffu;
        if (above < 0) continue;
        if (split < c->root) {
            w->alive[i] = w->bits[w->places[i]];
        } else {
            const uint32_t way = w->left[split - c->root];
            w->alive[i] = w->alive[split - c->root] & (above & 1 ? ~way : way);
        }
    }
}

/* Find the values of `count` patterns, whose bits are in w->bits. */
static void find_values(walk *w, subtree *c, ptrdiff_t count, double *values) {
    const ptrdiff_t C = w->s->C, stride = w->stride;
    spread_bits(w, c);
    if (w->rows) memset(values, 0, (size_t)(count * stride) * sizeof(double));
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
                double *to = values + (w->rows ? w->offset[place] : place * C) + channel;
                for (ptrdiff_t i = 0; i < count; i++) to[i * stride] = w->sum[k * SHAP_ROWS + i];
            }
        }
    }
}

/* Add the values of a pattern to a row. */
static INLINE void add_row(const walk *w, ptrdiff_t places, const double *values, ptrdiff_t r) {
    const shap_block *b = w->b;
    const ptrdiff_t C = w->s->C;
    if (w->rows) {
        double *row = w->rows + r * w->stride;
        for (ptrdiff_t k = 0; k < w->stride; k += F64_LANES)
            f64_store(row + k, f64_load(row + k) + f64_load(values + k));
        return;
    }
    double *row = b->out + r * b->p * (b->pairs ? b->p : 1) * b->outputs + b->to;
    for (ptrdiff_t k = 0; k < places; k++)
        for (ptrdiff_t c = 0; c < C; c++) row[w->offset[k] + c] += values[k * C + c];
}

/* Add the sums of the tree to the values of short rows. */
static void flush(const walk *w) {
    const shap_block *b = w->b;
    const ptrdiff_t C = w->s->C;
    for (ptrdiff_t r = 0; w->rows && r < b->m; r++) {
        double *row = b->out + r * b->p * b->outputs + b->to;
        const double *sums = w->rows + r * w->stride;
        for (ptrdiff_t j = 0; j < b->p; j++)
            for (ptrdiff_t c = 0; c < C; c++) row[j * b->outputs + c] += sums[j * C + c];
    }
}

/* Add the values of a subtree to all rows. */
static int add_subtree(walk *w, int32_t root) {
    const shap_block *b = w->b;
    const ptrdiff_t words = b->words, n_bits = w->path + w->s->splits[root];
    subtree c = prepare(w, root);
    const ptrdiff_t columns = c.used, places = columns * (b->pairs ? columns : 1);
    const ptrdiff_t of_column = w->rows ? w->s->C : b->outputs * (b->pairs ? b->p : 1);
    if (!w->rows) w->stride = places * w->s->C;
    const ptrdiff_t size = w->stride;
    for (ptrdiff_t set = 0; set < (b->pairs ? columns : 1); set++)
        for (ptrdiff_t k = 0; k < columns; k++)
            w->offset[set * columns + k] =
                w->column[k] * of_column + (b->pairs ? w->column[set] * b->outputs : 0);
    uint32_t *side = w->sides;
    for (int32_t i = root; i < root + 2 * w->s->splits[root] + 1; i++) {
        if (is_leaf(w->s->route.tree + i)) continue;
        find_sides(w, i, side);
        side += words;
    }
    ptrdiff_t count = b->m;
    const int shared = n_bits <= MAX_BITS;
    if (shared) {
        memset(w->keys, 0, (size_t)(32 * words) * sizeof(uint32_t));
        for (ptrdiff_t d = 0; d < n_bits; d++)
            memcpy(w->keys + d * words,
                   d < w->path ? w->follows + w->level[d] * words : w->sides + (d - w->path) * words,
                   (size_t)words * sizeof(uint32_t));
        transpose(w->keys, words);
        count = number_patterns(w, n_bits);
    }
    const size_t wanted = (size_t)size * (size_t)((shared ? count : 0) + SHAP_ROWS);
    if (wanted > w->capacity) {
        free(w->values);
        w->capacity = 0;
        w->values = (double *)malloc(wanted * sizeof(double));
        if (!w->values) return 0;
        w->capacity = wanted;
    }
    for (ptrdiff_t begin = 0; begin < count; begin += SHAP_ROWS) {
        const ptrdiff_t lanes = count - begin < SHAP_ROWS ? count - begin : SHAP_ROWS;
        double *values = w->values + (shared ? begin * size : 0);
        if (shared) {
            memset(w->bits, 0, SHAP_ROWS * sizeof(uint32_t));
            memcpy(w->bits, w->pattern + begin, (size_t)lanes * sizeof(uint32_t));
            transpose(w->bits, 1);
        } else {
            for (ptrdiff_t d = 0; d < n_bits; d++)
                w->bits[d] = (d < w->path ? w->follows + w->level[d] * words
                                          : w->sides + (d - w->path) * words)[begin / SHAP_ROWS];
        }
        find_values(w, &c, lanes, values);
        for (ptrdiff_t i = 0; !shared && i < lanes; i++)
            add_row(w, places, values + i * size, begin + i);
    }
    for (ptrdiff_t r = 0; shared && r < b->m; r++) 
        add_row(w, places, w->values + w->id[r] * size, r);
    return 1;
}

static int shap_add(const shap_tree *s, const shap_rules *rules, const shap_block *b, int32_t begin,
                    int32_t end) {
    walk w = {.s = s, .rules = rules, .b = b};
    void *bytes = allocate(&w);
    if (!bytes) return 0;
    ptrdiff_t length = 0;
    int32_t node = 0;
    int enough = 1;
    for (;;) {
        const int32_t splits = s->splits[node];
        const int asked = node < end && node + 2 * splits + 1 > begin;
        if (asked && splits > SHAP_SPLITS) {
            push(&w, length++, node++);
            continue;
        }
        if (asked && node >= begin) enough &= add_subtree(&w, node);
        while (length && w.right[length - 1]) pop(&w, --length);
        if (!length || !enough) break;
        w.right[length - 1] = 1;
        follow(&w, length - 1);
        node = s->route.tree[w.node[length - 1]].right;
    }
    flush(&w);
    free(w.values);
    free(bytes);
    return enough;
}

const shap_kernels GLUE(shap_, LEVEL) = {.add = shap_add};
