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
from scipy.spatial.distance import cdist

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
def test_a_million_duplicates(name):
    X = np.array([[1.0, 5.0], [3.0, 1.0], [9.0, 9.5]])[np.arange(999_999) % 3]
    model = fitted(name, 3, X)
    assert cost(model) == pytest.approx(0.0, abs=1e-6)
    assert np.bincount(model.labels_).tolist() == [333_333] * 3


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


# ---------- Density, and hierarchies
def _precomputed(model, X, **options):
    return model(metric="precomputed", **options).fit(cdist(X, X))


def _graph(model, X, **options):
    D = cdist(X, X)
    D[D > 1e3] = 0.0  # missing edges
    graph = sparse.csr_array(D)
    if model is sf.DBSCAN:  # which takes stored zeros for equal rows
        rows, columns = np.nonzero(cdist(X, X) <= 1e3)
        graph = sparse.csr_array((cdist(X, X)[rows, columns], (rows, columns)), shape=D.shape)
    return model(metric="precomputed", **options).fit(graph)


# Of rows, and what may be one cluster: DBSCAN by each search, HDBSCAN by each tree, and Genie.
DENSITY = {
    "DBSCAN": lambda X: sf.DBSCAN(2.0).fit(X),
    "DBSCAN, ball tree": lambda X: sf.DBSCAN(2.0, algorithm="ball_tree").fit(X),
    "DBSCAN, brute": lambda X: sf.DBSCAN(2.0, algorithm="brute").fit(X),
    "DBSCAN, manhattan": lambda X: sf.DBSCAN(2.5, metric="manhattan").fit(X),
    "DBSCAN, precomputed": lambda X: _precomputed(sf.DBSCAN, X, eps=2.0),
    "DBSCAN, graph": lambda X: _graph(sf.DBSCAN, X, eps=2.0),
    "HDBSCAN": lambda X: sf.HDBSCAN().fit(X),
    "HDBSCAN, many columns": lambda X: sf.HDBSCAN().fit(np.hstack([X, np.zeros((len(X), 12))])),
    "HDBSCAN, manhattan": lambda X: sf.HDBSCAN(metric="manhattan").fit(X),
    "HDBSCAN, Prim": lambda X: sf.HDBSCAN(metric="canberra").fit(X),
    "HDBSCAN, precomputed": lambda X: _precomputed(sf.HDBSCAN, X),
    "HDBSCAN, graph": lambda X: _graph(sf.HDBSCAN, X),
    "Genie": lambda X: sf.AgglomerativeClustering(2, linkage="genie").fit(X),
    "Genie, manhattan": lambda X: sf.AgglomerativeClustering(
        2, linkage="genie", metric="manhattan"
    ).fit(X),
    "Genie, a graph": lambda X: sf.AgglomerativeClustering(
        2, linkage="genie", connectivity=np.ones((len(X), len(X)))
    ).fit(X),
}
every_density = pytest.mark.parametrize("name", DENSITY)


@every_density
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_groups_of_equal_rows_are_two_clusters(name, d, dtype):
    X = np.repeat([[5.0] * d, [9.0] * d], 30, axis=0).astype(dtype)
    if name == "HDBSCAN, graph":  # which stores no distances of equal rows: they are not 0 here
        X += np.arange(60, dtype=dtype)[:, None] * dtype(1e-3)
    assert DENSITY[name](X).labels_.tolist() == [0] * 30 + [1] * 30


@every_density
@pytest.mark.parametrize("d", [1, 3])
def test_equal_rows_are_one_group(name, d):
    """HDBSCAN, which by default does not take all rows for one cluster, calls them noise."""
    if name == "HDBSCAN, graph":
        pytest.skip("a sparse graph does not store distances of 0")
    labels = DENSITY[name](np.full((40, d), 3.0)).labels_
    if name.startswith("Genie"):  # two clusters are asked for
        assert sorted(set(labels)) == [0, 1]
    else:
        assert set(labels) == {-1 if name.startswith("HDBSCAN") else 0}


@every_density
def test_rows_apart_are_noise(name):
    """Rows whose distances double: nothing is dense."""
    X = (2.0 ** np.arange(4, 30))[:, None]
    labels = DENSITY[name](X).labels_
    if name.startswith("Genie"):
        assert sorted(set(labels)) == [0, 1]
    elif name != "HDBSCAN, Prim":  # by shares of sums, they are evenly dense
        assert set(labels) == {-1}


