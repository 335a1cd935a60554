# SPDX-License-Identifier: BSD-3-Clause
"""Radius queries of the public k-d tree: the slow twin, a peer, and what is refused."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from statfast import BallTree, KDTree, NearestNeighbors
from statfast.neighbors.spatial import kd_radius, spatial_tree
from tests.reference import trees as twin

CLOSE = {"rtol": 1e-13, "atol": 1e-300}
NAMED = {  # name of the twin: arguments of the tree
    "euclidean": {},
    "manhattan": {"metric": "l1"},
    "chebyshev": {"metric": "chebyshev"},
    "minkowski3": {"metric": "minkowski", "p": 3},
    "minkowski1.5": {"metric": "minkowski", "p": 1.5},
}


@pytest.mark.parametrize("tree_class", [KDTree, BallTree])
@pytest.mark.parametrize("n", [401, 408])
def test_lists_of_few_and_of_many_rows_follow_each_other(tree_class, n):
    rng = np.random.default_rng(2)
    X, Q = rng.standard_normal((n, 3)), rng.standard_normal((40, 3))
    tree, apart = tree_class(X), twin.table("euclidean", Q, X)
    ranks = rng.permutation([0, 5, 40, n // 4 - 1, n // 4, 200, n - 2, n - 1] * 5)
    radii = np.sort(apart, axis=1)[np.arange(40), ranks] * (1 + 1e-12)
    ids, distances = tree.query_radius(Q, radii, return_distance=True)
    for i, near in enumerate(tree.query_radius(Q, radii)):
        expected = np.flatnonzero(apart[i] <= radii[i])
        assert len(expected) == ranks[i] + 1
        np.testing.assert_array_equal(near, expected)
        np.testing.assert_array_equal(ids[i], expected)
        np.testing.assert_allclose(distances[i], apart[i, expected], **CLOSE)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("d", [1, 3, 9])
def test_every_metric(name, d):
    rng = np.random.default_rng(5)
    X, Q = rng.standard_normal((200, d)), rng.standard_normal((15, d))
    tree = KDTree(X, **NAMED[name], leaf_size=8)
    apart = twin.table(name, Q, X)
    radii = np.quantile(apart, 0.1, axis=1) + 1e-12
    ids, distances = tree.query_radius(Q, radii, return_distance=True, sort_results=True)
    for i, near in enumerate(twin.within(apart, radii)):
        np.testing.assert_array_equal(ids[i], near)
        np.testing.assert_allclose(distances[i], apart[i, ids[i]], **CLOSE)
    for near, row in zip(tree.query_radius(Q, radii), ids, strict=True):
        np.testing.assert_array_equal(near, np.sort(row))
    count = tree.query_radius(Q, radii, count_only=True)
    assert count.tolist() == [len(near) for near in ids]
    among = twin.table(name, X, X)
    np.testing.assert_array_equal(tree.query_pairs(radii[0]), twin.pairs(among, radii[0]))
    other = KDTree(Q, **NAMED[name])
    expected = [(apart <= r).sum() for r in radii[:3]]
    assert tree.count_neighbors(other, radii[:3]).tolist() == expected
    assert other.count_neighbors(tree, float(radii[0])) == expected[0]
    assert tree.count_neighbors(tree, radii[0]) == (among <= radii[0]).sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_a_radius_that_is_a_distance(dtype):
    """3-4-5 and the like: a row at that very distance is within."""
    axis = np.arange(13)
    X = np.array(np.meshgrid(axis, axis)).reshape(2, -1).T.astype(dtype)
    tree = KDTree(X)
    square = ((X[:, None].astype(float) - X) ** 2).sum(axis=2)
    for r in (0, 1, np.sqrt(2.0), np.sqrt(8.0), 5, 10, np.sqrt(3.0), 1e300):
        within = np.sqrt(square) <= r
        assert tree.query_radius(X, r, count_only=True).tolist() == within.sum(axis=1).tolist()
        assert tree.count_neighbors(tree, r) == within.sum()
        np.testing.assert_array_equal(
            tree.query_pairs(r), np.argwhere(np.triu(within, 1)).reshape(-1, 2)
        )


def test_the_same_as_the_ball_tree():
    rng = np.random.default_rng(9)
    X, Q = 1e8 + rng.random((400, 3)), 1e8 + rng.random((40, 3))
    one, two = KDTree(X), BallTree(X)
    for r in (0.0, 0.2, rng.random(40)):
        for a, b in zip(
            one.query_radius(Q, r, return_distance=True),
            two.query_radius(Q, r, return_distance=True),
            strict=True,
        ):
            for i in range(40):
                np.testing.assert_array_equal(a[i], b[i])
    np.testing.assert_array_equal(one.query_pairs(0.1), two.query_pairs(0.1))
    radii = [0.0, 0.05, 0.3, 3.0]
    np.testing.assert_array_equal(
        one.count_neighbors(KDTree(Q), radii), two.count_neighbors(BallTree(Q), radii)
    )


@pytest.mark.parametrize("p", [1, 2, np.inf])
def test_scipy_agrees(p):
    rng = np.random.default_rng(10)
    X, Q = rng.random((3000, 3)), rng.random((1000, 3))
    ours, theirs = KDTree(X, metric="minkowski", p=p), cKDTree(X)
    found = ours.query_radius(Q, 0.1)
    for i, near in enumerate(theirs.query_ball_point(Q, 0.1, p=p, return_sorted=True)):
        assert sorted(found[i]) == near
    pairs = theirs.query_pairs(0.05, p=p, output_type="ndarray")
    np.testing.assert_array_equal(
        ours.query_pairs(0.05), pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    )
    radii = np.geomspace(0.01, 2, 9)
    np.testing.assert_array_equal(
        ours.count_neighbors(KDTree(Q, metric="minkowski", p=p), radii),
        theirs.count_neighbors(cKDTree(Q), radii, p=p),
    )


def test_one_query():
    tree = KDTree([[0.0, 0.0], [3.0, 4.0], [0.0, 5.0]])
    ids, distances = tree.query_radius([0.0, 0.0], 5, return_distance=True)
    assert ids.tolist() == [0, 1, 2]
    assert distances.tolist() == [0, 5, 5]
    assert tree.query_radius([0.0, 0.0], 5, count_only=True) == 3


@pytest.mark.parametrize("cls", [KDTree, BallTree])
def test_sorted_results(cls):
    """As scikit-learn: what is sorted has distances, and a count has none."""
    X = np.random.default_rng(9).random((300, 2))
    tree = cls(X)
    found = tree.query_radius(X[:9], 0.3, return_distance=True, sort_results=True)
    for ids, distances in zip(*found, strict=True):
        assert list(zip(distances, ids, strict=True)) == sorted(zip(distances, ids, strict=True))
    for given in (tree.query_radius, NearestNeighbors().fit(X).radius_neighbors):
        with pytest.raises(ValueError, match="sort_results=True needs return_distance=True"):
            given(X[:9], 0.3, return_distance=False, sort_results=True)
    with pytest.raises(ValueError, match="count_only and return_distance exclude each other"):
        tree.query_radius(X[:9], 0.3, return_distance=True, count_only=True)


def test_large_results_are_refused_before_they_are_made(monkeypatch):
    def refuse(nbytes, what, instead):
        if nbytes > 1000:
            raise MemoryError(f"{what} needs {nbytes} bytes. {instead}")

    monkeypatch.setattr(kd_radius, "refuse_large", refuse)
    monkeypatch.setattr(spatial_tree, "refuse_large", refuse)
    tree = KDTree(np.zeros((100, 2)))
    with pytest.raises(MemoryError, match="rows within the radius needs 160000 bytes"):
        tree.query_radius(np.zeros((100, 2)), 1.0)
    for one in (tree, BallTree(np.zeros((100, 2)))):
        monkeypatch.setattr(kd_radius, "refuse_large", lambda *given: None)
        with pytest.raises(MemoryError, match="table of pairs needs 118800 bytes"):
            one.query_pairs(1.0)
    assert tree.query_radius(np.zeros((100, 2)), 1.0, count_only=True).sum() == 10000
    assert tree.count_neighbors(tree, 1.0) == 10000


@pytest.mark.parametrize("cls", [KDTree, BallTree])
def test_slices_and_threads_change_no_pair(cls, monkeypatch):
    rng = np.random.default_rng(6)
    X, Q = rng.integers(0, 30, (3000, 2)) * 1.0, rng.integers(0, 30, (500, 2)) * 1.0
    tree, other = cls(X, n_jobs=1), cls(Q, n_jobs=1)
    pairs, count = tree.query_pairs(1.5), other.count_neighbors(tree, [1.5, 0.0])
    near = ((X[:, None] - X) ** 2).sum(axis=2) <= 2.25
    np.testing.assert_array_equal(pairs, np.argwhere(np.triu(near, 1)))
    for name, value in {
        "FIRST_SLICE_ROWS": 7,
        "SLICE_ROWS": 100,
        "MAX_HELD_NEIGHBORS": 500,
    }.items():
        monkeypatch.setattr(spatial_tree, name, value)
    for tree._n_jobs in (1, 2, 7):
        np.testing.assert_array_equal(tree.query_pairs(1.5), pairs)
        np.testing.assert_array_equal(tree.count_neighbors(other, [1.5, 0.0]), count)


def test_trees_of_different_types_and_leaves():
    rng = np.random.default_rng(5)
    X, Y = rng.integers(0, 9, (500, 2)) * 0.5, rng.integers(0, 9, (333, 2)) * 0.5
    expected = (((X[:, None] - Y) ** 2).sum(axis=2) <= 1.25).sum()
    r = np.sqrt(1.25)
    for one in (np.float64, np.float32):
        for two in (np.float64, np.float32):
            for leaf_size in (8, 256):
                a, b = KDTree(X.astype(one), leaf_size=leaf_size), KDTree(Y.astype(two))
                assert a.count_neighbors(b, r) == b.count_neighbors(a, r) == expected


def test_distances_that_overflow_are_no_pair():
    tree = KDTree(np.array([[1e200], [-1e200], [1e200 * (1 + 1e-15)]]), metric="minkowski", p=3)
    assert tree.count_neighbors(tree, 0.0) == 3
    assert tree.query_pairs(0.0).shape == (0, 2)


def test_bad_input():
    tree = KDTree(np.eye(3))
    for r in (-1.0, np.nan):
        with pytest.raises(ValueError, match="r must be"):
            tree.query_radius(np.eye(3), r)
        with pytest.raises(ValueError, match="r must be"):
            tree.query_pairs(r)
        with pytest.raises(ValueError, match="r must be"):
            tree.count_neighbors(tree, [1.0, r])
    for several in ([1.0, 2.0], np.array([1.0])):
        with pytest.raises(TypeError, match="r must be a number"):
            tree.query_pairs(several)
    for ragged in ([[1.0, [2.0], 3.0]], [1.0, [2.0], 3.0]):
        with pytest.raises(ValueError, match="X should be a 2-d array-like of numbers"):
            tree.query(ragged)
    with pytest.raises(ValueError, match="one for each of 3 queries"):
        tree.query_radius(np.eye(3), [1.0, 2.0])
    with pytest.raises(TypeError, match="KDTree"):
        tree.count_neighbors(BallTree(np.eye(3)), 1.0)
    with pytest.raises(ValueError, match="metric of this tree"):
        tree.count_neighbors(KDTree(np.eye(3), metric="l1"), 1.0)
