# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""All points of a k-d tree (kdtree/tree.pxd) within a radius of queries.

Bentley, Stanat & Williams 1977 ("The complexity of finding fixed-radius near neighbors",
doi:10.1016/0020-0190(77)90070-9). Deviation: eight boxes are tested at a time. The loops are C
(kdtree/radius.h), as every step of them is vector code.

A point is within if its reduced distance, of float64 differences summed in the order of
`squared_distances` (tile/rows.pxd), is <= the limit. Nodes that lie inside as a whole are counted
without reading their points, and written so where no distances are asked for. Both these nodes and
those that are skipped are decided by bounds that hold in spite of rounding.

Cost: O(log n + points within) a query, in few dimensions. A call ends when its budget is spent, and
returns the next query. The caller guarantees finite numbers, rows of contiguous numbers, and limits
that are no more than the largest number.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from statfast._core.kdtree.query cimport KD_MAX_LEAF_POINTS, kd_radius_search, kd_tree
from statfast._core.kdtree.tree cimport TreeView
from statfast._core.order.neighbor_order cimport NeighborOrder, open_order
from statfast._core.tile.rows cimport stride_of
from statfast._core.tile.tiles cimport level

cdef extern from "kdtree/radius_table.h" nogil:
    ctypedef struct kdradius_kernels:
        void (*reach_tree_f32)(const kd_tree *t, kd_radius_search *job) noexcept nogil
        void (*reach_tree_f64)(const kd_tree *t, kd_radius_search *job) noexcept nogil
    const kdradius_kernels *kdradius_at(int level)

cdef const kdradius_kernels *kernels = kdradius_at(level())

ctypedef fused other:
    float
    double


def within(
    TreeView view,
    const other[:, ::contiguous] Q,  # IN (m, d) queries
    const int32_t[::1] order,       # IN (m,) the order in which to take them, or None
    Py_ssize_t begin,               # the queries in that order: begin to end
    Py_ssize_t end,
    const double[::1] limit,        # IN (m,) reduced radii
    Py_ssize_t budget,              # about the number of points to read
    Py_ssize_t[::1] count,          # OUT (m,) the number of points within; IN if they are written
    const Py_ssize_t[::1] start,    # IN (m,) where to write them; None: they are only counted
    double[::1] apart,              # OUT reduced distances, or None, if by number
    Py_ssize_t[::1] row,            # OUT or None
    bint by_row,                    # whether to write them by number, not (distance, number)
):
    """Count or write the points within the limits; returns the next query."""
    cdef kd_radius_search r
    cdef NeighborOrder by_row_order
    cdef Py_ssize_t i, most = 0
    r.job.order = NULL
    if order is not None:
        r.job.order = &order[0]
    r.job.single = other is float
    r.job.queries = &Q[0, 0]
    r.job.ldq = stride_of(Q)
    r.job.begin = begin
    r.job.end = end
    r.job.kind = view.kind
    r.job.p = view.p
    r.limit = &limit[0]
    r.count = NULL if count is None else &count[0]
    r.start = NULL
    if start is not None:
        r.start = &start[0]
    r.budget = budget
    r.job.apart = NULL
    r.job.row = NULL
    if row is not None and row.shape[0]:
        r.job.row = &row[0]
        if apart is not None:
            r.job.apart = &apart[0]
    if start is not None:
        for i in range(begin, end):
            most = max(most, count[i if order is None else order[i]])
    r.job.capacity = most + KD_MAX_LEAF_POINTS if start is not None else 0
    r.job.key = <double *>malloc(4 * sizeof(double) * r.job.capacity + view.tree.d * sizeof(double))
    by_row_order.key = NULL
    r.by_row = &by_row_order if start is not None and by_row else NULL
    if r.job.key == NULL or r.by_row and not open_order(&by_row_order, True, view.tree.n, most):
        free(r.job.key)
        raise MemoryError
    r.job.id = <int64_t *>(r.job.key + 2 * r.job.capacity)
    r.job.q = <double *>(r.job.id + 2 * r.job.capacity)
    with nogil:
        if view.single:
            kernels.reach_tree_f32(&view.tree, &r)
        else:
            kernels.reach_tree_f64(&view.tree, &r)
    free(r.job.key)
    free(by_row_order.key)
    return r.job.begin
