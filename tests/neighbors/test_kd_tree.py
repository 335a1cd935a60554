# SPDX-License-Identifier: BSD-3-Clause
"""The public k-d tree: metrics, peers, types, and what it refuses."""

import pickle

import numpy as np
import pytest

import statfast
from statfast import BallTree, KDTree
from statfast.neighbors.brute.brute import BruteIndex
from tests.reference import trees as twin


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int64])
def test_types(dtype):
    rng = np.random.default_rng(0)
    X = (rng.random((400, 3)) * 255).astype(dtype)
    Q = (rng.random((30, 3)) * 255).astype(dtype)
    tree = KDTree(X)
    assert tree.dtype == (dtype if dtype != np.int64 else np.float64)
    assert (tree.n_samples, tree.n_features, tree.metric) == (400, 3, "euclidean")
    assert tree.nbytes >= X.size * 4
    distances, ids = tree.query(Q, 5)
    expected = twin.nearest(twin.table("euclidean", Q, X), 5)
    np.testing.assert_allclose(distances, expected[0], rtol=1e-15)
    np.testing.assert_array_equal(ids, expected[1])
    assert distances.dtype == np.float64
    assert ids.dtype == np.intp


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 1000])
def test_as_brute_force_finds_them(n):
    rng = np.random.default_rng(n)
    X, Q = rng.standard_normal((n, 6)), rng.standard_normal((40, 6))
    tree, brute = KDTree(X), BruteIndex.build(X)
    for k in {1, min(n, 10), n}:
        d2, ids = brute.query(Q, k)
        distances, found = tree.query(Q, k)
        np.testing.assert_array_equal(found, ids)
        np.testing.assert_array_equal(distances, np.sqrt(d2))
        np.testing.assert_array_equal(tree.query(Q, k, return_distance=False), ids)


def test_one_query():
    X = np.random.default_rng(0).random((500, 3))
    tree = KDTree(X)
    for k in (1, 7, 60):
        expected = tree.query(X[3:4], k)
        for q in (X[3], X[3].tolist(), X[3].astype(np.float32).astype(np.float64)):
            distances, ids = tree.query(q, k)
            assert distances.shape == ids.shape == (k,)
        np.testing.assert_array_equal(tree.query(X[3], k)[0], expected[0][0])
        np.testing.assert_array_equal(tree.query(X[3], k)[1], expected[1][0])
        np.testing.assert_array_equal(tree.query(X[3], k, return_distance=False), expected[1][0])
    strided = np.repeat(X[3], 2)[::2]
    np.testing.assert_array_equal(tree.query(strided, 7)[1], tree.query(X[3], 7)[1])


def test_rows_without_themselves():
    X = np.random.default_rng(0).integers(0, 5, (300, 2)) * 1.0
    distances, ids = KDTree(X).self_query(4)
    expected = twin.nearest(twin.table("euclidean", X, X), 4, itself=True)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-15)


def test_prepared_metrics():
    rng = np.random.default_rng(1)
    X, Q = 3 + rng.random((200, 4)), 3 + rng.random((20, 4))
    spread, weights = np.cov(X, rowvar=False), np.array([0.5, 2.0, 0.0, 1.0])
    difference = Q[:, None] - X
    one, other = (rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)) for rows in (Q, X))
    for metric, params, apart in [
        ("mahalanobis", {"V": spread},
         np.sqrt(np.einsum("ijk,kl,ijl->ij", difference, np.linalg.inv(spread), difference))),
        ("seuclidean", {"V": spread.diagonal()},
         np.sqrt((difference**2 / spread.diagonal()).sum(axis=2))),
        ("cosine", None, ((one[:, None] - other) ** 2).sum(axis=2) / 2),
        ("manhattan", {"w": weights}, (weights * np.abs(difference)).sum(axis=2)),
        ("minkowski", {"p": 3}, (np.abs(difference) ** 3).sum(axis=2) ** (1 / 3)),
    ]:  # fmt: skip
        tree = KDTree(X, metric=metric, metric_params=params)
        distances, ids = tree.query(Q, 6)
        expected = twin.nearest(apart, 6)
        np.testing.assert_allclose(distances, expected[0], rtol=1e-11)
        np.testing.assert_array_equal(ids, expected[1])
        np.testing.assert_allclose(tree.query(Q[0], 6)[0], expected[0][0], rtol=1e-11)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_scikit_learn_agrees(metric):
    peer = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(2)
    X, Q = rng.standard_normal((3000, 3)), rng.standard_normal((200, 3))
    distances, ids = peer.KDTree(X, metric=metric).query(Q, 8)
    tree = KDTree(X, metric=metric)
    np.testing.assert_allclose(tree.query(Q, 8)[0], distances, rtol=1e-12)
    np.testing.assert_array_equal(tree.query(Q, 8)[1], ids)


def test_scipy_agrees():
    peer = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(2)
    X, Q = rng.random((20_000, 3)), rng.random((6000, 3))
    for k in (1, 5, 130):
        distances, ids = peer.cKDTree(X).query(Q, k)
        found = KDTree(X).query(Q, k)
        np.testing.assert_allclose(found[0], distances.reshape(6000, k), rtol=1e-12)
        np.testing.assert_array_equal(found[1], ids.reshape(6000, k))


