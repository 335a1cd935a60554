# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines: what the steps do one after the other, their parameters, and merged statistics."""

import numpy as np
import pytest

from statfast import (
    CountVectorizer,
    KNeighborsRegressor,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Pipeline,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
    make_pipeline,
)
from statfast._estimator import copied, sums_of, without_each


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3)) * [1.0, 100.0, 0.01] + [0.0, 5.0, 1e4]
    return X, np.where(X[:, 0] + X[:, 1] / 100 + rng.standard_normal(90) > 0, "yes", "no")


def test_steps_one_after_the_other(data):
    X, y = data
    scaler, squares = StandardScaler(), PolynomialFeatures(2, include_bias=False)
    model = make_pipeline(scaler, squares, LogisticRegression(C=1.0)).fit(X, y)
    assert not hasattr(scaler, "scale_")  # fitted are copies
    Z = squares.fit_transform(scaler.fit_transform(X))
    alone = LogisticRegression(C=1.0).fit(Z, y)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(model, method)(X), getattr(alone, method)(Z))
    assert model.score(X, y) == alone.score(Z, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.get_feature_names_out is not None
    assert not hasattr(model, "transform")
    assert not hasattr(make_pipeline(Ridge()), "predict_proba")
    np.testing.assert_array_equal(model[0].scale_, scaler.scale_)
    np.testing.assert_array_equal(model["logisticregression"].coef_, alone.coef_)
    np.testing.assert_array_equal(model[:-1].transform(X), Z)
    assert model.named_steps.standardscaler is model[0]
    assert len(model) == 3


def test_transformers_alone(data):
    X, _ = data
    chain = Pipeline([("a", StandardScaler()), ("b", "passthrough")])
    Z = chain.fit_transform(X)
    np.testing.assert_array_equal(Z, StandardScaler().fit_transform(X))
    np.testing.assert_array_equal(chain.transform(X), Z)
    np.testing.assert_allclose(chain.inverse_transform(Z), X)
    assert chain.get_feature_names_out(["p", "q", "r"]).tolist() == ["p", "q", "r"]
    assert Pipeline([("a", None)]).fit(X).transform(X) is X


def test_weights_reach_each_step_that_takes_them(data):
    X, y = data
    w = np.arange(90) % 3
    steps = [("s", StandardScaler()), ("m", LogisticRegression(C=1.0))]
    got = Pipeline(steps).fit(X, y, sample_weight=w)
    want = Pipeline(steps).fit(X.repeat(w, axis=0), y.repeat(w))
    np.testing.assert_allclose(got.predict_proba(X), want.predict_proba(X), rtol=1e-9)
    last = Pipeline(steps).fit(X, y, m__sample_weight=w)
    np.testing.assert_array_equal(last[0].scale_, StandardScaler().fit(X).scale_)
    assert (last.predict_proba(X) != got.predict_proba(X)).any()


def test_parameters_by_name():
    model = make_pipeline(StandardScaler(), StandardScaler(with_std=False), Ridge())
    assert [name for name, _ in model.steps] == ["standardscaler-1", "standardscaler-2", "ridge"]
    params = model.get_params()
    assert params["standardscaler-2__with_std"] is False
    assert params["ridge"] is model.steps[2][1]
    model.set_params(ridge__alpha=3.0, **{"standardscaler-1": "passthrough"})
    assert model[2].alpha == 3.0
    assert model[0] == "passthrough"
    twin = copied(model)
    assert twin[2] is not model[2]
    assert twin[2].alpha == 3.0
    with pytest.raises(ValueError, match="Invalid parameter 'lasso' for estimator Pipeline"):
        model.set_params(lasso=Ridge())


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (None, "steps must be a list of pairs"),
        ([Ridge()], "steps must hold pairs"),
        ([("a", Ridge()), ("a", Ridge())], "Names of steps must differ"),
        ([("a__b", Ridge())], "hold no '__'"),
        ([("a", Ridge()), ("b", Ridge())], "'a' must be a transformer"),
        ([("a", StandardScaler()), ("b", 3)], "'b' must be an estimator with fit"),
        ([("a", Ridge)], r"not classes; got Ridge. Pass Ridge\(\)"),
    ],
)
def test_steps_that_are_none(steps, message, data):
    with pytest.raises((TypeError, ValueError), match=message):
        Pipeline(steps).fit(*data)


