# SPDX-License-Identifier: BSD-3-Clause
"""Conformal intervals and sets as they are defined, one point at a time."""

from fractions import Fraction
from math import ceil

import numpy as np


def bound(errors, level, weights=None, new_weight=1):
    """The least error up to which the weights reach the level of all and the new one."""
    weights = [1] * len(errors) if weights is None else weights
    total = sum(Fraction(float(w)) for w in weights) + Fraction(float(new_weight))
    reached = Fraction(0)
    for error, weight in sorted(zip(errors, weights, strict=True)):
        reached += Fraction(float(weight))
        if reached >= Fraction(repr(level)) * total:
            return error
    return np.inf


def jackknife_plus(X, y, point, level, fit):
    """The interval by fits without each row; ``fit(X, y)`` gives a function of rows."""
    low, high = [], []
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        predict = fit(X[kept], y[kept])
        error = abs(y[i] - predict(X[i : i + 1])[0])
        at_point = predict(point[None])[0]
        low.append(at_point - error)
        high.append(at_point + error)
    return -bound([-v for v in low], level), bound(high, level)


def conforms(X, y, point, target, level, fit):
    """Whether a target of a new point is in the full conformal set."""
    rows, targets = np.vstack([X, point]), np.append(y, target)
    errors = np.abs(targets - fit(rows, targets))
    k = ceil(Fraction(repr(level)) * len(targets))
    return k > len(y) or (errors[:-1] < errors[-1]).sum() < k


def aps_score(probabilities, label, u=0.0):
    """The probability of all labels as likely as this one or more, less u times its own."""
    order = sorted(range(len(probabilities)), key=lambda c: (-probabilities[c], c))
    place = order.index(label)
    return sum(probabilities[c] for c in order[: place + 1]) - u * probabilities[label]
