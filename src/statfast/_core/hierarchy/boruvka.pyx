# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One round of Boruvka's algorithm on a k-d tree: the shortest edges that leave the parts.

March, Ram & Gray 2010, doi:10.1145/1835804.1835882. Deviations: a point finds several neighbors at
once, and does not search again while one of them is in another part. The edges known in this way
are collected by part before any search, and a point searches only if it may find an edge shorter
than that of its part. The points of a leaf search together, in the lanes of vectors, so that there
is no second tree. A search goes somewhat farther than necessary, for the rounds that follow. Leaves
of points in one part, none of which can have a shorter edge, are skipped, and the largest part does
not search, as all others join it. The searches are C (hierarchy/boruvka.h).

Distances are squared, of float64 differences, in the order of `squared_distances` (tile/rows.pxd).
Of edges of equal length one is taken, always the same. Cost: about that of a search for nearest
neighbors in the first round, less in each that follows. The caller guarantees finite numbers in at
most 16 columns.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.kdtree.query cimport KD_LANES, kd_tree
from statfast._core.kdtree.tree cimport TreeView
from statfast._core.tile.tiles cimport active, level


cdef extern from "hierarchy/boruvka_table.h" nogil:
    enum:
        MAX_NEIGHBORS
        LEAF_SIZE

    ctypedef struct kd_forest:
        const double *part
        const double *core
        const double *same
        double *low
        int32_t *near
        const double *known
        double *best
        int32_t *one
        int32_t *other
        int32_t *stamp
        int32_t now
        int32_t *touched
        Py_ssize_t count
        const int32_t *lost
        Py_ssize_t begin
        Py_ssize_t end
        int kind
        double p
        int first
        Py_ssize_t budget

    ctypedef struct boruvka_kernels:
        void (*search)(const kd_tree *t, kd_forest *f) noexcept nogil
        Py_ssize_t (*recall)(
            kd_forest *f, Py_ssize_t n, const double *same, double largest, double *floor,
            int32_t *lost, Py_ssize_t begin, Py_ssize_t end
        ) noexcept nogil
        void (*mark)(
            const int32_t *parent, Py_ssize_t n, Py_ssize_t begin, Py_ssize_t end, double *part,
            double *same
        ) noexcept nogil

    const boruvka_kernels *boruvka_at(int level)


cdef const boruvka_kernels *kernels = boruvka_at(level())

NEIGHBORS, LEAF_POINTS = MAX_NEIGHBORS, LEAF_SIZE


cdef class Forest:
    """The parts of the points, and their shortest edges so far. Keeps its arrays alive."""

    cdef kd_forest forest
    cdef tuple arrays
    cdef Py_ssize_t n

    def __cinit__(
        self,
        const double[::1] part,     # IN (leaves * leaf,) the part of each place
        const double[:, ::1] same,  # IN (groups, 8) the part of all points of a child, or -1
        double[:, ::1] low,         # INOUT (n, NEIGHBORS) by place: distances to other parts,
                                    # rising; those not listed are no less than the last
        int32_t[:, ::1] near,       # INOUT (n, NEIGHBORS) their places; the own place: no more
        const double[::1] known,    # IN (n,) of each part, its shortest edge so far
        const double[::1] core,     # IN (leaves * leaf,) no edge of a place is shorter; or None
    ):
        self.arrays = part, same, low, near, known, core
        self.forest.core = NULL if core is None else &core[0]
        self.forest.part, self.forest.same = &part[0], &same[0, 0]
        self.forest.low, self.forest.near = &low[0, 0], &near[0, 0]
        self.forest.known = &known[0]
        self.n = low.shape[0]

    cdef kd_forest bound(
        self, double[::1] best, int32_t[:, ::1] work, int32_t now, Py_ssize_t count
    ) noexcept:
        """The forest with the work space of a task."""
        cdef kd_forest f = self.forest
        f.best, f.one, f.other = &best[0], &work[0, 0], &work[1, 0]
        f.stamp, f.touched, f.now, f.count = &work[2, 0], &work[3, 0], now, count
        return f


