# SPDX-License-Identifier: BSD-3-Clause
"""Exact neighbors on data made to break the cheaper scores: of bytes, float32 and float64.

The sizes are such that packing the rows pays: more than two million differences.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._core.distance import pairwise
from statfast._core.kmeans import differences
from statfast._core.neighbors import brute as kernel
from statfast._core.tile import tiles
from statfast.neighbors.brute import brute
from statfast.neighbors.brute.brute import BruteIndex
from tests.reference import neighbors as twin

REALS = [np.float64, np.float32]
DTYPES = [*REALS, np.uint8]
ENOUGH = 2_000_000
WIDTH = tiles.tile_shape("f")[1]


# ------------------------------------------------------------------ data made to break float32
def plain(rng, n, m, d):
    return rng.standard_normal((n, d)), rng.standard_normal((m, d))


def near_duplicates(rng, n, m, d):
    """A millionth apart, a hundred million from the origin."""
    return tuple(1e8 + 1e-6 * rng.standard_normal((rows, d)) for rows in (n, m))


def two_far_clouds(rng, n, m, d):
    """No origin is near both."""
    X, Q = plain(rng, n, m, d)
    X[::2] += 1e9
    Q[::3] += 1e9
    return X, Q


def clusters_of_duplicates(rng, n, m, d):
    """More equal rows than a query may have candidates."""
    X = np.repeat(rng.standard_normal((3, d)), -(-n // 3), axis=0)[:n]
    return X[rng.permutation(n)], X[rng.integers(0, n, m)] + rng.integers(0, 2, (m, 1)) * 1e-9


def integer_grid(rng, n, m, d):
    """Ties everywhere, all of them exact."""
    return rng.integers(0, 3, (n, d)) * 1.0, rng.integers(-1, 4, (m, d)) * 1.0


def all_equal(rng, n, m, d):
    return np.full((n, d), 0.1), rng.standard_normal((m, d))


def all_equal_queries_too(rng, n, m, d):
    return np.full((n, d), 0.1), np.full((m, d), 0.1)


def huge(rng, n, m, d):
    return 1e150 * rng.standard_normal((n, d)), 1e150 * rng.standard_normal((m, d))


def tiny(rng, n, m, d):
    return 1e-150 * rng.standard_normal((n, d)), 1e-150 * rng.standard_normal((m, d))


def mixed_scales(rng, n, m, d):
    """Some rows far out, some queries farther."""
    X, Q = plain(rng, n, m, d)
    X[::7] *= 1e12
    Q[::3] *= 1e14
    Q[1::3] *= 1e-12
    return X, Q


def every_scale(rng, n, m, d):
    return tuple(10.0 ** rng.uniform(-40, 40, (rows, 1)) * rng.standard_normal((rows, d))
                 for rows in (n, m))  # fmt: skip


def constant_columns(rng, n, m, d):
    """Columns that tell nothing, large enough to drown the one that tells."""
    X, Q = np.full((n, d), 1e6 / 3), np.full((m, d), 1e6 / 3)
    X[:, -1], Q[:, -1] = rng.random(n), rng.random(m)
    return X, Q


def one_outlier(rng, n, m, d):
    X, Q = plain(rng, n, m, d)
    X[n // 2] = 1e30
    return X, Q


def one_unspeakable_outlier(rng, n, m, d):
    """So far that the other rows vanish beside it, in float32 and in float64."""
    X, Q = plain(rng, n, m, d)
    X[n // 2] = 1e140
    return X, Q


def opposite_outliers(rng, n, m, d):
    """Rows in shells, as points and their opposites, that vanish beside two that are farther out
    than float32 reaches. The mean is zero, and so are the queries."""
    base = rng.random(d)
    shells = np.array([rng.permutation(base) for _ in range(n // 2)])
    shells[20:] *= 3
    shells[0] = 1e60
    X = np.zeros((n, d))
    X[: n // 2 * 2] = np.stack([shells, -shells], axis=1).reshape(-1, d)
    return X, np.zeros((m, d))


def vanishing(rng, n, m, d):
    """So tiny that squared distances have few digits or none."""
    scale = 10.0 ** -rng.choice([160, 161, 163, 170])
    return scale * rng.standard_normal((n, d)), scale * rng.standard_normal((m, d))


def far_queries(rng, n, m, d):
    X, Q = plain(rng, n, m, d)
    return X, Q + 10.0 ** rng.uniform(0, 12, (m, 1))


def query_is_a_row(rng, n, m, d):
    X = rng.standard_normal((n, d))
    return X, X[rng.integers(0, n, m)]


def on_a_sphere(rng, n, m, d):
    """Rows at one distance from the queries, but for the last digits."""
    base = rng.standard_normal(d)
    X = np.array([rng.permutation(base) for _ in range(n)])
    X *= 1 + 1e-14 * rng.random((n, 1))
    return X, np.repeat(1e-4 * rng.standard_normal((m, 1)), d, axis=1)


def on_a_huge_sphere(rng, n, m, d):
    X, Q = on_a_sphere(rng, n, m, d)
    return X * 2.0**500, Q * 2.0**500


def on_a_tiny_sphere(rng, n, m, d):
    X, Q = on_a_sphere(rng, n, m, d)
    return X * 2.0**-480, Q * 2.0**-480


FAMILIES = [
    plain, near_duplicates, two_far_clouds, clusters_of_duplicates, integer_grid, all_equal,
    all_equal_queries_too, huge, tiny, mixed_scales, every_scale, constant_columns, one_outlier,
    one_unspeakable_outlier, opposite_outliers, vanishing, far_queries, query_is_a_row, on_a_sphere,
    on_a_huge_sphere, on_a_tiny_sphere,
]  # fmt: skip


def by_differences(X, Q, k):
    """The k nearest by float64 differences in the kernels' order of summation, so that what ties
    or differs in the last bit is the same here and there."""
    d2, ids = np.empty((len(Q), k)), np.empty((len(Q), k), np.intp)
    to_all, Q = np.empty(len(X)), np.ascontiguousarray(Q, np.float64)
    for i in range(len(Q)):
        differences.distances(X, Q, np.full(len(X), i, np.int32), to_all)
        near = np.flatnonzero(to_all <= np.partition(to_all, k - 1)[k - 1])
        ids[i] = near[np.argsort(to_all[near], kind="stable")[:k]]
        d2[i] = to_all[ids[i]]
    return d2, ids


def check(X, Q, k, n_jobs=1):
    d2, ids = BruteIndex.build(X, n_jobs).query(Q, k, n_jobs)
    expected = by_differences(X, Q, k)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_array_equal(d2, expected[0])
    return d2, ids


def rows_for(m, d):
    """How many rows make the search worth its preparation."""
    return max(100, -(-ENOUGH // (m * d)))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("m", "d", "k"), [(500, 1, 1), (300, 3, 5), (100, 16, 10), (60, 40, 3)])
def test_neighbors_are_those_of_float64(family, m, d, k):
    X, Q = family(np.random.default_rng(d), rows_for(m, d), m, d)
    check(X, Q, k)


@pytest.mark.parametrize("family", [plain, near_duplicates, integer_grid, one_outlier, on_a_sphere])
def test_many_columns(family):
    check(*family(np.random.default_rng(1), 200, 40, 300), 7)


@pytest.mark.parametrize("family", FAMILIES)
def test_float32_rows_and_queries(family):
    X, Q = family(np.random.default_rng(2), 2200, 100, 10)
    X, Q = (rows.clip(-3e38, 3e38).astype(np.float32) for rows in (X, Q))
    check(X, Q, 5)


@pytest.mark.parametrize("size", [1e37, 1e-37, 1e-39, 1e-41, 1e-44])
@pytest.mark.parametrize("of_queries", REALS)
def test_float32_rows_from_end_to_end(size, of_queries):
    X, Q = (size * rows for rows in plain(np.random.default_rng(11), 2200, 100, 10))
    check(X.astype(np.float32), Q.astype(of_queries), 5)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("d", [4, 260])
def test_float32_rows_farther_apart_than_float32_reaches(side, d):
    rng = np.random.default_rng(17)
    X = (0.5e38 * rng.standard_normal((4200, d)).clip(-4, 4)).astype(np.float32)
    X[:, 0] = -3.3e38 * side
    X[7] = 0
    X[7, 0] = 3.39e38 * side
    Q = 1e35 * rng.random((200, d))
    Q[:, 0] = 0.07e38 * side
    _, ids = check(X, Q.astype(np.float32), 3)
    assert d > 4 or (ids[:, 0] == 7).all()
    check(X, Q, 3)


@pytest.mark.parametrize("family", [plain, all_equal, clusters_of_duplicates, vanishing])
@pytest.mark.parametrize("k", [1, 7, 2990])
def test_calls_of_any_size_give_the_same_answer(family, k, monkeypatch):
    X, Q = family(np.random.default_rng(18), 3000, 100, 12)
    index = BruteIndex.build(X, 1)
    expected = index.query(Q, k, 1)
    calls, recheck, distances = [], kernel.recheck, pairwise.distances

    def recheck_counted(Q, rows, count, row, *out):
        calls.append(len(Q) * row.shape[1] * Q.shape[1])
        recheck(Q, rows, count, row, *out)

    def counted_distances(q, rows, *rest):
        calls.append(rows.size)
        distances(q, rows, *rest)

    monkeypatch.setattr(kernel, "recheck", recheck_counted)
    monkeypatch.setattr(pairwise, "distances", counted_distances)
    monkeypatch.setattr(brute, "FLOP_PER_CALL", 1e5)
    monkeypatch.setattr(brute, "DIFFERENCES_PER_CALL", 5000)
    monkeypatch.setattr(brute, "NUMBERS_PER_ENCODING", 5000)
    found = BruteIndex.build(X, 1).query(Q, k, 1)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    one_query = 12 * (2 * k + 64)  # cannot be cut
    assert len(calls) > 1
    assert max(calls) <= max(5000, one_query)


def whole_bytes(rng, n, m, d):
    """What may be held in bytes, and queries that hardly may."""
    X, Q = rng.integers(0, 256, (n, d)) * 1.0, rng.integers(0, 256, (m, d)) * 1.0
    Q[1::4] += 0.5
    Q[2::4] *= -1e3
    Q[3::4] = X[rng.integers(0, n, Q[3::4].shape[0])] + rng.integers(-1, 2, Q[3::4].shape)
    return X, Q


def clustered(rng, n, m, d):
    """Neighbors so near that coarser numbers tell them apart."""
    X = np.repeat(rng.standard_normal((-(-n // 6), d)), 6, axis=0)[:n]
    X += 1e-2 * rng.standard_normal((n, d))
    return X, X[rng.integers(0, n, m)] + 1e-2 * rng.standard_normal((m, d))


@pytest.mark.parametrize("family", [*FAMILIES, whole_bytes, clustered])
def test_neighbors_among_many_rows_of_many_columns(family):
    """Large enough for rows to be rounded to bytes first."""
    X, Q = family(np.random.default_rng(12), 4200, 30, 260)
    for k in (1, 5):
        check(X, Q, k)


@pytest.mark.parametrize("of_rows", DTYPES)
@pytest.mark.parametrize("of_queries", DTYPES)
def test_byte_images_among_many(of_rows, of_queries):
    rng = np.random.default_rng(13)
    X = rng.choice([0, 1, 127, 128, 254, 255], (4200, 253)).astype(of_rows)
    Q = np.vstack([X[:20], 255 - X[:20], X[:20] // 2]).astype(of_queries)
    d2, ids = check(X, Q, 4)
    expected = twin.nearest(X.astype(np.int64), Q, 4)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_array_equal(d2, expected[0])


@pytest.mark.parametrize("n", [2001, 4111])
def test_what_memory_held_before_plays_no_part(n):
    """Rows that do not fill the last tile; the tile's other rows must not be what lies around."""
    rng = np.random.default_rng(14)
    X, Q = plain(rng, n, 300, 11)
    Q[:] = X[-300:] + 1e-3 * Q
    expected = by_differences(X, Q, 3)
    index = BruteIndex.build(X, 1)
    for value in (np.nan, np.inf, -np.inf, np.float64(1e300), np.float32(3e38)):
        for size in range(1000, 200_000, 5000):
            np.full(size, value, getattr(value, "dtype", np.float32))
        d2, ids = index.query(Q, 3, 1)
        np.testing.assert_array_equal(ids, expected[1])
        np.testing.assert_array_equal(d2, expected[0])


