/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of svm/smo.pyx: steps of two variables on a working set, and sums of
   rows.

   In terms of b = s a, f = s G (G the gradient) a variable may rise while b < high and fall while
   b > low; -f of the first kind is at most -f of the second, within tol, at a solution. A step
   moves b_i up and b_j down by the same amount, so f moves by that times (row i - row j) whatever
   the signs.

   The local f is float: it is kept less the middle of the violating range, so what decides, the
   f near that middle, has the full relative precision. What a working set has moved is added to
   the f of all variables in double. */

#include "svm/smo_table.h"

#define SMO_TAU 1e-12 /* curvature of a pair that has none, as in LIBSVM */

/* The working set of the moment; arrays of `wide` numbers. */
typedef struct {
    const smo_task *task;
    const float **row; /* null until a step asks for it */
    float *block;      /* where rows are copied to */
    ptrdiff_t k, wide, copied;
    float *f, *diagonal;
    float *up[2], *down[2]; /* 0 where a variable of the group may rise (fall), else -infinity */
    double *b, *low, *high;
    const int32_t *id, *group;
} smo_set;

static INLINE ptrdiff_t smo_slot(const smo_task *t, int32_t v) { return t->slot ? t->slot[v] : v; }

static NOINLINE const float *smo_copied(smo_set *s, ptrdiff_t r) {
    const float *row = s->task->K + smo_slot(s->task, s->id[r]) * s->task->ld;
    float *to = s->block + r * s->wide;
    for (ptrdiff_t c = 0; c < s->k; c++) to[c] = row[s->id[c]];
    for (ptrdiff_t c = s->k; c < s->wide; c++) to[c] = 0;
    s->copied++;
    return s->row[r] = to;
}

/* A row of the matrix, of the variables of the set. */
static INLINE const float *smo_row(smo_set *s, ptrdiff_t r) {
    return s->row[r] ? s->row[r] : smo_copied(s, r);
}

/* The largest of the lanes, and the lowest index at which it stands. */
static INLINE float smo_top(f32_v best, f32_i at, ptrdiff_t *index) {
    float value[F32_LANES];
    int32_t id[F32_LANES];
    f32_istore(id, at);
#if F32_LANES == 16
    (void)value;
    const float top = _mm512_reduce_max_ps(best);
#else
    f32_store(value, best);
    float top = value[0];
    for (int l = 1; l < F32_LANES; l++) top = value[l] > top ? value[l] : top;
#endif
    unsigned left = f32_bits(f32_ge(best, f32_set1(top)));
    int32_t first = INT32_MAX;
    for (; left; left &= left - 1) {
        const int32_t here = id[LOWEST_BIT(left)];
        first = here < first ? here : first;
    }
    *index = first;
    return top;
}

static INLINE f32_i smo_lanes(void) {
    int32_t id[F32_LANES];
    for (int l = 0; l < F32_LANES; l++) id[l] = l;
    return f32_iload(id);
}

/* f += t (row i - row j), and the variable that may rise with the largest -f. */
static INLINE float smo_move(smo_set *s, float t, ptrdiff_t i, ptrdiff_t j, const float *up,
                             ptrdiff_t *index) {
    const float *ki = smo_row(s, i), *kj = smo_row(s, j);
    const f32_v step = f32_set1(t);
    f32_v best = f32_set1(-INFINITY);
    f32_i here = smo_lanes(), at = here;
    for (ptrdiff_t c = 0; c < s->wide; c += F32_LANES) {
        const f32_v f = f32_fma(step, f32_load(ki + c) - f32_load(kj + c), f32_load(s->f + c));
        f32_store(s->f + c, f);
        const f32_v x = f32_load(up + c) - f;
        at = f32_iselect(f32_gt(x, best), here, at);
        best = f32_max(x, best);
        here += F32_LANES;
    }
    return smo_top(best, at, index);
}

/* The variable that may rise with the largest -f, or fall with the largest f (sign 1). */
static INLINE float smo_extreme(const smo_set *s, const float *may, float sign, ptrdiff_t *index) {
    const f32_v factor = f32_set1(sign);
    f32_v best = f32_set1(-INFINITY);
    f32_i here = smo_lanes(), at = here;
    for (ptrdiff_t c = 0; c < s->wide; c += F32_LANES) {
        const f32_v x = f32_fma(factor, f32_load(s->f + c), f32_load(may + c));
        at = f32_iselect(f32_gt(x, best), here, at);
        best = f32_max(x, best);
        here += F32_LANES;
    }
    return smo_top(best, at, index);
}

