/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a node: weights and targets as integers, their sums, value and impurity. */

/* 2^e such that x 2^e < 2^bits. */
static INLINE double scale_to(double x, int bits) {
    int e;
    if (!(x > 0)) return 1;
    frexp(x, &e);
    e = bits - e;
    return ldexp(1, e > 1000 ? 1000 : e < -1000 ? -1000 : e);
}

static double weights_of(const cart_problem *t, cart_node_rows *v, const double *weight,
                         int integral) {
    const ptrdiff_t m = v->m;
    double sum = 0;
    v->scale = 1;
    v->unit_weights = weight == NULL;
    v->lightest = 1;
    if (weight == NULL) {
        for (ptrdiff_t i = 0; i < m; i++) v->w[i] = 1;
        v->weight = m;
        return (double)m;
    }
    for (ptrdiff_t i = 0; i < m; i++) sum += weight[v->rows[i]];
    const double factor = integral ? 1 : scale_to(sum, 60);
    v->scale = 1 / factor;
    v->weight = 0;
    v->lightest = INT64_MAX;
    for (ptrdiff_t i = 0; i < m; i++) {
        const int64_t w = (int64_t)llrint(weight[v->rows[i]] * factor);
        v->w[i] = w > 0 ? w : 1;
        v->weight += v->w[i];
        if (v->w[i] < v->lightest) v->lightest = v->w[i];
    }
    (void)t;
    return sum;
}

static double impurity_of_classes(const cart_problem *t, const double *sum) {
    double all = 0;
    for (ptrdiff_t o = 0; o < t->outputs; sum += t->classes[o++]) {
        const ptrdiff_t K = t->classes[o];
        double mass = 0, x = 0, most = 0;
        for (ptrdiff_t k = 0; k < K; k++) mass += sum[k];
        for (ptrdiff_t k = 0; k < K; k++) {
            const double share = sum[k] / mass;
            if (t->criterion == CART_GINI) x += share * share;
            if (t->criterion == CART_ENTROPY && share > 0) x -= share * log2(share);
            if (share > most) most = share;
        }
        all += t->criterion == CART_GINI ? 1 - x : t->criterion == CART_ENTROPY ? x : 1 - most;
    }
    return all / (double)t->outputs;
}

static int load_classes(const cart_problem *t, cart_node_rows *v, const double *weight) {
    const ptrdiff_t m = v->m;
    memset(v->total, 0, (size_t)t->channels * sizeof *v->total);
    memset(v->sum, 0, (size_t)t->channels * sizeof *v->sum);
    v->packs = is_single(t) && (v->unit_weights || t->min_leaf == 1) && v->scale == 1 &&
               v->weight < INT32_MAX;
    if (v->packs) v->all = v->weight;
    for (ptrdiff_t o = 0, first = 0; o < t->outputs; first += t->classes[o++])
        for (ptrdiff_t i = 0; i < m; i++) {
            const ptrdiff_t k = first + t->label[v->rows[i] * t->outputs + o];
            v->cls[o * m + i] = (int32_t)k;
            v->total[k] += v->w[i];
            if (v->scale != 1) v->sum[k] += weight[v->rows[i]];
        }
    if (v->scale == 1)
        for (ptrdiff_t k = 0; k < t->channels; k++) v->sum[k] = (double)v->total[k];
    if (is_single(t))
        for (ptrdiff_t i = 0; i < m; i++) {
            v->q[i] = v->cls[i] ? v->w[i] : 0;
            v->packed[i] = v->w[i] << 32 | v->q[i];
        }
    v->impurity = impurity_of_classes(t, v->sum);
    int pure = 1;
    for (ptrdiff_t o = 0, k = 0; o < t->outputs; o++) {
        int some = 0;
        for (ptrdiff_t c = 0; c < t->classes[o]; c++) some += v->total[k++] > 0;
        pure &= some <= 1;
    }
    return pure;
}

/* ------------------------------------------------------------------ targets */
/* Ascending targets, the place of each, and the median: the mean of two targets where exactly half
   the weight lies at or below the first. Sums of fractional weights are compared up to rounding. */
static double median_of(const cart_problem *t, cart_node_rows *v, ptrdiff_t o) {
    enum { KNOWN_BITS = 48 };
    const ptrdiff_t m = v->m;
    double *ascending = v->ascending + o * m;
    uint32_t most = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        const uint32_t rank = t->y_rank[v->rows[i] * t->outputs + o];
        v->targets[i] = (uint64_t)rank << 32 | (uint32_t)i;
        if (rank > most) most = rank;
    }
    const uint64_t *order = sort_keys(v->targets, v->targets + m, m, most);
    for (ptrdiff_t i = 0; i < m; i++) ascending[i] = v->y[o * m + (uint32_t)order[i]];
    const int64_t slack = v->weight >> KNOWN_BITS;
    int64_t twice = 0; /* twice the weight at or below */
    ptrdiff_t median = m - 1, halves = m - 1;
    for (ptrdiff_t i = 0; i < m; i++) {
        const uint32_t at = (uint32_t)order[i];
        v->y_place[o * m + at] = (int32_t)i;
        twice += 2 * v->w[at];
        if (twice >= v->weight - slack && i < median) median = i;
        if (twice > v->weight + slack && i < halves) halves = i;
    }
    if (median == halves) return ascending[median]; /* half of the smallest number would be 0 */
    return ascending[median] / 2 + ascending[halves] / 2;
}