def test_arguments_of_no_step(data):
    with pytest.raises(ValueError, match="name__argument"):
        make_pipeline(Ridge()).fit(*data, lasso__sample_weight=None)


@pytest.mark.parametrize("mean", [True, False])
def test_merged_statistics_are_refits(data, mean):
    X, y = data
    X = X.copy()
    X[5] += 1e9  # an outlier in the first fold
    model = make_pipeline(
        StandardScaler(with_mean=mean), StandardScaler(with_std=False), LinearDiscriminantAnalysis()
    )
    columns, state = model._prepare(X, y, None)
    parts = np.array_split(np.arange(90), 3)
    sums = sums_of(model._statistics, columns, state, parts)
    for part, rest in zip(parts, without_each(sums), strict=True):
        if 5 not in part:
            continue
        train = np.setdiff1d(np.arange(90), part)
        merged, alone = copied(model)._solve(rest, state), copied(model).fit(X[train], y[train])
        np.testing.assert_allclose(merged[0].scale_, alone[0].scale_, rtol=1e-10)
        np.testing.assert_allclose(
            merged.decision_function(X[train]), alone.decision_function(X[train]), rtol=1e-7
        )
    assert "lineardiscriminantanalysis__tol" in model._solve_parameters
    assert model._adds_up(columns)
    assert not make_pipeline(PolynomialFeatures(), LinearDiscriminantAnalysis())._adds_up()


@pytest.mark.parametrize("steps", [3, "steps", len, [1, 2], [("a",)], {"a": 1}, np.zeros(2), []])
def test_what_are_no_steps(steps):
    model = Pipeline(steps)
    assert len(model) == 0
    assert model.get_params()["steps"] is steps
    assert callable(model.predict)  # what fit says of the steps comes first
    for call in (model.fit, model.fit_predict, model.fit_transform):
        with pytest.raises(TypeError, match="steps must"):
            call([[0.0], [1.0]], [0, 1])


def test_a_step_that_is_an_array():
    model = Pipeline([("a", np.zeros(3)), ("b", Ridge())])
    with pytest.raises(TypeError, match="'a' must be a transformer"):
        model.fit([[0.0], [1.0]], [0.0, 1.0])


def test_methods_that_steps_have_not(data):
    X, _ = data
    model = make_pipeline(StandardScaler(), KNeighborsRegressor()).fit(X, X[:, 0])
    with pytest.raises(AttributeError, match="get_feature_names_out of a pipeline needs steps"):
        model.get_feature_names_out()
    with pytest.raises(AttributeError, match="inverse_transform of a pipeline needs steps"):
        make_pipeline(PolynomialFeatures(1, include_bias=False), StandardScaler()).fit(
            X
        ).inverse_transform(X)
    with pytest.raises(AttributeError, match="cannot predict, as StandardScaler cannot"):
        make_pipeline(StandardScaler()).fit_predict(X)


def test_a_prediction_that_fails_leaves_the_pipeline_unfitted():
    model = make_pipeline(StandardScaler(), KNeighborsRegressor(5))
    with pytest.raises(ValueError, match="n_neighbors must be between 1"):
        model.fit_predict([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert not hasattr(model, "steps_")


def test_nothing_is_done_to_rows_alone():
    with pytest.raises(ValueError, match="Expected 2D array X"):
        Pipeline([("a", None)]).fit(range(3))


def test_fit_predict_fits(data):
    X, y = data
    model = Pipeline([("scale", StandardScaler()), ("lda", LinearDiscriminantAnalysis())])
    said = model.fit_predict(X, y)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(said, model.predict(X))


def test_tags_of_the_input_are_those_of_the_first_step():
    texts = Pipeline([("none", None), ("count", CountVectorizer()), ("ridge", Ridge())])
    assert texts.__sklearn_tags__().input_tags.string
    rows = Pipeline([("none", "passthrough"), ("ridge", Ridge())])
    assert not rows.__sklearn_tags__().input_tags.string
