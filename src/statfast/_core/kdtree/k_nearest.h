/* SPDX-License-Identifier: BSD-3-Clause */
/* The k nearest of the points offered one after another, in the order of (distance, number).

   For few (k <= MAX_IN_REGISTERS) they are a sorted array, into which a distance is inserted by
   vector minima and maxima without a branch. For more they are a reservoir of candidates, which is
   sorted at the end. When it has no room for another 64, it is thinned out by bisection for a
   distance that k of them do not exceed; its counts are vector code, where a heap would mispredict.
   `limit` is never below the k-th smallest distance so far; a candidate at exactly `limit` with a
   number above `limit_id` is not taken. Before there are k candidates the limit is DBL_MAX, so that
   distances that overflow are never taken. */

#include "order/sort_pairs.h"

#define MAX_IN_REGISTERS 32
#define NO_ROW INT64_MAX

typedef struct {
    ptrdiff_t k, vectors, count, capacity;
    double limit;
    int64_t limit_id;
    double *key;  /* work space, (2 capacity,) for keys and numbers each, capacity >= k + 128 */
    int64_t *id;
    double few[MAX_IN_REGISTERS] ALIGN64;
    int64_t few_id[MAX_IN_REGISTERS] ALIGN64;
} nearest;

/* Begin a query; at least k points are known to be within `limit`, unless it is DBL_MAX. */
static INLINE void nearest_reset(nearest *s, double limit) {
    s->limit = limit;
    s->limit_id = NO_ROW;
    s->count = 0;
    if (s->k > MAX_IN_REGISTERS) return;
    for (ptrdiff_t v = 0; v < s->vectors; v++) {
        f64_store(s->few + v * F64_LANES, f64_set1(DBL_MAX));
        f64_istore(s->few_id + v * F64_LANES, f64_iset1(NO_ROW));
    }
}

/* Move the point at `at` before those of equal distance with a higher number. */
static void among_equals(nearest *s, ptrdiff_t at) {
    for (; at > 0 && s->few[at - 1] == s->few[at] && s->few_id[at - 1] > s->few_id[at]; at--) {
        const int64_t id = s->few_id[at];
        s->few_id[at] = s->few_id[at - 1];
        s->few_id[at - 1] = id;
    }
}

static INLINE void nearest_tighten(nearest *s) {
    if (s->few[s->k - 1] <= s->limit) {
        s->limit = s->few[s->k - 1];
        s->limit_id = s->few_id[s->k - 1];
    }
}

/* x <= limit */
static INLINE void insert(nearest *s, double x, int64_t id) {
    const f64_v v = f64_set1(x);
    const f64_i number = f64_iset1(id);
    unsigned equal = 0;
    if (x == s->limit) {
        if (id > s->limit_id) return;
        if (s->few[s->k - 1] <= x) { /* the k-th is replaced */
            s->few_id[s->k - 1] = id;
            among_equals(s, s->k - 1);
            s->limit_id = s->few_id[s->k - 1];
            return;
        }
    }
    f64_v key = f64_load(s->few + (s->vectors - 1) * F64_LANES);
    f64_i ids = f64_iload(s->few_id + (s->vectors - 1) * F64_LANES);
    for (ptrdiff_t at = (s->vectors - 1) * F64_LANES; at >= 0; at -= F64_LANES) {
        const f64_v before = at ? f64_load(s->few + at - F64_LANES) : f64_set1(-1);
        const f64_i ids_before = at ? f64_iload(s->few_id + at - F64_LANES) : f64_iset1(0);
        const f64_v moved = f64_slide(before, key);
        const f64_i ids_moved = f64_asint(f64_slide(f64_asreal(ids_before), f64_asreal(ids)));
        const f64_m later = f64_gt(key, v);
        equal |= f64_bits(later) ^ f64_bits(f64_ge(key, v));
        f64_store(s->few + at, f64_min(key, f64_max(moved, v)));
        f64_istore(s->few_id + at,
                   f64_iselect(later, f64_iselect(f64_gt(moved, v), ids_moved, number), ids));
        key = before;
        ids = ids_before;
    }
    if (equal) {
        ptrdiff_t at = s->k - 1;
        while (s->few_id[at] != id) at--;
        among_equals(s, at);
    }
    nearest_tighten(s);
}

