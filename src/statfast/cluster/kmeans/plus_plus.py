# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-means: greedy k-means++, and rows drawn at random."""

from __future__ import annotations

from math import log
from operator import iadd
from typing import Any

import numpy as np

from statfast._core.kmeans import differences
from statfast._core.kmeans.seeding import Seeding
from statfast._distance import FLOAT32_MAX
from statfast._engine import each, fold, grid, report
from statfast._typing import Array
from statfast.cluster.kmeans.block_passes import joined, place, sweep
from statfast.cluster.kmeans.data import KMeansData, contiguous
from statfast.cluster.kmeans.dense_rows import DenseRows

# Distances to all candidates are kept up to this size; else the winner's are computed again.
MAX_CACHED_BYTES = 1 << 28  # bytes
MIN_PACKED_ROWS = 256  # rows: fewer are not worth packing for the start alone
OPERATIONS_PER_BLOCK = 3e6  # operations of a block: some 10 microseconds
BLOCK_ROWS = 1024  # rows of a block are a multiple of this, and so whole panels and stretches
OPERATIONS_PER_LOOKUP = 200  # operations that a row far from the last one costs for the cache
ROUNDING = 1e-5  # more than the relative rounding errors of float32 sums of gains
LOST_BELOW_FLOAT32 = 1e-30  # more than a row's gain loses where float32 underflows


def plus_plus(data: KMeansData, k: int, rng: np.random.Generator) -> Array:
    """Draw k rows as centers by greedy k-means++.

    The first is drawn in proportion to weight. Each further one is the best, the one leaving the
    least potential sum_i w_i min_c |x_i - c|^2, of 2 + floor(log k) candidates drawn in proportion
    to weight * squared distance to the nearest center so far; ties go to the candidate drawn first.

    Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494.

    Cost: O(n d k log k). For each center rows in memory are read once, in float32; others in
    float64, twice where the distances to its candidates, 8 (2 + log k) bytes a row, would exceed
    `MAX_CACHED_BYTES`. Memory: 30 bytes a row besides.

    Parameters
    ----------
    data : statfast.cluster.kmeans.data.KMeansData
    k : int
    rng : numpy.random.Generator

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    """
    return spread(data, k, rng)[0]


def spread(data: KMeansData, k: int, rng: np.random.Generator) -> Any:
    """`plus_plus`, with the drawn rows and distances.

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    places : ndarray of shape (k,), int32
        Which rows they are. Where all rows lie on fewer centers the first is there again.
    nearest : tuple of ndarray, or None
        The nearest center of each row, the first of equals, (n,) int32, and its squared distance,
        (n,) float64; None where only the latter was kept.
    """
    first = data.draw_index(rng)
    if data.fits_one_call(k):
        X, places = data.float64(), np.full(k, first, np.int32)
        differences.spread(X, data.weights, rng.random((k - 1, trials(k))), places)
        return X[places], places, None
    if k == 1 or data.shape[0] < MIN_PACKED_ROWS or not packable(data):
        return *by_reading(data, k, rng, first), None
    return by_bounds(data, k, rng, first)


def trials(k: int) -> int:
    """The number of candidates for each center."""
    return 2 + int(log(k))


def packable(data: KMeansData) -> bool:
    """Whether rows can be packed in panels, and read without a copy."""
    if not data.panels.possible or not contiguous(data.rows.matrix):
        return False
    # Subnormal float32 rows cannot be scaled in their type, and their panels are infinite.
    return data.rows.dtype != np.float32 or data.scale <= FLOAT32_MAX


def by_bounds(
    data: KMeansData, k: int, rng: np.random.Generator, first: int
) -> tuple[Array, Array, tuple[Array, Array]]:
    """k-means++ among rows in panels, where float32 scores bound the gains of candidates.

    If bounds leave several candidates, these are weighed in float64.
    """
    d, tries = data.shape[1], trials(k)
    rows, blocks, effort = packed(data, k, first)
    centers, places = np.empty((k, d)), np.full(k, first, np.int32)
    centers[:] = data.take([first])[0]

    def weigh_block(block: slice) -> Array:
        return rows.weigh(block.start, block.stop)

    for c in range(1, k):
        drawn = rows.draw(rng.random(tries))
        if drawn is None:  # every row lies on a center
            break
        rows.propose(drawn)
        gains = fold(weigh_block, blocks, merge=iadd, n_jobs=data.n_jobs, effort=effort)
        high, off, points = gains[:, : len(drawn)]
        best = best_of(data, drawn, high, off, rows.closest)
        places[c] = drawn[best]
        centers[c] = data.rows.take(places[c])

        def join_block(block: slice, best: int = best, c: int = c) -> None:
            rows.join(best, centers[c], c, block.start, block.stop)

        each(
            join_block,
            blocks,
            n_jobs=data.n_jobs,
            effort=(4 * d + OPERATIONS_PER_LOOKUP) * points[best],
        )
        report(c + 1, k)
    return centers, places, (rows.labels, rows.closest)


