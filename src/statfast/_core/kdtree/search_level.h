/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kdtree/search.pyx. */

#include "kdtree/search_table.h"
#include "kdtree/terms.h"

#define REAL double
#define V(word) f64_##word
#include "kdtree/bisect.h"
#undef REAL
#undef V
#include "kdtree/k_nearest.h"

#define REAL float
#define WIDE(p) f64_widen(p)
#define V(word) f32_##word
#include "kdtree/distance.h"
#include "kdtree/search.h"
#undef REAL
#undef WIDE
#undef V

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdtree/distance.h"
#include "kdtree/search.h"
#undef REAL
#undef WIDE
#undef V

const kdsearch_kernels GLUE(kdsearch_, LEVEL) = {
    .search_tree_f32 = f32_search_tree, .search_tree_f64 = f64_search_tree,
};
