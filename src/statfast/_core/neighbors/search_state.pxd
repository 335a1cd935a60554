# SPDX-License-Identifier: BSD-3-Clause
"""The state of a k-nearest-neighbor search, as arrays, bound to the struct the tiles work on.

Of m' queries (m filled up to whole panels): slope, slack, level (m',); count (2, m'), the
candidates held (-1: given up) and how many call for pruning; score, row (m', capacity)."""

from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport active, f32_search, f64_search

ctypedef fused search:
    f32_search
    f64_search

cdef inline double tau_of(Py_ssize_t d, double scale, bint single) noexcept nogil:
    """What vanishes below the range of the types, in units of the score: see tile/tile.h."""
    cdef double loss = scale * 2.0 ** -537
    return (d + 8.0) * (d + 8.0) * (2.0 ** -90 if single else 2.0 ** -580) + d * loss * loss


cdef inline Py_ssize_t spare_of(Py_ssize_t k) noexcept nogil:
    """Candidates taken between prunings: few keep the threshold fresh, many save prunings."""
    return max(k, <Py_ssize_t>16)


cdef inline void bind(
    search *s, Py_ssize_t k, double square, const real[::1] slope, const real[::1] slack,
    real[::1] level, int32_t[:, ::1] count, real[:, ::1] score, int32_t[:, ::1] row, real *work,
) noexcept nogil:
    """Point the struct at the arrays; work holds 2 * capacity numbers."""
    s.k = k
    s.capacity = score.shape[1]
    s.spare = spare_of(k)
    s.count = &count[0, 0]
    s.full = &count[1, 0]
    s.row = &row[0, 0]
    if (search is f32_search and real is float) or (search is f64_search and real is double):
        s.square = <real>square
        s.slope = &slope[0]
        s.slack = &slack[0]
        s.level = &level[0]
        s.score = &score[0, 0]
        s.low = work
        s.high = work + score.shape[1]


cdef inline void admit(
    Py_ssize_t q, bint wanted, Py_ssize_t k, double highest,
    real[::1] level, int32_t[:, ::1] count,
) noexcept nogil:
    """Let query q take part in the search, or not."""
    count[0, q] = 0 if wanted else -1
    count[1, q] = <int32_t>(k + spare_of(k))
    level[q] = <real>(-highest if wanted else highest)


cdef inline void groups_reach(
    const float *norm, Py_ssize_t n, Py_ssize_t height, real *reach
) noexcept nogil:
    """Largest norm of each group of `height` rows."""
    cdef Py_ssize_t i
    for i in range(n):
        if i % height == 0 or norm[i] > reach[i // height]:
            reach[i // height] = norm[i]
