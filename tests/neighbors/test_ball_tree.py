# SPDX-License-Identifier: BSD-3-Clause
"""The public ball tree: every metric against the slow twin and a peer, every way of asking."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import BallTree
from statfast.neighbors.spatial import spatial_tree as spatial
from tests.reference import trees as twin

CLOSE = {"rtol": 1e-13, "atol": 1e-300}
NAMED = {  # name of the twin: arguments of the tree
    "euclidean": {},
    "manhattan": {"metric": "l1"},
    "chebyshev": {"metric": "chebyshev"},
    "minkowski3": {"metric": "minkowski", "p": 3},
    "minkowski1.5": {"metric": "minkowski", "p": 1.5},
    "haversine": {"metric": "haversine"},
    "hamming": {"metric": "hamming"},
    "jaccard": {"metric": "jaccard"},
}


def places(rng, n):
    """All over the sphere, with poles, and on both sides of the date line."""
    rows = np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])
    rows[::7, 0] = rng.choice([-1, 1], len(rows[::7])) * np.pi / 2
    rows[1::7, 1] = rng.choice([-1, 1], len(rows[1::7])) * np.pi
    rows[2::7] = [0.3, np.pi - 1e-9] + 1e-9 * rng.standard_normal((len(rows[2::7]), 2))
    rows[3::7] = [0.3, -np.pi + 1e-9] + 1e-9 * rng.standard_normal((len(rows[3::7]), 2))
    rows[4::7, 0] = np.pi / 2 - 1e-8 * rng.random(len(rows[4::7]))
    return rows


def rows_and_queries(name, rng, n, m, d):
    if name == "haversine":
        return places(rng, n), places(rng, m)
    if name in ("hamming", "jaccard"):
        return (rng.integers(0, 3, (rows, d)) * 1.0 for rows in (n, m))
    return rng.standard_normal((n, d)), rng.standard_normal((m, d))


def agree(actual, expected):
    """The same neighbors, but for those whose distances differ by rounding alone."""
    np.testing.assert_allclose(actual[0], expected[0], **CLOSE)
    differ = actual[1] != expected[1]
    assert (np.diff(actual[0], axis=1) >= 0).all()
    if differ.any():
        assert np.mean(differ) < 0.5
        np.testing.assert_allclose(actual[0][differ], expected[0][differ], **CLOSE)


# ------------------------------------------------------------------ answers
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(("n", "d", "k"), [(1, 1, 1), (9, 3, 9), (300, 5, 4), (150, 17, 40)])
def test_every_metric(name, n, d, k):
    X, Q = rows_and_queries(name, np.random.default_rng(n), n, 20, d)
    tree = BallTree(X, **NAMED[name], leaf_size=8)
    apart = twin.table(name, Q, X)
    agree(tree.query(Q, k), twin.nearest(apart, k))
    if name in ("hamming", "jaccard"):  # fractions: the very same numbers, and ties
        np.testing.assert_array_equal(tree.query(Q, k)[1], twin.nearest(apart, k)[1])
    if n > 1:
        k = min(k, n - 1)
        agree(tree.self_query(k), twin.nearest(twin.table(name, X, X), k, itself=True))


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("name", NAMED)
def test_of_rows_alike_the_lowest_are_found(name, k):
    """Whole leaves of the same row: bounds and distances are 0 together."""
    rng = np.random.default_rng(k)
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    drawn = rng.integers(0, 3, 700)
    tree = BallTree(rows[drawn], **NAMED[name], leaf_size=8)
    alike = [np.flatnonzero(drawn == i) for i in range(3)]
    np.testing.assert_array_equal(tree.query(rows, k)[1], [ids[:k] for ids in alike])
    for found, expected in zip(tree.query_radius(rows, 0.0), alike, strict=True):
        np.testing.assert_array_equal(np.sort(found), expected)


@pytest.mark.parametrize("name", NAMED)
def test_within_a_radius(name):
    X, Q = rows_and_queries(name, np.random.default_rng(5), 200, 15, 4)
    tree = BallTree(X, **NAMED[name], leaf_size=8)
    apart = twin.table(name, Q, X)
    radii = np.quantile(apart, 0.1, axis=1) + 1e-12
    ids, distances = tree.query_radius(Q, radii, return_distance=True, sort_results=True)
    for i, near in enumerate(twin.within(apart, radii)):
        assert set(ids[i]) == set(near)
        np.testing.assert_allclose(distances[i], apart[i, ids[i]], **CLOSE)
        assert sorted(zip(distances[i], ids[i], strict=True)) == list(
            zip(distances[i], ids[i], strict=True)
        )
    for near, row in zip(tree.query_radius(Q, radii), ids, strict=True):
        np.testing.assert_array_equal(near, np.sort(row))
    count = tree.query_radius(Q, radii, count_only=True)
    assert count.tolist() == [len(near) for near in ids]
    among = twin.table(name, X, X)
    np.testing.assert_array_equal(tree.query_pairs(radii[0]), twin.pairs(among, radii[0]))
    other = BallTree(Q, **NAMED[name])
    expected = [(apart <= r).sum() for r in radii[:3]]
    assert tree.count_neighbors(other, radii[:3]).tolist() == expected
    assert other.count_neighbors(tree, float(radii[0])) == expected[0]
    assert tree.count_neighbors(tree, radii[0]) == (among <= radii[0]).sum()


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
    ]:  # fmt: skip
        tree = BallTree(X, metric=metric, metric_params=params)
        distances, ids = tree.query(Q, 6)
        expected = twin.nearest(apart, 6)
        np.testing.assert_allclose(distances, expected[0], rtol=1e-11)
        np.testing.assert_array_equal(ids, expected[1])
        r = np.median(distances)
        assert tree.query_radius(Q, r, count_only=True).sum() == (apart <= r).sum()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 120), k=st.integers(1, 12))
@settings(max_examples=25)
def test_places_anywhere(seed, n, k):
    rng = np.random.default_rng(seed)
    X, Q = places(rng, n), places(rng, 10)
    Q[3] = -X[0, 0], X[0, 1] - np.pi  # the antipode
    Q[4] = X[n // 2]
    Q[5, 1] += 2 * np.pi * rng.integers(-3, 4)
    apart = twin.table("haversine", Q, X)
    k = min(k, n)
    distances, ids = BallTree(X, metric="haversine", leaf_size=8).query(Q, k)
    np.testing.assert_allclose(distances, twin.nearest(apart, k)[0], rtol=1e-12, atol=3e-8)
    np.testing.assert_allclose(distances, np.take_along_axis(apart, ids, 1), rtol=1e-12, atol=1e-15)


def test_across_the_date_line_and_a_pole():
    X = np.radians([[10, 179.9], [10, -179.9], [89.9, 0], [89.9, 180], [-90, 45], [0, 0]])
    tree = BallTree(X, metric="haversine")
    near = tree.query(np.radians([[10, 179.99], [10, -179.99], [90, 77], [-89, -170]]), 2)[1]
    np.testing.assert_array_equal(near[:, 0], [0, 1, 2, 4])
    assert near[0, 1] == 1
    assert near[1, 1] == 0
    assert tree.query_pairs(np.radians(0.25)).tolist() == [[0, 1], [2, 3]]


def test_ties_at_the_radius_count():
    """Distances whose squares are not the square of the radius, in float64."""
    X = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    tree = BallTree(X)
    for r, expected in [(3, [0, 2]), (5, [0, 1, 2]), (2, [2])]:
        assert tree.query_radius(np.zeros(3), np.sqrt(r)).tolist() == expected
    assert tree.query_radius(np.zeros(3), np.nextafter(np.sqrt(3), 0)).tolist() == [2]


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev", "haversine"])
def test_scikit_learn_agrees(name):
    peer = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(2)
    X, Q = rows_and_queries(name, rng, 2000, 100, 3)
    if name == "haversine":  # where its own rounding decides, it is not asked
        X, Q = (np.column_stack([np.arcsin(rng.uniform(-1, 1, m)), rng.uniform(-3, 3, m)])
                for m in (2000, 100))  # fmt: skip
    theirs = peer.BallTree(X, metric=name)
    tree = BallTree(X, metric=name)
    distances, ids = theirs.query(Q, 8)
    np.testing.assert_allclose(tree.query(Q, 8)[0], distances, rtol=1e-12)
    np.testing.assert_array_equal(tree.query(Q, 8)[1], ids)
    r = float(np.median(distances))
    assert tree.count_neighbors(tree, r) == theirs.two_point_correlation(X, r)[0]


# ------------------------------------------------------------------ functions
def manhattan(a, b):
    return np.abs(a - b).sum()


def edit(a, b):
    """A metric of no coordinates: what two sequences have after their common beginning."""
    alike = np.cumprod(a == b).sum()
    return len(a) + len(b) - 2 * alike


@pytest.mark.parametrize("function", [manhattan, edit])
@pytest.mark.parametrize("n", [1, 2, 30, 250])
def test_functions(function, n):
    rng = np.random.default_rng(n)
    X, Q = rng.integers(0, 3, (n, 5)) * 1.0, rng.integers(0, 3, (12, 5)) * 1.0
    tree = BallTree(X, metric=function)
    apart = np.array([[float(function(q, x)) for x in X] for q in Q])
    for k in {1, min(3, n), n}:
        for found, expected in zip(tree.query(Q, k), twin.nearest(apart, k), strict=True):
            np.testing.assert_array_equal(found, expected)
    ids, distances = tree.query_radius(Q, 2, return_distance=True, sort_results=True)
    assert [near.tolist() for near in ids] == twin.within(apart, 2)
    plain = tree.query_radius(Q, 2, return_distance=True)
    for i, row in enumerate(ids):
        np.testing.assert_array_equal(plain[0][i], np.sort(row))
        np.testing.assert_array_equal(plain[1][i], distances[i][np.argsort(row)])
    among = np.array([[float(function(a, x)) for x in X] for a in X])
    np.testing.assert_array_equal(tree.query_pairs(2), twin.pairs(among, 2))
    assert tree.count_neighbors(tree, 2) == (among <= 2).sum()
    if n > 1:
        np.testing.assert_array_equal(tree.self_query(1)[1], twin.nearest(among, 1, itself=True)[1])


def test_a_function_is_called_less_often_than_there_are_rows():
    rng = np.random.default_rng(4)
    tree = BallTree(rng.random((1000, 2)), metric=manhattan)
    assert tree._index.visited(rng.random((20, 2)), 1) < 150


def test_arguments_and_errors_of_functions():
    X = np.random.default_rng(3).random((50, 3))

    def scaled(a, b, scale):
        return scale * np.abs(a - b).sum()

    distances, _ = BallTree(X, metric=scaled, metric_params={"scale": 2.0}).query(X[:5], 2)
    np.testing.assert_allclose(distances, 2 * BallTree(X, metric="l1").query(X[:5], 2)[0])
    with pytest.raises(ZeroDivisionError):
        BallTree(X, metric=lambda a, b: 1 / 0)
    for wrong in (-1.0, np.nan):
        with pytest.raises(ValueError, match="finite numbers that are not negative; got"):
            BallTree(X, metric=lambda a, b, wrong=wrong: wrong)


# ------------------------------------------------------------------ the interface
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int64])
def test_dtypes_are_kept_and_memory_is_stated(dtype):
    X = np.random.default_rng(5).integers(0, 200, (5000, 6)).astype(dtype)
    before = X.copy()
    tree = BallTree(X)
    assert tree.dtype == (np.float64 if dtype == np.int64 else dtype)
    assert (tree.n_samples, tree.n_features, tree.metric) == (5000, 6, "euclidean")
    held = 4 if dtype == np.uint8 else tree.dtype.itemsize
    least = X.shape[0] * (X.shape[1] * held + 8)
    assert least <= tree.nbytes <= least + 1.4 * 5000 * (9 * 6 + 20) / 16 * 8
    tree.query(X[:10], 3)
    np.testing.assert_array_equal(X, before)
    assert "5000 rows, 6 features" in repr(tree)


def test_a_single_query_loses_its_axis():
    X = np.random.default_rng(6).random((100, 3))
    tree = BallTree(X)
    distances, ids = tree.query(X[3], 4)
    assert distances.shape == ids.shape == (4,)
    assert ids[0] == 3
    assert tree.query(X[3].tolist(), return_distance=False).tolist() == [3]
    assert isinstance(tree.query_radius(X[3], 0.1, count_only=True), np.intp)
    assert tree.query_radius(X[3], 0.0).tolist() == [3]
    ids, distances = tree.query_radius(X[3], 0.0, return_distance=True)
    assert (distances.tolist(), ids.tolist()) == ([0.0], [3])


@pytest.mark.parametrize("name", ["euclidean", "minkowski3", "haversine"])
def test_pickles(name):
    X, Q = rows_and_queries(name, np.random.default_rng(7), 3000, 20, 3)
    tree = BallTree(X, **NAMED[name])
    again = pickle.loads(pickle.dumps(tree))
    for a, b in zip(tree.query(Q, 5), again.query(Q, 5), strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.count_neighbors(tree, 0.1) == tree.count_neighbors(tree, 0.1)
    assert pickle.loads(pickle.dumps(BallTree(X[:20], metric=manhattan))).metric == "callable"


@pytest.mark.parametrize("name", NAMED)
def test_same_bits_for_any_number_of_threads(name, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X, Q = rows_and_queries(name, np.random.default_rng(8), 5000, 300, 3)
    trees = [BallTree(X, **NAMED[name], n_jobs=n_jobs) for n_jobs in (1, 2, 7)]
    for other in trees[1:]:
        for a, b in zip(trees[0].query(Q, 5), other.query(Q, 5), strict=True):
            np.testing.assert_array_equal(a, b)
        for a, b in zip(trees[0].self_query(2), other.self_query(2), strict=True):
            np.testing.assert_array_equal(a, b)


def test_counts_in_slices(monkeypatch):
    X = np.random.default_rng(9).random((500, 2))
    tree, other = BallTree(X), BallTree(X[:130])
    expected = tree.count_neighbors(other, [0.1, 0.5])
    monkeypatch.setattr(spatial, "SLICE_ROWS", 17)
    np.testing.assert_array_equal(tree.count_neighbors(other, [0.1, 0.5]), expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: BallTree([[np.nan]]), "X contains NaN"),
        (lambda t: BallTree([[1.0]], leaf_size=0), "leaf_size must be at least 1; got 0"),
        (lambda t: BallTree([[1.0]], metric="nonsense"), "metric must be one of"),
        (lambda t: BallTree([[1.0]], n_jobs=0), "n_jobs"),
        (lambda t: BallTree([[1.0]], metric="haversine"), "takes 2 columns"),
        (lambda t: BallTree([[2.0, 0]], metric="haversine"), "beyond a pole"),
        (lambda t: t.query(np.ones((2, 4))), "X has 4 features, but the BallTree has 2"),
        (lambda t: t.query([[np.inf, 0]]), "X contains infinity"),
        (lambda t: t.query([[0, 0]], 4), r"k must be between 1 and the number of rows \(3\)"),
        (lambda t: t.query([[0, 0]], 1.0), "k must be an integer"),
        (lambda t: t.self_query(3), "besides the row itself"),
        (lambda t: t.query_radius([[0, 0]], -1), "r must be at least 0; got -1"),
        (lambda t: t.query_radius([[0, 0]], np.nan), "r must be at least 0; got nan"),
        (lambda t: t.query_radius([[0, 0]], [1, 2]), "one for each of 1 queries"),
        (lambda t: t.query_radius([[0, 0]], "far"), "r must be a number"),
        (lambda t: t.query_pairs([[1]]), "r must be a number"),
        (lambda t: t.count_neighbors(3, 1), "other must be a BallTree"),
        (lambda t: t.count_neighbors(BallTree([[1.0]]), 1), "other must have the 2 features"),
        (lambda t: t.count_neighbors(BallTree([[1.0, 2]], metric="l1"), 1), "metric of this tree"),
        (lambda t: t.query([[1e200, 0]]), "overflows float64"),
    ],
)  # fmt: skip
def test_refusals(call, words):
    tree = BallTree([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    with pytest.raises((ValueError, TypeError), match=words):
        call(tree)
