/* SPDX-License-Identifier: BSD-3-Clause */
/* The distances of the table of metrics (statfast/_distance/metrics.py): a number for the kind, an
   exponent, and the reduced distance of two rows, which is what searches compare.

   The reduced distance is |a - b|^2 for Euclidean and sum |a - b|^p for Minkowski distances; for
   all others it is the distance. Sums are made in the order of `squared_distances`
   (tile/passes/rows.h), eight partial sums and the rest, so that every kernel finds the same bits.
   Where the kind is a literal, the compiler makes the choices. */
#ifndef STATFAST_METRIC_H
#define STATFAST_METRIC_H
#include "simd/compiler.h"

enum {
    METRIC_EUCLIDEAN,
    METRIC_MANHATTAN,
    METRIC_CHEBYSHEV,
    METRIC_MINKOWSKI,
    METRIC_HAVERSINE,
    METRIC_HAMMING,
    METRIC_JACCARD,
    METRIC_CALLABLE = 9 /* a Python function, which no kernel calls: NaN here */
};

/* The term of a difference t in one feature (for Chebyshev distances a candidate for the
   maximum). */
static INLINE double metric_term(double t, int kind, double p) {
    t = fabs(t);
    if (kind == METRIC_EUCLIDEAN) return t * t;
    if (kind == METRIC_MANHATTAN || kind == METRIC_CHEBYSHEV) return t;
    if (p == 3) return t * t * t;
    if (p == 4) return (t * t) * (t * t);
    return pow(t, p);
}

/* The reduced distance over two parts of the features, from those over each. */
static INLINE double metric_join(double a, double b, int kind) {
    return kind == METRIC_CHEBYSHEV ? (a > b ? a : b) : a + b;
}

static INLINE double metric_in_order(const double *part, double rest, int kind) {
    const double low = metric_join(metric_join(part[0], part[1], kind),
                                   metric_join(part[2], part[3], kind), kind);
    const double high = metric_join(metric_join(part[4], part[5], kind),
                                    metric_join(part[6], part[7], kind), kind);
    return metric_join(rest, metric_join(low, high, kind), kind);
}

/* The distance of q from an interval; 0 inside. */
static INLINE double metric_beyond(double q, double low, double high) {
    const double t = low - q > q - high ? low - q : q - high;
    return t > 0 ? t : 0;
}

/* The angle between two places (latitude, longitude), all in radians. */
static INLINE double metric_haversine(double lat0, double lon0, double lat1, double lon1) {
    const double along = sin((lat0 - lat1) / 2), across = sin((lon0 - lon1) / 2);
    const double half = along * along + cos(lat0) * cos(lat1) * (across * across);
    return 2 * asin(half > 1 ? 1.0 : sqrt(half));
}

#define FEATURES(TERM)                                                                             \
    double part[8] = {0, 0, 0, 0, 0, 0, 0, 0}, rest = 0;                                           \
    ptrdiff_t i = 0;                                                                               \
    for (; i + 8 <= d; i += 8)                                                                     \
        for (int k = 0; k < 8; k++)                                                                \
            part[k] = metric_join(part[k], metric_term(TERM(i + k), kind, p), kind);               \
    for (; i < d; i++) rest = metric_join(rest, metric_term(TERM(i), kind, p), kind);              \
    return metric_in_order(part, rest, kind);

#define METRIC(SRC, NAME)                                                                          \
    static INLINE double metric_joined_##NAME(const double *a, const SRC *b, ptrdiff_t d,           \
                                              int kind, double p) {                                \
        FEATURES(DIFFERENCE)                                                                       \
    }                                                                                              \
    /* the reduced distance of two rows of d numbers */                                            \
    static inline double metric_reduced_##NAME(const double *a, const SRC *b, ptrdiff_t d,          \
                                               int kind, double p) {                               \
        ptrdiff_t differ = 0, either = 0;                                                          \
        switch (kind) {                                                                            \
            case METRIC_EUCLIDEAN: return metric_joined_##NAME(a, b, d, METRIC_EUCLIDEAN, 2);       \
            case METRIC_MANHATTAN: return metric_joined_##NAME(a, b, d, METRIC_MANHATTAN, 1);       \
            case METRIC_CHEBYSHEV: return metric_joined_##NAME(a, b, d, METRIC_CHEBYSHEV, 1);       \
            case METRIC_MINKOWSKI:                                                                 \
                if (p == 3) return metric_joined_##NAME(a, b, d, METRIC_MINKOWSKI, 3);              \
                if (p == 4) return metric_joined_##NAME(a, b, d, METRIC_MINKOWSKI, 4);              \
                return metric_joined_##NAME(a, b, d, METRIC_MINKOWSKI, p);                          \
            case METRIC_HAVERSINE: return metric_haversine(a[0], a[1], b[0], b[1]);                \
            case METRIC_HAMMING: /* the fraction of features that differ */                        \
                for (ptrdiff_t i = 0; i < d; i++) differ += a[i] != b[i];                          \
                return (double)differ / (double)d;                                                 \
            case METRIC_JACCARD: /* of the features that one of two sets (of what is not 0) has,   \
                                    the fraction that the other has not; 0 for two empty sets */   \
                for (ptrdiff_t i = 0; i < d; i++) {                                                \
                    differ += (a[i] != 0) != (b[i] != 0);                                          \
                    either += (a[i] != 0) | (b[i] != 0);                                           \
                }                                                                                  \
                return either ? (double)differ / (double)either : 0.0;                             \
            default: return NAN;                                                                   \
        }                                                                                          \
    }
#define DIFFERENCE(i) (a[i] - (double)b[i])
METRIC(double, f64)
METRIC(float, f32)
METRIC(uint8_t, u8)
#undef METRIC
#undef DIFFERENCE

#define OUTSIDE(i) metric_beyond(q[i], low[i], high[i])
static INLINE double metric_box_joined(const double *q, const double *low, const double *high,
                                       ptrdiff_t d, int kind, double p) {
    FEATURES(OUTSIDE)
}
#undef OUTSIDE
#undef FEATURES

/* A lower bound of the reduced distances of q to the rows of the box, for kinds up to Minkowski; 0
   for the others. It needs no slack, as rounding is monotone and the sums have the same order,
   except for pow, which may not be monotone. */
static inline double metric_box_reduced(const double *q, const double *low, const double *high,
                                        ptrdiff_t d, int kind, double p) {
    switch (kind) {
        case METRIC_EUCLIDEAN: return metric_box_joined(q, low, high, d, METRIC_EUCLIDEAN, 2);
        case METRIC_MANHATTAN: return metric_box_joined(q, low, high, d, METRIC_MANHATTAN, 1);
        case METRIC_CHEBYSHEV: return metric_box_joined(q, low, high, d, METRIC_CHEBYSHEV, 1);
        case METRIC_MINKOWSKI:
            return metric_box_joined(q, low, high, d, METRIC_MINKOWSKI, p) * (1 - 0x1p-48);
        default: return 0;
    }
}

/* The distance from a reduced distance, and the reverse. */
static inline double metric_distance_of(double value, int kind, double p) {
    if (kind == METRIC_EUCLIDEAN) return sqrt(value);
    return kind == METRIC_MINKOWSKI ? pow(value, 1 / p) : value;
}

static inline double metric_reduced_of(double value, int kind, double p) {
    return kind == METRIC_EUCLIDEAN || kind == METRIC_MINKOWSKI ? metric_term(value, kind, p)
                                                                : value;
}
#endif
