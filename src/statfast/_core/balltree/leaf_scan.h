/* SPDX-License-Identifier: BSD-3-Clause */
/* Points in octets: eight at a time, feature by feature, so that one query's distances to eight
   points are straight vector code in any number of dimensions.  An octet is d * 8 numbers; number
   p * 8 + l is feature p of point l.

   The sums run in the order of `squared_distances` (tile/passes/rows.h): eight partial sums over
   the features p modulo 8, then the remaining features, so that a squared distance has the same
   bits wherever it is computed. */

#define OCTET 8
#define FEATURES_PER_CHECK 32 /* after these, points that are all too far end the sums */

#if F64_LANES > 1
typedef float few_f32 __attribute__((vector_size(4 * F64_LANES)));
typedef double few_f64 __attribute__((vector_size(8 * F64_LANES)));
static INLINE f64_v widen_f64(const double *p) { return f64_load(p); }
static INLINE f64_v widen_f32(const float *p) {
    few_f32 v;
    memcpy(&v, p, sizeof v);
    return (f64_v)__builtin_convertvector(v, few_f64);
}
#else
static INLINE f64_v widen_f64(const double *p) { return *p; }
static INLINE f64_v widen_f32(const float *p) { return (double)*p; }
#endif

/* The term of a feature, and how partial sums are joined. */
#define TERM_SQUARE(sum, t) ((sum) + (t) * (t))
#define TERM_LENGTH(sum, t) ((sum) + f64_max(t, zero - (t)))
#define TERM_LARGEST(sum, t) f64_max(sum, f64_max(t, zero - (t)))
#define ADDED(a, b) ((a) + (b))
#define EIGHT(JOIN)                                                                                \
    JOIN(JOIN(JOIN(part[0], part[1]), JOIN(part[2], part[3])),                                     \
         JOIN(JOIN(part[4], part[5]), JOIN(part[6], part[7])))

/* Distances of q to `lanes` points of one octet. False if all of them exceed the limit; they are
   then incomplete. */
#define LANES_OF(SRC, NAME, WORD, TERM, JOIN)                                                      \
    static INLINE int WORD##_lanes_##NAME(const double *q, const SRC *x, ptrdiff_t d, f64_v limit,  \
                                          double *out) {                                           \
        const f64_v zero = f64_set1(0);                                                            \
        f64_v sum = zero;                                                                          \
        ptrdiff_t p = 0;                                                                           \
        if (d >= 8) {                                                                              \
            f64_v part[8] = {zero, zero, zero, zero, zero, zero, zero, zero};                      \
            for (; p + 8 <= d; p += 8) {                                                           \
                UNROLL for (int k = 0; k < 8; k++) {                                               \
                    const f64_v t = f64_set1(q[p + k]) - widen_##NAME(x + (p + k) * OCTET);        \
                    part[k] = TERM(part[k], t);                                                    \
                }                                                                                  \
                if ((p + 8) % FEATURES_PER_CHECK == 0 && p + 8 < d                                 \
                    && !f64_bits(f64_ge(limit, EIGHT(JOIN)))) {                                    \
                    f64_store(out, EIGHT(JOIN));                                                   \
                    return 0;                                                                      \
                }                                                                                  \
            }                                                                                      \
            for (; p < d; p++) {                                                                   \
                const f64_v t = f64_set1(q[p]) - widen_##NAME(x + p * OCTET);                      \
                sum = TERM(sum, t);                                                                \
            }                                                                                      \
            sum = JOIN(sum, EIGHT(JOIN));                                                          \
        } else                                                                                     \
            for (; p < d; p++) {                                                                   \
                const f64_v t = f64_set1(q[p]) - widen_##NAME(x + p * OCTET);                      \
                sum = TERM(sum, t);                                                                \
            }                                                                                      \
        f64_store(out, sum);                                                                       \
        return f64_bits(f64_ge(limit, sum)) != 0;                                                  \
    }

