# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The k nearest points of a k-d tree (kdtree/tree.pxd), for queries in any order or for its own
points.

Friedman, Bentley & Finkel 1977, doi:10.1145/355744.355745. Deviations: eight boxes are tested at a
time. Boxes are tight; the incremental distances of Arya & Mount 1993 (doi:10.1109/DCC.1993.253111)
would need a bound for their rounding. A query starts in its own leaf where that is known. The loops
are C (kdtree/search.h, kdtree/k_nearest.h), as every step of them is vector code.

Distances are those of float64 differences, summed in the order of `squared_distances`
(tile/rows.pxd), to the last bit on every instruction-set level; points are ordered by (distance,
number).

Cost: O(log n + k) a query in few dimensions. Memory: 32 bytes for each of k candidates, if k > 32.
The caller guarantees finite numbers, rows of contiguous numbers, and k points to choose from. A
query with fewer than k points at a finite distance gets the distance inf and the number -1 for the
rest.
"""

from cython.view cimport contiguous
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from statfast._core.kdtree.query cimport kd_job, kd_tree
from statfast._core.kdtree.tree cimport TreeView
from statfast._core.tile.metric cimport EUCLIDEAN
from statfast._core.tile.rows cimport stride_of
from statfast._core.tile.tiles cimport level

cdef extern from "kdtree/search_table.h" nogil:
    ctypedef struct kdsearch_kernels:
        void (*search_tree_f32)(const kd_tree *t, kd_job *job) noexcept nogil
        void (*search_tree_f64)(const kd_tree *t, kd_job *job) noexcept nogil
    const kdsearch_kernels *kdsearch_at(int level)

cdef const kdsearch_kernels *kernels = kdsearch_at(level())

ctypedef fused other:
    float
    double


cdef int prepare(kd_job *job, Py_ssize_t d, Py_ssize_t k) noexcept nogil:
    """Allocate the work space of a search; returns 0 if memory runs out."""
    job.capacity = k + k // 2 + 128
    job.k = k
    job.visited = 0
    job.key = <double *>malloc(job.capacity * (4 * sizeof(double)) + d * sizeof(double))
    if job.key == NULL:
        return 0
    job.id = <int64_t *>(job.key + 2 * job.capacity)
    job.q = <double *>(job.id + 2 * job.capacity)
    return 1


cdef void run(TreeView view, kd_job *job) noexcept nogil:
    if view.single:
        kernels.search_tree_f32(&view.tree, job)
    else:
        kernels.search_tree_f64(&view.tree, job)


def search(
    TreeView view,
    const other[:, ::contiguous] Q,  # IN (m, d) queries, or None: the points, without themselves
    const int32_t[::1] order,       # IN (m,) the order in which to take them, or None
    Py_ssize_t begin,               # the queries in that order (points: in the order of the tree):
    Py_ssize_t end,                 # begin to end
    double[:, ::1] apart,           # OUT (m, k) reduced distances, in the rows of Q
    Py_ssize_t[:, ::1] row,         # OUT (m, k)
):
    """Search for some of the queries; returns the number of points read."""
    cdef kd_job job
    job.itself = Q is None
    job.order = NULL if order is None else &order[0]
    job.single = other is float
    if Q is not None:
        job.queries = &Q[0, 0]
        job.ldq = stride_of(Q)
    job.begin = begin
    job.end = end
    job.kind = view.kind
    job.p = view.p
    job.apart = &apart[0, 0]
    job.row = &row[0, 0]
    if not prepare(&job, view.tree.d, apart.shape[1]):
        raise MemoryError
    with nogil:
        run(view, &job)
    free(job.key)
    return job.visited * view.tree.leaf


def query(
    TreeView view,
    const double[:] q,              # IN (d,)
    double[::1] apart,              # OUT (k,)
    Py_ssize_t[::1] row,            # OUT (k,)
):
    """Search for one query, with Euclidean distances that are not reduced. Returns False, so that
    the caller searches by the general path, if the numbers of the query are not contiguous or not
    finite, or a distance is not finite."""
    cdef kd_job job
    cdef Py_ssize_t k = apart.shape[0], j
    cdef double total = 0
    for j in range(q.shape[0]):
        total += q[j] * 0
    if total != 0 or q.strides[0] != sizeof(double):
        return False
    job.itself = job.single = False
    job.order = NULL
    job.queries = &q[0]
    job.ldq = q.shape[0]
    job.begin = 0
    job.end = 1
    job.kind = view.kind
    job.p = view.p
    job.apart = &apart[0]
    job.row = &row[0]
    if not prepare(&job, view.tree.d, k):
        raise MemoryError
    run(view, &job)
    free(job.key)
    if not apart[k - 1] < INFINITY:
        return False
    if view.kind == EUCLIDEAN:
        for j in range(k):
            apart[j] = sqrt(apart[j])
    return True
