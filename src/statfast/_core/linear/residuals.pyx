# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Products of the residuals of a linear fit with the columns, in twice the precision.

A solution of the normal equations becomes as good as one by QR when it is corrected once by the
gradient X'r of its own residuals (A. Bjorck 1987, Stability analysis of the method of seminormal
equations for linear least squares problems, doi:10.1016/0024-3795(87)90101-7). Where the columns
are nearly dependent, residuals and gradient are summed in twice the precision, with the products
and sums that are exact in two doubles of T. J. Dekker 1971, doi:10.1007/BF01397083: the corrected
solution then has all of its digits as long as a correction gains any.

Cost: about 80 n d flop and one read of the rows. The caller guarantees finite numbers and
C-contiguous rows.
"""

from libc.math cimport fabs

from statfast._core.tile.rows cimport real

cdef double SPLITTER = 134217729.0  # 2^27 + 1: halves of 26 bits, whose products are exact
cdef double MAX_SPLIT = 1e300  # whose half by that splitter would overflow


cdef struct pair:  # the unevaluated sum of two doubles, the second below half an ulp of the first
    double high
    double low


def gradient_twice(
    const real[:, ::1] X,        # IN (n, d)
    const double[::1] y,         # IN (n,)
    const double[::1] weights,   # IN (n,) or None for ones
    const double[::1] coef,      # IN (d,)
    const double[::1] rest,      # IN (d,) what `coef` lacks to twice the precision
    double intercept,
    double intercept_rest,
    double[:, ::1] gradient,     # INOUT (2, d + 2) high and low parts: += sums of w r, w r x, w r^2
):
    """Add a block of rows to the gradient, with r = y - intercept - X coef."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i, p
    cdef pair left, wr, sum
    with nogil:
        for i in range(n):
            left = two_sum(y[i], -intercept)
            left = plus(left, -intercept_rest)
            for p in range(d):
                left = minus_product(left, <double>X[i, p], coef[p], rest[p])
            wr = left
            if weights is not None:
                wr = times(left, weights[i])
            for p in range(d + 2):
                sum.high = gradient[0, p]
                sum.low = gradient[1, p]
                if p == 0:
                    sum = add(sum, wr)
                elif p <= d:
                    sum = add(sum, times(wr, <double>X[i, p - 1]))
                else:
                    sum = add(sum, times(wr, left.high))
                gradient[0, p] = sum.high
                gradient[1, p] = sum.low


# ---------------------------------------------------------------- two doubles
cdef inline pair two_sum(double a, double b) noexcept nogil:
    """a + b exactly."""
    cdef pair out
    cdef double t
    out.high = a + b
    t = out.high - a
    out.low = (a - (out.high - t)) + (b - t)
    return out


cdef inline pair product(double a, double b) noexcept nogil:
    """a b exactly, unless it leaves the range."""
    cdef pair out
    cdef double t, a1, a2, b1, b2
    out.high = a * b
    out.low = 0
    if not (fabs(a) < MAX_SPLIT and fabs(b) < MAX_SPLIT and fabs(out.high) < MAX_SPLIT):
        return out
    t = SPLITTER * a
    a1 = t - (t - a)
    a2 = a - a1
    t = SPLITTER * b
    b1 = t - (t - b)
    b2 = b - b1
    out.low = ((a1 * b1 - out.high) + a1 * b2 + a2 * b1) + a2 * b2
    return out


cdef inline pair plus(pair a, double b) noexcept nogil:
    cdef pair out = two_sum(a.high, b)
    out.low += a.low
    return two_sum(out.high, out.low)


cdef inline pair add(pair a, pair b) noexcept nogil:
    cdef pair out = two_sum(a.high, b.high)
    out.low += a.low + b.low
    return two_sum(out.high, out.low)


cdef inline pair times(pair a, double b) noexcept nogil:
    cdef pair out = product(a.high, b)
    out.low += a.low * b
    return two_sum(out.high, out.low)


cdef inline pair minus_product(pair a, double x, double b, double rest) noexcept nogil:
    """a - x (b + rest)"""
    cdef pair by = product(x, -b)
    by.low -= x * rest
    return add(a, by)
