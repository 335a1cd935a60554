# SPDX-License-Identifier: BSD-3-Clause
"""Conformal intervals and sets in pipelines, searches and wrappers, and around them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import statfast as sf
from tests.reference.conformal import jackknife_plus

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [0.0, 50.0, 2.0]
y = X @ [1.0, 0.1, -3.0] + rng.normal(size=60)
NEW = rng.normal(size=(6, 3)) * [1.0, 10.0, 0.1] + [0.0, 50.0, 2.0]
LABELS = np.array(["a", "b", "c"])[np.digitize(y - y.mean(), [-1.0, 1.0])]
STORING = [
    sf.LinearRegression(store_left_out=True),
    sf.Ridge(0.5, store_left_out=True),
    sf.RidgeCV([0.5], store_left_out=True),
    sf.KernelRidge(0.5, kernel="rbf", gamma=0.1, store_left_out=True),
    sf.KNeighborsRegressor(5),
]


def ends_of(model, points=NEW):
    return model.predict(points, interval="conformal", level=0.8)[1]


@pytest.mark.parametrize("model", STORING, ids=lambda model: type(model).__name__)
def test_the_last_step_of_a_pipeline_gives_its_intervals(model):
    scaler = sf.StandardScaler().fit(X)
    chain = sf.make_pipeline(sf.StandardScaler(), model).fit(X, y)
    alone = type(model)(**model.get_params()).fit(scaler.transform(X), y)
    assert_allclose(ends_of(chain), ends_of(alone, scaler.transform(NEW)), rtol=1e-9)
    means = chain.predict(NEW, interval="conformal", level=0.8)[0]
    assert_array_equal(means, chain.predict(NEW))


@pytest.mark.parametrize("model", STORING, ids=lambda model: type(model).__name__)
def test_pickles_and_copies_keep_their_intervals(model):
    fitted = type(model)(**model.get_params()).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(ends_of(again), ends_of(fitted))


def test_the_best_model_of_a_search_has_intervals():
    search = sf.GridSearchCV(
        sf.Ridge(store_left_out=True), {"alpha": [0.1, 1.0, 1e4]}, cv=5
    ).fit(X, y)  # fmt: skip
    alpha = search.best_params_["alpha"]
    alone = sf.Ridge(alpha, store_left_out=True).fit(X, y)
    assert_allclose(ends_of(search.best_estimator_), ends_of(alone), rtol=1e-9)


def test_cross_validation_scores_models_that_keep_intervals_alike():
    for kept, plain in [
        (sf.LinearRegression(store_left_out=True), sf.LinearRegression()),
        (sf.Ridge(store_left_out=True), sf.Ridge()),
        (sf.KernelRidge(store_left_out=True), sf.KernelRidge()),
    ]:
        scores = [sf.cross_val_score(model, X, y, cv=5) for model in (kept, plain)]
        assert_allclose(scores[0], scores[1], rtol=1e-9)


@pytest.mark.parametrize("method", ["jackknife+", "cv+"])
def test_around_a_pipeline_the_scaler_is_fitted_without_the_row(method):
    chain = sf.make_pipeline(sf.StandardScaler(), sf.Ridge(2.0))
    folds = {"cv": sf.KFold(60)} if method == "cv+" else {}
    model = sf.ConformalRegressor(chain, method=method, **folds).fit(X, y)

    def refit(rows, targets):
        return sf.make_pipeline(sf.StandardScaler(), sf.Ridge(2.0)).fit(rows, targets).predict

    expected = [jackknife_plus(X, y, point, 0.8, refit) for point in NEW]
    assert_allclose(ends_of(model), expected, rtol=1e-8)


def test_around_a_search_each_fit_chooses():
    grid = {"alpha": [0.01, 1.0, 100.0]}
    model = sf.ConformalRegressor(
        sf.GridSearchCV(sf.Ridge(), grid, cv=3), method="cv+", cv=sf.KFold(60)
    ).fit(X, y)  # fmt: skip

    def refit(rows, targets):
        return sf.GridSearchCV(sf.Ridge(), grid, cv=3).fit(rows, targets).predict

    expected = [jackknife_plus(X, y, point, 0.8, refit) for point in NEW]
    assert_allclose(ends_of(model), expected, rtol=1e-8)


def test_a_conformal_model_is_the_last_step_of_a_pipeline():
    chain = sf.make_pipeline(sf.StandardScaler(), sf.ConformalRegressor(method="jackknife+"))
    chain.fit(X, y)
    around = sf.ConformalRegressor(
        sf.make_pipeline(sf.StandardScaler(), sf.LinearRegression()), method="jackknife+"
    ).fit(X, y)
    # Least squares does not know how its columns are scaled.
    assert_allclose(ends_of(chain), ends_of(around), rtol=1e-8)


def test_a_search_goes_over_what_a_conformal_model_holds():
    model = sf.ConformalRegressor(sf.Ridge(), method="jackknife+")
    search = sf.GridSearchCV(model, {"estimator__alpha": [0.1, 1e5]}, cv=4).fit(X, y)
    best = sf.ConformalRegressor(sf.Ridge(**_inner(search.best_params_)), method="jackknife+")
    assert search.best_params_ == {"estimator__alpha": 0.1}
    assert_array_equal(ends_of(search.best_estimator_), ends_of(best.fit(X, y)))


def _inner(params):
    return {name.removeprefix("estimator__"): value for name, value in params.items()}


def test_sets_of_labels_around_pipelines_and_searches():
    chain = sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis())
    for inner in (chain, sf.GridSearchCV(chain, {"lineardiscriminantanalysis__tol": [1e-4]}, cv=2)):
        model = sf.ConformalClassifier(inner, method="cv+", cv=4).fit(X, LABELS)
        alone = sf.ConformalClassifier(sf.LinearDiscriminantAnalysis(), method="cv+", cv=4)
        # Discriminant analysis does not know how its columns are scaled.
        assert_array_equal(model.predict_set(NEW), alone.fit(X, LABELS).predict_set(NEW))


def test_sets_of_the_last_step_of_a_pipeline():
    chain = sf.make_pipeline(sf.StandardScaler(), sf.ConformalClassifier(method="cv+", cv=4))
    sets = chain.fit(X, LABELS)[-1].predict_set(chain[0].transform(NEW))
    assert sets.shape == (6, 3)
    assert_array_equal(chain.predict(NEW), chain[-1].predict(chain[0].transform(NEW)))


def test_members_of_bagging_may_keep_their_fits():
    bagged = sf.BaggingRegressor(
        sf.LinearRegression(store_left_out=True), n_estimators=3, random_state=0
    ).fit(X, y)
    plain = sf.BaggingRegressor(sf.LinearRegression(), n_estimators=3, random_state=0).fit(X, y)
    assert_allclose(bagged.predict(NEW), plain.predict(NEW), rtol=1e-9)


def test_a_transformed_target_has_no_intervals_of_its_own_but_around_it():
    model = sf.TransformedTargetRegressor(
        sf.LinearRegression(), func=np.arcsinh, inverse_func=np.sinh
    )
    around = sf.ConformalRegressor(model, method="cv+", cv=sf.KFold(60)).fit(X, y)

    def refit(rows, targets):
        line = sf.LinearRegression().fit(rows, np.arcsinh(targets))
        return lambda points: np.sinh(line.predict(points))

    expected = [jackknife_plus(X, y, point, 0.8, refit) for point in NEW]
    assert_allclose(ends_of(around), expected, rtol=1e-7)
