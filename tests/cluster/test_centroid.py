# SPDX-License-Identifier: BSD-3-Clause
"""The centroid and median methods from rows against those from a matrix, and scipy's."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from statfast.cluster import linkage
from statfast.cluster.hierarchy import point_linkage as centroid
from statfast.cluster.hierarchy.linkage import MAX_COLUMNS_OF_POINTS

METHODS = ("centroid", "median")


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 120), d=st.integers(1, 12))
@settings(max_examples=30)
def test_is_scipys(method, seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert_allclose(linkage(X, method), hierarchy.linkage(X, method), rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [2, 8, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_larger_and_any_threads(method, d, dtype):
    X = (100 + np.random.default_rng(d).normal(size=(1200, d))).astype(dtype)
    Z = linkage(X, method, n_jobs=1)
    assert_allclose(Z, hierarchy.linkage(X.astype(float), method), rtol=1e-10)
    for n_jobs in (2, 7):
        assert_array_equal(linkage(X, method, n_jobs=n_jobs), Z)


@pytest.mark.parametrize("method", METHODS)
def test_columns_are_left_out_and_work_is_interrupted(method, monkeypatch):
    X = np.random.default_rng(0).normal(size=(400, 3))
    expected = linkage(X, method)
    monkeypatch.setattr(centroid, "CLUSTERS_PER_FREE_COLUMN", 100)
    monkeypatch.setattr(centroid, "MIN_FREE_COLUMNS", 1)
    monkeypatch.setattr(centroid, "NUMBERS_PER_CALL", 2000)
    assert_array_equal(linkage(X, method), expected)


@pytest.mark.parametrize("method", METHODS)
def test_many_columns_without_memory_for_a_matrix(method, monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, MAX_COLUMNS_OF_POINTS + 1))
    expected = linkage(X, method)
    monkeypatch.setattr(
        sys.modules["statfast.cluster.hierarchy.linkage"], "fits", lambda nbytes: False
    )
    assert_allclose(linkage(X, method), expected, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_equal_rows_and_ties(method):
    assert_array_equal(linkage(np.ones((3000, 2)), method)[:, 2], 0)
    X = np.repeat(np.random.default_rng(2).normal(size=(50, 3)), 6, axis=0)
    Z = linkage(X, method)
    assert_array_equal(Z[:250, 2], 0)
    assert hierarchy.is_valid_linkage(Z)
    X = np.stack(np.meshgrid(np.arange(15.0), np.arange(15.0)), axis=-1).reshape(-1, 2)
    Z = linkage(X, method)
    assert hierarchy.is_valid_linkage(Z)
    # Each merge is at the distance of two means, or midpoints, and is the nearest there is.
    where, alive = [*X], dict.fromkeys(range(len(X)))
    size = np.concatenate([np.ones(len(X)), Z[:, 3]])
    for a, b, height, _ in Z:
        points = np.array([where[k] for k in alive])
        assert height == pytest.approx(np.linalg.norm(where[int(a)] - where[int(b)]), rel=1e-12)
        assert height == pytest.approx(pdist(points).min(), rel=1e-12)
        f, g = (size[int(a)], size[int(b)]) if method == "centroid" else (1, 1)
        where.append((f * where[int(a)] + g * where[int(b)]) / (f + g))
        del alive[int(a)], alive[int(b)]
        alive[len(where) - 1] = None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_any_scale(method, scale):
    X = np.random.default_rng(1).normal(size=(60, 4))
    expected = hierarchy.linkage(X, method)[:, 2]
    assert_allclose(linkage(X * scale, method)[:, 2] / scale, expected, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_overflow(method):
    with pytest.raises(ValueError, match="Scale X down"):
        linkage([[1e308], [-1e308]], method)
