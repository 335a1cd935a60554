/* SPDX-License-Identifier: BSD-3-Clause */
/* Core points, their sets and the points at their borders in a k-d tree: see reachability/dbscan.pyx. */

/* Whether all core points of child c (a node of `level`, -1: a leaf) are known to be in one set. A
   node is when its children are, and these have one root. */
static int V(is_joined)(const kd_tree *t, kd_clusters *f, ptrdiff_t level, ptrdiff_t child) {
    uint8_t *joined = f->joined + t->first[level + 1] * KD_LANES + child;
    int32_t root = -1;
    if (SET_READ(joined)) return 1;
    if (level < 0) {
        const ptrdiff_t start = child * DBSCAN_LEAF_SIZE;
        for (ptrdiff_t i = start; i < start + DBSCAN_LEAF_SIZE; i++) {
            if (!f->core[i]) continue;
            const int32_t its = set_root(f->parent, (int32_t)i);
            if (root >= 0 && its != root) return 0;
            root = its;
        }
    } else {
        const ptrdiff_t below = (t->first[level] + child) * KD_LANES;
        for (int c = 0; c < KD_LANES; c++)
            if (f->one[below + c] >= 0 && !SET_READ(f->joined + below + c)) return 0;
        for (int c = 0; c < KD_LANES; c++) {
            if (f->one[below + c] < 0) continue;
            const int32_t its = set_root(f->parent, f->one[below + c]);
            if (root >= 0 && its != root) return 0;
            root = its;
        }
    }
    SET_WRITE(joined, 1);
    return 1;
}

/* Whether the core points of a leaf and of a child are known to be in one set; `one` is in the
   leaf. */
static INLINE int V(are_joined)(const kd_tree *t, kd_clusters *f, ptrdiff_t leaf, int32_t one,
                                ptrdiff_t level, ptrdiff_t child) {
    return SET_READ(f->joined + t->first[0] * KD_LANES + leaf) && V(is_joined)(t, f, level, child)
           && set_root(f->parent, f->one[t->first[level + 1] * KD_LANES + child])
                  == set_root(f->parent, one);
}

/* Join all core points of a child to a core point that is within the limit of all of them. */
static void V(join_child)(const kd_tree *t, kd_clusters *f, ptrdiff_t level, ptrdiff_t child,
                          int32_t to) {
    uint8_t *joined = f->joined + t->first[level + 1] * KD_LANES + child;
    if (SET_READ(joined)) {
        set_join(f->parent, f->one[t->first[level + 1] * KD_LANES + child], to);
        return;
    }
    if (level < 0) {
        const ptrdiff_t start = child * DBSCAN_LEAF_SIZE;
        for (ptrdiff_t i = start; i < start + DBSCAN_LEAF_SIZE; i++)
            if (f->core[i]) set_join(f->parent, (int32_t)i, to);
    } else {
        const ptrdiff_t below = (t->first[level] + child) * KD_LANES;
        for (int c = 0; c < KD_LANES; c++)
            if (f->one[below + c] >= 0) V(join_child)(t, f, level - 1, child * KD_LANES + c, to);
    }
    f->budget -= KD_LANES;
    SET_WRITE(joined, 1);
}

/* ---------- Core points */

/* Add the neighbors in a leaf to the counts of the open points; returns those still open. */
static uint32_t V(count_leaf)(const kd_tree *t, const kd_clusters *f, const V(searching) *s,
                              const V(within) *within, ptrdiff_t leaf, uint32_t open,
                              double *count) {
    uint32_t still = 0;
    for (; open; open &= open - 1) {
        const int i = LOWEST_BIT(open);
        uint32_t hits = within->points(t, s, i, leaf, f->limit);
        if (!f->weight) count[i] += (double)POPCOUNT(hits);
        else
            for (; hits; hits &= hits - 1)
                count[i] += f->weight[leaf * DBSCAN_LEAF_SIZE + LOWEST_BIT(hits)];
        if (f->inhibits || count[i] < f->enough) still |= (uint32_t)1 << i;
    }
    return still;
}

static void V(count_neighbors)(const kd_tree *t, kd_clusters *f) {
    const V(within) within = V(within_of)(t, f->kind);
    for (; f->begin < f->end && f->budget > 0; f->begin++) {
        const ptrdiff_t number = f->begin, start = number * DBSCAN_LEAF_SIZE;
        const ptrdiff_t left = t->n - start, m = left < DBSCAN_LEAF_SIZE ? left : DBSCAN_LEAF_SIZE;
        double count[DBSCAN_LEAF_SIZE] = {0};
        uint32_t points = (uint32_t)(((uint64_t)1 << m) - 1);
        V(searching) s;
        V(begin_leaf)(t, f, &s, number);
        points = V(count_leaf)(t, f, &s, &within, number, points, count);
        /* The own leaf is counted already: nodes that hold it are not taken as a whole. */
        WALK({ if (!points) break; }, (level == 0 && under == number),
             number >> (3 * level) != under,
             {
                 const double all = f->weight ? f->total[flat + c]
                                              : (double)(V(place)(t, level - 1, under + 1)
                                                         - V(place)(t, level - 1, under));
                 for (int i = 0; i < DBSCAN_LEAF_SIZE; i++) count[i] += all;
                 if (!f->inhibits) {
                     uint32_t still = 0;
                     for (uint32_t rest = points; rest; rest &= rest - 1)
                         if (count[LOWEST_BIT(rest)] < f->enough)
                             still |= rest & (~rest + 1);
                     points = still;
                 }
             },
             { points = V(count_leaf)(t, f, &s, &within, under, points, count); });
        for (ptrdiff_t i = 0; i < m; i++) f->core[start + i] = count[i] >= f->enough;
    }
}

