# SPDX-License-Identifier: BSD-3-Clause
"""The leaves that rows fall into, and sums of the values of leaves (cart/walk/walk_table.h).

Cost: about a nanosecond a step of a row in a tree that fits the cache. Several rows, or for few
rows several trees, are walked at a time, so that their waits for memory overlap. The caller
guarantees packed trees, and at most some ten thousand rows times trees a call.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.cart.walk.walkers cimport (
    MIN_CODED_ROWS, cart_coded, cart_codes, cart_step, cart_walkers, code_tree, order_by_missing,
    walk_at, walk_kernels, walkers_free, walkers_leaves, walkers_room, walkers_start, write_codes,
    write_rows,
)
from statfast._core.tile.rows cimport number
from statfast._core.tile.tiles cimport level

cdef extern from "cart/walk/route.h" nogil:
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


cdef class Codes:
    """Nodes of 8 bytes, for rows whose values are numbers of cuts (cart/walk/codes.h)."""
    cdef cart_codes codes
    cdef object kept

    def __init__(
        self,
        uint64_t[::1] nodes,          # (N,) cart_coded, as `coded` makes them
        uint32_t[::1] leaf,           # (N,) the leaf that a node is
        const double[::1] cuts,       # ascending, column after column
        const int64_t[::1] begin,     # (p + 1,) where the cuts of columns begin
        Py_ssize_t sure,              # steps after which few rows have arrived
    ):
        self.kept = nodes, leaf, cuts, begin
        self.codes = cart_codes(<cart_coded *>&nodes[0], &leaf[0], &cuts[0], &begin[0], sure)


def coded(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) cart_step
    const int64_t[::1] root,        # IN (T + 1,) where trees begin, and the last ends
    const uint16_t[::1] cut,        # IN (N,) numbers of nodes' cuts, which ascend in each column
    Codes codes not None,           # OUT the nodes of these trees, and their leaves
):
    """Write trees as 8 bytes a node."""
    cdef Py_ssize_t t, T = root.shape[0] - 1
    cdef bint lost = False
    with nogil:
        for t in range(T):
            lost |= code_tree(<const cart_step *>&nodes[0, 0], &cut[0], root[t], root[t + 1],
                              &codes.codes)
    if lost:
        raise MemoryError


cdef class Walkers:
    """Rows that go down trees; `walkers` makes them."""
    cdef cart_walkers of
    cdef object kept

    def __dealloc__(self):
        walkers_free(&self.of)


def walkers(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) cart_step
    const int64_t[::1] root,        # IN (T,) where trees begin
    Codes codes,                    # IN of some of the trees, or None
    const number[:, :] X,           # IN (m, p)
):
    """Rows that are ready to go down trees."""
    cdef Walkers new = Walkers()
    cdef cart_walkers *w = &new.of
    cdef Py_ssize_t i, m = X.shape[0]
    cdef bint fits, coded = codes is not None and m >= MIN_CODED_ROWS
    new.kept = nodes, root, codes
    w.kernels, w.nodes, w.root = kernels, <const cart_step *>&nodes[0, 0], &root[0]
    w.m, w.p, w.T, w.N = m, X.shape[1], root.shape[0], nodes.shape[0]
    w.place = <int64_t *>malloc((m + 1) * sizeof(int64_t))
    if w.place == NULL:
        raise MemoryError
    with nogil:
        if coded:
            w.codes = &codes.codes
            w.coded = order_by_missing(X, w.place)
        else:
            for i in range(m):
                w.place[i] = i
        fits = walkers_room(w)
        if fits:
            write_codes(X, w)
            write_rows(X, w)
    if not fits:
        raise MemoryError
    return new


def leaves(
    Walkers walkers not None,       # IN m rows
    Py_ssize_t first,               # trees first .. last - 1
    Py_ssize_t last,
    const int64_t[::1] first_leaf,  # IN (T,) of all trees
    int64_t[:, :] leaf,             # OUT (m, T) columns of these trees, from 0 on in each
):
    """The leaf of each row in each tree."""
    cdef cart_walkers *w = &walkers.of
    cdef const int64_t *leaf_of_row
    cdef Py_ssize_t i, t
    if not walkers_start(w, first, last):
        raise MemoryError
    with nogil:
        for t in range(first, last):
            leaf_of_row = walkers_leaves(w, first, last, t)
            for i in range(w.m):
                leaf[w.place[i], t] = leaf_of_row[i] - first_leaf[t]


def leaves_of_entries(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) cart_step
    const int64_t[::1] root,        # IN (T,) where trees begin
    const int64_t[::1] start,       # IN (m + 1,) where values of sparse rows begin
    const int32_t[::1] column,      # IN of the values
    const double[::1] value,        # IN
    double[::1] room,               # WORK (p,) zeros, which are left as zeros
    int64_t[:, ::1] leaf,           # OUT (m, T) of all leaves
):
    """As `leaves`, for sparse rows, one at a time: most of their sides can be predicted, as most
    values are zero, so that a branch is faster than walks that take turns."""
    cdef Py_ssize_t i, t, j
    cdef const cart_step *tree
    cdef int32_t at, next
    with nogil:
        for t in range(root.shape[0]):
            tree = <const cart_step *>&nodes[root[t], 0]
            for i in range(leaf.shape[0]):
                for j in range(start[i], start[i + 1]):
                    room[column[j]] = value[j]
                at = 0
                next = step_of(tree, at, room[tree[at].column & 0x7fffffff])
                while next != at:
                    at = next
                    next = step_of(tree, at, room[tree[at].column & 0x7fffffff])
                leaf[i, t] = nodes[root[t] + at, 0] & <uint64_t>0xffffffffffff
                for j in range(start[i], start[i + 1]):
                    room[column[j]] = 0


def routed(
    const uint64_t[:, ::1] nodes,     # IN (N, 2) cart_step
    const int64_t[::1] root,          # IN (T,) where trees begin
    const uint64_t[:, :, ::1] sets,   # IN (S, 2, words) of categories: left, right
    const int64_t[::1] first,         # IN (N + 1,) surrogates of nodes, or None
    const uint8_t[::1] surrogates,    # IN cart_surrogate
    const double[:, ::1] X,           # IN (m, p)
    int64_t[:, :] leaf,               # OUT (m, T) of all leaves
):
    """As `leaves`, for trees with sets of categories, or for a single one with surrogates."""
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
    Walkers walkers not None,       # IN m rows
    Py_ssize_t first,               # trees first .. last - 1
    Py_ssize_t last,
    const double[:, ::1] values,    # IN (L, C) of all leaves
    double[:, ::1] total,           # INOUT (m, C)
):
    """Add the values of the leaves of each row, in the order of the trees."""
    cdef cart_walkers *w = &walkers.of
    cdef const int64_t *leaf_of_row
    cdef const double *value
    cdef double *sums
    cdef Py_ssize_t i, t, k, C = values.shape[1]
    if not walkers_start(w, first, last):
        raise MemoryError
    with nogil:
        for t in range(first, last):
            leaf_of_row = walkers_leaves(w, first, last, t)
            for i in range(w.m):
                value, sums = &values[leaf_of_row[i], 0], &total[w.place[i], 0]
                for k in range(C):
                    sums[k] += value[k]


def add_trees_of_rows(
    const uint64_t[:, ::1] nodes,   # IN (N, 2) of one tree
    const double[:, ::1] values,    # IN (L, C) of its leaves
    const number[:, :] X,           # IN (m, p)
    const int64_t[::1] where,       # IN (r,) rows of X
    double[:, ::1] total,           # INOUT (m, C)
    int32_t[::1] count,             # INOUT (m,) trees that have added
):
    """Add the values of the leaves of some rows in one tree."""
    cdef Py_ssize_t r = where.shape[0], p = X.shape[1], C = values.shape[1], i, j, k
    cdef int64_t leaf
    cdef int64_t *leaf_of_row = <int64_t *>malloc((r + 1) * sizeof(int64_t))
    cdef double *rows = <double *>malloc((r * p + 1) * sizeof(double))
    if leaf_of_row == NULL or rows == NULL:
        free(leaf_of_row)
        free(rows)
        raise MemoryError
    with nogil:
        for i in range(r):
            for j in range(p):
                rows[i * p + j] = <double>X[where[i], j]
        kernels.rows(<const cart_step *>&nodes[0, 0], rows, r, p, leaf_of_row)
        for i in range(r):
            count[where[i]] += 1
            leaf = leaf_of_row[i]
            for k in range(C):
                total[where[i], k] += values[leaf, k]
        free(leaf_of_row)
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


def earn(
    const uint64_t[:, ::1] nodes,  # IN (N, 2) of one tree
    const number[:, :] X,          # IN (n, p)
    const double[:, ::1] Y,        # IN (n, C) targets, or indicators of classes
    const double[::1] weight,      # IN (n,) weights in the tree; rows of weight 0 were left out
    double[:, ::1] mean,           # WORK (N, C)
    double[::1] mass,              # WORK (N,)
    double[::1] earned,            # OUT (p,) importance of each column
):
    """The importance of each column by rows that the tree has not seen (Li et al. 2019, MDI-oob):
    the sum of the products of their targets with the changes of the mean by the column's splits."""
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