/* The partner of i with which a step gains most (Fan, Chen & Lin 2005), and the violation. */
static INLINE float smo_partner(smo_set *s, ptrdiff_t i, float top, const float *down,
                                ptrdiff_t *index) {
    const float *ki = smo_row(s, i);
    const f32_v here_top = f32_set1(top), own = f32_set1(s->diagonal[i]);
    const f32_v zero = f32_set1(0), least = f32_set1((float)SMO_TAU);
    f32_v best = f32_set1(-1), widest = zero;
    f32_i here = smo_lanes(), at = here;
    ptrdiff_t none;
    for (ptrdiff_t c = 0; c < s->wide; c += F32_LANES) {
        const f32_v k = f32_load(ki + c);
        const f32_v b = f32_max(here_top + f32_load(s->f + c) + f32_load(down + c), zero);
        const f32_v a = f32_max(own + f32_load(s->diagonal + c) - (k + k), least);
        const f32_v gain = b * b / a;
        widest = f32_max(b, widest);
        at = f32_iselect(f32_gt(gain, best), here, at);
        best = f32_max(gain, best);
        here += F32_LANES;
    }
    smo_top(best, at, index);
    return smo_top(widest, here, &none);
}

static void smo_may(smo_set *s, ptrdiff_t v) {
    const int g = s->group[s->id[v]];
    s->up[g][v] = s->b[v] < s->high[v] ? 0 : -INFINITY;
    s->down[g][v] = s->b[v] > s->low[v] ? 0 : -INFINITY;
}

/* Steps within the working set, until its violation is at most tol; returns how many. */
static NOINLINE ptrdiff_t smo_steps(smo_set *s, int groups, double tol, ptrdiff_t most) {
    ptrdiff_t steps = 0, i = 0, j = 0, none;
    float top = smo_extreme(s, s->up[0], -1, &i);
    while (steps < most) {
        int g = 0;
        if (groups == 2) { /* the group that violates most */
            ptrdiff_t other;
            const float violation = top + smo_extreme(s, s->down[0], 1, &none);
            const float second = smo_extreme(s, s->up[1], -1, &other);
            if (second + smo_extreme(s, s->down[1], 1, &none) > violation)
                g = 1, top = second, i = other;
        }
        if (top == -INFINITY || smo_partner(s, i, top, s->down[g], &j) <= tol) break;
        const double bend =
            (double)s->diagonal[i] + s->diagonal[j] - 2.0 * smo_row(s, i)[j];
        double t = ((double)s->f[j] - s->f[i]) / (bend > SMO_TAU ? bend : SMO_TAU);
        const double above = s->high[i] - s->b[i], below = s->b[j] - s->low[j];
        const int fills = t >= above, empties = t >= below;
        t = fills ? above : t;
        t = empties && below <= t ? below : t;
        const double bi = fills && t == above ? s->high[i] : s->b[i] + t;
        const double bj = empties && t == below ? s->low[j] : s->b[j] - t;
        if (bi == s->b[i] && bj == s->b[j]) break; /* too small a step for the type */
        s->b[i] = bi, s->b[j] = bj;
        smo_may(s, i), smo_may(s, j);
        top = smo_move(s, (float)t, i, j, s->up[0], &i);
        steps++;
    }
    return steps;
}

#include "svm/smo_working_set.h"

static void smo_add(const float *rows, ptrdiff_t ld, const int32_t *which, const double *w,
                    ptrdiff_t k, ptrdiff_t first, ptrdiff_t stop, double *f) {
    for (ptrdiff_t r = 0; r < k; r += 8) {
        const float *row[8];
        double weight[8];
        for (int u = 0; u < 8; u++) {
            row[u] = rows + which[r + u < k ? r + u : r] * ld;
            weight[u] = r + u < k ? w[r + u] : 0;
        }
        ptrdiff_t c = first;
        for (; c + 2 * F64_LANES <= stop; c += 2 * F64_LANES) {
            f64_v x = f64_load(f + c), y = f64_load(f + c + F64_LANES);
            UNROLL for (int u = 0; u < 8; u++) {
                const f64_v by = f64_set1(weight[u]);
                x = f64_fma(by, f64_widen(row[u] + c), x);
                y = f64_fma(by, f64_widen(row[u] + c + F64_LANES), y);
            }
            f64_store(f + c, x), f64_store(f + c + F64_LANES, y);
        }
        for (; c < stop; c++)
            for (int u = 0; u < 8; u++) f[c] += weight[u] * row[u][c];
    }
}

