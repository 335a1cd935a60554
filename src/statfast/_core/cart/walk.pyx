# SPDX-License-Identifier: BSD-3-Clause
"""The leaves that rows fall into, and sums of what trees say of them (cart/walk.h).

Cost: about a nanosecond a step of a row in a tree that fits the cache. Several rows, or for few
rows several trees, go down at a time, so that one waits for memory while others move. The caller
guarantees packed trees, and at most some ten thousand rows times trees a call.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport number

cdef extern from "cart/walk.h" nogil:
    ctypedef struct cart_step:
        double threshold
        int32_t right
        uint32_t column
    void walk_rows(const cart_step *tree, const double *rows, Py_ssize_t m, Py_ssize_t p,
                   int64_t *leaf)
    void walk_trees(const cart_step *nodes, const int64_t *root, Py_ssize_t T, const double *row,
                    int64_t *leaf)


cdef enum:
    FEW = 8  # rows: below, trees are walked side by side


cdef double *widened(const number[:, :] X) noexcept nogil:
    """The rows as numbers of 64 bits, one after the other; NULL without memory."""
    cdef Py_ssize_t i, j, m = X.shape[0], p = X.shape[1]
    cdef double *rows = <double *>malloc(m * p * sizeof(double))
    if rows != NULL:
        for i in range(m):
            for j in range(p):
                rows[i * p + j] = <double>X[i, j]
    return rows


cdef void all_leaves(const cart_step *nodes, const int64_t[::1] root, const double *rows,
                     Py_ssize_t m, Py_ssize_t p, int64_t *leaf) noexcept nogil:
    """leaf[t * m + i], trees one after the other."""
    cdef Py_ssize_t t, i, T = root.shape[0]
    if m < FEW:
        for i in range(m):
            walk_trees(nodes, &root[0], T, rows + i * p, leaf + i * T)
    else:
        for t in range(T):
            walk_rows(nodes + root[t], rows, m, p, leaf + t * m)


def leaves(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) cart_step
    const int64_t[::1] root,        # IN (T,) where trees begin
    const int64_t[::1] first,       # IN (T,) their first leaves
    const number[:, :] X,           # IN (m, p)
    int64_t[:, :] leaf,             # OUT (m, T) of each tree, from 0 on
):
    """The leaf of each row in each tree."""
    cdef Py_ssize_t m = X.shape[0], T = root.shape[0], i, t
    cdef int64_t *found = <int64_t *>malloc(m * T * sizeof(int64_t))
    cdef double *rows
    if found == NULL:
        raise MemoryError
    with nogil:
        rows = widened(X)
        if rows != NULL:
            all_leaves(<const cart_step *>&nodes[0, 0], root, rows, m, X.shape[1], found)
            for t in range(T):
                for i in range(m):
                    leaf[i, t] = found[i * T + t if m < FEW else t * m + i] - first[t]
        free(found)
        free(rows)
    if rows == NULL:
        raise MemoryError


def add(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) cart_step
    const int64_t[::1] root,        # IN (T,) where trees begin
    const double[:, ::1] values,    # IN (L, C) of all leaves
    const int32_t[::1] column,      # IN (T,) of `total`, to which a tree adds one value; or None:
                                    # it adds C values
    const number[:, :] X,           # IN (m, p)
    double[:, ::1] total,           # INOUT (m, C')
):
    """Add what each tree says of each row, in the order of the trees."""
    cdef Py_ssize_t m = X.shape[0], T = root.shape[0], C = values.shape[1], i, t, k
    cdef int64_t *found = <int64_t *>malloc(m * T * sizeof(int64_t))
    cdef double *rows
    cdef int64_t leaf
    cdef bint few = m < FEW
    if found == NULL:
        raise MemoryError
    with nogil:
        rows = widened(X)
        if rows != NULL:
            all_leaves(<const cart_step *>&nodes[0, 0], root, rows, m, X.shape[1], found)
            for t in range(T):
                for i in range(m):
                    leaf = found[i * T + t if few else t * m + i]
                    if column is not None:
                        total[i, column[t]] += values[leaf, 0]
                    else:
                        for k in range(C):
                            total[i, k] += values[leaf, k]
        free(found)
        free(rows)
    if rows == NULL:
        raise MemoryError


def add_some(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) of one tree
    const double[:, ::1] values,    # IN (L, C) of its leaves
    const number[:, :] X,           # IN (m, p)
    const int64_t[::1] where,       # IN (r,) rows of X
    double[:, ::1] total,           # INOUT (m, C)
    int32_t[::1] count,             # INOUT (m,) trees that have added
):
    """Add what a tree says of some rows."""
    cdef Py_ssize_t r = where.shape[0], p = X.shape[1], C = values.shape[1], i, j, k
    cdef int64_t leaf
    cdef int64_t *found = <int64_t *>malloc((r + 1) * sizeof(int64_t))
    cdef double *rows = <double *>malloc((r * p + 1) * sizeof(double))
    if found == NULL or rows == NULL:
        free(found)
        free(rows)
        raise MemoryError
    with nogil:
        for i in range(r):
            for j in range(p):
                rows[i * p + j] = <double>X[where[i], j]
        walk_rows(<const cart_step *>&nodes[0, 0], rows, r, p, found)
        for i in range(r):
            count[where[i]] += 1
            leaf = found[i]
            for k in range(C):
                total[where[i], k] += values[leaf, k]
        free(found)
        free(rows)


def pack(
    const int32_t[::1] left,       # IN (n,) children, or -1
    const int32_t[::1] right,
    const int32_t[::1] feature,
    const double[::1] threshold,
    const int32_t[::1] missing_left,
    const int32_t[::1] order,      # IN (n,) preorder
    Py_ssize_t first,              # number of the first leaf
    uint64_t[:, ::1] nodes,        # OUT (n, 2)
    int32_t[::1] place,            # OUT (n,) of each node in the order
    int32_t[::1] leaf_nodes,       # OUT (leaves,) the nodes that are leaves, by number
):
    """The nodes of a tree, 16 bytes each."""
    cdef Py_ssize_t i, n = order.shape[0], leaf = 0, node
    cdef cart_step *step
    with nogil:
        for i in range(n):
            place[order[i]] = <int32_t>i
        for i in range(n):
            node = order[i]
            step = <cart_step *>&nodes[i, 0]
            if left[node] < 0:
                nodes[i, 0] = <uint64_t>0x7ff8000000000000 | <uint64_t>(first + leaf)
                step.right = <int32_t>i
                step.column = 0
                leaf_nodes[leaf] = <int32_t>node
                leaf += 1
            else:
                step.threshold = threshold[node]
                step.right = place[right[node]]
                step.column = <uint32_t>feature[node]
                if missing_left[node]:
                    step.column |= <uint32_t>0x80000000
    return leaf
