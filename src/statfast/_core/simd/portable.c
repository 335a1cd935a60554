/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain C for any compiler and machine: tiles of 4 x 2 numbers. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os") /* for tests alone */
#endif
#include "simd/compiler.h"
#define LEVEL portable
#define LEVEL_NAME "portable"
#define ROWS 4
#include "simd/vec_scalar.h"
#include QUOTE(BODY)
