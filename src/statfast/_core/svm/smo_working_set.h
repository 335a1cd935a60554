/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of a working set for svm/smo_level.h: the worst violators, and what is left of the last
   set (Joachims 1999; Wen et al. 2018). */

/* Bring the k first of n in front: larger keys, then lower numbers. */
static void smo_first(float *key, int32_t *id, ptrdiff_t n, ptrdiff_t k) {
    ptrdiff_t from = 0, to = n - 1;
    while (from < to && k > 0 && k < n) {
        const float x = key[(from + to) / 2];
        const int32_t y = id[(from + to) / 2];
        ptrdiff_t i = from, j = to;
        while (i <= j) {
            while (key[i] > x || (key[i] == x && id[i] < y)) i++;
            while (key[j] < x || (key[j] == x && id[j] > y)) j--;
            if (i <= j) {
                const float a = key[i];
                const int32_t b = id[i];
                key[i] = key[j], id[i++] = id[j];
                key[j] = a, id[j--] = b;
            }
        }
        if (k - 1 <= j) to = j;
        else if (k - 1 >= i) from = i;
        else return;
    }
}

/* The range of -f that violates, of each group; returns the largest width. */
static double smo_range(const smo_task *t, double top[2], double bottom[2]) {
    double gap = 0;
    top[0] = top[1] = -INFINITY, bottom[0] = bottom[1] = INFINITY;
    for (ptrdiff_t v = 0; v < t->m; v++) {
        const int g = t->group[v];
        const double x = -t->f[v];
        if (t->b[v] < t->high[v] && x > top[g]) top[g] = x;
        if (t->b[v] > t->low[v] && x < bottom[g]) bottom[g] = x;
    }
    for (int g = 0; g < t->groups; g++) gap = top[g] - bottom[g] > gap ? top[g] - bottom[g] : gap;
    return gap;
}

/* Mark up to `wanted` more variables: half from either list, or what it has. */
static ptrdiff_t smo_take(float *key[2], int32_t *id[2], const ptrdiff_t n[2], ptrdiff_t wanted,
                          uint8_t *chosen) {
    ptrdiff_t part[2], count = 0;
    part[0] = n[0] < wanted / 2 ? n[0] : wanted / 2;
    part[1] = n[1] < wanted - part[0] ? n[1] : wanted - part[0];
    part[0] = n[0] < wanted - part[1] ? n[0] : wanted - part[1];
    for (int side = 0; side < 2; side++) {
        smo_first(key[side], id[side], n[side], part[side]);
        for (ptrdiff_t p = 0; p < part[side]; p++) {
            count += !chosen[id[side][p]];
            chosen[id[side][p]] = 1;
        }
    }
    return count;
}

/* The working set, ascending: half are the worst violators, the others of the last set, free ones
   first, and further violators. Returns its size. */
static ptrdiff_t smo_choose(smo_task *t, const double middle[2], char *work, int32_t *set) {
    const ptrdiff_t m = t->m, q = t->q;
    ptrdiff_t n[2] = {0, 0}, count, k = 0;
    float *key[2] = {(float *)work, (float *)work + m};
    int32_t *id[2] = {(int32_t *)(key[1] + m), (int32_t *)(key[1] + m) + m};
    uint8_t *chosen = (uint8_t *)(id[1] + m);
    memset(chosen, 0, (size_t)m);
    for (ptrdiff_t v = 0; v < m; v++) {
        const double above = -t->f[v] - middle[t->group[v]];
        if (above > 0 && t->b[v] < t->high[v])
            key[0][n[0]] = (float)above, id[0][n[0]++] = (int32_t)v;
        else if (above < 0 && t->b[v] > t->low[v])
            key[1][n[1]] = (float)-above, id[1][n[1]++] = (int32_t)v;
    }
    /* At least the worst pair, so that something moves. */
    count = smo_take(key, id, n, t->recent[0] < 0 ? q : q < 4 ? 2 : q / 2, chosen);
    for (int bound = 0; bound < 2; bound++)
        for (ptrdiff_t p = 0; p < q && t->recent[p] >= 0 && count < q; p++) {
            const int32_t v = t->recent[p];
            if (chosen[v] || (t->b[v] > t->low[v] && t->b[v] < t->high[v]) == bound) continue;
            chosen[v] = 1, count++;
        }
    if (count < q) {
        /* Those taken are in front of the lists; what comes of the last set may be among the rest. */
        ptrdiff_t rest[2];
        for (int side = 0; side < 2; side++) {
            rest[side] = 0;
            for (ptrdiff_t p = 0; p < n[side]; p++)
                if (!chosen[id[side][p]]) {
                    key[side][rest[side]] = key[side][p];
                    id[side][rest[side]++] = id[side][p];
                }
        }
        count += smo_take(key, id, rest, q - count, chosen);
    }
    const int all = q >= m && 10 * count >= 7 * m; /* rows need no copies then */
    for (ptrdiff_t v = 0; v < m; v++)
        if (all || chosen[v]) set[k++] = (int32_t)v;
    return k;
}
