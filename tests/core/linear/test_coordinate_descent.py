# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of coordinate descent and of least squares beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statfast._core.linear.residuals import gradient_twice

from statfast._core.linear import columns
from statfast._core.linear import coordinate_descent as kernel
from statfast.linear.penalized.active_gram import ActiveGram

orders = st.sampled_from("FC")
types = st.sampled_from([np.float64, np.float32])


def table(seed, n, p, order, dtype):
    rng = np.random.default_rng(seed)
    return np.asarray(rng.standard_normal((n, p)) + 3, dtype=dtype, order=order)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300), p=st.integers(1, 40), order=orders,
    dtype=types,
)  # fmt: skip
def test_products(seed, n, p, order, dtype):
    X = table(seed, n, p, order, dtype)
    rng = np.random.default_rng(seed)
    v, mean, scale = rng.standard_normal(n), rng.standard_normal(p), rng.uniform(0.5, 2, p)
    root = rng.uniform(0, 2, n)
    wide = X.astype(float)
    out = np.zeros(p)
    columns.correlate(X, v, None, out)
    np.testing.assert_allclose(out, wide.T @ v, rtol=1e-10, atol=1e-10)
    index = rng.permutation(p)[: p // 2 + 1].astype(np.intp)
    fit = np.zeros(n)
    coef = rng.standard_normal(len(index))
    columns.combine(X, index, coef, fit)
    np.testing.assert_allclose(fit, wide[:, index] @ coef, rtol=1e-10, atol=1e-10)
    sums, squares = np.zeros(p), np.zeros(p)
    columns.moments(X, root, mean, sums, squares)
    np.testing.assert_allclose(sums, root @ (wide - mean), atol=1e-9)
    np.testing.assert_allclose(squares, root @ (wide - mean) ** 2, rtol=1e-10)
    Z = (wide - mean) * scale * root[:, None]
    gram = np.zeros((len(index), p))
    every = np.arange(p, dtype=np.intp)
    columns.gram(X, root, mean, scale, index, every, p, gram)
    np.testing.assert_allclose(gram, Z[:, index].T @ Z, rtol=1e-10, atol=1e-9)
    lower = np.zeros((p, p))
    columns.gram(X, root, mean, scale, every, every, 0, lower)
    np.testing.assert_allclose(np.tril(lower), np.tril(Z.T @ Z), rtol=1e-10, atol=1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 100), p=st.integers(1, 20))
def test_both_orders_give_the_same_bits(seed, n, p):
    X = table(seed, n, p, "C", np.float64)
    rng = np.random.default_rng(seed)
    v, coef = rng.standard_normal(n), rng.standard_normal(p)
    found = []
    for rows in (X, np.asfortranarray(X)):
        out, fit = np.zeros(p), np.zeros(n)
        columns.correlate(rows, v, None, out)
        columns.combine(rows, np.arange(p, dtype=np.intp), coef, fit)
        found.append((out, fit))
    for a, b in zip(*found, strict=True):
        assert (a == b).all()


