/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of kmeans/seeding.pyx: bounds on what candidates for the next center
   gain.

   A candidate a lowers the potential of point b, whose nearest center so far is sqrt(c) away, by
       g = c - |a - b|^2 = 2 (s(a, b) + t),   t = (c - |b|^2) / 2,
   if that is positive.  The score s is made as in tile/product/tile.h; its error is at most
       slope |b| + square + delta |b|^2,
   where slope and square are those of this a; t is computed in double and rounded to float.
   `start` holds -|a|^2/2 + square and `top` holds t + r, where r bounds delta |b|^2 and the
   rounding of t and of the sums below (`approach` in kmeans/seeding.pyx).  With the largest |b| of
   the panel, L,
       h = s + square + slope L + t + r >= g/2 >= h - 2 (slope L + square + r).
   Where h is not positive the candidate gains nothing.  Over all points the positive parts of h add
   up to an upper bound of its gain.  Less the widths of these intervals, each replaced by the
   largest of ROWS_PER_FLUSH panels, they add up to a lower bound.  They are summed in float over as
   many panels at most, with a relative error below 1e-5. */

#include "kmeans/seeding_table.h"

#define NR (2 * F32_LANES)
#define ROWS_PER_FLUSH 32

/* Score some candidates with the points of a panel: the points that each may gain, and how much. */
static INLINE void weigh_candidates(const seeding_rows *r, ptrdiff_t panel, ptrdiff_t c0, int count,
                        f32_v *sum) {
    f32_v acc[ROWS][2];
    const float *b = r->panels + panel * NR * r->depth, *a = r->a + c0, *top = r->top + panel * NR;
    for (int i = 0; i < count; i++)
        acc[i][0] = acc[i][1] = f32_set1(r->start[c0 + i] + r->slope[c0 + i] * r->longest[panel]);
    for (ptrdiff_t p = 0; p < r->depth; p++, a += r->m, b += NR) {
        const f32_v b0 = f32_load(b), b1 = f32_load(b + F32_LANES);
        UNROLL for (int i = 0; i < count; i++) {
            const f32_v ai = f32_set1(a[i]);
            acc[i][0] = f32_fma(ai, b0, acc[i][0]);
            acc[i][1] = f32_fma(ai, b1, acc[i][1]);
        }
    }
    const f32_v top0 = f32_load(top), top1 = f32_load(top + F32_LANES);
    f32_v w0 = f32_set1(1), w1 = w0;
    if (r->weight)
        w0 = f32_load(r->weight + panel * NR), w1 = f32_load(r->weight + panel * NR + F32_LANES);
    UNROLL for (int i = 0; i < count; i++) {
        const f32_v h0 = acc[i][0] + top0, h1 = acc[i][1] + top1;
        const f32_m some0 = f32_gt(h0, f32_set1(0)), some1 = f32_gt(h1, f32_set1(0));
        sum[i] = f32_add_if(some1, f32_add_if(some0, sum[i], h0 * w0), h1 * w1);
        r->hit[(c0 + i) * r->all + panel] = f32_bits(some0) | f32_bits(some1) << F32_LANES;
    }
}

/* The same for a number of candidates that is not a compile-time constant. */
static INLINE void weigh_any_count(const seeding_rows *r, ptrdiff_t panel, ptrdiff_t c0,
                                  ptrdiff_t count,
                             f32_v *sum) {
#define OF(COUNT) case COUNT: weigh_candidates(r, panel, c0, COUNT, sum); break;
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

static void weigh(const seeding_rows *r, ptrdiff_t first, ptrdiff_t stop, double *high, double *off,
                  double *points) {
    const ptrdiff_t m = r->m, times = (m + ROWS - 1) / ROWS, even = (m / 2 + times - 1) / times * 2;
    for (ptrdiff_t p0 = first; p0 < stop; p0 += ROWS_PER_FLUSH) {
        const ptrdiff_t p1 = stop - p0 < ROWS_PER_FLUSH ? stop : p0 + ROWS_PER_FLUSH;
        f32_v sum[SEEDING_MAX_CANDIDATES];
        float longest = 0, rest = 0, heaviest = 0;
        for (ptrdiff_t c = 0; c < m; c++) sum[c] = f32_set1(0);
        for (ptrdiff_t p = p0; p < p1; p++) {
            for (ptrdiff_t c = 0; c < m; c += even)
                weigh_any_count(r, p, c, m - c < even ? m - c : even, sum + c);
            longest = r->longest[p] > longest ? r->longest[p] : longest;
            rest = r->rest[p] > rest ? r->rest[p] : rest;
            heaviest = r->heaviest[p] > heaviest ? r->heaviest[p] : heaviest;
        }
        for (ptrdiff_t c = 0; c < m; c++) {
            float lanes[F32_LANES];
            f32_store(lanes, sum[c]);
            for (int lane = 0; lane < F32_LANES; lane++) high[c] += (double)lanes[lane];
            ptrdiff_t count = 0;
            for (ptrdiff_t p = p0; p < p1; p++) count += POPCOUNT(r->hit[c * r->all + p]);
            points[c] += (double)count;
            off[c] += 2 * ((double)r->slope[c] * longest + r->square[c] + rest) * heaviest
                * (double)count;
        }
    }
}

const seeding_kernels GLUE(seeding_, LEVEL) = {.weigh = weigh};
#undef NR
