# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out by formulas is n fits, and many k of nearest neighbors need one search."""

import json
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from statfast import (
    GaussianNB,
    KNeighborsClassifier,
    KNeighborsRegressor,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    cross_validate,
)
from statfast.datasets import load_iris
from statfast.model_selection import GridSearchCV, KFold, LeaveOneOut, leave_one_out
from statfast.model_selection.evaluation.scoring import Scores
from tests.reference.refits import Plain


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 3))
    return X, X[:, 0] + rng.standard_normal(40), rng.integers(1, 4, 40).astype(float)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        Ridge(0.5),
        Ridge(fit_intercept=False),
    ],
)
def test_regressors(data, model):
    X, y, w = data
    X = X.copy()
    X[4, 1] = 1e6  # a leverage of 1, but for rounding
    got = leave_one_out(model, X, y, sample_weight=w)
    want = leave_one_out(Plain(model), X, y, sample_weight=w)
    assert (got.path, want.path) == ("closed form", "refit")
    np.testing.assert_allclose(got.answers, want.answers, rtol=1e-8)


def test_dependent_columns_are_not_by_the_formula(data):
    X, y, _ = data
    X = np.column_stack([X, X[:, 0]])
    with pytest.warns(UserWarning, match="depend"):
        got = leave_one_out(LinearRegression(), X, y)
    assert got.path == "merged statistics"


@pytest.mark.parametrize("kind", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_priors_of_mass(kind):
    iris = load_iris()
    fixed = leave_one_out(kind(), iris.data, iris.target, method="predict_proba", priors="fixed")
    shares = kind(priors=[1 / 3] * 3)
    want = leave_one_out(shares, iris.data, iris.target, method="predict_proba")
    free = leave_one_out(kind(), iris.data, iris.target, method="predict_proba")
    assert fixed.path == free.path == "closed form"
    np.testing.assert_allclose(fixed.answers, want.answers, rtol=1e-12)
    assert 1e-6 < np.abs(fixed.answers - free.answers).max() < 0.01
    with pytest.raises(ValueError, match="LinearRegression has none"):
        leave_one_out(LinearRegression(), iris.data, iris.target, priors="fixed")


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbors_for_all_k_from_one_search(data, weights):
    X, y, _ = data
    codes = np.array(["no", "yes"])[(y > 0).astype(int)]
    grid = {"n_neighbors": [1, 2, 5, 9]}
    for model, target, scoring in (
        (KNeighborsClassifier(weights=weights), codes, "accuracy"),
        (KNeighborsRegressor(weights=weights), y, "neg_mean_squared_error"),
    ):
        for cv, path in ((LeaveOneOut(), "closed form"), (KFold(4), "shared structure")):
            got = GridSearchCV(model, grid, scoring=scoring, cv=cv).fit(X, target)
            plain = {"estimator__n_neighbors": grid["n_neighbors"]}
            want = GridSearchCV(Plain(model), plain, scoring=scoring, cv=cv).fit(X, target)
            assert (got.path_, want.path_) == (path, "refit")
            np.testing.assert_allclose(
                got.cv_results_["mean_test_score"], want.cv_results_["mean_test_score"]
            )
        one = leave_one_out(model, X, target)
        assert one.path == "closed form"
        np.testing.assert_array_equal(one.answers, leave_one_out(Plain(model), X, target).answers)


def test_leave_one_out_of_mass(shared_data):
    iris = load_iris()
    path = shared_data("..", "reference", "lda_qda.json")
    known = json.loads(path.read_text("utf-8"))["iris"]
    rows = np.array(known["posterior_rows_1based"]) - 1
    got = leave_one_out(
        LinearDiscriminantAnalysis(), iris.data, iris.target, method="predict_proba", priors="fixed"
    ).answers
    np.testing.assert_allclose(got[rows], known["lda"]["loo_posterior"], rtol=1e-9, atol=1e-300)
    counts = known["lda"]["loo_confusion_true_by_predicted"]["counts"]
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (iris.target, got.argmax(axis=1)), 1)
    assert table.tolist() == counts


@pytest.mark.parametrize(
    ("model", "weighted"),
    [(LinearDiscriminantAnalysis(), False), (LinearDiscriminantAnalysis(), True),
     (QuadraticDiscriminantAnalysis(), True), (GaussianNB(), True),
     (KNeighborsClassifier(3), False)],
)  # fmt: skip
def test_accuracies_of_single_rows_are_scored_at_once(model, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 3)) + y[:, None]
    weights = rng.integers(0, 3, 60).astype(float) if weighted else None
    pairs = [(np.delete(np.arange(60), i), [i]) for i in range(60)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Rows without weight have no score.
        known = cross_validate(model, X, y, cv=pairs, sample_weight=weights)
    monkeypatch.setattr(Scores, "add", None)
    got = cross_validate(model, X, y, cv=LeaveOneOut(), sample_weight=weights)
    assert got.path == "closed form"
    assert_array_equal(got["test_score"], known["test_score"])
