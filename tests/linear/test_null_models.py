# SPDX-License-Identifier: BSD-3-Clause
"""Models without a column: given nothing but constants, or left by a term that is dropped."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    drop1,
    step,
)

CODES = np.arange(60) % 3
LIKELIHOOD = 60 * np.log(1 / 3)  # of three classes, twenty rows each


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_three_classes_and_a_constant(value, intercept, C):
    X = np.full((60, 1), value)
    model = LogisticRegression(C=C, fit_intercept=intercept)
    if np.isinf(C) and (intercept or not value):
        with pytest.warns(UserWarning, match="constant: x0"):
            model.fit(X, CODES)
    else:
        model.fit(X, CODES)
    assert_allclose(model.predict_proba(X[:2]), 1 / 3, rtol=1e-12)
    assert_array_equal(model.coef_, 0.0)
    if np.isinf(C):
        assert_allclose(model.log_likelihood_, LIKELIHOOD, rtol=1e-12)


@pytest.mark.parametrize("weights", [None, np.arange(6.0)])
def test_no_coefficient_at_all(weights):
    with pytest.warns(UserWarning, match="constant: x0"):
        model = LogisticRegression(fit_intercept=False).fit(
            np.zeros((6, 1)), [0, 1, 2, 0, 1, 2], sample_weight=weights
        )
    assert_allclose(model.predict_proba([[0.0]]), [[1 / 3] * 3])
    mass = 6.0 if weights is None else weights.sum()
    assert_allclose(model.log_likelihood_, -mass * np.log(3), rtol=1e-12)
    assert model.converged_


@pytest.mark.parametrize("intercept", [True, False])
def test_drop1_of_one_column_of_three_classes(intercept):
    X = np.random.default_rng(0).normal(size=(60, 1))
    table = drop1(LogisticRegression(fit_intercept=intercept), X, CODES)
    whole = LogisticRegression(fit_intercept=intercept).fit(X, CODES)
    assert_allclose(table.columns["Deviance"], [whole.deviance_, -2 * LIKELIHOOD], rtol=1e-12)
    assert table.columns["Df"][1] == 2


@pytest.mark.parametrize(
    "model", [LinearRegression(), GeneralizedLinearModel(), LogisticRegression()]
)
def test_a_search_that_reaches_the_null_model_does_not_warn(model):
    X = np.random.default_rng(1).normal(size=(60, 1))  # warnings are errors
    y = CODES > 0
    table = drop1(model, X, y)
    assert table.columns["Df"][1] == 1
    assert step(model, X, y, start="none").terms == ()
    assert step(model, X, y).terms == ()
