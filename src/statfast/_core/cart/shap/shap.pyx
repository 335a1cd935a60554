# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of rows in sums of trees (cart/shap/shap_level.h).

Of the cover (path-dependent TreeSHAP): Lundberg et al. 2020, doi:10.1038/s42256-019-0138-9. The
integral of the multilinear extension by Gauss-Legendre, whose terms do not cancel, takes the place
of the polynomials of Linear TreeShap (Yu et al. 2022, arXiv:2209.08192), and rows with the same
pattern in a small subtree share its values, as rows with the same leaf do in Fast TreeSHAP (Yang
2021, arXiv:2109.09847). Of a background (cart/shap/background_sets.h): a walk with sets of rows of
both, cut where no mixture of them goes on.

The caller guarantees packed trees, leaves whose cover is not negative, and calls of some
milliseconds.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.tiles cimport level

cdef extern from "cart/walk/walk_table.h" nogil:
    ctypedef struct cart_step:
        double threshold
        int32_t right
        uint32_t column
cdef extern from "cart/walk/route.h" nogil:
    ctypedef struct cart_surrogate:
        pass
    ctypedef struct cart_route:
        const cart_step *tree
        const uint64_t *sets
        Py_ssize_t words
        const int64_t *first
        const cart_surrogate *surrogates
    uint32_t ROUTE_SETS
cdef extern from "cart/shap/shap_table.h" nogil:
    enum: SHAP_ROWS
    ctypedef struct shap_tree:
        cart_route route
        int routed
        Py_ssize_t nodes, depth, longest
        const double *left_share
        const double *before
        const int32_t *above
        const int32_t *splits
        const int32_t *width
        const double *values
        Py_ssize_t C
    ctypedef struct shap_rules:
        const int64_t *of_width
        const int64_t *begin
        const double *point
        const double *weight
        Py_ssize_t most
    ctypedef struct shap_rows:
        const double *x
        const double *columns
        Py_ssize_t m, words
    ctypedef struct shap_block:
        shap_rows rows, background
        double weight
        const double *beta
        Py_ssize_t D, p
        double *out
        Py_ssize_t outputs, to
        int pairs
    ctypedef struct shap_kernels:
        int (*add)(const shap_tree *s, const shap_rules *rules, const shap_block *b, int32_t begin,
                   int32_t end) noexcept nogil
        int (*against)(const shap_tree *s, const shap_block *b, int32_t begin,
                       int32_t end) noexcept nogil
    const shap_kernels *shap_at(int level)
    bint shap_is_leaf(const cart_step *node)

cdef const shap_kernels *kernels = shap_at(level())


