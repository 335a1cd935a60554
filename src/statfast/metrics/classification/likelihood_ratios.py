# SPDX-License-Identifier: BSD-3-Clause
"""Likelihood ratios of a test with two outcomes, and 2 x 2 tables of each label."""

from __future__ import annotations

from math import nan
from numbers import Real
from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import UndefinedMetricWarning, as_flag, shown, warn_user
from statfast.metrics.classification.confusion_scores import chosen
from statfast.metrics.classification.indicators import indicators_of
from statfast.metrics.classification.label_table import label_table
from statfast.metrics.classification.set_measures import ClassSums, sums_in


def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Weights = None,
    replace_undefined_by: float | dict[Any, Any] = nan,
) -> tuple[float, float]:
    """Positive and negative likelihood ratios of a binary classifier.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels, of two classes.
    labels : array-like of shape (2,), optional
        The negative and the positive class; None takes them in sorted order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    replace_undefined_by : {nan, 1.0} or dict, default=nan
        What to return, with a warning, where a ratio has no denominator: nan; 1.0, an
        uninformative test; or a dict such as ``{"LR+": inf, "LR-": 0.0}``.

    Returns
    -------
    positive, negative : float
        The true positive rate by the false positive rate, at least 1 for a test that is better than
        chance; and the false negative rate by the true negative rate, at most 1. Both are nan where
        `y_true` has no positive sample.

    Raises
    ------
    ValueError
        If there are not two classes, or `replace_undefined_by` is none of these.

    Notes
    -----
    Odds after a positive answer are those before it times the first number, after a negative one
    times the second.

    References
    ----------
    Altman, D. G. and Bland, J. M. (1994). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169.
    doi:10.1136/bmj.329.7458.168

    Examples
    --------
    >>> from statfast.metrics import class_likelihood_ratios
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    instead = _instead(replace_undefined_by)
    counts = chosen(label_table(y_true, y_pred, sample_weight), labels)
    if len(counts) != 2:
        raise ValueError(
            f"class_likelihood_ratios is of two classes; got {len(counts)}. Name the negative and "
            "the positive one by labels."
        )
    (tn, fp), (fn, tp) = counts.astype(np.float64)
    positives, negatives = tp + fn, tn + fp
    if positives == 0.0:
        _undefined("No row of y_true is of the positive class: both ratios are", nan)
        return nan, nan
    if fp == 0.0:
        _undefined("No negative row was taken for positive: LR+ is", instead["LR+"])
    if tn == 0.0:
        _undefined("No negative row was found: LR- is", instead["LR-"])
    positive = instead["LR+"] if fp == 0.0 else tp / positives / (fp / negatives)
    negative = instead["LR-"] if tn == 0.0 else fn / positives / (tn / negatives)
    return float(positive), float(negative)


def _undefined(what: str, value: Any) -> None:
    warn_user(
        f"{what} undefined, and set to {value}. Use the replace_undefined_by parameter for another "
        "value.",
        UndefinedMetricWarning,
    )


def _instead(replacement: Any) -> dict[str, float]:
    """What stands for either ratio."""
    if (
        isinstance(replacement, Real)
        and not isinstance(replacement, bool)
        and (replacement != replacement or replacement == 1)
    ):
        return {"LR+": float(replacement), "LR-": float(replacement)}
    if isinstance(replacement, dict) and set(replacement) == {"LR+", "LR-"}:
        high, low = replacement["LR+"], replacement["LR-"]
        numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in (high, low))
        if numbers and (high != high or high >= 1) and (low != low or 0 <= low <= 1):
            return replacement
    raise ValueError(
        "replace_undefined_by must be nan, 1.0, or a dict of 'LR+' (at least 1, or nan) and 'LR-' "
        f"(between 0 and 1, or nan); got {shown(replacement)}."
    )


def positive_likelihood_ratio(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights | None = None
) -> Any:
    """The first of `class_likelihood_ratios`, for a scorer."""
    return class_likelihood_ratios(y_true, y_pred, sample_weight=sample_weight)[0]


def negative_likelihood_ratio(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights | None = None
) -> Any:
    """The second of `class_likelihood_ratios`, for a scorer."""
    return class_likelihood_ratios(y_true, y_pred, sample_weight=sample_weight)[1]


def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: Weights = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> Array:
    """Confusion matrix of each label against all others.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    labels : array-like, optional
        Which labels, in this order; None takes all, sorted.
    samplewise : bool, default=False
        A matrix for each row instead, of several labels a row.

    Returns
    -------
    ndarray of shape (K, 2, 2) or (n, 2, 2)
        Of each label the samples without it that were not given it and were, then those with it
        that were not given it and were; int64, or float64 if weights are passed.

    Raises
    ------
    ValueError
        If the labels are of different kinds or lengths, or `samplewise` is asked for of one label
        a row.

    Examples
    --------
    >>> from statfast.metrics import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "b", "a"])[0]
    array([[1, 1],
           [0, 1]])
    """
    by_row = as_flag(samplewise, "samplewise")
    marks = indicators_of(y_true, y_pred, sample_weight)
    if marks is not None:
        sums = ClassSums(*marks.sums(labels, "samples" if by_row else "macro"))
        if by_row:
            sums = ClassSums(*(part * marks.weights for part in sums))
    elif by_row:
        raise ValueError(
            "samplewise must be False for one label a row: Samplewise metrics are not available "
            "outside of multilabel classification."
        )
    else:
        sums = sums_in(label_table(y_true, y_pred, sample_weight), labels, "macro")[0]
    table = np.stack([sums.tn, sums.fp, sums.fn, sums.tp], axis=1).reshape(-1, 2, 2)
    return table.astype(np.int64 if sample_weight is None else np.float64)