def packed(data: KMeansData, k: int, first: int) -> tuple[Any, list[slice], float]:
    """The rows in the form of kernels, with the first center; their blocks; and the operations that
    the candidates for one center cost."""
    n, d = data.shape
    effort = 2.0 * n * d * trials(k)
    parts = 2 ** min(6, max(0, round(np.log2(max(effort / OPERATIONS_PER_BLOCK, 1.0)))))
    blocks = grid(n, least=BLOCK_ROWS, most=n, parts=parts)
    panels, norms = data.panels.scaled(data.scale)
    shares = None
    if data.weights is not None:
        shares = np.zeros(len(norms), np.float32)
        shares[:n] = data.weights / data.weights.max()
    rows = Seeding(data.rows.matrix.view(np.uint8), d, data.weights, shares, panels, data.scale)
    origin, center = data.origin.astype(np.float64), data.take([first])[0]

    def begin(block: slice) -> None:
        rows.begin(origin, center, norms, block.start, block.stop)

    each(begin, grid(n), n_jobs=data.n_jobs, effort=4.0 * n * d)
    return rows, blocks, effort


def best_of(data: KMeansData, drawn: Array, high: Array, error: Array, closest: Array) -> int:
    """The candidate that gains most, the first of equals, by bounds where these decide."""
    tiny = LOST_BELOW_FLOAT32 * data.shape[0]
    low = high * (1 - ROUNDING) - error * (1 + 10 * ROUNDING) - tiny
    (rivals,) = (high * (1 + ROUNDING) + tiny >= low.max()).nonzero()
    if len(rivals) == 1:
        return rivals[0]
    candidates = data.take(drawn[rivals])
    if (candidates == candidates[0]).all():
        return rivals[0]
    _, potential = weigh(data, candidates, closest, None)
    return rivals[potential.sum(axis=0).argmin()]


def by_reading(
    data: KMeansData, k: int, rng: np.random.Generator, first: int
) -> tuple[Array, Array]:
    """k-means++ among rows of any kind, all in float64."""
    n, d = data.shape
    centers, places = np.empty((k, d)), np.full(k, first, np.int32)
    centers[:] = data.take([first])[0]
    closest = np.full(n, np.inf)
    nearer = np.empty((trials(k), n)) if 8 * n * trials(k) <= MAX_CACHED_BYTES else None
    blocks, potential = weigh(data, centers[:1], closest, closest[None])
    shares = potential[:, 0]
    for c in range(1, k):
        if not shares.any():  # every row lies on a center
            break
        drawn = draw(data, closest, blocks, shares, rng.random(trials(k)))
        candidates = data.take(drawn)
        blocks, potential = weigh(data, candidates, closest, nearer)
        best = potential.sum(axis=0).argmin()
        centers[c], places[c], shares = candidates[best], drawn[best], potential[:, best]
        if nearer is None:
            weigh(data, centers[c : c + 1], closest, closest[None])
        else:
            closest[:] = nearer[best]
    return centers, places


def random_rows(data: KMeansData, k: int, rng: np.random.Generator) -> Array:
    """Draw k different rows as centers in proportion to weight."""
    if data.weights is None:
        return data.take(rng.choice(data.shape[0], k, replace=False))
    rows = np.flatnonzero(data.weights)
    share = data.weights[rows] / data.total_weight
    return data.take(rows[rng.choice(len(rows), k, replace=False, p=share)])


def weigh(
    data: KMeansData, candidates: Array, closest: Array, nearer: Any
) -> tuple[list[slice], Array]:
    """Let each candidate join the centers.

    Parameters
    ----------
    data : statfast.cluster.kmeans.data.KMeansData
    candidates : ndarray of shape (m, d), float64
    closest : ndarray of shape (n,), float64
        Squared distance of each row to the centers so far.
    nearer : ndarray of shape (m, n), float64, or None
        Becomes the same with each candidate added; with one candidate it may be `closest` itself.

    Returns
    -------
    blocks : list of slice
    potential : ndarray of shape (blocks, m)
    """

    frame = data.rows.frame(candidates)

    def partial(rows: slice, X: DenseRows, weights: Array | None) -> list[tuple[slice, Array]]:
        after = None if nearer is None else nearer[:, rows]
        return [(rows, X.trial(frame, weights, closest[rows], after))]

    potentials = sweep(
        partial, data.rows, data.weights,
        merge=joined, size=candidates.size, n_jobs=data.n_jobs,
    )  # fmt: skip
    return [rows for rows, _ in potentials], np.array([potential for _, potential in potentials])


def draw(
    data: KMeansData, closest: Array, blocks: list[slice], potential: Array, points: Array
) -> Array:
    """Rows drawn in proportion to weight * closest, at points of [0, 1).

    First the block is drawn by its potential, then the row in it, without a sum over all rows.
    """
    running = np.cumsum(potential)
    drawn = []
    for u in points:
        b = place(running, u)
        rows = blocks[b]
        chance = closest[rows] if data.weights is None else closest[rows] * data.weights[rows]
        before = running[b - 1] if b else 0.0
        within = (u * running[-1] - before) / potential[b]
        drawn.append(rows.start + place(np.cumsum(chance), within))
    return np.array(drawn, np.int32)
