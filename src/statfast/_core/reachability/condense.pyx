# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The condensed tree of HDBSCAN: from merges by height to clusters that lose points, and split.

Campello, Moulavi & Sander 2013, doi:10.1007/978-3-642-37456-2_14; McInnes & Healy 2017,
doi:10.1109/ICDMW.2017.12. Deviation: merges of equal height, one below the other, are one split
into several parts, so that the tree does not depend on the order of equal distances.

Cost: O(n). The caller guarantees merges in the order of their heights, as `label` of
hierarchy/forest.pyx makes them.
"""

from libc.math cimport INFINITY


cdef Py_ssize_t fall(
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


def condense(
    const double[:, ::1] Z,             # IN (n - 1, 4) merges
    const double[::1] weight,           # IN (2 n - 1,) of points and merges
    double least,                       # IN the weight of a cluster
    Py_ssize_t[::1] parent,             # OUT (2 n,) rows of the tree: a cluster,
    Py_ssize_t[::1] child,              # OUT (2 n,) a point or cluster that leaves it,
    double[::1] value,                  # OUT (2 n,) and the density at which it does
    Py_ssize_t[::1] label,              # WORK (2 n - 1,) at first -1
    Py_ssize_t[::1] stack,              # WORK (4 n,)
):
    """The rows of the tree; returns how many, and the number of clusters. The root is n."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, c, x, cluster, next_label = n, count = 0
    cdef Py_ssize_t top, large, parts
    cdef double height, level
    with nogil:
        label[2 * n - 2] = n
        next_label = n + 1
        for i in range(n - 2, -1, -1):
            cluster = label[n + i]
            if cluster < 0:
                continue
            height = Z[i, 2]
            level = 1 / height if height > 0 else INFINITY
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
                    large += weight[x] >= least and x >= n
            for c in range(parts):
                x = stack[c]
                if x >= n and weight[x] >= least:
                    label[x] = cluster
                    if large > 1:
                        label[x] = next_label
                        parent[count], child[count], value[count] = cluster, next_label, level
                        count += 1
                        next_label += 1
                else:
                    count = fall(Z, x, cluster, level, parent, child, value, stack, parts, count)
    return count, next_label - n
