# SPDX-License-Identifier: BSD-3-Clause
"""Scores of single columns by their definitions, one column and one row at a time."""

import numpy as np
from scipy import stats
from scipy.special import digamma


def f_of_classes(X, y, weights=None):
    """F statistics and p-values of one-way analysis of variance."""
    X, y = np.asarray(X, float), np.asarray(y)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    classes = np.unique(y[w > 0])
    mean = w @ X / w.sum()
    between, within = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for label in classes:
        own = y == label
        center = w[own] @ X[own] / w[own].sum()
        between += w[own].sum() * (center - mean) ** 2
        within += w[own] @ (X[own] - center) ** 2
    free = w.sum() - len(classes)
    F = (between / (len(classes) - 1)) / (within / free)
    return F, stats.f.sf(F, len(classes) - 1, free)


def chi_squared(X, y, weights=None):
    """Chi squared of each column of counts, and p-values."""
    X, y = np.asarray(X, float), np.asarray(y)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    classes = np.unique(y[w > 0])
    total, statistic = w @ X, np.zeros(X.shape[1])
    for label in classes:
        own = y == label
        expected = total * w[own].sum() / w.sum()
        statistic += (w[own] @ X[own] - expected) ** 2 / expected
    return statistic, stats.chi2.sf(statistic, len(classes) - 1)


def correlations(X, y, weights=None, center=True):
    """Pearson's correlation of each column with y, or the cosine."""
    X, y = np.asarray(X, float), np.asarray(y, float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    if center:
        X, y = X - w @ X / w.sum(), y - w @ y / w.sum()
    return (w * y) @ X / np.sqrt((w @ X**2) * (w @ y**2))


def information_of_classes(x, y, k):
    """Ross (2014): mutual information of a continuous column and classes, from row to row."""
    x, y = np.asarray(x, float), np.asarray(y)
    kept = np.array([(y == label).sum() > 1 for label in y])
    x, y = x[kept], y[kept]
    terms = []
    for i in range(len(x)):
        own = np.flatnonzero((y == y[i]) & (np.arange(len(x)) != i))
        near = min(k, len(own))
        distance = np.sort(abs(x[own] - x[i]))[near - 1]
        nearer = (abs(x - x[i]) < distance).sum()
        terms.append(digamma(near) - digamma(len(own) + 1) - digamma(nearer))
    return max(0.0, digamma(len(x)) + np.mean(terms)) if terms else 0.0


def information_of_plane(x, y, k):
    """Kraskov, Stögbauer and Grassberger (2004): of two continuous columns, from row to row."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    terms = []
    for i in range(len(x)):
        gaps = np.maximum(abs(x - x[i]), abs(y - y[i]))
        distance = np.sort(np.delete(gaps, i))[k - 1]
        for values in (x, y):
            terms.append(digamma((abs(values - values[i]) < distance).sum()))
    return max(0.0, digamma(len(x)) + digamma(k) - 2.0 * np.mean(terms))
