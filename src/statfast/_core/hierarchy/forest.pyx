# SPDX-License-Identifier: BSD-3-Clause
"""Edges to trees: the rounds of Boruvka 1926, and the numbering of clusters by union-find.

Gower & Ross 1969, doi:10.2307/2346439: the edges of a minimum spanning tree, by length, are the
merges of single linkage. Cost: n log n at worst. The caller guarantees that the edges make a tree.

Of a matrix, `between` leaves a matrix of the parts that a round of Boruvka has made, with the
smallest number between any two: the next round reads that, and `trace` knows whose it was. A row of
a matrix has the numbers of the columns after it. Cost: m^2 / 2 reads, and k m others at random
places of a row of k numbers.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport real
from statfast._core.hierarchy.unionfind cimport root


def label(
    const Py_ssize_t[::1] order,        # IN (n - 1,) the merges by height
    const int32_t[::1] one,             # IN (n - 1,) a point of one cluster
    const int32_t[::1] other,           # IN (n - 1,) a point of the other
    const double[::1] height,           # IN (n - 1,)
    int32_t[::1] parent,                # WORK (2 n - 1,)
    double[:, ::1] Z,                   # OUT (n - 1, 4)
):
    """Number clusters in the order in which they come to be: points 0 .. n - 1, unions n, ..."""
    cdef Py_ssize_t n = order.shape[0] + 1, i, a, b, e
    cdef double points
    with nogil:
        for i in range(2 * n - 1):
            parent[i] = -1
        for i in range(n - 1):
            e = order[i]
            a, b = root(&parent[0], one[e]), root(&parent[0], other[e])
            a, b = min(a, b), max(a, b)
            points = (1 if a < n else Z[a - n, 3]) + (1 if b < n else Z[b - n, 3])
            parent[a] = parent[b] = <int32_t>(n + i)
            Z[i, 0], Z[i, 1], Z[i, 2], Z[i, 3] = a, b, height[e], points


def weigh(
    const int32_t[:] one,               # IN (k,) the point an edge begins at
    const int32_t[:] other,             # IN (k,) the point of another part that it leads to, or -1
    const double[:] length,             # IN (k,)
    int32_t[::1] parent,                # INOUT (n,) union-find: -1 at a root
    double[::1] best,                   # INOUT (n,) of each root its shortest edge; INFINITY: none
    int32_t[:, ::1] ends,               # INOUT (2, n) the ends of that
):
    """Take note of edges that leave parts. Of equal ones the first counts."""
    cdef Py_ssize_t e, i
    with nogil:
        for e in range(one.shape[0]):
            i = root(&parent[0], one[e])
            if length[e] < best[i] and other[e] >= 0:
                best[i], ends[0, i], ends[1, i] = length[e], one[e], other[e]


def join(
    int32_t[::1] roots,                 # INOUT (n,) the roots, rising; then those left
    Py_ssize_t count,                   # IN how many
    int32_t[::1] parent,                # INOUT (n,) union-find; all are at most 1 deep
    int32_t[::1] size,                  # INOUT (n,) points of each root
    double[::1] best,                   # INOUT (n,) as `weigh` left them; INFINITY again
    const int32_t[:, ::1] ends,         # IN (2, n)
    int32_t[::1] one,                   # OUT (count,) the edges taken
    int32_t[::1] other,                 # OUT (count,)
    double[::1] length,                 # OUT (count,)
):
    """Of each part, take the shortest edge, unless it leads where the part is joined already.

    Each is in a minimum spanning tree together with those taken before, ties or not, whatever the
    order. For in the cycle that it closes in such a tree no edge is longer; at its own part that
    other edge is no shorter, so equal, and may be given up, unless it was taken by the part that it
    leads to. Then of that part the same can be said, and so on; were all taken, the edge would be
    joined already. Returns how many, and the largest part.
    """
    cdef Py_ssize_t i, a, b, r, taken = 0, left = 0, largest = 0
    with nogil:
        for r in range(count):
            i = roots[r]
            if best[i] == INFINITY:
                continue
            a, b = root(&parent[0], i), root(&parent[0], ends[1, i])
            if a != b:
                a, b = min(a, b), max(a, b)
                parent[b] = <int32_t>a
                size[a] += size[b]
                one[taken], other[taken], length[taken] = ends[0, i], ends[1, i], best[i]
                taken += 1
            best[i] = INFINITY
        largest = roots[0]
        for r in range(count):
            i = roots[r]
            if parent[i] >= 0:
                parent[i] = <int32_t>root(&parent[0], i)
            else:
                roots[left] = <int32_t>i
                left += 1
                if size[i] > size[largest]:
                    largest = i
    return taken, largest


def name(
    int32_t[::1] parent,                # INOUT (n,) union-find
    int32_t[::1] part,                  # OUT (n,)
):
    """The root of every row."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(parent.shape[0]):
            part[i] = <int32_t>root(&parent[0], i)


