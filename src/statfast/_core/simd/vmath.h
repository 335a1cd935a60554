/* SPDX-License-Identifier: BSD-3-Clause */
/* exp, log, log1p and the logistic sigmoid on vectors, in the words of vec_scalar.h.

   Included once per instruction set and type, with REAL, REAL_BITS and V(word) set.  Every function
   is one straight line: no branch, no table, no conversion between reals and integers.  Arguments
   may be anything: subnormal, infinite, NaN; exp goes gradually to 0 and to infinity.

   Largest errors seen, in units in the last place (spacing of REAL at the exact value):

                   with FMA          without
                double   float    double   float
     exp         0.92     0.88     0.94     0.90
     log         0.86     0.84     0.88     0.84
     log1p       1.42     1.40     1.43     1.40
     sigmoid     1.68     1.65     1.87     1.82

   float: every argument, against double.  double: 10^8 random arguments each, gathered where the
   error is largest, against x87 long double.  tests/core/simd/test_vmath.py holds them to 1, 1, 2 and
   2.

   References.  W. J. Cody & W. Waite 1980, Software Manual for the Elementary Functions (ln 2 in
   two pieces).  P. T. P. Tang 1989, doi:10.1145/63522.214389 (exp), and 1990,
   doi:10.1145/98267.98294 (log, log1p).  J.-M. Muller et al. 2018, Handbook of Floating-Point
   Arithmetic, doi:10.1007/978-3-319-76526-6 (fast two-sum, ulp).

   The polynomials are minimax in the relative error of the function they serve, made by Remez
   exchange in 200-bit arithmetic: solve sum_j c_j x_i^j + (-1)^i E / w(x_i) = F(x_i) at degree + 2
   points, move the points to the extrema of w (F - sum), repeat; then round the c_j.  F, w and the
   interval stand beside each. */

#if REAL_BITS == 64
#define FRACTION_BITS 52
#define EXPONENT_MASK 0x7ff
#define BIAS 1023
#define MIN_NORMAL DBL_MIN
/* High parts end in enough zeros that n * LN2_HIGH is exact for every exponent n. */
#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW 0x1.ef35793c7673p-45
/* exp is 0 below and infinite above, and the two halves of 2^n stay normal between. */
#define EXP_MIN -745.5
#define EXP_MAX 709.9
/* F(r) = (e^r - 1 - r) / r^2, w(r) = r^2 / e^r, |r| <= ln(2)/2: 2^-57.9 */
static const REAL V(exp_terms)[] = {
    0.50000000000000106, 0.16666666666666413, 0.041666666666530158, 0.0083333333334944637,
    0.0013888888943630379, 0.00019841269506575752, 2.4801493098636342e-05, 2.7557586375675114e-06,
    2.7630248472837980e-07, 2.5000061183912028e-08,
};
/* F(z) = (ln((1 + s)/(1 - s)) - 2s) / (s z), w(z) = z/2, z = s^2 <= (3 - sqrt(8))^2: 2^-59.5 */
static const REAL V(log_terms)[] = {
    0.66666666666667344, 0.39999999999414679, 0.28571428742387634, 0.22222198573179956,
    0.18183564326455451, 0.15314050542042330, 0.14795949810482006,
};
#else
#define FRACTION_BITS 23
#define EXPONENT_MASK 0xff
#define BIAS 127
#define MIN_NORMAL FLT_MIN
#define LN2_HIGH 0x1.62e4p-1f
#define LN2_LOW 0x1.7f7d1cp-20f
#define EXP_MIN -104.0f
#define EXP_MAX 88.9f
/* as above: 2^-28.3 */
static const REAL V(exp_terms)[] = {
    0.49999993448f, 0.16666520632f, 0.041668387968f, 0.0083687168959f, 0.0013814604296f,
};
/* as above: 2^-30.2 */
static const REAL V(log_terms)[] = {0.66666776382f, 0.39977541523f, 0.29871728941f};
#endif

