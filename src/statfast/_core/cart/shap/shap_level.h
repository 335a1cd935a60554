/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of cart/shap/shap.pyx.

   A Shapley value is an integral along the diagonal of the multilinear extension of the game
   (Owen 1972): at t in [0, 1] a column is asked about with probability t, and a leaf has the weight
   of the product over columns of its path of z (1 - t) + o t, where z is the product of the shares
   of the cover and o tells whether the row takes all of these ways. The integrand is a polynomial
   in t, of a degree below the number D of columns on a path, so that ceil(D / 2) points of
   Gauss-Legendre give the integral exactly; all terms have one sign, so nothing cancels.

   At a point, a split of a column that was asked about above, with product z' and o' = 1, hands to
   the side T that the row takes the fraction 1 - s g of its weight P, and to the other one, N, of
   share s, s g, where g = z' (1 - t) / f and f = z' (1 - t) + t. With A the mean of the leaves
   below, by these fractions, the column earns s times the sum over points of k P (A_T - A_N), where
   k = w z' / f^2. A column that goes another way above (o' = 0) has g = 1 and earns nothing. */

#include <string.h>

#include "cart/shap/shap_table.h"

#define PARTS (SHAP_LANES / F64_LANES)
#define EACH_PART for (int v = 0; v < PARTS; v++)
#define AT(p, q) ((p) + (q) * SHAP_LANES + v * F64_LANES)
#define EACH_GROUP for (int group = 0; group < SHAP_GROUPS; group++)
#define OF_GROUP(p) ((p) + group * SHAP_LANES * Q)

enum { ENTER, FROM_LEFT, FROM_RIGHT };
static const int64_t LANE[SHAP_LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                          8, 9, 10, 11, 12, 13, 14, 15};

static INLINE int is_leaf(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return bits >> 48 == 0x7ff8;
}

static INLINE ptrdiff_t leaf_of(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return (ptrdiff_t)(bits & 0xffffffffffffu);
}

static void fill(const shap_tree *s, double before, double *table) {
    for (ptrdiff_t q = 0; q < s->Q; q++) {
        const double t = s->point[q], f = before * (1.0 - t) + t;
        table[q] = before * (1.0 - t) / f;
        table[s->Q + q] = s->weight[q] * before / (f * f);
    }
}

static void shap_prepare(const shap_tree *s, shap_room *r) {
    const cart_step *tree = s->route.tree;
    ptrdiff_t count = 1;
    r->used = 0;
    fill(s, 1.0, r->tables);
    for (ptrdiff_t q = 0; q < s->Q; q++) {
        r->fixed[q] = 1.0;
        r->fixed[2 * s->Q + q] = r->fixed[s->Q + q] = r->fixed[3 * s->Q + q] = 0.0;
    }
    for (ptrdiff_t i = 0; i < s->nodes; i++) {
        if (is_leaf(tree + i)) continue;
        const int32_t column = (int32_t)(tree[i].column & (ROUTE_SETS - 1));
        const int32_t k = r->place[column];
        if (!(k < r->used && r->column[k] == column)) {
            r->place[column] = (int32_t)r->used;
            r->column[r->used++] = column;
        }
        r->coefficients[i] = 0;
        if (s->above[i] < 0) continue;
        fill(s, s->before[i], r->tables + 2 * s->Q * count);
        r->coefficients[i] = (int32_t)count++;
    }
}

static void shap_sides(const shap_tree *s, shap_room *r, const double *const rows[SHAP_ROWS]) {
    const cart_step *tree = s->route.tree;
    for (ptrdiff_t k = 0; k < r->used; k++) {
        unsigned missing = 0;
        for (int i = 0; i < SHAP_ROWS; i++) {
            const double x = rows[i][r->column[k]];
            r->x[k * SHAP_ROWS + i] = x;
            missing |= (unsigned)(x != x) << i;
        }
        r->missing[k] = (uint32_t)missing;
    }
    for (ptrdiff_t i = 0; i < s->nodes; i++) {
        const cart_step *node = tree + i;
        if (is_leaf(node)) continue;
        unsigned left = 0;
        if (s->routed) {
            for (int l = 0; l < SHAP_ROWS; l++)
                left |= (unsigned)!routed_side(&s->route, (int32_t)i, rows[l]) << l;
        } else {
            const int32_t k = r->place[node->column & (ROUTE_SETS - 1)];
            const f64_v threshold = f64_set1(node->threshold);
            const double *x = r->x + k * SHAP_ROWS;
            for (int l = 0; l < SHAP_ROWS; l += F64_LANES)
                left |= f64_bits(f64_ge(threshold, f64_load(x + l))) << l;
            if (node->column >> 31) left |= r->missing[k];
        }
        r->left[i] = (uint32_t)left;
        const int32_t above = s->above[i];
        r->alive[i] = 0xffffffffu;
        if (above >= 0) {
            const unsigned way = r->left[above >> 1];
            r->alive[i] = (uint32_t)(r->alive[above >> 1] & (above & 1 ? ~way : way));
        }
    }
}

