/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of family and link that have vector code: from the linear predictor eta of a row to its
   score s = a (y - mu) mu' / V, its weight w = a mu'^2 / V, half its deviance, and its part s^2 / w
   of Pearson's chi-square; a is the prior weight, mu' = d mu / d eta, V the variance function.

   Written so that no digits are lost where a fit is good: y - mu is y (1 - mu) - (1 - y) mu in the
   logistic model, and its deviance is made of log(1 + exp(-|eta|)).  `aux` is what the deviance takes
   of y alone: log y (0 for y = 0), or y log y + (1 - y) log(1 - y) in the logistic model. */

typedef struct {
    f64_v s, w, loss, chi; /* chi is s^2 / w, which but for classes the caller makes */
} irls_row;

static INLINE irls_row irls_logit(f64_v eta, f64_v y, f64_v a, f64_v aux) {
    const f64_v zero = f64_set1(0), one = f64_set1(1);
    const f64_v e = f64_exp(f64_min(eta, zero - eta)), rate = one / (one + e), small = e * rate;
    const f64_m positive = f64_gt(eta, zero);
    const f64_v mu = f64_select(positive, rate, small), rest = f64_select(positive, small, rate);
    const f64_v not_y = one - y;
    irls_row out;
    out.s = a * (y * rest - not_y * mu);
    out.w = a * (mu * rest);
    out.loss = a * (f64_select(positive, not_y * eta, zero - y * eta) + f64_log1p(e) + aux);
    return out;
}

/* e^x for -700 <= x <= 0: as in simd/vmath.h, but without the ends of the range, so that 2^n is a
   number; and the polynomial in two halves, whose chains run side by side. */
static INLINE f64_v irls_exp(f64_v x) {
    const f64_v rounder = f64_set1(0x1.8p52 + 1023), log2_e = f64_set1(1.44269504088896340736);
    const f64_v t = f64_fma(x, log2_e, rounder), n = t - rounder;
    const f64_v high = f64_fma(n, f64_set1(-0x1.62e42fefa38p-1), x);
    const f64_v low = n * f64_set1(-0x1.ef35793c7673p-45), r = high + low, square = r * r;
    f64_v even = f64_set1(f64_exp_terms[8]), odd = f64_set1(f64_exp_terms[9]);
    UNROLL for (int i = 6; i >= 0; i -= 2) {
        even = f64_fma(even, square, f64_set1(f64_exp_terms[i]));
        odd = f64_fma(odd, square, f64_set1(f64_exp_terms[i + 1]));
    }
    const f64_v tail = f64_fma(square, f64_fma(odd, r, even), low);
    return (f64_set1(1) + (high + tail)) * f64_asreal(f64_asint(t) << 52);
}

/* The same where y is 0 or 1 and a is 1.  With t = eta or -eta, the log-odds of the row's own class,
   and e = exp(-|t|): s is e / (1 + e) and s^2 / w is e where t is positive, else 1 / (1 + e) and
   1 / e, both from one division.  The loss lacks log(1 + e): `more` = 1 + e, which is at most 2, so
   that the caller takes the logarithm of a product. */
static INLINE irls_row irls_classes(f64_v eta, f64_v y, f64_v *more) {
    const f64_v zero = f64_set1(0), one = f64_set1(1), side = y + y - one, t = side * eta;
    const f64_m right = f64_gt(t, zero);
    const f64_v e = irls_exp(f64_max(f64_set1(-700), f64_min(t, zero - t))); /* e e' is a number */
    const f64_v up = one + e, both = one / (e * up), rate = both * e, small = e * rate;
    irls_row out;
    out.s = side * f64_select(right, small, rate);
    out.w = small * rate;
    out.loss = f64_select(right, zero, zero - t);
    out.chi = f64_select(right, e, both * up);
    *more = up;
    return out;
}

static INLINE irls_row irls_poisson(f64_v eta, f64_v y, f64_v a, f64_v aux) {
    const f64_v mu = f64_exp(eta);
    irls_row out;
    out.s = a * (y - mu);
    out.w = a * mu;
    out.loss = a * (y * (aux - eta) - (y - mu));
    return out;
}

static INLINE irls_row irls_gamma_log(f64_v eta, f64_v y, f64_v a, f64_v aux) {
    const f64_v excess = y * f64_exp(f64_set1(0) - eta) - f64_set1(1);
    irls_row out;
    out.s = a * excess;
    out.w = a;
    out.loss = a * (eta - aux + excess);
    return out;
}

/* A mean must be positive: where eta is not, its logarithm is no number, and neither is the loss. */
static INLINE irls_row irls_gamma_inverse(f64_v eta, f64_v y, f64_v a, f64_v aux) {
    const f64_v mu = f64_set1(1) / eta;
    irls_row out;
    out.s = a * (mu - y);
    out.w = a * mu * mu;
    out.loss = a * ((y * eta - f64_set1(1)) - (aux + f64_log(eta)));
    return out;
}

static INLINE irls_row irls_identity(f64_v eta, f64_v y, f64_v a) {
    const f64_v residual = y - eta;
    irls_row out;
    out.s = a * residual;
    out.w = a;
    out.loss = f64_set1(0.5) * (out.s * residual);
    return out;
}