@cython.auto_pickle(False)  # it lives as long as a call
cdef class Trees:
    """Trees whose values are summed, and what is known of their splits."""
    cdef const uint64_t[:, ::1] nodes
    cdef const int64_t[::1] root
    cdef const double[:, ::1] values
    cdef const uint64_t[:, :, ::1] sets
    cdef const int64_t[::1] first
    cdef const uint8_t[::1] surrogates
    cdef const int64_t[::1] output
    cdef double[::1] left_share
    cdef double[::1] before
    cdef int32_t[:, ::1] paths
    cdef int64_t[:, ::1] depth

    def __init__(
        self,
        const uint64_t[:, ::1] nodes,     # (N, 2) cart_step
        const int64_t[::1] root,          # (T + 1,) where trees begin, and the last ends
        const double[:, ::1] values,      # (L, C) of all leaves
        const uint64_t[:, :, ::1] sets,   # (S, 2, words) of categories, or None
        const int64_t[::1] first,         # (N + 1,) surrogates of nodes, or None
        const uint8_t[::1] surrogates,    # cart_surrogate, or None
        const int64_t[::1] output,        # (T,) the one output of each tree, C being 1; or None
        double[::1] left_share,           # WORK (N,) these three are filled by `find_paths`
        double[::1] before,               # WORK (N,)
        int32_t[:, ::1] paths,            # WORK (3, N)
        int64_t[:, ::1] depth,            # WORK (T, 2) by `find_paths`, or `find_depth`
    ):
        self.nodes, self.root, self.values = nodes, root, values
        self.sets, self.first, self.surrogates = sets, first, surrogates
        self.output = output
        self.left_share, self.before, self.paths, self.depth = left_share, before, paths, depth

    cdef cart_route route(self, Py_ssize_t t) noexcept nogil:
        """The nodes of a tree."""
        cdef cart_route r
        r.tree = <const cart_step *>&self.nodes[self.root[t], 0]
        r.sets, r.words, r.first, r.surrogates = NULL, 0, NULL, NULL
        if self.sets is not None and self.sets.shape[0]:
            r.sets, r.words = &self.sets[0, 0, 0], self.sets.shape[2]
        if self.first is not None:
            r.first = &self.first[0]
            if self.surrogates.shape[0]:
                r.surrogates = <const cart_surrogate *>&self.surrogates[0]
        return r

    cdef shap_tree tree(self, Py_ssize_t t) noexcept nogil:
        """A tree."""
        cdef shap_tree s
        cdef Py_ssize_t begin = self.root[t]
        s.route = self.route(t)
        s.routed = self.sets is not None or self.first is not None
        s.nodes = self.root[t + 1] - begin
        s.depth, s.longest = self.depth[t, 0], self.depth[t, 1]
        s.left_share, s.before = &self.left_share[begin], &self.before[begin]
        s.above, s.splits = &self.paths[0, begin], &self.paths[1, begin]
        s.width = &self.paths[2, begin]
        s.values, s.C = &self.values[0, 0], self.values.shape[1]
        return s

    def find_paths(self, Py_ssize_t t, const double[::1] cover, Py_ssize_t p):
        """Find the shares and the paths of a tree, from the cover of all leaves (L,); returns the
        most columns of a path."""
        cdef shap_tree s = self.tree(t)
        cdef Py_ssize_t begin = self.root[t]
        cdef double *total = <double *>malloc(s.nodes * sizeof(double))
        cdef int32_t *depth = <int32_t *>malloc(s.nodes * sizeof(int32_t))
        cdef int32_t *path = <int32_t *>malloc(s.nodes * sizeof(int32_t))
        cdef int32_t *last = <int32_t *>malloc(p * sizeof(int32_t))
        if total != NULL and depth != NULL and path != NULL and last != NULL:
            with nogil:
                shares(&s, &self.nodes[begin, 0], &cover[0], total, &self.left_share[begin])
                find_ways(&s, p, depth, path, last, &self.before[begin], &self.paths[0, begin],
                          &self.paths[2, begin], &self.depth[t, 0])
                add_up(&s, &self.paths[1, begin], &self.paths[2, begin])
                self.depth[t, 1] = self.paths[2, begin]
        cdef bint lost = total == NULL or depth == NULL or path == NULL or last == NULL
        free(total)
        free(depth)
        free(path)
        free(last)
        if lost:
            raise MemoryError
        return self.depth[t, 1]

    def find_depth(self, Py_ssize_t t):
        """Find the splits above the deepest leaf of a tree, of which `add_background` asks no more;
        returns them."""
        cdef shap_tree s = self.tree(t)
        cdef Py_ssize_t i
        cdef int32_t deepest = 0
        cdef int32_t *depth = <int32_t *>malloc(s.nodes * sizeof(int32_t))
        if depth == NULL:
            raise MemoryError
        with nogil:
            depth[0] = 0
            for i in range(s.nodes):  # preorder
                if not shap_is_leaf(&s.route.tree[i]):
                    depth[i + 1] = depth[s.route.tree[i].right] = depth[i] + 1
                    deepest = max(deepest, depth[i] + 1)
        free(depth)
        self.depth[t, 0] = deepest
        return deepest

    def add(
        self,
        Py_ssize_t first,              # trees from here
        Py_ssize_t last,               # to here
        Py_ssize_t begin,              # their subtrees, at nodes from here
        Py_ssize_t end,                # to here
        const double[:, ::1] X,        # IN (m, p)
        const double[:, ::1] columns,  # IN (p, m to the next multiple of 32) the same by columns
        const int64_t[::1] of_width,   # IN (most columns of a path + 1,) numbers of rules
        const int64_t[::1] rule,       # IN (rules + 1,) where points begin; the last is longest
        const double[::1] point,       # IN (points,) of rules of Gauss-Legendre on [0, 1]
        const double[::1] weight,      # IN (points,)
        bint pairs,
        double[:, :, :, ::1] out,      # INOUT (m, p, 1 or p, outputs) of columns, or of pairs
    ):
        """Add the values of rows by the cover of trees; of pairs, half of what a column earns more
        where the other one is asked about."""
        cdef shap_rules rules
        cdef shap_block b
        memset(&b, 0, sizeof(b))
        rules.of_width, rules.begin = &of_width[0], &rule[0]
        rules.most = rule[rule.shape[0] - 1] - rule[rule.shape[0] - 2]
        rules.point, rules.weight = &point[0], &weight[0]
        b.rows, b.pairs = rows_of(X, columns), pairs
        self.add_block(first, last, begin, end, &rules, &b, out)

    def add_background(
        self,
        Py_ssize_t first,              # as of `add`
        Py_ssize_t last,
        Py_ssize_t begin,
        Py_ssize_t end,
        const double[:, ::1] X,
        const double[:, ::1] columns,
        const double[:, ::1] Y,        # IN (b, p) rows of the background
        const double[:, ::1] others,   # IN (p, b to the next multiple of 64) the same by columns
        double weight,                 # of each of these
        const double[:, ::1] beta,     # IN (D + 1, D + 1) see shap_table.h
        bint pairs,
        double[:, :, :, ::1] out,
    ):
        """Add the values of rows against each row of the background."""
        cdef shap_block b
        b.rows, b.background, b.pairs = rows_of(X, columns), rows_of(Y, others), pairs
        b.weight, b.beta, b.D = weight, &beta[0, 0], beta.shape[0] - 1
        self.add_block(first, last, begin, end, NULL, &b, out)

    cdef add_block(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t begin, Py_ssize_t end,
                   const shap_rules *rules, shap_block *b, double[:, :, :, ::1] out):
        """Add the values of a block of rows, against a background if there are no rules."""
        cdef Py_ssize_t t
        cdef shap_tree s
        cdef int enough
        b.p, b.out, b.outputs = out.shape[1], &out[0, 0, 0, 0], out.shape[3]
        for t in range(first, last):
            s = self.tree(t)
            b.to = 0 if self.output is None else self.output[t]
            with nogil:
                if rules == NULL:
                    enough = kernels.against(&s, b, <int32_t>begin, <int32_t>end)
                else:
                    enough = kernels.add(&s, rules, b, <int32_t>begin, <int32_t>end)
            if not enough:
                raise MemoryError


