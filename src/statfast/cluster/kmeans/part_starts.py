# SPDX-License-Identifier: BSD-3-Clause
"""Starts of k-means for rows in parts: rows drawn at random, k-means++ and k-means||.

With the same generator these draw the rows that `plus_plus` and `parallel_init` draw from all rows
in memory. The distances of rows to the centers so far stay with the parts as soft state.
"""

from dataclasses import replace

import numpy as np

from statfast._engine import Stacked, borrowed, new_fit
from statfast._estimator import has_weight
from statfast.cluster.kmeans.data import survey
from statfast.cluster.kmeans.parallel_init import OVERSAMPLING, ROUNDS, approach, crowd
from statfast.cluster.kmeans.part_lloyd import PartRowsData
from statfast.cluster.kmeans.plus_plus import place, plus_plus, trials, weigh

MOST = 64  # centers by k-means++, which takes two rounds for each


def plus_plus_start(data: PartRowsData, k: int, rng: np.random.Generator) -> np.ndarray:
    """Greedy k-means++: for each center a round draws candidates, and one weighs them."""
    if k > MOST:
        raise ValueError(
            f"init='k-means++' takes two rounds over rows in parts for each center, and up to "
            f"{MOST} centers; got n_clusters={k}. Use init='k-means||'."
        )
    return _greedy(data, k, rng)


def _greedy(data, k, rng):
    data = _of_this_start(data)
    drawn = [first_of(data, rng)]
    masses = data.total(_masses_left, drawn).rows
    while len(drawn) < k and masses.any():
        candidates = _drawn_at(data, drawn, masses, rng.random(trials(k)))
        potential = data.total(_weighed, drawn, candidates).rows
        best = potential.sum(axis=0).argmin()
        drawn.append(candidates[best : best + 1])
        masses = potential[:, best]
    return np.concatenate([*drawn, *drawn[:1] * (k - len(drawn))])


def parallel_start(data: PartRowsData, k: int, rng: np.random.Generator) -> np.ndarray:
    """`k_means_parallel`: each row is drawn by the number of its own place in the stream."""
    every, data = data, _of_this_start(data)
    drawn = [first_of(data, rng)]
    for _ in range(ROUNDS):
        potential = float(data.total(_potential, drawn))
        if potential == 0.0:
            break
        share = OVERSAMPLING * k / potential
        found = data.total(_drawn, drawn, share, rng.bit_generator.state)
        rng.bit_generator.advance(data.shape[0])  # type: ignore[attr-defined]
        if len(found.rows):
            drawn.append(found.rows)
    candidates = np.concatenate(drawn)
    weights = data.total(_crowd, candidates)
    if np.count_nonzero(weights) < k:
        return _greedy(every, k, rng)
    return plus_plus(survey(candidates, weights, None), k, rng)


def random_start(data: PartRowsData, k: int, rng: np.random.Generator) -> np.ndarray:
    """Different rows."""
    if data.weights is not None:
        raise ValueError(
            "init='random' takes no weights for rows in parts. Use 'k-means++' or 'k-means||'."
        )
    return rows_at(data, rng.choice(data.shape[0], k, replace=False))


def first_of(data: PartRowsData, rng: np.random.Generator) -> np.ndarray:
    """A row drawn in proportion to weight: a part, then one of its rows."""
    if data.weights is None:
        return rows_at(data, np.array([min(int(rng.random() * data.shape[0]), data.shape[0] - 1)]))
    masses = data.total(_mass).rows
    goal = rng.random() * masses.sum()
    part = min(int(np.searchsorted(np.cumsum(masses), goal, "right")), len(masses) - 1)
    return data.total(_heavy, part, goal - masses[:part].sum()).rows


def rows_at(data: PartRowsData, index: np.ndarray) -> np.ndarray:
    """Rows by their numbers, in that order."""
    index = np.asarray(index)
    return data.total(_taken, np.sort(index)).rows[np.argsort(np.argsort(index, kind="stable"))]


