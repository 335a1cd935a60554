# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Properties of a linkage matrix: leaves, cuts, cophenetic distances, inconsistency, leaf orders.

All loops are over merges, without recursion, so chains of any length are trees like others.
Cost: O(n), cophenetic distances O(n^2). The caller guarantees a valid linkage matrix.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc


def leaves(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    int32_t[::1] start,             # OUT (2 n - 1,) where the leaves of each cluster begin
    int32_t[::1] out,               # OUT (n,) the leaves, the first cluster of a merge on the left
):
    """The leaves in the order of the tree."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, a, b, left
    with nogil:
        start[2 * n - 2] = 0
        for i in range(n - 2, -1, -1):
            a, b = <Py_ssize_t>Z[i, 0], <Py_ssize_t>Z[i, 1]
            left = 1 if a < n else <Py_ssize_t>Z[a - n, 3]
            start[a] = start[n + i]
            start[b] = <int32_t>(start[n + i] + left)
        for i in range(n):
            out[start[i]] = <int32_t>i


def heights_within(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    double[::1] most,               # OUT (n - 1,) the largest height in the tree below a merge
):
    """The largest height below each merge, which differs from its own where heights decrease."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, c, child
    with nogil:
        for i in range(n - 1):
            most[i] = Z[i, 2]
            for c in range(2):
                child = <Py_ssize_t>Z[i, c] - n
                if child >= 0 and most[child] > most[i]:
                    most[i] = most[child]


