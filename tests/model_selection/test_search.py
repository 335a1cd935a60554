# SPDX-License-Identifier: BSD-3-Clause
"""Searches: scikit-learn's tables, shared statistics, the two rules, and candidates that fail."""

import pickle
import warnings

import numpy as np
import pytest

from statfast import (
    PCA,
    LinearDiscriminantAnalysis,
    LinearRegression,
    NotFittedError,
    OneClassSVM,
    Ridge,
    StandardScaler,
    make_pipeline,
)
from statfast._estimator import copied
from statfast.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    cross_val_score,
)
from tests.reference.refits import Plain

peer = pytest.importorskip("sklearn.model_selection")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6)) * [1, 1, 10, 1, 0.1, 1]
    return X, X[:, 0] + rng.standard_normal(80)


ALPHAS = [1000.0, 100.0, 10.0, 1.0, 0.1]


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_mean_absolute_error"])
def test_the_table_of_scikit_learn(data, scoring):
    from sklearn.linear_model import Ridge as TheirRidge

    X, y = data
    grid = [{"alpha": ALPHAS}, {"alpha": [5.0], "fit_intercept": [False, True]}]
    mine = GridSearchCV(Ridge(), grid, scoring=scoring, cv=4, return_train_score=True).fit(X, y)
    other = peer.GridSearchCV(
        TheirRidge(), grid, scoring=scoring, cv=4, return_train_score=True
    ).fit(X, y)
    assert mine.path_ == "merged statistics"
    assert mine.best_params_ == other.best_params_
    assert mine.best_score_ == pytest.approx(other.best_score_)
    assert mine.n_splits_ == other.n_splits_
    for key, values in other.cv_results_.items():
        got = mine.cv_results_[key]
        if key == "params":
            assert got == values
        elif key.startswith("param_"):
            assert got.tolist() == values.tolist()
            assert got.dtype == values.dtype
        elif "time" not in key:
            np.testing.assert_allclose(got, values, rtol=1e-7, err_msg=key)
    np.testing.assert_allclose(mine.predict(X), other.predict(X))
    assert mine.score(X, y) == pytest.approx(other.score(X, y))


@pytest.mark.parametrize("cv", [3, LeaveOneOut()])
def test_shared_statistics_are_refits(data, cv):
    X, y = data
    w = np.arange(80) % 3 + 0.5
    scoring = "neg_mean_squared_error"
    for model, name in (
        (Ridge(), "alpha"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge__alpha"),
    ):
        shared = GridSearchCV(model, {name: ALPHAS}, cv=cv, scoring=scoring)
        plain = GridSearchCV(Plain(model), {f"estimator__{name}": ALPHAS}, cv=cv, scoring=scoring)
        shared.fit(X, y, sample_weight=w)
        plain.fit(X, y, sample_weight=w)
        assert plain.path_ == "refit"
        assert shared.path_ == (
            "closed form" if isinstance(model, Ridge) and cv != 3 else "merged statistics"
        )
        np.testing.assert_allclose(
            shared.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-10
        )


def test_the_two_rules(data):
    X, y = data
    one = GridSearchCV(Ridge(), {"alpha": ALPHAS}, rule="1se", cv=5).fit(X, y)
    least = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5).fit(X, y)
    mean, error = one.cv_results_["mean_test_score"], one.cv_results_["se_test_score"]
    best = least.best_index_
    assert mean[best] == mean.max()
    assert one.best_index_ == np.flatnonzero(mean >= mean[best] - error[best])[0] <= best
    folds = [one.cv_results_[f"split{k}_test_score"][best] for k in range(5)]
    assert error[best] == pytest.approx(np.std(folds, ddof=1) / np.sqrt(5))


