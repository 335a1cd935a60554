/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector vocabulary on AVX2 with FMA (x86-64-v3).  See vec_scalar.h for what each word means. */
#include <immintrin.h>

typedef __m256 f32_v;
typedef __m256 f32_m;
typedef int32_t f32_i __attribute__((vector_size(32)));
#define F32_LANES 8

#define f32_set1(x) _mm256_set1_ps(x)
#define f32_load(p) _mm256_loadu_ps(p)
#define f32_store(p, v) _mm256_storeu_ps(p, v)
#define f32_load_half(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p)))
#define f32_store_half(p, v)                                                    \
    _mm_storeu_si128((__m128i *)(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define f32_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define f32_max(a, b) _mm256_max_ps(a, b)
#define f32_min(a, b) _mm256_min_ps(a, b)
#define f32_sqrt(a) _mm256_sqrt_ps(a)
#define f32_gt(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define f32_ge(a, b) _mm256_cmp_ps(a, b, _CMP_GE_OQ)
#define f32_bits(m) ((unsigned)_mm256_movemask_ps(m))
#define f32_add_if(m, a, b) _mm256_add_ps(a, _mm256_and_ps(m, b))
#define f32_select(m, a, b) _mm256_blendv_ps(b, a, m)
#define f32_iselect(m, a, b) ((f32_i)_mm256_blendv_ps((__m256)(b), (__m256)(a), m))
#define f32_iset1(x) ((f32_i)_mm256_set1_epi32(x))
#define f32_iload(p) ((f32_i)_mm256_loadu_si256((const __m256i *)(p)))
#define f32_istore(p, v) _mm256_storeu_si256((__m256i *)(p), (__m256i)(v))
#define f32_asint(v) ((f32_i)(v))
#define f32_asreal(i) ((f32_v)(i))
#define f32_toreal(i) _mm256_cvtepi32_ps((__m256i)(i))

typedef __m256d f64_v;
typedef __m256d f64_m;
typedef int64_t f64_i __attribute__((vector_size(32)));
#define F64_LANES 4

#define f64_set1(x) _mm256_set1_pd(x)
#define f64_load(p) _mm256_loadu_pd(p)
#define f64_store(p, v) _mm256_storeu_pd(p, v)
#define f64_fma(a, b, c) _mm256_fmadd_pd(a, b, c)
#define f64_max(a, b) _mm256_max_pd(a, b)
#define f64_min(a, b) _mm256_min_pd(a, b)
#define f64_sqrt(a) _mm256_sqrt_pd(a)
#define f64_gt(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define f64_ge(a, b) _mm256_cmp_pd(a, b, _CMP_GE_OQ)
#define f64_bits(m) ((unsigned)_mm256_movemask_pd(m))
#define f64_add_if(m, a, b) _mm256_add_pd(a, _mm256_and_pd(m, b))
#define f64_select(m, a, b) _mm256_blendv_pd(b, a, m)
#define f64_iselect(m, a, b) ((f64_i)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), m))
#define f64_iset1(x) ((f64_i)_mm256_set1_epi64x(x))
#define f64_iload(p) ((f64_i)_mm256_loadu_si256((const __m256i *)(p)))
#define f64_istore(p, v) _mm256_storeu_si256((__m256i *)(p), (__m256i)(v))
#define f64_asint(v) ((f64_i)(v))
#define f64_asreal(i) ((f64_v)(i))
#define f64_toreal(i) __builtin_convertvector((f64_i)(i), f64_v)

#define f64_widen(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
static inline f64_v f64_slide(f64_v before, f64_v v) {
    return _mm256_shuffle_pd(_mm256_permute2f128_pd(before, v, 0x21), v, 5);
}
static inline double f64_least(f64_v v) {
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
}
#include "simd/vec_compress.h"
