# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a number of clusters, and their stability, from dissimilarities of any kind."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

from statfast._distance import dissimilarity
from statfast._engine import blocks
from statfast.cluster import choose_n_clusters, cluster_stability, cut_tree, linkage
from statfast.cluster.n_clusters import stability
from statfast.metrics import dunn_index, silhouette_score
from tests.data import three_groups

THREE = three_groups(20)


def forms(X, metric="euclidean"):
    """Of the same dissimilarities: rows, the triangle, the square, and a function."""
    y = pdist(X, metric)
    return [
        (X, {"metric": metric}),
        (y, {"metric": "precomputed"}),
        (np.asfortranarray(squareform(y)), {"metric": "precomputed"}),
        (X, {"metric": lambda a, b: cdist(a[None], b[None], metric)[0, 0]}),
    ]


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
@pytest.mark.parametrize("method", ["kmedoids", "average", "single"])
def test_same_table_from_every_form(method, metric):
    X = three_groups(12)
    ks = [1, 2, 3, 4]
    first, *others = [
        choose_n_clusters(A, method=method, ks=ks, **kw) for A, kw in forms(X, metric)
    ]
    table = squareform(pdist(X, metric))
    for found in others:
        assert found.recommended == first.recommended
        for name in found.scores:
            np.testing.assert_allclose(found.scores[name], first.scores[name], rtol=1e-9)
        for a, b in zip(found.labels, first.labels, strict=True):
            np.testing.assert_array_equal(a, b)
        assert "davies_bouldin" not in found.scores
        assert "davies_bouldin" not in str(found)
    assert ("davies_bouldin" in first.scores) == (metric == "euclidean")
    for i, z in enumerate(first.labels):
        groups = [table[np.ix_(z == c, z == c)] for c in np.unique(z)]
        within = sum(np.square(part).sum() / 2 / len(part) for part in groups)
        total = np.square(table).sum() / 2 / len(X)
        assert first.scores["within"][i] == pytest.approx(within)
        if i:
            ratio = (total - within) * (len(X) - ks[i]) / within / (ks[i] - 1)
            assert first.scores["calinski_harabasz"][i] == pytest.approx(ratio)
            asked = {"metric": "precomputed"}
            widths = silhouette_score(table, z, **asked)
            assert first.scores["silhouette"][i] == pytest.approx(widths)
            assert first.scores["dunn"][i] == pytest.approx(dunn_index(table, z, **asked))


@pytest.mark.parametrize("method", ["kmeans", "ward", "kmedoids", "average"])
def test_distances_that_are_euclidean_after_scaling(method):
    X = THREE * [1, 50]
    scaled = X / X.std(axis=0, ddof=1)
    for metric, params in [("seuclidean", None), ("l2", {"w": 1 / X.var(axis=0, ddof=1)})]:
        asked = {"method": method, "ks": [2, 3, 4], "random_state": 0}
        found = choose_n_clusters(X, metric=metric, metric_params=params, **asked)
        expected = choose_n_clusters(scaled, **asked)
        assert found.recommended == expected.recommended == 3
        np.testing.assert_allclose(found.scores["within"], expected.scores["within"])
        asked = {"method": method, "n_boot": 4, "random_state": 0}
        np.testing.assert_array_equal(
            cluster_stability(X, 3, metric=metric, metric_params=params, **asked).jaccard,
            cluster_stability(scaled, 3, **asked).jaccard,
        )


