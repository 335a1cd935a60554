# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of boosted trees.

A node takes 16 bytes besides its value. Rows go down in groups of sixteen, so that their steps
overlap; all trees are evaluated for a block of rows before the next block. Values are added in the
order of the trees for every row. Cost: O(depth) a row and tree.

The caller guarantees rows of as many finite or NaN numbers as the columns that nodes name, and
codes from 0 to 255, or NaN, where a node is categorical.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "boosting/predict.h" nogil:
    ctypedef struct boosted_step:
        pass
    void add_tree(
        const boosted_step *tree, const double *values, const uint64_t *sets, int plain,
        const double *x, ptrdiff_t p, ptrdiff_t m, double *to, ptrdiff_t step, int32_t *leaf,
        ptrdiff_t leaf_step)

cdef enum:
    STEPS_PER_TREE = 8  # about the steps of a row down a tree, each of which may read a value


def add_trees(
    const double[:, ::1] X,         # IN (m, p) a block of rows
    const int64_t[:, ::1] steps,    # IN (nodes, 2) of all trees
    const double[::1] values,       # IN (nodes,)
    const uint64_t[:, ::1] sets,    # IN (n_sets, 4) of categorical splits, or None
    const int64_t[::1] first,       # IN (trees + 1,) the first node of each tree
    Py_ssize_t begin,               # the trees to add: begin to end
    Py_ssize_t end,
    double[:, ::1] out,             # INOUT (m, k): tree t adds to column t % k
    int32_t[:, ::1] leaves,         # OUT (m, trees) or None
):
    """Add the predictions of some trees."""
    cdef Py_ssize_t t, k = out.shape[1]
    cdef const boosted_step *step
    cdef const uint64_t *set_of = NULL
    cdef int32_t *leaf = NULL
    cdef Py_ssize_t across = 0, i
    cdef const double *x = &X[0, 0]
    cdef int plain = sets is None and X.shape[1] <= STEPS_PER_TREE * (end - begin)
    if sets is not None:
        set_of = &sets[0, 0]
    with nogil:
        if plain:
            for i in range(X.shape[0] * X.shape[1]):
                plain &= x[i] == x[i]
        for t in range(begin, end):
            step = <const boosted_step *>&steps[first[t], 0]
            if leaves is not None:
                leaf = &leaves[0, t]
                across = leaves.shape[1]
            add_tree(
                step, &values[first[t]], set_of, plain, x, X.shape[1], X.shape[0],
                &out[0, t % k], k, leaf, across)
