# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-means: greedy k-means++, and rows drawn at random."""

from math import log

import numpy as np

from statfast._core.kmeans.differences import trial
from statfast._core.kmeans.seeding import thinned
from statfast._engine import report
from statfast.cluster.kmeans.block_passes import joined, pieces, sweep
from statfast.cluster.kmeans.candidates import Candidates, worn
from statfast.cluster.kmeans.sparse_rows import SparseFrame, SparseRows

# While the distances to all candidates take less than this the winner's are kept, not made again.
HELD = 1 << 28  # bytes
FEWEST = 256  # rows: fewer are not worth laying out for the start alone
TOGETHER = 42  # candidates drawn together at most: three tiles of 14
ALONE = 16  # centers for whose candidates the rows are read each time, if scores are not held
TRIED, WIDE = 200, 24  # with fewer candidates up to then, in so many columns, scores are held
SPARE = 2  # candidates more, for those that are not kept


def plus_plus(data, k, rng):
    """Draw k rows as centers by greedy k-means++.

    The first is drawn in proportion to weight. Each further one is the best, the one leaving the
    least potential sum_i w_i min_c |x_i - c|^2, of 2 + floor(log k) candidates drawn in proportion
    to weight * squared distance to the nearest center so far; ties go to the candidate drawn first.

    Candidates of several centers are drawn together, and those of the later ones thinned out so
    that they are drawn from the chances of their time: see `thin` in _core/kmeans/potential.pxd.

    Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494.

    Cost: O(n d k log k). Rows in memory are read, in float32, once for several centers, in less
    than 24 columns once for each of the first 16; others, in float64, once for each center (twice
    where the distances to its candidates, 8 (2 + log k) bytes a row, would exceed `HELD`). Memory:
    50 bytes a row besides, more where vectors are short, and 168 where scores are held.

    Parameters
    ----------
    data : statfast.cluster.kmeans.prepared.PreparedRows
    k : int
    rng : numpy.random.Generator

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    """
    return spread(data, k, rng)[0]


def spread(data, k, rng):
    """`plus_plus`, and what is known of the rows then.

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    places : ndarray of shape (k,), int32
        Which rows they are. Where all rows lie on fewer centers the first is there again.
    nearest : tuple of ndarray, or None
        The nearest center of each row, the first of equals, (n,) int32, and its squared distance,
        (n,) float64; None where only the latter was kept.
    """
    first = first_row(data, rng)
    if k == 1 or data.shape[0] < FEWEST or not Candidates.suit(data):
        return *by_reading(data, k, rng, first), None
    rows = Candidates(data, k, trials(k))
    by_panels(rows, rng, first)
    return rows.centers, rows.places, (rows.labels, rows.closest)


def trials(k):
    """How many candidates there are for each center."""
    return 2 + int(log(k))


def holds(c, k, d):
    """Whether scores are held where there are c centers of k: see `Candidates.draw`."""
    return c * trials(k) < TRIED and d >= WIDE


