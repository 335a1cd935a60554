# SPDX-License-Identifier: BSD-3-Clause
"""How far probabilities are what they say: the reliability curve, and the parts of a score."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._estimator import pooled
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_targets,
    as_weights,
)
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.probability.probabilities import as_probabilities
from statfast.metrics.ranking.sorted_pass import as_scores, order_of
from statfast.metrics.ranking.two_classes import binary_codes


class ScoreParts(NamedTuple):
    """A mean score and its parts: score = miscalibration - discrimination + uncertainty.

    Attributes
    ----------
    score : float
        Of the predictions; infinite for "log" where what was said to be impossible was true.
    miscalibration : float
        What recalibrated predictions would save.
    discrimination : float
        What these save against the same prediction, the mean, for all.
    uncertainty : float
        The score of that.

    Examples
    --------
    >>> from statfast.metrics import score_decomposition
    >>> parts = score_decomposition([0, 0, 1, 1], [0.1, 0.6, 0.6, 0.9])
    >>> parts.score, parts.miscalibration - parts.discrimination + parts.uncertainty
    (0.135, 0.135)
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def score_decomposition(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: Literal["squared", "log"] = "squared",
    method: Literal["isotonic", "groups"] = "isotonic",
    n_bins: int | None = None,
    pos_label: Any = None,
    sample_weight: Weights = None,
) -> ScoreParts:
    """CORP decomposition of the Brier score or the logarithmic loss.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes; or, for squared errors of predicted means, numbers.
    y_pred : array-like of shape (n,)
        Probabilities of the positive class, or predicted means.
    loss : {"squared", "log"}, default="squared"
        The score.
    method : {"isotonic", "groups"}, default="isotonic"
        What recalibrated predictions are: the rising function of the predictions that is nearest to
        the truth (CORP), which needs no bins; or the mean of the samples with the same prediction
        (Murphy: reliability, resolution, uncertainty), or in the same of `n_bins` bins.
    n_bins : int, optional
        Bins of equal width between the lowest and the highest prediction, for "groups".
    pos_label : label, optional
        The positive class; None takes numbers as they are, which for "log" are 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    ScoreParts
        By either method the identity is exact, except for rounding.

    Raises
    ------
    ValueError
        If there is not one finite prediction for each row, or, for "log", a prediction is not
        between 0 and 1.

    References
    ----------
    Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118. doi:10.1073/pnas.2016191118

    Murphy, A. H. (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12, 595-600. doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2

    Examples
    --------
    >>> from statfast.metrics import score_decomposition
    >>> score_decomposition([0, 0, 1, 1], [-1, 1, 1, 2])
    ScoreParts(score=0.75, miscalibration=0.625, discrimination=0.125, uncertainty=0.25)
    """
    as_choice(loss, "loss", ("squared", "log"))
    as_choice(method, "method", ("isotonic", "groups"))
    y, predicted, weights = _numbers(y_true, y_pred, pos_label, loss, sample_weight)
    order = order_of(predicted, "y_pred")
    totals = order.sums(weights)
    held = totals > 0
    target = order.sums(weights * y)[held] / totals[held]
    totals, values = totals[held], order.values[held]
    if method == "isotonic":
        levels, ends = pooled(target, totals, increasing=False)
        again = np.repeat(levels, np.diff(ends, prepend=0))
    else:
        bins = _bins(values, n_bins)
        total = np.bincount(bins, totals)
        again = (np.bincount(bins, totals * target) / np.where(total > 0, total, 1.0))[bins]
    each = np.zeros(len(y))
    sizes = np.diff(order.ends, prepend=0)
    full = np.zeros(len(sizes))
    full[held] = again
    each[order.rows] = np.repeat(full, sizes)
    middle = weights @ y / weights.sum()
    scores = [_score(y, p, weights, loss) for p in (predicted, each, np.full(len(y), middle))]
    achieved, best, none = scores
    return ScoreParts(achieved, achieved - best, none - best, none)


