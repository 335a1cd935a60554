# SPDX-License-Identifier: BSD-3-Clause
"""Forests: their trees, rows left out, importances, proximities, quantiles, standard errors."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csc_array

from statfast import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from statfast._engine import blocks
from statfast.ensemble.forest.bootstrap import drawn_counts
from tests.data import interaction

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]


def classes(y):
    return np.array(["a", "b", "c"])[np.digitize(y, [-0.7, 0.7])]


# ------------------------------------------------------------------ trees
@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("params", [{}, {"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}], ids=str)
def test_a_forest_is_the_mean_of_its_trees(kind, params):
    X, y = interaction()
    y = classes(y) if kind in CLASSIFIERS else y
    model = kind(7, random_state=1, **params).fit(X, y)
    ask = "predict_proba" if kind in CLASSIFIERS else "predict"
    trees = model.estimators_
    said = np.mean([getattr(tree, ask)(X) for tree in trees], axis=0)
    np.testing.assert_allclose(getattr(model, ask)(X), said, rtol=1e-12, atol=1e-14)
    assert model.apply(X).shape == (400, 7)
    assert len({tree.tree_.threshold[0] for tree in trees}) > 1
    mean = np.mean([tree.feature_importances_ for tree in trees], axis=0)
    np.testing.assert_allclose(model.feature_importances_, mean / mean.sum(), atol=1e-12)


CRITERIA = [
    (RandomForestClassifier, "gini"), (RandomForestClassifier, "entropy"),
    (ExtraTreesClassifier, "log_loss"), (RandomForestRegressor, "squared_error"),
    (RandomForestRegressor, "friedman_mse"), (RandomForestRegressor, "poisson"),
    (RandomForestRegressor, "absolute_error"), (ExtraTreesRegressor, "squared_error"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "criterion"), CRITERIA)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("params", [
    {}, {"max_depth": 4}, {"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}, {"bootstrap": False},
    {"monotonic_cst": [1, 0, 0, 0, -1]}, {"categorical_features": [3]},
], ids=str)  # fmt: skip
def test_statistics_of_the_nodes_of_members(kind, criterion, several, params):
    """Beside those of the definition, from the rows that pass each node."""
    X, y = interaction(150)
    X[:, 3] = np.round(2 * X[:, 3]) % 4
    weight = np.random.default_rng(1).integers(1, 4, 150).astype(float)
    y = classes(y) if kind in CLASSIFIERS else np.round(np.exp(y)) if criterion == "poisson" else y
    y = np.column_stack([y, y[::-1]]) if several else y
    medians = criterion == "absolute_error"
    if "monotonic_cst" in params and (several or medians or kind in CLASSIFIERS):
        pytest.skip("monotonic splits are of one number")
    if "categorical_features" in params and (several or medians):
        pytest.skip("categories are split by one output")
    model = kind(2, criterion=criterion, random_state=0, **params).fit(X, y, weight)
    table = y.reshape(150, -1)
    for member, counts in zip(model.estimators_, model._in_bag(), strict=True):
        tree = member.tree_
        # Weights are chances of the draw, or else those of rows.
        drawn = counts if model.bootstrap else weight
        reached = np.asarray(member.decision_path(X).todense())[counts > 0]
        np.testing.assert_array_equal(tree.n_node_samples, reached.sum(axis=0))
        w, used = drawn[counts > 0], table[counts > 0]
        np.testing.assert_allclose(tree.weighted_n_node_samples, reached.T @ w, rtol=1e-12)
        for node in range(0, tree.node_count, 7):
            here = reached[:, node] > 0
            parts = [
                impurity_of(used[here, k], w[here], criterion, model) for k in range(table.shape[1])
            ]
            want = np.mean([part[0] for part in parts])
            np.testing.assert_allclose(tree.impurity[node], want, rtol=1e-9, atol=1e-12)
            if "monotonic_cst" not in params:
                for k, (_, value) in enumerate(parts):
                    got = tree.value[node, k, : len(np.atleast_1d(value))]
                    np.testing.assert_allclose(got, value, rtol=1e-9, atol=1e-12)


def impurity_of(y, weight, criterion, model):
    """The impurity of a node, and its value."""
    share = weight / weight.sum()
    if criterion in ("gini", "entropy", "log_loss"):
        labels = model.classes_ if not isinstance(model.classes_, list) else model.classes_[0]
        p = np.array([share[y == label].sum() for label in labels])
        logs = np.where(p > 0, p * np.log2(np.where(p > 0, p, 1.0)), 0.0)
        return (1 - (p**2).sum() if criterion == "gini" else -logs.sum()), p
    if criterion == "absolute_error":
        order = np.argsort(y)
        total = np.cumsum(weight[order])
        first = np.searchsorted(total, total[-1] / 2)
        last = np.searchsorted(total, total[-1] / 2, side="right")
        median = (y[order][first] + y[order][min(last, len(y) - 1)]) / 2
        return share @ np.abs(y - median), median
    mean = share @ y
    if criterion == "poisson":
        logs = np.where(y > 0, y * np.log(np.where(y > 0, y / mean, 1.0)), 0.0)
        return share @ logs, mean
    return share @ (y - mean) ** 2, mean


def test_a_member_answers_rows_by_its_structure():
    X, y = interaction(200)
    for kind, target in ((RandomForestClassifier, classes(y)), (RandomForestRegressor, y)):
        member = kind(1, random_state=0).fit(X, target).estimators_[0]
        tree = member.tree_
        np.testing.assert_array_equal(tree.apply(X), member.apply(X))
        np.testing.assert_array_equal(tree.apply(csc_array(X)), member.apply(X))
        expected = member.predict(X)[:, None]
        if kind is RandomForestClassifier:
            expected = member.predict_proba(X)
        np.testing.assert_array_equal(tree.predict(X), expected)
        assert (tree.decision_path(X) != member.decision_path(X)).nnz == 0
        assert tree.compute_node_depths().max() == member.get_depth() + 1
        with pytest.raises(ValueError, match="X has 2 features, but the tree is expecting 5"):
            tree.apply(X[:, :2])


@pytest.mark.parametrize("classify", [True, False])
def test_a_tree_of_a_forest_is_the_tree_on_its_sample(classify):
    X, y = interaction(300)
    y = classes(y) if classify else y
    kind = RandomForestClassifier if classify else RandomForestRegressor
    one = DecisionTreeClassifier if classify else DecisionTreeRegressor
    model = kind(4, max_features=None, min_samples_leaf=5, random_state=0)
    model.fit(X, y)
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        assert len(rows) == 300
        weight = np.bincount(rows, minlength=300).astype(float)
        own = one(min_samples_leaf=5).fit(X, y, sample_weight=weight)
        assert tree.tree_.node_count == own.tree_.node_count
        np.testing.assert_allclose(tree.tree_.threshold[0], own.tree_.threshold[0])
        assert np.mean(tree.apply(X) == own.apply(X)) > 0.9  # ties go by the order of the draw


@pytest.mark.parametrize("leaves", [None, 25])
@pytest.mark.parametrize("classify", [True, False])
def test_leaves_and_paths_are_scikit_learns(classify, leaves):
    """On equal trees: grown on all rows and columns, without ties, and numbers of float32."""
    theirs = pytest.importorskip("sklearn.ensemble")
    X, y = interaction(800)
    X = X.astype(np.float32)
    y = classes(y) if classify else y
    kind = RandomForestClassifier if classify else RandomForestRegressor
    grow = {"bootstrap": False, "max_features": None, "max_leaf_nodes": leaves}
    grow |= {"min_samples_leaf": 40, "random_state": 0}  # few ties of gains
    twin = getattr(theirs, kind.__name__)(3, **grow).fit(X, y)
    model = kind(3, **grow).fit(X, y)
    rows = interaction(40, seed=1)[0].astype(np.float32)
    np.testing.assert_array_equal(model.apply(rows), twin.apply(rows))
    path, begin = model.decision_path(rows)
    want, wanted = twin.decision_path(rows)
    np.testing.assert_array_equal(begin, wanted)
    assert path.shape == want.shape
    assert (path != want).nnz == 0
    trees = model.estimators_
    for layout in (np.asfortranarray(rows), rows[::-1][::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
        own = np.column_stack([tree.apply(layout) for tree in trees])
        np.testing.assert_array_equal(model.apply(layout), own)
        paths = [tree.decision_path(layout) for tree in trees]
        assert (model.decision_path(layout)[0] != sparse.hstack(paths)).nnz == 0


@pytest.mark.parametrize("ask", ["apply", "decision_path"])
def test_paths_of_bad_rows(ask):
    X, y = interaction(60)
    model = RandomForestRegressor(2, random_state=0)
    with pytest.raises(ValueError, match="not fitted"):
        getattr(model, ask)(X)
    model.fit(X, y)
    with pytest.raises(ValueError, match="X"):
        getattr(model, ask)(X[:, :2])


@pytest.mark.once
@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_forests_are_as_good_as_scikit_learns(kind):
    theirs = pytest.importorskip("sklearn.ensemble")
    ours, other = [], []
    for seed in range(5):
        X, y = interaction(600, seed=seed)
        Z, z = interaction(1000, seed=100 + seed)
        y, z = (classes(y), classes(z)) if kind in CLASSIFIERS else (y, z)
        ours.append(kind(40, random_state=seed).fit(X, y).score(Z, z))
        twin = getattr(theirs, kind.__name__)(40, random_state=seed).fit(X, y)
        other.append(twin.score(Z, z))
    assert abs(np.mean(ours) - np.mean(other)) < 0.02


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_same_forest_on_any_number_of_threads(kind, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, y = interaction(1000)
    y = classes(y) if kind in CLASSIFIERS else y
    models = [
        kind(25, bootstrap=True, oob_score=True, random_state=3, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2, 7)
    ]
    ask = "predict_proba" if kind in CLASSIFIERS else "predict"
    for model in models[1:]:
        assert getattr(model, ask)(X).tobytes() == getattr(models[0], ask)(X).tobytes()
        assert model.oob_score_ == models[0].oob_score_
        assert (model.proximities(X[:40]) == models[0].proximities(X[:40])).all()


def test_warm_start_adds_the_trees_of_the_larger_forest():
    X, y = interaction()
    grown = RandomForestRegressor(4, random_state=2, warm_start=True).fit(X, y)
    first = grown.estimators_[0].tree_
    grown.set_params(n_estimators=9).fit(X, y)
    whole = RandomForestRegressor(9, random_state=2).fit(X, y)
    assert grown.predict(X).tobytes() == whole.predict(X).tobytes()
    assert grown.estimators_[0].tree_.node_count == first.node_count
    with pytest.warns(UserWarning, match="n_estimators has not grown"):
        grown.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators must be at least 9"):
        grown.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="X must have the shape of the fit before"):
        grown.set_params(n_estimators=12).fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="y must have as many outputs and classes"):
        grown.fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_warm_start_keeps_the_number_of_classes(kind):
    X, y = interaction(60)
    model = kind(2, random_state=0, warm_start=True).fit(X, y > 0)
    said = model.predict(X)
    for other in (np.column_stack([y > 0, y > 1]), np.digitize(y, [0, 1]), np.ones(60)):
        with pytest.raises(ValueError, match="y must have as many outputs and classes"):
            model.set_params(n_estimators=4).fit(X, other)
        np.testing.assert_array_equal(model.predict(X), said)
    assert len(model.fit(X, y > 0).estimators_) == 4


WARM = [
    (RandomForestClassifier, "n_estimators"), (ExtraTreesClassifier, "n_estimators"),
    (BaggingClassifier, "n_estimators"), (HistGradientBoostingClassifier, "max_iter"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), WARM)
def test_warm_start_keeps_the_labels(kind, name):
    """As many labels, but others: codes of the fit before would stand for them."""
    X, y = interaction(60)
    y = np.digitize(y, [-0.5, 0.5])
    model = kind(**{name: 2}, random_state=0, warm_start=True).fit(X, y)
    said = model.predict(X)
    model.set_params(**{name: 4})
    for other in (y + 5, np.array(["a", "b", "c"])[y]):
        with pytest.raises(
            ValueError, match=r"labels of the fit before with warm_start \(\[0, 1, 2"
        ):
            model.fit(X, other)
        np.testing.assert_array_equal(model.predict(X), said)
    assert model.fit(X, y.astype(float)).score(X, y) > 0.5
    assert model.set_params(warm_start=False).fit(X, y + 5).classes_.tolist() == [5, 6, 7]


def test_warm_start_keeps_the_labels_of_each_output():
    X, y = interaction(60)
    both = np.column_stack([y > 0, y > 1]).astype(int)
    model = RandomForestClassifier(2, warm_start=True).fit(X, both)
    model.set_params(n_estimators=3)
    with pytest.raises(ValueError, match=r"warm_start \(\[0, 1\]\); got \[3, 4\]"):
        model.fit(X, both + np.array([0, 3]))
    assert len(model.fit(X, both).estimators_) == 3


def test_warm_start_of_bagging_keeps_the_number_of_labels():
    X, y = interaction(60)
    model = BaggingClassifier(n_estimators=2, warm_start=True).fit(X, np.digitize(y, [0, 1]))
    with pytest.raises(ValueError, match="y must have the labels of the fit before"):
        model.set_params(n_estimators=4).fit(X, y > 0)


def test_a_fitted_forest_is_small():
    X, y = interaction(2000)
    model = RandomForestClassifier(20, random_state=0).fit(X, y > 0)
    nodes = sum(tree.tree_.node_count for tree in model.estimators_)
    data = pickle.dumps(model)
    assert len(data) < (16 + 8 + 6 + 4) * nodes + 1500 * 20
    assert pickle.loads(data).predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


# ------------------------------------------------------------------ samples
def test_a_bootstrap_holds_632_of_thousand_rows():
    X, y = interaction(1000)
    model = RandomForestRegressor(60, max_depth=1, random_state=0).fit(X, y)
    share = np.mean([len(np.unique(rows)) / 1000 for rows in model.estimators_samples_])
    assert share == pytest.approx(1 - (1 - 1 / 1000) ** 1000, abs=0.005)


def test_weights_are_chances_and_max_samples_counts():
    X, y = interaction(200)
    w = np.zeros(200)
    w[:50] = 1
    w[0] = 50
    model = RandomForestRegressor(20, max_samples=100, random_state=0).fit(X, y, sample_weight=w)
    rows = np.concatenate(model.estimators_samples_)
    assert len(rows) == 2000
    assert rows.max() < 50
    assert np.mean(rows == 0) == pytest.approx(50 / 99, abs=0.05)
    half = RandomForestRegressor(2, max_samples=0.5, random_state=0).fit(X, y)
    assert [len(rows) for rows in half.estimators_samples_] == [100, 100]
    with pytest.raises(ValueError, match="max_samples needs samples"):
        ExtraTreesRegressor(2, max_samples=0.5).fit(X, y)


@pytest.mark.parametrize("weight", ["balanced", "balanced_subsample", {"a": 5.0}])
def test_class_weights_move_predictions(weight):
    X, y = interaction(500)
    y = np.where(y > 1.2, "a", "b")
    plain = RandomForestClassifier(30, min_samples_leaf=20, random_state=0).fit(X, y)
    model = RandomForestClassifier(30, min_samples_leaf=20, random_state=0, class_weight=weight)
    model.fit(X, y)
    assert np.mean(model.predict(X) == "a") > np.mean(plain.predict(X) == "a")


# ------------------------------------------------------------------ rows left out
def test_out_of_bag_predictions_are_those_of_trees_that_have_not_seen_the_row():
    X, y = interaction(120)
    model = RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y)
    said = np.zeros((30, 120))
    unseen = np.ones((30, 120), bool)
    pairs = zip(model.estimators_, model.estimators_samples_, strict=True)
    for t, (tree, rows) in enumerate(pairs):
        said[t], unseen[t, rows] = tree.predict(X), False
    want = (said * unseen).sum(axis=0) / unseen.sum(axis=0)
    np.testing.assert_allclose(model.oob_prediction_, want)
    residual = ((y - want) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert model.oob_score_ == pytest.approx(1 - residual)
    mean_error = RandomForestRegressor(
        30, oob_score=lambda true, said: np.abs(true - said).max(), random_state=0
    ).fit(X, y)
    assert mean_error.oob_score_ == np.abs(y - want).max()


def test_rows_that_all_trees_have_seen_are_nan():
    X, y = interaction(60)
    with pytest.warns(UserWarning, match="rows are in the samples of all trees"):
        model = RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, classes(y))
    lost = np.isnan(model.oob_decision_function_).all(axis=1)
    both = set(model.estimators_samples_[0]) & set(model.estimators_samples_[1])
    assert set(np.flatnonzero(lost)) == both
    assert 0 < model.oob_score_ < 1
    with pytest.raises(ValueError, match="oob_score needs rows left out"):
        ExtraTreesClassifier(2, oob_score=True).fit(X, classes(y))


def test_several_outputs():
    X, y = interaction(200)
    Y = np.column_stack([classes(y), np.where(X[:, 1] > 0, "p", "q")])
    model = RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (200, 2)
    assert [p.shape for p in model.predict_proba(X)] == [(200, 3), (200, 2)]
    assert model.oob_decision_function_.shape == (200, 3, 2)
    assert model.score is not None
    assert np.mean(model.predict(X) == Y) > 0.95
    both = RandomForestRegressor(20, oob_score=True, random_state=0).fit(X, X[:, :2])
    assert both.predict(X).shape == both.oob_prediction_.shape == (200, 2)


# ------------------------------------------------------------------ importances
@pytest.mark.parametrize("classify", [True, False])
def test_importances_find_the_columns_that_matter(classify):
    X, y = interaction(800)
    X[:, 3] = np.rint(X[:, 3])  # few values; column 4 has many
    y = classes(y) if classify else y
    kind = RandomForestClassifier if classify else RandomForestRegressor
    model = kind(60, random_state=0).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.tree_importances_.shape == (60, 5)
    unbiased = model.unbiased_importances(X, y)
    permuted, errors = model.permutation_importances(X, y, random_state=0)
    for found in (model.feature_importances_, unbiased, permuted):
        assert found[:3].min() > 2 * np.abs(found[3:]).max()
    assert np.abs(permuted[3:]).max() < 4 * errors[3:].max()
    # Impurity favors many values; what is unbiased does not.
    assert model.feature_importances_[4] > 1.1 * model.feature_importances_[3]
    assert np.abs(unbiased[3:]).max() < 0.05 * unbiased[0]
    with pytest.raises(ValueError, match="X must be the rows of the fit"):
        model.unbiased_importances(X[:9], y[:9])


def test_unbiased_importances_by_their_definition():
    X, y = interaction(60)
    model = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    centered = y - y.mean()
    want = np.zeros(5)
    pairs = zip(model.estimators_, model.estimators_samples_, strict=True)
    for tree, rows in pairs:
        out = np.setdiff1d(np.arange(60), rows)
        value = tree.tree_.value[:, 0, 0]
        for i in out:
            path = tree.decision_path(X[i : i + 1]).indices
            for node, after in pairwise(path):
                change = value[after] - value[node]
                want[tree.tree_.feature[node]] += change * centered[i] / len(out) / 3
    np.testing.assert_allclose(model.unbiased_importances(X, y), want, atol=1e-12)


# ------------------------------------------------------------------ proximities, quantiles, errors
def test_proximities_count_common_leaves():
    X, y = interaction(80)
    model = RandomForestRegressor(15, min_samples_leaf=5, random_state=0).fit(X, y)
    leaves = model.apply(X)
    want = (leaves[:, None] == leaves[None]).mean(axis=2)
    np.testing.assert_allclose(model.proximities(X), want)
    np.testing.assert_allclose(model.proximities(X[:9], X), want[:9])
    unseen = np.ones((15, 80), bool)
    for t, rows in enumerate(model.estimators_samples_):
        unseen[t, rows] = False
    both = unseen[:, :, None] & unseen[:, None]
    same = (leaves.T[:, :, None] == leaves.T[:, None]) & both
    with np.errstate(invalid="ignore"):
        want = same.sum(axis=0) / both.sum(axis=0)
    np.testing.assert_allclose(model.proximities(X, left_out=True), want)
    with pytest.raises(ValueError, match="left_out is for the rows of the fit"):
        model.proximities(X[:9], left_out=True)


def test_quantiles_by_their_definition():
    X, y = interaction(90)
    model = RandomForestRegressor(12, min_samples_leaf=4, random_state=0, store_leaves=True)
    model.fit(X, y)
    leaves = model.apply(X)
    order = np.argsort(y)
    quantiles = [0.0, 0.1, 0.5, 0.99, 1.0]
    got = model.predict_quantiles(X, quantiles)
    for i in range(90):
        same = leaves == leaves[i]
        weight = (same / same.sum(axis=0)).mean(axis=1)[order]
        total = np.cumsum(weight)
        for j, q in enumerate(quantiles):
            reached = (total >= q - 1e-9) & (weight > 0)
            assert got[i, j] == y[order][reached.argmax() if reached.any() else -1]
    with pytest.raises(ValueError, match="quantiles must ascend"):
        model.predict_quantiles(X, [0.5, 0.1])
    with pytest.raises(ValueError, match="store_leaves=True"):
        RandomForestRegressor(2).fit(X, y).predict_quantiles(X)


def test_standard_errors_by_their_definition():
    X, y = interaction(50)
    model = RandomForestRegressor(200, random_state=0).fit(X, y)
    counts = np.array([np.bincount(rows, minlength=50) for rows in model.estimators_samples_])
    said = np.array([tree.predict(X[:5]) for tree in model.estimators_])
    cov = (counts - counts.mean(axis=0)).T @ (said - said.mean(axis=0)) / 200
    want = (cov**2).sum(axis=0) - 50 / 200 * said.var(axis=0)
    np.testing.assert_allclose(model.standard_errors(X[:5]), np.sqrt(np.maximum(want, 0)))
    with pytest.raises(ValueError, match="bootstrap=False"):
        ExtraTreesRegressor(2).fit(X, y).standard_errors(X)


# ------------------------------------------------------------------ bad input
def test_sparse_rows_have_no_unbiased_importances():
    X, y = interaction(40)
    for model, target in ((RandomForestRegressor(3), y), (RandomForestClassifier(3), y > 0)):
        model.fit(X, target)
        with pytest.raises(TypeError, match="X must be dense"):
            model.unbiased_importances(sparse.csr_array(X), target)


@pytest.mark.parametrize("size", [2**62, 2.0**70])
def test_samples_beyond_memory_are_refused(size):
    X, y = interaction(40)
    model = RandomForestRegressor(2, max_samples=size)
    with pytest.raises((MemoryError, ValueError), match="max_samples"):
        model.fit(X, y)


@pytest.mark.parametrize("labels", [["a"] * 40, [7] * 40, [None] * 40])
def test_labels_that_the_fit_has_not_seen(labels):
    X, y = interaction(40)
    model = RandomForestClassifier(3, random_state=0).fit(X, y > 0)
    with pytest.raises(ValueError, match=r"^y (holds|contains)"):
        model.unbiased_importances(X, labels)


def test_targets_of_another_number_of_outputs():
    X, y = interaction(40)
    model = RandomForestRegressor(3, random_state=0).fit(X, y)
    for ask in (model.unbiased_importances, model.permutation_importances, model.out_of_bag_errors):
        with pytest.raises(ValueError, match=r"y must have 1 output\(s\), as at fit; got 2"):
            ask(X, np.column_stack([y, y]))


def test_squared_errors_that_overflow():
    X, y = interaction(40)
    model = RandomForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="y holds values so large that squared errors overflow"):
        model.permutation_importances(X, y * 1e200)


def test_the_estimator_of_a_forest_is_an_unfitted_tree():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = ExtraTreesRegressor(3, max_depth=2, random_state=0).fit(X, X[:, 0])
    assert type(model.estimator_) is type(model.estimators_[0])
    assert model.estimator_.max_depth == 2
    assert model.estimator_.splitter == "random"
    assert not model.estimator_.__sklearn_is_fitted__()
    assert not hasattr(ExtraTreesRegressor(), "estimator_")


def test_unbiased_importances_need_rows_left_out():
    X, y = interaction()[:2]
    model = RandomForestClassifier(3, bootstrap=False, random_state=0).fit(X, y > np.median(y))
    with pytest.raises(ValueError, match="bootstrap"):
        model.unbiased_importances(X, y > np.median(y))


def test_the_last_row_is_drawn_like_all_others():
    # Twice as likely as each of the others, for its weight.
    weight = np.array([1.0, 1.0, 1.0, 2.0])
    chances = np.cumsum(weight)
    counts = sum(drawn_counts(key, 4, 4, chances) for key in range(2000))
    np.testing.assert_allclose(counts / counts.sum(), weight / 5, atol=0.02)
