/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kmeans/seeding.pyx: bounds on what candidates for the next center
   gain.

   A candidate a lowers the potential of point b, whose nearest center so far is sqrt(c) away, by
       g = c - |a - b|^2 = 2 (s(a, b) + t),   t = (c - |b|^2) / 2,
   if that is positive.  The score s is made as in tile/tile.h and is good to
       slope |b| + square + delta |b|^2,
   slope and square being those of this a; t is made in double and rounded to float.  `start` holds
   -|a|^2/2 + square and `top` holds t + r, r >= delta |b|^2 and all that is lost in t and in the sums
   below (kmeans/potential.pxd), so that, L being the largest |b| of the panel,
       h = s + square + slope L + t + r >= g/2 >= h - 2 (slope L + square + r).
   Where h is not positive the candidate gains nothing.  Over all points the positive parts of h add
   up to an upper bound on what it gains, and less the widths of those intervals, for which the
   largest of FLUSH panels stands, to a lower one.  They are summed in float over so many panels at
   most, which errs by less than one part in 1e5. */

#include "tile/squared_distance.h"
#include "kmeans/seeding_table.h"

#if defined(STATFAST_VECTORS)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

#define NR (2 * F32_LANES)
#define FLUSH 32
#define TIMES 4 /* groups of candidates that look at a panel together */

/* Add up what a candidate gains of a panel, by its scores from above; tells which points it may
   gain. */
static INLINE unsigned take(const seeding_job *j, ptrdiff_t panel, f32_v s0, f32_v s1, f32_v *sum) {
    const float *top = j->top + panel * NR;
    f32_v h0 = s0 + f32_load(top), h1 = s1 + f32_load(top + F32_LANES);
    const f32_m some0 = f32_gt(h0, f32_set1(0)), some1 = f32_gt(h1, f32_set1(0));
    if (j->weight) {
        const float *w = j->weight + panel * NR;
        h0 = h0 * f32_load(w), h1 = h1 * f32_load(w + F32_LANES);
    }
    *sum = f32_add_if(some1, f32_add_if(some0, *sum, h0), h1);
    return f32_bits(some0) | f32_bits(some1) << F32_LANES;
}

/* Score some candidates with the points of a panel, and hold that or add up what they gain.  The
   panel after it is asked for meanwhile, in parts: another from `next` on by each group of
   candidates. */
static INLINE void look(const seeding_job *j, ptrdiff_t panel, ptrdiff_t c0, int count, int holds,
                        f32_v *sum, const float *next) {
    f32_v acc[ROWS][2];
    const float *b = j->panels + panel * NR * j->depth, *a = j->a + c0;
    const ptrdiff_t m = j->m, depth = j->depth;
    const float longest = j->longest[panel];
    UNROLL for (int i = 0; i < count; i++)
        acc[i][0] = acc[i][1] = f32_set1(j->start[c0 + i] + j->slope[c0 + i] * longest);
    for (ptrdiff_t p = 0; p < depth; p++, a += m, b += NR, next += F32_LANES) {
        FETCH(next);
        const f32_v b0 = f32_load(b), b1 = f32_load(b + F32_LANES);
        UNROLL for (int i = 0; i < count; i++) {
            const f32_v ai = f32_set1(a[i]);
            acc[i][0] = f32_fma(ai, b0, acc[i][0]);
            acc[i][1] = f32_fma(ai, b1, acc[i][1]);
        }
    }
    float *held = holds ? j->held + c0 * j->wide + panel * NR : NULL;
    uint32_t *hit = j->hit + c0 * j->all + panel;
    UNROLL for (int i = 0; i < count; i++) {
        if (holds) {
            f32_store(held, acc[i][0]), f32_store(held + F32_LANES, acc[i][1]);
            held += j->wide;
        } else {
            *hit = take(j, panel, acc[i][0], acc[i][1], sum + i);
            hit += j->all;
        }
    }
}

/* The same for a number of candidates that the compiler does not know. */
static INLINE void look_some(const seeding_job *j, ptrdiff_t panel, ptrdiff_t c0, ptrdiff_t count,
                             int holds, f32_v *sum, const float *next) {
#define OF(COUNT) case COUNT: look(j, panel, c0, COUNT, holds, sum, next); break;
    switch (count) {
        OF(2) OF(4)
#if ROWS >= 6
        OF(6)
#endif
#if ROWS >= 12
        OF(8) OF(10) OF(12)
#endif
#if ROWS >= 14
        OF(14)
#endif
    }
#undef OF
}

/* The most of some panels. */
typedef struct { float longest, rest, heaviest; } extremes;
static extremes most_of(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop) {
    extremes w = {0, 0, 0};
    for (ptrdiff_t p = first; p < stop; p++) {
        w.longest = j->longest[p] > w.longest ? j->longest[p] : w.longest;
        w.rest = j->rest[p] > w.rest ? j->rest[p] : w.rest;
        w.heaviest = j->heaviest[p] > w.heaviest ? j->heaviest[p] : w.heaviest;
    }
    return w;
}

