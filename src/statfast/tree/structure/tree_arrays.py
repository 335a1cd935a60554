# SPDX-License-Identifier: BSD-3-Clause
"""The structure of a fitted tree, as arrays over its nodes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.cart.grow import grow
from statfast._core.cart.walk import walk
from statfast._typing import Array
from statfast.tree.structure.non_numeric_splits import COLUMN, SETS, SURROGATE, Routes
from statfast.tree.structure.predictor import TreePredictor

TREE_LEAF, TREE_UNDEFINED = -1, -2


@dataclass(frozen=True)
class TreeStructure:
    """Arrays of a decision tree, under scikit-learn's names; node 0 is the root.

    Attributes
    ----------
    children_left, children_right : ndarray of int64, shape (node_count,)
        Children; -1 at a leaf.
    feature : ndarray of int64, shape (node_count,)
        The column asked about; -2 at a leaf.
    threshold : ndarray of float64, shape (node_count,)
        Values up to it go to the left; -2 at a leaf.
    missing_go_to_left : ndarray of uint8, shape (node_count,)
        Where missing values go.
    impurity : ndarray of float64, shape (node_count,)
        Impurity of each node.
    n_node_samples : ndarray of int64, shape (node_count,)
        Samples of the fit, of those with weight.
    weighted_n_node_samples : ndarray of float64, shape (node_count,)
        Weight of the samples of each node.
    value : ndarray of float64, shape (node_count, n_outputs, max_n_classes)
        The fraction of each class, or the mean (or median) of each output.
    n_features : int
        Number of features.
    n_classes : ndarray of int64, shape (n_outputs,)
        1 for a regression.
    depth : ndarray of int32, shape (node_count,)
        How many splits are above.
    routes : Routes or None
        Sets of categories, and surrogates. The threshold of a node that splits categories is the
        number of its set.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    value: np.ndarray
    n_features: int
    n_classes: np.ndarray
    depth: np.ndarray
    routes: Routes | None = None

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    capacity = node_count

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.n_classes)

    @property
    def max_n_classes(self) -> int:
        """The largest number of classes of an output."""
        return int(self.n_classes.max())

    @property
    def max_depth(self) -> int:
        """The depth of the deepest leaf."""
        return int(self.depth.max())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left < 0))

    def parents(self) -> Array:
        """Return the parent of each node.

        Returns
        -------
        ndarray of int, shape (node_count,)
            -1 for the root.
        """
        parent = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.children_left >= 0)
        parent[self.children_left[inner]] = parent[self.children_right[inner]] = inner
        return parent

    @property
    def packed(self) -> Any:
        """(nodes, leaf_nodes): nodes of 16 bytes in the form of walks, and the numbers of
        leaves."""
        return self._packed[:2]

    @cached_property
    def _packed(self) -> tuple[Array, Array, None, None]:
        """The same, with the first surrogates of packed nodes and their bytes, or None."""
        n = self.node_count
        left, right = (a.astype(np.int32) for a in (self.children_left, self.children_right))
        order, place = np.empty(n, np.int32), np.empty(n, np.int32)
        grow.preorder(left, right, order)
        nodes = np.empty((n, 2), np.uint64)
        leaf_nodes = np.empty(self.n_leaves, np.int32)
        walk.pack(
            left, right, self.feature.astype(np.int32), self.threshold,
            self.missing_go_to_left.astype(np.int32), order, 0, nodes, place, leaf_nodes,
        )  # fmt: skip
        routes = (None, None) if self.routes is None else self.routes.packed(nodes, place)
        return nodes, leaf_nodes, *routes

    @cached_property
    def predictor(self) -> Any:
        """The tree as a `TreePredictor` of the values of its leaves."""
        nodes, leaf_nodes, *surrogates = self._packed
        values = self.value[leaf_nodes].reshape(len(leaf_nodes), -1)
        sets = None if self.routes is None else [self.routes.sets]
        return TreePredictor.join_trees([nodes], [values], sets=sets, surrogates=surrogates)

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_packed", "predictor")
        return {name: value for name, value in vars(self).items() if name not in derived}

    def __setstate__(self, state: dict[str, Array]) -> None:
        vars(self).update(state)

    def compute_feature_importances(self, normalize: bool = True) -> Array:
        """Return the impurity decrease of each feature.

        Parameters
        ----------
        normalize : bool, default=True
            Divide by the sum.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        inner = np.flatnonzero(self.children_left >= 0)
        risk = self.weighted_n_node_samples / self.weighted_n_node_samples[0] * self.impurity
        left, right = self.children_left[inner], self.children_right[inner]
        gain = risk[inner] - risk[left] - risk[right]
        total = np.bincount(self.feature[inner], gain, self.n_features)
        if normalize and total.sum() > 0:
            total /= total.sum()  # type: ignore[misc]
        return total


def structure_of(
    links: Array,
    numbers: Array,
    values: Array,
    n_features: int,
    classes: list[int] | None,
    routes: Routes | None = None,
    unit: float = 1.0,
) -> TreeStructure:
    """The structure from the arrays of a grower (`Grower.nodes`); `classes` is None in regression.

    `unit` is that of the weights of the growth.
    """
    left, right, feature, count, missing_left, depth = links
    inner = left >= 0
    outputs = values.shape[1] if classes is None else len(classes)
    n_classes = np.ones(outputs, np.int64) if classes is None else np.array(classes, np.int64)
    table = np.zeros((len(left), outputs, n_classes.max()))
    start = 0
    for output, k in enumerate(n_classes):
        table[:, output, :k] = values[:, start : start + k]
        start += k
    return TreeStructure(
        children_left=np.where(inner, left, TREE_LEAF).astype(np.int64),
        children_right=np.where(inner, right, TREE_LEAF).astype(np.int64),
        feature=np.where(inner, feature, TREE_UNDEFINED).astype(np.int64),
        threshold=np.where(inner, numbers[0], float(TREE_UNDEFINED)),
        missing_go_to_left=np.where(inner, missing_left, 0).astype(np.uint8),
        impurity=numbers[1].copy(),
        n_node_samples=count.astype(np.int64),
        weighted_n_node_samples=numbers[2] * unit,
        value=table,
        n_features=n_features,
        n_classes=n_classes,
        depth=depth.copy(),
        routes=routes,
    )


def flat_values(tree: TreeStructure, nodes: Array) -> Array:
    """Values of nodes, (nodes, channels), where channels are classes of all outputs, or outputs."""
    parts = [tree.value[nodes, k, :count] for k, count in enumerate(tree.n_classes)]
    return np.concatenate(parts, axis=1)


def unpacked(
    nodes: Array, values: Array, n_features: int, classes: list[int] | None, sets: Any = None
) -> TreeStructure:
    """The structure of a packed tree, in which statistics of inner nodes are missing.

    `sets` are those of categories, if it has any.
    """
    n = len(nodes)
    leaf = (nodes[:, 0] >> np.uint64(48)) == 0x7FF8
    right = (nodes[:, 1] & np.uint64(0xFFFFFFFF)).astype(np.int32)
    column = (nodes[:, 1] >> np.uint64(32)).astype(np.int64)
    left = np.where(leaf, -1, np.arange(1, n + 1)).astype(np.int32)
    depth = np.zeros(n, np.int32)
    for node in np.flatnonzero(~leaf).tolist():
        depth[node + 1] = depth[right[node]] = depth[node] + 1
    flags = column >> 31
    links = np.array(
        [left, np.where(leaf, -1, right), column & COLUMN, np.zeros(n), flags, depth], np.int32
    )
    numbers = np.array(
        [nodes[:, 0].copy().view(np.float64), np.full(n, np.nan), np.full(n, np.nan)]
    )
    table = np.full((n, values.shape[1]), np.nan)
    table[leaf] = values
    routes = None
    if sets is not None:
        routes = Routes(~leaf & (nodes[:, 1] & SETS > 0), sets, np.zeros(0, SURROGATE))
    return structure_of(links, numbers, table, n_features, classes, routes)
