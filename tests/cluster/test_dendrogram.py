# SPDX-License-Identifier: BSD-3-Clause
"""What is read off a linkage matrix, against its definition, scipy's and R's."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from statfast.cluster import (
    AgglomerativeClustering,
    cophenet,
    cophenetic,
    cophenetic_correlation,
    cut_tree,
    inconsistency,
    inconsistent,
    leaves_list,
    linkage,
    optimal_leaf_ordering,
)
from tests.data import normal_rows
from tests.reference import linkage as twin


def chain(n):
    """A tree as deep as it has leaves."""
    Z = np.empty((n - 1, 4))
    Z[:, 0], Z[0, 0] = np.arange(n - 1) + n - 1, 0
    Z[:, 1], Z[:, 2], Z[:, 3] = np.arange(1, n), np.arange(1.0, n), np.arange(2, n + 1)
    return Z


@given(
    seed=st.integers(0, 2**32), n=st.integers(2, 40), method=st.sampled_from(["average", "median"])
)
@settings(max_examples=40)
def test_cut_by_number_is_its_definition(seed, n, method):
    Z = linkage(normal_rows(n, 2, seed), method)
    for k in {1, 2, n // 2 + 1, n - 1, n} - {0}:
        assert_array_equal(cut_tree(Z, k), twin.cut(Z, k))
    both = cut_tree(Z, [1, n])
    assert both.dtype == np.int32
    assert_array_equal(both, np.stack([np.zeros(n), np.arange(n)], axis=1))


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 40),
    method=st.sampled_from(["single", "ward", "centroid", "median"]),
    at=st.floats(0, 1),
)
@settings(max_examples=40)
def test_cut_by_height_is_scipys(seed, n, method, at):
    Z = linkage(normal_rows(n, 2, seed), method)
    height = float(np.quantile(Z[:, 2], at))
    labels = cut_tree(Z, height=height)
    assert_same_clusters(labels, hierarchy.fcluster(Z, height, "distance"))


def assert_same_clusters(labels, expected):
    pairs = np.unique(np.stack([labels, expected]), axis=1)
    assert pairs.shape[1] == len(np.unique(labels)) == len(np.unique(expected))


def test_heights_that_fall():
    # The second merge is lower than the first: no cut gives it without the first.
    Z = np.array([[0, 1, 2.0, 2], [2, 3, 1.5, 3]])
    assert_array_equal(cut_tree(Z, height=1.9), [0, 1, 2])
    assert_array_equal(cut_tree(Z, height=2.0), [0, 0, 0])


def test_every_height_of_a_tetrahedron_falls():
    # Centroids of ever more of its corners lie ever nearer to the next: heights 1, 0.87 and 0.82.
    # No cut below 1 joins any, as each merge holds the first.
    X = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(8)
    Z = linkage(X, "centroid")
    assert_allclose(Z[:, 2], [1, np.sqrt(3) / 2, np.sqrt(2 / 3)], rtol=1e-12)
    for height, clusters in ((0.8, 4), (0.85, 4), (0.9, 4), (1.001, 1)):
        assert len(np.unique(cut_tree(Z, height=height))) == clusters
        model = AgglomerativeClustering(None, linkage="centroid", distance_threshold=height)
        assert model.fit(X).n_clusters_ == clusters


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward.D2"])
def test_r_cutree(shared_data, method):
    answers = json.loads(shared_data("..", "reference", "hclust.json").read_text("utf-8"))
    X = np.loadtxt(
        shared_data("r", "datasets_USArrests.csv"), delimiter=",", skiprows=1, usecols=range(1, 5)
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    expected = answers["USArrests_scaled"]["hclust"][method]
    Z = linkage(X, method.split(".")[0])
    for k in (2, 4):
        assert_array_equal(cut_tree(Z, k) + 1, expected[f"cutree_k{k}"])
    found = cophenetic_correlation(Z, X)
    assert found == pytest.approx(expected["cophenetic_correlation"], rel=1e-12)


@pytest.mark.parametrize("method", ["single", "average", "centroid"])
@pytest.mark.parametrize("n", [2, 3, 50, 300])
def test_cophenetic(method, n):
    X = normal_rows(n, 2, n)
    Z = linkage(X, method)
    assert_array_equal(squareform(cophenetic(Z)), twin.cophenetic(Z))
    for n_jobs in (1, 2, 7):
        assert_array_equal(cophenetic(Z, n_jobs=n_jobs), hierarchy.cophenet(Z))
    if n > 2:
        expected = hierarchy.cophenet(Z, pdist(X))[0]
        table = squareform(pdist(X))
        assert cophenetic_correlation(Z, X) == pytest.approx(expected)
        assert cophenetic_correlation(Z, pdist(X)) == pytest.approx(expected)
        assert cophenetic_correlation(Z, table, "precomputed") == pytest.approx(expected)
    else:
        assert np.isnan(cophenetic_correlation(Z, X))


@pytest.mark.parametrize("depth", [1, 2, 3, 100])
def test_inconsistency_is_scipys(depth):
    Z = linkage(normal_rows(60, 2, 1), "average")
    assert_allclose(inconsistency(Z, depth), hierarchy.inconsistent(Z, depth), atol=1e-12)


def test_leaves_are_scipys():
    for n in (2, 3, 70):
        Z = linkage(normal_rows(n, 2, n), "average")
        assert_array_equal(leaves_list(Z), hierarchy.leaves_list(Z))


def length_of(Z, y):
    table, order = squareform(y), leaves_list(Z)
    return table[order[:-1], order[1:]].sum()


@pytest.mark.parametrize("method", ["single", "average", "ward"])
@pytest.mark.parametrize("n", [2, 3, 4, 12, 60])
def test_optimal_order_is_no_longer_than_scipys(method, n):
    X = normal_rows(n, 3, n)
    y, Z = pdist(X), linkage(X, method)
    found = optimal_leaf_ordering(Z, X)
    expected = hierarchy.optimal_leaf_ordering(Z, y)
    assert length_of(found, y) <= length_of(expected, y) * (1 + 1e-12)
    assert_array_equal(np.sort(found[:, :2], axis=1), np.sort(Z[:, :2], axis=1))
    assert_array_equal(found, optimal_leaf_ordering(Z, y, n_jobs=1))
    assert_array_equal(found[:, 2:], Z[:, 2:])


@pytest.mark.parametrize("method", ["single", "average"])
def test_optimal_order_of_few_is_the_best_of_all(method):
    X = normal_rows(9, 3, 4)
    y, Z = pdist(X), linkage(X, method)
    lengths = []
    for turns in range(2**8):
        other = Z.copy()
        for i in range(8):
            if turns >> i & 1:
                other[i, :2] = other[i, 1::-1]
        lengths.append(length_of(other, y))
    assert length_of(optimal_leaf_ordering(Z, X), y) == pytest.approx(min(lengths))


def test_a_chain_is_no_deeper_than_any():
    n = 100_000
    Z = chain(n)
    assert_array_equal(leaves_list(Z), np.arange(n))
    assert np.bincount(cut_tree(Z, n // 2))[0] == n // 2 + 1
    assert len(np.unique(cut_tree(Z, height=10.5))) == n - 10
    assert inconsistency(Z)[-1, 2] == 2


GOOD = linkage(normal_rows(5, 2, 0), "average")


@pytest.mark.parametrize(
    ("row", "column", "value", "words"),
    [
        (0, 0, 0.5, "numbers of clusters"),
        (0, 0, -1, "numbers of clusters"),
        (0, 1, 7, "does not exist there yet"),
        (3, 3, 4, "number of points"),
        (2, 2, np.nan, "NaN"),
        (2, 2, -1.0, "heights that are not negative in column 2; got -1 in row 2"),
    ],
)
def test_bad_linkage(row, column, value, words):
    Z = GOOD.copy()
    Z[row, column] = value
    for function in (cophenetic, leaves_list, inconsistency, lambda Z: cut_tree(Z, 2)):
        with pytest.raises(ValueError, match=words):
            function(Z)


def test_bad_arguments():
    twice = np.array([[0, 1, 1.0, 2], [0, 2, 2.0, 2]])
    with pytest.raises(ValueError, match="more than once"):
        leaves_list(twice)
    with pytest.raises(ValueError, match="4 columns"):
        leaves_list(GOOD[:, :3])
    with pytest.raises(ValueError, match="n_clusters must be between 1 and the number of rows"):
        cut_tree(GOOD, 6)
    for arguments in ({}, {"n_clusters": 2, "height": 1.0}):
        with pytest.raises(ValueError, match="Exactly one of n_clusters and height"):
            cut_tree(GOOD, **arguments)
    for arguments in ({"n_clusters": []}, {"height": ()}):
        with pytest.raises(ValueError, match="must hold at least one cut; got none"):
            cut_tree(GOOD, **arguments)
    with pytest.raises(TypeError, match="n_clusters must be an integer"):
        cut_tree(GOOD, [[2, 3]])
    with pytest.raises(ValueError, match="height must be finite"):
        cut_tree(GOOD, height=[1.0, np.inf])
    with pytest.raises(TypeError, match="height must be"):
        cut_tree(GOOD, height="high")
    with pytest.raises(ValueError, match="depth must be"):
        inconsistency(GOOD, 0)
    with pytest.raises(ValueError, match="as many rows as Z has leaves"):
        cophenetic_correlation(GOOD, normal_rows(6, 2, 0))
    with pytest.raises(ValueError, match="as many rows as Z has leaves"):
        optimal_leaf_ordering(GOOD, pdist(normal_rows(6, 2, 0)))


def test_too_many_pairs_are_refused():
    with pytest.raises(MemoryError, match="GiB"):
        cophenetic(chain(200_000))
    with pytest.raises(MemoryError, match="GiB"):
        optimal_leaf_ordering(chain(200_000), normal_rows(2, 2, 0))


def test_orders_of_the_largest_numbers():
    y = np.random.default_rng(0).uniform(0.5, 1.0, 1225)
    small, large = (
        leaves_list(optimal_leaf_ordering(linkage(z, "complete"), z)) for z in (y, y * 1e308)
    )
    assert_array_equal(small, large)


def test_inconsistency_of_every_scale_and_size(monkeypatch):
    from statfast.cluster.hierarchy import dendrogram

    Z = linkage(np.random.default_rng(0).normal(size=(50, 2)), "average")
    whole = inconsistency(Z, 4)
    monkeypatch.setattr(dendrogram, "MERGES_PER_CALL", 64)
    assert_array_equal(inconsistency(Z, 4), whole)
    for scale in (1e-300, 1e300):
        far = inconsistency(Z * [1, 1, scale, 1], 4)
        assert_allclose(far / [scale, scale, 1, 1], whole, rtol=1e-12)


def test_several_cuts_are_columns():
    Z = linkage(normal_rows(30, 2, 0), "average")
    heights = Z[[4, 20, 28], 2]
    several = cut_tree(Z, height=heights)
    assert several.shape == (30, 3)
    for at, height in enumerate(heights):
        assert_array_equal(several[:, at], cut_tree(Z, height=float(height)))
    assert_array_equal(several, cut_tree(Z, range(25, 0, -1))[:, [0, 16, 24]])
    assert cut_tree(Z, [3]).shape == (30, 1)
    assert cut_tree(Z, np.int64(3)).shape == cut_tree(Z, np.array(3)[()]).shape == (30,)


def test_the_names_of_scipy():
    X = np.random.default_rng(7).random((30, 3))
    Z = hierarchy.linkage(X, "average")
    assert_array_equal(cophenet(Z), hierarchy.cophenet(Z))
    found, expected = cophenet(Z, pdist(X)), hierarchy.cophenet(Z, pdist(X))
    assert_allclose(found[0], expected[0], rtol=1e-12)
    assert_array_equal(found[1], expected[1])
    for depth in (2, 3):
        assert_allclose(inconsistent(Z, depth), hierarchy.inconsistent(Z, depth), atol=1e-12)
