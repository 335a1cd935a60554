/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of svm/class_descent.pyx: visits to rows, the classes in lanes. */

#include <limits.h>
#include <math.h>

#include "svm/class_descent_table.h"

#define CLASS_ROUNDING 1e-12 /* violations below are rounding */
#define ROWS_AHEAD 2         /* rows: they are on the way from memory */

/* By halves, which do not wait for each other. */
static inline double class_sum(f64_v v) {
    double lane[F64_LANES];
    f64_store(lane, v);
    for (int half = F64_LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* The values of a row under all classes. Of the row, x holds `length` numbers, of the columns `at`,
   or of all where that is NULL. */
static inline void class_multiply(const double *x, const int32_t *at, ptrdiff_t length,
                                  const double *weights, ptrdiff_t lanes, double *out) {
    ptrdiff_t c = 0;
    for (; c + 2 * F64_LANES <= lanes; c += 2 * F64_LANES) {
        const double *w = weights + lanes + c;
        f64_v left = f64_load(weights + c), right = f64_load(weights + c + F64_LANES);
        f64_v odd_left = f64_set1(0), odd_right = odd_left; /* that do not wait for the others */
        ptrdiff_t j = 0;
        for (; j + 2 <= length; j += 2) {
            const double *even = w + (at ? at[j] : j) * lanes;
            const double *odd = w + (at ? at[j + 1] : j + 1) * lanes;
            const f64_v one = f64_set1(x[j]), two = f64_set1(x[j + 1]);
            left = f64_fma(one, f64_load(even), left);
            right = f64_fma(one, f64_load(even + F64_LANES), right);
            odd_left = f64_fma(two, f64_load(odd), odd_left);
            odd_right = f64_fma(two, f64_load(odd + F64_LANES), odd_right);
        }
        if (j < length) {
            const double *even = w + (at ? at[j] : j) * lanes;
            left = f64_fma(f64_set1(x[j]), f64_load(even), left);
            right = f64_fma(f64_set1(x[j]), f64_load(even + F64_LANES), right);
        }
        f64_store(out + c, left + odd_left);
        f64_store(out + c + F64_LANES, right + odd_right);
    }
    for (; c < lanes; c += F64_LANES) {
        const double *w = weights + lanes + c;
        f64_v even = f64_load(weights + c), odd = f64_set1(0);
        ptrdiff_t j = 0;
        for (; j + 2 <= length; j += 2) {
            const ptrdiff_t a = at ? at[j] : j, b = at ? at[j + 1] : j + 1;
            even = f64_fma(f64_set1(x[j]), f64_load(w + a * lanes), even);
            odd = f64_fma(f64_set1(x[j + 1]), f64_load(w + b * lanes), odd);
        }
        if (j < length)
            even = f64_fma(f64_set1(x[j]), f64_load(w + (at ? at[j] : j) * lanes), even);
        f64_store(out + c, even + odd);
    }
}

/* Whether the row stays in the order; its violation is noted, and the values become gradients. Any
   multiplier may fall, and those with room may rise. */
static inline int class_measure(class_job *job, const double *room, double own,
                                double *violation) {
    static const double number[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const f64_v never = f64_set1(INFINITY), nothing = f64_set1(0);
    f64_v low = never, most = never, held = never; /* the last two of negative gradients */
    int n_free = 0;
    for (ptrdiff_t c = 0; c < job->lanes; c += F64_LANES) {
        const f64_v values = f64_load(job->gradient + c), before = f64_set1(own - (double)c);
        const f64_v lane = f64_load(number), less = values - f64_set1(1);
        const f64_v g = f64_select(f64_gt(before, lane), values,
                                   f64_select(f64_gt(lane, before), values, less));
        f64_store(job->gradient + c, g);
        const f64_m free = f64_gt(f64_load(room + c), nothing);
        low = f64_min(low, f64_select(free, g, never));
        most = f64_min(most, nothing - g);
        held = f64_min(held, f64_select(free, never, nothing - g));
        n_free += POPCOUNT(f64_bits(free));
    }
    const double least = f64_least(low);
    *violation = -f64_least(most) - least;
    return n_free > 1 || -f64_least(held) >= least - job->slack;
}

/* By what number to lower heights, or to 0, for them to sum to the total. */
static inline double class_lowered(const double *height, ptrdiff_t lanes, double top,
                                   double total) {
    double low = top - total;
    int before = INT_MAX;
    for (;;) {
        f64_v sum = f64_set1(0);
        int count = 0;
        for (ptrdiff_t c = 0; c < lanes; c += F64_LANES) {
            const f64_v h = f64_load(height + c);
            const f64_m above = f64_gt(h, f64_set1(low));
            sum = f64_add_if(above, sum, h - f64_set1(top));
            count += POPCOUNT(f64_bits(above));
        }
        if (count == 0 || count >= before) return low; /* more of them is rounding */
        low = top + (class_sum(sum) - total) / count;
        before = count;
    }
}

/* Move the multipliers of a row to where the dual is least, and the weights with them. */
static inline void class_move(class_job *job, const double *x, const int32_t *at, ptrdiff_t length,
                              ptrdiff_t i, double *room) {
    const ptrdiff_t lanes = job->lanes;
    const f64_v share = f64_set1(1 / job->square[i]);
    f64_v most = f64_set1(INFINITY);
    for (ptrdiff_t c = 0; c < lanes; c += F64_LANES) {
        const f64_v height = f64_fma(f64_load(job->gradient + c), share, f64_load(room + c));
        f64_store(job->gradient + c, height);
        most = f64_min(most, f64_set1(0) - height);
    }
    const double low = class_lowered(job->gradient, lanes, -f64_least(most), job->cost[i]);
    for (ptrdiff_t c = 0; c < lanes; c += F64_LANES) {
        const f64_v now = f64_max(f64_load(job->gradient + c) - f64_set1(low), f64_set1(0));
        const f64_v by = f64_load(room + c) - now;
        f64_store(room + c, now);
        if (!(f64_bits(f64_gt(by, f64_set1(0))) | f64_bits(f64_gt(f64_set1(0), by)))) continue;
        /* The constant column holds its root, and its coefficients are the intercepts. */
        double *w = job->weights + c;
        f64_store(w, f64_fma(f64_set1(job->one), by, f64_load(w)));
        w += lanes;
        for (ptrdiff_t j = 0; j < length; j++) {
            double *to = w + (at ? at[j] : j) * lanes;
            f64_store(to, f64_fma(f64_set1(x[j]), by, f64_load(to)));
        }
    }
}

static void class_visit(class_job *job) {
    for (ptrdiff_t s = job->begin; s < job->end; s++) {
        const ptrdiff_t i = job->order[s];
        ptrdiff_t length = job->d;
        const int32_t *at = NULL;
        const double *x = job->line;
        if (s + ROWS_AHEAD < job->end) {
            const ptrdiff_t next = job->order[s + ROWS_AHEAD];
            FETCH(job->room + next * job->lanes);
            if (job->x)
                for (ptrdiff_t j = 0; j < length; j += 8) FETCH(job->x + next * job->ldx + j);
        }
        if (job->start) {
            length = job->start[i + 1] - job->start[i];
            at = job->column + job->start[i];
            x = job->value + job->start[i];
        } else if (job->x) {
            x = job->x + i * job->ldx;
        } else {
            for (ptrdiff_t j = 0; j < length; j++) job->line[j] = job->x_single[i * job->ldx + j];
        }
        double *room = job->room + i * job->lanes, violation;
        class_multiply(x, at, length, job->weights, job->lanes, job->gradient);
        if (!class_measure(job, room, job->code[i], &violation)) continue;
        job->order[job->kept++] = (int32_t)i;
        if (violation > job->violation) job->violation = violation;
        if (violation > CLASS_ROUNDING) class_move(job, x, at, length, i, room);
    }
}

const class_descent_kernels GLUE(class_descent_, LEVEL) = {.visit = class_visit};
