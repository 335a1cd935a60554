# SPDX-License-Identifier: BSD-3-Clause
"""Nonnegative factors with the least squared error, by coordinate descent on each side in turn.

With H fixed, each row of W is a nonnegative least squares problem whose Gram matrix H H' is shared
by all rows. Products with X cost far more than sweeps over the coordinates, so that a product is
followed by several sweeps (Gillis & Glineur 2012, doi:10.1162/NECO_a_00256). A block of rows gets
its new W and adds to the sums W'W and X'W while it is in cache: X is read once an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.decomposition.nonnegative import sweep_rows
from statfast._engine import checkpoint, each, fold
from statfast._typing import Array, Jobs
from statfast.decomposition.nonnegative.row_blocks import (
    RowBlock,
    padded,
    transposed_times,
)

INNER_TOL = 0.3  # of a row: sweeps after a product end at this share of its first violation
MAX_INNER_SWEEPS = 3  # after a product
ROWS_PER_SWEEP = 64  # a product of so many more rows or columns takes as long as another sweep
SWEEP_FLOP = 2e8  # operations of one call of the kernel that sweeps


@dataclass(frozen=True)
class Penalty:
    """Strengths of the l1 and the l2 penalty of W and of H, as the objective has them."""

    l1_of_W: float = 0.0
    l2_of_W: float = 0.0
    l1_of_H: float = 0.0
    l2_of_H: float = 0.0


@dataclass(frozen=True)
class FactorSums:
    """What H needs of W: W'W (k, k) and X'W (d, k), and how far W was from its optimum."""

    violation: float
    gram: Array
    products: Array

    def __add__(self, other: FactorSums) -> FactorSums:
        return FactorSums(
            self.violation + other.violation,
            self.gram + other.gram,
            self.products + other.products,
        )


def descend(
    blocks: list[RowBlock], W: Array, Ht: Array, penalty: Penalty, max_iter: int, tol: float,
    n_jobs: Any,
) -> tuple[Array, Array, int, bool]:  # fmt: skip
    """Factors W (n, k) and H' (d, k), the number of iterations, and whether they converged.

    Iterations end when the violation of the conditions of optimality, summed over both factors, is
    at most `tol` times that of the first iteration.
    """
    k = Ht.shape[1]
    wide, Ht, first = padded(W), Ht.copy(), 0.0
    effort = 4.0 * k * len(Ht) * len(W)
    sweeps_of_W = min(MAX_INNER_SWEEPS, 1 + len(Ht) // ROWS_PER_SWEEP)
    sweeps_of_H = min(MAX_INNER_SWEEPS, 1 + len(W) // ROWS_PER_SWEEP)
    for iteration in range(1, max_iter + 1):
        checkpoint()
        gram = _gram(Ht, penalty.l2_of_W)
        H = np.ascontiguousarray(Ht.T)

        def work(block: Any, H: Array = H, gram: Any = gram) -> Any:
            return _row_sums(block, wide[block.rows], H, gram, penalty.l1_of_W, sweeps_of_W)

        sums = fold(work, blocks, merge=FactorSums.__add__, n_jobs=n_jobs, effort=effort)
        gram = sums.gram + penalty.l2_of_H * np.eye(k)
        targets = sums.products - penalty.l1_of_H
        violation = sums.violation + _sweep(gram, targets, Ht, INNER_TOL, sweeps_of_H, n_jobs)
        first = first or violation
        if violation <= tol * first:
            return wide[:, :k].copy(), Ht, iteration, True
    return wide[:, :k].copy(), Ht, max_iter, False


def coefficients(
    blocks: list[RowBlock], n: int, Ht: Array, penalty: Penalty, max_iter: int, tol: float,
    n_jobs: Any,
) -> Array:  # fmt: skip
    """W (n, k) alone, with H fixed: each row on its own, from zeros, to `tol` of its violation."""
    k = Ht.shape[1]
    W = np.zeros((n, k))
    gram, H = _gram(Ht, penalty.l2_of_W), np.ascontiguousarray(Ht.T)

    def work(block: Any) -> None:
        targets = block.times(H) - penalty.l1_of_W
        _sweep_calls(gram, targets, W[block.rows], tol, max_iter)

    each(work, blocks, n_jobs=n_jobs, effort=2.0 * k * len(Ht) * n)
    return W


def _gram(Ht: Array, ridge: Any) -> Any:
    """H H' with a ridge on its diagonal, summed in a fixed order."""
    return transposed_times(Ht, padded(Ht), Ht.shape[1]) + ridge * np.eye(Ht.shape[1])


def _row_sums(block: Any, wide: Any, H: Array, gram: Any, l1: Any, most: Any) -> Any:
    """New W of a block, in its place, and what it adds to the sums for H."""
    k = len(H)
    targets = block.times(H) - l1
    W = np.ascontiguousarray(wide[:, :k])
    violation = _sweep_calls(gram, targets, W, INNER_TOL, most)
    wide[:, :k] = W
    return FactorSums(violation, transposed_times(W, wide, k), block.transposed_times(wide, k))


def _sweep(gram: Any, targets: Any, W: Array, tol: float, most: Any, n_jobs: Jobs) -> Any:
    """Sweep over the rows of W on threads; the sum of their violations, in the order of rows."""
    cuts = range(0, len(W), 4096)

    def work(start: Any) -> Any:
        rows = slice(start, start + 4096)
        return _sweep_calls(gram, targets[rows], W[rows], tol, most)

    return sum(each(work, cuts, n_jobs=n_jobs, effort=2.0 * most * W.size * len(gram)))


def _sweep_calls(gram: Any, targets: Any, W: Array, tol: float, most: Any) -> Any:
    """The same in calls that are short enough for Ctrl-C."""
    total, step = 0.0, max(1, int(SWEEP_FLOP / (2.0 * most * gram.size)))
    targets = np.ascontiguousarray(targets)
    for start in range(0, len(W), step):
        checkpoint()
        rows = slice(start, start + step)
        total += sweep_rows(gram, targets[rows], most, tol, W[rows])
    return total
