# SPDX-License-Identifier: BSD-3-Clause
"""HDBSCAN: the definition, scikit-learn's labels where nothing ties, ties, and hostile rows."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

import statfast
from statfast import DBSCAN, HDBSCAN, linkage
from statfast.cluster.density import mutual_reachability
from tests.reference.condensed import condensed, core_distances, reachability


def blobs(n=300, d=2, seed=0, spread=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(5, d))[rng.integers(0, 5, n)] * 3 + spread * rng.normal(size=(n, d))


def cityblock(a, b):
    return np.abs(a - b).sum()


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
    for c, medoids in enumerate(zip(ours.medoids_, theirs.medoids_[order], strict=True)):
        members = ours.labels_ == c  # two medoids may be as good, up to rounding
        costs = cdist(medoids, X[members]) @ ours.probabilities_[members]
        assert costs[0] <= costs[1] * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_labels_of_the_package_hdbscan_without_ties(seed):
    """Its `min_samples` does not count the row itself, and its default tree is not exact."""
    package = pytest.importorskip("hdbscan")
    rng = np.random.default_rng(100 + seed)
    X = blobs(int(rng.integers(40, 300)), int(rng.integers(1, 14)), seed, rng.choice([0.4, 1.0]))
    size, method = int(rng.integers(3, 20)), ["eom", "leaf"][seed % 2]
    options = {"cluster_selection_method": method, "allow_single_cluster": seed % 3 == 0}
    ours = HDBSCAN(size, 2, **options).fit(X)
    theirs = package.HDBSCAN(size, 1, approx_min_span_tree=False, **options).fit(X)
    assert same_partition(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
    np.testing.assert_allclose(ours.outlier_scores_, theirs.outlier_scores_, atol=1e-9)


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


@pytest.mark.parametrize(
    "metric", ["euclidean", "manhattan", "precomputed", "cosine", "sqeuclidean", cityblock]
)
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
    if k == 1 and metric in ("euclidean", "cosine"):
        heights = linkage(X, "single", metric)[:, 2] / alpha
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


TREE_METRICS = {
    "manhattan": ({}, "cityblock"),
    "chebyshev": ({}, "chebyshev"),
    "minkowski, p=3": ({"p": 3}, "minkowski"),
    "minkowski, p=7": ({"p": 7}, "minkowski"),
}


@pytest.mark.parametrize("name", TREE_METRICS)
@pytest.mark.parametrize("d", [1, 3, 9, 14])
@pytest.mark.parametrize("alpha", [1.0, 1.3])
def test_trees_of_other_metrics_and_matrices_agree(name, d, alpha):
    params, of_scipy = TREE_METRICS[name]
    X = blobs(900, d, seed=d)
    X[:300] = np.round(X[:300])
    options = {"metric": name.split(",")[0], "metric_params": params, "alpha": alpha}
    by_rows = HDBSCAN(10, 6, **options).fit(X)
    by_matrix = HDBSCAN(10, 6, alpha=alpha, metric="precomputed").fit(
        cdist(X, X, of_scipy, **params)
    )
    np.testing.assert_allclose(
        by_rows.single_linkage_tree_[:, 2], by_matrix.single_linkage_tree_[:, 2], rtol=1e-9
    )
    again = HDBSCAN(10, 6, **options, n_jobs=7).fit(X)
    np.testing.assert_array_equal(again.single_linkage_tree_, by_rows.single_linkage_tree_)


@pytest.mark.parametrize("scale", [1e-80, 1e-45, 1e45, 1e80])
@pytest.mark.parametrize("p", [3, 7])
def test_powers_that_vanish_or_overflow(p, scale):
    X = blobs(80)
    options = {"metric": "minkowski", "metric_params": {"p": p}}
    one, other = (HDBSCAN(8, 4, **options).fit(X * factor) for factor in (1.0, scale))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(
        other.single_linkage_tree_[:, 2], one.single_linkage_tree_[:, 2] * scale, rtol=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [2, 12])
def test_neighbors_are_not_all_held(d, weighted, monkeypatch):
    """Of many neighbors, some are kept, and the core distance."""
    X = blobs(600, d)
    weight = np.random.default_rng(0).integers(1, 3, 600) if weighted else None
    monkeypatch.setattr(mutual_reachability, "MAX_LISTED", 600)
    held = HDBSCAN(10, 60).fit(X, sample_weight=weight)
    monkeypatch.setattr(mutual_reachability, "MAX_LISTED", 15)
    monkeypatch.setattr(mutual_reachability, "NUMBERS_AT_A_TIME", 4000)
    model = HDBSCAN(10, 60).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model._core, held._core)
    np.testing.assert_array_equal(model.single_linkage_tree_[:, 2], held.single_linkage_tree_[:, 2])


@pytest.mark.parametrize("kind", ["copies", "dense among sparse", "one beside"])
def test_many_columns_that_lists_do_not_decide(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 12))
    if kind == "copies":
        X = X[rng.integers(0, 4, 700)]
    elif kind == "dense among sparse":
        X[:200] *= 1e-3
    else:
        X[:-1] = X[0] + 1e-9 * X[:-1]
    by_rows, by_matrix = (
        HDBSCAN(10, 30, metric=metric).fit(rows)
        for metric, rows in (("euclidean", X), ("precomputed", cdist(X, X)))
    )
    np.testing.assert_allclose(
        by_rows.single_linkage_tree_[:, 2], by_matrix.single_linkage_tree_[:, 2], rtol=1e-6
    )


@pytest.mark.parametrize("metric", ["jaccard", "hamming"])
def test_prims_steps_in_threads(metric, monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, (400, 9)).astype(float)
    one = HDBSCAN(8, 4, metric=metric, n_jobs=1).fit(X)
    monkeypatch.setattr(mutual_reachability, "MIN_POINTS_OF_STEP", 64)
    monkeypatch.setattr(mutual_reachability, "EFFORT_OF_STEP", 1e9)
    many = HDBSCAN(8, 4, metric=metric, n_jobs=7).fit(X)
    np.testing.assert_array_equal(many.single_linkage_tree_, one.single_linkage_tree_)


@pytest.mark.parametrize("d", [2, 12])
@pytest.mark.parametrize("metric", ["euclidean", "hamming"])
def test_progress_is_told(metric, d):
    told = []
    statfast.set_progress(lambda done, total: told.append((done, total)))
    try:
        HDBSCAN(20, metric=metric).fit(blobs(3000, d))
    finally:
        statfast.set_progress(None)
    assert any(done == total for done, total in told)


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


# ---------- Weights
@pytest.mark.parametrize("kind", ["tree", "columns", "manhattan", "precomputed", "graph"])
@pytest.mark.parametrize("seed", range(6))
def test_a_weight_is_a_repeated_row(seed, kind):
    rng = np.random.default_rng(seed)
    X = blobs(80, 13 if kind == "columns" else 2, seed)
    X = np.round(2 * X) / 2 if seed % 2 else X
    weight = rng.integers(1, 8, 80)
    settings = {
        "min_cluster_size": int(rng.integers(2, 9)),
        "min_samples": int(rng.integers(1, 9)),
        "cluster_selection_method": ["eom", "leaf"][seed // 3],
        "allow_single_cluster": bool(seed % 2),
        "cluster_selection_epsilon": 0.3 * (seed % 3),
    }
    place = np.repeat(np.arange(80), weight)
    once, many = X, X[place]
    if kind in ("precomputed", "graph"):
        once = cdist(X, X)
        many = once[np.ix_(place, place)]
        settings["metric"] = "precomputed"
        if kind == "graph":
            once, many = stored(once), stored(many)
    elif kind == "manhattan":
        settings["metric"] = kind
    model = HDBSCAN(**settings).fit(once, sample_weight=weight)
    repeated = HDBSCAN(**settings).fit(many)
    assert same_partition(model.labels_[place], repeated.labels_)
    np.testing.assert_allclose(model.probabilities_[place], repeated.probabilities_, rtol=1e-9)
    np.testing.assert_allclose(model.outlier_scores_[place], repeated.outlier_scores_, atol=1e-9)
    np.testing.assert_allclose(model.cluster_persistence_, repeated.cluster_persistence_, rtol=1e-9)
    for cut in (0.0, 0.5, 1.0):
        a, b = model.dbscan_clustering(cut, 4), repeated.dbscan_clustering(cut, 4)
        assert same_partition(a[place], b)
    new = blobs(30, X.shape[1], seed + 100)
    again = new
    if kind in ("precomputed", "graph"):
        new = cdist(new, X)
        again = new[:, place]
    labels, shares = model.approximate_predict(new)
    wanted = repeated.approximate_predict(again)
    np.testing.assert_array_equal(labels, wanted[0])
    np.testing.assert_allclose(shares, wanted[1], rtol=1e-9)


def stored(D):
    """Distances as a sparse matrix that holds its zeros, but none of its diagonal."""
    rows, columns = np.nonzero(~np.eye(len(D), dtype=bool))
    return sparse.csr_array(sparse.coo_array((D[rows, columns], (rows, columns)), D.shape))


@pytest.mark.parametrize("kind", ["tree", "columns", "precomputed", "graph"])
def test_rows_without_weight_are_not_there_but_are_labeled(kind):
    X = blobs(200, 13 if kind == "columns" else 2)
    weight = np.random.default_rng(0).integers(0, 3, 200)
    rest = weight > 0
    data, part, new = X, X[rest], X[~rest]
    metric = "euclidean"
    if kind in ("precomputed", "graph"):
        data, metric = cdist(X, X), "precomputed"
        part, new = data[np.ix_(rest, rest)], data[np.ix_(~rest, rest)]
        if kind == "graph":
            data, part = stored(data), stored(part)
    model = HDBSCAN(metric=metric).fit(data, sample_weight=weight)
    alone = HDBSCAN(metric=metric).fit(part, sample_weight=weight[rest])
    np.testing.assert_array_equal(model.labels_[rest], alone.labels_)
    np.testing.assert_array_equal(model.probabilities_[rest], alone.probabilities_)
    labels, shares = alone.approximate_predict(new)
    np.testing.assert_array_equal(model.labels_[~rest], labels)
    np.testing.assert_array_equal(model.probabilities_[~rest], shares)
    assert np.isnan(model.outlier_scores_[~rest]).all()
    assert (model.dbscan_clustering(1.0)[~rest] == -1).all()


def test_fractions_of_weights_count():
    X = blobs(150)
    whole = HDBSCAN(6, 4).fit(X)
    halves = HDBSCAN(6, 4).fit(np.repeat(X, 2, axis=0), sample_weight=np.full(300, 0.5))
    np.testing.assert_array_equal(halves.labels_[::2], whole.labels_)
    np.testing.assert_allclose(halves.probabilities_[::2], whole.probabilities_, rtol=1e-9)


# ---------- Sparse rows, graphs, missing distances
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_are_those_rows(metric):
    X = np.where(np.random.default_rng(0).random((150, 6)) < 0.5, 0.0, blobs(150, 6) + 0.1)
    X[:, 0] += 1.0
    dense = HDBSCAN(metric=metric, store_centers="both").fit(X)
    model = HDBSCAN(metric=metric, store_centers="both").fit(sparse.csr_array(X))
    np.testing.assert_array_equal(model.labels_, dense.labels_)
    np.testing.assert_allclose(model.probabilities_, dense.probabilities_, rtol=1e-6)
    np.testing.assert_allclose(model.centroids_, dense.centroids_)
    np.testing.assert_array_equal(model.medoids_, dense.medoids_)
    new = X[:20] + 0.01
    for ours, theirs in zip(
        model.approximate_predict(sparse.csr_array(new)),
        dense.approximate_predict(new),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    np.testing.assert_allclose(
        model.membership_vector(sparse.csr_array(new)), dense.membership_vector(new), atol=1e-6
    )


@pytest.mark.parametrize("alpha", [1.0, 1.5])
def test_a_graph_is_a_table_whose_other_distances_are_infinite(alpha):
    X = np.concatenate([blobs(120), blobs(60) + 100.0])
    D = cdist(X, X)
    D[D > 2.0] = np.inf  # the second group, and some rows, are joined to nothing
    graph = sparse.csr_array(np.where(np.isinf(D), 0.0, D))
    for settings in ({}, {"min_samples": 20}, {"allow_single_cluster": True}):
        dense = HDBSCAN(alpha=alpha, metric="precomputed", **settings).fit(D)
        model = HDBSCAN(alpha=alpha, metric="precomputed", **settings).fit(graph)
        for name in ("labels_", "probabilities_", "outlier_scores_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(dense, name))
    assert np.isinf(dense.single_linkage_tree_[-1, 2])
    assert not set(dense.labels_[:120]) & set(dense.labels_[120:]) - {-1}


def test_a_graph_without_edges_is_noise():
    empty = sparse.csr_array((30, 30))
    for single in (False, True):
        model = HDBSCAN(metric="precomputed", allow_single_cluster=single).fit(empty)
        assert model.labels_.tolist() == [-1] * 30
        assert model.probabilities_.tolist() == [0.0] * 30


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (sparse.csr_array(np.triu(np.ones((9, 9)), 1)), "symmetric"),
        (sparse.csr_array(np.ones((9, 9))), "diagonal"),
        (sparse.csr_array(np.ones((9, 8))), "square"),
        (np.where(np.triu(np.ones((9, 9)), 1) > 0, np.inf, 0.0), "symmetric"),
        (np.full((9, 9), np.nan), "NaN"),
    ],
)
def test_wrong_distances_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(metric="precomputed").fit(X)


# ---------- New rows
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
@pytest.mark.parametrize("seed", range(6))
def test_new_rows_join_where_the_definition_says(seed, metric):
    rng = np.random.default_rng(seed)
    X, new = blobs(90, 2, seed), blobs(60, 2, seed, spread=1.5)
    name = "cityblock" if metric == "manhattan" else "euclidean"
    D, across, k = cdist(X, X, name), cdist(new, X, name), int(rng.integers(1, 9))
    model = HDBSCAN(5, k, metric=metric).fit(D if metric == "precomputed" else X)
    labels, shares = model.approximate_predict(across if metric == "precomputed" else new)
    core = core_distances(D, k)
    own = np.sort(across, axis=1)[:, k - 2] if k > 1 else np.zeros(60)
    reach = np.maximum(np.maximum(across, own[:, None]), core)
    least = reach.min(axis=1)
    first = np.where(reach == least[:, None], across, np.inf).argmin(axis=1)
    heights = model.single_linkage_tree_
    for i in range(60):
        # The rows that are one with that row at this height: all those of a cluster, or noise.
        part = members_at(heights, first[i], least[i])
        inside = set(model.labels_[part]) - {-1}
        if len(part) >= 5 and len(inside) == 1 and len(inside & set(model.labels_[first[[i]]])):
            assert labels[i] == model.labels_[first[i]]
        if len(inside) > 1:
            assert labels[i] == -1
    assert ((shares > 0) == (labels >= 0)).all()
    assert (shares <= 1).all()
    again, _ = model.approximate_predict(D if metric == "precomputed" else X)
    assert (again == model.labels_).mean() > 0.9


def members_at(Z, row, height):
    """The rows that merges up to a height join with one."""
    n = len(Z) + 1
    sets = {i: {i} for i in range(n)}
    for i, (a, b, h, _) in enumerate(Z):
        if h > height:
            break
        sets[n + i] = sets.pop(int(a)) | sets.pop(int(b))
    return sorted(next(s for s in sets.values() if row in s))


def test_new_rows_by_hand():
    X = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])[:, None]
    model = HDBSCAN(3, 2).fit(X)
    labels, shares = model.approximate_predict([[2.5], [6.0], [14.0], [1.0]])
    assert labels.tolist() == [0, 0, 1, 0]  # at 6 its core distance is 4, to the nearest row
    np.testing.assert_allclose(shares, [1.0, 0.25, 0.5, 1.0])
    assert model.approximate_predict([[60.0]])[0].tolist() == [-1]


def test_memberships_are_shares_of_what_is_likely():
    X = blobs(300)
    model = HDBSCAN(15).fit(X)
    new = np.concatenate([X[:100], [[50.0, 50.0]]])
    memberships = model.membership_vector(new)
    assert memberships.shape == (101, model.labels_.max() + 1)
    assert (memberships >= 0).all()
    assert (memberships.sum(axis=1) <= 1 + 1e-9).all()
    inside = model.labels_[:100] >= 0
    most = memberships[:100].argmax(axis=1)
    assert (most[inside] == model.labels_[:100][inside]).all()
    assert memberships[100].sum() < memberships[:100][inside].sum(axis=1).min()


def test_memberships_by_hand():
    """Two clusters that part at 8, all of whose rows are densest; a new row joins the first."""
    X = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])[:, None]
    memberships = HDBSCAN(3, 2).fit(X).membership_vector([[4.0]])
    height = np.array([1 / 2, 1 / 8])
    score = np.exp(1 / (1 - height))
    closeness = np.array([1 / 2, 1 / 6])
    wanted = np.sqrt(closeness / closeness.sum()) * (score / score.sum()) ** 2
    np.testing.assert_allclose(memberships[0], wanted / wanted.sum() / 2, rtol=1e-7)


def test_new_rows_are_checked():
    model = HDBSCAN().fit(blobs(60))
    for method in (model.approximate_predict, model.membership_vector):
        with pytest.raises(ValueError, match="features"):
            method(np.zeros((3, 5)))
        with pytest.raises(ValueError, match="NaN"):
            method([[np.nan, 1.0]])
    D = cdist(blobs(60), blobs(60))
    with pytest.raises(ValueError, match="membership_vector needs rows"):
        HDBSCAN(metric="precomputed").fit(D).membership_vector(D)


# ---------- Much of the same
def test_many_equal_rows():
    copies = np.concatenate([np.zeros((200_000, 2)), np.ones((100_000, 2)), [[9.0, 9.0]]])
    model = HDBSCAN(10).fit(copies)
    assert model.labels_[[0, 199_999, 200_000, -1]].tolist() == [0, 0, 1, -1]
    assert len(np.unique(model.labels_)) == 3
    assert (model.probabilities_[:-1] == 1.0).all()
