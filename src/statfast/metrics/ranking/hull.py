# SPDX-License-Identifier: BSD-3-Clause
"""The convex hull of a ranking, and the costs that follow from it for every ratio of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.order import pool
from statfast._engine import interruptible
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_count,
    as_pair,
    as_real,
)
from statfast.metrics.ranking.curves import counts_of
from statfast.metrics.ranking.sorted_pass import ScoreSteps
from statfast.metrics.ranking.two_classes import steps_for


def roc_hull(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None, sample_weight: Weights = None
) -> tuple[Array, Array, Array]:
    """Upper convex hull of the ROC curve.

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
    fpr, tpr : ndarray of shape (m,)
        Corners, from (0, 0) to (1, 1).
    thresholds : ndarray of shape (m,)
        At or above which samples are positive, falling, from infinity.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive,
        or there are rows of one class only.

    Notes
    -----
    The segments are the blocks of isotonic calibration (pool adjacent violators): rows of a segment
    have the same calibrated probability, and its slope is their odds over those of all rows.

    References
    ----------
    Provost, F. and Fawcett, T. (2001). Robust classification for imprecise environments. Machine
    Learning 42, 203-231. doi:10.1023/A:1007601015854

    Examples
    --------
    >>> from statfast.metrics import roc_hull
    >>> fpr, tpr, thresholds = roc_hull([0, 1, 0, 1, 1], [1, 2, 3, 4, 5])
    >>> fpr, tpr.round(4)
    (array([0. , 0. , 0.5, 1. ]), array([0.    , 0.6667, 1.    , 1.    ]))
    """
    fp, tp, thresholds = hull_of(steps_with_both(y_true, y_score, pos_label, sample_weight))
    return fp / fp[-1], tp / tp[-1], thresholds


def steps_with_both(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Weights
) -> ScoreSteps:
    steps = steps_for(y_true, y_score, pos_label, sample_weight)
    if min(steps.totals) == 0:
        raise ValueError("y_true must hold rows of both classes; one has none. Pass some.")
    return steps


def hull_of(steps: ScoreSteps) -> tuple[Array, Array, Array]:
    """Corners of the hull: negatives, positives, thresholds."""
    sums = -steps.positive.astype(np.float64)
    weights = (steps.positive + steps.negative).astype(np.float64)
    ends = np.empty(len(sums), dtype=np.intp)
    last = ends[: interruptible(pool.pool, sums, weights, ends)] - 1
    start = np.zeros(1)
    fp, tp = np.concatenate([start, steps.fp[last]]), np.concatenate([start, steps.tp[last]])
    return fp, tp, np.concatenate([[np.inf], steps.values[last]])


def cost_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None, sample_weight: Weights = None
) -> tuple[Array, Array, Array]:
    """Cost curve: the least normalized expected cost for every class ratio and cost ratio.

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
    probability_cost : ndarray of shape (m,)
        Where the best threshold changes, rising from 0 to 1: p C(FN) / (p C(FN) + (1 - p) C(FP))
        with the share p of positives.
    cost : ndarray of shape (m,)
        The lower envelope there, linear in between, as a fraction of the most that it can be.
    thresholds : ndarray of shape (m - 1,)
        The best one between two of these; infinite where no sample is best taken for positive.

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, or there are other labels than two
        and `pos_label` does not say which is positive,
        or there are rows of one class only.

    References
    ----------
    Drummond, C. and Holte, R. C. (2006). Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65, 95-130. doi:10.1007/s10994-006-8199-5

    Examples
    --------
    >>> from statfast.metrics import cost_curve
    >>> at, cost, thresholds = cost_curve([0, 1, 0, 1], [1, 2, 3, 4])
    >>> at.round(4), cost.round(4)
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]))
    """
    fp, tp, thresholds = hull_of(steps_with_both(y_true, y_score, pos_label, sample_weight))
    fpr, tpr = fp / fp[-1], tp / tp[-1]
    run, rise = np.diff(fpr), np.diff(tpr)
    inner = run / (run + rise)  # Two neighboring corners cost the same at these shares.
    at = np.concatenate([[0.0], inner, [1.0]])
    corner = np.concatenate([np.arange(len(fpr)), [len(fpr) - 1]])
    cost = (1 - tpr[corner]) * at + fpr[corner] * (1 - at)
    kept = np.concatenate([[True], np.diff(at) > 0])
    at, cost = at[kept], cost[kept]
    return at, cost, thresholds[np.searchsorted(inner, (at[:-1] + at[1:]) / 2)]


def brier_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_points: int = 201,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> tuple[Array, Array]:
    """Brier curve: the expected cost of thresholding probabilities, by the proportion of costs.

    At the share c of the cost of a false positive, rows are positive whose probability is above c.
    The area below the curve is the Brier score: what it has above that of `cost_curve`, the
    probabilities lose by thresholds that are not the best.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_prob : array-like of shape (n,)
        Probabilities of the positive one.
    n_points : int, default=201
        Places between 0 and 1.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.

    Returns
    -------
    cost : ndarray of shape (n_points,)
        Shares c.
    loss : ndarray of shape (n_points,)
        2 (c FP + (1 - c) FN) over all samples.

    Raises
    ------
    ValueError
        As `roc_curve`, or if a probability is not between 0 and 1.

    References
    ----------
    Hernandez-Orallo, J., Flach, P. and Ferri, C. (2011). Brier curves: a new cost-based
    visualization of classifier performance. ICML, 585-592.

    Examples
    --------
    >>> from statfast.metrics import brier_curve
    >>> cost, loss = brier_curve([0, 1], [0.4, 0.7], n_points=3)
    >>> loss
    array([0., 0., 0.])
    """
    cost = np.linspace(0.0, 1.0, as_count(n_points, "n_points", low=2))
    steps = steps_for(y_true, y_prob, pos_label, sample_weight)
    if steps.values[0] > 1 or steps.values[-1] < 0:
        raise ValueError(
            "y_prob must hold probabilities between 0 and 1; got "
            f"{steps.values[-1]} to {steps.values[0]}."
        )
    fp, tp, _ = counts_of(steps, False)
    above = np.searchsorted(-steps.values, -cost, side="left")
    return cost, 2 * (cost * fp[above] + (1 - cost) * (tp[-1] - tp[above])) / (fp[-1] + tp[-1])


def h_measure(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    shape: tuple[float, float] | None = None,
    severity_ratio: float | None = None,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> float:
    """H measure (Hand 2009): loss averaged over a distribution of costs, normalized.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive; they may be infinite.
    shape : pair of float, optional
        Parameters of the beta distribution of the fraction of the cost of a false positive. None
        takes 1 + p and 2 - p with the share p of positives, as Hand and Anagnostopoulos advise.
    severity_ratio : float, optional
        Instead of `shape`: cost of a false positive over that of a false negative at the mode
        of a beta distribution whose first parameter is 2.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; samples of weight 0 are left out.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        As `roc_hull`, or if the parameters are not positive, or both are given.

    References
    ----------
    Hand, D. J. (2009). Measuring classifier performance: a coherent alternative to the area under
    the ROC curve. Machine Learning 77, 103-123. doi:10.1007/s10994-009-5119-5

    Hand, D. J. and Anagnostopoulos, C. (2014). A better beta for the H measure of classification
    performance. Pattern Recognition Letters 40, 41-46. doi:10.1016/j.patrec.2013.12.011

    Examples
    --------
    >>> from statfast.metrics import h_measure
    >>> round(h_measure([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.5
    """
    fp, tp, _ = hull_of(steps_with_both(y_true, y_score, pos_label, sample_weight))
    zeros, ones = fp[-1] / (fp[-1] + tp[-1]), tp[-1] / (fp[-1] + tp[-1])
    a, b = _shape(shape, severity_ratio, ones)
    false, missed = zeros * fp / fp[-1], ones * (1 - tp / tp[-1])
    run, rise = np.diff(false), -np.diff(missed)
    # The shares at which neighboring corners cost the same, in descending order.
    cuts = np.concatenate([[1.0], rise / (run + rise), [0.0]])
    loss = _integral(false, missed, cuts[1:], cuts[:-1], a, b)
    ends = np.array([zeros, 0.0]), np.array([0.0, ones])
    whole = _integral(*ends, np.array([0.0, ones]), np.array([ones, 1.0]), a, b)
    return float(1 - loss / whole)


def _shape(shape: Any, severity_ratio: Any, ones: float) -> tuple[float, float]:
    if shape is not None and severity_ratio is not None:
        raise ValueError("shape and severity_ratio say the same. Give one of them.")
    if severity_ratio is not None:
        return 2.0, 1 + 1 / as_real(severity_ratio, "severity_ratio", 0, open_low=True)
    if shape is None:
        return 1 + ones, 2 - ones
    return as_pair(shape, "shape", 0, open_low=True)


def _integral(false: Array, missed: Array, low: Array, high: Array, a: float, b: float) -> float:
    """Of c false + (1 - c) missed, for c from low to high, by the beta distribution."""
    from scipy.special import betainc

    of_negatives = a / (a + b) * (betainc(a + 1, b, high) - betainc(a + 1, b, low))
    of_positives = b / (a + b) * (betainc(a, b + 1, high) - betainc(a, b + 1, low))
    return float((false * of_negatives + missed * of_positives).sum())
