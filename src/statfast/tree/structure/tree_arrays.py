# SPDX-License-Identifier: BSD-3-Clause
"""The structure of a fitted tree, as arrays over its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from statfast._core.cart.grow import grow
from statfast._core.cart.walk import walk
from statfast._engine import checkpoint
from statfast._typing import Array, Matrix, Rows
from statfast._validation import as_csr, as_rows, is_sparse, refuse_large
from statfast.tree.structure.dense_blocks import DenseBlocks
from statfast.tree.structure.non_numeric_splits import COLUMN, SETS, SURROGATE, Routes
from statfast.tree.structure.predictor import TreePredictor

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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

    Examples
    --------
    >>> from statfast import DecisionTreeClassifier
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target).tree_
    >>> tree.node_count, tree.depth
    (5, array([0, 1, 1, 2, 2], dtype=int32))
    >>> tree.feature
    array([ 2, -2,  3, -2, -2])
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

    # ------------------------------------------------------------ rows
    def apply(self, X: Rows) -> Array:
        """Return the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Rows as the tree was grown on: categories are their codes, NaN is a missing value.

        Returns
        -------
        ndarray of int64, shape (m,)
            Numbers of nodes.

        Raises
        ------
        ValueError
            If X has another number of columns.
        """
        if is_sparse(X):
            rows: Any = DenseBlocks(as_csr(X, allow_nan=True))
        else:
            rows = as_rows(X, keep=(np.float64, np.float32, np.uint8), finite=False)
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the tree is expecting {self.n_features} "
                "features as input."
            )
        return self.packed[1][self.predictor.leaves(rows)[:, 0]].astype(np.int64)

    def predict(self, X: Rows) -> Array:
        """Return the value of the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Rows as `apply` takes them.

        Returns
        -------
        ndarray of shape (m, max_n_classes), or (m, n_outputs, max_n_classes) of several outputs
        """
        values = self.value[self.apply(X)]
        return values[:, 0] if self.n_outputs == 1 else values

    def decision_path(self, X: Rows) -> csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            Rows as `apply` takes them.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (m, node_count)
            1 where a row passes a node.
        """
        return decision_paths([self], self.apply(X)[:, None])[0]

    # ------------------------------------------------------------ nodes
    def compute_node_depths(self) -> Array:
        """Return the depth of each node, that of the root being 1.

        Returns
        -------
        ndarray of int64, shape (node_count,)
        """
        return self.depth.astype(np.int64) + 1

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


class LeafStatistics(NamedTuple):
    """What a packed tree knows of its leaves beside their values: that of inner nodes follows."""

    counts: np.ndarray  # (leaves,) int32, samples with weight
    weights: np.ndarray  # (leaves,) float64
    impurities: np.ndarray | None  # (leaves,) float64; None where fractions of classes tell


def leaf_statistics(tree: TreeStructure, leaf_nodes: Array) -> LeafStatistics:
    """Those of a structure, of leaves in this order."""
    return LeafStatistics(
        tree.n_node_samples[leaf_nodes].astype(np.int32),
        tree.weighted_n_node_samples[leaf_nodes],
        None if tree.max_n_classes > 1 else tree.impurity[leaf_nodes],
    )


def unpacked(
    nodes: Array,
    values: Array,
    leaves: LeafStatistics,
    n_features: int,
    classes: list[int] | None,
    criterion: str,
    sets: Any = None,
) -> TreeStructure:
    """The structure of a packed tree whose values are fractions of classes, or means.

    Statistics of inner nodes follow from those of leaves, up to rounding. `sets` are those of
    categories, if it has any.
    """
    n = len(nodes)
    leaf = (nodes[:, 0] >> np.uint64(48)) == 0x7FF8
    right = (nodes[:, 1] & np.uint64(0xFFFFFFFF)).astype(np.int32)
    column = (nodes[:, 1] >> np.uint64(32)).astype(np.int64)
    left = np.where(leaf, -1, np.arange(1, n + 1)).astype(np.int32)
    depth = np.zeros(n, np.int32)
    for node in np.flatnonzero(~leaf).tolist():
        depth[node + 1] = depth[right[node]] = depth[node] + 1
    count, numbers, table = np.zeros(n, np.int64), np.zeros((3, n)), np.empty((n, values.shape[1]))
    numbers[0] = nodes[:, 0].view(np.float64)
    count[leaf], table[leaf] = leaves.counts, values
    numbers[2, leaf] = leaves.weights
    if leaves.impurities is not None:
        numbers[1, leaf] = leaves.impurities
    spread = _between_deviance if criterion == "poisson" else _between_squares
    inner = np.flatnonzero(~leaf)
    for level in range(int(depth.max(initial=0)) - 1, -1, -1):
        at = inner[depth[inner] == level]
        pair = np.stack([at + 1, right[at]])
        count[at] = count[pair].sum(axis=0)
        total = numbers[2, at] = numbers[2, pair].sum(axis=0)
        share = numbers[2, pair] / total
        table[at] = (share[:, :, None] * table[pair]).sum(axis=0)
        numbers[1, at] = (share * numbers[1, pair]).sum(axis=0)
        if classes is None:
            numbers[1, at] += spread(share, table[pair], table[at])
    if classes is not None:
        numbers[1] = _impurities(table, classes, criterion)
    flags = column >> 31
    links = np.array(
        [left, np.where(leaf, -1, right), column & COLUMN, count, flags, depth], np.int32
    )
    routes = None
    if sets is not None:
        routes = Routes(~leaf & (nodes[:, 1] & SETS > 0), sets, np.zeros(0, SURROGATE))
    return structure_of(links, numbers, table, n_features, classes, routes)


def _between_squares(share: Array, values: Array, mean: Array) -> Array:
    """The variance between two children, (nodes,), averaged over outputs."""
    return share[0] * share[1] * ((values[0] - values[1]) ** 2).mean(axis=1)


def _between_deviance(share: Array, values: Array, mean: Array) -> Array:
    """Half the Poisson deviance between two children and their mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(values > 0.0, values * np.log(values / mean), 0.0)
    return (share[:, :, None] * logs).sum(axis=0).mean(axis=1)


def _impurities(shares: Array, classes: list[int], criterion: str) -> Array:
    """Impurities of fractions of classes, (nodes, all classes), averaged over outputs."""
    total, start = np.zeros(len(shares)), 0
    for k in classes:
        part = shares[:, start : start + k]
        start += k
        if criterion == "gini":
            total += 1.0 - (part**2).sum(axis=1)
        else:
            logs = np.log2(part, out=np.zeros_like(part), where=part > 0.0)
            total -= (part * logs).sum(axis=1)
    return total / len(classes)
