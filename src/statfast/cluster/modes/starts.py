# SPDX-License-Identifier: BSD-3-Clause
"""Starts for k-modes and k-prototypes: rows of the data as the first centers."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.cluster.modes.mixed_rows import FittedRows, Prototypes


def by_density(rows: FittedRows, k: int, rng: np.random.Generator) -> Prototypes:
    """Rows of frequent categories that are far from each other; nothing is drawn.

    Cao, Liang & Bai 2009, doi:10.1016/j.eswa.2009.01.060: the first row has the greatest mean
    frequency of its categories, its density; each further one the greatest product of its density
    and its dissimilarity to the nearest row so far. Ties go to the first row.
    """
    density = _densities(rows)
    chosen = [int(density.argmax())]
    nearest = np.full(rows.rows.n, np.inf)
    while len(chosen) < k:
        nearest = np.minimum(nearest, rows.rows.nearest(rows.take(chosen[-1:]))[1])
        chosen.append(int((nearest * density).argmax()))
    return rows.take(chosen)


def _densities(rows: FittedRows) -> Array:
    """The mean frequency of each row's categories; 1 without any, 0 of rows without weight."""
    n, every = rows.rows.n, np.zeros(rows.rows.n, np.int32)
    density = np.full(n, 0.0 if rows.sizes else 1.0)
    for j, size in enumerate(rows.sizes):
        # Values that are missing, or of rows without weight alone, have frequency 0.
        frequency = np.append(rows.counts(j, every, 1)[0], 0.0)
        places = np.minimum(rows.rows.codes[j].astype(np.int64) % (1 << 32), size)
        density += frequency[places] / max(frequency.sum(), 1e-300)
    return density if rows.weights is None else density * (rows.weights > 0)


def by_frequency(rows: FittedRows, k: int, rng: np.random.Generator) -> Prototypes:
    """Categories drawn by their frequency, and the nearest row of each such draw.

    Huang 1998, doi:10.1023/A:1009769707641. No row is taken twice; numbers are those of rows drawn
    at random.
    """
    drawn = rows.take(_drawn(rows, k, rng))
    every = np.zeros(rows.rows.n, np.int32)
    for j, values in enumerate(drawn.modes.T):
        running = np.cumsum(rows.counts(j, every, 1)[0])
        values[:] = np.searchsorted(running, rng.random(k) * running[-1], side="right")
    chosen: list[int] = []
    barred = np.zeros(rows.rows.n) if rows.weights is None else np.where(rows.weights, 0.0, np.inf)
    for c in range(k):
        center = Prototypes(drawn.modes[c : c + 1], drawn.numbers[c : c + 1])
        chosen.append(int((rows.rows.nearest(center)[1] + barred).argmin()))
        barred[chosen[-1]] = np.inf
    return rows.take(chosen)


def at_random(rows: FittedRows, k: int, rng: np.random.Generator) -> Prototypes:
    """Different rows drawn in proportion to weight."""
    return rows.take(_drawn(rows, k, rng))


def _drawn(rows: FittedRows, k: int, rng: np.random.Generator) -> Array:
    share = None if rows.weights is None else rows.weights / rows.weights.sum()
    return rng.choice(rows.rows.n, k, replace=False, p=share)


def spread(rows: FittedRows, k: int, rng: np.random.Generator) -> Prototypes:
    """Greedy k-means++ by the dissimilarity of rows.

    Each row is the best, the one leaving the least cost, of 2 + floor(log k) drawn in proportion to
    weight * dissimilarity to the nearest row so far; ties go to the one drawn first.
    """
    weights = np.ones(rows.rows.n) if rows.weights is None else rows.weights
    chosen = [_place(weights, rng.random())]
    nearest = rows.rows.nearest(rows.take(chosen))[1]
    while len(chosen) < k:
        cost = nearest * weights
        if not cost.any():  # every row lies on a center
            chosen += chosen[:1] * (k - len(chosen))
            break
        trials: list[tuple[float, int, Array]] = []
        for u in rng.random(2 + int(log(k))):
            row = _place(cost, u)
            after = np.minimum(nearest, rows.rows.nearest(rows.take([row]))[1])
            trials.append((float((after * weights).sum()), row, after))
        _, row, nearest = min(trials, key=lambda trial: trial[0])
        chosen.append(row)
    return rows.take(chosen)


def _place(share: Array, u: float) -> int:
    """The first row whose running total exceeds the share u of the whole."""
    running = np.cumsum(share)
    return int(
        np.searchsorted(running, min(u * running[-1], np.nextafter(running[-1], 0)), "right")
    )


STARTS: dict[str, Any] = {
    "cao": by_density,
    "huang": by_frequency,
    "k-means++": spread,
    "random": at_random,
}
DRAWN = ("huang", "k-means++", "random")
REPEATED = ("huang", "random")
