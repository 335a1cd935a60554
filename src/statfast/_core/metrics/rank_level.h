/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of metrics/rank.pyx: pairs of classes, and runs of equal scores. */

#include "metrics/rank_table.h"
#include "simd/compiler.h"

enum {
    MAX_INSERTION = 12,       /* items sorted by insertion */
    ITEMS_PER_RUN = 2,     /* items of a bucket where they are sorted */
    MAX_PAIRED_ITEMS = 40,   /* items of which all pairs are looked at, some at a time */
    ITEMS_PER_AREA = 12,   /* items of a bucket where pairs are counted */
    MAX_SPREAD_BITS = 11   /* of a spread: the ends of 2048 buckets stay in the first cache */
};

#define ITEM uint64_t
#define NAME(f) plain_##f
#define CODE(item) (item)
#define EACH_ROW(item, out)
#define RUN_ENDS(out, ones, all)                                                                   \
    ((out)->positive[(out)->runs] = (ones), (out)->negative[(out)->runs] = (all) - (ones))
#include "metrics/bucket_sort.h"
#undef ITEM
#undef NAME
#undef CODE
#undef EACH_ROW
#undef RUN_ENDS
#define ITEM row_item
#define NAME(f) rows_##f
#define CODE(item) ((item).code)
#define EACH_ROW(item, out) ((out)->rows[(out)->at++] = (item).row)
#define RUN_ENDS(out, ones, all) ((void)(ones), (out)->positive[(out)->runs] = (out)->at)
#include "metrics/bucket_sort.h"

/* Each positive against all: the pairs of two positives count for one in all, whatever their keys,
   so that nobody's class is asked for. */
static void count_pairs(const uint64_t *items, ptrdiff_t n, rank_sums *sums) {
    uint64_t key[MAX_PAIRED_ITEMS], total = 0;
    for (ptrdiff_t i = 0; i < n; i++) key[i] = items[i] >> 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(items[i] & 1)) continue;
        const uint64_t own = key[i];
        uint64_t above = 0;
        for (ptrdiff_t j = 0; j < n; j++) above += (uint64_t)(own > key[j]) + (own >= key[j]);
        total += above;
    }
    sums->twice = (int64_t)total - sums->positive * sums->positive;
}

static rank_sums area_of(uint64_t *items, uint64_t *spare, ptrdiff_t n) {
    uint32_t start[(1 << MAX_SPREAD_BITS) + 1];
    rank_sums sums = {0, 0, 0};
    for (ptrdiff_t i = 0; i < n; i++) sums.positive += (int64_t)(items[i] & 1);
    sums.negative = n - sums.positive;
    if (sums.positive == 0 || sums.negative == 0) return sums;
    if (n <= MAX_PAIRED_ITEMS) {
        count_pairs(items, n, &sums);
        return sums;
    }
    const ptrdiff_t buckets = plain_spread(items, spare, n, ITEMS_PER_AREA, start);
    if (buckets == 0) {
        sums.twice = sums.positive * sums.negative;
        return sums;
    }
    sums.positive = sums.negative = 0;
    for (ptrdiff_t b = buckets; b-- > 0;) {
        const ptrdiff_t own = start[b + 1] - start[b];
        if (own) put_below(&sums, area_of(spare + start[b], items + start[b], own));
    }
    return sums;
}

const rank_kernels GLUE(rank_, LEVEL) = {.area = area_of, .runs = plain_runs, .rows = rows_runs};
