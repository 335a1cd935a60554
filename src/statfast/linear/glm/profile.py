# SPDX-License-Identifier: BSD-3-Clause
"""Profile-likelihood intervals: the values of a coefficient that a likelihood-ratio test keeps.

Venzon & Moolgavkar 1988, doi:10.2307/2347496; R's ``confint.glm``. With the coefficient held fixed,
all others are fitted again; where the deviance rises by the dispersion times the squared quantile
lies an end. The signed root of that rise is nearly linear in the coefficient, so that the secant
method finds each end in a few fits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.linear.glm.irls import Scoring, Unsolvable
from statfast.linear.glm.irls_sums import IRLSSums, ModelRows

MAX_FITS_OF_END = 30  # After so many fits an end is taken to be infinite.
MAX_DEVIATIONS_OF_END = 50.0  # Farther from the estimate, in standard errors, there is no end.


def profile_intervals(rows: ModelRows, result: Any, quantile: float) -> Array:
    """Ends (q, 2); NaN for aliased coefficients, infinite where the deviance stays below."""
    ends = np.full((rows.q, 2), np.nan)
    if result.dispersion == 0:  # A perfect fit leaves intervals without width.
        ends[~result.aliased] = result.coef[~result.aliased, None]
        return ends
    errors = result.errors
    plain = ModelRows(rows.X, rows.y, rows.weights, rows.offset, rows.family, rows.link,
                 rows.intercept, rows.n_jobs, np.zeros(rows.p))  # fmt: skip
    for j in np.flatnonzero(~result.aliased):
        # The interval of the intercept is that for rows that are not shifted.
        fitted_rows = plain if rows.intercept and j == 0 else rows
        for side, sign in enumerate((-1.0, 1.0)):
            ends[j, side] = _end(fitted_rows, result, j, sign, errors[j], quantile)
    return ends


def _end(rows: ModelRows, result: Any, j: Any, sign: float, error: float, quantile: float) -> float:
    best = rows.from_user(result.coef)
    along = rows.from_user(result.unscaled[:, j] / result.unscaled[j, j])
    loop = Scoring(rows, 0.0, 1e-9)
    free = ~result.aliased
    free[j] = False

    def root(value: float, start: Array) -> tuple[float, Array]:
        # The other coefficients start where a quadratic deviance would have them.
        b = start + (value - start[j]) * along
        b[j] = value
        if not free.any():
            return _height(rows.sums_at(b)), b
        loop.kept = free
        loop.run(100, b, covariance=False)
        return _height(rows.sums_at(loop.b, hessian=False)), loop.b

    def _height(sums: IRLSSums) -> float:
        rise = (sums.deviance - result.deviance) / result.dispersion
        return np.sqrt(max(rise, 0.0)) - quantile

    try:
        return end_of(root, best[j], best, sign * error, quantile)
    except Unsolvable:
        return np.nan


def end_of(
    root: Callable[..., Any], value: float, best: Array, error: float, quantile: float
) -> float:
    """The end of an interval on the side of `error`, that of the estimate `value`.

    ``root(value, start)`` is the signed root of the rise of the deviance at a value of the
    coefficient, less the quantile, and the point where that is, from where the next may start.
    """
    sign, longest = np.sign(error), 2 * quantile * abs(error)
    before, at = value, value + quantile * error
    height, (excess, point) = -quantile, root(at, best)
    for _ in range(MAX_FITS_OF_END):
        if not np.isfinite(excess):
            at = 0.5 * (at + before)
            excess, point = root(at, best)
            continue
        if abs(excess) < 1e-9 * quantile:
            return at
        if excess == height or abs(at - value) > MAX_DEVIATIONS_OF_END * abs(error):
            break
        step = (at - before) * excess / (excess - height)
        before, height = at, excess
        at = at - np.clip(step, -longest, longest)
        excess, point = root(at, point)
    return sign * np.inf
