# SPDX-License-Identifier: BSD-3-Clause
"""Proper scores of probabilities: Brier's, the logarithmic one, and shares of them explained."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._engine import Work
from statfast._estimator import dispatching_pairs
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import UndefinedMetricWarning, as_choice, as_flag, warn_user
from statfast.metrics.classification.part_counts import labels_in
from statfast.metrics.probability.probabilities import (
    classes_and_shares,
    marks_and_shares,
    mean_of,
    shares_of_true,
)


def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: Weights = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Brier score: the mean squared error of predicted probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K)
        True labels; or of each a column of 0 and 1, of which the errors of a row are summed.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of the positive class, or of all classes in sorted order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    pos_label : label, optional
        The positive class of two. None takes 1, or the higher of two numbers.
    labels : array-like of shape (K,), optional
        The classes of the columns; None takes those of `y_true`.
    scale_by_half : bool or "auto", default="auto"
        Whether the sum over the classes is halved, so that it is at most 1; "auto": of two classes.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there is not a row of probabilities between 0 and 1 for each label and a column for each
        class.

    References
    ----------
    Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly
    Weather Review 78, 1-3. doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2

    Examples
    --------
    >>> from statfast.metrics import brier_score_loss
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    """
    wide = marks_and_shares(y_true, y_proba, sample_weight)
    if wide is None:
        codes, shares, weights = classes_and_shares(
            y_true, y_proba, labels, sample_weight, pos_label, binary=True
        )
        score = mean_of(_squares(codes, shares), weights)
    else:
        marks, shares, weights = wide
        score = mean_of(((marks - shares.astype(np.float64)) ** 2).sum(axis=1), weights)
    if (
        as_choice(scale_by_half, "scale_by_half", ("auto",))
        if isinstance(scale_by_half, str)
        else as_flag(scale_by_half, "scale_by_half")
    ):
        halved = scale_by_half is True or shares.shape[1] < 3
        return score / 2 if halved else score
    return score


def _squares(codes: Array, shares: Array) -> Array:
    """The squared distance of each row from its own corner."""
    shares = shares.astype(np.float64, copy=False)
    if shares.shape[1] == 2:
        return (shares[:, 0] - (codes == 0)) ** 2 + (shares[:, 1] - (codes == 1)) ** 2
    true_share = shares_of_true(shares, codes)
    return (shares * shares).sum(axis=1) - true_share * true_share + (1 - true_share) ** 2


def squared_probability_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Weights = None,
    average: bool = True,
) -> float | Any:
    """Half the squared distance of the probabilities from the true class, by sample.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of all classes in sorted order; of two, of the second alone.
    labels : array-like of shape (K,), optional
        The classes of the columns; None takes those of `y_true`.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    average : bool, default=True
        The mean; False gives the error of each row.

    Returns
    -------
    float, or ndarray of shape (n,)
        Between 0 and 1: `brier_score_loss` with ``scale_by_half=True``.

    Raises
    ------
    ValueError
        As `brier_score_loss`.

    References
    ----------
    Flach, P. (2012). Machine Learning. Cambridge University Press, section 2.3.
    doi:10.1017/CBO9780511973000

    Examples
    --------
    >>> from statfast.metrics import squared_probability_error
    >>> round(squared_probability_error([2], [[0.2, 0.6, 0.2]], labels=[1, 2, 3]), 4)
    0.12
    """
    codes, shares, weights = classes_and_shares(y_true, y_proba, labels, sample_weight)
    errors = _squares(codes, shares) / 2
    return mean_of(errors, weights) if as_flag(average, "average") else errors


def _log_loss_of_parts(parts: Any, *, normalize: bool = True, labels: Any = None) -> Any:
    """`log_loss` of parts."""
    if labels is None:
        labels = sorted(parts.total(Work(labels_in, empty=True)).counts)
    loss, total_weight = parts.total(Work(_losses_of_part), list(labels))
    return float(loss / total_weight if normalize else loss)


def _losses_of_part(columns: Any, labels: Any) -> Any:
    shares, truth, weights = columns
    more = {"labels": labels, "normalize": False, "sample_weight": weights}
    total_weight = len(shares) if weights is None else np.sum(weights)
    return np.array([log_loss(truth, shares, **more), total_weight], dtype=np.float64)


