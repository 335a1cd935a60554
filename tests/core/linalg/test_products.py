# SPDX-License-Identifier: BSD-3-Clause
"""Products of shifted rows against numpy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast._core.linalg import products

DTYPES = [np.float64, np.float32, np.uint8]
shapes = given(
    st.integers(1, 90), st.integers(1, 60), st.integers(1, 40), st.sampled_from(DTYPES),
    st.booleans(), st.integers(0, 2**32),
)  # fmt: skip


def table(n, d, dtype, rng):
    """Rows in the middle of others that are junk."""
    X = (10 * rng.random((n, d))).astype(dtype)
    room = np.full((n, d + 5), np.nan if np.issubdtype(dtype, np.floating) else 255, dtype)
    room[:, 2 : d + 2] = X
    return room[:, 2 : d + 2], X.astype(np.float64)


@shapes
def test_scatter(n, d, k, dtype, weighted, seed):
    _check_scatter(n, d, dtype, weighted, seed)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [899, 900, 909, 1024])
@pytest.mark.parametrize("n", [1, 64, 150])
def test_scatter_of_long_rows(n, d, weighted):
    for dtype in DTYPES:
        _check_scatter(n, d, dtype, weighted, seed=n + d)


def _check_scatter(n, d, dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, dtype, rng)
    shift, w = rng.random(d), rng.random(n) if weighted else None
    total = np.zeros((products.tall(d + 1), products.wide(d + 1)))
    products.scatter(X, w, shift, total)
    Z = np.column_stack([exact - shift, np.ones(n)])
    W = np.ones(n) if w is None else w
    want = (Z * W[:, None]).T @ Z
    assert_allclose(np.tril(total[: d + 1, : d + 1]), np.tril(want), rtol=1e-11, atol=1e-11)


@given(st.integers(1, 300), st.integers(1, 90), st.floats(-3, 3), st.integers(0, 2**32))
def test_scatter_of_rounded_products(n, d, size, seed):
    rng = np.random.default_rng(seed)
    X, _ = table(n, d, np.float32, rng)
    X[:] = rng.standard_normal((n, d)) * 10.0**size
    shift = rng.random(d)
    total = np.zeros((products.tall(d + 1), products.broad(d + 1)))
    products.scatter_rounded(X, shift, total)
    Z = np.column_stack([X.astype(np.float64) - shift, np.ones(n)])
    want = Z.T @ Z
    apart = np.abs(np.tril(total[: d + 1, : d + 1] - want))
    length = np.sqrt(want.diagonal())
    assert (apart <= 131 * 2.0**-24 * length[:, None] * length).all()  # the bound of the kernel
    assert apart.max() <= 2e-6 * want.diagonal().max()


def test_rounded_products_that_all_err_to_one_side():
    """Rows alike, whose products round the same way in each sum: the bound is not met by luck."""
    X = np.full((128 * 50, 20), 0.1, dtype=np.float32)
    total = np.zeros((products.tall(21), products.broad(21)))
    products.scatter_rounded(X, np.zeros(20), total)
    exact = len(X) * float(np.float32(0.1)) ** 2
    apart = abs(total[0, 0] / exact - 1)
    assert 1e-8 < apart < 131 * 2.0**-24


@given(st.integers(1, 80), st.integers(1, 400), st.integers(1, 40), st.integers(0, 2**32))
def test_scores_of_float_rows(n, d, k, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, np.float32, rng)
    shift, P = rng.random(d), rng.standard_normal((k, d))
    room = np.full((n + 1, k), 7.0, np.float32)
    assert products.project(X, shift, P, room[:n])
    Z = exact - shift
    size = np.sqrt((Z**2).sum(axis=1))[:, None] * np.sqrt((P**2).sum(axis=1))
    assert (np.abs(room[:n] - Z @ P.T) <= 140 * 2.0**-24 * size).all()
    assert (room[n] == 7.0).all()  # nothing is written beyond the last row


@shapes
def test_project_back_and_normal(n, d, k, dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, dtype, rng)
    shift, w, scale = rng.random(d), rng.random(n) if weighted else None, rng.random(d)
    P = rng.standard_normal((k, d))
    for real in (np.float64, np.float32):
        out = np.empty((n, k), real)
        assert products.project(X, shift, P, out)
        rtol = 1e-11 if real is np.float64 else 1e-6
        assert_allclose(out, (exact - shift) @ P.T, rtol=rtol, atol=100 * d * rtol)
    Y = np.zeros((n, products.wide(k)))
    Y[:, :k] = rng.standard_normal((n, k))
    total = np.zeros((products.tall(d), products.wide(k)))
    products.back(X, shift, Y, total)
    assert_allclose(total[:d, :k], (exact - shift).T @ Y[:, :k], rtol=1e-10, atol=1e-9)
    total[:] = 0
    products.normal(X, w, shift, scale if weighted else None, P, total)
    Z = (exact - shift) * (scale if weighted else 1.0)
    image = Z @ P.T * (np.ones(n) if w is None else w)[:, None]
    assert_allclose(total[:d, :k], Z.T @ image, rtol=1e-10, atol=1e-8)


@shapes
def test_gram_of_rows(n, d, k, dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, dtype, rng)
    w = rng.random(n) + 0.1 if weighted else np.ones(n)
    share, root = w / w.sum(), np.sqrt(w) if weighted else None
    mean, spread = np.empty(d), np.empty(d)
    total = np.zeros((products.tall(n), products.wide(n)))
    center, standardize = bool(k % 2), bool(k % 3)
    first = exact[0].copy() if center else np.zeros(d)
    products.gram(X, share, root, first, center, mean, spread, standardize, False, total)
    want = share @ exact if center else np.zeros(d)
    Z = exact - want
    deviation = np.sqrt(share @ Z**2)
    assert_allclose(mean, want, rtol=1e-12)
    assert_allclose(spread, deviation, rtol=1e-7, atol=1e-7)
    if standardize:
        flat = deviation < 1e-12 * (1 + abs(want))
        Z = np.where(flat, 0.0, Z / np.where(flat, 1.0, deviation))
    Z = Z * np.sqrt(w)[:, None]
    assert_allclose(np.tril(total[:n, :n]), np.tril(Z @ Z.T), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("spoilt", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_told(spoilt):
    X = np.ones((40, 5))
    X[33, 2] = spoilt
    assert not products.project(X, np.zeros(5), np.ones((3, 5)), np.empty((40, 3)))


@given(st.integers(1, 300), st.integers(1, 90), st.integers(1, 40), st.booleans(),
       st.integers(0, 2**32))  # fmt: skip
def test_images_by_rounded_products(n, d, k, scaled, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, np.float32, rng)
    shift, P = rng.random(d), rng.standard_normal((k, d))
    scale = rng.random(d) + 0.1 if scaled else None
    total = np.zeros((products.tall(d), products.broad(k)))
    products.normal_rounded(X, shift, scale, P, total)
    Z = (exact - shift) * (1.0 if scale is None else scale)
    bound = 270 * 2.0**-24 * np.abs(Z).T @ (np.abs(Z) @ np.abs(P).T)
    assert (np.abs(total[:d, :k] - Z.T @ (Z @ P.T)) <= bound + 1e-12).all()


@given(st.integers(1, 60), st.integers(1, 1100), st.integers(0, 2**32))
def test_gram_of_rounded_rows(n, d, seed):
    rng = np.random.default_rng(seed)
    X, exact = table(n, d, np.float32, rng)
    share, mean, spread = np.full(n, 1.0 / n), np.empty(d), np.empty(d)
    total = np.zeros((products.tall(n), products.broad(n)))
    products.gram(X, share, None, exact[0].copy(), True, mean, spread, False, True, total)
    Z = exact - exact.mean(axis=0)
    assert_allclose(mean, exact.mean(axis=0), rtol=1e-12)
    length = np.sqrt((Z**2).sum(axis=1))
    apart = np.abs(np.tril(total[:n, :n] - Z @ Z.T))
    assert (apart <= 131 * 2.0**-24 * length[:, None] * length + 1e-12).all()
