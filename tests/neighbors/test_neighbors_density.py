# SPDX-License-Identifier: BSD-3-Clause
"""Densities by nearest neighbors against their definition; weights, repeated rows and refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import neighbors_density
from tests.reference import kernel_density as twin


def normal_rows(n=200, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, np.inf])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [1, 3, 12])
def test_the_definition(p, weighted, d):
    X, Q = normal_rows(200, d), normal_rows(30, d, 1)
    weights = (
        np.random.default_rng(2).choice([0.0, 0.25, 1.0, 2.5], 200) if weighted else np.ones(200)
    )
    given = {"metric": "minkowski", "metric_params": {"p": p}}
    if weighted:
        given["sample_weight"] = weights
    for k in (1, 7, 60):
        want = twin.neighbors_log_densities(Q, X, weights, k, p)
        assert_allclose(neighbors_density(X, Q, n_neighbors=k, **given), want, rtol=1e-11)
        kept = ~np.eye(200, dtype=bool)
        alone = [
            twin.neighbors_log_densities(X[i : i + 1], X[kept[i]], weights[kept[i]], k, p)[0]
            for i in range(200)
        ]
        assert_allclose(neighbors_density(X, n_neighbors=k, **given), alone, rtol=1e-11)


def test_a_weight_is_a_repeated_row():
    X, Q = normal_rows(), normal_rows(20, 3, 1)
    weights = np.random.default_rng(0).integers(0, 4, 200)
    weighted = neighbors_density(X, Q, sample_weight=weights)
    assert_allclose(weighted, neighbors_density(np.repeat(X, weights, axis=0), Q), rtol=1e-12)


def test_equal_rows_have_infinite_density():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    got = np.exp(neighbors_density(X, [[0.0], [5.0]], n_neighbors=3))
    assert_allclose(got, [np.inf, 0.075], rtol=1e-14)
    assert_array_equal(np.isposinf(neighbors_density(X, n_neighbors=2)), [True, True, True, False])


def test_units_and_linear_maps():
    """Densities change by the volume of the unit; so they do where the metric has one."""
    X, Q = normal_rows(), normal_rows(20, 3, 1)
    plain = neighbors_density(X, Q)
    for scale in (1e-200, 1e-3, 1e100):
        got = neighbors_density(scale * X, scale * Q)
        assert_allclose(got, plain - 3.0 * np.log(scale), rtol=1e-11)
    V = np.array([4.0, 1.0, 0.25])
    seen = neighbors_density(X, Q, metric="seuclidean", metric_params={"V": V})
    by_hand = neighbors_density(X / np.sqrt(V), Q / np.sqrt(V)) - 0.5 * np.log(V).sum()
    assert_allclose(seen, by_hand, rtol=1e-12)
    full = neighbors_density(X, Q, metric="mahalanobis", metric_params={"V": np.diag(V)})
    assert_allclose(full, by_hand, rtol=1e-11)


def test_it_tends_to_the_density():
    X = np.random.default_rng(0).random((100_000, 2))
    got = np.exp(neighbors_density(X, [[0.5, 0.5], [0.3, 0.6]], n_neighbors=1000))
    assert_allclose(got, 1.0, rtol=0.1)


def test_algorithms_and_threads_agree():
    X = normal_rows(3000, 2)
    want = neighbors_density(X, n_neighbors=9)
    for algorithm in ("kd_tree", "ball_tree", "brute"):
        for n_jobs in (1, 2, 7):
            got = neighbors_density(X, n_neighbors=9, algorithm=algorithm, n_jobs=n_jobs)
            assert_array_equal(got, want)
    single = neighbors_density(X.astype(np.float32), n_neighbors=9)
    assert_allclose(single, want, rtol=1e-4)


REFUSED = [
    ({"n_neighbors": 0}, "n_neighbors must be"),
    ({"n_neighbors": 201, "queries": np.zeros((1, 3))}, "at most the weight of the rows"),
    ({"n_neighbors": 200}, "besides the row itself"),
    ({"n_neighbors": 3, "sample_weight": np.full(200, 0.01)}, "besides the row itself"),
    ({"metric": "cosine"}, "metric must be one of"),
    ({"algorithm": "fast"}, "algorithm must be"),
    ({"queries": np.zeros((2, 2))}, "2"),
    ({"queries": [[np.nan, 0.0, 0.0]]}, "NaN|nan"),
    ({"sample_weight": [1.0]}, "sample_weight"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_what_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        neighbors_density(normal_rows(), **arguments)
