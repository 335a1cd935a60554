# SPDX-License-Identifier: BSD-3-Clause
"""The two nearest medoids of points, for medoids/pam.pyx, updated as medoids are exchanged, and the
loss without each medoid.

A point that loses one of its two nearest medoids needs the third, for which it would have to
compare all k. To avoid that, it keeps some of the next nearest in reserve, and a bound below which
there is no other medoid. This list shrinks as medoids are removed, grows as near ones are added,
and is computed again where it does not determine the third.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real

cdef enum:
    NUMBERS_AHEAD = 64  # prefetched before any is compared, so that no branch delays them
    N_RESERVE = 8  # medoids in reserve, whose distances are a cache line
    N_BEST = N_RESERVE + 2
    PARTS = 8  # partial sums, so that additions do not wait for each other

cdef struct nearest_medoids:
    double *near           # (n,) to the nearest medoid
    double *second         # (n,) to the second nearest
    int32_t *slot          # (n,) the slots of these
    int32_t *other
    double *bound          # (n,) all medoids nearer than this are those two or in reserve
    int32_t *who           # (n, N_RESERVE) points that are medoids or have been; -1: none
    double *far            # (n, N_RESERVE) to those
    int32_t *place         # (n,) the slot of each medoid, -1 of other points
    Py_ssize_t *medoids    # (k,)
    Py_ssize_t n
    Py_ssize_t k


cdef inline void hold(nearest_medoids *a, Py_ssize_t i, Py_ssize_t medoid, double d) noexcept nogil:
    """Add a medoid to the reserve of a point, in the place of the farthest one if it is full."""
    cdef int32_t *who = a.who + i * N_RESERVE
    cdef double *far = a.far + i * N_RESERVE
    cdef int r, last = 0
    for r in range(N_RESERVE):
        if who[r] < 0 or a.place[who[r]] < 0:
            who[r], far[r] = <int32_t>medoid, d
            return
        if far[r] > far[last]:
            last = r
    if d < far[last]:
        a.bound[i] = far[last]
        who[last], far[last] = <int32_t>medoid, d
    elif d < a.bound[i]:
        a.bound[i] = d


cdef inline bint succeed(
    nearest_medoids *a, Py_ssize_t i, Py_ssize_t point, int32_t into, double t
) noexcept nogil:
    """Find the second nearest medoid of a point in its reserve and a new medoid, if they
    suffice."""
    cdef int32_t *who = a.who + i * N_RESERVE
    cdef double *far = a.far + i * N_RESERVE
    cdef int r, best = -1
    for r in range(N_RESERVE):
        if who[r] >= 0 and a.place[who[r]] >= 0 and (best < 0 or far[r] < far[best]):
            best = r
    if best >= 0 and far[best] < t:
        a.second[i], a.other[i] = far[best], a.place[who[best]]
        who[best] = -1
        if t < a.bound[i]:
            hold(a, i, point, t)
        return True
    if t <= a.bound[i]:
        a.second[i], a.other[i] = t, into
        return True
    return False


cdef inline Py_ssize_t replace(
    nearest_medoids *a, const real *column, Py_ssize_t point, int32_t into, Py_ssize_t[::1] lost,
) noexcept nogil:
    """Make a point with these distances the medoid of a slot. Points that have to compare all
    medoids again are written to `lost`; returns their number."""
    cdef Py_ssize_t i, r, count = 0
    cdef double t
    a.place[a.medoids[into]] = -1
    a.place[point] = into
    a.medoids[into] = point
    for i in range(a.n):
        t = column[i]
        if a.slot[i] != into and a.other[i] != into and not t < a.bound[i]:
            continue
        for r in range(i * N_RESERVE, (i + 1) * N_RESERVE):
            if a.who[r] == point:  # it was a medoid before
                a.who[r] = -1
        if a.slot[i] == into:
            if t <= a.second[i]:
                a.near[i] = t
                continue
            a.near[i], a.slot[i] = a.second[i], a.other[i]
        elif t <= a.second[i]:
            if a.other[i] != into:
                hold(a, i, a.medoids[a.other[i]], a.second[i])
            if t < a.near[i]:
                a.second[i], a.other[i] = a.near[i], a.slot[i]
                a.near[i], a.slot[i] = t, into
            else:
                a.second[i], a.other[i] = t, into
            continue
        elif a.other[i] != into:
            hold(a, i, point, t)
            continue
        if not succeed(a, i, point, into, t):
            lost[count] = i
            count += 1
    return count


cdef inline void rank(
    nearest_medoids *a, Py_ssize_t i, const real *d, Py_ssize_t step, const Py_ssize_t *at,
) noexcept nogil:
    """Compare all medoids, at the places `at` of a row with numbers `step` apart; ties go to the
    lowest slots."""
    cdef int32_t j = 0, c, r, k = <int32_t>a.k
    cdef double t, bound = INFINITY
    cdef double some[NUMBERS_AHEAD]
    cdef double best[N_BEST]
    cdef int32_t who[N_BEST]
    for r in range(N_BEST):
        best[r], who[r] = INFINITY, 0
    while j < k:
        for c in range(min(<int32_t>NUMBERS_AHEAD, k - j)):
            some[c] = d[at[j + c] * step]
        for c in range(min(<int32_t>NUMBERS_AHEAD, k - j)):
            t = some[c]
            if t < best[N_BEST - 1]:
                bound = min(bound, best[N_BEST - 1])
                r = N_BEST - 1
                while r > 0 and best[r - 1] > t:
                    best[r], who[r] = best[r - 1], who[r - 1]
                    r -= 1
                best[r], who[r] = t, j + c
            else:
                bound = min(bound, t)
        j += NUMBERS_AHEAD
    a.near[i], a.second[i], a.slot[i], a.other[i] = best[0], best[1], who[0], who[1]
    a.bound[i] = bound
    for r in range(N_RESERVE):
        a.far[i * N_RESERVE + r] = best[r + 2]
        a.who[i * N_RESERVE + r] = <int32_t>a.medoids[who[r + 2]] if r + 2 < k else -1


cdef inline double without(const nearest_medoids *a, double[::1] removal) noexcept nogil:
    """Write the increase of the loss without each medoid to `removal`; returns the loss."""
    cdef Py_ssize_t i, p
    cdef double part[PARTS]
    for i in range(a.k):
        removal[i] = 0
    for p in range(PARTS):
        part[p] = 0
    for i in range(a.n):
        removal[a.slot[i]] += a.second[i] - a.near[i]
        part[i % PARTS] += a.near[i]
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]))