@given(
    family=st.sampled_from(FAMILIES),
    m=st.integers(20, 200),
    d=st.integers(1, 40),
    k=st.integers(1, 60),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=25)
def test_neighbors_in_any_shape(family, m, d, k, seed):
    X, Q = family(np.random.default_rng(seed), rows_for(m, d), m, d)
    check(X, Q, min(k, len(X)))


@pytest.mark.parametrize("of_rows", DTYPES)
@pytest.mark.parametrize("of_queries", DTYPES)
def test_exact_ties_are_the_twins_in_every_pair_of_types(of_rows, of_queries):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (1500, 12)).astype(of_rows)
    Q = rng.integers(0, 4, (150, 12)).astype(of_queries)
    d2, ids = check(X, Q, 8)
    expected = twin.nearest(X, Q, 8)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_array_equal(d2, expected[0])


@pytest.mark.parametrize("of_rows", DTYPES)
@pytest.mark.parametrize("of_queries", DTYPES)
def test_every_pair_of_types_away_from_the_grid(of_rows, of_queries):
    rng = np.random.default_rng(4)
    X, Q = 255 * rng.random((1500, 12)), 255 * rng.random((150, 12))
    check(X.astype(of_rows), Q.astype(of_queries), 8)


def test_bytes_from_end_to_end():
    rng = np.random.default_rng(5)
    X = rng.choice([0, 1, 127, 128, 254, 255], (300, 300)).astype(np.uint8)
    for Q in (X[:50], 255 - X[:50], np.full((30, 300), 255, np.uint8)):
        d2, ids = check(X, Q, 9)
        expected = twin.nearest(X.astype(np.int64), Q, 9)
        np.testing.assert_array_equal(ids, expected[1])
        np.testing.assert_array_equal(d2, expected[0])


