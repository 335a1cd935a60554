# SPDX-License-Identifier: BSD-3-Clause
"""Rows of weight 0 are not there: neither fitted, nor scored, nor a class of the answers."""

import numpy as np
import pytest

from statfast import (
    GaussianNB,
    KernelRidge,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    RidgeCV,
)
from statfast.inspection import partial_dependence, permutation_importance
from statfast.metrics import get_scorer
from statfast.model_selection import (
    compare,
    cross_val_predict,
    cross_val_score,
    leave_one_out,
)

N = 60
rng = np.random.default_rng(3)
y = np.repeat(["ash", "elm", "oak"], N // 3)[rng.permutation(N)]
codes = np.unique(y, return_inverse=True)[1]
X = rng.normal(size=(N, 3)) + codes[:, None]
numbers = X @ [1.0, 2.0, 3.0] + rng.normal(size=N)
weights = np.where(y == "oak", 0.0, 1.0 + np.arange(N) % 2)
kept = np.flatnonzero(weights)


def folds(places):
    of = places % 3
    return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]


CLASSIFIERS = [LogisticRegression(C=1.0), LinearDiscriminantAnalysis(), GaussianNB()]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    "scoring", ["neg_log_loss", "f1_macro", "roc_auc_ovr", "d2_log_loss_score"]
)
def test_a_class_without_weight_is_not_scored(model, scoring):
    every, alone = np.arange(N), kept
    got = cross_val_score(
        model, X, y, cv=folds(every), scoring=scoring, sample_weight=weights, error_score="raise"
    )
    want = cross_val_score(
        model, X[kept], y[kept], cv=folds(alone), scoring=scoring, sample_weight=weights[kept],
        error_score="raise",
    )  # fmt: skip
    np.testing.assert_allclose(got, want, rtol=1e-7)


def test_a_scorer_leaves_such_rows_out():
    model = LogisticRegression(C=1.0).fit(X[kept], y[kept])
    scorer = get_scorer("neg_log_loss")
    got = scorer(model, X, y, sample_weight=weights)
    assert got == pytest.approx(scorer(model, X[kept], y[kept], sample_weight=weights[kept]))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_held_out_answers_have_no_column_for_it(model):
    told = cross_val_predict(
        model, X, y, cv=folds(np.arange(N)), sample_weight=weights, method="predict_proba"
    )
    assert told.shape == (N, 2)
    found = leave_one_out(model, X, y, method="predict_proba", sample_weight=weights).answers
    assert found.shape[1] == 2


LEFT_OUT = [
    (LinearRegression(), numbers, "predict"),
    (Ridge(2.0), numbers, "predict"),
    (KernelRidge(2.0), numbers, "predict"),
    (LinearDiscriminantAnalysis(), y, "predict_proba"),
    (QuadraticDiscriminantAnalysis(), y, "predict_proba"),
    (GaussianNB(), y, "predict_proba"),
    (LogisticRegression(C=1.0), y, "predict_proba"),
]


@pytest.mark.parametrize(("model", "target", "method"), LEFT_OUT, ids=lambda part: str(part)[:12])
def test_a_row_is_held_out_with_its_whole_weight(model, target, method):
    mass = 1.0 + np.arange(N) % 3
    got = leave_one_out(model, X, target, method=method, sample_weight=mass).answers
    for i in range(0, N, 7):
        rest = np.where(np.arange(N) == i, 0.0, mass)
        alone = type(model)(**model.get_params()).fit(X, target, sample_weight=rest)
        np.testing.assert_allclose(got[i], getattr(alone, method)(X[i : i + 1])[0], rtol=1e-6)


def test_ridge_chooses_by_the_same_rows():
    mass, alphas = 1.0 + np.arange(N) % 3, [0.1, 10.0]
    model = RidgeCV(alphas).fit(X, numbers, sample_weight=mass)
    for alpha, error in zip(model.alphas_, model.errors_, strict=True):
        held = leave_one_out(Ridge(alpha), X, numbers, sample_weight=mass).answers
        assert error == pytest.approx(np.average((held - numbers) ** 2, weights=mass), rel=1e-9)


def test_tests_of_two_classifiers_are_of_rows_with_weight():
    one = np.where(y == "oak", 0.0, 1.0)
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    got = compare(models, X, y, cv=folds(np.arange(N)), sample_weight=one, random_state=0)
    want = compare(models, X[kept], y[kept], cv=folds(kept), random_state=0)
    pair = ("lda", "nb")
    assert str(got.mcnemar[pair]) == str(want.mcnemar[pair])  # NaN among its numbers is not equal
    assert got.delong[pair].p_value == pytest.approx(want.delong[pair].p_value)


def test_importances_permute_rows_with_weight_alone():
    mass = np.arange(N) % 3 * 1.0
    some = np.flatnonzero(mass)
    model = LinearRegression().fit(X, numbers)
    got = permutation_importance(model, X, numbers, sample_weight=mass, random_state=0)
    want = permutation_importance(
        model, X[some], numbers[some], sample_weight=mass[some], random_state=0
    )
    np.testing.assert_array_equal(got.importances, want.importances)


def test_the_grid_of_partial_dependence_is_of_rows_with_weight():
    mass = np.arange(N) % 3 * 1.0
    some = np.flatnonzero(mass)
    far = np.where((mass > 0.0)[:, None], X, 1e3)
    model = LinearRegression().fit(X, numbers)
    got = partial_dependence(model, far, [0], sample_weight=mass, grid_resolution=7)
    want = partial_dependence(model, X[some], [0], sample_weight=mass[some], grid_resolution=7)
    np.testing.assert_array_equal(got["grid_values"][0], want["grid_values"][0])
    np.testing.assert_allclose(got["average"], want["average"], rtol=1e-12)
