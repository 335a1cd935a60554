/* SPDX-License-Identifier: BSD-3-Clause */
/* Dividing points at a rank along one axis, the step of which the construction of a k-d tree
   consists. The points lie in columns. The division is stable: points that were in the order of
   their numbers stay so, and of points equal to the cut the first go left. */

#include "kdtree/bisect.h"

/* The number of x[:m] that are < cut. */
static ptrdiff_t V(below)(const REAL *x, ptrdiff_t m, REAL cut) {
    V(int) count = 0;
    for (ptrdiff_t i = 0; i < m; i++) count += x[i] < cut;
    return (ptrdiff_t)count;
}

/* Smallest and largest of x[0], x[step], ... */
static INLINE void V(range)(const REAL *x, ptrdiff_t m, ptrdiff_t step, REAL *low, REAL *high) {
    REAL least = x[0], most = x[0];
    if (step == 1 && m >= LANES) {
        V(v) a = V(load)(x), b = a;
        for (ptrdiff_t i = LANES; i < m; i += LANES) {
            const V(v) t = V(load)(x + (i + LANES <= m ? i : m - LANES));
            a = V(min)(a, t);
            b = V(max)(b, t);
        }
        REAL ends[2 * LANES];
        V(store)(ends, a);
        V(store)(ends + LANES, b);
        for (int l = 0; l < LANES; l++) {
            least = ends[l] < least ? ends[l] : least;
            most = ends[LANES + l] > most ? ends[LANES + l] : most;
        }
    } else {
        for (ptrdiff_t i = 0; i < m; i += step) {
            least = x[i] < least ? x[i] : least;
            most = x[i] > most ? x[i] : most;
        }
    }
    *low = least;
    *high = most;
}

/* The number of rank r (from 1) among x[:m], which is reordered: Hoare's selection with the median
   of three as cut, and equal numbers in a third part. */
static REAL V(of_rank)(REAL *x, ptrdiff_t m, ptrdiff_t r) {
    ptrdiff_t first = 0, last = m - 1, wanted = r - 1;
    while (first < last) {
        const REAL a = x[first], b = x[first + (last - first) / 2], c = x[last];
        const REAL cut = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        ptrdiff_t less = first, more = last, i = first;
        while (i <= more) { /* x[first:less] < cut, x[less:i] == cut, x[more + 1:] > cut */
            const REAL t = x[i];
            if (t < cut) x[i++] = x[less], x[less++] = t;
            else if (t > cut) x[i] = x[more], x[more--] = t;
            else i++;
        }
        if (wanted < less) last = less - 1;
        else if (wanted > more) first = more + 1;
        else return cut;
    }
    return x[wanted];
}

#define CUT_SAMPLE 512
#define MAX_BISECTED_POINTS 512 /* up to so many points bisection of all of them is fastest */

/* A cut c such that |{x < c}| <= r <= |{x <= c}|, for 0 < r < m; `work` has room for m numbers. For
   many points a sample gives two numbers that almost surely enclose the cut (Floyd and Rivest 1975,
   doi:10.1145/360680.360691), and only those in between are searched. */
static REAL V(cut)(const REAL *x, ptrdiff_t m, ptrdiff_t r, REAL *work) {
    REAL low, high, cut;
    if (m <= MAX_BISECTED_POINTS) {
        V(range)(x, m, 1, &low, &high);
        cut = V(bisect)(x, m, r, 0, low, high);
        if (cut == cut) return cut;
        memcpy(work, x, (size_t)m * sizeof *x);
        return V(of_rank)(work, m, r);
    }
    REAL sample[CUT_SAMPLE];
    const ptrdiff_t size = m < 16 * CUT_SAMPLE ? CUT_SAMPLE / 4 : CUT_SAMPLE, step = m / size;
    for (ptrdiff_t i = 0; i < size; i++) sample[i] = x[i * step];
    const double at = (double)r / (double)m * (double)size;
    const double off = 1.5 + 1.2 * sqrt((double)size);
    REAL ends[2];
    for (int side = 0; side < 2; side++) {
        const double rank = side ? at + off : at - off;
        ends[side] = side ? REAL_MAX : -REAL_MAX;
        if (rank >= 1 && rank <= (double)size)
            ends[side] = V(of_rank)(sample, size, (ptrdiff_t)rank);
    }
    low = ends[0];
    high = ends[1];
    ptrdiff_t below = 0, held = 0;
    for (ptrdiff_t i = 0; i + LANES <= m; i += LANES) {
        const V(v) t = V(load)(x + i);
        const unsigned over = V(bits)(V(ge)(t, V(set1)(low)));
        const unsigned past = V(bits)(V(gt)(t, V(set1)(high)));
        below += LANES - POPCOUNT(over);
        V(keep)(work + held, over & ~past, x + i);
        held += POPCOUNT(over & ~past);
    }
    for (ptrdiff_t i = m - m % LANES; i < m; i++) {
        below += x[i] < low;
        work[held] = x[i];
        held += x[i] >= low && x[i] <= high;
    }
    if (r <= below || r > below + held) { /* the sample has not enclosed the cut */
        memcpy(work, x, (size_t)m * sizeof *x);
        return V(of_rank)(work, m, r);
    }
    V(range)(work, held, 1, &low, &high);
    cut = V(bisect)(work, held, r - below, 0, low, high);
    return cut == cut ? cut : V(of_rank)(work, held, r - below);
}

