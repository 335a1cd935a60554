/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* The passes of distance/triangle.h for one instruction-set level. */
#include "distance/triangle_table.h"
#include "simd/compiler.h"

#define REAL float
#define LANES F32_LANES
#define V(word) f32_##word
#include "distance/triangle.h"
#undef REAL
#undef LANES
#undef V
#undef STEP

#define REAL double
#define LANES F64_LANES
#define V(word) f64_##word
#include "distance/triangle.h"
#undef REAL
#undef LANES
#undef V
#undef STEP

const triangle_kernels GLUE(triangle_, LEVEL) = {
    .f32 = {.extent = f32_extent, .scan = f32_scan},
    .f64 = {.extent = f64_extent, .scan = f64_scan},
};
