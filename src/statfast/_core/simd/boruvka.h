/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest point of another part, for points of a k-d tree in its order; ../boruvka.pyx says what
   for. Boxes whose points all belong to the query's own part are passed by. */

/* Which lanes hold numbers other than `own`. */
static INLINE unsigned V(others)(const double *parts, f64_v own) {
    const f64_v v = f64_load(parts);
    return f64_bits(f64_gt(v, own)) | f64_bits(f64_gt(own, v));
}

/* The points of a leaf. */
static INLINE void V(visit)(const kd_tree *t, kd_forest *f, const kd_job *job, const double *q,
                            f64_v own, ptrdiff_t number, double *limit, double *low,
                            int32_t *near, const int D) {
    const ptrdiff_t leaf = t->leaf, d = D ? D : t->d;
    const REAL *x = (const REAL *)t->blocks + number * d * leaf;
    const double *part = f->part + number * leaf;
    f->budget--;
    for (ptrdiff_t c = 0; c < leaf; c += F64_LANES) {
        const f64_v v = V(from_points)(job, q, x + c, leaf, d, D, METRIC_EUCLIDEAN);
        unsigned hits = f64_bits(f64_gt(f64_set1(*limit), v));
        if (!hits) continue;
        hits &= V(others)(part + c, own);
        if (!hits) continue;
        double apart[F64_LANES];
        f64_store(apart, v);
        for (; hits; hits &= hits - 1) {
            const int l = LOWEST_BIT(hits);
            if (apart[l] < *limit) {
                ptrdiff_t at = f->k - 1;
                for (; at > 0 && low[at - 1] > apart[l]; at--)
                    low[at] = low[at - 1], near[at] = near[at - 1];
                low[at] = apart[l];
                near[at] = (int32_t)(number * leaf + c + l);
                if (low[f->k - 1] < *limit) *limit = low[f->k - 1];
            }
        }
    }
}

/* The bounds of the children of a node; returns those within reach that hold another part. */
static INLINE unsigned V(approach)(const kd_tree *t, const kd_forest *f, const kd_job *job,
                                   const double *q, f64_v own, ptrdiff_t group, double *bound,
                                   double limit, const int D) {
    const ptrdiff_t d = D ? D : t->d;
    const REAL *box = (const REAL *)t->boxes + group * d * 2 * KD_LANES;
    unsigned near = 0;
    for (int c = 0; c < KD_LANES; c += F64_LANES) {
        const unsigned other = V(others)(f->same + group * KD_LANES + c, own);
        if (!other) continue;
        const f64_v v = V(from_boxes)(job, q, box + c, d, D, METRIC_EUCLIDEAN);
        f64_store(bound + c, v);
        near |= (f64_bits(f64_gt(f64_set1(limit), v)) & other) << c;
    }
    return near;
}

/* The nearest points of other parts below a limit; returns what none is below that is not listed. */
static INLINE double V(search)(const kd_tree *t, kd_forest *f, const kd_job *job, ptrdiff_t place,
                               double below, double *low, int32_t *close, const int D) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf, top = t->levels - 1, home = place / leaf;
    const f64_v own = f64_set1(f->part[place]);
    const REAL *x = (const REAL *)t->blocks + home * d * leaf + place % leaf;
    double bound[KD_LEVELS][KD_LANES] ALIGN64, few[8], *q = D ? few : f->q, *limit = &below;
    ptrdiff_t node[KD_LEVELS], level = top;
    unsigned open[KD_LEVELS];
    for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
    V(visit)(t, f, job, q, own, home, limit, low, close, D);
    node[top] = 0;
    open[top] = V(approach)(t, f, job, q, own, 0, bound[top], *limit, D);
    for (;;) {
        unsigned near = open[level];
        if (near) {
            unsigned still = 0;
            for (int c = 0; c < KD_LANES; c += F64_LANES)
                still |= f64_bits(f64_gt(f64_set1(*limit), f64_load(bound[level] + c))) << c;
            near &= still;
        }
        if (!near) {
            if (level++ == top) break;
            continue;
        }
        int child = LOWEST_BIT(near);
        if (near & (near - 1)) child = f64_place_of_least(bound[level], near);
        open[level] = near & ~(1u << child);
        const ptrdiff_t under = node[level] * KD_LANES + child;
        if (level == 0) {
            if (under != home) V(visit)(t, f, job, q, own, under, limit, low, close, D);
        } else {
            level--;
            node[level] = under;
            open[level] =
                V(approach)(t, f, job, q, own, t->first[level] + under, bound[level], *limit, D);
        }
    }
    return below;
}