def arrange(
    double[:, :, ::1] blocks,       # INOUT (leaves, d, leaf) the tree
    int32_t[::1] ids,               # INOUT (leaves * leaf,)
    Py_ssize_t begin,               # full leaves
    Py_ssize_t end,
):
    """Order the points within leaves of 32 so that each eight are near one another."""
    cdef Py_ssize_t d = blocks.shape[1], leaf = blocks.shape[2], number, half = leaf // 2, h, side
    cdef double *x
    cdef double *work
    cdef int32_t *id
    cdef int32_t *work_id
    cdef void *block = malloc((d + 1) * leaf * sizeof(double) + leaf * sizeof(int32_t))
    if block == NULL:
        raise MemoryError
    work = <double *>block
    work_id = <int32_t *>(work + (d + 1) * leaf)
    with nogil:
        for number in range(begin, end):
            x, id = &blocks[number, 0, 0], &ids[number * leaf]
            active().f64.divide(x, work, id, work_id, leaf, d, leaf, half,
                                active().f64.widest(x, leaf, d, leaf), work + d * leaf)
            for side in range(2):
                h = side * half
                active().f64.divide(work + h, x + h, work_id + h, id + h, leaf, d, half, half // 2,
                                    active().f64.widest(work + h, leaf, d, half), work + d * leaf)
    free(block)


def search(
    TreeView view,
    Forest forest,
    double[::1] best,               # WORK (n,) by part: a shorter edge
    int32_t[:, ::1] work,           # WORK (4, n) its ends, stamps, and the parts that have one
    int32_t now,                    # IN the stamp, a number that no call before had
    Py_ssize_t count,               # IN how many parts have one
    const int32_t[::1] lost,        # IN (m,) the points that search, rising
    Py_ssize_t begin,               # IN of those
    Py_ssize_t end,
    Py_ssize_t budget,              # IN about how many leaves to visit
    bint first,                     # IN whether every point is a part: lists are made, no edges
):
    """Search from points for other parts; returns the next point, and the count."""
    cdef kd_forest f = forest.bound(best, work, now, count)
    f.lost, f.begin, f.end, f.budget = &lost[0], begin, end, budget
    f.first, f.kind, f.p = first, view.kind, view.p
    with nogil:
        kernels.search(&view.tree, &f)
    return f.begin, f.count


def recall(
    Forest forest,                  # whose `known` are all infinite
    double[::1] best,               # WORK (n,)
    int32_t[:, ::1] work,           # WORK (4, n)
    int32_t now,                    # IN
    double largest,                 # IN the part that does not search
    double[::1] floor,              # INOUT (leaves,) no point of the leaf has a shorter edge
    int32_t[::1] lost,              # OUT (n,) from LEAF_POINTS * begin on: points that may search
    Py_ssize_t bottom,              # the group of `same` at which the leaves begin
    Py_ssize_t begin,               # the leaves to look at
    Py_ssize_t end,
):
    """The shortest listed edge of each part; returns the numbers of parts with one and of lost
    points."""
    cdef kd_forest f = forest.bound(best, work, now, 0)
    cdef Py_ssize_t n_lost
    with nogil:
        n_lost = kernels.recall(
            &f, forest.n, f.same + bottom * KD_LANES, largest, &floor[0], &lost[LEAF_SIZE * begin],
            begin, end)
    return f.count, n_lost


def mark(
    const int32_t[::1] parent,      # IN (n,) of former roots: the root now, -1: still a root
    double[::1] part,               # INOUT (leaves * leaf,) by place
    Py_ssize_t n,
    Py_ssize_t bottom,              # the group at which the leaves begin
    Py_ssize_t begin,               # the leaves to look at
    Py_ssize_t end,
    double[:, ::1] same,            # INOUT (groups, 8)
):
    """Update the part of every point, and of the leaves whose points are all in one part."""
    with nogil:
        kernels.mark(&parent[0], n, begin, end, &part[0], &same[bottom, 0])


def enclose(
    const Py_ssize_t[::1] first,    # IN (levels,)
    Py_ssize_t leaves,
    double[:, ::1] same,            # INOUT (groups, 8)
):
    """For the children of nodes above the leaves, the part of all their points, or -1 for
    several."""
    cdef Py_ssize_t nodes = leaves, h, node, i, c
    cdef double value
    with nogil:
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
