# SPDX-License-Identifier: BSD-3-Clause
"""Out-of-bag predictions and errors: those of trees on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import checkpoint, each
from statfast._estimator import BOOTSTRAPS, BootstrapEstimate, no_information
from statfast._typing import Array, ArrayLike, Jobs, Rows
from statfast._validation import as_choice, warn_user
from statfast.ensemble.forest.grow_forest import ForestTree
from statfast.tree.structure.dense_blocks import blocks_of, dense_block
from statfast.tree.structure.non_numeric_splits import COLUMN


def left_out_sums(
    trees: list[ForestTree], rows: Array, unseen: Array, n_jobs: Jobs = None
) -> Array:
    """The mean over trees that have not seen a row, (n, channels); NaN where all have.

    Trees are added in their order for each block of rows, so that threads do not change the bits.
    """
    n, channels = len(rows), trees[0].values.shape[1]
    total, count = np.zeros((n, channels)), np.zeros(n, np.int32)

    def work(part: slice) -> None:
        with dense_block(rows, part) as block:
            for tree, out in zip(trees, unseen, strict=True):
                _add(tree, block, np.flatnonzero(out[part]), total[part], count[part])
                checkpoint()

    each(work, blocks_of(rows, 64, 4096), n_jobs=n_jobs, effort=20.0 * n * len(trees))
    with np.errstate(invalid="ignore"):
        return np.where(count[:, None] > 0, total / count[:, None], np.nan)


def _add(tree: ForestTree, block: Array, where: Array, total: Array, count: Array) -> None:
    """Add the values of a tree for rows, and count it."""
    if tree.sets is None:
        walk.add_trees_of_rows(tree.nodes, tree.values, block, where, total, count)
        return
    total[where] += tree.values[tree.leaves(block[where])]
    count[where] += 1


def earned_by_sets(tree: Any, rows: Any, Y: Any, weight: Any) -> Any:
    """As `walk.earn`, for a tree with sets of categories: rows are followed up from their
    leaves."""
    nodes, earned = tree.nodes, np.zeros(rows.shape[1])
    leaf = (nodes[:, 0] >> np.uint64(48)) == 0x7FF8
    inner, parent = np.flatnonzero(~leaf), np.full(len(nodes), -1)
    parent[inner + 1] = parent[(nodes[inner, 1] & np.uint64(0xFFFFFFFF)).astype(np.int64)] = inner
    column = (nodes[:, 1] >> np.uint64(32)).astype(np.int64) & COLUMN
    leaves, unseen = np.flatnonzero(leaf)[tree.leaves(rows)], weight == 0
    mean, node_weight = np.zeros((len(nodes), Y.shape[1])), np.zeros(len(nodes))
    nodes_of_rows, y, w = leaves[~unseen], Y[~unseen], weight[~unseen]
    while len(nodes_of_rows):
        np.add.at(mean, nodes_of_rows, w[:, None] * y)
        np.add.at(node_weight, nodes_of_rows, w)
        checkpoint()
        up = parent[nodes_of_rows] >= 0
        nodes_of_rows, y, w = parent[nodes_of_rows[up]], y[up], w[up]
    mean /= node_weight[:, None]
    nodes_of_rows, y = leaves[unseen], Y[unseen]
    while (up := parent[nodes_of_rows] >= 0).any():
        nodes_of_rows, y = nodes_of_rows[up], y[up]
        parents = parent[nodes_of_rows]
        np.add.at(earned, column[parents], ((mean[nodes_of_rows] - mean[parents]) * y).sum(axis=1))
        checkpoint()
        nodes_of_rows = parents
    return earned / max(1, np.count_nonzero(unseen))


def left_out_errors(
    trees: list[ForestTree], rows: Array, unseen: Array, loss: Callable[..., Any], truth: Array
) -> Array:
    """The loss of the first 1, 2, ... trees on rows that some of them have not seen; NaN if none.

    Sums grow tree by tree, in the order of `left_out_sums`.
    """
    n, channels = len(rows), trees[0].values.shape[1]
    total, count = np.zeros((n, channels)), np.zeros(n, np.int32)
    parts, errors = blocks_of(rows, 64, 4096), np.full(len(trees), np.nan)
    for t, (tree, out) in enumerate(zip(trees, unseen, strict=True)):
        for part in parts:
            with dense_block(rows, part) as block:
                _add(tree, block, np.flatnonzero(out[part]), total[part], count[part])
            checkpoint()
        judged = count > 0
        if judged.any():
            errors[t] = loss(total[judged] / count[judged, None], truth[judged])
    return errors


class LeftOutErrors:
    """Mixin: errors of a forest on rows that its trees have not seen."""

    _rows_of_fit: Any
    _truth: Any
    _trees: Any
    _left_out: Any
    _loss: Any
    n_jobs: Jobs
    _predictor: Any

    def _left_out_means(self, rows: Array, n_trees: Any = None) -> Array:
        """Means over trees that have not seen a row; NaN, with a warning, if all have."""
        trees = self._trees[:n_trees]
        out = left_out_sums(trees, rows, self._left_out()[: len(trees)], self.n_jobs)
        if np.isnan(out).any():
            warn_user(
                f"{np.isnan(out).any(axis=1).sum()} rows are in the samples of all trees: their "
                "out-of-bag predictions are NaN. Raise n_estimators."
            )
        return out

    def out_of_bag_errors(self, X: Rows, y: ArrayLike) -> Array:
        """The out-of-bag error of the first 1, 2, ... trees: whether more of them would help.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            The rows of the fit.
        y : array-like of shape (n,) or (n, outputs)
            Their targets.

        Returns
        -------
        ndarray of shape (n_estimators,)
            Proportions of rows classified wrongly, or mean squared errors, of the rows that some of
            these trees have not seen; NaN where there is none.

        Raises
        ------
        ValueError
            If `bootstrap` is False, or X has another shape than at fit.
        """
        rows = self._rows_of_fit(X)
        truth = self._truth(y, len(rows))
        return left_out_errors(self._trees, rows, self._left_out(), self._loss, truth)

    def bootstrap_error(
        self, X: Rows, y: ArrayLike, *, method: Literal[".632+", ".632", "out_of_bag"] = ".632+"
    ) -> BootstrapEstimate:
        """The error of the forest from its own bootstrap.

        Rows judged by the trees that have not seen them err too often, as there are fewer of these
        trees; rows that all trees have seen err too seldom. ".632" lies between the two; ".632+"
        moves to the former as the trees fit their rows more closely than chance lets them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            The rows of the fit.
        y : array-like of shape (n,)
            Their targets: one output.
        method : {".632+", ".632", "out_of_bag"}, default=".632+"
            Efron's .632 or .632+ estimate, or the out-of-bag error.

        Returns
        -------
        statfast.model_selection.BootstrapEstimate
            Proportions of rows classified wrongly, or mean squared errors; rows that all trees have
            seen are left out of `out_of_bag`.

        Raises
        ------
        ValueError
            If `bootstrap` is False, there are several outputs, no tree leaves a row out, or X has
            another shape than at fit.

        References
        ----------
        B. Efron and R. J. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap
        method. Journal of the American Statistical Association 92, 548-560.
        doi:10.1080/01621459.1997.10474007
        """
        as_choice(method, "method", BOOTSTRAPS)
        rows = self._rows_of_fit(X)
        truth = self._truth(y, len(rows))
        if truth.shape[1] > 1:
            raise ValueError("bootstrap_error is for one output; y had several. Fit one each.")
        votes = left_out_sums(self._trees, rows, self._left_out(), self.n_jobs)
        judged = ~np.isnan(votes[:, 0])
        if not judged.any():
            raise ValueError("All trees have seen all rows. Raise n_estimators.")
        means = self._predictor.sums(rows, n_jobs=self.n_jobs) / len(self._trees)
        out, training = self._loss(votes[judged], truth[judged]), self._loss(means, truth)
        if hasattr(self, "classes_"):
            none = no_information(truth[:, 0], means.argmax(axis=1), "zero_one")
        else:
            none = no_information(truth[:, 0], means[:, 0], "squared")
        return BootstrapEstimate.from_losses(method, training, out, none, "trees")