/* Take the sums of some panels into what candidate c gains. */
static void add_to(const seeding_job *j, extremes w, ptrdiff_t c, f32_v sum, ptrdiff_t points) {
    float lanes[F32_LANES];
    f32_store(lanes, sum);
    double h = 0;
    for (int lane = 0; lane < F32_LANES; lane++) h += (double)lanes[lane];
    j->high[c] += h;
    const double off = ((double)j->slope[c] + j->loose_slope) * w.longest + j->square[c]
        + j->loose_square + w.rest;
    j->off[c] += 2 * off * w.heaviest * (double)points;
}

/* What candidates gain; or only their scores.  All look at a panel while it is in the nearest
   cache. */
static INLINE void weigh_all(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop, int holds) {
    if (j->m == 0) return;
    const ptrdiff_t times = (j->m + ROWS - 1) / ROWS, even = (j->m / 2 + times - 1) / times * 2;
    for (ptrdiff_t c0 = 0; c0 < j->m; c0 += TIMES * even) {
        const ptrdiff_t c1 = j->m - c0 < TIMES * even ? j->m : c0 + TIMES * even;
        for (ptrdiff_t p0 = first; p0 < stop; p0 += FLUSH) {
            const ptrdiff_t p1 = stop - p0 < FLUSH ? stop : p0 + FLUSH;
            f32_v sum[TIMES * ROWS];
            for (ptrdiff_t c = c0; c < c1; c++) sum[c - c0] = f32_set1(0);
            for (ptrdiff_t p = p0; p < p1; p++) {
                const float *next = j->panels + (p + 1) * NR * j->depth;
                for (ptrdiff_t c = c0; c < c1; c += even, next += j->depth * F32_LANES)
                    look_some(j, p, c, c1 - c < even ? c1 - c : even, holds, sum + (c - c0), next);
            }
            if (holds) continue;
            const extremes w = most_of(j, p0, p1);
            for (ptrdiff_t c = c0; c < c1; c++) {
                ptrdiff_t points = 0;
                for (ptrdiff_t p = p0; p < p1; p++) points += POPCOUNT(j->hit[c * j->all + p]);
                add_to(j, w, c, sum[c - c0], points);
            }
        }
    }
}

static void weigh(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop) {
    if (j->held) weigh_all(j, first, stop, 1);
    else weigh_all(j, first, stop, 0);
}

/* Candidate c has become a center: `top` falls where that is nearer, to what its score says from
   below.  `who` is its name there; or DOUBT where the score leaves open whether it is the nearest,
   because the intervals meet: their widths are at most 2 (slope L + square) of it or of a center
   before it, or twice the rest. */
#define DOUBT (-2)
static void outdo(const seeding_job *j, ptrdiff_t panel, ptrdiff_t c, int32_t name) {
    const float off = j->slope[c] * j->longest[panel] + j->square[c];
    const float open = 2.0001f * (off + j->loose_slope * j->longest[panel] + j->loose_square
                                  + j->rest[panel]);
    for (ptrdiff_t at = panel * NR; at < (panel + 1) * NR; at += F32_LANES) {
        const f32_v s = f32_load(j->held + c * j->wide + at), top = f32_load(j->top + at);
        const f32_m nearer = f32_gt(s + top, f32_set1(0));
        if (!f32_bits(nearer)) continue; /* `top` stays, too: -s is no less */
        const f32_i found = f32_iselect(f32_gt(s + top, f32_set1(open)), f32_iset1(name),
                                        f32_iset1(DOUBT));
        f32_istore(j->who + at, f32_iselect(nearer, found, f32_iload(j->who + at)));
        f32_store(j->top + at, f32_min(top, f32_set1(2.0001f * off) - s));
    }
}
#undef DOUBT

static void weigh_held(const seeding_job *j, const int32_t *group, ptrdiff_t count, int32_t last,
                       int32_t name, ptrdiff_t first, ptrdiff_t stop) {
    for (ptrdiff_t p = first; p < stop; p += FLUSH) {
        const ptrdiff_t end = stop - p < FLUSH ? stop : p + FLUSH;
        for (ptrdiff_t panel = p; last >= 0 && panel < end; panel++) outdo(j, panel, last, name);
        const extremes w = most_of(j, p, end);
        for (ptrdiff_t k = 0; k < count; k++) {
            f32_v sum = f32_set1(0);
            ptrdiff_t points = 0;
            for (ptrdiff_t panel = p; panel < end; panel++) {
                const float *held = j->held + group[k] * j->wide + panel * NR;
                const f32_v s0 = f32_load(held), s1 = f32_load(held + F32_LANES);
                points += POPCOUNT(take(j, panel, s0, s1, &sum));
            }
            add_to(j, w, group[k], sum, points);
        }
    }
}

