# SPDX-License-Identifier: BSD-3-Clause
"""`algorithm` changes the time, never the answer; what "auto" takes where the choice is clear."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors as SklearnNeighbors

from statfast.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsRegressor,
)
from statfast.neighbors.search import auto_algorithm as auto_module

ALGORITHMS = ["auto", "kd_tree", "ball_tree", "brute"]
BY_TREES = [
    {},
    {"metric": "manhattan"},
    {"metric": "chebyshev"},
    {"p": 3},
    {"metric": "minkowski", "p": 1.5, "metric_params": {"w": [1.0, 0.5, 2.0]}},
    {"metric": "seuclidean"},
    {"metric": "mahalanobis"},
    {"metric": "cosine"},
    {"metric": "correlation"},
]


def names(params):
    return str(params.get("metric", "")) + str(params.get("p", "")) or "euclidean"


@pytest.mark.parametrize("params", BY_TREES, ids=names)
@pytest.mark.parametrize("grid", [True, False])
def test_same_answer_by_each(params, grid):
    rng = np.random.default_rng(0)
    X = rng.integers(1, 6, (700, 3)).astype(float) if grid else rng.standard_normal((700, 3))
    if grid and params.get("metric") in ("cosine", "correlation"):
        X += np.arange(3) * 0.5  # no row of equal values
    Q = X[:80] + (0 if grid else 0.1)
    want = NearestNeighbors(6, radius=0.8, algorithm="brute", **params).fit(X)
    assert want.algorithm_ == "brute"
    for algorithm in ALGORITHMS[:-1]:
        got = NearestNeighbors(6, radius=0.8, algorithm=algorithm, **params).fit(X)
        assert got.algorithm_ == algorithm or algorithm == "auto"
        for rows in (Q, None):
            for a, b in zip(got.kneighbors(rows), want.kneighbors(rows), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-300)
            for a, b in zip(
                got.radius_neighbors(rows)[1], want.radius_neighbors(rows)[1], strict=True
            ):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("manhattan", {}),
        ("chebyshev", {}),
        ("minkowski", {"p": 3}),
        ("cosine", {}),
        ("correlation", {}),
        ("haversine", {}),
        ("hamming", {}),
        (lambda a, b: float(np.abs(a - b).max()), {}),
    ],
)
def test_metrics_agree_with_scikit_learn(metric, params):
    rng = np.random.default_rng(1)
    d = 2 if metric == "haversine" else 5
    X, Q = rng.uniform(-1.5, 1.5, (120, d)), rng.uniform(-1.5, 1.5, (30, d))
    ours = NearestNeighbors(4, metric=metric, **params).fit(X)
    theirs = SklearnNeighbors(n_neighbors=4, metric=metric, algorithm="brute", **params).fit(X)
    want = theirs.kneighbors(Q)
    np.testing.assert_allclose(ours.kneighbors(Q)[0], want[0], rtol=1e-9, atol=1e-9)
    if metric != "hamming":  # whose distances are all 1
        np.testing.assert_array_equal(ours.kneighbors(Q)[1], want[1])


def test_a_metric_that_a_tree_does_not_serve():
    X = np.arange(12.0).reshape(6, 2) / 10
    for algorithm, metric, others in [
        ("kd_tree", "haversine", "'auto', 'ball_tree' or 'brute'"),
        ("kd_tree", "hamming", "'auto' or 'brute'"),
        ("ball_tree", "jaccard", "'auto' or 'brute'"),
    ]:
        words = f"algorithm '{algorithm}' does not serve the metric '{metric}'. Take {others}"
        with pytest.raises(ValueError, match=words):
            NearestNeighbors(1, algorithm=algorithm, metric=metric).fit(X)


# ------------------------------------------------------------------ what auto takes
def chosen(X, **params):
    return NearestNeighbors(**params).fit(X).algorithm_


def test_few_rows_or_many_dimensions_are_searched_by_brute_force():
    rng = np.random.default_rng(2)
    assert chosen(rng.random((200, 2))) == "brute"
    assert chosen(rng.standard_normal((20000, 20))) == "brute"
    assert chosen(rng.integers(0, 2, (3000, 30)), metric="hamming") == "brute"
    assert chosen(rng.random((600, 2)), metric=lambda a, b: abs(a - b).sum()) == "brute"


def test_many_rows_of_few_dimensions_are_searched_by_a_tree():
    rng = np.random.default_rng(3)
    for X in (rng.random((20000, 2)), rng.random((5000, 3)), rng.random((40000, 3)) + 1e8):
        assert chosen(X) == "kd_tree"
        assert chosen(X.astype(np.float32)) == "kd_tree"
    assert chosen(rng.integers(0, 256, (40000, 3), dtype=np.uint8)) == "kd_tree"
    assert chosen(rng.random((20000, 2)), metric="haversine") == "ball_tree"
    assert chosen(rng.random((20000, 3)), metric="manhattan") == "kd_tree"


def test_dimension_is_that_of_the_data_not_of_the_space():
    rng = np.random.default_rng(4)
    line = rng.random((30000, 1)) * rng.standard_normal(40)
    assert chosen(line) == "kd_tree"
    assert chosen(rng.standard_normal((30000, 40))) == "brute"


def test_the_radius_counts():
    rng = np.random.default_rng(5)
    X, y = rng.random((20000, 1)) * rng.standard_normal(40), np.zeros(20000)
    assert RadiusNeighborsRegressor(0.02).fit(X, y).algorithm_ == "kd_tree"
    assert RadiusNeighborsRegressor(50.0).fit(X, y).algorithm_ == "brute"


def test_the_choice_is_the_same_in_every_run_and_for_any_number_of_threads():
    X = np.random.default_rng(6).standard_normal((20000, 7))
    assert len({chosen(X, n_jobs=t) for t in (1, 2, 7, 1)}) == 1


def test_what_a_sample_foresees_is_no_better_than_what_comes():
    rng = np.random.default_rng(7)
    for d in (3, 6, 9, 12):
        rows = rng.standard_normal((40000, d))
        task = auto_module.SearchTask(rows, NearestNeighbors().fit(rows[:9])._metric, None, 1, 10)
        index = auto_module.built("kd_tree", task)
        some = rows[auto_module.drawn_rows(len(rows), 64)]
        true = auto_module.ratio(
            task, 40000, *auto_module.visited_rows(task, index, some, itself=True)
        )
        assert auto_module.predicted_ratio(task, "kd_tree", 8192) > 0.75 * true


# ------------------------------------------------------------------ other kinds of rows
def test_precomputed_distances():
    rng = np.random.default_rng(8)
    X, Q, y = rng.standard_normal((60, 3)), rng.standard_normal((20, 3)), rng.integers(0, 3, 60)
    own = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    cross = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    plain = NearestNeighbors(5, radius=1.0).fit(X)
    given = NearestNeighbors(5, radius=1.0, metric="precomputed").fit(own)
    assert given.algorithm_ == "brute"
    assert given.effective_metric_ == "precomputed"
    for rows, table in ((Q, cross), (None, None)):
        np.testing.assert_array_equal(plain.kneighbors(rows)[1], given.kneighbors(table)[1])
        np.testing.assert_allclose(plain.kneighbors(rows)[0], given.kneighbors(table)[0])
        for a, b in zip(
            plain.radius_neighbors(rows)[1], given.radius_neighbors(table)[1], strict=True
        ):
            np.testing.assert_array_equal(a, b)
    models = [
        KNeighborsClassifier(4, metric=metric).fit(rows, y)
        for metric, rows in (("minkowski", X), ("precomputed", own))
    ]
    np.testing.assert_array_equal(models[0].predict(Q), models[1].predict(cross))
    np.testing.assert_array_equal(*(m.leave_one_out(range(1, 20)) for m in models))


def test_precomputed_distances_between_equal_rows():
    found = NearestNeighbors(2, metric="precomputed").fit(np.zeros((4, 4))).kneighbors()[1]
    assert found.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]


def test_bad_precomputed_distances():
    with pytest.raises(ValueError, match=r"X must be a square table .* got shape \(3, 2\)"):
        NearestNeighbors(metric="precomputed").fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"X must hold distances.*got -1.0 at row 1, column 0"):
        NearestNeighbors(metric="precomputed").fit([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(ValueError, match=r"algorithm 'kd_tree' does not serve .*'precomputed'"):
        NearestNeighbors(metric="precomputed", algorithm="kd_tree").fit(np.zeros((3, 3)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_rows(metric, kind):
    rng = np.random.default_rng(9)
    X, Q = (rng.integers(-2, 3, (n, 12)) * (rng.random((n, 12)) < 0.4) for n in (90, 25))
    X[:, 0], Q[:, 0], y = 1, 1, rng.standard_normal(90)
    dense = NearestNeighbors(5, radius=1.5, metric=metric).fit(X)
    thin = NearestNeighbors(5, radius=1.5, metric=metric).fit(kind(X))
    assert thin.algorithm_ == "brute"
    for rows, given in ((Q, kind(Q)), (Q, Q), (None, None)):
        for a, b in zip(dense.kneighbors(rows), thin.kneighbors(given), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        for a, b in zip(
            dense.radius_neighbors(rows)[1], thin.radius_neighbors(given)[1], strict=True
        ):
            np.testing.assert_array_equal(a, b)
    models = [KNeighborsRegressor(3, metric=metric).fit(rows, y) for rows in (X, kind(X))]
    np.testing.assert_allclose(models[0].predict(Q), models[1].predict(kind(Q)))
    np.testing.assert_allclose(*(m.leave_one_out([1, 7]) for m in models))


def test_bad_sparse_rows():
    X = sparse.csr_array(np.eye(5))
    with pytest.raises(ValueError, match=r"'kd_tree' does not serve the metric .* on sparse rows"):
        NearestNeighbors(1, algorithm="kd_tree").fit(X)
    with pytest.raises(ValueError, match="'chebyshev' takes dense rows; X is sparse"):
        NearestNeighbors(1, metric="chebyshev").fit(X)
    with pytest.raises(ValueError, match=r"'seuclidean' needs .* or at least 2 dense rows"):
        NearestNeighbors(1, metric="seuclidean").fit(X)
    with pytest.raises(ValueError, match="X has 3 features, but NearestNeighbors is expecting 5"):
        NearestNeighbors(1).fit(X).kneighbors(sparse.csr_array(np.eye(3)))
    with pytest.raises(TypeError, match=r"X\.toarray\(\)"):
        NearestNeighbors(1).fit(np.eye(5)).kneighbors(X)


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_leaf_size_of_a_small_type_of_numpy(algorithm):
    """Arithmetic with it is not in its type."""
    X = np.random.default_rng(0).normal(size=(862, 2))
    model = NearestNeighbors(algorithm=algorithm, leaf_size=np.int8(100)).fit(X)
    for got, want in zip(model.kneighbors(), NearestNeighbors().fit(X).kneighbors(), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", ["normal", "plane", "clusters", "near a plane"])
@pytest.mark.parametrize("n", [2_100, 5_000])
def test_samples_of_a_few_wide_rows_choose_what_their_tree_would(monkeypatch, kind, n):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, 20))
    if kind != "normal":
        X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, 20))
        X += (0.02 if kind == "near a plane" else 0.0) * rng.standard_normal((n, 20))
    if kind == "clusters":
        X = 9.0 * rng.standard_normal((30, 20))[rng.integers(0, 30, n)] + 0.1 * X
    chosen = []
    for columns in (auto_module.MIN_SAMPLED_COLUMNS, 21):
        monkeypatch.setattr(auto_module, "MIN_SAMPLED_COLUMNS", columns)
        chosen.append(type(NearestNeighbors().fit(X)._index))
    assert chosen[0] is chosen[1]
