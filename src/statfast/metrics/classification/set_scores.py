# SPDX-License-Identifier: BSD-3-Clause
"""Precision, recall, their F-measure and Jaccard's, of one class or averaged over classes."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import Any, Literal

from statfast._estimator import ANY, ignoring_sklearn_arguments
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import as_real
from statfast.metrics.classification.set_measures import (
    class_average,
    f_parts,
    jaccard_parts,
    precision_parts,
    recall_parts,
    share,
    sums_of,
)


def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """Precision: TP / (TP + FP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
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
    >>> from statfast.metrics import precision_score
    >>> round(precision_score([0, 1, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1]), 4)
    0.6667
    """
    return share(
        precision_parts, "Precision",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """Recall (sensitivity): TP / (TP + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
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
    >>> from statfast.metrics import recall_score
    >>> recall_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average=None)
    array([1., 0., 0.])
    """
    return share(
        recall_parts, "Recall",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """F1 score: the harmonic mean of precision and recall, 2 TP / (2 TP + FN + FP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
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
    >>> from statfast.metrics import f1_score
    >>> round(f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="macro"), 4)
    0.2667
    """
    return share(
        f_parts(1.0), "F-score",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """F-beta score: the weighted harmonic mean of precision and recall.

    (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP) with b = `beta`; recall itself where b is infinite.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    beta : float
        How many times recall counts as much as precision, at least 0, perhaps infinite.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
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
    >>> from statfast.metrics import fbeta_score
    >>> round(fbeta_score([0, 1, 1, 1, 0], [0, 1, 0, 0, 0], beta=0.5), 4)
    0.7143
    """
    beta = _checked(beta)
    return share(
        f_parts(beta), "F-score",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


def jaccard_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> float | Any:
    """Jaccard index: TP / (TP + FP + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
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
    >>> from statfast.metrics import jaccard_score
    >>> round(jaccard_score([0, 1, 1, 1, 0], [0, 1, 0, 0, 0]), 4)
    0.3333
    """
    return share(
        jaccard_parts, "Jaccard's index",
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division,
    )  # fmt: skip


@ignoring_sklearn_arguments(warn_for=ANY)
def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = None,
    sample_weight: Weights = None,
    zero_division: Literal["warn"] | float = "warn",
) -> tuple[float | Any, float | Any, float | Any, Array | None]:
    """Precision, recall, F-measure and support of each class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    beta : float, default=1.0
        How many times recall counts as much as precision, at least 0, perhaps infinite.
    labels : array-like, optional
        Which classes, in this order, where `average` is not "binary"; None takes all, sorted.
    pos_label : label, default=1
        The positive class of two, where `average` is "binary".
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default=None
        Of the positive class of two alone; from the sums over classes; the mean over classes; that
        by their weight in `y_true`; the mean over samples of several labels; or each class by
        itself.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    precision, recall, fscore : float, or ndarray of shape (K,) for ``average=None``
    support : ndarray of shape (K,), or None if averaged

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, there are more
        than two classes and `average` is "binary", or `pos_label` is neither of two.
    TypeError
        If the labels are strings in one and numbers in the other.

    Examples
    --------
    >>> from statfast.metrics import precision_recall_fscore_support
    >>> p, r, f, support = precision_recall_fscore_support([0, 1, 1, 2], [0, 1, 2, 2])
    >>> support
    array([1, 2, 1])
    """
    beta = _checked(beta)
    rule: Any = class_average(average, zero_division)
    sums, support = sums_of(y_true, y_pred, labels, pos_label, average, sample_weight)
    shares = [
        rule.average_quotients(*parts(sums), support, name)
        for parts, name in (
            (precision_parts, "Precision"),
            (recall_parts, "Recall"),
            (f_parts(beta), "F-score"),
        )
    ]
    precision, recall, score = shares
    return precision, recall, score, support if average is None else None


def _checked(beta: Any) -> float:
    return inf if isinstance(beta, Real) and beta == inf else as_real(beta, "beta", low=0)
