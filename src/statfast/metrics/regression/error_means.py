# SPDX-License-Identifier: BSD-3-Clause
"""Means of errors of predicted numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import as_real
from statfast.metrics.regression.outputs import (
    averaged,
    in_units,
    mean,
    quantile,
    require_single,
    values_of,
)

EPS = np.finfo(np.float64).eps


@np.errstate(over="ignore")
def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Mean squared error.

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
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import mean_squared_error
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    errors, unit = in_units(lambda t, p: mean((t - p) ** 2, weights), true, pred)
    return averaged(errors * unit * unit, outputs)


@np.errstate(over="ignore")
def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Root mean squared error.

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
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import root_mean_squared_error
    >>> round(root_mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.6124
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    errors, unit = in_units(lambda t, p: mean((t - p) ** 2, weights), true, pred)
    return averaged(errors**0.5 * unit, outputs)


@np.errstate(over="ignore")
def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Mean absolute error.

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
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import mean_absolute_error
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    errors, unit = in_units(lambda t, p: mean(np.abs(t - p), weights), true, pred)
    return averaged(errors * unit, outputs)


@np.errstate(over="ignore")
def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: ArrayLike = "uniform_average",
    sample_weight: Weights = None,
) -> float | Any:
    """Median absolute error.

    With weights, half of their sum lies at or below it; where it is just half, the mean of the two
    values next to it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, T)
        True and predicted values of one output, or of T.
    multioutput : {"raw_values", "uniform_average"} or array-like of (T,), default="uniform_average"
        The value of each output, their mean, or their mean by these weights.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float, or ndarray of shape (T,) for ``multioutput="raw_values"``
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import median_absolute_error
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    return averaged(quantile(np.abs(true - pred), 0.5, weights), outputs)


@np.errstate(over="ignore")
def max_error(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None) -> float:
    """Maximum absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted values.
    sample_weight : array-like of shape (n,), optional
        Rows of weight 0 do not count; other weights make no difference.

    Returns
    -------
    float
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import max_error
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    true, pred, weights, _ = values_of(y_true, y_pred, sample_weight, "uniform_average")
    require_single(true, "max_error")
    errors = np.abs(true - pred)
    return float((errors if weights is None else errors[weights > 0.0]).max())


@np.errstate(over="ignore")
def mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Mean absolute percentage error (1 is 100 %).

    A true value of 0 counts as the rounding unit of float64, so that the result is large.

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
        Infinite where it is beyond the largest float64.

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import mean_absolute_percentage_error
    >>> round(mean_absolute_percentage_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.3274
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    return averaged(mean(np.abs(true - pred) / np.maximum(np.abs(true), EPS), weights), outputs)


@np.errstate(over="ignore")
def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Mean squared logarithmic error.

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

    Raises
    ------
    ValueError
        If the values are not finite, are -1 or less, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import mean_squared_log_error
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    _require_above(true, pred)
    return averaged(mean((np.log1p(true) - np.log1p(pred)) ** 2, weights), outputs)


@np.errstate(over="ignore")
def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Root mean squared logarithmic error.

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

    Raises
    ------
    ValueError
        If the values are not finite, are -1 or less, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import root_mean_squared_log_error
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    _require_above(true, pred)
    return averaged(mean((np.log1p(true) - np.log1p(pred)) ** 2, weights) ** 0.5, outputs)


@np.errstate(over="ignore")
def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    alpha: float = 0.5,
    multioutput: ArrayLike = "uniform_average",
) -> float | Any:
    """Mean pinball (quantile) loss.

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

    Raises
    ------
    ValueError
        If the values are not finite, or not as many of one as of the other.

    Examples
    --------
    >>> from statfast.metrics import mean_pinball_loss
    >>> round(mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.1), 4)
    0.0333
    """
    alpha = as_real(alpha, "alpha", 0.0, 1.0)
    true, pred, weights, outputs = values_of(y_true, y_pred, sample_weight, multioutput)
    losses, unit = in_units(lambda t, p: mean(pinball(t - p, alpha), weights), true, pred)
    return averaged(losses * unit, outputs)


def pinball(error: Array, alpha: float) -> Array:
    """The pinball loss of true minus predicted values."""
    return alpha * np.maximum(error, 0) + (1 - alpha) * np.maximum(-error, 0)


def _require_above(true: Array, pred: Array) -> None:
    for values, name in ((true, "y_true"), (pred, "y_pred")):
        if values.min() <= -1:
            raise ValueError(
                f"{name} must be greater than -1 for logarithmic errors; got {values.min()}."
            )