@pytest.mark.parametrize("m", [9, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH - 1, 2 * WIDTH + 1, 257])
def test_any_number_of_queries(m):
    rng = np.random.default_rng(m)
    check(*plain(rng, rows_for(max(m, 9), 30), max(m, 9), 30), 6)
    check(*integer_grid(rng, rows_for(max(m, 9), 30), max(m, 9), 30), 6)


@pytest.mark.parametrize("family", [plain, near_duplicates, integer_grid, all_equal, mixed_scales])
@pytest.mark.parametrize("k", [1, 64, 299, 300])
def test_up_to_all_rows(family, k):
    X, Q = family(np.random.default_rng(6), 300, 300, 24)
    _, ids = check(X, Q, k)
    if k == 300:
        np.testing.assert_array_equal(np.sort(ids, axis=1), np.tile(np.arange(300), (300, 1)))


@pytest.mark.parametrize("copies", [20, 66, 67, 80, 500])
def test_about_as_many_ties_as_candidates_can_be_held(copies):
    """Rows at one distance from all queries: below, at and above every capacity."""
    rng = np.random.default_rng(7)
    X = rng.integers(3, 9, (2000, 8)) * 1.0
    X[rng.permutation(2000)[:copies]] = 0
    Q = rng.integers(-1, 2, (200, 8)) * 1.0
    for k in (1, 2, 17):
        check(X, Q, k)


