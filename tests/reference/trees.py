# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the searches of trees, from the table of all distances."""

import math

import numpy as np


def haversine(a, b):
    """The great-circle angle, with no regard to what arrays could do."""
    along, across = math.sin((a[0] - b[0]) / 2), math.sin((a[1] - b[1]) / 2)
    half = along**2 + math.cos(a[0]) * math.cos(b[0]) * across**2
    return 2 * math.asin(min(1.0, math.sqrt(half)))


DISTANCES = {
    "euclidean": lambda a, b: np.sqrt(((a - b) ** 2).sum()),
    "manhattan": lambda a, b: np.abs(a - b).sum(),
    "chebyshev": lambda a, b: np.abs(a - b).max(),
    "minkowski3": lambda a, b: (np.abs(a - b) ** 3).sum() ** (1 / 3),
    "minkowski1.5": lambda a, b: (np.abs(a - b) ** 1.5).sum() ** (1 / 1.5),
    "haversine": haversine,
    "hamming": lambda a, b: np.mean(a != b),
    "jaccard": lambda a, b: ((a != 0) ^ (b != 0)).sum() / max(1, ((a != 0) | (b != 0)).sum()),
}


def table(name, Q, X):
    """All distances (m, n) of queries to rows."""
    Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
    return np.array([[DISTANCES[name](q, x) for x in X] for q in Q])


def nearest(distances, k, itself=False):
    """The k nearest of a table: distances and ids, ordered by (distance, id)."""
    ids = np.empty((len(distances), k), np.intp)
    for i, row in enumerate(distances):
        order = [j for j in np.argsort(row, kind="stable") if not (itself and j == i)]
        ids[i] = order[:k]
    return np.take_along_axis(distances, ids, axis=1), ids


def within(distances, r):
    """For each query the ids within the radius, ordered by (distance, id)."""
    return [
        [j for j in np.argsort(row, kind="stable") if row[j] <= radius]
        for row, radius in zip(distances, np.broadcast_to(r, len(distances)), strict=True)
    ]


def pairs(distances, r):
    """Pairs i < j within the radius, in order."""
    n = len(distances)
    close = [(i, j) for i in range(n) for j in range(i + 1, n) if distances[i, j] <= r]
    return np.array(close, np.intp).reshape(-1, 2)
