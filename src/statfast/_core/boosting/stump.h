/* SPDX-License-Identifier: BSD-3-Clause */
/* The best split of all rows into two, for weights of classes: a stump.

   Each row has a code, the high bits of its rank among the distinct values of the column. Weights
   are integers, so that sums are exact. A split between two codes is scored from the histogram. For
   a split within a code there is an upper bound: with the weight of the left side fixed, the term
   of each class is convex in the class's weight, so it is at most the larger of its values at the
   least and the greatest weight possible. The sum of these is convex in the weight of the left
   side, so it is at most the larger of its values at the two ends of the code. Codes whose bound
   exceeds the best score are counted once more, by the ranks themselves. */

static INLINE double side_score(const stump_job *s, const int64_t *mass) {
    double all = 0.0, square = 0.0, most = 0.0;
    for (ptrdiff_t k = 0; k < s->n_classes; k++) {
        const double m = (double)mass[k];
        all += m;
        square += m * m;
        most = m > most ? m : most;
    }
    return s->criterion == BY_ERROR ? most : all > 0.0 ? square / all : 0.0;
}

/* Two classes by Gini's index: with a and b on the left, a' and b' on the right, of l and r, the
   score is N - 2 (a b / l + a' b' / r). */
static INLINE double two_class_score(double a, double b, double a2, double b2) {
    const double l = a + b, r = a2 + b2;
    return l + r - 2.0 * (a * b * r + a2 * b2 * l) / (l * r);
}

/* The score of a split with these on its left; -1 where a side has no weight. */
static INLINE double cut_score(const stump_job *s, const int64_t *left, int64_t *right) {
    int64_t l = 0, r = 0;
    for (ptrdiff_t k = 0; k < s->n_classes; k++) {
        right[k] = s->total[k] - left[k];
        l += left[k];
        r += right[k];
    }
    if (l == 0 || r == 0) return -1.0;
    if (s->n_classes == 2 && s->criterion == BY_GINI)
        return two_class_score(
            (double)left[0], (double)left[1], (double)right[0], (double)right[1]);
    return side_score(s, left) + side_score(s, right);
}

static INLINE int64_t mass_of(const bin_sum *h, ptrdiff_t k) {
    return k & 1 ? h->hessian_count : h->gradient;
}

static INLINE const bin_sum *histogram_of(const stump_job *s, ptrdiff_t pair, ptrdiff_t j) {
    return s->histograms + (pair * s->t.p + j) * HIST_STRIDE;
}

/* The bound for two classes: the score is convex, so its maximum is at a corner of the rectangle of
   possible weights of the left side. */
static double corner_bound(const stump_job *s, const int64_t *low, const int64_t *high) {
    double most = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        const int64_t left[2] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1]};
        const int64_t right[2] = {s->total[0] - left[0], s->total[1] - left[1]};
        const double score = side_score(s, left) + side_score(s, right);
        most = score > most ? score : most;
    }
    return most;
}

/* Whether the two corners within a code score less than `best`, for two classes by Gini's index. */
static INLINE int two_class_below(
    const stump_job *s, const int64_t *low, const int64_t *high, double best) {
    const double A = (double)s->total[0], B = (double)s->total[1], N = A + B;
    const double spare = (N - best * (1.0 - 1e-12)) / 2.0;
    for (int corner = 0; corner < 2; corner++) {
        const double a = (double)(corner ? high : low)[0], b = (double)(corner ? low : high)[1];
        const double l = a + b, r = N - l;
        if (!(a * b * r + (A - a) * (B - b) * l > spare * l * r)) return 0;
    }
    return 1;
}

/* The bound for splits within a code; `low` and `high` are the weights left of the code, without
   and with it. */
static double bound_of(const stump_job *s, const int64_t *low, const int64_t *high) {
    if (s->n_classes == 2) return corner_bound(s, low, high);
    double all = 0.0, left[2] = {0.0, 0.0}, ends[2] = {0.0, 0.0}, most_l = 0.0, most_r = 0.0;
    double square = 0.0;
    for (ptrdiff_t k = 0; k < s->n_classes; k++) {
        const double r = (double)(s->total[k] - low[k]), t = (double)s->total[k];
        all += t;
        square += t * t;
        left[0] += (double)low[k];
        left[1] += (double)high[k];
        most_l = (double)high[k] > most_l ? (double)high[k] : most_l;
        most_r = r > most_r ? r : most_r;
    }
    if (s->criterion == BY_ERROR) return most_l + most_r;
    /* A side scores no more than its weight. */
    if (left[0] == 0.0) return left[1] < all ? left[1] + square / (all - left[1]) : 2.0 * all;
    if (left[1] >= all) return square / left[0] + (all - left[0]);
    for (int e = 0; e < 2; e++) {
        const double l = left[e], r = all - left[e];
        for (ptrdiff_t k = 0; k < s->n_classes; k++) {
            const double a = (double)low[k], b = (double)high[k];
            const double x = (double)(s->total[k] - low[k]), y = (double)(s->total[k] - high[k]);
            const double at_low = a * a / l + x * x / r, at_high = b * b / l + y * y / r;
            ends[e] += at_low > at_high ? at_low : at_high;
        }
    }
    return ends[0] > ends[1] ? ends[0] : ends[1];
}

