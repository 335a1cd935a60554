# SPDX-License-Identifier: BSD-3-Clause
"""Where to cut a ranking: operating points, distances of classes, and lines of equal worth."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_choice,
    as_pair,
    as_real,
)
from statfast.metrics.ranking.curves import counts_of
from statfast.metrics.ranking.hull import steps_with_both

CRITERIA = ("youden", "closest", "accuracy", "f", "cost", "tpr", "fpr")


class OperatingPoint(NamedTuple):
    """A threshold, and the rates at it.

    Attributes
    ----------
    threshold : float
        Samples with this score or a higher one are taken for positive; infinite: none is.
    value : float
        Of the criterion.
    fpr, tpr : float
        False and true positive rate.
    tp, fp, tn, fn : int or float
        Numbers (or weights) of rows.

    Examples
    --------
    >>> from statfast.metrics import choose_threshold
    >>> choose_threshold([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], "accuracy")
    OperatingPoint(threshold=5.0, value=0.8333333333333333, fpr=0.0,
    tpr=0.6666666666666666, tp=2, fp=0, tn=3, fn=1)
    """

    threshold: float
    value: float
    fpr: float
    tpr: float
    tp: float
    fp: float
    tn: float
    fn: float


class KolmogorovSmirnov(NamedTuple):
    """Kolmogorov-Smirnov statistic of the scores of two classes.

    Attributes
    ----------
    statistic : float
        The largest difference of their distribution functions, which is that of the true and the
        false positive rate.
    threshold : float
        Where it is, the highest; infinite where no score parts them.

    Examples
    --------
    >>> from statfast.metrics import ks_statistic
    >>> statistic, threshold = ks_statistic([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> round(statistic, 3), threshold
    (0.667, 5.0)
    """

    statistic: float
    threshold: float


def choose_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    criterion: Literal["youden", "closest", "accuracy", "f", "cost", "tpr", "fpr"] = "youden",
    *,
    cost: tuple[float, float] = (1.0, 1.0),
    prevalence: float | None = None,
    beta: float = 1.0,
    target: float | None = None,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> OperatingPoint:
    """Choose the decision threshold that is best by a criterion.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive.
    criterion : {"youden", "closest", "accuracy", "f", "cost", "tpr", "fpr"}, default="youden"
        The largest TPR - FPR; the point nearest to the corner (0, 1); the largest accuracy; the
        largest F-measure; the least expected cost; the highest threshold whose true positive rate
        is at least `target`; or the lowest one whose false positive rate is at most that.
    cost : pair of float, default=(1.0, 1.0)
        Of a false positive and of a false negative, for "cost".
    prevalence : float, optional
        Fraction of positives where the threshold is to be used, for "cost", "accuracy" and "f";
        None takes that of the samples.
    beta : float, default=1.0
        How many times recall counts as much as precision, for "f".
    target : float, optional
        For "tpr" and "fpr".
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    OperatingPoint

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, there are rows of one class only, or
        a parameter is out of its range.

    Notes
    -----
    Of thresholds that are as good, the highest. Of all criteria, those that are monotone in both
    rates choose corners of the convex hull.

    Examples
    --------
    >>> from statfast.metrics import choose_threshold
    >>> y, s = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> choose_threshold(y, s).threshold
    5.0
    >>> choose_threshold(y, s, "cost", cost=(1, 5)).threshold
    3.0
    """
    as_choice(criterion, "criterion", CRITERIA)
    steps = steps_with_both(y_true, y_score, pos_label, sample_weight)
    fp, tp, thresholds = counts_of(steps, False)
    fpr, tpr = fp / fp[-1], tp / tp[-1]
    share = tp[-1] / (tp[-1] + fp[-1])
    if prevalence is not None:
        share = as_real(prevalence, "prevalence", 0.0, 1.0)
    if criterion in ("tpr", "fpr"):
        target = as_real(target, "target", 0.0, 1.0)
        # Rates are quotients of counts: a rate that differs from the target by rounding meets it.
        met = tpr >= target - 1e-14 if criterion == "tpr" else fpr <= target + 1e-14
        at = int(met.argmax()) if criterion == "tpr" else int(np.flatnonzero(met)[-1])
        value = (tpr if criterion == "tpr" else fpr)[at]
    else:
        worth, sign = _worth(criterion, fpr, tpr, share, cost, beta)
        at = first_best(worth)
        value = sign * worth[at]
    counts = (count.item() for count in (tp[at], fp[at], fp[-1] - fp[at], tp[-1] - tp[at]))
    return OperatingPoint(
        float(thresholds[at]), float(value), float(fpr[at]), float(tpr[at]), *counts
    )


def first_best(worth: Array) -> int:
    """The first of the largest, except for rounding."""
    return int((worth >= worth.max() - 1e-14 * np.abs(worth).max()).argmax())


def _worth(
    criterion: str,
    fpr: Array,
    tpr: Array,
    share: float,
    cost: Array | tuple[float, float],
    beta: float,
) -> tuple[Array, float]:
    """What is to be as large as possible, and the sign by which it is told."""
    if criterion == "youden":
        return tpr - fpr, 1.0
    if criterion == "closest":
        return -np.hypot(fpr, 1 - tpr), -1.0
    if criterion == "accuracy":
        return share * tpr + (1 - share) * (1 - fpr), 1.0
    if criterion == "f":
        # The square of beta is bounded, so that it does not overflow.
        square = min(as_real(beta, "beta", 0), 1e100) ** 2
        above = (1 + square) * share * tpr
        below = share * tpr + (1 - share) * fpr + square * share
        return np.divide(above, np.where(below > 0, below, 1.0)), 1.0
    false, missed = as_pair(cost, "cost", 0.0)
    return -(false * (1 - share) * fpr + missed * share * (1 - tpr)), -1.0


def ks_statistic(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None, sample_weight: Weights = None
) -> KolmogorovSmirnov:
    """Kolmogorov-Smirnov statistic of the scores of two classes.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    KolmogorovSmirnov

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or rows of one class only.

    Examples
    --------
    >>> from statfast.metrics import ks_statistic
    >>> ks_statistic([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    KolmogorovSmirnov(statistic=0.6666666666666666, threshold=5.0)
    """
    fp, tp, thresholds = counts_of(
        steps_with_both(y_true, y_score, pos_label, sample_weight), False
    )
    gaps = np.abs(tp / tp[-1] - fp / fp[-1])
    at = first_best(gaps)
    return KolmogorovSmirnov(float(gaps[at]), float(thresholds[at]))


class IsoLine(NamedTuple):
    """Line of equal accuracy, average recall or cost in a ROC or coverage plot.

    Attributes
    ----------
    slope, intercept : float
        height = slope * x + intercept; infinite where they are beyond the largest float64.
    value : float
        The worth of its points.

    Examples
    --------
    >>> from statfast.metrics import iso_line
    >>> line = iso_line(0.8, positives=50, negatives=100)
    >>> line.slope, round(line.intercept, 2)
    (2.0, 0.4)
    >>> fpr = 0.1
    >>> round(line.slope * fpr + line.intercept, 2)  # the tpr that it takes for an accuracy of 0.8
    0.6
    """

    slope: float
    intercept: float
    value: float


def iso_line(
    value: float,
    positives: float,
    negatives: float,
    *,
    measure: Literal["accuracy", "average_recall", "cost"] = "accuracy",
    space: Literal["roc", "coverage"] = "roc",
    cost: tuple[float, float] = (1.0, 1.0),
) -> IsoLine:
    """Iso-accuracy, iso-recall or iso-cost line of a ROC or coverage plot.

    Parameters
    ----------
    value : float
        The worth.
    positives, negatives : float
        Numbers (or weights, or shares) of the samples of either class.
    measure : {"accuracy", "average_recall", "cost"}, default="accuracy"
        Worth: fraction of right decisions; mean of the two recalls; mean cost of a row.
    space : {"roc", "coverage"}, default="roc"
        Axes of rates, or of numbers.
    cost : pair of float, default=(1.0, 1.0)
        Of a false positive and of a false negative, for "cost".

    Returns
    -------
    IsoLine
        Its slope: in coverage plots 1, POS/NEG, and the ratio of the costs; in ROC plots NEG/POS
        times these.

    Raises
    ------
    ValueError
        If there are no rows of a class, or a false negative costs nothing.

    References
    ----------
    Fuernkranz, J. and Flach, P. (2005). ROC 'n' rule learning: towards a better understanding of
    covering algorithms. Machine Learning 58, 39-77. doi:10.1007/s10994-005-5011-x

    Examples
    --------
    >>> from statfast.metrics import iso_line
    >>> iso_line(0.8, 50, 100, space="coverage")
    IsoLine(slope=1.0, intercept=20.0, value=0.8)
    >>> iso_line(0.8, 50, 100).slope
    2.0
    """
    as_choice(measure, "measure", ("accuracy", "average_recall", "cost"))
    as_choice(space, "space", ("roc", "coverage"))
    value = as_real(value, "value")
    ones = as_real(positives, "positives", 0, open_low=True)
    zeros = as_real(negatives, "negatives", 0, open_low=True)
    false, missed = as_pair(cost, "cost", 0.0)
    if missed == 0:
        raise ValueError("cost of a false negative must not be 0: the lines would be upright.")
    if measure == "accuracy":  # Accuracy is (tp + zeros - fp) / n.
        slope, intercept = 1.0, value * (ones + zeros) - zeros
    elif measure == "average_recall":  # The average recall is (tp / ones + 1 - fp / zeros) / 2.
        slope, intercept = ones / zeros, (2 * value - 1) * ones
    else:  # The mean cost is (false fp + missed (ones - tp)) / n.
        slope, intercept = false / missed, ones - value * (ones + zeros) / missed
    if space == "roc":
        slope, intercept = slope * zeros / ones, intercept / ones
    return IsoLine(slope, intercept, value)
