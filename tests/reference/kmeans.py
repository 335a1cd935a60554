# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the k-means kernels and of k-means itself."""

import numpy as np


# ------------------------------------------------------------------ statfast._core.kmeans.lloyd
def frame(centers, origin, scale):
    return centers, origin, scale


def squared(X, centers):
    """Squared distances (n, k) by differences, summed column by column."""
    total = np.zeros((len(X), len(centers)))
    for j in range(X.shape[1]):
        total += (X[:, j, None].astype(np.float64) - centers[:, j]) ** 2
    return total


def step(X, weights, centers, frame, labels, sums, totals):
    nearest = squared(X, centers).argmin(axis=1)  # the first of equals
    changed = int((nearest != labels).sum())
    labels[:] = nearest
    if sums is not None:
        weights = np.ones(len(X)) if weights is None else weights
        np.add.at(sums, nearest, weights[:, None] * X)
        np.add.at(totals, nearest, weights)
    return changed


def distances(X, centers, labels, out):
    out[:] = ((X.astype(np.float64) - centers[labels]) ** 2).sum(axis=1)


def transform(X, centers, out):
    out[:] = np.sqrt(squared(X, centers))


# ------------------------------------------------------------------ statfast._core.kmeans.seeding
def trial(X, weights, candidates, closest):
    """What `seeding.trial` writes to `nearer` and `potential`."""
    nearer = np.minimum(squared(X, candidates), closest[:, None]).T
    return nearer, (nearer if weights is None else nearer * weights).sum(axis=1)


def plus_plus(X, k, rng, weights=None):
    """Greedy k-means++ as defined: one center at a time, the best of its candidates."""
    weights = np.ones(len(X)) if weights is None else weights
    centers = X[[rng.choice(len(X), p=weights / weights.sum())]]
    for _ in range(k - 1):
        chance = weights * squared(X, centers).min(axis=1)
        drawn = rng.choice(len(X), 2 + int(np.log(k)), p=chance / chance.sum())
        potential = trial(X, weights, X[drawn], squared(X, centers).min(axis=1))[1]
        centers = np.vstack([centers, X[drawn[potential.argmin()]]])
    return centers


# ------------------------------------------------------------------ the whole
def kmeans(X, start, weights=None, max_iter=300, tol=0.0):
    """Lloyd's algorithm as defined: centers, labels, inertia, iterations, and every inertia."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    mean = np.average(X, axis=0, weights=weights)
    limit = tol * np.average((X - mean) ** 2, axis=0, weights=weights).mean()
    centers, labels, history = np.array(start, dtype=np.float64), None, []
    for _ in range(max_iter):
        d2 = squared(X, centers)
        before, labels = labels, d2.argmin(axis=1)
        errors = d2[np.arange(len(X)), labels]
        history.append((weights * errors).sum())
        new = means(X, weights, centers, labels, errors)
        shift, centers = ((new - centers) ** 2).sum(), new
        if np.array_equal(before, labels) or shift <= limit:
            break
    d2 = squared(X, centers)
    labels = d2.argmin(axis=1)
    inertia = (weights * d2.min(axis=1)).sum()
    return centers, labels, inertia, len(history), [*history, inertia]


def means(X, weights, centers, labels, errors):
    """The new centers: weighted means, after the farthest rows went to the empty clusters."""
    k = len(centers)
    labels = labels.copy()
    present = weights > 0
    empty = [j for j in range(k) if not (present & (labels == j)).any()]
    farthest = sorted(np.flatnonzero(present & (errors > 0)), key=lambda i: (-errors[i], i))
    for j, i in zip(empty, farthest, strict=False):
        labels[i] = j
    totals = np.array([weights[labels == j].sum() for j in range(k)])
    new = np.empty_like(centers)
    for j in range(k):
        source = j if totals[j] > 0 else totals.argmax()
        here = (labels == source) & present
        new[j] = np.average(X[here], axis=0, weights=weights[here])
    return new
