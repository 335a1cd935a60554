/* SPDX-License-Identifier: BSD-3-Clause */
/* The baseline of x86-64 (SSE2, no FMA): 16 registers of 16 bytes, tiles of 6 x 8 floats. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* hardly any machine uses this level; -O2 halves its size */
#endif
#include "simd/compiler.h"
#if defined(STATFAST_X86)
#define LEVEL x86_64
#define LEVEL_NAME "x86-64"
#define ROWS 6
#include "simd/vec_128.h"
#include QUOTE(BODY)
#endif
