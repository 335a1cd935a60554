/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of 32 patterns in one small subtree: part of cart/shap/shap_level.h, which says what a
   pattern is and has the formulas. */

#define PARTS (SHAP_LANES / F64_LANES)
#define EACH_PART for (int v = 0; v < PARTS; v++)
#define AT(p, q) ((p) + (q) * SHAP_LANES + v * F64_LANES)
#define EACH_GROUP for (int group = 0; group < SHAP_GROUPS; group++)
#define OF_GROUP(p) ((p) + group * SHAP_LANES * Q)

enum { ENTER, FROM_LEFT, FROM_RIGHT };
static const int64_t LANE[SHAP_LANES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                          8, 9, 10, 11, 12, 13, 14, 15};

/* A subtree, the columns of the path to it and then those of its own splits. */
typedef struct {
    const shap_tree *tree;
    int32_t root;
    ptrdiff_t Q, path, used;         /* points, columns of the path, and of both */
    const double *point, *weight;    /* (Q,) */
    const double *share;             /* (path,) of the cover, the product along the path */
    const int32_t *slot;             /* (nodes,) of a split: its column among all */
    const int32_t *coefficients;     /* (nodes,) of a split: the number of its pair in `tables` */
    const double *tables;            /* (pairs, 2, Q) what splits are multiplied by, `g` and `k` */
    const double *fixed;             /* (2, 2, Q) those of a column that is set: absent, present */
    const double *rest;              /* (path, Q) z (1 - t) */
    const double *gain;              /* (path, Q) (1 - z) / f */
    const uint32_t *follows;         /* (path,) bits of patterns that go along the path */
    const uint32_t *left, *alive;    /* (nodes,) bits of patterns */
    double *weights;                 /* (SHAP_GROUPS, Q, SHAP_LANES) at the root */
    double *stack;                   /* (1 + 2 (depth + 1), SHAP_GROUPS, Q, SHAP_LANES) */
    double *sum;                     /* (used, SHAP_ROWS) */
    double *factor;                  /* (path, SHAP_LANES) 1 where a column is followed, else 0 */
    ptrdiff_t set;                   /* a column that is always asked about, or never; or -1 */
    int present;
    double sign;
} subtree;

static INLINE ptrdiff_t leaf_of(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return (ptrdiff_t)(bits & 0xffffffffffffu);
}

/* What a split does: the fraction a + b g of a pattern's weight goes to the left. */
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

