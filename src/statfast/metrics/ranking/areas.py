# SPDX-License-Identifier: BSD-3-Clause
"""The area under the ROC curve, of two classes or more, and the ranking error."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np

from statfast._engine import each
from statfast._estimator import dispatching_pairs
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_choice,
    as_flag,
    as_labels,
    as_pair,
    as_real,
    as_rows,
    as_weights,
    shape_of,
    to_array,
)
from statfast.metrics.classification.indicators import as_marks
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.classification.top_k import among
from statfast.metrics.ranking.averages import mean_where_heavy
from statfast.metrics.ranking.curves import roc_of
from statfast.metrics.ranking.part_areas import area_of_parts
from statfast.metrics.ranking.sorted_pass import as_scores, pair_counts, steps_of
from statfast.metrics.ranking.two_classes import binary_codes, steps_for, warn_one_class

AVERAGES = ("macro", "weighted", "micro", "samples", None)


@dispatching_pairs(area_of_parts)
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Literal["macro", "weighted", "micro", "samples"] | None = "macro",
    sample_weight: Weights = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: ArrayLike | None = None,
) -> float | Any:
    """Area under the ROC curve (AUC): the probability that a positive ranks above a negative.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, K)
        Labels. Of two, the higher one is positive. Columns of indicators of several labels a row
        are averaged as classes are.
    y_score : array-like of shape (n,) or (n, K)
        Scores, higher where a row is rather positive; of several classes, their probabilities.
    average : {"macro", "weighted", "micro", "samples", None}, default="macro"
        Of more than two classes or labels: the mean, that by the weights of the classes (of the
        pairs of classes), of all class and sample pairs at once, or each by itself. "micro" and
        None are for "ovr" and labels; "samples" is for labels: the mean of the areas of the
        samples.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all. Not for "ovo".
    max_fpr : float, optional
        Two classes: the area up to this false positive rate alone, standardized by McClish so that
        1 is the most and 0.5 chance.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        More than two classes: each against the rest, or each against each other (Hand and Till),
        which does not depend on their shares.
    labels : array-like of shape (K,), optional
        The classes of the columns, sorted; None takes those of `y_true`.

    Returns
    -------
    float, or ndarray of shape (K,) for ``average=None``
        NaN, with an `UndefinedMetricWarning`, where there is one class only.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label (and class), scores of classes do not
        sum to 1, or `multi_class` does not say what to do with them.

    Notes
    -----
    Without weights the pairs are counted as integers, in buckets that are not sorted where they
    hold one class, and the quotient is rounded once: the same bits for any order of the rows.

    References
    ----------
    Hand, D. J. and Till, R. J. (2001). A simple generalization of the area under the ROC curve for
    multiple class classification problems. Machine Learning 45, 171-186.
    doi:10.1023/A:1010920819831

    McClish, D. K. (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, 190-195.
    doi:10.1177/0272989X8900900307

    Examples
    --------
    >>> from statfast.metrics import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    as_choice(average, "average", AVERAGES)
    as_choice(multi_class, "multi_class", ("raise", "ovr", "ovo"))
    if max_fpr is not None:
        max_fpr = as_real(max_fpr, "max_fpr", 0, 1, open_low=True)
    columns = to_array(y_score, "y_score", "an array-like of numbers")
    if columns.ndim == 2 and len(shape := shape_of(y_true)) == 2 and shape[1] > 1:
        return _of_labels(y_true, columns, average, sample_weight, max_fpr)
    if columns.ndim == 2 and columns.shape[1] > 2:
        return _of_classes(y_true, columns, average, sample_weight, max_fpr, multi_class, labels)
    codes = binary_codes(y_true, usual=False, several=SEVERAL_CLASSES)
    if columns.ndim == 2 and columns.shape[1] == 2:
        raise ValueError(
            "y_score has two columns for two classes. Pass that of the positive class, "
            "y_score[:, 1]."
        )
    scores = as_scores(columns, len(codes))
    weights = as_weights(sample_weight, len(codes))
    return _area(scores, codes, weights, max_fpr)


# What to do with several classes, whose areas are those of a table of probabilities.
SEVERAL_CLASSES = "pass y_score with a column for each, predict_proba(X), and multi_class='ovr'"


def _of_labels(
    y_true: ArrayLike, columns: Any, average: Any, sample_weight: Weights, max_fpr: float | None
) -> Any:
    """Of several labels a row: the areas of the columns, averaged."""
    truth = as_marks(y_true, "y_true").astype(np.uint8)
    if truth.shape != columns.shape:
        raise ValueError(
            f"y_score must have the shape of y_true, {truth.shape}; got {columns.shape}."
        )
    weights = as_weights(sample_weight, len(truth))
    if average == "micro":
        each = None if weights is None else np.repeat(weights, truth.shape[1])
        return roc_auc_score(truth.ravel(), columns.ravel(), sample_weight=each, max_fpr=max_fpr)
    if average == "samples":
        areas = [
            roc_auc_score(marks, scores, max_fpr=max_fpr)
            for marks, scores in zip(truth, columns, strict=True)
        ]
        return mean_where_heavy(np.array(areas), weights)
    areas = np.array([
        roc_auc_score(marks, scores, sample_weight=weights, max_fpr=max_fpr)
        for marks, scores in zip(truth.T, columns.T, strict=True)
    ])  # fmt: skip
    if average == "weighted":
        totals = truth.sum(axis=0) if weights is None else weights @ truth
        return mean_where_heavy(areas, totals)
    return areas if average is None else float(areas.mean())


def _area(
    scores: Array, codes: Array, weights: Array | None = None, max_fpr: float | None = None
) -> float:
    if weights is None and (max_fpr is None or max_fpr == 1):
        twice, positive, negative = pair_counts(scores, codes)
        if positive == 0 or negative == 0:
            return _undefined()
        return twice / (2 * positive * negative)
    steps = steps_of(scores, codes, weights)
    positive, negative = steps.totals
    if positive == 0 or negative == 0:
        return _undefined()
    if max_fpr is None or max_fpr == 1:
        return float(steps.area() / (2 * positive * negative))
    fpr, tpr, _ = roc_of(steps)
    return standardized(area_up_to(fpr, tpr, max_fpr), 0.0, max_fpr)


def _undefined() -> float:
    warn_one_class("ROC AUC score is not defined in that case.")
    return float("nan")


def area_up_to(x: Array, y: Array, high: float) -> float:
    """Area under a rising curve from its start to a place."""
    stop = int(np.searchsorted(x, high, side="right"))
    if stop < len(x):
        (x0, x1), (y0, y1) = x[stop - 1 : stop + 1], y[stop - 1 : stop + 1]
        last = y0 + (y1 - y0) * (high - x0) / (x1 - x0)
        x, y = np.append(x[:stop], high), np.append(y[:stop], last)
    return float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)