/* What a split does: the fraction a + b g of a row's weight goes to the left. */
typedef struct {
    f64_v a[PARTS], b[PARTS];
    const double *g, *k;
    double *sum;
} split;

/* `one` in the lanes whose bit is set, 0 in others. */
static INLINE f64_v where(unsigned bits, int part, f64_v one) {
    const f64_i set = f64_iset1((int64_t)bits) >> f64_iload(LANE + part * F64_LANES);
    return f64_asreal((f64_iset1(0) - (set & f64_iset1(1))) & f64_asint(one));
}

static INLINE split split_at(const shap_tree *s, const shap_room *r, int32_t node, int group,
                             int32_t set, int present) {
    split c;
    const int32_t column = (int32_t)(s->route.tree[node].column & (ROUTE_SETS - 1));
    const unsigned alive = r->alive[node] >> (group * SHAP_LANES);
    const unsigned left = alive & (r->left[node] >> (group * SHAP_LANES));
    const f64_v share = f64_set1(s->left_share[node]), one = f64_set1(1.0);
    EACH_PART {
        c.b[v] = where(alive, v, share) - where(left, v, one);
        c.a[v] = share - c.b[v];
    }
    c.g = r->tables + 2 * s->Q * r->coefficients[node];
    if (column == set) c.g = r->fixed + 2 * s->Q * present;
    c.k = c.g + s->Q;
    c.sum = r->sum + r->place[column] * SHAP_ROWS + group * SHAP_LANES;
    return c;
}

static INLINE void earn(const split *c, const f64_v *total, double sign) {
    EACH_PART f64_store(AT(c->sum, 0), f64_fma(c->b[v] * f64_set1(-sign), total[v],
                                               f64_load(AT(c->sum, 0))));
}

/* A split of two leaves. */
static INLINE void two_leaves(const split *c, ptrdiff_t Q, const double *P, double left,
                              double right, double sign, double *out) {
    const f64_v step = f64_set1(left - right);
    f64_v total[PARTS], base[PARTS], slope[PARTS];
    EACH_PART {
        total[v] = f64_set1(0.0);
        base[v] = f64_fma(c->a[v], step, f64_set1(right));
        slope[v] = c->b[v] * step;
    }
    for (ptrdiff_t q = 0; q < Q; q++) {
        const f64_v g = f64_set1(c->g[q]), k = f64_set1(c->k[q]);
        EACH_PART {
            total[v] = f64_fma(k, f64_load(AT(P, q)), total[v]);
            f64_store(AT(out, q), f64_fma(slope[v], g, base[v]));
        }
    }
    EACH_PART total[v] = total[v] * step;
    earn(c, total, sign);
}

/* A split whose children are known: means by points, or the values of leaves. */
static INLINE void combine(const split *c, ptrdiff_t Q, const double *P, const double *left,
                           const double *right, const int left_leaf, const int right_leaf,
                           double sign, double *out) {
    f64_v total[PARTS];
    EACH_PART total[v] = f64_set1(0.0);
    for (ptrdiff_t q = 0; q < Q; q++) {
        const f64_v g = f64_set1(c->g[q]), k = f64_set1(c->k[q]);
        EACH_PART {
            const f64_v l = left_leaf ? f64_set1(*left) : f64_load(AT(left, q));
            const f64_v r = right_leaf ? f64_set1(*right) : f64_load(AT(right, q));
            const f64_v step = l - r;
            total[v] = f64_fma(k * f64_load(AT(P, q)), step, total[v]);
            f64_store(AT(out, q), f64_fma(f64_fma(c->b[v], g, c->a[v]), step, r));
        }
    }
    earn(c, total, sign);
}

