# SPDX-License-Identifier: BSD-3-Clause
"""Column moments, normal scores and count tables against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast._core.generative import count_tables, normal_scores
from statfast._core.rows import column_moments

DTYPES = [np.float64, np.float32, np.uint8]
shapes = {
    "n": st.integers(1, 60),
    "d": st.integers(1, 40),
    "classes": st.integers(1, 20),
    "seed": st.integers(0, 2**32 - 1),
}


def rows(n, d, dtype, rng):
    return (rng.integers(0, 200, (n, d)) / (1 if dtype == np.uint8 else 7)).astype(dtype)


@given(**shapes, dtype=st.sampled_from(DTYPES), weighted=st.booleans(), squared=st.booleans())
def test_moments_are_sums(n, d, classes, seed, dtype, weighted, squared):
    rng = np.random.default_rng(seed)
    X, codes = rows(n, d, dtype, rng), rng.integers(0, classes, n)
    weights = rng.integers(0, 3, n) * 0.5 if weighted else None
    shift, mass = rng.normal(size=(classes, d)), np.ones(classes)
    sums, squares = np.ones((classes, d)), np.ones((classes, d))
    column_moments.class_moments(X, codes, weights, shift, mass, sums, squares if squared else None)
    w = np.ones(n) if weights is None else weights
    z = X.astype(float) - shift[codes]
    for k in range(classes):
        own = codes == k
        np.testing.assert_allclose(mass[k], 1 + w[own].sum())
        np.testing.assert_allclose(sums[k], 1 + w[own] @ z[own], rtol=1e-10, atol=1e-9)
        want = 1 + w[own] @ z[own] ** 2 if squared else np.ones(d)
        np.testing.assert_allclose(squares[k], want, rtol=1e-10)


@given(**shapes, dtype=st.sampled_from(DTYPES), real=st.sampled_from(DTYPES[:2]))
def test_normal_scores(n, d, classes, seed, dtype, real):
    rng = np.random.default_rng(seed)
    X = rows(n, d, dtype, rng)
    mean, half = rng.normal(size=(classes, d)), rng.uniform(1e-4, 1e-3, (classes, d))
    begin = rng.normal(size=classes)
    want = begin - (half * (X.astype(float)[:, None] - mean) ** 2).sum(axis=2)
    out = np.empty((n, classes), real)
    tolerance = 1e-12 if real == np.float64 else 1e-5
    assert normal_scores.scores(X, mean, half, begin, out)
    np.testing.assert_allclose(out, want, tolerance, atol=tolerance)
    assert normal_scores.softmax(X, mean, half, begin, out)
    p = np.exp(want - want.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(axis=1, keepdims=True), 1e-10 + tolerance, atol=1e-7)


def test_scores_beyond_float64_are_told():
    X, out = np.array([[1e200], [1.0]]), np.empty((2, 1))
    one = np.ones((1, 1))
    assert not normal_scores.scores(X, one, one, np.zeros(1), out)
    assert normal_scores.scores(X[1:], one, one, np.zeros(1), out[1:])


@given(**shapes, weighted=st.booleans(), valued=st.booleans())
def test_counts_and_scores_of_sparse_rows(n, d, classes, seed, weighted, valued):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 4, (n, d)) * rng.integers(0, 2, (n, d)) * 1.0
    dense = dense if valued else np.minimum(dense, 1.0)
    X = sparse.csr_array(dense)
    codes = rng.integers(0, classes, n)
    weights = rng.random(n) if weighted else None
    start, column = X.indptr.astype(np.intp), X.indices.astype(np.int32)
    value = X.data if valued else None
    table = np.zeros((d, classes))
    count_tables.add_counts(start, column, value, codes, weights, table)
    one_hot = (codes[:, None] == np.arange(classes)) * (1 if weights is None else weights[:, None])
    np.testing.assert_allclose(table, dense.T @ one_hot, rtol=1e-12, atol=1e-12)
    flat = np.append(rng.normal(size=d * classes), np.full(8, np.nan))
    begin, out = rng.normal(size=classes), np.empty((n, classes))
    want = begin + dense @ flat[:-8].reshape(d, classes)
    assert count_tables.scores(start, column, value, flat, begin, False, out)
    np.testing.assert_allclose(out, want, rtol=1e-10, atol=1e-10)
    assert count_tables.scores(start, column, value, flat, begin, True, out)
    p = np.exp(want - want.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-14)
    flat[0] = np.inf
    want_finite = not dense[:, 0].any()
    assert count_tables.scores(start, column, value, flat, begin, False, out) == want_finite


@pytest.mark.parametrize("function", [normal_scores.scores, normal_scores.softmax])
def test_no_rows(function):
    one = np.ones((1, 1))
    assert function(np.empty((0, 1)), one, one, np.zeros(1), np.empty((0, 1)))
