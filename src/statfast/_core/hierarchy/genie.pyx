# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The order in which Genie merges along a spanning tree.

Gagolewski, Bartoszuk & Cena 2016, doi:10.1016/j.ins.2016.05.003: the shortest remaining edge of
the tree is merged, as by single linkage, unless the Gini index of the sizes of clusters is above a
threshold; then the shortest of those that leave a cluster of the least size. All is exact: of k
clusters of n points, whose sizes differ by D in all, summed over pairs, the index is
D / (n (k - 1)), and D is a whole number. Deviation: D is kept by Fenwick trees of the numbers and
sums of sizes (doi:10.1002/spe.4380240306), in place of a list of sizes.

Cost: O(log n) a merge, and the search for an edge of a least cluster. As edges before the place of
the last one found have no end in a cluster of that size, it goes on from there until the least
size changes; with s points in each cluster fewer than n / s edges remain, which makes n log n in
all. Memory: 50 bytes a point. The caller guarantees that the edges are sorted and make a tree.
"""

from libc.stdint cimport int32_t, int64_t

from statfast._core.hierarchy.unionfind cimport root

# Places of `state`; the last is that of the edge at which a search for least clusters goes on.
cdef enum:
    FIRST, CLUSTERS, LEAST, DIFFERENCE, SEARCHED_SIZE, PLACE

N_STATES = PLACE + 1


def begin(
    int32_t[:, ::1] links,              # OUT (2, n - 1) the edges before and after; -1: none
    int32_t[::1] parent,                # OUT (n,) union-find: -1 at a root
    int32_t[::1] size,                  # OUT (n,) points of each root
    int64_t[:, ::1] trees,              # OUT (2, n + 1) Fenwick trees by size: clusters, points
    int32_t[::1] of_size,               # OUT (n + 1,) clusters of each size
    int64_t[::1] state,                 # OUT (N_STATES,)
):
    """Every point in a cluster of its own."""
    cdef Py_ssize_t i, n = parent.shape[0]
    trees[:, :] = 0
    of_size[:] = 0
    with nogil:
        for i in range(n):
            parent[i], size[i] = -1, 1
        for i in range(n - 1):
            links[0, i], links[1, i] = <int32_t>(i - 1), <int32_t>(i + 1 if i + 2 < n else -1)
        of_size[1] = <int32_t>n
        add(trees, 1, n)
    state[FIRST], state[CLUSTERS], state[LEAST], state[DIFFERENCE] = 0, n, 1, 0
    state[SEARCHED_SIZE], state[PLACE] = 0, 0


def merge(
    const int32_t[::1] u,               # IN (n - 1,) the ends of edges, the shortest first
    const int32_t[::1] v,               # IN (n - 1,)
    double threshold,                   # IN of the Gini index, 0 to 1
    Py_ssize_t steps,                   # IN the merges to make, at most those that remain
    int32_t[:, ::1] links,              # INOUT this and the next arguments are those of `begin`
    int32_t[::1] parent,
    int32_t[::1] size,
    int64_t[:, ::1] trees,
    int32_t[::1] of_size,
    int64_t[::1] state,
    Py_ssize_t[::1] order,              # OUT (n - 1,) the edges in the order of merges
):
    """Make some more merges."""
    cdef Py_ssize_t n = parent.shape[0], _step, edge, a, b
    cdef int64_t small, large, clusters
    with nogil:
        for _step in range(steps):
            clusters = state[CLUSTERS]
            edge = state[FIRST]
            if <double>state[DIFFERENCE] / (<double>n * <double>(clusters - 1)) > threshold:
                edge = edge_of_least(u, v, links, parent, size, state)
            take_out(links, edge, state)
            order[n - clusters] = edge
            a, b = root(&parent[0], u[edge]), root(&parent[0], v[edge])
            if size[a] < size[b]:
                a, b = b, a
            large, small = size[a], size[b]
            state[DIFFERENCE] -= (
                differences(trees, large, clusters, n) + differences(trees, small, clusters, n)
                - (large - small)
            )
            add(trees, large, -1)
            add(trees, small, -1)
            state[DIFFERENCE] += differences(trees, large + small, clusters - 2, n - large - small)
            add(trees, large + small, 1)
            of_size[large] -= 1
            of_size[small] -= 1
            of_size[large + small] += 1
            while of_size[state[LEAST]] == 0:
                state[LEAST] += 1
            parent[b], size[a] = <int32_t>a, <int32_t>(large + small)
            state[CLUSTERS] = clusters - 1


cdef inline Py_ssize_t edge_of_least(
    const int32_t[::1] u, const int32_t[::1] v, const int32_t[:, ::1] links, int32_t[::1] parent,
    const int32_t[::1] size, int64_t[::1] state,
) noexcept nogil:
    """The shortest edge that leaves a cluster of the least size."""
    cdef Py_ssize_t edge = state[PLACE]
    if state[SEARCHED_SIZE] != state[LEAST]:
        state[SEARCHED_SIZE], edge = state[LEAST], state[FIRST]
    while (size[root(&parent[0], u[edge])] != state[LEAST]
           and size[root(&parent[0], v[edge])] != state[LEAST]):
        edge = links[1, edge]
    state[PLACE] = edge
    return edge


cdef inline void take_out(
    int32_t[:, ::1] links, Py_ssize_t edge, int64_t[::1] state,
) noexcept nogil:
    cdef int32_t before = links[0, edge], after = links[1, edge]
    if before >= 0:
        links[1, before] = after
    else:
        state[FIRST] = after
    if after >= 0:
        links[0, after] = before
    if state[PLACE] == edge:
        state[PLACE] = after


cdef inline int64_t differences(
    const int64_t[:, ::1] trees, int64_t size, int64_t clusters, int64_t points,
) noexcept nogil:
    """The sum of the differences of a size from those of clusters, which have so many points."""
    cdef int64_t fewer = 0, sum_of_fewer = 0
    cdef Py_ssize_t i = size
    while i > 0:
        fewer += trees[0, i]
        sum_of_fewer += trees[1, i]
        i -= i & -i
    return size * fewer - sum_of_fewer + (points - sum_of_fewer) - size * (clusters - fewer)


cdef inline void add(int64_t[:, ::1] trees, Py_ssize_t size, int64_t count) noexcept nogil:
    """Count so many more clusters of a size."""
    cdef Py_ssize_t i = size
    while i < trees.shape[1]:
        trees[0, i] += count
        trees[1, i] += count * size
        i += i & -i
