# SPDX-License-Identifier: BSD-3-Clause
"""The compiled solver on a matrix at hand, and kernel rows by the tiles, beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.svm import gram as tiles
from statfast._core.svm import smo
from statfast._distance.precision import extent_of
from statfast.svm.dual.gram import MatrixGram, TileGram

KINDS = {"linear": tiles.LINEAR, "rbf": tiles.RBF, "poly": tiles.POLYNOMIAL, "sig": tiles.SIGMOID}


def plain(kind, A, B, gamma, degree, coef0):
    A, B = A.astype(np.float64), B.astype(np.float64)
    product = A @ B.T
    if kind == "rbf":
        square = (A**2).sum(1)[:, None] + (B**2).sum(1) - 2 * product
        return np.exp(-gamma * np.maximum(square, 0))
    if kind == "linear":
        return product
    inner = gamma * product + coef0
    return np.tanh(inner) if kind == "sig" else inner**degree


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 90), d=st.integers(1, 40),
    kind=st.sampled_from(sorted(KINDS)), single=st.booleans(), degree=st.integers(0, 4),
    dtype=st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_kernel_values(seed, n, d, kind, single, degree, dtype):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + 1).astype(np.float32 if single else np.float64)
    gamma, coef0 = 0.5 / d, 0.3
    K = plain(kind, X, X, gamma, degree, coef0)
    gram = TileGram(X, extent_of(X), KINDS[kind], gamma, degree, coef0, None, dtype=dtype)
    size = max(1.0, np.abs(K).max()) * d
    itself = K
    if kind == "linear":  # few rows are about their mean
        K = plain(kind, X - gram.origin.astype(float), X - gram.origin.astype(float), 0, 0, 0)
    np.testing.assert_allclose(gram.diagonal, K.diagonal(), atol=1e-12 * size)
    index = rng.permutation(n)[: rng.integers(1, n + 1)]
    error = (2e-6 if dtype == np.float32 else 1e-7) * size
    np.testing.assert_allclose(gram.rows(index), K[index], atol=error)
    block = gram.block(index)
    assert block.shape[1] % smo.ROW_MULTIPLE == 0
    assert not block[:, len(index) :].any()
    np.testing.assert_array_equal(block[:, : len(index)], block[:, : len(index)].T)
    np.testing.assert_allclose(block[:, : len(index)], K[index][:, index], atol=error)
    w = rng.standard_normal(len(index))
    exact, total = gram.exact(index, w), np.ones(n + 3)
    np.testing.assert_allclose(exact, itself[:, index] @ w, atol=1e-11 * size * n)
    some = rng.permutation(n)[: n // 2]
    np.testing.assert_array_equal(gram.exact(index, w, some), exact[some])
    gram.add(index, w, total)
    np.testing.assert_allclose(total[:n], 1 + K[:, index] @ w, atol=2 * error * n)
    assert (total[n:] == 1).all()


def test_the_squares_of_fits_are_their_own():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    K, every = plain("rbf", X, X, 0.5, 0, 0.0), np.arange(200)

    def made(n):
        gram = TileGram(X[:n], extent_of(X), tiles.RBF, 0.5, 0, 0.0, None)
        return gram, gram.block(every[:n])

    first, block = made(200)
    _second, other = made(150)  # while the first is at work
    assert not np.shares_memory(block, other)
    del first, block
    _third, block = made(170)
    assert not np.shares_memory(block, other)
    np.testing.assert_allclose(block[:, :170], K[:170, :170], atol=1e-6)
    assert not block[:, 170:].any()
    np.testing.assert_allclose(other[:, :150], K[:150, :150], atol=1e-6)


def test_rows_give_way_to_those_used_last(monkeypatch):
    monkeypatch.setattr("statfast.svm.dual.gram_cache.MIN_CACHED_ROWS", 8)
    monkeypatch.setattr("statfast.svm.dual.gram.MAX_FEATURES_REMADE", 0)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    gram = TileGram(X, extent_of(X), tiles.RBF, 0.5, 0, 0.0, 0)
    make, made = gram._make, []

    def counted(index, *rest):
        made.extend(index)
        make(index, *rest)

    gram._make = counted
    K = plain("rbf", X, X, 0.5, 0, 0.0)
    assert gram.slots == 8
    np.testing.assert_allclose(gram.rows(np.arange(8)), K[:8], atol=1e-6)
    gram.rows(np.array([3]))
    assert len(made) == 8
    gram.rows(np.arange(20, 27))  # all but the one used last give way
    gram.rows(np.array([3, 21]))
    assert len(made) == 15
    np.testing.assert_allclose(gram.rows(np.arange(50)), K, atol=1e-6)
    total = np.zeros(64)
    gram.add(np.arange(30), np.ones(30), total)
    np.testing.assert_allclose(total[:50], K[:30].sum(axis=0), atol=1e-4)


def test_a_matrix_beyond_memory_is_told_of_once(monkeypatch, recwarn):
    monkeypatch.setattr("statfast.svm.dual.gram_cache.MIN_CACHED_ROWS", 8)
    monkeypatch.setattr("statfast.svm.dual.limits.free_memory", lambda: 1000)
    X = np.random.default_rng(0).standard_normal((50, 3))
    for cache_size in (None, 1e-6):  # who asks for so little is told nothing
        gram = TileGram(X, extent_of(X), tiles.RBF, 0.5, 0, 0.0, cache_size)
        for begin in (0, 8, 16):
            gram.rows(np.arange(begin, begin + 8))
    (told,) = recwarn
    assert str(told.message).startswith("The kernel matrix of 50 points takes")


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1), m=st.integers(2, 80), q=st.integers(2, 40),
    groups=st.integers(1, 2), share=st.sampled_from([0.0, 0.1]),
)  # fmt: skip
def test_descent_reaches_the_conditions(seed, m, q, groups, share):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((m, 3))
    K = np.exp(-0.5 * ((Z[:, None] - Z) ** 2).sum(axis=2)).astype(np.float32)
    block = np.zeros((m, -(-m // smo.ROW_MULTIPLE) * smo.ROW_MULTIPLE), np.float32)
    block[:, :m] = K
    low, high = -rng.random(m), rng.random(m)
    low[::3], high[1::3] = 0, np.inf
    group = rng.integers(groups, size=m).astype(np.int32)
    c = rng.standard_normal(m)
    b, q = np.zeros(m), min(max(q, 2 * groups), m)  # a pair of each group, as the kernel asks for
    f = K.astype(np.float64) @ b + c
    recent = np.full(q, -1, np.int32)
    variables = smo.Variables(low, high, group, groups, b, f)
    sums = [b[group == g].sum() for g in range(groups)]
    before = 0.0
    for _ in range(500):  # in small portions, as an interruptible caller has it
        gap, _, _, moving, _ = smo.descend(
            block, variables, 1e-4, share, 1000, 1 << 30, 1e4, recent, smo.work_space(m, q)
        )  # fmt: skip
        now = 0.5 * b @ (f + c)
        assert now <= before + 1e-9
        before = now
        if gap <= 1e-4 or not moving:
            break
    np.testing.assert_allclose(f, K.astype(np.float64) @ b + c, atol=1e-9)
    assert (b >= low).all()
    assert (b <= high).all()
    for g in range(groups):
        of = group == g
        np.testing.assert_allclose(b[of].sum(), sums[g], atol=1e-9)
        rise, fall = -f[of & (b < high)], -f[of & (b > low)]
        assert rise.max(initial=-np.inf) - fall.min(initial=np.inf) <= 1e-4


@pytest.mark.parametrize("stop", [0, 5, 64, 77])
def test_sums_of_rows(stop):
    rng = np.random.default_rng(stop)
    rows = rng.standard_normal((9, 80)).astype(np.float32)
    which, w = rng.integers(9, size=21).astype(np.int32), rng.standard_normal(21)
    f = np.ones(80)
    smo.add(rows, which, w, 3, stop, f)
    wanted = np.ones(80)
    wanted[3:stop] += (w @ rows[which].astype(np.float64))[3:stop]
    np.testing.assert_allclose(f, wanted, rtol=1e-12)


def test_a_matrix_at_hand():
    rng = np.random.default_rng(1)
    K = rng.standard_normal((30, 30))
    K = K + K.T
    gram = MatrixGram(K)
    index = np.array([3, 7, 20])
    np.testing.assert_array_equal(gram.rows(index), K[index].astype(np.float32))
    np.testing.assert_array_equal(gram.block(index)[:, :3], K[index][:, index].astype(np.float32))
    w = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(gram.exact(index, w), K[:, index] @ w)
    np.testing.assert_allclose(gram.exact(index, w, index), (K[:, index] @ w)[index])
