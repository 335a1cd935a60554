# SPDX-License-Identifier: BSD-3-Clause
"""Graphs of neighbors by transformers and functions, against tables of distances and a peer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
from scipy.spatial.distance import cdist

from statfast import (
    KNeighborsClassifier,
    KNeighborsTransformer,
    LocalOutlierFactor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsTransformer,
    kneighbors_graph,
    make_pipeline,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)
from statfast.datasets import load_iris
from tests.reference import metrics as twin


def rows(n=60, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def assert_same_graph(graph, expected, rtol=1e-12):
    assert graph.shape == expected.shape
    assert_array_equal(graph.indptr, expected.indptr)
    assert_array_equal(graph.indices, expected.indices)
    np.testing.assert_allclose(graph.data, expected.data, rtol=rtol, atol=1e-12)


@given(
    k=st.integers(1, 9), mode=st.sampled_from(["distance", "connectivity"]), seed=st.integers(0, 50)
)
def test_entries_are_the_least_distances(k, mode, seed):
    X, Q = rows(30, seed=seed), rows(8, seed=seed + 100)
    model = KNeighborsTransformer(n_neighbors=k, mode=mode).fit(X)
    for queries in (X, Q):
        least, ids = twin.nearest(cdist(queries, X), k + (mode == "distance"))
        graph = model.transform(queries)
        assert_array_equal(graph.indices, ids.ravel())
        np.testing.assert_allclose(graph.data, 1.0 if mode == "connectivity" else least.ravel())
    radius = 0.3 * k
    starts, near, ids = twin.within(cdist(Q, X), radius)
    graph = RadiusNeighborsTransformer(radius=radius, mode=mode).fit(X).transform(Q)
    assert_array_equal(graph.indptr, starts)
    assert_array_equal(graph.indices, ids)
    np.testing.assert_allclose(graph.data, 1.0 if mode == "connectivity" else near)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "cosine"])
def test_peer(mode, metric):
    peers = pytest.importorskip("sklearn.neighbors")
    X, Q = rows(), rows(20, seed=1)
    for ours, peer in (
        (KNeighborsTransformer, peers.KNeighborsTransformer),
        (RadiusNeighborsTransformer, peers.RadiusNeighborsTransformer),
    ):
        ours, peer = (kind(mode=mode, metric=metric).fit(X) for kind in (ours, peer))
        assert_array_equal(ours.get_feature_names_out(), peer.get_feature_names_out())
        for queries in (X, Q):
            graph, expected = ours.transform(queries), peer.transform(queries)
            np.testing.assert_allclose(graph.toarray(), expected.toarray(), atol=1e-7)
            assert graph.nnz == expected.nnz
            assert graph.dtype == expected.dtype
    for itself in (True, False, "auto"):
        arguments = {"mode": mode, "metric": metric, "include_self": itself}
        graph, expected = (
            function(X, 4, **arguments) for function in (kneighbors_graph, peers.kneighbors_graph)
        )
        np.testing.assert_allclose(graph.toarray(), expected.toarray(), atol=1e-7)
        graph, expected = (
            function(X, 1.1, **arguments)
            for function in (radius_neighbors_graph, peers.radius_neighbors_graph)
        )
        np.testing.assert_allclose(graph.toarray(), expected.toarray(), atol=1e-7)
        assert graph.nnz == expected.nnz


def test_pipelines_search_once():
    X, y = load_iris(return_X_y=True)
    for first, last, plain in (
        (
            KNeighborsTransformer(n_neighbors=12),
            KNeighborsClassifier(7, metric="precomputed"),
            KNeighborsClassifier(7),
        ),
        (
            RadiusNeighborsTransformer(radius=2.5),
            RadiusNeighborsClassifier(2.0, metric="precomputed"),
            RadiusNeighborsClassifier(2.0),
        ),
    ):
        model = make_pipeline(first, last).fit(X[::2], y[::2])
        plain.fit(X[::2], y[::2])
        assert_array_equal(model.predict(X[1::2]), plain.predict(X[1::2]))
        assert_array_equal(model.predict(X[::2]), plain.predict(X[::2]))
    search = LocalOutlierFactor(8, metric="precomputed")
    factors = make_pipeline(KNeighborsTransformer(n_neighbors=8), search).fit(X)[-1]
    assert_array_equal(
        factors.negative_outlier_factor_, LocalOutlierFactor(8).fit(X).negative_outlier_factor_
    )


def test_a_fitted_search_in_place_of_rows():
    X = rows()
    search = NearestNeighbors(metric="manhattan").fit(X)
    for itself in (True, False):
        arguments = {"metric": "manhattan", "include_self": itself, "mode": "distance"}
        assert_same_graph(
            kneighbors_graph(search, 3, **arguments), kneighbors_graph(X, 3, **arguments)
        )
        assert_same_graph(
            radius_neighbors_graph(search, 1.0, **arguments),
            radius_neighbors_graph(X, 1.0, **arguments),
        )
    for function in (kneighbors_graph, radius_neighbors_graph):
        with pytest.raises(ValueError, match="metric must be that of the search"):
            function(search, 3)


def test_tables_and_sparse_rows():
    X = np.where(rows(40, 9) > 0.5, rows(40, 9), 0.0)
    for kind in (KNeighborsTransformer, RadiusNeighborsTransformer):
        expected = kind().fit_transform(X)
        assert_same_graph(kind().fit_transform(csr_array(X)), expected, 1e-9)
        table = cdist(X, X)
        assert_same_graph(kind(metric="precomputed").fit_transform(table), expected, 1e-9)


def test_sort_graph_by_row_values():
    peers = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(0)
    table = rng.integers(0, 5, (30, 40)) * (rng.random((30, 40)) < 0.3)
    for kind in (csr_array, csr_matrix, csc_array, coo_array):
        graph = kind(table.astype(float))
        with pytest.warns(UserWarning, match="graph is not sorted by the values"):
            ordered = sort_graph_by_row_values(graph, copy=True)
        assert_array_equal(ordered.toarray(), table)
        assert_array_equal(graph.toarray(), table)
        for row, expected in zip(np.split(ordered.data, ordered.indptr[1:-1]), table, strict=True):
            assert_array_equal(row, np.sort(expected[expected > 0]))
        peer = peers.sort_graph_by_row_values(graph, copy=True, warn_when_not_sorted=False)
        assert_array_equal(ordered.data, peer.data)
    assert sort_graph_by_row_values(ordered) is ordered
    graph = csr_array(table)
    assert sort_graph_by_row_values(graph, warn_when_not_sorted=False) is graph
    assert_array_equal(graph.toarray(), table)
    assert_array_equal(graph.data, ordered.data)
    with pytest.raises(ValueError, match="CSR matrix to be sorted in place; got 'csc'"):
        sort_graph_by_row_values(csc_array(table), warn_when_not_sorted=False)
    with pytest.raises(TypeError, match="graph must be a sparse matrix"):
        sort_graph_by_row_values(table)
    frozen = csr_array(table)
    frozen.data.flags.writeable = False
    with pytest.raises(ValueError, match="must be writeable to be sorted in place"):
        sort_graph_by_row_values(frozen, warn_when_not_sorted=False)
    assert sort_graph_by_row_values(csr_array((3, 3))).nnz == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: KNeighborsTransformer(mode="some").fit(rows()), ValueError, "mode must be"),
        (lambda: KNeighborsTransformer(n_neighbors=60).fit_transform(rows()), ValueError,
         "n_neighbors must be between 1 and the number of fitted rows"),
        (lambda: KNeighborsTransformer().fit(rows()).transform(None), ValueError, "X must be"),
        (lambda: RadiusNeighborsTransformer(radius=-1).fit(rows()), ValueError, "radius must be"),
        (lambda: kneighbors_graph(rows(), 0), ValueError, "n_neighbors must be"),
        (lambda: kneighbors_graph(rows(), 2, include_self="some"), ValueError, "include_self must"),
        (lambda: kneighbors_graph(rows(), 2, include_self=1), TypeError, "include_self must be"),
        (lambda: radius_neighbors_graph(rows(), -1.0), ValueError, "radius must be"),
        (lambda: radius_neighbors_graph(rows(), 1.0, mode="some"), ValueError, "mode must be"),
    ],
)  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