#define SQRT_HALF ((REAL)0.70710678118654752440)
#define LOG2_E ((REAL)1.44269504088896340736)
#define UNIT ((V(int))1 << FRACTION_BITS) /* at and above this every real is an integer */
#define SIGN V(asint)(V(set1)((REAL)-0.0))
#define TERMS(a) a, (int)(sizeof(a) / sizeof(a)[0])

/* Horner's rule, lowest term first. */
static INLINE V(v) V(polynomial)(V(v) x, const REAL *term, int terms) {
    V(v) sum = V(set1)(term[terms - 1]);
    UNROLL for (int i = terms - 2; i >= 0; i--) sum = V(fma)(sum, x, V(set1)(term[i]));
    return sum;
}

/* 2^floor(n/2), where the last bits of t hold n + 2 BIAS: half of that is the exponent field. */
static INLINE V(v) V(half_power)(V(v) t) {
    return V(asreal)((V(asint)(t) & V(iset1)(2 * EXPONENT_MASK)) << (FRACTION_BITS - 1));
}

/* e^x = 2^n e^r, n = round(x / ln 2), |r| <= ln(2)/2.
   Adding 3/2 UNIT rounds x / ln 2 to an integer and leaves it in the last bits of t.  high = x -
   n LN2_HIGH is exact, so e^r = 1 + (high + (low + r^2 q(r))) loses, in ulps of a result just above
   sqrt(1/2), 0.5 to the last sum, 0.25 to the one before and 0.2 to all that is smaller.
   2^n need not be a number of the type, so it is applied as 2^floor(n/2) 2^ceil(n/2), of which only
   the second can round (a subnormal result) or overflow. */
static INLINE V(v) V(exp)(V(v) x) {
    const V(v) one = V(set1)(1), rounder = V(set1)((REAL)(UNIT + UNIT / 2 + 2 * BIAS));
    /* With x second a NaN stays: x86 and C return the second operand, NEON the NaN. */
    x = V(min)(V(set1)(EXP_MAX), V(max)(V(set1)(EXP_MIN), x));
    const V(v) t = V(fma)(x, V(set1)(LOG2_E), rounder), n = t - rounder;
    const V(v) high = V(fma)(n, V(set1)(-LN2_HIGH), x), low = n * V(set1)(-LN2_LOW);
    const V(v) r = high + low;
    const V(v) tail = V(fma)(r * r, V(polynomial)(r, TERMS(V(exp_terms))), low);
    return (one + (high + tail)) * V(half_power)(t) * V(half_power)(t + one);
}

/* 1/(1 + e^-x) as a - a w with e = e^-|x|, w = e/(1 + e), and a = 1 for positive x, else e: nothing
   overflows, and where the result is small it has the relative accuracy of e. */
static INLINE V(v) V(sigmoid)(V(v) x) {
    const V(v) e = V(exp)(V(asreal)(V(asint)(x) | SIGN));
    const V(v) a = V(select)(V(gt)(x, V(set1)(0)), V(set1)(1), e);
    const V(v) minus_w = e / (V(set1)(-1) - e);
    return V(fma)(a, minus_w, a);
}

/* The m in [sqrt(1/2), sqrt(2)) and k of y = 2^k m, for a positive y that is not subnormal.
   Moving sqrt(1/2) to where 1 was puts k + BIAS into the exponent bits; those, under the bits of
   UNIT, read as UNIT + k + BIAS, and `origin` takes away what is not k. */
static INLINE V(v) V(split)(V(v) y, V(v) origin, V(v) *k) {
    const V(i) root = V(asint)(V(set1)(SQRT_HALF)), unit = V(asint)(V(set1)((REAL)UNIT));
    const V(i) moved = V(asint)(y) + (V(asint)(V(set1)(1)) - root);
    *k = V(asreal)(((moved >> FRACTION_BITS) & V(iset1)(EXPONENT_MASK)) | unit) - origin;
    return V(asreal)((moved & V(iset1)(UNIT - 1)) + root);
}