@pytest.mark.parametrize("method", ["kmedoids", "average"])
def test_same_stability_from_every_form(method):
    found = [
        cluster_stability(A, 3, method=method, n_boot=4, random_state=0, **kw).jaccard
        for A, kw in forms(three_groups(8), "cityblock")
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_functions_are_given_what_there_is():
    X = three_groups(8)
    shapes = []

    def method(rows, k):
        shapes.append(rows.shape)
        return cut_tree(linkage(rows, metric="precomputed"), k)

    choose_n_clusters(pdist(X), method=method, metric="precomputed", ks=[2, 3])
    assert set(shapes) == {(24, 24)}
    cluster_stability(pdist(X), 2, method=method, metric="precomputed", n_boot=3, random_state=0)
    assert all(m == n for m, n in shapes)
    shapes.clear()

    def by_column(rows, k):
        shapes.append(rows.shape[1])
        return rows[:, 0] > 4

    choose_n_clusters(X, method=by_column, metric=lambda a, b: abs(a - b).max(), ks=[2])
    assert shapes == [2]


def test_a_function_of_two_rows_is_called_once_a_pair():
    calls = []

    def metric(a, b):
        calls.append(1)
        return abs(a - b).sum()

    X = three_groups(5)
    choose_n_clusters(X, method="kmedoids", metric=metric, ks=[2, 3])
    assert len(calls) == 15 * 14 // 2
    cluster_stability(X, 3, method="average", metric=metric, n_boot=5)
    assert len(calls) == 15 * 14


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("scale", [1, 2**40])
def test_types_of_matrices(dtype, scale):
    y = (pdist(three_groups(8)) * scale + 1).astype(dtype)
    found = choose_n_clusters(y, method="kmedoids", metric="precomputed", ks=[2, 3, 4])
    expected = choose_n_clusters(
        y.astype(float), method="kmedoids", metric="precomputed", ks=[2, 3, 4]
    )
    assert found.recommended == expected.recommended == 3
    np.testing.assert_allclose(found.scores["within"], expected.scores["within"], rtol=1e-6)


@pytest.mark.parametrize("exponent", [-700, 700])
def test_dissimilarities_at_every_scale(exponent):
    y = pdist(three_groups(8))
    asked = {"method": "average", "metric": "precomputed", "ks": [2, 3, 4]}
    near, far = choose_n_clusters(y, **asked), choose_n_clusters(np.ldexp(y, exponent), **asked)
    for name in ("silhouette", "calinski_harabasz", "dunn"):
        np.testing.assert_allclose(far.scores[name], near.scores[name])


def test_medoids_of_a_matrix_that_is_not_symmetric():
    table = squareform(pdist(three_groups(8)))
    table *= np.random.default_rng(1).uniform(1, 1.2, table.shape)
    asked = {"metric": "precomputed", "ks": [2, 3, 4]}
    assert choose_n_clusters(table, method="kmedoids", **asked).recommended == 3
    with pytest.raises(ValueError, match="X must be symmetric"):
        choose_n_clusters(table, method="average", **asked)


def test_threads_change_no_sum(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    y = pdist(three_groups(30))
    first, *others = [
        choose_n_clusters(y, method="average", metric="precomputed", ks=[2, 3], n_jobs=n).scores[
            "within"
        ]
        for n in (1, 2, 7)
    ]
    assert all((other == first).all() for other in others)


@pytest.mark.parametrize(
    ("X", "params", "message"),
    [
        (THREE, {"metric": "cityblock"}, "'kmeans' is defined by Euclidean distance; got metric"),
        (THREE, {"metric": max}, "defined by Euclidean distance; got metric a function. Choose"),
        (THREE, {"metric": "l1"}, "got metric 'l1'. Choose 'kmedoids'"),
        (pdist(THREE), {"metric": "precomputed"}, "Choose 'kmedoids', or a linkage"),
        (THREE, {"method": "ward", "metric": max}, "'ward' is defined by Euclidean distance"),
        (THREE, {"method": "median", "metric": "l1"}, "'median' is defined by Euclidean"),
        (THREE, {"method": "average", "metric": "foo"}, "metric must be one of"),
        (THREE, {"method": "average", "metric": "precomputed"}, "must be a square matrix"),
        (-pdist(THREE), {"method": "average", "metric": "precomputed"}, "has the negative"),
        (pdist(THREE)[1:], {"method": "average", "metric": "precomputed"}, "which is not n"),
        ([3.0], {"method": "average", "metric": "precomputed"}, "a minimum of 3 is required"),
        (
            pdist(THREE),
            {"method": "average", "metric": "precomputed", "ks": [60]},
            r"less 1 \(59",
        ),
        (
            pdist(THREE),
            {"method": "average", "metric": "precomputed", "criterion": "gap"},
            "criterion='gap' needs rows and Euclidean distance; got metric 'precomputed'",
        ),
        (
            THREE,
            {"method": "average", "metric": "cosine", "criterion": "davies_bouldin"},
            "Choose 'silhouette', 'dunn' or 'calinski_harabasz'",
        ),
    ],
)
def test_bad_metrics(X, params, message):
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(X, **params)
    if "criterion" not in params and "ks" not in params and np.size(X) > 1:
        with pytest.raises(ValueError, match=message):
            cluster_stability(X, 3, n_boot=2, **params)


@pytest.mark.parametrize("method", ["kmeans", "ward", "average", len])
def test_metrics_that_are_neither_a_name_nor_a_function(method):
    with pytest.raises(TypeError, match="metric must be one of"):
        choose_n_clusters(THREE, method=method, metric=None)


def test_large_matrices_are_refused_before_they_are_made(monkeypatch):
    y = pdist(THREE)
    asked = {"method": "average", "metric": "precomputed"}

    def refuse(nbytes, what, instead):
        raise MemoryError(f"{what} needs {nbytes}. {instead}")

    monkeypatch.setattr(stability, "refuse_large", refuse)
    with pytest.raises(MemoryError, match="What threads draw of the matrix needs"):
        cluster_stability(y, 3, random_state=0, **asked)
    monkeypatch.setattr(dissimilarity, "refuse_large", refuse)
    with pytest.raises(MemoryError, match=f"square matrix of 60 rows needs {60 * 60 * 8}"):
        choose_n_clusters(y, **asked)
