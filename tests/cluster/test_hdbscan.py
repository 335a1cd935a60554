# SPDX-License-Identifier: BSD-3-Clause
"""HDBSCAN: the definition, scikit-learn's labels where nothing ties, ties, and hostile rows."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from statfast import HDBSCAN, linkage
from tests.reference.condensed import condensed, core_distances, reachability


def blobs(n=300, d=2, seed=0, spread=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(5, d))[rng.integers(0, 5, n)] * 3 + spread * rng.normal(size=(n, d))


def same_partition(a, b):
    """Whether labels are equal but for the names of clusters."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    one_to_one = len(np.unique(pairs[:, 0])) == len(pairs) == len(np.unique(pairs[:, 1]))
    return one_to_one and ((a < 0) == (b < 0)).all()


@pytest.mark.parametrize("seed", range(50))
def test_labels_of_scikit_learn_without_ties(seed):
    """With two samples core distances are those of nearest neighbors, and no distances tie."""
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(seed)
    X = blobs(int(rng.integers(40, 300)), int(rng.integers(1, 14)), seed, rng.choice([0.4, 1.0]))
    settings = {
        "min_cluster_size": int(rng.integers(3, 20)),
        "min_samples": 2,
        "cluster_selection_method": ["eom", "leaf"][seed % 2],
        "allow_single_cluster": seed % 3 == 0,
        "max_cluster_size": 60 if seed % 5 == 0 else None,
        "store_centers": "both",
    }
    ours = HDBSCAN(**settings).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the default of copy
        theirs = cluster.HDBSCAN(**settings).fit(X)
    assert same_partition(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
    order = [theirs.labels_[ours.labels_ == c][0] for c in range(ours.labels_.max() + 1)]
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_[order], rtol=1e-9)
    np.testing.assert_array_equal(ours.medoids_, theirs.medoids_[order])


