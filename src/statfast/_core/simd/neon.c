/* SPDX-License-Identifier: BSD-3-Clause */
/* NEON on 64-bit ARM: 32 registers of 16 bytes, tiles of 12 x 8 floats or 12 x 4 doubles. */
#include "simd/compiler.h"
#if defined(STATFAST_NEON)
#define LEVEL neon
#define LEVEL_NAME "neon"
#define ROWS 12
#include "simd/vec_128.h"
#include QUOTE(BODY)
#endif
