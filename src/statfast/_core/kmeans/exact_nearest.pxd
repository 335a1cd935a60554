# SPDX-License-Identifier: BSD-3-Clause
"""Whether float32 scores decide the nearest center of a row, and the decision in float64 if not."""

from libc.float cimport FLT_MAX, FLT_MIN
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport UNIT32, squared_distances, number
from statfast._core.tile.tiles cimport FAR_OUT


cdef inline bint sure(const double *terms, double best, double second, double norm) noexcept nogil:
    """Whether the two best scores lie farther apart than their errors; see kmeans/bounds.h."""
    return norm < FAR_OUT and best - second > 2.004 * (
        terms[1] * norm + terms[2] + terms[3] * norm * norm)


cdef inline int32_t nearest(
    const number *x, Py_ssize_t d, const double *centers, Py_ssize_t k, double scale,
    double *point, double *distance, float *upper, float *lower,
) noexcept nogil:
    """Index of the center nearest to x by float64 differences, the lowest on ties; and bounds on
    the distances to it and to the others. Work space: point (d,) and distance (k,)."""
    cdef Py_ssize_t p, c
    cdef int32_t best = 0
    cdef double second = INFINITY, lost = d * 2.0 ** -1074
    for p in range(d):
        point[p] = x[p]
    squared_distances(point, centers, d, k, d, distance)
    for c in range(1, k):
        if distance[c] < distance[best]:
            second = distance[best]
            best = <int32_t>c
        elif distance[c] < second:
            second = distance[c]
    # The squares are good to (d + 4) 2^-53 and what lies below their range, a float to 2^-24.
    upper[0] = <float>(sqrt(distance[best] + lost) * scale * (1 + 4 * UNIT32) + FLT_MIN)
    lower[0] = <float>min(
        <double>FLT_MAX, sqrt(max(0.0, second - lost)) * scale * (1 - 4 * UNIT32))
    return best
