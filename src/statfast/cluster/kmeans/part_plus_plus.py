# SPDX-License-Identifier: BSD-3-Clause
"""Greedy k-means++ for rows in parts.

With the same generator, it draws the same rows as `plus_plus` draws from rows in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import Stacked
from statfast.cluster.kmeans.block_passes import place
from statfast.cluster.kmeans.draws import PartDraws
from statfast.cluster.kmeans.part_data import PartsData
from statfast.cluster.kmeans.plus_plus import plus_plus, trials, weigh

MAX_CENTERS = 64  # centers that may be drawn, as each takes two rounds


def plus_plus_of(data: Any, k: int, rng: np.random.Generator) -> np.ndarray:
    """Greedy k-means++ of rows in memory or in parts."""
    return by_rounds(data, k, rng) if isinstance(data, PartsData) else plus_plus(data, k, rng)


def by_rounds(data: PartsData, k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw k rows; for each center a round draws candidates, and another weighs them."""
    draws = PartDraws(data)
    drawn = [data.draw_row(rng)]
    potential = draws.total(_potential, drawn, nothing=Stacked(np.zeros(1))).rows  # of each part
    while len(drawn) < k and potential.any():
        points = rng.random(trials(k))
        running = np.cumsum(potential)
        parts = np.array([place(running, u) for u in points])
        within = (points * running[-1] - (running - potential)[parts]) / potential[parts]
        order = np.argsort(parts, kind="stable")
        starts = np.array(data.starts)[parts[order]]
        rows = draws.total(_rows_at, drawn, starts, within[order]).rows
        candidates = rows[np.argsort(order)]
        nothing = Stacked(np.zeros((1, len(candidates))))
        potentials = draws.total(_potential_by_candidate, drawn, candidates, nothing=nothing).rows
        best = potentials.sum(axis=0).argmin()
        drawn.append(candidates[best : best + 1])
        potential = potentials[:, best]
    return np.concatenate([*drawn, *drawn[:1] * (k - len(drawn))])


def require_few(k: int) -> None:
    """Refuse more centers than this start draws in a reasonable number of rounds."""
    if k > MAX_CENTERS:
        raise ValueError(
            f"init='k-means++' takes two rounds over rows in parts for each center, and up to "
            f"{MAX_CENTERS} centers; got n_clusters={k}. Use init='k-means||'."
        )


def _potential(data, closest, start):
    """The potential of a part."""
    return Stacked(np.array([closest.chances(data.weights).sum()]))


def _rows_at(data, closest, start, starts, within):
    """Rows of a part in proportion to weight * squared distance, at points of [0, 1)."""
    points = within[starts == start]
    if not len(points):
        return None
    running = np.cumsum(closest.chances(data.weights))
    return Stacked(data.take([min(place(running, u), len(running) - 1) for u in points]))


def _potential_by_candidate(data, closest, start, candidates):
    """What each candidate would leave of the potential of a part."""
    _, potentials = weigh(data, candidates, closest.squares, None)
    return Stacked(potentials.sum(axis=0, keepdims=True))
