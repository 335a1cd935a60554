# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of dual coordinate descent, and its sums over sparse rows, beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast._core.svm import dual_descent as kernel
from tests.reference import linear_svm as twin


def problem(seed, n, d, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    X[rng.random((n, d)) < 0.4] = 0.0
    soft = rng.uniform(0, 1, n) * rng.integers(2)
    high = rng.uniform(0.1, 2, n) * (rng.random(n) < 0.7)
    low = -rng.uniform(0.1, 2, n) * ((rng.random(n) < 0.5) | (high == 0))
    target = rng.standard_normal(n)
    wide = X.astype(float)
    curve = (wide**2).sum(axis=1) + 4.0 + soft
    return X, np.array([target, curve, soft, low, high])


def state_of(terms):
    """What the kernel takes, all multipliers 0."""
    target, curve, soft, low, high = terms
    share = np.divide(1.0, curve, where=curve > 0, out=np.zeros_like(curve))
    nothing = np.zeros_like(curve)
    return np.column_stack([target, share, soft, low, high, nothing, nothing, nothing])


def one_sweep(X, terms, bias, epsilon, slack, beta, v, order):
    """The same steps in plain numpy."""
    target, curve, soft, low, high = terms
    kept, seen = [], []
    for i in order:
        x, old = X[i].astype(float), beta[i]
        g = x @ v[1:] + v[0] - target[i] + soft[i] * old
        right, left = g + epsilon * (1 if old >= 0 else -1), g + epsilon * (1 if old > 0 else -1)
        pull = right if old < high[i] and right < 0 else left if old > low[i] and left > 0 else 0.0
        at_high, at_low = old >= high[i], old <= low[i]
        if (at_high or right > slack) and (at_low or left < -slack):
            continue
        kept.append(i)
        seen.append(pull if high[i] > 0 else -pull)
        if abs(pull) <= 1e-12:
            continue
        z = old - g / curve[i]
        beta[i] = np.clip(np.sign(z) * max(abs(z) - epsilon / curve[i], 0), low[i], high[i])
        v[1:] += (beta[i] - old) * x
        v[0] += (beta[i] - old) * bias
    return kept, seen


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), d=st.integers(1, 70),
    kind=st.sampled_from(["f64", "f32", "sparse"]), epsilon=st.sampled_from([0.0, 0.3]),
    slack=st.sampled_from([np.inf, 0.2]),
)  # fmt: skip
def test_sweeps(seed, n, d, kind, epsilon, slack):
    X, terms = problem(seed, n, d, np.float32 if kind == "f32" else np.float64)
    rows = sparse.csr_array(X.astype(float))
    parts = rows.indptr.astype(np.intp), rows.indices.astype(np.int32), rows.data
    view = kernel.RowsView(*{
        "f64": (X, None, None, None, None),
        "f32": (None, X, None, None, None),
        "sparse": (None, None, *parts),
    }[kind])  # fmt: skip
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    state, v = state_of(terms), np.zeros(d + 1)
    beta = state[:, 5]
    want_beta, want_v = beta.copy(), v.copy()
    for _ in range(3):
        kept, pulls = one_sweep(X, terms, 4.0, epsilon, slack, want_beta, want_v, order)
        seen, left, middle = np.array([-np.inf, np.inf, 0.0]), 0, len(order) // 2
        for begin, end in ((0, middle), (middle, len(order))):
            left = kernel.sweep(view, 4.0, state, epsilon, slack, v, order, begin, end, left, seen)
        np.testing.assert_allclose(beta, want_beta, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(v, want_v, rtol=1e-8, atol=1e-9)
        assert list(order[:left]) == kept
        if kept:
            want = max(pulls), min(pulls), sum(map(abs, pulls))
            np.testing.assert_allclose(seen, want, rtol=1e-8, atol=1e-9)
        order = np.array(kept, dtype=np.int32)
        if not kept:
            break


def test_a_row_of_zeros_goes_to_its_bound():
    """Its loss is what it is: without a constant column there is no curvature."""
    terms = np.array([[1.0, -1.0], [0.0, 0.0], [0.0, 0.0], [0.0, -3.0], [2.0, 0.0]])
    state, v, order = state_of(terms), np.zeros(3), np.arange(2, dtype=np.int32)
    seen = np.array([-np.inf, np.inf, 0.0])
    X = np.zeros((2, 2))
    view = kernel.RowsView(X, None, None, None, None)
    kernel.sweep(view, 0.0, state, 0.0, np.inf, v, order, 0, 2, 0, seen)
    assert list(state[:, 5]) == [2.0, -3.0]


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_shuffle_is_a_permutation_of_the_front(count):
    order = np.arange(1000, dtype=np.int32)
    kernel.shuffle(order, count, 12345)
    assert sorted(order[:count]) == list(range(count))
    assert list(order[count:]) == list(range(count, 1000))
    again = np.arange(1000, dtype=np.int32)
    kernel.shuffle(again, count, 12345)
    assert np.array_equal(order, again)


def test_shuffle_favors_no_place():
    counts = np.zeros((5, 5))
    rng = np.random.default_rng(0)
    for seed in rng.integers(1, 2**63, size=4000):
        order = np.arange(5, dtype=np.int32)
        kernel.shuffle(order, 5, int(seed))
        counts[np.arange(5), order] += 1
    assert np.abs(counts - 800).max() < 5 * np.sqrt(800 * 0.8)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), d=st.integers(1, 30))
