/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of balltree/search.pyx for one instruction-set level: see balltree/leaf_scan.h. */
#ifndef STATFAST_BALLTREE_TABLE_H
#define STATFAST_BALLTREE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "order/neighbor_order.h"
#include "simd/levels.h"

typedef uint64_t near_points(const double *q, const void *octets, ptrdiff_t n, ptrdiff_t d,
                             int kind, double limit, double *out);
typedef uint64_t near_balls(const double *q, const double *center, const double *radius,
                            ptrdiff_t d, int kind, double loss, double reach, double *to,
                            double *low);
typedef ptrdiff_t keep_hits(uint64_t hits, ptrdiff_t n, const double *distance,
                            const ptrdiff_t *rows, double *distance_out, ptrdiff_t *row_out);
typedef void write_list(const neighbor_order *order, ptrdiff_t count, const double *distance,
                        const ptrdiff_t *row, double *distance_out, ptrdiff_t *row_out);

typedef struct {
    near_points *near_f64, *near_f32;
    near_balls *balls;
    keep_hits *keep;
    write_list *write;
} balltree_kernels;

TABLE_AT(balltree_kernels, balltree)

#endif
