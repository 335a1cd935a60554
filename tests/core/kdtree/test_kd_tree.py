# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree against brute force, bit for bit, on data made to break it."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statfast._core.kdtree.tree import TreeView

from statfast._core.kdtree import order as kdorder
from statfast._core.kdtree import search as kdsearch
from statfast._distance.kd_tree import KDArrays
from statfast._distance.metrics import PLAIN, as_metric
from statfast.neighbors.spatial import kd_index
from statfast.neighbors.spatial.kd_index import KDTreeIndex
from tests.reference import metrics as twin

REALS = [np.float64, np.float32]


# ------------------------------------------------------------------ data made to break trees
def plain(rng, n, d):
    return rng.standard_normal((n, d))


def all_equal(rng, n, d):
    return np.full((n, d), 0.1)


def integer_grid(rng, n, d):
    """Ties everywhere, all of them exact."""
    return rng.integers(0, 4, (n, d)) * 1.0


def many_duplicates(rng, n, d):
    return rng.standard_normal((3, d))[rng.integers(0, 3, n)]


def on_a_line(rng, n, d):
    return np.outer(rng.random(n), np.arange(1, d + 1))


def in_order(rng, n, d):
    return np.sort(rng.random((n, d)), axis=0)


def one_outlier(rng, n, d):
    X = rng.random((n, d))
    X[n // 2] = 1e30
    return X


def far_away(rng, n, d):
    return 1e8 + 1e-6 * rng.standard_normal((n, d))


def huge(rng, n, d):
    return 1e37 * rng.standard_normal((n, d))


def tiny(rng, n, d):
    """Squares have few digits, or none."""
    return 1e-37 * rng.standard_normal((n, d))


def every_scale(rng, n, d):
    return 10.0 ** rng.uniform(-30, 30, (n, 1)) * rng.standard_normal((n, d))


def constant_columns(rng, n, d):
    X = np.full((n, d), 1 / 3)
    X[:, -1] = rng.random(n)
    return X


def rotation(rng, d):
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def slanting_plane(rng, n, d):
    """A surface of two dimensions, or a line in two columns."""
    X = rng.random((n, d))
    X[:, min(2, d - 1) :] = 0
    return X @ rotation(rng, d)


def diagonal_grid(rng, n, d):
    """Ties everywhere, and duplicates."""
    return np.outer(rng.integers(0, n // 2 + 1, n), np.arange(1, d + 1)) * 1.0


def pancakes(rng, n, d):
    """Widths of all scales, slanting, and some rows far out."""
    X = rng.standard_normal((n, d)) * 100.0 ** -np.arange(d)
    X[:: n // 7 + 1] *= 1e4
    return X @ rotation(rng, d)


CLOUDS = [
    plain, all_equal, integer_grid, many_duplicates, on_a_line, in_order, one_outlier, far_away,
    huge, tiny, every_scale, constant_columns, slanting_plane, diagonal_grid, pancakes,
]  # fmt: skip


def queries(rng, X, m):
    """Points themselves, points near by, and points elsewhere."""
    Q = X[rng.integers(0, len(X), m)].astype(np.float64)
    Q[1::3] *= 1 + 1e-3 * rng.standard_normal((len(Q[1::3]), 1))
    Q[2::3] = Q[2::3][:, ::-1] + rng.random((len(Q[2::3]), X.shape[1]))
    return Q


def agree(index, X, Q, *numbers, kind="euclidean", p=2.0):
    """The search is the twin's, for each number of neighbors."""
    most = max(numbers)
    nearest = twin.nearest(twin.reduced(kind, Q, X, p), most)
    others = twin.nearest(twin.reduced(kind, X, X, p), most, itself=True)
    for k in numbers:
        for found, expected in zip(index.query(Q, k), nearest, strict=True):
            np.testing.assert_array_equal(found, expected[:, :k])
        if k < len(X):
            for found, expected in zip(index.self_query(k), others, strict=True):
                np.testing.assert_array_equal(found, expected[:, :k])


# ------------------------------------------------------------------ the tree itself
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize(
    ("n", "d", "leaf"), [(1, 1, 8), (8, 2, 8), (9, 3, 8), (11, 3, 8), (2000, 3, 24)]
)
def test_the_arrays_are_what_they_are_said_to_be(cloud, n, d, leaf, dtype):
    X = cloud(np.random.default_rng(n), n, d).astype(dtype)
    tree = KDArrays.build(X, leaf)
    leaves = len(tree.blocks)
    assert leaves == -(-n // leaf)
    assert tree.blocks.ctypes.data % 64 == tree.boxes.ctypes.data % 64 == 0
    assert (tree.ids[n:] == -1).all()
    np.testing.assert_array_equal(np.sort(tree.ids[:n]), np.arange(n))
    points = tree.blocks.transpose(0, 2, 1).reshape(-1, d)
    np.testing.assert_array_equal(points[:n], X[tree.ids[:n]])
    assert (points[n:] == np.inf).all()
    span = leaf
    for level in range(len(tree.first)):
        nodes = -(-n // span)
        for node in range(-(-nodes // 8) * 8):
            group, lane = tree.first[level] + node // 8, node % 8
            ids = tree.ids[node * span : min(n, (node + 1) * span)]
            if len(ids) == 0:
                assert (tree.boxes[group, :, 0, lane] == np.inf).all()
                assert (tree.boxes[group, :, 1, lane] == -np.inf).all()
                continue
            np.testing.assert_array_equal(tree.boxes[group, :, 0, lane], X[ids].min(axis=0))
            np.testing.assert_array_equal(tree.boxes[group, :, 1, lane], X[ids].max(axis=0))
            assert tree.least[group, lane] == ids.min()
            if level == 0:
                assert (np.diff(ids) > 0).all()
        span *= 8
    assert tree.first[-1] == 0


def test_the_tree_does_not_depend_on_threads():
    X = np.random.default_rng(0).integers(0, 100, (300_000, 3)) * 1.0
    one, two, seven = (KDArrays.build(X, 32, n_jobs) for n_jobs in (1, 2, 7))
    for other in (two, seven):
        for mine, theirs in zip(one.fields, other.fields, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_large_tree_divides_at_medians():
    """Many points, so that cuts are found by samples: halves are halves, boxes do not overlap."""
    X = np.exp(3 * np.random.default_rng(0).standard_normal((100_000, 2)))
    tree = KDArrays.build(X, 32)
    volume = np.prod(tree.boxes[tree.first[0] :, :, 1] - tree.boxes[tree.first[0] :, :, 0], axis=1)
    whole = np.prod(np.ptp(X, axis=0))
    assert volume[np.isfinite(volume)].sum() < whole


@pytest.mark.parametrize("cloud", [plain, integer_grid, all_equal])
def test_pickles_are_aligned_again(cloud):
    X = cloud(np.random.default_rng(0), 500, 3)
    index = KDTreeIndex.build(X)
    with pytest.raises(TypeError):
        pickle.dumps(index.view)  # made when first asked for, and again after unpickling
    again = pickle.loads(pickle.dumps(index))
    assert again.arrays.blocks.ctypes.data % 64 == 0
    for mine, theirs in zip(index.query(X, 5), again.query(X, 5), strict=True):
        np.testing.assert_array_equal(mine, theirs)


# ------------------------------------------------------------------ answers
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (40, 2), (700, 3), (300, 4), (200, 5), (300, 9)])
def test_answers_are_those_of_brute_force(cloud, n, d, dtype):
    rng = np.random.default_rng(n + d)
    X = cloud(rng, n, d).astype(dtype)
    index = KDTreeIndex.build(X, leaf_size=16)
    numbers = {1, min(n, 3), min(n, 8), min(n, 20), min(n, 32), min(n, 70), n}
    agree(index, X, queries(rng, X, 48).astype(dtype), *sorted(numbers))


@given(
    seed=st.integers(0, 2**32 - 1),
    cloud=st.sampled_from(CLOUDS),
    n=st.integers(1, 400),
    d=st.integers(1, 20),
    k=st.integers(1, 60),
    leaf=st.integers(1, 100),
    dtypes=st.tuples(st.sampled_from(REALS), st.sampled_from(REALS)),
)
@settings(max_examples=120)
def test_any_shape(seed, cloud, n, d, k, leaf, dtypes):
    """Also queries of another type than the tree's, which are not rounded to it."""
    rng = np.random.default_rng(seed)
    X = cloud(rng, n, d).astype(dtypes[0])
    index = KDTreeIndex.build(X, leaf_size=leaf)
    agree(index, X, queries(rng, X, 10).astype(dtypes[1]), min(n, k))


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize(
    ("kind", "p"), [("manhattan", 1), ("chebyshev", np.inf), ("minkowski", 3), ("minkowski", 1.5)]
)
def test_other_metrics(cloud, kind, p):
    rng = np.random.default_rng(3)
    for d in (2, 11):
        X = cloud(rng, 300, d)
        metric = as_metric(kind, p=p, d=d)
        index = KDTreeIndex.build(X, metric=metric)
        Q = queries(rng, X, 12)
        if p == 1.5:  # numpy's power may differ in the last place
            reduced = twin.reduced(kind, Q, X, p)
            wanted = twin.nearest(reduced, 5)[0]
            np.testing.assert_allclose(index.query(Q, 5)[0], wanted, rtol=1e-14)
            continue
        agree(index, X, Q, 1, 5, 50, kind=kind, p=p)


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e-162])
def test_the_ends_of_float64(scale):
    rng = np.random.default_rng(0)
    X = scale * rng.standard_normal((300, 3))
    agree(KDTreeIndex.build(X), X, queries(rng, X, 20) * 1.0, 7)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("cloud", [on_a_line, slanting_plane, pancakes, plain])
def test_queries_very_far_away(cloud, dtype):
    rng = np.random.default_rng(0)
    X = cloud(rng, 600, 3).astype(dtype)
    Q = queries(rng, X, 60)
    Q[3::9] += np.ptp(X) * rng.standard_normal(Q[3::9].shape)
    Q[4::27] *= 1e12
    Q[5::27] = 1e150
    agree(KDTreeIndex.build(X), X, Q, 1, 3, 40)


def test_what_overflows_is_infinitely_far():
    X = np.array([[0.0], [1e300], [-1e300], [1.0]])
    apart, ids = KDTreeIndex.build(X).query(np.array([[0.5]]), 3)
    assert apart.tolist() == [[0.25, 0.25, np.inf]]
    assert ids.tolist() == [[0, 3, -1]]


@pytest.mark.parametrize("k", [1, 6, 40])
def test_the_order_of_many_queries_does_not_show(k, monkeypatch):
    """Sorted queries, which start from what the one before found, and unsorted ones."""
    rng = np.random.default_rng(k)
    for cloud in (plain, integer_grid, one_outlier, many_duplicates):
        X = cloud(rng, 3000, 3)
        Q = queries(rng, X, 5000)
        index = KDTreeIndex.build(X)
        plainly = index.query(Q, k)
        with monkeypatch.context() as patch:
            patch.setattr(kd_index, "MAX_UNORDERED_BYTES", 0)
            patch.setattr(kd_index, "MAX_QUERIES_PER_TASK", 1024)
            for jobs in (1, 2, 7):
                for mine, theirs in zip(index.query(Q, k, jobs), plainly, strict=True):
                    np.testing.assert_array_equal(mine, theirs)


def test_codes_are_sorted():
    rng = np.random.default_rng(0)
    Q = rng.random((3000, 2))
    code, (work, order) = np.empty(3000, np.uint32), np.empty((2, 3000), np.int32)
    kdorder.encode(Q, 0, 3000, np.zeros(2), np.full(2, 2.0**11), 11, code)
    kdorder.sort(code, work, order)
    np.testing.assert_array_equal(order, np.argsort(code, kind="stable"))
    cells = (Q * 2**11).astype(int)
    expected = [int("".join(f"{y >> b & 1}{x >> b & 1}" for b in range(10, -1, -1)), 2)
                for x, y in cells]  # fmt: skip
    np.testing.assert_array_equal(code, expected)


@pytest.mark.parametrize("dtype", REALS)
def test_a_query_alone_answers_alike(dtype):
    rng = np.random.default_rng(0)
    X = rng.random((2000, 3)).astype(dtype)
    index = KDTreeIndex.build(X)
    for k in (1, 9, 50):
        apart, ids = np.empty(k), np.empty(k, np.intp)
        assert kdsearch.query(index.view, X[7].astype(np.float64), apart, ids)
        expected = index.query(X[7:8].astype(np.float64), k)
        np.testing.assert_array_equal(apart, np.sqrt(expected[0][0]))
        np.testing.assert_array_equal(ids, expected[1][0])
    one = np.empty(1), np.empty(1, np.intp)
    assert not kdsearch.query(index.view, np.array([0, np.nan, 0]), *one)
    assert not kdsearch.query(index.view, np.array([0, np.inf, 0]), *one)


def test_most_points_are_passed_by():
    X = np.random.default_rng(0).random((20_000, 3))
    index = KDTreeIndex.build(X)
    assert 32 <= index.visited(X[:500], 1) < 400
    duplicates = KDTreeIndex.build(np.zeros((20_000, 3)))
    assert duplicates.visited(np.zeros((50, 3)), 5) <= 64
    assert KDTreeIndex.build(X[:100]).visited(X[:10], 100) == 128


def test_far_queries_of_a_line():
    """Boxes along the coordinates are loose there: some hundred leaves of three thousand."""
    rng = np.random.default_rng(0)
    X = on_a_line(rng, 100_000, 3)
    assert KDTreeIndex.build(X).visited(rng.uniform(-1, 4, (300, 3)), 4) < 10_000


def test_bits_do_not_depend_on_the_reads_strides():
    rng = np.random.default_rng(0)
    X = rng.random((500, 8))[:, ::2]
    Q = np.asfortranarray(rng.random((50, 4)))
    plainly = KDTreeIndex.build(X.copy()).query(Q.copy("C"), 4)
    for mine, theirs in zip(KDTreeIndex.build(X).query(Q, 4), plainly, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_bytes_are_searched_as_float32():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (600, 3)).astype(np.uint8)
    index = KDTreeIndex.build(X, metric=PLAIN)
    assert index.arrays.blocks.dtype == np.float32
    agree(index, X, rng.integers(0, 256, (20, 3)).astype(np.uint8), 6)


def test_the_kernel_counts_what_it_looks_at():
    X = np.random.default_rng(0).random((1000, 2))
    tree = KDArrays.build(X, 16)
    apart, ids = np.empty((1000, 1)), np.empty((1000, 1), np.intp)
    seen = kdsearch.search(TreeView(*tree.fields, 0, 2.0), X, None, 0, 1000, apart, ids)
    assert 16_000 <= seen < 1000 * 1000
    np.testing.assert_array_equal(ids[:, 0], np.arange(1000))
