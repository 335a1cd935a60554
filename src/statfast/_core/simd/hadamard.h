/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-random rotations H S3 H S2 H S1 x, H the Walsh-Hadamard transform and S a diagonal of
   random signs (Andoni, Indyk, Laarhoven, Razenshteyn & Schmidt 2015, section 6), of the NR points
   of a panel at once, so that nothing moves across lanes; and the vertices of the cross-polytope
   that the results lie near.  No factor 1/sqrt(width) is taken: a unit vector comes out with
   coordinates of variance width^2. */

#define NR (2 * LANES)

/* y = H (s * y) in place: four rows of the butterfly at a time, so half the passes. */
static INLINE void V(hadamard)(REAL *y, ptrdiff_t width, const REAL *s) {
    for (ptrdiff_t p = 0; p < width; p++) {
        const V(v) sign = V(set1)(s[p]);
        V(store)(y + p * NR, sign * V(load)(y + p * NR));
        V(store)(y + p * NR + LANES, sign * V(load)(y + p * NR + LANES));
    }
    ptrdiff_t h = 1;
    for (; 4 * h <= width; h *= 4)
        for (ptrdiff_t i = 0; i < width; i += 4 * h)
            for (REAL *r = y + i * NR; r < y + (i + h) * NR; r += LANES) {
                const V(v) a = V(load)(r), b = V(load)(r + h * NR);
                const V(v) c = V(load)(r + 2 * h * NR), d = V(load)(r + 3 * h * NR);
                const V(v) e = a + b, f = a - b, g = c + d, k = c - d;
                V(store)(r, e + g), V(store)(r + h * NR, f + k);
                V(store)(r + 2 * h * NR, e - g), V(store)(r + 3 * h * NR, f - k);
            }
    if (2 * h <= width)
        for (REAL *r = y; r < y + h * NR; r += LANES) {
            const V(v) a = V(load)(r), b = V(load)(r + h * NR);
            V(store)(r, a + b), V(store)(r + h * NR, a - b);
        }
}

/* A panel of depth numbers, padded with zeros to the width, a power of two, and rotated. */
static void V(rotate)(const REAL *panel, ptrdiff_t depth, ptrdiff_t width, const REAL *signs,
                      REAL *y) {
    memcpy(y, panel, sizeof(REAL) * depth * NR);
    memset(y + depth * NR, 0, sizeof(REAL) * (width - depth) * NR);
    for (int round = 0; round < 3; round++) V(hadamard)(y, width, signs + round * width);
}

/* The largest coordinate in absolute value among the first `width`, and its vertex: twice the
   coordinate, plus one where it is negative; the earliest on ties. */
static void V(vertex)(const REAL *y, ptrdiff_t width, REAL *height, V(int) *vertex) {
    const V(v) zero = V(set1)(0);
    for (ptrdiff_t half = 0; half < NR; half += LANES) {
        V(v) best = V(set1)(-1);
        V(i) at = V(iset1)(0);
        for (ptrdiff_t p = 0; p < width; p++) {
            const V(v) x = V(load)(y + p * NR + half), size = V(max)(zero - x, x);
            const V(i) plus = V(iset1)((V(int))(2 * p)), minus = V(iset1)((V(int))(2 * p + 1));
            const V(m) higher = V(gt)(size, best);
            at = V(iselect)(higher, V(iselect)(V(gt)(zero, x), minus, plus), at);
            best = V(max)(size, best);
        }
        V(store)(height + half, best), V(istore)(vertex + half, at);
    }
}

/* The other vertices at least `level` high: up to `room` of each point, in order of coordinates. */
static void V(rivals)(const REAL *y, ptrdiff_t width, const REAL *level, ptrdiff_t room,
                      V(int) *count, REAL *height, V(int) *vertex) {
    const V(v) zero = V(set1)(0);
    for (ptrdiff_t half = 0; half < NR; half += LANES) {
        const V(v) bar = V(load)(level + half);
        for (ptrdiff_t p = 0; p < width; p++) {
            const V(v) x = V(load)(y + p * NR + half);
            unsigned long long high = V(bits)(V(ge)(V(max)(zero - x, x), bar));
            while (high) {
                const ptrdiff_t l = half + LOWEST_BIT(high);
                high &= high - 1;
                if (count[l] == room) continue;
                const REAL value = y[p * NR + l];
                height[l * room + count[l]] = value < 0 ? -value : value;
                vertex[l * room + count[l]++] = (V(int))(2 * p + (value < 0));
            }
        }
    }
}

#undef NR
