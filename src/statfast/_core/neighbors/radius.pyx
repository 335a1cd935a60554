# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""All rows within a radius, by the search of neighbors/brute.pyx with fixed thresholds.

``begin`` gets more room than rows are compared at a time, so that the search never prunes; ``aim``
sets the thresholds; then for some rows at a time ``scan`` collects candidates, of which ``within``
takes those within the radius. Where nobody asks for distances, ``mark_inside`` finds most of these
by their scores alone. A row is within r if its reduced distance, summed in float64 by
differences, is at most the reduced r, which for Euclidean distances is r^2, rounded.

Cost: that of the scan, and d for each candidate. The caller guarantees what neighbors/brute.pyx
asks for.
"""

from cython.view cimport contiguous
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport fabs, pow, sin
from libc.stdint cimport int32_t
from libc.stdlib cimport free

from statfast._core.neighbors.score_error cimport size_of, square_of
from statfast._core.tile.metric cimport EUCLIDEAN, HAVERSINE, MANHATTAN, MINKOWSKI
from statfast._core.order.neighbor_order cimport NeighborOrder, open_order, write_neighbors
from statfast._core.tile.rows cimport UNIT32, UNIT64, number, real, reduced_distances


def aim(
    const number[:, ::contiguous] Q,  # IN (m, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    int kind,
    double p,
    const double[::1] limit,        # IN (m,) reduced distances; for haversine the angles
    real[::1] slack,                # INOUT
    real[::1] level,                # OUT
):
    """Make a search collect the rows within a limit, for all of which it must have room."""
    cdef Py_ssize_t d = Q.shape[1], q, j
    cdef bint single = sizeof(real) == sizeof(float)
    cdef double unit = UNIT32 if single else UNIT64, highest = FLT_MAX if single else DBL_MAX
    cdef double own, bound, score, most
    with nogil:
        for q in range(Q.shape[0]):
            own = most = 0  # the terms of the query alone in the score, and their size
            if kind == EUCLIDEAN:
                own = most = size_of(&Q[q, 0], d, &origin[0], scale, kind, p) / 2
                bound = limit[q] * scale * scale / 2
            elif kind == HAVERSINE:
                own = 0.5
                bound = 2 * sin(limit[q] / 2) ** 2 if limit[q] < 3.14 else 2.0
            elif kind == MANHATTAN:
                for j in range(d):
                    own -= (<double>Q[q, j] - origin[j]) * scale / 2
                most = size_of(&Q[q, 0], d, &origin[0], scale, kind, p)
                bound = limit[q] * scale / 2
            else:
                bound = limit[q] * (pow(scale, p) if kind == MINKOWSKI else scale)
            score = own - bound
            if not score > -highest:
                level[q] = <real>-highest
                continue
            level[q] = <real>score
            slack[q] += <real>(2 * unit * fabs(score) + (d + 8) * UNIT64 * (most + bound))


def mark_inside(
    const int32_t[::1] count,       # IN
    int32_t[:, ::1] row,            # INOUT the candidates: ~row of those that are surely within
    const float[:, ::1] score,      # IN of Euclidean distances
    const double[:, ::1] bar,       # IN (2, m) level + slack, and slope, of each query
    const float[::1] norm,          # IN of all rows
    Py_ssize_t d,
):
    """Mark the candidates whose scores are above the level by more than the error of both.

    A score is good to slope |a| + square |a|^2 + slack, in both directions (tile/product/tile.h),
    and `aim` has widened the slack by the rounding of the distance that would be compared.
    """
    cdef double square = square_of(d, True, EUCLIDEAN), length
    cdef Py_ssize_t q, c
    with nogil:
        for q in range(count.shape[0]):
            for c in range(count[q]):
                length = norm[row[q, c]]
                if score[q, c] > bar[0, q] + (bar[1, q] + square * length) * length:
                    row[q, c] = ~row[q, c]


def within(
    const double[:, ::1] Q,         # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,  # IN (n, d) all rows
    const int32_t[::1] count,       # IN
    const int32_t[:, ::1] row,      # IN, those that are marked as inside have no distance
    int kind,
    double p,
    const double[::1] limit,        # IN (m,) reduced distances
    unsigned short[::1] query_out,  # OUT, as many as there are candidates
    double[::1] distance_out,       # OUT, or None
    Py_ssize_t[::1] row_out,        # OUT
):
    """Write the candidates of each query within its limit; returns their number."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], q, c, n_within = 0
    cdef double distance
    cdef bint measured = distance_out is not None
    with nogil:
        for q in range(m):
            for c in range(count[q]):
                if row[q, c] < 0:
                    query_out[n_within] = <unsigned short>q
                    row_out[n_within] = ~row[q, c]
                    n_within += 1
                    continue
                reduced_distances(&Q[q, 0], &R[row[q, c], 0], d, 1, d, kind, p, &distance)
                if distance <= limit[q]:
                    query_out[n_within] = <unsigned short>q
                    if measured:
                        distance_out[n_within] = distance
                    row_out[n_within] = row[q, c]
                    n_within += 1
    return n_within


def distribute(
    const Py_ssize_t[::1] query,    # IN of each match
    const double[::1] distance,     # IN, or None
    const Py_ssize_t[::1] row,      # IN
    Py_ssize_t[::1] place,          # INOUT (m,) where the next match of each query belongs
    double[::1] distance_out,       # OUT, or None
    Py_ssize_t[::1] row_out,        # OUT
):
    """Write matches where those of their queries are."""
    cdef Py_ssize_t i, to
    cdef bint measured = distance is not None
    with nogil:
        for i in range(query.shape[0]):
            to = place[query[i]]
            place[query[i]] = to + 1
            if measured:
                distance_out[to] = distance[i]
            row_out[to] = row[i]


def arrange(
    const Py_ssize_t[::1] starts,   # IN (m + 1,)
    double[::1] distances,          # INOUT, of query q from starts[q] to starts[q + 1], or None
    Py_ssize_t[::1] row,            # INOUT
    bint by_row,                    # whether by row alone
    Py_ssize_t n,                   # rows
):
    """Put each query's rows in order, by (distance, row) or by row."""
    cdef Py_ssize_t q, longest = 0
    cdef double *measured = NULL
    cdef double *distance
    cdef Py_ssize_t *rows
    cdef NeighborOrder order
    for q in range(starts.shape[0] - 1):
        longest = max(longest, starts[q + 1] - starts[q])
    if longest == 0:
        return
    if not open_order(&order, by_row, n, longest):
        raise MemoryError
    if distances is not None:
        measured = &distances[0]
    with nogil:
        for q in range(starts.shape[0] - 1):
            distance = NULL if measured == NULL else measured + starts[q]
            rows = &row[0] + starts[q]
            write_neighbors(&order, starts[q + 1] - starts[q], distance, rows, distance, rows)
    free(order.key)
