# SPDX-License-Identifier: BSD-3-Clause
"""Precision against recall: the points, the curve between them, and the average precision."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_labels,
    as_rows,
    as_weights,
    warn_user,
)
from statfast.metrics.classification.indicators import as_marks, is_wide
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.classification.top_k import among
from statfast.metrics.ranking.averages import mean_where_heavy
from statfast.metrics.ranking.sorted_pass import ScoreSteps, steps_of
from statfast.metrics.ranking.two_classes import binary_codes, steps_for

AVERAGES = ("macro", "micro", "weighted", "samples", None)


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: Weights = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Precision-recall curve: precision and recall at each threshold.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive; they may be infinite.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.
    drop_intermediate : bool, default=False
        Leave out thresholds between others with the same recall.

    Returns
    -------
    precision, recall : ndarray of shape (m + 1,)
        Recall falls; the last point is 1 and 0.
    thresholds : ndarray of shape (m,)
        Rising.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    Notes
    -----
    The points are not to be joined by straight lines: `precision_recall_interpolation` has the
    curve between them.

    Examples
    --------
    >>> from statfast.metrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision.round(4)
    array([0.5   , 0.6667, 0.5   , 1.    , 1.    ])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    as_flag(drop_intermediate, "drop_intermediate")
    steps = steps_for(y_true, y_score, pos_label, sample_weight)
    tp, fp, values = steps.tp, steps.fp, steps.values
    if drop_intermediate and len(tp) > 2:
        kept = np.ones(len(tp), dtype=bool)
        kept[1:-1] = (steps.positive[1:-1] != 0) | (steps.positive[2:] != 0)
        tp, fp, values = tp[kept], fp[kept], values[kept]
    if tp[-1] == 0:
        warn_user("No positive class found in y_true, recall is set to one for all thresholds.")
    recall = tp / tp[-1] if tp[-1] else np.ones(len(tp))
    precision = tp / (tp + fp)
    precision = np.concatenate([precision[::-1], [1.0]])
    recall = np.concatenate([recall[::-1], [0.0]])
    return precision, recall, values[::-1]


def precision_recall_interpolation(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_points: int = 1001,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> tuple[Array, Array, float]:
    """Precision at given recall, interpolated as by breaking ties at random.

    Between two thresholds positives and negatives grow in proportion, so that precision is a
    hyperbola in recall, not a line; the area under it is taken exactly.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive; they may be infinite.
    n_points : int, default=1001
        Places between recall 0 and 1.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.

    Returns
    -------
    recall : ndarray of shape (n_points,)
        Rising from 0 to 1.
    precision : ndarray of shape (n_points,)
        At these; at 0 that of the first positive.
    area : float
        Under the curve.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    References
    ----------
    Davis, J. and Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    ICML, 233-240. doi:10.1145/1143844.1143874

    Keilwagen, J., Grosse, I. and Grau, J. (2014). Area under precision-recall curves for weighted
    and unweighted data. PLOS ONE 9, e92209. doi:10.1371/journal.pone.0092209

    Examples
    --------
    >>> from statfast.metrics import precision_recall_interpolation
    >>> recall, precision, area = precision_recall_interpolation([0, 1, 1], [1, 1, 2], n_points=3)
    >>> precision.round(4)
    array([1.    , 1.    , 0.6667])
    >>> round(area, 4)
    0.8873
    """
    n_points = as_count(n_points, "n_points", low=2)
    steps = steps_for(y_true, y_score, pos_label, sample_weight)
    tp, fp = (np.concatenate([[0.0], column]) for column in (steps.tp, steps.fp))
    total = tp[-1]
    if total == 0:
        raise ValueError("y_true holds no positive rows, of which recall is a share. Pass some.")
    recall = np.linspace(0.0, 1.0, n_points)
    wanted = recall * total
    at = np.clip(np.searchsorted(tp, wanted, side="left"), 1, len(tp) - 1)
    first = int(np.flatnonzero(tp)[0])
    at[wanted == 0] = first
    rise, run = tp[at] - tp[at - 1], fp[at] - fp[at - 1]
    false = fp[at - 1] + (wanted - tp[at - 1]) / np.where(rise > 0, rise, 1.0) * run
    precision = wanted / np.where(wanted > 0, wanted + false, 1.0)
    beginning = rise[0] / (rise[0] + run[0]) if fp[at[0] - 1] == 0 else 0.0
    precision = np.where(wanted > 0, precision, beginning)
    return recall, precision, _area_between(tp, fp)


def _area_between(tp: Array, fp: Array) -> float:
    """The integral of t / (t + f) with f linear in t between the points."""
    rise, run = np.diff(tp), np.diff(fp)
    moved = rise > 0
    rise, run, t, f = rise[moved], run[moved], tp[:-1][moved], fp[:-1][moved]
    slope = run / rise
    a, b = 1 + slope, f - slope * t  # Along the segment, t + f = a t + b.
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = np.log1p(a * rise / (a * t + b)) * b / a
    part = (rise - np.where(b == 0, 0.0, curved)) / a
    return float(part.sum() / tp[-1])


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] | None = "macro",
    pos_label: Any = 1,
    sample_weight: Weights = None,
    labels: ArrayLike | None = None,
) -> float | Any:
    """Average precision: the area under the precision-recall curve in steps.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K)
        Labels; of several labels a row, indicators of 0 and 1.
    y_score : array-like of shape (n,) or (n, K)
        Scores, higher where a row is rather positive; of more than two classes, and of several
        labels a row, of each.
    average : {"macro", "micro", "weighted", "samples", None}, default="macro"
        Of more than two classes, or several labels a row; "samples": the mean over the rows.
    pos_label : label, default=1
        The positive class of two.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.
    labels : array-like of shape (K,), optional
        The classes of the columns, sorted; None takes those of `y_true`.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``
        The sum of precision times the rise of recall, from threshold to threshold.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    Examples
    --------
    >>> from statfast.metrics import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    as_choice(average, "average", AVERAGES)
    if is_wide(y_true):
        return _of_columns(as_marks(y_true, "y_true"), y_score, average, pos_label, sample_weight)
    y = as_column(y_true, "y_true")
    columns = np.asarray(y_score)
    if columns.ndim == 2 and columns.shape[1] > 1:
        return _of_classes(y, columns, average, pos_label, sample_weight, labels)
    ones = binary_codes(y, pos_label, usual=False)
    return precision_of(steps_for(ones, y_score, 1, sample_weight, usual=False))


