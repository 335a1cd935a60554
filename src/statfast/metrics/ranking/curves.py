# SPDX-License-Identifier: BSD-3-Clause
"""Curves of a ranking: ROC, coverage, gain and lift."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.metrics import rank
from statfast._engine import interruptible
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    UndefinedMetricWarning,
    as_flag,
    as_vector,
    warn_user,
)
from statfast.metrics.ranking.sorted_pass import ScoreSteps
from statfast.metrics.ranking.two_classes import steps_for


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: Weights = None,
    drop_intermediate: bool = True,
) -> tuple[Array, Array, Array]:
    """ROC curve: false and true positive rates at each score.

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
    drop_intermediate : bool, default=True
        Leave out thresholds whose step is the same as the next one: the curve is straight there.

    Returns
    -------
    fpr, tpr : ndarray of shape (m,)
        Rising from 0 to 1; NaN, with an `UndefinedMetricWarning`, where there are no rows of the
        class.
    thresholds : ndarray of shape (m,)
        Falling, from infinity, at which none is taken for positive.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    Notes
    -----
    One pass over the rows puts them into buckets by score; each bucket is then sorted by itself.
    -0.0 and 0.0 are one threshold.

    Examples
    --------
    >>> from statfast.metrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr
    array([0. , 0. , 0.5, 0.5, 1. ])
    >>> tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    """
    as_flag(drop_intermediate, "drop_intermediate")
    steps = steps_for(y_true, y_score, pos_label, sample_weight)
    return roc_of(steps, drop_intermediate)


def roc_of(steps: ScoreSteps, drop_intermediate: bool = True) -> tuple[Array, Array, Array]:
    """The curve of steps: shares, and thresholds."""
    fp, tp, thresholds = counts_of(steps, drop_intermediate)
    shares = []
    for counts, what, rate in ((fp, "negative", "false"), (tp, "positive", "true")):
        if counts[-1] > 0:
            shares.append(counts / counts[-1])
            continue
        warn_user(
            f"No {what} samples in y_true, {rate} positive value should be meaningless.",
            UndefinedMetricWarning,
        )
        shares.append(np.full(len(counts), np.nan))
    return *shares, thresholds


def counts_of(steps: ScoreSteps, drop_intermediate: bool) -> tuple[Array, Array, Array]:
    """Negatives, positives and thresholds, with the start of the curve."""
    if steps.positive.dtype == np.int64:
        size = len(steps.values) + 1
        fp, tp, thresholds = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
        values = steps.values.astype(np.float64, copy=False)
        held = interruptible(
            rank.corners,
            steps.positive,
            steps.negative,
            values,
            drop_intermediate,
            fp,
            tp,
            thresholds,
        )
        return fp[:held], tp[:held], thresholds[:held]
    fp, tp, values = steps.fp, steps.tp, steps.values
    if drop_intermediate and len(fp) > 2:
        middle, after = slice(1, -1), slice(2, None)
        kept = np.ones(len(fp), dtype=bool)
        kept[middle] = (steps.negative[middle] != steps.negative[after]) | (
            steps.positive[middle] != steps.positive[after]
        )
        fp, tp, values = fp[kept], tp[kept], values[kept]
    start = np.zeros(1, dtype=fp.dtype)
    fp, tp = np.concatenate([start, fp]), np.concatenate([start, tp])
    return fp, tp, np.concatenate([[np.inf], values])


def coverage_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: Weights = None,
    drop_intermediate: bool = True,
) -> tuple[Array, Array, Array]:
    """Coverage curve: numbers of negatives and positives at or above each score.

    The ROC curve before it is scaled: steps show how many rows they are of, and lines of equal
    accuracy have slope 1.

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
    drop_intermediate : bool, default=True
        Leave out thresholds whose step is the same as the next one.

    Returns
    -------
    negatives, positives : ndarray of shape (m,)
        Numbers (or weights), rising from 0.
    thresholds : ndarray of shape (m,)
        Falling, from infinity.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    References
    ----------
    Flach, P. (2012). Machine Learning. Cambridge University Press, section 2.1.
    doi:10.1017/CBO9780511973000

    Examples
    --------
    >>> from statfast.metrics import coverage_curve
    >>> negatives, positives, thresholds = coverage_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> negatives
    array([0, 0, 1, 1, 2])
    """
    as_flag(drop_intermediate, "drop_intermediate")
    return counts_of(steps_for(y_true, y_score, pos_label, sample_weight), drop_intermediate)


def gain_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None, sample_weight: Weights = None
) -> tuple[Array, Array, Array, Array]:
    """Cumulative gain curve: the fraction of positives among the highest scores.

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

    Returns
    -------
    share : ndarray of shape (m,)
        Of all samples, rising from 0 to 1.
    gain : ndarray of shape (m,)
        Of the positives, rising from 0 to 1.
    lift : ndarray of shape (m,)
        Their quotient: how many times more positives there are than among as many rows at random;
        at the start, that of the first step.
    thresholds : ndarray of shape (m,)
        Falling, from infinity.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive.

    Examples
    --------
    >>> from statfast.metrics import gain_curve
    >>> share, gain, lift, thresholds = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> lift.round(4)
    array([2.    , 2.    , 1.    , 1.3333, 1.    ])
    """
    fp, tp, thresholds = counts_of(steps_for(y_true, y_score, pos_label, sample_weight), False)
    if tp[-1] == 0:
        raise ValueError("y_true holds no positive rows, of which there is a gain. Pass some.")
    share, gain = (fp + tp) / (fp[-1] + tp[-1]), tp / tp[-1]
    lift = np.divide(gain[1:], share[1:])
    return share, gain, np.concatenate([lift[:1], lift]), thresholds


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Area under a curve, by trapezoids.

    Parameters
    ----------
    x : array-like of shape (m,)
        Rising or falling.
    y : array-like of shape (m,)
        Heights.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there are fewer than two points, one is not finite, or x neither rises nor falls.

    Examples
    --------
    >>> from statfast.metrics import auc
    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    x, y = as_vector(x, "x", n_min=2), as_vector(y, "y", n_min=2)
    if len(x) != len(y):
        raise ValueError(
            f"x and y must have the same number of points; got {len(x)} and {len(y)}. Pair them."
        )
    width = np.diff(x)
    if (width < 0).any():
        if (width > 0).any():
            raise ValueError("x is neither increasing nor decreasing. Sort the points by it.")
        width = -width
    return float((width * (y[1:] / 2 + y[:-1] / 2)).sum())


def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    sample_weight: Weights = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Detection error tradeoff: false positive and false negative rates at each score.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.
    drop_intermediate : bool, default=False
        Leave out thresholds between others of the same false negative rate.

    Returns
    -------
    fpr : ndarray of shape (m,)
        Falling to 0.
    fnr : ndarray of shape (m,)
        Rising from 0.
    thresholds : ndarray of shape (m,)
        Rising; infinity where no finite one has no false positive.

    Raises
    ------
    ValueError
        As `roc_curve`; also if there are rows of one class only.

    References
    ----------
    Martin, A. et al. (1997). The DET curve in assessment of detection task performance.
    Eurospeech 1997, 1895-1898. https://doi.org/10.21437/Eurospeech.1997-504

    Examples
    --------
    >>> from statfast.metrics import det_curve
    >>> det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    as_flag(drop_intermediate, "drop_intermediate")
    fp, tp, thresholds = counts_of(steps_for(y_true, y_score, pos_label, sample_weight), False)
    if not (fp[-1] > 0 and tp[-1] > 0):
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in "
            "that case. Pass rows of both."
        )
    first = int(np.searchsorted(fp, fp[0], side="right")) - 1
    last = int(np.searchsorted(tp, tp[-1]))
    kept = np.arange(last, first - 1, -1)
    if drop_intermediate and len(kept) > 2:
        rise = np.diff(tp[kept]) != 0
        kept = kept[np.concatenate([[True], rise[:-1] | rise[1:], [True]])]
    return fp[kept] / fp[-1], 1.0 - tp[kept] / tp[-1], thresholds[kept]
