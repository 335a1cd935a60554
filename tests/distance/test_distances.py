# SPDX-License-Identifier: BSD-3-Clause
"""The table of metrics against scipy's cdist: names, parameters, preparation, sentences."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from statfast._core.distance import metrics
from statfast._distance import metrics as _distances
from statfast._distance.metrics import CALLABLE, Metric, as_metric

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(60, 5)), RNG.normal(size=(9, 5))
W = np.array([0.5, 2.0, 0.0, 1.0, 3.0])
COV = np.cov(X.T)
INVERSE = np.linalg.inv(COV)
BITS = RNG.random((20, 5)) < 0.4


def distances(metric, A, B, X=None):
    A, B = metric.prepare(A), metric.prepare(B)
    out = np.empty((len(A), len(B)))
    A, B = (np.ascontiguousarray(rows, np.float64) for rows in (A, B))
    metrics.between(A, B, metric.kind, metric.p, out)
    return metric.finish(out)


def test_kinds_are_those_of_the_kernels():
    for name, number in metrics.KINDS.items():
        assert getattr(_distances, name.upper()) == number


CASES = [
    ("euclidean", {}, "euclidean", {}),
    ("l2", {}, "euclidean", {}),
    ("euclidean", {"metric_params": {"w": W}}, "euclidean", {"w": W}),
    ("sqeuclidean", {}, "sqeuclidean", {}),
    ("manhattan", {}, "cityblock", {}),
    ("l1", {}, "cityblock", {}),
    ("cityblock", {"metric_params": {"w": W}}, "cityblock", {"w": W}),
    ("chebyshev", {}, "chebyshev", {}),
    ("infinity", {}, "chebyshev", {}),
    ("minkowski", {}, "euclidean", {}),
    ("minkowski", {"p": 1}, "cityblock", {}),
    ("minkowski", {"p": np.inf}, "chebyshev", {}),
    ("minkowski", {"p": np.inf, "metric_params": {"w": W}}, "chebyshev", {"w": W}),
    ("minkowski", {"p": 3}, "minkowski", {"p": 3}),
    ("minkowski", {"p": 4}, "minkowski", {"p": 4}),
    ("p", {"p": 1.5}, "minkowski", {"p": 1.5}),
    ("minkowski", {"metric_params": {"p": 7.5, "w": W}}, "minkowski", {"p": 7.5, "w": W}),
    ("seuclidean", {"metric_params": {"V": W + 1}}, "seuclidean", {"V": W + 1}),
    ("seuclidean", {"X": X}, "seuclidean", {"V": X.var(axis=0, ddof=1)}),
    ("mahalanobis", {"metric_params": {"V": COV}}, "mahalanobis", {"VI": INVERSE}),
    ("mahalanobis", {"metric_params": {"VI": INVERSE}}, "mahalanobis", {"VI": INVERSE}),
    ("mahalanobis", {"X": X}, "mahalanobis", {"VI": INVERSE}),
    ("cosine", {}, "cosine", {}),
    ("correlation", {}, "correlation", {}),
]


@pytest.mark.parametrize(("name", "ours", "peer", "parameters"), CASES)
def test_distances_are_those_of_scipy(name, ours, peer, parameters):
    metric = as_metric(name, d=5, **ours)
    np.testing.assert_allclose(
        distances(metric, Q, X), cdist(Q, X, peer, **parameters), rtol=1e-12, atol=1e-15
    )
    again = pickle.loads(pickle.dumps(metric))
    assert (distances(again, Q, X) == distances(metric, Q, X)).all()


@pytest.mark.parametrize("name", ["hamming", "jaccard"])
def test_bits_are_those_of_scipy(name):
    expected = cdist(BITS, BITS, name)
    assert (distances(as_metric(name, d=5), BITS, BITS) == expected).all()


def test_two_empty_sets_are_equal():
    assert distances(as_metric("jaccard", d=3), np.zeros((1, 3)), np.zeros((1, 3))) == 0


def test_known_distances():
    a, b = np.array([[3.0, 2.0]]), np.array([[8.0, 6.0]])
    assert distances(as_metric("euclidean", d=2), a, b) == np.sqrt(41)
    assert distances(as_metric("manhattan", d=2), a, b) == 9
    assert distances(as_metric("chebyshev", d=2), a, b) == 5
    paris, london = np.radians([[48.8566, 2.3522]]), np.radians([[51.5074, -0.1278]])
    angle = distances(as_metric("haversine", d=2), paris, london)[0, 0]
    assert abs(6371 * angle - 343.6) < 0.1


def test_antipodes():
    poles = np.array([[np.pi / 2, 0.0]]), np.array([[-np.pi / 2, 1.0]])
    assert distances(as_metric("haversine", d=2), *poles)[0, 0] == np.pi


@pytest.mark.parametrize("name", ["seuclidean", "mahalanobis"])
def test_far_from_the_origin_digits_are_kept(name):
    near = np.round(X, 3)
    there = 1e8 + near  # exact to 1.5e-8
    metric, moved = as_metric(name, d=5, X=near), as_metric(name, d=5, X=there)
    np.testing.assert_allclose(
        distances(moved, there, there), distances(metric, near, near), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize("name", ["cosine", "correlation"])
def test_directions_of_any_length(name, size):
    metric = as_metric(name, d=5)
    np.testing.assert_allclose(
        distances(metric, Q * size, X), distances(metric, Q, X), rtol=1e-12, atol=1e-15
    )


def test_twice_a_row_has_its_direction_exactly():
    metric = as_metric("cosine", d=5)
    assert (np.diag(distances(metric, X, 4 * X)) == 0).all()


@pytest.mark.parametrize(("name", "ours", "peer", "parameters"), CASES)
def test_a_row_is_prepared_alike_alone_and_among_others(name, ours, peer, parameters):
    metric = as_metric(name, d=5, **ours)
    together = metric.prepare(X)
    assert all((metric.prepare(X[i : i + 1])[0] == together[i]).all() for i in range(len(X)))


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
@pytest.mark.parametrize("name", ["mahalanobis", "seuclidean", "correlation"])
def test_any_number_of_threads(name, n_jobs):
    rows = np.random.default_rng(1).normal(size=(40_000, 12))
    metric = as_metric(name, d=12, X=rows)
    one = metric.prepare(rows, n_jobs=1)
    assert (metric.prepare(rows, n_jobs=n_jobs) == one).all()


@pytest.mark.parametrize(("name", "ours", "peer", "parameters"), CASES)
def test_radii_come_back(name, ours, peer, parameters):
    metric = as_metric(name, d=5, **ours)
    radii = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(metric.finish(metric.reduce(radii)), radii, rtol=1e-14)
    held = metric.reduce(radii)
    assert metric.finish(held, out=held) is held


@pytest.mark.parametrize(("name", "ours", "peer", "parameters"), CASES)
def test_reduced_radii_are_the_largest_within(name, ours, peer, parameters):
    metric = as_metric(name, d=5, **ours)
    radii = np.array([0.0, 1e-200, 1e-5, 0.1, 1.7320508075688772, 2.0, 3.0])
    reduced = metric.reduce_radii(radii)
    assert (metric.finish(reduced) <= radii).all()
    assert (metric.finish(np.nextafter(reduced, np.inf)) > radii)[2:].all()
    assert float(metric.reduce_radii(2.0)) == reduced[5]


def test_plain_metrics_leave_rows_alone():
    for name in ("euclidean", "manhattan", "chebyshev", "hamming", "jaccard"):
        assert as_metric(name, d=5).prepare(X) is X


def test_rows_are_not_written_to():
    rows = X.copy()
    rows.flags.writeable = False
    for name in ("cosine", "correlation", "seuclidean", "mahalanobis"):
        as_metric(name, d=5, X=rows).prepare(rows)
    assert (rows == X).all()


def test_functions():
    metric = as_metric(lambda a, b, c: c, d=3, metric_params={"c": 4.0})
    assert metric.kind == CALLABLE
    assert metric.function(None, None) == 4.0
    assert as_metric(metric, d=3) is metric


ZERO_ROW, EQUAL_ROW = np.ones((5, 3)), np.arange(15.0).reshape(5, 3)
ZERO_ROW[3] = 0
EQUAL_ROW[4] = 0.1
FLAT = X * [1, 1, 0, 1, 1] + 0.1


@pytest.mark.parametrize(
    ("metric", "arguments", "error", "words"),
    [
        ("euclid", {}, ValueError, "metric must be one of 'euclidean'"),
        (3, {}, TypeError, "metric must be one of"),
        ("minkowski", {"p": 0}, ValueError, "p must be greater than 0"),
        ("minkowski", {"p": "x"}, TypeError, "p must be a number"),
        ("minkowski", {"p": np.nan}, ValueError, "p must be finite"),
        ("cosine", {"metric_params": {"w": W}}, ValueError, "'cosine' may hold nothing; got 'w'"),
        ("manhattan", {"metric_params": [1]}, TypeError, "metric_params must be a dict"),
        ("manhattan", {"metric_params": {"w": W[:3]}}, ValueError, r"shape \(5,\); got \(3,\)"),
        ("manhattan", {"metric_params": {"w": -W}}, ValueError, "must not be negative.*column 0"),
        ("manhattan", {"metric_params": {"w": 0 * W}}, ValueError, "zero for every column"),
        ("manhattan", {"metric_params": {"w": "abc"}}, TypeError, "must be an array of shape"),
        ("seuclidean", {"metric_params": {"V": W}}, ValueError, "must be positive.*column 2"),
        ("seuclidean", {}, ValueError, "at least 2 dense rows"),
        ("seuclidean", {"X": FLAT}, ValueError, "Column 2 of X is constant"),
        ("mahalanobis", {"X": FLAT}, ValueError, "covariance of X is singular"),
        ("mahalanobis", {"X": X[:4]}, ValueError, "singular"),
        ("mahalanobis", {"X": X[:, [0, 1, 2, 3, 3]]}, ValueError, "singular"),
        ("mahalanobis", {"metric_params": {"V": -COV}}, ValueError, "singular"),
        ("mahalanobis", {"metric_params": {"V": COV * 1j}}, TypeError, "array of shape"),
        ("mahalanobis", {"X": X * 1e-170}, ValueError, "vanish in float64"),
        ("manhattan", {"p": "two"}, TypeError, "p must be a number; got 'two'"),
        (max, {"metric_params": {1: 2}}, TypeError, "metric_params must be a dict of keyword"),
        ("mahalanobis", {"metric_params": {"V": COV + np.eye(5)[::-1] * np.arange(5)}},
         ValueError, "symmetric"),
        ("mahalanobis", {"metric_params": {"V": COV, "VI": COV}}, ValueError, "Leave one out"),
        ("mahalanobis", {"metric_params": {"V": COV * np.nan}}, ValueError, "must be finite"),
        ("mahalanobis", {"X": X * 1e200}, ValueError, "overflow"),
        ("haversine", {}, ValueError, "2 columns.*X has 5"),
    ],
)  # fmt: skip
def test_sentences(metric, arguments, error, words):
    with pytest.raises(error, match=words):
        as_metric(metric, d=5, **arguments)


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("cosine", ZERO_ROW, r"Q has a row of zeros \(row 3\)"),
        ("correlation", EQUAL_ROW, r"Q has a row of equal values \(row 4\)"),
        ("haversine", np.array([[0.0, 7.0], [48.0, 2.0]]), "beyond a pole: 48.0 in row 1.*radians"),
    ],
)
def test_rows_without_a_distance(name, rows, words):
    with pytest.raises(ValueError, match=words):
        as_metric(name, d=rows.shape[1]).prepare(rows, name="Q")


def test_scaling_that_overflows():
    metric = as_metric("seuclidean", d=1, metric_params={"V": [1e-300]})
    with pytest.raises(ValueError, match="overflow"):
        metric.prepare(np.array([[1e200]]))


def test_a_box_is_never_farther_than_its_rows():
    rng = np.random.default_rng(2)
    for d in (1, 3, 8, 19):
        A, B = rng.normal(size=(40, d)), rng.normal(size=(15, d)) * 0.3
        for name, p in [("euclidean", 2), ("manhattan", 1), ("chebyshev", 1), ("minkowski", 3),
                        ("minkowski", 2.7), ("haversine", 2)]:  # fmt: skip
            kind = metrics.KINDS[name]
            low, exact = np.empty(40), np.empty((40, 15))
            metrics.to_box(A, B.min(axis=0), B.max(axis=0), kind, p, low)
            if name != "haversine":
                metrics.between(A, B, kind, p, exact)
                assert (low <= exact.min(axis=1)).all()
                one = np.empty(40)
                metrics.to_box(A, B[0], B[0], kind, p, one)
                np.testing.assert_allclose(one, exact[:, 0], rtol=1e-13)
            else:
                assert (low == 0).all()


def test_the_plain_metric():
    assert isinstance(_distances.PLAIN, Metric)
    assert _distances.PLAIN.kind == 0