def precision_of(steps: ScoreSteps) -> float:
    tp = steps.tp
    if tp[-1] == 0:
        warn_user("No positive class found in y_true, so that average precision is 0.")
        return 0.0
    held = steps.positive > 0
    tp, fp = tp[held], steps.fp[held]
    return float((steps.positive[held] * (tp / (tp + fp))).sum() / tp[-1])


def _of_classes(
    y: Any, columns: Any, average: Any, pos_label: Any, sample_weight: Weights, labels: Any
) -> Any:
    classes, codes = as_labels(y, len(y), name="y_true")
    if labels is not None:
        codes, classes = among(labels, classes, codes)
    indicators = codes[:, None] == np.arange(len(classes))
    return _of_columns(indicators, columns, average, pos_label, sample_weight)


def _of_columns(
    positive: Any, columns: Any, average: Any, pos_label: Any, sample_weight: Weights
) -> Any:
    """Of each column (or row) by itself, averaged; or of all their entries as one."""
    n, k = positive.shape
    scores = as_rows(columns, name="y_score")
    if scores.shape != (n, k) or pos_label != 1:
        raise ValueError(
            f"y_score must have a row for each of y_true ({n}) and a column for each class "
            f"({k}), and pos_label be left out; got {scores.shape} and {pos_label!r}."
        )
    weights, positive = as_weights(sample_weight, n), positive.astype(np.uint8)
    if average == "micro":
        each = None if weights is None else np.repeat(weights, k)
        return precision_of(steps_of(np.ascontiguousarray(scores).ravel(), positive.ravel(), each))
    if average == "samples":
        pairs = zip(np.ascontiguousarray(scores), positive, strict=True)
        precisions = np.array([precision_of(steps_of(row, marks, None)) for row, marks in pairs])
        return mean_where_heavy(precisions, weights)
    precisions = np.array([
        precision_of(steps_of(np.ascontiguousarray(scores[:, c]), positive[:, c].copy(), weights))
        for c in range(k)
    ])  # fmt: skip
    if average is None:
        return precisions
    if average == "macro":
        return float(precisions.mean())
    totals = positive.sum(axis=0) if weights is None else weights @ positive
    return mean_where_heavy(precisions, totals) if totals.any() else 0.0
