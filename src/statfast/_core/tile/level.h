/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level: every kernel for float and double, and their table.
   The including file has named the level (LEVEL, LEVEL_NAME), its tile height (ROWS) and its
   vector vocabulary. */

#include "tile/table.h"

/* Rows of a group: half a tile where that is enough accumulators to hide the latency of one. */
#define GROUP (ROWS < 12 ? ROWS : ROWS / 2)

#define DIFFER static int differ
#include "tile/passes/bits.h"
#include "kmeans/bounds.h"
#include "tile/passes/metric.h"
#include "tile/passes/rows.h"

#define REAL float
#define REAL_BITS 32
#define REAL_MAX FLT_MAX
#define REAL_MIN FLT_MIN
#define REAL_UNIT (FLT_EPSILON / 2)
#define LANES F32_LANES
#define V(word) f32_##word
#include "simd/vmath.h"
#include "tile/product/pack.h"
#include "tile/product/top_k.h"
#include "tile/product/tile.h"
#include "tile/product/metric_tile.h"
#include "kmeans/groups.h"
#include "tile/product/softmax.h"
#include "kdtree/split.h"
#undef REAL
#undef REAL_BITS
#undef REAL_MAX
#undef REAL_MIN
#undef REAL_UNIT
#undef LANES
#undef V

#define REAL double
#define REAL_BITS 64
#define REAL_MAX DBL_MAX
#define REAL_MIN DBL_MIN
#define REAL_UNIT (DBL_EPSILON / 2)
#define LANES F64_LANES
#define V(word) f64_##word
#include "simd/vmath.h"
#include "tile/product/pack.h"
#include "tile/product/top_k.h"
#include "tile/product/tile.h"
#include "tile/product/metric_tile.h"
#include "tile/product/softmax.h"
#include "kdtree/split.h"
#undef REAL
#undef REAL_BITS
#undef REAL_MAX
#undef REAL_MIN
#undef REAL_UNIT
#undef LANES
#undef V

#define THREE(name) {name##_f64, name##_f32, name##_u8}

#define KERNELS(T, COUNT)                                                                          \
    {                                                                                              \
        .convert = THREE(T##_convert), .measure = T##_measure, .lay = THREE(T##_lay),              \
        .pack = T##_pack, .largest = T##_largest, .largest_two = T##_largest_two,                   \
        .collect = T##_collect, .collect_by = T##_collect_by, .prune = T##_prune, .store = T##_store_tiles,                       \
        .rank_update = T##_rank_update, .softmax = T##_softmax, .map = T##_map,                     \
        .multiply_adds = T##_multiply_adds, .lanes = COUNT,                                        \
        .widest = T##_widest, .divide = T##_divide, .seal = T##_seal,                              \
    }

const kernels GLUE(kernels_, LEVEL) = {
    .name = LEVEL_NAME,
    .level = GLUE(AT_, LEVEL),
    .rows = ROWS,
    .group = GROUP,
    .f32 = KERNELS(f32, F32_LANES),
    .f64 = KERNELS(f64, F64_LANES),
    .squared_distances = THREE(squared_distances), .reduced_distances = THREE(reduced_distances),
    .extent = THREE(extent),
    .add = THREE(add), .shift = THREE(shift), .finite = {finite_f64, finite_f32},
    .widen = widen, .bound = bound,
    .search_groups = f32_search_groups, .slacken = f32_slacken,
    .tighten = THREE(tighten),
    .read = read_f64,
    .differ = differ, OF_HALVES
};
