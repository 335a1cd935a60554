# SPDX-License-Identifier: BSD-3-Clause
"""Nonnegative factors with the least beta divergence, by multiplicative updates.

Each entry is multiplied by the share of the positive in the negative part of its slope, which never
raises the divergence (Lee & Seung 2001, Advances in Neural Information Processing Systems 13;
Févotte & Idier 2011, doi:10.1162/NECO_a_00168, for the power that other betas need). A block of
rows gets its new W, and adds to the sums that H needs, while it is in cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import checkpoint, each, fold
from statfast._typing import Array
from statfast.decomposition.nonnegative.coordinate_descent import Penalty
from statfast.decomposition.nonnegative.divergence import (
    MIN_FITTED,
    distance,
    products_at,
    row_distances,
)
from statfast.decomposition.nonnegative.row_blocks import (
    RowBlock,
    padded,
    times,
    transposed_times,
)

ITERATIONS_PER_CHECK = 10  # between two looks at the divergence


@dataclass(frozen=True)
class Slopes:
    """The negative and the positive part of the slope of H' (d, k), as sums over rows."""

    negative: Array
    positive: Array

    def __add__(self, other: Slopes) -> Slopes:
        return Slopes(self.negative + other.negative, self.positive + other.positive)


@dataclass(frozen=True)
class Updates:
    """What an update has to know: the divergence, the penalty, and the threads."""

    beta: float
    penalty: Penalty
    n_jobs: Any

    @property
    def power(self) -> float:
        """Of the factors that entries are multiplied by."""
        if self.beta < 1.0:
            return 1.0 / (2.0 - self.beta)
        return 1.0 / (self.beta - 1.0) if self.beta > 2.0 else 1.0

    def updated(self, factor: Array, slopes: Slopes, l1: float, l2: float) -> Array:
        """A factor after its update."""
        below = slopes.positive + l1 + l2 * factor
        share = slopes.negative / np.where(below == 0.0, MIN_FITTED, below)
        return factor * (share if self.power == 1.0 else share**self.power)


def multiply(
    blocks: list[RowBlock], W: Array, Ht: Array, updates: Updates, max_iter: int, tol: float
) -> tuple[Array, Array, int, bool]:
    """Factors W (n, k) and H' (d, k), the number of iterations, and whether they converged.

    Iterations end when `distance` has fallen, in the last ten, by at most `tol` times that of the
    start.
    """
    W, penalty = W.copy(), updates.penalty
    effort = 8.0 * W.size * len(Ht)
    first = before = distance(blocks, W, Ht, updates.beta, updates.n_jobs)
    for iteration in range(1, max_iter + 1):
        checkpoint()

        def work(block: Any, Ht: Array = Ht) -> Any:
            return _block_slopes(block, W, Ht, updates)

        slopes = fold(work, blocks, merge=Slopes.__add__, n_jobs=updates.n_jobs, effort=effort)
        Ht = updates.updated(Ht, slopes, penalty.l1_of_H, penalty.l2_of_H)
        if updates.beta <= 1.0:  # tiny entries end as zeros: their logarithms do not return
            Ht = np.where(Ht < np.finfo(np.float64).eps, 0.0, Ht)
        if tol > 0.0 and iteration % ITERATIONS_PER_CHECK == 0:
            now = distance(blocks, W, Ht, updates.beta, updates.n_jobs)
            if before - now <= tol * first:
                return W, Ht, iteration, True
            before = now
    return W, Ht, max_iter, False


def coefficients_by_updates(
    blocks: list[RowBlock], n: int, Ht: Array, updates: Updates, max_iter: int, tol: float
) -> Array:
    """W (n, k) alone, with H fixed, each row on its own.

    A row begins with equal coefficients whose product has its sum, and ends as `multiply` does, by
    its own distances.
    """
    k = Ht.shape[1]
    out, total = np.zeros((n, k)), float(Ht.sum())

    def work(block: Any) -> None:
        rows = np.arange(block.first, block.stop)
        active = RowBlock(0, len(rows), block.X)
        sums = np.asarray(block.X.sum(axis=1, dtype=np.float64)).reshape(-1, 1)
        W = np.repeat(sums / total if total > 0.0 else np.zeros_like(sums), k, axis=1)
        first = before = row_distances(active, W, Ht, updates.beta)
        for iteration in range(1, max_iter + 1):
            checkpoint()
            W = _updated_rows(active, W, Ht, updates)
            if tol > 0.0 and iteration % ITERATIONS_PER_CHECK == 0:
                now = row_distances(active, W, Ht, updates.beta)
                goes_on = before - now > tol * first
                out[rows[~goes_on]] = W[~goes_on]
                rows, W, first, before = (x[goes_on] for x in (rows, W, first, now))
                if len(rows) == 0:
                    return
                active = RowBlock(0, len(rows), active.X[goes_on])
        out[rows] = W

    each(work, blocks, n_jobs=updates.n_jobs, effort=4.0 * out.size * len(Ht) * max_iter)
    return out


def _updated_rows(block: Any, W: Array, Ht: Array, updates: Any) -> Any:
    """W of a block after an update."""
    penalty = updates.penalty
    slopes = _row_slopes(block, W, Ht, updates.beta)
    return updates.updated(W, slopes, penalty.l1_of_W, penalty.l2_of_W)


def _block_slopes(block: Any, all_rows: Any, Ht: Array, updates: Any) -> Any:
    """Update the rows of a block in their place; what they add to the slopes of H."""
    W = all_rows[block.rows] = _updated_rows(block, all_rows[block.rows], Ht, updates)
    wide, k, beta = padded(W), W.shape[1], updates.beta
    if beta == 2.0:
        gram = transposed_times(W, wide, k)
        return Slopes(block.transposed_times(wide, k), times(Ht, gram))
    if beta == 1.0:
        ones = np.broadcast_to(W.sum(axis=0), Ht.shape)
        return Slopes(_quotients(block, W, Ht).transposed_times(wide, k), ones)
    X, fitted = block.dense(), np.maximum(times(W, Ht), MIN_FITTED)
    negative = transposed_times(X * fitted ** (beta - 2.0), wide, k)
    return Slopes(negative, transposed_times(fitted ** (beta - 1.0), wide, k))


def _row_slopes(block: Any, W: Array, Ht: Array, beta: float) -> Any:
    """The negative and the positive part of the slope of the rows' W."""
    H = np.ascontiguousarray(Ht.T)
    if beta == 2.0:
        gram = transposed_times(Ht, padded(Ht), len(H))
        return Slopes(block.times(H), times(W, gram))
    if beta == 1.0:
        ones = np.broadcast_to(Ht.sum(axis=0), W.shape)
        return Slopes(_quotients(block, W, Ht).times(H), ones)
    X, fitted = block.dense(), np.maximum(times(W, Ht), MIN_FITTED)
    return Slopes(times(X * fitted ** (beta - 2.0), H), times(fitted ** (beta - 1.0), H))


def _quotients(block: Any, W: Array, Ht: Array) -> Any:
    """X / (W H) of a block; of sparse rows where they store a value."""
    if not block.is_sparse:
        fitted = np.maximum(times(W, Ht), MIN_FITTED)
        return RowBlock(block.first, block.stop, np.divide(block.dense(), fitted, out=fitted))
    from scipy.sparse import csr_array

    values = block.X.data / np.maximum(products_at(block, W, Ht), MIN_FITTED)
    X = csr_array((values, block.X.indices, block.X.indptr), shape=block.X.shape)
    return RowBlock(block.first, block.stop, X)
