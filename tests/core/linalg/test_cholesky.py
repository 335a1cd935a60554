# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky's factor against numpy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast._core.linalg import cholesky
from statfast._linalg import triangle_inverse


@pytest.mark.parametrize("q", [1, 2, 5, 33])
def test_cholesky(q):
    rng = np.random.default_rng(q)
    half = rng.standard_normal((q, q + 3))
    whole = half @ half.T
    size = np.sqrt(whole.diagonal())
    lower, scale = np.zeros((q, q)), np.empty(q)
    least = cholesky.cholesky(np.tril(whole), lower, scale)
    want = np.linalg.cholesky(whole / size / size[:, None])
    assert_allclose(scale, 1 / size, rtol=1e-14)
    assert_allclose(lower, want, rtol=1e-10, atol=1e-12)
    assert_allclose(least, want.diagonal().min() ** 2, rtol=1e-8)
    x = np.ones(q)
    cholesky.cholesky_solve(lower, scale, x)
    assert_allclose(whole @ x, np.ones(q), rtol=1e-7)
    inverse = np.empty((q, q))
    cholesky.cholesky_inverse(lower, scale, inverse)
    assert_allclose(inverse @ whole, np.eye(q), atol=1e-8)


@pytest.mark.parametrize("first", [1.0, np.nan, -1.0, 0.0])
def test_cholesky_of_what_is_not_positive(first):
    h = np.array([[first, 0], [2, 1]])
    assert cholesky.cholesky(h, np.empty((2, 2)), np.empty(2)) == 0


@pytest.mark.parametrize("q", [0, 1, 2, 3, 4, 5, 8, 33, 40])
def test_inverse_of_a_triangle(q):
    rng = np.random.default_rng(q)
    lower = np.tril(rng.normal(size=(q, q)) * 0.3, -1) + np.diag(rng.uniform(1.0, 2.0, q))
    out = np.zeros((q, q))
    cholesky.triangle_inverse(lower, out)
    assert_allclose(out.T @ lower, np.eye(q), atol=1e-9)
    assert not np.tril(out, -1).any()
    assert_allclose(triangle_inverse(lower, lower=True), out.T, rtol=0)
    assert_allclose(triangle_inverse(lower.T), out, rtol=0)


@pytest.mark.parametrize("q", [129, 600, 1100])
@pytest.mark.parametrize("lower", [False, True])
def test_large_triangles_are_inverted_by_lapack(lower, q):
    rng = np.random.default_rng(0)
    junk = rng.normal(size=(q, q)) * 0.05 + np.eye(q)
    T = np.tril(junk) if lower else np.triu(junk)
    inverse = triangle_inverse(junk, lower=lower)
    assert inverse.flags.c_contiguous
    assert_allclose(inverse @ T, np.eye(q), atol=1e-9)
    assert not (np.triu(inverse, 1) if lower else np.tril(inverse, -1)).any()


def test_a_large_triangle_with_a_zero_on_its_diagonal_is_refused():
    T = np.eye(200)
    T[150, 150] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="zero in row 151"):
        triangle_inverse(T)
