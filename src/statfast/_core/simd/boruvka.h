/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest point of another part, for points of a k-d tree in its order; ../boruvka.pyx says what
   for. Boxes whose points all belong to the query's own part are passed by. */

/* Which lanes hold numbers other than `own`. */
static INLINE unsigned V(others)(const double *parts, f64_v own) {
    const f64_v v = f64_load(parts);
    return f64_bits(f64_gt(v, own)) | f64_bits(f64_gt(own, v));
}

/* The points of a leaf. */
static INLINE void V(visit_in)(const kd_tree *t, kd_forest *f, const kd_job *job, const double *q,
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

/* That as a function for each number of dimensions, as it is called from many places. */
#define VISIT(D)                                                                                   \
    static NOINLINE void V(visit_##D)(const kd_tree *t, kd_forest *f, const double *q, double own, \
                                      ptrdiff_t number, double *limit, ptrdiff_t place) {           \
        const kd_job job = {.p = 2};                                                               \
        V(visit_in)(t, f, &job, q, f64_set1(own), number, limit, f->low + place * f->k,             \
                    f->near + place * f->k, D);                                                    \
    }
VISIT(0)
#if F64_LANES > 2 /* elsewhere not worth their bytes */
VISIT(2)
VISIT(3)
#else
#define f64_visit_2 f64_visit_0
#define f64_visit_3 f64_visit_0
#endif
#undef VISIT

static INLINE void V(visit)(const kd_tree *t, kd_forest *f, const double *q, ptrdiff_t number,
                            double *limit, ptrdiff_t place, const int D) {
    const double own = f->part[place];
    if (D == 2) V(visit_2)(t, f, q, own, number, limit, place);
    else if (D == 3) V(visit_3)(t, f, q, own, number, limit, place);
    else V(visit_0)(t, f, q, own, number, limit, place);
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

/* The nearest points of other parts below a limit, but for those of the own leaf, which are listed
   already; returns what none is below that is not listed. */
static INLINE double V(search)(const kd_tree *t, kd_forest *f, const kd_job *job, ptrdiff_t place,
                               double below, const int D) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf, top = t->levels - 1, home = place / leaf;
    const f64_v own = f64_set1(f->part[place]);
    const REAL *x = (const REAL *)t->blocks + home * d * leaf + place % leaf;
    double bound[KD_LEVELS][KD_LANES] ALIGN64, few[8], *q = D ? few : f->q, *limit = &below;
    ptrdiff_t node[KD_LEVELS], level = top;
    unsigned open[KD_LEVELS];
    for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
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
            if (under != home) V(visit)(t, f, q, under, limit, place, D);
        } else {
            level--;
            node[level] = under;
            open[level] =
                V(approach)(t, f, job, q, own, t->first[level] + under, bound[level], *limit, D);
        }
    }
    return below;
}

/* Leaves with points of parts other than `own` whose boxes are nearer than `limit` to that of a child
   of a node: their numbers, and how many; it stops at `most`. */
static ptrdiff_t V(around)(const kd_tree *t, const kd_forest *f, ptrdiff_t level, ptrdiff_t child,
                           double own_part, double limit, ptrdiff_t most, int32_t *number) {
    const ptrdiff_t d = t->d, top = t->levels - 1;
    const ptrdiff_t group = t->first[level] + child / KD_LANES;
    const REAL *mine = (const REAL *)t->boxes + group * d * 2 * KD_LANES + child % KD_LANES;
    const f64_v own = f64_set1(own_part);
    ptrdiff_t node[KD_LEVELS], at = top, count = 0;
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
        const int next = LOWEST_BIT(open[at]);
        open[at] &= open[at] - 1;
        const ptrdiff_t below = node[at] * KD_LANES + next;
        if (at == 0) {
            number[count++] = (int32_t)below;
            if (count == most) return count;
            continue;
        }
        at--;
        node[at] = below;
        open[at] = ~0u;
    }
    return count;
}

/* Whether no point of a child of a node, all of one part, can have a shorter edge than is known. */
static INLINE int V(settled)(const kd_tree *t, const kd_forest *f, ptrdiff_t level,
                             ptrdiff_t child) {
    const double part = f->same[(t->first[level] + child / KD_LANES) * KD_LANES + child % KD_LANES];
    if (part < 0) return 0;
    if (part == f->largest) return 1;
    const double limit = part_limit(f, (ptrdiff_t)part);
    int32_t one;
    return limit < DBL_MAX && !V(around)(t, f, level, child, part, limit, 1, &one);
}

/* The same as search, for several points of a leaf at once, which have looked at that one: the leaves
   around are gathered for all of them, with their boxes, so that none has to come down from the root.
   Returns 0 if these are too many. */
