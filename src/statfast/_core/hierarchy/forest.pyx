# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Edges to trees: the rounds of Boruvka 1926, and the numbering of clusters by union-find.

Gower & Ross 1969, doi:10.2307/2346439: the edges of a minimum spanning tree, by length, are the
merges of single linkage. Cost: n log n at worst. The caller guarantees that the edges make a tree.

For a dissimilarity matrix, `between` writes the matrix of the parts that a round of Boruvka has
made, with the smallest number between any two. The next round reads this matrix, and `trace` finds
the two rows that each number belongs to. A row of a matrix holds the numbers of the columns after
it. Cost: m^2 / 2 reads, and k m others at random places of a row of k numbers.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport real
from statfast._core.hierarchy.unionfind cimport root


def label(
    const Py_ssize_t[::1] order,        # IN (n - 1,) the merges by height
    const int32_t[::1] u,              # IN (n - 1,) a point of one cluster
    const int32_t[::1] v,              # IN (n - 1,) a point of the other
    const double[::1] height,           # IN (n - 1,)
    int32_t[::1] parent,                # WORK (2 n - 1,)
    double[:, ::1] Z,                   # OUT (n - 1, 4)
):
    """Number clusters in the order of their merges: points are 0 .. n - 1, unions n, n + 1, ..."""
    cdef Py_ssize_t n = order.shape[0] + 1, i, a, b, e
    cdef double points
    with nogil:
        for i in range(2 * n - 1):
            parent[i] = -1
        for i in range(n - 1):
            e = order[i]
            a, b = root(&parent[0], u[e]), root(&parent[0], v[e])
            a, b = min(a, b), max(a, b)
            points = (1 if a < n else Z[a - n, 3]) + (1 if b < n else Z[b - n, 3])
            parent[a] = parent[b] = <int32_t>(n + i)
            Z[i, 0], Z[i, 1], Z[i, 2], Z[i, 3] = a, b, height[e], points


def weigh(
    const int32_t[:] u,                # IN (k,) the point an edge begins at
    const int32_t[:] v,                # IN (k,) the point of another part that it leads to, or -1
    const double[:] length,             # IN (k,)
    int32_t[::1] parent,                # INOUT (n,) union-find: -1 at a root
    double[::1] best,                   # INOUT (n,) the shortest edge of each root; INFINITY: none
    int32_t[:, ::1] ends,               # INOUT (2, n) the ends of these edges
):
    """Update the shortest edges that leave parts; ties go to the first."""
    cdef Py_ssize_t e, i
    with nogil:
        for e in range(u.shape[0]):
            i = root(&parent[0], u[e])
            if length[e] < best[i] and v[e] >= 0:
                best[i], ends[0, i], ends[1, i] = length[e], u[e], v[e]


def join(
    int32_t[::1] roots,                 # INOUT (n,) the roots, rising; then the remaining ones
    Py_ssize_t count,                   # IN the number of roots
    int32_t[::1] parent,                # INOUT (n,) union-find; all are at most 1 deep
    int32_t[::1] size,                  # INOUT (n,) points of each root
    double[::1] best,                   # INOUT (n,) from `weigh`; reset to INFINITY
    const int32_t[:, ::1] ends,         # IN (2, n)
    int32_t[::1] u,                    # OUT (count,) the edges taken
    int32_t[::1] v,                    # OUT (count,)
    double[::1] length,                 # OUT (count,)
):
    """Take the shortest edge of each part, unless its ends are in one part by then.

    For any order of the parts, and with ties, each edge is in a minimum spanning tree together with
    those taken before. Suppose such a tree lacks the edge: added to it, the edge closes a cycle in
    which no edge is longer. The other edge of the cycle at the part is no shorter either, so it has
    equal length and may be replaced, unless the part at its other end has taken it. The same holds
    for that part, and so on; if all edges of the cycle were taken, the ends of the edge would be
    in one part already. Returns the number of edges, and the largest part.
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
                u[taken], v[taken], length[taken] = ends[0, i], ends[1, i], best[i]
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
    bint single,                        # IN whether numbers are float32, else float64
    const int32_t[::1] part,            # IN (m,) the part of each row, below k
    const int32_t[::1] order,           # IN (m,) rows by part, rising in each
    const Py_ssize_t[::1] start,        # IN (k + 1,) where the rows of a part begin
    Py_ssize_t begin,                   # IN the parts to look at
    Py_ssize_t end,
    Py_ssize_t out,                     # OUT (k, k) an address
):
    """The matrix of parts: the smallest number between any two, right of the diagonal."""
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
    const Py_ssize_t[::1] rows,         # IN (m,) this and the next arguments are as in `between`
    bint single,
    const int32_t[::1] order,           # IN (m,)
    const Py_ssize_t[::1] start,        # IN (k + 1,)
    const double[::1] length,           # IN (e,) the smallest numbers between two parts
    int32_t[::1] u,                    # INOUT (e,) a part; then its row
    int32_t[::1] v,                    # INOUT (e,) the other part; then its row
):
    """The rows of two parts with the smallest number between them. Cost: at most their pairs."""
    cdef Py_ssize_t e, i, j, low, high
    cdef double number
    with nogil:
        for e in range(length.shape[0]):
            i, j = start[u[e]], start[v[e]]
            while True:
                low, high = min(order[i], order[j]), max(order[i], order[j])
                if single:
                    number = (<const float *>rows[low])[high - low - 1]
                else:
                    number = (<const double *>rows[low])[high - low - 1]
                if number == length[e]:
                    break
                j += 1
                if j == start[v[e] + 1]:
                    i, j = i + 1, start[v[e]]
            u[e], v[e] = order[i], order[j]
