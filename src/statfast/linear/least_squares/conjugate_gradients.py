# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression of sparse rows by conjugate gradients, without a matrix of the columns.

The normal equations of the columns about their means are solved by products with the rows alone,
preconditioned by their diagonal (Hestenes and Stiefel 1952, doi:10.6028/jres.049.044), once more
for what rounding has left of them. The penalty bounds their condition, by which the iterations are
few; where they are not, the triangular factor of the columns is cheaper, and as exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array

# The residual to reach, relative to the right-hand sides, in the preconditioner's norm.
TOLERANCE = 1e-14
MAX_ROUNDS = 3  # Each round starts from residuals that are computed anew.
# The most iterations of a round, for each column or for each row, if those are fewer.
ITERATIONS_PER_COLUMN = 4
MAX_CONDITION = 1e9  # Above this condition the solution of the normal equations has too few digits.


def ridge_by_products(X: Any, Y: Any, weights: Array | None, alphas: Any, intercept: bool) -> Any:
    """Coefficients (T, d), intercepts (T,) and the iterations, or None where they do not end.

    `X` (n, d) is CSR, `Y` (n, T), `alphas` (T,) are positive.
    """
    n, d = X.shape
    w = np.ones(n) if weights is None else weights
    total_weight = float(w.sum())
    turned = X.T
    with np.errstate(all="ignore"):
        mean = turned @ w / total_weight if intercept else np.zeros(d)
        target = w @ Y / total_weight if intercept else np.zeros(Y.shape[1])
        squared = type(X)((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
        squares = np.maximum(squared.T @ w - total_weight * mean**2, 0.0)
        if not float(squares.sum()) <= MAX_CONDITION * alphas.min():
            return None
        system = _Normal(X, turned, w[:, None], mean, alphas)
        right = system.transposed_product(Y - target)
        if not np.isfinite(right).all():
            return None
        divisor = squares[:, None] + alphas
        coef, rest, n_iter = np.zeros(right.shape), right, 0
        goal = TOLERANCE**2 * (right * right / divisor).sum(axis=0)
        for _ in range(MAX_ROUNDS):
            solved = _solved(system, rest, divisor, goal, ITERATIONS_PER_COLUMN * min(n, d))
            if solved is None:
                return None
            coef, n_iter = coef + solved[0], n_iter + solved[1]
            rest = right - system(coef)
            if ((rest * rest / divisor).sum(axis=0) <= 4.0 * goal).all():
                break
    return coef.T, target - mean @ coef, n_iter


class _Normal:
    """(Z'WZ + alpha) B for each column of B with its alpha; Z are the columns about their means."""

    def __init__(self, X: Any, turned: Any, w: Array, mean: Any, alphas: Any) -> None:
        self.X, self.turned, self.w, self.mean, self.alphas = X, turned, w, mean, alphas

    def transposed_product(self, values: Array) -> Any:
        """Z'W values."""
        values = self.w * values
        return _product(self.turned, values) - np.outer(self.mean, values.sum(axis=0))

    def __call__(self, B: Array) -> Any:
        return self.transposed_product(_product(self.X, B) - self.mean @ B) + self.alphas * B


def _product(X: Any, table: Any) -> Any:
    """Of one column, a vector's: for which the loops over nonzeros are far quicker."""
    if table.shape[1] == 1:
        return (X @ np.ascontiguousarray(table[:, 0]))[:, None]
    return X @ table


def _solved(system: Any, right: Any, divisor: Any, goal: float, most: Any) -> Any:
    """Solutions for all right-hand sides, each by its own iteration, until all reach the goal, and
    their number; None if so many do not do."""
    out, rest = np.zeros(right.shape), right
    direction = turned = rest / divisor
    norm = (rest * turned).sum(axis=0)
    for n_iter in range(most + 1):
        going = norm > goal
        if not going.any():
            return out, n_iter
        checkpoint()
        image = system(direction)
        length = np.where(going, norm / (direction * image).sum(axis=0), 0.0)
        out = out + length * direction
        rest = rest - length * image
        turned = rest / divisor
        after = np.where(going, (rest * turned).sum(axis=0), norm)
        direction = turned + np.where(going, after / norm, 0.0) * direction
        norm = after
    return None
