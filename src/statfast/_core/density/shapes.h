/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of density estimates, as functions of reduced distances (tile/passes/metric.h).

   `inverse` turns a reduced distance into t^2 where it is a square, else into t, where t is the
   distance over the bandwidth. Gaussian and exponential kernels are computed as exp(shift + ...),
   so that they need not underflow far from all points. A distance of inf has the value 0. */

/* cos(pi sqrt(s) / 2) / (1 - s) = sum_k b_k s^k, b_k the sum of the first k + 1 coefficients of the
   cosine: it has no pole, and what is left out is below 2e-17 for s <= 1. */
static const double cosine_terms[] = {
    1.0,
    -0.23370055013616983,
    0.019968957764878188,
    -0.00089452299847477457,
    2.4737276364651989e-05,
    -4.6476600840861602e-07,
    6.3214694732011116e-09,
    -6.5133610590740859e-11,
    5.2602055905386695e-13,
    -3.4194610195954559e-15,
};

static INLINE f64_v shape_value(f64_v r, const int shape, const int squared,
                                const density_search *s, f64_v shift) {
    const f64_v one = f64_set1(1), zero = f64_set1(0);
    if (shape == SHAPE_TOPHAT)
        return f64_select(f64_ge(f64_set1(s->limit), r), one, zero);
    const f64_v u = r * f64_set1(s->inverse);
    f64_v square = u;
    if (!squared) square = u * u;
    if (shape == SHAPE_GAUSSIAN)
        return f64_exp(f64_fma(square, f64_set1(-0.5), shift));
    if (shape == SHAPE_EXPONENTIAL || shape == SHAPE_LINEAR) {
        f64_v ratio = u;
        if (squared) ratio = f64_sqrt(u);
        if (shape == SHAPE_EXPONENTIAL) return f64_exp(shift - ratio);
        return f64_max(zero, one - ratio);
    }
    const f64_v rest = f64_max(zero, one - square);
    if (shape == SHAPE_EPANECHNIKOV) return rest;
    return rest * f64_polynomial(f64_min(square, one), cosine_terms,
                                 (int)(sizeof cosine_terms / sizeof *cosine_terms));
}

/* How far W K(center) may miss the sum over points of weight W whose t^2 lies between two bounds, of
   which `far` is the larger and `top` the kernel at the smaller: this times their second moment
   about the center, in units of the bandwidth. It is half the largest eigenvalue of the second
   derivative; `peak` is that of the Gaussian at 0, its largest of all. Infinite where nothing is
   known. */
static INLINE double shape_curvature(double far, double top, double peak, int shape) {
    if (shape == SHAPE_GAUSSIAN) {
        const double steep = far > 2 ? top * (far - 1) : top;
        return 0.5 * (steep < peak ? steep : peak);
    }
    if (shape == SHAPE_COSINE && far <= 1) return 0.125 * 9.8696044010893587; /* pi^2 / 8 */
    return shape == SHAPE_EPANECHNIKOV && far <= 1 ? 0 : INFINITY;
}