/* ---------------------------------------------------------------- rows here and there
   out[k] = |q - x|^2 for the rows x that `near` names, or for consecutive ones, in the order of
   tile/squared_distance.h: what eight partial sums of each of eight rows come to is summed for all of
   those rows together. */
#if F64_LANES == 8
#define EIGHT 8
#define PAIRS(a, b) (_mm512_unpacklo_pd(a, b) + _mm512_unpackhi_pd(a, b))
#define HALVES(a, b) (_mm512_shuffle_f64x2(a, b, 0x88) + _mm512_shuffle_f64x2(a, b, 0xdd))
static INLINE f64_v sums_of(const f64_v *part) {
    const f64_v ab = PAIRS(part[0], part[1]), cd = PAIRS(part[2], part[3]);
    const f64_v ef = PAIRS(part[4], part[5]), gh = PAIRS(part[6], part[7]);
    return HALVES(HALVES(ab, cd), HALVES(ef, gh));
}
#undef PAIRS
#undef HALVES

#define APART_EIGHT(SRC, NAME, LOAD)                                                               \
    static INLINE void apart_eight_##NAME(const double *q, const SRC *const *x, ptrdiff_t d,        \
                                          double *out) {                                           \
        f64_v part[8];                                                                             \
        double rest[8] = {0, 0, 0, 0, 0, 0, 0, 0};                                                 \
        ptrdiff_t p = 0;                                                                           \
        UNROLL for (int r = 0; r < 8; r++) part[r] = f64_set1(0);                                  \
        for (; p + 8 <= d; p += 8) {                                                               \
            const f64_v at = f64_load(q + p);                                                      \
            UNROLL for (int r = 0; r < 8; r++) {                                                   \
                const f64_v t = at - LOAD(x[r] + p);                                               \
                part[r] = part[r] + t * t;                                                         \
            }                                                                                      \
        }                                                                                          \
        for (; p < d; p++)                                                                         \
            for (int r = 0; r < 8; r++) {                                                          \
                const double t = q[p] - (double)x[r][p];                                           \
                rest[r] += t * t;                                                                  \
            }                                                                                      \
        f64_store(out, f64_load(rest) + sums_of(part));                                            \
    }
APART_EIGHT(double, f64, f64_load)
APART_EIGHT(float, f32, f64_widen)
#undef APART_EIGHT
#else
#define EIGHT 1
#define apart_eight_f64(q, x, d, out) (*(out) = apart_one_f64(q, *(x), d))
#define apart_eight_f32(q, x, d, out) (*(out) = apart_one_f32(q, *(x), d))
#endif

#define ROW(SRC, k) (const SRC *)((const char *)rows + (near ? near[k] : (k)) * step)
#define APART_SOME(SRC, NAME)                                                                      \
    static void apart_some_##NAME(const double *q, const void *rows, ptrdiff_t step,                \
                                  const int32_t *near, ptrdiff_t count, ptrdiff_t d, double *out) { \
        ptrdiff_t k = 0;                                                                           \
        for (; k + EIGHT <= count; k += EIGHT) {                                                   \
            const SRC *x[EIGHT];                                                                   \
            for (int r = 0; r < EIGHT; r++) x[r] = ROW(SRC, k + r);                                \
            apart_eight_##NAME(q, x, d, out + k);                                                  \
        }                                                                                          \
        for (; k < count; k++) out[k] = apart_one_##NAME(q, ROW(SRC, k), d);                       \
    }
APART_SOME(double, f64)
APART_SOME(float, f32)
#undef APART_SOME
static void apart_some_u8(const double *q, const void *rows, ptrdiff_t step, const int32_t *near,
                          ptrdiff_t count, ptrdiff_t d, double *out) {
    for (ptrdiff_t k = 0; k < count; k++) out[k] = apart_one_u8(q, ROW(uint8_t, k), d);
}
#undef ROW
#undef EIGHT

/* In sixteen parts, whatever the lanes. */
static double add_up(const double *closest, const double *weights, ptrdiff_t n) {
    double part[16] = {0};
    ptrdiff_t i = 0;
    if (weights)
        for (; i + 16 <= n; i += 16)
            for (int k = 0; k < 16; k++) part[k] += closest[i + k] * weights[i + k];
    else
        for (; i + 16 <= n; i += 16)
            for (int k = 0; k < 16; k++) part[k] += closest[i + k];
    for (int k = 0; i < n; i++, k++) part[k] += weights ? closest[i] * weights[i] : closest[i];
    for (int half = 8; half; half /= 2)
        for (int k = 0; k < half; k++) part[k] += part[k + half];
    return part[0];
}

const seeding_kernels GLUE(seeding_, LEVEL) = {
    .weigh = weigh, .weigh_held = weigh_held, .add_up = add_up, .apart_f64 = apart_some_f64,
    .apart_f32 = apart_some_f32, .apart_u8 = apart_some_u8};
#undef NR
