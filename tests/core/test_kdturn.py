# SPDX-License-Identifier: BSD-3-Clause
"""k-d trees whose boxes see turned points: the same answers, bit for bit, and less looked at."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import _kd_tree, _kd_turn
from statfast._distances import as_metric
from statfast._kd_tree import KDArrays
from statfast.neighbors.kd_index import KDTreeIndex
from tests.core import test_kdradius, test_kdtree
from tests.reference import metrics as twin

REALS = [np.float64, np.float32]
N = 600


def rotation(rng, d):
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


# ------------------------------------------------------------------ clouds that lie aslant
def line(rng, n, d):
    return np.outer(rng.random(n), np.arange(1, d + 1))


def plane(rng, n, d):
    """A surface of two dimensions, or a line in two columns."""
    rows = rng.random((n, d))
    rows[:, min(2, d - 1) :] = 0
    return rows @ rotation(rng, d)


def far_away(rng, n, d):
    return 1e8 + 1e3 * line(rng, n, d)


def diagonal_grid(rng, n, d):
    """Ties everywhere, and duplicates."""
    return np.outer(rng.integers(0, n // 2, n), np.arange(1, d + 1)) * 1.0


def slab(rng, n, d):
    """As thin as float32 can tell, and as the rounding of float64 is far from its centre."""
    rows = rng.random((n, d))
    rows[:, -1] *= 1e-7
    return 1e3 + rows @ rotation(rng, d)


def pancakes(rng, n, d):
    """Widths of all scales, and some rows far out."""
    rows = rng.standard_normal((n, d)) * 100.0 ** -np.arange(d)
    rows[:: n // 7] *= 1e4
    return rows @ rotation(rng, d)


SLANTING = [line, plane, far_away, diagonal_grid, slab, pancakes]


@pytest.fixture
def few(monkeypatch):
    """Small trees turn, too, if rows lie aslant, whether it pays or not."""
    monkeypatch.setattr(_kd_turn, "LEAVES", 4)
    monkeypatch.setattr(_kd_tree, "pays", lambda X, turn: True)


def turned_anyhow(X, leaf):
    """In the place of turn_of: any rotation about any centre."""
    n, d = X.shape
    size = abs(X - X[0]).max()
    if not size > 1e-18 or abs(X).max() > 1e18:
        return None
    rng = np.random.default_rng(n + d)
    centre = X[rng.integers(n)] + size * rng.standard_normal(d)
    return np.array([centre, *(1 - _kd_turn.LOSS) * rotation(rng, d)])


@pytest.fixture
def anyhow(monkeypatch):
    """All trees turn."""
    monkeypatch.setattr(_kd_tree, "turn_of", turned_anyhow)
    monkeypatch.setattr(_kd_tree, "pays", lambda X, turn: True)


def plainly(X, leaf=32):
    """The index as it would be without."""
    return KDTreeIndex(KDArrays.build(X, leaf))


def about(rng, X, m):
    """Rows, queries near by and anywhere, some of them very far away."""
    Q = test_kdtree.queries(rng, X, m)
    Q[3::9] += np.ptp(X) * rng.standard_normal(Q[3::9].shape)
    Q[4::27] *= 1e12
    Q[5::27] = 1e160
    Q[6::27] = -1.7e308
    return Q


def same(found, expected):
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


# ------------------------------------------------------------------ answers
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("d", [2, 3, 5, 8, 11])
@pytest.mark.parametrize("cloud", SLANTING)
def test_answers_are_those_of_brute_force(cloud, d, dtype):
    rng = np.random.default_rng(d)
    X = cloud(rng, N, d).astype(dtype)
    index = KDTreeIndex.build(X, leaf_size=16)
    assert index.arrays.turn is not None
    assert index.nbytes > plainly(X, 16).nbytes
    test_kdtree.agree(index, X, test_kdtree.queries(rng, X, 48).astype(dtype), 1, 5, 40)
    Q = about(rng, X, 60)
    for k in (1, 3):
        same(index.query(Q, k), plainly(X).query(Q, k))


@given(
    seed=st.integers(0, 2**32 - 1),
    cloud=st.sampled_from(SLANTING + test_kdtree.CLOUDS),
    n=st.integers(7, 400),
    d=st.integers(1, 20),
    k=st.integers(1, 60),
    leaf=st.integers(1, 100),
    dtypes=st.tuples(st.sampled_from(REALS), st.sampled_from(REALS)),
)
@settings(max_examples=120)
def test_turned_anyhow(seed, cloud, n, d, k, leaf, dtypes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kd_tree, "turn_of", turned_anyhow)
        patch.setattr(_kd_tree, "pays", lambda X, turn: True)
        rng = np.random.default_rng(seed)
        X = cloud(rng, n, d).astype(dtypes[0])
        index = KDTreeIndex.build(X, leaf_size=leaf)
        Q = test_kdtree.queries(rng, X, 10).astype(dtypes[1])
        test_kdtree.agree(index, X, Q, min(n, k))


@pytest.mark.usefixtures("anyhow")
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("d", [2, 3, 6, 9])
@pytest.mark.parametrize("cloud", [*SLANTING, test_kdradius.plain, test_kdradius.integer_grid])
def test_those_within_a_radius(cloud, d, dtype):
    rng = np.random.default_rng(d)
    X, Q = test_kdradius.some(cloud, rng, 500, 20, d, dtype)
    test_kdradius.check(X, Q, rng, leaf_size=8, n_jobs=2)


@pytest.mark.usefixtures("anyhow")
def test_trees_turned_differently():
    rng = np.random.default_rng(5)
    X, Y = rng.integers(0, 9, (500, 2)) * 0.5, rng.integers(0, 9, (333, 2)) * 0.5
    expected = (((X[:, None] - Y) ** 2).sum(axis=2) <= 1.25).sum()
    a, b, c = KDTreeIndex.build(X), KDTreeIndex.build(Y.astype(np.float32)), plainly(Y)
    for one, other in ((a, b), (b, a), (a, c), (c, a)):
        assert one.count_pairs(other, 1.25) == expected


@pytest.mark.parametrize("dtype", REALS)
def test_large_trees_and_threads(dtype):
    """As they are chosen: nothing is patched. More rows than one task takes."""
    rng = np.random.default_rng(0)
    X = plane(rng, 140_003, 3).astype(dtype)
    Q = about(rng, X, 6000)
    one, two, seven = (KDTreeIndex.build(X, n_jobs) for n_jobs in (1, 2, 7))
    assert one.arrays.turn is not None
    for other in (two, seven):
        same(one.arrays.fields, other.arrays.fields)
        same(one.arrays.turn, other.arrays.turn)
    expected = plainly(X).query(Q, 3)
    for n_jobs in (1, 2, 7):
        same(one.query(Q, 3, n_jobs), expected)
    same(one.self_query(2), plainly(X).self_query(2))
    again = pickle.loads(pickle.dumps(one))
    same(again.arrays.fields, one.arrays.fields)
    same(again.arrays.turn, one.arrays.turn)
    same(again.query(Q, 3), expected)
    apart, ids = np.empty(3), np.empty(3, np.intp)
    assert one.prepared.query(X[7].astype(np.float64), apart, ids)
    np.testing.assert_array_equal(ids, one.query(X[7:8].astype(np.float64), 3)[1][0])


# ------------------------------------------------------------------ the boxes
@pytest.mark.usefixtures("anyhow")
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("cloud", [*SLANTING, test_kdtree.plain, test_kdtree.one_outlier])
@pytest.mark.parametrize("leaf", [8, 24])
def test_the_leaves_are_rows_and_the_boxes_hold_them(cloud, leaf, dtype):
    X = cloud(np.random.default_rng(0), 1001, 3).astype(dtype)
    tree = KDArrays.build(X, leaf, turns=True)
    if tree.turn is None:
        assert cloud is test_kdtree.one_outlier
        return
    places = tree.blocks.transpose(0, 2, 1).reshape(-1, 3)
    np.testing.assert_array_equal(places[:1001], X[tree.ids[:1001]])
    assert (places[1001:] == np.inf).all()
    centre, matrix = tree.turn[0].astype(np.longdouble), tree.turn[1:].astype(np.longdouble)
    seen = (places[:1001] - centre) @ matrix.T
    span = leaf
    for first in tree.first:
        for node in range(-(-1001 // span)):
            box, some = tree.boxes[first + node // 8, :, :, node % 8], seen[node * span :][:span]
            assert (box[:, 0] < some.min(axis=0)).all()
            assert (box[:, 1] > some.max(axis=0)).all()
        span *= 8


def test_no_bound_is_above_a_distance():
    """What the sums are to guarantee, with the rounding of every step: in Python's numbers."""
    rng = np.random.default_rng(0)
    for d in (2, 3, 9, 40):
        for size in (1e-10, 1.0, 1e10):
            X = 1e3 + size * line(rng, 300, d)
            matrix = (1 - _kd_turn.LOSS) * rotation(rng, d)
            seen = (X - X[5]) @ matrix.T
            boxes = np.stack([seen.min(axis=0), seen.max(axis=0)], axis=1)[None, :, :, None]
            for away in (0.0, 1e-9, 1.0, 2.0, 1e3, 1e15):
                Q = X[:30] + away * size * rng.standard_normal((30, d))
                apart = twin.reduced("euclidean", Q, X)
                turned = (Q - X[5]) @ matrix.T
                wide = _kd_turn.slack(boxes)
                gap = np.maximum(abs(turned[:, None] - seen) - wide, 0)
                most = abs(turned[:, None] - seen) + wide
                assert (twin.eightfold(gap * gap) <= apart).all()
                assert (twin.eightfold(most * most) >= apart * (1 - 2.0**-34)).all()


