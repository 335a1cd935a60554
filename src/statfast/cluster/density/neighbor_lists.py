# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of core points from lists of neighbors, and in distances of the user.

The lists are of a slice of rows at a time. Distances of the user need not be the same both ways: a
cluster is what its first core point reaches, row by row, of what no cluster before has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from statfast._core.reachability import dbscan
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.cluster.density.core_points import NO_CLUSTER, Clusters, finished, name_clusters

MAX_HELD_NEIGHBORS = 1 << 22  # neighbors of a slice of rows, about
FIRST_SLICE_ROWS = 256
NUMBERS_AT_A_TIME = 1 << 22  # distances of a table read between checkpoints


def clusters_by_lists(
    within: Callable[[Array], tuple[Array, Any, Array]], n: int, enough: float,
    weight: Array | None,
) -> Clusters:  # fmt: skip
    """The clusters of n points; ``within(rows)`` lists the neighbors of some of them."""
    core = np.zeros(n, np.uint8)
    for rows, starts, ids in _listed(within, np.arange(n)):
        core[rows] = weights_within(starts, ids, weight) >= enough
    parent, label = np.arange(n, dtype=np.int32), np.empty(n, np.int32)
    for rows, starts, ids in _listed(within, np.flatnonzero(core)):
        dbscan.join_lists(rows, starts, ids, core, parent)
    name_clusters(parent, core, np.arange(n, dtype=np.int32), label)
    for rows, starts, ids in _listed(within, np.flatnonzero(core == 0)):
        dbscan.lowest_of_lists(rows, starts, ids, core, label)
    return finished(label), core.astype(bool)


def _listed(
    within: Callable[[Array], tuple[Array, Any, Array]], rows: Array
) -> Iterator[tuple[Array, Array, Array]]:
    """Slices of rows with the starts and ids of their neighbors, not all of which are held."""
    m = len(rows)
    start, step, n_neighbors = 0, max(1, min(FIRST_SLICE_ROWS, MAX_HELD_NEIGHBORS // max(m, 1))), 0
    while start < m:
        checkpoint()
        part = rows[start : start + step]
        starts, _, ids = within(part)
        yield part, starts, ids
        start, n_neighbors = start + len(part), n_neighbors + len(ids)
        step = max(1, min(8 * step, int(MAX_HELD_NEIGHBORS / max(n_neighbors / start, 1.0))))


def weights_within(starts: Array, ids: Array, weight: Array | None) -> Array:
    """The number of listed points, or their weight, for each row."""
    count = np.diff(starts)
    if weight is None:
        return count
    total = np.zeros(len(count))
    listed = count > 0
    total[listed] = np.add.reduceat(weight[ids], starts[:-1][listed]) if len(ids) else 0.0
    return total


# ---------- In distances of the user
def clusters_of_graph(graph: Any, eps: float, enough: float, weight: Array | None) -> Clusters:
    """The clusters of a sparse graph of distances, whose pairs that are not stored are apart.

    A row is its own neighbor, unless a distance above eps is stored."""
    n = graph.shape[0]
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    kept = (graph.data <= eps) | (row == graph.indices)
    stored = np.zeros(n, bool)
    stored[row[row == graph.indices]] = True
    kept[(row == graph.indices) & (graph.data > eps)] = False
    missing = np.flatnonzero(~stored)
    row = np.concatenate([row[kept], missing])
    ids = np.concatenate([graph.indices[kept], missing]).astype(np.int32)
    order = np.argsort(row, kind="stable")
    starts, ids = np.searchsorted(row[order], np.arange(n + 1)), ids[order]
    core = (weights_within(starts, ids, weight) >= enough).astype(np.uint8)
    queue = np.empty(n, np.int32)
    spread = partial(dbscan.spread_over_lists, start=starts, ids=ids, core=core, queue=queue)

    def spread_from(seed: int, name: int, label: Array) -> None:
        spread(seed, name, label=label)

    return _grown_from_seeds(core, spread_from)


def clusters_of_table(table: Array, eps: float, enough: float, weight: Array | None) -> Clusters:
    """The clusters of a square table of distances, whose row i holds those of point i."""
    n = len(table)
    step = max(1, NUMBERS_AT_A_TIME // n)
    core = np.zeros(n, np.uint8)
    for start in range(0, n, step):
        checkpoint()
        near = table[start : start + step] <= eps
        sums = near.sum(axis=1) if weight is None else near @ weight
        core[start : start + step] = sums >= enough

    def spread_from(seed: int, name: int, label: Array) -> None:
        label[seed] = name
        waiting = np.array([seed])
        while len(waiting):
            checkpoint()
            rows, waiting = waiting[:step], waiting[step:]
            reached = (table[rows] <= eps).any(axis=0) & (label == NO_CLUSTER)
            label[reached] = name
            waiting = np.concatenate([waiting, np.flatnonzero(reached & (core == 1))])

    return _grown_from_seeds(core, spread_from)


def _grown_from_seeds(core: Array, spread_from: Callable[[int, int, Array], None]) -> Clusters:
    """The clusters that core points without a label begin, in the order of rows."""
    label, name = np.full(len(core), NO_CLUSTER, np.int32), 0
    for seed in np.flatnonzero(core):
        if label[seed] == NO_CLUSTER:
            checkpoint()
            spread_from(int(seed), name, label)
            name += 1
    return finished(label), core.astype(bool)
