/* SPDX-License-Identifier: BSD-3-Clause */
/* The tile of tile/product/tile.h for distances that are not made of dot products: Manhattan,
   Chebyshev, Minkowski.

   Operands, layouts and the threshold-and-append epilogue are those of tile/product/tile.h.  The
   scores are

     Manhattan    s(a, b) = sum a / 2 - sum max(a, b) = -(sum |a - b| + sum b) / 2
     Chebyshev    s(a, b) = -max |a - b|
     Minkowski    s(a, b) = -sum |a - b|^p

   where start[i] holds sum a_i / 2 or 0 (a padding row: -infinity).  The first takes two
   instructions a feature instead of three.

   The error of a score, in the terms of tile/product/tile.h: rows in memory are a(1 + e), |e| <=
   u(1 + 2^-20), delta = (d + 4) 2^-53 is the relative error of the float64 reference.  Let N(a) be
   the size of a row, sum |a|, max |a| or sum |a|^p.  A score is good to slope N(a) + slack(b) with

   Manhattan.  Rounding the rows moves the maxima by u (N(a) + N(b)); start is off by
     (d/2 + 1) u N(a); the chain of d subtractions, none of whose partial sums exceeds
     3/2 N(a) + N(b), by gamma_d times that.  Together at most u (d + 2) (2 N(a) + N(b)), and
     delta/2 (N(a) + N(b)) for the reference:
       slope = 2 kappa + delta,  slack(b) = (kappa + delta) N(b) + tau,  kappa = 1.02 u (d + 8).
   Chebyshev.  A difference is off by 2u (N(a) + N(b)), a maximum no more:
       slope = kappa + delta,    slack(b) = (kappa + delta) N(b) + tau,  kappa = 8.2 u.
   Minkowski.  A difference is off by e = 2.01 u (|a| + |b|); by Hoelder's inequality
     sum ||t + e|^p - |t|^p| <= p |e|_p (|t|_p + |e|_p)^(p-1), at most 2.02 p u S^p with
     S = |a|_p + |b|_p, and S^p <= 2^(p-1) (N(a) + N(b)) as x^p is convex.  A power made of
     products is off by 4u, one by exp(p log t) by (3 |p log t| + 4) u, with |p log t| < 104 for
     float and < 746 for double where it neither vanishes nor overflows; the sum by gamma_d.  The
     reference is off by (d + p + 8) 2^-53.  So
       slope = 2^(p-1) kappa,    slack(b) = slope N(b) + tau,
       kappa = 1.02 (2.02 p + d + 12 + 320 or 2250) u + (d + p + 8) 2^-53.
   The eight u beyond what errors add up to pay for the roundings of bars, as in
   tile/product/tile.h. tau covers what vanishes below the range of REAL, as there; Minkowski's
   powers lose 2^-126 (2^-1022) a feature in REAL, and up to 2^-1074 scale^p in the unscaled
   reference. */

#define NR (2 * LANES)

enum { V(CUBE) = METRIC_CALLABLE + 1, V(FOURTH) };

static INLINE V(v) V(magnitude)(V(v) t) { return V(max)(t, V(set1)(0) - t); }

/* Update acc with a feature in which the rows are a and b. */
static INLINE V(v) V(less)(V(v) acc, V(v) a, V(v) b, int kind, V(v) p) {
    if (kind == METRIC_MANHATTAN) return acc - V(max)(a, b);
    const V(v) t = V(magnitude)(a - b);
    if (kind == METRIC_CHEBYSHEV) return V(max)(acc, t); /* of positive numbers; negated later */
    if (kind == V(CUBE)) return acc - t * t * t;
    if (kind == V(FOURTH)) return acc - (t * t) * (t * t);
    return acc - V(exp)(p * V(log)(t));
}

static INLINE void V(collect_as)(const REAL *a, ptrdiff_t lda, const REAL *start,
                                 const REAL *reach, ptrdiff_t n, const REAL *panel, ptrdiff_t depth,
                                 ptrdiff_t first, V(search) *s, ptrdiff_t point, int kind, REAL p) {
    const V(v) power = V(set1)(p);
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        V(v) acc[ROWS][2];
        UNROLL for (int i = 0; i < ROWS; i++)
            acc[i][0] = acc[i][1] = V(set1)(kind == METRIC_CHEBYSHEV ? 0 : start[r + i]);
        const REAL *at = a + r * lda, *b = panel;
        for (ptrdiff_t q = 0; q < depth; q++, at++, b += NR) {
            const V(v) b0 = V(load)(b), b1 = V(load)(b + LANES);
            if (kind == METRIC_MINKOWSKI) { /* too long to be unrolled */
                for (int i = 0; i < ROWS; i++) {
                    const V(v) ai = V(set1)(at[i * lda]);
                    acc[i][0] = V(less)(acc[i][0], ai, b0, kind, power);
                    acc[i][1] = V(less)(acc[i][1], ai, b1, kind, power);
                }
            } else {
                UNROLL for (int i = 0; i < ROWS; i++) {
                    const V(v) ai = V(set1)(at[i * lda]);
                    acc[i][0] = V(less)(acc[i][0], ai, b0, kind, power);
                    acc[i][1] = V(less)(acc[i][1], ai, b1, kind, power);
                }
            }
        }
        if (kind == METRIC_CHEBYSHEV) {
            UNROLL for (int i = 0; i < ROWS; i++) {
                acc[i][0] = V(set1)(start[r + i]) - acc[i][0];
                acc[i][1] = V(set1)(start[r + i]) - acc[i][1];
            }
        }
        const V(v) g = V(set1)(reach[r / ROWS]);
        V(offer)(s, point, acc, V(bar)(s, point, g), V(bar)(s, point + LANES, g), first + r,
                 n - r < ROWS ? n - r : ROWS);
    }
}

/* collect of tile/product/tile.h, by any of the three kinds, or METRIC_EUCLIDEAN */
static void V(collect_by)(const REAL *a, ptrdiff_t lda, const REAL *start, const REAL *reach,
                          ptrdiff_t n, const REAL *panel, ptrdiff_t depth, ptrdiff_t first,
                          V(search) *s, ptrdiff_t point, int kind, REAL p) {
#define AS(KIND) V(collect_as)(a, lda, start, reach, n, panel, depth, first, s, point, KIND, p)
    if (kind == METRIC_MINKOWSKI && p == 3) kind = V(CUBE);
    if (kind == METRIC_MINKOWSKI && p == 4) kind = V(FOURTH);
    switch (kind) {
        case METRIC_MANHATTAN: AS(METRIC_MANHATTAN); break;
        case METRIC_CHEBYSHEV: AS(METRIC_CHEBYSHEV); break;
        case METRIC_MINKOWSKI: AS(METRIC_MINKOWSKI); break;
        case V(CUBE): AS(V(CUBE)); break;
        case V(FOURTH): AS(V(FOURTH)); break;
        default: V(collect)(a, lda, start, reach, n, panel, depth, first, s, point);
    }
#undef AS
}

#undef NR
