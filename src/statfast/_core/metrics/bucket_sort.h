/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes spread over buckets by their highest differing bits until few are left in each. Included
   twice by rank_level.h: ITEM is a code alone, or a code and the row it is of.

   A code is key * 2 + label; the highest bit of the key, which all of a bucket share, is dropped.
   Each spread takes the range of what it is given, so that it does not matter where the codes lie,
   and leaves no more than 1 / buckets of the range in each: there are at most 63 / log2(buckets)
   of them, one in the other. Leaves come in falling order, and equal keys never in two of them. */

/* Spread n items over buckets of about `each`; `start` gets buckets + 1 places. Returns how many
   buckets; 0 if all keys are equal. */
static ptrdiff_t NAME(spread)(const ITEM *from, ITEM *to, ptrdiff_t n, int each, uint32_t *start) {
    uint64_t low = CODE(from[0]) >> 1, high = low;
    for (ptrdiff_t i = 1; i < n; i++) {
        const uint64_t key = CODE(from[i]) >> 1;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    if (low == high) return 0;
    int range = 1, bits = 1;
    while (range < 63 && (high - low) >> range) range++;
    while (bits < MAX_SPREAD_BITS && bits < range && (each << bits) < n) bits++;
    const int shift = range - bits;
    const ptrdiff_t buckets = (ptrdiff_t)1 << bits;
    memset(start, 0, (size_t)(buckets + 1) * sizeof *start);
    for (ptrdiff_t i = 0; i < n; i++) start[1 + (((CODE(from[i]) >> 1) - low) >> shift)]++;
    for (ptrdiff_t b = 0; b < buckets; b++) start[b + 1] += start[b];
    for (ptrdiff_t i = 0; i < n; i++) to[start[((CODE(from[i]) >> 1) - low) >> shift]++] = from[i];
    memmove(start + 1, start, (size_t)buckets * sizeof *start); /* places moved to the ends */
    start[0] = 0;
    return buckets;
}

static void NAME(leaf)(ITEM *items, ptrdiff_t n, uint64_t base, rank_runs *out) {
    for (ptrdiff_t i = 1; i < n; i++) { /* by insertion, falling; equal keys stay as they come */
        const ITEM own = items[i];
        ptrdiff_t j = i;
        for (; j > 0 && CODE(items[j - 1]) >> 1 < CODE(own) >> 1; j--) items[j] = items[j - 1];
        items[j] = own;
    }
    for (ptrdiff_t i = 0, j = 0; i < n; i = j) {
        const uint64_t key = CODE(items[i]) >> 1;
        int64_t positive = 0;
        for (; j < n && CODE(items[j]) >> 1 == key; j++) {
            positive += (int64_t)(CODE(items[j]) & 1);
            EACH_ROW(items[j], out);
        }
        out->keys[out->runs] = base | key;
        RUN_ENDS(out, positive, j - i);
        out->runs++;
    }
}

static void NAME(runs)(ITEM *items, ITEM *spare, ptrdiff_t n, uint64_t base, rank_runs *out) {
    uint32_t start[(1 << MAX_SPREAD_BITS) + 1];
    const ptrdiff_t buckets =
        n <= MAX_INSERTION ? 0 : NAME(spread)(items, spare, n, ITEMS_PER_RUN, start);
    if (buckets == 0) NAME(leaf)(items, n, base, out); /* which moves nothing if all are equal */
    for (ptrdiff_t b = buckets; b-- > 0;) {
        const ptrdiff_t own = start[b + 1] - start[b];
        if (own) NAME(runs)(spare + start[b], items + start[b], own, base, out);
    }
}
