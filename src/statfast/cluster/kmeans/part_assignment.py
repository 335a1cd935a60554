# SPDX-License-Identifier: BSD-3-Clause
"""The assignment of rows in parts to centers: a round for each pass.

A round sends the centers and returns the sums of the clusters. Labels, bounds and distances of rows
stay with the parts as soft state, which changes no answer: labels are exact with or without bounds,
and each iteration computes sums from the labels alone. So where no row changes its cluster, the
centers repeat to the bit, and that ends the iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import Work, borrowed, parts_stay
from statfast._typing import Array
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.part_data import PartsData


class PartsAssignment:
    """`Assignment` of rows in parts."""

    patched = False  # sums are computed anew in each round
    labels = None  # labels stay with the parts

    def __init__(self, data: PartsData, centers: np.ndarray, nearest: None = None) -> None:
        self.data, self.centers = data, centers

    def advance(self) -> KMeansStatistics:
        """Give every row its nearest center; returns the statistics of the clusters.

        How many rows have moved is not known: a part may have been worked on twice.
        """
        step = self.data.total(Work(_sums), self.centers).step
        step.moved = None
        return step

    def add_up(self) -> KMeansStatistics:
        """The same: sums are computed anew in each round."""
        return self.advance()

    def reassign(self) -> int:
        """Do nothing: the next round gives every row its nearest center."""
        return 0

    def forget(self) -> None:
        """Do nothing: no sums are kept."""

    def farthest(self, count: int) -> tuple[np.ndarray, ...]:
        """The `count` rows farthest from their centers, the farthest first: rows, weights,
        labels."""
        far = self.data.total(Work(_farthest, numbered=True), self.centers, count)
        return far.rows, far.weights, far.labels

    def inertia(self) -> tuple[float, np.ndarray]:
        """The sum of weight * squared distance to the nearest center, and rows of each cluster."""
        sums = self.data.total(Work(_inertia), self.centers)
        return float(sums[0]), sums[1:]


# ------------------------------------------------------------------ work on a part


class _Sums:
    """Statistics of clusters that add up, and pickle."""

    def __init__(self, step: Any) -> None:
        self.step = step

    def __getstate__(self) -> Any:
        return self.step.sums, self.step.mass

    def __setstate__(self, state: Any) -> None:
        self.step = KMeansStatistics(*state[0].shape)
        self.step.sums, self.step.mass = state

    def __add__(self, other: Any) -> Any:
        step, total = self.step, KMeansStatistics(*self.step.sums.shape)
        total.sums, total.mass = step.sums + other.step.sums, step.mass + other.step.mass
        return _Sums(total)


def _sums(columns: Any, state: Any) -> Any:
    data, centers = state
    with _assignment(data, columns, centers) as assignment:
        return _Sums(assignment.labeled(centers))


def _inertia(columns: Any, state: Any) -> Any:
    data, centers = state
    with _assignment(data, columns, centers) as assignment:
        assignment.labeled(centers)
        total, sizes = assignment.inertia()
    return np.r_[total, sizes.astype(float)]


def _assignment(data: Any, columns: Any, centers: Array) -> Any:
    """The assignment of a part's rows, which its worker keeps for later rounds."""
    return borrowed(
        data.fit, columns[0], lambda: Assignment(data.of_part(columns, parts_stay()), centers)
    )


@dataclass(frozen=True)
class _Farthest:
    """The rows farthest from their centers, the farthest first; ties: the first row."""

    d2: np.ndarray
    number: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    count: int

    def __add__(self, other: _Farthest) -> _Farthest:
        names = ("d2", "number", "rows", "weights", "labels")
        both = [np.concatenate([getattr(self, n), getattr(other, n)]) for n in names]
        order = np.lexsort((both[1], -both[0]))[: self.count]
        d2, number, rows, weights, labels = (part[order] for part in both)
        return _Farthest(d2, number, rows, weights, labels, self.count)


def _farthest(columns: Any, state: Any, number: Any) -> Any:
    data, centers, count = state
    rows = data.of_part(columns)
    frame = rows.frame(centers)
    labels = np.empty(rows.shape[0], np.int32)
    rows.rows.step(frame, labels)
    d2 = rows.rows.distances_to_labels(frame, labels)
    weights = np.ones(len(d2)) if rows.weights is None else rows.weights
    d2[weights == 0] = 0.0
    far = np.argsort(-d2, kind="stable")[:count]
    far = far[d2[far] > 0.0]
    return _Farthest(
        d2[far], far + data.starts[number], rows.take(far), weights[far], labels[far], count
    )
