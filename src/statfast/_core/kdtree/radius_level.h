/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of kdtree/radius.pyx. */

#include "kdtree/radius_table.h"
#include "kdtree/terms.h"
#include "kdtree/ordered.h"

#define REAL float
#define WIDE(p) f64_widen(p)
#define V(word) f32_##word
#include "kdtree/distance.h"
#include "kdtree/radius.h"
#undef REAL
#undef WIDE
#undef V

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdtree/distance.h"
#include "kdtree/radius.h"
#undef REAL
#undef WIDE
#undef V

const kdradius_kernels GLUE(kdradius_, LEVEL) = {
    .reach_tree_f32 = f32_search_tree, .reach_tree_f64 = f64_search_tree,
};