/* Divide the points in the columns from[:, :m], ld numbers apart: the first r in the order of
   (column `axis`, place) go to to[:, :r] and the others to to[:, r:m], in their order; numbers
   alike. */
static void V(divide)(const REAL *from, REAL *to, const int32_t *from_id, int32_t *to_id,
                      ptrdiff_t ld, ptrdiff_t d, ptrdiff_t m, ptrdiff_t r, ptrdiff_t axis,
                      REAL *work) {
    const REAL *x = from + axis * ld;
    const REAL cut = V(cut)(x, m, r, work);
    const V(v) bar = V(set1)(cut);
    ptrdiff_t left = 0, i = 0, ties = r - V(below)(x, m, cut); /* of the equal ones, so many go
    left */
    const unsigned all = (unsigned)(((uint64_t)1 << LANES) - 1);
    for (; i + LANES <= m; i += LANES) {
        const V(v) t = V(load)(x + i);
        const unsigned under = all & ~V(bits)(V(ge)(t, bar)), past = V(bits)(V(gt)(t, bar));
        unsigned equal = all & ~(under | past), goes = under;
        for (; ties > 0 && equal; equal &= equal - 1, ties--) goes |= equal & -equal;
        const ptrdiff_t right = r + i - left;
        if (left + LANES <= r && right + LANES <= m) {
            for (ptrdiff_t p = 0; p < d; p++) {
                V(keep)(to + p * ld + left, goes, from + p * ld + i);
                V(keep)(to + p * ld + right, all & ~goes, from + p * ld + i);
            }
            V(keep_id)(to_id + left, goes, from_id + i);
            V(keep_id)(to_id + right, all & ~goes, from_id + i);
        } else { /* a whole vector would exceed the end */
            for (ptrdiff_t p = 0; p < d; p++) {
                V(keep_only)(to + p * ld + left, goes, from + p * ld + i);
                V(keep_only)(to + p * ld + right, all & ~goes, from + p * ld + i);
            }
            V(keep_only_id)(to_id + left, goes, from_id + i);
            V(keep_only_id)(to_id + right, all & ~goes, from_id + i);
        }
        left += POPCOUNT(goes);
    }
    for (; i < m; i++) {
        const ptrdiff_t goes = x[i] < cut || (x[i] == cut && ties > 0);
        const ptrdiff_t at = goes ? left : r + i - left;
        ties -= goes && x[i] == cut;
        for (ptrdiff_t p = 0; p < d; p++) to[p * ld + at] = from[p * ld + i];
        to_id[at] = from_id[i];
        left += goes;
    }
}

/* The column in which a sample of the points in columns x[:, :m] spreads most; ties go to the
   first. */
static ptrdiff_t V(widest)(const REAL *x, ptrdiff_t ld, ptrdiff_t d, ptrdiff_t m) {
    const ptrdiff_t step = m <= MAX_BISECTED_POINTS ? 1 : m / 256;
    ptrdiff_t axis = 0;
    REAL best = -1;
    for (ptrdiff_t p = 0; p < d; p++) {
        REAL low, high;
        V(range)(x + p * ld, m, step, &low, &high);
        if (high / 2 - low / 2 > best) {
            best = high / 2 - low / 2;
            axis = p;
        }
    }
    return axis;
}

/* Write a leaf of the tree: the m <= leaf points in columns x[:, :m] as a block of (d, leaf)
   numbers, and lane `lane` of the boxes (d, 2, lanes) of its group. Block and numbers are filled up
   already. */
static void V(seal)(const REAL *x, const int32_t *id, ptrdiff_t ld, ptrdiff_t d, ptrdiff_t m,
                    ptrdiff_t leaf, REAL *block, int32_t *block_id, REAL *box, ptrdiff_t lanes) {
    for (ptrdiff_t p = 0; p < d; p++, x += ld, block += leaf, box += 2 * lanes) {
        memcpy(block, x, (size_t)m * sizeof *x);
        V(range)(x, m, 1, box, box + lanes);
    }
    memcpy(block_id, id, (size_t)m * sizeof *id);
}
#undef CUT_SAMPLE
#undef MAX_BISECTED_POINTS
