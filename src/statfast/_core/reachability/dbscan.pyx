# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""DBSCAN on a k-d tree: core points, the sets of those that are near one another, and borders.

Ester, Kriegel, Sander & Xu 1996 (KDD-96, 226-231). Deviations: neighbors are never listed. A first
pass counts them, and ends for a point when it has enough. A second joins core points within the
limit as disjoint sets; nodes whose core points are in the set of the searching leaf are skipped,
and those that are within the limit as a whole are joined once. A third finds for the other points
the lowest cluster within the limit. All pairs of leaves within the limit are visited at worst, so
dense regions cost little and not their pairs of points. The passes are C (reachability/dbscan.h).

Several threads may process ranges of leaves of one pass at once: the sets do not depend on the
order (reachability/disjoint.h). A call ends when its budget is spent, and returns the next leaf.
The caller guarantees finite points, leaves of DBSCAN_LEAF_SIZE points, and a limit that is no more
than the largest number.
"""

from libc.stdint cimport INT32_MAX, int32_t, uint8_t
from libc.stdlib cimport free, malloc

from statfast._core.kdtree.query cimport KD_LANES, kd_tree
from statfast._core.kdtree.tree cimport TreeView
from statfast._core.tile.tiles cimport level

cdef extern from "reachability/dbscan_table.h" nogil:
    enum:
        DBSCAN_LEAF_SIZE

    ctypedef struct kd_clusters:
        const double *weight
        const double *total
        int inhibits
        int kind
        double p
        double limit
        double enough
        uint8_t *core
        int32_t *parent
        const int32_t *one
        uint8_t *joined
        int32_t *label
        const int32_t *least
        double *work
        Py_ssize_t begin
        Py_ssize_t end
        Py_ssize_t budget

    ctypedef struct dbscan_kernels:
        void (*count_f32)(const kd_tree *t, kd_clusters *f) noexcept nogil
        void (*count_f64)(const kd_tree *t, kd_clusters *f) noexcept nogil
        void (*join_f32)(const kd_tree *t, kd_clusters *f) noexcept nogil
        void (*join_f64)(const kd_tree *t, kd_clusters *f) noexcept nogil
        void (*claim_f32)(const kd_tree *t, kd_clusters *f) noexcept nogil
        void (*claim_f64)(const kd_tree *t, kd_clusters *f) noexcept nogil

    const dbscan_kernels *dbscan_at(int level)

cdef extern from "reachability/disjoint.h" nogil:
    int32_t set_root(int32_t *parent, int32_t x)
    void set_join(int32_t *parent, int32_t a, int32_t b)

cdef const dbscan_kernels *kernels = dbscan_at(level())

LEAF_POINTS = DBSCAN_LEAF_SIZE


cdef class Clusters:
    """The points of a tree as the passes see and change them. Keeps its arrays alive."""

    cdef kd_clusters clusters
    cdef TreeView view
    cdef tuple arrays

    def __cinit__(
        self,
        TreeView view,
        double limit,                   # IN the reduced distance up to which points are neighbors
        double enough,                  # IN core points have neighbors of this weight
        bint inhibits,                  # IN whether weights may be negative
        const double[::1] weight,       # IN (leaves * leaf,) by place, or None
        const double[:, ::1] total,     # IN (groups, 8) of each child; or None
        uint8_t[::1] core,              # OUT (leaves * leaf,) of `count`; INOUT of the others
        int32_t[::1] parent,            # INOUT (leaves * leaf,) disjoint sets; at first, places
        const int32_t[:, ::1] one,      # IN (groups, 8) a core point of each child, or -1
        uint8_t[:, ::1] joined,         # INOUT (groups, 8) at first 0
        int32_t[::1] label,             # INOUT (leaves * leaf,) of core points; OUT of the others
        const int32_t[:, ::1] least,    # IN (groups, 8) the lowest label of a child
    ):
        self.arrays = weight, total, core, parent, one, joined, label, least
        self.view = view
        self.clusters.kind, self.clusters.p = view.kind, view.p
        self.clusters.limit, self.clusters.enough = limit, enough
        self.clusters.inhibits = inhibits
        self.clusters.weight = NULL if weight is None else &weight[0]
        self.clusters.total = NULL if total is None else &total[0, 0]
        self.clusters.core, self.clusters.parent = &core[0], &parent[0]
        self.clusters.one, self.clusters.joined = &one[0, 0], &joined[0, 0]
        self.clusters.label, self.clusters.least = &label[0], &least[0, 0]


cdef Py_ssize_t run(
    Clusters of, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t budget, int step
) except -1:
    """One of the passes over some leaves; returns the next leaf."""
    cdef kd_clusters f = of.clusters
    cdef TreeView view = of.view
    f.work = <double *>malloc(3 * sizeof(double) * view.tree.d)
    if f.work == NULL:
        raise MemoryError
    f.begin, f.end, f.budget = begin, end, budget
    with nogil:
        if step == 0:
            (kernels.count_f32 if view.single else kernels.count_f64)(&view.tree, &f)
        elif step == 1:
            (kernels.join_f32 if view.single else kernels.join_f64)(&view.tree, &f)
        else:
            (kernels.claim_f32 if view.single else kernels.claim_f64)(&view.tree, &f)
    free(f.work)
    return f.begin


def count(Clusters clusters, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t budget):
    """Mark the core points of some leaves."""
    return run(clusters, begin, end, budget, 0)


def join(Clusters clusters, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t budget):
    """Join the core points of some leaves with all that are near."""
    return run(clusters, begin, end, budget, 1)


def claim(Clusters clusters, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t budget):
    """Find the lowest label near the other points of some leaves; none is INT32_MAX."""
    return run(clusters, begin, end, budget, 2)


def add_up(
    const double[::1] weight,           # IN (leaves * leaf,) by place, 0 where there is no point
    const Py_ssize_t[::1] first,        # IN (levels,) the first group of each level
    double[:, ::1] total,               # OUT (groups, 8)
):
    """The weights of the points of each child."""
    cdef Py_ssize_t leaves = weight.shape[0] // DBSCAN_LEAF_SIZE, h, i, j, nodes
    cdef double value
    with nogil:
        total[:] = 0
        for i in range(leaves):
            value = 0
            for j in range(i * DBSCAN_LEAF_SIZE, (i + 1) * DBSCAN_LEAF_SIZE):
                value += weight[j]
            total[first[0] + i // KD_LANES, i % KD_LANES] = value
        nodes = leaves
        for h in range(1, first.shape[0]):
            nodes = (nodes + KD_LANES - 1) // KD_LANES
            for i in range(nodes):
                value = 0
                for j in range(KD_LANES):
                    value += total[first[h - 1] + i, j]
                total[first[h] + i // KD_LANES, i % KD_LANES] = value


def lowest(
    const uint8_t[::1] core,            # IN (leaves * leaf,) by place
    const int32_t[::1] label,           # IN (leaves * leaf,) or None: places themselves
    const Py_ssize_t[::1] first,        # IN (levels,) the first group of each level
    int32_t none,                       # IN the value without core points
    int32_t[:, ::1] least,              # OUT (groups, 8)
):
    """The lowest label, or the first place, of the core points of each child."""
    cdef Py_ssize_t leaves = core.shape[0] // DBSCAN_LEAF_SIZE, h, i, j, nodes
    cdef int32_t value, its
    with nogil:
        least[:] = none
        for i in range(leaves):
            value = INT32_MAX
            for j in range(i * DBSCAN_LEAF_SIZE, (i + 1) * DBSCAN_LEAF_SIZE):
                if core[j]:
                    value = min(value, <int32_t>j if label is None else label[j])
            least[first[0] + i // KD_LANES, i % KD_LANES] = none if value == INT32_MAX else value
        nodes = leaves
        for h in range(1, first.shape[0]):
            nodes = (nodes + KD_LANES - 1) // KD_LANES
            for i in range(nodes):
                value = INT32_MAX
                for j in range(KD_LANES):
                    its = least[first[h - 1] + i, j]
                    if its != none:
                        value = min(value, its)
                value = none if value == INT32_MAX else value
                least[first[h] + i // KD_LANES, i % KD_LANES] = value


def name_sets(
    int32_t[::1] parent,                # INOUT (n,) disjoint sets
    const uint8_t[::1] core,            # IN (n,)
    const int32_t[::1] ids,             # IN (n,) the row of each place
    int32_t[::1] lowest_row,            # OUT (n,) of each root the lowest row of its core points
):
    """The lowest row of each set, at its root; INT32_MAX elsewhere."""
    cdef Py_ssize_t i
    cdef int32_t r
    with nogil:
        lowest_row[:] = INT32_MAX
        for i in range(parent.shape[0]):
            if core[i]:
                r = set_root(&parent[0], <int32_t>i)
                lowest_row[r] = min(lowest_row[r], ids[i])


def spread_names(
    int32_t[::1] parent,                # INOUT (n,)
    const uint8_t[::1] core,            # IN (n,)
    const int32_t[::1] name,            # IN (n,) of each root
    int32_t[::1] label,                 # OUT (n,) of core points; INT32_MAX of others
):
    """The name of each core point's set."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(parent.shape[0]):
            label[i] = name[set_root(&parent[0], <int32_t>i)] if core[i] else INT32_MAX


