# SPDX-License-Identifier: BSD-3-Clause
"""Rows so small that squares of their differences vanish: the neighbors stay what they are."""

import numpy as np
import pytest
from scipy import sparse

from statfast.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    LSHNeighbors,
    NearestNeighbors,
    RadiusNeighborsRegressor,
    TangentDistanceClassifier,
    tangent_distance,
)

SCALES = [2.0**e for e in (-330, -540, -700, -1015)]  # 1e-100 to 3e-306
METRICS = [
    {}, {"p": 1.5}, {"p": 3}, {"p": 10}, {"p": 33}, {"metric": "manhattan"},
    {"metric": "chebyshev"}, {"metric_params": {"w": [1, 2, 3, 0.5]}},
    {"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0, 3.0, 4.0]}},
    {"metric": "mahalanobis", "metric_params": {"V": np.diag([1.0, 2.0, 3.0, 4.0])}},
]  # fmt: skip
ALGORITHMS = ["brute", "kd_tree", "ball_tree"]

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(700, 4)), RNG.normal(size=(360, 4))  # a million differences
Y = RNG.integers(0, 3, 700)
TREES = pytest.mark.parametrize("tree", [KDTree, BallTree])
each_scale = pytest.mark.parametrize("scale", SCALES)


@each_scale
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("params", METRICS)
def test_neighbors(scale, algorithm, params):
    want, ids = NearestNeighbors(algorithm=algorithm, **params).fit(X).kneighbors(Q)
    model = NearestNeighbors(algorithm=algorithm, **params).fit(X * scale)
    found, same = model.kneighbors(Q * scale)
    np.testing.assert_array_equal(same, ids)
    np.testing.assert_allclose(found / scale, want, 1e-12)
    apart, near_ids = model.radius_neighbors(Q[:50] * scale, scale)
    plain = NearestNeighbors(algorithm=algorithm, **params).fit(X)
    for a, b in zip(near_ids, plain.radius_neighbors(Q[:50], 1.0)[1], strict=True):
        np.testing.assert_array_equal(a, b)
    assert max(part.max(initial=0) for part in apart) <= scale


@each_scale
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_beside_a_constant_column(scale, algorithm):
    want, ids = NearestNeighbors(algorithm=algorithm).fit(X).kneighbors(Q)
    beside = [np.column_stack([np.full(len(A), 0.1), A * scale]) for A in (X, Q)]
    found, same = NearestNeighbors(algorithm=algorithm).fit(beside[0]).kneighbors(beside[1])
    np.testing.assert_array_equal(same, ids)
    np.testing.assert_allclose(found / scale, want, 1e-12)


@each_scale
def test_squared_distances_keep_their_order(scale):
    _, ids = NearestNeighbors().fit(X).kneighbors(Q)
    found, same = NearestNeighbors(metric="sqeuclidean").fit(X * scale).kneighbors(Q * scale)
    np.testing.assert_array_equal(same, ids)
    assert (np.diff(found) >= 0).all()


@each_scale
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows(scale, metric):
    S = sparse.random(300, 40, 0.5, random_state=0, format="csr")
    want, ids = NearestNeighbors(metric=metric).fit(S).kneighbors()
    found, same = NearestNeighbors(metric=metric).fit(S * scale).kneighbors()
    np.testing.assert_array_equal(same, ids)
    np.testing.assert_allclose(found / (1 if metric == "cosine" else scale), want, 1e-12)


@each_scale
@TREES
def test_trees(scale, tree):
    plain, small = tree(X), tree(X * scale)
    for k in (1, 4):
        found, ids = small.query(Q * scale, k)
        np.testing.assert_array_equal(ids, plain.query(Q, k)[1])
        np.testing.assert_allclose(found / scale, plain.query(Q, k)[0], 1e-12)
    np.testing.assert_array_equal(small.query(Q[0] * scale, 3)[1], plain.query(Q[0], 3)[1])
    np.testing.assert_array_equal(small.self_query(3)[1], plain.self_query(3)[1])
    np.testing.assert_array_equal(small.query_pairs(0.5 * scale), plain.query_pairs(0.5))
    count = small.query_radius(Q * scale, 0.5 * scale, count_only=True)
    np.testing.assert_array_equal(count, plain.query_radius(Q, 0.5, count_only=True))
    assert small.count_neighbors(tree(Q * scale), 0.5 * scale) == plain.count_neighbors(
        tree(Q), 0.5
    )


@each_scale
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_and_averages(scale, weights):
    vote = KNeighborsClassifier(weights=weights)
    want = vote.fit(X, Y).predict_proba(Q)
    np.testing.assert_allclose(vote.fit(X * scale, Y).predict_proba(Q * scale), want, 1e-12)
    want = RadiusNeighborsRegressor(3.0, weights=weights).fit(X, Y).predict(Q)
    found = RadiusNeighborsRegressor(3.0 * scale, weights=weights).fit(X * scale, Y)
    np.testing.assert_allclose(found.predict(Q * scale), want, 1e-12)


@TREES
def test_queries_far_from_small_rows(tree):
    """Rows are scaled no more than they have to be."""
    found, _ = tree(X * 1e-250).query(Q)
    np.testing.assert_allclose(found[:, 0], np.sqrt((Q**2).sum(axis=1)), 1e-12)


@TREES
def test_a_single_row(tree):
    assert tree([[3e-200, 0.0]]).query([[0.0, 4e-200]])[0] == pytest.approx(5e-200)


@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e-300])
def test_what_cannot_be_scaled_is_refused(scale):
    words = "X holds values that differ by at most .*, whose squares vanish in float64"
    for algorithm in ("brute", "ball_tree"):
        with pytest.raises(ValueError, match=words):
            NearestNeighbors(metric="haversine", algorithm=algorithm).fit(X[:, :2] * scale)
    with pytest.raises(ValueError, match=words):
        LSHNeighbors().fit(X * scale)
    with pytest.raises(ValueError, match=words):
        LSHNeighbors().fit(np.column_stack([np.ones(700), X * scale]))
    with pytest.raises(ValueError, match=words):
        TangentDistanceClassifier(image_shape=(2, 2)).fit(X * scale, Y)
    with pytest.raises(ValueError, match="b holds values that differ by"):
        tangent_distance(X, X * scale, image_shape=(2, 2))
    for metric in ("seuclidean", "mahalanobis"):
        with pytest.raises(ValueError, match=r"The variances of X, .* vanish in float64"):
            NearestNeighbors(metric=metric).fit(X * scale)


def test_rows_that_differ_are_kept_by_reference():
    for rows in (X, X * 1e-130, X.astype(np.float32)):
        assert NearestNeighbors(algorithm="brute").fit(rows)._rows is rows
    blank = np.zeros((4, 4))
    assert tangent_distance(blank, blank, image_shape=(2, 2)).tolist() == [0.0] * 4


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_narrow_columns_far_from_zero(algorithm):
    """Rows of a width far below their size, which scaling by the size would lose."""
    grid = RNG.integers(0, 50, (300, 2))
    want, ids = NearestNeighbors(algorithm=algorithm).fit(grid).kneighbors()
    model = NearestNeighbors(algorithm=algorithm).fit((2.0**45 + grid) * 2.0**-600)
    found, same = model.kneighbors()
    np.testing.assert_array_equal(same, ids)
    np.testing.assert_array_equal(found * 2.0**600, want)


def test_places_at_one_spot():
    model = NearestNeighbors(n_neighbors=2, metric="haversine").fit([[1e-200, 0.0]] * 3)
    assert model.kneighbors()[0].tolist() == [[0.0, 0.0]] * 3
