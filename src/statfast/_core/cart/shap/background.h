/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapley values of a row in one tree where columns that are not asked about have the values of a
   row of the background (Lundberg et al. 2020, interventional). Of the columns of a leaf's path on
   which the two rows go different ways, a hold as the row goes and b as the background goes: the
   leaf is a product of a columns asked about and b not asked about, whose values are beta
   integrals. Only leaves that some mixture of both rows reaches are visited, by up to 64 rows of
   the background together, as bits: those with the same ways are taken once. */
#ifndef STATFAST_CART_BACKGROUND_H
#define STATFAST_CART_BACKGROUND_H

#include "cart/shap/shap_table.h"
#include "simd/compiler.h"

#define BACKGROUND_ROWS 64 /* of a word of bits */

enum { SAME_WAY, AS_ROW, AS_BACKGROUND, OTHER_SIDE };

/* A split that has more ways to go: with the rows of the background in `rows`. */
typedef struct {
    uint64_t rows;
    int32_t node;
    uint8_t way; /* which way is taken now */
} background_fork;

typedef struct {
    const double *beta; /* (D + 1, D + 1) the integral of t^u (1 - t)^v on [0, 1] */
    ptrdiff_t D;        /* the most columns of a path */
    uint64_t *right;    /* (nodes,) rows of the background that go right */
    background_fork *forks; /* (depth,) */
    int32_t *column;    /* (D,) columns on which the rows part, */
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

/* Find the sides of at most 64 rows of the background at the splits of a tree. */
static inline void background_sides(const cart_route *route, ptrdiff_t nodes, const double *y,
                                    ptrdiff_t count, ptrdiff_t p, uint64_t *right) {
    for (ptrdiff_t i = 0; i < nodes; i++) {
        const cart_step *step = route->tree + i;
        right[i] = 0;
        if (shap_is_leaf(step)) continue;
        if (route->sets || route->first) {
            for (ptrdiff_t j = 0; j < count; j++)
                right[i] |= (uint64_t)routed_side(route, (int32_t)i, y + j * p) << j;
            continue;
        }
        const uint32_t missing_right = !(step->column >> 31);
        const double *column = y + (step->column & (ROUTE_SETS - 1)), threshold = step->threshold;
        for (ptrdiff_t j = 0; j < count; j++) {
            const double v = column[j * p];
            right[i] |= (uint64_t)((uint32_t)(v > threshold) | ((v != v) & missing_right)) << j;
        }
    }
}

/* Add the values of the games of row x and each of some rows of the background in a tree. */
static inline void background_add(const cart_route *route, const double *values, ptrdiff_t C,
                                  background_room *r, const double *x, uint64_t rows, ptrdiff_t p,
                                  int pairs, double weight, ptrdiff_t outputs, double *out) {
    ptrdiff_t parted = 0, a = 0, n = 0;
    int32_t at = 0;
    for (;;) {
        while (!shap_is_leaf(route->tree + at)) {
            const int32_t column = (int32_t)(route->tree[at].column & (ROUTE_SETS - 1));
            const int follows = r->follows[column];
            int side = follows == 2 ? (rows & ~r->right[at]) == 0 : routed_side(route, at, x);
            const uint64_t same = rows & (side ? r->right[at] : ~r->right[at]);
            if (follows != 1 && same != rows) { /* some go the other way: of 2, `side` is left */
                r->forks[n].node = at;
                r->forks[n].rows = rows & ~same;
                r->forks[n].way = follows == 2 ? OTHER_SIDE : SAME_WAY;
                n++;
                if (!same) goto next;
                rows = same;
            }
            at = side ? route->tree[at].right : at + 1;
        }
        uint64_t bits;
        memcpy(&bits, &route->tree[at].threshold, sizeof bits);
        const double *value = values + (ptrdiff_t)(bits & 0xffffffffffffu) * C;
        add_leaf(r, parted, a, value, C, p, pairs, weight * POPCOUNT(rows), outputs, out);
    next:
        for (;; n--) { /* the last split with a way left */
            if (n == 0) return;
            background_fork *fork = r->forks + n - 1;
            const cart_step *step = route->tree + fork->node;
            const int32_t column = (int32_t)(step->column & (ROUTE_SETS - 1));
            rows = fork->rows;
            if (fork->way == OTHER_SIDE) { /* rows of a column that follows the background */
                at = step->right;
                n--;
                break;
            }
            if (fork->way == AS_BACKGROUND) {
                r->follows[column] = 0;
                parted--;
                continue;
            }
            const int own = (r->right[fork->node] & rows) == 0; /* all of them go the other way */
            if (fork->way == SAME_WAY) {
                fork->way = AS_ROW;
                r->column[parted] = column;
                r->phase[parted++] = 0;
                r->follows[column] = 1;
                a++;
                at = own ? step->right : fork->node + 1;
            } else {
                fork->way = AS_BACKGROUND;
                r->phase[parted - 1] = 1;
                r->follows[column] = 2;
                a--;
                at = own ? fork->node + 1 : step->right;
            }
            break;
        }
    }
}

#endif
