/* SPDX-License-Identifier: BSD-3-Clause */
/* What AVX-512 VNNI adds to x86-64-v4: tiles of 14 x 32 sums of byte products. */
#include "simd/compiler.h"
#if defined(STATFAST_X86)
#include "tile/table.h"
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,fma,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
#include "simd/vec_avx512.h"
#define REAL float
#define REAL_MAX FLT_MAX
#define LANES F32_LANES
#define ROWS 14
#define V(word) f32_##word
#define DOT4(sum, a, b) ((words)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(a), (__m512i)(b)))
#define COLLECT_BYTES collect_bytes_vnni
#include "tile/product/top_k.h"
#include "tile/product/tile_bytes.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
