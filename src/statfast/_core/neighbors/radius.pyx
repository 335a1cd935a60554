# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""All rows within a radius, by the search of neighbors/brute.pyx with thresholds that stay.

``begin`` the search with more room than rows are shown at a time, so that it never prunes; ``aim``
it; then for some rows at a time ``scan`` and take the candidates ``within``. A row is within r if
its reduced distance, summed in float64 by differences, is no more than r reduced: r^2 rounded, for
Euclidean rows.

Cost: that of the scan, and d for each candidate. The caller guarantees what neighbors/brute.pyx
asks for.
"""

from cython.view cimport contiguous
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport fabs, pow, sin
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.neighbors.score_error cimport size_of
from statfast._core.tile.metric cimport EUCLIDEAN, HAVERSINE, MANHATTAN, MINKOWSKI
from statfast._core.order.keyed_rows cimport KeyedRow, sort_rows
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
    """Let a search collect the rows within a limit: it must have room for them all, k > room."""
    cdef Py_ssize_t d = Q.shape[1], q, j
    cdef bint single = sizeof(real) == sizeof(float)
    cdef double unit = UNIT32 if single else UNIT64, highest = FLT_MAX if single else DBL_MAX
    cdef double own, bound, score, most
    with nogil:
        for q in range(Q.shape[0]):
            own = most = 0  # what the query alone adds to the score, and the size of its terms
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


def within(
    const double[:, ::1] Q,         # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,  # IN (n, d) all rows
    const int32_t[::1] count,       # IN
    const int32_t[:, ::1] row,      # IN
    int kind,
    double p,
    const double[::1] limit,        # IN (m,) reduced distances
    unsigned short[::1] query_out,  # OUT, as many as there are candidates
    double[::1] distance_out,       # OUT
    Py_ssize_t[::1] row_out,        # OUT
):
    """Of each query's candidates those within its limit; returns how many they are."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], q, c, found = 0
    cdef double distance
    with nogil:
        for q in range(m):
            for c in range(count[q]):
                reduced_distances(&Q[q, 0], &R[row[q, c], 0], d, 1, d, kind, p, &distance)
                if distance <= limit[q]:
                    query_out[found] = <unsigned short>q
                    distance_out[found] = distance
                    row_out[found] = row[q, c]
                    found += 1
    return found


def arrange(
    const Py_ssize_t[::1] starts,   # IN (m + 1,)
    double[::1] distances,          # INOUT, of query q at starts[q], ..., starts[q + 1] - 1
    Py_ssize_t[::1] row,            # INOUT
):
    """Put each query's rows in order, by (distance, row)."""
    cdef Py_ssize_t q, c, first, n, most = 1
    for q in range(starts.shape[0] - 1):
        most = max(most, starts[q + 1] - starts[q])
    cdef KeyedRow *found = <KeyedRow *>malloc(most * sizeof(KeyedRow))
    if found == NULL:
        raise MemoryError
    with nogil:
        for q in range(starts.shape[0] - 1):
            first = starts[q]
            n = starts[q + 1] - first
            for c in range(n):
                found[c].key = distances[first + c]
                found[c].row = row[first + c]
            sort_rows(found, n)
            for c in range(n):
                distances[first + c] = found[c].key
                row[first + c] = found[c].row
    free(found)
