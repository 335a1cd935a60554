# SPDX-License-Identifier: BSD-3-Clause
"""Every criterion with every kind of weights, and whatever else a tree or an ensemble takes."""

import pickle
from itertools import product

import numpy as np
import pytest

import statfast as sf
from statfast.datasets import load_wine
from tests.reference import cart

N = 48
CLASSES = ("gini", "entropy", "log_loss", "error")
NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson")
WEIGHTS = {
    "none": lambda rng: None,
    "ones": lambda rng: np.ones(N),
    "whole": lambda rng: rng.integers(1, 6, N).astype(float),
    "thirds": lambda rng: rng.integers(1, 6, N) / 3,
    "fractions": lambda rng: rng.uniform(0.1, 2, N),
    "zeros": lambda rng: np.where(np.arange(N) % 5 == 0, 0.0, rng.uniform(0.1, 2, N)),
    "zeros and ones": lambda rng: (np.arange(N) % 5 > 0).astype(float),
    "huge": lambda rng: rng.uniform(0.1, 2, N) * 1e90,
    "tiny": lambda rng: rng.uniform(0.1, 2, N) * 1e-90,
    "spread": lambda rng: 10.0 ** rng.uniform(-90, 90, N),
}


def rows(rng, *, missing=False, categories=False):
    X = rng.normal(size=(N, 3)).round(2)
    X[:, 1] = np.arange(N)  # no two rows are equal
    if categories:
        X[:, 0] = rng.integers(0, 4, N)
    if missing:
        X[rng.random(N) < 0.3, 2] = np.nan
    return X


def single(kind, columns):
    """Trees with every way to split, and to stop."""
    for splitter, missing, rules in product(
        ("best", "random"),
        ("learned", "surrogate"),
        ({}, {"max_leaf_nodes": 7}, {"min_weight_fraction_leaf": 0.1}, {"ccp_alpha": 0.01},
         {"min_samples_leaf": 3, "min_impurity_decrease": 1e-3}),
    ):  # fmt: skip
        if splitter == "random" and missing == "surrogate":
            continue
        yield kind(splitter=splitter, missing=missing, categorical_features=columns,
                   random_state=0, **rules)  # fmt: skip


def together(forest, extra, columns):
    """Forests with and without samples."""
    for kind, bootstrap, rules in product(
        (forest, extra),
        (False, True),
        ({}, {"max_leaf_nodes": 7}, {"min_weight_fraction_leaf": 0.1, "ccp_alpha": 0.01}),
    ):
        yield kind(3, bootstrap=bootstrap, categorical_features=columns, random_state=0, **rules)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("criterion", CLASSES)
def test_classification_by_any_criterion_with_any_weights(criterion, weights):
    rng = np.random.default_rng(1)
    w = WEIGHTS[weights](rng)
    start = list(WEIGHTS).index(weights)  # so that all pairs of settings come
    for missing, categories, K in ((False, False, 2), (True, False, 3), (False, True, 3)):
        X, columns = rows(rng, missing=missing, categories=categories), [0] if categories else None
        y = rng.integers(0, K, N)
        y[:K] = np.arange(K)
        forests = together(sf.RandomForestClassifier, sf.ExtraTreesClassifier, columns)
        for k, model in enumerate([*single(sf.DecisionTreeClassifier, columns), *forests], start):
            class_weight = (None, "balanced", {0: 0.3}, "within")[k % 4]
            if class_weight == "within":
                class_weight = "balanced_subsample" if hasattr(model, "bootstrap") else "balanced"
            model.set_params(criterion=criterion, class_weight=class_weight).fit(X, y, w)
            shares = model.predict_proba(X)
            assert (shares >= 0).all()
            np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("weights", [name for name in WEIGHTS if name != "spread"])
@pytest.mark.parametrize("criterion", CLASSES)
def test_trees_grow_until_all_rows_with_weight_fit(criterion, weights):
    """Not where a side has less than 2^-53 of the weight of its node, whose sums it is lost in."""
    rng = np.random.default_rng(8)
    X, y, w = rows(rng, missing=True), rng.integers(0, 3, N), WEIGHTS[weights](rng)
    seen = np.ones(N, bool) if w is None else w > 0
    for splitter, class_weight in product(("best", "random"), (None, "balanced", {0: 0.3})):
        tree = sf.DecisionTreeClassifier(
            criterion=criterion, splitter=splitter, class_weight=class_weight, random_state=0
        )
        assert (tree.fit(X, y, w).predict(X) == y)[seen].all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("criterion", NUMBERS)