@every_density
def test_float32_rows_far_from_0_are_those_numbers(name):
    X = np.add(np.round(three_groups(30) * 8), [0.0, 2.0**22]).astype(np.float32)
    wide = DENSITY[name](X.astype(np.float64)).labels_
    assert_array_equal(DENSITY[name](X).labels_, wide)
    near = np.subtract(X, [0.0, 2.0**22], dtype=np.float64)
    if name != "HDBSCAN, Prim":  # distances that do not depend on the origin
        assert_array_equal(wide, DENSITY[name](near).labels_)


@every_density
def test_one_row_and_two(name):
    if name.startswith("Genie"):
        assert DENSITY[name](np.array([[1.0], [2.0]])).labels_.tolist() == [0, 1]
        with pytest.raises(ValueError, match=r"minimum of 2|n_clusters|at least 2"):
            DENSITY[name](np.array([[1.0]]))
    elif name.startswith("HDBSCAN"):
        with pytest.raises(ValueError, match="number of finite rows"):
            DENSITY[name](np.array([[1.0], [2.0]]))
    else:
        assert DENSITY[name](np.array([[1.0]])).labels_.tolist() == [-1]


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "haversine"])
def test_an_infinite_radius_holds_all_rows(algorithm, metric):
    if (algorithm, metric) == ("kd_tree", "haversine"):
        pytest.skip("haversine has no k-d tree")
    X = np.random.default_rng(0).random((500, 2))
    model = sf.DBSCAN(np.inf, min_samples=500, metric=metric, algorithm=algorithm).fit(X)
    assert set(model.labels_) == {0}
    model = sf.DBSCAN(np.inf, min_samples=501, metric=metric, algorithm=algorithm).fit(X)
    assert set(model.labels_) == {-1}


def test_an_infinite_radius_does_not_join_what_a_graph_does_not_store():
    graph = np.zeros((6, 6))
    for i in (0, 1, 3, 4):
        graph[i, i + 1] = graph[i + 1, i] = 1.0
    model = sf.DBSCAN(np.inf, min_samples=2, metric="precomputed").fit(sparse.csr_array(graph))
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", ["HDBSCAN", "Genie"])
@pytest.mark.parametrize("d", [1, 2])
def test_hierarchies_of_a_million_duplicates(kind, d):
    X = np.array([[1.0, 5.0], [3.0, 1.0], [9.0, 9.5]])[np.arange(1_000_000) % 3, :d]
    if kind == "HDBSCAN":
        model = sf.HDBSCAN(20).fit(X)
        assert (model.probabilities_ == 1.0).all()
    else:
        model = sf.AgglomerativeClustering(3, linkage="genie", gini_threshold=0.5).fit(X)
    assert_array_equal(model.labels_, np.arange(1_000_000) % 3)


def test_duplicates_in_many_columns():
    X = np.random.default_rng(0).random((3, 40))[np.arange(9_000) % 3]
    assert_array_equal(sf.HDBSCAN(20).fit(X).labels_, np.arange(9_000) % 3)
    assert_array_equal(sf.DBSCAN(0.1).fit(X).labels_, np.arange(9_000) % 3)


def test_a_table_with_missing_distances():
    """HDBSCAN takes infinite ones for missing; the others refuse them."""
    D = np.full((60, 60), np.inf)
    D[:30, :30] = D[30:, 30:] = 1.0
    np.fill_diagonal(D, 0.0)
    model = sf.HDBSCAN(metric="precomputed").fit(D)
    assert model.labels_.tolist() == [0] * 30 + [1] * 30
    for other in (
        sf.DBSCAN(metric="precomputed"),
        sf.AgglomerativeClustering(metric="precomputed", linkage="genie"),
    ):
        with pytest.raises(ValueError, match="infinity"):
            other.fit(D)
    with pytest.raises(ValueError, match="infinity"):
        dbcv_score(D, model.labels_, metric="precomputed", d=2)


@pytest.mark.parametrize("d", [1, 2])
def test_validity_of_hostile_clusters(d):
    far = np.repeat([[0.0] * d, [1.0] * d], 20, axis=0)
    assert dbcv_score(far, np.repeat([0, 1], 20)) == 1.0  # equal rows, apart
    assert dbcv_score(np.zeros((40, d)), np.repeat([0, 1], 20)) == 0.0  # all rows are equal
    with pytest.raises(ValueError, match="noise alone"):
        dbcv_score(far, np.full(40, -1))
    with pytest.raises(ValueError, match="at least 2 clusters of two rows"):
        dbcv_score(far, np.zeros(40, int))
    X = np.round(three_groups(20)[:, :d] * 8).astype(np.float32)
    labels = np.repeat([0, 1, 2], 20)
    moved = (X + np.float32(2.0**20)).astype(np.float32)
    assert dbcv_score(moved, labels) == pytest.approx(dbcv_score(X, labels), rel=1e-9)


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