cdef shap_rows rows_of(const double[:, ::1] X, const double[:, ::1] columns) noexcept:
    cdef shap_rows rows
    rows.x, rows.columns = &X[0, 0], &columns[0, 0]
    rows.m, rows.words = X.shape[0], columns.shape[1] // SHAP_ROWS
    return rows


cdef void shares(const shap_tree *s, const uint64_t *bits, const double *cover, double *total,
                 double *left_share) noexcept nogil:
    """The share of the cover of each split that its left child has; half where there is none."""
    cdef Py_ssize_t i
    cdef double left
    for i in range(s.nodes - 1, -1, -1):
        left_share[i] = 0
        if shap_is_leaf(&s.route.tree[i]):
            total[i] = cover[bits[2 * i] & <uint64_t>0xffffffffffff]
        else:
            left = total[i + 1]
            total[i] = left + total[s.route.tree[i].right]
            left_share[i] = left / total[i] if total[i] > 0 else 0.5


cdef void find_ways(const shap_tree *s, Py_ssize_t p, int32_t *depth, int32_t *path,
                    int32_t *last, double *before, int32_t *above, int32_t *width,
                    int64_t *deepest) noexcept nogil:
    """The last split of the same column above each split, the columns of the path to each leaf and
    the splits above the deepest one."""
    cdef Py_ssize_t i, length = 0, columns = 0
    cdef int32_t column, node
    cdef double share
    deepest[0] = 0
    for i in range(p):
        last[i] = -1
    for i in range(s.nodes):  # preorder
        if i == 0:
            depth[0] = 0
        while length > depth[i]:  # the way from the root is left behind
            length -= 1
            column = column_of(s, path[length])
            last[column] = above[path[length]]
            columns -= last[column] < 0
        if length:  # the parent's column holds a split to this side
            node = path[length - 1]
            last[column_of(s, node)] = 2 * node + (i != node + 1)
        above[i], before[i], width[i] = -1, 1.0, <int32_t>columns
        if shap_is_leaf(&s.route.tree[i]):
            continue
        column = column_of(s, i)
        if last[column] >= 0:
            above[i] = last[column]
            node = above[i] >> 1
            share = s.left_share[node]
            before[i] = before[node] * (1.0 - share if above[i] & 1 else share)
        else:
            columns += 1
        path[length] = <int32_t>i
        length += 1
        deepest[0] = max(deepest[0], <int64_t>length)
        depth[i + 1] = depth[s.route.tree[i].right] = <int32_t>length


cdef void add_up(const shap_tree *s, int32_t *splits, int32_t *width) noexcept nogil:
    """The splits and the most columns of a path of each subtree."""
    cdef Py_ssize_t i
    cdef int32_t right
    for i in range(s.nodes - 1, -1, -1):
        splits[i] = 0
        if not shap_is_leaf(&s.route.tree[i]):
            right = s.route.tree[i].right
            splits[i] = 1 + splits[i + 1] + splits[right]
            width[i] = max(width[i + 1], width[right])


cdef inline int32_t column_of(const shap_tree *s, Py_ssize_t node) noexcept nogil:
    return <int32_t>(s.route.tree[node].column & (ROUTE_SETS - 1))