/* The distances to the points of n <= 8 octets (64 points), and a bit for each within the limit. */
#define NEAR_OCTETS(SRC, NAME, WORD)                                                               \
    static uint64_t WORD##_near_##NAME(const double *q, const SRC *x, ptrdiff_t n, ptrdiff_t d,     \
                                       double limit, double *out) {                                \
        const f64_v top = f64_set1(limit);                                                         \
        uint64_t hits = 0;                                                                         \
        for (ptrdiff_t i = 0; i < n; i++)                                                          \
            UNROLL for (int l = 0; l < OCTET; l += F64_LANES) {                                    \
                double *to = out + i * OCTET + l;                                                  \
                if (WORD##_lanes_##NAME(q, x + i * d * OCTET + l, d, top, to))                     \
                    hits |= (uint64_t)f64_bits(f64_ge(top, f64_load(to))) << (i * OCTET + l);       \
            }                                                                                      \
        return hits;                                                                               \
    }

#define EVERY_SOURCE(WORD, TERM, JOIN)                                                             \
    LANES_OF(double, f64, WORD, TERM, JOIN)                                                        \
    LANES_OF(float, f32, WORD, TERM, JOIN)                                                         \
    NEAR_OCTETS(double, f64, WORD)                                                                 \
    NEAR_OCTETS(float, f32, WORD)
EVERY_SOURCE(square, TERM_SQUARE, ADDED)
EVERY_SOURCE(length, TERM_LENGTH, ADDED)
EVERY_SOURCE(largest, TERM_LARGEST, f64_max)

#define NEAR(SRC, NAME)                                                                            \
    static uint64_t near_##NAME(const double *q, const void *rows, ptrdiff_t n, ptrdiff_t d,        \
                                int kind, double limit, double *out) {                             \
        const SRC *x = (const SRC *)rows;                                                          \
        if (kind == BY_SQUARES) return square_near_##NAME(q, x, n, d, limit, out);                 \
        if (kind == BY_LENGTHS) return length_near_##NAME(q, x, n, d, limit, out);                 \
        return largest_near_##NAME(q, x, n, d, limit, out);                                        \
    }
NEAR(double, f64)
NEAR(float, f32)
#undef NEAR

/* For eight balls the distance of q to each center, a lower bound of the distances to the points
   inside, (1 - loss) distance - radius, and a bit for each ball within reach.  A square that
   overflows counts as the largest number, which is less than it. */
static uint64_t balls(const double *q, const double *center, const double *radius, ptrdiff_t d,
                      int kind, double loss, double reach, double *to, double *low) {
    const f64_v keep = f64_set1(1 - loss), most = f64_set1(DBL_MAX), far = f64_set1(reach);
    uint64_t near = 0;
    near_f64(q, center, 1, d, kind, INFINITY, to);
    UNROLL for (int l = 0; l < OCTET; l += F64_LANES) {
        f64_v t = f64_min(most, f64_load(to + l)), bound;
        if (kind == BY_SQUARES) t = f64_sqrt(t);
        bound = keep * t - f64_load(radius + l);
        f64_store(to + l, t);
        f64_store(low + l, bound);
        near |= (uint64_t)f64_bits(f64_ge(far, bound)) << l;
    }
    return near;
}

/* Write the distances, unless NULL, and the rows of those of n octets that have hits; there is room
   for those of 8 octets. Returns how many they are. */
static ptrdiff_t keep(uint64_t hits, ptrdiff_t n, const double *distance, const ptrdiff_t *rows,
                      double *distance_out, ptrdiff_t *row_out) {
    ptrdiff_t kept = 0;
    for (ptrdiff_t l = 0; l < n * OCTET; l += F64_LANES) {
        const unsigned some = (unsigned)(hits >> l) & ((1u << F64_LANES) - 1);
        if (distance_out) f64_keep(distance_out + kept, some, distance + l);
        f64_keep((double *)(row_out + kept), some, (const double *)(rows + l));
        kept += POPCOUNT(some);
    }
    return kept;
}

#undef OCTET
#undef FEATURES_PER_CHECK
#undef EIGHT
#undef LANES_OF
#undef NEAR_OCTETS
#undef EVERY_SOURCE
