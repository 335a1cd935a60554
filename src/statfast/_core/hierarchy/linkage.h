/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over rows of a dissimilarity matrix, which may be as large as memory: each reads a row
   once and computes all results on the way.

   Numbers are read 64 at a time; only where they hold a new minimum, which is rare, are they
   compared one by one. Sums are never contracted, so that equal numbers stay equal in all lanes. */

/* (scale x)^2 */
static void V(square)(const REAL *x, ptrdiff_t n, double scale, REAL *out) {
    ptrdiff_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        const V(v) v = V(load)(x + c) * V(set1)((REAL)scale);
        V(store)(out + c, v * v);
    }
    for (; c < n; c++) out[c] = (x[c] * (REAL)scale) * (x[c] * (REAL)scale);
}

/* The first smallest number of x + gone, if it is below *best. gone is infinite where a column no
   longer exists, else 0. */
static void V(seek)(const REAL *x, const REAL *gone, ptrdiff_t n, ptrdiff_t first, REAL *best,
                    int32_t *at) {
    V(v) record = V(set1)(*best);
    ptrdiff_t c = 0;
    for (; c + 64 <= n; c += 64) {
        uint64_t hits = 0;
        UNROLL for (int u = 0; u < STEP; u++) {
            const ptrdiff_t at_ = c + u * LANES;
            const V(v) v = V(load)(x + at_) + V(load)(gone + at_);
            hits |= (uint64_t)V(bits)(V(gt)(record, v)) << (u * LANES);
        }
        if (!hits) continue;
        for (; hits; hits &= hits - 1) {
            const ptrdiff_t k = c + LOWEST_BIT(hits);
            if (x[k] < *best) {
                *best = x[k];
                *at = (int32_t)(first + k);
            }
        }
        record = V(set1)(*best);
    }
    for (; c < n; c++)
        if (x[c] + gone[c] < *best) {
            *best = x[c];
            *at = (int32_t)(first + c);
        }
}

/* The distances to a union, from the distances a and b to its two parts. The mixture of two equal
   numbers is exactly that number. Ward: ((f + s) a + (g + s) b - s apart) / (f + g + s). */
static void V(unite)(const union_rule *u, const REAL *a, const REAL *b, const REAL *size,
                     ptrdiff_t n, REAL *out) {
    const REAL share = (REAL)u->share, drop = (REAL)u->drop, apart = (REAL)u->apart;
    const REAL f = (REAL)u->first, g = (REAL)u->second, both = (REAL)(u->first + u->second);
    ptrdiff_t c = 0;
#define EACH(VECTOR, NUMBER)                                                                       \
    for (; c + LANES <= n; c += LANES) {                                                           \
        const V(v) x = V(load)(a + c), y = V(load)(b + c);                                         \
        V(store)(out + c, VECTOR);                                                                 \
    }                                                                                              \
    for (; c < n; c++) {                                                                           \
        const REAL x = a[c], y = b[c];                                                             \
        out[c] = NUMBER;                                                                           \
    }                                                                                              \
    return;
    if (u->kind == LINK_SMALLEST) {
        EACH(V(min)(x, y), x < y ? x : y)
    }
    if (u->kind == LINK_LARGEST) {
        EACH(V(max)(x, y), x > y ? x : y)
    }
    if (u->kind == LINK_MIX) {
        EACH(x + V(set1)(share) * (y - x) - V(set1)(drop), x + share * (y - x) - drop)
    }
#define SUM(f, g, s, apart) (f * x + g * y + s * (x + y - apart))
    EACH(SUM(V(set1)(f), V(set1)(g), V(load)(size + c), V(set1)(apart))
             / (V(set1)(both) + V(load)(size + c)),
         SUM(f, g, size[c], apart) / (both + size[c]))
#undef SUM
#undef EACH
}

/* Pack those of the n numbers x whose bit of `keep`, from bit `first` on, is set; returns their
   number. Up to LANES more numbers of `out` are overwritten. `out` may lie in x, before it or at
   it. */
static ptrdiff_t V(squeeze)(const REAL *x, const uint64_t *keep, ptrdiff_t first, ptrdiff_t n,
                            REAL *out) {
    REAL *to = out;
    const int shift = first % 64;
    ptrdiff_t c = 0;
    keep += first / 64;
    for (; c + 64 <= n; c += 64, keep++) {
        const uint64_t left = shift ? keep[0] >> shift | keep[1] << (64 - shift) : keep[0];
        UNROLL for (int u = 0; u < STEP; u++) {
            const uint64_t bits = left >> (u * LANES) & (((uint64_t)1 << LANES) - 1);
            V(keep)(to, bits, x + c + u * LANES);
            to += POPCOUNT(bits);
        }
    }
    for (ptrdiff_t at = shift; c < n; c++, at++) {
        *to = x[c];
        to += keep[at / 64] >> (at % 64) & 1;
    }
    return to - out;
}
