# SPDX-License-Identifier: BSD-3-Clause
"""Least squares of sparse rows of many columns, by products with the rows alone.

LSMR (Fong & Saunders 2011, doi:10.1137/10079687X) bidiagonalizes the columns about their means: it
neither makes a matrix of them nor squares their condition, and of several solutions it ends at the
shortest.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.linear.design.column_scaling import OUT_OF_RANGE, VANISHED
from statfast.linear.least_squares.lstsq import LeastSquaresSolution
from statfast.linear.least_squares.qr import MAX_VALUE

# The most iterations, for each column or for each row, if those are fewer.
ITERATIONS_PER_COLUMN = 4
MAX_ITER = 20_000  # The most iterations for a target.
REACHED_MAX_ITER = 7  # LSMR's code for this reason to stop.
UNCONVERGED = (
    "Bring the columns to similar sizes, leave out those that nearly depend on others, or fit "
    "Ridge."
)


def wide_least_squares(X: Any, Y: Any, weights: Array | None, intercept: bool) -> Any:
    """The `LeastSquaresSolution` of no penalty, and whether it is one to rounding."""
    coefs, intercepts, n_iter, ended = least_squares_by_products(
        X, Y, weights, intercept, np.zeros(Y.shape[1])
    )
    squares = (Y - X @ coefs.T - intercepts) ** 2
    rss = squares.sum(axis=0) if weights is None else weights @ squares
    every, none = np.arange(X.shape[1]), np.arange(0)
    return LeastSquaresSolution(coefs, intercepts, rss, None, None, every, none, nan, n_iter), ended


def least_squares_by_products(
    X: Any, Y: Any, weights: Array | None, intercept: bool, alphas: Any
) -> Any:
    """Coefficients (T, d), intercepts (T,), the most iterations of a target, and whether all ended.

    `X` (n, d) is CSR, `Y` (n, T); `alphas` (T,) are penalties on the squares, or 0.
    """
    from scipy.sparse.linalg import LinearOperator, lsmr

    n, d = X.shape
    largest = float(np.abs(X.data).max(initial=0.0))
    if not max(largest, float(np.abs(Y).max())) < MAX_VALUE:
        raise ValueError(OUT_OF_RANGE)
    if 0.0 < largest < 1 / MAX_VALUE:
        raise ValueError(VANISHED)
    turned, root = X.T, None if weights is None else np.sqrt(weights)
    mean, target = np.zeros(d), np.zeros(Y.shape[1])
    if intercept:
        w = np.ones(n) if weights is None else weights
        mean, target = turned @ w / w.sum(), w @ Y / w.sum()

    def values(coef: Array) -> Any:
        checkpoint()
        out = X @ coef - mean @ coef
        return out if root is None else root * out

    def transposed_product(scores: Any) -> Any:
        scores = scores if root is None else root * scores
        return turned @ scores - mean * scores.sum()

    columns = LinearOperator(X.shape, matvec=values, rmatvec=transposed_product, dtype=np.float64)
    most = min(ITERATIONS_PER_COLUMN * min(n, d), MAX_ITER)
    coefs, most_used, all_ended = np.zeros((Y.shape[1], d)), 0, True
    for t, y in enumerate((Y - target).T):
        y = y if root is None else root * y
        coefs[t], reason, n_iter = lsmr(
            columns, y, damp=sqrt(alphas[t]), atol=0.0, btol=0.0, conlim=0.0, maxiter=most
        )[:3]
        most_used = max(most_used, n_iter)
        all_ended &= reason != REACHED_MAX_ITER
    if not np.isfinite(coefs).all():
        raise ValueError(OUT_OF_RANGE)
    return coefs, target - coefs @ mean, most_used, all_ended
