# SPDX-License-Identifier: BSD-3-Clause
"""Random forests on columns of categories: their trees, and what is asked of rows left out."""

import pickle

import numpy as np
import pytest

from statfast import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from tests.tree.test_categories import rows_of_nodes

KINDS = [(RandomForestClassifier, DecisionTreeClassifier),
         (RandomForestRegressor, DecisionTreeRegressor)]  # fmt: skip
HOLDS = {"categorical_features": [0, 2]}


def sample(n=400, seed=0, missing=False):
    """Two columns of categories, whose order says nothing, and two of numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 0], X[:, 2] = rng.integers(0, 70, n), rng.integers(0, 6, n)
    y = rng.normal(size=70)[X[:, 0].astype(int)] + X[:, 1] * (X[:, 2] % 2) + rng.normal(size=n) / 9
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def targets(kind, y):
    return np.digitize(y, [-0.7, 0.7]) if kind is RandomForestClassifier else y


def shares(model, X):
    said = model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)[:, None]
    return np.asarray(said)


@pytest.mark.parametrize(("kind", "tree_kind"), KINDS)
@pytest.mark.parametrize("missing", [False, True])
def test_one_tree_without_bootstrap_is_the_single_tree(kind, tree_kind, missing):
    X, y = sample(missing=missing)
    y = targets(kind, y)
    common = {"min_samples_leaf": 8, "max_features": None, **HOLDS}
    weight = np.random.default_rng(1).uniform(1, 2, len(X))  # no two splits gain the same
    single = tree_kind(**common).fit(X, y, sample_weight=weight)
    for params in ({}, {"ccp_alpha": 1e-9}):
        model = kind(1, bootstrap=False, random_state=0, **common, **params)
        model.fit(X, y, sample_weight=weight)
        (tree,) = model.estimators_
        assert tree.get_n_leaves() == single.get_n_leaves() > 5
        order = single.tree_.depth.argsort(kind="stable"), tree.tree_.depth.argsort(kind="stable")
        sets = 0
        for a, b in zip(*order, strict=True):
            sides = single.split_categories(int(a)), tree.split_categories(int(b))
            assert sides[0] == sides[1]
            sets += sides[0] is not None
            assert single.tree_.feature[a] == tree.tree_.feature[b]
            if sides[0] is None:
                assert single.tree_.threshold[a] == tree.tree_.threshold[b]
        assert sets > 2
        new = X.copy()
        new[:30, 0], new[30:60, 2] = 99.0, np.nan  # not seen, and missing
        np.testing.assert_array_equal(shares(model, new), shares(single, new))
        np.testing.assert_allclose(model.feature_importances_, single.feature_importances_)


@pytest.mark.parametrize(("kind", "tree_kind"), KINDS)
@pytest.mark.parametrize("params", [{}, {"max_leaf_nodes": 12},
                                    {"ccp_alpha": 0.002}], ids=str)  # fmt: skip
def test_rows_left_out_by_the_trees_one_by_one(kind, tree_kind, params):
    X, y = sample(missing=True)
    y = targets(kind, y)
    model = kind(25, oob_score=True, random_state=3, **HOLDS, **params).fit(X, y)
    trees = model.estimators_
    each = np.array([shares(tree, X) for tree in trees])
    np.testing.assert_allclose(shares(model, X), each.mean(axis=0), rtol=1e-12, atol=1e-14)
    unseen = np.array([~np.isin(np.arange(len(X)), rows) for rows in model.estimators_samples_])
    known = unseen.any(axis=0)
    want = (each * unseen[:, :, None]).sum(axis=0)[known] / unseen.sum(axis=0)[known, None]
    name = "oob_decision_function_" if tree_kind is DecisionTreeClassifier else "oob_prediction_"
    got = getattr(model, name).reshape(len(X), -1)
    np.testing.assert_allclose(got[known], want, rtol=1e-12, atol=1e-14)
    errors = model.out_of_bag_errors(X, y)
    if tree_kind is DecisionTreeClassifier:
        assert errors[-1] == pytest.approx(np.mean(want.argmax(axis=1) != y[known]))
    else:
        assert errors[-1] == pytest.approx(np.mean((want[:, 0] - y[known]) ** 2))
    for tree, own in zip(trees, model.apply(X).T, strict=True):
        np.testing.assert_array_equal(own, tree.apply(X))
    path, begin = model.decision_path(X)
    paths = [tree.decision_path(X).toarray() for tree in trees]
    np.testing.assert_array_equal(path.toarray(), np.concatenate(paths, axis=1))
    np.testing.assert_array_equal(begin, np.cumsum([0, *(p.shape[1] for p in paths)]))


@pytest.mark.parametrize(("kind", "tree_kind"), KINDS)
def test_unbiased_importances_by_definition(kind, tree_kind):
    """What splits add to the products of means and targets of rows left out, node by node."""
    X, y = sample(250, missing=True)
    y = targets(kind, y)
    model = kind(4, random_state=1, min_samples_leaf=3, **HOLDS).fit(X, y)
    Y = np.eye(3)[y] if tree_kind is DecisionTreeClassifier else (y - y.mean())[:, None]
    want = np.zeros((4, 4))
    for t, (tree, drawn) in enumerate(
        zip(model.estimators_, model.estimators_samples_, strict=True)
    ):
        count = np.bincount(drawn, minlength=len(X))
        rows, inner = rows_of_nodes(tree, X), tree.tree_
        mean = [count[own] @ Y[own] / count[own].sum() for own in rows]
        for node in np.flatnonzero(inner.children_left >= 0):
            for child in (inner.children_left[node], inner.children_right[node]):
                out = rows[child][count[rows[child]] == 0]
                want[t, inner.feature[node]] += ((mean[child] - mean[node]) * Y[out]).sum()
        want[t] /= (count == 0).sum()
    np.testing.assert_allclose(model.unbiased_importances(X, y), want.mean(axis=0), atol=1e-12)
    assert model.unbiased_importances(X, y).argmax() == 0


def test_importances_by_shuffles_find_the_column():
    X, y = sample()
    model = RandomForestRegressor(20, random_state=0, **HOLDS).fit(X, y)
    lost, _ = model.permutation_importances(X, y, random_state=0)
    assert lost.argmax() == 0
    assert abs(lost[3]) < 0.1 * lost[0]


def test_words_and_frames():
    pd = pytest.importorskip("pandas")
    X, y = sample()
    word = np.array([f"w{int(k):02d}" for k in X[:, 0]])
    frame = pd.DataFrame({"a": pd.Categorical(word), "b": X[:, 1], "c": X[:, 2], "d": X[:, 3]})
    model = RandomForestClassifier(25, random_state=0, oob_score=True)
    model.fit(frame, y > 0)
    same = RandomForestClassifier(25, random_state=0, oob_score=True, categorical_features=[0])
    same.fit(X, y > 0)
    np.testing.assert_array_equal(model.is_categorical_, [True, False, False, False])
    assert model.categories_[0].tolist() == sorted(set(word))
    np.testing.assert_array_equal(model.predict_proba(frame), same.predict_proba(X))
    np.testing.assert_array_equal(model.unbiased_importances(frame, y > 0),
                                  same.unbiased_importances(X, y > 0))  # fmt: skip
    new = frame.assign(a="never seen")
    assert np.isfinite(model.predict_proba(new)).all()
    tree = model.estimators_[0]
    assert tree.predict(frame).shape == (400,)
    assert list(tree.feature_names_in_) == list("abcd")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize(("kind", "tree_kind"), KINDS)
def test_same_bits_for_any_number_of_threads(kind, tree_kind):
    X, y = sample(900, missing=True)
    y = targets(kind, y)
    said = set()
    for jobs in (1, 2, 7):
        model = kind(25, random_state=0, n_jobs=jobs, oob_score=True, **HOLDS).fit(X, y)
        said.add((shares(model, X).tobytes(), model.oob_score_,
                  model.unbiased_importances(X, y).tobytes()))  # fmt: skip
    assert len(said) == 1
    assert hasattr(tree_kind(), "predict")


def test_quantiles_and_standard_errors():
    X, y = sample()
    model = RandomForestRegressor(30, random_state=0, store_leaves=True, **HOLDS).fit(X, y)
    low, middle, high = model.predict_quantiles(X).T
    assert ((low <= middle) & (middle <= high)).all()
    assert np.corrcoef(middle, y)[0, 1] > 0.8
    assert np.isfinite(model.standard_errors(X[:20])).all()
    assert model.proximities(X[:9], X[:5]).shape == (9, 5)


def test_warm_start_needs_the_same_categories():
    X, y = sample()
    model = RandomForestRegressor(3, random_state=0, warm_start=True, **HOLDS).fit(X, y)
    model.set_params(n_estimators=6).fit(X, y)
    whole = RandomForestRegressor(6, random_state=0, **HOLDS).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), whole.predict(X))
    model.set_params(n_estimators=8)
    other = X.copy()
    other[0, 0] = 1000.0
    with pytest.raises(ValueError, match="column 0 has others"):
        model.fit(other, y)
    plain = RandomForestRegressor(3, random_state=0, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="column 2 has others"):
        plain.set_params(n_estimators=4, categorical_features=[2]).fit(X, y)
    with pytest.raises(ValueError, match="column 2 has others"):
        model.set_params(categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match="column 0 has others"):
        model.set_params(categorical_features=None).fit(X, y)


def test_bad_input():
    X, y = sample(60)
    with pytest.raises(ValueError, match="absolute_error' does not go with categories"):
        RandomForestRegressor(2, criterion="absolute_error", **HOLDS).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst must be 0 for columns of categories"):
        RandomForestRegressor(2, monotonic_cst=[1, 0, 0, 0], **HOLDS).fit(X, y)
    with pytest.raises(ValueError, match="numbers from 0 to 3"):
        RandomForestRegressor(2, categorical_features=[4]).fit(X, y)
    with pytest.raises(ValueError, match="has 2000 categories, more than"):
        RandomForestRegressor(2, categorical_features=[0]).fit(np.arange(2000.0)[:, None],
                                                               np.arange(2000.0))  # fmt: skip
    lost = X.copy()
    lost[:, 0] = np.nan  # a column without any category
    model = RandomForestRegressor(3, random_state=0, **HOLDS).fit(lost, y)
    assert np.isfinite(model.predict(X)).all()
    only = RandomForestRegressor(3, random_state=0, categorical_features=[0]).fit(lost[:, :1], y)
    assert len(only.predict(X[:5, :1])) == 5
