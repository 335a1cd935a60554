# SPDX-License-Identifier: BSD-3-Clause
"""The estimator against scikit-learn's, and its parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

from statfast import AgglomerativeClustering
from statfast.cluster import linkage
from statfast.datasets import load_iris
from tests.data import normal_rows

METHODS = ["ward", "complete", "average", "single", "weighted", "centroid", "median"]


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
def test_is_scikit_learns(method):
    sklearn = pytest.importorskip("sklearn.cluster")
    X = normal_rows(120, 3, 1)
    ours = AgglomerativeClustering(5, linkage=method, compute_distances=True).fit(X)
    theirs = sklearn.AgglomerativeClustering(5, linkage=method, compute_distances=True).fit(X)
    assert len(np.unique(np.stack([ours.labels_, theirs.labels_]), axis=1).T) == 5
    assert_allclose(ours.distances_, theirs.distances_, rtol=1e-10)
    assert_array_equal(np.sort(ours.children_), np.sort(theirs.children_))
    assert (ours.n_leaves_, ours.n_connected_components_, ours.n_clusters_) == (120, 1, 5)
    cut = float(ours.distances_[59:61].mean())
    ours = AgglomerativeClustering(None, linkage=method, distance_threshold=cut).fit(X)
    theirs = sklearn.AgglomerativeClustering(None, linkage=method, distance_threshold=cut).fit(X)
    assert ours.n_clusters_ == theirs.n_clusters_
    assert len(np.unique(np.stack([ours.labels_, theirs.labels_]), axis=1).T) == ours.n_clusters_


@pytest.mark.parametrize("method", METHODS)
def test_precomputed(method):
    X = normal_rows(120, 3, 2)
    table = squareform(pdist(X))
    one = AgglomerativeClustering(4, linkage=method).fit(X)
    other = AgglomerativeClustering(4, linkage=method, metric="precomputed").fit(table)
    assert_array_equal(one.labels_, other.labels_)
    assert_array_equal(one.children_, linkage(X, method)[:, :2])
    assert not hasattr(one, "distances_")
    assert other.n_features_in_ == 120


def test_threshold_at_a_height_does_not_merge():
    X = [[0.0], [1.0], [3.0]]
    for threshold, clusters in [(0.0, 3), (1.0, 3), (1.5, 2), (2.0, 2), (2.5, 1)]:
        model = AgglomerativeClustering(None, linkage="single", distance_threshold=threshold)
        assert model.fit(X).n_clusters_ == clusters
        assert_array_equal(model.distances_, [1.0, 2.0])


def test_iris():
    iris = load_iris()
    labels = AgglomerativeClustering(3).fit_predict(iris.data)
    table = np.array([np.bincount(iris.target[labels == k], minlength=3) for k in range(3)])
    assert_array_equal(table, [[50, 0, 0], [0, 49, 15], [0, 1, 35]])


def test_bad_parameters():
    X = normal_rows(10, 3, 3)
    for arguments in ({"n_clusters": None}, {"distance_threshold": 1.0}):
        with pytest.raises(ValueError, match="Exactly one of"):
            AgglomerativeClustering(**arguments).fit(X)
    with pytest.raises(ValueError, match="n_clusters must be between 1 and the number of rows"):
        AgglomerativeClustering(11).fit(X)
    with pytest.raises(ValueError, match="linkage must be"):
        AgglomerativeClustering(linkage="nearest").fit(X)
    with pytest.raises(ValueError, match="Euclidean"):
        AgglomerativeClustering(metric="cityblock").fit(X)
    with pytest.raises(ValueError, match="distance_threshold must be at least 0"):
        AgglomerativeClustering(None, distance_threshold=-1).fit(X)
    with pytest.raises(ValueError, match="square"):
        AgglomerativeClustering(metric="precomputed").fit(X)


def test_precomputed_condensed():
    X = normal_rows(20, 3, 3)
    for method in ("average", "ward"):
        model = AgglomerativeClustering(4, metric="precomputed", linkage=method)
        square = model.fit(squareform(pdist(X))).labels_
        assert_array_equal(model.fit(pdist(X)).labels_, square)
        assert model.n_features_in_ == model.n_leaves_ == 20
    with pytest.raises(ValueError, match="Expected 2D array"):
        AgglomerativeClustering(4).fit(pdist(X))
    with pytest.raises(ValueError, match="Give all rows the same length"):
        AgglomerativeClustering(1, metric="precomputed").fit([[0.0, 1.0], [1.0]])
    with pytest.raises(ValueError, match="at least one pair"):
        AgglomerativeClustering(1, metric="precomputed").fit([])