@pytest.mark.parametrize("kind", ["normal", "grid", "copies"])
@pytest.mark.parametrize("seed", range(6))
def test_the_condensed_tree_is_that_of_the_definition(seed, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    X = {"normal": X, "grid": np.round(2 * X), "copies": X[rng.integers(0, 15, 40)]}[kind]
    k, size = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    model = HDBSCAN(size, k).fit(X)
    wanted = condensed(reachability(cdist(X, X), k), size)
    tree = model.condensed_tree_
    points = tree[tree["child"] < 40]
    assert sorted(points["child"].tolist()) == list(range(40))
    leaves = {row: level for _, _, gone, _ in wanted for row, level in gone.items()}
    levels = np.array([leaves[row] for row in points["child"].tolist()])
    np.testing.assert_allclose(points["lambda_val"], levels, rtol=1e-9)
    groups = {tuple(sorted(gone)) for _, _, gone, _ in wanted if gone}
    got = {
        tuple(sorted(points["child"][points["parent"] == c].tolist()))
        for c in np.unique(points["parent"])
    }
    assert got == groups
    split = tree[tree["child"] >= 40]
    births = sorted((birth, len(rows)) for rows, birth, _, parent in wanted if parent >= 0)
    told = sorted(zip(split["lambda_val"].tolist(), split["child_size"].tolist(), strict=True))
    np.testing.assert_allclose(np.array(told).ravel(), np.array(births).ravel(), rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed", "cosine"])
@pytest.mark.parametrize("alpha", [1.0, 0.7, 1.5])
@pytest.mark.parametrize("k", [1, 2, 9])
def test_heights_are_those_of_a_spanning_tree(metric, alpha, k):
    X = blobs(200, 3)
    D = cdist(X, X, {"manhattan": "cityblock", "precomputed": "euclidean"}.get(metric, metric))
    model = HDBSCAN(5, k, alpha=alpha, metric=metric).fit(D if metric == "precomputed" else X)
    table = reachability(D, k, alpha)
    np.fill_diagonal(table, 0.0)
    wanted = np.sort(minimum_spanning_tree(sparse.csr_array(table)).data)
    np.testing.assert_allclose(model.single_linkage_tree_[:, 2], wanted, rtol=1e-6)
    if k == 1 and metric == "euclidean":
        heights = linkage(X, "single")[:, 2] / alpha
        np.testing.assert_allclose(model.single_linkage_tree_[:, 2], heights, rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("k", [2, 5, 40])
def test_trees_and_matrices_agree(d, k):
    X = blobs(1500, d, seed=d)
    by_rows = HDBSCAN(10, k).fit(X)
    by_matrix = HDBSCAN(10, k, metric="precomputed").fit(cdist(X, X))
    np.testing.assert_allclose(
        by_rows.single_linkage_tree_[:, 2], by_matrix.single_linkage_tree_[:, 2], rtol=1e-7
    )


@pytest.mark.parametrize("kind", ["normal", "grid", "copies"])
@pytest.mark.parametrize("seed", range(5))
def test_labels_do_not_depend_on_the_order_of_rows(seed, kind):
    rng = np.random.default_rng(seed)
    X = blobs(400, 2, seed, spread=1.0)
    X = {"normal": X, "grid": np.round(X * 2), "copies": X[rng.integers(0, 100, 400)]}[kind]
    order = rng.permutation(400)
    model, other = (HDBSCAN(6, 4).fit(rows) for rows in (X, X[order]))
    assert same_partition(model.labels_[order], other.labels_)
    np.testing.assert_allclose(model.probabilities_[order], other.probabilities_, rtol=1e-9)
    np.testing.assert_allclose(model.outlier_scores_[order], other.outlier_scores_, atol=1e-9)
    first = [np.flatnonzero(other.labels_ == c)[0] for c in range(other.labels_.max() + 1)]
    assert first == sorted(first)


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_same_bits_on_any_number_of_threads(n_jobs):
    X = np.round(blobs(20_000, 2, spread=1.0), 2)
    one, many = (HDBSCAN(20, 8, n_jobs=jobs).fit(X) for jobs in (1, n_jobs))
    for name in ("labels_", "probabilities_", "outlier_scores_", "single_linkage_tree_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)


def test_rows_that_are_not_finite():
    X = blobs(60)
    X[3, 0], X[10, 1], X[20] = np.inf, np.nan, [np.nan, np.inf]
    model, rest = HDBSCAN().fit(X), np.isfinite(X).all(axis=1)
    alone = HDBSCAN().fit(X[rest])
    assert model.labels_[[3, 10, 20]].tolist() == [-2, -3, -3]
    np.testing.assert_array_equal(model.probabilities_[[3, 10, 20]], [0.0, np.nan, np.nan])
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(model, name)[rest], getattr(alone, name))
    cut = model.dbscan_clustering(0.5)
    np.testing.assert_array_equal(cut[rest], alone.dbscan_clustering(0.5))
    assert cut[[3, 10, 20]].tolist() == [-2, -3, -3]


@pytest.mark.parametrize("cut", [0.0, 0.2, 0.5, np.inf])
def test_a_cut_is_dbscan_without_borders(cut):
    X, k = blobs(300), 6
    D = cdist(X, X)
    labels = HDBSCAN(min_samples=k).fit(X).dbscan_clustering(cut, min_cluster_size=1)
    core = core_distances(D, k) <= cut
    from statfast import DBSCAN

    wanted = DBSCAN(cut or 1e-300, min_samples=k).fit(X).labels_
    assert same_partition(labels[core], wanted[core]) if core.any() else True
    sizes = np.bincount(labels)
    assert (sizes[labels[~core]] == 1).all()


def test_outlier_scores_by_hand():
    X = np.array([0.0, 1.0, 2.0, 3.0, 7.0])[:, None]
    model = HDBSCAN(2, 2, allow_single_cluster=True).fit(X)
    np.testing.assert_allclose(model.outlier_scores_, [0, 0, 0, 0, 0.75])


def test_hostile_rows():
    alike = np.zeros((50, 2))
    assert HDBSCAN().fit(alike).labels_.tolist() == [-1] * 50
    assert HDBSCAN(allow_single_cluster=True).fit(alike).labels_.tolist() == [0] * 50
    assert HDBSCAN(min_samples=1).fit([[3.0]]).labels_.tolist() == [-1]
    pair = np.repeat([[0.0], [1.0]], 30, axis=0)
    assert HDBSCAN().fit(pair).labels_.tolist() == [0] * 30 + [1] * 30
    assert HDBSCAN(100, 5).fit(blobs(60)).labels_.tolist() == [-1] * 60
    far = (blobs(500) + 1e4).astype(np.float32)
    np.testing.assert_array_equal(
        HDBSCAN().fit(far).labels_, HDBSCAN().fit(far.astype(np.float64)).labels_
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_cluster_size": 1}, "min_cluster_size must be at least 2"),
        ({"min_samples": 301}, "number of finite rows"),
        ({"alpha": 0.0}, "alpha must be greater than 0"),
        ({"cluster_selection_method": "best"}, "cluster_selection_method"),
        ({"metric": "precomputed"}, "square|symmetric"),
        ({"metric": "precomputed", "store_centers": "both"}, "store_centers must be None"),
    ],
)
def test_wrong_input_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(**settings).fit(np.abs(blobs()))
