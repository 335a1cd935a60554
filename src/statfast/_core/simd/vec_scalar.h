/* SPDX-License-Identifier: BSD-3-Clause */
/* The vector vocabulary with one lane: plain C for every compiler, and the meaning of each word.

   Each vec_*.h gives the same words for T = f32 (float, int32_t) and f64 (double, int64_t):
     T_v  a vector of reals     T_i  a vector of integers of the same width     T_m  a lane mask
     T_LANES                    how many lanes
     + - * & | ~ << >>          work on T_v and T_i as they do on numbers
     set1 load store            broadcast; unaligned memory access       (iset1 iload istore: T_i)
     fma(a, b, c)               a * b + c, rounded once where the machine can
     max min sqrt               of reals; max(c, x) and min(c, x) give x where x is NaN, on which
                                exp relies
     gt(a, b)  ge(a, b)         lane masks;  bits(m): lane l of the mask as bit l
     add_if(m, a, b)            a + b where the mask is set, a elsewhere, whatever b is there
     select(m, a, b)            a where the mask is set, b elsewhere              (iselect: T_i)
     asint asreal               the same bits under the other name
     toreal                     integers to reals, by value
     keep(to, bits, from)       those of from[:T_LANES] whose bit is set, packed; it may overwrite
                                all of to[:T_LANES]; keep_id does the same with numbers of points
     keep_only                  the same, without overwriting other numbers
   and for doubles alone
     widen(p)                   floats from memory
     slide(before, v)           the last lane of `before`, then all but the last of v
     least(v)                   the smallest lane */

typedef float f32_v;
typedef int32_t f32_i;
typedef int f32_m;
#define F32_LANES 1

typedef double f64_v;
typedef int64_t f64_i;
typedef int f64_m;
#define F64_LANES 1

#define WORDS_SCALAR(T, REAL, INT)                                                               \
    static inline REAL T##_set1(REAL x) { return x; }                                             \
    static inline REAL T##_load(const REAL *p) { return *p; }                                     \
    static inline void T##_store(REAL *p, REAL v) { *p = v; }                                     \
    static inline INT T##_iset1(INT x) { return x; }                                              \
    static inline INT T##_iload(const INT *p) { return *p; }                                      \
    static inline void T##_istore(INT *p, INT v) { *p = v; }                                      \
    static inline REAL T##_fma(REAL a, REAL b, REAL c) { return a * b + c; }                      \
    static inline REAL T##_max(REAL a, REAL b) { return a > b ? a : b; }                          \
    static inline REAL T##_min(REAL a, REAL b) { return a < b ? a : b; }                          \
    static inline int T##_gt(REAL a, REAL b) { return a > b; }                                    \
    static inline int T##_ge(REAL a, REAL b) { return a >= b; }                                   \
    static inline unsigned T##_bits(int m) { return (unsigned)m; }                                \
    static inline REAL T##_add_if(int m, REAL a, REAL b) { return m ? a + b : a; }                \
    static inline REAL T##_select(int m, REAL a, REAL b) { return m ? a : b; }                    \
    static inline INT T##_iselect(int m, INT a, INT b) { return m ? a : b; }                      \
    static inline INT T##_asint(REAL v) { INT i; memcpy(&i, &v, sizeof i); return i; }            \
    static inline REAL T##_asreal(INT i) { REAL v; memcpy(&v, &i, sizeof v); return v; }          \
    static inline REAL T##_toreal(INT i) { return (REAL)i; }
WORDS_SCALAR(f32, float, int32_t)
WORDS_SCALAR(f64, double, int64_t)
#undef WORDS_SCALAR

static inline float f32_sqrt(float a) { return sqrtf(a); }
static inline double f64_sqrt(double a) { return sqrt(a); }

static inline double f64_widen(const float *p) { return *p; }
static inline double f64_slide(double before, double v) { (void)v; return before; }
static inline double f64_least(double v) { return v; }
#include "simd/vec_compress.h"
