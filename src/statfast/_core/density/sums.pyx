# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Sums of kernels about the points of a k-d tree (kdtree/tree.pxd), exact or to a tolerance.

Gray & Moore 2003 ("Nonparametric density estimation: toward computational tractability",
doi:10.1137/1.9781611972733.19). Deviations: each query goes down the tree by itself, nearest child
first, with eight boxes tested at a time; a node is taken as one point at its center where its
second moment bounds the error better than the two ends of its box. The loops are C
(density/sums.h).

Cost: about a kernel for each point within reach; an approximate sum O(log n) a query where columns
are few. A call ends when its budget is spent, and returns the next query. The caller guarantees
finite numbers, positive weights of points, rows of contiguous numbers, and centers for the
Euclidean metric alone.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.kdtree.query cimport kd_job, kd_tree
from statfast._core.kdtree.tree cimport TreeView
from statfast._core.tile.rows cimport stride_of
from statfast._core.tile.tiles cimport level

cdef extern from "density/sums_table.h" nogil:
    ctypedef struct density_nodes:
        const double *weights
        const double *node_weights
        const double *center
        const double *moment
        double total

    ctypedef struct density_search:
        kd_job job
        int shape
        double inverse, limit, rtol, atol
        const double *shift
        double *sum
        Py_ssize_t budget

    ctypedef struct sums_kernels:
        void (*sum_tree_f32)(
            const kd_tree *t, const density_nodes *nodes, density_search *s) noexcept nogil
        void (*sum_tree_f64)(
            const kd_tree *t, const density_nodes *nodes, density_search *s) noexcept nogil
    const sums_kernels *sums_at(int level)

cdef const sums_kernels *kernels = sums_at(level())

ctypedef fused other:
    float
    double


cdef class SumsView:
    """A tree with the weights of its nodes, a kernel, and how exact its sums are to be.

    It keeps its arrays alive, is not changed by queries and cannot be pickled.
    """

    cdef TreeView view
    cdef density_nodes nodes
    cdef tuple arrays
    cdef int shape
    cdef double inverse, limit, rtol, atol

    def __cinit__(
        self,
        TreeView view,
        const double[::1] weights,        # IN (leaves * leaf,) by place, or None: all 1
        const double[:, ::1] node_weights,        # IN (groups, 8)
        const double[:, :, ::1] center,   # IN (groups, d, 8), or None: boxes alone bound errors
        const double[:, ::1] moment,      # IN (groups, 8), or None
        double total,                     # weight of all points
        int shape,                        # of kernels: the numbers of density/sums_table.h
        double inverse,                   # turns reduced distances into t^2 (Euclidean) or t
        double limit,                     # the largest reduced distance inside the bandwidth
        double rtol,
        double atol,                      # of the sum
    ):
        self.view, self.arrays = view, (weights, node_weights, center, moment)
        self.nodes.weights = NULL
        self.nodes.center = NULL
        self.nodes.moment = NULL
        if weights is not None:
            self.nodes.weights = &weights[0]
        if center is not None:
            self.nodes.center = &center[0, 0, 0]
            self.nodes.moment = &moment[0, 0]
        self.nodes.node_weights = &node_weights[0, 0]
        self.nodes.total = total
        self.shape, self.inverse, self.limit = shape, inverse, limit
        self.rtol, self.atol = rtol, atol


def add(
    SumsView sums,
    const other[:, ::contiguous] Q,  # IN (m, d) queries; None: the points, each without itself
    const int32_t[::1] order,       # IN (m,) the order in which to take them, or None
    Py_ssize_t begin,               # the queries in that order, or that of the tree: begin to end
    Py_ssize_t end,
    Py_ssize_t budget,              # about the number of points to read
    const double[::1] shift,        # IN (m,) added to exponents, by row; or None
    double[::1] out,                # OUT (m,) by row
):
    """Sums of kernels of a range of queries; returns the next query."""
    cdef density_search s
    cdef TreeView view = sums.view
    s.job.order = NULL
    if order is not None:
        s.job.order = &order[0]
    s.job.itself = Q is None
    s.job.single = other is float
    s.job.queries = NULL
    s.job.ldq = 0
    if Q is not None:
        s.job.queries = &Q[0, 0]
        s.job.ldq = stride_of(Q)
    s.job.begin = begin
    s.job.end = end
    s.job.kind = view.kind
    s.job.p = view.p
    s.shape, s.inverse, s.limit = sums.shape, sums.inverse, sums.limit
    s.rtol, s.atol = sums.rtol, sums.atol
    s.shift = NULL
    if shift is not None:
        s.shift = &shift[0]
    s.sum = &out[0]
    s.budget = budget
    s.job.q = <double *>malloc(sizeof(double) * view.tree.d)
    if s.job.q == NULL:
        raise MemoryError
    with nogil:
        if view.single:
            kernels.sum_tree_f32(&view.tree, &sums.nodes, &s)
        else:
            kernels.sum_tree_f64(&view.tree, &sums.nodes, &s)
    free(s.job.q)
    return s.job.begin