/* Insert those of the distances apart[:64] whose bit is set, by a chain of minima and maxima that
   stays in VECTORS registers. Returns 0 without a change if some are equal, so that their numbers
   have to be compared. */
static INLINE int insert_all(nearest *s, const double *apart, const int32_t *id, uint64_t hits,
                             const int VECTORS) {
    f64_v key[4];
    f64_i ids[4];
    unsigned equal = 0;
    UNROLL for (int i = 0; i < VECTORS; i++) {
        key[i] = f64_load(s->few + i * F64_LANES);
        ids[i] = f64_iload(s->few_id + i * F64_LANES);
    }
    for (; hits; hits &= hits - 1) {
        const int c = LOWEST_BIT(hits);
        const f64_v x = f64_set1(apart[c]);
        const f64_i number = f64_iset1(id[c]);
        UNROLL for (int i = VECTORS - 1; i >= 0; i--) {
            const f64_v before = i ? key[i ? i - 1 : 0] : f64_set1(-1);
            const f64_v moved = f64_slide(before, key[i]);
            const f64_i ids_moved =
                f64_asint(f64_slide(f64_asreal(ids[i ? i - 1 : 0]), f64_asreal(ids[i])));
            const f64_m later = f64_gt(key[i], x);
            equal |= f64_bits(later) ^ f64_bits(f64_ge(key[i], x));
            ids[i] = f64_iselect(later, f64_iselect(f64_gt(moved, x), ids_moved, number), ids[i]);
            key[i] = f64_min(key[i], f64_max(moved, x));
        }
    }
    if (equal) return 0;
    UNROLL for (int i = 0; i < VECTORS; i++) {
        f64_store(s->few + i * F64_LANES, key[i]);
        f64_istore(s->few_id + i * F64_LANES, ids[i]);
    }
    nearest_tighten(s);
    return 1;
}

/* A distance that at least k of apart[:leaf] do not exceed, or infinity: the largest of at least k
   minima over parts of them. Points of the first leaf beyond it need not be inserted. */
static INLINE double first_cut(const nearest *s, const double *apart, ptrdiff_t leaf) {
    ptrdiff_t parts = s->vectors * F64_LANES;
    if (2 * parts > leaf) return INFINITY;
    double least[MAX_IN_REGISTERS] ALIGN64, cut = 0;
    for (ptrdiff_t at = 0; at < parts; at += F64_LANES) {
        f64_v v = f64_load(apart + at);
        for (ptrdiff_t c = at + parts; c < leaf; c += parts) v = f64_min(v, f64_load(apart + c));
        f64_store(least + at, v);
    }
    for (; parts / 2 >= s->k; parts /= 2)
        for (ptrdiff_t i = 0; i < parts / 2; i++) {
            const double other = least[parts - 1 - i];
            least[i] = other < least[i] ? other : least[i];
        }
    for (ptrdiff_t i = 0; i < parts; i++) cut = least[i] > cut ? least[i] : cut;
    return cut;
}

/* The least and the largest of n numbers >= 0. */
static INLINE void range_of(const double *x, ptrdiff_t n, double *low, double *high) {
    f64_v least = f64_set1(DBL_MAX), most = f64_set1(0);
    ptrdiff_t i = 0;
    for (; i + F64_LANES <= n; i += F64_LANES) {
        least = f64_min(least, f64_load(x + i));
        most = f64_max(most, f64_load(x + i));
    }
    *low = f64_least(least);
    *high = -f64_least(-most);
    for (; i < n; i++) {
        *low = x[i] < *low ? x[i] : *low;
        *high = x[i] > *high ? x[i] : *high;
    }
}

