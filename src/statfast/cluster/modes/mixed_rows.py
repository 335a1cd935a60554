# SPDX-License-Identifier: BSD-3-Clause
"""Rows of categories and numbers, and the two steps of k-prototypes over them.

The dissimilarity of a row and a center is the sum of the squared differences of numbers and gamma
times the number of categories that differ (Huang 1998, doi:10.1023/A:1009769707641), or Gower's:
the mean of |difference| / range and of mismatches (1971, doi:10.2307/2528823). A value that the row
misses adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from statfast._core.kmeans import prototypes as kernel
from statfast._engine import each, grid
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large

MAX_BLOCK_ROWS = 16384
COMPARISONS_PER_CALL = 1 << 26  # values of rows and centers that one call compares


class Prototypes(NamedTuple):
    """Centers: a category in each column of codes, and a number in each other."""

    modes: Array  # (k, m)
    numbers: Array  # (k, p) float64


@dataclass(frozen=True, eq=False)
class MixedRows:
    """The rows of a fit or of a prediction."""

    codes: np.ndarray  # (m, n) uint8 or int32
    numbers: np.ndarray  # (p, n) float64
    gamma: float
    ranges: np.ndarray | None  # (p,) of Gower's dissimilarity; None for Huang's
    n_jobs: Jobs

    @property
    def n(self) -> int:
        return int(self.codes.shape[1])

    def nearest(self, centers: Prototypes) -> tuple[Array, Array]:
        """The nearest center of each row, the first of equals, and the dissimilarity to it."""
        (k, m), p = centers.modes.shape, len(self.numbers)
        labels, nearest = np.empty(self.n, np.int32), np.empty(self.n)
        scale, share = self._scale(), self._shares()

        def assign(rows: slice) -> None:
            kernel.assign(
                self.codes[:, rows], self.numbers[:, rows], scale,
                None if share is None else share[rows], centers.modes, centers.numbers,
                self.gamma, self.ranges is not None, labels[rows], nearest[rows],
            )  # fmt: skip

        values = k * (m + p)
        most = min(MAX_BLOCK_ROWS, max(64, COMPARISONS_PER_CALL // values))
        each(assign, grid(self.n, most=most), n_jobs=self.n_jobs, effort=0.5 * self.n * values)
        return labels, nearest

    def _scale(self) -> Array:
        if self.ranges is None:
            return np.ones(len(self.numbers))
        return np.divide(1.0, self.ranges, out=np.zeros(len(self.ranges)), where=self.ranges > 0)

    def _shares(self) -> Array | None:
        """One by the number of values that a row has, of Gower's dissimilarity; 0 of none."""
        if self.ranges is None:
            return None
        missing = self.codes.dtype.type(np.array(kernel.MISSING).astype(self.codes.dtype))
        present = np.sum(self.codes != missing, axis=0) + np.sum(
            self.numbers == self.numbers, axis=0
        )
        return np.divide(1.0, present, out=np.zeros(self.n), where=present > 0)


