# SPDX-License-Identifier: BSD-3-Clause
"""Ridge classifiers beside scikit-learn's, and beside ridge regression on indicators."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import statfast as sf
from statfast.datasets import load_iris
from tests.reference.refits import Plain

linear_model = pytest.importorskip("sklearn.linear_model")

NAMES = np.array(["ash", "elm", "oak", "yew"])
ALPHAS = (0.1, 30.0, 1.0)


def clouds(seed=0, n=60, k=3, d=4):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(k, d))[codes] + 3.0
    return X, NAMES[codes], rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "params",
    [
        {}, {"alpha": 20.0}, {"fit_intercept": False}, {"class_weight": "balanced"},
        {"class_weight": {"ash": 3.0, "elm": 0.5}}, {"positive": True},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_are_those_of_scikit_learn(k, params, weighted):
    X, y, w = clouds(k=k)
    weights = w if weighted else None
    if weighted and params.get("class_weight") == "balanced":  # scikit-learn balances numbers
        totals = {name: w[y == name].sum() for name in NAMES[:k]}
        params = {"class_weight": {name: w.sum() / k / total for name, total in totals.items()}}
    ours = sf.RidgeClassifier(**params).fit(X, y, weights)
    tol = {"tol": 1e-12, "max_iter": 100_000} if "positive" in params else {}
    theirs = linear_model.RidgeClassifier(**params, **tol).fit(X, y, weights)
    at = 1e-5 if "positive" in params else 1e-10
    assert ours.coef_.shape == (1 if k == 2 else k, 4)
    assert ours.intercept_.shape == (1 if k == 2 else k,)
    assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), rtol=at, atol=at)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=at, atol=at)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=at, atol=at)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.classes_.tolist() == NAMES[:k].tolist()


def test_indicators_are_regressed():
    X, y, w = clouds(3)
    model = sf.RidgeClassifier(2.0).fit(X, y, w)
    for k, name in enumerate(model.classes_):
        one = sf.Ridge(2.0).fit(X, np.where(y == name, 1.0, -1.0), w)
        assert_allclose(model.coef_[k], one.coef_, rtol=1e-10)
        assert_allclose(model.intercept_[k], one.intercept_, rtol=1e-10)
        assert model.df_ == pytest.approx(one.df_)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 10.0]), st.sampled_from([2, 3]))
def test_conditions_of_optimality(seed, alpha, k):
    X, y, w = clouds(seed % 1000, n=25, k=k)
    model = sf.RidgeClassifier(alpha).fit(X, y, w)
    columns = model.classes_[-1:] if k == 2 else model.classes_
    targets = np.where(y[:, None] == columns, 1.0, -1.0)
    errors = w[:, None] * (targets - X @ model.coef_.T - model.intercept_)
    assert_allclose(X.T @ errors, alpha * model.coef_.T, atol=1e-7)
    assert_allclose(errors.sum(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows(make):
    X, y, w = clouds(4)
    X = np.where(X > 3.0, X, 0.0)
    dense = sf.RidgeClassifier(class_weight="balanced").fit(X, y, w)
    other = sf.RidgeClassifier(class_weight="balanced").fit(make(X), y, w)
    assert_allclose(other.coef_, dense.coef_, rtol=1e-9)
    wide = sparse.random(3000, 1000, 0.005, random_state=0, format="csr")
    rows = np.arange(3000) % 3
    got, known = (sf.RidgeClassifier().fit(R, rows) for R in (wide, wide.toarray()))
    assert got.solver_ == "cg"
    assert_allclose(got.coef_, known.coef_, atol=1e-8)


@pytest.mark.parametrize("cls", [sf.RidgeClassifier, sf.RidgeClassifierCV])
def test_types_threads_and_weights(cls):
    X, y, w = clouds(5, n=3000)
    models = [cls(n_jobs=jobs).fit(X, y, w) for jobs in (1, 2, 7)]
    for model in models[1:]:
        assert_array_equal(model.coef_, models[0].coef_)
    single = cls().fit(X.astype(np.float32), y, w)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    assert_allclose(single.coef_, models[0].coef_, rtol=1e-4, atol=1e-5)
    repeated = sf.RidgeClassifier().fit(X.repeat(w.astype(int), axis=0), y.repeat(w.astype(int)))
    assert_allclose(sf.RidgeClassifier().fit(X, y, w).coef_, repeated.coef_, rtol=1e-9, atol=1e-12)
    without = cls().fit(X, y, np.where(y == "oak", 0.0, w))
    assert without.classes_.tolist() == ["ash", "elm"]
    kept = y != "oak"
    assert_allclose(without.coef_, cls().fit(X[kept], y[kept], w[kept]).coef_, rtol=1e-8)


@pytest.mark.parametrize("class_weight", [None, {"ash": 2.0}, "balanced"])
def test_folds_are_merged_unless_weights_are_balanced(class_weight):
    X, y, w = clouds(6, n=90)
    model = sf.RidgeClassifier(class_weight=class_weight)
    cv = sf.KFold(5)
    scores = sf.cross_validate(model, X, y, cv=cv, sample_weight=w)
    known = sf.cross_validate(Plain(model), X, y, cv=cv, sample_weight=w)
    assert scores.path == ("refit" if class_weight == "balanced" else "merged statistics")
    assert_allclose(scores["test_score"], known["test_score"], rtol=1e-12)
    lost = [(np.flatnonzero(y != "oak"), np.flatnonzero(y == "oak")), (np.arange(60), [70])]
    models = sf.cross_validate(model, X, y, cv=lost, return_estimator=True)["estimator"]
    assert models[0].classes_.tolist() == ["ash", "elm"]
    want = sf.RidgeClassifier(class_weight=class_weight).fit(X[lost[0][0]], y[lost[0][0]])
    assert_allclose(models[0].coef_, want.coef_, rtol=1e-8)


# ------------------------------------------------------------------ the choice of the penalty


@pytest.mark.parametrize(("k", "scoring"), [(2, None), (3, None), (3, "accuracy"), (3, "f1_macro")])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("store", [False, True])
def test_rows_left_out_as_by_scikit_learn(k, scoring, class_weight, store):
    X, y, _ = clouds(7, n=50, k=k)
    params = {"scoring": scoring, "class_weight": class_weight, "store_cv_results": store}
    ours = sf.RidgeClassifierCV(ALPHAS, **params).fit(X, y)
    theirs = linear_model.RidgeClassifierCV(ALPHAS, **params).fit(X, y)
    if scoring is None:
        assert ours.alpha_ == theirs.alpha_
        assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), rtol=1e-8)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)
    assert hasattr(ours, "cv_results_") == store
    if store:
        assert ours.cv_results_.shape == theirs.cv_results_.shape
        same = slice(None) if class_weight is None or scoring else np.zeros(len(y), bool)
        assert_allclose(ours.cv_results_[same], theirs.cv_results_[same], rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "roc_auc_ovr"])
def test_folds_as_by_a_search(scoring):
    X, y, w = clouds(8, n=90)
    if scoring == "roc_auc_ovr":
        X, y, w = clouds(8, n=90, k=2)
        scoring = "roc_auc"
    cv = sf.StratifiedKFold(4, shuffle=True, random_state=0)
    model = sf.RidgeClassifierCV(ALPHAS, cv=cv, scoring=scoring).fit(X, y, w)
    search = sf.GridSearchCV(
        sf.RidgeClassifier(), {"alpha": sorted(ALPHAS)[::-1]}, cv=cv, scoring=scoring
    ).fit(X, y, sample_weight=w)
    assert model.alpha_ == search.best_params_["alpha"]
    assert_allclose(model.errors_, -search.cv_results_["mean_test_score"])
    assert_array_equal(model.coef_, search.best_estimator_.coef_)
    assert model.best_score_ == search.best_score_
    theirs = linear_model.RidgeClassifierCV(ALPHAS, cv=cv, scoring=scoring).fit(X, y)
    ours = sf.RidgeClassifierCV(ALPHAS, cv=cv, scoring=scoring).fit(X, y)
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_iris():
    X, y = load_iris(return_X_y=True)
    theirs = linear_model.RidgeClassifierCV(ALPHAS).fit(X, y)
    ours = sf.RidgeClassifierCV(ALPHAS).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("class_weight", [None, {"ash": 2.0, "elm": 0.5}])
def test_scores_of_rows_left_out_are_those_of_refits(scoring, class_weight):
    X, y, w = clouds(12, n=30, k=2)
    X[:, 1:] += np.random.default_rng(1).normal(size=(30, 3)) * 3
    total = w if class_weight is None else w * np.where(y == "ash", 2.0, 0.5)
    model = sf.RidgeClassifierCV(
        ALPHAS, scoring=scoring, class_weight=class_weight, store_cv_results=True
    ).fit(X, y, w)
    for place, alpha in enumerate(ALPHAS):
        values = []
        for row in range(30):
            kept = np.arange(30) != row
            one = sf.RidgeClassifier(alpha).fit(X[kept], y[kept], total[kept])
            values.append(one.decision_function(X[row : row + 1])[0])
        values = np.array(values)
        assert_allclose(model.cv_results_[:, 0, place], values, rtol=1e-8, atol=1e-10)
        if scoring == "accuracy":
            score = np.average((values > 0) == (y == "elm"), weights=total)
        else:
            score = sf.metrics.roc_auc_score(y == "elm", values, sample_weight=total)
        assert -model.errors_[model.alphas_ == alpha][0] == pytest.approx(score, rel=1e-9)


def test_the_number_of_penalties():
    X, y, _ = clouds(9)
    by_rows = sf.RidgeClassifierCV(5, store_cv_results=True).fit(X, y)
    assert by_rows.alphas_.shape == (5,)
    assert by_rows.cv_results_.shape == (60, 3, 5)
    assert_allclose(by_rows.cv_results_.mean(axis=(0, 1)), by_rows.errors_)
    assert_array_equal(sf.RidgeClassifierCV(5, cv=3).fit(X, y).alphas_, by_rows.alphas_)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (sf.RidgeClassifier(-1.0), ValueError, "alpha must be at least 0"),
        (sf.RidgeClassifier("much"), TypeError, "alpha must be"),
        (sf.RidgeClassifier(class_weight="even"), ValueError, "class_weight must be"),
        (sf.RidgeClassifier(class_weight=3), TypeError, "class_weight must be"),
        (sf.RidgeClassifierCV([-1.0]), ValueError, "alphas must be finite"),
        (sf.RidgeClassifierCV(scoring="nonsense"), ValueError, "nonsense"),
        (sf.RidgeClassifierCV(scoring=["f1"]), TypeError, "scoring must be"),
        (sf.RidgeClassifierCV(cv=1), ValueError, "cv must be"),
        (sf.RidgeClassifierCV(cv=3, store_cv_results=True), ValueError, "are incompatible"),
    ],
    ids=str,
)
def test_wrong_settings(model, error, message):
    X, y, _ = clouds(10)
    with pytest.raises(error, match=message):
        model.fit(X, y)


@pytest.mark.parametrize("cls", [sf.RidgeClassifier, sf.RidgeClassifierCV])
def test_wrong_data(cls):
    X, y, _ = clouds(11)
    with pytest.raises(ValueError, match="at least 2 classes"):
        cls().fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="NaN"):
        cls().fit(np.where(X > 4, np.nan, X), y)
    with pytest.raises(ValueError, match="60"):
        cls().fit(X, y[:-1])
    with pytest.raises(ValueError, match="4 features"):
        cls().fit(X, y).predict(X[:, :3])