# ------------------------------------------------------------------ when
@pytest.mark.parametrize("dtype", REALS)
def test_far_queries_look_at_few_rows(dtype):
    rng = np.random.default_rng(0)
    X = line(rng, 100_000, 3).astype(dtype)
    Q = rng.uniform(-1, 4, (300, 3))
    most = 200 if dtype == np.float64 else 1000  # whose line is as thick as it is rounded
    assert KDTreeIndex.build(X).visited(Q, 4) < most < plainly(X).visited(Q, 4)


def ordinary(rng, n, d):
    """Clouds that are as well along the coordinates."""
    yield rng.random((n, d))
    yield rng.standard_normal((n, d))
    yield rng.standard_normal((n, d)) * 10.0 ** np.arange(d)
    yield 10 * rng.standard_normal((20, d))[rng.integers(0, 20, n)] + rng.standard_normal((n, d))
    yield rng.integers(0, round(n ** (1 / d)), (n, d)) * 1.0
    yield rng.random((1000, d))[rng.integers(0, 1000, n)]
    yield np.full((n, d), 0.5)
    yield np.where(rng.random((n, 1)) < 0.5, 0.5, rng.random((n, d)))
    one = rng.random((n, d))
    one[n // 3] = 1e9
    yield one
    constant = rng.random((n, d))
    constant[:, 0] = 7
    yield constant
    thick = rng.standard_normal((n, 2)) @ np.array([[1, 0.9], [0, 0.4]])
    yield np.hstack([thick, rng.random((n, d - 2))])  # correlated, but leaves are small squares


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_what_is_not_aslant_is_left_as_it_is(d, dtype):
    for X in ordinary(np.random.default_rng(d), 100_000, d):
        assert KDArrays.build(X.astype(dtype), 32, turns=True).turn is None


def test_what_is_not_turned():
    rng = np.random.default_rng(0)
    for X in (line(rng, 20_000, 3), 1e15 * line(rng, 20_000, 3)):
        assert _kd_turn.turn_of(X, 32) is not None
    for X in (
        line(rng, 10_000, 3),  # few
        line(rng, 20_000, 1),
        line(rng, 20_000, 65),  # many columns
        1e-30 * line(rng, 20_000, 3),
        1e30 * line(rng, 20_000, 3),
        1e300 * line(rng, 20_000, 3),
        1e-300 * line(rng, 20_000, 3),
    ):
        assert _kd_turn.turn_of(X, 32) is None
    X = line(rng, 20_000, 3)
    X[77] = 1e30  # where a sample does not look
    assert _kd_turn.turn_of(X, 32) is None
    index = KDTreeIndex.build(line(rng, 20_000, 3), metric=as_metric("manhattan", d=3))
    assert index.arrays.turn is None
