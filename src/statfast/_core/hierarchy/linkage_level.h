/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* The passes of hierarchy/linkage.h for one instruction-set level. */
#include "hierarchy/linkage_table.h"

#define REAL float
#define LANES F32_LANES
#define V(word) f32_##word
#include "distance/triangle.h"
#include "hierarchy/linkage.h"
#undef REAL
#undef LANES
#undef V
#undef STEP

#define REAL double
#define LANES F64_LANES
#define V(word) f64_##word
#include "distance/triangle.h"
#include "hierarchy/linkage.h"
#undef REAL
#undef LANES
#undef V
#undef STEP

#define PASSES(T)                                                                                  \
    {                                                                                              \
        .square = T##_square, .scan = T##_scan, .seek = T##_seek,                                  \
        .unite = T##_unite, .squeeze = T##_squeeze,                                                \
    }
const linkage_kernels GLUE(linkage_, LEVEL) = {.f32 = PASSES(f32), .f64 = PASSES(f64)};
#undef PASSES
