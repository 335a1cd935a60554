/* SPDX-License-Identifier: BSD-3-Clause */
/* The path of a row down a tree with sets of categories, or with surrogates. */
#ifndef STATFAST_CART_ROUTE_H
#define STATFAST_CART_ROUTE_H

#include <string.h>

#include "cart/cart.h"
#include "cart/walk/walk_table.h"

#define ROUTE_SETS 0x40000000u /* flag of a column whose threshold is the number of a set */

typedef struct {
    const cart_step *tree;
    const uint64_t *sets; /* (sets, 2, words) categories that go left, and right; else missing */
    ptrdiff_t words;
    const int64_t *first; /* (nodes + 1,) where the surrogates of nodes begin, or NULL: none */
    const cart_surrogate *surrogates;
} cart_route;

static inline int side_of(const cart_route *r, double x, double threshold, int of_sets) {
    if (x != x) return CART_SIDE_UNKNOWN;
    if (!of_sets) return x > threshold;
    if (!(x >= 0 && x < (double)(64 * r->words))) return CART_SIDE_UNKNOWN;
    const uint64_t *set = r->sets + (ptrdiff_t)threshold * 2 * r->words;
    const int64_t c = (int64_t)x;
    return is_in(set, c) ? 0 : is_in(set + r->words, c) ? 1 : CART_SIDE_UNKNOWN;
}

/* Whether row x goes to the right at a split. */
static inline int routed_side(const cart_route *r, int32_t at, const double *x) {
    const cart_step *node = r->tree + at;
    const uint32_t column = node->column;
    int side = side_of(r, x[column & (ROUTE_SETS - 1)], node->threshold,
                       (column & ROUTE_SETS) != 0);
    for (int64_t k = r->first ? r->first[at] : 0;
         r->first && side == CART_SIDE_UNKNOWN && k < r->first[at + 1]; k++) {
        const cart_surrogate *by = r->surrogates + k;
        side = side_of(r, x[by->column], by->threshold, by->of_sets);
        if (side != CART_SIDE_UNKNOWN && by->reversed) side = !side;
    }
    return side == CART_SIDE_UNKNOWN ? !(column >> 31) : side;
}

/* The number of the leaf that row x falls into. */
static inline int64_t routed_leaf(const cart_route *r, const double *x) {
    int32_t at = 0;
    for (;;) {
        const cart_step *node = r->tree + at;
        uint64_t bits;
        memcpy(&bits, &node->threshold, sizeof bits);
        if (bits >> 48 == 0x7ff8) return (int64_t)(bits & 0xffffffffffffu);
        at = routed_side(r, at, x) ? node->right : at + 1;
    }
}

#endif
