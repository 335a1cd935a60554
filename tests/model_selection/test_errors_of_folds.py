# SPDX-License-Identifier: BSD-3-Clause
"""Errors of folds that share work: none is hidden, and those of rows are told as by refits."""

import warnings

import numpy as np
import pytest

import statfast as sf
from statfast._validation import FitFailedWarning
from statfast.model_selection import LeaveOneOut, leave_one_out

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 2))
Y = (X[:, 0] + RNG.standard_normal(30) > 0).astype(int)
T = X @ [1.0, -1.0] + RNG.standard_normal(30)


@pytest.mark.parametrize("kind", [ValueError, TypeError, MemoryError, ZeroDivisionError])
@pytest.mark.parametrize(
    ("model", "grid", "place", "y"),
    [
        (
            sf.KNeighborsClassifier(),
            {"n_neighbors": [1, 3]},
            (sf.KNeighborsClassifier, "_by_folds"),
            Y,
        ),
        (sf.LogisticRegression(C=1.0), {}, "statfast.linear.logistic.fold_models.fit_folds", Y),
        (sf.GeneralizedLinearModel("gaussian"), {}, "statfast.linear.glm.glm.fit_folds", T),
        (sf.KernelRidge(), {}, "statfast.svm.ridge.kernel_ridge.held_out", T),
        (sf.Ridge(), {}, "statfast._estimator.folds.merged_folds.sums_of_folds", T),
    ],
)
def test_an_error_of_shared_work_is_not_hidden_by_refits(model, grid, place, y, kind, monkeypatch):
    def broken(*args, **kwargs):
        raise kind("shared work is broken")

    if isinstance(place, str):
        monkeypatch.setattr(place, broken)
    else:
        monkeypatch.setattr(*place, broken)
    with pytest.raises((kind, ValueError), match="shared work is broken"):
        sf.GridSearchCV(model, grid, cv=3).fit(X, y)


MODELS = [
    (sf.LinearDiscriminantAnalysis(), Y), (sf.GaussianNB(), Y), (sf.LogisticRegression(C=1.0), Y),
    (sf.KNeighborsClassifier(), Y), (sf.SVC(), Y), (sf.Ridge(), T), (sf.LinearRegression(), T),
    (sf.KernelRidge(), T), (sf.GeneralizedLinearModel("gaussian"), T),
    (sf.make_pipeline(sf.StandardScaler(), sf.Ridge()), T),
    (sf.make_pipeline(sf.StandardScaler(), sf.LogisticRegression(C=1.0)), Y),
]  # fmt: skip


@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("bad", [np.inf, "text"])
def test_rows_that_some_fits_refuse_fail_their_folds_alone(model, y, bad):
    rows = X.astype(object if isinstance(bad, str) else float)
    rows[3, 1] = bad
    cv = [(np.arange(10, 20), np.arange(20, 30)), (np.arange(10), np.arange(20, 30))]
    alone = model.fit(X[10:20], y[10:20]).score(X[20:], y[20:])
    with pytest.warns(FitFailedWarning, match="1 fits failed out of a total of 2"):
        got = sf.cross_val_score(model, rows, y, cv=cv)
    assert np.isnan(got).tolist() == [False, True]
    np.testing.assert_allclose(got[0], alone)
    with pytest.raises((ValueError, TypeError), match=r"infinity|numbers"):
        sf.cross_val_score(model, rows, y, cv=cv, error_score="raise")


@pytest.mark.parametrize(
    ("model", "y"), [*MODELS[:4], *MODELS[5:9]], ids=lambda one: type(one).__name__
)
def test_rows_that_fits_refuse_are_told_where_one_is_left_out(model, y):
    rows = X.copy()
    rows[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        leave_one_out(model, rows, y)


def test_wrong_parameters_fail_their_candidates_alone():
    for model, grid, y in (
        (sf.KNeighborsClassifier(), {"n_neighbors": [3, 0]}, Y),
        (sf.SVC(), {"C": [1.0, -1.0]}, Y),
        (sf.LogisticRegression(), {"C": [1.0, -1.0]}, Y),
        (sf.KernelRidge(), {"alpha": [1.0, -1.0]}, T),
        (sf.Ridge(), {"alpha": [1.0, -1.0]}, T),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            search = sf.GridSearchCV(model, grid, cv=3).fit(X, y)
        assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
        assert any(issubclass(one.category, FitFailedWarning) for one in said)


def test_scores_that_ask_for_more_than_predictions_get_it():
    grid = {"n_neighbors": [3, 5]}
    search = sf.GridSearchCV(sf.KNeighborsClassifier(), grid, cv=3, scoring="neg_log_loss")
    got = search.fit(X, Y).cv_results_["mean_test_score"]
    want = [
        sf.cross_val_score(sf.KNeighborsClassifier(k), X, Y, cv=3, scoring="neg_log_loss").mean()
        for k in grid["n_neighbors"]
    ]
    assert np.isfinite(want).all()
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "place", "cv", "y"),
    [
        (sf.KernelRidge(), "statfast.svm.ridge.kernel_ridge.takes_too_much", 3, T),
        (
            sf.GridSearchCV(sf.KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=LeaveOneOut()),
            "statfast.neighbors.vote.leave_one_out.takes_too_much",
            None,
            Y,
        ),
    ],
)
def test_what_has_no_room_for_all_rows_is_refitted(model, place, cv, y, monkeypatch):
    def fitted_as():
        if cv is None:
            model.set_params(scoring="accuracy").fit(X, y)
            return model.path_, model.cv_results_["mean_test_score"]
        found = sf.cross_validate(model, X, y, cv=cv)
        return found.path, found["test_score"]

    strategy, want = fitted_as()
    assert strategy == "closed form"
    monkeypatch.setattr(place, lambda nbytes: True)
    strategy, got = fitted_as()
    assert strategy == "refit"
    np.testing.assert_allclose(got, want, rtol=1e-10)
