# SPDX-License-Identifier: BSD-3-Clause
"""Importances of columns in a forest: by impurity, on out-of-bag rows, and by permutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import checkpoint, each
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import as_count, as_generator
from statfast.ensemble.forest.grow_forest import ForestTree, predictor_of
from statfast.ensemble.forest.left_out import earned_by_sets
from statfast.tree.growing.arguments import require_dense
from statfast.tree.structure.non_numeric_splits import COLUMN


class ForestImportances:
    """Mixin: importances of columns in a forest."""

    # What subclasses declare, or a fit sets.
    _sampling: Any
    _keys: Any
    _loss: Any

    _fitted_trees: Any
    _rows_of_fit: Any
    _truth: Any
    _left_out: Any
    _trees: Any
    n_jobs: Jobs

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importances: the mean over trees."""
        mean = np.mean([tree.gains for tree in self._fitted_trees()], axis=0)
        return mean / mean.sum() if mean.sum() > 0 else mean

    @property
    def tree_importances_(self) -> Array:
        """Importances in each tree, (n_estimators, p), whose spread shows how certain they are."""
        return np.array([tree.gains for tree in self._fitted_trees()])

    def _unbiased(self, rows: Array, Y: Array) -> Any:
        """Importances on out-of-bag rows (Li et al. 2019), the mean over trees."""
        self._left_out()
        require_dense(rows, "unbiased_importances")

        def work(task: Any) -> Any:
            tree, key = task
            checkpoint()
            weight = self._sampling.weights(key)
            if tree.sets is not None:
                return earned_by_sets(tree, rows, Y, weight)
            nodes, earned = len(tree.nodes), np.empty(rows.shape[1])
            work = np.empty((nodes, Y.shape[1])), np.empty(nodes)
            walk.earn(tree.nodes, rows, Y, weight, *work, earned)
            return earned

        tasks = list(zip(self._trees, self._keys.tolist(), strict=True))
        return np.mean(each(work, tasks, n_jobs=self.n_jobs), axis=0)

    def permutation_importances(
        self, X: Rows, y: ArrayLike, *, n_repeats: int = 1, random_state: Seed = None
    ) -> tuple[Array, Array]:
        """Out-of-bag permutation importances of the features.

        For each tree and column, the rows left out go down the tree with the values of the column
        shuffled among them; trees that do not use it are left out.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The rows of the fit.
        y : array-like of shape (n,) or (n, outputs)
            Their targets.
        n_repeats : int, default=1
            Shuffles of each column and tree.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator of the shuffles; an integer makes the result reproducible.

        Returns
        -------
        importances : ndarray of shape (p,)
            Mean over trees: of the fraction of rows classified wrongly, or of the squared error.
        errors : ndarray of shape (p,)
            Standard deviations over trees, divided by the root of their number.

        Raises
        ------
        ValueError
            If `bootstrap` is False, or X has another shape than at fit.

        References
        ----------
        L. Breiman (2001). Random forests. Machine Learning 45, 5-32.
        doi:10.1023/A:1010933404324
        """
        rows = self._rows_of_fit(X)
        require_dense(rows, "permutation_importances")
        repeats = as_count(n_repeats, "n_repeats")
        truth = self._truth(y, len(rows))
        unseen = self._left_out()
        seeds = as_generator(random_state).integers(2**63, size=len(self._trees))

        def work(t: int) -> Array:
            return self._shuffled(self._trees[t], rows, truth, np.flatnonzero(unseen[t]),
                                  np.random.default_rng(int(seeds[t])), repeats)  # fmt: skip

        losses = np.array(each(work, range(len(self._trees)), n_jobs=self.n_jobs))
        return losses.mean(axis=0), losses.std(axis=0) / np.sqrt(len(losses))

    def _shuffled(
        self,
        tree: ForestTree,
        rows: Array,
        truth: Array,
        unseen: Array,
        generator: np.random.Generator,
        repeats: int,
    ) -> Array:
        """The loss that shuffling each column adds, on out-of-bag rows of a tree."""
        added_loss = np.zeros(rows.shape[1])
        if not len(unseen):
            return added_loss
        walks = predictor_of([tree])
        unseen_rows = np.array(rows[unseen], dtype=np.float64)
        before = self._loss(walks.sums(unseen_rows, n_jobs=1), truth[unseen])
        leaf = (tree.nodes[:, 0] >> np.uint64(48)) == 0x7FF8
        used = np.unique((tree.nodes[~leaf, 1] >> np.uint64(32)).astype(np.int64) & COLUMN)
        for column in used:
            values = unseen_rows[:, column].copy()
            for _ in range(repeats):
                checkpoint()
                unseen_rows[:, column] = generator.permutation(values)
                added_loss[column] += (
                    self._loss(walks.sums(unseen_rows, n_jobs=1), truth[unseen]) - before
                )
            unseen_rows[:, column] = values
        return added_loss / repeats
