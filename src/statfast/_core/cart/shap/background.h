/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapley values of a row in one tree where columns that are not asked about have the values of a
   row of the background (Lundberg et al. 2020, interventional). Of the columns of a leaf's path on
   which the two rows go different ways, a hold as the row goes and b as the background goes: the
   leaf is a product of a columns asked about and b not asked about, whose values are beta
   integrals. Only leaves that some mixture of both rows reaches are visited. */
#ifndef STATFAST_CART_BACKGROUND_H
#define STATFAST_CART_BACKGROUND_H

#include "cart/shap/shap_table.h"

typedef struct {
    const double *beta; /* (D + 1, D + 1) the integral of t^u (1 - t)^v on [0, 1] */
    ptrdiff_t D;        /* the most columns of a path */
    int32_t *node;      /* (D,) splits at which the two rows part, */
    int32_t *column;    /* (D,) their columns, */
    uint8_t *phase;     /* (D,) and the row that is followed: 0 the row, 1 the background */
    uint8_t *follows;   /* (p,) 0: not parted yet, 1: the row, 2: the background */
} background_room;

static inline int shap_is_leaf(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return bits >> 48 == 0x7ff8;
}

static inline double beta_at(const background_room *r, ptrdiff_t u, ptrdiff_t v) {
    return u < 0 || v < 0 ? 0.0 : r->beta[u * (r->D + 1) + v];
}

/* Add a leaf's C values for the `parted` columns, a of which follow the row, to out (p, outputs),
   or of pairs of them to out (p, p, outputs). */
static inline void add_leaf(const background_room *r, ptrdiff_t parted, ptrdiff_t a,
                            const double *value, ptrdiff_t C, ptrdiff_t p, int pairs,
                            double weight, ptrdiff_t outputs, double *out) {
    const ptrdiff_t b = parted - a;
    const double one[2] = {beta_at(r, a - 1, b) * weight, -beta_at(r, a, b - 1) * weight};
    const double two[3] = {0.5 * beta_at(r, a - 2, b) * weight,
                           -0.5 * beta_at(r, a - 1, b - 1) * weight,
                           0.5 * beta_at(r, a, b - 2) * weight};
    for (ptrdiff_t i = 0; i < parted; i++) {
        double *row = out + r->column[i] * (pairs ? p : 1) * outputs;
        for (ptrdiff_t c = 0; !pairs && c < C; c++) row[c] += one[r->phase[i]] * value[c];
        for (ptrdiff_t j = 0; pairs && j < parted; j++)
            for (ptrdiff_t c = 0; i != j && c < C; c++)
                row[r->column[j] * outputs + c] += two[r->phase[i] + r->phase[j]] * value[c];
    }
}

/* Add the values of the game of rows x and y in a tree. */
static inline void background_add(const cart_route *route, const double *values, ptrdiff_t C,
                                  background_room *r, const double *x, const double *y,
                                  ptrdiff_t p, int pairs, double weight, ptrdiff_t outputs,
                                  double *out) {
    ptrdiff_t parted = 0, a = 0;
    int32_t at = 0;
    for (;;) {
        while (!shap_is_leaf(route->tree + at)) {
            const int32_t column = (int32_t)(route->tree[at].column & (ROUTE_SETS - 1));
            const int own = routed_side(route, at, x), other = routed_side(route, at, y);
            int side = r->follows[column] == 2 ? other : own;
            if (own != other && !r->follows[column]) {
                r->node[parted] = at;
                r->column[parted] = column;
                r->phase[parted++] = 0;
                r->follows[column] = 1;
                a++;
            }
            at = side ? route->tree[at].right : at + 1;
        }
        uint64_t bits;
        memcpy(&bits, &route->tree[at].threshold, sizeof bits);
        const double *value = values + (ptrdiff_t)(bits & 0xffffffffffffu) * C;
        add_leaf(r, parted, a, value, C, p, pairs, weight, outputs, out);
        while (parted && r->phase[parted - 1]) r->follows[r->column[--parted]] = 0;
        if (!parted) return;
        r->phase[parted - 1] = 1;
        r->follows[r->column[parted - 1]] = 2;
        a--;
        at = r->node[parted - 1];
    }
}

#endif