/* k ln 2 + ln(1 + f).  With s = f/(2 + f) and h = f^2/2, ln(1 + f) = ln((1 + s)/(1 - s)) =
   f - h + s (h + s^2 p(s^2)).  The two large terms are added by a fast two-sum (k LN2_HIGH is 0 or
   the larger), so that only the last sum and the tail, which is at most h, round. */
static INLINE V(v) V(log_of_parts)(V(v) k, V(v) f) {
    const V(v) large = k * V(set1)(LN2_HIGH), low = k * V(set1)(LN2_LOW);
    const V(v) s = f / (f + V(set1)(2)), z = s * s, h = f * f * V(set1)((REAL)0.5);
    const V(v) inner = V(fma)(z, V(polynomial)(z, TERMS(V(log_terms))), h);
    const V(v) tail = V(fma)(s, inner, low) - h;
    const V(v) sum = large + f, lost = (large - sum) + f;
    return sum + (lost + tail);
}

/* `log` where x is an ordinary number above `pole`; -inf at it, NaN below, inf and NaN as x is. */
static INLINE V(v) V(with_edges)(V(v) x, REAL pole, V(v) log) {
    const V(v) infinity = V(set1)((REAL)INFINITY), start = V(set1)(pole);
    const V(v) outside = V(select)(V(ge)(x, start), V(set1)((REAL)-INFINITY), V(set1)((REAL)NAN));
    return V(select)(V(ge)(x, infinity), x, V(select)(V(gt)(x, start), log, outside));
}

/* A subnormal is first scaled by UNIT; what has no logarithm passes as a 1. */
static INLINE V(v) V(log)(V(v) x) {
    const V(v) one = V(set1)(1);
    const V(m) small = V(gt)(V(set1)(MIN_NORMAL), x);
    const V(v) positive = V(select)(V(gt)(x, V(set1)(0)), x, one);
    const V(v) y = V(select)(small, positive * V(set1)((REAL)UNIT), positive);
    const V(v) origin = V(select)(small, V(set1)((REAL)(UNIT + BIAS + FRACTION_BITS)),
                                  V(set1)((REAL)(UNIT + BIAS)));
    V(v) k;
    const V(v) m = V(split)(y, origin, &k);
    return V(with_edges)(x, 0, V(log_of_parts)(k, m - one));
}

/* ln(u + lost), u = 1 + x rounded and lost its exact error (fast two-sum).  With u = 2^k m the
   argument of the logarithm is 2^k (1 + f), f = m - 1 + lost / 2^k: exactly x where k = 0, and
   elsewhere off by half an ulp of f, which is smaller than the result.  2^(1-k), and not 2^-k, is
   made from the bits, as it is a number (or a harmless 0) for every k that u can have. */
static INLINE V(v) V(log1p)(V(v) x) {
    const V(v) one = V(set1)(1);
    const V(v) y = V(select)(V(gt)(x, V(set1)(-1)), x, one);
    const V(v) u = y + one, lost = V(min)(y, one) - (u - V(max)(y, one));
    V(v) k;
    const V(v) m = V(split)(u, V(set1)((REAL)(UNIT + BIAS)), &k);
    const V(v) scale = V(asreal)(V(asint)(V(set1)(2)) + V(asint)(m) - V(asint)(u));
    const V(v) f = V(fma)(lost * scale, V(set1)((REAL)0.5), m - one);
    /* The result has the sign of x, also where it is 0. */
    const V(i) log = V(asint)(V(log_of_parts)(k, f)) | (V(asint)(x) & SIGN);
    return V(with_edges)(x, -1, V(asreal)(log));
}

#undef FRACTION_BITS
#undef EXPONENT_MASK
#undef BIAS
#undef MIN_NORMAL
#undef LN2_HIGH
#undef LN2_LOW
#undef EXP_MIN
#undef EXP_MAX
#undef SQRT_HALF
#undef LOG2_E
#undef UNIT
#undef SIGN
#undef TERMS
