# SPDX-License-Identifier: BSD-3-Clause
"""The nearest centre of a row among those near its own.

Newling & Fleuret 2016, Fast k-means with accurate bounds, ICML 2016, 936-944 (Exponion). A row is u
away from its own centre, which is s away from the nearest other centre. The nearest centre is at
most 2 u away from the own one, and the second nearest 2 u + s, because two centres are within u + s
of the row. Here centres are sorted by their distance from each other altogether.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t

from statfast._core.decide cimport enclose
from statfast._core.rows cimport apart, number

cdef extern from *:
    """
    #define STATFAST_RING (1 + 1e-9)
    """
    const double WIDER "STATFAST_RING"  # than distances in double may be wrong

cdef struct Rings:
    const int32_t *order            # (k, k) centres by distance from each; NULL: all are looked at
    const double *far               # (k, k) these distances


cdef inline int32_t nearest_about(
    const number *x, Py_ssize_t d, const double *centers, Py_ssize_t k, const Rings *rings,
    int32_t own, double scale, double *point, float *upper, float *lower,
) noexcept nogil:
    """As `nearest` in decide.pxd, for a row whose centre was `own`; k >= 2."""
    cdef const int32_t *order = rings.order + own * k
    cdef const double *far = rings.far + own * k
    cdef double least, second = INFINITY, d2, reach
    cdef Py_ssize_t p, j
    cdef int32_t best = own, c
    for p in range(d):
        point[p] = x[p]
    apart(point, centers + own * d, d, 1, d, &least)
    reach = (2 * sqrt(least + d * 2.0 ** -1074) + far[1]) * WIDER
    for j in range(k):
        if far[j] > reach:
            break
        c = order[j]
        if c == own:
            continue
        apart(point, centers + c * d, d, 1, d, &d2)
        if d2 < least or (d2 == least and c < best):
            second = least
            least = d2
            best = c
        elif d2 < second:
            second = d2
    enclose(least, second, d, scale, upper, lower)
    return best
