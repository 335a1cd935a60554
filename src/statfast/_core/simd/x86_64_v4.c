/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512 (F, DQ, BW, VL): 32 registers of 64 bytes, tiles of 14 x 32 floats or 14 x 16 doubles. */
#include "simd/compiler.h"
#if defined(STATFAST_X86)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
#define LEVEL x86_64_v4
#define LEVEL_NAME "x86-64-v4"
#define ROWS 14
#include "simd/vec_avx512.h"
#include QUOTE(BODY)
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
