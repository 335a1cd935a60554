# SPDX-License-Identifier: BSD-3-Clause
"""Radius search in k-d trees against brute force, bit for bit, with radii that are distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.kdtree import radius as kdradius
from statfast._distance.metrics import PLAIN, as_metric
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.spatial import kd_radius
from statfast.neighbors.spatial.kd_index import KDTreeIndex

REALS = [np.float64, np.float32]
METRICS = [
    ("euclidean", 2), ("manhattan", 2), ("chebyshev", 2), ("minkowski", 3), ("minkowski", 1.7),
]  # fmt: skip
LARGEST = np.finfo(np.float64).max


def plain(rng, n, d):
    return rng.standard_normal((n, d))


def all_equal(rng, n, d):
    return np.full((n, d), 0.1)


def integer_grid(rng, n, d):
    return rng.integers(0, 5, (n, d)) * 1.0


def many_duplicates(rng, n, d):
    return rng.standard_normal((n // 20 + 1, d))[rng.integers(0, n // 20 + 1, n)]


def far_off(rng, n, d):
    return 1e8 + rng.standard_normal((n, d))


def constant_columns(rng, n, d):
    rows = rng.standard_normal((n, d))
    rows[:, ::2] = 7.3
    return rows


def mixed_scales(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-12, 12, (n, 1))


def huge(rng, n, d):
    return 1e150 * rng.standard_normal((n, d))


FAMILIES = [
    plain, all_equal, integer_grid, many_duplicates, far_off, constant_columns, mixed_scales, huge,
]  # fmt: skip


def rows_and_queries(family, rng, n, m, d, dtype=np.float64):
    """Rows, and queries some of which are rows."""
    both = family(rng, n + m, d)
    if dtype == np.float32:
        both = both.clip(-1e19, 1e19).astype(dtype)
    X, Q = both[:n], both[n:].copy()
    Q[::3] = X[rng.integers(0, n, len(Q[::3]))]
    return np.ascontiguousarray(X), Q


def radii_among(rng, brute, Q, most):
    """For each query one of its least distances, or the number before one, or 0."""
    apart = brute.query(Q, most)[0]
    r = np.array([rng.choice(row[row < np.inf]) for row in apart])
    r[1::5] = np.nextafter(r[1::5], 0)
    r[2::5] = 0
    return r


def check(X, Q, rng, metric=PLAIN, leaf_size=None, n_jobs=1, most=None):
    brute = BruteIndex.build(X, metric=metric)
    tree = KDTreeIndex.build(X, metric=metric, leaf_size=leaf_size)
    r = radii_among(rng, brute, Q, most or len(X))
    expected = brute.query_radius(Q, r)
    for found, wanted in zip(tree.query_radius(Q, r, n_jobs), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(tree.count_radius(Q, r, n_jobs), np.diff(expected[0]))
    np.testing.assert_array_equal(tree.points(slice(0, len(X))), X[tree.ids])


# ------------------------------------------------------------------ answers
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (900, 1), (700, 2), (600, 3), (300, 6), (200, 9)])
@pytest.mark.parametrize("dtype", REALS)
def test_those_within_are_those_of_brute_force(family, n, d, dtype):
    rng = np.random.default_rng(n + d)
    check(*rows_and_queries(family, rng, n, 20, d, dtype), rng)


@pytest.mark.parametrize(("name", "p"), METRICS)
@pytest.mark.parametrize("d", [2, 4, 8, 17])
@pytest.mark.parametrize("dtype", REALS)
def test_metrics(name, p, d, dtype):
    metric = as_metric(name, p=p, d=d)
    for family in (plain, integer_grid, far_off):
        rng = np.random.default_rng(d)
        check(*rows_and_queries(family, rng, 300, 15, d, dtype), rng, metric, leaf_size=8)


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 700), d=st.integers(1, 10),
    family=st.sampled_from(FAMILIES), metric=st.sampled_from(METRICS),
    leaf_size=st.sampled_from([1, 16, 32, 100, 256]), dtype=st.sampled_from(REALS),
)  # fmt: skip
@settings(max_examples=60)
def test_anything(seed, n, d, family, metric, leaf_size, dtype):
    if family is huge and metric[0] == "minkowski":
        family = plain  # powers overflow
    rng = np.random.default_rng(seed)
    chosen = as_metric(metric[0], p=metric[1], d=d)
    check(*rows_and_queries(family, rng, n, 12, d, dtype), rng, chosen, leaf_size, n_jobs=2)


def test_all_levels_of_a_tree():
    rng = np.random.default_rng(4)
    check(*rows_and_queries(plain, rng, 5000, 10, 3), rng, leaf_size=8, most=500)


@pytest.mark.parametrize(("name", "p"), METRICS)
def test_against_the_table_of_distances(name, p):
    rng = np.random.default_rng(3)
    X, Q = rng.integers(0, 6, (200, 3)) * 1.0, rng.integers(0, 6, (30, 3)) * 1.0
    metric = as_metric(name, p=p, d=3)
    tree = KDTreeIndex.build(X, metric=metric)
    power = {"euclidean": 2, "minkowski": p}.get(name, 1)
    terms = np.abs(Q[:, None] - X) ** power
    apart = terms.max(axis=2) if name == "chebyshev" else terms.sum(axis=2)
    for r in (0.0, 1.0, 2.0, 4.0, 9.0):
        if (np.abs(apart - r) < 1e-9).any() and p == 1.7:
            r += 1e-6  # powers are not exact
        starts, reduced, ids = tree.query_radius(Q, r)
        for q in range(len(Q)):
            part = slice(starts[q], starts[q + 1])
            assert set(ids[part]) == set(np.flatnonzero(apart[q] <= r))
            np.testing.assert_allclose(reduced[part], apart[q, ids[part]], rtol=1e-13)


# ------------------------------------------------------------------ limits
def test_everything_is_within_a_huge_radius_and_counted_without_a_look():
    rng = np.random.default_rng(0)
    X, Q = rng.random((3000, 3)), rng.random((5, 3))
    tree = KDTreeIndex.build(X)
    for r in (4.0, 1e300, LARGEST):
        assert tree.count_radius(Q, r).tolist() == [3000] * 5
        starts, reduced, ids = tree.query_radius(Q, r)
        assert starts.tolist() == [3000 * i for i in range(6)]
        for q in range(5):
            part = slice(starts[q], starts[q + 1])
            np.testing.assert_array_equal(np.sort(ids[part]), np.arange(3000))
            assert (np.diff(reduced[part]) >= 0).all()


def test_overflown_distances_are_not_within():
    X = np.array([[1e200], [-1e200], [1e200 * (1 + 1e-15)]])
    tree = KDTreeIndex.build(X)
    assert tree.count_radius(X, LARGEST).tolist() == [1, 1, 1]


def test_none_within():
    tree = KDTreeIndex.build(np.arange(100.0)[:, None])
    Q = np.full((3, 1), 0.5)
    starts, reduced, ids = tree.query_radius(Q, 0.1)
    assert starts.tolist() == [0, 0, 0, 0]
    assert reduced.shape == ids.shape == (0,)


# ------------------------------------------------------------------ threads, order, room
@pytest.mark.parametrize("n_jobs", [2, 7])
def test_threads_change_nothing(n_jobs):
    rng = np.random.default_rng(6)
    X, Q = rng.integers(0, 60, (20_000, 2)) * 1.0, rng.integers(0, 60, (9000, 2)) * 1.0
    tree = KDTreeIndex.build(X)
    r = rng.choice([0.0, 1.0, 4.0, 9.0], len(Q))
    for one, many in zip(tree.query_radius(Q, r, 1), tree.query_radius(Q, r, n_jobs), strict=True):
        np.testing.assert_array_equal(one, many)


def test_the_order_of_queries_and_the_budget_change_nothing(monkeypatch):
    rng = np.random.default_rng(7)
    X, Q = rng.random((3000, 2)), rng.random((500, 2))
    tree = KDTreeIndex.build(X)
    r = rng.random(500) * 0.01
    expected = tree.query_radius(Q, r)
    monkeypatch.setattr(kd_radius, "COORDINATES_PER_CALL", 1.0)
    order = rng.permutation(500).astype(np.int32)
    again = kd_radius.rows_within(tree.view, Q, order, r)
    for one, two in zip(expected, again, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_kernel_stops_where_its_budget_ends():
    rng = np.random.default_rng(8)
    tree, Q = KDTreeIndex.build(rng.random((1000, 2))), rng.random((50, 2))
    count, limit = np.full(50, -1), np.full(50, 0.01)
    at = kdradius.within(tree.view, Q, None, 3, 50, limit, 200, count, None, None, None, False)
    assert 3 < at < 50
    assert (count[3:at] >= 0).all()
    assert (count[at:] == -1).all()
    assert (count[:3] == -1).all()
