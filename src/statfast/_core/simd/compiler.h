/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of compilers that the kernels use: GNU's, clang (also clang-cl) or, in plain C, MSVC. */
#ifndef STATFAST_COMPILER_H
#define STATFAST_COMPILER_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/levels.h"

#if defined(STATFAST_VECTORS)
#define INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define LOWEST_BIT(x) __builtin_ctzll(x)
#define ALIGN64 __attribute__((aligned(64)))
#define POPCOUNT(x) __builtin_popcountll(x)
#define KEEP(x) __asm__ volatile("" : : "g"(x) : "memory")
#define FETCH(place) __builtin_prefetch(place)
/* Prefetch to level 2, which can await more lines. */
#define FETCH_FAR(place) __builtin_prefetch(place, 0, 2)
#else
#define INLINE __forceinline
#define NOINLINE __declspec(noinline)
#define UNROLL
static INLINE int LOWEST_BIT(unsigned long long x) {
    int bit = 0;
    while (!(x >> bit & 1)) bit++;
    return bit;
}
#define ALIGN64
static INLINE int POPCOUNT(unsigned long long x) {
    int count = 0;
    for (; x; x &= x - 1) count++;
    return count;
}
#define KEEP(x) do { volatile double kept = (double)(x); (void)kept; } while (0)
#define FETCH(place) ((void)(place))
#define FETCH_FAR(place) ((void)(place))
#endif

typedef int32_t f32_int; /* one lane of an f32_i */
typedef int64_t f64_int;

#endif
