# SPDX-License-Identifier: BSD-3-Clause
"""One round of Boruvka's algorithm on a k-d tree: the shortest edges that leave the parts.

March, Ram & Gray 2010, doi:10.1145/1835804.1835882. Deviations: points are queried one by one, in
the order of the tree, which finds the shortest edge of their part so far a sharp limit (a second
tree of queries would save the tests of boxes, which are vectors of eight here). A point finds
several neighbours at once, and does not search again while one of them is in another part; the
largest part looks for nothing, as all others join it; nodes of points of one part are left out as a
whole if no box of another is within the limit; and the points of a leaf search the leaves around it
together, where they are few. The loops are C (simd/boruvka.h).

Distances are squared, of float64 differences, in the order of `apart` (rows.pxd). Of edges of equal
length one is taken, always the same. Cost: about that of a search for nearest neighbours in the
first round, less in each that follows. The caller guarantees finite numbers.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.kdjob cimport KD_LANES, kd_tree
from statfast._core.kdtree cimport bind_tree
from statfast._core.tiles cimport level


cdef extern from "boruvka_kernels.h" nogil:
    enum:
        AROUND

    ctypedef struct kd_forest:
        const double *part
        const double *same
        double largest
        Py_ssize_t k
        double *low
        int32_t *near
        double *beyond
        double *best
        int32_t *one
        int32_t *other
        int32_t *stamp
        int32_t now
        int32_t *touched
        Py_ssize_t count
        Py_ssize_t begin
        Py_ssize_t end
        Py_ssize_t budget
        double *q

    ctypedef struct boruvka_kernels:
        void (*edges)(const kd_tree *t, kd_forest *f) noexcept nogil

    const boruvka_kernels *boruvka_at(int level)


cdef const boruvka_kernels *kernels = boruvka_at(level())


def edges(
    const double[:, :, ::1] blocks,   # IN the tree
    const int32_t[::1] ids,
    const double[:, :, :, ::1] boxes,
    const int32_t[:, ::1] least,
    const Py_ssize_t[::1] first,
    Py_ssize_t n,
    const double[::1] part,         # IN (leaves * leaf,) a place of each place's part
    const double[:, ::1] same,      # IN (groups, 8) the part of all points of a child, or -1
    double largest,                 # IN the part whose edge need not be found, or -1
    double[:, ::1] low,             # INOUT (n, k) by place: distances to points of other parts
    int32_t[:, ::1] near,           # INOUT (n, k) their places; -1: no more
    double[::1] beyond,             # INOUT (n,) what is not listed is no nearer
    double[::1] best,               # WORK (n,) by part, where stamp is `now`: the shortest edge
    int32_t[:, ::1] ends,           # WORK (2, n) from and to these places
    int32_t[::1] stamp,             # WORK (n,)
    int32_t now,                    # IN a number that no call before had for its stamp
    int32_t[::1] touched,           # OUT (n,) parts that have an edge
    Py_ssize_t count,               # IN how many of those there are
    Py_ssize_t begin,               # IN the leaves to look at
    Py_ssize_t end,
    Py_ssize_t budget,              # IN about how many leaves to visit
):
    """Look from points for other parts; returns the leaf to go on with, and the count."""
    cdef kd_tree t
    cdef kd_forest f
    bind_tree(&t, blocks, ids, boxes, least, first, n)
    f.part, f.same, f.beyond = &part[0], &same[0, 0], &beyond[0]
    f.k, f.low, f.near = low.shape[1], &low[0, 0], &near[0, 0]
    f.best, f.one, f.other, f.stamp = &best[0], &ends[0, 0], &ends[1, 0], &stamp[0]
    f.now, f.touched, f.count, f.begin, f.end = now, &touched[0], count, begin, end
    f.largest, f.budget = largest, budget
    f.q = <double *>malloc((t.d + AROUND * 2 * t.d) * sizeof(double))
    if f.q == NULL:
        raise MemoryError
    with nogil:
        kernels.edges(&t, &f)
    free(f.q)
    return f.begin, f.count


def mark(
    const double[::1] part,         # IN (leaves * leaf,) by place
    const Py_ssize_t[::1] first,    # IN (levels,)
    Py_ssize_t n,
    Py_ssize_t leaf,
    double[:, ::1] same,            # OUT (groups, 8)
):
    """Of the children of all nodes, the part that all their points are in, or -1."""
    cdef Py_ssize_t nodes = (n + leaf - 1) // leaf, h, node, i, c
    cdef double value
    with nogil:
        for node in range(nodes):
            value = part[node * leaf]
            for i in range(node * leaf + 1, min(n, (node + 1) * leaf)):
                if part[i] != value:
                    value = -1
                    break
            same[first[0] + node // KD_LANES, node % KD_LANES] = value
        for h in range(1, first.shape[0]):
            c = nodes  # children of the level below
            nodes = (nodes + KD_LANES - 1) // KD_LANES
            for node in range(nodes):
                value = same[first[h - 1] + node, 0]
                for i in range(1, min(<Py_ssize_t>KD_LANES, c - KD_LANES * node)):
                    if same[first[h - 1] + node, i] != value:
                        value = -1
                        break
                same[first[h] + node // KD_LANES, node % KD_LANES] = value
