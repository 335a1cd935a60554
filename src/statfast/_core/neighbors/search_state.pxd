# SPDX-License-Identifier: BSD-3-Clause
"""The state of a k-nearest-neighbor search: arrays, bound to the struct of the tiles.

For m' queries (m filled up to whole panels): slope, slack, level (m',); count (2, m'), the number
of candidates (-1: given up) and the number at which they are pruned; score, row (m', capacity)."""

from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport active, f32_search, f64_search

cdef inline double tau_of(Py_ssize_t d, double scale, bint single) noexcept nogil:
    """A bound of the underflow of the types, in units of the score: see tile/product/tile.h."""
    cdef double loss = scale * 2.0 ** -537
    return (d + 8.0) * (d + 8.0) * (2.0 ** -90 if single else 2.0 ** -580) + d * loss * loss


cdef inline Py_ssize_t spare_of(Py_ssize_t k) noexcept nogil:
    """The candidates taken between prunings: few keep the threshold tight, many save prunings."""
    return max(k, <Py_ssize_t>16)


cdef class SearchState:
    cdef f32_search f32             # used if the arrays are float32, else f64
    cdef f64_search f64
    cdef tuple arrays
    cdef int32_t[:, ::1] count, row
    cdef const int32_t[::1] part, row_part
    cdef Py_ssize_t filled          # m'


ctypedef fused search:
    f32_search
    f64_search


cdef inline void admit(search *s, Py_ssize_t q, bint wanted, double highest) noexcept nogil:
    """Include query q in the search, or exclude it."""
    s.count[q] = 0 if wanted else -1
    s.full[q] = <int32_t>(s.k + s.spare)
    if search is f32_search:
        s.level[q] = <float>(-highest if wanted else highest)
    else:
        s.level[q] = -highest if wanted else highest


cdef inline void raise_group_bounds(
    const float *norm, Py_ssize_t n, Py_ssize_t height, real *reach
) noexcept nogil:
    """Largest norm of each group of `height` rows."""
    cdef Py_ssize_t i
    for i in range(n):
        if i % height == 0 or norm[i] > reach[i // height]:
            reach[i // height] = norm[i]
