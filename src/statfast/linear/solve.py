# SPDX-License-Identifier: BSD-3-Clause
"""Least squares: the triangular factor, its independent columns, the solution and its correction.

The solution R b = Q'y is corrected by the gradient of its own residuals, R'R c = X'(y - X b): once
for a factor from cross products, which makes it as good as one by QR (Bjorck 1987,
doi:10.1016/0024-3795(87)90101-7); a few times, with residuals in twice the precision, where the
columns are nearly dependent but not hopelessly so.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._blocks import reduce
from statfast._core.leastsquares import residuals, residuals_twice
from statfast.linear.triangle import condition_of, independent_columns, triangle_of

GENTLE = 100.0  # condition: up to it, residuals need not be more precise than float64
GAINING = 1e7  # condition: beyond it a correction through R'R gains no digit
LEAST = 1e-17  # relative: a correction that changes nothing
ROUNDS = 6  # of corrections in twice the precision, at most


@dataclass(frozen=True)
class Solution:
    """Coefficients, residuals and the factor of the columns that are kept."""

    coef: NDArray[np.float64]  # (T, p), 0 where a column is aliased
    intercept: NDArray[np.float64]  # (T,)
    residuals: NDArray[np.float64]  # (T, n)
    rss: NDArray[np.float64]  # (T,) sum of weighted squares
    R: NDArray[np.float64]  # (rank, rank) of the kept columns, the intercept first
    kept: NDArray[np.intp]  # of the columns of X
    aliased: NDArray[np.intp]
    condition: float


def least_squares(X, Y, weights, intercept, tol, n_jobs=None) -> Solution:
    """Fit each of the T columns of `Y` (n, T) on the columns of `X`."""
    from scipy.linalg import solve_triangular

    triangle = triangle_of(X, Y, weights, intercept, n_jobs)
    R, QtY, condition = triangle.R, triangle.QtY, triangle.condition
    p, first = R.shape[1] - intercept, int(intercept)
    kept = np.arange(p + intercept)
    if not condition * tol <= 0.1 or R.shape[0] < R.shape[1]:  # also where that is no number
        kept = independent_columns(R, tol)
        rank = len(kept)
        inner = np.asarray(np.linalg.qr(np.column_stack([R[:, kept], QtY]), mode="r"))
        R, QtY = inner[:rank, :rank], inner[:rank, rank:]
        condition = condition_of(R)
    columns = kept[first:] - first
    outcome = []
    for t, y in enumerate(np.ascontiguousarray(Y.T)):
        b = solve_triangular(R, QtY[:, t], check_finite=False)
        twice = triangle.exact and GENTLE < condition < GAINING
        turns = ROUNDS if twice else 0 if triangle.exact else 1
        if not triangle.exact and triangle.centred > GENTLE:
            turns = 2
        outcome.append(_corrected(b, R, columns, p, X, y, weights, intercept, turns, n_jobs))
    coefs, intercepts, left, rss = (np.array(part) for part in zip(*outcome, strict=True))
    aliased = np.setdiff1d(np.arange(p), columns)
    return Solution(coefs, intercepts, left, rss, R, columns, aliased, condition)


def _corrected(b, R, columns, p, X, y, weights, intercept, turns, n_jobs):
    """Correct the solution b of one target; returns coef, intercept, residuals, squares."""
    from scipy.linalg import solve_triangular

    first = int(intercept)
    rest = np.zeros_like(b)  # what b lacks to twice the precision
    last = np.inf
    for turn in range(turns + 1):
        r, gradient = _pass(b, rest, columns, p, X, y, weights, first, turns > 1, n_jobs)
        if turn == turns:
            break
        use = np.concatenate([gradient[:first], gradient[1:-1][columns]])
        half = solve_triangular(R, use, trans="T", check_finite=False)
        step = solve_triangular(R, half, check_finite=False)
        gain = np.abs(step / np.where(b == 0, 1.0, b)).max(initial=0.0)
        if not gain < last / 2 or gain < LEAST:
            break
        last = gain
        total = b + (rest + step)
        rest = (b - total) + (rest + step)
        b = total
    coef = np.zeros(p)
    coef[columns] = b[first:]
    return coef, b[0] if first else 0.0, r, gradient[-1]


def _pass(b, rest, columns, p, X, y, weights, first, twice, n_jobs):
    """Residuals and their products with (1, X, r)."""
    coef, lacking = np.zeros(p), np.zeros(p)
    coef[columns], lacking[columns] = b[first:], rest[first:]
    start, start_rest = (b[0], rest[0]) if first else (0.0, 0.0)
    left = np.empty(len(y))

    def partial(rows, block, target, w):
        out = np.empty(len(block))
        if twice:
            gradient = np.zeros((2, p + 2))
            residuals_twice(block, target, w, coef, lacking, start, start_rest, out, gradient)
        else:
            gradient = np.zeros((1, p + 2))
            residuals(block, target, w, coef, None, start, out, gradient[0])
        left[rows] = out
        return gradient

    def merge(total, more):
        high = total[0] + more[0]  # exactly, with what is lost in the low parts
        t = high - total[0]
        lost = (total[0] - (high - t)) + (more[0] - t)
        if not twice:
            total[0] = high
            return total
        low = lost + total[1] + more[1]
        total[0] = high + low
        total[1] = low - (total[0] - high)
        return total

    gradient = reduce(
        partial, X, y, weights, merge=merge, n_jobs=n_jobs,
        effort=(80.0 if twice else 4.0) * len(y) * p,
    )  # fmt: skip
    return left, gradient.sum(0)