class FittedRows:
    """Rows with weights, from which centers are made."""

    def __init__(self, rows: MixedRows, sizes: list[int], weights: Array | None) -> None:
        if weights is not None and (weights == 1.0).all():
            weights = None
        self.rows, self.sizes, self.weights = rows, sizes, weights
        shares = rows._shares()
        self._weights = weights
        if shares is not None:
            self._weights = shares if weights is None else shares * weights
        self._orders = None
        if rows.ranges is not None:
            self._orders = [
                np.argsort(column, kind="stable")[: np.count_nonzero(column == column)].astype(
                    np.int32
                )
                for column in rows.numbers
            ]
        every = np.zeros(rows.n, np.int32)
        nothing = Prototypes(
            np.zeros((1, len(sizes)), rows.codes.dtype), np.zeros((1, len(rows.numbers)))
        )
        self.overall = self.centers_of(every, nothing)

    @property
    def weighted_rows(self) -> int:
        """How many rows have weight."""
        return self.rows.n if self.weights is None else int(np.count_nonzero(self.weights))

    def counts(self, j: int, labels: Array, k: int) -> Array:
        """The weight of each category of a column in each cluster, (k, size)."""
        size = self.sizes[j]
        refuse_large(
            8 * k * size, f"A table of {size} categories in {k} clusters",
            "Group rare categories, or take the column as numbers.",
        )  # fmt: skip
        counts = np.zeros((k, size))
        kernel.count_modes(self.rows.codes[j], labels, self._weights, counts)
        return counts

    def centers_of(self, labels: Array, before: Prototypes) -> Prototypes:
        """The centers of least dissimilarity to the rows of each label.

        The mode, the most frequent category, the first of equals; the mean, or for Gower's
        dissimilarity the lower median. Where a cluster has no value in a column its center stays.
        """
        (k, m), p = before.modes.shape, len(self.rows.numbers)
        modes, numbers = before.modes.copy(), before.numbers.copy()

        def solve(j: int) -> None:
            if j < m:
                counts = self.counts(j, labels, k)
                filled = counts.any(axis=1)
                modes[filled, j] = counts[filled].argmax(axis=1)
            else:
                numbers[:, j - m] = self._middle(j - m, labels, numbers[:, j - m].copy())

        each(solve, range(m + p), n_jobs=self.rows.n_jobs, effort=5.0 * (m + p) * self.rows.n)
        return Prototypes(modes, numbers)

    def _middle(self, j: int, labels: Array, middle: Array) -> Array:
        """The means or medians of a column of numbers; those given where a cluster has none."""
        column, (a, b) = self.rows.numbers[j], np.zeros((2, len(middle)))
        if self._orders is not None:
            kernel.medians(column, self._orders[j], labels, self._weights, a, b, middle)
            return middle
        kernel.add_up(column, labels, self._weights, a, b)
        return np.divide(a, b, out=middle, where=b > 0)

    def take(self, index: Any) -> Prototypes:
        """Rows as centers; values that they miss are those of all rows."""
        modes, numbers = self.rows.codes[:, index].T, self.rows.numbers[:, index].T
        known = (modes >= 0) & (modes < np.array(self.sizes, np.int64))
        return Prototypes(
            np.ascontiguousarray(np.where(known, modes, self.overall.modes)),
            np.ascontiguousarray(np.where(np.isnan(numbers), self.overall.numbers, numbers)),
        )


class PrototypesRun(NamedTuple):
    """Result of k-prototypes from a start."""

    centers: Prototypes
    labels: Array
    cost: float
    n_iter: int
    converged: bool


def iterate(
    rows: FittedRows, centers: Prototypes, max_iter: int, report: Any = None
) -> PrototypesRun:
    """Assign rows to centers and move centers, in turn, until that lowers the cost no more."""
    weights = rows.weights
    labels, nearest = rows.rows.nearest(centers)
    cost = _total(nearest, weights)
    converged = False
    for n_iter in range(1, max_iter + 1):
        moved = rows.centers_of(labels, centers)
        _relocate(rows, moved, labels, nearest)
        if all(np.array_equal(*pair) for pair in zip(moved, centers, strict=True)):
            converged = True
            break
        before, centers = cost, moved
        labels, nearest = rows.rows.nearest(centers)
        cost = _total(nearest, weights)
        if report:
            report(f"iteration {n_iter}: cost {cost:.6g}")
        if not cost < before:
            converged = True
            break
    return PrototypesRun(centers, labels, cost, n_iter, converged)


def _total(nearest: Array, weights: Array | None) -> float:
    return float((nearest if weights is None else nearest * weights).sum())


def _relocate(rows: FittedRows, centers: Prototypes, labels: Array, nearest: Array) -> None:
    """Put the centers of empty clusters, in order, on the rows farthest from their own."""
    counted = labels if rows.weights is None else labels[rows.weights > 0]
    empty = np.flatnonzero(np.bincount(counted, minlength=len(centers.modes)) == 0)
    if not len(empty):
        return
    cost = nearest if rows.weights is None else np.where(rows.weights > 0, nearest, 0.0)
    far = np.argsort(-cost, kind="stable")[: len(empty)]
    far = far[cost[far] > 0]
    taken = rows.take(far)
    centers.modes[empty[: len(far)]] = taken.modes
    centers.numbers[empty[: len(far)]] = taken.numbers
