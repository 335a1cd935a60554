# SPDX-License-Identifier: BSD-3-Clause
"""The penalty of ridge regression by rows left out, one by one and in folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import GridSearchCV, GroupKFold, KFold, Ridge, RidgeCV, ShuffleSplit
from statfast.metrics import mean_absolute_error, r2_score

linear_model = pytest.importorskip("sklearn.linear_model")

ALPHAS = (0.1, 300.0, 10.0)  # in no order


def problem(seed=0, n=40, d=5, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2.0
    Y = X @ rng.normal(size=(d, targets or 1)) + 2.0 * rng.normal(size=(n, targets or 1))
    return X, Y if targets else Y[:, 0], rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("per_target", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_rows_left_out_as_by_scikit_learn(targets, scoring, per_target, weighted, intercept):
    if per_target and scoring and targets is None:
        pytest.skip("scikit-learn's own indices fail")
    X, Y, w = problem(targets=targets)
    weights = w if weighted else None
    params = {
        "scoring": scoring, "alpha_per_target": per_target, "store_cv_results": True,
        "fit_intercept": intercept,
    }  # fmt: skip
    ours = RidgeCV(ALPHAS, **params).fit(X, Y, weights)
    theirs = linear_model.RidgeCV(ALPHAS, **params).fit(X, Y, weights)
    assert ours.cv_results_.shape == theirs.cv_results_.shape
    assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-8, atol=1e-12)
    assert_allclose(ours.alpha_, theirs.alpha_)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    # Squared errors are averaged by weight here, and over the number of rows there.
    scale = len(X) / w.sum() if weighted and scoring is None else 1.0
    assert_allclose(ours.best_score_, np.multiply(theirs.best_score_, scale), rtol=1e-9)


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_predictions_of_rows_left_out_are_those_of_refits(shape, make):
    X, Y, w = problem(1, *shape, targets=2)
    X, w = np.where(X > 2.0, X, 0.0), np.where(np.arange(len(w)) == 3, 0.0, w)
    model = RidgeCV(ALPHAS, scoring="r2", store_cv_results=True).fit(make(X), Y, w)
    for place, alpha in enumerate(ALPHAS):
        for row in range(len(X)):
            kept = np.arange(len(X)) != row
            one = Ridge(alpha).fit(X[kept], Y[kept], w[kept])
            assert_allclose(
                model.cv_results_[row, :, place], one.predict(X[row : row + 1])[0], rtol=1e-7
            )
        score = r2_score(Y, model.cv_results_[:, :, place], sample_weight=w)
        assert -model.errors_[model.alphas_ == alpha] == pytest.approx(score, rel=1e-9)
    plain = RidgeCV(ALPHAS, store_cv_results=True).fit(make(X), Y, w)
    squares = w[:, None, None] * (Y[:, :, None] - model.cv_results_) ** 2
    assert_allclose(plain.cv_results_, squares, rtol=1e-7, atol=1e-12)
    order = np.argsort(ALPHAS)[::-1]
    means = plain.cv_results_.sum(axis=0).mean(axis=0) / w.sum()
    assert_allclose(plain.errors_, means[order], rtol=1e-9)


@pytest.mark.parametrize("targets", [None, 2])
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_median_absolute_error"])
@pytest.mark.parametrize(
    "cv", [4, KFold(5, shuffle=True, random_state=1), ShuffleSplit(3, random_state=0)], ids=str
)
def test_folds_as_by_a_search(targets, scoring, cv):
    X, Y, w = problem(2, n=60, targets=targets)
    model = RidgeCV(ALPHAS, cv=cv, scoring=scoring).fit(X, Y, w)
    search = GridSearchCV(Ridge(), {"alpha": sorted(ALPHAS)[::-1]}, cv=cv, scoring=scoring)
    search.fit(X, Y, sample_weight=w)
    assert model.alpha_ == search.best_params_["alpha"]
    assert_allclose(model.errors_, -search.cv_results_["mean_test_score"])
    assert_array_equal(model.coef_, search.best_estimator_.coef_)
    assert_array_equal(model.intercept_, search.best_estimator_.intercept_)
    assert model.df_ == search.best_estimator_.df_
    theirs = linear_model.RidgeCV(ALPHAS, cv=list(KFold(4).split(X)), scoring=scoring).fit(X, Y)
    ours = RidgeCV(ALPHAS, cv=4, scoring=scoring).fit(X, Y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)


def test_folds_of_groups_and_pairs():
    X, y, _ = problem(3)
    groups = np.arange(40) % 6
    by_groups = RidgeCV(ALPHAS, cv=GroupKFold(3)).fit(X, y, groups=groups)
    pairs = list(GroupKFold(3).split(X, y, groups))
    assert_allclose(by_groups.errors_, RidgeCV(ALPHAS, cv=pairs).fit(X, y).errors_, rtol=1e-9)


def test_folds_of_one_row_are_rows_left_out():
    X, y, _ = problem(4, n=20)
    folds = RidgeCV(ALPHAS, cv=20, scoring="neg_mean_squared_error").fit(X, y)
    rows = RidgeCV(ALPHAS).fit(X, y)
    assert_allclose(folds.errors_, rows.errors_, rtol=1e-9)
    assert folds.alpha_ == rows.alpha_


def test_a_function_as_scoring():
    def nearness(model, X, y, sample_weight=None):
        return -mean_absolute_error(y, model.predict(X), sample_weight=sample_weight)

    X, y, w = problem(5)
    for cv in (None, 3):
        by_function = RidgeCV(ALPHAS, scoring=nearness, cv=cv).fit(X, y, w)
        by_name = RidgeCV(ALPHAS, scoring="neg_mean_absolute_error", cv=cv).fit(X, y, w)
        assert_allclose(by_function.errors_, by_name.errors_)


@pytest.mark.parametrize("cv", [None, 4])
def test_ties_go_to_the_largest_penalty(cv):
    X, y, _ = problem(6)
    model = RidgeCV([1.0, 2.0, 3.0], scoring=lambda model, X, y: 0.0, cv=cv).fit(X, y)
    assert model.alpha_ == 3.0


def test_numbers_of_penalties_are_the_same_ones_in_folds():
    X, y, _ = problem(7)
    assert_array_equal(RidgeCV(7, cv=3).fit(X, y).alphas_, RidgeCV(7).fit(X, y).alphas_)
    wide = sparse.random(40, 300, 0.05, random_state=0, format="csr")
    dense = RidgeCV(ALPHAS, cv=3).fit(wide.toarray(), y)
    assert_allclose(RidgeCV(ALPHAS, cv=3).fit(wide, y).errors_, dense.errors_, rtol=1e-9)


@pytest.mark.parametrize(
    "params", [{"cv": 3}, {"scoring": "r2"}, {"store_cv_results": True}], ids=str
)
def test_threads_and_types(params):
    X, Y, w = problem(8, n=3000, targets=2)
    models = [RidgeCV(ALPHAS, n_jobs=jobs, **params).fit(X, Y, w) for jobs in (1, 2, 7)]
    for model in models[1:]:
        assert_array_equal(model.coef_, models[0].coef_)
        assert_array_equal(model.errors_, models[0].errors_)
    single = RidgeCV(ALPHAS, **params).fit(X.astype(np.float32), Y, w)
    assert_allclose(single.errors_, models[0].errors_, rtol=1e-4)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"cv": 3, "store_cv_results": True}, ValueError, "cv!=None and store_cv_results=True"),
        ({"cv": 3, "alpha_per_target": True}, ValueError, "cv!=None and alpha_per_target=True"),
        ({"cv": 3, "criterion": "gcv"}, ValueError, "criterion='gcv' leaves no rows out"),
        ({"scoring": "r2", "criterion": "gcv"}, ValueError, "criterion='gcv' leaves no rows out"),
        ({"scoring": "nonsense"}, ValueError, "nonsense"),
        ({"scoring": {"a": "r2"}}, TypeError, "scoring must be the name of a score"),
        ({"cv": 1}, ValueError, "cv must be"),
        ({"cv": "three"}, TypeError, "cv must be"),
        ({"store_cv_results": "yes"}, TypeError, "store_cv_results must be"),
        ({"gcv_mode": "magic"}, ValueError, "gcv_mode"),
    ],
)
def test_wrong_settings(params, error, message):
    X, Y, _ = problem(9, targets=2)
    with pytest.raises(error, match=message):
        RidgeCV(ALPHAS, **params).fit(X, Y)


def test_names_of_columns():
    pandas = pytest.importorskip("pandas")
    X, y, _ = problem(10)
    table = pandas.DataFrame(X, columns=list("abcde"))
    for cv in (None, 3):
        model = RidgeCV(ALPHAS, cv=cv, gcv_mode="svd").fit(table, y)
        assert model.feature_names_in_.tolist() == list("abcde")
        assert_array_equal(model.predict(table), RidgeCV(ALPHAS, cv=cv).fit(X, y).predict(X))