def standardized(area: Any, low: Any, high: Any) -> Any:
    """McClish's: 0.5 on the diagonal, 1 at most."""
    chance = (high**2 - low**2) / 2
    return 0.5 * (1 + (area - chance) / ((high - low) - chance))


def partial_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    bounds: tuple[float, float],
    *,
    focus: Literal["specificity", "sensitivity"] = "specificity",
    corrected: bool = False,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> float:
    """Partial area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive; they may be infinite.
    bounds : pair of float
        Between which values, in either order, of `focus`.
    focus : {"specificity", "sensitivity"}, default="specificity"
        Which of the two is bounded: the area is below the curve, or to the right of it.
    corrected : bool, default=False
        Standardized by McClish: 1 is the most it can be and 0.5 chance.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.

    Returns
    -------
    float
        nan where there are samples of one class only; a warning says so.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    References
    ----------
    McClish, D. K. (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, 190-195.
    doi:10.1177/0272989X8900900307

    Examples
    --------
    >>> from statfast.metrics import partial_auc_score
    >>> partial_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], (1, 0.5))
    0.25
    """
    as_choice(focus, "focus", ("specificity", "sensitivity"))
    low, high = sorted(as_pair(bounds, "bounds", 0.0, 1.0))
    if low == high:
        raise ValueError(f"bounds must be two values that differ; got {low} twice.")
    fpr, tpr, _ = roc_of(steps_for(y_true, y_score, pos_label, sample_weight))
    # There is one class only, of which `roc_of` has warned.
    if np.isnan(fpr).any() or np.isnan(tpr).any():
        return float("nan")
    # The partial area over sensitivities is that of the curve turned around.
    if focus == "sensitivity":
        fpr, tpr = (1 - tpr)[::-1], (1 - fpr)[::-1]
    low, high = 1 - high, 1 - low
    area = area_up_to(fpr, tpr, high) - area_up_to(fpr, tpr, low)
    return standardized(area, low, high) if as_flag(corrected, "corrected") else area