def test_regression_by_any_criterion_with_any_weights(criterion, weights):
    rng = np.random.default_rng(2)
    w = WEIGHTS[weights](rng)
    for missing, categories in ((False, False), (True, False), (False, True)):
        if criterion == "absolute_error" and categories:
            continue
        X, columns = rows(rng, missing=missing, categories=categories), [0] if categories else None
        y = rng.poisson(2, N) + 0.5 * (np.arange(N) % 3)
        forests = together(sf.RandomForestRegressor, sf.ExtraTreesRegressor, columns)
        seen = np.ones(N, bool) if w is None else w > 0
        for model in (*single(sf.DecisionTreeRegressor, columns), *forests):
            if criterion == "absolute_error" and getattr(model, "missing", "") == "surrogate":
                continue
            said = model.set_params(criterion=criterion).fit(X, y, w).predict(X)
            assert (said >= y[seen].min()).all()
            assert (said <= y[seen].max()).all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("criterion", ["entropy", "poisson"])
def test_members_and_pruning_with_any_weights(criterion, weights):
    rng = np.random.default_rng(3)
    X, y, w = rows(rng), rng.integers(0, 3, N), WEIGHTS[weights](rng)
    classify = criterion == "entropy"
    kind = sf.DecisionTreeClassifier if classify else sf.DecisionTreeRegressor
    bagging = sf.BaggingClassifier if classify else sf.BaggingRegressor
    adaboost = sf.AdaBoostClassifier if classify else sf.AdaBoostRegressor
    tree = kind(criterion=criterion, max_depth=3)
    models = [bagging(tree, 3, random_state=0)]
    if weights != "spread":  # one row has all the weight: the first member has no error
        models.append(adaboost(tree, n_estimators=3, random_state=0))
    for model in models:
        assert np.isfinite(model.fit(X, y, w).score(X, y))
    path = kind(criterion=criterion).cost_complexity_pruning_path(X, y, sample_weight=w)
    assert (np.diff(path.ccp_alphas) > 0).all()
    full = kind(criterion=criterion).fit(X, y, w)
    for alpha, leaves in zip(path.ccp_alphas, path.n_leaves, strict=True):
        cut = kind(criterion=criterion, ccp_alpha=alpha * (1 + 1e-9)).fit(X, y, w)
        assert cut.get_n_leaves() <= leaves <= full.get_n_leaves()


def test_an_ensemble_by_entropy_with_balanced_classes():
    """Weights that are not whole numbers: sums of them are far beyond any table of x log x."""
    X, y = load_wine(return_X_y=True)
    for kind, weight in product(
        (sf.ExtraTreesClassifier, sf.RandomForestClassifier), ("balanced", "balanced_subsample")
    ):
        for bootstrap in (False, True):
            model = kind(5, criterion="entropy", class_weight=weight, bootstrap=bootstrap)
            assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("criterion", ["entropy", "error", "gini"])
@pytest.mark.parametrize("seed", range(3))
def test_splits_by_fractional_weights_are_best(criterion, seed):
    rng = np.random.default_rng(seed)
    X, y, w = rows(rng), rng.integers(0, 3, N), rng.uniform(0.1, 2, N)
    tree = sf.DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y, w).tree_
    left = X[:, tree.feature[0]] <= tree.threshold[0]
    gain = cart.gain_of_split(criterion, left, w, y, 3)
    assert gain >= cart.best_gain(criterion, X, w, y, 3) - 1e-12 * w.sum()


def structure(model):
    if hasattr(model, "estimators_"):
        return [a for one in model.estimators_ for a in structure(one)]
    return [model.tree_.feature, model.tree_.threshold]


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 1e90])
@pytest.mark.parametrize("criterion", [*CLASSES, *NUMBERS])
def test_the_unit_of_weights_changes_nothing(criterion, unit):
    rng = np.random.default_rng(4)
    classify = criterion in CLASSES
    X = rng.integers(0, 6, size=(N, 4)).astype(float)  # many splits gain the same
    y = rng.integers(0, 3, N)
    trees = (sf.DecisionTreeClassifier, sf.RandomForestClassifier, sf.ExtraTreesClassifier)
    if not classify:
        trees = (sf.DecisionTreeRegressor, sf.RandomForestRegressor, sf.ExtraTreesRegressor)
    for base in (None, rng.integers(1, 5, N), rng.integers(0, 4, N), rng.integers(2, 4, N) * 3):
        w = np.ones(N) if base is None else base
        for kind, rules in product(
            trees, ({}, {"min_weight_fraction_leaf": 0.07}, {"max_leaf_nodes": 9})
        ):
            more = {"n_estimators": 3, "bootstrap": True, "max_samples": 0.8}
            more = {} if kind is trees[0] else more
            model = kind(criterion=criterion, random_state=5, **rules, **more)
            model.fit(X, y, base)
            one, own = structure(model), model.predict(X)
            model.fit(X, y, w * unit)
            for a, b in zip(one, structure(model), strict=True):
                np.testing.assert_array_equal(a, b)
            np.testing.assert_allclose(model.predict(X), own, rtol=1e-14)
            if kind is trees[0]:
                np.testing.assert_allclose(
                    model.tree_.weighted_n_node_samples[0], w.sum() * unit, rtol=1e-14
                )


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_a_weight_of_two_is_the_row_twice(criterion):
    rng = np.random.default_rng(6)
    kind = sf.DecisionTreeClassifier if criterion in CLASSES else sf.DecisionTreeRegressor
    X, y, w = rng.normal(size=(N, 3)), rng.integers(0, 4, N), rng.integers(0, 4, N)
    weighted = kind(criterion=criterion).fit(X, y, w / 3).tree_
    repeated = kind(criterion=criterion).fit(X.repeat(w, axis=0), y.repeat(w)).tree_
    np.testing.assert_array_equal(weighted.feature, repeated.feature)
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-14)
    np.testing.assert_allclose(weighted.impurity, repeated.impurity, atol=1e-14)


