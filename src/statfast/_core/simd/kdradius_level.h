/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kdradius.pyx. */

#include "kdradius_kernels.h"
#include "kdterms.h"
#include "kdturn.h"
#include "ordered.h"

/* The m points of a leaf of the other tree, as they are and as the boxes of this one see them; and the
   box of the latter. */
static NOINLINE void points_of_leaf(const kd_tree *t, const kd_meet *w, ptrdiff_t leaf, ptrdiff_t m,
                                    double *point, double *seen, double *low, double *high) {
    const kd_tree *s = &w->other;
    const ptrdiff_t d = t->d;
    for (ptrdiff_t p = 0; p < d; p++) low[p] = INFINITY, high[p] = -INFINITY;
    for (ptrdiff_t c = 0; c < m; c++, point += d, seen += d) {
        for (ptrdiff_t p = 0; p < d; p++) {
            const ptrdiff_t at = (leaf * d + p) * s->leaf + c;
            point[p] = w->job.single ? (double)((const float *)s->blocks)[at]
                                     : ((const double *)s->blocks)[at];
        }
        if (t->turn) kd_turn(t->turn, d, point, seen);
        for (ptrdiff_t p = 0; p < d; p++) {
            low[p] = seen[p] < low[p] ? seen[p] : low[p];
            high[p] = seen[p] > high[p] ? seen[p] : high[p];
        }
    }
}

#define REAL float
#define WIDE(p) f64_widen(p)
#define V(word) f32_##word
#include "kdapart.h"
#include "kdradius.h"
#undef REAL
#undef WIDE
#undef V

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdapart.h"
#include "kdradius.h"
#undef REAL
#undef WIDE
#undef V

const kdradius_kernels GLUE(kdradius_, LEVEL) = {
    .reach_tree_f32 = f32_reach_tree, .reach_tree_f64 = f64_reach_tree,
    .meet_trees_f32 = f32_meet_trees, .meet_trees_f64 = f64_meet_trees,
};