def _numbers(
    y_true: Any, y_pred: Any, pos_label: float | str | None, loss: str, sample_weight: Any
) -> tuple[Array, Array, Array]:
    y = as_column(y_true, "y_true")
    if pos_label is not None or y.dtype.kind in "USOT" or loss == "log":
        y = binary_codes(y, pos_label).astype(np.float64)
    y = as_targets(y, len(y), name="y_true")[0][:, 0]
    predicted = as_targets(as_column(y_pred, "y_pred"), len(y), name="y_pred")[0][:, 0]
    if loss == "log":
        predicted = as_probabilities(predicted, "y_pred")[:, 0]
    weights = as_weights(sample_weight, len(y))
    return y, predicted, np.ones(len(y)) if weights is None else weights


def _bins(values: Array, n_bins: Any) -> Any:
    if n_bins is None:
        return np.arange(len(values))
    n_bins = as_count(n_bins, "n_bins")
    low, high = values[-1], values[0]
    if high == low:
        return np.zeros(len(values), dtype=np.intp)
    return np.minimum(((values - low) / (high - low) * n_bins).astype(np.intp), n_bins - 1)


def _score(y: Array, p: Array, weights: Array, loss: str) -> float:
    if loss == "squared":
        losses = (p - y) ** 2
    else:
        from scipy.special import xlog1py, xlogy

        losses = -xlogy(y, p) - xlog1py(1 - y, -p)
    counted = weights > 0  # Rows without weight are left out, as their loss may be infinite.
    return float(weights[counted] @ losses[counted] / weights.sum())


def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile", "isotonic"] = "uniform",
    sample_weight: Weights = None,
) -> tuple[Array, Array]:
    """Calibration curve: the fraction of positives against the mean probability, in bins.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_prob : array-like of shape (n,)
        Probabilities of the positive one.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    n_bins : int, default=5
        Bins; empty ones are left out.
    strategy : {"uniform", "quantile", "isotonic"}, default="uniform"
        Bins of equal width, or of about as many rows; or those on which the nearest rising function
        is constant (CORP), whose number the data choose.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    prob_true, prob_pred : ndarray of shape (number of bins,)
        Fraction of positives and mean probability in each.

    Raises
    ------
    ValueError
        If there is not one probability between 0 and 1 for each label, or there are more than two.

    References
    ----------
    Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118. doi:10.1073/pnas.2016191118

    Examples
    --------
    >>> from statfast.metrics import calibration_curve
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> p = [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0]
    >>> prob_true, prob_pred = calibration_curve(y, p, n_bins=3)
    >>> prob_true, prob_pred
    (array([0. , 0.5, 1. ]), array([0.2  , 0.525, 0.85 ]))
    """
    as_choice(strategy, "strategy", ("uniform", "quantile", "isotonic"))
    n_bins = as_count(n_bins, "n_bins", high=MAX_REPEATS)
    codes = binary_codes(y_true, pos_label).astype(np.float64)
    scores = as_scores(y_prob, len(codes), name="y_prob")
    shares = as_probabilities(scores, "y_prob")[:, 0].astype(np.float64)
    weights = as_weights(sample_weight, len(codes))
    weights = np.ones(len(codes)) if weights is None else weights
    if strategy == "isotonic":
        order = order_of(scores, "y_prob")
        totals = order.sums(weights)
        held = totals > 0
        target = order.sums(weights * codes)[held] / totals[held]
        _, ends = pooled(target, totals[held], increasing=False)
        block = np.empty(len(held), dtype=np.intp)
        block_of_value = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        # Blocks are numbered in ascending order, and scores are in descending order.
        block[held] = len(ends) - 1 - block_of_value
        block[~held] = 0
        at = np.empty(len(codes), dtype=np.intp)
        at[order.rows] = np.repeat(block, np.diff(order.ends, prepend=0))
    else:
        edges = np.linspace(0.0, 1.0, n_bins + 1)
        if strategy == "quantile":
            edges = np.percentile(shares, edges * 100)
        at = np.searchsorted(edges[1:-1], shares)
    total = np.bincount(at, weights)
    kept = total > 0
    true, predicted = (np.bincount(at, weights * column)[kept] for column in (codes, shares))
    return true / total[kept], predicted / total[kept]
