/* SPDX-License-Identifier: BSD-3-Clause */
/* The register tile, and the epilogues that process it while it is in registers.

   Most dense loops of the package are block products of whose result little is kept: the nearest
   center, the k nearest rows, a kernel value.  The product is therefore made one tile at a time,
   ROWS rows of `a` by NR = 2 LANES columns of a packed panel, and each epilogue reads the tile
   while it is still in registers (the idea of GSKNN: Yu, Huang, Austin, Xiao, Biros 2015,
   doi:10.1145/2807591.2807601; the blocking is that of Goto & van de Geijn 2008,
   doi:10.1145/1356052.1356053).

   Layouts.  `a` holds rows of depth numbers, `lda` apart, padded with any finite rows to a multiple
   of ROWS; nothing is transposed, so float rows can be used where they lie.  A panel holds NR
   points feature by feature: point l's feature p at panel[p * NR + l].

   Every distance is made as its score
       s(a, b) = a.b - |a|^2/2,    |a - b|^2 = |b|^2 - 2 s(a, b),
   the accumulators starting at start[i] = -|a_i|^2/2 (a padding row starts at -infinity).  The
   nearest a has the largest score, and all epilogues work down the columns of the tile: nothing is
   ever added or compared across lanes.

   The error of a score.  Let u be the unit roundoff of REAL and let a, b be the exact rows less the
   common origin, times the common power of two; the rows in memory are a(1+e), |e| <= u(1 + 2^-20)
   (one subtraction in double or float, one rounding).  Then
     rounding the rows moves a.b by at most (2u + ..)|a||b| (Cauchy-Schwarz) and |a|^2/2 by
       (2u + ..)|a|^2/2; start is summed in double and rounded once: u |a|^2/2;
     a chain of d multiply-adds from start errs by at most gamma_{d+1} (|a|^2/2 + |a||b|),
       gamma_n = nu/(1 - nu) (Higham 2002, doi:10.1137/1.9780898718027, section 3.1; d+1 because
       without FMA the product is rounded as well).
   Together |s~ - s| <= kappa (|a||b| + |a|^2/2) + tau with kappa = 1.02 u (d + 8) while d u < 0.01,
   where 1.02 also covers that norms are computed ones.  The errors above add up to d + 4 units; the
   other four cover the rounding of the bounds computed from s~ (tile/product/top_k.h).  The
   reference order is that of the squared distances summed in double by differences, whose error,
   (d + 4) 2^-53 (|a|^2 + |b|^2) in units of the score, is added.  With g the largest |a| of a group
   of rows the error of every score of point b is then at most
       slope(b) g + square g^2 + slack(b),
       slope(b) = kappa |b|,  square = kappa/2 + delta,  slack(b) = delta |b|^2 + tau,
   delta = (d + 4) 2^-53.

   tau covers underflow.  The data are scaled to |a_p| of about 1 (bytes: up to 128) and |b| < 2^50.
   In float, rows and products lose 2^-150 a number, which moves a score
   by up to (d + 8) 2^-100; and squares lose so much that a computed |b| may be sqrt(d) 2^-74 short,
   which is u (d + 8) 128 d 2^-74 of slope(b) g: tau = (d + 8)^2 2^-90 covers both.  In double,
   where the square that is lost is 2^-1075 and |b| < 2^400, it is (d + 8)^2 2^-580.  Squares of
   differences in double are summed in the unscaled units; they lose up to 2^-1075 each, in units of
   the score at most d (scale 2^-537)^2 together: that is added to tau. */

#define NR (2 * LANES)

/* Numbers of a panel between a prefetch and its use. Where a is few rows, a wide panel is waited
   for longer than it is multiplied: with the prefetch k-means of 60 000 x 784 and 10 centers is
   1.27 times as fast (suite kmeans), tiles 1500 wide 1.2 times (suite tiles). The end may lie
   beyond the panel, which a prefetch does not mind. */
#define NUMBERS_AHEAD (16 * NR)

/* acc[i][.] += sum over p of a[i * row + p * step] * b[p * ldb ..], for all rows of a tile or for
   those of a group. */
#define MULTIPLY(NAME, COUNT)                                                                      \
    static INLINE void V(NAME)(V(v) acc[COUNT][2], const REAL *a, ptrdiff_t row, ptrdiff_t step,   \
                               const REAL *b, ptrdiff_t ldb, ptrdiff_t depth) {                    \
        for (ptrdiff_t p = 0; p < depth; p++) {                                                    \
            const V(v) b0 = V(load)(b), b1 = V(load)(b + LANES);                                   \
            FETCH(b + NUMBERS_AHEAD), FETCH(b + LANES + NUMBERS_AHEAD);                            \
            UNROLL for (int i = 0; i < COUNT; i++) {                                               \
                const V(v) ai = V(set1)(a[i * row]);                                               \
                acc[i][0] = V(fma)(ai, b0, acc[i][0]);                                             \
                acc[i][1] = V(fma)(ai, b1, acc[i][1]);                                             \
            }                                                                                      \
            a += step;                                                                             \
            b += ldb;                                                                              \
        }                                                                                          \
    }
