# SPDX-License-Identifier: BSD-3-Clause
"""Clusters merged along a graph: the definition, scikit-learn's answers, and what is refused."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.sparse import coo_array, csr_array, csr_matrix, eye_array

from statfast import AgglomerativeClustering, NearestNeighbors, fcluster
from statfast.metrics import adjusted_rand_score

METHODS = ["ward", "complete", "average", "single"]


def graph_of(X, k=4):
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors_graph()


def tree(X, graph, method, **more):
    model = AgglomerativeClustering(1, connectivity=graph, linkage=method, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X).linkage_matrix_


def slow(X, graph, method):
    """All pairs of clusters looked at in each step; the graph is connected."""
    n = len(X)
    table = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    edge = graph.toarray() != 0
    apart = {
        frozenset((a, b)): table[a, b]
        for a in range(n) for b in range(a) if edge[a, b] or edge[b, a]
    }  # fmt: skip
    rows, out = {i: [i] for i in range(n)}, []
    for new in range(n, 2 * n - 1):
        pair = min(apart, key=lambda two: (apart[two], *sorted(two)))
        a, b = sorted(pair)
        out.append((a, b, apart.pop(pair), len(rows[a]) + len(rows[b])))
        p, q = len(rows[a]), len(rows[b])
        rows[new] = rows.pop(a) + rows.pop(b)
        for c in rows:
            found = [apart.pop(frozenset((part, c)), None) for part in (a, b)]
            known = [d for d in found if d is not None]
            if not known:
                continue
            if method == "ward":
                u, v = len(rows[new]), len(rows[c])
                middle = X[rows[new]].mean(axis=0) - X[rows[c]].mean(axis=0)
                known = [np.sqrt(2 * u * v / (u + v) * (middle**2).sum())]
            elif method == "average" and len(known) == 2:
                known = [(p * known[0] + q * known[1]) / (p + q)]
            apart[frozenset((new, c))] = min(known) if method == "single" else max(known)
    return np.array(out)


@given(seed=st.integers(0, 500), n=st.integers(2, 25), method=st.sampled_from(METHODS))
def test_the_tree_is_its_definition(seed, n, method):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    chain = coo_array((np.ones(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    more = rng.random((n, n)) < 0.15
    graph = csr_array(chain.toarray() + more)
    np.testing.assert_allclose(tree(X, graph, method), slow(X, graph, method), rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_a_whole_graph_is_no_constraint(method):
    X = np.random.default_rng(0).standard_normal((60, 4))
    found = tree(X, np.ones((60, 60)), method)
    expected = hierarchy.linkage(X, method)
    np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-10)
    np.testing.assert_array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("components", [1, 3])
def test_answers_of_scikit_learn(method, components):
    peers = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(components)
    X = rng.standard_normal((150, 3)) + 20 * (np.arange(150) % components)[:, None]
    graph = graph_of(X, 5)
    settings = {"n_clusters": 4, "linkage": method, "connectivity": graph}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        ours = AgglomerativeClustering(**settings, compute_distances=True).fit(X)
        theirs = peers.AgglomerativeClustering(
            **settings, compute_distances=True, compute_full_tree=True
        ).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
    assert ours.n_connected_components_ == theirs.n_connected_components_ == components
    np.testing.assert_allclose(ours.distances_, theirs.distances_, rtol=1e-9)
    np.testing.assert_array_equal(np.sort(ours.children_), np.sort(theirs.children_))


def test_components_are_joined_with_a_warning():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    graph = csr_array(([1.0, 1.0], ([0, 2], [1, 3])), shape=(5, 5))
    with pytest.warns(UserWarning, match="has 3 connected components"):
        model = AgglomerativeClustering(2, connectivity=graph, linkage="single").fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, 1])
    assert model.n_connected_components_ == 3
    np.testing.assert_allclose(model.linkage_matrix_[:, 2], [1, 1, 9, 19])


@pytest.mark.parametrize("method", METHODS[1:])
def test_what_is_compared(method):
    """Any metric, dissimilarities, and a function, of which only edges are asked."""
    X = np.random.default_rng(2).random((40, 3))
    graph = graph_of(X, 6)
    table = np.abs(X[:, None] - X).sum(axis=2)
    expected = tree(X, graph, method, metric="manhattan")
    for given_ in (table, table[np.triu_indices(40, 1)]):
        found = tree(given_, graph, method, metric="precomputed")
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    calls = []

    def city(a, b):
        calls.append(1)
        return float(np.abs(a - b).sum())

    np.testing.assert_allclose(tree(X, graph, method, metric=city), expected, rtol=1e-12)
    assert len(calls) <= graph.nnz


def test_graphs_of_any_kind_and_layout():
    X = np.random.default_rng(3).random((50, 2))
    graph = graph_of(X, 5)
    expected = tree(X, graph, "ward")
    for some in (csr_matrix(graph), graph.toarray(), graph.tocoo(), 7 * graph + eye_array(50)):
        np.testing.assert_array_equal(tree(X, some, "ward"), expected)
    np.testing.assert_array_equal(tree(X, lambda rows: graph_of(rows, 5), "ward"), expected)
    np.testing.assert_array_equal(tree(np.asfortranarray(X), graph, "ward"), expected)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        tree(single, graph, "ward"), tree(single.astype(np.float64), graph, "ward")
    )
    for scale in (1e-200, 1e200):
        found = tree(X * scale, graph, "ward")[:, 2]
        np.testing.assert_allclose(found, expected[:, 2] * scale, rtol=1e-9)
    model = AgglomerativeClustering(
        None, connectivity=graph, linkage="single", distance_threshold=0.1
    ).fit(X)
    cut = fcluster(model.linkage_matrix_, 0.1, "distance")
    assert adjusted_rand_score(model.labels_, cut) == 1.0


@pytest.mark.parametrize(
    ("graph", "more", "error", "words"),
    [
        (np.ones((3, 3)), {}, ValueError, r"of shape \(5, 5\); got shape \(3, 3\)"),
        (csr_array(np.ones((5, 4))), {}, ValueError, r"of shape \(5, 5\)"),
        (np.full((5, 5), np.nan), {}, ValueError, "connectivity contains NaN"),
        ("knn", {}, TypeError, "connectivity must be"),
        (np.ones((5, 5)), {"linkage": "centroid"}, ValueError, "linkage='centroid' with connect"),
    ],
)
def test_refusals(graph, more, error, words):
    with pytest.raises(error, match=words):
        AgglomerativeClustering(2, connectivity=graph, **more).fit(np.eye(5))


def test_ward_along_a_graph_needs_rows():
    table = 1.0 - np.eye(4)
    model = AgglomerativeClustering(2, connectivity=np.ones((4, 4)), metric="precomputed")
    with pytest.raises(ValueError, match="linkage='ward' with connectivity needs rows"):
        model.fit(table)
