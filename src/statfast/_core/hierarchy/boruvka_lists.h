/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of points that may be near a band, for hierarchy/boruvka.h: they are made leaf by leaf and
   processed together. */

/* Compare the listed points with the points of the bands, and empty the lists. */
static INLINE void V(meet)(const kd_tree *t, const kd_forest *f, V(together) *b, const int D,
                            const int M, const int kind) {
    const ptrdiff_t d = D ? D : t->d;
    const f64_v never = f64_set1(INFINITY);
    b->reach = -1;
    for (ptrdiff_t g = 0; g < b->count; g += BAND_POINTS) {
        const ptrdiff_t m = b->length[g / BAND_POINTS];
        f64_v far = f64_set1(-1);
        for (ptrdiff_t l = g; l < g + BAND_POINTS; l += F64_LANES) {
            const f64_v own = f64_load(b->part + l);
            f64_v low[MAX_NEIGHBORS], near[MAX_NEIGHBORS];
            UNROLL for (int k = 0; k < MAX_NEIGHBORS; k++) {
                low[k] = f64_load(b->low[k] + l);
                near[k] = f64_load(b->near[k] + l);
            }
            for (ptrdiff_t i = 0; i < m; i++) {
                const size_t place = (size_t)b->list[g / BAND_POINTS][i];
                const REAL *x = (const REAL *)t->blocks + place / LEAF_SIZE * d * LEAF_SIZE
                                + place % LEAF_SIZE;
                const f64_v its = f64_set1(f->part[place]);
                f64_v v = V(of_queries)(b, x, l, d, D, kind), who = f64_set1((double)(int32_t)place);
                if (M) v = f64_max(v, f64_max(f64_load(b->core + l), f64_set1(f->core[place])));
                v = f64_select(f64_gt(own, its), v, f64_select(f64_gt(its, own), v, never));
                UNROLL for (int k = 0; k < MAX_NEIGHBORS; k++) {
                    const f64_m nearer = f64_gt(low[k], v);
                    const f64_v passed = f64_max(low[k], v);
                    const f64_v who_passed = f64_select(nearer, near[k], who);
                    low[k] = f64_min(low[k], v);
                    near[k] = f64_select(nearer, who, near[k]);
                    v = passed;
                    who = who_passed;
                }
            }
            UNROLL for (int k = 0; k < MAX_NEIGHBORS; k++) {
                f64_store(b->low[k] + l, low[k]);
                f64_store(b->near[k] + l, near[k]);
            }
            far = f64_max(far, low[MAX_NEIGHBORS - 1]);
        }
        b->length[g / BAND_POINTS] = 0;
        b->far[g / BAND_POINTS] = -f64_least(f64_set1(0) - far);
        b->reach = b->far[g / BAND_POINTS] > b->reach ? b->far[g / BAND_POINTS] : b->reach;
    }
}

/* List the points of a leaf; returns whether a list is long enough to be processed. */
static INLINE int V(visit)(const kd_tree *t, const kd_forest *f, V(together) *b, ptrdiff_t number,
                            const int D, const int M, const int kind) {
    const ptrdiff_t d = D ? D : t->d, first = number * LEAF_SIZE;
    const REAL *x = (const REAL *)t->blocks + first * d;
    const REAL *box = (const REAL *)t->boxes
                      + (t->first[0] + number / KD_LANES) * d * 2 * KD_LANES + number % KD_LANES;
    const f64_v own = f64_set1(b->own);
    unsigned wanting = 0;
    int full = 0;
    int32_t place[LEAF_SIZE];
    for (int c = 0; c < BANDS; c += F64_LANES) {
        f64_v v = V(of_bands)(b, box, c, d, D, kind);
        if (kind == METRIC_MINKOWSKI) v = v * f64_set1(1 - 1e-12);
        wanting |= f64_bits(f64_gt(f64_load(b->far + c), v)) << c;
    }
    for (int i = 0; i < LEAF_SIZE; i++) place[i] = (int32_t)first + i;
    for (; wanting; wanting &= wanting - 1) {
        const int g = LOWEST_BIT(wanting);
        /* These sums have another order: allow for their rounding. */
        const f64_v far = f64_set1(b->far[g] * (1 + 1e-12));
        f64_v apart[LEAF_SIZE / F64_LANES];
        ptrdiff_t m = b->length[g];
        for (int c = 0; c < LEAF_SIZE / F64_LANES; c++) apart[c] = f64_set1(0);
        for (ptrdiff_t p = 0; p < d; p++) {
            const f64_v least = f64_set1(b->least[p][g]), most = f64_set1(b->most[p][g]);
            for (int c = 0; c < LEAF_SIZE / F64_LANES; c++) {
                const f64_v v = WIDE(x + p * LEAF_SIZE + c * F64_LANES);
                const f64_v gap = GAP(least - v, v - most);
                apart[c] = kind == METRIC_EUCLIDEAN
                               ? f64_fma(gap, gap, apart[c])
                               : join(apart[c], term(gap, kind, f->p), kind);
            }
        }
        for (int c = 0; c < LEAF_SIZE / F64_LANES; c++) {
            if (M) apart[c] = f64_max(apart[c], f64_load(f->core + first + c * F64_LANES));
            unsigned hits = f64_bits(f64_gt(far, apart[c]));
            if (b->own >= 0) hits &= V(others)(f->part + first + c * F64_LANES, own);
            f64_keep_id(b->list[g] + m, hits, place + c * F64_LANES);
            m += POPCOUNT(hits);
        }
        b->length[g] = m;
        full |= m >= MAX_LISTED_POINTS;
    }
    return full;
}
