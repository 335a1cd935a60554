# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Building a ball tree: the rows of each node, and the balls around them.

A node has up to eight children and the balls around them, whose distances to a query are one pass
of vector code (balltree/leaf_scan.h): three levels of the binary tree of Omohundro 1989 ("Five
balltree construction algorithms", ICSI TR-89-063) in one. The number of rows of a child depends on
the number of rows alone, so that equal rows or outliers cannot make the tree deep.

Cost: O(n d) for each of the O(log n) levels. The caller guarantees rows of finite numbers, fewer
than 2^31, and that calls at the same time have nodes of disjoint rows.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from statfast._core.tile.metric cimport EUCLIDEAN, MINKOWSKI, distance_of, reduced
from statfast._core.tile.rows cimport squared_distances, real

cdef enum:
    FAN = 8        # children of a node, and points of an octet: the lanes of balltree/leaf_scan.h
    CENTER_ROUNDS = 8     # rounds that draw a center towards the farthest row
    MAX_CENTERED = 1 << 22    # numbers in a ball; in larger ones the rounds would not pay


# ------------------------------------------------------------------ the shape
def count_nodes(Py_ssize_t leaves):
    """The number of nodes of a tree with so many leaves."""
    cdef Py_ssize_t span = span_of(leaves), parts = (leaves + span - 1) // span, total = 1, i, some
    for i in range(parts):
        some = leaves * (i + 1) // parts - leaves * i // parts
        if some > 1:
            total += count_nodes(some)
    return total


def shape(
    Py_ssize_t octets,
    Py_ssize_t leaves,
    int32_t[:, ::1] first,          # OUT (nodes, 9) the octets of child c: first[c] to first[c + 1]
    int32_t[:, ::1] child,          # OUT (nodes, 8) its node, or -1 where it is a leaf
    int32_t[::1] last,              # OUT (nodes,) one more than the last node below
):
    """The nodes in preorder. All leaves have equally many octets, give or take one."""
    with nogil:
        place(octets, leaves, 0, leaves, 0, first, child, last)


cdef Py_ssize_t place(
    Py_ssize_t octets, Py_ssize_t leaves, Py_ssize_t low, Py_ssize_t high, Py_ssize_t node,
    int32_t[:, ::1] first, int32_t[:, ::1] child, int32_t[::1] last,
) noexcept nogil:
    """Lay out the node of the leaves low to high and the nodes below it; return the next free
    node."""
    cdef Py_ssize_t count = high - low, span = span_of(count)
    cdef Py_ssize_t parts = max(1, (count + span - 1) // span)
    cdef Py_ssize_t free_node = node + 1, c, start, stop
    for c in range(FAN + 1):
        start = low + count * min(c, parts) // parts
        first[node, c] = <int32_t>(octets * start // max(leaves, 1))
    for c in range(FAN):
        child[node, c] = -1
    for c in range(parts):
        start, stop = low + count * c // parts, low + count * (c + 1) // parts
        if stop - start > 1:
            child[node, c] = <int32_t>free_node
            free_node = place(octets, leaves, start, stop, free_node, first, child, last)
    last[node] = <int32_t>free_node
    return free_node


cdef inline Py_ssize_t span_of(Py_ssize_t leaves) noexcept nogil:
    """Leaves of a full child. Nodes fill up from below, where searches spend most of their time."""
    cdef Py_ssize_t span = 1
    while span * FAN < leaves:
        span *= FAN
    return span


# ------------------------------------------------------------------ the balls
cdef inline Py_ssize_t children(const int32_t *first) noexcept nogil:
    cdef Py_ssize_t c = FAN
    while c > 1 and first[c - 1] == first[FAN]:
        c -= 1
    return c


cdef inline void read(const real *x, Py_ssize_t d, double *out) noexcept nogil:
    cdef Py_ssize_t p
    for p in range(d):
        out[p] = x[p]


def enclose(
    const real[:, ::1] X,           # IN (n, d) in the order of the tree
    const int32_t[:, ::1] first,    # IN (nodes, 9)
    Py_ssize_t start,
    Py_ssize_t stop,
    Py_ssize_t from_child,
    Py_ssize_t to_child,
    int kind,
    double p,
    double loss,
    double tau,
    double[:, :, ::1] center,       # OUT (nodes, d, 8)
    double[:, ::1] radius,          # OUT (nodes, 8)
):
    """The balls of some children of nodes start to stop.

    Their centers start at the means of their rows and are drawn towards the farthest row, for a
    smaller ball (Badoiu & Clarkson 2003, "Smaller core-sets for balls"). Where a mean is far from
    all rows, the center is the row nearest to it. A radius is at least the distance to any row of
    the ball in spite of rounding: see balltree/search.pyx."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], node, c, low, count, i, j
    cdef double *mean = <double *>malloc(3 * d * sizeof(double))
    cdef double *best = mean + 2 * d
    cdef double most, least, to
    cdef Py_ssize_t far, step, rounds
    if mean == NULL:
        raise MemoryError
    with nogil:
        for node in range(start, stop):
            for c in range(from_child, min(to_child, children(&first[node, 0]))):
                low = min(n, <Py_ssize_t>first[node, c] * FAN)
                count = min(n, <Py_ssize_t>first[node, c + 1] * FAN) - low
                middle(&X[low, 0], count, d, kind, mean)
                least = -1
                rounds = CENTER_ROUNDS if kind <= MINKOWSKI and count * d <= MAX_CENTERED else 0
                for step in range(1 + rounds):
                    most, far = -1, low
                    for i in range(low, low + count):
                        if kind == EUCLIDEAN:
                            squared_distances(mean, &X[i, 0], d, 1, d, &to)
                        else:
                            read(&X[i, 0], d, mean + d)
                            to = reduced(mean, mean + d, d, kind, p)
                        if to > most:
                            most, far = to, i
                    # Unless the center has overflowed.
                    if most >= 0 and (least < 0 or most < least):
                        least = most
                        memcpy(best, mean, d * sizeof(double))
                    for j in range(d):
                        mean[j] += (X[far, j] - mean[j]) / (step + 4)
                radius[node, c] = distance_of(least, kind, p) * (1 + loss) + 2 * tau
                for j in range(d):
                    center[node, j, c] = best[j]
    free(mean)


cdef void middle(
    const real *x, Py_ssize_t n, Py_ssize_t d, int kind, double *mean
) noexcept nogil:
    cdef Py_ssize_t i, j, best = 0
    cdef double to, least = INFINITY
    for j in range(d):
        mean[j] = 0
    for i in range(n):
        for j in range(d):
            mean[j] += x[i * d + j]
    for j in range(d):
        mean[j] /= n
        if not fabs(mean[j]) < INFINITY:
            read(x, d, mean)
            return
    if kind > MINKOWSKI:
        for i in range(n):
            squared_distances(mean, x + i * d, d, 1, d, &to)
            if to < least:
                least = to
                best = i
        read(x + best * d, d, mean)


def lay(
    const real[:, ::1] X,           # IN (n, d) in the order of the tree
    Py_ssize_t start,
    real[:, :, ::1] octets,         # OUT (octets, d, 8) those from `start` on
):
    """Lay rows out in octets; places without a row hold zeros."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i, j, lane, row
    with nogil:
        for i in range(octets.shape[0]):
            for j in range(d):
                for lane in range(FAN):
                    row = (start + i) * FAN + lane
                    octets[i, j, lane] = X[row, j] if row < n else 0


def unlay(
    const real[:, :, ::1] octets,       # IN (octets, d, 8)
    Py_ssize_t start,
    double[:, ::1] X,                   # OUT (some, d) the rows from `start` on
):
    """Read rows back from octets."""
    cdef Py_ssize_t i, j, row
    with nogil:
        for i in range(X.shape[0]):
            row = start + i
            for j in range(X.shape[1]):
                X[i, j] = octets[row // FAN, j, row % FAN]
