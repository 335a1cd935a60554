# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees by mutual reachability: of two points, the distance or either's core distance,
whichever is most. The core distance is the radius within which points of enough weight are, the
point itself among them.

By Euclidean distance, and metrics that are Euclidean after rows are scaled, the tree is that of
Boruvka's rounds: in few columns on a k-d tree, in many by comparing rows. By other metrics, and by
distances of the user, it is Prim's, which reads a row of distances a time; of a sparse graph it is
Kruskal's.

On a k-d tree the nearest points of each are listed anyway. One whose core distance is no more
than the point's own is at that distance, and none is nearer: the first round of Boruvka searches
only for points that are denser than all their neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.reachability import condense, spanning
from statfast._distance import EUCLIDEAN, HALVED, KDArrays, MetricRows, rescaled
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.cluster.density.sources import Graph, refuse_undefined
from statfast.cluster.hierarchy.boruvka_matrix import Edges
from statfast.cluster.hierarchy.boruvka_points import LEAF_POINTS, Rounds
from statfast.cluster.hierarchy.linkage import merges
from statfast.cluster.hierarchy.point_linkage import columns_of, nearest
from statfast.cluster.hierarchy.spanning_tree import MAX_TREE_COLUMNS, edges_by_comparing
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.spatial.kd_index import KDTreeIndex

NUMBERS_AT_A_TIME = 1 << 22  # distances that a task holds, about
EFFORT_OF_NEIGHBOR = 4.0  # operations to list a neighbor, about
MAX_SQUARABLE_ALPHA = 1e50  # squares of it, and of its inverse, are far from the ends of float64

# Of points, the reduced distances (m, k) of the nearest others, rising, and which.
Nearest = Callable[[Array, int], tuple[Array, Array]]