static INLINE int V(search_around)(const kd_tree *t, kd_forest *f, const kd_job *job,
                                   ptrdiff_t home, ptrdiff_t points, const int32_t *places,
                                   double *reach, const int D) {
    const ptrdiff_t d = D ? D : t->d, leaf = t->leaf;
    int32_t number[AROUND];
    double same[AROUND] ALIGN64, bound[KD_LANES] ALIGN64, few[8];
    double *q = D ? few : f->q, *boxes = f->q + d, own_part = f->same[t->first[0] * KD_LANES + home];
    double farthest = 0;
    for (ptrdiff_t i = 0; i < points; i++) farthest = reach[i] > farthest ? reach[i] : farthest;
    if (own_part < 0) own_part = -2; /* of several: no leaf can be left out for all */
    ptrdiff_t count = V(around)(t, f, 0, home, own_part, farthest, AROUND, number);
    if (count == AROUND) return 0;
    f->budget -= count / 8;
    for (ptrdiff_t c = 0; c < (count + KD_LANES - 1) / KD_LANES * KD_LANES; c++) {
        double *to = boxes + c / KD_LANES * d * 2 * KD_LANES + c % KD_LANES;
        const ptrdiff_t at = t->first[0] + (c < count ? number[c] : 0) / KD_LANES;
        const REAL *box = (const REAL *)t->boxes + at * d * 2 * KD_LANES;
        for (ptrdiff_t p = 0; p < 2 * d; p++)
            to[p * KD_LANES] = c < count ? (double)box[p * KD_LANES + number[c] % KD_LANES] : INFINITY;
        same[c] = c < count && number[c] != home ? f->same[t->first[0] * KD_LANES + number[c]] : -3;
    }
    for (ptrdiff_t i = 0; i < points; i++) {
        const ptrdiff_t place = places[i];
        const f64_v own = f64_set1(f->part[place]), nobody = f64_set1(-3);
        const double known = part_limit(f, (ptrdiff_t)f->part[place]);
        const REAL *x = (const REAL *)t->blocks + home * d * leaf + place % leaf;
        double limit = reach[i] < known ? reach[i] : known;
        for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
        for (ptrdiff_t g = 0; g < count; g += KD_LANES) {
            unsigned near = 0;
            for (int c = 0; c < KD_LANES; c += F64_LANES) {
                const double *of = same + g + c;
                const unsigned other = V(others)(of, own) & f64_bits(f64_gt(f64_load(of), nobody));
                const f64_v v = V(from_boxes)(job, q, boxes + g * d * 2 + c, d, D, METRIC_EUCLIDEAN);
                f64_store(bound + c, v);
                near |= (f64_bits(f64_gt(f64_set1(limit), v)) & other) << c;
            }
            while (near) {
                int child = LOWEST_BIT(near);
                if (near & (near - 1)) child = f64_place_of_least(bound, near);
                near &= ~(1u << child);
                if (bound[child] >= limit) break; /* the others are no nearer */
                V(visit)(t, f, q, number[g + child], &limit, place, D);
            }
        }
        reach[i] = limit;
    }
    return 1;
}

/* What a point has found: its shortest edge to another part, if that is shorter than is known. */
static INLINE void V(tell)(kd_forest *f, ptrdiff_t place) {
    const ptrdiff_t part = (ptrdiff_t)f->part[place], k = f->k;
    if (f->near[place * k] >= 0 && f->low[place * k] < part_limit(f, part))
        part_offer(f, part, f->low[place * k], place, f->near[place * k]);
}

/* The edges from the points of a leaf. */
static INLINE void V(leave_leaf)(const kd_tree *t, kd_forest *f, const int D) {
    const ptrdiff_t leaf = t->leaf, d = D ? D : t->d, k = f->k, home = f->begin;
    const ptrdiff_t last = (home + 1) * leaf < t->n ? (home + 1) * leaf : t->n;
    const kd_job job = {.p = 2};
    int32_t places[KD_LEAF], others[KD_LEAF];
    double reach[KD_LEAF], few[8], *q = D ? few : f->q;
    ptrdiff_t points = 0, rest = 0, at = 0;
    for (ptrdiff_t i = home * leaf; i < last; i++) {
        if (f->part[i] == f->largest) continue;
        const ptrdiff_t part = (ptrdiff_t)f->part[i];
        double limit = part_limit(f, part);
        double *low = f->low + i * k;
        int32_t *near = f->near + i * k;
        for (at = 0; at < k && near[at] >= 0 && f->part[near[at]] == f->part[i];) at++;
        if (at < k && near[at] >= 0 && low[at] <= f->beyond[i]) {
            if (low[at] < limit) part_offer(f, part, low[at], i, near[at]);
            continue;
        }
        if (f->beyond[i] >= limit) continue;
        for (at = 0; at < k; at++) low[at] = DBL_MAX, near[at] = -1;
        const REAL *x = (const REAL *)t->blocks + home * d * leaf + i % leaf;
        for (ptrdiff_t p = 0; p < d; p++) q[p] = (double)x[p * leaf];
        V(visit)(t, f, q, home, &limit, i, D);
        if (f->largest >= 0) V(tell)(f, i); /* before, lists matter more than limits */
        if (limit < DBL_MAX) {
            places[points] = (int32_t)i;
            reach[points++] = limit;
        } else {
            others[rest++] = (int32_t)i;
        }
    }
    at = 0;
    if (points >= TOGETHER && V(search_around)(t, f, &job, home, points, places, reach, D))
        for (; at < points; at++) {
            f->beyond[places[at]] = reach[at];
            V(tell)(f, places[at]);
        }
    for (ptrdiff_t i = 0; i < rest; i++, points++) places[points] = others[i], reach[points] = DBL_MAX;
    for (; at < points; at++) {
        const double known = part_limit(f, (ptrdiff_t)f->part[places[at]]);
        const double limit = reach[at] < known ? reach[at] : known;
        f->beyond[places[at]] = V(search)(t, f, &job, places[at], limit, D);
        V(tell)(f, places[at]);
    }
}

static INLINE void V(leave)(const kd_tree *t, kd_forest *f, const int D) {
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
        V(leave_leaf)(t, f, D);
        f->begin++;
    }
}

static void V(edges)(const kd_tree *t, kd_forest *f) {
#if F64_LANES > 2
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
