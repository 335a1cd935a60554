/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of reachability/dbscan.pyx. */

#include "reachability/dbscan_table.h"
#include "kdtree/terms.h"
#include "reachability/disjoint.h"

#define REAL float
#define WIDE(p) f64_widen(p)
#define V(word) f32_##word
#include "kdtree/distance.h"
#include "reachability/within.h"
#include "reachability/dbscan.h"
#undef REAL
#undef WIDE
#undef V

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdtree/distance.h"
#include "reachability/within.h"
#include "reachability/dbscan.h"
#undef REAL
#undef WIDE
#undef V

const dbscan_kernels GLUE(dbscan_, LEVEL) = {
    .count_f32 = f32_count_neighbors, .count_f64 = f64_count_neighbors,
    .join_f32 = f32_join_neighbors, .join_f64 = f64_join_neighbors,
    .claim_f32 = f32_claim_borders, .claim_f64 = f64_claim_borders,
};