/* How many rows of the working set have to be made; which. */
static ptrdiff_t smo_missing(const smo_task *t, const int32_t *set, ptrdiff_t k) {
    ptrdiff_t missing = 0;
    for (ptrdiff_t r = 0; r < k; r++)
        if (smo_slot(t, set[r]) < 0) t->wanted[missing++] = set[r];
    return missing;
}

/* The state of a working set, less the middle of what violates. */
static void smo_gather(const smo_task *t, const double middle[2], smo_set *s) {
    const ptrdiff_t k = s->k;
    const int whole = k == t->m && !t->slot;
    s->copied = 0;
    for (ptrdiff_t r = 0; r < s->wide; r++) {
        for (int g = 0; g < 2; g++) s->up[g][r] = s->down[g][r] = -INFINITY;
        s->f[r] = 0, s->diagonal[r] = 1;
        if (r >= k) continue;
        const int32_t v = s->id[r];
        const float *row = t->K + smo_slot(t, v) * t->ld;
        s->row[r] = whole ? row : NULL;
        s->f[r] = (float)(t->f[v] + middle[t->group[v]]);
        s->diagonal[r] = row[v];
        s->b[r] = t->b[v], s->low[r] = t->low[v], s->high[r] = t->high[v];
        smo_may(s, r);
    }
}

static int smo_descend(smo_task *t, double budget) {
    const ptrdiff_t wide = (t->q + SMO_ROW_MULTIPLE - 1) / SMO_ROW_MULTIPLE * SMO_ROW_MULTIPLE;
    smo_set s;
    s.task = t, s.block = (float *)(((uintptr_t)t->work + 63) & ~(uintptr_t)63);
    float *single = s.block + wide * wide;
    s.f = single, s.diagonal = single + wide;
    for (int g = 0; g < 2; g++)
        s.up[g] = single + (2 + g) * wide, s.down[g] = single + (4 + g) * wide;
    s.b = (double *)(single + 6 * wide), s.low = s.b + wide, s.high = s.low + wide;
    double *moved = s.high + wide;
    s.row = (const float **)(moved + wide);
    int32_t *set = (int32_t *)(s.row + wide);
    char *work = (char *)(set + wide);
    s.id = set, s.group = t->group;
    for (;;) {
        double top[2], bottom[2], middle[2] = {0, 0};
        t->gap = smo_range(t, top, bottom);
        if (t->gap <= t->tol || budget <= 0 || t->steps >= t->limit) return 1;
        for (int g = 0; g < t->groups; g++) /* a group may have nothing to rise or to fall */
            if (top[g] > -INFINITY && bottom[g] < INFINITY) middle[g] = 0.5 * (top[g] + bottom[g]);
        s.k = smo_choose(t, middle, work, set);
        if ((t->missing = smo_missing(t, set, s.k))) return 1;
        s.wide = (s.k + SMO_ROW_MULTIPLE - 1) / SMO_ROW_MULTIPLE * SMO_ROW_MULTIPLE;
        smo_gather(t, middle, &s);
        const double share = t->share * t->gap, tol = share > 0.5 * t->tol ? share : 0.5 * t->tol;
        const ptrdiff_t left = t->limit - t->steps, most = left < t->most ? left : t->most;
        const ptrdiff_t steps = smo_steps(&s, t->groups, tol, most);
        ptrdiff_t changed = 0;
        for (ptrdiff_t r = 0; r < t->q; r++) t->recent[r] = r < s.k ? set[r] : -1;
        for (ptrdiff_t r = 0; r < s.k; r++) {
            const double by = s.b[r] - t->b[set[r]];
            t->b[set[r]] = s.b[r];
            if (by != 0) moved[changed] = by, set[changed++] = (int32_t)smo_slot(t, set[r]);
        }
        smo_add(t->K, t->ld, set, moved, changed, 0, t->m, t->f);
        t->steps += steps, t->sets++;
        budget -= (double)(s.copied * s.k + steps * s.wide + changed * t->m + 8 * t->m);
        if (changed == 0) return 0;
    }
}

const smo_kernels GLUE(smo_, LEVEL) = {.descend = smo_descend, .add = smo_add};
