# SPDX-License-Identifier: BSD-3-Clause
"""Concentration steps: the kernel against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statfast._core.generative.concentration import concentrate, fit_rows

from tests.reference.mcd import concentration_step


def of_supports(X, supports):
    count, d = len(supports), X.shape[1]
    out = np.empty((count, d)), np.empty((count, d, d)), np.empty(count)
    fit_rows(X, np.asarray(supports, np.intp), *out)
    return out


@given(st.integers(0, 10**6), st.integers(1, 19), st.integers(20, 70))
def test_distributions_are_means_and_factors_of_covariances(seed, d, m):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, d)) + 3.0
    supports = np.array([rng.permutation(80)[:m] for _ in range(3)])
    centers, factors, log_dets = of_supports(X, supports)
    for k, rows in enumerate(supports):
        S = np.cov(X[rows].T, bias=True).reshape(d, d)
        np.testing.assert_allclose(centers[k], X[rows].mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(factors[k] @ factors[k].T, S, rtol=1e-9, atol=1e-10)
        assert log_dets[k] == pytest.approx(np.linalg.slogdet(S)[1], abs=1e-6)
        assert not np.triu(factors[k], 1).any()


@given(st.integers(0, 10**6), st.integers(1, 19), st.integers(1, 4))
def test_steps_are_those_of_the_definition(seed, d, n_steps):
    rng = np.random.default_rng(seed)
    n, h = int(rng.integers(3 * d + 5, 150)), 0
    h = int(rng.integers(2 * d + 3, n + 1))
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    start = np.sort(rng.permutation(n)[: d + 3])[None]
    out = of_supports(X, start)
    supports = np.full((1, h), -1, np.intp)
    concentrate(X, 1, *out, supports)
    for _ in range(n_steps):
        expected = concentration_step(X, supports[0])
        before = out[2][0]
        concentrate(X, 1, *out, supports)
        np.testing.assert_array_equal(supports[0], expected)
        assert out[2][0] <= before + 1e-9


def test_ties_go_to_the_lowest_rows_and_equal_rows_have_a_factor():
    X = np.zeros((9, 2))
    X[8] = 1.0
    out = of_supports(X, [[0, 1, 2]])
    supports = np.full((1, 5), -1, np.intp)
    concentrate(X, 3, *out, supports)
    assert supports[0].tolist() == [0, 1, 2, 3, 4]
    assert np.isfinite(out[1]).all()


def test_several_steps_stop_where_rows_stay():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    starts = np.array([rng.permutation(90)[:4] for _ in range(6)])
    many, few = of_supports(X, starts), of_supports(X, starts)
    after, other = np.full((6, 50), -1, np.intp), np.full((6, 50), -1, np.intp)
    concentrate(X, 60, *many, after)
    for _ in range(60):
        concentrate(X, 1, *few, other)
    np.testing.assert_array_equal(after, other)
    np.testing.assert_array_equal(many[2], few[2])
