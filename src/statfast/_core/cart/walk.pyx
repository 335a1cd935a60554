# SPDX-License-Identifier: BSD-3-Clause
"""The leaves that rows fall into, and sums of what trees say of them (cart/walk_table.h).

Cost: about a nanosecond a step of a row in a tree that fits the cache. Several rows, or for few
rows several trees, go down at a time, so that one waits for memory while others move. The caller
guarantees packed trees, and at most some ten thousand rows times trees a call.
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport number
from statfast._core.tile.tiles cimport level

cdef extern from "cart/walk_table.h" nogil:
    ctypedef struct cart_step:
        double threshold
        int32_t right
        uint32_t column
    ctypedef struct walk_kernels:
        void (*rows)(const cart_step *tree, const double *rows, Py_ssize_t m, Py_ssize_t p,
                     int64_t *leaf) noexcept nogil
        void (*trees)(const cart_step *nodes, const int64_t *root, Py_ssize_t T,
                      const double *row, int64_t *leaf) noexcept nogil
    const walk_kernels *walk_at(int level)
cdef extern from "cart/route.h" nogil:
    ctypedef struct cart_surrogate:
        pass
    ctypedef struct cart_route:
        const cart_step *tree
        const uint64_t *sets
        Py_ssize_t words
        const int64_t *first
        const cart_surrogate *surrogates
    int64_t routed_leaf(const cart_route *r, const double *x)

cdef const walk_kernels *kernels = walk_at(level())


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
            kernels.trees(nodes, &root[0], T, rows + i * p, leaf + i * T)
    else:
        for t in range(T):
            kernels.rows(nodes + root[t], rows, m, p, leaf + t * m)


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


def routed(
    const uint64_t[:, ::1] nodes,     # IN (N, 2) cart_step
    const int64_t[::1] root,          # IN (T,) where trees begin
    const uint64_t[:, :, ::1] sets,   # IN (S, 2, words) of categories: left, right
    const int64_t[::1] first,         # IN (N + 1,) surrogates of nodes, or None
    const uint8_t[::1] surrogates,    # IN cart_surrogate
    const double[:, ::1] X,           # IN (m, p)
    int64_t[:, :] leaf,               # OUT (m, T) of all leaves
):
    """As `leaves`, of trees with sets of categories, or of one with surrogates."""
    cdef Py_ssize_t i, t
    cdef cart_route r
    r.sets, r.words = (&sets[0, 0, 0] if sets.shape[0] else NULL), sets.shape[2]
    r.first = NULL if first is None else &first[0]
    r.surrogates = <const cart_surrogate *>(
        &surrogates[0] if first is not None and surrogates.shape[0] else NULL)
    with nogil:
        for t in range(root.shape[0]):
            r.tree = <const cart_step *>&nodes[root[t], 0]
            for i in range(X.shape[0]):
                leaf[i, t] = routed_leaf(&r, &X[i, 0])


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
        kernels.rows(<const cart_step *>&nodes[0, 0], rows, r, p, found)
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


def together(
    const int32_t[:, ::1] A,     # IN (a, T) leaves of rows
    const int32_t[:, ::1] B,     # IN (b, T) of others
    const uint8_t[:, ::1] out_a,  # IN (a, T) which trees count for a row, or None: all
    const uint8_t[:, ::1] out_b,
    double[:, :] share,          # OUT (a, b) of those that count, how many have both in one leaf
):
    """How often rows end in the same leaf; NaN where no tree counts."""
    cdef Py_ssize_t i, j, t, T = A.shape[1]
    cdef int32_t same, count
    with nogil:
        for i in range(A.shape[0]):
            for j in range(B.shape[0]):
                same = 0
                count = <int32_t>T
                if out_a is None:
                    for t in range(T):
                        same += A[i, t] == B[j, t]
                else:
                    count = 0
                    for t in range(T):
                        same += (A[i, t] == B[j, t]) & out_a[i, t] & out_b[j, t]
                        count += out_a[i, t] & out_b[j, t]
                share[i, j] = <double>same / count if count else NAN


def earn(
    const uint64_t[:, ::1] nodes,  # IN (N, 2) of one tree
    const number[:, :] X,          # IN (n, p)
    const double[:, ::1] Y,        # IN (n, C) targets, or indicators of classes
    const double[::1] weight,      # IN (n,) weights in the tree; rows of weight 0 were left out
    double[:, ::1] mean,           # WORK (N, C)
    double[::1] mass,              # WORK (N,)
    double[::1] earned,            # OUT (p,) of each column, by rows left out
):
    """What each column earns with rows that the tree has not seen (Li et al. 2019, MDI-oob): the
    product of their targets with the changes of the mean that its splits bring."""
    cdef Py_ssize_t i, k, n = X.shape[0], C = Y.shape[1], left_out = 0
    cdef const cart_step *tree = <const cart_step *>&nodes[0, 0]
    cdef int32_t at, next
    cdef double x, w
    cdef Py_ssize_t column
    with nogil:
        mean[:, :] = 0
        mass[:] = 0
        earned[:] = 0
        for i in range(n):
            w = weight[i]
            left_out += w == 0
            at = 0
            while w > 0:
                mass[at] += w
                for k in range(C):
                    mean[at, k] += w * Y[i, k]
                x = <double>X[i, tree[at].column & 0x7fffffff]
                next = step_of(tree, at, x)
                if next == at:
                    break
                at = next
        for i in range(nodes.shape[0]):
            for k in range(C):
                mean[i, k] /= mass[i]
        for i in range(n):
            if weight[i] > 0:
                continue
            at = 0
            while True:
                column = tree[at].column & 0x7fffffff
                next = step_of(tree, at, <double>X[i, column])
                if next == at:
                    break
                for k in range(C):
                    earned[column] += (mean[next, k] - mean[at, k]) * Y[i, k]
                at = next
        if left_out:
            for k in range(earned.shape[0]):
                earned[k] /= left_out


cdef inline int32_t step_of(const cart_step *tree, int32_t at, double x) noexcept nogil:
    """The node that comes after a node; a leaf comes after itself."""
    if x <= tree[at].threshold or (x != x and tree[at].column >> 31):
        return at + 1
    return tree[at].right


def quantiles(
    const int32_t[::1] leaf,     # IN (T,) leaves of a row, among those of all trees
    const int64_t[::1] begin,    # IN (L + 1,) where the members of leaves begin
    const int32_t[::1] member,   # IN ranks of targets of fitted rows
    const double[::1] ascending,  # IN (n,) targets by rank
    const double[::1] q,         # IN (Q,) ascending
    double[::1] weight,          # WORK (n,) zero
    double[:] out,               # OUT (Q,)
):
    """Quantiles of the targets by the weights that a forest gives them (Meinshausen 2006)."""
    cdef Py_ssize_t t, i, j = 0, Q = q.shape[0], n = ascending.shape[0], low = n, high = 0, T
    cdef double share, sum = 0
    with nogil:
        T = leaf.shape[0]
        for t in range(T):
            share = 1.0 / (T * (begin[leaf[t] + 1] - begin[leaf[t]]))
            for i in range(begin[leaf[t]], begin[leaf[t] + 1]):
                weight[member[i]] += share
                low = min(low, <Py_ssize_t>member[i])
                high = max(high, <Py_ssize_t>member[i])
        for i in range(low, high + 1):
            sum += weight[i]
            while j < Q and weight[i] > 0 and sum >= q[j] * (1 - 1e-12):
                out[j] = ascending[i]
                j += 1
            weight[i] = 0
        while j < Q:
            out[j] = ascending[high]
            j += 1