def test_leaf_size_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (700, 3)) * 1.0
    plainly = KDTree(X).query(X, 9)
    for leaf_size in (1, 8, 20, 64, 100, 5000):
        for mine, theirs in zip(KDTree(X, leaf_size=leaf_size).query(X, 9), plainly, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_pickles():
    X = np.random.default_rng(0).random((300, 3))
    tree = KDTree(X, metric="mahalanobis")
    tree.query(X[0])
    again = pickle.loads(pickle.dumps(tree))
    assert (
        repr(again) == repr(tree) == ("KDTree(300 rows, 3 features, float64, metric='mahalanobis')")
    )
    np.testing.assert_array_equal(again.query(X, 3)[1], tree.query(X, 3)[1])


def test_input_is_copied():
    X = np.random.default_rng(0).random((300, 3))
    tree = KDTree(X)
    before = tree.query(X[:5].copy(), 3)
    Q = X[:5].copy()
    X[:] = 0
    for mine, theirs in zip(tree.query(Q, 3), before, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["haversine", "hamming", "jaccard", lambda a, b: 0.0])
def test_other_metrics_are_refused(metric):
    with pytest.raises(ValueError, match="Use BallTree"):
        KDTree(np.zeros((3, 2)), metric=metric)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda tree: tree.query(np.zeros(4)), ValueError, "4 features"),
        (lambda tree: tree.query(np.full(3, np.nan)), ValueError, "X contains NaN"),
        (lambda tree: tree.query(np.array([0, np.inf, 0])), ValueError, "X contains infinity"),
        (lambda tree: tree.query(np.zeros(3), 6), ValueError, "number of rows .5.; got 6"),
        (lambda tree: tree.query(np.zeros(3), 0), ValueError, "got 0"),
        (lambda tree: tree.query(np.zeros(3), 1.5), TypeError, "k"),
        (lambda tree: tree.query(np.full(3, 1e200)), ValueError, "overflows"),
        (lambda tree: tree.query(np.full((1, 3), 1e200)), ValueError, "overflows"),
        (lambda tree: tree.self_query(5), ValueError, "besides the row itself"),
    ],
)
def test_refusals(ask, error, words):
    tree = KDTree(np.arange(15.0).reshape(5, 3))
    with pytest.raises(error, match=words):
        ask(tree)


def test_huge_and_tiny_distances():
    X = np.array([[1e153, 0.0], [-1e153, 0.0], [0.0, 1e153]])
    np.testing.assert_allclose(KDTree(X).query([0.0, 0.0], 3)[0], [1e153] * 3)
    np.testing.assert_allclose(KDTree(X * 1e-306).query([0.0, 0.0], 3)[0], [1e-153] * 3)


@pytest.mark.parametrize("cls", [KDTree, BallTree])
def test_data_are_the_rows(cls):
    X = np.random.default_rng(3).standard_normal((137, 3))
    np.testing.assert_array_equal(cls(X).data, X)
    np.testing.assert_array_equal(cls(X.astype(np.float32)).data, X.astype(np.float32))


def test_data_of_a_metric_that_transforms_rows():
    with pytest.raises(ValueError, match="metric='cosine' has transformed"):
        BallTree(np.eye(3) + 1, metric="cosine").data  # noqa: B018


@pytest.mark.parametrize("cls", [KDTree, BallTree])
def test_calls_by_position_are_those_of_scikit_learn(cls):
    peers = pytest.importorskip("sklearn.neighbors")
    X = np.random.default_rng(4).standard_normal((60, 3))
    ours, theirs = cls(X), getattr(peers, cls.__name__)(X)
    for rest in ((True,), (True, True, True), (True, False, True, False)):
        for a, b in zip(ours.query(X, 5, *rest), theirs.query(X, 5, *rest), strict=True):
            np.testing.assert_allclose(np.sort(a), np.sort(b), rtol=1e-12)
    np.testing.assert_array_equal(ours.query(X, 4, False), theirs.query(X, 4, False))
    for given in ((1.0, False, True), (1.0,), (1.0, True, False, True)):
        mine, others = ours.query_radius(X, *given), theirs.query_radius(X, *given)
        mine, others = ((a if isinstance(a, tuple) else (a,)) for a in (mine, others))
        for a, b in zip(mine, others, strict=True):
            for one, other in zip(a, b, strict=True):
                one, other = np.atleast_1d(one), np.atleast_1d(other)
                np.testing.assert_allclose(np.sort(one), np.sort(other), rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["NearestNeighbors", "KNeighborsClassifier", "KNeighborsRegressor"]
)
def test_the_number_of_neighbors_of_a_query(name):
    peers = pytest.importorskip("sklearn.neighbors")
    X = np.random.default_rng(5).standard_normal((50, 4))
    y = np.arange(50) % 3
    ours, theirs = (
        getattr(statfast, name)(3).fit(X, y),
        getattr(peers, name)(n_neighbors=3).fit(X, y),
    )
    for Q in (None, X[:7] + 0.1):
        for k in (1, 8):
            a, b = ours.kneighbors(Q, n_neighbors=k), theirs.kneighbors(Q, n_neighbors=k)
            np.testing.assert_allclose(a[0], b[0], rtol=1e-12)
            np.testing.assert_array_equal(a[1], b[1])
            for mode in ("connectivity", "distance"):
                a, b = (m.kneighbors_graph(Q, k, mode) for m in (ours, theirs))
                np.testing.assert_allclose(a.toarray(), b.toarray(), rtol=1e-12)