def _of_classes(
    y_true: ArrayLike,
    columns: Any,
    average: Any,
    sample_weight: Weights,
    max_fpr: float | None,
    multi_class: Any,
    labels: Any,
) -> Any:
    if max_fpr not in (None, 1):
        raise ValueError(
            f"max_fpr={max_fpr} is for two classes: partial AUC computation is not available in "
            "multiclass setting. Leave it out."
        )
    if average == "samples":
        raise ValueError("average='samples' is for indicators of several labels a row.")
    if multi_class == "raise":
        raise ValueError(
            "multi_class must be in ('ovo', 'ovr') for more than two classes. Pass "
            "multi_class='ovr' for each class against all others."
        )
    y = as_column(y_true, "y_true")
    classes, codes = as_labels(y, len(y), name="y_true")
    if labels is not None:
        codes, classes = among(labels, classes, codes)
    scores = as_rows(columns, name="y_score")
    if len(scores) != len(y) or scores.shape[1] != len(classes):
        raise ValueError(
            f"y_score must have a row for each of y_true ({len(y)}) and a column for each class "
            f"({len(classes)}); got {scores.shape}. Name all classes by labels."
        )
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError("y_score must hold probabilities, which sum to 1 over the classes.")
    weights = as_weights(sample_weight, len(y))
    if multi_class == "ovr":
        return _one_against_rest(scores, codes, len(classes), average, weights)
    if weights is not None or average in (None, "micro"):
        raise ValueError(
            "multi_class='ovo' has no sample_weight, and its average is 'macro' or 'weighted'."
        )
    return _one_against_one(scores, codes, average)


def _one_against_rest(
    scores: Any, codes: Array, k: int, average: Any, weights: Array | None
) -> Any:
    if average == "micro":
        indicators = (codes[:, None] == np.arange(k)).astype(np.uint8)
        each_weight = None if weights is None else np.repeat(weights, k)
        return _area(np.ascontiguousarray(scores).ravel(), indicators.ravel(), each_weight)

    def work(c: int) -> Any:
        indicators = (codes == c).astype(np.uint8)
        return _area(np.ascontiguousarray(scores[:, c]), indicators, weights)

    areas = np.array([work(c) for c in range(k)])
    if average is None:
        return areas
    if average == "macro":
        return float(areas.mean())
    return mean_where_heavy(areas, np.bincount(codes, weights, k))


def _one_against_one(scores: Any, codes: Array, average: Any) -> Any:
    def work(pair: tuple[int, int]) -> Any:
        rows = np.flatnonzero((codes == pair[0]) | (codes == pair[1]))
        true, values = codes[rows], np.ascontiguousarray(scores[rows])
        return np.mean([
            _area(np.ascontiguousarray(values[:, c]), (true == c).astype(np.uint8)) for c in pair
        ])  # fmt: skip

    counts = np.bincount(codes)
    pairs = list(combinations(np.flatnonzero(counts), 2))
    areas = np.array(each(work, pairs, effort=40.0 * len(codes) * len(counts)))
    sizes = [counts[a] + counts[b] for a, b in pairs]
    return float(np.average(areas, weights=sizes if average == "weighted" else None))


def ranking_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: Weights = None,
    as_fraction: bool = False,
) -> float | Any:
    """Ranking error: the fraction of negative-positive pairs in the wrong order, ties half.

    1 - AUC, from whole numbers: no rounding but that of the last division.

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
    as_fraction : bool, default=False
        The exact fraction; for whole weights, or none.

    Returns
    -------
    float or fractions.Fraction

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive;
        or there are no rows of one class.

    Notes
    -----
    Of a scoring tree, pass a row for each leaf and class, with their counts as weights.

    Examples
    --------
    >>> from statfast.metrics import ranking_error
    >>> ranking_error([1, 1, 0, 1, 1, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    0.125
    >>> ranking_error([1, 0] * 3, [3, 3, 2, 2, 1, 1], sample_weight=[20, 5, 10, 5, 20, 40])
    0.29
    """
    codes = binary_codes(y_true, pos_label)
    scores = as_scores(y_score, len(codes))
    weights = as_weights(sample_weight, len(codes))
    if weights is None:
        twice, positive, negative = pair_counts(scores, codes)
    else:
        steps = steps_of(scores, codes, weights)
        (positive, negative), twice = steps.totals, steps.area()
        if not (weights % 1).any() and max(positive, negative) < 2**53:
            positive, negative = int(positive), int(negative)
            twice = sum(
                int(n) * (2 * int(above) - int(ties))
                for n, above, ties in zip(steps.negative, steps.tp, steps.positive, strict=True)
                if n
            )
    if positive == 0 or negative == 0:
        raise ValueError("y_true must hold rows of both classes; one has none. Pass some.")
    wrong, pairs = 2 * positive * negative - twice, 2 * positive * negative
    if as_flag(as_fraction, "as_fraction"):
        if not isinstance(pairs, int):
            raise ValueError("as_fraction=True is for whole weights. Round them, or leave it out.")
        return Fraction(int(wrong), pairs)
    return float(wrong / pairs)
