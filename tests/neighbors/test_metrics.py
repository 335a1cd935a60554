# SPDX-License-Identifier: BSD-3-Clause
"""Brute force by every metric but the Euclidean (tests/core/neighbors/test_brute.py), and within a
radius.

Sizes are such that rows are scored, not merely compared: more than a million differences.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.distance import metrics
from statfast._distance.blockwise import TABLES
from statfast._distance.metrics import PLAIN, as_metric
from statfast.neighbors import NearestNeighbors
from statfast.neighbors.brute import brute, user_metric
from statfast.neighbors.brute.binary import BinaryIndex
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.user_metric import FunctionIndex, build_brute
from tests.core.neighbors.test_brute import (
    all_equal,
    clusters_of_duplicates,
    every_scale,
    integer_grid,
    mixed_scales,
    near_duplicates,
    one_outlier,
    plain,
    tiny,
    two_far_clouds,
    vanishing,
)
from tests.reference import metrics as twin

FAMILIES = [plain, near_duplicates, two_far_clouds, clusters_of_duplicates, integer_grid,
            all_equal, tiny, mixed_scales, every_scale, one_outlier, vanishing]  # fmt: skip
SCORED = [("euclidean", 2), ("manhattan", 1), ("chebyshev", 1), ("minkowski", 3), ("minkowski", 4),
          ("minkowski", 2.5), ("minkowski", 20)]  # fmt: skip


def table(metric, Q, X):
    """All reduced distances, by the kernel that tests/core compares with the twin."""
    out = np.empty((len(Q), len(X)))
    Q, X = (np.ascontiguousarray(rows, np.float64) for rows in (Q, X))
    with np.errstate(over="ignore"):
        metrics.between(Q, X, metric.kind, metric.p, out)
    return out


def same(actual, expected):
    for ours, theirs in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def check(metric, X, Q, k, n_jobs=2):
    index = build_brute(X, metric, n_jobs)
    exact = table(metric, Q, X)
    expected = twin.nearest(exact, k)
    same(index.query(Q, k, n_jobs), expected)
    limit = np.median(expected[0][:, -1])
    same(index.query_radius(Q, limit, n_jobs), twin.within(exact, limit))
    return index


# ------------------------------------------------------------------ the definition
@given(
    kind=st.sampled_from(sorted(set(metrics.KINDS) - {"callable", "haversine"})),
    p=st.sampled_from([3.0, 4.0]),
    d=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_reduced_distances_are_those_of_the_twin(kind, p, d, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.integers(0, 3, (7, d)) * rng.random(), rng.integers(0, 3, (5, d)) * 1.0
    out = np.empty((7, 5))
    metrics.between(A, B, metrics.KINDS[kind], p, out)
    same([out], [twin.reduced(kind, A, B, p)])


@pytest.mark.parametrize(("kind", "p"), [("haversine", 2), ("minkowski", 2.5)])
def test_functions_of_the_library_are_good_to_some_ulps(kind, p):
    rng = np.random.default_rng(3)
    A, B = rng.uniform(-1.5, 1.5, (30, 2)), rng.uniform(-1.5, 1.5, (20, 2))
    out = np.empty((30, 20))
    metrics.between(A, B, metrics.KINDS[kind], p, out)
    np.testing.assert_allclose(out, twin.reduced(kind, A, B, p), rtol=1e-14)


# ------------------------------------------------------------------ scored
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("name", "p"), SCORED)
@pytest.mark.parametrize(("m", "d", "k"), [(100, 3, 5), (40, 17, 3)])
def test_neighbors_are_those_of_float64(name, p, family, m, d, k):
    X, Q = family(np.random.default_rng(d), 1_200_000 // (m * d), m, d)
    check(as_metric(name, p=p, d=d), X, Q, k)


@pytest.mark.parametrize(("name", "p"), SCORED)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_other_types(name, p, dtype):
    rng = np.random.default_rng(5)
    X, Q = (rng.integers(0, 256, (rows, 12)).astype(dtype) for rows in (2000, 60))
    check(as_metric(name, p=p, d=12), X, Q, 4)


def test_many_columns():
    for name in ("manhattan", "chebyshev"):
        check(as_metric(name, d=300), *plain(np.random.default_rng(6), 200, 40, 300), 7)


def test_one_column_and_all_rows():
    for name, p in SCORED:
        check(as_metric(name, p=p, d=1), *plain(np.random.default_rng(7), 2000, 150, 1), 1)
        check(as_metric(name, p=p, d=4), *plain(np.random.default_rng(7), 700, 100, 4), 700)


def test_one_row():
    for name in ("manhattan", "haversine", "hamming", "jaccard"):
        check(as_metric(name, d=2), np.ones((1, 2)), np.zeros((3, 2)), 1)


@pytest.mark.parametrize("scores", [2, 1, 0])
def test_each_type_of_score_by_itself(monkeypatch, scores):
    """The cheapest decides nearly everything, so the others have to be asked for."""
    every = BruteIndex.scores
    monkeypatch.setattr(BruteIndex, "scores", lambda self, k: list(every(self, k))[2 - scores :])
    for name, p in SCORED:
        check(as_metric(name, p=p, d=5), *plain(np.random.default_rng(8), 1500, 200, 5), 6)
        check(as_metric(name, p=p, d=5), *integer_grid(np.random.default_rng(8), 1500, 200, 5), 6)


def places(rng, n, spread=1.5):
    return rng.uniform(-1, 1, (n, 2)) * [spread, 2 * spread]


@pytest.mark.parametrize("spread", [1.5, 1e-3, 1e-9])
def test_places(spread):
    rng = np.random.default_rng(9)
    X, Q = places(rng, 3000, spread), places(rng, 300, spread)
    X[:50], X[50:60, 0], Q[0] = X[60:110], np.pi / 2, [-np.pi / 2, 3.0]
    check(as_metric("haversine", d=2), X, Q, 5)


def test_antipodes_and_turns():
    rng = np.random.default_rng(10)
    X = places(rng, 3000)
    Q = -X[:300] + np.array([0, np.pi])
    check(as_metric("haversine", d=2), X + np.array([0, 200 * np.pi]), Q, 5)


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "haversine", "jaccard"])
@pytest.mark.parametrize("n_jobs", [1, 7])
def test_any_number_of_threads(name, n_jobs):
    rng = np.random.default_rng(11)
    X, Q = rng.normal(size=(4000, 2)), rng.normal(size=(900, 2))
    X, Q = np.clip(X, -1.5, 1.5), np.clip(Q, -1.5, 1.5)
    metric = as_metric(name, p=3, d=2)
    index = build_brute(X, metric, n_jobs)
    two = build_brute(X, metric, 2)
    same(index.query(Q, 9, n_jobs), two.query(Q, 9, 2))
    same(index.query_radius(Q, 0.2, n_jobs), two.query_radius(Q, 0.2, 2))


# ------------------------------------------------------------------ within a radius
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [2, 40])
def test_all_rows_within(family, d):
    X, Q = family(np.random.default_rng(12), 700, 70, d)
    exact = table(PLAIN, Q, X)
    index = BruteIndex.build(X, 2)
    for share in (0.0, 0.01, 0.3):
        limit = np.quantile(exact, share)  # some pair's distance, or between two
        same(index.query_radius(Q, limit, 2), twin.within(exact, limit))
    limits = np.sort(exact, axis=1)[:, 4]  # exactly that of the fifth
    same(index.query_radius(Q, limits, 2), twin.within(exact, limits))


def test_radii_of_all_kinds():
    X, Q = plain(np.random.default_rng(13), 3000, 50, 4)
    exact = table(PLAIN, Q, X)
    index = BruteIndex.build(X, 2)
    for limit in (-1.0, 0.0, 1e-320, 1e300, np.inf):
        same(index.query_radius(Q, limit, 2), twin.within(exact, limit))
    same(index.query_radius(X[:3], 0.0, 1), ([0, 1, 2, 3], [0, 0, 0], [0, 1, 2]))
    for few in (1, 2, 5):
        same(index.query_radius(Q[:few], 2.0), twin.within(exact[:few], 2.0))


def test_the_bound_belongs_to_it():
    """3-4-5 triangles: rows at exactly the radius."""
    X = np.array([[3.0, 4.0], [0.0, 5.0], [np.nextafter(5, 6), 0.0], [4.0, 3.0]] * 500)
    starts, reduced, ids = BruteIndex.build(X).query_radius(np.zeros((6, 2)), 25.0)
    assert (np.diff(starts) == 1500).all()
    assert (reduced == 25).all()
    assert (ids[:3] == [0, 1, 3]).all()


# ------------------------------------------------------------------ bits and categories
@given(
    n=st.integers(1, 200),
    d=st.integers(1, 150),
    share=st.sampled_from([0.0, 0.02, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_rows_of_bits(n, d, share, seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.random((n, d)) < share, rng.random((11, d)) < max(share, 0.1)
    for name in ("hamming", "jaccard"):
        metric = as_metric(name, d=d)
        index = build_brute(X, metric, 1)
        assert isinstance(index, BinaryIndex)
        exact = twin.reduced(name, Q, X)
        for k in {1, min(n, 9), n}:
            same(index.query(Q, k, 1), twin.nearest(exact, k))
        same(index.query_radius(Q, 0.4, 1), twin.within(exact, 0.4))


@pytest.mark.parametrize("d", [512, 513, 2500])
def test_wide_rows_of_bits(d):
    rng = np.random.default_rng(d)
    X, Q = rng.random((150, d)) < 0.3, rng.random((33, d)) < 0.3
    for name in ("hamming", "jaccard"):
        exact = twin.reduced(name, Q, X)
        index = build_brute(X * 1.0, as_metric(name, d=d), 2)
        same(index.query(Q * 1.0, 20, 2), twin.nearest(exact, 20))
        limits = np.sort(exact, axis=1)[:, 7]
        same(index.query_radius(Q, limits, 2), twin.within(exact, limits))
        same(index.self_query(3), twin.nearest(twin.reduced(name, X, X), 3, itself=True))


def test_calls_of_any_size(monkeypatch):
    from statfast.neighbors.brute import binary

    rng = np.random.default_rng(14)
    X, Q = rng.random((1500, 70)) < 0.3, rng.random((100, 70)) < 0.3
    monkeypatch.setattr(binary, "WORDS_PER_CALL", 1)
    monkeypatch.setattr(brute, "FLOP_PER_CALL", 1e5)
    for name in ("hamming", "jaccard"):
        check(as_metric(name, d=70), X, Q, 5)
    check(as_metric("manhattan", d=70), X * 1.0, Q * 1.0, 5)


def test_categories():
    rng = np.random.default_rng(15)
    X, Q = rng.integers(0, 5, (900, 9)) * 1.0, rng.integers(0, 5, (80, 9)) * 1.0
    metric = as_metric("hamming", d=9)
    assert isinstance(check(metric, X, Q, 6), BruteIndex)
    check(metric, np.minimum(X, 1), Q, 6)  # bits, and queries that are none
    check(as_metric("jaccard", d=9), X - 2, Q - 2, 6)  # whatever is not 0


# ------------------------------------------------------------------ functions, and all of them
def test_a_function():
    rng = np.random.default_rng(16)
    X, Q = rng.integers(0, 4, (40, 3)), rng.integers(0, 4, (9, 3))
    seen = []

    def lopsided(a, b):
        seen.append((a.flags.writeable, b.flags.writeable, a.dtype, b.dtype))
        return float(np.maximum(a - b, 0).sum())

    metric = as_metric(lopsided, d=3)
    exact = np.maximum(Q[:, None] - X, 0).sum(axis=2) * 1.0
    index = build_brute(X, metric)
    assert isinstance(index, FunctionIndex)
    same(index.query(Q, 5), twin.nearest(exact, 5))
    same(index.query_radius(Q, 2), twin.within(exact, 2))
    own = np.maximum(X[:, None] - X, 0).sum(axis=2) * 1.0
    same(index.self_query(4), twin.nearest(own, 4, itself=True))
    assert set(seen) == {(False, False, np.dtype(float), np.dtype(float))}


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [(np.nan, ValueError, "not negative; got nan for query 0 and row 0"),
     (-1.0, ValueError, "not negative; got -1.0 for query 0 and row 0"),
     ("far", TypeError, "must return a number"), (10**400, TypeError, "must return a number"),
     ([1, 2], TypeError, "must return a number"), (None, TypeError, "must return a number")],
)  # fmt: skip
def test_a_function_that_is_none(answer, error, words):
    index = build_brute(np.ones((3, 2)), as_metric(lambda a, b: answer, d=2))
    with pytest.raises(error, match=words):
        index.query(np.ones((1, 2)), 1)


@pytest.mark.parametrize("name", ["manhattan", "haversine", "hamming", "jaccard"])
def test_rows_among_themselves(name):
    X = np.random.default_rng(17).integers(0, 2, (300, 2)) * 0.5
    metric = as_metric(name, d=2)
    index = build_brute(X, metric)
    same(index.self_query(5), twin.nearest(table(metric, X, X), 5, itself=True))
    again = pickle.loads(pickle.dumps(index))
    same(again.query(X, 5), index.query(X, 5))


def test_rows_are_not_copied():
    X = np.random.default_rng(18).normal(size=(50, 4))
    for name in ("manhattan", "haversine", "hamming", "jaccard"):
        rows = X[:, :2] if name == "haversine" else X
        index = user_metric.build_brute(rows, as_metric(name, d=rows.shape[1]))
        assert np.shares_memory(index.rows, X)


@pytest.mark.parametrize("metric", sorted(TABLES))
def test_models_of_every_metric_are_pickled(metric):
    X = np.random.default_rng(0).integers(0, 3, (20, 4)) + 0.0
    X[:, 0] += 1
    model = NearestNeighbors(n_neighbors=2, metric=metric).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.kneighbors(X)[0], model.kneighbors(X)[0])
