# SPDX-License-Identifier: BSD-3-Clause
"""Least squares with no coefficient below zero, from the triangular factor of the columns.

The factor has the columns' products with each other and with the targets, and so the solution. The
active-set method of Lawson & Hanson (1974, doi:10.1137/1.9781611971217, chapter 23) finds which
coefficients are above zero; least squares on these columns then gives them to all digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import interruptible
from statfast._typing import Array, Jobs, Matrix
from statfast.linear.design.column_scaling import OUT_OF_RANGE
from statfast.linear.least_squares.lstsq import LeastSquaresSolution, squares_left
from statfast.linear.least_squares.qr import condition_of, independent_columns, triangle_of

# A spread that is a smaller share of the column's mean is what rounding left.
ROUNDING_OF_SPREAD = 1e-13
MAX_CHANGES_PER_COLUMN = 100  # The set of columns changes far less often in any problem.


def solve_nonnegative(R: Array, QtY: Array, alpha: float = 0.0) -> Array:
    """Minimize |R b - q|^2 + alpha |b|^2 over b >= 0 for each column q of `QtY`; returns (T, p)."""
    from scipy.optimize import nnls

    p, coefs = R.shape[1], np.zeros((QtY.shape[1], R.shape[1]))
    if alpha:
        R = np.vstack([R, np.sqrt(alpha) * np.eye(p)])
        QtY = np.vstack([QtY, np.zeros((p, QtY.shape[1]))])
    length = np.sqrt((R**2).sum(0))
    used = np.flatnonzero(length)
    A = R[:, used] / length[used]
    for t, q in enumerate(QtY.T):
        size = np.sqrt(q @ q)
        if not size or not len(used):
            continue
        unit = q / size
        b, _ = interruptible(nnls, A, unit, maxiter=MAX_CHANGES_PER_COLUMN * len(used))
        free = np.flatnonzero(b)
        sharp = interruptible(np.linalg.lstsq, A[:, free], unit, rcond=None)[0]
        # Otherwise the columns depend on each other, and the first solution stands.
        if sharp.min(initial=0.0) >= 0.0:
            b[free] = sharp
        with np.errstate(over="ignore", divide="ignore"):
            coefs[t, used] = b * (size / length[used])
        if not np.isfinite(coefs[t]).all() or (b.any() and not coefs[t].any()):
            raise ValueError(OUT_OF_RANGE)
    return coefs


def centered_factor(R: Array, QtY: Array, intercept: bool) -> tuple[Array, Array, Array, Array]:
    """R of the columns about their means, the targets on it, and both means (0 without one)."""
    intercept, p = int(intercept), R.shape[1] - int(intercept)
    if not intercept:
        return R, QtY, np.zeros(p), np.zeros(QtY.shape[1])
    inner = R[1:, 1:]  # Constant columns have nothing but rounding here, which is removed.
    inner = inner * (np.sqrt((inner**2).sum(0)) > ROUNDING_OF_SPREAD * np.abs(R[0, 1:]))
    return inner, QtY[1:], R[0, 1:] / R[0, 0], QtY[0] / R[0, 0]


def nonnegative_ridge(
    parts: tuple[Array, Array, Array, Array], alpha: float, flat: bool, intercept: bool
) -> dict[str, Any]:
    """What `Ridge` fits with no coefficient below zero, of the parts of `centered_factor`."""
    R, QtY, mean, target = parts
    coefs = solve_nonnegative(R, QtY, alpha)
    intercepts = target - coefs @ mean
    squares = [interruptible(np.linalg.svd, R[:, b > 0], compute_uv=False) ** 2 for b in coefs]
    freedom = [float((s[s > 0] / (s[s > 0] + alpha)).sum()) for s in squares]
    return {
        "coef_": coefs[0] if flat else coefs,
        "intercept_": float(intercepts[0]) if flat else intercepts,
        "solver_": "nnls",
        "n_iter_": None,
        "df_": sum(freedom) / len(freedom) + intercept,
    }


def nonnegative_least_squares(
    X: Matrix, Y: Array, weights: Array | None, intercept: bool, tol: float, n_jobs: Jobs = None
) -> LeastSquaresSolution:
    """As `least_squares`, with slopes of at least zero; columns that depend on others stay."""
    factor = triangle_of(X, Y, weights, intercept, n_jobs)
    inner, QtY, mean, target = centered_factor(factor.R, factor.QtY, intercept)
    coefs = solve_nonnegative(inner, QtY)
    intercepts = target - coefs @ mean
    slopes = np.column_stack([intercepts, coefs])[:, 1 - int(intercept) :]
    rss = [
        squares_left(b, X, y, weights, intercept, factor.exact, n_jobs)
        for b, y in zip(slopes, np.ascontiguousarray(Y.T), strict=True)
    ]
    return _solution(coefs, intercepts, np.array(rss), None, factor.R, tol, intercept)


def nonnegative_from_factor(sums: Any, intercept: bool, tol: float) -> Any:
    """The same from the factor of (1, X, Y)."""
    p, first = sums.p, int(intercept)
    R = sums.R if intercept else sums.R_without_ones
    q = p + first
    inner, QtY, mean, target = centered_factor(R[:, :q], R[:, q:], intercept)
    coefs = solve_nonnegative(inner, QtY)
    rss = ((QtY - inner @ coefs.T) ** 2).sum(0)
    explained = (QtY**2).sum(0) - rss
    intercepts = target - coefs @ mean
    return _solution(coefs, intercepts, rss, explained, R[:q, :q], tol, intercept)


def _solution(
    coefs: Array,
    intercepts: Array,
    rss: Array,
    explained: Any,
    R: Array,
    tol: float,
    intercept: bool,
) -> LeastSquaresSolution:
    first = int(intercept)
    kept = independent_columns(R, tol)
    inner = interruptible(np.linalg.qr, R[:, kept], mode="r")
    columns = kept[first:] - first
    aliased = np.delete(np.arange(coefs.shape[1]), columns)
    return LeastSquaresSolution(
        coefs, intercepts, rss, explained, inner, columns, aliased, condition_of(inner)
    )
