# SPDX-License-Identifier: BSD-3-Clause
"""The confusion matrix, and scores of all classes at once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._estimator import dispatching_pairs
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    UndefinedMetricWarning,
    as_choice,
    as_flag,
    shown,
    to_array,
    warn_user,
)
from statfast.metrics.classification.indicators import indicators_of
from statfast.metrics.classification.label_table import LabelTable, label_table
from statfast.metrics.classification.part_counts import counted_pairs


def _confusion_of_parts(parts: Any, **more: Any) -> Any:
    """`confusion_matrix` of parts: of each pair of labels, as often as it was found."""
    truth, predicted, weights = counted_pairs(parts)
    return confusion_matrix(truth, predicted, sample_weight=weights, **more)


@dispatching_pairs(_confusion_of_parts)
def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Weights = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Array:
    """Confusion matrix: counts of true classes (rows) and predicted labels (columns).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels, of any one type.
    labels : array-like of shape (K,), optional
        Which labels, in this order; rows with another one are left out. None takes all, sorted.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    normalize : {None, "true", "pred", "all"}, default=None
        Divide by the sums of rows, of columns, or of all; what has no sum becomes 0.

    Returns
    -------
    ndarray of shape (K, K)
        int64; float64 if normalized, or if weights are not integers.

    Raises
    ------
    ValueError
        If the labels are not two columns of equal length without missing values, or none of
        `labels` is in `y_true`.
    TypeError
        If the labels are strings in one and numbers in the other.

    Notes
    -----
    Integer labels that span no more than 1024 are counted in one reading of both, at the speed of
    memory; others are coded first.

    Examples
    --------
    >>> from statfast.metrics import confusion_matrix
    >>> confusion_matrix(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    as_choice(normalize, "normalize", (None, "true", "pred", "all"))
    table = label_table(y_true, y_pred, sample_weight)
    counts = chosen(table, labels)
    if len(counts) == 1:
        warn_user(
            "A single label was found in y_true and y_pred. For the confusion matrix to have the "
            "correct shape, use the 'labels' parameter to pass all known labels."
        )
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        sums = counts.sum(axis=axis, keepdims=True)
        return counts / np.where(sums == 0, 1, sums)
    whole = (
        sample_weight is None or to_array(sample_weight, "sample_weight", "").dtype.kind in "iub"
    )
    return counts.astype(np.int64 if whole else np.float64)


def chosen(table: LabelTable, labels: Any) -> Array:
    """The dense table of the labels asked for, in their order."""
    counts = table.dense()
    if labels is None:
        return counts
    at = table.place(labels)
    if not (table.true[at[at >= 0]] > 0).any():
        raise ValueError(
            f"At least one label specified must be in y_true; none of {shown(list(labels))} is."
        )
    known = np.where(at >= 0, at, 0)
    both = (at >= 0)[:, None] & (at >= 0)
    return np.where(both, counts[np.ix_(known, known)], 0)


def accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, normalize: bool = True, sample_weight: Weights = None
) -> float:
    """Accuracy: the fraction of samples that are classified correctly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    normalize : bool, default=True
        False gives the number (or weight) of these rows.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        As `confusion_matrix`.

    Examples
    --------
    >>> from statfast.metrics import accuracy_score
    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    right, total = _right_of_all(y_true, y_pred, sample_weight)
    return right / total if as_flag(normalize, "normalize") else right


def _right_of_all(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[float, float]:
    """The weight of rows whose labels are right, and of all."""
    marks = indicators_of(y_true, y_pred, sample_weight)
    if marks is not None:
        return marks.same()
    table = label_table(y_true, y_pred, sample_weight)
    return float(table.correct.sum()), float(table.total)


def zero_one_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, normalize: bool = True, sample_weight: Weights = None
) -> float:
    """Zero-one loss: the fraction of samples that are classified wrongly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    normalize : bool, default=True
        False gives the number (or weight) of these rows.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        As `confusion_matrix`.

    Examples
    --------
    >>> from statfast.metrics import zero_one_loss
    >>> zero_one_loss([0, 1, 2, 3], [0, 2, 1, 3], normalize=False)
    2.0
    """
    right, total = _right_of_all(y_true, y_pred, sample_weight)
    return 1.0 - right / total if as_flag(normalize, "normalize") else total - right


def hamming_loss(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None) -> float:
    """Hamming loss: the fraction of labels that are wrong.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several a row, a column of 0 and 1 for each.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Examples
    --------
    >>> from statfast.metrics import hamming_loss
    >>> hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    marks = indicators_of(y_true, y_pred, sample_weight)
    if marks is not None:
        return marks.wrong_share()
    table = label_table(y_true, y_pred, sample_weight)
    return float(table.total - table.correct.sum()) / float(table.total)


