# SPDX-License-Identifier: BSD-3-Clause
"""Genie against its definition, single linkage, known answers, threads and bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

from statfast.cluster import (
    AgglomerativeClustering,
    choose_n_clusters,
    cut_tree,
    linkage,
    minimum_spanning_tree,
)
from statfast.cluster.hierarchy import linkage as linkage_module
from tests.data import three_groups
from tests.reference.linkage import genie


@given(
    n=st.integers(2, 60),
    d=st.integers(1, 4),
    threshold=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=80, deadline=None)
def test_merges_are_their_definition(n, d, threshold, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    edges, lengths = minimum_spanning_tree(X)
    expected = genie(edges, lengths, threshold)
    y = pdist(X)
    for shape, options in ((X, {}), (y, {}), (squareform(y), {"metric": "precomputed"})):
        assert_allclose(
            linkage(shape, "genie", gini_threshold=threshold, **options), expected, rtol=1e-12
        )


@given(n=st.integers(2, 60), threshold=st.sampled_from([0.0, 0.2, 0.5]), seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_edges_of_equal_length_and_equal_rows(n, threshold, seed):
    """The order of equal edges is that of their rows, as `minimum_spanning_tree` gives them."""
    X = np.random.default_rng(seed).integers(0, 5, (n, 2)).astype(float)
    expected = genie(*minimum_spanning_tree(X), threshold)
    assert_array_equal(linkage(X, "genie", gini_threshold=threshold), expected)


def test_a_chain_of_merges_by_hand():
    """At the threshold 0 merges are forced as soon as sizes differ."""
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6]])
    expected = [
        [0, 1, 1.0, 2],  # sizes 1 1 1 1 1: the shortest edge
        [2, 5, 1.1, 3],  # 2 1 1 1: the shortest that leaves a single row
        [3, 6, 1.2, 4],
        [4, 7, 1.3, 5],
    ]
    assert_allclose(linkage(X, "genie", gini_threshold=0.0), expected)
    X = np.array([[0.0], [1.0], [2.0], [20.0], [40.0]])
    heights = linkage(X, "genie", gini_threshold=0.2)[:, 2]
    assert_allclose(heights, [1.0, 1.0, 18.0, 20.0])


@pytest.mark.parametrize("n", [2, 3, 50, 400])
def test_the_threshold_1_is_single_linkage(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    assert_array_equal(linkage(X, "genie", gini_threshold=1.0), linkage(X, "single"))


def test_outliers_do_not_take_the_clusters():
    X = np.vstack([three_groups(40), [[100.0, 100.0], [-90.0, 50.0]]])
    single = np.bincount(cut_tree(linkage(X, "single"), 3))
    balanced = np.bincount(cut_tree(linkage(X, "genie"), 3))
    assert single.min() == 1
    assert balanced.min() >= 40
    found = choose_n_clusters(X, method="genie", ks=[2, 3, 4])
    assert np.bincount(found.labels[1]).min() >= 40


def test_the_estimator_cuts_the_same_tree():
    X = three_groups(30)
    for threshold in (0.1, 0.6):
        Z = linkage(X, "genie", gini_threshold=threshold)
        model = AgglomerativeClustering(4, linkage="genie", gini_threshold=threshold).fit(X)
        assert_array_equal(model.linkage_matrix_, Z)
        assert_array_equal(model.labels_, cut_tree(Z, 4))


def test_pieces_of_the_work_give_the_same_tree(monkeypatch):
    X = np.random.default_rng(3).normal(size=(500, 2))
    Z = linkage(X, "genie", gini_threshold=0.1)
    for n_jobs in (1, 2, 7):
        assert_array_equal(linkage(X, "genie", gini_threshold=0.1, n_jobs=n_jobs), Z)
    monkeypatch.setattr(linkage_module, "GENIE_MERGES_PER_CALL", 7)
    assert_array_equal(linkage(X, "genie", gini_threshold=0.1), Z)


def test_other_metrics_and_float32():
    X = np.random.default_rng(4).normal(size=(60, 3))
    edges, lengths = minimum_spanning_tree(X, "manhattan")
    assert_allclose(linkage(X, "genie", "manhattan"), genie(edges, lengths, 0.3), rtol=1e-12)
    X = X.astype(np.float32)
    assert_array_equal(linkage(X, "genie"), linkage(X.astype(np.float64), "genie"))


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "a", None])
def test_bad_thresholds(threshold):
    with pytest.raises((ValueError, TypeError), match="gini_threshold"):
        linkage([[0.0], [1.0]], "genie", gini_threshold=threshold)
    with pytest.raises((ValueError, TypeError), match="gini_threshold"):
        AgglomerativeClustering(linkage="genie", gini_threshold=threshold).fit([[0.0], [1.0]])


@given(
    n=st.integers(3, 40),
    threshold=st.sampled_from([0.0, 0.3, 1.0]),
    ties=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_along_a_graph_merges_are_those_of_its_spanning_tree(n, threshold, ties, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float) if ties else rng.normal(size=(n, 2))
    apart = squareform(pdist(X))
    graph = np.triu(rng.random((n, n)) < 0.2, 1)
    graph[np.arange(n - 1), np.arange(1, n)] = True  # connected
    u, v = np.nonzero(graph)
    order = np.lexsort((v, u, apart[u, v]))
    edges, root = [], np.arange(n)
    for a, b in zip(u[order], v[order], strict=True):
        if root[a] != root[b]:
            edges.append((a, b))
            root[root == root[b]] = root[a]
    edges = np.array(edges)
    expected = genie(edges, apart[edges[:, 0], edges[:, 1]], threshold)
    options = {"linkage": "genie", "gini_threshold": threshold, "connectivity": graph}
    model = AgglomerativeClustering(3, **options).fit(X)
    assert_allclose(model.linkage_matrix_, expected, rtol=1e-12)
    assert_array_equal(model.labels_, cut_tree(model.linkage_matrix_, 3))
    model = AgglomerativeClustering(3, metric="precomputed", **options).fit(apart)
    assert_allclose(model.linkage_matrix_, expected, rtol=1e-12)


def test_a_complete_graph_changes_nothing():
    X = np.random.default_rng(5).normal(size=(50, 3))
    model = AgglomerativeClustering(linkage="genie", connectivity=np.ones((50, 50))).fit(X)
    assert_allclose(model.linkage_matrix_, linkage(X, "genie"), rtol=1e-12)


def test_parts_of_a_graph_are_connected_with_a_warning():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    graph = np.zeros((4, 4))
    graph[0, 1] = graph[2, 3] = 1.0
    with pytest.warns(UserWarning, match="2 connected components"):
        model = AgglomerativeClustering(linkage="genie", connectivity=graph).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1]
