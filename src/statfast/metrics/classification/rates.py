# SPDX-License-Identifier: BSD-3-Clause
"""Rates of true and false positives and negatives, beside recall and precision."""

from __future__ import annotations

from typing import Any, Literal

from statfast._typing import ArrayLike, Weights
from statfast.metrics.classification.set_measures import (
    fall_out_parts,
    miss_parts,
    negative_value_parts,
    share,
    specificity_parts,
)


def specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """Specificity (true negative rate): TN / (TN + FP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes;
        that by their weight in `y_true`; or each class by itself.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, there are more
        than two classes and `average` is "binary", or `pos_label` is neither of two.
    TypeError
        If the labels are strings in one and numbers in the other.

    Examples
    --------
    >>> from statfast.metrics import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.75
    """
    return share(
        specificity_parts, "Specificity",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def false_positive_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """False positive rate: FP / (FP + TN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes;
        that by their weight in `y_true`; or each class by itself.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, there are more
        than two classes and `average` is "binary", or `pos_label` is neither of two.
    TypeError
        If the labels are strings in one and numbers in the other.

    Examples
    --------
    >>> from statfast.metrics import false_positive_rate
    >>> false_positive_rate([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.25
    """
    return share(
        fall_out_parts, "The false positive rate",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def false_negative_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """False negative rate: FN / (FN + TP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes;
        that by their weight in `y_true`; or each class by itself.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, there are more
        than two classes and `average` is "binary", or `pos_label` is neither of two.
    TypeError
        If the labels are strings in one and numbers in the other.

    Examples
    --------
    >>> from statfast.metrics import false_negative_rate
    >>> false_negative_rate([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.5
    """
    return share(
        miss_parts, "The false negative rate",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def negative_predictive_value(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """Negative predictive value: TN / (TN + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes;
        that by their weight in `y_true`; or each class by itself.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, there are more
        than two classes and `average` is "binary", or `pos_label` is neither of two.
    TypeError
        If the labels are strings in one and numbers in the other.

    Examples
    --------
    >>> from statfast.metrics import negative_predictive_value
    >>> negative_predictive_value([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.75
    """
    return share(
        negative_value_parts, "The negative predictive value",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip
