# SPDX-License-Identifier: BSD-3-Clause
"""Centers that learn from one batch of rows after another, and when to stop.

Sculley 2010, doi:10.1145/1772690.1772862: each row of a batch moves its nearest center towards it
by one part in as many rows as that center has had. The rows of a batch are taken together, so that
the center moves to the mean of all of them in one step.
"""

from __future__ import annotations

import copy
from operator import add
from typing import Any

import numpy as np

from statfast._core.kmeans import differences
from statfast._core.kmeans.yinyang import add_up
from statfast._typing import Array, Jobs
from statfast.cluster.kmeans.block_passes import scatter, sweep
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.data import fits_one_call

ROWS_PER_CENTER = 10  # rows for each center, between two relocations of centers that have too few
IMPROVED_SHARE = 0.999  # of the least inertia so far: a batch below it is an improvement
MAX_RELOCATED_SHARE = 0.5  # of the rows of a batch: so many centers are relocated at a time


class Batches:
    """The state of the centers between batches.

    Attributes
    ----------
    centers : ndarray of shape (k, d), float64
    mass : ndarray of shape (k,), float64
        Weight of the rows whose mean each center is.
    dtype : numpy.dtype
        That of the centers for the user.
    """

    def __init__(
        self,
        centers: Array,
        dtype: np.dtype[Any],
        ratio: float,
        rng: np.random.Generator,
        n_jobs: Jobs,
    ) -> None:
        self.centers, self.weight = centers, np.zeros(len(centers))
        self.dtype, self._ratio, self._rng, self._n_jobs = dtype, ratio, rng, n_jobs
        self._seen = 0.0

    def copied(self, ratio: float, n_jobs: Jobs) -> Batches:
        """A copy with other parameters."""
        batches = copy.deepcopy(self)
        batches._ratio, batches._n_jobs = ratio, n_jobs
        return batches

    def rounded(self) -> Array:
        """The centers as the user will see them, in float64."""
        return self.centers.astype(self.dtype).astype(np.float64)

    def learn(self, rows: Any, weights: Array | None) -> tuple[float, float]:
        """Move the centers by a batch.

        Returns
        -------
        cost : float
            The inertia of the batch before, per unit of weight.
        shift : float
            Squared distance by which all centers moved.
        """
        before, k = self.centers, len(self.centers)
        step, cost = (
            self._in_one_call(rows, weights)
            if fits_one_call(rows, k)
            else self._sweep(rows, weights)
        )
        total = step.mass.sum()
        known, self.weight = self.weight, self.weight + step.mass
        sums = before * known[:, None] + step.sums
        whole = np.where(step.mass > 0, self.weight, 1.0)[:, None]
        self.centers = np.where(step.mass[:, None] > 0, sums / whole, before)
        with np.errstate(over="ignore"):  # an infinite shift is above any tolerance
            shift = float(np.square(self.centers - before).sum())
        self._seen += total
        if self._ratio > 0 and (self._seen >= ROWS_PER_CENTER * k or not self.weight.all()):
            self._seen = 0.0
            self._relocate(rows, weights)
        return (cost / total if total else 0.0), shift

    def _in_one_call(self, rows: Any, weights: Array | None) -> tuple[KMeansStatistics, float]:
        """Statistics and inertia of a batch of few rows."""
        X = np.ascontiguousarray(rows.matrix, dtype=np.float64)
        labels, squares = np.zeros(len(X), np.int32), np.empty(len(X))
        differences.iterate(X, None, self.centers, False, 0.0, 0, labels, squares)
        step = KMeansStatistics._of_none(*self.centers.shape)
        add_up(X, weights, labels, step.sums, step.mass)
        return step, float((squares if weights is None else squares * weights).sum())

    def _sweep(self, rows: Any, weights: Array | None) -> tuple[KMeansStatistics, float]:
        """Statistics and inertia of a batch."""
        labels = np.full(rows.shape[0], -1, np.int32)
        centers = self.centers
        frame = rows.frame(centers)

        def partial(
            where: slice, X: Any, weights: Array | None, labels: Array
        ) -> tuple[KMeansStatistics, float]:
            step = KMeansStatistics._of_none(*centers.shape)
            X.step(frame, labels, weights, step)
            return step, scatter(X, weights, frame, labels)

        def merge(a: Any, b: Array) -> Any:
            return a[0].merge(b[0]), add(a[1], b[1])

        return sweep(
            partial, rows, weights, labels, merge=merge, size=centers.size, n_jobs=self._n_jobs
        )

    def _relocate(self, rows: Any, weights: Array | None) -> None:
        """Move centers of little weight to rows of the batch, drawn without replacement."""
        (light,) = (self.weight < self._ratio * self.weight.max()).nonzero()
        if not len(light):
            return
        weighted = np.arange(rows.shape[0]) if weights is None else np.flatnonzero(weights)
        most = min(int(MAX_RELOCATED_SHARE * rows.shape[0]), len(weighted))
        if len(light) > most:
            light = light[np.argsort(self.weight[light], kind="stable")[:most]]
        if not len(light):
            return
        kept_weights = np.delete(self.weight, light)
        drawn = self._rng.choice(weighted, len(light), replace=False)
        self.centers[light] = rows.take(drawn)
        self.weight[light] = kept_weights.min()


class Ending:
    """Whether batches still lower the inertia, smoothed by a moving average over batches.

    Parameters
    ----------
    tol : float
        Squared shift of the centers that ends it; 0 never does.
    patience : int or None
        Batches that end it if none of them improves the average by a thousandth.
    share : float
        The share of the average that a new batch gets.
    """

    def __init__(self, tol: float, patience: int | None, share: float) -> None:
        self._tol, self._patience, self._share = tol, patience, share
        self._least, self._vain = np.inf, 0
        self.cost: Any = None

    def reached(self, cost: float, shift: float, n_steps: int) -> bool:
        """Whether this batch, the n-th, is the last."""
        if n_steps == 1:  # its inertia is that of the start
            self.cost = cost
            return False
        if n_steps == 2:
            self.cost = cost
        else:
            self.cost += self._share * (cost - self.cost)
        if self._tol > 0.0 and shift <= self._tol:
            return True
        self._vain += 1
        if self.cost < IMPROVED_SHARE * self._least:
            self._least, self._vain = self.cost, 0
        return self._patience is not None and self._vain >= self._patience
