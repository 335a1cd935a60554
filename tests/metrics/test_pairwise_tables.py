# SPDX-License-Identifier: BSD-3-Clause
"""Tables of distances and kernels between rows: scipy's and scikit-learn's numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from statfast.metrics import (
    pairwise_distances,
    pairwise_distances_argmin,
    pairwise_distances_argmin_min,
    pairwise_kernels,
)

METRICS = [
    ("euclidean", {}), ("sqeuclidean", {}), ("manhattan", {}), ("chebyshev", {}), ("cosine", {}),
    ("correlation", {}), ("minkowski", {"p": 3}), ("canberra", {}), ("braycurtis", {}),
    ("seuclidean", {}), ("mahalanobis", {}), ("hamming", {}),
]  # fmt: skip
CITY = {"manhattan": "cityblock"}


def rows(n=150, m=333, d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d))


@pytest.mark.parametrize(("metric", "params"), METRICS)
def test_as_scipy(metric, params):
    X, Y = rows()
    if metric == "hamming":
        X, Y = np.round(X), np.round(Y)
    given = dict(params)
    both = np.concatenate([X, Y])
    if metric == "seuclidean":
        given["V"] = both.var(axis=0, ddof=1)
    if metric == "mahalanobis":
        given["VI"] = np.linalg.inv(np.cov(both.T))
    want = cdist(X, Y, CITY.get(metric, metric), **given)
    found = pairwise_distances(X, Y, metric, **params)
    assert_allclose(found, want, rtol=1e-9, atol=1e-12)
    indices, distances = pairwise_distances_argmin_min(X, Y, metric=metric, metric_kwargs=params)
    assert_array_equal(indices, found.argmin(axis=1))
    assert_array_equal(distances, found.min(axis=1))
    kept = pairwise_distances_argmin(X, Y, metric=metric, metric_kwargs=params, axis=0)
    assert_array_equal(kept, found.argmin(axis=0))


@pytest.mark.parametrize(("metric", "params"), METRICS)
def test_of_rows_with_each_other(metric, params):
    X, _ = rows(n=90)
    found = pairwise_distances(X, metric=metric, **params)
    assert found.dtype == np.float64
    assert_array_equal(found, found.T)
    assert_array_equal(found.diagonal(), 0.0)
    if metric not in ("seuclidean", "mahalanobis"):  # whose variances are of X and Y together
        copy = pairwise_distances(X, X.copy(), metric, **params)
        assert_allclose(found, copy, rtol=1e-9, atol=1e-12)


def test_threads_and_layouts_have_the_same_bits():
    X, Y = rows(n=700, m=900)
    plain = pairwise_distances(X, Y, n_jobs=1)
    for n_jobs in (2, 7):
        assert_array_equal(pairwise_distances(X, Y, n_jobs=n_jobs), plain)
    for change in (np.asfortranarray, lambda A: np.repeat(A, 2, axis=1)[:, ::2],
                   lambda A: A[::-1].copy()[::-1]):  # fmt: skip
        assert_array_equal(pairwise_distances(change(X), change(Y)), plain)


def test_a_function_of_two_rows():
    X, Y = rows(n=5, m=7)

    def cityblock(a, b):
        return float(np.abs(a - b).sum())

    assert_allclose(pairwise_distances(X, Y, cityblock), cdist(X, Y, "cityblock"))
    assert_allclose(pairwise_distances(X, metric=cityblock), cdist(X, X, "cityblock"))


def test_missing_values_and_distances_that_are_given():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert_allclose(pairwise_distances(X, X, "nan_euclidean")[0], [0.0, np.sqrt(2.0)])
    D = np.array([[0.0, 2.0], [2.0, 0.0]])
    assert_array_equal(pairwise_distances(D, metric="precomputed"), D)


def test_ties_go_to_the_first():
    assert pairwise_distances_argmin([[0.0]], [[1.0], [-1.0], [1.0]]).tolist() == [0]


def test_far_from_the_origin():
    X = np.array([[1e8, 0.0], [1e8 + 1e-6, 0.0]])
    assert_allclose(pairwise_distances(X)[0, 1], X[1, 0] - X[0, 0], rtol=1e-15)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("linear", {}), ("poly", {}), ("polynomial", {"degree": 2, "gamma": 0.3, "coef0": 0.0}),
        ("rbf", {}), ("rbf", {"gamma": 2.0}), ("sigmoid", {"gamma": 0.1}), ("laplacian", {}),
        ("cosine", {}),
    ],
)  # fmt: skip
def test_kernels_as_scikit_learn(metric, params):
    theirs = pytest.importorskip("sklearn.metrics").pairwise_kernels
    X, Y = rows(n=20, m=30)
    for others in (None, Y):
        want = theirs(X, others, metric, **params)
        assert_allclose(pairwise_kernels(X, others, metric, **params), want, rtol=1e-9, atol=1e-12)


def test_parameters_of_other_kernels():
    X, _ = rows(n=4)
    with pytest.raises(ValueError, match="gamma is not a parameter of the kernel 'linear'"):
        pairwise_kernels(X, gamma=1.0)
    assert_allclose(pairwise_kernels(X, gamma=1.0, filter_params=True), X @ X.T)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: pairwise_distances(X, X[:, :2]), "Y must have the 6 columns of X; got 2"),
        (lambda X: pairwise_distances(X, X * np.nan), "Y"),
        (lambda X: pairwise_distances(X, metric="nonsense"), "metric"),
        (lambda X: pairwise_distances_argmin(X, X, axis=2), "axis"),
        (lambda X: pairwise_distances(X, ensure_all_finite=False), "ensure_all_finite"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call(rows(n=5)[0])


def test_parameters_of_a_metric_are_a_dict():
    with pytest.raises(TypeError, match="metric_kwargs must be a dict or None"):
        pairwise_distances_argmin_min([[0.0]], [[1.0]], metric_kwargs=np.array([1.0, 2.0]))
