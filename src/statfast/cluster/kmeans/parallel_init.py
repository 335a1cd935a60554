# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-means in a few passes over the rows: k-means||."""

from operator import add

import numpy as np

from statfast.cluster.kmeans.block_passes import sweep
from statfast.cluster.kmeans.data import survey
from statfast.cluster.kmeans.plus_plus import first_row, plus_plus

ROUNDS = 5
OVERSAMPLING = 2  # rows drawn in a round, on average, for each center


def k_means_parallel(data, k, rng):
    """Draw centers by k-means||.

    In each of `ROUNDS` rounds every row becomes a candidate with chance `OVERSAMPLING` * k times
    its share of the potential sum_i w_i min_c |x_i - c|^2 over all candidates c so far. Each then
    gets the weight of the rows nearest to it, and greedy k-means++ draws the centers among
    them. Where there are not k of them it draws from all rows.

    Bahmani, Moseley, Vattani, Kumar & Vassilvitskii 2012, Scalable k-means++,
    doi:10.14778/2180912.2180915.

    Cost: O(n d k) a round; 2 `ROUNDS` + 3 readings of the rows, of which those of rows in memory
    are half. Memory: 12 bytes a row, and those drawn.

    Parameters
    ----------
    data : statfast.cluster.kmeans.data.PreparedRows
    k : int
    rng : numpy.random.Generator

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    """
    closest = np.full(data.shape[0], np.inf)
    drawn = [data.take([first_row(data, rng)])]
    for _ in range(ROUNDS):
        potential = approach(data, drawn[-1], closest)
        if potential == 0.0:
            break
        chance = closest if data.weights is None else closest * data.weights
        share = OVERSAMPLING * k * (chance / potential)
        found = np.flatnonzero(rng.random(data.shape[0]) < share)
        if len(found):
            drawn.append(data.take(found))
    candidates = np.concatenate(drawn)
    weights = crowd(data, candidates)
    if np.count_nonzero(weights) < k:
        return plus_plus(data, k, rng)
    return plus_plus(survey(candidates, weights, data.n_jobs), k, rng)


def approach(data, centers, closest):
    """Let centers join those so far; returns the potential that is left."""
    frame = data.rows.frame(centers, data.origin, data.scale)

    def partial(where, X, weights, closest):
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        np.minimum(closest, X.to_own(frame, labels), out=closest)
        return float((closest if weights is None else closest * weights).sum())

    return sweep(
        partial, data.rows, data.weights, closest,
        merge=add, size=centers.size, n_jobs=data.n_jobs,
    )  # fmt: skip


def crowd(data, centers):
    """The weight of the rows nearest to each center."""
    frame = data.rows.frame(centers, data.origin, data.scale)

    def partial(where, X, weights):
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        return np.bincount(labels, weights, len(centers)).astype(np.float64)

    return sweep(partial, data.rows, data.weights, merge=add, size=centers.size, n_jobs=data.n_jobs)
