# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of coordinate descent and of least squares beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statfast._core.linear.residuals import gradient_twice
from statfast._core.rows.column_moments import column_moments

from statfast._core.linear import active_gram, columns
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
    column_moments(X, root, mean, sums, squares)
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
        problem = kernel.Penalized(G, c, 50.0, l1, l2, positive, b, q)
        return kernel.descend(problem, goal, 0.0, 0.0, least, 0.0, 0, most, 1e12, work, index)

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


def test_refresh():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((30, 9))
    G, c, b, q = Z.T @ Z, rng.standard_normal(9), rng.standard_normal(9), np.empty(9)
    b[[0, 3]] = 0.0
    kernel.refresh(G, c, b, q)
    np.testing.assert_allclose(q, c - G @ b, atol=1e-12)


def newton(G, c, b, factor, made, l1, l2=0.0, positive=False):
    """Coefficients and gradient after a Newton step."""
    b, q = b.copy(), c - G @ b
    L = factor.L if made else None
    kernel.newton(G, factor.order, L, factor.inverse, l1, l2, positive, b, q,
                  np.empty(4 * len(b)))  # fmt: skip
    return b, q


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 150), turns=st.integers(1, 5))
def test_a_factor_whose_columns_come_and_go(seed, p, turns):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((p + 20, p))
    G, c, kept = Z.T @ Z, rng.standard_normal(p), ActiveGram()
    for _ in range(turns):
        b = rng.standard_normal(p) * (rng.random(p) < rng.uniform(0.1, 1.0))
        if not b.any():
            continue
        ridge = rng.choice([0.0, 0.0, 3.0])
        assert kept.update(G, b, ridge)
        assert kept.ridge == ridge
        some = np.flatnonzero(b)
        np.testing.assert_array_equal(np.sort(kept.order), some)
        got, q = newton(G, c, b, kept, True, 0.0, ridge)  # without l1 it ends at the solution
        inside = G[np.ix_(some, some)] + ridge * np.eye(len(some))
        np.testing.assert_allclose(inside @ got[some], c[some], atol=1e-9)
        np.testing.assert_allclose(q, c - G @ got, atol=1e-9)


def test_the_order_of_what_is_made_anew():
    rng = np.random.default_rng(2)
    b = rng.standard_normal(40)
    b[[3, 30]] = 0.0
    order, mark = np.arange(40), np.empty(40, dtype=np.intp)
    assert active_gram.arrange(b, 0, True, order, mark) == (38, 0)
    want = np.flatnonzero(b)
    np.testing.assert_array_equal(order[:38], want[np.argsort(-np.abs(b[want]), kind="stable")])
    before = order[:38].copy()
    assert active_gram.arrange(b, 38, False, order, mark) == (38, 38)
    np.testing.assert_array_equal(order[:38], before)
    gone = before[active_gram.COLUMNS_AT_ONCE + 3]
    b[gone], b[3] = 0.0, 0.01
    assert active_gram.arrange(b, 38, False, order, mark) == (
        38,
        active_gram.COLUMNS_AT_ONCE,
    )
    np.testing.assert_array_equal(
        order[: active_gram.COLUMNS_AT_ONCE], before[: active_gram.COLUMNS_AT_ONCE]
    )
    tail = np.append(np.delete(before[active_gram.COLUMNS_AT_ONCE :], 3), 3)
    sizes = -np.abs(b[tail])
    np.testing.assert_array_equal(
        order[active_gram.COLUMNS_AT_ONCE : 38], tail[np.argsort(sizes, kind="stable")]
    )


def test_a_factor_of_equal_columns_has_a_little_ridge():
    Z = np.random.default_rng(1).standard_normal((60, 50))
    Z[:, 40] = Z[:, 3]
    G, kept, some = Z.T @ Z, ActiveGram(), np.full(50, 0.5)
    c = G @ np.ones(50)
    assert kept.update(G, some, 0.0)
    assert kept.ridge > 0
    got, _ = newton(G, c, some, kept, True, 0.0)
    np.testing.assert_allclose(G @ got, c, rtol=1e-6)
    np.testing.assert_allclose(got[[3, 40]], 1.0, rtol=1e-5)
    assert not kept.update(np.zeros((50, 50)), some, 0.0)
    fewer = np.where(np.arange(50) < 40, 0.5, 0.0)
    assert kept.update(G, fewer, 0.0)
    assert kept.ridge == 0
    got, _ = newton(G, c, fewer, kept, True, 0.0)
    np.testing.assert_allclose(G[:40, :40] @ got[:40], c[:40], rtol=1e-9)


def slow_least(G, c, b, step, l1, l2):
    """The least of the objective along a step, which is convex: ever finer grids."""

    def value(t):
        x = b + t * step
        return 0.5 * x @ G @ x - c @ x + l1 * np.abs(x).sum() + 0.5 * l2 * x @ x

    low, high = 0.0, 4.0
    for _ in range(40):
        ts = np.linspace(low, high, 9)
        best = int(np.argmin([value(t) for t in ts]))
        low, high = ts[max(best - 1, 0)], ts[min(best + 1, 8)]
    return b + low * step


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1), p=st.integers(1, 30), l1=st.sampled_from([0.1, 3.0, 30.0]),
    l2=st.sampled_from([0.0, 2.0]), made=st.booleans(),
)  # fmt: skip
def test_a_newton_step_ends_where_the_objective_is_least(seed, p, l1, l2, made):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((p + 10, p))
    G, c, b = Z.T @ Z, 9 * rng.standard_normal(p), rng.standard_normal(p)
    b[rng.random(p) < 0.2] = 0.0
    some, kept = np.flatnonzero(b), ActiveGram()
    assert kept.update(G, b, l2)
    down = (c - G @ b - l2 * b - l1 * np.sign(b))[some]
    step = np.zeros(p)
    step[some] = down
    if made:
        step[some] = np.linalg.solve(G[np.ix_(some, some)] + l2 * np.eye(len(some)), down)
    got, q = newton(G, c, b, kept, made, l1, l2)
    np.testing.assert_allclose(q, c - G @ got, atol=1e-8)
    short = np.allclose(got, b + step)  # a step down the gradient is no longer than the gradient
    if not short:
        np.testing.assert_allclose(got, slow_least(G, c, b, step, l1, l2), atol=1e-5)
    elif made:
        assert (np.sign(got) == np.sign(b)).all()
    along, _ = newton(G, c, np.abs(b), kept, made, l1, l2, positive=True)
    assert (along >= -1e-15).all()


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