@pytest.mark.parametrize("w", [1.0, 0.1, 1 / 3, 1e-9, 3.7])
def test_medians_do_not_depend_on_the_unit_of_weights(w):
    tree = sf.DecisionTreeRegressor(criterion="absolute_error")
    for n in (1, 2, 9, 10):
        X, y = np.zeros((n, 1)), np.arange(float(n))
        assert tree.fit(X, y, sample_weight=np.full(n, w)).predict(X)[0] == np.median(y)


def test_medians_where_half_the_weight_lies_below():
    """0.1 + 0.2 and 0.3 differ in the last bit, and so do multiples of uneven weights."""
    X, tree = np.zeros((3, 1)), sf.DecisionTreeRegressor(criterion="absolute_error")
    assert tree.fit(X, [0.0, 1.0, 2.0], [0.1, 0.2, 0.3]).predict(X)[0] == 1.5
    X, uneven = np.zeros((4, 1)), np.array([np.sqrt(2), np.pi, np.sqrt(2) + np.pi, 1e-3])
    assert tree.fit(X, [0.0, 1.0, 3.0, 2.0], uneven).predict(X)[0] == 2.0
    for unit in (1.0, 0.1, 1 / 3, 1 / 7):
        w = uneven[:3] * unit
        assert tree.fit(X[:3], [0.0, 1.0, 2.0], w).predict(X)[0] == 1.5


def test_a_fitted_tree_of_weighted_rows_pickles():
    rng = np.random.default_rng(7)
    X, y, w = rows(rng, missing=True), rng.integers(0, 3, N), rng.uniform(0.1, 2, N)
    for model in (
        sf.DecisionTreeClassifier(criterion="entropy"),
        sf.DecisionTreeRegressor(criterion="absolute_error"),
        sf.ExtraTreesClassifier(3, criterion="log_loss", class_weight="balanced"),
        sf.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2, class_weight="balanced"),
        sf.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=2, loss="absolute_error"),
    ):
        model.fit(X, y, w)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        again.fit(X, y, w)


@pytest.mark.parametrize("kind", [
    sf.DecisionTreeClassifier, sf.RandomForestClassifier, sf.ExtraTreesClassifier,
])  # fmt: skip
def test_a_class_without_weight_is_not_there(kind):
    rng = np.random.default_rng(9)
    X, w = rows(rng), rng.integers(0, 3, N) * 0.5
    y = np.array(["b", "d", "a"])[rng.integers(0, 3, N)]
    y[5], w[5] = "c", 0.0
    more = {} if kind is sf.DecisionTreeClassifier else {"n_estimators": 4, "bootstrap": False}
    model, own = kind(random_state=0, **more).fit(X, y, w), w > 0
    assert model.classes_.tolist() == ["a", "b", "d"]
    want = kind(random_state=0, **more).fit(X[own], y[own], w[own]).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), want)
    without = kind(class_weight={"c": 0.0}, random_state=0, **more).fit(X, y)
    assert without.classes_.tolist() == ["a", "b", "d"]
    both = np.column_stack([y, y[::-1]])
    several = kind(random_state=0, **more).fit(X, both, w)
    assert several.classes_[0].tolist() == ["a", "b", "d"]
    with pytest.raises(ValueError, match="leaves no row any weight"):
        kind(class_weight=dict.fromkeys("abcd", 0.0)).fit(X, y)


def test_out_of_bag_scores_are_of_rows_with_weight():
    rng = np.random.default_rng(10)
    X, y, w = rows(rng), rng.integers(0, 2, N), np.ones(N)
    w[:20] = 0.0
    classes = sf.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y, w)
    best = classes.oob_decision_function_.argmax(axis=1)
    assert classes.oob_score_ == (best == y)[20:].mean()
    numbers = sf.RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y, w)
    own = numbers.oob_prediction_[20:]
    share = ((y[20:] - own) ** 2).sum() / ((y[20:] - y[20:].mean()) ** 2).sum()
    np.testing.assert_allclose(numbers.oob_score_, 1 - share)
