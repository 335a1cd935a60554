# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees by mutual reachability: of two points, the distance or either's core distance,
whichever is most. The core distance is the radius within which points of enough weight are, the
point itself among them.

By metrics that have a k-d tree the tree is that of Boruvka's rounds: in few columns on a k-d tree,
in many by comparing rows. By other metrics, and by distances of the user, it is Prim's, which reads
a row of distances a time; of a sparse graph it is Kruskal's.

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
from statfast._distance import (
    CHEBYSHEV,
    EUCLIDEAN,
    HALVED,
    HAVERSINE,
    MANHATTAN,
    MINKOWSKI,
    KDArrays,
    Metric,
    MetricRows,
    rescaled,
)
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.cluster.density.sources import Graph, refuse_undefined
from statfast.cluster.hierarchy.boruvka_matrix import Edges
from statfast.cluster.hierarchy.boruvka_points import LEAF_POINTS, Rounds
from statfast.cluster.hierarchy.boruvka_rows import NEIGHBORS_AT_ONCE, edges_by_comparing
from statfast.cluster.hierarchy.linkage import merges
from statfast.cluster.hierarchy.spanning_tree import MAX_TREE_COLUMNS
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.spatial.kd_index import KDTreeIndex

NUMBERS_AT_A_TIME = 1 << 22  # distances that a task holds, about
MIN_POINTS_OF_STEP = 2048  # points of a task in a step of Prim's
EFFORT_OF_STEP = 4.0  # operations of a step for a point and column, about
EFFORT_OF_NEIGHBOR = 4.0  # operations to list a neighbor, about
MAX_EXPONENT = 4.0  # of Minkowski distances whose powers are compared: others may vanish
MAX_POWER_WIDTH = 1e50  # and the largest difference in a column
MAX_STRETCH = 1e100  # factors of reduced distances are far from the ends of float64
MIN_LISTED_IN_TREE, MAX_LISTED = 1, 15  # neighbors of a point that are kept
TREES = EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI  # kinds of metric that have a k-d tree