MULTIPLY(multiply, ROWS)
MULTIPLY(multiply_group, GROUP)
#undef MULTIPLY

/* The same for a panel of halves, which takes half as long to read from memory. Elsewhere there
   are none. */
static INLINE void V(multiply_halves)(V(v) acc[ROWS][2], const REAL *a, ptrdiff_t row,
                                      const uint16_t *b, ptrdiff_t depth) {
#if REAL_BITS == 32 && defined(f32_load_half)
    for (ptrdiff_t p = 0; p < depth; p++, a++, b += NR) {
        const V(v) b0 = V(load_half)(b), b1 = V(load_half)(b + LANES);
        FETCH(b + 2 * NUMBERS_AHEAD);
        UNROLL for (int i = 0; i < ROWS; i++) {
            const V(v) ai = V(set1)(a[i * row]);
            acc[i][0] = V(fma)(ai, b0, acc[i][0]);
            acc[i][1] = V(fma)(ai, b1, acc[i][1]);
        }
    }
#else
    (void)acc, (void)a, (void)row, (void)b, (void)depth;
#endif
}

static INLINE void V(scores)(V(v) acc[ROWS][2], const REAL *a, ptrdiff_t lda, const REAL *start,
                             const REAL *panel, ptrdiff_t depth) {
    UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = V(set1)(start[i]);
    V(multiply)(acc, a, lda, 1, panel, NR, depth);
}

/* Arg-min epilogue: the largest score of each point over n rows, and its row, the earliest on
   ties. */
static void V(largest)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t n,
                       const REAL *panel, ptrdiff_t depth, ptrdiff_t first,
                       REAL *best, V(int) *index) {
    V(v) best0 = V(load)(best), best1 = V(load)(best + LANES);
    V(i) index0 = V(iload)(index), index1 = V(iload)(index + LANES);
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        V(v) acc[ROWS][2];
        V(scores)(acc, a + r * lda, lda, start + r, panel, depth);
        V(i) here = V(iset1)((V(int))(first + r));
        UNROLL for (int i = 0; i < ROWS; i++) {
            index0 = V(iselect)(V(gt)(acc[i][0], best0), here, index0);
            best0 = V(max)(acc[i][0], best0);
            index1 = V(iselect)(V(gt)(acc[i][1], best1), here, index1);
            best1 = V(max)(acc[i][1], best1);
            here += 1;
        }
    }
    V(store)(best, best0), V(store)(best + LANES, best1);
    V(istore)(index, index0), V(istore)(index + LANES, index1);
}

/* Top-2 epilogue: the same with the second largest score, from which the certainty of the first
   follows. */
static INLINE void V(two_largest)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t n,
                                  const void *panel, const int halves, ptrdiff_t depth,
                                  ptrdiff_t first, REAL *best, REAL *second, V(int) *index) {
    V(v) best0 = V(load)(best), best1 = V(load)(best + LANES);
    V(v) second0 = V(load)(second), second1 = V(load)(second + LANES);
    V(i) index0 = V(iload)(index), index1 = V(iload)(index + LANES);
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        V(v) acc[ROWS][2];
        UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = V(set1)(start[r + i]);
        if (halves) V(multiply_halves)(acc, a + r * lda, lda, panel, depth);
        else V(multiply)(acc, a + r * lda, lda, 1, panel, NR, depth);
        V(i) here = V(iset1)((V(int))(first + r));
        UNROLL for (int i = 0; i < ROWS; i++) {
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

static void V(largest_two)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t n,
                           const REAL *panel, ptrdiff_t depth, ptrdiff_t first,
                           REAL *best, REAL *second, V(int) *index) {
    V(two_largest)(a, lda, start, n, panel, 0, depth, first, best, second, index);
}

#if REAL_BITS == 32 && defined(f32_load_half)
static void f32_largest_two_of_halves(const float *a, ptrdiff_t lda, const float *start,
                                      ptrdiff_t n, const uint16_t *panel, ptrdiff_t depth,
                                      ptrdiff_t first, float *best, float *second,
                                      int32_t *index) {
    f32_two_largest(a, lda, start, n, panel, 1, depth, first, best, second, index);
}

/* A panel of n numbers, each rounded to a half. */
static void f32_halve(const float *panel, ptrdiff_t n, uint16_t *halves) {
    for (ptrdiff_t i = 0; i < n; i += LANES) f32_store_half(halves + i, f32_load(panel + i));
}
#define OF_HALVES .halve = f32_halve, .largest_two_of_halves = f32_largest_two_of_halves,
#elif REAL_BITS == 32
#define OF_HALVES
#endif

/* Threshold-and-append epilogue: every row whose score may still be among the k largest of point
   l of the panel becomes one of its candidates.  `reach` holds the largest |a| of each group. */
static void V(collect)(const REAL *a, ptrdiff_t lda, const REAL *start, const REAL *reach,
                       ptrdiff_t n, const REAL *panel, ptrdiff_t depth, ptrdiff_t first,
                       V(search) *s, ptrdiff_t point) {
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        V(v) acc[ROWS][2];
        V(scores)(acc, a + r * lda, lda, start + r, panel, depth);
        const V(v) g = V(set1)(reach[r / ROWS]);
        V(offer)(s, point, acc, V(bar)(s, point, g), V(bar)(s, point + LANES, g), first + r,
                 n - r < ROWS ? n - r : ROWS);
    }
}

