/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest centers of a panel of points, comparing only the groups of centers that may hold one
   of them: the group bounds of Yinyang k-means (Ding, Zhao, Shen, Musuvathi, Mytkowicz 2015,
   proceedings.mlr.press/v37/ding15) for tiles.

   GROUP consecutive rows of `a` are a group, and its slack for a panel is a lower bound, over the
   points, of (distance to the nearest of the group) - (distance to the point's own center). While
   it is positive, no point of the panel can belong to the group. A bound on the difference is
   tighter than two separate bounds, as a point far from its own center is mostly far from the
   others too. */

#define NR (2 * LANES)

/* Score the points with some groups: the two largest scores of each point, the row of the largest,
   and for each group the largest score of each point (n, NR). */
static void V(visit)(const REAL *a, ptrdiff_t lda, const REAL *start, const int32_t *group,
                     ptrdiff_t n, const REAL *panel, ptrdiff_t depth, REAL *best, REAL *second,
                     V(int) *index, REAL *peak) {
    V(v) best0 = V(load)(best), best1 = V(load)(best + LANES);
    V(v) second0 = V(load)(second), second1 = V(load)(second + LANES);
    V(i) index0 = V(iload)(index), index1 = V(iload)(index + LANES);
    for (ptrdiff_t q = 0; q < n; q++, peak += NR) {
        const ptrdiff_t r = (ptrdiff_t)group[q] * GROUP;
        V(v) acc[GROUP][2];
        UNROLL for (int i = 0; i < GROUP; i++) acc[i][0] = acc[i][1] = V(set1)(start[r + i]);
        V(multiply_group)(acc, a + r * lda, lda, 1, panel, NR, depth);
        V(v) top0 = acc[0][0], top1 = acc[0][1];
        UNROLL for (int i = 1; i < GROUP; i++) {
            top0 = V(max)(top0, acc[i][0]);
            top1 = V(max)(top1, acc[i][1]);
        }
        V(store)(peak, top0), V(store)(peak + LANES, top1);
        if (!(V(bits)(V(gt)(top0, second0)) | V(bits)(V(gt)(top1, second1)))) continue;
        V(i) here = V(iset1)((V(int))r);
        UNROLL for (int i = 0; i < GROUP; i++) {
            second0 = V(max)(second0, V(min)(best0, acc[i][0]));
            index0 = V(iselect)(V(gt)(acc[i][0], best0), here, index0);
            best0 = V(max)(acc[i][0], best0);
            second1 = V(max)(second1, V(min)(best1, acc[i][1]));
            index1 = V(iselect)(V(gt)(acc[i][1], best1), here, index1);
            best1 = V(max)(acc[i][1], best1);
            here += 1;
        }
    }
    V(store)(best, best0), V(store)(best + LANES, best1);
    V(store)(second, second0), V(store)(second + LANES, second1);
    V(istore)(index, index0), V(istore)(index + LANES, index1);
}

/* Lower the slacks after the centers of group g have moved by drop[g] at most, and the distances of
   the points to their own centers have grown by `rise` at most; list the groups whose slack is no
   longer positive. n is a multiple of LANES. */
static ptrdiff_t V(lower)(REAL *slack, const REAL *drop, ptrdiff_t n, REAL rise, int32_t *group) {
    const V(v) up = V(set1)(rise), zero = V(set1)(0), outward = V(set1)(FLOAT_ROUNDING);
    const V(v) high = V(max)(up, zero - up);
    ptrdiff_t count = 0;
    for (ptrdiff_t g = 0; g < n; g += LANES) {
        const V(v) was = V(load)(slack + g), fall = V(load)(drop + g);
        const V(v) s = was - fall - up - outward * (V(max)(was, zero - was) + fall + high);
        V(store)(slack + g, s);
        const unsigned all = (unsigned)((1ull << LANES) - 1);
        unsigned left = ~V(bits)(V(gt)(s, zero)) & all;
        for (; left; left &= left - 1) group[count++] = (int32_t)(g + LOWEST_BIT(left));
    }
    return count;
}

/* The nearest center of each point of a panel. `own` holds the row of each point's own center so
   far and `upper` a bound on its distance as of the last call; best, second, index and the new
   upper (and a bound on the distance to the other rows looked at) come back, and the groups looked
   at, their number being *n, with the largest scores of each. Returns whether some point's two best
   scores lie too close together. */
static int V(search_groups)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t groups,
                            const REAL *panel, ptrdiff_t depth, const REAL *norm,
                            const double *terms, REAL spread, const REAL *drop, const int32_t *own,
                            REAL *slack, REAL *upper, REAL *lower, REAL *best, REAL *second,
                            V(int) *index, int32_t *group, REAL *peak, ptrdiff_t *n) {
    /* The own groups come first, as they give the distances to the own centers. */
    ptrdiff_t count = 0;
    for (int l = 0; l < NR; l++) {
        const ptrdiff_t g = own[l] / GROUP;
        group[count] = (int32_t)g;
        count += slack[g] != REAL_MAX;
        slack[g] = REAL_MAX; /* so that it is not listed again */
        best[l] = second[l] = -REAL_MAX;
        index[l] = 0;
    }
    V(visit)(a, lda, start, group, count, panel, depth, best, second, index, peak);
    REAL now[NR], rise[NR];
    bound(best, second, norm, NR, terms, spread, now, lower);
    for (int l = 0; l < NR; l++) rise[l] = now[l] - upper[l];
    for (int half = NR / 2; half; half /= 2)
        for (int l = 0; l < half; l++) rise[l] = rise[l] > rise[l + half] ? rise[l] : rise[l + half];

    const ptrdiff_t more = V(lower)(slack, drop, groups, rise[0], group + count);
    V(visit)(a, lda, start, group + count, more, panel, depth, best, second, index,
             peak + count * NR);
    *n = count + more;
    return bound(best, second, norm, NR, terms, spread, upper, lower);
}