def join_lists(
    const Py_ssize_t[::1] rows,         # IN (m,) the core points whose neighbors are listed
    const Py_ssize_t[::1] start,        # IN (m + 1,)
    const Py_ssize_t[::1] ids,          # IN (start[m],)
    const uint8_t[::1] core,            # IN (n,)
    int32_t[::1] parent,                # INOUT (n,)
):
    """Join core points with those among their neighbors."""
    cdef Py_ssize_t q, e
    with nogil:
        for q in range(rows.shape[0]):
            for e in range(start[q], start[q + 1]):
                if core[ids[e]]:
                    set_join(&parent[0], <int32_t>rows[q], <int32_t>ids[e])


def lowest_of_lists(
    const Py_ssize_t[::1] rows,         # IN (m,) the points whose neighbors are listed
    const Py_ssize_t[::1] start,        # IN (m + 1,)
    const Py_ssize_t[::1] ids,          # IN (start[m],)
    const uint8_t[::1] core,            # IN (n,)
    int32_t[::1] label,                 # INOUT (n,) of core points; OUT of `rows`
):
    """The lowest label of the core points among the neighbors; INT32_MAX where there is none."""
    cdef Py_ssize_t q, e
    cdef int32_t value
    with nogil:
        for q in range(rows.shape[0]):
            value = INT32_MAX
            for e in range(start[q], start[q + 1]):
                if core[ids[e]]:
                    value = min(value, label[ids[e]])
            label[rows[q]] = value


def spread_over_lists(
    Py_ssize_t seed,                    # IN a core point without a label
    int32_t name,                       # IN its label
    const Py_ssize_t[::1] start,        # IN (n + 1,)
    const int32_t[::1] ids,             # IN (start[n],) the neighbors of each point
    const uint8_t[::1] core,            # IN (n,)
    int32_t[::1] label,                 # INOUT (n,) INT32_MAX: none yet
    int32_t[::1] queue,                 # WORK (n,)
):
    """Give a label to all that core points reach, one after the other, from a seed."""
    cdef Py_ssize_t head = 0, tail = 1, e
    cdef int32_t i, j
    with nogil:
        queue[0], label[seed] = <int32_t>seed, name
        while head < tail:
            i = queue[head]
            head += 1
            for e in range(start[i], start[i + 1]):
                j = ids[e]
                if label[j] == INT32_MAX:
                    label[j] = name
                    if core[j]:
                        queue[tail] = j
                        tail += 1
