# SPDX-License-Identifier: BSD-3-Clause
"""Growing the trees of a forest: a task for each tree, on ranks that all trees share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs
from statfast.ensemble.forest.bootstrap import counts_as_weights, drawn_counts
from statfast.tree.growing.arguments import RowWeights, scaled_weights
from statfast.tree.growing.grow_tree import grown_packed
from statfast.tree.pruning.weakest_link import pruned
from statfast.tree.structure.predictor import TreePredictor
from statfast.tree.structure.tree_arrays import (
    LeafStatistics,
    TreeStructure,
    flat_values,
    leaf_statistics,
)


@dataclass(frozen=True)
class ForestTree:
    """A tree of a forest: 16 bytes for each node, and the values and statistics of its leaves."""

    nodes: np.ndarray  # (N, 2) uint64
    values: np.ndarray  # (L, C)
    leaf_statistics: LeafStatistics
    gains: np.ndarray  # (p,) shares of the columns in the decrease of impurity
    structure: TreeStructure | None  # kept where statistics of nodes do not follow from the leaves
    sets: np.ndarray | None = None  # (S, 2, words) uint64, sets of categories of splits

    @property
    def leaf_nodes(self) -> Array:
        """The numbers of the leaves among the nodes, in the structure if it is kept."""
        if self.structure is not None:
            return self.structure.packed[1]
        return np.flatnonzero((self.nodes[:, 0] >> np.uint64(48)) == 0x7FF8)

    def leaves(self, rows: Array) -> Array:
        """The leaf of each row, for a tree with sets."""
        return predictor_of([self]).leaves(rows, n_jobs=1)[:, 0]


@dataclass(frozen=True)
class Sampling:
    """How rows are drawn for trees."""

    n: int
    size: int  # 0 means all rows, not drawn
    chances: np.ndarray | None
    balanced: np.ndarray | None  # (n, outputs) codes of classes to be balanced in each sample

    def weights(self, key: int) -> Array | None:
        """Weights of the rows in the tree of a key, or None if rows are not drawn."""
        if not self.size:
            return None
        weight = drawn_counts(key, self.n, self.size, self.chances)
        for codes in () if self.balanced is None else self.balanced.T:
            sums = np.bincount(codes, weight)
            weight *= (weight.sum() / (np.count_nonzero(sums) * np.maximum(sums, 1)))[codes]
        return weight

    def row_weights(self, key: int) -> RowWeights:
        """The weights of the tree of a key, if rows are drawn."""
        if self.balanced is not None:
            return scaled_weights(self.weights(key), self.n)
        return counts_as_weights(drawn_counts(key, self.n, self.size, self.chances), self.size)


def grown_forest(
    problem: Any,
    keys: Array,
    sampling: Sampling,
    weights: Any,
    *,
    keep: bool,
    alpha: float,
    classes: list[int] | None,
    n_jobs: Jobs,
) -> list[ForestTree]:
    """Grow a tree for each key; returns a list of `ForestTree`."""

    def grow(key: int) -> ForestTree:
        checkpoint()
        tree_weights = sampling.row_weights(key) if sampling.size else weights
        with_structure = keep or alpha > 0
        tree = ForestTree(
            *grown_packed(problem, tree_weights, int(key), keep=with_structure, classes=classes)
        )
        return pruned_tree(tree, alpha, keep) if alpha > 0 else tree

    return each(grow, keys.tolist(), n_jobs=n_jobs)


def pruned_tree(tree: ForestTree, alpha: float, keep: bool) -> ForestTree:
    """The tree without branches that are worth at most `alpha` for each leaf."""
    small = pruned(tree.structure, alpha)
    nodes, leaf_nodes = small.packed
    gains = small.compute_feature_importances()
    kept = small if keep else None
    leaves = leaf_statistics(small, leaf_nodes)
    return ForestTree(nodes, flat_values(small, leaf_nodes), leaves, gains, kept, tree.sets)


def predictor_of(trees: list[ForestTree]) -> TreePredictor:
    """All trees in one `TreePredictor`."""
    sets = [tree.sets for tree in trees] if trees[0].sets is not None else None
    return TreePredictor.join_trees(
        [tree.nodes for tree in trees], [tree.values for tree in trees], sets=sets
    )
