# SPDX-License-Identifier: BSD-3-Clause
"""Residuals by the fits without each row against fits in numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from statfast._core.linalg.leverages import residuals_left_out

DTYPES = [np.float64, np.float32, np.uint8]


def left_out(X, Y, weights, center, both, middle, share=0.0, min_rest=1e-5):
    """What the kernel gives, with room beyond its arrays that it must leave alone."""
    n, T = Y.shape
    scores = np.full((n + 1, len(both)), 7.0)
    out, certain = np.full((n + 1, T), 7.0), np.full(n + 1, 7, dtype=np.uint8)
    residuals_left_out(
        X, Y, weights, center, both, middle, share, min_rest, scores[:n], out[:n], certain[:n]
    )
    assert (scores[n] == 7.0).all()
    assert (out[n] == 7.0).all()
    assert certain[n] == 7
    return scores[:n], out[:n], certain[:n]


def twin(X, Y, weights, center, both, middle, share):
    """The definition: residuals over what the leverage leaves."""
    r = len(both) - Y.shape[1]
    products = (X - center) @ both.T
    leverage = (products[:, :r] ** 2).sum(axis=1) + share**2
    leverage *= 1.0 if weights is None else weights
    residuals = Y - middle - products[:, r:]
    return products[:, :r], residuals / (1.0 - leverage)[:, None], leverage


@given(
    st.integers(0, 70), st.integers(0, 40), st.integers(0, 40), st.integers(1, 4),
    st.sampled_from(DTYPES), st.booleans(), st.booleans(), st.integers(0, 2**32),
)  # fmt: skip
def test_residuals_are_those_of_the_definition(n, d, r, T, dtype, weighted, triangular, seed):
    rng = np.random.default_rng(seed)
    room = np.full((n, d + 5), np.nan if np.issubdtype(dtype, np.floating) else 255, dtype)
    room[:, 2 : d + 2] = 10 * rng.random((n, d))
    X, Y = room[:, 2 : d + 2], rng.standard_normal((n, T))
    weights, center = rng.random(n) if weighted else None, 10 * rng.random(d)
    both = rng.standard_normal((r + T, d)) / (40.0 * max(d, 1))
    if triangular:
        both[:r] = np.tril(both[:r])
    middle, share = rng.standard_normal(T), 0.1
    scores, out, certain = left_out(X, Y, weights, center, both, middle, share)
    exact = X.astype(np.float64)
    expected_scores, expected, leverage = twin(exact, Y, weights, center, both, middle, share)
    assert (certain == (leverage < 1.0 - 1e-5)).all()
    sure = certain == 1
    assert_allclose(scores[:, :r], expected_scores, rtol=1e-11, atol=1e-12)
    assert (scores[:, r] == share).all()
    assert_allclose(out[sure], expected[sure], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [65, 700])
@pytest.mark.parametrize("d", [3, 130])
def test_residuals_are_those_of_fits_without_each_row(n, d):
    rng = np.random.default_rng(n + d)
    if n < 2 * d:
        n = 2 * d
    X, y = rng.standard_normal((n, d)) + 3.0, rng.standard_normal(n)
    table = np.column_stack([np.ones(n), X])
    center, R = X.mean(axis=0), np.linalg.qr(X - X.mean(axis=0), mode="r")
    coef = np.linalg.lstsq(table, y, rcond=None)[0]
    both = np.ascontiguousarray(np.vstack([np.linalg.inv(R).T, coef[1:]]))
    middle = np.array([coef[0] + coef[1:] @ center])
    _, out, certain = left_out(X, y[:, None], None, center, both, middle, n**-0.5)
    assert certain.all()
    for i in (0, 1, n // 2, n - 1):
        kept = np.arange(n) != i
        fit = np.linalg.lstsq(table[kept], y[kept], rcond=None)[0]
        assert_allclose(out[i, 0], y[i] - table[i] @ fit, rtol=1e-9)


def test_what_is_not_certain_is_marked():
    X = np.array([[1.0], [0.1], [np.inf], [0.2]])
    Y = np.array([[3.0], [1.0], [1.0], [1e308]])
    both = np.array([[1.0], [0.5]])
    _, out, certain = left_out(X, Y, None, np.zeros(1), both, np.array([-1e308]))
    assert certain.tolist() == [0, 1, 0, 0]
    assert out[0, 0] == 3.0 - 0.5 + 1e308  # A leverage of 1: the residual as it is.
    assert_allclose(out[1, 0], 1e308 / 0.99, rtol=1e-12)
