/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of the work space of a thread, and of a tree in growth. */
#ifndef STATFAST_CART_WORKSPACE_H
#define STATFAST_CART_WORKSPACE_H

#include "cart/cart.h"

/* Each array begins where the one before it ends; the widest come first. */
#define TAKE(array, type, count)                                                                   \
    ((array) = (type *)(void *)(start + at), at += sizeof(type) * (size_t)(count))

/* The work space of a thread for m rows, from `start` on; returns its size in bytes. */
static inline size_t lay_workspace(const cart_problem *t, ptrdiff_t m, int sorts, cart_scratch *s,
                             uint8_t *start) {
    const int absolute = t->criterion == CART_ABSOLUTE, general = t->known_only || t->most;
    const ptrdiff_t C = t->channels, all = general ? t->most + 1 : 0;
    size_t at = 0;
    TAKE(s->key, uint64_t, sorts || t->randomized || t->known_only ? m + 1 : 0);
    TAKE(s->spare, uint64_t, sorts || t->known_only ? m + 1 : 0);
    TAKE(s->bins, int64_t, sorts ? 0 : 5 * 257 * (C + 2));
    TAKE(s->doubt, single_doubt, sorts ? 0 : CART_MAX_DOUBTS);
    TAKE(s->left, int64_t, C);
    TAKE(s->zero, int64_t, C);
    TAKE(s->lost, int64_t, C);
    TAKE(s->errors, double, absolute ? m : 0);
    TAKE(s->tree, double, absolute ? 2 * m + 2 : 0);
    TAKE(s->table, int64_t, all * (C + 2));
    TAKE(s->known, int64_t, C);
    TAKE(s->means, double, general ? (all + 2) * C : 0);
    TAKE(s->set, uint64_t, 2 * t->words);
    TAKE(s->order, int32_t, all);
    TAKE(s->place, int32_t, 6 * m + 64);
    TAKE(s->side, uint8_t, general ? m : 0);
    s->kept = m > CART_MAX_CODE_BYTES ? m : CART_MAX_CODE_BYTES;
    if (m * t->max_features < s->kept) s->kept = m * t->max_features;
    if (t->sparse.zero) s->kept = 0;
    TAKE(s->byte, uint8_t, s->kept);
    TAKE(s->bytes, uint8_t, t->sparse.zero ? 0 : 5 * m + 64);
    return at;
}

/* The same for a tree whose nodes have up to m rows. */
static inline size_t lay_node_workspace(cart_grower *g, ptrdiff_t m, uint8_t *start) {
    const cart_problem *t = g->t;
    const ptrdiff_t T = t->outputs, C = t->channels, errors = t->criterion == CART_ABSOLUTE ? m : 0;
    cart_node_rows *v = &g->v;
    size_t at = 0;
    TAKE(v->w, int64_t, m);
    TAKE(v->packed, int64_t, m);
    TAKE(v->q, int64_t, m * T);
    TAKE(v->total, int64_t, C);
    TAKE(v->sum, double, C);
    TAKE(v->center, double, T);
    TAKE(v->low_high, double, 2 * T);
    TAKE(v->y, double, m * T);
    TAKE(v->heavy, double, m);
    TAKE(v->ascending, double, errors * T);
    TAKE(v->targets, uint64_t, 2 * errors);
    TAKE(v->cls, int32_t, m * T);
    TAKE(v->y_place, int32_t, errors * T);
    TAKE(g->columns, int32_t, t->p);
    TAKE(g->swaps, int32_t, t->p);
    if (!t->sparse.zero) return at + 64;
    TAKE(v->sparse.place_of, int32_t, t->n);
    TAKE(v->sparse.slot_of, int32_t, t->p);
    at = (at + 7) & ~(size_t)7;
    v->sparse.tables = 0;
    v->sparse.room = (ptrdiff_t)(t->sparse.of_row[t->n] / 2);
    if (v->sparse.room > CART_MAX_GATHERED) v->sparse.room = CART_MAX_GATHERED;
    v->sparse.slot_room = 4 * t->p < v->sparse.room ? 4 * t->p : v->sparse.room;
    TAKE(v->sparse.key, uint64_t, v->sparse.room);
    TAKE(v->sparse.slot, cart_slot, v->sparse.slot_room);
    return at + 64;
}

#undef TAKE
#endif
