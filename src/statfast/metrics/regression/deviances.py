# SPDX-License-Identifier: BSD-3-Clause
"""Deviances of the Tweedie family: normal, Poisson, gamma, and between and beyond them."""

from __future__ import annotations

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import as_real
from statfast.metrics.regression.outputs import (
    in_units,
    mean,
    require_single,
    values_of,
)


@np.errstate(over="ignore")
def mean_tweedie_deviance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None, power: float = 0
) -> float:
    """Mean Tweedie deviance, whose variance is a power of the mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    power : float, default=0
        Of the mean in the variance: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian; not between 0
        and 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the values are not finite, not as many of one as of the other, or beyond the domain of
        the power: predictions must be positive (except for power 0), and true values not negative
        from power 1 on and positive from 2 on.

    References
    ----------
    Jorgensen, B. (1987). Exponential dispersion models. Journal of the Royal Statistical Society B
    49, 127-162. doi:10.1111/j.2517-6161.1987.tb01685.x

    Examples
    --------
    >>> from statfast.metrics import mean_tweedie_deviance
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    power = as_real(power, "power")
    true, pred, weights, _ = values_of(y_true, y_pred, sample_weight, "uniform_average")
    require_single(true, "mean_tweedie_deviance")
    deviances = tweedie_deviance(true, pred, power)
    deviance, unit = in_units(lambda column: mean(column, weights), deviances)
    return float((deviance * unit)[0])


def mean_poisson_deviance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None
) -> float:
    """Mean Poisson deviance.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the values are not finite, not as many of one as of the other, or beyond the domain of
        the power: predictions must be positive and true values not
        negative.

    Examples
    --------
    >>> from statfast.metrics import mean_poisson_deviance
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


def mean_gamma_deviance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None
) -> float:
    """Mean gamma deviance.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the values are not finite, not as many of one as of the other, or beyond the domain of
        the power: predictions must be positive and true values positive.

    Examples
    --------
    >>> from statfast.metrics import mean_gamma_deviance
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


def tweedie_deviance(true: Array, pred: Array, power: float) -> Array:
    """The deviance of each value, after a look at its domain."""
    _require_domain(true, pred, power)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        deviance = _deviance(true, pred, power)
    if not np.isfinite(deviance).all():
        raise ValueError(
            f"The deviance of power {power:g} is beyond float64 for some rows. "
            "Divide y_true and y_pred by the same number, or choose another power."
        )
    return deviance


def _deviance(true: Array, pred: Array, power: float) -> Array:
    if power == 0:
        return (true - pred) ** 2
    if power == 1:
        from scipy.special import xlogy

        return 2 * (xlogy(true, true / pred) - true + pred)
    if power == 2:
        return 2 * (np.log(pred / true) + true / pred - 1)
    first = np.maximum(true, 0) ** (2 - power) / ((1 - power) * (2 - power))
    return 2 * (
        first - true * pred ** (1 - power) / (1 - power) + pred ** (2 - power) / (2 - power)
    )


def _require_domain(true: Array, pred: Array, power: float) -> None:
    if 0 < power < 1:
        raise ValueError(
            f"power must not be between 0 and 1, where there is no Tweedie deviance; got {power}."
        )
    if power == 0:
        return
    if pred.min() <= 0:
        raise ValueError(
            f"y_pred must be positive for the deviance of power {power:g}; got {pred.min()}."
        )
    if power >= 2 and true.min() <= 0:
        raise ValueError(
            f"y_true must be positive for the deviance of power {power:g}; got {true.min()}."
        )
    if 1 <= power < 2 and true.min() < 0:
        raise ValueError(
            f"y_true must not be negative for the deviance of power {power:g}; got {true.min()}."
        )
