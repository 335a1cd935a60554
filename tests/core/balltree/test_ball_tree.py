# SPDX-License-Identifier: BSD-3-Clause
"""The ball tree's kernels: the shape of trees, the balls, and searches with brute force's bits.

The twin here is brute force by differences in the kernels' order of summation, so that what ties or
differs in the last bit is the same here and there.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.balltree import build as ballbuild
from statfast._core.balltree import order as ballorder
from statfast._distance.metrics import as_metric
from statfast.neighbors.spatial import ball_index
from statfast.neighbors.spatial.ball_index import BallTreeIndex
from tests.core.neighbors.test_brute import FAMILIES, by_differences

DTYPES = [np.float64, np.float32, np.uint8]


# ------------------------------------------------------------------ the shape
@given(st.integers(1, 5000), st.integers(1, 40))
@settings(max_examples=60)
def test_every_octet_is_in_one_leaf_and_nodes_are_in_preorder(octets, per_leaf):
    leaves = -(-octets // per_leaf)
    nodes = ballbuild.count_nodes(leaves)
    first, child = np.full((nodes, 9), -9, np.int32), np.full((nodes, 8), -9, np.int32)
    last = np.full(nodes, -9, np.int32)
    ballbuild.shape(octets, leaves, first, child, last)
    sizes, deepest = [], 0

    def walk(node, start, stop, depth):
        nonlocal deepest
        deepest = max(deepest, depth)
        assert (first[node, 0], first[node, 8]) == (start, stop)
        assert (np.diff(first[node]) >= 0).all()
        following = node + 1
        for c in range(8):
            below = child[node, c]
            if first[node, c] == first[node, c + 1]:
                assert below == -1
            elif below < 0:
                sizes.append(first[node, c + 1] - first[node, c])
            else:
                assert below == following
                following = walk(below, first[node, c], first[node, c + 1], depth + 1)
        assert last[node] == following
        return following

    assert walk(0, 0, octets, 1) == nodes
    assert len(sizes) == leaves
    assert max(sizes) - min(sizes) <= 1
    assert 8 ** (deepest - 1) < max(2, leaves)


@pytest.mark.parametrize("kind", ["random", "equal", "two values", "ascending", "descending"])
@pytest.mark.parametrize("n", [1, 2, 7, 100, 4097])
def test_part_takes_the_smallest_keys_and_of_equal_ones_the_first(kind, n):
    rng = np.random.default_rng(n)
    key = {
        "random": rng.standard_normal(n), "equal": np.zeros(n), "ascending": np.arange(n) * 1.0,
        "two values": rng.integers(0, 2, n) * 1.0, "descending": -np.arange(n) * 1.0,
    }[kind]  # fmt: skip
    for left in {0, 1, n // 2, n - 1, n}:
        order = np.empty(n, np.intp)
        ballorder.part(key, left, order)
        expected = np.argsort(key, kind="stable")[:left]
        np.testing.assert_array_equal(np.sort(order[:left]), np.sort(expected))
        np.testing.assert_array_equal(np.sort(order), np.arange(n))


# ------------------------------------------------------------------ the balls
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_balls_hold_their_rows(family, metric):
    """In exact arithmetic nearly: differences in long double, where it is longer."""
    X, _ = family(np.random.default_rng(3), 700, 1, 6)
    index = BallTreeIndex.build(X, 1, metric=as_metric(metric, d=6))
    np.testing.assert_array_equal(index.points(slice(0, 700)), X[index.ids])
    rows = X[index.ids].astype(np.longdouble)
    for node in range(len(index.first)):
        for c in range(8):
            some = rows[8 * index.first[node, c] : 8 * index.first[node, c + 1]]
            if not len(some):
                continue
            apart = np.abs(some - index.center[node, :, c].astype(np.longdouble))
            if metric == "euclidean":
                far = np.sqrt((apart**2).sum(axis=1)).max()
            else:
                far = (apart.sum(axis=1) if metric == "manhattan" else apart.max(axis=1)).max()
            assert far <= index.radius[node, c]


def test_what_comes_after_the_last_row_is_no_row():
    X = np.random.default_rng(0).standard_normal((1001, 3))
    index = BallTreeIndex.build(X, 1)
    _, ids = index.query(np.zeros((1, 3)), 1001)  # the places without a row hold zeros
    np.testing.assert_array_equal(np.sort(ids[0]), np.arange(1001))


# ------------------------------------------------------------------ the search
def check(X, Q, k, **options):
    index = BallTreeIndex.build(X, 1, **options)
    d2, ids = index.query(Q, k, 1)
    expected = by_differences(X, Q, k)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_array_equal(d2, expected[0])
    return index


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("n", "d", "k"),
    [(3, 1, 2), (40, 2, 40), (2000, 1, 3), (3000, 3, 10), (900, 9, 1), (500, 70, 5)],
)
def test_neighbors_are_those_of_brute_force(family, n, d, k):
    check(*family(np.random.default_rng(d), n, 40, d), k)


@pytest.mark.parametrize("family", FAMILIES)
def test_float32_rows_and_queries(family):
    X, Q = family(np.random.default_rng(2), 2200, 40, 10)
    X, Q = (rows.clip(-3e38, 3e38).astype(np.float32) for rows in (X, Q))
    check(X, Q, 5)


@pytest.mark.parametrize("of_rows", DTYPES)
@pytest.mark.parametrize("of_queries", DTYPES)
def test_every_pair_of_types(of_rows, of_queries):
    rng = np.random.default_rng(4)
    X, Q = 255 * rng.random((1500, 5)), 255 * rng.random((50, 5))
    check(X.astype(of_rows), Q.astype(of_queries), 8)
    grid = rng.integers(0, 4, (1500, 5))
    check(grid.astype(of_rows), rng.integers(0, 4, (50, 5)).astype(of_queries), 8)


def surface(rng, n, m, d):
    """Three dimensions, bent, among d columns and far from the origin."""
    latent, along, across = rng.random((n + m, 3)), rng.random((3, d)), rng.random((3, d))
    rows = 1e8 + latent @ along + np.sin(3 * latent @ across)
    return rows[:n], rows[n:]


def shells(rng, n, m, d):
    """Rows at equal distances from the middle, where queries are: bounds within an ulp of them."""
    rows = rng.standard_normal((n, d))
    rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return rows * rng.integers(1, 4, (n, 1)), 1e-16 * rng.standard_normal((m, d))


def ends_of_the_range(rng, n, m, d):
    """As far apart as numbers are: sums and differences of rows overflow, and so do centers."""
    X, Q = (1.7e308 * rng.choice([-1.0, 1.0, 0.0], (rows, d)) for rows in (n, m))
    X[::5], Q[::2] = rng.random((len(X[::5]), d)), rng.random((len(Q[::2]), d))
    return X, Q


def on_the_edge(rng, n, m, d):
    """A line of rows at whole numbers, queries at whole and half ones: every bound is an equality
    of distances but for rounding."""
    line = rng.standard_normal(d)
    return rng.integers(0, n // 4, (n, 1)) * line, rng.integers(0, n // 2, (m, 1)) / 2 * line


@pytest.mark.parametrize("family", [surface, shells, on_the_edge, ends_of_the_range])
@pytest.mark.parametrize("d", [1, 2, 3, 8, 15, 50])
def test_data_that_suit_balls_and_data_that_try_their_bounds(family, d):
    X, Q = family(np.random.default_rng(d), 2500, 60, d)
    for k in (1, 4, 33):
        check(X, Q, k, leaf_size=8)


@given(
    family=st.sampled_from([*FAMILIES, surface, shells, on_the_edge, ends_of_the_range]),
    n=st.integers(1, 1500),
    d=st.integers(1, 34),
    k=st.integers(1, 70),
    leaf=st.integers(1, 100),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_neighbors_in_any_shape(family, n, d, k, leaf, seed):
    X, Q = family(np.random.default_rng(seed), max(n, 60), 20, d)
    check(X[:n], Q, min(k, n), leaf_size=leaf)


@pytest.mark.parametrize("k", [1, 31, 32, 33, 200, 300])
def test_up_to_all_rows_through_array_and_heap(k):
    rng = np.random.default_rng(6)
    check(rng.standard_normal((300, 4)), rng.standard_normal((30, 4)), k)
    check(rng.integers(0, 3, (300, 4)) * 1.0, rng.integers(0, 3, (30, 4)) * 1.0, k)


@pytest.mark.parametrize("family", [FAMILIES[0], surface, on_the_edge])
def test_any_number_of_threads_gives_the_same_bits(family, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X, Q = family(np.random.default_rng(8), 20_000, 900, 5)
    one = check(X, Q[:60], 7)
    for n_jobs in (2, 7):
        other = BallTreeIndex.build(X, n_jobs)
        for name in ("octets", "ids", "center", "radius", "first", "child"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
        for a, b in zip(one.query(Q, 7, 1), other.query(Q, 7, n_jobs), strict=True):
            np.testing.assert_array_equal(a, b)
        for a, b in zip(one.self_query(3, 1), other.self_query(3, n_jobs), strict=True):
            np.testing.assert_array_equal(a, b)
        for a, b in zip(
            one.query_radius(Q, 0.5, 1), other.query_radius(Q, 0.5, n_jobs), strict=True
        ):
            np.testing.assert_array_equal(a, b)


def test_calls_of_any_size_give_the_same_answer(monkeypatch):
    X, Q = surface(np.random.default_rng(9), 3000, 300, 4)
    index = BallTreeIndex.build(X, 1)
    expected = index.query(Q, 9, 1), index.query_radius(Q, 1e-2, 1)
    for name, value in {"OPERATIONS_PER_CALL": 1, "QUERIES_PER_TASK": 64, "FIRST_ROOM": 1,
                        "MAX_UNORDERED_BYTES": 0, "MAX_ROWS_OF_ONE_TASK": 50,
                        "NUMBERS_PER_TASK": 100}.items():  # fmt: skip
        monkeypatch.setattr(ball_index, name, value)
    index = BallTreeIndex.build(X, 1)
    found = index.query(Q, 9, 1), index.query_radius(Q, 1e-2, 1)
    for some, others in zip(found, expected, strict=True):
        for a, b in zip(some, others, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("family", [*FAMILIES, surface])
def test_rows_without_themselves(family):
    X, _ = family(np.random.default_rng(10), 400, 1, 4)
    d2, ids = BallTreeIndex.build(X, 1).self_query(6)
    expected = by_differences(X, X, len(X))
    others = expected[1] != np.arange(len(X))[:, None]
    np.testing.assert_array_equal(ids, expected[1][others].reshape(len(X), -1)[:, :6])
    np.testing.assert_array_equal(d2, expected[0][others].reshape(len(X), -1)[:, :6])


@pytest.mark.parametrize("family", [*FAMILIES, surface, shells, on_the_edge, ends_of_the_range])
def test_within_a_radius(family):
    X, Q = family(np.random.default_rng(11), 900, 30, 3)
    index = BallTreeIndex.build(X, 1)
    all_apart, all_ids = by_differences(X, Q, 900)
    for rank in (0, 20, 899):
        radii = all_apart[:, rank]  # squared, and exactly met
        starts, apart, ids = index.query_radius(Q, radii)
        np.testing.assert_array_equal(index.count_radius(Q, radii), np.diff(starts))
        for i in range(30):
            near = all_apart[i] <= radii[i]
            np.testing.assert_array_equal(ids[starts[i] : starts[i + 1]], all_ids[i][near])
            np.testing.assert_array_equal(apart[starts[i] : starts[i + 1]], all_apart[i][near])


def test_few_rows_are_visited_where_dimensions_are_few():
    rng = np.random.default_rng(12)
    X, Q = surface(rng, 20_000, 200, 20)
    index = BallTreeIndex.build(X, 1)
    assert index.visited(Q, 5) < 0.02 * 20_000
    many = BallTreeIndex.build(rng.standard_normal((2000, 40)), 1)
    Q = rng.standard_normal((9, 40))
    assert 1000 < many.visited(Q, 5) <= 2000
    rows, centers = many._query(Q, 5, 1)[2]
    assert 8 * len(Q) <= centers < rows
