/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector vocabulary on AVX-512 (x86-64-v4).  See vec_scalar.h for what each word means. */
#include <immintrin.h>

typedef __m512 f32_v;
typedef __mmask16 f32_m;
typedef int32_t f32_i __attribute__((vector_size(64)));
#define F32_LANES 16

#define f32_set1(x) _mm512_set1_ps(x)
#define f32_load(p) _mm512_loadu_ps(p)
#define f32_store(p, v) _mm512_storeu_ps(p, v)
#define f32_load_half(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define f32_store_half(p, v)                                                    \
    _mm256_storeu_si256((__m256i *)(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#define f32_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define f32_max(a, b) _mm512_max_ps(a, b)
#define f32_min(a, b) _mm512_min_ps(a, b)
#define f32_sqrt(a) _mm512_sqrt_ps(a)
#define f32_gt(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define f32_ge(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define f32_bits(m) ((unsigned)(m))
#define f32_add_if(m, a, b) _mm512_mask_add_ps(a, m, a, b)
#define f32_select(m, a, b) _mm512_mask_blend_ps(m, b, a)
#define f32_iselect(m, a, b) ((f32_i)_mm512_mask_blend_epi32(m, (__m512i)(b), (__m512i)(a)))
#define f32_iset1(x) ((f32_i)_mm512_set1_epi32(x))
#define f32_iload(p) ((f32_i)_mm512_loadu_si512(p))
#define f32_istore(p, v) _mm512_storeu_si512(p, (__m512i)(v))
#define f32_asint(v) ((f32_i)(v))
#define f32_asreal(i) ((f32_v)(i))
#define f32_toreal(i) _mm512_cvtepi32_ps((__m512i)(i))
#define f32_keep(to, bits, from) \
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)(bits), _mm512_loadu_ps(from)))
#define f32_keep_only(to, bits, from)                                        \
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << POPCOUNT(bits)) - 1),         \
                          _mm512_maskz_compress_ps((__mmask16)(bits), _mm512_loadu_ps(from)))
#define f32_keep_id(to, bits, from) \
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)(bits), _mm512_loadu_si512(from)))
#define f32_keep_only_id(to, bits, from)                                     \
    _mm512_mask_storeu_epi32(                                                  \
        to, (__mmask16)((1u << POPCOUNT(bits)) - 1),                           \
        _mm512_maskz_compress_epi32((__mmask16)(bits), _mm512_loadu_si512(from)))

typedef __m512d f64_v;
typedef __mmask8 f64_m;
typedef int64_t f64_i __attribute__((vector_size(64)));
#define F64_LANES 8

#define f64_set1(x) _mm512_set1_pd(x)
#define f64_load(p) _mm512_loadu_pd(p)
#define f64_store(p, v) _mm512_storeu_pd(p, v)
#define f64_fma(a, b, c) _mm512_fmadd_pd(a, b, c)
#define f64_max(a, b) _mm512_max_pd(a, b)
#define f64_min(a, b) _mm512_min_pd(a, b)
#define f64_sqrt(a) _mm512_sqrt_pd(a)
#define f64_gt(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define f64_ge(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ)
#define f64_bits(m) ((unsigned)(m))
#define f64_add_if(m, a, b) _mm512_mask_add_pd(a, m, a, b)
#define f64_select(m, a, b) _mm512_mask_blend_pd(m, b, a)
#define f64_iselect(m, a, b) ((f64_i)_mm512_mask_blend_epi64(m, (__m512i)(b), (__m512i)(a)))
#define f64_iset1(x) ((f64_i)_mm512_set1_epi64(x))
#define f64_iload(p) ((f64_i)_mm512_loadu_si512(p))
#define f64_istore(p, v) _mm512_storeu_si512(p, (__m512i)(v))
#define f64_asint(v) ((f64_i)(v))
#define f64_asreal(i) ((f64_v)(i))
#define f64_toreal(i) _mm512_cvtepi64_pd((__m512i)(i))
#define f64_keep(to, bits, from) \
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)(bits), _mm512_loadu_pd(from)))
#define f64_keep_only(to, bits, from)                                        \
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << POPCOUNT(bits)) - 1),          \
                          _mm512_maskz_compress_pd((__mmask8)(bits), _mm512_loadu_pd(from)))
#define f64_keep_id(to, bits, from)                                          \
    _mm256_storeu_si256((__m256i *)(to),                                       \
                        _mm256_maskz_compress_epi32(                           \
                            (__mmask8)(bits), _mm256_loadu_si256((const __m256i *)(from))))
#define f64_keep_only_id(to, bits, from)                                     \
    _mm256_mask_storeu_epi32(                                                  \
        to, (__mmask8)((1u << POPCOUNT(bits)) - 1),                            \
        _mm256_maskz_compress_epi32((__mmask8)(bits), _mm256_loadu_si256((const __m256i *)(from))))

#define f64_widen(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define f64_slide(before, v) \
    ((__m512d)_mm512_alignr_epi64((__m512i)(v), (__m512i)(before), 7))
#define f64_least(v) _mm512_reduce_min_pd(v)
static inline int f64_place_of_least(const double *x, unsigned bits) {
    const __m512d v = _mm512_mask_blend_pd((__mmask8)bits, _mm512_set1_pd(INFINITY), _mm512_load_pd(x));
    const __m512d least = _mm512_set1_pd(_mm512_reduce_min_pd(v));
    return LOWEST_BIT(_mm512_cmp_pd_mask(v, least, _CMP_LE_OQ) & (int)bits);
}
