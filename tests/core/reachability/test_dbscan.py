# SPDX-License-Identifier: BSD-3-Clause
"""The passes of DBSCAN over a k-d tree, against the definition and each other."""

import threading

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from statfast._core.reachability import dbscan
from statfast._distance import as_metric
from statfast.cluster.density import neighbor_lists
from statfast.cluster.density.core_points import clusters_by_tree
from statfast.cluster.density.neighbor_lists import clusters_by_lists
from tests.reference.dbscan import core_rows, labels_by_scan

METRICS = [("euclidean", 2), ("manhattan", 1), ("chebyshev", 2), ("minkowski", 3.5)]


def problem(seed):
    """Rows with dense regions, ties, duplicates or a far origin; eps and min_samples."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 700)), int(rng.integers(1, 10))
    X = rng.normal(size=(n, d))
    if seed % 5 == 1:
        X = rng.integers(0, 4, size=(n, d)).astype(float)
    elif seed % 5 == 2:
        X = (X + 1e4).astype(np.float32)
    elif seed % 5 == 3:
        X = X[rng.integers(0, max(1, n // 20), n)]
    elif seed % 5 == 4:
        X[: n // 2] *= 1e-3
    return X, float(rng.choice([1e-3, 0.1, 0.5, 1.0, 2.0, 5.0])), int(rng.integers(1, 20)), rng


def distances(X, name="euclidean", p=2):
    rows = X.astype(np.float64)
    name = {"manhattan": "cityblock"}.get(name, name)
    return cdist(rows, rows, name, **({"p": p} if name == "minkowski" else {}))


def by_tree(X, name, p, eps, min_samples, weight=None, n_jobs=1):
    metric = as_metric(name, p=p, metric_params=None, d=X.shape[1])
    return clusters_by_tree(X, metric, float(metric.reduce_radii(eps)), min_samples, weight, n_jobs)


@pytest.mark.parametrize(("name", "p"), METRICS)
@pytest.mark.parametrize("seed", range(20))
def test_the_tree_finds_what_the_definition_says(name, p, seed):
    X, eps, min_samples, rng = problem(seed)
    weight = [None, rng.integers(0, 4, len(X)) * 1.0, rng.integers(-3, 4, len(X)) * 1.0][seed % 3]
    D = distances(X, name, p)
    labels, core = by_tree(X, name, p, eps, min_samples, weight)
    np.testing.assert_array_equal(core, core_rows(D, eps, min_samples, weight))
    np.testing.assert_array_equal(labels, labels_by_scan(D, eps, min_samples, weight))


@pytest.mark.parametrize("seed", range(10))
def test_lists_find_what_the_tree_finds(seed, monkeypatch):
    X, eps, min_samples, rng = problem(seed)
    monkeypatch.setattr(neighbor_lists, "MAX_HELD_NEIGHBORS", 2000)
    weight = rng.integers(0, 4, len(X)) * 1.0 if seed % 2 else None
    D = distances(X)

    def within(rows):
        near = D[rows] <= eps
        return (
            np.append(0, near.sum(axis=1).cumsum()),
            None,
            np.ascontiguousarray(np.nonzero(near)[1]),
        )

    lists = clusters_by_lists(within, len(X), min_samples, weight)
    tree = by_tree(X, "euclidean", 2, eps, min_samples, weight)
    for got, want in zip(lists, tree, strict=True):
        np.testing.assert_array_equal(got, want)


def test_threads_that_join_the_same_sets():
    """Each thread joins a chain in an order of its own; one set is left, named by its lowest."""
    n = 20_000
    parent, core = np.arange(n, dtype=np.int32), np.ones(n, np.uint8)
    starts = np.arange(n, dtype=np.intp)

    def chain(order):
        for rows in np.array_split(order, 50):
            dbscan.join_lists(
                rows, starts[: len(rows) + 1], np.minimum(rows + 1, n - 1), core, parent
            )

    orders = [np.random.default_rng(t).permutation(n) for t in range(4)]
    threads = [threading.Thread(target=chain, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lowest = np.empty(n, np.int32)
    dbscan.name_sets(parent, core, np.arange(n, dtype=np.int32), lowest)
    assert np.flatnonzero(lowest < np.iinfo(np.int32).max).tolist() == [0]


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_same_labels_on_any_number_of_threads(n_jobs):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30_000, 3))
    labels, core = by_tree(X, "euclidean", 2, 0.15, 8, n_jobs=n_jobs)
    one, core_of_one = by_tree(X, "euclidean", 2, 0.15, 8)
    assert labels.max() > 10
    assert 0.05 < np.mean(core) < 0.95
    np.testing.assert_array_equal(labels, one)
    np.testing.assert_array_equal(core, core_of_one)


def test_weights_of_children_and_lowest_labels():
    rng = np.random.default_rng(0)
    leaves = 70  # two levels of nodes
    n = leaves * dbscan.LEAF_POINTS
    first, groups = np.array([3, 1, 0], np.intp), 12  # 9 groups of leaves, 2 above, and the root
    weight, label = rng.random(n), rng.integers(0, 50, n).astype(np.int32)
    core = (rng.random(n) < 0.02).astype(np.uint8)
    totals, least = np.empty((groups, 8)), np.empty((groups, 8), np.int32)
    dbscan.add_up(weight, first, totals)
    dbscan.lowest(core, label, first, -1, least)
    assert totals[0].sum() == pytest.approx(weight.sum())
    assert totals[1:3].sum() == pytest.approx(weight.sum())
    assert least[0][least[0] >= 0].min() == label[core == 1].min()
    part = slice(8 * 8 * 32, 9 * 8 * 32)  # the points of node 8 of the lowest level
    assert totals[2, 0] == pytest.approx(weight[part].sum())
    assert least[2, 0] == label[part][core[part] == 1].min()
