# SPDX-License-Identifier: BSD-3-Clause
"""The nodes that rows pass on their paths from roots to leaves."""

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array, Matrix
from statfast._validation import refuse_large
from statfast.tree.structure.tree_arrays import TreeStructure


def decision_paths(trees: list[TreeStructure], leaves: Array) -> tuple[Matrix, Array]:
    """The nodes that rows pass in each tree, found by climbing from their leaves.

    Parameters
    ----------
    trees : list of TreeStructure, T of them
    leaves : ndarray of int64, shape (m, T)
        The nodes where rows end.

    Returns
    -------
    paths : scipy.sparse.csr_matrix of int64, shape (m, nodes of all trees)
        1 where a row passes a node.
    begin : ndarray of int64, shape (T + 1,)
        Where the nodes of a tree begin.
    """
    from scipy.sparse import csr_matrix

    begin = np.cumsum([0, *(tree.node_count for tree in trees)])
    length = np.empty(leaves.shape, np.int64)
    for tree_leaves, out, tree in zip(leaves.T, length.T, trees, strict=True):
        out[:] = tree.depth[tree_leaves] + 1
    refuse_large(16 * float(length.sum()), "The paths", "Pass rows in parts.")
    ends = np.cumsum(length).reshape(leaves.shape)
    indices = np.empty(length.sum(), np.int64)
    for tree, tree_leaves, last, first in zip(
        trees, leaves.T, ends.T, begin[:-1].tolist(), strict=True
    ):
        parent, nodes, places = tree.parents(), tree_leaves, last - 1
        while len(nodes):
            checkpoint()
            indices[places] = first + nodes
            nodes, places = parent[nodes], places - 1
            up = nodes >= 0
            nodes, places = nodes[up], places[up]
    pointers = np.concatenate([[0], ends[:, -1]])
    shape = (len(leaves), int(begin[-1]))
    return csr_matrix((np.ones(len(indices), np.int64), indices, pointers), shape), begin
