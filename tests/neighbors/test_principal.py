# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors by principal axes: the answers of a scan of all columns, by any axes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from statfast.neighbors import NearestNeighbors
from statfast.neighbors.brute import principal
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.principal import PrincipalIndex


def orthonormal(rng, d, r):
    return np.linalg.qr(rng.normal(size=(d, r)))[0]


def by_definition(X, Q, k):
    """The k nearest by (distance, number), from float64 differences."""
    d2 = np.array([((X.astype(float) - q) ** 2).sum(1) for q in Q.astype(float)])
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), d2.shape), d2), axis=1)[:, :k]
    return np.take_along_axis(d2, order, 1), order


def assert_same(X, Q, k, vectors, n_jobs=1):
    index = BruteIndex.build(X, 1)
    found = PrincipalIndex.build(index, vectors, n_jobs).query(Q, k, n_jobs)
    for got, want in zip(found, index.search(Q, slice(0, len(X)), k), strict=True):
        assert_array_equal(got, want)
    return found


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([5, 33, 90]),
    st.sampled_from([np.float32, np.float64]), st.sampled_from([1e-20, 1.0, 1e15]), st.booleans(),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_any_axes_give_the_neighbors_of_all_columns(seed, k, d, dtype, unit, tied):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (300, d)) if tied else rng.normal(size=(300, d)) + 5
    X = np.concatenate([X, X[:50]]).astype(dtype) * dtype(unit)  # duplicates tie
    Q = np.concatenate([X[:20], X[20:40] + dtype(unit) / 4])
    assert_same(X, Q, k, orthonormal(rng, d, min(d, 1 + seed % 8)))


@pytest.mark.parametrize(
    "n_others", [0, 30]
)  # whole numbers have an origin and a scale of their own
def test_bytes_and_rows_among_themselves(n_others):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 256, (400, 30)).astype(np.uint8)
    vectors = orthonormal(rng, 30, 6)
    Q = np.concatenate([X[:50], rng.integers(0, 256, (n_others, 30)).astype(np.uint8)])
    d2, ids = assert_same(X, Q, 3, vectors)
    want_d2, want_ids = by_definition(X, Q, 3)
    assert_array_equal(ids, want_ids)
    assert_array_equal(d2, want_d2)  # sums of whole numbers


def low_rank(rng, n, d, rank=6):
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + 0.05 * rng.normal(size=(n, d))
    return X.astype(np.float32)


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_threads_and_several_rounds_of_rows(n_jobs):
    rng = np.random.default_rng(0)
    X = low_rank(rng, 5000, 40)
    X = X[np.argsort(X[:, 0])]  # an order in which the first rows are near few queries
    Q = low_rank(rng, 700, 40)
    d2, ids = assert_same(X, Q, 5, orthonormal(rng, 40, 8), n_jobs)
    want_d2, want_ids = by_definition(X, Q[:50], 5)
    assert_array_equal(ids[:50], want_ids)
    np.testing.assert_allclose(d2[:50], want_d2, rtol=1e-12)


def test_queries_that_float32_does_not_hold_are_answered():
    rng = np.random.default_rng(1)
    X = low_rank(rng, 400, 30).astype(float)
    Q = np.concatenate([X[:3], 1e30 * X[3:5], 1e80 * X[5:7], X[7:9]])
    assert_same(X, Q, 4, orthonormal(rng, 30, 5))


def test_axes_that_tell_nothing_apart_are_given_up(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 50))
    vectors = np.linalg.qr(np.ones((50, 1)))[0]
    called = []
    search = BruteIndex.search

    def counted(searched, *args):
        if searched is index:
            called.append(len(args[0]))
        return search(searched, *args)

    index = BruteIndex.build(X, 1)
    monkeypatch.setattr(BruteIndex, "search", counted)
    Q = rng.normal(size=(300, 50))
    found = PrincipalIndex.build(index, vectors, 1).query(Q, 3, 1)
    assert sum(called) == 300  # by all columns
    for got, want in zip(found, search(index, Q, slice(0, 3000), 3), strict=True):
        assert_array_equal(got, want)


def made(index):
    return index._principal.index is not None


@pytest.fixture
def without_bytes(monkeypatch):
    """As on machines that do not multiply bytes."""
    monkeypatch.setattr("statfast.neighbors.brute.quantized.quantized.available", lambda: False)


@pytest.mark.usefixtures("without_bytes")
class TestChoice:
    def test_rows_near_few_dimensions_are_projected_once_enough_is_asked(self):
        rng = np.random.default_rng(3)
        X, Q = low_rank(rng, 9000, 300), low_rank(rng, 900, 300)
        index = BruteIndex.build(X)
        first = index.query(Q[:100], 3)
        assert not made(index)
        for _ in range(20):
            found = index.query(Q, 3)
        assert made(index)
        for got, want in zip(found, index.search(Q, slice(0, 9000), 3), strict=True):
            assert_array_equal(got, want)
        assert_array_equal(first[1], found[1][:100])

    @pytest.mark.parametrize("what", ["normal", "few rows", "few columns", "equal"])
    def test_other_rows_are_not(self, what):
        rng = np.random.default_rng(4)
        shape = {"few rows": (3000, 300), "few columns": (9000, 100)}.get(what, (9000, 300))
        X = rng.normal(size=shape).astype(np.float32) if what == "normal" else low_rank(rng, *shape)
        X = X[:1].repeat(shape[0], 0) if what == "equal" else X
        index = BruteIndex.build(X)
        index._principal.asked = 10**6
        index.query(X[:100], 3)
        assert not made(index)

    def test_they_are_not_pickled(self):
        rng = np.random.default_rng(5)
        X = low_rank(rng, 9000, 300)
        model = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(X)
        size = len(pickle.dumps(model))
        model._index._principal.asked = 10**6
        distances, ids = model.kneighbors(X[:100])
        assert made(model._index)
        assert len(pickle.dumps(model)) == size
        again = pickle.loads(pickle.dumps(model)).kneighbors(X[:100])
        assert_array_equal(again[0], distances)
        assert_array_equal(again[1], ids)


def test_axes_are_of_the_columns_that_vary(monkeypatch):
    monkeypatch.setattr(principal, "N_AXES", 2)
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 6)) * [0.1, 5, 0.1, 0.1, 9, 0.1]
    axes = principal.Axes.from_rows(BruteIndex.build(X))
    assert np.abs(axes.vectors[[1, 4]]).min(0).max() < 0.2  # each is nearly one of the two
    np.testing.assert_allclose((axes.vectors[[1, 4]] ** 2).sum(), 2, atol=1e-2)
    assert 0 < axes.candidates(2000, 1) < axes.candidates(2000, 100) <= 1
