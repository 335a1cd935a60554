# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on the error of the score of a row: the constants of tile/product/tile.h and
tile/product/metric_tile.h."""

from libc.math cimport pow

from statfast._core.tile.metric cimport CHEBYSHEV, EUCLIDEAN, HAVERSINE, MINKOWSKI, join, term
from statfast._core.tile.rows cimport UNIT32, UNIT64, number


cdef inline double size_of(
    const number *x, Py_ssize_t d, const float *origin, double scale, int kind, double p
) noexcept nogil:
    """The size N of a row, moved and scaled; of a Euclidean row the squared length."""
    cdef double size = 0
    cdef Py_ssize_t j
    for j in range(d):
        size = join(size, term((<double>x[j] - origin[j]) * scale, kind, p), kind)
    return size


cdef inline double kappa_of(Py_ssize_t d, bint single, int kind, double p) noexcept nogil:
    """The relative error of a score: see tile/product/tile.h and tile/product/metric_tile.h."""
    cdef double unit = UNIT32 if single else UNIT64, power
    if kind == CHEBYSHEV:
        return 8.2 * unit
    if kind == MINKOWSKI:
        power = 0 if p == 3 or p == 4 else 320 if single else 2250
        return pow(2, p - 1) * (1.02 * (2.02 * p + d + 12 + power) * unit + (d + p + 8) * UNIT64)
    return 1.02 * unit * (d + 8)


cdef inline double square_of(Py_ssize_t d, bint single, int kind) noexcept nogil:
    if kind == EUCLIDEAN or kind == HAVERSINE:
        return kappa_of(d, single, EUCLIDEAN, 2) / 2 + (d + 4) * UNIT64
    return 0
