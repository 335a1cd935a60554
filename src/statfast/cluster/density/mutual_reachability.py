# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees by mutual reachability: of two points, the distance or either's core distance,
whichever is most. The core distance is that of the k-th nearest point, itself counted.

On a k-d tree the k nearest points of each are listed anyway. One whose core distance is no more
than the point's own is at that distance, and none is nearer: the first round of Boruvka searches
only for points that are denser than all their neighbors.
"""

from typing import Any

import numpy as np

from statfast._core.hierarchy.boruvka import LEAF_POINTS, NEIGHBORS
from statfast._distance import EUCLIDEAN, KDArrays, MetricRows, Triangle, rescaled
from statfast._engine import each, grid
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.cluster.hierarchy.boruvka_matrix import edges_of_triangle
from statfast.cluster.hierarchy.boruvka_points import Rounds
from statfast.cluster.hierarchy.linkage import merges
from statfast.cluster.hierarchy.spanning_tree import MAX_TREE_COLUMNS
from statfast.neighbors.spatial.kd_index import KDTreeIndex

ROWS_AT_A_TIME = 256  # rows of a matrix whose nearest are looked for at once
EFFORT_OF_NEIGHBOR = 20.0  # operations to list a neighbor, about


def merges_by_reachability(source: Any, k: int, alpha: float, n_jobs: Jobs) -> tuple[Array, Array]:
    """The linkage matrix of points, and their core distances.

    Core distances are to the k-th nearest point, the point itself counted; distances are divided
    by alpha.
    """
    if source.n == 1:
        return np.empty((0, 4)), np.zeros(1)
    euclidean = isinstance(source, MetricRows) and source.metric.kind == EUCLIDEAN
    if euclidean and source.X.shape[1] <= MAX_TREE_COLUMNS:
        return _merges_by_tree(source, k, alpha, n_jobs)
    return _merges_of_matrix(source, k, alpha, n_jobs)


def _merges_by_tree(source: MetricRows, k: int, alpha: float, n_jobs: Jobs) -> tuple[Array, Array]:
    X, metric = source
    rows = metric.prepare(X, n_jobs=n_jobs)
    rows, scale = rescaled(rows.astype(np.float64, copy=False), n_jobs)
    n = len(rows)
    tree = KDArrays.build(rows, LEAF_POINTS, n_jobs)
    if k == 1:
        rounds, squares = Rounds(tree, n_jobs), np.zeros(n)
        rounds.run()
    else:
        reduced, ids = KDTreeIndex(tree).self_query(k - 1, n_jobs)
        squares = reduced[:, -1].copy()
        core = np.zeros(len(tree.ids))
        core[:n] = squares[tree.ids[:n]] * (alpha * alpha)
        rounds = Rounds(tree, n_jobs, core)
        _list_first_edges(rounds, reduced, ids, core, n_jobs)
        rounds.run_listed()
    u, v, length = rounds.edges()
    with np.errstate(over="ignore"):
        heights = metric.finish(length) / scale / alpha
        cores = metric.finish(squares) / scale
        if metric.name == "sqeuclidean":
            heights, cores = heights / scale / alpha, cores / scale
    if not np.isfinite(heights).all():
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return merges(u, v, heights, by_height=True), cores


def _list_first_edges(
    rounds: Rounds, reduced: Array, ids: Array, core: Array, n_jobs: Jobs
) -> None:
    """List neighbors at a point's own core distance, which no edge of it is shorter than."""
    n, of_place = rounds.n, rounds.tree.ids
    place = np.empty(n, np.int32)
    place[of_place[:n]] = np.arange(n, dtype=np.int32)

    def work(block: slice) -> None:
        rows = of_place[block]
        near = place[ids[rows]]
        own = core[block, None]
        edge = (core[near] <= own) & (reduced[rows] <= own)
        itself = np.arange(block.start, block.stop, dtype=np.int32)[:, None]
        count = min(NEIGHBORS, near.shape[1])
        first = np.argsort(~edge, axis=1, kind="stable")[:, :count]
        listed = np.take_along_axis(np.where(edge, near, itself), first, axis=1)
        rounds.low[block] = own
        rounds.near[block] = itself
        rounds.near[block, :count] = listed

    each(work, grid(n), n_jobs=n_jobs, effort=EFFORT_OF_NEIGHBOR * ids.size)


def _merges_of_matrix(source: Any, k: int, alpha: float, n_jobs: Jobs) -> tuple[Array, Array]:
    n = source.n
    refuse_large(8 * n * n, f"The matrix of distances of {n} rows", "Cluster a sample.")
    table, core = np.empty((n, n)), np.empty(n)
    distances = source.made(n_jobs) if isinstance(source, MetricRows) else source

    def measure(block: slice) -> None:
        for start in range(block.start, block.stop, ROWS_AT_A_TIME):
            part = slice(start, min(start + ROWS_AT_A_TIME, block.stop))
            table[part] = distances.block(part, slice(0, n))
            core[part] = np.partition(table[part], k - 1, axis=1)[:, k - 1]

    def reach(block: slice) -> None:
        part = table[block]
        if alpha != 1.0:
            part /= alpha
        np.maximum(part, core, out=part)
        np.maximum(part, core[block, None], out=part)

    blocks = grid(n, least=64, most=ROWS_AT_A_TIME)
    each(measure, blocks, n_jobs=n_jobs, effort=10.0 * n * n)
    each(reach, blocks, n_jobs=n_jobs, effort=4.0 * n * n)
    return merges(*edges_of_triangle(Triangle.of_square(table), n_jobs), by_height=True), core
