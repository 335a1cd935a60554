# SPDX-License-Identifier: BSD-3-Clause
"""The rounds of gradient boosting: gradients, a tree for each raw prediction, and its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

import numpy as np
from numpy.typing import NDArray

from statfast._core.boosting import losses as kernel
from statfast._core.boosting.grow import Grower
from statfast._engine import Team, checkpoint
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.ensemble.boosting.bins import Coded, CodedEntries, Thresholds
from statfast.ensemble.boosting.losses import BoostingLoss, quantile_of
from statfast.ensemble.boosting.trees import NODE, BoostedTree, compact

ADDITIONS_PER_CALL = 5e7  # additions of a kernel call: a few hundredths of a second


@dataclass(frozen=True)
class GrowthRules:
    """The limits of a tree, checked."""

    learning_rate: float
    max_leaf_nodes: int  # 0: no limit
    max_depth: int  # 0: no limit
    min_samples_leaf: int
    l2: float
    fraction: float  # of columns drawn for each node
    monotone: NDArray[np.int8] | None
    groups: NDArray[np.uint8] | None  # columns that may meet
    categorical: NDArray[np.uint8]


class BoostingRounds:
    """Boosting on rows: call `tree` once a round for each raw prediction.

    Parameters
    ----------
    coded : Coded or CodedEntries
    thresholds : Thresholds
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,), or None
    raw : ndarray of shape (n_raw, n)
        Raw predictions, to which leaves are added.
    loss : BoostingLoss
    rules : GrowthRules
    n_jobs : int, optional
    """

    def __init__(
        self,
        coded: Coded | CodedEntries,
        thresholds: Thresholds,
        y: Array,
        weights: Array | None,
        raw: Array,
        loss: BoostingLoss,
        rules: GrowthRules,
        n_jobs: Jobs,
    ) -> None:
        n = coded.shape[0]
        self.y, self.weights, self.raw, self.loss = y, weights, raw, loss
        self.rules, self.thresholds = rules, thresholds
        most = n // rules.min_samples_leaf + 1
        if rules.max_depth and rules.max_depth < 40:
            most = min(most, 1 << rules.max_depth)
        leaves = min(most, rules.max_leaf_nodes or most)
        refuse_large(
            (min(leaves, 4096) + 16.0) * coded.histogram_bytes,
            "Histograms of all columns for each leaf",
            "Lower max_leaf_nodes, or drop columns.",
        )
        self._nodes = np.zeros(2 * leaves + 1, NODE)
        self._bytes = self._nodes.view(np.uint8).reshape(len(self._nodes), -1)
        self._rows = np.empty(n, np.uint32)
        self._pairs, self._most = np.empty((n, 2)), np.empty(kernel.room_for(n))
        self._bits = int(n).bit_length()
        self._normalizer = np.empty(n) if loss.n_raw > 1 else None
        self._team = Team(n_jobs, 20.0 * coded.n_values)
        missing = coded.has_missing().astype(np.uint8)
        self._grower = Grower(
            coded.arrays, thresholds.n_codes, missing, rules.categorical, rules.monotone,
            rules.groups, self._rows,
            {
                "room": len(self._nodes), "l2": rules.l2, "row_hessian": self._row_hessian(),
                "rounding": self._rounding(),
                "adds_to_expected": loss.gradient_completes_hessian,
                "min_samples_leaf": rules.min_samples_leaf,
                "max_leaf_nodes": rules.max_leaf_nodes, "max_depth": rules.max_depth,
                "fraction": rules.fraction,
            },
            self._team.state,
        )  # fmt: skip

    def _row_hessian(self) -> float:
        """The scale of thresholds of hessians, as weights and y have no unit."""
        mean = 1.0 if self.weights is None else float(self.weights.mean())
        return mean * self.loss.hessian_unit(self.y, self.weights)

    def _rounding(self) -> float:
        """The rounding of rows as integers; none for whole weights times a curvature of 1."""
        whole = self.weights is None or bool((self.weights == np.floor(self.weights)).all())
        return 0.0 if whole and not self.loss.curvature_varies else 0.5

    def round(self, seeds: Array) -> list[BoostedTree]:
        """Grow a tree for each raw prediction, from gradients at the predictions so far."""
        if self._normalizer is not None:
            for start in range(0, len(self.y), 1 << 16):
                stop = min(start + (1 << 16), len(self.y))
                kernel.normalize(self.raw, start, stop, self._normalizer)
                checkpoint()
        trees = [self.tree(k, int(seed)) for k, seed in enumerate(seeds)]
        self._team.release()
        return trees

    def tree(self, k: int, seed: int) -> BoostedTree:
        """Grow the tree of raw prediction k, and add its leaves."""
        units = self._gradients(k)
        begin, count = True, 0
        while not count:
            self._team.gather()
            count = self._grower.grow(
                self._pairs, *units, self._bits, seed, self._bytes, begin, ADDITIONS_PER_CALL
            )
            begin = False
        nodes = self._nodes[:count]
        if self.loss.leaves_are_quantiles:
            self._renew_leaves(nodes, self.raw[k])
        nodes["value"] = self.loss.steps(nodes["value"], self.rules.learning_rate)
        self._team.gather()
        self._grower.add_leaves(self._bytes, self.raw[k])
        return compact(nodes, self.thresholds, 2 * frexp(units[0])[1] - frexp(units[1])[1])

    def _gradients(self, k: int) -> tuple[float, float]:
        self._team.gather()
        units = kernel.integer_gradients(
            self.loss.number, self.loss.quantile, float(k), self.raw[k], self.y, self.weights,
            self._normalizer, self._bits, self._pairs, self._most, self._team.state,
        )  # fmt: skip
        if units is None:
            raise ValueError(
                f"y, or sample_weight, is so large that gradients of loss={self.loss.name!r} "
                "overflow. Rescale it, or lower learning_rate."
            )
        return units

    def _renew_leaves(self, nodes: Array, raw: Array) -> None:
        """Set leaves to the minimum of a loss that has no curvature (Friedman 2001).

        As in growth, values below a split of a monotone column stay on their side of the middle
        between the values that its children would have as leaves.
        """

        def best(node: int) -> float:
            checkpoint()
            begin, count = int(nodes["begin"][node]), int(nodes["count"][node])
            rows = self._rows[begin : begin + count]
            weights = None if self.weights is None else self.weights[rows]
            value = quantile_of(self.y[rows] - raw[rows], weights, self.loss.quantile)
            return min(max(value, low[node]), high[node])

        low, high = np.full(len(nodes), -np.inf), np.full(len(nodes), np.inf)
        signs = self.rules.monotone
        for node, left in enumerate(nodes["left"].tolist()):  # a node comes before its children
            if left == 0:
                nodes["value"][node] = best(node)
                continue
            low[left : left + 2], high[left : left + 2] = low[node], high[node]
            if signs is None or (sign := signs[nodes["feature"][node]]) == 0:
                continue
            middle = best(left) / 2.0 + best(left + 1) / 2.0
            below, above = (left, left + 1) if sign > 0 else (left + 1, left)
            high[below] = low[above] = middle