/* Keep the candidates of the reservoir within `cut`, in their order. */
static void drop_beyond(nearest *s, double cut) {
    ptrdiff_t kept = 0, i = 0;
#if F64_LANES == 8 /* AVX-512 can compress the lanes of a vector */
    for (; i + 8 <= s->count; i += 8) {
        const unsigned bits = f64_bits(f64_ge(f64_set1(cut), f64_load(s->key + i)));
        f64_keep(s->key + kept, bits, s->key + i);
        f64_keep((double *)(s->id + kept), bits, (const double *)(s->id + i));
        kept += POPCOUNT(bits);
    }
#endif
    for (; i < s->count; i++) {
        const double x = s->key[i];
        s->key[kept] = x;
        s->id[kept] = s->id[i];
        kept += x <= cut;
    }
    s->count = kept;
}

/* Thin the reservoir out to k candidates or hardly more. */
static void thin(nearest *s) {
    double low, high;
    range_of(s->key, s->count, &low, &high);
    const double cut = f64_bisect(s->key, s->count, s->k, 1 + s->k / 16, low, high);
    if (cut == cut) {
        drop_beyond(s, cut);
        s->limit = cut;
        s->limit_id = NO_ROW;
    } else { /* many at one distance */
        sort_pairs(s->key, s->id, s->count, s->capacity);
        s->count = s->k;
        s->limit = s->key[s->k - 1];
        s->limit_id = s->id[s->k - 1];
    }
}

/* Add those of the distances apart[:64] whose bit is set to the reservoir, which has room
   for 64. */
static INLINE void collect(nearest *s, const double *apart, const int32_t *id, uint64_t hits) {
    for (; hits; hits &= hits - 1) {
        const ptrdiff_t c = LOWEST_BIT(hits);
        s->key[s->count] = apart[c];
        s->id[s->count] = id[c];
        s->count += apart[c] < s->limit || id[c] <= s->limit_id;
    }
    if (s->count + 64 > s->capacity) thin(s);
}

/* Offer those of the distances apart[:m], m <= 64, whose bit is set. */
static NOINLINE void nearest_offer(nearest *s, const double *apart, const int32_t *id, ptrdiff_t m,
                                   uint64_t hits) {
    if (s->k <= MAX_IN_REGISTERS) {
        if (s->count++ == 0) {
            const f64_v cut = f64_set1(first_cut(s, apart, m));
            uint64_t within = 0;
            for (ptrdiff_t c = 0; c < m; c += F64_LANES)
                within |= (uint64_t)f64_bits(f64_ge(cut, f64_load(apart + c))) << c;
            hits &= within;
        }
        if (s->vectors == 1 && insert_all(s, apart, id, hits, 1)) return;
        if (s->vectors == 2 && insert_all(s, apart, id, hits, 2)) return;
        if (s->vectors == 3 && insert_all(s, apart, id, hits, 3)) return;
        if (s->vectors == 4 && insert_all(s, apart, id, hits, 4)) return;
    }
    if (s->k > MAX_IN_REGISTERS) {
        collect(s, apart, id, hits);
        return;
    }
    for (; hits; hits &= hits - 1) {
        const ptrdiff_t c = LOWEST_BIT(hits);
        if (apart[c] <= s->limit) insert(s, apart[c], id[c]);
    }
}

/* Write the k nearest in order; missing ones are at infinity and have the number -1. */
static NOINLINE void nearest_write(nearest *s, double *apart, ptrdiff_t *row) {
    const double *key = s->few;
    const int64_t *id = s->few_id;
    ptrdiff_t there = s->k;
    if (s->k > MAX_IN_REGISTERS) {
        if (s->count > s->k + s->k / 8) thin(s);
        sort_pairs(s->key, s->id, s->count, s->capacity);
        key = s->key;
        id = s->id;
        there = s->count < s->k ? s->count : s->k;
    }
    for (ptrdiff_t j = 0; j < there; j++) {
        apart[j] = id[j] == NO_ROW ? INFINITY : key[j];
        row[j] = id[j] == NO_ROW ? -1 : (ptrdiff_t)id[j];
    }
    for (ptrdiff_t j = there; j < s->k; j++) {
        apart[j] = INFINITY;
        row[j] = -1;
    }
}
