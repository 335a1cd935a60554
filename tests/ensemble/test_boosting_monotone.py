# SPDX-License-Identifier: BSD-3-Clause
"""Monotone constraints hold for predictions, whatever the loss and whatever else is asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import statfast as sf
from statfast.ensemble import HistGradientBoostingClassifier as Classifier
from statfast.ensemble import HistGradientBoostingRegressor as Regressor

REGRESSION = ("squared_error", "absolute_error", "quantile", "poisson", "gamma")
LOSSES = (*REGRESSION, "log_loss", "exponential")


def require_order(predict, X, column, sign):
    """Along a column, all else the same, for rows as they are and as they were never seen."""
    grid = np.unique(X[:, column][~np.isnan(X[:, column])])
    grid = np.sort(np.r_[grid, grid[:-1] / 2 + grid[1:] / 2, grid[0] - 1, grid[-1] + 1])
    for row in X[:12]:
        line = np.tile(row, (len(grid), 1))
        line[:, column] = grid
        assert (sign * np.diff(predict(line)) >= 0).all()


def table(rng, missing):
    n = int(rng.integers(12, 90))
    X = rng.integers(0, rng.integers(2, 30), (n, 4)).astype(float)
    X[:, 3] = rng.integers(0, 4, n)  # categories
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[0] = 0.0
    y = rng.normal(size=n) * 3 - np.nan_to_num(X[:, 0]) * rng.normal() + np.nan_to_num(X[:, 1])
    return X, y


@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    missing=st.booleans(),
    weighted=st.booleans(),
    categories=st.sampled_from([None, [3]]),
    rate=st.sampled_from([0.1, 1.0]),
    more=st.sampled_from(
        [{}, {"interaction_cst": "pairwise"}, {"interaction_cst": [{0, 2}, {1, 3}]},
         {"max_features": 0.5}, {"max_leaf_nodes": 4}, {"max_depth": 2}, {"max_bins": 4},
         {"l2_regularization": 3.0}]
    ),
)  # fmt: skip
def test_boosting_is_monotone(seed, loss, missing, weighted, categories, rate, more):
    rng = np.random.default_rng(seed)
    X, y = table(rng, missing)
    signs = [int(s) for s in rng.choice([-1, 1], 2)] + [0, 0]
    w = rng.integers(1, 4, len(y)) * 0.1 if weighted else None
    rules = {"monotonic_cst": signs, "min_samples_leaf": int(rng.integers(1, 4)), "max_iter": 6,
             "learning_rate": rate, "categorical_features": categories, "random_state": 0,
             **more}  # fmt: skip
    if loss in REGRESSION:
        level = {"quantile": float(rng.choice([0.1, 0.7]))} if loss == "quantile" else {}
        y = np.exp(np.clip(y, -20, 20)) if loss in ("poisson", "gamma") else y
        model = Regressor(loss, **level, **rules).fit(X, y, w)
        predict = model.predict
    else:
        y = y > np.median(y)
        y[:2] = False, True
        predict = Classifier(loss, **rules).fit(X, y, w).decision_function
    for column in (0, 1):
        require_order(predict, X, column, signs[column])


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
@pytest.mark.parametrize("rounds", [1, 20])
def test_medians_and_quantiles_obey_the_constraint(loss, rounds):
    level = {"quantile": 0.5} if loss == "quantile" else {}
    rules = {"min_samples_leaf": 1, "learning_rate": 1.0, "max_iter": rounds}
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    for y in ([1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 1.0, 2.0], [3.0, 0, 1, 2]):
        own = X[: len(y)]
        for sign in (1, -1):
            model = Regressor(loss, **level, **rules, monotonic_cst=[sign]).fit(own, y)
            assert (sign * np.diff(model.predict(own)) >= 0).all()
    model = Regressor(loss, **level, **rules, monotonic_cst=[1]).fit(X, [0.0, 1.0, 2.0, 3.0])
    assert (np.diff(model.predict(X)[::2]) > 1).all()  # and no more is taken from the fit


@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["tree", "random", "forest", "extra"]),
    criterion=st.sampled_from(["gini", "entropy", "error", "squared_error", "poisson"]),
    missing=st.booleans(),
    weighted=st.booleans(),
    leaves=st.sampled_from([None, 5]),
)
def test_trees_and_forests_are_monotone(seed, kind, criterion, missing, weighted, leaves):
    rng = np.random.default_rng(seed)
    X, y = table(rng, missing)
    signs = [int(s) for s in rng.choice([-1, 1], 2)] + [0, 0]
    w = rng.uniform(0.1, 2, len(y)) if weighted else None
    classify = criterion in ("gini", "entropy", "error")
    kinds = {
        "tree": sf.DecisionTreeClassifier if classify else sf.DecisionTreeRegressor,
        "forest": sf.RandomForestClassifier if classify else sf.RandomForestRegressor,
        "extra": sf.ExtraTreesClassifier if classify else sf.ExtraTreesRegressor,
    }
    rules = {"criterion": criterion, "monotonic_cst": signs, "categorical_features": [3],
             "max_leaf_nodes": leaves, "random_state": 0}  # fmt: skip
    own = {"splitter": "random"} if kind == "random" else {}
    own = {"n_estimators": 3} if kind in ("forest", "extra") else own
    model = kinds["tree" if kind == "random" else kind](**rules, **own)
    if classify:
        y = y > np.median(y)
        y[:2] = False, True
        model.fit(X, y, w)
        require_order(lambda x: model.predict_proba(x)[:, -1], X, 0, signs[0])
        return
    y = np.exp(np.clip(y, -20, 20)) if criterion == "poisson" else y
    model.fit(X, y, w)
    for column in (0, 1):
        require_order(model.predict, X, column, signs[column])
