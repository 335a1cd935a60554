/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of preprocessing/donors.pyx: distances of a row to a panel of others.

   Rows of the panel are lanes. A difference with a missing value is NaN, which is at least no
   number, so that a comparison tells which lanes count. */

#include "preprocessing/donors_table.h"
#include "simd/compiler.h"

#define VECTORS 4 /* of sums, and as many of counts: they stay in registers at every level */

static void panel_distances(const double *q, const ptrdiff_t *features, ptrdiff_t count,
                            ptrdiff_t d, const double *panel, double *out) {
    const f64_v zero = f64_set1(0), one = f64_set1(1), none = f64_set1(INFINITY);
    const f64_v all = f64_set1((double)d);
    for (ptrdiff_t first = 0; first < DONORS_PANEL_POINTS; first += VECTORS * F64_LANES) {
        f64_v sum[VECTORS], common[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) sum[v] = common[v] = zero;
        for (ptrdiff_t f = 0; f < count; f++) {
            const f64_v a = f64_set1(q[features[f]]);
            const double *b = panel + features[f] * DONORS_PANEL_POINTS + first;
            UNROLL for (int v = 0; v < VECTORS; v++) {
                const f64_v t = a - f64_load(b + v * F64_LANES), square = t * t;
                const f64_m there = f64_ge(square, zero);
                sum[v] = f64_add_if(there, sum[v], square);
                common[v] = f64_add_if(there, common[v], one);
            }
        }
        UNROLL for (int v = 0; v < VECTORS; v++) {
            const f64_v scaled = sum[v] * (all / common[v]);
            const f64_m known = f64_gt(common[v], zero);
            f64_store(out + first + v * F64_LANES, f64_select(known, scaled, none));
        }
    }
}

#undef VECTORS

const donors_kernels GLUE(donors_, LEVEL) = {.panel = panel_distances};
