# SPDX-License-Identifier: BSD-3-Clause
"""Ward's method from rows against that from a matrix, and scipy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from statfast.cluster import linkage


@pytest.fixture(scope="module", autouse=True, params=[0, 400])
def rows_by_matrix(request):
    """Few rows are merged from their matrix: every test goes the way of many rows, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("statfast.cluster.hierarchy.linkage.MAX_ROWS_OF_WARD_MATRIX", request.param)
        yield


@given(seed=st.integers(0, 2**32), n=st.integers(2, 90), d=st.integers(1, 12))
@settings(max_examples=40)
def test_is_scipys(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    Z = linkage(X, "ward")
    assert_allclose(Z, hierarchy.linkage(X, "ward"), rtol=1e-10)


@pytest.mark.parametrize("d", [2, 8, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_larger_and_any_threads(d, dtype):
    X = (100 + np.random.default_rng(d).normal(size=(1500, d))).astype(dtype)
    Z = linkage(X, "ward", n_jobs=1)
    assert_allclose(Z, hierarchy.linkage(X.astype(float), "ward"), rtol=1e-10)
    for n_jobs in (2, 7):
        assert_array_equal(linkage(X, "ward", n_jobs=n_jobs), Z)


def test_equal_rows_are_merged_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))[rng.integers(0, 60, 300)]
    Z = linkage(X, "ward")
    distinct = len(np.unique(X, axis=0))
    assert_array_equal(Z[: 300 - distinct, 2], 0)
    assert_allclose(Z[:, 2], hierarchy.linkage(X, "ward")[:, 2], rtol=1e-9, atol=1e-7)
    assert_array_equal(linkage(np.ones((5000, 2)), "ward")[:, 2], 0)


def test_ties():
    X = np.stack(np.meshgrid(np.arange(15.0), np.arange(15.0)), axis=-1).reshape(-1, 2)
    Z = linkage(X, "ward")
    assert hierarchy.is_valid_linkage(Z)
    assert_allclose(Z[:75, 2], 1)
    # Any tree accounts for the same sum of squares: half of all squared heights.
    assert (Z[:, 2] ** 2).sum() / 2 == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert linkage(pdist(X), "ward")[:75, 2] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_any_scale(scale):
    X = np.random.default_rng(1).normal(size=(60, 4))
    assert_allclose(
        linkage(X * scale, "ward")[:, 2] / scale, hierarchy.linkage(X, "ward")[:, 2], rtol=1e-10
    )


def test_overflow():
    with pytest.raises(ValueError, match="Scale X down"):
        linkage([[1e308], [-1e308]], "ward")