/* The mean, clipped to the range of y. A second pass adds the mean of the residuals of
   the first. */
static double mean_of(const double *y, const double *w, ptrdiff_t m, double mass, double low,
                      double high) {
    double sum = 0, rest = 0;
    for (ptrdiff_t i = 0; i < m; i++) sum += y[i] * w[i];
    double mean = sum / mass;
    for (ptrdiff_t i = 0; i < m; i++) rest += (y[i] - mean) * w[i];
    mean += rest / mass;
    return mean < low ? low : mean > high ? high : mean;
}

static double deviation(int criterion, double y, double value) {
    const double d = y - value;
    if (criterion == CART_ABSOLUTE) return fabs(d);
    if (criterion == CART_POISSON) return value * poisson_excess(d / value);
    return d * d;
}

static int load_targets(const cart_problem *t, cart_node_rows *v, const double *weight) {
    const ptrdiff_t m = v->m, T = t->outputs;
    double *w = v->heavy;
    for (ptrdiff_t i = 0; i < m; i++) w[i] = weight ? weight[v->rows[i]] : 1;
    for (ptrdiff_t o = 0; o < T; o++)
        for (ptrdiff_t i = 0; i < m; i++) v->y[o * m + i] = t->y[v->rows[i] * T + o];
    int pure = 1;
    double reach = 0, error = 0; /* over all outputs, which share a scale */
    for (ptrdiff_t o = 0; o < T; o++) {
        double low = INFINITY, high = -INFINITY, left = 0;
        const double *own = v->y + o * m;
        for (ptrdiff_t i = 0; i < m; i++) {
            low = own[i] < low ? own[i] : low;
            high = own[i] > high ? own[i] : high;
        }
        pure &= low == high;
        v->sum[o] = t->criterion == CART_ABSOLUTE ? median_of(t, v, o)
                    : low == high                 ? low
                                                  : mean_of(own, w, m, v->mass, low, high);
        for (ptrdiff_t i = 0; i < m; i++)
            left += w[i] * deviation(t->criterion, own[i], v->sum[o]);
        error += low == high ? 0 : left;
        v->low_high[2 * o] = low;
        v->low_high[2 * o + 1] = high;
        if (high - low > reach) reach = high - low;
        if (t->criterion == CART_POISSON && low <= 0 && high > reach) reach = high;
    }
    v->impurity = error / v->mass / (double)T;
    if (!(reach > 0)) return pure;
    /* Centered targets are multiples of the grid if the targets are multiples of a coarser one. */
    const double factor = scale_to(reach * (double)v->weight * v->scale, 61);
    const int whole = v->scale == 1;
    for (ptrdiff_t o = 0; o < T; o++) {
        const double low = fabs(v->low_high[2 * o]), high = fabs(v->low_high[2 * o + 1]);
        const double fine = 1 / factor, grid = 1 / scale_to(low > high ? low : high, 52);
        const double step = fine > grid ? fine : grid, mean = v->sum[o];
        const int from_zero = t->criterion == CART_POISSON && v->low_high[2 * o] <= 0;
        const double center = from_zero ? 0 : rint(mean / step) * step;
        v->center[o] = center;
        v->total[o] = 0;
        for (ptrdiff_t i = 0; i < m; i++) {
            const double d = (v->y[o * m + i] - center) * factor;
            const int64_t q = whole ? (int64_t)llrint(d) * v->w[i] : (int64_t)llrint(d * w[i]);
            v->q[o * m + i] = q;
            v->total[o] += q;
        }
    }
    v->unit = 1 / (factor * v->scale);
    return pure;
}

/* Two classes with whole weights are packed into one number a row. */
static int load_packed(const cart_problem *t, cart_node_rows *v) {
    int64_t sum = 0, lightest = INT64_MAX;
    for (ptrdiff_t i = 0; i < v->m; i++) {
        const int64_t row = v->record[v->rows[i]];
        v->packed[i] = row;
        sum += row;
        lightest = row < lightest ? row : lightest;
    }
    v->packs = 1;
    v->all = sum >> 32;
    v->scale = 1;
    v->weight = sum >> 32;
    v->lightest = lightest >> 32;
    v->mass = (double)v->weight;
    v->total[1] = sum & 0xffffffff;
    v->total[0] = v->weight - v->total[1];
    v->sum[0] = (double)v->total[0];
    v->sum[1] = (double)v->total[1];
    v->impurity = impurity_of_classes(t, v->sum);
    return v->total[0] == 0 || v->total[1] == 0;
}

/* Gather the rows of a node; returns whether it is pure. */
static int load_node(const cart_problem *t, cart_node_rows *v, const double *weight,
                     int integral) {
    if (v->record) return load_packed(t, v);
    v->packs = 0;
    v->all = v->m;
    v->mass = weights_of(t, v, weight, integral);
    return t->label ? load_classes(t, v, weight) : load_targets(t, v, weight);
}
