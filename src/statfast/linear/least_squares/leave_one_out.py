# SPDX-License-Identifier: BSD-3-Clause
"""What each row is predicted to be by the fit to all others: residuals over one less leverage.

Allen (1974), doi:10.1080/00401706.1974.10489157; it holds for ridge, too, whose rows of penalties
stay. Where the leverage is near 1, little is left of the row's residual: such rows are fitted anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from statfast._core.linalg.leverages import residuals_left_out
from statfast._engine import each, grid, interruptible
from statfast._estimator import (
    ProductFits,
    StoredLeftOut,
    checks_of_all_rows,
    left_out_plan,
)
from statfast._typing import Array, Jobs
from statfast._validation import is_sparse
from statfast.linear.design.design import table_of

MIN_REST = 1e-5  # Where less than this is left of 1 - h, the row's residual has lost five digits.
# Rows of a call of the kernel, which packs the root anew, and the work of it.
MIN_ROWS_OF_CALL, MAX_ROWS_OF_CALL, MULTIPLICATIONS_OF_CALL = 2048, 16384, 1e9
MAX_REFITS = 16  # For more uncertain rows, fits from merged statistics take less time.


class LinearFit(NamedTuple):
    """A fit, by which the leverage of x is w (|(x - center)' root|^2 + 1 / total_weight)."""

    coef: Array  # (T, p)
    intercept: Array  # (T,)
    root: Array  # (p, r)
    center: Array  # (p,)
    total_weight: float | None  # None: there is no intercept.

    def values(self, rows: Array) -> Array:
        """What is predicted of rows, (b, T)."""
        return interruptible(np.matmul, rows, self.coef.T) + self.intercept

    def scores(self, rows: Array) -> Array:
        """Rows (b, r + 1) whose products with each other are leverages between them."""
        scores = np.empty((len(rows), self.root.shape[1] + 1))
        scores[:, :-1] = interruptible(np.matmul, rows - self.center, self.root)
        scores[:, -1] = self.share
        return scores

    @property
    def share(self) -> float:
        """The last score of each row, that of the intercept."""
        return 0.0 if self.total_weight is None else float(self.total_weight**-0.5)


def dense_rows(rows: Any) -> Array:
    """New rows of any kind as an array of float64."""
    table = table_of(rows, finite=False)
    return np.asarray(table.toarray() if is_sparse(table) else table, dtype=np.float64)


@dataclass(frozen=True)
class LinearLeftOutFits(ProductFits):
    """The fits to all rows but one, of one target: each is the fit to all less a multiple of the
    leverages between its row and others."""

    fit: LinearFit
    target: int
    answers: Array  # (n,)
    row_scores: Array  # (n, r + 1) by which leverages are products
    factors: Array  # (n,) left-out residuals times weights

    def project(self, rows: Any) -> tuple[Array, Array]:
        points = dense_rows(rows)
        return self.fit.values(points)[:, self.target], self.fit.scores(points)


def left_out_fits(
    rows: Any, Y: Array, weights: Array | None, fit: LinearFit | None, n_jobs: Jobs
) -> StoredLeftOut | None:
    """The fits without each row; None where the leverage of one is too near 1."""
    if fit is None:
        return None
    r = fit.root.shape[1]
    scores = np.empty((len(Y), r + Y.shape[1]))
    left_out, certain = residuals_of_rows(rows, Y, weights, fit, n_jobs, scores)
    if not certain.all():
        return None
    answers = Y - left_out
    factors = left_out if weights is None else weights[:, None] * left_out
    fits = [
        LinearLeftOutFits(
            fit, t, answers[:, t], scores[:, : r + 1], np.ascontiguousarray(factors[:, t])
        )
        for t in range(Y.shape[1])
    ]
    return StoredLeftOut(fits, np.abs(left_out), weights)


@dataclass(frozen=True)
class LinearFullFits:
    """The fits to all rows and a new one, of one target, of any value y of that.

    With the value v that the fit to the rows predicts of the new one, its leverage s over them and
    those g between it and each row, residuals are t = (y - v) / (1 + s) and r - g t, so that
    |t| <= |r - g t| between two roots: r / (1 + g) and -r / (1 - g), if |g| < 1.
    """

    fit: LinearFit
    residuals: Array  # (n,)
    scores: Array  # (n, r + 1)

    def bounds(self, rows: Any) -> tuple[Array, Array]:
        points = dense_rows(rows)
        scores = self.fit.scores(points)
        g: Array = interruptible(np.matmul, scores, self.scores.T)
        unbounded = np.abs(g) >= 1.0
        g[unbounded] = 0.0
        one_end, other_end = self.residuals / (1.0 + g), -self.residuals / (1.0 - g)
        stretch = 1.0 + (scores**2).sum(axis=1)[:, None]
        values = self.fit.values(points)
        low = values + stretch * np.minimum(one_end, other_end)
        high = values + stretch * np.maximum(one_end, other_end)
        low[unbounded], high[unbounded] = -np.inf, np.inf
        return low, high


def full_fits(rows: Array, Y: Array, fit: LinearFit) -> LinearFullFits:
    """The fits to all rows and a new one of weight 1."""
    table = np.asarray(rows, dtype=np.float64)
    return LinearFullFits(fit, (Y - fit.values(table))[:, 0], fit.scores(table))


def predict_left_out(
    rows: Array, Y: Array, weights: Array | None, fit: LinearFit, n_jobs: Jobs
) -> tuple[Array, Array]:
    """Predictions (n, T), and whether they are certain (n,)."""
    left_out, certain = residuals_of_rows(rows, Y, weights, fit, n_jobs)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.subtract(Y, left_out, out=left_out), certain


class LeftOutByLeverages:
    """Mixin: rows that are left out, or that are new, by the leverages of a fit."""

    _prepare: Any
    n_jobs: Jobs
    _linear_fit: Any  # The fit of columns with its leverages, or None where it has none.

    def _plan_folds(self, task: Any) -> Any:
        plan = left_out_plan(self, task, type(self)._predict_left_out)
        return plan or super()._plan_folds(task)  # type: ignore[misc]

    def _predict_left_out(self, X: Any, y: Any, sample_weight: Any, method: str) -> Any:
        """Predictions of each row by a fit to all others; None where no formula gives them."""
        if method != "predict" or is_sparse(X):
            return None
        with checks_of_all_rows():
            columns, state = self._prepare(X, y, sample_weight)
        known = self._linear_fit(columns, state)
        if known is None:
            return None
        rows, Y, weights = columns
        _, is_one_target = state.more
        out, certain = predict_left_out(rows, Y, weights, known, self.n_jobs)
        if not refit_uncertain(self, columns, state, out, certain):
            return None
        out = out.astype(rows.dtype, copy=False)
        return out[:, 0] if is_one_target else out

    def _full_fits(self, X: Any, y: Array, weights: Array | None) -> LinearFullFits | None:
        columns, state = self._prepare(X, y, weights)
        known = self._linear_fit(columns, state)
        return None if known is None else full_fits(columns[0], columns[1], known)


def residuals_of_rows(
    rows: Array,
    Y: Array,
    weights: Array | None,
    fit: LinearFit,
    n_jobs: Jobs,
    scores: Array | None = None,
) -> tuple[Array, Array]:
    """Residuals (n, T) by the fits without each row, and whether they are certain (n,); `scores`
    (n, r + T) has room for those of the rows, which fill r + 1 columns of it."""
    n = len(rows)
    both = np.ascontiguousarray(np.vstack([fit.root.T, fit.coef]))
    center = np.ascontiguousarray(fit.center, dtype=np.float64)
    middle = np.ascontiguousarray(fit.intercept + fit.coef @ fit.center)
    out, certain = np.empty(Y.shape), np.empty(n, dtype=bool)
    mark = certain.view(np.uint8)

    def work(where: slice) -> None:
        block = rows[where]
        if block.dtype not in (np.float64, np.float32) or block.strides[1] != block.itemsize:
            block = np.ascontiguousarray(block, dtype=np.float64)
        share = None if weights is None else weights[where]
        room = np.empty((len(block), len(both))) if scores is None else scores[where]
        residuals_left_out(
            block, Y[where], share, center, both, middle, fit.share, MIN_REST, room, out[where],
            mark[where],
        )  # fmt: skip

    products = max(both.size, 1)
    most = max(64, min(MAX_ROWS_OF_CALL, int(MULTIPLICATIONS_OF_CALL / products)))
    blocks = grid(n, least=min(MIN_ROWS_OF_CALL, most), most=most)
    each(work, blocks, n_jobs=n_jobs, effort=4.0 * n * products)
    return out, certain


def refit_uncertain(model: Any, columns: Any, state: Any, out: Array, certain: Array) -> bool:
    """Fill in the rows that are not certain; False if there are too many, or no fit without one."""
    odd = np.flatnonzero(~certain)
    if len(odd) > MAX_REFITS:
        return False
    for row in odd:
        kept = np.arange(len(out)) != row
        remaining = tuple(None if column is None else column[kept] for column in columns)
        refit = type(model)(**model.get_params(deep=False))
        try:
            refit._solve(refit._statistics(remaining, state), state)
        except ValueError:
            return False
        out[row] = refit.predict(np.asarray(columns[0][row : row + 1], dtype=np.float64))[0]
    return True
