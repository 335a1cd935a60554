# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of core points on a k-d tree, and the names of clusters.

A core point has neighbors of enough weight within a radius, itself among them. Core points within
the radius of each other are in one cluster, and clusters are numbered in the order of their first
core points. Another point is in the cluster of lowest number that has a core point within the
radius.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from statfast._core.kdtree.tree import TreeView
from statfast._core.reachability import dbscan
from statfast._core.reachability.dbscan import LEAF_POINTS
from statfast._distance import LANES, KDArrays, Metric
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs

NO_CLUSTER = np.iinfo(np.int32).max
LEAVES_PER_CALL = 1 << 15  # leaves visited between checkpoints: some 20 ms
MIN_LEAVES_PER_TASK = 64
EFFORT_OF_POINT = 300.0  # floating-point operations of a pass for a point and column, about

Clusters = tuple[np.ndarray, np.ndarray]  # labels (n,) intp, -1 for noise; marks of core points


def clusters_by_tree(
    X: Array, metric: Metric, limit: float, enough: float, weight: Array | None, n_jobs: Jobs
) -> Clusters:
    """The clusters of prepared rows X (n, d); `limit` is a reduced radius."""
    tree = KDArrays.build(X, LEAF_POINTS, n_jobs)
    n, d, leaves, n_places = len(X), X.shape[1], len(tree.blocks), len(tree.ids)
    groups = len(tree.boxes)
    by_place = totals = None
    if weight is not None:
        by_place, totals = np.zeros(n_places), np.empty((groups, LANES))
        by_place[:n] = weight[tree.ids[:n]]
        dbscan.add_up(by_place, tree.first, totals)
    core, label = np.zeros(n_places, np.uint8), np.empty(n_places, np.int32)
    parent = np.arange(n_places, dtype=np.int32)
    one, joined = np.empty((groups, LANES), np.int32), np.zeros((groups, LANES), np.uint8)
    clusters = dbscan.Clusters(
        TreeView(*tree.fields, metric.kind, metric.p), limit, enough,
        weight is not None and weight.min() < 0, by_place, totals, core, parent, one, joined,
        label, one,
    )  # fmt: skip

    def run(step: Callable[..., int]) -> None:
        def work(block: slice) -> None:
            start = block.start
            while start < block.stop:
                checkpoint()
                start = step(clusters, start, block.stop, LEAVES_PER_CALL)

        blocks = grid(leaves, least=MIN_LEAVES_PER_TASK, most=leaves)
        each(work, blocks, n_jobs=n_jobs, effort=EFFORT_OF_POINT * n * d)

    run(dbscan.count)
    dbscan.lowest(core, None, tree.first, -1, one)
    run(dbscan.join)
    name_clusters(parent, core, tree.ids, label)
    dbscan.lowest(core, label, tree.first, NO_CLUSTER, one)
    run(dbscan.claim)
    labels, of_rows = np.empty(n, np.intp), np.empty(n, bool)
    label[label == NO_CLUSTER] = -1
    labels[tree.ids[:n]], of_rows[tree.ids[:n]] = label[:n], core[:n]
    return labels, of_rows


def name_clusters(parent: Array, core: Array, ids: Array, label: Array) -> None:
    """Label core points by their sets, numbered in the order of the first rows of these."""
    dbscan.name_sets(parent, core, ids, label)
    roots = np.flatnonzero(label < NO_CLUSTER)
    label[roots[np.argsort(label[roots])]] = np.arange(len(roots))
    dbscan.spread_names(parent, core, label.copy(), label)


def finished(label: Array) -> Array:
    """Labels of rows, -1 for those of no cluster."""
    return np.where(label == NO_CLUSTER, -1, label).astype(np.intp)
