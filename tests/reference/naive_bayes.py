# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes by definition: log prior plus the log densities of the columns, one row at a time."""

import math

import numpy as np


def normal(values, weights, epsilon):
    mean = np.average(values, weights=weights)
    variance = np.average((values - mean) ** 2, weights=weights) + epsilon
    return lambda x: -0.5 * math.log(2 * math.pi * variance) - 0.5 * (x - mean) ** 2 / variance


def presence(values, weights, alpha):
    chance = (weights[values > 0].sum() + alpha) / (weights.sum() + 2 * alpha)
    return lambda x: math.log(chance if x > 0 else 1 - chance)


def category(values, weights, alpha, n_categories):
    total = weights.sum() + alpha * n_categories
    return lambda x: math.log((weights[values == x].sum() + alpha) / total)


def kernels(values, weights, width):
    def log_density(x):
        heights = np.exp(-0.5 * ((x - values) / width) ** 2) / (width * math.sqrt(2 * math.pi))
        return math.log(np.average(heights, weights=weights))

    return log_density


def joint(X, y, weights, query, density):
    """Log joint densities; ``density(j, values, weights)`` is that of column j in one class."""
    classes = np.unique(y)
    out = np.empty((len(query), len(classes)))
    for k, label in enumerate(classes):
        own = y == label
        columns = [density(j, X[own, j], weights[own]) for j in range(X.shape[1])]
        prior = math.log(weights[own].sum() / weights.sum())
        for i, row in enumerate(query):
            out[i, k] = prior + sum(f(x) for f, x in zip(columns, row, strict=True))
    return out


def posteriors(joint):
    p = np.exp(joint - joint.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
