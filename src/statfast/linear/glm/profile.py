# SPDX-License-Identifier: BSD-3-Clause
"""Profile-likelihood intervals: the values of a coefficient that a likelihood-ratio test keeps.

Venzon & Moolgavkar 1988, doi:10.2307/2347496; R's ``confint.glm``. With the coefficient held fixed,
all others are fitted again; where the deviance rises by the dispersion times the squared quantile
lies an end. The signed root of that rise is nearly linear in the coefficient, so that the secant
method finds each end in a few fits.
"""

import numpy as np

from statfast.linear.irls import Unsolvable, _Loop
from statfast.linear.sweeps import Rows

FITS = 30  # of one end; beyond, it is taken to be infinite
FAR = 50.0  # standard errors from the estimate: farther out there is no end


def profile_intervals(rows: Rows, result, quantile):
    """Ends (q, 2); NaN for aliased coefficients, infinite where the deviance stays below."""
    ends = np.full((rows.q, 2), np.nan)
    errors = np.sqrt(result.covariance.diagonal())
    plain = Rows(rows.X, rows.y, rows.weights, rows.offset, rows.family, rows.link,
                 rows.intercept, rows.n_jobs, np.zeros(rows.p))  # fmt: skip
    for j in np.flatnonzero(~result.aliased):
        # The intercept is that of rows which are not moved.
        own = plain if rows.intercept and j == 0 else rows
        for side, sign in enumerate((-1.0, 1.0)):
            ends[j, side] = _end(own, result, j, sign, errors[j], quantile)
    return ends


def _end(rows, result, j, sign, error, quantile):
    best = rows.from_user(result.coef)
    covariance = result.covariance
    along = rows.from_user(np.nan_to_num(covariance[:, j] / covariance[j, j]))
    loop = _Loop(rows, 0.0, 1e-9)
    free = ~result.aliased
    free[j] = False

    def root(value, start):
        """The signed root of the rise of the deviance, less the quantile; and the others."""
        b = start + (value - start[j]) * along  # where the others would go on a quadratic
        b[j] = value
        if not free.any():
            return np.sqrt(max(_rise(rows.sums_at(b)), 0.0)) - quantile, b
        loop.kept = free
        loop.run(100, b, covariance=False)
        return np.sqrt(max(_rise(rows.sums_at(loop.b, hessian=False)), 0.0)) - quantile, loop.b

    def _rise(sums):
        return (sums.deviance - result.deviance) / result.dispersion

    try:
        before, at = best[j], best[j] + sign * quantile * error
        height, (value, b) = -quantile, root(at, best)
        for _ in range(FITS):
            if not np.isfinite(value):
                at = 0.5 * (at + before)
                value, b = root(at, best)
                continue
            if abs(value) < 1e-9 * quantile:
                return at
            if value == height or abs(at - best[j]) > FAR * error:
                return sign * np.inf
            step = (at - before) * value / (value - height)
            before, height = at, value
            at = at - np.clip(step, -2 * quantile * error, 2 * quantile * error)
            value, b = root(at, b)
    except Unsolvable:
        return np.nan
    return sign * np.inf
