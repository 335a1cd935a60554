# SPDX-License-Identifier: BSD-3-Clause
"""Errors of ridge regression on rows left out, for many penalties from one decomposition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import each, grid, interruptible
from statfast._typing import Array, Jobs, Matrix
from statfast.linear.least_squares.ridge_decomposition import (
    MIN_SLACK,
    Decomposition,
    RowDecomposition,
)


def gcv_errors(
    singular: Decomposition, alphas: Array, n: int, weights: Array | None, intercept: bool
) -> Array:
    """GCV (A, T) for each penalty: RSS / n over (1 - df / n)^2, n the sum of the weights."""
    total = _total_weight(weights, n)
    used = n if weights is None else np.count_nonzero(weights)
    rank, rest = len(singular.s), np.zeros(singular.c.shape[1])
    # Otherwise the columns fit the rows perfectly, and the rest is rounding.
    if rank + intercept < used:
        rest = np.maximum(singular.spread - (singular.c**2).sum(0), 0.0)
    shares = alphas[:, None] / (singular.s**2 + alphas[:, None])
    rss = rest + shares**2 @ singular.c**2
    # This is 1 - df / n, to all digits.
    freedom = ((total - intercept - rank + shares.sum(axis=1)) / total)[:, None]
    if not (freedom > 1e-12).any():
        raise ValueError(
            f"criterion='gcv' needs more rows, by weight, than degrees of freedom; got {total:.6g}."
            " Use criterion='loo', or add rows."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(freedom > 1e-12, rss / total / freedom**2, np.inf)


def squares_left_out(
    singular: Decomposition, rows: Matrix, Y: Array, weights: Array | None, alphas: Array,
    intercept: bool, n_jobs: Jobs,
) -> Array:  # fmt: skip
    """Mean squared errors (A, T) of each row predicted from the others, for each penalty."""
    if isinstance(singular, RowDecomposition):
        total = (singular.left_out(alphas, intercept) ** 2).sum(axis=0)
    else:
        work = _errors_of_block(singular, rows, Y, weights, alphas, intercept)

        def squares(where: slice) -> Array:
            # The square of the error of a row of weight 0 might overflow.
            root = 1.0 if weights is None else np.sqrt(weights[where])[:, None, None]
            return ((root * work(where)) ** 2).sum(axis=0)

        parts = each(squares, grid(len(Y)), n_jobs=n_jobs, effort=_effort(singular, Y, alphas))
        total = sum(parts[1:], parts[0])
    return total.T / _total_weight(weights, len(Y))


def predictions_left_out(
    singular: Decomposition, rows: Matrix, Y: Array, weights: Array | None, alphas: Array,
    intercept: bool, n_jobs: Jobs,
) -> Array:  # fmt: skip
    """What each row is predicted from the others (n, T, A), for each penalty."""
    if isinstance(singular, RowDecomposition):
        seen = singular.root > 0.0
        coefs, intercepts = singular.coefs(alphas)
        A, T, d = coefs.shape
        fits = (rows @ coefs.reshape(A * T, d).T).reshape(-1, A, T) + intercepts
        out = np.ascontiguousarray(fits.transpose(0, 2, 1))  # of rows without weight it is that
        errors = singular.left_out(alphas, intercept)[seen] / singular.root[seen, None, None]
        out[seen] = Y[seen, :, None] - errors
        return out
    work = _errors_of_block(singular, rows, Y, weights, alphas, intercept)
    effort = _effort(singular, Y, alphas)
    return Y[:, :, None] - np.concatenate(each(work, grid(len(Y)), n_jobs=n_jobs, effort=effort))


def _errors_of_block(
    singular: Decomposition, rows: Matrix, Y: Array, weights: Array | None, alphas: Array,
    intercept: bool,
) -> Callable[[slice], Array]:  # fmt: skip
    """A function of some rows: the errors (m, T, A) of each predicted from the others, which leaves
    it out with all of its weight."""
    shrink = 1.0 / (singular.s[:, None] ** 2 + alphas)  # (r, A)
    fits = singular.s[:, None, None] * shrink[:, None, :] * singular.c[:, :, None]  # (r, T, A)
    r, T, A = fits.shape
    total_weight = _total_weight(weights, len(Y))

    def work(where: slice) -> Array:
        block: Any = rows[where]
        block = block.toarray() if hasattr(block, "indptr") else block
        moved = np.ascontiguousarray(block, dtype=np.float64) - singular.mean
        turned = interruptible(np.matmul, moved, singular.V)
        w = np.ones(len(turned)) if weights is None else weights[where]
        fitted = (turned @ fits.reshape(r, T * A)).reshape(-1, T, A)
        errors = (Y[where] - singular.target)[:, :, None] - fitted
        leverage = w[:, None] * (turned**2 @ shrink + intercept / total_weight)
        return errors / np.maximum(1.0 - leverage, MIN_SLACK)[:, None, :]

    return work


def _effort(singular: Decomposition, Y: Array, alphas: Array) -> float:
    """Operations, of which BLAS does several in the time of one."""
    r, T = singular.c.shape
    return 0.5 * len(Y) * r * (r + T * len(alphas))


def _total_weight(weights: Array | None, n: int) -> float:
    return float(n if weights is None else weights.sum())
