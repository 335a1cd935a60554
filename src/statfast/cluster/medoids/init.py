# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-medoids: BUILD, LAB, k-medoids++ and points drawn at random."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array, Jobs
from statfast.cluster.kmeans.block_passes import place
from statfast.cluster.medoids.partition import barred, column, gains

MAX_BUILD_POINTS = 2000  # points for which BUILD takes less than a tenth of a second
CANDIDATES_PER_BATCH = 16  # candidates whose gains are computed together at first


def build(
    source: Any, k: int, weights: Array | None, rng: np.random.Generator, n_jobs: Jobs
) -> Array:
    """PAM's BUILD: each medoid is the point that lowers the loss most; ties: the lowest.

    Kaufman & Rousseeuw 1990, doi:10.1002/9780470316801. What a candidate gains only falls as
    medoids are added (Minoux 1978, doi:10.1007/BFb0006528), also in rounded sums of one fixed
    order, so that only those whose last known gain is as large as the best have to be weighed
    again: the medoids are those of BUILD, at the cost of about two passes over the matrix.
    """
    shut = barred(weights, source.n).astype(bool)
    losses = gains(source, slice(0, source.n), None, weights, n_jobs)
    losses[shut] = np.inf
    medoids = [int(losses.argmin())]
    near = weighted_distances(source, medoids[0], weights)
    bounds = None
    while len(medoids) < k:
        if not near.any():  # no point lowers the loss: take the lowest
            rest = np.setdiff1d(np.flatnonzero(~shut), medoids)
            return np.append(medoids, rest[: k - len(medoids)])
        if bounds is None:
            bounds = gains(source, slice(0, source.n), near, weights, n_jobs)
            fresh = np.ones(source.n, bool)
        else:
            fresh = np.zeros(source.n, bool)
        bounds[shut] = -np.inf
        bounds[medoids] = -np.inf
        most = CANDIDATES_PER_BATCH
        while True:
            best = bounds[fresh].max(initial=-np.inf)
            stale = np.flatnonzero(~fresh & (bounds >= best) & (bounds > -np.inf))
            if not len(stale):
                break
            if len(stale) > most:
                stale = np.sort(stale[np.argpartition(-bounds[stale], most)[:most]])
            bounds[stale] = gains(source, stale, near, weights, n_jobs)
            fresh[stale] = True
            most *= 2  # many rows may be the same, and gain the same
            checkpoint()
        medoids.append(int(np.where(fresh, bounds, -np.inf).argmax()))
        near = np.minimum(near, weighted_distances(source, medoids[-1], weights))
    return np.array(medoids)


def lab(
    source: Any, k: int, weights: Array | None, rng: np.random.Generator, n_jobs: Jobs
) -> Array:
    """Linear approximative BUILD: each medoid the best of a sample of 10 + sqrt(n), by the sample.

    Schubert & Rousseeuw 2021, doi:10.1016/j.is.2021.101804.
    """
    free = np.flatnonzero(barred(weights, source.n) == 0)
    size = 10 + ceil(sqrt(source.n))
    medoids, near = [], None
    for _ in range(k):
        checkpoint()
        sample = np.sort(rng.choice(free, min(size, len(free)), replace=False))
        block = source.between(sample, sample)
        if weights is not None:
            block = block * weights[sample][:, None]
        if near is None:
            best = block.sum(axis=0).argmin()
        else:
            best = np.maximum(near[sample][:, None] - block, 0.0).sum(axis=0).argmax()
        medoids.append(int(sample[best]))
        free = free[free != medoids[-1]]
        distances = weighted_distances(source, medoids[-1], weights)
        near = distances if near is None else np.minimum(near, distances)
    return np.array(medoids)


def plus_plus(
    source: Any, k: int, weights: Array | None, rng: np.random.Generator, n_jobs: Jobs
) -> Array:
    """k-medoids++: drawn in proportion to the dissimilarity to the nearest medoid so far.

    Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494, with the first power, as the loss is;
    of 2 + floor(log k) candidates the one that lowers the loss most is taken, the first on ties.
    """
    n_trials = 2 + int(log(k))
    point_weights = np.ones(source.n) if weights is None else weights
    medoids = [place(np.cumsum(point_weights), rng.random())]
    near = weighted_distances(source, medoids[0], weights)
    while len(medoids) < k:
        checkpoint()
        running = np.cumsum(near)
        if running[-1] > 0:
            drawn = np.array([place(running, u) for u in rng.random(n_trials)])
            best = drawn[gains(source, drawn, near, weights, n_jobs).argmax()]
        else:  # every point is a medoid or like one
            candidates = np.ones(source.n, bool)
            candidates[medoids] = False
            best = np.flatnonzero(candidates & (point_weights > 0))[0]
        medoids.append(int(best))
        near = np.minimum(near, weighted_distances(source, medoids[-1], weights))
        near[medoids] = 0.0
    return np.array(medoids)


def random_points(
    source: Any, k: int, weights: Array | None, rng: np.random.Generator, n_jobs: Jobs
) -> Array:
    """Different points, all equally likely."""
    return rng.choice(np.flatnonzero(barred(weights, source.n) == 0), k, replace=False)


def weighted_distances(source: Any, point: int, weights: Array | None) -> Array:
    """Dissimilarities from all points to one, times their weights."""
    distances = column(source, point)
    return distances if weights is None else distances * weights


def auto(
    source: Any, k: int, weights: Array | None, rng: np.random.Generator, n_jobs: Jobs
) -> Array:
    """BUILD for few points, LAB for many, where it has the same loss in a fraction of the time."""
    return (build if source.n <= MAX_BUILD_POINTS else lab)(source, k, weights, rng, n_jobs)


STARTS = {
    "auto": auto,
    "build": build,
    "lab": lab,
    "k-medoids++": plus_plus,
    "random": random_points,
}