def test_sparse_sums(seed, n, d):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n + 3, d), density=0.3, format="csr", random_state=rng)
    start = X.indptr.astype(np.intp)[2 : n + 3]  # some rows in the middle
    column, value = X.indices.astype(np.int32), X.data
    dense = X.toarray()[2 : n + 2]
    for intercept in (False, True):
        Z = np.column_stack([np.ones(n), dense]) if intercept else dense
        q = Z.shape[1]
        v, s, w = rng.standard_normal(q), rng.standard_normal(n), rng.uniform(0, 1, n)
        w[0] = 0.0
        out, g, h = np.empty(n), np.zeros(q), np.zeros((q, q))
        rows = start[:-1], start[1:], column, value, intercept
        kernel.sparse_pass(*rows, v, None, None, None, None, out)
        np.testing.assert_allclose(out, Z @ v, rtol=1e-12, atol=1e-12)
        kernel.sparse_pass(*rows, v, None, w, None, g, None)
        np.testing.assert_allclose(g, Z.T @ (w * (Z @ v)), rtol=1e-11, atol=1e-12)
        g[:] = 0.0
        kernel.sparse_pass(*rows, None, s, w, h, g, None)
        kernel.sparse_pass(*rows, None, s, w, None, g, None)
        np.testing.assert_allclose(g, 2 * Z.T @ s, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(h, np.tril((Z.T * w) @ Z), rtol=1e-12, atol=1e-12)


@settings(max_examples=40)
@given(
    n=st.integers(1, 9), sides=st.integers(1, 2), seed=st.integers(0, 10**6),
    mu=st.sampled_from([0.0, 1e-6, 0.3]), t=st.sampled_from([0.0, 0.4]), q=st.integers(0, 3),
)  # fmt: skip
def test_the_arithmetic_of_a_step_is_the_twins(n, sides, seed, mu, t, q):
    rng = np.random.default_rng(seed)
    state = rng.uniform(0.1, 1.0, (6 + 7 * sides, n + 3))
    state[0] = np.sign(rng.standard_normal(n + 3)) if sides == 1 else rng.standard_normal(n + 3)
    state[1] += 1.0  # costs, above all multipliers
    state[2:4] = rng.standard_normal((2, n + 3))
    state[10::7] *= 0.1
    wanted = state.copy()
    epsilon = 0.2 if sides == 2 else 0.0
    for stage, number in enumerate((t, 0.0, mu, mu)):
        sums, Z, rows = np.zeros(4), rng.standard_normal((n + 3, q)), slice(1, n + 1)
        v = rng.standard_normal(q) if q and stage in (kernel.PREDICT, kernel.CORRECT) else None
        g = np.ones(q) if q and stage in (kernel.LOOK, kernel.AIM) else None
        h = np.ones((q, q)) if q and stage == kernel.LOOK else None
        if v is not None:
            wanted[3, rows] = Z[rows] @ v
        known = twin.path_stage(stage, wanted[:, rows], sides, epsilon, number)
        kernel.hinges(stage, state, 1, n + 1, sides, epsilon, number, sums, Z.T.copy(), v, g, h)
        np.testing.assert_allclose(state, wanted, rtol=1e-11, atol=1e-13)
        sums = sums[:3] if stage == kernel.LOOK else sums[[0, 1, 3]]
        np.testing.assert_allclose(sums, known, rtol=1e-11, atol=1e-13)
        if g is not None:
            np.testing.assert_allclose(g, 1.0 + Z[rows].T @ wanted[4, rows], rtol=1e-11, atol=1e-12)
        if h is not None:
            added = np.tril(Z[rows].T @ (wanted[5, rows, None] * Z[rows]))
            np.testing.assert_allclose(h, 1.0 + added, rtol=1e-11, atol=1e-12)
        wanted[3] = state[3] = rng.standard_normal(n + 3)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_a_step_of_few_rows_is_made_of_its_stages(n, sides):
    rng, q, epsilon = np.random.default_rng(n), 3, 0.2 if sides == 2 else 0.0
    wanted = rng.uniform(0.1, 1.0, (6 + 7 * sides, n + 3))
    wanted[0] = np.sign(rng.standard_normal(n + 3)) if sides == 1 else rng.standard_normal(n + 3)
    wanted[1] += 1.0  # costs, above all multipliers
    Z, ridge = rng.standard_normal((q, n + 3)), rng.uniform(0.5, 2.0, q)
    lag, v = rng.standard_normal((2, q))

    def stage(kind, number, along=None, g=None, h=None):
        sums = np.zeros(4)
        kernel.hinges(kind, wanted, 0, n, sides, epsilon, number, sums, Z, along, g, h)
        return sums

    def solved(h, g):
        return np.linalg.solve(h + np.tril(h, -1).T + np.diag(ridge), g - lag)

    g, h = np.zeros(q), np.zeros((q, q))
    total = stage(kernel.LOOK, 0.0, g=g, h=h)[2]
    state, vectors, made, matrix = (
        wanted.copy(),
        np.array([g, ridge, lag, v]),
        np.empty(4),
        h.copy(),
    )
    linear, square, _, most = stage(kernel.PREDICT, 0.0, solved(h, g))
    t = min(1.0, 1.0 / most)
    mu = total / (2 * sides * n) * (max(total + t * linear + t * t * square, 0.0) / total) ** 3
    aim = np.zeros(q)
    stage(kernel.AIM, mu, g=aim)
    along = solved(h, aim)
    t = min(1.0, 0.9 / stage(kernel.CORRECT, mu, along)[3])
    g, h = np.zeros(q), np.zeros((q, q))
    sums = stage(kernel.LOOK, t, g=g, h=h)

    def step(*limits):
        arguments = state, n, sides, epsilon, total, Z, matrix, vectors, made, np.array(limits)
        return kernel.path_step(*arguments, np.empty((q + 3, q)))

    before = state.copy(), vectors.copy(), matrix.copy()
    assert step(2.0, 1e200, 0.9) == -1.0  # no pivot is as large
    assert step(1e-15, 0.1, 0.9) == -1.0  # the diagonal is larger
    assert all(map(np.array_equal, before, (state, vectors, matrix)))
    assert step(1e-15, 1e200, 0.9) == pytest.approx(t, rel=1e-10)
    np.testing.assert_allclose(state[:, :n], wanted[:, :n], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        vectors, [g, ridge, lag * (1.0 - t), v + t * along], rtol=1e-9, atol=1e-11
    )
    np.testing.assert_allclose(matrix, h, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(made[:3], sums[:3], rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_packed_rows_are_the_sparse_ones(dtype):
    rng = np.random.default_rng(0)
    for n, d in ((1, 1), (7, 30), (40, 3)):
        X = np.where(rng.random((n, d)) < 0.3, rng.standard_normal((n, d)), 0.0).astype(dtype)
        X[n // 2], X[0, 0] = 0.0, -0.0
        for rows in (X, np.asfortranarray(X), X[:, ::-1]):
            wanted = sparse.csr_array(rows)
            single = dtype == np.float32
            sources = (None, rows) if single else (rows, None)
            count = np.empty(n, np.intp)
            kernel.pack(*sources, count, None, None)
            assert np.array_equal(count, np.diff(wanted.indptr))
            column, value = np.empty(count.sum(), np.int32), np.empty(count.sum())
            kernel.pack(*sources, count, column, value)
            assert np.array_equal(count, np.diff(wanted.indptr))
            assert np.array_equal(column, wanted.indices)
            assert np.array_equal(value, wanted.data)
