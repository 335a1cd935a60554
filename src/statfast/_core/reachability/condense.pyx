# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The condensed tree of HDBSCAN: from merges by height to clusters that lose points, and split.

Campello, Moulavi & Sander 2013, doi:10.1007/978-3-642-37456-2_14; McInnes & Healy 2017,
doi:10.1109/ICDMW.2017.12. Deviations: merges of equal height, one below the other, are one split
into several parts, so that the tree does not depend on the order of equal distances. A point of
weight w is w copies, which are one part up to their core distance; where they weigh enough, that
part is a cluster.

Cost: O(n). The caller guarantees merges in the order of their heights, as `label` of
hierarchy/forest.pyx makes them.
"""

from libc.math cimport INFINITY


def weigh(
    const double[::1] weight,           # IN (n,) of points
    double[:, ::1] Z,                   # INOUT (n - 1, 4) merges; the last column is their weight
):
    """The weights of merges, which are the sums of those of their points."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, a, b
    with nogil:
        for i in range(n - 1):
            a, b = <Py_ssize_t>Z[i, 0], <Py_ssize_t>Z[i, 1]
            Z[i, 3] = (weight[a] if a < n else Z[a - n, 3]) + (weight[b] if b < n else Z[b - n, 3])


cdef Py_ssize_t leave(
    const double[:, ::1] Z, Py_ssize_t node, Py_ssize_t cluster, double level,
    Py_ssize_t[::1] parent, Py_ssize_t[::1] child, double[::1] value, Py_ssize_t[::1] stack,
    Py_ssize_t top, Py_ssize_t count,
) noexcept nogil:
    """The points below a node leave a cluster; returns the count of rows of the tree."""
    cdef Py_ssize_t n = Z.shape[0] + 1, bottom = top
    stack[top] = node
    top += 1
    while top > bottom:
        top -= 1
        node = stack[top]
        if node < n:
            parent[count], child[count], value[count] = cluster, node, level
            count += 1
        else:
            stack[top], stack[top + 1] = <Py_ssize_t>Z[node - n, 1], <Py_ssize_t>Z[node - n, 0]
            top += 2
    return count


cdef inline double density(double height) noexcept nogil:
    return 1 / height if height > 0 else INFINITY


cdef inline bint persists(
    const double[:, ::1] Z, const double[::1] weight, const double[::1] core, double least,
    Py_ssize_t node, double height,
) noexcept nogil:
    """Whether a node is still a cluster below a height."""
    cdef Py_ssize_t n = Z.shape[0] + 1
    if node >= n:
        return Z[node - n, 3] >= least
    return weight[node] >= least and core[node] < height


def condense(
    const double[:, ::1] Z,             # IN (n - 1, 4) merges, with weights
    const double[::1] weight,           # IN (n,) of points
    const double[::1] core,             # IN (n,) their core distances
    double least,                       # IN the weight of a cluster, 2 or more
    Py_ssize_t[::1] parent,             # OUT (3 n,) rows of the tree: a cluster,
    Py_ssize_t[::1] child,              # OUT (3 n,) a point or cluster that leaves it,
    double[::1] value,                  # OUT (3 n,) and the density at which it does
    Py_ssize_t[::1] label,              # WORK (2 n - 1,) at first -1
    Py_ssize_t[::1] stack,              # WORK (4 n,)
):
    """The rows of the tree; returns how many, and the number of clusters. The root is n."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, c, x, cluster, next_label = n, count = 0
    cdef Py_ssize_t top, large, parts
    cdef double height
    with nogil:
        label[2 * n - 2] = n
        next_label = n + 1
        for i in range(n - 2, -1, -1):
            cluster = label[n + i]
            if cluster < 0:
                continue
            height = Z[i, 2]
            # The parts at the front of the stack, what is to be divided behind them.
            parts = large = 0
            stack[n], stack[n + 1] = <Py_ssize_t>Z[i, 1], <Py_ssize_t>Z[i, 0]
            top = n + 2
            while top > n:
                top -= 1
                x = stack[top]
                if x >= n and Z[x - n, 2] == height:
                    stack[top], stack[top + 1] = <Py_ssize_t>Z[x - n, 1], <Py_ssize_t>Z[x - n, 0]
                    top += 2
                else:
                    stack[parts] = x
                    parts += 1
                    large += persists(Z, weight, core, least, x, height)
            for c in range(parts):
                x = stack[c]
                if not persists(Z, weight, core, least, x, height):
                    count = leave(Z, x, cluster, density(height), parent, child, value, stack,
                                  parts, count)
                    continue
                label[x] = cluster
                if large > 1:
                    label[x] = next_label
                    parent[count], child[count] = cluster, next_label
                    value[count] = density(height)
                    count += 1
                    next_label += 1
                if x < n:  # its copies part
                    parent[count], child[count], value[count] = label[x], x, density(core[x])
                    count += 1
    return count, next_label - n
