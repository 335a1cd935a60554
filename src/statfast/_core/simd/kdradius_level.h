/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kdradius.pyx. */

#include "kdradius_kernels.h"
#include "kdterms.h"
#include "kdturn.h"
#include "ordered.h"

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
