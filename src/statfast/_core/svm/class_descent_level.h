/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of svm/class_descent.pyx: a row and the weights of all classes. */

#include "svm/class_descent_table.h"

static void class_multiply(const double *x, const int32_t *at, ptrdiff_t length,
                           const double *weights, ptrdiff_t lanes, double *out) {
    for (ptrdiff_t c = 0; c < lanes; c += F64_LANES) {
        const double *w = weights + lanes + c;
        f64_v one = f64_load(weights + c), two = f64_set1(0); /* that do not wait for each other */
        ptrdiff_t j = 0;
        for (; j + 2 <= length; j += 2) {
            const ptrdiff_t a = at ? at[j] : j, b = at ? at[j + 1] : j + 1;
            one = f64_fma(f64_set1(x[j]), f64_load(w + a * lanes), one);
            two = f64_fma(f64_set1(x[j + 1]), f64_load(w + b * lanes), two);
        }
        if (j < length) one = f64_fma(f64_set1(x[j]), f64_load(w + (at ? at[j] : j) * lanes), one);
        f64_store(out + c, one + two);
    }
}

static void class_move(const double *x, const int32_t *at, ptrdiff_t length, double *weights,
                       ptrdiff_t lanes, const double *step) {
    for (ptrdiff_t c = 0; c < lanes; c += F64_LANES) {
        double *w = weights + lanes + c;
        const f64_v by = f64_load(step + c);
        for (ptrdiff_t j = 0; j < length; j++) {
            double *to = w + (at ? at[j] : j) * lanes;
            f64_store(to, f64_fma(f64_set1(x[j]), by, f64_load(to)));
        }
    }
}

const class_descent_kernels GLUE(class_descent_, LEVEL) = {
    .multiply = class_multiply, .move = class_move};
