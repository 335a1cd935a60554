/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of cart/grow.pyx. */

#include <stdlib.h>

#include "cart/grow_table.h"
#include "cart/score.h"
#include "cart/split_single.h"
#include "cart/sums_below.h"
#include "cart/split_few.h"
#include "cart/split_bins.h"
#include "cart/split_classes.h"
#include "cart/split_sorted.h"
#include "cart/categories.h"
#include "cart/surrogates.h"
#include "cart/split.h"
#include "cart/node.h"
#include "cart/partition.h"
#include "cart/grow.h"

static int32_t drawn_at(cart_grower *g, ptrdiff_t i, uint64_t *state) { return drawn(g, i, state); }
static void put_all_back(cart_grower *g, ptrdiff_t count) { put_back(g, count); }

const grow_kernels GLUE(grow_, LEVEL) = {
    .grow_on = grow_on, .open_node = open_node, .split_node = split_node, .split_on = split_on,
    .push_task = push_task, .place_thresholds = place_thresholds, .drawn = drawn_at,
    .put_back = put_all_back, .draw_for = draw_for,
};
