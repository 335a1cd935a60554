# SPDX-License-Identifier: BSD-3-Clause
"""k-means||: starts for k-means in a few passes over rows in memory or in parts."""

from __future__ import annotations

from operator import add
from typing import Any

import numpy as np

from statfast._engine import Stacked
from statfast._typing import Array
from statfast.cluster.kmeans.block_passes import sweep
from statfast.cluster.kmeans.data import KMeansData, survey_rows
from statfast.cluster.kmeans.draws import draws_of
from statfast.cluster.kmeans.part_plus_plus import plus_plus_of
from statfast.cluster.kmeans.plus_plus import plus_plus

ROUNDS = 5
OVERSAMPLING = 2  # rows drawn in a round, on average, for each center


def k_means_parallel(data: Any, k: int, rng: Any) -> Array:
    """Draw centers by k-means||.

    In each of `ROUNDS` rounds every row becomes a candidate with chance `OVERSAMPLING` * k times
    its share of the potential sum_i w_i min_c |x_i - c|^2 over all candidates c so far. Each then
    gets the weight of the rows nearest to it, and greedy k-means++ draws the centers among
    them. Where there are not k of them it draws from all rows. Each row is drawn by the number of
    its own place in the stream, so that rows in parts are drawn as those in memory.

    Bahmani, Moseley, Vattani, Kumar & Vassilvitskii 2012, Scalable k-means++,
    doi:10.14778/2180912.2180915.

    Cost: O(n d k) a round; 2 `ROUNDS` + 3 readings of the rows, of which those of rows in memory
    are half. Memory: 12 bytes a row, and those drawn.

    Parameters
    ----------
    data : KMeansData or PartsData
    k : int
    rng : numpy.random.Generator
        Of PCG64, which can be told to go on by any number of draws.

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    """
    draws = draws_of(data)
    drawn = [data.draw_row(rng)]
    for _ in range(ROUNDS):
        potential = float(draws.total(_potential, drawn))
        if potential == 0.0:
            break
        state = OVERSAMPLING * k, potential, rng.bit_generator.state
        rows = draws.total(_drawn, drawn, *state).rows
        rng.bit_generator.advance(data.shape[0])
        if len(rows):
            drawn.append(rows)
    candidates = np.concatenate(drawn)
    weights = draws.total(_nearest_weights, [], candidates)
    if np.count_nonzero(weights) < k:
        return plus_plus_of(data, k, rng)
    return plus_plus(survey_rows(candidates, weights, data.n_jobs), k, rng)


def _potential(data: KMeansData, closest: Any, start: int) -> float:
    return closest.potential


def _drawn(data, closest, start, expected, potential, stream):
    """The drawn rows, `expected` of all rows on average."""
    bits = np.random.PCG64()
    bits.state = stream
    bits.advance(start)
    share = expected * (closest.chances(data.weights) / potential)
    drawn = np.flatnonzero(np.random.Generator(bits).random(data.shape[0]) < share)
    return Stacked(data.take(drawn))


def _nearest_weights(data: KMeansData, closest: Any, start: int, candidates: Array) -> Array:
    return nearest_weights(data, candidates)


def nearest_weights(data: KMeansData, centers: Array) -> Array:
    """The weight of the rows nearest to each center."""
    frame = data.rows.frame(centers, data.origin, data.scale)

    def partial(where: slice, X: Any, weights: Array | None) -> Array:
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        return np.bincount(labels, weights, len(centers)).astype(np.float64)

    return sweep(partial, data.rows, data.weights, merge=add, size=centers.size, n_jobs=data.n_jobs)
