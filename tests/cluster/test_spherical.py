# SPDX-License-Identifier: BSD-3-Clause
"""Spherical k-means: fixed points by cosines, rows of zeros, weights, sparse rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import Chunks, KMeans, SphericalKMeans


def unit(X):
    return X / np.sqrt((X * X).sum(axis=1, keepdims=True))


@given(seed=st.integers(0, 10**6))
def test_centers_are_directions_of_means_and_rows_go_by_cosine(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4)) * rng.lognormal(0, 3, (60, 1))
    weights = rng.integers(0, 4, 60).astype(float)
    weights[:4] = 1.0
    model = SphericalKMeans(4, random_state=seed, tol=0).fit(X, sample_weight=weights)
    U, C = unit(X), model.cluster_centers_
    np.testing.assert_allclose((C * C).sum(axis=1), 1.0, rtol=1e-12)
    assert ((U @ C.T).argmax(axis=1) == model.labels_).all()
    for c in range(4):
        members = model.labels_ == c
        total = (weights[members, None] * U[members]).sum(axis=0)
        np.testing.assert_allclose(C[c], total / np.sqrt(total @ total), atol=1e-9)
    cosine = (U * C[model.labels_]).sum(axis=1)
    np.testing.assert_allclose(model.inertia_, (weights * (1 - cosine)).sum(), atol=1e-9)
    np.testing.assert_allclose(model.score(X, sample_weight=weights), -model.inertia_, atol=1e-9)
    np.testing.assert_allclose(model.transform(X), 1 - U @ C.T, atol=1e-12)
    assert (model.predict(X * 7.5) == model.labels_).all()


def test_lengths_do_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5))
    a = SphericalKMeans(5, random_state=3).fit(X)
    b = SphericalKMeans(5, random_state=3).fit(X * 2.0 ** rng.integers(-40, 40, (400, 1)))
    assert (a.labels_ == b.labels_).all()
    huge = SphericalKMeans(5, random_state=3).fit(X * 2.0**1000)
    assert (a.labels_ == huge.labels_).all()


def test_on_the_sphere_one_step_is_that_of_k_means():
    U = unit(np.random.default_rng(2).normal(size=(300, 3)))
    a = SphericalKMeans(3, init=U[:3], max_iter=1).fit(U)
    b = KMeans(3, init=U[:3], max_iter=1).fit(U)
    np.testing.assert_allclose(a.cluster_centers_, unit(b.cluster_centers_), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_are_dense_ones(dtype):
    rng = np.random.default_rng(4)
    X = (rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)).astype(dtype)
    assert not X.any(axis=1).all()
    start = X[X.any(axis=1)][:4]
    a = SphericalKMeans(4, init=start).fit(X)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        b = SphericalKMeans(4, init=start).fit(kind(X))
        if dtype == np.float64:
            assert (a.labels_ == b.labels_).mean() > 0.99
            np.testing.assert_allclose(a.inertia_, b.inertia_, rtol=1e-5)
            np.testing.assert_allclose(a.transform(X), b.transform(kind(X)), atol=1e-3)
        # Dense rows are rounded to float32, and sparse ones are not: ties may be decided otherwise.
        np.testing.assert_allclose(a.inertia_, b.inertia_, rtol=0.05)
        assert b.cluster_centers_.dtype == dtype


def test_rows_of_zeros():
    X = np.array([[0.0, 0], [1, 0], [0, 1], [0, 0], [2, 0], [0, 3]])
    model = SphericalKMeans(2, init=[[1, 0], [0, 1]]).fit(X, sample_weight=[3, 1, 1, 1, 1, 1])
    assert model.labels_.tolist() == [0, 0, 1, 0, 0, 1]
    assert model.inertia_ == 4.0
    assert model.cluster_centers_.tolist() == [[1, 0], [0, 1]]
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.transform(X)[0].tolist() == [1, 1]
    assert model.score(X) == -2.0
    with pytest.raises(ValueError, match="rows of zeros have no direction"):
        SphericalKMeans(1).fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="number of rows"):
        SphericalKMeans(5).fit(X)
    stored = sparse.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 1, 2])))
    assert SphericalKMeans(1).fit(stored).inertia_ == 1.0


def test_a_mean_of_zero_stays():
    model = SphericalKMeans(1, init=[[0.0, 2.0]]).fit([[1.0, 0], [-1, 0]])
    assert model.cluster_centers_.tolist() == [[0, 1]]
    assert model.inertia_ == 2.0


def test_threads_give_the_same_bits():
    X = np.random.default_rng(5).normal(size=(20000, 8))
    models = [SphericalKMeans(9, random_state=1, n_jobs=jobs).fit(X) for jobs in (1, 2, 7)]
    for model in models[1:]:
        assert (model.labels_ == models[0].labels_).all()
        assert (model.cluster_centers_ == models[0].cluster_centers_).all()


def test_a_weight_is_a_repeated_row():
    rng = np.random.default_rng(6)
    X, times = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    a = SphericalKMeans(3, init=X[:3]).fit(X, sample_weight=times)
    b = SphericalKMeans(3, init=X[:3]).fit(np.repeat(X, times, axis=0))
    assert (np.repeat(a.labels_, times) == b.labels_).all()
    np.testing.assert_allclose(a.inertia_, b.inertia_)


def test_chunks_are_refused():
    with pytest.raises(TypeError, match="got Chunks"):
        SphericalKMeans(2).fit(Chunks([np.ones((3, 2))]))
