# SPDX-License-Identifier: BSD-3-Clause
"""Least squares: the triangular factor, its independent columns, the solution and its correction.

The solution R b = Q'y is corrected by the gradient of its own residuals, R'R c = X'(y - X b): once
for a factor from cross products, which makes it as good as one by QR (Bjorck 1987,
doi:10.1016/0024-3795(87)90101-7); a few times, with residuals in twice the precision, where the
columns are nearly dependent but not hopelessly so. The products of one target are such a gradient
already, about the solution of a sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.residuals import gradient_twice
from statfast._engine import Chunks, interruptible, reduce
from statfast._typing import Array, Jobs, Matrix
from statfast.linear.design.design import dense_blocks
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import LINKS
from statfast.linear.least_squares.qr import condition_of, independent_columns, triangle_of

# Up to this condition residuals need not be more precise than float64.
MAX_CONDITION_OF_FLOAT64 = 100.0
# An X of no more numbers is always corrected in twice the precision, which takes little time.
MAX_NUMBERS_ALWAYS_SHARP = 512
MAX_CONDITION_OF_CORRECTION = 1e7  # Beyond this condition a correction through R'R gains no digit.
MIN_GAIN = 1e-17  # A relative correction that is smaller changes nothing.
MAX_CORRECTIONS = 6  # The most corrections that are made in twice the precision.


@dataclass(frozen=True)
class LeastSquaresSolution:
    """Coefficients, what they leave, and the factor of the columns that are kept."""

    coef: NDArray[np.float64]  # (T, p), 0 where a column is aliased
    intercept: NDArray[np.float64]  # (T,)
    rss: NDArray[np.float64]  # (T,) sum of weighted squares of the residuals
    # (T,) the sum of squares that the columns explain, of y less its means (or of y without an
    # intercept), where it is known to all digits.
    explained: NDArray[np.float64] | None
    # means (of y without an intercept), where it is known to all digits
    # (rank, rank) factor of the kept columns, the intercept first; None where it was not made.
    R: NDArray[np.float64] | None
    # where it was not made
    kept: NDArray[np.intp]  # of the columns of X
    aliased: NDArray[np.intp]
    condition: float
    n_iter: int | None = None

    @property
    def rank(self) -> float:
        """Independent columns; NaN where that was not found out."""
        return nan if self.R is None else len(self.R)


def least_squares(
    X: Any, Y: Array, weights: Array | None, intercept: bool, tol: float, n_jobs: Jobs = None
) -> LeastSquaresSolution:
    """Fit each of the T columns of `Y` (n, T) on the columns of `X`."""
    from scipy.linalg import solve_triangular

    triangle = triangle_of(X, Y, weights, intercept, n_jobs)
    if triangle.exact and hasattr(X, "indptr"):
        X = dense_blocks(X)
    R, QtY, condition = triangle.R, triangle.QtY, triangle.condition
    p, first = R.shape[1] - intercept, int(intercept)
    kept = np.arange(p + intercept)
    # The negated comparison is true for a condition of NaN too.
    if not condition * tol <= 0.1 or R.shape[0] < R.shape[1]:
        kept = independent_columns(R, tol)
        rank = len(kept)
        inner = interruptible(np.linalg.qr, np.column_stack([R[:, kept], QtY]), mode="r")
        R, QtY = inner[:rank, :rank], inner[:rank, rank:]
        condition = condition_of(R)
    columns = kept[first:] - first
    near = triangle.near_solution if R is triangle.R else None
    outcome = []
    for t, y in enumerate(np.ascontiguousarray(Y.T)):
        gains = condition > MAX_CONDITION_OF_FLOAT64 or (
            not isinstance(X, Chunks) and X.size <= MAX_NUMBERS_ALWAYS_SHARP
        )
        twice = triangle.exact and gains and condition < MAX_CONDITION_OF_CORRECTION
        turns = MAX_CORRECTIONS if twice else 0 if triangle.exact else 1
        if not triangle.exact and triangle.centered > MAX_CONDITION_OF_FLOAT64:
            turns = 2
        if near is None:
            b = solve_triangular(R, QtY[:, t], check_finite=False)
        else:
            step = solve_triangular(R, near.QtR, check_finite=False)
            b, squares = near.coef + step, near.squares - float(near.QtR @ near.QtR)
            if squares > 0.5 * near.squares and _is_sharp(triangle, step[first:], b[first:]):
                outcome.append((b[first:], b[0] if first else 0.0, squares))
                continue
        outcome.append(_correct(b, R, columns, p, X, y, weights, intercept, turns, n_jobs))
    coefs, intercepts, rss = (np.array(part) for part in zip(*outcome, strict=True))
    aliased = np.delete(np.arange(p), columns)
    explained = None if triangle.exact else (QtY[first:] ** 2).sum(0)
    return LeastSquaresSolution(coefs, intercepts, rss, explained, R, columns, aliased, condition)


def _is_sharp(triangle: Any, step: Any, slopes: Any) -> Any:
    """Whether what the condition, squared, costs the last step is rounding beside the slopes."""
    length = np.sqrt((triangle.R[len(triangle.R) - len(step) :, -len(step) :] ** 2).sum(0))
    lost, whole = (float(np.linalg.norm(length * part)) for part in (step, slopes))
    return triangle.centered**2 * lost <= whole


def squares_left(
    b: Array,
    X: Matrix,
    y: Array,
    weights: Array | None,
    intercept: bool,
    exact: bool,
    n_jobs: Jobs = None,
) -> float:
    """The weighted squares that coefficients b (q,), the intercept first, leave of one target."""
    X = dense_blocks(X) if exact and hasattr(X, "indptr") else X
    p = len(b) - int(intercept)
    nothing = np.zeros((0, 0))
    return _correct(b, nothing, np.arange(p), p, X, y, weights, intercept, 0, n_jobs)[2]


def _correct(
    b: Array,
    R: Array,
    columns: Array,
    p: int,
    X: Array,
    y: Array,
    weights: Array | None,
    intercept: bool,
    turns: int,
    n_jobs: Jobs,
) -> tuple[Array, float, float]:
    """Correct the solution b of one target; returns coef, intercept, squares of residuals."""
    from scipy.linalg import solve_triangular

    first = int(intercept)
    family, link = FAMILIES["gaussian"], LINKS["identity"]
    rows = ModelRows(X, y, weights, None, family, link, intercept, n_jobs, np.zeros(p))
    rest = np.zeros_like(b)  # The low part of b, in twice the precision.
    last = np.inf
    for turn in range(turns + 1):
        wide, lacking = np.zeros(p + first), np.zeros(p + first)
        place = np.concatenate([np.arange(first), columns + first])
        wide[place], lacking[place] = b, rest
        gradient, rss = _pass(rows, wide, lacking, turns > 1)
        if turn == turns:
            break
        half = solve_triangular(R, gradient[place], trans="T", check_finite=False)
        step = solve_triangular(R, half, check_finite=False)
        gain = np.abs(step / np.where(b == 0, 1.0, b)).max(initial=0.0)
        if not gain < last / 2 or gain < MIN_GAIN:
            break
        last = gain
        total = b + (rest + step)
        rest = (b - total) + (rest + step)
        b = total
    coef = np.zeros(p)
    coef[columns] = b[first:]
    return coef, b[0] if first else 0.0, rss


def _pass(rows: ModelRows, b: Array, lacking: Array, twice: bool) -> tuple[Array, float]:
    """The products (q,) of the residuals with (1, X), and the sum of their squares."""
    if not twice:
        sums = rows.sums_at(b, hessian=False)
        return sums.g, sums.deviance
    p, first = rows.p, int(rows.intercept)
    start, start_rest = (b[0], lacking[0]) if first else (0.0, 0.0)

    def partial(_: slice, block: Array, target: Array, w: Array | None) -> Array:
        gradient = np.zeros((2, p + 2))
        gradient_twice(block, target, w, b[first:], lacking[first:], start, start_rest, gradient)
        return gradient

    def merge(total: Array, more: Array) -> Array:
        high = total[0] + more[0]  # The sum is exact, as what is lost goes to the low parts.
        t = high - total[0]
        lost = (total[0] - (high - t)) + (more[0] - t)
        low = lost + total[1] + more[1]
        total[0] = high + low
        total[1] = low - (total[0] - high)
        return total

    X = dense_blocks(rows.X) if hasattr(rows.X, "indptr") else rows.X
    gradient = reduce(
        partial, X, rows.y, rows.weights, merge=merge, n_jobs=rows.n_jobs,
        effort=80.0 * rows.n * p,
    ).sum(0)  # fmt: skip
    return gradient[1 - first : p + 1], gradient[p + 1]
