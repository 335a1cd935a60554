# SPDX-License-Identifier: BSD-3-Clause
"""Merges against the definition, scipy's and R's; every strategy; bad input."""

import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from statfast._distance import condensed
from statfast.cluster import linkage
from statfast.cluster.hierarchy import generic, reciprocal
from statfast.cluster.hierarchy.linkage import INVERTING, METHODS
from tests.reference import linkage as twin

DEFINED = ("single", "complete", "average", "centroid", "ward")


# MAX_CHAIN_CLUSTERS, MIN_MERGED_SHARE and MIN_MERGED_SHARE_OF_ROWS of each strategy.
THRESHOLDS_OF_STRATEGY = {
    "chain": (1 << 20, 1.0, 1.0),
    "rounds": (2, 0.0, 0.0),
    "both": (8, 1.0, 0.0),
    "pairs": (8, 1.0, 1.0),
}


@pytest.fixture(params=THRESHOLDS_OF_STRATEGY)
def strategy(request, monkeypatch):
    """A small matrix is merged as a large one would be."""
    chain_clusters, share, share_of_rows = THRESHOLDS_OF_STRATEGY[request.param]
    monkeypatch.setattr(reciprocal, "MAX_CHAIN_CLUSTERS", chain_clusters)
    monkeypatch.setattr(reciprocal, "MIN_MERGED_SHARE", share)
    monkeypatch.setattr(reciprocal, "MIN_MERGED_SHARE_OF_ROWS", share_of_rows)
    monkeypatch.setattr(reciprocal, "NUMBERS_PER_CALL", 5000)
    monkeypatch.setattr(reciprocal, "COMPACT_BELOW_SHARE", 0.8)
    monkeypatch.setattr(generic, "COMPACT_BELOW_SHARE", 0.7 if request.param == "both" else 0.5)
    monkeypatch.setattr(generic, "NUMBERS_PER_CALL", 5000)
    monkeypatch.setattr(condensed, "MIN_NUMBERS_PER_TASK", 1)
    return request.param


def rows(seed, n, d, *, tied=False, scale=1.0):
    rng = np.random.default_rng(seed)
    return scale * (rng.integers(0, 4, (n, d)).astype(float) if tied else rng.normal(size=(n, d)))


