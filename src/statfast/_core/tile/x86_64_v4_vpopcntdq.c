/* SPDX-License-Identifier: BSD-3-Clause */
/* What AVX-512 VPOPCNTDQ adds to x86-64-v4: the bits of eight words counted by one instruction. */
#include "simd/compiler.h"
#if defined(STATFAST_X86)
#include "tile/table.h"
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vpopcntdq,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512vpopcntdq,avx2,fma,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
#include "simd/vec_avx512.h"
#define BITS_IN_LANES(x) ((bits_v)_mm512_popcnt_epi64((__m512i)(x)))
#define DIFFER int differ_vpopcntdq
#include "tile/passes/bits.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