@dataclass(frozen=True)
class DensityRule:
    """What core distances and mutual reachability distances are."""

    enough: float  # the weight within the core distance
    weight: Array | None  # (n,) of points; None is 1 for each
    alpha: float = 1.0  # distances, not core distances, are divided by it

    @property
    def first_count(self) -> int:
        """Points besides a point itself that are probably enough."""
        return int(np.ceil(self.enough)) - 1

    def reach_of(self, lists: tuple[Array, Array], point_weight: Array) -> Array:
        """Of points of weights `point_weight` (m,), the core distances by lists of their neighbors;
        infinite where these are too light."""
        reduced, ids = lists
        assert self.weight is not None
        total = point_weight[:, None] + np.cumsum(self.weight[ids], axis=1)
        enough = np.concatenate([point_weight[:, None], total], axis=1) >= self.enough
        padded = np.concatenate([np.zeros((len(point_weight), 1)), reduced], axis=1)
        first = enough.argmax(axis=1)
        return np.where(enough[:, -1], padded[np.arange(len(point_weight)), first], np.inf)

    def core_distances(self, find: Nearest, n: int, lists: tuple[Array, Array]) -> Array:
        """The core distances of all points, of which `lists` holds the first neighbors."""
        if self.weight is None:
            return lists[0][:, -1].copy() if self.enough > 1 else np.zeros(n)
        core = self.reach_of(lists, self.weight)
        light, count = np.flatnonzero(np.isinf(core)), lists[0].shape[1]
        while len(light) and count < n - 1:
            count = min(max(2 * count, 8), n - 1)
            step = max(1, NUMBERS_AT_A_TIME // count)
            for start in range(0, len(light), step):
                checkpoint()
                part = light[start : start + step]
                core[part] = self.reach_of(find(part, count), self.weight[part])
            light = light[np.isinf(core[light])]
        return core


def merges_by_reachability(source: Any, density: DensityRule, n_jobs: Jobs) -> tuple[Array, Array]:
    """The linkage matrix of points, and their core distances; its last column is of weights."""
    n = source.n
    if n == 1:
        return np.empty((0, 4)), np.zeros(1)
    euclidean = isinstance(source, MetricRows) and source.metric.kind == EUCLIDEAN
    if isinstance(source, Graph):
        edges, core = _edges_of_graph(source, density)
    elif euclidean and 1 / MAX_SQUARABLE_ALPHA < density.alpha < MAX_SQUARABLE_ALPHA:
        edges, core = _edges_of_points(source, density, n_jobs)
    else:
        edges, core = _edges_by_rows(source, density, n_jobs)
    Z = merges(*edges, by_height=True)
    if density.weight is not None:
        condense.weigh(density.weight, Z)
    return Z, core


def _edges_of_points(source: MetricRows, density: DensityRule, n_jobs: Jobs) -> tuple[Edges, Array]:
    X, metric = source
    rows = metric.prepare(X, n_jobs=n_jobs)
    rows, scale = rescaled(rows.astype(np.float64, copy=False), n_jobs)
    find = _edges_by_tree if rows.shape[1] <= MAX_TREE_COLUMNS else _edges_by_comparing
    linear = metric.name == "sqeuclidean" or metric.name in HALVED
    stretch = density.alpha if linear else density.alpha**2  # of reduced distances
    (u, v, length), squares = find(rows, density, stretch, n_jobs)
    with np.errstate(over="ignore"):
        heights, core = (
            metric.finish(length) / scale / density.alpha,
            metric.finish(squares) / scale,
        )
        if metric.name == "sqeuclidean":
            heights, core = heights / scale, core / scale
    if not np.isfinite(heights).all():
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return (u, v, heights), core


# ---------- Points in few columns
def _edges_by_tree(
    rows: Array, density: DensityRule, stretch: float, n_jobs: Jobs
) -> tuple[Edges, Array]:
    """The edges, and the squared core distances; reduced distances are divided by `stretch`."""
    n = len(rows)
    tree = KDArrays.build(rows, LEAF_POINTS, n_jobs)
    index = KDTreeIndex(tree)
    count = min(density.first_count, n - 1)
    if count == 0 and density.weight is None:
        rounds = Rounds(tree, n_jobs)
        rounds.run()
        return rounds.edges(), np.zeros(n)

    def find(part: Array, k: int) -> tuple[Array, Array]:
        reduced, ids = index.query(rows[part], k + 1, n_jobs)
        return without_self(reduced, ids, part)

    lists = index.self_query(max(count, 1), n_jobs)
    squares = density.core_distances(find, n, lists)
    core = np.zeros(len(tree.ids))
    core[:n] = squares[tree.ids[:n]] * stretch
    rounds = Rounds(tree, n_jobs, core)
    _list_first_edges(rounds, lists, core, n_jobs)
    rounds.run_listed()
    return rounds.edges(), squares


def _list_first_edges(
    rounds: Rounds, lists: tuple[Array, Array], core: Array, n_jobs: Jobs
) -> None:
    """List neighbors at a point's own core distance, which no edge of it is shorter than."""
    n, of_place = rounds.n, rounds.tree.ids[: rounds.n]
    reduced, ids = lists
    place = np.empty(n, np.int32)
    place[of_place] = np.arange(n, dtype=np.int32)

    def work(block: slice) -> None:
        spanning.list_first(
            of_place, place, reduced, ids, core, block.start, block.stop, rounds.low, rounds.near
        )

    each(work, grid(n), n_jobs=n_jobs, effort=EFFORT_OF_NEIGHBOR * ids.size)


# ---------- Points in many columns
def _edges_by_comparing(
    rows: Array, density: DensityRule, stretch: float, n_jobs: Jobs
) -> tuple[Edges, Array]:
    """The same by comparing rows with all others."""
    n = len(rows)
    columns, alone = columns_of(rows), np.arange(n, dtype=np.int32)

    def find(part: Array, k: int) -> tuple[Array, Array]:
        return nearest(columns, alone, part.astype(np.int32), k=k, n_jobs=n_jobs)

    count = min(density.first_count, n - 1)
    lists = find(alone, count) if count else (np.empty((n, 0)), np.empty((n, 0), np.int32))
    squares = density.core_distances(find, n, lists)
    return edges_by_comparing(rows, n_jobs, squares * stretch), squares


# ---------- Any other metric, and distances of the user
def _edges_by_rows(source: Any, density: DensityRule, n_jobs: Jobs) -> tuple[Edges, Array]:
    """The edges of Prim's tree, and the core distances."""
    n, distances = source.n, source.made(n_jobs)
    core = np.empty(n)

    def measure(block: slice) -> None:
        step = max(1, NUMBERS_AT_A_TIME // n)
        for start in range(block.start, block.stop, step):
            checkpoint()
            part = slice(start, min(start + step, block.stop))
            table = distances.block(part, slice(0, n))
            refuse_undefined(table, source)
            core[part] = _core_of_rows(table, part.start, density)

    each(measure, grid(n, least=1), n_jobs=n_jobs, effort=10.0 * n * n)
    joined, height = np.zeros(n, np.uint8), np.full(n, np.inf)
    near = np.zeros(n, np.int32)
    u, v, length = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32), np.empty(n - 1)
    point = 0
    for step in range(n - 1):
        checkpoint()
        row = distances.block(slice(point, point + 1), slice(0, n))[0]
        row = np.ascontiguousarray(row, np.float64)
        point = spanning.extend(row, core, point, density.alpha, joined, height, near)
        u[step], v[step], length[step] = near[point], point, height[point]
    return (u, v, length), core


def _core_of_rows(table: Array, first: int, density: DensityRule) -> Array:
    """The core distances of some points by their distances to all; point `first` is row 0."""
    m = len(table)
    if density.weight is None:
        k = int(np.ceil(density.enough))
        return np.partition(table, k - 1, axis=1)[:, k - 1]
    others = np.array(table, np.float64)
    others[np.arange(m), np.arange(first, first + m)] = -1.0  # the point itself comes first
    order = np.argsort(others, axis=1)[:, 1:]
    lists = np.take_along_axis(others, order, axis=1), order
    return density.reach_of(lists, density.weight[first : first + m])


def _edges_of_graph(graph: Graph, density: DensityRule) -> tuple[Edges, Array]:
    """The edges of Kruskal's tree, and the core distances; parts that nothing joins are joined at
    an infinite height."""
    n = graph.n
    row, ids, distance = graph.row, graph.ids, graph.distance  # by row and distance
    weight = np.ones(n) if density.weight is None else density.weight
    core = np.where(weight >= density.enough, 0.0, np.inf)
    total = np.cumsum(np.concatenate([[0.0], weight[ids]]))
    starts = np.searchsorted(row, np.arange(n + 1))
    within = weight[row] + (total[1:] - total[starts[row]])
    enough = np.flatnonzero(within >= density.enough)
    reached, first = np.unique(row[enough], return_index=True)
    core[reached] = np.minimum(core[reached], distance[enough[first]])
    length = np.maximum(distance / density.alpha, np.maximum(core[row], core[ids]))
    order = np.argsort(length, kind="stable")
    u, v = row[order].astype(np.int32), ids[order].astype(np.int32)
    parent, taken = np.arange(n, dtype=np.int32), np.empty(len(u), np.uint8)
    spanning.join(u, v, parent, taken)
    kept = taken.astype(bool)
    while (parent[parent] != parent).any():
        parent = parent[parent]
    roots = np.flatnonzero(parent == np.arange(n)).astype(np.int32)
    apart = np.full(len(roots) - 1, np.inf)
    edges = (
        np.concatenate([u[kept], roots[:-1]]),
        np.concatenate([v[kept], roots[1:]]),
        np.concatenate([length[order][kept], apart]),
    )
    return edges, core
