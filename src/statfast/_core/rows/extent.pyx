# SPDX-License-Identifier: BSD-3-Clause
"""Checks in one pass over rows: whether they are finite, column sums and ranges, 0 and 1 alone.

Cost: one read of the data at the speed of memory. The caller guarantees rows of contiguous numbers,
except for :func:`all_finite`, which takes any strides.
"""

from cython.view cimport contiguous
from libc.math cimport fabs

from statfast._core.tile.rows cimport kind_of, number, stride_of
from statfast._core.tile.tiles cimport active


def all_finite(const number[:, :] X):
    """Whether no number of X is infinite or NaN."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i, p, step = sizeof(number)
    cdef number sum = 0
    cdef bint good = True
    if n == 0 or d == 0:
        return True
    with nogil:
        if X.strides[1] == step or d == 1:
            good = finite(&X[0, 0], X.strides[0] // step, n, d)
        elif X.strides[0] == step or n == 1:
            good = finite(&X[0, 0], X.strides[1] // step, d, n)
        else:
            for i in range(n):
                for p in range(d):
                    sum += X[i, p] * 0
            good = sum == 0
    return good


cdef inline bint finite(const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d) noexcept nogil:
    if kind_of(x) == 2:
        return True
    return active().finite[kind_of(x)](x, ldx, n, d)


def extent(
    const number[:, ::contiguous] X,  # IN (n, d)
    double[::1] sum,        # INOUT (d,) column sums are added
    double[::1] low,        # INOUT (d,) column minima are taken in
    double[::1] high,       # INOUT (d,) column maxima are taken in
):
    """Add one block of rows to column sums, minima and maxima."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ldx = stride_of(X)
    if n == 0 or d == 0:
        return
    with nogil:
        active().extent[kind_of(&X[0, 0])](&X[0, 0], ldx, n, d, &sum[0], &low[0], &high[0])


def zeros_and_ones(const double[::1] y):
    """The number of ones if all numbers are 0 or 1; else -1."""
    cdef Py_ssize_t n = y.shape[0], i = 0, k
    cdef double[8] ones, others
    cdef double v, count = 0, wrong = 0
    with nogil:
        for k in range(8):
            ones[k] = others[k] = 0
        while i + 8 <= n:
            for k in range(8):
                v = y[i + k]
                ones[k] += v
                others[k] += fabs(v * (v - 1))
            i += 8
        while i < n:
            count += y[i]
            wrong += fabs(y[i] * (y[i] - 1))
            i += 1
        for k in range(8):
            count += ones[k]
            wrong += others[k]
    return <Py_ssize_t>count if wrong == 0 else -1
