# SPDX-License-Identifier: BSD-3-Clause
"""Moments of each column of a block of rows, in all, within each class or with y, about shifts.

Gaussian naive Bayes, scalers and scores of columns need these moments. With shifts near the means,
variances are computed without cancellation (Chan, Golub & LeVeque 1983,
doi:10.1080/00031305.1983.10483115).

Cost: one read of the rows, 4 n d flop. The caller guarantees rows of contiguous numbers, but for
`column_moments`, and codes below the number of classes.
"""

from cython.view cimport contiguous

from statfast._core.tile.rows cimport number, real, stride_of


def class_moments(
    const number[:, ::contiguous] X,  # IN (n, d)
    const Py_ssize_t[::1] codes,      # IN (n,) class of every row
    const double[::1] weights,        # IN (n,) or None for ones
    const double[:, ::1] shift,       # IN (K, d)
    double[::1] total_weight,                 # INOUT (K,) += w
    double[:, ::1] sums,              # INOUT (K, d) += w (x - shift)
    double[:, ::1] squares,           # INOUT (K, d) += w (x - shift)^2, or None
):
    """Add one block of rows to the moments of its classes."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = stride_of(X), i, c
    cdef const number *x
    cdef double w
    if n == 0:
        return
    x = &X[0, 0]
    with nogil:
        for i in range(n):
            c = codes[i]
            w = 1 if weights is None else weights[i]
            total_weight[c] += w
            if squares is None:
                add_row(x, &shift[c, 0], d, w, &sums[c, 0])
            elif weights is None:
                add_unit(x, &shift[c, 0], d, &sums[c, 0], &squares[c, 0])
            elif w != 0:
                add_both(x, &shift[c, 0], d, w, &sums[c, 0], &squares[c, 0])
            x += ld


def column_moments(
    const real[:, :] X,          # IN (n, p)
    const double[::1] w,         # IN (n,)
    const double[::1] shift,     # IN (p,)
    double[::1] sums,            # INOUT (p,) += sum of w (x - shift)
    double[::1] squares,         # INOUT (p,) += sum of w (x - shift)^2
):
    """Add a block of rows to the moments of its columns."""
    cdef Py_ssize_t n = X.shape[0], p = X.shape[1], i, j
    cdef Py_ssize_t size = sizeof(real)
    cdef double t, sum, square
    cdef const real *x
    if X.strides[0] != size and X.strides[1] != size and p > 1:
        raise ValueError("X has neither contiguous rows nor contiguous columns")
    with nogil:
        if X.strides[0] == size:
            for j in range(p):
                x = &X[0, j]
                sum = square = 0
                for i in range(n):
                    t = <double>x[i] - shift[j]
                    sum += w[i] * t
                    square += w[i] * t * t
                sums[j] += sum
                squares[j] += square
        else:
            for i in range(n):
                x = &X[i, 0]
                for j in range(p):
                    t = <double>x[j] - shift[j]
                    sums[j] += w[i] * t
                    squares[j] += w[i] * t * t


def cross_moments(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] y,              # IN (n,) a number for each row, less a shift of its own
    const double[::1] weights,        # IN (n,) or None for ones
    const double[::1] shift,          # IN (d,)
    double[::1] sums,                 # INOUT (d,) += w (x - shift)
    double[::1] squares,              # INOUT (d,) += w (x - shift)^2
    double[::1] products,             # INOUT (d,) += w (x - shift) y
):
    """Add one block of rows to the moments of its columns, and of each with y."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = stride_of(X), i
    cdef const number *x
    cdef double w
    if n == 0:
        return
    x = &X[0, 0]
    with nogil:
        for i in range(n):
            w = 1 if weights is None else weights[i]
            add_products(x, &shift[0], d, w, w * y[i], &sums[0], &squares[0], &products[0])
            x += ld


cdef inline void add_products(
    const number *x, const double *shift, Py_ssize_t d, double w, double wy, double *sums,
    double *squares, double *products,
) noexcept nogil:
    cdef Py_ssize_t j
    cdef double z
    for j in range(d):
        z = <double>x[j] - shift[j]
        sums[j] += w * z
        squares[j] += w * z * z
        products[j] += wy * z


cdef inline void add_unit(
    const number *x, const double *shift, Py_ssize_t d, double *sums, double *squares
) noexcept nogil:
    cdef Py_ssize_t j
    cdef double z
    for j in range(d):
        z = <double>x[j] - shift[j]
        sums[j] += z
        squares[j] += z * z


cdef inline void add_both(
    const number *x, const double *shift, Py_ssize_t d, double w, double *sums, double *squares
) noexcept nogil:
    cdef Py_ssize_t j
    cdef double z
    for j in range(d):
        z = <double>x[j] - shift[j]
        sums[j] += w * z
        squares[j] += w * z * z


cdef inline void add_row(
    const number *x, const double *shift, Py_ssize_t d, double w, double *sums
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(d):
        sums[j] += w * (<double>x[j] - shift[j])
