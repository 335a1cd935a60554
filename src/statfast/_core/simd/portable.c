/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain C for any compiler and machine: tiles of 4 x 2 numbers. */
#include "simd/compiler.h"
#if defined(STATFAST_PORTABLE)
#define LEVEL portable
#define LEVEL_NAME "portable"
#define ROWS 4
#include "simd/vec_scalar.h"
#include QUOTE(BODY)
#endif
