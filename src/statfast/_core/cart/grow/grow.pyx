# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Growing of classification and regression trees, with splits exact in float64.

Breiman, Friedman, Olshen and Stone 1984 (doi:10.1201/9781315139470). Deviations: columns are ranks
(cart/cart.h), splits in large nodes are found by histograms, bounds and refinement
(cart/split/single_sum.h), targets and weights are integers within a node. The loops are C: they are
compiled for each instruction-set level.

Cost: about 1 to 4 ns a row and column at each level of the tree. A call of `grow` ends after its
effort; nodes of more than `large` rows are opened, searched and split one by one by the caller, who
may share columns among threads. The caller guarantees ranks, labels and rows in range, with weight.
"""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import numpy as np

from statfast._core.cart.problem cimport Problem, cart_problem, sorts
from statfast._core.tile.tiles cimport level

cdef const grow_kernels *kernels = grow_at(level())


cdef class Workspace:
    """The work space of a thread that searches columns."""

    cdef cart_scratch s
    cdef uint8_t *memory

    def __cinit__(self, Problem problem, Py_ssize_t m, int64_t patience=0):
        """`patience`: rows times sides that a call may take for absolute errors; 0: no limit."""
        cdef bint sorting = sorts(problem)
        cdef size_t size = lay_workspace(&problem.t, m, sorting, &self.s, NULL)
        self.memory = <uint8_t *>calloc(size, 1)
        if self.memory == NULL:
            raise MemoryError
        lay_workspace(&problem.t, m, sorting, &self.s, self.memory)
        self.s.pause.patience = patience

    def __dealloc__(self):
        free(self.memory)


cdef class Grower:
    """A tree in growth, or a subtree of it."""

    cdef cart_grower g
    cdef Problem problem
    cdef Workspace workspace
    cdef object arrays
    cdef uint8_t *memory

    def __cinit__(self, Problem problem, int32_t[::1] rows, const double[::1] weight,
                  bint integral, Py_ssize_t most, Py_ssize_t leaves, const int64_t[::1] record):
        """`rows` are permuted in place. `most` is the largest number of rows of a node, `leaves`
        that of leaves (0: depth first), and `record` holds weight << 32 | weight of class 1 of all
        rows, or is None."""
        cdef const cart_problem *t = &problem.t
        cdef Py_ssize_t j
        self.problem = problem
        self.arrays = (rows, weight, record)
        self.g.t = t
        self.g.rows = &rows[0]
        self.g.weight = NULL if weight is None else &weight[0]
        self.g.integral = integral
        self.g.v.record = NULL if record is None else &record[0]
        self.g.best_first = leaves > 0
        self.g.leaves_left = leaves - 1
        self.workspace = Workspace(problem, most)
        self.g.scratch = self.workspace.s
        cdef size_t size = lay_node_workspace(&self.g, most, NULL)
        self.memory = <uint8_t *>calloc(size, 1)
        if self.memory == NULL:
            raise MemoryError
        lay_node_workspace(&self.g, most, self.memory)
        for j in range(t.p):
            self.g.columns[j] = j

    def release(self):
        """Free the work space and the columns of a complete tree whose columns have no values; from
        then on only `nodes` may be called."""
        self.workspace = None
        self.problem.arrays = None
        free(self.memory)
        self.memory = NULL

    def __dealloc__(self):
        free(self.memory)
        free(self.g.tasks)
        free(self.g.heap)
        free(self.g.nodes)
        free(self.g.values)
        free(self.g.sets)
        free(self.g.surrogates)

    def add_task(self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t depth, Py_ssize_t parent,
                 int side, uint64_t key, double low, double high):
        """A node to be opened."""
        cdef cart_task t = cart_task(start, stop, depth, parent, side, key, low, high)
        if not kernels.push_task(&self.g, &t):
            raise MemoryError

    def next_task(self):
        """The rows (start, stop) of the node to be opened next, or None."""
        cdef cart_task t
        if self.g.n_tasks:
            t = self.g.tasks[self.g.n_tasks - 1]
            return t.start, t.stop

    def take_task(self):
        """Remove the node to be opened next; returns arguments of `add_task`."""
        self.g.n_tasks -= 1
        cdef cart_task t = self.g.tasks[self.g.n_tasks]
        return t.start, t.stop, t.depth, t.parent, t.side, t.key, t.low, t.high

    def grow(self, Py_ssize_t large, int64_t effort):
        """0: the tree is complete; 1: the next node has more than `large` rows; 2: the effort is
        spent."""
        cdef int state
        with nogil:
            state = kernels.grow_on(&self.g, large, effort)
        if state < 0:
            raise MemoryError
        return state

    def open(self):
        """Open a node; returns its columns in random order if it is to be split, else None."""
        cdef int splits
        cdef Py_ssize_t i
        cdef uint64_t state
        with nogil:
            splits = kernels.open_node(&self.g)
        if splits < 0:
            raise MemoryError
        if not splits:
            return None
        columns = np.empty(self.g.t.p, np.int32)
        cdef int32_t[::1] order = columns
        state = self.g.now.key
        for i in range(order.shape[0]):
            order[i] = kernels.drawn(&self.g, i, &state)
        kernels.restore_columns(&self.g, order.shape[0])
        return columns

    def size(self):
        """Rows of the open node."""
        return self.g.v.m

    def search(self, Workspace workspace, Py_ssize_t column, double least, bint ends):
        """(bound, whether the column varies, gain, column, missing_left, cut, threshold): the best
        split that gains `least` or more, else column -1. With `ends` bins in doubt are not
        searched; no split in them gains more than the bound. Returns None if the patience of the
        workspace has ended: call it again."""
        cdef cart_split best = cart_split(least, -1, 0, 0, NAN, -1 if least == -INFINITY else 1, 0)
        cdef double bound = -INFINITY
        cdef int varies
        with nogil:
            varies = kernels.split_on(self.g.t, &self.g.v, &workspace.s, column,
                                      kernels.draw_for(&self.g, column), &best,
                                      &bound if ends else NULL)
        if varies == CART_PAUSED:
            return None
        return (bound, varies, best.gain, best.feature, best.missing_left, best.cut,
                best.threshold)

    def search_block(self, Workspace workspace, const int32_t[::1] columns, Py_ssize_t turn):
        """(whether a column varies, gain, column, missing_left, cut, threshold): the best split on
        sparse columns; the first of them is number `turn` in the order of the search."""
        cdef cart_split best = cart_split(-INFINITY, -1, 0, 0, NAN, -1, 0)
        cdef Py_ssize_t i
        cdef int varies = 0
        with nogil:
            for i in range(columns.shape[0]):
                best.turn = <int32_t>(turn + i)
                varies |= kernels.split_on(self.g.t, &self.g.v, &workspace.s, columns[i],
                                           kernels.draw_for(&self.g, columns[i]), &best, NULL)
        return varies, best.gain, best.feature, best.missing_left, best.cut, best.threshold

    def split(self, double gain, int32_t column, int32_t missing_left, int64_t cut,
              double threshold, int64_t patience=0):
        """Split the open node. Returns True if `patience`, a number of rows times columns that are
        searched for surrogates, has ended: call it again."""
        cdef cart_split best = cart_split(gain, column, missing_left, cut, threshold, 0, 0)
        cdef int state
        with nogil:
            self.g.making.patience = patience
            state = kernels.split_node(&self.g, &best)
            self.g.making.patience = 0
        if state == -1:
            raise MemoryError
        return state == CART_PAUSED

    def nodes(self):
        """Arrays of the nodes, in the order in which they were opened. If columns have no values,
        a threshold holds two ranks, each a half of its bytes (4294967295: missing values)."""
        cdef Py_ssize_t n = self.g.n_nodes, i, C = self.g.t.channels
        cdef cart_node *node = self.g.nodes
        links, numbers, values = np.empty((6, n), np.int32), np.empty((3, n)), np.empty((n, C))
        cdef int32_t[:, ::1] link = links
        cdef double[:, ::1] number = numbers
        cdef double[:, ::1] value = values
        with nogil:
            kernels.place_thresholds(&self.g)
            for i in range(n):
                link[0, i] = node[i].left
                link[1, i] = node[i].right
                link[2, i] = node[i].cut.feature
                link[3, i] = node[i].count
                link[4, i] = node[i].cut.missing_left
                link[5, i] = node[i].depth
                number[0, i] = node[i].cut.threshold
                number[1, i] = node[i].impurity
                number[2, i] = node[i].weight
            if n:
                memcpy(&value[0, 0], self.g.values, n * C * sizeof(double))
        return links, numbers, values

    def sets(self):
        """The sets (sets, 2, words) of categories that go left and right: a bit for each
        category."""
        found = np.zeros((self.g.n_sets, 2, self.g.t.words), np.uint64)
        cdef uint64_t[:, :, ::1] to = found
        if self.g.n_sets:
            memcpy(&to[0, 0, 0], self.g.sets, found.nbytes)
        return found

    def surrogates(self):
        """cart_surrogate of all nodes, the best of each first, as bytes."""
        return (<const char *>self.g.surrogates)[:self.g.n_surrogates * sizeof(cart_surrogate)]

    def packed(self):
        """The nodes of a tree grown depth first as cart/walk/walk_table.h has them, its leaves'
        values, rows, and weights and impurities, and the decrease of impurity times weight that
        each column brings."""
        cdef Py_ssize_t n = self.g.n_nodes, i, k, C = self.g.t.channels, leaf = 0
        cdef const cart_node *node = self.g.nodes
        cdef const cart_node *left
        cdef const cart_node *right
        steps = np.empty((n, 2), np.uint64)
        values = np.empty(((n + 1) // 2, C))
        counts, numbers = np.empty(len(values), np.int32), np.empty((2, len(values)))
        gains = np.zeros(self.g.t.p)
        cdef int32_t[::1] count = counts
        cdef double[:, ::1] number = numbers
        cdef uint64_t[:, ::1] step = steps
        cdef double[:, ::1] value = values
        cdef double[::1] gain = gains
        cdef double threshold
        with nogil:
            kernels.place_thresholds(&self.g)
            for i in range(n):
                if node[i].left < 0:
                    step[i, 0] = <uint64_t>0x7ff8000000000000 | <uint64_t>leaf
                    step[i, 1] = <uint64_t>i
                    for k in range(C):
                        value[leaf, k] = self.g.values[i * C + k]
                    count[leaf] = node[i].count
                    number[0, leaf] = node[i].weight
                    number[1, leaf] = node[i].impurity
                    leaf += 1
                    continue
                threshold = node[i].cut.threshold
                memcpy(&step[i, 0], &threshold, 8)
                step[i, 1] = <uint64_t>node[i].right | <uint64_t>node[i].cut.feature << 32
                if node[i].cut.missing_left:
                    step[i, 1] |= <uint64_t>1 << 63
                left = node + node[i].left
                right = node + node[i].right
                gain[node[i].cut.feature] += (
                    node[i].weight * node[i].impurity - left.weight * left.impurity
                    - right.weight * right.impurity)
        return steps, values, counts, numbers, gains


def preorder(
    const int32_t[::1] left,   # IN (nodes,) children, or -1
    const int32_t[::1] right,
    int32_t[::1] order,        # OUT (nodes,) the nodes, each before its left and its right child
):
    """The nodes in the order in which depth first opens them."""
    cdef Py_ssize_t n = left.shape[0], i = 0, top = 1
    cdef int32_t node
    stack_of = np.empty(n + 1, np.int32)
    cdef int32_t[::1] stack = stack_of
    stack[0] = 0
    with nogil:
        while top:
            top -= 1
            node = stack[top]
            order[i] = node
            i += 1
            if left[node] >= 0:
                stack[top] = right[node]
                stack[top + 1] = left[node]
                top += 2
    return i
