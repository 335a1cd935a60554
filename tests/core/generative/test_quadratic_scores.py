# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of quadratic scores and of class scatters against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from statfast._core.rows.class_scatters import class_scatters

from statfast._core.generative import quadratic_scores as kernel


@st.composite
def rules(draw):
    """A block of rows and a quadratic rule."""
    b, d, n_classes = draw(st.integers(1, 40)), draw(st.integers(1, 40)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.uint8]))
    X = rng.integers(0, 256, (b, d)) if dtype is np.uint8 else rng.normal(size=(b, d))
    triangular = draw(st.booleans())
    r = d if triangular else draw(st.integers(1, d))
    factors = rng.normal(size=(n_classes, r, d)) * draw(st.sampled_from([0.01, 0.2]))
    factors = np.tril(factors) if triangular else factors
    origins = rng.normal(size=(n_classes, d)).astype(np.float32)
    offsets, heights = rng.normal(size=(n_classes, r)), rng.normal(size=n_classes)
    return X.astype(dtype), factors, offsets, origins, heights, triangular


def twin(X, factors, offsets, origins, heights, triangular):
    out = np.empty((len(X), len(factors)))
    for i, x in enumerate(X.astype(float)):
        for k, A in enumerate(factors):
            out[i, k] = heights[k] - ((A @ (x - origins[k]) - offsets[k]) ** 2).sum() / 2
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(rule=rules())
def test_scores_match_twin(dtype, rule):
    expected, out = twin(*rule), np.empty((len(rule[0]), len(rule[1])), dtype)
    assert kernel.scores(*rule, out)
    slack = 2e-7 if dtype is np.float32 else 1e-11
    assert_allclose(out, expected, rtol=slack, atol=slack)
    kernel.softmax(*rule, out)
    share = np.exp(expected - expected.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    size = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(out - share) <= slack * (1 + size)).all()
    winners = np.empty(len(out), np.intp)
    kernel.argmax(*rule, winners)
    assert_allclose(expected[np.arange(len(out)), winners], expected.max(axis=1), rtol=1e-11)


def test_ties_go_to_the_lowest_class_and_bad_rows_are_told():
    rule = np.ones((3, 2, 2)), np.zeros((3, 2)), np.zeros((3, 2), np.float32), np.zeros(3), False
    X, winners = np.random.default_rng(0).normal(size=(100, 2)), np.empty(100, np.intp)
    assert kernel.argmax(X, *rule, winners)
    assert_array_equal(winners, 0)
    X[77, 1] = np.nan
    assert not kernel.scores(X, *rule, np.empty((100, 3)))


@given(
    st.integers(0, 80), st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1),
    st.booleans(), st.sampled_from([np.float64, np.float32, np.uint8]),
)  # fmt: skip
def test_scatters_match_the_definition(n, d, n_classes, seed, weighted, dtype):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 20, (n, d)).astype(dtype)
    codes = rng.integers(0, n_classes, n)
    weights = rng.integers(0, 3, n).astype(float) if weighted else None
    shift = rng.integers(0, 20, (n_classes, d)).astype(float)
    mass, sums = np.full(n_classes, 2.0), np.full((n_classes, d), 3.0)
    scatter = np.full((n_classes, d, d), 5.0)
    class_scatters(X, codes, weights, shift, mass, sums, scatter)
    for k in range(n_classes):
        u = X[codes == k].astype(float) - shift[k]
        w = np.ones(len(u)) if weights is None else weights[codes == k]
        assert mass[k] == 2.0 + w.sum()
        assert_array_equal(sums[k], 3.0 + w @ u)
        assert_array_equal(np.tril(scatter[k]), np.tril(5.0 + (u.T * w) @ u))  # integers: exact


def test_scatters_of_more_rows_than_a_sheet():
    rng = np.random.default_rng(0)
    X, codes = rng.integers(0, 9, (5000, 7)).astype(float), rng.integers(0, 2, 5000)
    mass, sums, scatter = np.zeros(2), np.zeros((2, 7)), np.zeros((2, 7, 7))
    class_scatters(X, codes, None, np.zeros((2, 7)), mass, sums, scatter)
    for k in range(2):
        assert_array_equal(np.tril(scatter[k]), np.tril(X[codes == k].T @ X[codes == k]))