/* ---------- Sets of core points */
static INLINE uint32_t V(core_of)(const kd_clusters *f, ptrdiff_t leaf) {
    uint32_t bits = 0;
    for (int i = 0; i < DBSCAN_LEAF_SIZE; i++)
        bits |= (uint32_t)(f->core[leaf * DBSCAN_LEAF_SIZE + i] != 0) << i;
    return bits;
}

/* Join the core points of two leaves, or of one, that are within the limit. */
static void V(join_leaves)(const kd_tree *t, kd_clusters *f, const V(searching) *s,
                           const V(within) *within, uint32_t own, ptrdiff_t leaf) {
    const int32_t start = (int32_t)s->number * DBSCAN_LEAF_SIZE;
    const int32_t first = (int32_t)leaf * DBSCAN_LEAF_SIZE;
    const int other = leaf != s->number;
    const int own_joined = other && V(is_joined)(t, f, -1, s->number);
    const int its_joined = other && V(is_joined)(t, f, -1, leaf);
    const uint32_t its = other ? V(core_of)(f, leaf) : own;
    const int32_t one = start + LOWEST_BIT(own), its_one = first + LOWEST_BIT(its);
    for (uint32_t rest = own; rest; rest &= rest - 1) {
        const int i = LOWEST_BIT(rest);
        if (its_joined && set_root(f->parent, start + i) == set_root(f->parent, its_one)) {
            if (own_joined) return;
            continue;
        }
        uint32_t hits = within->points(t, s, i, leaf, f->limit) & its;
        if (!other) hits &= rest; /* each pair once */
        if (own_joined && its_joined && hits) {
            set_join(f->parent, one, its_one);
            return;
        }
        if (its_joined && hits) set_join(f->parent, start + i, its_one);
        else
            for (; hits; hits &= hits - 1)
                set_join(f->parent, start + i, first + LOWEST_BIT(hits));
    }
}

static void V(join_neighbors)(const kd_tree *t, kd_clusters *f) {
    const V(within) within = V(within_of)(t, f->kind);
    for (; f->begin < f->end && f->budget > 0; f->begin++) {
        const ptrdiff_t number = f->begin;
        const uint32_t own = V(core_of)(f, number);
        if (!own) continue;
        V(searching) s;
        V(begin_leaf)(t, f, &s, number);
        const int32_t one = (int32_t)number * DBSCAN_LEAF_SIZE + LOWEST_BIT(own);
        if (!V(is_joined)(t, f, -1, number)) {
            V(join_leaves)(t, f, &s, &within, own, number);
            V(is_joined)(t, f, -1, number);
        }
        /* Pairs of leaves are processed once: those before the own one have seen to it. */
        WALK(
            {
                for (unsigned rest = near; rest; rest &= rest - 1) {
                    const ptrdiff_t child = node[level] * KD_LANES + LOWEST_BIT(rest);
                    if (f->one[flat + LOWEST_BIT(rest)] < 0
                        || ((child + 1) << (3 * level)) <= number + (level == 0))
                        near &= ~(rest & (~rest + 1));
                }
            },
            V(are_joined)(t, f, number, one, level - 1, under), 1,
            {
                V(join_child)(t, f, level - 1, under, one);
                V(join_child)(t, f, -1, number, one);
            },
            { V(join_leaves)(t, f, &s, &within, own, under); }
        );
    }
}

/* ---------- Points at borders */
static void V(claim_borders)(const kd_tree *t, kd_clusters *f) {
    const V(within) within = V(within_of)(t, f->kind);
    for (; f->begin < f->end && f->budget > 0; f->begin++) {
        const ptrdiff_t number = f->begin, start = number * DBSCAN_LEAF_SIZE;
        const ptrdiff_t left = t->n - start, m = left < DBSCAN_LEAF_SIZE ? left : DBSCAN_LEAF_SIZE;
        uint32_t border = ~V(core_of)(f, number) & (uint32_t)(((uint64_t)1 << m) - 1);
        if (!border) continue;
        int32_t best[DBSCAN_LEAF_SIZE], worst = DBSCAN_NO_CLUSTER;
        for (int i = 0; i < DBSCAN_LEAF_SIZE; i++) best[i] = DBSCAN_NO_CLUSTER;
        V(searching) s;
        V(begin_leaf)(t, f, &s, number);
        WALK(
            {
                for (unsigned rest = near; rest; rest &= rest - 1)
                    if (f->least[flat + LOWEST_BIT(rest)] >= worst) near &= ~(rest & (~rest + 1));
            },
            0, 1,
            {
                for (int i = 0; i < DBSCAN_LEAF_SIZE; i++)
                    best[i] = f->least[flat + c] < best[i] ? f->least[flat + c] : best[i];
                worst = f->least[flat + c] < worst ? f->least[flat + c] : worst;
            },
            {
                const uint32_t its = V(core_of)(f, under);
                worst = 0;
                for (uint32_t rest = border; rest; rest &= rest - 1) {
                    const int i = LOWEST_BIT(rest);
                    if (best[i] > f->least[flat + c]) {
                        uint32_t hits = within.points(t, &s, i, under, f->limit) & its;
                        for (; hits; hits &= hits - 1) {
                            const int32_t its_label =
                                f->label[under * DBSCAN_LEAF_SIZE + LOWEST_BIT(hits)];
                            best[i] = its_label < best[i] ? its_label : best[i];
                        }
                    }
                    worst = best[i] > worst ? best[i] : worst;
                }
            }
        );
        for (; border; border &= border - 1) {
            const int i = LOWEST_BIT(border);
            f->label[start + i] = best[i];
        }
    }
}
#undef WALK
#undef SLACK
