# SPDX-License-Identifier: BSD-3-Clause
"""Boxes that repeat themselves, bounds, ranks and weights of pairs, beside scipy's tree."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from statfast.neighbors import BallTree, KDTree

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 1, (300, 3))
Q = RNG.uniform(-2, 3, (60, 3))
BOXES = [1.0, [1.0, 2.0, 0.0], [1.5, 1.0, 1.0]]


def distances_by_definition(queries, rows, box, p):
    """The least distance from all images, (m, n)."""
    box = np.broadcast_to(np.asarray(box, float), rows.shape[1])
    wrapped = np.where(box > 0, np.mod(queries, np.where(box > 0, box, 1.0)), queries)
    gap = wrapped[:, None] - rows[None]
    every = []
    for moves in product((-1, 0, 1), repeat=rows.shape[1]):
        every.append(np.linalg.norm(gap + np.array(moves) * box, ord=p, axis=2))
    return np.min(every, axis=0)


# ------------------------------------------------------------------ boxes
@pytest.mark.parametrize("box", BOXES, ids=str)
@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_neighbors_in_a_box_are_scipys(box, p, n_jobs):
    metric = {1: "manhattan", 2: "euclidean", 3: "minkowski", np.inf: "chebyshev"}[p]
    tree = KDTree(X, boxsize=box, metric=metric, p=3, n_jobs=n_jobs)
    peer = cKDTree(X, boxsize=box)
    distances, ids = tree.query(Q, k=5)
    expected, numbers = peer.query(Q, k=5, p=p)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(ids, numbers)
    for radius in (0.2, 0.6):
        lists = tree.query_radius(Q, radius)
        for own, other in zip(lists, peer.query_ball_point(Q, radius, p=p), strict=True):
            assert sorted(own) == sorted(other)
        counts = tree.query_radius(Q, radius, count_only=True)
        np.testing.assert_array_equal(counts, [len(own) for own in lists])
    pairs = peer.query_pairs(0.1, p=p, output_type="ndarray")
    pairs = np.sort(pairs, axis=1)
    np.testing.assert_array_equal(tree.query_pairs(0.1), pairs[np.lexsort(pairs.T[::-1])])
    assert tree.count_neighbors(tree, 0.3) == peer.count_neighbors(peer, 0.3, p=p)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 30),
    d=st.integers(1, 3),
    p=st.sampled_from([1, 2, np.inf]),
)
def test_neighbors_in_a_box_by_definition(seed, n, d, p):
    rng = np.random.default_rng(seed)
    box = rng.choice([0.0, 0.5, 2.0], d)
    rows = np.where(box > 0, rng.uniform(0, 1, (n, d)) * box, rng.normal(size=(n, d)))
    rows = np.minimum(rows, np.where(box > 0, np.nextafter(box, 0), np.inf))
    metric = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}[p]
    queries, k = 3 * rng.normal(size=(7, d)), int(rng.integers(1, n + 1))
    tree = KDTree(rows, boxsize=box, metric=metric)
    expected = distances_by_definition(queries, rows, box, p)
    np.testing.assert_allclose(
        tree.query(queries, k=k)[0], np.sort(expected, axis=1)[:, :k], rtol=1e-9, atol=1e-12
    )
    radius = float(np.median(expected)) * 1.01
    counts = tree.query_radius(queries, radius, count_only=True)
    clear = (np.abs(expected - radius) > 1e-9).all(axis=1)
    np.testing.assert_array_equal(counts[clear], (expected <= radius).sum(axis=1)[clear])
    if n > 1:
        own = distances_by_definition(rows, rows, box, p)
        np.fill_diagonal(own, np.inf)
        others = min(k, n - 1)
        np.testing.assert_allclose(
            tree.self_query(others)[0], np.sort(own, axis=1)[:, :others], rtol=1e-9, atol=1e-12
        )


def test_equal_rows_are_neighbors_and_none_of_itself():
    tree = KDTree(np.full((5, 2), 0.25), boxsize=1.0)
    distances, ids = tree.self_query(2)
    assert (distances == 0.0).all()
    assert not (ids == np.arange(5)[:, None]).any()
    assert tree.boxsize.tolist() == [1.0, 1.0]
    assert KDTree(X).boxsize is None


def test_a_pickled_tree_keeps_its_box():
    tree = KDTree(X, boxsize=BOXES[1])
    twin = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(twin.boxsize, tree.boxsize)
    np.testing.assert_array_equal(twin.query(Q, k=4)[1], tree.query(Q, k=4)[1])


def test_one_query_and_float32():
    tree = KDTree(X.astype(np.float32), boxsize=1.0)
    distance, index = tree.query(Q[0])
    table, ids = tree.query(Q[:1])
    assert (distance[0], index[0]) == (table[0, 0], ids[0, 0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"boxsize": -1.0}, "boxsize must be finite and not negative"),
        ({"boxsize": [1.0, 2.0]}, "boxsize must be a number, or one for each of the 3 columns"),
        ({"boxsize": "wide"}, "boxsize"),
        ({"boxsize": 0.5}, r"X must lie in \[0, boxsize\)"),
        ({"boxsize": 1.0, "metric": "cosine"}, "boxsize goes with metrics of the rows as they are"),
    ],
)
def test_wrong_boxes_are_refused(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        KDTree(X, **arguments)
    with pytest.raises(ValueError, match="at most 8 columns"):
        KDTree(np.zeros((2, 9)), boxsize=1.0)
    with pytest.raises(ValueError, match="other must have"):
        KDTree(X).count_neighbors(KDTree(X, boxsize=1.0), 0.1)


# ------------------------------------------------------------------ bounds, ranks, weights
@pytest.mark.parametrize("kind", [KDTree, BallTree])
def test_neighbors_beyond_a_bound_are_left_out(kind):
    tree, peer = kind(X), cKDTree(X)
    for bound in (0.0, 0.1, 0.5, np.inf):
        expected, numbers = peer.query(Q, k=4, distance_upper_bound=bound)
        distances, ids = tree.query(Q, k=4, distance_upper_bound=bound)
        np.testing.assert_allclose(distances, expected, rtol=1e-12)
        np.testing.assert_array_equal(ids, numbers)
    distance, index = tree.query(X[0] + 9, distance_upper_bound=1.0)
    assert (distance[0], index[0]) == (np.inf, 300)
    with pytest.raises(ValueError, match="distance_upper_bound must be"):
        tree.query(Q, distance_upper_bound=-1.0)


@pytest.mark.parametrize("kind", [KDTree, BallTree])
def test_neighbors_of_some_ranks(kind):
    tree = kind(X)
    expected, numbers = cKDTree(X).query(Q, k=[1, 4, 2])
    distances, ids = tree.query(Q, k=[1, 4, 2])
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(ids, numbers)
    assert tree.query(Q[0], k=(3,))[1].shape == (1,)
    for wrong in ([], [0], [301], [1.5], [[1], [1, 2]], [[1, 2]], None, {1}):
        with pytest.raises((TypeError, ValueError), match="k must"):
            tree.query(Q, k=wrong)


@pytest.mark.parametrize("kind", [KDTree, BallTree])
def test_weights_of_pairs(kind):
    tree, other = kind(X), kind(X[:50] + 0.1)
    peer, others = cKDTree(X), cKDTree(X[:50] + 0.1)
    first, second, radii = RNG.normal(size=300), RNG.uniform(size=50), [0.1, 0.3, 0.0]
    for weights in ((first, second), (None, second), (first, None)):
        np.testing.assert_allclose(
            tree.count_neighbors(other, radii, weights=weights),
            [peer.count_neighbors(others, r, weights=weights) for r in radii],
            rtol=1e-10, atol=1e-12,
        )  # fmt: skip
    assert tree.count_neighbors(tree, 0.2, weights=np.ones(300)) == tree.count_neighbors(tree, 0.2)
    with pytest.raises(ValueError, match="weights"):
        tree.count_neighbors(other, 0.2, weights=(first, first))