def together(c, k, d):
    """How many candidates are drawn together where there are c centers of k.

    With few centers each new one changes the chances of many rows, and has many in common with
    other candidates.
    """
    if holds(c, k, d):
        return max(TOGETHER, trials(k))
    centers = min(1 + c // ALONE, (TOGETHER - SPARE) // trials(k))
    return centers * trials(k) + SPARE if centers > 1 else trials(k)


def by_panels(rows, rng, first):
    """k-means++ among `Candidates`."""
    k, d = rows.centers.shape
    rows.begin(first)
    while rows.count < k:
        c = rows.count
        drawn = rng.random((2, together(c, k, d)))
        if not rows.draw(*drawn, holds(c, k, d)):  # every row lies on a center
            rows.centers[c:], rows.places[c:] = rows.centers[0], first
            break
        while rows.count < k:
            _, rivals = rows.choose(k - rows.count)
            if len(rivals) == 0:
                break
            best, candidates = 0, rows.points[rivals]
            if (candidates != candidates[0]).any():
                rows.release()
                _, potential = weigh(rows.data, candidates, rows.closest, None)
                best = potential.sum(axis=0).argmin()
            rows.join(rivals[best])
        if not holds(rows.count, k, d) or rows.worn:
            rows.catch_up()
        report(rows.count, k)
    rows.catch_up()
    rows.release()


def by_reading(data, k, rng, first):
    """k-means++ among rows wherever they lie, all in float64."""
    n, d = data.shape
    n_trials = trials(k)
    centers, places = np.empty((k, d)), np.full(k, first, np.int32)
    centers[0] = data.take([first])[0]
    closest = np.full(n, np.inf)
    kept = np.empty((n_trials, n)) if 8 * n * n_trials <= HELD else None
    blocks, potential = weigh(data, centers[:1], closest, closest[None])
    chance, best, c = closest.copy(), 0, 1  # the distances that rows are drawn by
    shares = potential[:, best]
    group = np.empty(n_trials, np.int32)
    while c < k:
        at, keep = rng.random((2, together(c, k, d)))
        if not shares.any():  # every row lies on a center
            centers[c:] = centers[0]
            break
        drawn = draw(data, chance, blocks, shares, at)
        points, before, later = data.take(drawn), chance[drawn], 0
        while c < k:
            later = thinned(closest[drawn], before, keep, later, group)
            if later < 0:  # too few are left
                break
            candidates = points[group]
            cut, potential = weigh(data, candidates, closest, kept)
            best = potential.sum(axis=0).argmin()
            centers[c], places[c] = candidates[best], drawn[group[best]]
            c += 1
            if kept is None:
                weigh(data, candidates[best : best + 1], closest, closest[None])
            else:
                closest[:] = kept[best]
        if not holds(c, k, d) or worn(closest[drawn], before):
            chance[:], blocks, shares = closest, cut, potential[:, best]
    return centers, places


def random_rows(data, k, rng):
    """Draw k different rows as centers in proportion to weight."""
    if data.weights is None:
        return data.take(rng.choice(data.shape[0], k, replace=False))
    rows = np.flatnonzero(data.weights)
    share = data.weights[rows] / data.mass
    return data.take(rows[rng.choice(len(rows), k, replace=False, p=share)])


def first_row(data, rng):
    """A row drawn in proportion to weight."""
    if data.weights is None:
        return min(int(rng.random() * data.shape[0]), data.shape[0] - 1)
    return place(np.cumsum(data.weights), rng.random())


def weigh(data, candidates, closest, nearer):
    """Let each candidate join the centers.

    Parameters
    ----------
    data : statfast.cluster.kmeans.prepared.PreparedRows
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

    frame = SparseFrame(candidates) if isinstance(data.rows, SparseRows) else None

    def partial(rows, X, weights):
        potential = np.zeros(len(candidates))
        before = closest[rows]
        after = None if nearer is None else nearer[:, rows]
        if isinstance(X, SparseRows):
            d2 = np.minimum(X.distances(frame).T, before)
            if after is not None:
                after[:] = d2
            return [(rows, np.array([(d if weights is None else d * weights).sum() for d in d2]))]
        for part in pieces(X.shape[0], candidates.size):
            trial(
                X[part],
                None if weights is None else weights[part],
                candidates,
                before[part],
                None if after is None else after[:, part],
                potential,
            )
        return [(rows, potential)]

    found = sweep(
        partial, data.rows, data.weights,
        merge=joined, size=candidates.size, n_jobs=data.n_jobs,
    )  # fmt: skip
    return [rows for rows, _ in found], np.array([potential for _, potential in found])


def draw(data, closest, blocks, potential, at):
    """Rows drawn in proportion to weight * closest at the points `at` in [0, 1).

    First the block, by its potential, then the row in it: no sum over all rows is made anew.
    """
    running = np.cumsum(potential)
    drawn = []
    for u in at:
        b = place(running, u)
        rows = blocks[b]
        chance = closest[rows] if data.weights is None else closest[rows] * data.weights[rows]
        before = running[b - 1] if b else 0.0
        within = (u * running[-1] - before) / potential[b]
        drawn.append(rows.start + place(np.cumsum(chance), within))
    return np.array(drawn, np.int32)


def place(running, u):
    """The first index whose running total exceeds u of the whole; one that adds to it, always."""
    goal = min(max(u, 0.0) * running[-1], np.nextafter(running[-1], 0.0))
    return int(np.searchsorted(running, goal, side="right"))
