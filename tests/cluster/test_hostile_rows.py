# SPDX-License-Identifier: BSD-3-Clause
"""Rows that trouble clusterings: equal, alone, far away, in one column; and Ctrl-C in long fits."""

import _thread
import threading
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import statfast as sf
from statfast.metrics import dbcv_score
from tests.data import three_groups

PATIENCE = 10.0  # seconds: a machine that is busy with other things passes, too

PARTITIONS = {
    "KModes": lambda k: sf.KModes(k, random_state=0),
    "KPrototypes": lambda k: sf.KPrototypes(k, categorical_features=[0], random_state=0),
    "KPrototypes, gower": lambda k: sf.KPrototypes(
        k, metric="gower", categorical_features=[0], random_state=0
    ),
    "KMeansConstrained": lambda k: sf.KMeansConstrained(k, random_state=0),
    "SphericalKMeans": lambda k: sf.SphericalKMeans(k, random_state=0),
}
every_partition = pytest.mark.parametrize("name", PARTITIONS)


def fitted(name, k, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer distinct rows than clusters
        return PARTITIONS[name](k).fit(X)


def cost(model):
    return model.cost_ if hasattr(model, "cost_") else model.inertia_


@every_partition
@pytest.mark.parametrize("d", [1, 3])
def test_equal_rows_cost_nothing(name, d):
    if name.startswith("KPrototypes") and d == 1:
        d = 2  # a column of categories and one of numbers
    model = fitted(name, 3, np.full((30, d), 2.0))
    assert cost(model) == pytest.approx(0.0, abs=1e-12)
    assert set(model.labels_) <= {0, 1, 2}
    assert_array_equal(model.predict(np.full((2, d), 2.0)) >= 0, True)


@every_partition
def test_one_row_one_cluster_and_as_many_clusters_as_rows(name):
    X = np.round(three_groups(4)) + 20.0
    assert fitted(name, 1, X[:1]).labels_.tolist() == [0]
    assert set(fitted(name, 1, X).labels_) == {0}
    distinct = np.unique(X, axis=0)
    model = fitted(name, len(distinct), distinct)
    if name in ("KMeansConstrained", "KPrototypes"):
        assert len(set(model.labels_)) == len(distinct)
    assert cost(model) <= cost(fitted(name, 1, distinct)) + 1e-9
    with pytest.raises(ValueError, match="n_clusters"):
        PARTITIONS[name](len(X) + 1).fit(X)


@every_partition
def test_many_duplicates(name):
    X = np.array([[1.0, 5.0], [3.0, 1.0], [9.0, 9.5]])[np.arange(30_000) % 3]
    model = fitted(name, 3, X)
    assert cost(model) == pytest.approx(0.0, abs=1e-6)
    assert np.bincount(model.labels_).tolist() == [10_000] * 3


@pytest.mark.parametrize("name", ["KPrototypes", "KMeansConstrained", "SphericalKMeans"])
def test_float32_rows_far_from_0_are_clustered_in_float64(name):
    X = np.add(np.round(three_groups(30) * 8), [0.0, 2.0**22])
    X = X.astype(np.float32)
    wide, narrow = fitted(name, 3, X.astype(np.float64)), fitted(name, 3, X)
    assert_array_equal(narrow.labels_, wide.labels_)


@every_partition
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(name, value):
    X = three_groups(5)
    X[3, 1] = value
    with pytest.raises(ValueError, match="infinity"):
        PARTITIONS[name](2).fit(X)


def test_a_sparse_graph_with_missing_edges_is_apart_there():
    """Of a path of six rows one edge is not stored."""
    graph = np.zeros((6, 6))
    for i in (0, 1, 3, 4):
        graph[i, i + 1] = graph[i + 1, i] = 1.0
    model = sf.DBSCAN(1.0, min_samples=2, metric="precomputed").fit(sparse.csr_array(graph))
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    nothing = sf.DBSCAN(1.0, min_samples=2, metric="precomputed").fit(sparse.csr_array((6, 6)))
    assert nothing.labels_.tolist() == [-1] * 6


@pytest.mark.parametrize("name", [*PARTITIONS, "dbcv_score"])
def test_progress_is_told(name):
    X, told = np.random.default_rng(0).integers(0, 9, (20_000, 5)).astype(float), []
    X[:, 0] += 1
    sf.set_progress(lambda done, total: told.append((done, total)))
    try:
        if name == "dbcv_score":
            dbcv_score(X, np.arange(len(X)) % 3)
        else:
            PARTITIONS[name](4).fit(X)
    finally:
        sf.set_progress(None)
    assert any(done == total for done, total in told)


STARTS = {"n_init": 50, "init": "random", "random_state": 0}


def points(n, d):
    return np.random.default_rng(0).random((n, d))


def codes():
    return np.random.default_rng(0).integers(0, 6, (200_000, 14))


LONG_FITS = {
    "DBSCAN": (sf.DBSCAN(0.05), lambda: points(2_000_000, 3)),
    "DBSCAN, brute": (sf.DBSCAN(1.0, algorithm="brute"), lambda: points(50_000, 40)),
    "HDBSCAN": (sf.HDBSCAN(20), lambda: points(1_000_000, 8)),
    "HDBSCAN, manhattan": (sf.HDBSCAN(20, metric="manhattan"), lambda: points(500_000, 8)),
    "HDBSCAN, many columns": (sf.HDBSCAN(20), lambda: points(50_000, 60)),
    "HDBSCAN, Prim": (sf.HDBSCAN(20, metric="hamming"), lambda: points(20_000, 60)),
    "KModes": (sf.KModes(20, **STARTS), codes),
    "KPrototypes": (
        sf.KPrototypes(20, **STARTS, categorical_features=list(range(14))),
        lambda: np.hstack([codes(), points(200_000, 6)]),
    ),
    "SphericalKMeans": (sf.SphericalKMeans(300, n_init=50), lambda: points(50_000, 40)),
    "KMeansConstrained": (sf.KMeansConstrained(20, size_min=2500), lambda: points(50_000, 40)),
    "genie": (
        sf.AgglomerativeClustering(linkage="genie"),
        lambda: points(2_000_000, 3),
    ),
}


@pytest.mark.parametrize("name", [*LONG_FITS, "dbcv_score"])
def test_a_long_fit_hears_ctrl_c(name):
    if name == "dbcv_score":
        X, labels = points(50_000, 40), np.arange(50_000) % 3
    else:
        model, rows = LONG_FITS[name]
        X = rows()
    fired = []

    def fire():
        fired.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.2, fire)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            dbcv_score(X, labels) if name == "dbcv_score" else model.fit(X)
    finally:
        timer.cancel()
        timer.join()
    assert time.monotonic() - fired[0] < PATIENCE
    assert name == "dbcv_score" or not hasattr(model, "labels_")
