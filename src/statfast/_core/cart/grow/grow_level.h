/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of cart/grow/grow.pyx. */

#include <stdlib.h>

#include "cart/grow/grow_table.h"
#include "order/counting_sort.h"
#include "order/heap.h"
#include "cart/split/column_ranks.h"
#include "cart/split/score.h"
#include "cart/split/single_sum.h"
#include "cart/split/sums_below.h"
#include "cart/split/few_rows.h"
#include "cart/split/bins.h"
#include "cart/split/classes.h"
#include "cart/split/sparse_rows.h"
#include "cart/split/sorted_rows.h"
#include "cart/split/sparse_splits.h"
#include "cart/split/categories.h"
#include "cart/split/surrogates.h"
#include "cart/split/best_split.h"
#include "cart/grow/node.h"
#include "cart/grow/partition.h"
#include "cart/grow/grow.h"

static int32_t drawn_at(cart_grower *g, ptrdiff_t i, uint64_t *state) { return drawn(g, i, state); }
static void restore_all_columns(cart_grower *g, ptrdiff_t count) { restore_columns(g, count); }

const grow_kernels GLUE(grow_, LEVEL) = {
    .grow_on = grow_on, .open_node = open_node, .split_node = split_node, .split_on = split_on,
    .push_task = push_task, .place_thresholds = place_thresholds, .drawn = drawn_at,
    .restore_columns = restore_all_columns, .draw_for = draw_for,
};
