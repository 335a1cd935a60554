# SPDX-License-Identifier: BSD-3-Clause
"""Minimum spanning trees against Prim's and scipy's; the k-d tree's rounds against the matrix's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from statfast.cluster import linkage, minimum_spanning_tree, optimal_leaf_ordering
from statfast.cluster.hierarchy import boruvka_points, spanning_tree
from statfast.cluster.hierarchy import boruvka_points as room
from tests.reference import linkage as twin


def rows(seed, n, d, kind="normal"):
    rng = np.random.default_rng(seed)
    if kind == "grid":
        return rng.integers(0, 4, (n, d)).astype(float)
    X = rng.normal(size=(n, d))
    if kind == "groups":
        X += 30 * rng.normal(size=(5, d))[rng.integers(0, 5, n)]
    return X


def assert_tree(edges, lengths, n):
    parent = np.arange(n)
    for a, b in edges:
        assert a < b
        assert parent[a] != parent[b]
        parent[parent == parent[b]] = parent[a]
    assert len(edges) == n - 1
    assert (np.diff(lengths) >= 0).all()


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 90),
    d=st.integers(1, 9),
    kind=st.sampled_from(["normal", "grid", "groups"]),
    dtype=st.sampled_from([np.float64, np.float32]),
)
@settings(max_examples=60)
def test_tree_of_points_is_prims(seed, n, d, kind, dtype):
    X = rows(seed, n, d, kind).astype(dtype)
    table = squareform(pdist(X.astype(float)))
    expected = twin.minimum_spanning_tree(table)
    edges, lengths = minimum_spanning_tree(X)
    assert_tree(edges, lengths, n)
    assert_allclose(lengths, expected, rtol=1e-12)
    assert_allclose(table[edges[:, 0], edges[:, 1]], lengths, rtol=1e-12)
    edges, lengths = minimum_spanning_tree(table, "precomputed")
    assert_tree(edges, lengths, n)
    assert_allclose(lengths, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "grid", "groups"])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 10])
def test_larger_trees(kind, d):
    X = rows(d, 2500, d, kind)
    edges, lengths = minimum_spanning_tree(X, n_jobs=1)
    assert_allclose(lengths, hierarchy.linkage(pdist(X), "single")[:, 2], rtol=1e-12)
    for n_jobs in (2, 7):
        again = minimum_spanning_tree(X, n_jobs=n_jobs)
        assert_array_equal(again[0], edges)
        assert_array_equal(again[1], lengths)
    assert_allclose(linkage(X)[:, 2], lengths)


def test_interrupted_searches(monkeypatch):
    X = rows(1, 2500, 2, "groups")
    expected = minimum_spanning_tree(X)
    monkeypatch.setattr(boruvka_points, "LEAVES_PER_CALL", 3)
    found = minimum_spanning_tree(X)
    assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("kind", ["normal", "grid", "groups", "outliers", "equal"])
@pytest.mark.parametrize("d", [2, 3, 5, 9])
def test_tasks_and_threads(monkeypatch, kind, d):
    """Searches cut into many tasks, which all threads do."""
    X = rows(d, 3000, d, "normal" if kind in ("outliers", "equal") else kind)
    X[::7] *= 20 if kind == "outliers" else 1
    X[1000:] = X[:2000] if kind == "equal" else X[1000:]
    expected = hierarchy.linkage(pdist(X), "single")[:, 2]
    for name in ("ARRANGED", "MARKED", "RECALLED", "SEARCHED"):
        monkeypatch.setattr(boruvka_points, name, 1e9)
    monkeypatch.setattr(boruvka_points, "MIN_POINTS_PER_TASK", 64)
    monkeypatch.setattr(boruvka_points, "MIN_BLOCK_LEAVES", 1)
    edges, lengths = minimum_spanning_tree(X, n_jobs=1)
    assert_tree(edges, lengths, len(X))
    assert_allclose(lengths, expected, rtol=1e-12)
    for n_jobs in (2, 7):
        again = minimum_spanning_tree(X, n_jobs=n_jobs)
        assert_array_equal(again[0], edges)
        assert_array_equal(again[1], lengths)


def test_far_clusters_and_one_point_between():
    """Parts whose points know no edge have to look far, past their own points."""
    X = rows(6, 4000, 2) * np.repeat([1.0, 1e-3], 2000)[:, None]
    X[2000:] += 50
    X[0] = 49.9
    lengths = minimum_spanning_tree(X)[1]
    assert_allclose(lengths, hierarchy.linkage(pdist(X), "single")[:, 2], rtol=1e-12)


@pytest.mark.parametrize("nbytes", [0, 1000, room.PAGE_BYTES + 1, 3 * room.PAGE_BYTES])
def test_room(nbytes):
    empty = room.Arena(nbytes).empty
    arrays = [empty((1000, 3), float), empty(7, np.int32), empty(0, float)]
    arrays += [empty(room.PAGE_BYTES // 8, float) for _ in range(4)]
    for i, array in enumerate(arrays):
        array[:] = i
    for i, array in enumerate(arrays):
        assert (array == i).all()
        assert array.flags.c_contiguous
    assert [a.shape for a in arrays[:3]] == [(1000, 3), (7,), (0,)]
    assert arrays[1].dtype == np.int32


@pytest.mark.parametrize("metric", ["cosine", "correlation", "seuclidean", "sqeuclidean"])
def test_metrics_that_are_euclidean_of_other_rows(metric):
    X = rows(2, 300, 4)
    lengths = minimum_spanning_tree(X, metric)[1]
    assert_allclose(lengths, hierarchy.linkage(pdist(X, metric), "single")[:, 2], rtol=1e-9)


def test_other_metrics_and_many_columns():
    X = rows(3, 200, 30)
    for metric in ("cityblock", "euclidean"):
        lengths = minimum_spanning_tree(X, metric)[1]
        assert_allclose(lengths, hierarchy.linkage(pdist(X, metric), "single")[:, 2], rtol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "grid", "groups"])
@pytest.mark.parametrize("d", [11, 40])
def test_trees_of_many_columns(kind, d):
    X = rows(d, 1200, d, kind)
    table = squareform(pdist(X))
    edges, lengths = minimum_spanning_tree(X, n_jobs=1)
    assert_tree(edges, lengths, len(X))
    assert_allclose(lengths, hierarchy.linkage(pdist(X), "single")[:, 2], rtol=1e-12)
    assert_allclose(table[edges[:, 0], edges[:, 1]], lengths, rtol=1e-12)
    for n_jobs in (2, 7):
        again = minimum_spanning_tree(X, n_jobs=n_jobs)
        assert_array_equal(again[0], edges)
        assert_array_equal(again[1], lengths)
    assert_allclose(linkage(X)[:, 2], lengths)


@pytest.mark.parametrize("n", [2, 3, 9, 10, 65])
def test_few_rows_of_many_columns(n):
    X = rows(n, n, 12)
    lengths = minimum_spanning_tree(X)[1]
    assert_allclose(lengths, twin.minimum_spanning_tree(squareform(pdist(X))), rtol=1e-12)
    edges, lengths = minimum_spanning_tree(np.ones((n, 12)))
    assert_tree(edges, lengths, n)
    assert not lengths.any()


def test_equal_lengths_are_in_the_order_of_rows():
    rng = np.random.default_rng(0)
    values, key = rng.integers(0, 40, 500).astype(float), rng.permutation(500)
    assert_array_equal(spanning_tree.rising(values, key), np.lexsort((key, values)))
    assert_array_equal(spanning_tree.rising(key * 1.0, key), np.argsort(key))
    assert len(spanning_tree.rising(np.empty(0), np.empty(0))) == 0


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
@pytest.mark.parametrize("d", [2, 20])
def test_any_scale(scale, d):
    X = rows(4, 100, d)
    expected = minimum_spanning_tree(X)
    found = minimum_spanning_tree(X * scale)
    assert_allclose(found[1] / scale, expected[1], rtol=1e-10)


@pytest.mark.parametrize("power", [-700, 700])
def test_powers_of_any_scale(power):
    X, asked = rows(4, 60, 2), {"metric": "minkowski", "metric_params": {"p": 3}}
    expected = minimum_spanning_tree(X, **asked)
    found = minimum_spanning_tree(X * 2.0**power, **asked)
    assert_array_equal(found[0], expected[0])
    assert_allclose(np.ldexp(found[1], -power), expected[1], rtol=1e-12)
    Z = linkage(X * 2.0**power, "average", **asked)
    assert_allclose(np.ldexp(Z[:, 2], -power), linkage(X, "average", **asked)[:, 2], rtol=1e-12)


def test_one_row_and_equal_rows():
    for one, metric in (
        ([[1.0, 2.0]], "euclidean"), ([[0.0]], "precomputed"), ([], "euclidean")
    ):  # fmt: skip
        edges, lengths = minimum_spanning_tree(one, metric)
        assert edges.shape == (0, 2)
        assert lengths.shape == (0,)
    edges, lengths = minimum_spanning_tree(np.ones((400, 2)))
    assert_tree(edges, lengths, 400)
    assert not lengths.any()


@pytest.mark.parametrize("bad", [[[1.0], [np.nan]], [[1e308, 0.0], [-1e308, 1e308]]])
def test_bad_input(bad):
    with pytest.raises(ValueError, match=r"NaN|Scale X down"):
        minimum_spanning_tree(bad)
    for function in (minimum_spanning_tree, lambda X: optimal_leaf_ordering(linkage([1.0]), X)):
        with pytest.raises(ValueError, match="Give all rows the same length"):
            function([[1.0, 2.0], [3.0]])
