/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of balltree/search.pyx. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "balltree/search_table.h"
#include "tile/table.h"
#include "balltree/leaf_scan.h"

static void write(const neighbor_order *order, ptrdiff_t count, const double *distance,
                  const ptrdiff_t *row, double *distance_out, ptrdiff_t *row_out) {
    write_neighbors(order, count, distance, row, distance_out, row_out);
}

const balltree_kernels GLUE(balltree_, LEVEL) = {
    .near_f64 = near_f64, .near_f32 = near_f32, .balls = balls, .keep = keep,
    .write = write};