/* The weights of the children that are no leaves. */
static INLINE void descend(const split *c, ptrdiff_t Q, const double *P, const int left_leaf,
                           const int right_leaf, double *left, double *right) {
    for (ptrdiff_t q = 0; q < Q; q++) {
        const f64_v g = f64_set1(c->g[q]);
        EACH_PART {
            const f64_v weight = f64_load(AT(P, q));
            const f64_v part = weight * f64_fma(c->b[v], g, c->a[v]);
            if (!left_leaf) f64_store(AT(left, q), part);
            if (!right_leaf) f64_store(AT(right, q), weight - part);
        }
    }
}

/* A split, when it is entered and when its children are known, with constants for its leaves. */
static INLINE void visit(const shap_tree *s, shap_room *r, int32_t node, const int enter,
                         const int left_leaf, const int right_leaf, ptrdiff_t channel, int32_t set,
                         int present, double sign, double *P, double *L, double *R) {
    const ptrdiff_t Q = s->Q;
    const cart_step *tree = s->route.tree;
    const double *l = NULL, *h = NULL;
    if (left_leaf) l = s->values + leaf_of(tree + node + 1) * s->C + channel;
    if (right_leaf) h = s->values + leaf_of(tree + tree[node].right) * s->C + channel;
    EACH_GROUP {
        const split c = split_at(s, r, node, group, set, present);
        double *own = OF_GROUP(P);
        if (left_leaf && right_leaf) two_leaves(&c, Q, own, *l, *h, sign, own);
        else if (enter) descend(&c, Q, own, left_leaf, right_leaf, OF_GROUP(L), OF_GROUP(R));
        else combine(&c, Q, own, left_leaf ? l : OF_GROUP(L), right_leaf ? h : OF_GROUP(R),
                     left_leaf, right_leaf, sign, own);
    }
}

/* A split of the stack has room for the weights of its children, where their means come, too. */
static void shap_add(const shap_tree *s, shap_room *r, ptrdiff_t channel, int32_t set, int present,
                     double sign) {
    const cart_step *tree = s->route.tree;
    const ptrdiff_t size = s->Q * SHAP_ROWS;
    if (is_leaf(tree)) return;
    ptrdiff_t d = 0;
    r->node[0] = 0;
    r->phase[0] = ENTER;
    for (ptrdiff_t i = 0; i < size; i++) r->stack[i] = 1.0;
    while (d >= 0) {
        const int32_t node = r->node[d], right = tree[node].right;
        double *L = r->stack + size * (1 + 2 * d), *R = L + size;
        double *P = d == 0 ? r->stack : r->phase[d - 1] == FROM_LEFT ? L - 2 * size : L - size;
        const int leaves = is_leaf(tree + node + 1) | is_leaf(tree + right) << 1;
        if (leaves == 3) {
            visit(s, r, node, 1, 1, 1, channel, set, present, sign, P, L, R);
            d--;
        } else if (r->phase[d] == ENTER) {
            if (leaves == 0) visit(s, r, node, 1, 0, 0, channel, set, present, sign, P, L, R);
            else if (leaves == 1) visit(s, r, node, 1, 1, 0, channel, set, present, sign, P, L, R);
            else visit(s, r, node, 1, 0, 1, channel, set, present, sign, P, L, R);
            r->phase[d] = leaves & 1 ? FROM_RIGHT : FROM_LEFT;
            r->node[++d] = leaves & 1 ? right : node + 1;
            r->phase[d] = ENTER;
        } else if (r->phase[d] == FROM_LEFT && leaves == 0) {
            r->phase[d] = FROM_RIGHT;
            r->node[++d] = right;
            r->phase[d] = ENTER;
        } else {
            if (leaves == 0) visit(s, r, node, 0, 0, 0, channel, set, present, sign, P, L, R);
            else if (leaves == 1) visit(s, r, node, 0, 1, 0, channel, set, present, sign, P, L, R);
            else visit(s, r, node, 0, 0, 1, channel, set, present, sign, P, L, R);
            d--;
        }
    }
}

const shap_kernels GLUE(shap_, LEVEL) = {
    .prepare = shap_prepare, .sides = shap_sides, .add = shap_add,
};
