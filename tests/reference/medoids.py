# SPDX-License-Identifier: BSD-3-Clause
"""k-medoids by definition: every swap tried by its whole loss. Slow and obvious."""

import numpy as np


def loss(D, medoids, weights=None):
    """Sum over points of what the nearest medoid is away: D[i, m] is from i to m."""
    near = D[:, medoids].min(axis=1)
    return float(near.sum() if weights is None else near @ weights)


def build(D, k, weights=None):
    """Medoids added one by one, each lowering the loss most; the lowest on ties."""
    medoids = []
    for _ in range(k):
        others = [
            j for j in range(len(D))
            if j not in medoids and (weights is None or weights[j] > 0)
        ]  # fmt: skip
        losses = [loss(D, [*medoids, j], weights) for j in others]
        medoids.append(others[int(np.argmin(losses))])
    return medoids


def changes(D, medoids, j, weights=None):
    """By how much the loss changes if candidate j takes each slot."""
    now = loss(D, medoids, weights)
    swapped = [[*medoids[:m], j, *medoids[m + 1 :]] for m in range(len(medoids))]
    return np.array([loss(D, one, weights) - now for one in swapped])


def fasterpam(D, medoids, weights=None):
    """Candidates in order, round and round; every swap that helps is taken at once."""
    medoids, n = list(medoids), len(D)
    at = quiet = swaps = 0
    while quiet < n:
        if at not in medoids and (weights is None or weights[at] > 0):
            change = changes(D, medoids, at, weights)
            if change.min() < -1e-9 * (1 + loss(D, medoids, weights)):
                medoids[int(change.argmin())] = at
                swaps, quiet = swaps + 1, 0
        at, quiet = (at + 1) % n, quiet + 1
    return medoids, swaps


def fastpam1(D, medoids, weights=None):
    """The best of all swaps, again and again."""
    medoids, n, swaps = list(medoids), len(D), 0
    while True:
        best = 0.0, None, None
        for j in range(n):
            if j in medoids or (weights is not None and weights[j] == 0):
                continue
            change = changes(D, medoids, j, weights)
            if change.min() < best[0] - 1e-9 * (1 + loss(D, medoids, weights)):
                best = change.min(), j, int(change.argmin())
        if best[1] is None:
            return medoids, swaps
        medoids[best[2]] = best[1]
        swaps += 1


def silhouettes(D, labels):
    """(b - a) / max(a, b) row by row; 0 for a row alone."""
    labels = np.asarray(labels)
    out = np.zeros(len(D))
    for i in range(len(D)):
        own = labels == labels[i]
        if own.sum() == 1:
            continue
        a = D[i][own].sum() / (own.sum() - 1)
        b = min(D[i][labels == c].mean() for c in np.unique(labels) if c != labels[i])
        out[i] = (b - a) / max(a, b) if max(a, b) > 0 else 0.0
    return out
