# SPDX-License-Identifier: BSD-3-Clause
"""Distances to centres by float64 differences, for those who want the numbers themselves.

Cost: 3 flop a coordinate and pair in vector code. The caller guarantees rows of contiguous numbers.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.rows cimport apart, number


def distances(
    const number[:, :] X,           # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    const int32_t[::1] labels,      # IN (n,)
    double[::1] out,                # OUT (n,)
):
    """Squared distance of every row to its own centre, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i
    with nogil:
        for i in range(n):
            apart(&centers[labels[i], 0], &X[i, 0], d, 1, d, &out[i])


def transform(
    const number[:, :] X,           # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    double[:, ::1] out,             # OUT (n, k)
):
    """Euclidean distance of every row to every centre, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = centers.shape[0], i, p, c
    cdef double *point = <double *>malloc(d * sizeof(double))
    if point == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            for p in range(d):
                point[p] = X[i, p]
            apart(point, &centers[0, 0], d, k, d, &out[i, 0])
            for c in range(k):
                out[i, c] = sqrt(out[i, c])
    free(point)