def _of_this_start(data):
    """The same rows; what is remembered of them is of another start."""
    return replace(data, fit=new_fit(data.parts))


def _drawn_at(data, drawn, masses, at):
    """Rows in proportion to weight * squared distance, at points of [0, 1): parts, then rows."""
    running = np.cumsum(masses)
    parts = np.array([place(running, u) for u in at])
    within = (at * running[-1] - (running - masses)[parts]) / masses[parts]
    order = np.argsort(parts, kind="stable")
    return data.total(_at, drawn, parts[order], within[order]).rows[np.argsort(order)]


# ------------------------------------------------------------------ works


def _taken(columns, told, number):
    data, index = told
    first, last = np.searchsorted(index, data.starts[number : number + 2])
    return Stacked(columns[0][index[first:last] - data.starts[number]].astype(np.float64))


def _mass(columns, told):
    weights = columns[2]
    return Stacked(np.array([float(len(columns[0]) if weights is None else np.sum(weights))]))


def _heavy(columns, told, number):
    """The row of a part at which the weights pass a threshold."""
    _, part, goal = told
    if number != part:
        return None
    sums = np.cumsum(np.asarray(columns[2], dtype=np.float64))
    some = np.flatnonzero(columns[2])
    row = min(int(np.searchsorted(sums, goal, "right")), int(some[-1]))
    return Stacked(columns[0][row : row + 1].astype(np.float64))


def _closest(data, columns, drawn):
    """A part about the origin of all, and squared distances to the nearest row drawn so far."""
    rows = data.prepared(columns)

    def make():
        return [0, np.full(rows.shape[0], np.inf)]

    with borrowed(data.fit, columns[0], make) as state:
        for centers in drawn[state[0] :]:
            approach(rows, centers, state[1])
            state[0] += 1
        return rows, state[1]


def _chances(data, columns, drawn):
    """Weight * squared distance to the nearest of the rows drawn so far."""
    rows, closest = _closest(data, columns, drawn)
    return closest if rows.weights is None else closest * rows.weights


def _masses_left(columns, told):
    data, drawn = told
    some = has_weight(columns[2]) and len(columns[0])
    return Stacked(np.array([_chances(data, columns, drawn).sum() if some else 0.0]))


def _at(columns, told, number):
    data, drawn, parts, within = told
    wanted = within[parts == number]
    if not len(wanted):
        return None
    running = np.cumsum(_chances(data, columns, drawn))
    found = [min(place(running, u), len(running) - 1) for u in wanted]
    return Stacked(columns[0][found].astype(np.float64))


def _weighed(columns, told):
    data, drawn, candidates = told
    if not (has_weight(columns[2]) and len(columns[0])):
        return Stacked(np.zeros((1, len(candidates))))
    rows, closest = _closest(data, columns, drawn)
    _, potential = weigh(rows, candidates, closest, None)
    return Stacked(potential.sum(axis=0, keepdims=True))


def _potential(columns, told):
    data, drawn = told
    return float(_chances(data, columns, drawn).sum()) if has_weight(columns[2]) else None


def _drawn(columns, told, number):
    data, drawn, share, stream = told
    rng = np.random.PCG64()
    rng.state = stream
    rng.advance(data.starts[number])
    n = len(columns[0])
    if not has_weight(columns[2]):
        return Stacked(np.zeros((0, data.shape[1])))
    chance = share * _chances(data, columns, drawn)
    found = np.flatnonzero(np.random.Generator(rng).random(n) < chance)
    return Stacked(columns[0][found].astype(np.float64))


def _crowd(columns, told):
    data, candidates = told
    return crowd(data.prepared(columns), candidates) if has_weight(columns[2]) else None


for _work in (_taken, _heavy, _drawn, _at):
    _work.takes_number = True  # type: ignore[attr-defined]
for _work in (_mass, _masses_left, _weighed):
    _work.takes_empty = True  # type: ignore[attr-defined]