def slow_sweep(G, order, l1, l2, positive, b, q):
    for j in order:
        if G[j, j] + l2 <= 0:
            continue
        z = q[j] + G[j, j] * b[j]
        now = max(z - l1, 0) - (0 if positive else max(-z - l1, 0))
        step = now / (G[j, j] + l2) - b[j]
        b[j] += step
        q -= step * G[j]


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1), p=st.integers(1, 70), l2=st.sampled_from([0.0, 1.0]),
    positive=st.booleans(),
)  # fmt: skip
def test_sweeps(seed, p, l2, positive):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((50, p))
    Z[:, 0] = 0.0
    G, c = Z.T @ Z, Z.T @ rng.standard_normal(50)
    b, q = np.zeros(p), c.copy()

    def descend(l1, goal, most, least=1e9):
        work, index = np.empty(p * p // 4 + 4 * p), np.empty(3 * p, dtype=np.intp)
        return kernel.descend(G, c, 50.0, l1, l2, positive, goal, 0.0, 0.0, least, 0.0, 0, most,
                               1e12, b, q, work, index)  # fmt: skip

    state, made, _ = descend(2.0, -1.0, 1)
    assert made == 1
    want, left = np.zeros(p), c.copy()
    slow_sweep(G, range(p), 2.0, l2, positive, want, left)
    np.testing.assert_allclose(b, want, atol=1e-12)
    np.testing.assert_allclose(q, c - G @ b, atol=1e-9)
    state, made, since = descend(2.0, -1e9, 40, least=3)
    if state == kernel.SLOW:
        assert 2 <= since <= 4 + 2 * p
    np.testing.assert_allclose(q, c - G @ b, atol=1e-9)
    state, _, _ = descend(1e9, -1e9, 50)
    assert state == kernel.DONE
    assert not b.any()


def test_shift():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((30, 9))
    G = Z.T @ Z
    index = np.array([1, 4, 8], dtype=np.intp)
    q = rng.standard_normal(9)
    want = q - G[:, index] @ [1.0, 0.0, -2.0]
    kernel.shift(G, index, np.array([1.0, 0.0, -2.0]), 9, q)
    np.testing.assert_allclose(q, want, atol=1e-12)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 150), turns=st.integers(1, 5))
def test_a_factor_whose_columns_come_and_go(seed, p, turns):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((p + 20, p))
    G, kept = Z.T @ Z, ActiveGram()
    for _ in range(turns):
        some = np.flatnonzero(rng.random(p) < rng.uniform(0.1, 1.0))
        if not len(some):
            continue
        ridge = rng.choice([0.0, 0.0, 3.0])
        where = kept.update(G, some, rng.standard_normal(len(some)), ridge)
        r = rng.standard_normal(len(some))
        inside = G[np.ix_(some, some)] + ridge * np.eye(len(some))
        np.testing.assert_allclose(inside @ kept.solve(r, where), r, atol=1e-9)


def test_a_factor_of_equal_columns_has_a_little_ridge():
    Z = np.random.default_rng(1).standard_normal((60, 50))
    Z[:, 40] = Z[:, 3]
    G, kept = Z.T @ Z, ActiveGram()
    some = np.arange(50)
    r = G @ np.ones(50)
    x = kept.solve(r, kept.update(G, some, np.ones(50), 0.0))
    assert kept.ridge > 0
    np.testing.assert_allclose(G @ x, r, rtol=1e-6)
    np.testing.assert_allclose(x[[3, 40]], 1.0, rtol=1e-5)
    assert kept.update(np.zeros((50, 50)), some, np.ones(50), 0.0) is None
    fewer = np.arange(40)
    x = kept.solve(r[fewer], kept.update(G, fewer, np.ones(40), 0.0))
    assert kept.ridge == 0
    np.testing.assert_allclose(G[:40, :40] @ x, r[:40], rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_in_twice_the_precision(weighted):
    from fractions import Fraction

    rng = np.random.default_rng(1)
    X, b, y = rng.standard_normal((40, 3)) * 1e6, rng.standard_normal(3), rng.standard_normal(40)
    rest = b * 1e-17
    y = X @ b + 1e-9 * y
    w = rng.uniform(0.5, 2, 40) if weighted else None
    exact = np.zeros(5, dtype=object)
    for i in range(40):
        r = Fraction(y[i]) - sum(
            Fraction(x) * (Fraction(c) + Fraction(d)) for x, c, d in zip(X[i], b, rest, strict=True)
        )
        wr = r * (Fraction(w[i]) if weighted else 1)
        exact += [wr, *(wr * Fraction(x) for x in X[i]), wr * r]
    want = exact.astype(float)
    twice = np.zeros((2, 5))
    gradient_twice(X, y, w, b, rest, 0.0, 0.0, twice)
    np.testing.assert_allclose(twice.sum(0), want, rtol=1e-14)
