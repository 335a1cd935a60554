/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector vocabulary in 16-byte vectors, in the compiler's own vector language: x86-64's
   baseline (SSE2) and NEON.  See vec_scalar.h for what each word means. */

typedef float f32_v __attribute__((vector_size(16)));
typedef int32_t f32_m __attribute__((vector_size(16)));
typedef int32_t f32_i __attribute__((vector_size(16)));
#define F32_LANES 4

typedef double f64_v __attribute__((vector_size(16)));
typedef int64_t f64_m __attribute__((vector_size(16)));
typedef int64_t f64_i __attribute__((vector_size(16)));
#define F64_LANES 2

static inline f32_v f32_set1(float x) { return (f32_v){x, x, x, x}; }
static inline f64_v f64_set1(double x) { return (f64_v){x, x}; }
static inline f32_i f32_iset1(int32_t x) { return (f32_i){x, x, x, x}; }
static inline f64_i f64_iset1(int64_t x) { return (f64_i){x, x}; }

static inline unsigned f32_bits(f32_m m) {
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
static inline unsigned f64_bits(f64_m m) { return (unsigned)((m[0] & 1) | (m[1] & 2)); }

/* Both types share the rest, word for word. */
#define WORDS_128(T, REAL, INT)                                                                  \
    static inline T##_v T##_load(const REAL *p) { T##_v v; memcpy(&v, p, 16); return v; }         \
    static inline void T##_store(REAL *p, T##_v v) { memcpy(p, &v, 16); }                         \
    static inline T##_i T##_iload(const INT *p) { T##_i v; memcpy(&v, p, 16); return v; }         \
    static inline void T##_istore(INT *p, T##_i v) { memcpy(p, &v, 16); }                         \
    static inline T##_m T##_gt(T##_v a, T##_v b) { return a > b; }                                \
    static inline T##_m T##_ge(T##_v a, T##_v b) { return a >= b; }                               \
    static inline T##_i T##_iselect(T##_m m, T##_i a, T##_i b) { return (a & m) | (b & ~m); }      \
    static inline T##_v T##_select(T##_m m, T##_v a, T##_v b) {                                   \
        return (T##_v)T##_iselect(m, (T##_i)a, (T##_i)b);                                         \
    }                                                                                             \
    static inline T##_v T##_add_if(T##_m m, T##_v a, T##_v b) { return a + (T##_v)((T##_i)b & m); } \
    static inline T##_i T##_asint(T##_v v) { return (T##_i)v; }                                   \
    static inline T##_v T##_asreal(T##_i i) { return (T##_v)i; }                                  \
    static inline T##_v T##_toreal(T##_i i) { return __builtin_convertvector(i, T##_v); }
WORDS_128(f32, float, int32_t)
WORDS_128(f64, double, int64_t)
#undef WORDS_128

#if defined(__aarch64__)
#include <arm_neon.h>
static inline f32_v f32_fma(f32_v a, f32_v b, f32_v c) { return (f32_v)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
static inline f64_v f64_fma(f64_v a, f64_v b, f64_v c) { return (f64_v)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
static inline f32_v f32_max(f32_v a, f32_v b) { return (f32_v)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
static inline f32_v f32_min(f32_v a, f32_v b) { return (f32_v)vminq_f32((float32x4_t)a, (float32x4_t)b); }
static inline f64_v f64_max(f64_v a, f64_v b) { return (f64_v)vmaxq_f64((float64x2_t)a, (float64x2_t)b); }
static inline f64_v f64_min(f64_v a, f64_v b) { return (f64_v)vminq_f64((float64x2_t)a, (float64x2_t)b); }
static inline f32_v f32_sqrt(f32_v a) { return (f32_v)vsqrtq_f32((float32x4_t)a); }
static inline f64_v f64_sqrt(f64_v a) { return (f64_v)vsqrtq_f64((float64x2_t)a); }
#else
#include <emmintrin.h>
static inline f32_v f32_fma(f32_v a, f32_v b, f32_v c) { return a * b + c; }
static inline f64_v f64_fma(f64_v a, f64_v b, f64_v c) { return a * b + c; }
static inline f32_v f32_max(f32_v a, f32_v b) { return (f32_v)_mm_max_ps((__m128)a, (__m128)b); }
static inline f32_v f32_min(f32_v a, f32_v b) { return (f32_v)_mm_min_ps((__m128)a, (__m128)b); }
static inline f64_v f64_max(f64_v a, f64_v b) { return (f64_v)_mm_max_pd((__m128d)a, (__m128d)b); }
static inline f64_v f64_min(f64_v a, f64_v b) { return (f64_v)_mm_min_pd((__m128d)a, (__m128d)b); }
static inline f32_v f32_sqrt(f32_v a) { return (f32_v)_mm_sqrt_ps((__m128)a); }
static inline f64_v f64_sqrt(f64_v a) { return (f64_v)_mm_sqrt_pd((__m128d)a); }
#endif

static inline f64_v f64_widen(const float *p) { return (f64_v){p[0], p[1]}; }
static inline f64_v f64_slide(f64_v before, f64_v v) { return (f64_v){before[1], v[0]}; }
static inline double f64_least(f64_v v) { return v[0] < v[1] ? v[0] : v[1]; }
#include "simd/vec_compress.h"
