/* SPDX-License-Identifier: BSD-3-Clause */
/* For each of a few rows the sums of the rows whose rank is not above its rank, which go left with
   it, by comparing all pairs. Lanes are the rows of one column, or several columns of one row. */

enum { PAIRED_COLUMNS = F64_LANES, PAIRED_LANES = CART_MAX_PAIRED_ROWS * PAIRED_COLUMNS };

typedef struct {
    double a[PAIRED_LANES], n[PAIRED_LANES]; /* targets and weights */
    int64_t rows[PAIRED_LANES];           /* counted only where needed */
} paired_sums;

#if F32_LANES > 1
#define AT_LEAST(x, y) ((x) >= (y))
#else
#define AT_LEAST(x, y) (-((x) >= (y)))
#endif

/* Sums where the total weight is below 2^15, so that a row is one number of 32 bits. */
static INLINE void narrow_sums(const int32_t *rank, ptrdiff_t count, const int each,
                               const int32_t *x, ptrdiff_t m, single_bin left, paired_sums *z) {
    int32_t other[CART_MAX_PAIRED_ROWS * F32_LANES];
    for (ptrdiff_t j = 0; j < m && each; j++)
        for (int l = 0; l < F32_LANES; l++)
            other[j * F32_LANES + l] = rank[j * PAIRED_COLUMNS + l % PAIRED_COLUMNS];
    for (ptrdiff_t i = 0; i < count; i += F32_LANES) {
        int32_t below[F32_LANES];
        const f32_i own = f32_iload(rank + i);
        f32_i sum = f32_iset1(0);
        for (ptrdiff_t j = 0; j < m; j++) {
            const f32_i by = each ? f32_iload(other + j * F32_LANES) : f32_iset1(rank[j]);
            sum += f32_iset1(x[j]) & AT_LEAST(own, by);
        }
        f32_istore(below, sum);
        for (int l = 0; l < F32_LANES; l++) {
            z->a[i + l] = (double)(below[l] & 0xffff);
            z->n[i + l] = (double)(below[l] >> 16);
        }
    }
    for (ptrdiff_t i = 0; i < count && (left.q | left.w); i++) {
        z->a[i] += (double)left.q;
        z->n[i] += (double)left.w;
    }
}

static INLINE void wide_sums(const int32_t *rank, ptrdiff_t count, const int each,
                             const int64_t *q, const int64_t *w, ptrdiff_t m, single_bin left,
                             paired_sums *z) {
    double own[PAIRED_LANES];
    int64_t sum[F64_LANES], weight[F64_LANES];
    for (ptrdiff_t i = 0; i < count; i++) own[i] = (double)rank[i];
    for (ptrdiff_t i = 0; i < count; i += F64_LANES) {
        const f64_v at = f64_load(own + i);
        const f64_i one = f64_iset1(1);
        f64_i some_q = f64_iset1(left.q), some_w = f64_iset1(left.w);
        f64_i rows = f64_iset1(left.count);
        for (ptrdiff_t j = 0; j < m; j++) {
            const f64_v by = each ? f64_load(own + j * F64_LANES) : f64_set1(own[j]);
            const f64_m goes = f64_ge(at, by);
            some_q = f64_iselect(goes, some_q + f64_iset1(q[j]), some_q);
            some_w = f64_iselect(goes, some_w + f64_iset1(w[j]), some_w);
            rows = f64_iselect(goes, rows + one, rows);
        }
        f64_istore(sum, some_q);
        f64_istore(weight, some_w);
        f64_istore(z->rows + i, rows);
        for (int l = 0; l < F64_LANES; l++) {
            z->a[i + l] = (double)sum[l];
            z->n[i + l] = (double)weight[l];
        }
    }
}

/* The sums for m rows at `place` (NULL: the first ones), plus the sums `left` of rows that always
   go left. With `each` there are PAIRED_COLUMNS ranks a row. `rank` has room for whole vectors. */
static INLINE void sums_below(const cart_node_rows *v, const int32_t *place, ptrdiff_t m,
                              single_bin left, int32_t *rank, const int each, paired_sums *z) {
    const ptrdiff_t used = each ? m * PAIRED_COLUMNS : m;
    const ptrdiff_t count = (used + F32_LANES - 1) / F32_LANES * F32_LANES;
    int64_t q[CART_MAX_PAIRED_ROWS], w[CART_MAX_PAIRED_ROWS], all = 0;
    for (ptrdiff_t i = used; i < count; i++) rank[i] = INT32_MAX;
    if (!v->packs) {
        for (ptrdiff_t j = 0; j < m; j++) {
            q[j] = v->q[place ? place[j] : j];
            w[j] = v->w[place ? place[j] : j];
        }
        wide_sums(rank, count, each, q, w, m, left, z);
        return;
    }
    for (ptrdiff_t j = 0; j < m; j++) {
        const int64_t both = v->packed[place ? place[j] : j];
        q[j] = both & 0xffffffff;
        w[j] = both >> 32;
        all += w[j];
    }
    if (all <= INT16_MAX) {
        int32_t x[CART_MAX_PAIRED_ROWS];
        for (ptrdiff_t j = 0; j < m; j++) x[j] = (int32_t)(w[j] << 16 | q[j]);
        narrow_sums(rank, count, each, x, m, left, z);
    } else {
        wide_sums(rank, count, each, q, w, m, left, z);
    }
}

/* The gains of splits that leave enough rows and weight on both sides, -1 for others; returns the
   largest. The weight of packed rows is their number. */
static INLINE int64_t paired_gains(const single_search *c, const paired_sums *z, ptrdiff_t count,
                                double least, double most, int64_t *gain) {
    const cart_node_rows *v = c->v;
    int64_t top = gains_of(c, z->a, z->n, count, least, most, gain);
    if (top < 0 || !is_strict(c->t)) return top;
    top = -1;
    for (ptrdiff_t i = 0; i < count; i++) {
        const int64_t weight = (int64_t)z->n[i];
        if (!is_allowed(c->t, v, v->packs ? weight : z->rows[i], weight)) gain[i] = -1;
        top = gain[i] > top ? gain[i] : top;
    }
    return top;
}
