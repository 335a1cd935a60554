# SPDX-License-Identifier: BSD-3-Clause
"""Losses of gradient boosting: the first prediction, the loss, and the link to predictions of y.

Each loss is a function of a target y and a raw prediction r, any real number. Its gradients are in
_core/boosting/losses_level.h.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np

from statfast._core.boosting.losses import LOSSES
from statfast._typing import Array
from statfast._validation import shown
from statfast.ensemble.boosting.bins import TIE, places_reaching

_TINY = 10 * np.finfo(np.float64).eps
SHORT_STEP = 2.0  # of a leaf: the first step to a single class, from even odds


class BoostingLoss:
    """Squared error, half: (y - r)^2 / 2."""

    name = "squared_error"
    leaves_are_quantiles = False  # whether leaves are quantiles of residuals, not Newton steps
    curvature_varies = False  # whether a step s changes it, by a factor of at most e^|s|
    gradient_completes_hessian = False  # whether gradient + hessian is the expected hessian
    certain = False  # whether there is one class, and nothing to learn

    def __init__(self, quantile: float = 0.5, n_classes: int = 1) -> None:
        self.quantile, self.n_raw = quantile, n_classes

    @property
    def number(self) -> int:
        """The number of the loss in the kernel."""
        return LOSSES[self.name]

    def check(self, y: Array) -> None:
        """Refuse targets without a loss."""

    def first(self, y: Array, weights: Array | None) -> Array:
        """The best constant raw prediction, of shape (n_raw,)."""
        if weights is not None:
            weights = weights / weights.max()
        size = max(np.abs(y).max(), 1e-300)  # so that sums of huge targets do not overflow
        return np.array([self.link(np.average(y / size, weights=weights) * size)])

    def link(self, mean: float) -> float:
        return mean

    def mean(self, raw: Array) -> Array:
        """The prediction of y, from raw predictions."""
        return raw

    def hessian_unit(self, y: Array, weights: Array | None) -> float:
        """The scale of second derivatives of rows of weight 1, where it depends on that of y."""
        return 1.0

    def steps(self, values: Array, rate: float) -> Array:
        """The steps of leaves: their values times the learning rate, but not far beyond the
        minimum.

        Where curvature is at most e^|s| times as large after a step s, the least loss of a leaf
        whose Newton step is v lies at log(1 + |v|) or beyond: its derivative there is at most
        -|v| + (e^s - 1) in units of the curvature. A step up to there never goes too far, nor can
        one up to `SHORT_STEP` lead away from it; longer ones, where a leaf has next to no
        curvature, would end where there is none at all.
        """
        if not self.curvature_varies:
            return rate * values
        longest = np.maximum(SHORT_STEP, np.log1p(np.abs(values)))
        return np.clip(rate * values, -longest, longest)

    def losses(self, y: Array, raw: Array) -> Array:
        """The loss of each row; raw has shape (n_raw, n)."""
        return (y - raw[0]) ** 2 / 2.0

    def average(self, y: Array, raw: Array, weights: Array | None) -> float:
        with np.errstate(over="ignore"):
            return float(np.average(self.losses(y, raw), weights=weights))


class AbsoluteError(BoostingLoss):
    """|y - r|; the leaves are medians."""

    name = "absolute_error"
    leaves_are_quantiles = True

    def first(self, y: Array, weights: Array | None) -> Array:
        return np.array([quantile_of(y, weights, 0.5)])

    def losses(self, y: Any, raw: Array) -> Any:
        return np.abs(y - raw[0])


class PinballError(BoostingLoss):
    """(y - r) (q - [y < r]); the leaves are quantiles."""

    name = "quantile"
    leaves_are_quantiles = True

    def first(self, y: Array, weights: Array | None) -> Array:
        return np.array([quantile_of(y, weights, self.quantile)])

    def losses(self, y: Any, raw: Array) -> Any:
        residuals = y - raw[0]
        return residuals * (self.quantile - (residuals < 0.0))


class PoissonDeviance(BoostingLoss):
    """Half the Poisson deviance, with log link, less what depends on y alone: e^r - y r."""

    name = "poisson"
    curvature_varies = True

    def check(self, y: Array) -> None:
        if (y < 0.0).any() or not (y > 0.0).any():
            raise ValueError(
                f"y must be non-negative, with a positive sum, for loss='poisson'; got a least "
                f"value of {shown(float(y.min()))}. Choose another loss."
            )

    def link(self, mean: float) -> float:
        return np.log(mean)

    def hessian_unit(self, y: Array, weights: Array | None) -> float:
        return float(np.exp(self.first(y, weights)[0]))

    def mean(self, raw: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(raw)

    def losses(self, y: Any, raw: Array) -> Any:
        return np.exp(raw[0]) - y * raw[0]


class GammaDeviance(PoissonDeviance):
    """Half the gamma deviance, with log link, less what depends on y alone: r + y e^-r."""

    name = "gamma"
    gradient_completes_hessian = True  # 1 - y e^-r and y e^-r

    def hessian_unit(self, y: Array, weights: Array | None) -> float:
        return 1.0

    def check(self, y: Array) -> None:
        if not (y > 0.0).all():
            raise ValueError(
                f"y must be positive for loss='gamma'; got {shown(float(y.min()))}. Choose another "
                "loss."
            )

    def losses(self, y: Array, raw: Array) -> Array:
        return raw[0] + y * np.exp(-raw[0])


class LogLoss(BoostingLoss):
    """log(1 + e^r) - y r for y of 0 and 1."""

    name = "log_loss"
    curvature_varies = True

    def link(self, mean: float) -> float:
        mean = min(max(mean, _TINY), 1.0 - _TINY)
        return np.log(mean / (1.0 - mean))

    def probabilities(self, raw: Array) -> Array:
        """Probabilities of the classes, (n, K), from raw predictions (n_raw, n)."""
        return _both(_sigmoid(raw[0]))

    def losses(self, y: Any, raw: Array) -> Any:
        return np.logaddexp(0.0, raw[0]) - y * raw[0]


class OneClass(BoostingLoss):
    """The loss of a single class, which is 0."""

    certain = True

    def probabilities(self, raw: Array) -> Array:
        return np.ones((raw.shape[1], 1))

    def losses(self, y: Any, raw: Array) -> Any:
        return np.zeros(len(y))


class ExponentialLoss(LogLoss):
    """exp(-r) for y = 1, exp(r) for y = 0 (what AdaBoost minimizes); r is half the log-odds."""

    name = "exponential"

    def link(self, mean: float) -> float:
        return super().link(mean) / 2.0

    def probabilities(self, raw: Array) -> Array:
        return _both(_sigmoid(2.0 * raw[0]))

    def losses(self, y: Any, raw: Array) -> Any:
        return np.exp(np.where(y == 0.0, raw[0], -raw[0]))


class MultinomialLoss(BoostingLoss):
    """log(sum_k e^r_k) - r_y for y of 0 .. K - 1."""

    name = "multinomial"
    curvature_varies = True

    def first(self, y: Array, weights: Array | None) -> Array:
        share = np.bincount(y.astype(np.intp), weights, self.n_raw)
        logs = np.log(np.clip(share / share.sum(), _TINY, 1.0 - _TINY))
        return logs - logs.mean()

    def probabilities(self, raw: Array) -> Array:
        top = np.exp(raw - raw.max(axis=0))
        return np.ascontiguousarray((top / top.sum(axis=0)).T)

    def losses(self, y: Array, raw: Array) -> Array:
        top = raw.max(axis=0)
        total = top + np.log(np.exp(raw - top).sum(axis=0))
        return total - raw[y.astype(np.intp), np.arange(len(y))]


def quantile_of(values: Array, weights: Any, q: float) -> float:
    """A quantile: the lowest value that has a share q of the weight at or below it.

    Where the share is exactly q, the middle of that value and the next one. It minimizes the
    pinball loss, and knows no unit of weights: a weight of 2 is the row twice. The median is that
    of q = 1/2.
    """
    if weights is None:
        n, slack = len(values), TIE * len(values)
        low, high = max(ceil(q * n - slack) - 1, 0), min(floor(q * n + slack), n - 1)
        values = np.partition(values, (low, high))
    else:
        order = np.argsort(values, kind="stable")
        values, reached = values[order], np.cumsum(weights[order])
        low, high = places_reaching(q * reached[-1], reached)
    if low == high:
        return float(values[low])
    return float(values[low] / 2.0 + values[high] / 2.0)


def _sigmoid(raw: Array) -> Array:
    from scipy.special import expit

    return expit(raw)


def _both(p: Array) -> Array:
    return np.column_stack([1.0 - p, p])


REGRESSION = {
    loss.name: loss
    for loss in (BoostingLoss, AbsoluteError, GammaDeviance, PoissonDeviance, PinballError)
}
