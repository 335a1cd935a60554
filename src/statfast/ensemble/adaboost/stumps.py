# SPDX-License-Identifier: BSD-3-Clause
"""Decision stumps for weights that change from round to round, on columns that are coded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.boosting import stump as kernel
from statfast._engine import Team, each, grid
from statfast._typing import Array, Jobs
from statfast.tree import DecisionTreeClassifier, TreeStructure
from statfast.tree.growing.columns import ranked_columns

PLANE = 8  # columns whose codes lie side by side in a row
MAX_COLUMNS = 1000  # columns: a quarter of the parts that a step of a team may have
PLAIN = ("gini", "error")  # criteria of stumps


def is_stump(estimator: Any) -> bool:
    """Whether a tree is a stump that `StumpRounds` finds."""
    if type(estimator) is not DecisionTreeClassifier:
        return False
    params = estimator.get_params(deep=False)
    default_params = DecisionTreeClassifier(max_depth=1).get_params(deep=False)
    free_params = ("random_state", "n_jobs", "criterion")
    return params["criterion"] in PLAIN and all(
        params[name] == default_params[name] for name in default_params if name not in free_params
    )


class StumpRounds:
    """Finds stumps among the same rows, and moves their weights.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        Without missing values.
    label : ndarray of int32, shape (n,)
    classes : ndarray of shape (K,)
    estimator : DecisionTreeClassifier
    n_jobs : int, optional
    """

    def __init__(
        self,
        rows: Array,
        label: Array,
        classes: Array,
        estimator: DecisionTreeClassifier,
        n_jobs: Jobs,
    ) -> None:
        n, p = rows.shape
        self.estimator, self.classes, self.label = estimator, classes, label
        columns = ranked_columns(rows, n_jobs, with_values=False)
        self.rows, self.ranks = rows, columns.ranks
        planes = -(-p // PLANE)
        width = -(-p // planes)
        by_row = np.zeros((n, planes * PLANE), np.uint8)
        each(
            lambda rows: kernel.by_row(columns.codes, width, rows.start, rows.stop, by_row),
            grid(n),
            n_jobs=n_jobs,
            effort=4.0 * rows.size,
        )
        order, start = np.empty((p, n), np.uint32), np.empty((p, 257), np.int64)
        each(
            lambda j: kernel.by_code(columns.codes[j], order[j], start[j]),
            range(p),
            n_jobs=n_jobs,
            effort=4.0 * rows.size,
        )
        distinct = np.diff(columns.first)
        codes = (((np.maximum(distinct, 1) - 1) >> columns.shift) + 1).astype(np.int32)
        narrow = columns.ranks if columns.ranks.dtype == np.uint16 else None
        wide = None if narrow is not None else columns.ranks
        self._totals, self._left_weights = np.zeros((2, len(classes)), np.int64)
        self._team = Team(n_jobs, 20.0 * rows.size)
        self._scale = 2.0 ** (61 - n.bit_length())
        self._stumps = kernel.Stumps(
            by_row, order, start, width, narrow, wide, columns.shift, codes, label,
            self._totals, estimator.criterion, self._team.state,
        )  # fmt: skip

    def find(self, weight: Array) -> tuple[int, int, TreeStructure, Array, float]:
        """The best stump: (column, rank, tree, codes of the classes of both sides, error).

        `weight` sums to about 1. A rank of -1 means that there is no split.
        """
        self._team.gather()
        j, rank = self._stumps.search(weight, self._scale)
        self._stumps.left_masses(j, rank, self._left_weights)
        sides = np.array([self._left_weights, self._totals - self._left_weights], dtype=np.float64)
        best = sides.argmax(axis=1)
        if rank < 0:
            best[:] = sides[1].argmax()
        tree = self._tree(j, rank, sides, weight)
        if rank >= 0 and not weight.all():
            # Rows without weight may lie between the values of the cut.
            rank = int(self.ranks[j][self.rows[:, j] <= tree.threshold[0]].max())
        right = float(sides[0, best[0]] + sides[1, best[1]]) / float(self._totals.sum())
        return j, rank, tree, best, max(0.0, 1.0 - right)

    def move(
        self,
        weight: Array,
        stump: tuple[int, int, TreeStructure, Array, float],
        factor: float,
        votes: Array,
        vote: float,
        first: Array,
    ) -> tuple[float, float]:
        """Multiply the weights of the stump's errors, and add its votes: see the kernel."""
        j, rank, _, best, _ = stump
        return kernel.reweigh(
            weight, self.ranks[j], self.label, rank, int(best[0]), int(best[1]), factor,
            votes, vote, first,
        )  # fmt: skip

    def release(self) -> None:
        self._team.release()

    def _tree(self, j: int, rank: int, sides: Array, weight: Array) -> TreeStructure:
        """The stump as a fitted tree."""
        masses = [sides.sum(axis=0), sides[0], sides[1]] if rank >= 0 else [sides[1]]
        total = np.array([mass.sum() for mass in masses])
        value = np.array(masses) / total[:, None]
        if self.estimator.criterion == "error":
            impurity = 1.0 - value.max(axis=1)
        else:
            impurity = 1.0 - (value**2).sum(axis=1)
        everyone = bool(weight.all())
        counts, feature, threshold = [int(np.count_nonzero(weight))], [-2], [-2.0]
        if rank >= 0:
            ranks = self.ranks[j]
            below, above = rank, rank + 1
            if not everyone:
                below, above = kernel.around(ranks, weight, rank)
            low, high = (float(self.rows[(ranks == place).argmax(), j]) for place in (below, above))
            middle = low / 2.0 + high / 2.0
            feature = [j, -2, -2]
            threshold = [middle if middle < high else low, -2.0, -2.0]
            goes = ranks <= rank if everyone else (ranks <= rank) & (weight > 0.0)
            goes = int(np.count_nonzero(goes))
            counts += [goes, counts[0] - goes]
        left = [1, -1, -1] if rank >= 0 else [-1]
        right = [2, -1, -1] if rank >= 0 else [-1]
        return TreeStructure(
            children_left=np.array(left, np.int64),
            children_right=np.array(right, np.int64),
            feature=np.array(feature, np.int64),
            threshold=np.array(threshold),
            missing_go_to_left=np.zeros(len(left), np.uint8),
            impurity=impurity,
            n_node_samples=np.array(counts, np.int64),
            weighted_n_node_samples=total / self._scale,
            value=value[:, None, :],
            n_features=len(self.ranks),
            n_classes=np.array([len(self.classes)], np.int64),
            depth=np.array([0, 1, 1] if rank >= 0 else [0], np.int32),
        )

    def member(
        self, tree: TreeStructure, member: DecisionTreeClassifier, X: Any
    ) -> DecisionTreeClassifier:
        """Publish the tree as the fit of `member`."""
        return member._publish(
            X, tree_=tree, max_features_=tree.n_features, n_outputs_=1, classes_=self.classes,
            n_classes_=len(self.classes),
        )  # fmt: skip