def between(
    const Py_ssize_t[::1] rows,         # IN (m,) addresses, as in hierarchy/linkage.pyx
    bint single,                        # IN whether numbers are floats, not doubles
    const int32_t[::1] part,            # IN (m,) that of a row, below k
    const int32_t[::1] order,           # IN (m,) rows by part, rising in each
    const Py_ssize_t[::1] start,        # IN (k + 1,) where the rows of a part begin
    Py_ssize_t begin,                   # IN the parts to look at
    Py_ssize_t end,
    Py_ssize_t out,                     # OUT (k, k) an address
):
    """From each part to every other one the smallest number right of the diagonal."""
    cdef Py_ssize_t m = rows.shape[0]
    cdef void *least = malloc(m * sizeof(double))
    if least == NULL:
        raise MemoryError
    with nogil:
        if single:
            gather(rows, part, order, start, begin, end, <float *>least, <float *>out)
        else:
            gather(rows, part, order, start, begin, end, <double *>least, <double *>out)
    free(least)


cdef inline void gather(
    const Py_ssize_t[::1] rows, const int32_t[::1] part, const int32_t[::1] order,
    const Py_ssize_t[::1] start, Py_ssize_t begin, Py_ssize_t end, real *least, real *out,
) noexcept nogil:
    cdef Py_ssize_t m = rows.shape[0], k = start.shape[0] - 1, p, e, c, first
    cdef const real *x
    cdef real *to
    for p in range(begin, end):
        first = order[start[p]] + 1
        x = <const real *>rows[first - 1] - first
        to = out + p * k
        for c in range(k):
            to[c] = <real>INFINITY
        if start[p] + 1 < start[p + 1]:
            for c in range(first, m):
                least[c] = x[c]
            for e in range(start[p] + 1, start[p + 1]):
                x = <const real *>rows[order[e]] - order[e] - 1
                for c in range(order[e] + 1, m):
                    least[c] = x[c] if x[c] < least[c] else least[c]
            x = least
        for c in range(first, m):
            to[part[c]] = x[c] if x[c] < to[part[c]] else to[part[c]]


def trace(
    const Py_ssize_t[::1] rows,         # IN (m,), with the others as in between
    bint single,
    const int32_t[::1] order,           # IN (m,)
    const Py_ssize_t[::1] start,        # IN (k + 1,)
    const double[::1] length,           # IN (e,) the smallest numbers between two parts
    int32_t[::1] one,                   # INOUT (e,) one part; then the row of it
    int32_t[::1] other,                 # INOUT (e,) the other part; then the row of that
):
    """Rows of two parts that have the smallest number between them. Costs their pairs at most."""
    cdef Py_ssize_t e, i, j, low, high
    cdef double number
    with nogil:
        for e in range(length.shape[0]):
            i, j = start[one[e]], start[other[e]]
            while True:
                low, high = min(order[i], order[j]), max(order[i], order[j])
                if single:
                    number = (<const float *>rows[low])[high - low - 1]
                else:
                    number = (<const double *>rows[low])[high - low - 1]
                if number == length[e]:
                    break
                j += 1
                if j == start[other[e] + 1]:
                    i, j = i + 1, start[other[e]]
            one[e], other[e] = order[i], order[j]
