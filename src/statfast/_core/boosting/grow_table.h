/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of boosting/grow.pyx: a boosted tree, from gradients. */
#ifndef STATFAST_BOOSTING_GROW_H
#define STATFAST_BOOSTING_GROW_H

#include "boosting/tree_types.h"
#include "simd/levels.h"

typedef struct {
    int (*grow)(grower *, int begin, double budget);
    void (*add_leaves)(grower *);
} boosting_grow_kernels;
TABLE_AT(boosting_grow_kernels, boosting_grow)

#endif
