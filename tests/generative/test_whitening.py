# SPDX-License-Identifier: BSD-3-Clause
"""Whitening of regular and singular covariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast.generative.normal.whitening import whiten


def covariance(rng, d, rank, scales):
    factor = rng.normal(size=(d, rank)) * scales[:, None]
    return factor @ factor.T


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(1e-100, 1e100))
def test_regular(d, seed, scale):
    rng = np.random.default_rng(seed)
    scales = scale * 10.0 ** rng.uniform(-6, 6, d)
    S = covariance(rng, d, d + 20, scales)
    white = whiten(S, np.zeros(d), 1e-4)
    assert white.n_lost == len(white.constant) == len(white.collinear) == 0
    assert_allclose(white.root.T @ S @ white.root, np.eye(d), atol=1e-9)
    assert_allclose(white.spread, np.sqrt(np.diag(S)), rtol=1e-15)


@given(st.integers(2, 10), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_singular(d, rank, seed):
    rank = min(rank, d - 1)
    rng = np.random.default_rng(seed)
    S = covariance(rng, d, rank, 10.0 ** rng.uniform(-3, 3, d))
    white = whiten(S, np.zeros(d), 1e-6)
    assert white.root.shape[1] + white.n_lost == d
    assert white.root.shape[1] <= rank
    assert_allclose(white.root.T @ S @ white.root, np.eye(white.root.shape[1]), atol=1e-4)


def test_names_the_collinear_columns_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 3] = 2.0 * X[:, 1] - 1e6
    white = whiten(np.cov(X.T), np.abs(X).max(axis=0), 1e-4)
    assert white.n_lost == 1
    assert_array_equal(white.collinear, [1, 3])
    assert_array_equal(white.constant, [])


def test_constant_columns_have_no_part():
    S = np.diag([4.0, 0.0, 9.0, 1e-18])
    white = whiten(S, np.array([1.0, 1.0, 1.0, 1e8]), 1e-4)
    assert_array_equal(white.constant, [1, 3])  # a spread of 1e-9 about 1e8 is rounding
    assert_array_equal(white.root[[1, 3]], 0.0)
    assert_allclose(white.root.T @ S @ white.root, np.eye(2), atol=1e-14)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_tol_is_a_standard_deviation(tol):
    """Two standardized columns whose difference has standard deviation just below or above tol."""
    for factor, lost in ((0.9, 1), (1.1, 0)):
        small = (factor * tol) ** 2
        S = np.array([[1.0, 1.0 - small], [1.0 - small, 1.0]])  # eigenvalues 2 - small, small
        assert whiten(S, np.zeros(2), tol).n_lost == lost
