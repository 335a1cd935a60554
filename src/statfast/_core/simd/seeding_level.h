/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of seeding.pyx: bounds on what candidates for the next centre gain.

   A candidate a lowers the potential of point b, whose nearest centre so far is sqrt(c) away, by
       g = c - |a - b|^2 = 2 (s(a, b) + t),   t = (c - |b|^2) / 2,
   if that is positive.  The score s is made as in tile.h and is good to
       slope |b| + square + delta |b|^2,
   slope and square being those of this a; t is made in double and rounded to float.  `start` holds
   -|a|^2/2 + square and `top` holds t + r, r >= delta |b|^2 and all that is lost in t and in the sums
   below (seeding.pyx), so that
       h = s + square + slope |b| + t + r >= g/2 >= h - 2 (slope |b| + square + r).
   Where h is not positive the candidate gains nothing.  Over all points the positive parts of h add up
   to an upper bound on what it gains, and less the widths of those intervals, for which the largest of
   FLUSH panels stands, to a lower one.  They are summed in float over so many panels at most, which
   errs by less than one part in 1e5. */

#include "seeding_kernels.h"

#define NR (2 * F32_LANES)
#define FLUSH 32
#define MOST 16 /* candidates looked at together, at most */

/* What the scores of candidate c with the points of a panel, from above, say of its gain. */
static INLINE unsigned take(const seeding_job *j, ptrdiff_t panel, f32_v s0, f32_v s1, float *high,
                            uint32_t *points) {
    const float *top = j->top + panel * NR;
    const f32_v zero = f32_set1(0);
    const f32_v high0 = f32_max(s0 + f32_load(top), zero);
    const f32_v high1 = f32_max(s1 + f32_load(top + F32_LANES), zero);
    const unsigned bits = f32_bits(f32_gt(high0, zero))
        | f32_bits(f32_gt(high1, zero)) << F32_LANES;
    *points += (uint32_t)POPCOUNT(bits);
    f32_v sum = f32_load(high);
    if (j->weight) {
        const float *w = j->weight + panel * NR;
        sum = f32_fma(high0, f32_load(w), f32_fma(high1, f32_load(w + F32_LANES), sum));
    } else {
        sum = sum + high0 + high1;
    }
    f32_store(high, sum);
    return bits;
}

static INLINE void gain(const seeding_job *j, ptrdiff_t panel, ptrdiff_t c0, int count,
                        float (*high)[F32_LANES], uint32_t *points) {
    f32_v acc[MOST][2];
    const float *b = j->panels + panel * NR * j->depth, *a = j->a + c0 * j->lda;
    UNROLL for (int i = 0; i < count; i++) acc[i][0] = acc[i][1] = f32_set1(j->start[c0 + i]);
    for (ptrdiff_t p = 0; p < j->depth; p++, b += NR) {
        const f32_v b0 = f32_load(b), b1 = f32_load(b + F32_LANES);
        UNROLL for (int i = 0; i < count; i++) {
            const f32_v ai = f32_set1(a[i * j->lda + p]);
            acc[i][0] = f32_fma(ai, b0, acc[i][0]);
            acc[i][1] = f32_fma(ai, b1, acc[i][1]);
        }
    }
    const f32_v norm0 = f32_load(j->norm + panel * NR);
    const f32_v norm1 = f32_load(j->norm + panel * NR + F32_LANES);
    UNROLL for (int i = 0; i < count; i++) {
        const f32_v slope = f32_set1(j->slope[c0 + i]);
        const f32_v s0 = f32_fma(slope, norm0, acc[i][0]), s1 = f32_fma(slope, norm1, acc[i][1]);
        if (j->held) {
            float *held = j->held + (c0 + i) * j->wide + panel * NR;
            f32_store(held, s0), f32_store(held + F32_LANES, s1);
        } else {
            j->hit[(c0 + i) * j->all + panel] = take(j, panel, s0, s1, high[i], points + i);
        }
    }
}

