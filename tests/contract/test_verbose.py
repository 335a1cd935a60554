# SPDX-License-Identifier: BSD-3-Clause
"""``verbose`` says something wherever it is taken, and changes no answer."""

import inspect

import numpy as np
import pytest

import statfast
from statfast import model_selection
from statfast._estimator import ignored_names
from tests.contract.test_contract import COUNTS, public_estimators, small


def takes_verbose(cls):
    return "verbose" in inspect.signature(cls).parameters or "verbose" in ignored_names(cls)


ESTIMATORS = [cls for cls in public_estimators() if takes_verbose(cls)]
CROSS_VALIDATIONS = [
    name
    for name in model_selection.__all__
    if "verbose" in getattr(getattr(model_selection, name), "ignored", ())
]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    return X, (X[:, 0] + 0.2 * rng.random(60) > 0.6).astype(int)


def test_there_are_such_estimators():
    assert len(ESTIMATORS) > 40
    assert len(CROSS_VALIDATIONS) > 5


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_a_verbose_fit_says_something(cls, rows, capfd):
    X, y = rows
    name, silent = cls.__name__, small(cls)
    level = True if name in ("Pipeline", "FeatureUnion", "ColumnTransformer") else 1
    every = {"verbose_interval": 1} if "Mixture" in name else {}
    model = small(cls).set_params(verbose=level, **every)
    X = np.floor(9 * X) if name in COUNTS else X
    y = np.column_stack([y, 1 - y]) if name.endswith("Chain") else y + (name == "GammaRegressor")
    capfd.readouterr()
    silent.fit(X, y)
    assert "".join(capfd.readouterr()) == ""
    model.fit(X, y)
    assert "".join(capfd.readouterr()).strip()


@pytest.mark.parametrize("name", CROSS_VALIDATIONS)
def test_a_verbose_function_says_something(name, rows, capfd):
    X, y = rows
    function, more = getattr(model_selection, name), {}
    if name == "validation_curve":
        more = {"param_name": "max_depth", "param_range": [1, 2]}
    if "random_state" in inspect.signature(function).parameters:
        more["random_state"] = 0
    silent = function(statfast.DecisionTreeClassifier(random_state=0), X, y, **more)
    assert "".join(capfd.readouterr()) == ""
    loud = function(statfast.DecisionTreeClassifier(random_state=0), X, y, verbose=1, **more)
    assert name in capfd.readouterr().err
    assert type(loud) is type(silent)


def test_a_verbose_path_says_something(rows, capfd):
    statfast.lasso_path(*rows, alphas=3, verbose=True)
    assert "lasso_path: done in" in capfd.readouterr().err


def test_an_answer_is_the_same(rows):
    X, y = rows
    search = {"param_grid": {"C": [0.1, 1.0]}, "cv": 3}
    loud = statfast.GridSearchCV(statfast.LogisticRegression(), verbose=2, **search).fit(X, y)
    silent = statfast.GridSearchCV(statfast.LogisticRegression(), **search).fit(X, y)
    assert np.array_equal(loud.best_estimator_.coef_, silent.best_estimator_.coef_)


def test_what_is_no_level_is_refused(rows):
    with pytest.raises((TypeError, ValueError), match="verbose must be"):
        statfast.RandomForestClassifier(verbose="loud").fit(*rows)