/* Whether a box of another part lies nearer than `limit` to the box of a child of a node. */
static int V(meets)(const kd_tree *t, const kd_forest *f, ptrdiff_t level, ptrdiff_t child,
                    double part, double limit) {
    const ptrdiff_t d = t->d, top = t->levels - 1;
    const ptrdiff_t group = t->first[level] + child / KD_LANES;
    const REAL *mine = (const REAL *)t->boxes + group * d * 2 * KD_LANES + child % KD_LANES;
    const f64_v own = f64_set1(part);
    ptrdiff_t node[KD_LEVELS], at = top;
    unsigned open[KD_LEVELS];
    node[top] = 0;
    open[top] = ~0u;
    while (at <= top) {
        const ptrdiff_t here = t->first[at] + node[at];
        if (open[at] == ~0u) {
            const REAL *box = (const REAL *)t->boxes + here * d * 2 * KD_LANES;
            open[at] = 0;
            for (int c = 0; c < KD_LANES; c += F64_LANES) {
                unsigned near = V(others)(f->same + here * KD_LANES + c, own);
                if (!near) continue;
                f64_v sum = f64_set1(0);
                for (ptrdiff_t p = 0; p < d; p++) {
                    const REAL *low = box + p * 2 * KD_LANES + c, *high = low + KD_LANES;
                    const f64_v mine_low = f64_set1((double)mine[p * 2 * KD_LANES]);
                    const f64_v mine_high = f64_set1((double)mine[p * 2 * KD_LANES + KD_LANES]);
                    const f64_v gap = f64_max(f64_max(WIDE(low) - mine_high, mine_low - WIDE(high)),
                                              f64_set1(0));
                    sum = sum + gap * gap;
                }
                /* the order of this sum is not that of distances: allow for its rounding */
                sum = sum * f64_set1(1 - 1e-12);
                near &= f64_bits(f64_gt(f64_set1(limit), sum));
                open[at] |= near << c;
            }
        }
        if (!open[at]) {
            at++;
            continue;
        }
        if (at == 0) return 1;
        const int next = LOWEST_BIT(open[at]);
        open[at] &= open[at] - 1;
        const ptrdiff_t below = node[at] * KD_LANES + next;
        at--;
        node[at] = below;
        open[at] = ~0u;
    }
    return 0;
}

/* Whether no point of a child of a node, all of one part, can have a shorter edge than is known. */
static INLINE int V(settled)(const kd_tree *t, const kd_forest *f, ptrdiff_t level,
                             ptrdiff_t child) {
    const double part = f->same[(t->first[level] + child / KD_LANES) * KD_LANES + child % KD_LANES];
    if (part < 0) return 0;
    if (part == f->largest) return 1;
    const double limit = part_limit(f, (ptrdiff_t)part);
    return limit < DBL_MAX && !V(meets)(t, f, level, child, part, limit);
}

static INLINE void V(leave)(const kd_tree *t, kd_forest *f, const int D) {
    const ptrdiff_t leaf = t->leaf, k = f->k;
    const kd_job job = {.p = 2};
    while (f->begin < f->end && f->budget > 0) {
        /* the largest node that begins here */
        ptrdiff_t level = 0, span = 1;
        while (level + 1 < t->levels && f->begin % (span * KD_LANES) == 0
               && f->begin + span * KD_LANES <= f->end)
            span *= KD_LANES, level++;
        for (; level >= 0; level--, span /= KD_LANES)
            if (V(settled)(t, f, level, f->begin / span)) break;
        f->budget--;
        if (level >= 0) {
            f->begin += span;
            continue;
        }
        const ptrdiff_t last = (f->begin + 1) * leaf < t->n ? (f->begin + 1) * leaf : t->n;
        for (ptrdiff_t i = f->begin * leaf; i < last; i++) {
            if (f->part[i] == f->largest) continue;
            const ptrdiff_t part = (ptrdiff_t)f->part[i];
            const double limit = part_limit(f, part);
            double *low = f->low + i * k;
            int32_t *near = f->near + i * k;
            ptrdiff_t at = 0;
            while (at < k && near[at] >= 0 && f->part[near[at]] == f->part[i]) at++;
            if (at == k || near[at] < 0) {
                if (f->beyond[i] >= limit) continue;
                for (at = 0; at < k; at++) low[at] = DBL_MAX, near[at] = -1;
                f->beyond[i] = V(search)(t, f, &job, i, limit, low, near, D);
                at = 0;
            }
            if (near[at] >= 0 && low[at] < limit) part_offer(f, part, low[at], i, near[at]);
        }
        f->begin++;
    }
}

static void V(edges)(const kd_tree *t, kd_forest *f) {
#if F64_LANES > 2 /* elsewhere not worth their bytes */
    if (t->d == 2) {
        V(leave)(t, f, 2);
        return;
    }
    if (t->d == 3) {
        V(leave)(t, f, 3);
        return;
    }
#endif
    V(leave)(t, f, 0);
}