def balanced_accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None, adjusted: bool = False
) -> float:
    """Balanced accuracy: the mean recall over the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    adjusted : bool, default=False
        Scale so that guessing scores 0 and perfection 1.

    Returns
    -------
    float
        Adjusted, nan where there is one class only.

    Raises
    ------
    ValueError, TypeError
        As `confusion_matrix`.

    Examples
    --------
    >>> from statfast.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    table = label_table(y_true, y_pred, sample_weight)
    there = table.true > 0
    if not there.all():
        warn_user("y_pred contains classes not in y_true")
    score = float((table.correct[there] / table.true[there]).mean())
    if not as_flag(adjusted, "adjusted"):
        return score
    chance = 1.0 / np.count_nonzero(there)
    return (score - chance) / (1.0 - chance) if chance < 1 else float("nan")


def matthews_corrcoef(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: Weights = None
) -> float:
    """Matthews correlation coefficient; of K classes, Gorodkin's.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float
        Between -1 and 1; 0 where either has one label only.

    Raises
    ------
    ValueError, TypeError
        As `confusion_matrix`.

    References
    ----------
    Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation
    coefficient. Computational Biology and Chemistry 28, 367-374.
    doi:10.1016/j.compbiolchem.2004.09.006

    Examples
    --------
    >>> from statfast.metrics import matthews_corrcoef
    >>> round(matthews_corrcoef([+1, +1, +1, -1], [+1, -1, +1, +1]), 4)
    -0.3333
    """
    table = label_table(y_true, y_pred, sample_weight)
    total = float(table.total)
    # Shares are used, so that no product overflows.
    true, pred = table.true / total, table.pred / total
    spread = (1 - true @ true) * (1 - pred @ pred)
    if spread <= 0 or (true > 0).sum() < 2 or (pred > 0).sum() < 2:
        return 0.0
    return float((table.correct.sum() / total - true @ pred) / spread**0.5)


def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: Weights = None,
    replace_undefined_by: float = float("nan"),
) -> float:
    """Cohen's kappa: agreement of two raters beyond that of chance.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        Labels by either.
    labels : array-like of shape (K,), optional
        Which labels, in this order; None takes all, sorted.
    weights : {None, "linear", "quadratic"}, default=None
        How bad a disagreement is: all alike, or by the places of the labels in their order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    replace_undefined_by : float, default=nan
        What to return, with a warning, where chance alone agrees on all.

    Returns
    -------
    float
        At most 1; 0 is as by chance. `replace_undefined_by`, which is nan unless given, where y1
        and y2 have but one label in common; a warning says so.

    Raises
    ------
    ValueError, TypeError
        As `confusion_matrix`.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37-46. doi:10.1177/001316446002000104

    Examples
    --------
    >>> from statfast.metrics import cohen_kappa_score
    >>> round(cohen_kappa_score([0, 1, 1, 2], [0, 1, 2, 2]), 4)
    0.6364
    """
    as_choice(weights, "weights", (None, "linear", "quadratic"))
    counts = chosen(label_table(y1, y2, sample_weight), labels).astype(np.float64)
    place = np.arange(len(counts))
    distance = np.abs(place[:, None] - place)
    cost = {None: distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    total = counts.sum()
    expected = counts.sum(axis=1) @ cost @ counts.sum(axis=0) / total if total else 0.0
    if expected == 0:
        warn_user(
            "Cohen's kappa is undefined, as y1 and y2 have but one label in common, and is set to "
            f"{replace_undefined_by}. Use the replace_undefined_by parameter for another value.",
            UndefinedMetricWarning,
        )
        return replace_undefined_by
    return float(1 - (cost * counts).sum() / expected)
