# SPDX-License-Identifier: BSD-3-Clause
"""Maximum likelihood of a multivariate t distribution: ECME, and its degrees of freedom.

A t distributed row is normal with a covariance divided by a gamma variable, so a row counts by the
expectation of that, u = (df + d) / (df + squared distance). Location and shape are weighted moments
(Liu & Rubin 1995), the scatter divided by the sum of u (Kent, Tyler & Vardi 1994,
doi:10.1080/03610919408813180; Liu, Rubin & Wu 1998, doi:10.1093/biomet/85.4.755), which takes fewer
iterations to the same point; degrees of freedom maximize the likelihood itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf, log, pi
from typing import Any

import numpy as np

from statfast._typing import Array, Jobs
from statfast.generative.normal.class_moments import class_scatters

# Degrees of freedom are sought between these; a likelihood that still rises at the upper end is
# that of a normal distribution.
MIN_DF, MAX_DF = 0.05, 1e6
START_DF = 8.0  # of the iteration
STEP_OF_BRACKET = 4.0  # factor by which the bracket of the root grows


@dataclass(frozen=True)
class TFit:
    """The end of the iteration, and the likelihood there."""

    normal: Any  # MultivariateNormal of location and shape
    df: float
    log_likelihood: float
    n_iter: int
    converged: bool


def log_height(df: float, d: int) -> float:
    """The log density at the location, except for the determinant of the shape."""
    from scipy.special import betaln, gammaln

    if isinf(df):
        return -0.5 * d * log(2.0 * pi)
    return float(gammaln(0.5 * d) - betaln(0.5 * df, 0.5 * d) - 0.5 * d * log(df * pi))


def log_fall(squares: Array, df: float, d: int) -> Array:
    """By how much the log density is less at squared distances."""
    if isinf(df):
        return 0.5 * squares
    return 0.5 * (df + d) * np.log1p(squares / df)


def maximize_likelihood(
    rows: Array, weights: Array | None, df: float | None,
    normal_of: Callable[[Array, Array], Any], *, max_iter: int, tol: float, n_jobs: Jobs,
) -> TFit:  # fmt: skip
    """Iterate until the mean log-likelihood rises by less than `tol`; `df` None is estimated."""
    n, d = rows.shape
    codes, share = np.zeros(n, np.intp), np.ones(n) if weights is None else weights
    total = float(share.sum())
    u, nu = np.ones(n), START_DF if df is None else df
    before, number, converged = -inf, 0, False
    while True:
        moments = class_scatters(rows, codes, share * u, 1, n_jobs=n_jobs)
        normal = normal_of(moments.means[0], moments.scatters[0] / moments.class_counts[0])
        squares = normal._squared_distances(rows)
        nu = best_df(squares, share, d, nu) if df is None else nu
        height = log_height(nu, d) - 0.5 * normal.log_determinant_
        mean = height - float(share @ log_fall(squares, nu, d)) / total
        number += 1
        # The first moments are those of a normal distribution; of that they are the end.
        converged = abs(mean - before) < tol or (isinf(nu) and number > 1)
        if converged or number == max_iter:
            return TFit(normal, nu, mean * total, number, converged)
        u = np.ones(n) if isinf(nu) else (nu + d) / (nu + squares)
        before = mean


def best_df(squares: Array, weights: Array, d: int, near: float) -> float:
    """The degrees of freedom of greatest likelihood for these squared distances."""
    from scipy.optimize import brentq
    from scipy.special import digamma

    total = weights.sum()

    def slope(log_df: float) -> float:
        """Twice the derivative of the mean log-likelihood, times df."""
        nu = float(np.exp(log_df))
        ratio = squares / nu
        u = (1.0 + d / nu) / (1.0 + ratio)
        mean = float(weights @ (u * ratio - np.log1p(ratio))) / total
        return nu * (float(digamma(0.5 * (nu + d)) - digamma(0.5 * nu)) - d / nu + mean)

    low, high = log(MIN_DF), log(MAX_DF)
    place = log(min(near, MAX_DF))
    step = log(STEP_OF_BRACKET)
    if slope(place) > 0.0:
        while place < high and slope(min(place + step, high)) > 0.0:
            place = min(place + step, high)
        if place >= high:
            return inf
        return float(np.exp(brentq(slope, place, min(place + step, high), xtol=1e-12)))
    while place > low and slope(max(place - step, low)) <= 0.0:
        place = max(place - step, low)
    if place <= low:
        return MIN_DF
    return float(np.exp(brentq(slope, max(place - step, low), place, xtol=1e-12)))
