# SPDX-License-Identifier: BSD-3-Clause
"""Rankings by definition: all pairs, and integrals over many places."""

from fractions import Fraction

import numpy as np


def compared(y, scores):
    """Twice the order of each positive (row) and negative (column): 2, 1 or 0."""
    s = np.asarray(scores)
    up, down = s[y == 1][:, None], s[y == 0]
    return (up > down).astype(int) + (up >= down)


def twice_the_pairs(y, scores):
    return int(compared(y, scores).sum())


def exact_area(y, scores):
    pairs = compared(y, scores)
    return Fraction(int(pairs.sum()), 2 * pairs.size)


def area(y, scores, weights=None):
    if weights is None:
        return float(exact_area(y, scores))
    pairs = np.outer(weights[y == 1], weights[y == 0])
    return float((compared(y, scores) * pairs).sum() / (2 * pairs.sum()))


def delong(y, columns):
    """Areas, and their covariance from the means over the other class of each row."""
    pairs = [compared(y, scores) / 2 for scores in columns]
    with np.errstate(all="ignore"):
        rows = np.cov([p.mean(axis=1) for p in pairs]) / pairs[0].shape[0]
        columns = np.cov([p.mean(axis=0) for p in pairs]) / pairs[0].shape[1]
    return [p.mean() for p in pairs], rows + columns


def h_measure(y, scores, weights, shape, places=20001):
    from scipy.stats import beta

    share = weights[y == 1].sum() / weights.sum()
    least = None
    c = (np.arange(places) + 0.5) / places
    for t in [np.inf, *np.unique(scores)]:
        above = np.asarray(scores) >= t
        false = weights[above & (y == 0)].sum() / weights.sum()
        missed = weights[~above & (y == 1)].sum() / weights.sum()
        cost = c * false + (1 - c) * missed
        least = cost if least is None else np.minimum(least, cost)
    density = beta.pdf(c, *shape)
    return 1 - (least @ density) / (np.minimum(c * (1 - share), (1 - c) * share) @ density)


def isotonic(values, weights):
    """The largest mean from any start of the smallest mean to any end (min-max formula)."""
    n = len(values)
    sums, mass = (np.concatenate([[0], np.cumsum(a)]) for a in (values * weights, weights))
    fit = np.empty(n)
    for i in range(n):
        fit[i] = max(
            min((sums[b + 1] - sums[a]) / (mass[b + 1] - mass[a]) for b in range(i, n))
            for a in range(i + 1)
        )
    return fit
