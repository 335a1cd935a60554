# SPDX-License-Identifier: BSD-3-Clause
"""The threshold that is best of rows held out, by every threshold and every fold in turn."""

import numpy as np

from statfast._estimator import copied


def scores_of_folds(estimator, X, y, pairs, method):
    """(labels, scores of the second class) of the rows that each fold holds out."""
    held = []
    for train, test in pairs:
        answers = getattr(copied(estimator).fit(X[train], y[train]), method)(X[test])
        held.append((y[test], answers[:, 1] if answers.ndim == 2 else answers))
    return held


def interpolated(held, score, classes, n_thresholds):
    """Thresholds, and the mean over folds of a score that is interpolated between a fold's own."""
    curves = []
    for y, scores in held:
        cuts = np.linspace(scores.min(), scores.max(), n_thresholds)
        values = [score(y, np.where(scores >= cut, classes[1], classes[0])) for cut in cuts]
        curves.append((cuts, values))
    common = np.linspace(
        min(cuts[0] for cuts, _ in curves), max(cuts[-1] for cuts, _ in curves), n_thresholds
    )
    return common, np.mean([np.interp(common, *curve) for curve in curves], axis=0)


def cheapest(held, classes, cost):
    """The highest threshold of least total cost, of all scores of rows held out."""
    y = np.concatenate([labels for labels, _ in held])
    scores = np.concatenate([values for _, values in held])
    best = (np.inf, None)
    for cut in sorted([*np.unique(scores), np.inf], reverse=True):
        positive = scores >= cut
        false, missed = (positive & (y == classes[0])).sum(), (~positive & (y == classes[1])).sum()
        total = cost[0] * false + cost[1] * missed
        if total < best[0]:
            best = (total, cut)
    return best[1]
