# SPDX-License-Identifier: BSD-3-Clause
"""Shares of the variation, or of another loss, that predictions explain."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import UndefinedMetricWarning, as_flag, as_real, warn_user
from statfast.metrics.regression.deviances import tweedie_deviance
from statfast.metrics.regression.error_means import pinball
from statfast.metrics.regression.outputs import (
    explained,
    in_units,
    mean,
    quantile,
    require_single,
    values_of,
    variance,
)


@np.errstate(over="ignore")
def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> float | Any:
    """Coefficient of determination: 1 - (residual sum of squares) / (total sum of squares).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, T)
        True and predicted values of one output, or of T.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    multioutput : {"raw_values", "uniform_average", "variance_weighted"} or array-like, \
            default="uniform_average"
        The value of each output, their mean, or their mean by the variances of the outputs or by
        weights, (T,).
    force_finite : bool, default=True
        Of an output that does not vary, 1 if all is predicted and else 0, in place of NaN and
        minus infinity.

    Returns
    -------
    float, or ndarray of shape (T,) for ``multioutput="raw_values"``
        nan, with an `UndefinedMetricWarning`, where there is one row only. Minus infinity where
        it is beyond the largest float64, or without `force_finite`.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import r2_score
    >>> round(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9486
    """
    as_flag(force_finite, "force_finite")
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    if _too_few(true, "R^2"):
        return float("nan")
    residual = in_units(lambda t, p: mean((t - p) ** 2, weights), true, pred)
    whole = in_units(lambda t: variance(t, weights), true)
    return explained(residual, whole, outputs, force_finite, degree=2)


@np.errstate(over="ignore")
def explained_variance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> float | Any:
    """Explained variance: `r2_score` without the mean of the errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, T)
        True and predicted values of one output, or of T.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    multioutput : {"raw_values", "uniform_average", "variance_weighted"} or array-like, \
            default="uniform_average"
        The value of each output, their mean, or their mean by the variances of the outputs or by
        weights, (T,).
    force_finite : bool, default=True
        Of an output that does not vary, 1 if all is predicted and else 0, in place of NaN and
        minus infinity.

    Returns
    -------
    float, or ndarray of shape (T,) for ``multioutput="raw_values"``
        Minus infinity or nan without `force_finite`, where an output does not vary.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import explained_variance_score
    >>> round(explained_variance_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.9572
    """
    as_flag(force_finite, "force_finite")
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    residual = in_units(lambda t, p: variance(t - p, weights), true, pred)
    whole = in_units(lambda t: variance(t, weights), true)
    return explained(residual, whole, outputs, force_finite, degree=2)


@np.errstate(over="ignore")
def d2_pinball_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    alpha: float = 0.5,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """D2 of the pinball loss, relative to the constant quantile.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, T)
        True and predicted values of one output, or of T.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    alpha : float, default=0.5
        Which quantile, between 0 and 1: how much an error counts that is too low, against 1 - alpha
        for one that is too high.
    multioutput : {"raw_values", "uniform_average"} or array-like of (T,), default="uniform_average"
        The value of each output, their mean, or their mean by these weights.

    Returns
    -------
    float, or ndarray of shape (T,) for ``multioutput="raw_values"``
        nan, with an `UndefinedMetricWarning`, where there is one row only.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import d2_pinball_score
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3]), 4)
    0.5
    """
    alpha = as_real(alpha, "alpha", 0.0, 1.0)
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    if _too_few(true, "D^2"):
        return float("nan")
    residual = in_units(lambda t, p: mean(pinball(t - p, alpha), weights), true, pred)
    whole = in_units(lambda t: mean(pinball(t - quantile(t, alpha, weights), alpha), weights), true)
    return explained(residual, whole, outputs, True)


@np.errstate(over="ignore")
def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """D2 of the absolute error: the fraction explained, relative to the median.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, T)
        True and predicted values of one output, or of T.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    multioutput : {"raw_values", "uniform_average"} or array-like of (T,), default="uniform_average"
        The value of each output, their mean, or their mean by these weights.

    Returns
    -------
    float, or ndarray of shape (T,) for ``multioutput="raw_values"``
        nan, with an `UndefinedMetricWarning`, where there is one row only.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import d2_absolute_error_score
    >>> round(d2_absolute_error_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.7647
    """
    return d2_pinball_score(
        y_true, y_pred, sample_weight=sample_weight, alpha=0.5, multioutput=multioutput
    )


@np.errstate(over="ignore")
def d2_tweedie_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None, power: float = 0
) -> float:
    """D2 of the Tweedie deviance, relative to the mean.

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
        nan, with an `UndefinedMetricWarning`, where there is one row only. Where true values do
        not vary, minus infinity, or nan where they are predicted.

    Raises
    ------
    ValueError
        If the values are not finite, not as many of one as of the other, or beyond the domain of
        the power: predictions must be positive (except for power 0), and true values not negative
        from power 1 on and positive from 2 on.

    Examples
    --------
    >>> from statfast.metrics import d2_tweedie_score
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    power = as_real(power, "power")
    true, pred, weights, _ = values_of(y_true, y_pred, sample_weight, "uniform_average")
    require_single(true, "d2_tweedie_score")
    if _too_few(true, "D^2"):
        return float("nan")
    residual = mean(tweedie_deviance(true, pred, power), weights)
    whole = mean(tweedie_deviance(true, np.full_like(true, mean(true, weights)), power), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((1 - residual / whole)[0])


def _too_few(true: Array, name: str) -> bool:
    if len(true) < 2:
        warn_user(
            f"{name} score is not well-defined with less than two samples.", UndefinedMetricWarning
        )
    return len(true) < 2