/* Store epilogue: out[i, l] = f(tile), rows of a down, points of the panel across.  The scores
   start at start[i] + across[l], so that with both halves given they are -|a - b|^2 / 2. */
static INLINE V(v) V(shape)(V(v) x, int kind, V(v) gamma) {
    const V(v) zero = V(set1)(0);
    if (kind == STORE_SCORE) return x;
    x = V(max)(zero - x - x, zero);
    if (kind == STORE_SQUARED) return x;
    if (kind == STORE_DISTANCE) return V(sqrt)(x);
    return V(exp)(zero - gamma * x);
}

static INLINE void V(store_as)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t n,
                               const REAL *panel, const REAL *across, ptrdiff_t depth,
                               int kind, REAL gamma, REAL *out, ptrdiff_t ldo, ptrdiff_t columns) {
    const V(v) rate = V(set1)(gamma), across0 = V(load)(across), across1 = V(load)(across + LANES);
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        V(v) acc[ROWS][2];
        UNROLL for (int i = 0; i < ROWS; i++) {
            acc[i][0] = V(set1)(start[r + i]) + across0;
            acc[i][1] = V(set1)(start[r + i]) + across1;
        }
        V(multiply)(acc, a + r * lda, lda, 1, panel, NR, depth);
        REAL tile[ROWS * NR];
        UNROLL for (int i = 0; i < ROWS; i++) {
            V(store)(tile + i * NR, acc[i][0]);
            V(store)(tile + i * NR + LANES, acc[i][1]);
        }
        const ptrdiff_t rows = n - r < ROWS ? n - r : ROWS;
        for (ptrdiff_t i = 0; i < rows; i++) {
            REAL *from = tile + i * NR, *to = out + (r + i) * ldo;
            const V(v) y0 = V(shape)(V(load)(from), kind, rate);
            const V(v) y1 = V(shape)(V(load)(from + LANES), kind, rate);
            if (columns == NR) {
                V(store)(to, y0), V(store)(to + LANES, y1);
            } else {
                V(store)(from, y0), V(store)(from + LANES, y1);
                memcpy(to, from, (size_t)columns * sizeof(REAL));
            }
        }
    }
}

static void V(store_tiles)(const REAL *a, ptrdiff_t lda, const REAL *start, ptrdiff_t n,
                           const REAL *panel, const REAL *across, ptrdiff_t depth,
                           int kind, REAL gamma, REAL *out, ptrdiff_t ldo, ptrdiff_t columns) {
#define AS(KIND) V(store_as)(a, lda, start, n, panel, across, depth, KIND, gamma, out, ldo, columns)
    switch (kind) {
        case STORE_SCORE: AS(STORE_SCORE); break;
        case STORE_SQUARED: AS(STORE_SQUARED); break;
        case STORE_DISTANCE: AS(STORE_DISTANCE); break;
        default: AS(STORE_RBF);
    }
#undef AS
}

/* Weighted rank-n update: the lower triangle of c += z' diag(w) z, where wz = diag(w) z (wz = z
   without weights).  z, wz and c have width `ld`, a multiple of both ROWS and NR beyond d. */
static void V(rank_update)(const REAL *z, const REAL *wz, ptrdiff_t ld, ptrdiff_t n, ptrdiff_t d,
                           REAL *c) {
    for (ptrdiff_t i0 = 0; i0 < d; i0 += ROWS) {
        for (ptrdiff_t j0 = 0; j0 < d && j0 < i0 + ROWS; j0 += NR) {
            V(v) acc[ROWS][2];
            UNROLL for (int i = 0; i < ROWS; i++) acc[i][0] = acc[i][1] = V(set1)(0);
            V(multiply)(acc, wz + i0, 1, ld, z + j0, ld, n);
            UNROLL for (int i = 0; i < ROWS; i++) {
                REAL *to = c + (i0 + i) * ld + j0;
                V(store)(to, V(load)(to) + acc[i][0]);
                V(store)(to + LANES, V(load)(to + LANES) + acc[i][1]);
            }
        }
    }
}

#undef NR
