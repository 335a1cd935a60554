/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of cart/grow/grow.pyx: growing trees. */
#ifndef STATFAST_CART_GROW_KERNELS_H
#define STATFAST_CART_GROW_KERNELS_H

#include "cart/cart.h"
#include "simd/levels.h"

typedef struct {
    int (*grow_on)(cart_grower *, ptrdiff_t large, int64_t effort);
    int (*open_node)(cart_grower *);
    int (*split_node)(cart_grower *, const cart_split *);
    int (*split_on)(const cart_problem *, const cart_node_rows *, cart_scratch *, ptrdiff_t f,
                    uint64_t draw, cart_split *, double *bound);
    int (*push_task)(cart_grower *, const cart_task *);
    void (*place_thresholds)(cart_grower *);
    int32_t (*drawn)(cart_grower *, ptrdiff_t, uint64_t *);
    void (*restore_columns)(cart_grower *, ptrdiff_t);
    uint64_t (*draw_for)(const cart_grower *, ptrdiff_t);
} grow_kernels;
TABLE_AT(grow_kernels, grow)

#endif
