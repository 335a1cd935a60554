# SPDX-License-Identifier: BSD-3-Clause
"""Sparse graphs of distances in the place of rows: what is stored in a row are its neighbors."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

import statfast
from statfast import NearestNeighbors
from statfast.neighbors.search import search
from tests.reference import metrics as twin


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, (n, 2)) + (np.arange(n) % 2)[:, None] * 0.5


def graph_of(X, Q=None, k=9):
    """The k nearest of each row, stored out of order; a row stores itself."""
    model = NearestNeighbors(n_neighbors=k).fit(X)
    graph = model.kneighbors_graph(X if Q is None else Q, mode="distance")
    backward = [slice(a, b) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    order = np.concatenate([np.arange(part.start, part.stop)[::-1] for part in backward])
    return csr_array((graph.data[order], graph.indices[order], graph.indptr), shape=graph.shape)


def dense(graph):
    """The table of distances, infinite where none is stored."""
    table = np.full(graph.shape, np.inf)
    coo = graph.tocoo()
    table[coo.row, coo.col] = coo.data
    return table


KINDS = [csr_array, csr_matrix, csc_array, coo_array]


@given(seed=st.integers(0, 50), k=st.integers(1, 6), kind=st.sampled_from(KINDS))
def test_neighbors_are_the_least_that_are_stored(seed, k, kind):
    X, Q = rows(40, seed), rows(11, seed + 100)
    own, across = kind(graph_of(X)), kind(graph_of(X, Q))
    model = NearestNeighbors(k, metric="precomputed", radius=2.0).fit(own)
    for found, graph, itself in (
        (model.kneighbors(), own, True),
        (model.kneighbors(own), own, False),
        (model.kneighbors(across), across, False),
    ):
        for a, b in zip(found, twin.nearest(dense(graph), k, itself), strict=True):
            np.testing.assert_array_equal(a, b)
    found = model.radius_neighbors(across, sort_results=True)
    _, apart, ids = twin.within(dense(across), 2.0)
    np.testing.assert_array_equal(np.concatenate(found[0]), apart)
    np.testing.assert_array_equal(np.concatenate(found[1]), ids)
    table = dense(own)
    np.fill_diagonal(table, np.inf)
    _, apart, ids = twin.within(table, 2.0)
    np.testing.assert_array_equal(np.concatenate(model.radius_neighbors(sort_results=True)[1]), ids)
    plain = model.radius_neighbors(across)
    for i, row in enumerate(found[1]):
        np.testing.assert_array_equal(plain[1][i], np.sort(row))
        np.testing.assert_array_equal(plain[0][i], found[0][i][np.argsort(row)])


def test_a_row_need_not_store_itself():
    graph = graph_of(rows())
    without = NearestNeighbors(5).fit(rows()).kneighbors_graph(mode="distance")
    expected = NearestNeighbors(5, metric="precomputed").fit(graph).kneighbors()
    for a, b in zip(
        NearestNeighbors(5, metric="precomputed").fit(without).kneighbors(), expected, strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_estimators_answer_as_of_rows(monkeypatch):
    X, Q = rows(120, 1), rows(30, 2)
    y = np.arange(120) % 3
    own, across = graph_of(X, k=20), graph_of(X, Q, 20)
    for cls in (statfast.KNeighborsClassifier, statfast.KNeighborsRegressor):
        given, plain = cls(5, metric="precomputed").fit(own, y), cls(5).fit(X, y)
        np.testing.assert_array_equal(given.predict(across), plain.predict(Q))
        np.testing.assert_array_equal(given.predict(None), plain.predict(None))
        np.testing.assert_array_equal(given.leave_one_out([1, 4]), plain.leave_one_out([1, 4]))
        again = pickle.loads(pickle.dumps(given))
        np.testing.assert_array_equal(again.predict(across), plain.predict(Q))
        with monkeypatch.context() as patch:  # many rows are taken in slices
            patch.setattr(search, "MAX_HELD_NEIGHBORS", 100)
            np.testing.assert_array_equal(given.predict(None), plain.predict(None))
            np.testing.assert_array_equal(given.predict(across), plain.predict(Q))
    for name in ("RadiusNeighborsClassifier", "RadiusNeighborsRegressor"):
        cls = getattr(statfast, name)
        given, plain = cls(0.5, metric="precomputed").fit(own, y), cls(0.5).fit(X, y)
        near = np.flatnonzero([len(ids) > 0 for ids in plain.radius_neighbors(Q)[1]])
        np.testing.assert_array_equal(given.predict(across[near]), plain.predict(Q[near]))


def test_dense_queries_of_a_graph_and_sparse_ones_of_a_table():
    X, Q = rows(50, 3), rows(9, 4)
    table = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    to = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    expected = NearestNeighbors(4).fit(X).kneighbors(Q)
    for fitted, asked in ((graph_of(X), to), (table, graph_of(X, Q))):
        found = NearestNeighbors(4, metric="precomputed").fit(fitted).kneighbors(asked)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_peer():
    peers = pytest.importorskip("sklearn.neighbors")
    X = np.random.default_rng(5).random((100, 3))
    graph = peers.NearestNeighbors(n_neighbors=12).fit(X).kneighbors_graph(X, mode="distance")
    ours = NearestNeighbors(6, metric="precomputed").fit(graph)
    theirs = peers.NearestNeighbors(n_neighbors=6, metric="precomputed").fit(graph)
    for asked in (None, graph):
        for a, b in zip(ours.kneighbors(asked), theirs.kneighbors(asked), strict=True):
            np.testing.assert_array_equal(a, b)
    a, b = (m.kneighbors_graph(graph, mode="distance").toarray() for m in (ours, theirs))
    np.testing.assert_array_equal(a, b)
    assert ours.radius_neighbors_graph(graph, 0.2).sum() == (
        theirs.radius_neighbors_graph(graph, 0.2).sum()
    )


def test_stored_zeros_are_neighbors_and_duplicates_add_up():
    graph = csr_array(([0.0, 1.0, 0.0, 2.0, 1.0], [1, 2, 0, 2, 0], [0, 2, 4, 5]), shape=(3, 3))
    found = NearestNeighbors(1, metric="precomputed").fit(graph).kneighbors()
    np.testing.assert_array_equal(found[1].ravel(), [1, 0, 0])
    np.testing.assert_array_equal(found[0].ravel(), [0, 0, 1])
    twice = coo_array(([1.0, 2.0, 2.5, 1.0], ([0, 0, 0, 1], [1, 1, 2, 0])), shape=(3, 3))
    model = NearestNeighbors(1, metric="precomputed").fit(csr_array(graph))
    np.testing.assert_array_equal(model.kneighbors(twice.tocsr()[:1])[0], [[2.5]])


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (csr_array([[0.0, 1.0, 2.0], [1.0, 0, 0], [2.0, 0, 0]]), "2 neighbors stored in each row; "
         "got 1 in row 1, besides itself"),
        (csr_array([[0.0, -1.0], [1.0, 0.0]]), "not negative; got -1.0"),
        (csr_array([[0.0, np.nan], [1.0, 0.0]]), "X.data contains NaN"),
        (csr_array(np.ones((2, 3))), "square table of distances"),
        (csr_array(np.eye(2) * 1j), "Complex data not supported"),
    ],
)  # fmt: skip
def test_refusals(graph, words):
    with pytest.raises(ValueError, match=words):
        NearestNeighbors(2, metric="precomputed").fit(graph).kneighbors()


def test_refused_queries():
    model = NearestNeighbors(2, metric="precomputed").fit(graph_of(rows(20)))
    with pytest.raises(ValueError, match="X has 3 features"):
        model.kneighbors(csr_array(np.ones((2, 3))))
    with pytest.raises(ValueError, match="2 neighbors stored in each row; got 0 in row 0"):
        model.kneighbors(csr_array((1, 20)))
    with pytest.raises(ValueError, match="'kd_tree' does not serve"):
        NearestNeighbors(metric="precomputed", algorithm="kd_tree").fit(graph_of(rows(20)))