def labels(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    const unsigned char[::1] joined,  # IN (n - 1,) which merges are made, with all below them
    int32_t[:, ::1] work,           # WORK (2, 2 n - 1)
    int32_t[::1] out,               # OUT (n,)
):
    """Label clusters in the order of their first points; returns their number."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, c, count = 0
    with nogil:
        for i in range(2 * n - 1):
            work[0, i] = <int32_t>i  # the cluster that contains it after the cut
            work[1, i] = -1          # the label of a cluster
        for i in range(n - 2, -1, -1):
            if joined[i]:
                for c in range(2):
                    work[0, <Py_ssize_t>Z[i, c]] = work[0, n + i]
        for i in range(n):
            c = work[0, i]
            if work[1, c] < 0:
                work[1, c] = <int32_t>count
                count += 1
            out[i] = work[1, c]
    return count


def cophenetic(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    const int32_t[::1] start,       # IN (2 n - 1,) of leaves
    const int32_t[::1] leaf,        # IN (n,) in the order of the tree
    Py_ssize_t begin,               # IN places in that order of the left points of pairs
    Py_ssize_t end,
    double[::1] out,                # OUT (n (n - 1) / 2,) condensed
):
    """The height of the merge that brings each pair together."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, a, b, p, q, u, v, low, high
    with nogil:
        for i in range(n - 1):
            a, b = <Py_ssize_t>Z[i, 0], <Py_ssize_t>Z[i, 1]
            for p in range(max(begin, start[a]), min(end, start[a] + points(Z, a))):
                u = leaf[p]
                for q in range(start[b], start[b] + points(Z, b)):
                    v = leaf[q]
                    low, high = min(u, v), max(u, v)
                    out[low * (2 * n - low - 1) // 2 + high - low - 1] = Z[i, 2]


def inconsistency(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    Py_ssize_t depth,               # IN levels of merges to look at, this one included
    Py_ssize_t begin, Py_ssize_t end,  # IN the merges asked about
    int32_t[::1] stack,             # WORK (2 n,) merges
    int32_t[::1] level,             # WORK (2 n,)
    double[:, ::1] out,             # OUT (n - 1, 4) mean, standard deviation, count, coefficient
):
    """The inconsistency of each height with those of the merges below it."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, c, child, count, here, left
    cdef double mean, square, apart
    with nogil:
        for i in range(begin, end):
            stack[0], level[0], left = <int32_t>i, 1, 1
            count, mean, square = 0, 0, 0
            while left:
                left -= 1
                here, c = stack[left], level[left]
                count += 1
                apart = Z[here, 2] - mean
                mean += apart / count
                square += apart * (Z[here, 2] - mean)
                if c < depth:
                    for child in range(2):
                        if Z[here, child] >= n:
                            stack[left] = <int32_t>(<Py_ssize_t>Z[here, child] - n)
                            level[left] = <int32_t>(c + 1)
                            left += 1
            square = sqrt(square / (count - 1)) if count > 1 and square > 0 else 0
            out[i, 0], out[i, 1], out[i, 2] = mean, square, count
            out[i, 3] = (Z[i, 2] - mean) / square if square > 0 else 0


def shortest(
    const double[:, ::1] Z,         # IN (n - 1, 4)
    const int32_t[::1] start,       # IN (2 n - 1,)
    const int32_t[::1] leaf,        # IN (n,)
    const double[::1] y,            # IN condensed dissimilarities
    Py_ssize_t i,                   # IN the merge
    Py_ssize_t begin,               # IN places of the first cluster's leaves to look at
    Py_ssize_t end,
    double[:, ::1] best,            # INOUT (n, n) by place: the least length of an order of the
                                    # least cluster with both leaves, which are its ends
):
    """Bar-Joseph, Gifford & Jaakkola 2001, doi:10.1093/bioinformatics/17.suppl_1.S22: for ends u of
    the first cluster and w of the second, the least best[u, m] + d(m, k) + best[k, w] over the
    ends m and k that meet. The caller has done all merges below."""
    cdef Py_ssize_t n = Z.shape[0] + 1, a = <Py_ssize_t>Z[i, 0], b = <Py_ssize_t>Z[i, 1]
    cdef Py_ssize_t first = start[b], last = first + points(Z, b), u, m, k, w
    cdef Py_ssize_t m0, m1, k0, k1
    cdef double low
    cdef double *reach = <double *>malloc((last - first) * sizeof(double))
    if reach == NULL:
        raise MemoryError
    with nogil:
        for u in range(begin, end):
            opposite(Z, start, a, u, &m0, &m1)
            for k in range(first, last):
                low = INFINITY
                for m in range(m0, m1):
                    low = min(low, best[u, m] + between(y, n, leaf[m], leaf[k]))
                reach[k - first] = low
            for w in range(first, last):
                opposite(Z, start, b, w, &k0, &k1)
                low = INFINITY
                for k in range(k0, k1):
                    low = min(low, reach[k - first] + best[w, k])
                best[u, w] = best[w, u] = low
    free(reach)


def turned(
    double[:, ::1] Z,               # INOUT (n - 1, 4) the two clusters of a merge may be swapped
    const int32_t[::1] start,       # IN (2 n - 1,) of the initial Z
    const int32_t[::1] leaf,        # IN (n,)
    const double[::1] y,            # IN
    const double[:, ::1] best,      # IN (n, n) by place
    int32_t[:, ::1] ends,           # WORK (2 n - 1, 2)
):
    """Swap the clusters of merges so that the order of the leaves is the shortest."""
    cdef Py_ssize_t n = Z.shape[0] + 1, i, a, b, u, w, m, k, m0, m1, k0, k1, top = 2 * n - 2
    cdef double low = INFINITY, value
    with nogil:
        a, b = <Py_ssize_t>Z[n - 2, 0], <Py_ssize_t>Z[n - 2, 1]
        for u in range(start[a], start[a] + points(Z, a)):
            for w in range(start[b], start[b] + points(Z, b)):
                if best[u, w] < low:
                    low = best[u, w]
                    ends[top, 0], ends[top, 1] = <int32_t>u, <int32_t>w
        for i in range(n - 2, -1, -1):
            a, b = <Py_ssize_t>Z[i, 0], <Py_ssize_t>Z[i, 1]
            u, w = ends[n + i, 0], ends[n + i, 1]
            if not start[a] <= u < start[a] + points(Z, a):
                a, b = b, a
                Z[i, 0], Z[i, 1] = a, b
            opposite(Z, start, a, u, &m0, &m1)
            opposite(Z, start, b, w, &k0, &k1)
            low = INFINITY
            for m in range(m0, m1):
                for k in range(k0, k1):
                    value = best[u, m] + between(y, n, leaf[m], leaf[k]) + best[w, k]
                    if value < low:
                        low = value
                        ends[a, 0], ends[a, 1] = <int32_t>u, <int32_t>m
                        ends[b, 0], ends[b, 1] = <int32_t>k, <int32_t>w


cdef inline Py_ssize_t points(const double[:, ::1] Z, Py_ssize_t cluster) noexcept nogil:
    cdef Py_ssize_t n = Z.shape[0] + 1
    return 1 if cluster < n else <Py_ssize_t>Z[cluster - n, 3]


cdef inline void opposite(
    const double[:, ::1] Z, const int32_t[::1] start, Py_ssize_t cluster, Py_ssize_t place,
    Py_ssize_t *begin, Py_ssize_t *end,
) noexcept nogil:
    """The places of the part of a cluster that does not contain a place; for a point, its own."""
    cdef Py_ssize_t n = Z.shape[0] + 1, c
    begin[0], end[0] = place, place + 1
    if cluster >= n:
        c = <Py_ssize_t>Z[cluster - n, 0]
        if start[c] <= place < start[c] + points(Z, c):
            c = <Py_ssize_t>Z[cluster - n, 1]
        begin[0], end[0] = start[c], start[c] + points(Z, c)


cdef inline double between(
    const double[::1] y, Py_ssize_t n, Py_ssize_t a, Py_ssize_t b
) noexcept nogil:
    cdef Py_ssize_t low = min(a, b), high = max(a, b)
    return y[low * (2 * n - low - 1) // 2 + high - low - 1]
