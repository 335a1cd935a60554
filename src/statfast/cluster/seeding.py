# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-means: greedy k-means++, and rows drawn at random."""

from math import log

import numpy as np

from statfast._core import seeding as kernel
from statfast.cluster.passes import joined, pieces, sweep

# While the distances to all candidates take less than this the winner's are kept, not made again.
HELD = 1 << 28  # bytes


def plus_plus(data, k, rng):
    """Draw k rows as centres by greedy k-means++.

    The first is drawn in proportion to weight. Each further one is the best, the one leaving the
    least potential sum_i w_i min_c |x_i - c|^2, of 2 + floor(log k) candidates drawn in proportion
    to weight * squared distance to the nearest centre so far; ties go to the candidate drawn first.

    Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494.

    Cost: O(n d k log k), one reading of the rows per centre (two where the candidates' distances,
    8 (2 + log k) bytes a row, would exceed `HELD`). Memory: 8 bytes a row besides.

    Parameters
    ----------
    data : statfast.cluster.survey.Survey
    k : int
    rng : numpy.random.Generator

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    """
    n, d = data.shape
    n_trials = 2 + int(log(k))
    centers = np.empty((k, d))
    centers[0] = data.take([first_row(data, rng)])[0]
    closest = np.full(n, np.inf)
    kept = np.empty((n_trials, n)) if 8 * n * n_trials <= HELD else None
    blocks, potential = weigh(data, centers[:1], closest, closest[None])
    best = 0
    for c in range(1, k):
        if not potential[:, best].any():  # every row lies on a centre
            centers[c:] = centers[0]
            break
        drawn = draw(data, closest, blocks, potential[:, best], rng.random(n_trials))
        candidates = data.take(drawn)
        blocks, potential = weigh(data, candidates, closest, kept)
        best = potential.sum(axis=0).argmin()
        centers[c] = candidates[best]
        if kept is None:
            weigh(data, centers[c : c + 1], closest, closest[None])
        else:
            closest[:] = kept[best]
    return centers


def random_rows(data, k, rng):
    """Draw k different rows as centres in proportion to weight."""
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
    """Let each candidate join the centres.

    Parameters
    ----------
    data : statfast.cluster.survey.Survey
    candidates : ndarray of shape (m, d), float64
    closest : ndarray of shape (n,), float64
        Squared distance of each row to the centres so far.
    nearer : ndarray of shape (m, n), float64, or None
        Becomes the same with each candidate added; with one candidate it may be `closest` itself.

    Returns
    -------
    blocks : list of slice
    potential : ndarray of shape (blocks, m)
    """

    def partial(rows, X, weights):
        potential = np.zeros(len(candidates))
        before = closest[rows]
        after = None if nearer is None else nearer[:, rows]
        for part in pieces(X.shape[0], candidates.size):
            kernel.trial(
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
    return drawn


def place(running, u):
    """The first index whose running total exceeds u of the whole; one that adds to it, always."""
    goal = min(max(u, 0.0) * running[-1], np.nextafter(running[-1], 0.0))
    return int(np.searchsorted(running, goal, side="right"))
