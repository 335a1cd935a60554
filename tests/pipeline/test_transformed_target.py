# SPDX-License-Identifier: BSD-3-Clause
"""Regressors of a transformed target, beside scikit-learn's."""

import numpy as np
import pytest

import statfast as sf
from statfast import TransformedTargetRegressor

peer = pytest.importorskip("sklearn.compose")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.exp(X @ [0.5, -0.3, 0.2] + 0.1 * RNG.normal(size=60))
TABLE = np.column_stack([Y, Y**2])
SETTINGS = {
    "functions": {"func": np.log, "inverse_func": np.exp},
    "scaler": {"transformer": sf.StandardScaler()},
    "identity": {},
    "regressor": {"regressor": sf.Ridge(alpha=2.0), "func": np.sqrt, "inverse_func": np.square},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("y", [Y, TABLE, Y[:, None]], ids=["one", "two", "a column"])
def test_predictions_are_scikit_learns(name, y):
    arguments = {"regressor": sf.LinearRegression(), **SETTINGS[name]}
    ours = TransformedTargetRegressor(**SETTINGS[name]).fit(X, y)
    theirs = peer.TransformedTargetRegressor(**arguments).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    assert ours.predict(X).shape == y.shape
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-10)
    assert ours.n_features_in_ == 3


def test_weights_are_repetitions():
    weights = np.repeat([1, 2, 3], 20)
    model = TransformedTargetRegressor(transformer=sf.StandardScaler())
    weighted = model.fit(X, Y, sample_weight=weights).predict(X)
    repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights)).predict(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-10)


def test_arguments_of_fit_and_predict():
    tree = sf.LinearRegression()
    model = TransformedTargetRegressor(tree, func=np.log, inverse_func=np.exp)
    assert model.fit(X, Y, sample_weight=None).regressor_ is not tree
    bands = TransformedTargetRegressor(sf.KNeighborsRegressor())
    with pytest.raises(TypeError, match="sample_weight was passed, but KNeighborsRegressor"):
        bands.fit(X, Y, sample_weight=np.ones(60))


def test_the_search_sets_inner_parameters():
    model = TransformedTargetRegressor(sf.Ridge(), func=np.log, inverse_func=np.exp)
    search = sf.GridSearchCV(model, {"regressor__alpha": [0.1, 1e6]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"regressor__alpha": 0.1}


def test_a_function_that_is_not_undone_warns():
    with pytest.warns(UserWarning, match="not strictly inverse"):
        TransformedTargetRegressor(func=np.sqrt, inverse_func=np.log).fit(X, Y)
    TransformedTargetRegressor(func=np.sqrt, inverse_func=np.log, check_inverse=False).fit(X, Y)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"func": np.log}, ValueError, "'inverse_func' must also be provided"),
        ({"inverse_func": np.log}, ValueError, "'func' must also be provided"),
        (
            {"func": np.log, "inverse_func": np.exp, "transformer": sf.StandardScaler()},
            ValueError,
            "cannot both be set",
        ),
        ({"transformer": sf.Ridge()}, TypeError, "transformer must be an estimator with transform"),
        ({"transformer": sf.PCA}, TypeError, "transformer must be an estimator"),
        ({"regressor": sf.PCA()}, TypeError, "regressor must be an estimator with predict"),
        ({"check_inverse": "yes"}, TypeError, "check_inverse must be True or False"),
    ],
)
def test_mistakes_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        TransformedTargetRegressor(**arguments).fit(X, Y)


def test_not_fitted():
    with pytest.raises(sf.exceptions.NotFittedError):
        TransformedTargetRegressor().predict(X)
