# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Kernel and distance matrices between two sets of rows, made tile by tile.

A squared distance is |a|^2 + |b|^2 - 2 a.b about a common origin. Where more than half of the
digits would cancel, it is summed again by differences, so that its relative error stays below about
1e-8 d (float64) and duplicates are at distance exactly 0. For the Gaussian kernel the limit is more
than four digits, so that the error of the exponent is below 1e-11 d wherever the kernel is not
negligible.

Cost: 2 n m d flop, one write of the result. The caller guarantees rows of contiguous numbers.
"""

import numpy as np

from cython.view cimport contiguous
from libc.math cimport exp, sqrt
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport (
    aligned, reduced_distances, convert, measure, number, padded, panel_columns, stride_of,
)
from statfast._core.tile.tiles cimport (
    STORE_DISTANCE, STORE_RBF, STORE_SCORE, STORE_SQUARED, active, chunk_rows,
)

ctypedef fused real:
    float
    double

KINDS = {
    "product": STORE_SCORE,
    "squared": STORE_SQUARED,
    "distance": STORE_DISTANCE,
    "rbf": STORE_RBF,
}

cdef double MIN_REMAINING_PART = 1e-8
cdef double MIN_REMAINING_PART_RBF = 1e-4  # the same for the Gaussian kernel


def matrix(
    str kind,
    const double[:, ::1] A,     # IN (n, d)
    const double[:, ::1] B,     # IN (m, d)
    const float[::1] origin,    # IN (d,) near the middle of both; zero for products
    double gamma,               # of exp(-gamma |a - b|^2)
    double[:, ::contiguous] out,  # OUT (n, m) rows of contiguous numbers
):
    """out[i, j] = a.b, |a - b|^2, |a - b| or exp(-gamma |a - b|^2)."""
    cdef int code = KINDS[kind]
    cdef Py_ssize_t n = A.shape[0], m = B.shape[0], d = A.shape[1], ld = padded(d)
    cdef Py_ssize_t rows = active().rows, across = panel_columns(<double>0)
    cdef Py_ssize_t chunk = min(chunk_rows(ld * sizeof(double)), (n + rows - 1) // rows * rows)
    cdef Py_ssize_t i, j, first, some, columns, ldo = stride_of(out)
    cdef double[::1] start = np.zeros(chunk), across_start = np.zeros(across)
    cdef double[::1] length = np.empty(max(chunk, across))
    cdef double[::1] near = np.empty(chunk), across_near = np.empty(across)
    cdef void *block = malloc(64 + sizeof(double) * (chunk * ld + across * (ld + d)))
    if block == NULL:
        raise MemoryError
    cdef double *a = <double *>aligned(block)
    cdef double *flat = a + chunk * ld
    cdef double *panel = flat + across * ld
    with nogil:
        for i in range(chunk * ld):
            a[i] = 0
        first = 0
        while first < n:
            some = min(chunk, n - first)
            convert(&A[first, 0], d, some, d, &origin[0], 1, a, ld)
            if code != STORE_SCORE:
                measure(a, ld, some, d, &start[0], &length[0])
            if code == STORE_RBF:
                for i in range(some):
                    near[i] = exp(2 * MIN_REMAINING_PART_RBF * gamma * start[i])
            j = 0
            while j < m:
                columns = min(across, m - j)
                convert(&B[j, 0], d, columns, d, &origin[0], 1, flat, ld)
                active().f64.pack(flat, ld, columns, d, panel)
                if code != STORE_SCORE:
                    measure(flat, ld, columns, d, &across_start[0], &length[0])
                active().f64.store(a, ld, &start[0], some, panel, &across_start[0], d, code, gamma,
                                   &out[first, j], ldo, columns)
                if code == STORE_RBF:
                    for i in range(columns):
                        across_near[i] = exp(2 * MIN_REMAINING_PART_RBF * gamma * across_start[i])
                    mend_rbf(gamma, A, B, first, some, j, columns, near, across_near, out)
                elif code != STORE_SCORE:
                    mend(code, A, B, first, some, j, columns, start, across_start, out)
                j += across
            first += some
    free(block)


cdef void mend(
    int code, const double[:, ::1] A, const double[:, ::1] B, Py_ssize_t first, Py_ssize_t some,
    Py_ssize_t j, Py_ssize_t columns, double[::1] start, double[::1] across_start,
    double[:, ::contiguous] out,
) noexcept nogil:
    """Sum by differences the distances that have lost too many digits."""
    cdef Py_ssize_t i, c, d = A.shape[1]
    cdef double limit, value, squared
    for i in range(some):
        for c in range(columns):
            limit = -2 * MIN_REMAINING_PART * (start[i] + across_start[c])
            value = out[first + i, j + c]
            if code == STORE_DISTANCE:
                value = value * value
            if value <= limit or value != value:
                active().squared_distances[0](&A[first + i, 0], &B[j + c, 0], d, 1, d, &squared)
                if code == STORE_DISTANCE:
                    squared = sqrt(squared)
                out[first + i, j + c] = squared


cdef void mend_rbf(
    double gamma, const double[:, ::1] A, const double[:, ::1] B, Py_ssize_t first, Py_ssize_t some,
    Py_ssize_t j, Py_ssize_t columns, double[::1] near, double[::1] across_near,
    double[:, ::contiguous] out,
) noexcept nogil:
    """The same for Gaussian kernels: a distance below the limit is a value above the kernel of the
    limit, which is a product of one factor for each of the two rows."""
    cdef Py_ssize_t i, c, d = A.shape[1]
    cdef int suspects
    cdef double squared
    cdef double *row
    for i in range(some):
        row = &out[first + i, j]
        suspects = 0
        for c in range(columns):
            suspects += not (row[c] < near[i] * across_near[c])
        if suspects > 0:
            for c in range(columns):
                if not (row[c] < near[i] * across_near[c]):
                    active().squared_distances[0](&A[first + i, 0], &B[j + c, 0], d, 1, d, &squared)
                    row[c] = exp(-gamma * squared)


def mirror(
    real[:, ::contiguous] K,        # INOUT (n, >= n) K[columns, rows] = K[rows, columns].T
    Py_ssize_t top, Py_ssize_t bottom,  # rows
    Py_ssize_t first, Py_ssize_t last,  # columns
):
    """Copy a block of a symmetric matrix to the other side of the diagonal, by cache lines."""
    cdef Py_ssize_t side = 64 // sizeof(real), ld, i0, j0, i, j
    cdef real *values
    if top >= bottom or first >= last:
        return
    ld, values = stride_of(K), &K[0, 0]
    with nogil:
        j0 = first
        while j0 < last:
            i0 = top
            while i0 < bottom:
                for j in range(j0, min(j0 + side, last)):
                    for i in range(i0, min(i0 + side, bottom)):
                        values[j * ld + i] = values[i * ld + j]
                i0 += side
            j0 += side


def distances(
    const double[::1] q,            # IN (d,) the query in float64
    const number[:, ::contiguous] R,  # IN (n, d)
    int kind,
    double p,
    double[::1] out,                # OUT (n,) reduced distances
):
    """The reduced distances of a query to rows, by float64 differences."""
    with nogil:
        reduced_distances(&q[0], &R[0, 0], stride_of(R), R.shape[0], R.shape[1], kind, p, &out[0])