def test_centroids_of_small_matrices_are_scipys():
    """Many sizes, so that clusters are left out several times between looks at a row."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = pdist(rng.normal(size=(int(rng.integers(2, 60)), int(rng.integers(1, 6)))))
        for method in ("centroid", "median"):
            np.testing.assert_allclose(
                linkage(y, method)[:, 2], hierarchy.linkage(y, method)[:, 2], rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize("method", DEFINED)
@pytest.mark.parametrize("n", [2, 3, 4, 11, 40])
def test_linkage_is_its_definition(method, n):
    table = squareform(pdist(rows(n, n, 3)))
    assert_allclose(linkage(table, method, "precomputed"), twin.linkage(table, method), rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 2), (70, 2), (257, 40), (600, 5)])
def test_linkage_is_scipys(method, n, d, strategy):
    X = rows(n, n, d)
    y = pdist(X)
    expected = hierarchy.linkage(y, method)
    assert_allclose(linkage(y, method), expected, rtol=1e-10)
    assert_allclose(linkage(squareform(y), method, "precomputed"), expected, rtol=1e-10)
    assert_allclose(linkage(X, method), expected, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 60), d=st.integers(1, 3))
@settings(max_examples=20)
def test_heights_with_ties(method, seed, n, d):
    # Where ties leave a choice, the choice may change later heights of all methods but single.
    y = pdist(rows(seed, n, d, tied=True))
    Z = linkage(y, method)
    assert hierarchy.is_valid_linkage(Z)
    if method == "single":
        assert_allclose(Z[:, 2], hierarchy.linkage(y, method)[:, 2], rtol=1e-12)
    if method not in INVERTING:
        assert (np.diff(Z[:, 2]) >= 0).all()
    if method in DEFINED:
        members = [[i] for i in range(n)]
        table = squareform(y)
        for a, b, height, size in Z:
            one, other = members[int(a)], members[int(b)]
            expected = twin.distance(method, table, table**2, one, other)
            assert height == pytest.approx(expected, rel=1e-10, abs=1e-7)
            assert size == len(one) + len(other)
            members.append(one + other)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_same_bits_for_any_number_of_threads(method, tied, strategy):
    y = pdist(rows(5, 300, 4, tied=tied))
    kept = y.copy()
    expected = linkage(y, method, n_jobs=1)
    for n_jobs in (2, 7):
        assert_array_equal(linkage(y, method, n_jobs=n_jobs), expected)
    assert_array_equal(y, kept)


@pytest.mark.parametrize("method", METHODS)
def test_many_clusters_reuse_memory(method, monkeypatch):
    monkeypatch.setattr(reciprocal, "MAX_PIECE_NUMBERS", 2048)
    monkeypatch.setattr(reciprocal, "MAX_CHAIN_CLUSTERS", 32)
    y = pdist(rows(8, 900, 2))
    assert_allclose(linkage(y, method, n_jobs=2), hierarchy.linkage(y, method), rtol=1e-10)


@pytest.mark.once
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [2, 60])
def test_memory_is_less_than_another_copy(method, d):  # or two, where the square is copied
    # In many columns few rows are each other's nearest, so that rounds merge few.
    y = pdist(rows(13, 3000, d))
    tracemalloc.start()
    try:
        linkage(y, method, n_jobs=2)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < y.nbytes * (2.02 if method in INVERTING else 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1e30, 1e160])
def test_any_scale(method, scale):
    y = pdist(rows(6, 80, 4)) * scale
    assert_allclose(
        linkage(y, method)[:, 2] / scale, hierarchy.linkage(y / scale, method)[:, 2], rtol=1e-10
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_float32(method, scale, strategy):
    y = pdist(rows(7, 200, 3))
    Z = linkage((y * scale).astype(np.float32), method)
    expected = hierarchy.linkage(y, method)[:, 2]
    assert Z.dtype == np.float64
    assert_allclose(np.sort(Z[:, 2]) / scale, np.sort(expected), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_constant_data_and_duplicates(method, strategy):
    assert_array_equal(linkage(np.ones((40, 3)), method)[:, 2], 0)
    X = np.repeat(rows(9, 10, 2), 5, axis=0)
    Z = linkage(pdist(X), method)
    assert hierarchy.is_valid_linkage(Z)
    assert_allclose(Z[:40, 2], 0, atol=1e-7)
    assert (Z[40:, 2] > 0.01).all()
    Z = linkage(np.full(40 * 39 // 2, 3.0), method)
    assert hierarchy.is_valid_linkage(Z)
    if method in ("single", "complete", "average", "weighted"):
        assert_array_equal(Z[:, 2], 3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", ["rising", "shuffled"])
def test_a_cluster_that_swallows_one_row_after_the_other(method, order, strategy):
    X = np.cumsum(1.05 ** np.arange(150.0))[:, None]
    if order == "shuffled":
        X = np.random.default_rng(12).permutation(X)
    y = pdist(X)
    assert_allclose(linkage(y, method)[:, 2], hierarchy.linkage(y, method)[:, 2], rtol=1e-10)


def test_dissimilarities_that_are_no_metric(strategy):
    rng = np.random.default_rng(3)
    y = rng.exponential(size=200 * 199 // 2) ** 3
    for method in ("single", "complete", "average", "weighted"):
        assert_allclose(linkage(y, method), hierarchy.linkage(y, method), rtol=1e-10)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine", "correlation", "hamming"])
def test_metrics(metric):
    X = rows(10, 60, 7, tied=metric == "hamming")
    expected = hierarchy.linkage(pdist(X, metric), "average")[:, 2]
    found = linkage(X, "average", metric)[:, 2]
    if metric == "hamming":
        assert_allclose(found[:20], expected[:20])
    else:
        assert_allclose(found, expected, rtol=1e-10)


def test_function_as_metric():
    X = rows(11, 30, 3)
    Z = linkage(X, "complete", lambda a, b: float(np.abs(a - b).sum()))
    assert_allclose(Z, hierarchy.linkage(pdist(X, "cityblock"), "complete"))


def test_containers():
    X = rows(12, 30, 3)
    expected = linkage(X, "average")
    assert_array_equal(linkage(X.tolist(), "average"), expected)
    assert_array_equal(linkage(np.asfortranarray(X), "average"), expected)
    assert_array_equal(linkage(pdist(X).tolist(), "average"), linkage(pdist(X), "average"))
    table = squareform(pdist(X))
    assert_array_equal(
        linkage(np.asfortranarray(table), "average", "precomputed"),
        linkage(table, "average", "precomputed"),
    )


R_METHODS = {
    "single": "single",
    "complete": "complete",
    "average": "average",
    "mcquitty": "weighted",
    "ward.D2": "ward",
    "median": "median",
    "centroid": "centroid",
}


TABLES = {
    "USArrests": ("datasets_USArrests.csv", range(1, 5)),
    "USArrests_scaled": ("datasets_USArrests.csv", range(1, 5)),
    "ruspini": ("cluster_ruspini.csv", range(1, 3)),
}


def from_r(shared_data, name):
    """The rows of a table, and what R makes of it."""
    file, columns = TABLES[name]
    X = np.loadtxt(shared_data("r", file), delimiter=",", skiprows=1, usecols=columns)
    if name.endswith("_scaled"):
        X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return X, json.loads(shared_data("..", "reference", "hclust.json").read_text("utf-8"))[name]


def r_merges(Z):
    """The merges as R numbers them: minus the rows from 1, the merges from 1."""
    n = len(Z) + 1
    pairs = Z[:, :2].astype(int)
    return [sorted((-(a + 1) if a < n else a - n + 1) for a in pair) for pair in pairs]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("r_method", R_METHODS)
def test_r_hclust(shared_data, name, r_method):
    X, answers = from_r(shared_data, name)
    expected = answers["hclust"][r_method]
    method = R_METHODS[r_method]
    if answers["tied_pairwise_distances"] and method in (*INVERTING, "weighted"):
        pytest.skip("which of tied pairs is merged first decides what follows")
    for data in (X, pdist(X)):
        Z = linkage(data, method)
        heights = Z[:, 2] ** 2 if method in INVERTING else Z[:, 2]
        assert_allclose(np.sort(heights), np.sort(expected["height"]), rtol=1e-10)
        if not answers["tied_pairwise_distances"]:
            assert [sorted(pair) for pair in expected["merge"]] == r_merges(Z)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "ward"])
def test_r_agnes(shared_data, name, method):
    X, answers = from_r(shared_data, name)
    if answers["tied_pairwise_distances"] and method == "weighted":
        pytest.skip("which of tied pairs is merged first decides what follows")
    expected = np.sort(answers["agnes"][method]["height_dendrogram_order"])
    assert_allclose(linkage(X, method)[:, 2], expected, rtol=1e-10)


def with_number(y, at, value):
    y = y.copy()
    y.flat[at] = value
    return y


Y = pdist(np.arange(12.0).reshape(6, 2) ** 2)
BAD = {
    "length": (
        Y[:-1],
        "average",
        "euclidean",
        "X has 14 dissimilarities, .* n = 5 rows it would be 10",
    ),
    "nan": (with_number(Y, 3, np.nan), "average", "euclidean", "NaN, first at position 3"),
    "infinite": (with_number(Y, 3, np.inf), "single", "euclidean", "infinity, first at position 3"),
    "negative": (
        with_number(Y, 4, -1),
        "ward",
        "euclidean",
        "negative .* -1.0, first at position 4",
    ),
    "none": (np.empty(0), "single", "euclidean", "sample|feature|at least one pair"),
    "one row": ([[1.0, 2.0]], "single", "euclidean", "minimum of 2"),
    "nan row": ([[1.0], [np.nan]], "single", "euclidean", "NaN"),
    "not square": (np.ones((3, 2)), "single", "precomputed", "square"),
    "asymmetric": (
        with_number(squareform(Y), 3, 7.0),
        "single",
        "precomputed",
        "symmetric; got 7.0 at row 0, column 3",
    ),
    "diagonal": (
        with_number(squareform(Y), 7, 1.0),
        "single",
        "precomputed",
        "1.0 on its diagonal, at row 1",
    ),
    "square nan": (with_number(squareform(Y), 2, np.nan), "single", "precomputed", "row 0, c.* 2"),
    "square negative": (with_number(squareform(Y), 2, -2), "single", "precomputed", "negative"),
    "method": (Y, "center", "euclidean", "method must be"),
    "metric": (np.ones((3, 2)), "single", "euclid", "metric must be"),
    "ward": (np.ones((3, 2)), "ward", "cityblock", "Euclidean distance; got metric"),
    "overflow": (np.array([[1e308], [-1e308]]), "average", "euclidean", "Scale X down"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    X, method, metric, words = BAD[case]
    with pytest.raises(ValueError, match=words):
        linkage(X, method, metric)


def test_bad_types():
    with pytest.raises(TypeError, match="method must be"):
        linkage(Y, 3)
    with pytest.raises(ValueError, match="must hold numbers"):
        linkage([["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match=r"X should be a 2-d .* Give all rows the same length"):
        linkage([[1.0, 2.0], [3.0]])
    with pytest.raises(TypeError, match="must return a number"):
        linkage(np.ones((3, 2)), "average", lambda a, b: "far")


def test_a_square_matrix_taken_as_rows_is_warned_of():
    with pytest.warns(UserWarning, match="precomputed"):
        linkage(squareform(Y), "average")


def test_too_large_a_matrix_is_refused():
    rows = np.lib.stride_tricks.as_strided(np.zeros(1), (10**7, 2), (0, 0))
    with pytest.raises(MemoryError, match="GiB"):
        linkage(rows, "average")


@pytest.mark.parametrize("method", ["average", "complete", "weighted"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e300])
def test_rows_of_every_scale(method, scale):
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert_allclose(linkage(X * scale, method)[:, 2] / scale, linkage(X, method)[:, 2], rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_columns(method):
    X, w = np.random.default_rng(0).normal(size=(30, 3)), np.array([1.0, 100.0, 0.0])
    found = linkage(X, method, metric_params={"w": w})
    assert_allclose(found, linkage(X * np.sqrt(w), method), rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan"])
def test_equal_rows_of_the_largest_numbers(metric):
    Z = linkage(np.full((5, 2), 1.7e308), "average", metric)
    assert (Z[:, 2] == 0).all()


def test_near_rows_of_the_largest_numbers():
    X = np.array([[1.7e308, 0.0], [1.7e308, 3e300], [1.7e308, 7e300]])
    assert np.allclose(linkage(X, "complete")[:, 2], [3e300, 7e300], rtol=1e-7, atol=0)
