# SPDX-License-Identifier: BSD-3-Clause
"""All points of a k-d tree (kdtree.pxd) within a radius: of queries, or of another tree's points.

Bentley, Stanat & Williams 1977 ("The complexity of finding fixed-radius near neighbors",
doi:10.1016/0020-0190(77)90070-9), and for two trees Gray & Moore 2000 ("N-body problems in
statistical learning", NIPS 13). Deviations: eight boxes are tested at a time; of the first of two
trees only the leaves are taken, as one walk for all points of a leaf costs next to nothing beside
the points at the rim. The loops are C (simd/kdradius.h), as every step of them is vector code.

A point is within if its reduced distance, of float64 differences summed in the order of `apart`
(rows.pxd), is <= the limit. Nodes that lie inside as a whole are counted without a look at their
points; that and what is passed by is decided by bounds that hold in rounding too.

Cost: O(log n + points within) a query, in few dimensions. A call returns after a budget and says
how far it got. The caller guarantees finite numbers, rows of contiguous numbers, and limits that
are no more than the largest number.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc

from statfast._core.kdjob cimport KD_LEAF, kd_meet, kd_reach, kd_tree
from statfast._core.kdtree cimport bind_tree, nodes_of, turn_boxes
from statfast._core.rows cimport real
from statfast._core.tiles cimport level

cdef extern from "kdradius_kernels.h" nogil:
    ctypedef struct kdradius_kernels:
        void (*reach_tree_f32)(const kd_tree *t, kd_reach *job) noexcept nogil
        void (*reach_tree_f64)(const kd_tree *t, kd_reach *job) noexcept nogil
        bint (*meet_trees_f32)(const kd_tree *t, kd_meet *job) noexcept nogil
        bint (*meet_trees_f64)(const kd_tree *t, kd_meet *job) noexcept nogil
    const kdradius_kernels *kdradius_at(int level)

cdef const kdradius_kernels *kernels = kdradius_at(level())

ctypedef fused other:
    float
    double


def within(
    const real[:, :, ::1] blocks,   # IN the tree
    const int32_t[::1] ids,
    const real[:, :, :, ::1] boxes,
    const int32_t[:, ::1] least,
    const Py_ssize_t[::1] first,
    Py_ssize_t n,
    const double[:, ::1] turn,
    const other[:, :] Q,            # IN (m, d) queries
    const int32_t[::1] order,       # IN (m,) the order in which to take them, or None
    Py_ssize_t begin,               # of those in that order, these
    Py_ssize_t end,
    int kind,                       # of metric
    double p,
    const double[::1] limit,        # IN (m,) reduced radii
    Py_ssize_t budget,              # points to look at, about
    Py_ssize_t[::1] count,          # OUT (m,) how many are within
    const Py_ssize_t[::1] start,    # IN (m,) where to put them, or None: they are only counted
    Py_ssize_t most,                # points within one of these limits
    double[::1] apart,              # OUT reduced distances, by (distance, number); or None
    Py_ssize_t[::1] row,            # OUT or None
):
    """Count or fill in the points within the limits; returns the query to go on with."""
    cdef kd_tree t
    cdef kd_reach r
    cdef Py_ssize_t d = blocks.shape[1]
    bind_tree(&t, blocks, ids, boxes, least, first, n)
    turn_boxes(&t, turn)
    r.job.order = NULL
    if order is not None:
        r.job.order = &order[0]
    r.job.single = other is float
    r.job.queries = &Q[0, 0]
    r.job.ldq = Q.strides[0] // <Py_ssize_t>sizeof(other)
    r.job.begin = begin
    r.job.end = end
    r.job.kind = kind
    r.job.p = p
    r.limit = &limit[0]
    r.count = NULL if count is None else &count[0]
    r.start = NULL
    if start is not None:
        r.start = &start[0]
    r.budget = budget
    r.job.apart = NULL
    r.job.row = NULL
    if apart is not None and apart.shape[0]:
        r.job.apart = &apart[0]
        r.job.row = &row[0]
    r.job.capacity = most + KD_LEAF if start is not None else 0
    r.job.key = <double *>malloc(4 * sizeof(double) * r.job.capacity + 2 * d * sizeof(double))
    if r.job.key == NULL:
        raise MemoryError
    r.job.id = <int64_t *>(r.job.key + 2 * r.job.capacity)
    r.job.q = <double *>(r.job.id + 2 * r.job.capacity)
    with nogil:
        if real is float:
            kernels.reach_tree_f32(&t, &r)
        else:
            kernels.reach_tree_f64(&t, &r)
    free(r.job.key)
    return r.job.begin


def meet(
    const real[:, :, ::1] blocks,   # IN the tree
    const int32_t[::1] ids,
    const real[:, :, :, ::1] boxes,
    const int32_t[:, ::1] least,
    const Py_ssize_t[::1] first,
    Py_ssize_t n,
    const double[:, ::1] turn,
    const other[:, :, ::1] blocks2,  # IN the other tree, of as many columns; its first arrays
    const int32_t[::1] ids2,
    Py_ssize_t n2,
    bint itself,                    # whether it is the same tree
    Py_ssize_t begin,               # leaves of the other tree
    Py_ssize_t end,
    int kind,                       # of metric
    double p,
    double limit,                   # reduced radius
    Py_ssize_t budget,
    int64_t[::1] pair,              # OUT lower << 32 | higher number, in any order; or None
    Py_ssize_t filled,              # of them, so far
):
    """Count the ordered pairs of points within the limit, those of the trees' own points with
    themselves too; or tell the pairs of different points of one tree.

    Returns the leaf to go on with, the count, pairs filled, and whether there was room for more."""
    cdef kd_tree t
    cdef kd_meet w
    cdef Py_ssize_t d = blocks.shape[1], leaf = blocks2.shape[2], groups
    cdef bint roomy
    bind_tree(&t, blocks, ids, boxes, least, first, n)
    turn_boxes(&t, turn)
    w.other.blocks = &blocks2[0, 0, 0]
    w.other.ids = &ids2[0]
    w.other.n = n2
    w.other.d = d
    w.other.leaf = leaf
    w.job.single = other is float
    w.job.itself = itself
    w.job.begin = begin
    w.job.end = end
    w.job.kind = kind
    w.job.p = p
    w.limit = limit
    w.budget = budget
    w.total = 0
    w.pair = NULL if pair is None else &pair[0]
    w.room = 0 if pair is None else pair.shape[0]
    w.filled = filled
    groups = nodes_of(&t, 0)
    w.job.q = <double *>malloc(2 * (1 + leaf) * d * sizeof(double) + 2 * groups * sizeof(int32_t))
    if w.job.q == NULL:
        raise MemoryError
    w.group = <int32_t *>(w.job.q + 2 * (1 + leaf) * d)
    w.child = <unsigned int *>(w.group + groups)
    with nogil:
        if real is float:
            roomy = kernels.meet_trees_f32(&t, &w)
        else:
            roomy = kernels.meet_trees_f64(&t, &w)
    free(w.job.q)
    return w.job.begin, w.total, w.filled, roomy


def tally(
    const int64_t[::1] pair,        # IN (pairs,)
    int shift,                      # a part's pairs have the same lower number >> shift
    Py_ssize_t[::1] count,          # INOUT (parts,)
):
    """Count the pairs of each part."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(pair.shape[0]):
            count[pair[i] >> (32 + shift)] += 1


def deal(
    const int64_t[::1] pair,        # IN (pairs,)
    int shift,
    Py_ssize_t[::1] at,             # INOUT (parts,) where the next one of each part goes
    int64_t[::1] to,                # OUT
):
    """Put the pairs where those of their part are."""
    cdef Py_ssize_t i, part
    with nogil:
        for i in range(pair.shape[0]):
            part = pair[i] >> (32 + shift)
            to[at[part]] = pair[i]
            at[part] += 1


def split(
    const int64_t[::1] pair,        # IN (pairs,)
    Py_ssize_t[:, ::1] out,         # OUT (pairs, 2)
):
    """Pairs of numbers out of their words."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(pair.shape[0]):
            out[i, 0] = pair[i] >> 32
            out[i, 1] = <uint32_t>pair[i]