static INLINE split split_at(const subtree *s, int32_t node, int group) {
    split c;
    const ptrdiff_t i = node - s->root;
    const unsigned alive = s->alive[i] >> (group * SHAP_LANES);
    const unsigned left = alive & (s->left[i] >> (group * SHAP_LANES));
    const f64_v share = f64_set1(s->tree->left_share[node]), one = f64_set1(1.0);
    EACH_PART {
        c.b[v] = where(alive, v, share) - where(left, v, one);
        c.a[v] = share - c.b[v];
    }
    c.g = s->tables + 2 * s->Q * s->coefficients[i];
    if (s->slot[i] == s->set) c.g = s->fixed + 2 * s->Q * s->present;
    c.k = c.g + s->Q;
    c.sum = s->sum + s->slot[i] * SHAP_ROWS + group * SHAP_LANES;
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
static INLINE void visit(const subtree *s, int32_t node, const int enter, const int left_leaf,
                         const int right_leaf, ptrdiff_t channel, double *P, double *L, double *R) {
    const ptrdiff_t Q = s->Q;
    const cart_step *tree = s->tree->route.tree;
    const double *values = s->tree->values + channel, *l = NULL, *h = NULL;
    if (left_leaf) l = values + leaf_of(tree + node + 1) * s->tree->C;
    if (right_leaf) h = values + leaf_of(tree + tree[node].right) * s->tree->C;
    EACH_GROUP {
        const split c = split_at(s, node, group);
        double *own = OF_GROUP(P);
        if (left_leaf && right_leaf) two_leaves(&c, Q, own, *l, *h, s->sign, own);
        else if (enter) descend(&c, Q, own, left_leaf, right_leaf, OF_GROUP(L), OF_GROUP(R));
        else combine(&c, Q, own, left_leaf ? l : OF_GROUP(L), right_leaf ? h : OF_GROUP(R),
                     left_leaf, right_leaf, s->sign, own);
    }
}

/* The weights at the root: those of the points, times the factors of the columns of the path. */
static INLINE void weigh_root(const subtree *s) {
    const ptrdiff_t Q = s->Q;
    EACH_GROUP {
        double *P = OF_GROUP(s->weights);
        for (ptrdiff_t d = 0; d < s->path; d++) {
            const unsigned bits = s->follows[d] >> (group * SHAP_LANES);
            EACH_PART f64_store(AT(s->factor, d), where(bits, v, f64_set1(1.0)));
        }
        for (ptrdiff_t q = 0; q < Q; q++) {
            f64_v weight[PARTS];
            EACH_PART weight[v] = f64_set1(s->weight[q]);
            for (ptrdiff_t d = 0; d < s->path; d++) {
                double t = s->point[q], rest = s->rest[d * Q + q];
                if (d == s->set) {
                    t = s->present;
                    rest = s->present ? 0.0 : s->share[d];
                }
                EACH_PART weight[v] = weight[v] * f64_fma(f64_set1(t), f64_load(AT(s->factor, d)),
                                                          f64_set1(rest));
            }
            EACH_PART f64_store(AT(P, q), weight[v]);
        }
    }
}

/* What the columns of the path earn, from the means of the leaves at the root. */
static INLINE void earn_path(const subtree *s) {
    const ptrdiff_t Q = s->Q;
    EACH_GROUP {
        const double *A = OF_GROUP(s->stack);
        double *P = OF_GROUP(s->weights);
        f64_v left_out[PARTS];
        EACH_PART left_out[v] = f64_set1(0.0);
        for (ptrdiff_t q = 0; q < Q; q++) {
            const f64_v by = f64_set1(-1.0 / (1.0 - s->point[q]));
            EACH_PART {
                const f64_v both = f64_load(AT(P, q)) * f64_load(AT(A, q));
                f64_store(AT(P, q), both);
                left_out[v] = f64_fma(both, by, left_out[v]);
            }
        }
        for (ptrdiff_t d = 0; d < s->path; d++) {
            if (d == s->set) continue;
            const unsigned bits = s->follows[d] >> (group * SHAP_LANES);
            const double *gain = s->gain + d * Q;
            double *sum = s->sum + d * SHAP_ROWS + group * SHAP_LANES;
            f64_v total[PARTS];
            EACH_PART total[v] = f64_set1(0.0);
            for (ptrdiff_t q = 0; q < Q; q++)
                EACH_PART total[v] = f64_fma(f64_set1(gain[q]), f64_load(AT(P, q)), total[v]);
            EACH_PART {
                const f64_v value = where(bits, v, total[v]) + where(~bits, v, left_out[v]);
                f64_store(AT(sum, 0), f64_fma(value, f64_set1(s->sign), f64_load(AT(sum, 0))));
            }
        }
    }
}

/* Add the values of one channel to s->sum. A split of the stack has room for the weights of its
   children, where their means come, too. */
static void add_channel(const subtree *s, ptrdiff_t channel) {
    const cart_step *tree = s->tree->route.tree;
    const ptrdiff_t size = s->Q * SHAP_ROWS;
    int32_t nodes[SHAP_SPLITS + 1];
    uint8_t phase[SHAP_SPLITS + 1];
    ptrdiff_t d = 0;
    weigh_root(s);
    memcpy(s->stack, s->weights, (size_t)size * sizeof(double));
    nodes[0] = s->root;
    phase[0] = ENTER;
    if (shap_is_leaf(tree + s->root)) {
        const double value = s->tree->values[leaf_of(tree + s->root) * s->tree->C + channel];
        for (ptrdiff_t i = 0; i < size; i++) s->stack[i] = value;
        d = -1;
    }
    while (d >= 0) {
        const int32_t node = nodes[d], right = tree[node].right;
        double *L = s->stack + size * (1 + 2 * d), *R = L + size;
        double *P = d == 0 ? s->stack : phase[d - 1] == FROM_LEFT ? L - 2 * size : L - size;
        const int leaves = shap_is_leaf(tree + node + 1) | shap_is_leaf(tree + right) << 1;
        if (leaves == 3) {
            visit(s, node, 1, 1, 1, channel, P, L, R);
            d--;
        } else if (phase[d] == ENTER) {
            if (leaves == 0) visit(s, node, 1, 0, 0, channel, P, L, R);
            else if (leaves == 1) visit(s, node, 1, 1, 0, channel, P, L, R);
            else visit(s, node, 1, 0, 1, channel, P, L, R);
            phase[d] = leaves & 1 ? FROM_RIGHT : FROM_LEFT;
            nodes[++d] = leaves & 1 ? right : node + 1;
            phase[d] = ENTER;
        } else if (phase[d] == FROM_LEFT && leaves == 0) {
            phase[d] = FROM_RIGHT;
            nodes[++d] = right;
            phase[d] = ENTER;
        } else {
            if (leaves == 0) visit(s, node, 0, 0, 0, channel, P, L, R);
            else if (leaves == 1) visit(s, node, 0, 1, 0, channel, P, L, R);
            else visit(s, node, 0, 0, 1, channel, P, L, R);
            d--;
        }
    }
    earn_path(s);
}