@dispatching_pairs(_log_loss_of_parts)
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: Weights = None,
    labels: ArrayLike | None = None,
) -> float:
    """Log loss: minus the mean log probability of the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K)
        True labels; or of each a column of 0 and 1, of which the errors of a row are summed.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of all classes in sorted order; of two, of the second alone.
    normalize : bool, default=True
        False gives the sum.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    labels : array-like of shape (K,), optional
        The classes of the columns; None takes those of `y_true`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `brier_score_loss`, or if there is one class only and `labels` does not name others.

    Notes
    -----
    Probabilities are moved into [eps, 1 - eps] with the rounding unit of their type, so that one
    that is 0 costs much, but not all.

    Examples
    --------
    >>> from statfast.metrics import log_loss
    >>> round(log_loss(["ham", "spam", "spam", "ham"], [0.1, 0.9, 0.8, 0.35]), 4)
    0.2162
    """
    wide = marks_and_shares(y_true, y_proba, sample_weight)
    if wide is None:
        codes, shares, weights = classes_and_shares(y_true, y_proba, labels, sample_weight)
        losses = _logs(codes, shares)
    else:
        marks, shares, weights = wide
        losses = np.where(marks, _costs(shares), 0.0).sum(axis=1)
    if as_flag(normalize, "normalize"):
        return mean_of(losses, weights)
    return float(losses.sum() if weights is None else losses @ weights)


def _logs(codes: Array, shares: Array) -> Array:
    return _costs(shares_of_true(shares, codes))


def _costs(shares: Array) -> Array:
    eps = np.finfo(shares.dtype).eps
    return -np.log(np.clip(shares, eps, 1 - eps).astype(np.float64))


def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: Weights = None,
    labels: ArrayLike | None = None,
) -> float:
    """D2 of the log loss, relative to the class frequencies.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of all classes in sorted order; of two, of the second alone.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    labels : array-like of shape (K,), optional
        The classes of the columns; None takes those of `y_true`.

    Returns
    -------
    float
        At most 1; NaN, with an `UndefinedMetricWarning`, of one row.

    Raises
    ------
    ValueError
        As `log_loss`.

    Examples
    --------
    >>> from statfast.metrics import d2_log_loss_score
    >>> round(d2_log_loss_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.7149
    """
    codes, shares, weights = classes_and_shares(y_true, y_proba, labels, sample_weight)
    if _too_few(codes):
        return float("nan")
    null = _null(codes, shares, weights)
    return 1 - mean_of(_logs(codes, shares), weights) / mean_of(_logs(codes, null), weights)


def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: Weights = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """D2 of the Brier score (skill score), relative to the class frequencies.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of the positive class, or of all classes in sorted order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    pos_label : label, optional
        The positive class of two. None takes 1, or the higher of two numbers.
    labels : array-like of shape (K,), optional
        The classes of the columns; None takes those of `y_true`.

    Returns
    -------
    float
        At most 1; NaN, with an `UndefinedMetricWarning`, of one row or rows of one class.

    Raises
    ------
    ValueError
        As `brier_score_loss`.

    Examples
    --------
    >>> from statfast.metrics import d2_brier_score
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    """
    codes, shares, weights = classes_and_shares(
        y_true, y_proba, labels, sample_weight, pos_label, binary=True
    )
    if _too_few(codes):
        return float("nan")
    null = mean_of(_squares(codes, _null(codes, shares, weights)), weights)
    if null == 0:
        warn_user("y_true holds one class only, whose share explains all.", UndefinedMetricWarning)
        return float("nan")
    return 1 - mean_of(_squares(codes, shares), weights) / null


def _null(codes: Array, shares: Array, weights: Array | None) -> Array:
    totals = np.bincount(codes, weights, shares.shape[1])
    return np.broadcast_to(totals / totals.sum(), shares.shape)


def _too_few(codes: Array) -> bool:
    if len(codes) < 2:
        warn_user(
            "D^2 score is not well-defined with less than two samples.", UndefinedMetricWarning
        )
    return len(codes) < 2
