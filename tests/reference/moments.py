# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the kernels `statfast._core.rows.pooled_scatter` and
`statfast._core.generative.linear_scores`."""

import numpy as np


def class_scatter(X, codes, weights, shift, totals, sums, scatter):
    """Add the rows to the moments of their classes about `shift`; of scatter the lower half."""
    for i, k in enumerate(codes):
        weight = 1.0 if weights is None else weights[i]
        away = X[i].astype(np.float64) - shift[k]
        totals[k] += weight
        sums[k] += weight * away
        scatter += np.tril(weight * np.outer(away, away))


def scores(X, coef, intercept, out):
    """The linear scores X coef' + intercept."""
    for i, row in enumerate(X):
        out[i] = coef @ row.astype(np.float64) + intercept


def softmax(X, coef, intercept, out):
    """The posteriors: exp(scores) divided by their sum over the classes."""
    delta = np.empty((len(X), len(coef)))
    scores(X, coef, intercept, delta)
    for i, row in enumerate(delta):
        grown = np.exp(row - row.max())
        out[i] = grown / grown.sum()


def argmax(X, coef, intercept, out):
    """The class of the largest score; the lowest index among equals."""
    delta = np.empty((len(X), len(coef)))
    scores(X, coef, intercept, delta)
    for i, row in enumerate(delta):
        out[i] = row.argmax()


def within_and_means(X, codes, weights, n_classes):
    """Class weights, class means and pooled scatter about them, by the two-pass definition."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    totals = np.zeros(n_classes)
    means = np.zeros((n_classes, X.shape[1]))
    within = np.zeros((X.shape[1], X.shape[1]))
    for k in range(n_classes):
        rows, share = X[codes == k], weights[codes == k]
        totals[k] = share.sum()
        means[k] = share @ rows / totals[k]
        within += (rows - means[k]).T * share @ (rows - means[k])
    return totals, means, within