/* Take the sums of some panels into what candidate c gains. */
static void add_to(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop, ptrdiff_t c,
                   const float *high, uint32_t points) {
    float longest = 0, rest = 0, heaviest = 0;
    for (ptrdiff_t p = first; p < stop; p++) {
        longest = j->longest[p] > longest ? j->longest[p] : longest;
        rest = j->rest[p] > rest ? j->rest[p] : rest;
        heaviest = j->heaviest[p] > heaviest ? j->heaviest[p] : heaviest;
    }
    double h = 0;
    for (int lane = 0; lane < F32_LANES; lane++) h += (double)high[lane];
    j->high[c] += h;
    const double width = ((double)j->slope[c] + j->loose_slope) * longest + j->square[c]
        + j->loose_square + rest;
    j->off[c] += 2 * width * heaviest * points;
}

/* `gain` over some panels, for a number of candidates that the compiler knows. */
static INLINE void gain_of(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop, ptrdiff_t c0,
                           int count) {
    float high[MOST][F32_LANES];
    uint32_t points[MOST];
    memset(high, 0, sizeof high);
    memset(points, 0, sizeof points);
    for (ptrdiff_t p = first; p < stop; p++) gain(j, p, c0, count, high, points);
    for (int i = 0; i < count; i++) add_to(j, first, stop, c0 + i, high[i], points[i]);
}

static void weigh(const seeding_job *j, ptrdiff_t first, ptrdiff_t stop) {
    /* All candidates look at a panel while it is in cache: some panels at a time. */
    const ptrdiff_t times = (j->m + ROWS - 1) / ROWS, even = (j->m / 2 + times - 1) / times * 2;
    for (ptrdiff_t p = first; p < stop; p += FLUSH) {
        const ptrdiff_t end = stop - p < FLUSH ? stop : p + FLUSH;
        for (ptrdiff_t c = 0; c < j->m; c += even) {
            const ptrdiff_t count = j->m - c < even ? j->m - c : even;
#define OF(COUNT) case COUNT: gain_of(j, p, end, c, COUNT); break;
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
    }
}

/* Candidate c has become a centre: `top` falls where that is nearer, to what its score says from
   below.  `who` is its name there; or DOUBT where the score leaves open whether it is the nearest,
   because the intervals meet: their widths are at most 2 (slope |b| + square) of it or of a centre
   before it, or twice the rest. */
#define DOUBT (-2)
static void outdo(const seeding_job *j, ptrdiff_t panel, ptrdiff_t c, int32_t name) {
    const float open = 2.0001f * ((j->slope[c] + j->loose_slope) * j->longest[panel] + j->square[c]
                                  + j->loose_square + j->rest[panel]);
    const f32_v slope = f32_set1(2 * j->slope[c]), square = f32_set1(2 * j->square[c]);
    for (ptrdiff_t at = panel * NR; at < (panel + 1) * NR; at += F32_LANES) {
        const f32_v s = f32_load(j->held + c * j->wide + at), top = f32_load(j->top + at);
        const f32_m nearer = f32_gt(s + top, f32_set1(0));
        if (!f32_bits(nearer)) continue; /* `top` stays, too: -s is no less */
        const f32_i found = f32_iselect(f32_gt(s + top, f32_set1(open)), f32_iset1(name),
                                        f32_iset1(DOUBT));
        f32_istore(j->who + at, f32_iselect(nearer, found, f32_iload(j->who + at)));
        f32_store(j->top + at, f32_min(top, f32_fma(slope, f32_load(j->norm + at), square) - s));
    }
}
#undef DOUBT

static void weigh_held(const seeding_job *j, const int32_t *group, ptrdiff_t count, int32_t last,
                       int32_t name, ptrdiff_t first, ptrdiff_t stop) {
    for (ptrdiff_t p = first; p < stop; p += FLUSH) {
        const ptrdiff_t end = stop - p < FLUSH ? stop : p + FLUSH;
        for (ptrdiff_t panel = p; last >= 0 && panel < end; panel++) outdo(j, panel, last, name);
        for (ptrdiff_t k = 0; k < count; k++) {
            float high[F32_LANES] = {0};
            uint32_t points = 0;
            for (ptrdiff_t panel = p; panel < end; panel++) {
                const float *held = j->held + group[k] * j->wide + panel * NR;
                take(j, panel, f32_load(held), f32_load(held + F32_LANES), high, &points);
            }
            add_to(j, p, end, group[k], high, points);
        }
    }
}

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
    .weigh = weigh, .weigh_held = weigh_held, .add_up = add_up};
#undef NR