@pytest.mark.parametrize("family", [plain, near_duplicates, integer_grid, mixed_scales])
@pytest.mark.parametrize("m", [1, 12, 200])
def test_any_number_of_threads_gives_the_same_bits(family, m):
    X, Q = family(np.random.default_rng(8), 20_000, m, 12)
    expected = check(X, Q, 7)
    for n_jobs in (2, 7):
        found = BruteIndex.build(X, n_jobs).query(Q, 7, n_jobs)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_query_alone_gets_the_same_answer(family):
    X, Q = family(np.random.default_rng(9), 3000, 60, 12)
    index = BruteIndex.build(X, 1)
    d2, ids = index.query(Q, 5, 1)
    for i in range(0, 60, 7):
        alone = index.query(Q[i : i + 1], 5, 1)
        np.testing.assert_array_equal(alone[1][0], ids[i])
        np.testing.assert_array_equal(alone[0][0], d2[i])


# ------------------------------------------------------------------ errors as large as they get
# Each set of rows comes with its opposite: the mean is zero and moves nothing.
def with_opposites(rng, special, n, unit):
    """The special rows, then random ones that are whole multiples of `unit`."""
    filler = rng.standard_normal((n // 2 - len(special), special.shape[1]))
    X = np.vstack([special, np.round(filler.clip(-3.9, 3.9) / unit) * unit])
    X[-1, 0] = 127 / 32  # the farthest that any number is from zero
    return np.vstack([X, -X])


@pytest.mark.parametrize("d", [9, 40, 300])
def test_scores_rounded_up_and_down_win_no_query(d):
    """In float32, the additions of one score are all rounded up, those of another down."""
    step = 2.0**-14
    up, down = np.full((2, d), step * (1 + 2.0**-8))
    down[1:] = step * (1 - 2.0**-8)
    up[0], down[0] = 1, 1 + 2.0**-23 * max(1, d // 128)
    rest = np.zeros((rows_for(60, d) // 2, d))
    rest[:, 0] = 1 - 2.0**-6  # nearly as near, so that the level is set finely
    Q = np.ones((60, d))
    Q[:, 0] = 1024.5 + 2.0**-9
    for special in ([up, up, down], [down, up, up]):
        X = np.vstack([*special, rest])
        X = np.vstack([X, -X])
        ids = check(X, Q, 1)[1]
        np.testing.assert_array_equal(X[ids[0, 0]], down)
        check(X, -Q, 1)


def test_rows_rounded_to_bytes_win_no_query():
    """Of two rows one loses and one gains by being rounded, in every column."""
    rng, d, unit = np.random.default_rng(15), 260, 1 / 32
    side = rng.choice([-1.0, 1.0], d)
    loser, winner = np.full((2, d), 0.5 + 0.49 * unit)
    winner[:254] = 0.5 + 0.51 * unit
    winner[254:] = 0.5 - 0.49 * unit
    Q = np.tile(side, (30, 1))
    for order in ([0, 1], [1, 0]):
        special = np.stack([loser, winner])[order] * side
        ids = check(with_opposites(rng, special, 4200, unit), Q, 1)[1]
        np.testing.assert_array_equal(special[ids[0]], [loser * side])


def test_queries_rounded_to_bytes_win_no_row():
    """What is rounded off the query decides between two rows."""
    rng, d, unit = np.random.default_rng(16), 260, 1 / 32
    side = rng.choice([-1.0, 1.0], d)
    side[7] = -1
    Q = np.tile(0.491 / 64 * side, (30, 1))
    Q[:, 7] = 127 / 64
    for sign in (1, -1):
        special = np.stack([sign * side, -sign * side]) / 4
        ids = check(with_opposites(rng, special, 4200, unit), Q, 1)[1]
        assert ids[0, 0] == (0 if sign == 1 else 1)


def test_rows_may_lie_apart_and_be_read_only():
    rng = np.random.default_rng(10)
    X, Q = rng.standard_normal((4000, 20)), rng.standard_normal((300, 20))
    X.setflags(write=False)
    Q.setflags(write=False)
    part, some = X[::-2, 3:10], Q[::2, 3:10]
    found = BruteIndex.build(part, 1).query(some, 5, 1)
    expected = by_differences(np.ascontiguousarray(part), some, 5)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
