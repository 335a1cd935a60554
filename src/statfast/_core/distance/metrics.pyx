# SPDX-License-Identifier: BSD-3-Clause
"""Reduced distances between rows by the table of metrics, one pair at a time.

This is the reference that faster kernels have to match to the last bit: see tile/metric.pxd.

Cost: n m d terms. The caller guarantees rows of equal width, of two columns for haversine.
"""

from statfast._core.tile.metric cimport (
    CALLABLE, CHEBYSHEV, EUCLIDEAN, HAMMING, HAVERSINE, JACCARD, MANHATTAN, MINKOWSKI, box_reduced,
    reduced,
)

KINDS = {
    "euclidean": EUCLIDEAN,
    "manhattan": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "minkowski": MINKOWSKI,
    "haversine": HAVERSINE,
    "hamming": HAMMING,
    "jaccard": JACCARD,
    "callable": CALLABLE,
}


def between(
    const double[:, ::1] A,         # IN (n, d)
    const double[:, ::1] B,         # IN (m, d)
    int kind,
    double p,
    double[:, ::1] out,             # OUT (n, m)
):
    """out[i, j] = the reduced distance of rows i and j."""
    cdef Py_ssize_t i, j, n = A.shape[0], m = B.shape[0], d = A.shape[1]
    with nogil:
        for i in range(n):
            for j in range(m):
                out[i, j] = reduced(&A[i, 0], &B[j, 0], d, kind, p)


def to_box(
    const double[:, ::1] A,         # IN (n, d)
    const double[::1] low,          # IN (d,)
    const double[::1] high,         # IN (d,)
    int kind,
    double p,
    double[::1] out,                # OUT (n,)
):
    """out[i] = a lower bound of the reduced distance of row i to any row between low and high."""
    cdef Py_ssize_t i, n = A.shape[0], d = A.shape[1]
    with nogil:
        for i in range(n):
            out[i] = box_reduced(&A[i, 0], &low[0], &high[0], d, kind, p)
