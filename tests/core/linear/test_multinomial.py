# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial sums of a block of rows against their twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast._core.linear import multinomial as kernel
from tests.reference import multinomial as twin


def ours(X, codes, weights, shift, scale, intercept, coef):
    n_classes, q = coef.shape
    kp, tall, ld = kernel.shapes(q, n_classes)
    table = np.zeros((q, kp))
    table[:, :n_classes] = coef.T
    loss, gradient = np.zeros(1), np.zeros((kp, ld))
    pairs = np.zeros((n_classes * (n_classes - 1) // 2, tall, ld))
    without = np.zeros(1), np.zeros((kp, ld))
    kernel.sums(X, codes, weights, shift, scale, intercept, table, loss, gradient, pairs, n_classes)
    kernel.sums(X, codes, weights, shift, scale, intercept, table, *without, None, n_classes)
    assert np.array_equal(without[0], loss)
    assert np.array_equal(without[1], gradient)
    gram = np.zeros((tall, ld))
    kernel.gram(X, weights, shift, scale, intercept, gram)
    return loss[0], gradient[:n_classes, :q], np.tril(pairs[:, :q, :q]), np.tril(gram[:q, :q])


def compare(X, codes, weights, intercept, coef, shift, scale):
    found = ours(X, codes, weights, shift, scale, intercept, coef)
    Z = twin.design((np.float64(X) - shift) * scale, intercept)
    weights = np.ones(len(X)) if weights is None else weights
    expected = (
        twin.loss(Z, codes, weights, coef),
        twin.gradient(Z, codes, weights, coef),
        np.tril(twin.pairs(Z, weights, coef)),
        np.tril((weights[:, None] * Z).T @ Z),
    )
    size = 1.0 + np.abs(Z).max(initial=0.0) ** 2 * weights.sum()
    for mine, theirs in zip(found, expected, strict=True):
        assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14 * size)


@given(
    n=st.integers(0, 400),
    d=st.integers(1, 40),
    n_classes=st.integers(2, 12),
    intercept=st.booleans(),
    weighted=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
    seed=st.integers(0, 2**32),
)
def test_like_the_twin(n, d, n_classes, intercept, weighted, dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d + 3)).astype(dtype)[:, :d]  # rows apart
    codes = rng.integers(0, n_classes, n).astype(np.intp)
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    coef = rng.normal(size=(n_classes, d + intercept))
    compare(X, codes, weights, intercept, coef, rng.normal(size=d), np.exp2(rng.integers(-2, 3, d)))


@pytest.mark.parametrize("q", [7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49])
def test_at_every_edge_of_a_strip(q):
    rng = np.random.default_rng(q)
    n = 37
    X, codes = rng.normal(size=(n, q)), rng.integers(0, 3, n).astype(np.intp)
    compare(X, codes, None, False, rng.normal(size=(3, q)), np.zeros(q), np.ones(q))


def test_posteriors_of_0_and_1_are_finite():
    X = np.array([[1.0], [-1.0], [1.0]])
    codes = np.array([1, 0, 0])
    coef = np.array([[-1000.0], [1000.0], [0.0]])
    loss, gradient, pairs, _ = ours(X, codes, None, np.zeros(1), np.ones(1), False, coef)
    assert loss == 2000.0
    assert_allclose(gradient[:, 0], [-1.0, 1.0, 0.0], atol=1e-300)
    assert np.isfinite(pairs).all()


def test_every_other_row_without_a_copy():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(64, 5)), rng.integers(0, 3, 64).astype(np.intp)
    compare(X[::3], codes[::3].copy(), None, True, rng.normal(size=(3, 6)), np.zeros(5), np.ones(5))