def test_a_failing_candidate_does_not_lose_the_others(data):
    X, y = data
    for model, name in ((Ridge(), "alpha"), (Plain(Ridge()), "estimator__alpha")):
        search = GridSearchCV(model, {name: [1.0, -1.0, 10.0]}, cv=3)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            search.fit(X, y)
        said = [str(w.message) for w in told]
        assert any("1 of 3 candidates are left out" in s for s in said)
        assert any("3 fits failed out of a total of 9" in s and "alpha" in s for s in said)
        scores = search.cv_results_["mean_test_score"]
        assert np.isnan(scores).tolist() == [False, True, False]
        assert search.cv_results_["rank_test_score"][1] == 3
        with pytest.raises(ValueError, match="alpha"):
            copied(search).set_params(error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match=r"All the 3 fits failed.*alpha"):
        GridSearchCV(Ridge(), {"alpha": [-1.0]}, cv=3).fit(X, y)


def test_several_scores_and_a_rule_of_ones_own(data):
    X, y = data
    scoring = ["r2", "neg_mean_absolute_error"]
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, scoring=scoring, refit="r2").fit(X, y)
    assert search.multimetric_
    assert search.best_index_ == search.cv_results_["mean_test_r2"].argmax()
    last = GridSearchCV(
        Ridge(), {"alpha": ALPHAS}, scoring=scoring, refit=lambda table: len(table["params"]) - 1
    ).fit(X, y)
    assert last.best_params_ == {"alpha": 0.1}
    none = GridSearchCV(Ridge(), {"alpha": ALPHAS}, refit=False).fit(X, y)
    assert none.best_params_ == GridSearchCV(Ridge(), {"alpha": ALPHAS}).fit(X, y).best_params_
    with pytest.raises(AttributeError, match="refit=False"):
        none.predict(X)
    assert not hasattr(none, "predict")
    for refit, error in ((True, ValueError), ("mse", ValueError), (3, TypeError)):
        with pytest.raises(error, match="refit must"):
            GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scoring, refit=refit).fit(X, y)


def test_random_candidates(data):
    from scipy.stats import loguniform

    X, y = data
    search = RandomizedSearchCV(
        Ridge(), {"alpha": loguniform(1e-2, 1e2)}, n_iter=7, random_state=3
    ).fit(X, y)
    again = RandomizedSearchCV(
        Ridge(), {"alpha": loguniform(1e-2, 1e2)}, n_iter=7, random_state=3
    ).fit(X, y)
    drawn = [p["alpha"] for p in search.cv_results_["params"]]
    assert drawn == [p["alpha"] for p in again.cv_results_["params"]]
    assert len(set(drawn)) == 7
    assert all(1e-2 <= a <= 1e2 for a in drawn)
    listed = RandomizedSearchCV(Ridge(), {"alpha": ALPHAS}, n_iter=9, random_state=0)
    with pytest.warns(UserWarning, match="5 is smaller than n_iter=9"):
        listed.fit(X, y)
    assert sorted(p["alpha"] for p in listed.cv_results_["params"]) == sorted(ALPHAS)


@pytest.mark.filterwarnings("ignore:The total space of parameters")
@pytest.mark.parametrize("n_iter", [5, 6, 9])
@pytest.mark.parametrize("drawn", [False, True])
def test_a_seed_draws_the_candidates_of_scikit_learn(data, n_iter, drawn):
    from scipy.stats import uniform

    X, y = data
    one = {"alpha": uniform(0, 9) if drawn else [0.1, 2.0, 7.0], "fit_intercept": [False, True]}
    space = [one, {"alpha": [1.0, 2.0, 3.0]}] if drawn else one
    mine = RandomizedSearchCV(Ridge(), space, n_iter=n_iter, random_state=4).fit(X, y)
    size = n_iter if drawn else min(n_iter, 6)
    assert mine.cv_results_["params"] == list(peer.ParameterSampler(space, size, random_state=4))


def test_a_search_within_validation(data):
    X, y = data
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=KFold(3))
    scores = cross_val_score(search, X, y, cv=4)
    by_hand = [copied(search).fit(X[a], y[a]).score(X[b], y[b]) for a, b in KFold(4).split(X)]
    np.testing.assert_allclose(scores, by_hand)
    fitted = search.fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    assert fitted.n_features_in_ == 6
    assert search.get_params()["estimator__alpha"] == 1.0