/* Splits between the codes of a column. */
static void between_codes(void *job, ptrdiff_t j) {
    stump_job *s = job;
    const ptrdiff_t K = s->n_classes;
    int64_t *left = malloc(2 * sizeof(int64_t) * (size_t)K);
    s->cut[j] = (stump_cut){-1.0, -1};
    if (left == NULL) {
        s->failed = 1;
        return;
    }
    memset(left, 0, sizeof(int64_t) * (size_t)K);
    for (int64_t b = 0; b + 1 < s->t.codes[j]; b++) {
        for (ptrdiff_t k = 0; k < K; k++) left[k] += mass_of(histogram_of(s, k / 2, j) + b, k);
        const double score = cut_score(s, left, left + K);
        if (score > s->cut[j].score)
            s->cut[j] = (stump_cut){score, ((b + 1) << s->shift[j]) - 1};
    }
    free(left);
}

static INLINE uint32_t rank_at(const stump_job *s, ptrdiff_t j, ptrdiff_t i) {
    return s->wide ? ((const uint32_t *)s->ranks)[j * s->t.n + i]
                   : ((const uint16_t *)s->ranks)[j * s->t.n + i];
}

/* Splits within one code; `mass` is work space for the weights of its ranks, `left` the weights
   before the code. */
static void within_code(const stump_job *s, ptrdiff_t j, int64_t code, const int64_t *before,
                        int64_t *mass, int64_t *left, stump_cut *cut) {
    const ptrdiff_t K = s->n_classes, ranks = (ptrdiff_t)1 << s->shift[j];
    const uint32_t *rows = s->order + j * s->t.n;
    const int64_t *start = s->start + j * (N_CODES + 1);
    memset(mass, 0, sizeof(int64_t) * (size_t)(K * ranks));
    for (int64_t at = start[code]; at < start[code + 1]; at++) {
        const ptrdiff_t i = rows[at];
        /* Rows lie anywhere in memory: this saves a fifth of AdaBoost. */
        if (at + ROWS_AHEAD < s->t.n) {
            const ptrdiff_t place = j * s->t.n + rows[at + ROWS_AHEAD];
            FETCH((const char *)s->ranks + place * (s->wide ? 4 : 2));
            FETCH(s->pairs + rows[at + ROWS_AHEAD]);
        }
        int64_t *to = mass + K * (rank_at(s, j, i) & (uint32_t)(ranks - 1));
        for (ptrdiff_t k = 0; k < K; k++) to[k] += mass_of(s->pairs + (k / 2) * s->t.n + i, k);
    }
    memcpy(left, before, sizeof(int64_t) * (size_t)K);
    for (ptrdiff_t r = 0; r + 1 < ranks; r++) {
        int64_t some = 0;
        for (ptrdiff_t k = 0; k < K; k++) {
            left[k] += mass[K * r + k];
            some |= mass[K * r + k];
        }
        if (!some) continue;
        const double score = cut_score(s, left, left + K);
        const int64_t rank = (code << s->shift[j]) + r;
        if (score > cut->score || (score == cut->score && rank < cut->rank))
            *cut = (stump_cut){score, rank};
    }
}

/* Splits within the codes of a span of those of a column. */
static void within_codes(void *job, ptrdiff_t part) {
    stump_job *s = job;
    const ptrdiff_t j = part / CODE_SPANS, span = part % CODE_SPANS;
    const int64_t each = (s->t.codes[j] + CODE_SPANS - 1) / CODE_SPANS, first = span * each;
    stump_cut *cut = s->inner + part;
    *cut = (stump_cut){-1.0, -1};
    if (s->shift[j] == 0) return;
    const ptrdiff_t K = s->n_classes;
    int64_t *low = malloc(sizeof(int64_t) * (size_t)K * (4 + ((size_t)1 << s->shift[j])));
    if (low == NULL) {
        s->failed = 1;
        return;
    }
    int64_t *high = low + K, *left = low + 2 * K, *mass = low + 4 * K;
    memset(low, 0, sizeof(int64_t) * (size_t)K);
    const int two = K == 2 && s->criterion == BY_GINI;
    for (int64_t b = 0; b < s->t.codes[j] && b < first + each; b++) {
        for (ptrdiff_t k = 0; k < K; k++)
            high[k] = low[k] + mass_of(histogram_of(s, k / 2, j) + b, k);
        const double best = s->best > cut->score ? s->best : cut->score;
        if (b >= first && (two ? !two_class_below(s, low, high, best)
                               : bound_of(s, low, high) * (1.0 + 1e-12) >= best))
            within_code(s, j, b, low, mass, left, cut);
        memcpy(low, high, sizeof(int64_t) * (size_t)K);
    }
    free(low);
}

static void sum_column(void *job, ptrdiff_t j) { settle_column(job, j); }

static void best_stump(stump_job *s) {
    s->failed = 0;
    for (ptrdiff_t pair = 0; pair < s->n_pairs; pair++) {
        s->t.sums = s->pairs + pair * s->t.n;
        s->t.growing[0].histogram = s->histograms + pair * s->t.p * HIST_STRIDE;
        s->t.small = 0;
        s->t.large = -1;
        fill_histograms(&s->t);
        if (s->t.parts) team_do(s->t.crew, sum_column, &s->t, s->t.p);
    }
    team_do(s->t.crew, between_codes, s, s->t.p);
    s->best = -1.0;
    for (ptrdiff_t j = 0; j < s->t.p; j++)
        s->best = s->cut[j].score > s->best ? s->cut[j].score : s->best;
    team_do(s->t.crew, within_codes, s, s->t.p * CODE_SPANS);
    for (ptrdiff_t part = 0; part < s->t.p * CODE_SPANS; part++) {
        const stump_cut *inner = s->inner + part;
        stump_cut *cut = s->cut + part / CODE_SPANS;
        if (inner->rank >= 0 && (inner->score > cut->score ||
                                 (inner->score == cut->score && inner->rank < cut->rank)))
            *cut = *inner;
    }
}
