# SPDX-License-Identifier: BSD-3-Clause
"""Temperature scaling: one factor of all logits, which keeps the order of the classes."""

from __future__ import annotations

import numpy as np

from statfast._typing import Array

MIN_PROBABILITY = 1e-12  # added to probabilities before logarithms
MAX_LOG_FACTOR = 10.0


def as_logits(scores: Array, probabilities: bool) -> Array:
    """Logits (m, K) of scores (m, K), or (m, 1) of the second of two classes.

    `probabilities` says that a score of the second class is its probability. More than two classes
    are looked at: rows within 0 and 1 that sum to 1 are probabilities. Unseen classes, whose scores
    are NaN, are never likely.
    """
    if scores.shape[1] == 1:
        if not probabilities:
            return np.hstack([-scores, scores])
        return np.log(np.hstack([1.0 - scores, scores]) + MIN_PROBABILITY)
    seen = ~np.isnan(scores)
    finite_scores = np.where(seen, scores, 0.0)
    if ((finite_scores >= 0) & (finite_scores <= 1)).all() and np.isclose(
        finite_scores.sum(axis=1), 1.0
    ).all():
        finite_scores = np.log(finite_scores + MIN_PROBABILITY)
    return np.where(seen, finite_scores, -np.inf)


def temperature_fit(logits: Array, codes: Array, weights: Array) -> float:
    """The factor that maximizes the likelihood, within exp(-10) and exp(10).

    The logarithm of the likelihood is concave in the factor; the root of its slope is bracketed.
    """
    from scipy.optimize import brentq

    true_logits = logits[np.arange(len(codes)), codes]
    usable = np.isfinite(true_logits) & (weights > 0)
    logits, true_logits, weights = logits[usable], true_logits[usable], weights[usable]
    finite = np.where(np.isfinite(logits), logits, 0.0)

    def slope(log_factor: float) -> float:
        shares = softmax(np.exp(log_factor) * logits)
        return float(weights @ ((shares * finite).sum(axis=1) - true_logits))

    if not usable.any():
        return 1.0
    if slope(-MAX_LOG_FACTOR) >= 0.0:
        return float(np.exp(-MAX_LOG_FACTOR))
    if slope(MAX_LOG_FACTOR) <= 0.0:
        return float(np.exp(MAX_LOG_FACTOR))
    return float(np.exp(brentq(slope, -MAX_LOG_FACTOR, MAX_LOG_FACTOR, xtol=1e-13, rtol=1e-13)))


def softmax(values: Array) -> Array:
    """The softmax of each row."""
    out = np.exp(values - values.max(axis=1, keepdims=True))
    return out / out.sum(axis=1, keepdims=True)
