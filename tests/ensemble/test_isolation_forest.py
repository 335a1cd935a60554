# SPDX-License-Identifier: BSD-3-Clause
"""Isolation forests: the definition of trees and scores, planted outliers, and a peer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.ensemble import IsolationForest as PeerForest

from statfast.ensemble import IsolationForest
from statfast.ensemble.forest import isolation_forest
from statfast.ensemble.forest.isolation_forest import mean_path_length, quantile
from tests.reference.isolation import isolation_scores, mean_splits


def cloud(seed, n=300, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[-5:] = rng.choice([-9.0, 9.0], (5, p))
    return X


def test_mean_path_lengths_are_those_of_the_paper():
    np.testing.assert_array_equal(mean_path_length([0, 1, 2]), [0.0, 0.0, 1.0])
    for n in (3, 10, 256):
        assert mean_path_length(n) == pytest.approx(mean_splits(n), rel=1e-14)
    # Simulated: the depth of a search that fails in a binary search tree of n keys, about.
    assert mean_path_length(256) == pytest.approx(10.24, abs=0.01)


@given(
    st.integers(0, 1000), st.sampled_from([1, 2, 3, 40, 300]), st.sampled_from([1, 4]),
    st.sampled_from([0.0, 0.1]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_scores_are_those_of_the_definition(seed, n, p, missing, bootstrap, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p)).astype(float) if ties else rng.normal(size=(n, p))
    X[rng.random((n, p)) < missing] = np.nan
    features = max(1, p // 2)
    model = IsolationForest(7, max_features=features, bootstrap=bootstrap, random_state=seed)
    scores = model.fit(X).score_samples(X)
    trees = [tree.tree_ for tree in model.estimators_]
    expected = isolation_scores(trees, model.estimators_features_, X, model.max_samples_)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_trees_are_grown_as_the_paper_says(bootstrap):
    X = cloud(1, 500, 4)
    model = IsolationForest(
        20, max_samples=64, max_features=3, bootstrap=bootstrap, random_state=0
    ).fit(X)
    assert model.max_samples_ == 64
    for tree, rows, columns in zip(
        model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True
    ):
        assert len(rows) == 64
        assert bootstrap or len(np.unique(rows)) == 64
        assert len(np.unique(columns)) == 3
        assert tree.get_depth() <= 6
        sample = X[np.unique(rows)][:, columns]
        path = tree.decision_path(sample).toarray().astype(bool)
        structure = tree.tree_
        assert structure.weighted_n_node_samples[0] == 64
        for node in range(structure.node_count):
            values = sample[path[:, node]]
            column, threshold = structure.feature[node], structure.threshold[node]
            if column < 0:
                assert len(values) == 1 or structure.depth[node] == 6
            else:
                assert values[:, column].min() <= threshold < values[:, column].max()


def test_columns_and_thresholds_are_uniform():
    X = np.column_stack([np.repeat([0.0, 1.0], 50), np.repeat([0.0, 100.0], 50), np.zeros(100)])
    trees = IsolationForest(3000, random_state=0).fit(X).estimators_
    column = np.array([tree.tree_.feature[0] for tree in trees])
    threshold = np.array([tree.tree_.threshold[0] for tree in trees])
    assert set(column) == {0, 1}  # the third does not vary
    assert abs((column == 0).mean() - 0.5) < 0.05
    for scale, values in ((1.0, threshold[column == 0]), (100.0, threshold[column == 1])):
        assert np.histogram(values, 5, (0, scale))[0] == pytest.approx(300, abs=75)


@pytest.mark.parametrize("kind", ["dense", "sparse", "missing"])
def test_planted_outliers_have_the_lowest_scores(kind):
    X = cloud(2)
    if kind == "missing":
        X[:50, 0] = np.nan
    rows = sparse.csr_array(X) if kind == "sparse" else X
    model = IsolationForest(200, contamination=5 / 300, random_state=0).fit(rows)
    assert set(np.argsort(model.score_samples(rows))[:5]) == set(range(295, 300))
    assert (model.predict(rows) == -1).sum() == 5
    np.testing.assert_array_equal(
        model.fit_predict(rows), np.where(model.decision_function(rows) < 0, -1, 1)
    )


def test_categories_are_split_into_two_sets():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 90, 400), rng.normal(size=400)])
    X[7, 1] = 12.0
    model = IsolationForest(60, categorical_features=[0], max_features=1, random_state=1).fit(X)
    assert model.score_samples(X).argmin() == 7
    assert model.is_categorical_.tolist() == [True, False]
    assert {len(tree.is_categorical_ if tree.is_categorical_ is not None else [0])
            for tree in model.estimators_} == {1}  # fmt: skip


def test_sparse_rows_have_the_scores_of_dense_rows():
    rng = np.random.default_rng(4)
    X = np.where(rng.random((400, 20)) < 0.2, rng.normal(size=(400, 20)), 0.0)
    for features in (1.0, 5):
        dense, own = (IsolationForest(30, max_features=features, random_state=0).fit(rows)
                      for rows in (X, sparse.csc_array(X)))  # fmt: skip
        np.testing.assert_array_equal(dense.score_samples(X), own.score_samples(X))
        np.testing.assert_array_equal(own.score_samples(sparse.coo_array(X)), own.score_samples(X))


@pytest.mark.parametrize("kind", ["dense", "gaps", "sparse", "float32"])
@pytest.mark.parametrize("bootstrap", [False, True])
def test_ranks_shared_by_all_trees_are_those_of_each(monkeypatch, kind, bootstrap):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(500, 6)).round(1)
    if kind == "gaps":
        X[rng.random(X.shape) < 0.1] = np.nan
    rows = {"sparse": sparse.csr_array(np.where(X > 1, X, 0.0)), "float32": X.astype(np.float32)}
    rows = rows.get(kind, X)
    weights = rng.integers(0, 3, 500).astype(np.float64)
    models = []
    for draws in (isolation_forest.MIN_DRAWS_PER_ROW, np.inf):
        monkeypatch.setattr(isolation_forest, "MIN_DRAWS_PER_ROW", draws)
        models.append(IsolationForest(40, bootstrap=bootstrap, random_state=0))
        models[-1].fit(rows, sample_weight=weights)
    shared, each = models
    np.testing.assert_array_equal(shared.score_samples(rows), each.score_samples(rows))
    for a, b in zip(shared.estimators_, each.estimators_, strict=True):
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_threads(dtype):
    X = cloud(5, 2000).astype(dtype)
    scores = [
        IsolationForest(23, random_state=3, n_jobs=jobs).fit(X).score_samples(X)
        for jobs in (1, 2, 7)
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


def test_scores_rank_rows_as_the_peer_does():
    X = cloud(6, 600, 4)
    own = np.mean([IsolationForest(300, random_state=k).fit(X).score_samples(X)
                   for k in range(4)], axis=0)  # fmt: skip
    peer = np.mean([PeerForest(n_estimators=300, random_state=k).fit(X).score_samples(X)
                    for k in range(4)], axis=0)  # fmt: skip
    assert spearmanr(own, peer).statistic > 0.99
    np.testing.assert_allclose(own.mean(), peer.mean(), atol=0.01)
    np.testing.assert_allclose(own[-5:].mean(), peer[-5:].mean(), atol=0.02)


def test_rows_without_weight_are_not_drawn_and_heavy_ones_often():
    X = cloud(7, 100)
    weight = np.ones(100)
    weight[:50], weight[99] = 0.0, 20.0
    model = IsolationForest(50, max_samples=20, bootstrap=True, random_state=0)
    drawn = np.concatenate(model.fit(X, sample_weight=weight).estimators_samples_)
    assert drawn.min() >= 50
    assert abs((drawn == 99).mean() - 20 / 69) < 0.06
    same = IsolationForest(9, random_state=0).fit(X, sample_weight=np.full(100, 3.0))
    np.testing.assert_array_equal(
        same.score_samples(X), IsolationForest(9, random_state=0).fit(X).score_samples(X)
    )


def test_quantiles_count_rows_by_weight():
    scores, weight = np.array([3.0, 1.0, 2.0, 9.0]), np.array([2.0, 1.0, 3.0, 0.0])
    for share in (0.01, 0.2, 0.37, 0.5):
        repeated = np.repeat(scores, weight.astype(int))
        assert quantile(scores, weight, share) == pytest.approx(np.quantile(repeated, share))


def test_trees_are_added_to_those_there_are():
    X = cloud(8)
    whole = IsolationForest(12, random_state=0).fit(X)
    grown = IsolationForest(5, random_state=0, warm_start=True).fit(X)
    grown.set_params(n_estimators=12).fit(X)
    np.testing.assert_array_equal(grown.score_samples(X), whole.score_samples(X))
    with pytest.warns(UserWarning, match="has not grown"):
        grown.fit(X)
    with pytest.raises(ValueError, match="n_estimators must be at least 12"):
        grown.set_params(n_estimators=3).fit(X)
    with pytest.raises(ValueError, match="columns of the fit before"):
        grown.set_params(n_estimators=20).fit(X[:, :2])


def test_sizes_of_samples():
    X = cloud(9, 400)
    assert IsolationForest(1).fit(X).max_samples_ == 256
    assert IsolationForest(1).fit(X[:9]).max_samples_ == 9
    assert IsolationForest(1, max_samples=0.5).fit(X).max_samples_ == 200
    with pytest.warns(UserWarning, match="max_samples is 500"):
        assert IsolationForest(1, max_samples=500).fit(X).max_samples_ == 400
    with pytest.raises(ValueError, match="max_features"):
        IsolationForest(1, max_features=4).fit(X)
    np.testing.assert_array_equal(IsolationForest(3, max_samples=1).fit(X).score_samples(X), -0.5)
    assert IsolationForest(2).fit(X).estimator_.get_params()["splitter"] == "random"
