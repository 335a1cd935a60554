/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 with FMA and F16C: 16 registers of 32 bytes, tiles of 6 x 16 floats or 6 x 8 doubles. */
#include "simd/compiler.h"
#if defined(STATFAST_X86)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#endif
#define LEVEL x86_64_v3
#define LEVEL_NAME "x86-64-v3"
#define ROWS 6
#include "simd/vec_avx2.h"
#include QUOTE(BODY)
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