/* The slacks of the groups scored, from the largest scores of each: see `bound`. */
static void V(slacken)(const REAL *peak, const int32_t *group, ptrdiff_t n, const REAL *norm,
                       const REAL *upper, const double *terms, REAL spread, REAL *slack) {
    V(v) floor[2], off[2];
    const V(v) zero = V(set1)(0), two = V(set1)(2), inward = V(set1)(1 - 2 * FLOAT_ROUNDING);
    for (int h = 0; h < 2; h++) {
        const V(v) length = V(load)(norm + h * LANES), square = length * length;
        const V(v) doubt = V(set1)((REAL)1.001) * (V(set1)((REAL)terms[1]) * length
            + V(set1)((REAL)terms[2]) + V(set1)((REAL)terms[3]) * square);
        floor[h] = square * V(set1)(1 - 2 * spread) - two * doubt;
        off[h] = V(load)(upper + h * LANES) * V(set1)(1 + FLOAT_ROUNDING)
            + V(set1)(2 * FLOAT_ROUNDING) * length;
    }
    for (ptrdiff_t q = 0; q < n; q += LANES) {
        V(v) r[LANES];
        const int some = n - q < LANES ? (int)(n - q) : LANES;
        for (int i = 0; i < some; i++) {
            const V(v) far0 = V(max)(floor[0] - two * V(load)(peak + (q + i) * NR), zero);
            const V(v) far1 = V(max)(floor[1] - two * V(load)(peak + (q + i) * NR + LANES), zero);
            r[i] = V(min)(V(sqrt)(far0) * inward - off[0], V(sqrt)(far1) * inward - off[1]);
        }
        for (int i = some; i < LANES; i++) r[i] = zero;
#if LANES > 1
        V(transpose)(r);
#endif
        V(v) least = r[0];
        for (int i = 1; i < LANES; i++) least = V(min)(least, r[i]);
        REAL out[LANES];
        V(store)(out, least);
        for (int i = 0; i < some; i++) slack[group[q + i]] = out[i];
    }
}

#undef NR
