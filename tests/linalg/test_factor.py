# SPDX-License-Identifier: BSD-3-Clause
"""Systems with a positive matrix beside numpy's, on both sides of every threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import _linalg


def positive(seed, q, span=3.0):
    """A matrix whose columns have sizes of their own, and its lower triangle over rubbish."""
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((q, q + 5)) * 10.0 ** rng.uniform(-span, span, (q, 1))
    whole = half @ half.T
    return whole, np.tril(whole) + np.triu(rng.standard_normal((q, q)), 1)


def check(q, seed):
    whole, lower = positive(seed, q)
    size = np.sqrt(whole.diagonal())
    scaled = whole / size / size[:, None]
    factor = _linalg.CholeskyFactor(lower)
    want = np.linalg.cholesky(scaled)
    np.testing.assert_allclose(np.tril(factor.lower), want, atol=1e-9)
    np.testing.assert_allclose(factor.pivot, want.diagonal().min() ** 2, rtol=1e-6)
    right = size * np.random.default_rng(seed).standard_normal(q)
    x = factor.solve(right)
    np.testing.assert_allclose(scaled @ (x * size), right / size, atol=1e-8)
    inverse = factor.inverse()
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose((inverse * size * size[:, None]) @ scaled, np.eye(q), atol=1e-7)
    assert type(_linalg.factored(lower)) is _linalg.CholeskyFactor


@given(q=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
def test_factor(q, seed):
    check(q, seed)


@pytest.mark.parametrize("q", [256, 257, 503])
def test_many_columns(q):
    check(q, 0)


def test_columns_for_a_library(monkeypatch):
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_CHOLESKY_KERNEL", 10)
    check(11, 1)
    check(300, 2)


@pytest.mark.parametrize("q", [3, 30])
def test_columns_that_are_the_same(q):
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((q, q - 2))
    Z = np.column_stack([Z, Z[:, 0], Z[:, 0]])  # rank q - 2
    whole = Z.T @ Z
    assert _linalg.CholeskyFactor(np.tril(whole)).pivot <= 1e-13
    x = _linalg.factored(np.tril(whole) * 1.0)
    x = x.solve(whole @ np.ones(q))
    np.testing.assert_allclose(whole @ x, whole @ np.ones(q), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("small", [0, 10])
@pytest.mark.parametrize("first", [0.0, -1.0, np.nan])
def test_what_is_not_positive(monkeypatch, small, first):
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_CHOLESKY_KERNEL", small)
    h = np.eye(7)
    h[0, 0] = first
    assert not _linalg.CholeskyFactor(h).pivot > 0


def test_a_matrix_is_written_to_only_where_that_is_allowed(monkeypatch):
    monkeypatch.setattr(_linalg, "MAX_COLUMNS_OF_CHOLESKY_KERNEL", 10)
    lower = positive(1, 30)[1]
    before = lower.copy()
    want = _linalg.CholeskyFactor(lower)
    np.testing.assert_array_equal(lower, before)
    got = _linalg.CholeskyFactor(lower, overwrite=True)
    np.testing.assert_array_equal(got.lower, want.lower)
    assert got.pivot == want.pivot
    assert not np.array_equal(lower, before)
