# SPDX-License-Identifier: BSD-3-Clause
"""Distances to nearest neighbors in one and two columns, and counts within them, by sorted order.

What the estimators of mutual information by Kraskov, Stoegbauer & Grassberger (2004),
doi:10.1103/PhysRevE.69.066138, and Ross (2014), doi:10.1371/journal.pone.0087357, need of the rows.

In one column the k nearest of a value lie beside it in the sorted column: k steps outward. In two
columns the points are cut by x into strips, each sorted by y. The search goes outward in y in the
strip of the point, then in the strips beside it that are not yet farther off in x than the k-th
nearest so far. Strips of about sqrt(n k) points have a few candidates each within reach, so that a
search takes O(k + log n) steps where the points are spread evenly, and at most those of all points
of the strips within reach. A k-d tree needs several times as long for the same answer.

All are exact: distances are absolute differences, the larger of the two in the plane. The caller
guarantees finite values in the order that is said, and k below the number of points (of a class).
"""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc


def class_distances(
    const double[::1] x,          # IN (n,) by class, ascending within each
    const Py_ssize_t[::1] start,  # IN (K + 1,) where the classes start
    Py_ssize_t k,
    Py_ssize_t first,             # the points from first to last are done
    Py_ssize_t last,
    double[::1] distance,         # OUT (n,) to the k-th nearest of the class, or to its farthest
):
    """Distance of each point to the k-th nearest of its class."""
    cdef Py_ssize_t c = 0, p, low, high, steps
    cdef double below, above
    with nogil:
        for p in range(first, last):
            while start[c + 1] <= p:
                c += 1
            low = high = p
            steps = min(k, start[c + 1] - start[c] - 1)
            distance[p] = 0
            while steps > 0:
                below = x[p] - x[low - 1] if low > start[c] else INFINITY
                above = x[high + 1] - x[p] if high + 1 < start[c + 1] else INFINITY
                if below <= above:
                    low -= 1
                    distance[p] = below
                else:
                    high += 1
                    distance[p] = above
                steps -= 1


def plane_distances(
    const double[::1] x,          # IN (n,) by strip
    const double[::1] y,          # IN (n,) by strip, ascending within each
    const Py_ssize_t[::1] start,  # IN (S + 1,) where the strips start
    const double[::1] low,        # IN (S,) least x of each, ascending
    const double[::1] high,       # IN (S,) largest x
    Py_ssize_t k,
    Py_ssize_t first,             # the points from first to last are done
    Py_ssize_t last,
    double[::1] distance,         # OUT (n,) the larger of the differences in x and y
):
    """Distance of each point to the k-th nearest other point."""
    cdef Py_ssize_t strips = start.shape[0] - 1, s = 0, t, p, i
    cdef double *nearest = <double *>malloc(sizeof(double) * k)
    if nearest == NULL:
        raise MemoryError
    with nogil:
        for p in range(first, last):
            while start[s + 1] <= p:
                s += 1
            for i in range(k):
                nearest[i] = INFINITY
            scan(&x[0], &y[0], start[s], start[s + 1], x[p], y[p], p - 1, p + 1, nearest, k)
            t = s - 1
            while t >= 0 and x[p] - high[t] < nearest[k - 1]:
                i = place(&y[0], start[t], start[t + 1], y[p])
                scan(&x[0], &y[0], start[t], start[t + 1], x[p], y[p], i - 1, i, nearest, k)
                t -= 1
            t = s + 1
            while t < strips and low[t] - x[p] < nearest[k - 1]:
                i = place(&y[0], start[t], start[t + 1], y[p])
                scan(&x[0], &y[0], start[t], start[t + 1], x[p], y[p], i - 1, i, nearest, k)
                t += 1
            distance[p] = nearest[k - 1]
    free(nearest)


cdef void scan(
    const double *x, const double *y, Py_ssize_t begin, Py_ssize_t end, double at_x, double at_y,
    Py_ssize_t below, Py_ssize_t above, double *nearest, Py_ssize_t k,
) noexcept nogil:
    """Take in the points of a strip, outward in y from `below` and `above`."""
    cdef double gap
    while below >= begin:
        gap = at_y - y[below]
        if gap >= nearest[k - 1]:
            break
        take(max(gap, fabs(x[below] - at_x)), nearest, k)
        below -= 1
    while above < end:
        gap = y[above] - at_y
        if gap >= nearest[k - 1]:
            break
        take(max(gap, fabs(x[above] - at_x)), nearest, k)
        above += 1


cdef inline void take(double gap, double *nearest, Py_ssize_t k) noexcept nogil:
    """Keep a distance if it is among the k smallest, which ascend."""
    cdef Py_ssize_t i = k - 1
    if gap >= nearest[i]:
        return
    while i > 0 and nearest[i - 1] > gap:
        nearest[i] = nearest[i - 1]
        i -= 1
    nearest[i] = gap


cdef inline Py_ssize_t place(
    const double *y, Py_ssize_t begin, Py_ssize_t end, double value
) noexcept nogil:
    """The first place from `begin` on whose y is not below the value."""
    cdef Py_ssize_t middle
    while begin < end:
        middle = (begin + end) // 2
        if y[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


def counts_within(
    const double[::1] x,             # IN (n,) ascending
    const Py_ssize_t[::1] position,  # IN (m,) of points in it
    const double[::1] distance,      # IN (m,)
    Py_ssize_t first,                # the points from first to last are done
    Py_ssize_t last,
    Py_ssize_t[::1] count,           # OUT (m,)
):
    """How many values are nearer to a point than its distance: itself, and all that equal it."""
    cdef Py_ssize_t n = x.shape[0], i, p
    with nogil:
        for i in range(first, last):
            p = position[i]
            count[i] = farthest(&x[0], p, 1, n - 1 - p, distance[i]) \
                + farthest(&x[0], p, -1, p, distance[i]) + 1


cdef inline Py_ssize_t farthest(
    const double *x, Py_ssize_t p, Py_ssize_t side, Py_ssize_t most, double distance
) noexcept nogil:
    """How many values on one side of x[p], at most `most`, are within: doubled, then halved."""
    cdef Py_ssize_t inside = 0, outside = 1, middle
    while outside <= most and is_within(x[p + side * outside] - x[p], distance):
        inside = outside
        outside *= 2
    outside = min(outside, most + 1)
    while outside - inside > 1:
        middle = (inside + outside) // 2
        if is_within(x[p + side * middle] - x[p], distance):
            inside = middle
        else:
            outside = middle
    return inside


cdef inline bint is_within(double gap, double distance) noexcept nogil:
    return fabs(gap) < distance or gap == 0
