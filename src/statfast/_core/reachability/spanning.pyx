# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Spanning trees by mutual reachability where distances come row by row, or as a list of edges.

`extend`: a step of Prim 1957, doi:10.1002/j.1538-7305.1957.tb01515.x, from the row of distances of
the point that was joined last. `join`: Kruskal 1956, doi:10.1090/S0002-9939-1956-0078686-7.
`list_first`: where nearest points are listed, the edges that Boruvka's first round may take.
Cost: O(n) a step, O(m) for m sorted edges, and O(n k) for k listed points, about.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t


ctypedef fused integer:
    int32_t
    Py_ssize_t


cdef extern from "reachability/disjoint.h" nogil:
    int32_t set_root(int32_t *parent, int32_t x)
    void set_join(int32_t *parent, int32_t a, int32_t b)


def extend(
    const double[::1] distance,         # IN (m,) of points first, first + 1, ... from point i
    const double[::1] core,             # IN (n,) no edge of a point is shorter
    Py_ssize_t i,                       # IN the point that was joined last
    double alpha,                       # IN distances are divided by it
    Py_ssize_t first,
    const unsigned char[::1] joined,    # IN (n,) marks
    double[::1] height,                 # INOUT (n,) of others, the shortest edge to a joined point
    int32_t[::1] near,                  # INOUT (n,) and that point
):
    """Of some points, that with the shortest edge to a joined one, the first of several; or -1."""
    cdef Py_ssize_t c, best = -1
    cdef double length, least = INFINITY
    with nogil:
        for c in range(first, first + distance.shape[0]):
            if joined[c]:
                continue
            length = max(max(distance[c - first] / alpha, core[i]), core[c])
            if length < height[c]:
                height[c], near[c] = length, <int32_t>i
            if height[c] < least or best < 0:
                best, least = c, height[c]
    return best


def join(
    const int32_t[::1] u,               # IN (m,) ends of edges, by length
    const int32_t[::1] v,               # IN (m,)
    int32_t[::1] parent,                # INOUT (n,) sets; a root is its own parent
    unsigned char[::1] taken,           # OUT (m,) marks of the edges that join two sets
):
    """The edges of a spanning tree, or of the tree of each component."""
    cdef Py_ssize_t e
    with nogil:
        for e in range(u.shape[0]):
            taken[e] = set_root(&parent[0], u[e]) != set_root(&parent[0], v[e])
            if taken[e]:
                set_join(&parent[0], u[e], v[e])


def list_first(
    const int32_t[::1] row,             # IN (n,) the row at each place
    const int32_t[::1] place,           # IN (n,) the place of each row
    const double[:, ::1] reduced,       # IN (n, k) by row: distances of the nearest others, rising,
    const integer[:, ::1] ids,          # IN (n, k) and their rows
    const double[::1] core,             # IN (n or more,) by place: no edge of a point is shorter
    Py_ssize_t begin,                   # IN the places to look at
    Py_ssize_t end,
    double[:, ::1] low,                 # OUT (n, m) by place: the core distance,
    int32_t[:, ::1] near,               # OUT (n, m) and places at that distance, then the own place
):
    """The first listed points at a point's own core distance, which none is nearer than."""
    cdef Py_ssize_t k = ids.shape[1], m = near.shape[1], i, j, count
    cdef int32_t other
    with nogil:
        for i in range(begin, end):
            count = 0
            for j in range(k):
                if count == m or reduced[row[i], j] > core[i]:
                    break
                other = place[ids[row[i], j]]
                if core[other] <= core[i]:
                    near[i, count] = other
                    count += 1
            for j in range(m):
                low[i, j] = core[i]
                if j >= count:
                    near[i, j] = <int32_t>i
