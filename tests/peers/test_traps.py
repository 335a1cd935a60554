# SPDX-License-Identifier: BSD-3-Clause
"""Answers that differ from scikit-learn's: each row of the table is what it says, and no more."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import statfast
from statfast._engine import blocks, usable_threads
from statfast.datasets import load_iris, load_wine

pytest.importorskip("sklearn")
from sklearn import discriminant_analysis, ensemble, linear_model, multiclass, naive_bayes, tree


@pytest.fixture
def wine():
    return load_wine(return_X_y=True)


def test_trap_the_covariance_of_lda_has_divisor_n_minus_k(wine):
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(store_covariance=True).fit(*wine)
    plain = statfast.LinearDiscriminantAnalysis(store_covariance=True).fit(*wine)
    n, k = len(wine[1]), 3
    np.testing.assert_allclose(plain.covariance_ * (n - k) / n, theirs.covariance_, rtol=1e-9)
    same = statfast.LinearDiscriminantAnalysis(method="mle").fit(*wine)
    np.testing.assert_allclose(same.predict_proba(wine[0]), theirs.predict_proba(wine[0]))
    np.testing.assert_allclose(same.coef_, theirs.coef_)
    ours, other = same.transform(wine[0]), theirs.transform(wine[0])
    np.testing.assert_allclose(ours * np.sign(ours[0] * other[0]), other, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "lsqr"},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.3},
    ],
)
def test_trap_other_solvers_of_lda_are_centered(wine, options):
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**options).fit(*wine)
    ours = statfast.LinearDiscriminantAnalysis(method="mle", **options).fit(*wine)
    np.testing.assert_allclose(
        ours.predict_proba(wine[0]), theirs.predict_proba(wine[0]), atol=1e-9
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_ - theirs.priors_ @ theirs.coef_, rtol=1e-8)
    if options == {"solver": "eigen"}:
        plain, centered = theirs.transform(wine[0]), ours.transform(wine[0])
        plain = plain - theirs.priors_ @ theirs.transform(theirs.means_)
        signs = np.sign(plain[0] * centered[0])
        np.testing.assert_allclose(centered * signs, plain, atol=1e-9)


def test_trap_batches_of_gaussian_nb_are_smoothed_as_one(wine):
    X, y = wine
    whole = statfast.GaussianNB().fit(X, y)
    parts, theirs = statfast.GaussianNB(), naive_bayes.GaussianNB()
    for some in (slice(0, 100), slice(100, None)):
        parts.partial_fit(X[some], y[some], classes=[0, 1, 2])
        theirs.partial_fit(X[some], y[some], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.epsilon_, 1e-9 * X.var(axis=0).max())
    np.testing.assert_allclose(theirs.epsilon_, 1e-9 * X[100:].var(axis=0).max())
    np.testing.assert_allclose(parts.var_, whole.var_)


def test_trap_logistic_regression_cv_is_ridge_of_all_classes():
    X, y = load_iris(return_X_y=True)
    params = {"Cs": 4, "cv": 3, "l1_ratios": (0.0,), "scoring": "neg_log_loss", "tol": 1e-9}
    ours = statfast.LogisticRegressionCV(**params).fit(X, y)
    theirs = linear_model.LogisticRegressionCV(
        max_iter=10_000, use_legacy_attributes=False, **params
    ).fit(X, y)
    np.testing.assert_allclose(ours.C_, theirs.C_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, atol=1e-4)


def test_trap_paths_have_an_intercept(wine):
    X, y = wine[0][:, 1:4], wine[0][:, 0]
    ours = statfast.lasso_path(X, y, alphas=[0.1], tol=1e-12)
    centered = linear_model.lasso_path(X - X.mean(0), y - y.mean(), alphas=[0.1], tol=1e-12)
    np.testing.assert_allclose(ours.coefs, centered[1], atol=1e-8)
    none = statfast.lasso_path(X, y, alphas=[0.1], tol=1e-12, fit_intercept=False)
    plain = linear_model.lasso_path(X, y, alphas=[0.1], tol=1e-12, max_iter=100_000)
    np.testing.assert_allclose(none.coefs, plain[1], atol=1e-8)
    np.testing.assert_array_equal(ours[1], ours.coefs)
    assert len(ours) == 3


def test_trap_the_global_seed_is_not_read():
    drawn = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        drawn.append(statfast.train_test_split(np.arange(50))[0])
    assert not np.array_equal(*drawn)


def test_trap_n_jobs_none_is_all_cores(wine, monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.delenv("STATFAST_NUM_THREADS", raising=False)
    monkeypatch.setattr(blocks, "_cores", lambda: 3)
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    assert joblib.effective_n_jobs(None) == 1
    assert usable_threads(None) == usable_threads(-1) == 3
    models = [statfast.KMeans(3, random_state=0, n_jobs=n).fit(wine[0]) for n in (None, 1, 7)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.cluster_centers_, models[0].cluster_centers_)


def test_trap_what_is_approximate_says_so():
    approximate = {"LSHNeighbors", "MiniBatchKMeans", "CLARA", "TangentDistanceClassifier"}
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
    promise = readme.partition("1. **Exact.**")[2].partition("2. **")[0]
    assert approximate == {name for name in statfast.__all__ if f"`{name}`" in promise}
    said = {name for name in statfast.__all__ if "approximate**" in getattr(statfast, name).__doc__}
    assert said == approximate
    X = np.random.default_rng(0).normal(size=(2000, 2))
    few = statfast.CLARA(20, n_samples=1, random_state=0).fit(X)
    assert few.inertia_ > statfast.KMedoids(20, random_state=0).fit(X).inertia_


def test_trap_class_weights_of_linear_svc_hold_where_a_class_is_the_rest(wine):
    X, y = (wine[0] - wine[0].mean(0)) / wine[0].std(0), wine[1]
    model = statfast.LinearSVC(class_weight={0: 1.0, 1: 5.0, 2: 0.2}, tol=1e-8).fit(X, y)
    weights = np.array([1.0, 5.0, 0.2])[y]
    for k in range(3):
        one = statfast.LinearSVC(tol=1e-8).fit(X, y == k, sample_weight=weights)
        np.testing.assert_allclose(model.coef_[k], one.coef_[0], atol=1e-5)


def test_trap_cut_tree_gives_one_label_a_row(wine):
    from scipy.cluster import hierarchy

    Z = statfast.linkage(wine[0], "average")
    np.testing.assert_array_equal(statfast.cut_tree(Z, 3), hierarchy.cut_tree(Z, 3)[:, 0])
    np.testing.assert_array_equal(
        statfast.fcluster(Z, 3, "maxclust"), hierarchy.fcluster(Z, 3, "maxclust")
    )


def test_trap_ridge_cv_tries_the_same_penalties(wine):
    X, y = wine[0][:, 1:], wine[0][:, 0]
    ours, theirs = (kind().fit(X, y) for kind in (statfast.RidgeCV, linear_model.RidgeCV))
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.coef_, theirs.coef_)


def test_trap_the_reference_class_of_maximum_likelihood_has_no_coefficients():
    X, y = load_iris(return_X_y=True)
    y = (y + np.arange(150) % 3 // 2) % 3  # no separation
    ours = statfast.LogisticRegression().fit(X, y)
    theirs = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=100_000).fit(X, y)
    assert not ours.coef_[0].any()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_trap_code_words_are_decoded_by_losses():
    X, y = load_iris(return_X_y=True)
    learner = linear_model.LogisticRegression()
    ours = statfast.OutputCodeClassifier(learner, code_size=1.5, random_state=0).fit(X, y)
    theirs = multiclass.OutputCodeClassifier(learner, code_size=1.5, random_state=0).fit(X, y)
    assert ours.code_book_.shape == theirs.code_book_.shape
    assert len(ours.estimators_) == len(theirs.estimators_) == 4


def test_trap_collinear_columns_have_coefficients_of_zero(wine):
    X, y = wine[0][:, 1:3], wine[0][:, 0]
    twice = np.c_[X, X[:, 0]]
    with pytest.warns(statfast.CollinearityWarning):
        ours = statfast.LinearRegression().fit(twice, y)
    theirs = linear_model.LinearRegression().fit(twice, y)
    assert ours.coef_[2] == 0.0
    np.testing.assert_allclose(theirs.coef_[[0, 2]].sum(), ours.coef_[0])
    np.testing.assert_allclose(ours.predict(twice), theirs.predict(twice))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # terms that are left out one by one warn no more
        statfast.linear.drop1(ours, twice, y)


def test_trap_pixels_of_digits_are_bytes():
    assert statfast.datasets.load_digits().data.dtype == np.uint8
    assert statfast.datasets.load_digits(dtype=float).data.dtype == np.float64


def test_trap_equal_splits_take_the_first_column(wine):
    X = np.repeat(wine[0][:, :1], 4, axis=1)
    model = statfast.DecisionTreeClassifier(max_depth=2, random_state=1).fit(X, wine[1])
    assert set(model.tree_.feature[model.tree_.children_left >= 0]) == {0}
    theirs = [tree.DecisionTreeClassifier(max_depth=2, random_state=k).fit(X, wine[1])
              for k in range(9)]  # fmt: skip
    assert len({one.tree_.feature[0] for one in theirs}) > 1
    gradient = statfast.HistGradientBoostingClassifier(max_iter=3).fit(X, wine[1])
    assert gradient.feature_importances_[1:].sum() == 0.0
    other = ensemble.HistGradientBoostingClassifier(max_iter=3).fit(X, wine[1])
    np.testing.assert_allclose(
        gradient.predict_proba(X), other.predict_proba(X), rtol=1e-5, atol=1e-7
    )


def test_trap_means_of_float32_rows_are_float64(wine):
    model = statfast.PCA(2).fit(wine[0].astype(np.float32))
    assert (model.mean_.dtype, model.components_.dtype) == (np.float64, np.float32)
    assert model.transform(wine[0].astype(np.float32)).dtype == np.float32


def test_trap_no_intercept_is_a_zero_for_each_class(wine):
    np.testing.assert_array_equal(
        statfast.LinearSVC(fit_intercept=False).fit(*wine).intercept_, np.zeros(3)
    )


def test_trap_balanced_classes_have_equal_weight(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = statfast.DecisionTreeClassifier(class_weight="balanced", max_depth=3)
    ours = model.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.tree_.value[0].ravel(), 1 / 3)
    again = np.repeat(np.arange(len(y)), weights)
    repeated = statfast.DecisionTreeClassifier(class_weight="balanced", max_depth=3)
    repeated.fit(X[again], y[again])
    np.testing.assert_array_equal(ours.tree_.threshold, repeated.tree_.threshold)
    theirs = tree.DecisionTreeClassifier(class_weight="balanced", max_depth=3)
    theirs.fit(X, y, sample_weight=weights)
    counts = np.bincount(y, weights) / np.bincount(y)
    np.testing.assert_allclose(theirs.tree_.value[0].ravel(), counts / counts.sum())


def test_trap_constraints_are_of_means(wine):
    X, y = wine[0][:, 1:3], wine[0][:, 0]
    params = {"criterion": "absolute_error", "monotonic_cst": [1, 0]}
    tree.DecisionTreeRegressor(**params).fit(X, y)
    with pytest.raises(ValueError, match="or medians"):
        statfast.DecisionTreeRegressor(**params).fit(X, y)


def test_trap_scores_may_be_infinite():
    from sklearn import metrics

    y, scores = [0, 1, 0, 1], [0.1, 0.3, 0.5, np.inf]
    finite = [0.1, 0.3, 0.5, 9.0]
    for name in ("roc_auc_score", "average_precision_score"):
        with pytest.raises(ValueError, match="infinity"):
            getattr(metrics, name)(y, scores)
        ours = getattr(statfast.metrics, name)(y, scores)
        assert ours == pytest.approx(getattr(metrics, name)(y, finite))


def test_trap_what_is_not_defined_is_nan():
    from sklearn import metrics

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, arguments, more, theirs in (
            ("roc_auc_score", (np.zeros((2, 2)), np.eye(2)), {"average": "weighted"}, 0),
            ("balanced_accuracy_score", ([1, 1], [0, 1]), {"adjusted": True}, -np.inf),
            ("d2_brier_score", ([1, 1], [0.5, 0.7]), {}, -np.inf),
        ):
            assert getattr(metrics, name)(*arguments, **more) == theirs
            assert np.isnan(getattr(statfast.metrics, name)(*arguments, **more))


def test_results_are_read_like_dictionaries():
    X, y = load_iris(return_X_y=True)
    model = statfast.DecisionTreeClassifier().fit(X, y)
    path = model.cost_complexity_pruning_path(X, y)
    assert path["ccp_alphas"] is path.ccp_alphas
    found = statfast.inspection.permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert found["importances_mean"] is found.importances_mean
    found = statfast.inspection.partial_dependence(model, X, [0])
    assert found["grid_values"] is found.grid_values


@pytest.mark.parametrize("kind", ["DecisionTreeRegressor", "ExtraTreesRegressor"])
def test_a_column_of_targets_is_one_output(wine, kind):
    X, y = wine[0][:, 1:], wine[0][:, :1]
    model = getattr(statfast, kind)(max_depth=2, random_state=0).fit(X, y)
    assert model.predict(X).shape == (len(X),)


@pytest.mark.parametrize("kind", ["LinearSVC", "LogisticRegression", "LogisticRegressionCV"])
def test_coefficients_turn_sparse_and_back(wine, kind):
    params = {"Cs": 2, "cv": 3} if kind == "LogisticRegressionCV" else {"C": 0.1}
    if kind == "LogisticRegression":
        params["l1_ratio"] = 1.0
    model = getattr(statfast, kind)(**params)
    for change in (model.sparsify, model.densify):
        with pytest.raises(statfast.NotFittedError):
            change()
    X, y = wine
    for labels in (y, y == 1):
        model.fit(X, labels)
        coefs, scores = model.coef_, model.decision_function(X)
        assert model.sparsify() is model.sparsify() is model
        assert model.coef_.nnz == np.count_nonzero(coefs)
        np.testing.assert_array_equal(model.decision_function(X), scores)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(model)).predict(X), model.predict(X)
        )
        np.testing.assert_array_equal(model.densify().densify().coef_, coefs)