def test_methods_are_those_of_the_estimator(data):
    X, y = data
    search = GridSearchCV(LinearDiscriminantAnalysis(), {"tol": [1e-4, 1e-2]}).fit(X, y > 0)
    np.testing.assert_array_equal(search.predict_proba(X), search.best_estimator_.predict_proba(X))
    np.testing.assert_array_equal(
        search.decision_function(X), search.best_estimator_.decision_function(X)
    )
    np.testing.assert_array_equal(
        search.predict_log_proba(X), search.best_estimator_.predict_log_proba(X)
    )
    np.testing.assert_array_equal(search.transform(X), search.best_estimator_.transform(X))
    assert search.classes_.tolist() == [False, True]
    assert not hasattr(GridSearchCV(Ridge(), {}), "predict_proba")
    with pytest.raises(NotFittedError):
        GridSearchCV(Ridge(), {"alpha": [1.0]}).predict(X)
    with pytest.raises(ValueError, match="X has 2 features, but GridSearchCV is expecting 6"):
        search.predict(X[:, :2])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"param_grid": {"alfa": [1.0]}}, "Invalid parameter 'alfa'"),
        ({"param_grid": {"alpha": 1.0}}, "'alpha' in param_grid must be a list"),
        ({"param_grid": {"alpha": "abc"}}, "'alpha' in param_grid must be a list"),
        ({"param_grid": {"alpha": []}}, "'alpha' in param_grid must not be empty"),
        ({"param_grid": 3}, "param_grid must be a dict of lists"),
        ({"param_grid": []}, "param_grid must be a dict of lists"),
        ({"estimator": Ridge}, "estimator must be an estimator with fit"),
        ({"estimator": None}, "estimator must be an estimator with fit"),
        ({"rule": "best"}, "rule must be"),
        ({"n_jobs": 0}, "n_jobs must be a positive number of threads"),
        ({"cv": 1}, "cv must be between"),
        ({"scoring": "mse"}, "scoring must be one of"),
    ],
)
def test_bad_parameters(data, params, message):
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}).set_params(**params)
    with pytest.raises((TypeError, ValueError), match=message):
        search.fit(*data)


def test_an_empty_grid_is_one_candidate(data):
    X, y = data
    search = GridSearchCV(LinearRegression(), {}, cv=3).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), LinearRegression().fit(X, y).predict(X))


@pytest.mark.parametrize("kind", ["grid", "random"])
def test_scores_of_samples_and_inverses_are_those_of_the_best(data, kind):
    X, _ = data

    def search(model, values):
        if kind == "grid":
            return GridSearchCV(model, values, cv=3, **scored)
        return RandomizedSearchCV(model, values, n_iter=2, cv=3, random_state=0, **scored)

    scored = {}
    found = search(PCA(), {"n_components": [1, 2]}).fit(X)
    best = found.best_estimator_
    np.testing.assert_array_equal(found.score_samples(X), best.score_samples(X))
    np.testing.assert_array_equal(
        found.inverse_transform(found.transform(X)), best.inverse_transform(best.transform(X))
    )
    with pytest.raises(ValueError, match="features"):
        found.score_samples(X[:, :2])
    scored = {"scoring": lambda model, X, y=None: float(model.score_samples(X).mean())}
    machine = search(OneClassSVM(), {"nu": [0.1, 0.5]}).fit(X)
    np.testing.assert_array_equal(
        machine.score_samples(X), machine.best_estimator_.score_samples(X)
    )
    assert not hasattr(machine, "inverse_transform")
    assert not hasattr(search(Ridge(), {"alpha": [1.0, 2.0]}), "score_samples")
    for method in ("score_samples", "inverse_transform"):
        with pytest.raises(NotFittedError):
            getattr(search(PCA(), {"n_components": [1, 2]}), method)(X)
