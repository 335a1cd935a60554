# SPDX-License-Identifier: BSD-3-Clause
"""Products of the rows of a model with coefficients, and back: all that its fit needs of them,
where columns are so many that no matrix of them should be made.

z is the row less a shift, in units of a scale, after a 1 if there is an intercept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import checkpoint, reduce
from statfast._typing import Array, Jobs, Matrix
from statfast.linear.design.standardization import Standardization

NUMBERS_IN_CACHE = 1 << 17  # The rows of a block stay in cache between two products.


class SparseProducts:
    """Of CSR rows as they are, neither shifted nor scaled; in one thread."""

    def __init__(self, X: Matrix, intercept: bool) -> None:
        self.X, self.turned, self.n_intercepts = X, X.T, int(intercept)

    def values(self, coef: Array) -> Array:
        """Z coef, (n, K)."""
        out = _products(self.X, coef[self.n_intercepts :])
        if self.n_intercepts:
            out += coef[0]
        return out

    def correlate(self, scores: Array) -> Array:
        """Z' scores, (q, K)."""
        return self._transposed_product(self.turned, scores)

    def normal(self, coef: Array, times: Callable[..., Any], curve: Array) -> Array:
        """Z' times(curve, Z coef)."""
        return self.correlate(times(curve, self.values(coef)))

    def squares(self, weights: Array) -> Array:
        """Sums of the weighted squares of the columns, (q, K)."""
        with np.errstate(over="ignore"):  # An infinite curvature is refused where steps are made.
            X, data = self.X, np.square(self.X.data, dtype=np.float64)
        return self._transposed_product(
            type(X)((data, X.indices, X.indptr), shape=X.shape).T, weights
        )

    def _transposed_product(self, columns: Matrix, scores: Array) -> Array:
        out = np.empty((columns.shape[0] + self.n_intercepts, scores.shape[1]))
        out[self.n_intercepts :] = _products(columns, scores)
        if self.n_intercepts:
            out[0] = scores.sum(axis=0)
        return out


def _products(X: Matrix, table: Array) -> Array:
    """Of one column, a vector's: for which the loops over nonzeros are far quicker."""
    if table.shape[1] == 1:
        return (X @ np.ascontiguousarray(table[:, 0]))[:, None]
    return X @ table


class DenseProducts:
    """Of dense rows, in memory or in a file, or `Chunks`."""

    def __init__(self, rows: Any, frame: Standardization, n: int, n_jobs: Jobs) -> None:
        self.rows, self.frame, self.n, self.n_jobs = rows, frame, n, n_jobs
        self.n_intercepts = int(frame.intercept)
        self.p = len(frame.shift)

    def _total(self, work: Callable[..., Any], aligned: Any, n_values: int) -> Array | None:
        """The sum of ``work(where, block, *aligned)`` over blocks of rows."""
        least = max(64, NUMBERS_IN_CACHE // max(1, self.p))

        def partial(where: slice, block: Array, *parts: Array) -> Array | None:
            checkpoint()
            return work(where, block.astype(np.float64, copy=False), *parts)

        def merge(total: Any, more: Any) -> Any:
            if total is not None:
                total += more
            return total

        return reduce(
            partial, self.rows, *aligned, merge=merge, n_jobs=self.n_jobs, least=least,
            effort=4.0 * self.n * self.p * n_values,
        )  # fmt: skip

    def _inner(self, coef: Array) -> tuple[Array, Array]:
        """Coefficients of the rows as they are, and what to add to their products."""
        inner = coef[self.n_intercepts :] * self.frame.scale[:, None]
        return inner, (coef[0] if self.n_intercepts else 0.0) - self.frame.shift @ inner

    def values(self, coef: Array) -> Array:
        """Z coef, (n, K)."""
        out = np.empty((self.n, coef.shape[1]))
        inner, added = self._inner(coef)

        def work(where: slice, block: Array, part: Array) -> None:
            out[where] = block @ inner + added

        self._total(work, (out,), coef.shape[1])
        return out

    def _transposed_product(self, block: Array, scores: Array) -> Array:
        """Z' scores of a block, except for the scale."""
        total = scores.sum(axis=0)
        products = block.T @ scores - self.frame.shift[:, None] * total
        return np.vstack([total[None], products]) if self.n_intercepts else products

    def _scaled(self, table: Any) -> Array:
        table[self.n_intercepts :] *= self.frame.scale[:, None]
        return table

    def correlate(self, scores: Array) -> Array:
        """Z' scores, (q, K)."""
        total = self._total(
            lambda where, block, part: self._transposed_product(block, part),
            (scores,),
            scores.shape[1],
        )
        return self._scaled(total)

    def normal(self, coef: Array, times: Any, curve: Array) -> Any:
        """Z' times(curve, Z coef), in one reading of the rows."""
        inner, added = self._inner(coef)

        def work(where: slice, block: Any, part: Any) -> Any:
            return self._transposed_product(block, times(part, block @ inner + added))

        return self._scaled(self._total(work, (curve,), 2 * coef.shape[1]))

    def squares(self, weights):
        """Sums of the weighted squares of the columns, (q, K)."""

        def work(where: slice, block: Any, part: Any) -> Any:
            squares = (block - self.frame.shift) ** 2
            total = squares.T @ part
            return np.vstack([part.sum(axis=0)[None], total]) if self.n_intercepts else total

        total = self._total(work, (weights,), weights.shape[1])
        total[self.n_intercepts :] *= self.frame.scale[:, None] ** 2
        return total
