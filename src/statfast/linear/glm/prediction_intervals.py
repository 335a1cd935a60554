# SPDX-License-Identifier: BSD-3-Clause
"""Intervals for new observations of a generalized linear model.

For the gaussian family with the identity link they are those of least squares: the mean less and
plus t times the root of its own variance and the dispersion. Otherwise the distribution of a new
observation is that of the family, averaged over the linear predictor eta as it is known, normal
about its estimate with its standard error (widened as t is, where the dispersion is estimated):

    P(Y <= y) = sum_i  weight_i  F(y; mean(eta + error node_i), dispersion),

the nodes evenly spaced (where F is steep beside the errors of eta, few would not do, however well
placed); an interval's ends are quantiles of that, of counts the least value that reaches the
probability. The dispersion is taken as estimated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.linear.glm.links import Link

NODES = np.linspace(-6.0, 6.0, 97)
WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()
# Halvings of the bracket of a quantile; far fewer are needed where the first one is near.
MAX_HALVINGS = 200
TOLERANCE = 1e-11
ROWS_TOGETHER = 1024  # Rows whose quantiles are computed together.


def prediction_ends(
    family: Any,
    link: Link,
    eta: Array,
    error: float,
    dispersion: float,
    level: float,
    quantile: float,
) -> Any:
    """Lower and upper ends (m, 2) of an observation of weight 1 for linear predictors (m,).

    `quantile` is that of the estimates' own intervals at this level.
    """
    if family.likelihood is None:
        raise ValueError(
            f"interval='prediction' needs a distribution, and {family.name!r} says no more than a "
            "variance. Take interval='confidence', or a family with a distribution."
        )
    if family.name == "gaussian" and link.name == "identity":
        half_width = quantile * np.sqrt(error**2 + dispersion)
        return np.stack([eta - half_width, eta + half_width], axis=1)
    # With a perfect fit, new observations are at their means, which have no error.
    if dispersion == 0.0:
        return np.repeat(link.mean(eta)[:, None], 2, axis=1)
    from scipy.special import ndtri

    # Widens the errors as t's quantile is wider, where the dispersion is estimated.
    error = error * (quantile / ndtri(0.5 * (1 + level)))
    poisson = family.name == "negative_binomial" and family.theta == np.inf
    cdf = _DISTRIBUTIONS["poisson" if poisson else family.name](family, dispersion)
    counts = family.name in ("poisson", "negative_binomial", "binomial")
    out = np.empty((len(eta), 2))
    for start in range(0, len(eta), ROWS_TOGETHER):
        chunk = slice(start, start + ROWS_TOGETHER)
        means = _means(link, eta[chunk, None] + error[chunk, None] * NODES, eta[chunk], family)
        for end, share in enumerate((0.5 * (1 - level), 0.5 * (1 + level))):
            out[chunk, end] = _quantile(cdf, means, share, counts, family.lowest >= 0)
            checkpoint()
    return out


def _means(link: Link, eta: Array, middle: Any, family: Any) -> Any:
    """Means at the nodes, kept on the side of the estimate where the link has two, and in range."""
    if link.name in ("inverse", "sqrt") or link.name.startswith("power"):
        least = 1e-3 * np.abs(middle[:, None])
        eta = np.where(middle[:, None] > 0, np.maximum(eta, least), np.minimum(eta, -least))
    with np.errstate(over="ignore"):
        means = link.mean(eta)
    if family.lowest >= 0:
        means = np.clip(means, 1e-300, 1.0 if family.highest == 1.0 else 1e300)
    return means


def _quantile(cdf: Any, means: Array, share: Any, counts: Any, positive: bool) -> Any:
    """The least y, of counts whole, at which the mixture reaches a probability, by halving."""

    def reached(y: Any) -> Any:
        return cdf(y[:, None], means) @ WEIGHTS >= share * (1 - 1e-12)

    high = np.maximum(means.max(axis=1), 1.0)
    low = np.full(len(means), -1.0) if counts else np.zeros(len(means))
    if not positive:
        high, low = np.abs(means).max(axis=1), -np.abs(means).max(axis=1)
        high, low = high + cdf.spread, low - cdf.spread
    if counts:
        high = np.ceil(high)
    for _ in range(MAX_HALVINGS):
        short = ~reached(high)
        if not short.any():
            break
        high = np.where(short, high + 2 * (high - low), high)
    if not positive:
        for _ in range(MAX_HALVINGS):
            beyond = reached(low)
            if not beyond.any():
                break
            low = np.where(beyond, low - 2 * (high - low), low)
    for _ in range(MAX_HALVINGS):
        if (high - low <= (1.0 if counts else TOLERANCE * np.abs(high) + 1e-300)).all():
            break
        middle = 0.5 * (low + high)
        middle = np.floor(middle) if counts else middle
        enough = reached(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


# ---------------------------------------------------------------- F(y; mean, dispersion)
class _Gaussian:
    def __init__(self, family: Any, dispersion: float) -> None:
        self.spread = 10 * np.sqrt(dispersion)
        self.error = np.sqrt(dispersion)

    def __call__(self, y: Any, mean: Any) -> Any:
        from scipy.special import ndtr

        return ndtr((y - mean) / self.error)


class _Binomial:
    """One trial: 0 or 1."""

    def __init__(self, family: Any, dispersion: float) -> None:
        pass

    def __call__(self, y: Any, mean: Any) -> Any:
        return np.where(y < 0, 0.0, np.where(y < 1, 1 - mean, 1.0))


class _Poisson:
    def __init__(self, family: Any, dispersion: float) -> None:
        pass

    def __call__(self, y: Any, mean: Any) -> Any:
        from scipy.special import pdtr

        return np.where(y < 0, 0.0, pdtr(np.maximum(y, 0), mean))


class _NegativeBinomial:
    def __init__(self, family: Any, dispersion: float) -> None:
        self.theta = family.theta

    def __call__(self, y: Any, mean: Any) -> Any:
        from scipy.special import betaincc

        # Of a large theta, theta / (theta + mean) is too close to 1 to be told from it.
        inside = betaincc(np.maximum(y, 0) + 1.0, self.theta, mean / (self.theta + mean))
        return np.where(y < 0, 0.0, inside)


class _Gamma:
    def __init__(self, family: Any, dispersion: float) -> None:
        self.shape = 1.0 / dispersion

    def __call__(self, y: Any, mean: Any) -> Any:
        from scipy.special import gammainc

        return gammainc(self.shape, self.shape * (y / mean))


class _InverseGaussian:
    def __init__(self, family: Any, dispersion: float) -> None:
        self.rate = 1.0 / dispersion

    def __call__(self, y: Any, mean: Any) -> Any:
        from scipy.special import log_ndtr, ndtr

        y = np.maximum(y, 1e-300)
        root, ratio = np.sqrt(self.rate / y), y / mean
        with np.errstate(over="ignore", invalid="ignore"):
            tail = np.exp(2 * self.rate / mean + log_ndtr(-root * (ratio + 1)))
        return ndtr(root * (ratio - 1)) + np.where(np.isfinite(tail), tail, 0.0)


_DISTRIBUTIONS = {
    "gaussian": _Gaussian,
    "binomial": _Binomial,
    "poisson": _Poisson,
    "negative_binomial": _NegativeBinomial,
    "gamma": _Gamma,
    "inverse_gaussian": _InverseGaussian,
}
