/* SPDX-License-Identifier: BSD-3-Clause */
/* The k-nearest-neighbor search of a panel of points: the scores that have to be kept.
   The struct is described in tile/table.h, the error terms in tile/product/tile.h and
   tile/product/tile_bytes.h. */

#define NR (2 * LANES)

/* A number that at least k of n numbers (k >= 1) reach, and hardly more than k, by bisection: its
   counts are straight vector code, where a selection would mispredict its branches. */
static REAL V(cut_reached)(const REAL *x, ptrdiff_t n, ptrdiff_t k) {
    REAL low = x[0], high = x[0];
    for (ptrdiff_t c = 1; c < n; c++) {
        low = x[c] < low ? x[c] : low;
        high = x[c] > high ? x[c] : high;
    }
    for (int round = 0; round < 14; round++) {
        const REAL middle = low + (high - low) / 2;
        V(int) reached = 0;
        for (ptrdiff_t c = 0; c < n; c++) reached += x[c] >= middle;
        if (reached >= k) low = middle;
        else high = middle;
        if (reached == k) break;
    }
    return low;
}

/* A bound on the error of the score of a row of this norm and point l. */
static INLINE REAL V(doubt)(const V(search) *s, ptrdiff_t l, REAL norm) {
    return s->slope[l] * norm + s->square * norm * norm + s->slack[l];
}

/* The scores that rows of norms up to g must reach to be candidates for the points l, l + 1, ... */
static INLINE V(v) V(bar)(const V(search) *s, ptrdiff_t l, V(v) g) {
    const V(v) least = V(load)(s->level + l) - V(load)(s->slack + l);
    return least - V(load)(s->slope + l) * g - V(set1)(s->square) * g * g;
}

/* Keep those candidates of point l that may be among its k nearest, and raise its level, a score
   that the lower bounds of at least k candidates reach. A point with too many near ties is given up
   (count -1) and left to the caller. */
static void V(prune)(V(search) *s, ptrdiff_t l) {
    REAL *score = s->score + l * s->capacity;
    int32_t *row = s->row + l * s->capacity;
    const ptrdiff_t n = s->count[l];
    if (n < s->k) return;
    for (ptrdiff_t c = 0; c < n; c++) {
        const REAL doubt = V(doubt)(s, l, s->row_norm[row[c]]);
        s->low[c] = score[c] - doubt;
        s->high[c] = score[c] + doubt;
    }
    const REAL level = V(cut_reached)(s->low, n, s->k);
    if (level > s->level[l]) s->level[l] = level;
    ptrdiff_t kept = 0;
    for (ptrdiff_t c = 0; c < n; c++) {
        score[kept] = score[c];
        row[kept] = row[c];
        kept += s->high[c] >= s->level[l];
    }
    s->count[l] = (int32_t)kept;
    const ptrdiff_t spare = kept / 2 > s->spare ? kept / 2 : s->spare;
    s->full[l] = (int32_t)(kept + spare < s->capacity ? kept + spare : s->capacity);
    if (kept + s->spare / 4 >= s->capacity) {
        s->count[l] = -1;
        s->level[l] = REAL_MAX;
    }
}

/* Take the rows of one tile whose scores reach the bounds of their points as candidates. */
static INLINE void V(offer)(V(search) *s, ptrdiff_t point, V(v) acc[ROWS][2], V(v) bar0, V(v) bar1,
                            ptrdiff_t first, ptrdiff_t rows) {
    V(v) top0 = acc[0][0], top1 = acc[0][1];
    UNROLL for (int i = 1; i < ROWS; i++) {
        top0 = V(max)(top0, acc[i][0]);
        top1 = V(max)(top1, acc[i][1]);
    }
    if (!(V(bits)(V(ge)(top0, bar0)) | V(bits)(V(ge)(top1, bar1)))) return;

    REAL tile[ROWS * NR];
    UNROLL for (int i = 0; i < ROWS; i++) {
        V(store)(tile + i * NR, acc[i][0]);
        V(store)(tile + i * NR + LANES, acc[i][1]);
    }
    for (ptrdiff_t i = 0; i < rows; i++) {
        const REAL *scores = tile + i * NR;
        uint64_t hits = (uint64_t)V(bits)(V(ge)(V(load)(scores), bar0))
                        | (uint64_t)V(bits)(V(ge)(V(load)(scores + LANES), bar1)) << LANES;
        for (; hits; hits &= hits - 1) {
            const ptrdiff_t lane = LOWEST_BIT(hits), l = point + lane;
            if (s->count[l] < 0) continue;
            if (s->part && s->part[l] == s->row_part[first + i]) continue;
            const ptrdiff_t at = l * s->capacity + s->count[l]++;
            s->score[at] = scores[lane];
            s->row[at] = (int32_t)(first + i);
            if (s->count[l] >= s->full[l]) V(prune)(s, l);
        }
    }
}

#undef NR