# Of some points, or of all, the reduced distances (m, k) of the nearest others, rising, and which.
Nearest = Callable[[Array, int], tuple[Array, Array]]
NearestOfAll = Callable[[int], tuple[Array, Array]]


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

    def core_of(self, lists: tuple[Array, Array], part: Array) -> Array:
        """The core distances of some points by lists of `first_count` neighbors, or more."""
        if self.weight is not None:
            return self.reach_of(lists, self.weight[part])
        if self.first_count == 0:
            return np.zeros(len(part))
        return lists[0][:, self.first_count - 1].copy()

    def core_distances(
        self, find: Nearest, find_all: NearestOfAll, order: Array, least: int
    ) -> tuple[Array, tuple[Array, Array]]:
        """The core distances of all points, and lists of their first neighbors, at least `least`;
        points that follow each other in `order` are searched together."""
        n = len(order)
        count = min(max(self.first_count, 1), n - 1)
        width = min(max(count, least), MAX_LISTED, n - 1)
        if count <= width:
            lists = find_all(width)
            core = self.core_of(lists, np.arange(n))
        else:
            core = np.empty(n)
            lists = np.empty((n, width)), np.empty((n, width), np.int32)
            for part in np.array_split(order, -(-n * count // NUMBERS_AT_A_TIME)):
                checkpoint()
                reduced, ids = find(part, count)
                core[part] = self.core_of((reduced, ids), part)
                lists[0][part], lists[1][part] = reduced[:, :width], ids[:, :width]
        light = np.flatnonzero(np.isinf(core))  # of points that count by weights
        while len(light) and count < n - 1:
            count = min(max(2 * count, 8), n - 1)
            step = max(1, NUMBERS_AT_A_TIME // count)
            for start in range(0, len(light), step):
                checkpoint()
                part = light[start : start + step]
                core[part] = self.core_of(find(part, count), part)
            light = light[np.isinf(core[light])]
        return core, lists


def merges_by_reachability(source: Any, density: DensityRule, n_jobs: Jobs) -> tuple[Array, Array]:
    """The linkage matrix of points, and their core distances; its last column is of weights."""
    n = source.n
    if n == 1:
        return np.empty((0, 4)), np.zeros(1)
    if isinstance(source, Graph):
        edges, core = _edges_of_graph(source, density)
    elif isinstance(source, MetricRows) and _can_stretch(source.metric, density.alpha):
        edges, core = _edges_of_points(source, density, n_jobs)
    else:
        edges, core = _edges_by_rows(source, density, n_jobs)
    Z = merges(*edges, by_height=True)
    if density.weight is not None:
        condense.weigh(density.weight, Z)
    return Z, core


def _can_stretch(metric: Metric, alpha: float) -> bool:
    """Whether reduced distances can be divided by a number in place of distances by alpha."""
    if metric.kind == HAVERSINE:
        return alpha == 1.0
    if metric.kind == MINKOWSKI and metric.p > MAX_EXPONENT:
        return False
    return metric.kind in TREES and 1 / MAX_STRETCH < _stretch_of(metric, alpha) < MAX_STRETCH


def _stretch_of(metric: Metric, alpha: float) -> float:
    linear = metric.name == "sqeuclidean" or metric.name in HALVED
    exponent = 1.0 if linear else {EUCLIDEAN: 2.0, MINKOWSKI: metric.p}.get(metric.kind, 1.0)
    with np.errstate(over="ignore"):
        return float(np.float64(alpha) ** exponent)


def _edges_of_points(source: MetricRows, density: DensityRule, n_jobs: Jobs) -> tuple[Edges, Array]:
    X, metric = source
    rows = metric.prepare(X, n_jobs=n_jobs).astype(np.float64, copy=False)
    if metric.kind == MINKOWSKI:
        width = float(np.ptp(rows, axis=0).max())
        if not 1 / MAX_POWER_WIDTH < width < MAX_POWER_WIDTH:
            return _edges_by_rows(source, density, n_jobs)
    rows, scale = (rows, 1.0) if metric.kind != EUCLIDEAN else rescaled(rows, n_jobs)
    in_tree = rows.shape[1] <= MAX_TREE_COLUMNS and metric.kind in TREES
    find = _edges_by_tree if in_tree else _edges_by_comparing
    (u, v, length), reduced = find(
        rows, metric, density, _stretch_of(metric, density.alpha), n_jobs
    )
    with np.errstate(over="ignore"):
        heights, core = (
            metric.finish(length) / scale / density.alpha,
            metric.finish(reduced) / scale,
        )
        if metric.name == "sqeuclidean":
            heights, core = heights / scale, core / scale
    if not np.isfinite(heights).all():
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return (u, v, heights), core


# ---------- Points in few columns
def _edges_by_tree(
    rows: Array, metric: Metric, density: DensityRule, stretch: float, n_jobs: Jobs
) -> tuple[Edges, Array]:
    """The edges, and the reduced core distances; reduced distances are divided by `stretch`."""
    n = len(rows)
    tree = KDArrays.build(rows, LEAF_POINTS, n_jobs)
    index = KDTreeIndex(tree, metric)
    if density.first_count == 0 and density.weight is None and metric.kind == EUCLIDEAN:
        rounds = Rounds(tree, n_jobs)
        rounds.run()
        return rounds.edges(), np.zeros(n)

    def find(part: Array, k: int) -> tuple[Array, Array]:
        return without_self(*index.query(rows[part], k + 1, n_jobs), part)

    reduced, lists = density.core_distances(
        find, lambda k: index.self_query(k, n_jobs), tree.ids[:n], MIN_LISTED_IN_TREE
    )
    core = np.zeros(len(tree.ids))
    core[:n] = reduced[tree.ids[:n]] * stretch
    rounds = Rounds(tree, n_jobs, core, metric)
    _list_first_edges(rounds, lists, core, n_jobs)
    rounds.run_listed()
    return rounds.edges(), reduced


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
    rows: Array, metric: Metric, density: DensityRule, stretch: float, n_jobs: Jobs
) -> tuple[Edges, Array]:
    """The same by comparing rows with all others."""
    index = BruteIndex.build(rows, n_jobs, metric=metric)

    def find(part: Array, k: int) -> tuple[Array, Array]:
        return without_self(*index.query(rows[part], k + 1, n_jobs), part)

    reduced, lists = density.core_distances(
        find, lambda k: index.self_query(k, n_jobs), np.arange(len(rows)), NEIGHBORS_AT_ONCE
    )
    return edges_by_comparing(index, n_jobs, lists, reduced * stretch), reduced


# ---------- Any other metric, and distances of the user
def _edges_by_rows(source: Any, density: DensityRule, n_jobs: Jobs) -> tuple[Edges, Array]:
    """The edges of Prim's tree, and the core distances."""
    n, distances = source.n, source.made(n_jobs)
    width = source.X.shape[1] if isinstance(source, MetricRows) else 1
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
    by_blocks = isinstance(source, MetricRows)
    blocks = grid(n, least=MIN_POINTS_OF_STEP, most=n, parts=8) if by_blocks else [slice(0, n)]

    def extend(block: slice) -> int:
        row = distances.block(slice(point, point + 1), block)[0]
        row = np.ascontiguousarray(row, np.float64)
        return spanning.extend(row, core, point, density.alpha, block.start, joined, height, near)

    for step in range(n - 1):
        checkpoint()
        joined[point] = 1
        firsts = each(extend, blocks, n_jobs=n_jobs, effort=EFFORT_OF_STEP * n * width)
        point = min((i for i in firsts if i >= 0), key=lambda i: (height[i], i))
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
