# SPDX-License-Identifier: BSD-3-Clause
"""The sweep of IRLS against its twin, for every pair, around every edge of lanes and tiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import xlogy

from statfast._core.linear import irls
from tests.reference import irls as twin


def responses(rng, pair, n, *, shares=False):
    if pair[0] == "binomial":
        return rng.random(n) if shares else rng.integers(0, 2, n).astype(float)
    if pair[0] == "poisson":
        return rng.integers(0, 9, n).astype(float)
    if pair[0] == "gamma":
        return rng.gamma(2.0, 1.0, n) + 1e-3
    return rng.standard_normal(n)


def aux_of(pair, y):
    if pair[0] == "binomial":
        aux = xlogy(y, y) + xlogy(1 - y, 1 - y)
        return aux if aux.any() else None
    return None if pair[0] == "gaussian" else np.log(np.where(y > 0, y, 1.0))


def drawn(rng, n, p, pair, dtype=np.float64, *, weighted, offset, intercept, shares=False):
    X = rng.standard_normal((n, p)).astype(dtype)
    shift = rng.standard_normal(p)
    q = p + intercept
    b = rng.standard_normal(q) / np.sqrt(q)
    added = rng.standard_normal(n) if offset else None
    if pair == ("gamma", "inverse"):  # the predictor must be positive
        Z = X.astype(float) - shift
        reach = np.abs(np.column_stack([np.ones((n, int(intercept))), Z]) @ b)
        added = 1.0 + reach + rng.random(n)
    y = responses(rng, pair, n, shares=shares)
    weight = rng.integers(0, 3, n).astype(float) if weighted else None
    return X, shift, intercept, b, y, weight, added


def compare(X, shift, intercept, b, y, weight, offset, pair):
    q = len(b)
    h, g, sums = np.zeros((q, q)), np.zeros(q), np.zeros(2)
    irls.sweep(X, shift, b, irls.KINDS[pair], y, weight, offset, aux_of(pair, y), h, g, sums)
    want = twin.sweep(X, shift, intercept, b, pair, y, weight, offset)
    scale = np.sqrt(np.diag(want[0])) + 1e-100
    assert_allclose(h / np.outer(scale, scale), want[0] / np.outer(scale, scale), 0, 1e-12)
    size = np.abs(want[1]).max() + np.sqrt(len(y)) * scale.max() + 1e-100
    assert_allclose(g / size, want[1] / size, rtol=0, atol=1e-12)
    assert_allclose(sums, want[2:], rtol=1e-10, atol=1e-11)
    alone = np.zeros(q)
    irls.sweep(
        X, shift, b, irls.KINDS[pair], y, weight, offset, aux_of(pair, y), None, alone,
        sums,
    )  # fmt: skip
    assert_allclose(alone / size, g / size, rtol=0, atol=1e-13)
    assert_allclose(sums, 2 * np.array(want[2:]), rtol=1e-10, atol=1e-11)


@given(
    n=st.integers(1, 300),
    p=st.integers(1, 24),
    pair=st.sampled_from(sorted(twin.PAIRS)),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
    offset=st.booleans(),
    intercept=st.booleans(),
    shares=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_sweep(n, p, pair, dtype, weighted, offset, intercept, shares, seed):
    rng = np.random.default_rng(seed)
    how = {"weighted": weighted, "offset": offset, "intercept": intercept, "shares": shares}
    X, shift, intercept, *rest = drawn(rng, n, p, pair, dtype, **how)
    compare(X, shift, intercept, *rest, pair)


@pytest.mark.parametrize("p", [3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 40, 47, 62, 63, 64, 65, 79, 130])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_at_every_edge_of_a_tile(p, dtype):
    rng = np.random.default_rng(p)
    for n in (1, 63, 64, 65, 200):
        for intercept in (False, True):
            how = {"weighted": n == 65, "offset": False, "intercept": intercept}
            X, shift, _, *rest = drawn(rng, n, p, ("binomial", "logit"), dtype, **how)
            compare(X, shift, intercept, *rest, ("binomial", "logit"))


@pytest.mark.parametrize("p", [6, 64, 79, 130])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_in_half_the_digits(p, dtype):
    rng = np.random.default_rng(p)
    how = {"weighted": False, "offset": False, "intercept": True}
    for n in (1, 16, 130, 300):
        X, shift, _, b, y, *_ = drawn(rng, n, p, ("binomial", "logit"), dtype, **how)
        totals = []
        for rough in (False, True):
            h, g, sums = np.zeros((p + 1, p + 1)), np.zeros(p + 1), np.zeros(2)
            kind = irls.KINDS["binomial", "logit"]
            irls.sweep(X, shift, b, kind, y, None, None, None, h, g, sums, rough)
            totals.append((h, g, sums))
        (fine, *same), (half, *others) = totals
        for mine, theirs in zip(same, others, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        scale = np.sqrt(np.diag(fine))
        error = np.abs(fine - half) / scale / scale[:, None]
        assert error.max() < 3e-6
        assert error.any() == (p >= 64)


def test_scores_and_weights_that_are_given():
    rng = np.random.default_rng(0)
    for p in (5, 80):
        X, shift = rng.standard_normal((77, p)), rng.standard_normal(p)
        s, w = rng.standard_normal(77), rng.random(77)
        h, g = np.zeros((p + 1, p + 1)), np.zeros(p + 1)
        irls.accumulate(X, shift, True, s, w, h, g)
        Z = np.column_stack([np.ones(77), X - shift])
        assert_allclose(h, np.tril((Z * w[:, None]).T @ Z), atol=1e-11)
        assert_allclose(g, Z.T @ s, atol=1e-11)


@pytest.mark.parametrize("p", [1, 7, 8, 19, 90])
def test_predictor(p):
    rng = np.random.default_rng(1)
    X, shift, b = rng.standard_normal((53, p)), rng.standard_normal(p), rng.standard_normal(p + 1)
    offset, eta = rng.standard_normal(53), np.empty(53)
    irls.predict(X, shift, True, b, offset, eta)
    assert_allclose(eta, offset + b[0] + (X - shift) @ b[1:], atol=1e-12)
    irls.predict(X.astype(np.float32), shift, False, b[1:].copy(), None, eta)
    assert_allclose(eta, (X.astype(np.float32) - shift) @ b[1:], atol=1e-12)


@pytest.mark.parametrize("times", [1.0, 1e6])  # far rows have no finite means
@pytest.mark.parametrize("pair", sorted(twin.PAIRS))
def test_rows_of_weight_zero_change_nothing(pair, times):
    rng = np.random.default_rng(2)
    how = {"weighted": False, "offset": False, "intercept": True}
    X, shift, _, b, y, _, added = drawn(rng, 41, 6, pair, **how)
    kept = rng.random(41) < 0.5
    X[~kept] *= times
    totals = []
    for some, weight in ((kept, np.ones(kept.sum())), (slice(None), kept.astype(float))):
        h, g, sums = np.zeros((7, 7)), np.zeros(7), np.zeros(2)
        aux = aux_of(pair, y[some])
        offset = None if added is None else added[some]
        kind = irls.KINDS[pair]
        irls.sweep(X[some], shift, b, kind, y[some], weight, offset, aux, h, g, sums)
        totals.append(np.concatenate([h.ravel(), g, sums]))
    assert_allclose(*totals, rtol=1e-12, atol=1e-12)


def test_odds_that_are_certain():
    X = np.array([[800.0], [-800.0], [40.0], [-40.0]])
    y = np.array([1.0, 0.0, 1.0, 0.0])
    for weight in (None, np.ones(4)):
        h, g, sums = np.zeros((1, 1)), np.zeros(1), np.zeros(2)
        args = (y, weight, None, None, h, g, sums)
        irls.sweep(X, np.zeros(1), np.ones(1), irls.KINDS["binomial", "logit"], *args)
        assert np.isfinite([*h.ravel(), *g, *sums]).all()
        assert 0 <= sums[0] < 1e-15
    sums[:] = 0
    args = (1 - y, None, None, None, h, g, sums)
    irls.sweep(X, np.zeros(1), np.ones(1), irls.KINDS["binomial", "logit"], *args)
    assert_allclose(sums[0], 1680.0)


def test_means_that_are_none_have_no_deviance():
    X, y = np.array([[1.0], [-1.0]]), np.ones(2)
    h, g, sums = np.zeros((1, 1)), np.zeros(1), np.zeros(2)
    args = (y, None, None, np.zeros(2), h, g, sums)
    irls.sweep(X, np.zeros(1), np.ones(1), irls.KINDS["gamma", "inverse"], *args)
    assert not np.isfinite(sums[0])


def test_rows_may_lie_apart_and_be_read_only():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 40))
    X.setflags(write=False)
    part = X[::-2, 3:20]
    how = {"weighted": True, "offset": False, "intercept": True}
    _, shift, _, *rest = drawn(rng, 30, 17, ("poisson", "log"), **how)
    compare(part, shift, True, *rest, ("poisson", "log"))


def test_blocks_are_added():
    rng = np.random.default_rng(4)
    how = {"weighted": False, "offset": False, "intercept": True}
    X, shift, _, b, y, *_ = drawn(rng, 120, 5, ("binomial", "logit"), **how)
    whole, parts = (np.zeros((6, 6)), np.zeros(6), np.zeros(2)), None
    kind = irls.KINDS["binomial", "logit"]
    irls.sweep(X, shift, b, kind, y, None, None, None, *whole)
    parts = np.zeros((6, 6)), np.zeros(6), np.zeros(2)
    for some in (slice(0, 1), slice(1, 64), slice(64, 64), slice(64, 120)):
        irls.sweep(X[some], shift, b, kind, y[some], None, None, None, *parts)
    for mine, theirs in zip(whole, parts, strict=True):
        assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_largest():
    a = np.array([1.0, -3.0, 2.0])
    assert irls.largest(a, np.ones(3)) == 3.0
    assert np.isnan(irls.largest(a, np.array([1.0, np.nan, 5.0])))
