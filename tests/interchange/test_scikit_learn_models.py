# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models of scikit-learn as those of statfast, and back: answers are the same."""

import copy
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import statfast
from statfast import from_sklearn, load, save, to_sklearn
from statfast._estimator import copied
from statfast.audit.twins import sklearn_classes, twin_class
from statfast.interchange.scikit_learn import conversion
from statfast.interchange.scikit_learn.refusals import REASONS

sk = pytest.importorskip("sklearn")
from sklearn import (  # noqa: E402
    calibration,
    cluster,
    compose,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_selection,
    impute,
    isotonic,
    kernel_ridge,
    linear_model,
    mixture,
    multiclass,
    multioutput,
    naive_bayes,
    neighbors,
    pipeline,
    preprocessing,
    svm,
    tree,
)  # fmt: skip
from sklearn.base import clone  # noqa: E402
from sklearn.feature_extraction import text  # noqa: E402

RNG = np.random.default_rng(17)
X = RNG.normal(size=(120, 5))
NEW = RNG.normal(size=(200, 5))
NUMBERS = X[:, 0] - 2.0 * X[:, 1] + RNG.normal(size=120)
TARGETS = np.column_stack([NUMBERS, NUMBERS**2 - X[:, 2]])
THREE = np.array(["ash", "elm", "oak"])[np.digitize(NUMBERS, [-1.0, 1.0])]
TWO = np.where(NUMBERS > 0, "yes", "no")
OUTPUTS = np.column_stack([THREE, TWO])
COUNTS, NEW_COUNTS = RNG.integers(0, 5, (120, 5)) * 1.0, RNG.integers(0, 4, (200, 5)) * 1.0
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
NEW_GAPS = np.where(RNG.random(NEW.shape) < 0.1, np.nan, NEW)
METHODS = ("predict", "predict_proba", "decision_function", "transform", "kneighbors", "apply",
           "score_samples", "inverse_transform")  # fmt: skip
SEVEN_TREES = {"n_estimators": 7, "random_state": 0}
# Until 1.5 another algorithm, which statfast does not have, is the default.
SAMME = {
    key: "SAMME"
    for key, value in ensemble.AdaBoostClassifier().get_params().items()
    if value == "SAMME.R"
}


def members(*models):
    return [(f"m{k}", model) for k, model in enumerate(models)]


CLASSIFIERS = members(
    linear_model.LogisticRegression(), tree.DecisionTreeClassifier(max_depth=3, random_state=0),
    naive_bayes.GaussianNB(),
)  # fmt: skip
OF_NUMBERS = members(
    linear_model.Ridge(), tree.DecisionTreeRegressor(max_depth=3, random_state=0),
    neighbors.KNeighborsRegressor(3),
)  # fmt: skip

MODELS = {
    "least squares": (linear_model.LinearRegression(), NUMBERS),
    "least squares of two": (linear_model.LinearRegression(), TARGETS),
    "least squares at the origin": (linear_model.LinearRegression(fit_intercept=False), TARGETS),
    "ridge": (linear_model.Ridge(2.0), TARGETS),
    "ridge, chosen": (linear_model.RidgeCV(), NUMBERS),
    "lasso": (linear_model.Lasso(0.1), NUMBERS),
    "lasso, chosen": (linear_model.LassoCV(cv=3), NUMBERS),
    "elastic net": (linear_model.ElasticNet(0.1), NUMBERS),
    "elastic net, chosen": (linear_model.ElasticNetCV(cv=3), NUMBERS),
    "lasso of two": (linear_model.MultiTaskLasso(0.1), TARGETS),
    "elastic net of two": (linear_model.MultiTaskElasticNet(0.1), TARGETS),
    "huber": (linear_model.HuberRegressor(), NUMBERS),
    "ridge of two classes": (linear_model.RidgeClassifier(), TWO),
    "ridge of three classes": (linear_model.RidgeClassifier(), THREE),
    "logistic of two": (linear_model.LogisticRegression(), TWO),
    "logistic of three": (linear_model.LogisticRegression(C=0.3), THREE),
    "logistic, chosen": (linear_model.LogisticRegressionCV(Cs=3, cv=3), THREE),
    "linear machine of two": (svm.LinearSVC(), TWO),
    "linear machine of three": (svm.LinearSVC(), THREE),
    "linear machine of numbers": (svm.LinearSVR(), NUMBERS),
    "lda": (discriminant_analysis.LinearDiscriminantAnalysis(), THREE),
    "lda of two": (discriminant_analysis.LinearDiscriminantAnalysis(), TWO),
    "lda, eigen": (discriminant_analysis.LinearDiscriminantAnalysis(solver="eigen"), THREE),
    "qda": (discriminant_analysis.QuadraticDiscriminantAnalysis(), THREE),
    "normal columns": (naive_bayes.GaussianNB(), THREE),
    "counts": (naive_bayes.MultinomialNB(alpha=0.5), THREE),
    "complements": (naive_bayes.ComplementNB(norm=True), THREE),
    "presence": (naive_bayes.BernoulliNB(binarize=1.0), THREE),
    "categories": (naive_bayes.CategoricalNB(), THREE),
    "tree": (tree.DecisionTreeClassifier(random_state=0), THREE),
    "tree of outputs": (tree.DecisionTreeClassifier(max_depth=4, random_state=0), OUTPUTS),
    "tree of numbers": (tree.DecisionTreeRegressor(random_state=0), TARGETS),
    "random tree": (tree.ExtraTreeClassifier(random_state=0), TWO),
    "random tree of numbers": (tree.ExtraTreeRegressor(random_state=0), NUMBERS),
    "forest": (ensemble.RandomForestClassifier(**SEVEN_TREES), THREE),
    "forest of outputs": (ensemble.RandomForestClassifier(**SEVEN_TREES), OUTPUTS),
    "forest of numbers": (ensemble.RandomForestRegressor(**SEVEN_TREES), TARGETS),
    "random trees": (ensemble.ExtraTreesClassifier(**SEVEN_TREES), TWO),
    "random trees of numbers": (ensemble.ExtraTreesRegressor(**SEVEN_TREES), NUMBERS),
    "boosting of two": (ensemble.HistGradientBoostingClassifier(max_iter=9), TWO),
    "boosting of three": (ensemble.HistGradientBoostingClassifier(max_iter=9), THREE),
    "boosting of numbers": (ensemble.HistGradientBoostingRegressor(max_iter=9), NUMBERS),
    "boosting of quantiles": (
        ensemble.HistGradientBoostingRegressor(loss="quantile", quantile=0.8, max_iter=9), NUMBERS
    ),
    "boosting of counts": (
        ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=9), COUNTS[:, 0]
    ),
    "adaboost": (ensemble.AdaBoostClassifier(**SEVEN_TREES, **SAMME), THREE),
    "adaboost of two": (ensemble.AdaBoostClassifier(**SEVEN_TREES, **SAMME), TWO),
    "adaboost of numbers": (ensemble.AdaBoostRegressor(**SEVEN_TREES), NUMBERS),
    "machine of two": (svm.SVC(), TWO),
    "machine of three": (svm.SVC(decision_function_shape="ovo"), THREE),
    "machine of a polynomial": (svm.SVC(kernel="poly", coef0=1.0, degree=2), THREE),
    "machine of a sigmoid": (svm.SVC(kernel="sigmoid", gamma=0.1), TWO),
    "machine of lines": (svm.SVC(kernel="linear"), THREE),
    "machine by nu": (svm.NuSVC(nu=0.4), THREE),
    "machine of numbers": (svm.SVR(), NUMBERS),
    "machine of numbers, nu": (svm.NuSVR(), NUMBERS),
    "machine of one class": (svm.OneClassSVM(nu=0.2), None),
    "neighbors": (neighbors.KNeighborsClassifier(4, weights="distance"), THREE),
    "neighbors of outputs": (neighbors.KNeighborsClassifier(3), OUTPUTS),
    "neighbors of numbers": (neighbors.KNeighborsRegressor(3, metric="manhattan"), TARGETS),
    "nearest": (neighbors.NearestNeighbors(n_neighbors=3), None),
    "clusters": (cluster.KMeans(4, n_init=2, random_state=0), None),
    "components": (decomposition.PCA(3), None),
    "white components": (decomposition.PCA(whiten=True), None),
    "standard": (preprocessing.StandardScaler(), None),
    "centered": (preprocessing.StandardScaler(with_std=False), None),
    "ranges": (preprocessing.MinMaxScaler((-1, 2), clip=True), None),
    "largest": (preprocessing.MaxAbsScaler(), None),
    "quartiles": (preprocessing.RobustScaler(), None),
    "lengths": (preprocessing.Normalizer("l1"), None),
    "polynomials": (preprocessing.PolynomialFeatures(2), None),
    "imputed by means": (impute.SimpleImputer(), None),
    "imputed": (impute.SimpleImputer(strategy="median"), None),
    "poisson": (linear_model.PoissonRegressor(), COUNTS[:, 0]),
    "poisson at the origin": (
        linear_model.PoissonRegressor(alpha=0.0, fit_intercept=False), COUNTS[:, 0]
    ),
    "gamma": (linear_model.GammaRegressor(alpha=0.1), np.exp(NUMBERS / 4.0)),
    "tweedie": (linear_model.TweedieRegressor(power=1.5, alpha=0.1), COUNTS[:, 1]),
    "tweedie, normal": (linear_model.TweedieRegressor(power=0.0), NUMBERS),
    "tweedie, normal with a log": (
        linear_model.TweedieRegressor(power=0.0, link="log"), np.exp(NUMBERS / 4.0)
    ),
    "bagging": (ensemble.BaggingClassifier(**SEVEN_TREES), THREE),
    "bagging of columns": (
        ensemble.BaggingClassifier(
            linear_model.LogisticRegression(), max_features=3, bootstrap_features=True,
            **SEVEN_TREES,
        ),
        TWO,
    ),
    "bagging of votes": (
        ensemble.BaggingClassifier(svm.LinearSVC(), max_samples=0.5, **SEVEN_TREES), THREE
    ),
    "bagging of numbers": (
        ensemble.BaggingRegressor(tree.DecisionTreeRegressor(max_depth=3), max_features=0.6,
                                  **SEVEN_TREES),
        NUMBERS,
    ),
    "votes": (ensemble.VotingClassifier(CLASSIFIERS), THREE),
    "votes with weights": (
        ensemble.VotingClassifier([*CLASSIFIERS, ("no", "drop")], weights=[1, 2, 2, 5]), TWO
    ),
    "mean votes": (
        ensemble.VotingClassifier(CLASSIFIERS, voting="soft", flatten_transform=False), THREE
    ),
    "mean of numbers": (ensemble.VotingRegressor(OF_NUMBERS, weights=[1, 2, 3]), NUMBERS),
    "stack": (ensemble.StackingClassifier(CLASSIFIERS, cv=3), THREE),
    "stack of two": (ensemble.StackingClassifier(CLASSIFIERS, passthrough=True, cv=3), TWO),
    "stack of labels": (
        ensemble.StackingClassifier(
            [("drop", "drop"), *CLASSIFIERS], tree.DecisionTreeClassifier(max_depth=4),
            cv=3, stack_method="predict",
        ),
        THREE,
    ),
    "stack of numbers": (
        ensemble.StackingRegressor(OF_NUMBERS, linear_model.Lasso(0.01), cv=3), NUMBERS
    ),
    "stack of chains": (
        ensemble.VotingClassifier(
            members(
                pipeline.make_pipeline(preprocessing.StandardScaler(), svm.LinearSVC()),
                ensemble.AdaBoostClassifier(**SEVEN_TREES, **SAMME),
                ensemble.StackingClassifier(CLASSIFIERS, cv=3),
                ensemble.VotingClassifier(CLASSIFIERS),
            )
        ),
        THREE,
    ),
    "one against the others": (
        multiclass.OneVsRestClassifier(linear_model.LogisticRegression()), THREE
    ),
    "one against the other": (multiclass.OneVsRestClassifier(naive_bayes.GaussianNB()), TWO),
    "classes of outputs": (
        multioutput.MultiOutputClassifier(linear_model.LogisticRegression()), OUTPUTS
    ),
    "numbers of outputs": (multioutput.MultiOutputRegressor(linear_model.Lasso(0.1)), TARGETS),
    "calibrated": (calibration.CalibratedClassifierCV(svm.LinearSVC(), cv=3), THREE),
    "calibrated by steps": (
        calibration.CalibratedClassifierCV(
            naive_bayes.GaussianNB(), method="isotonic", cv=3, ensemble=False
        ),
        TWO,
    ),
    "scaled target": (
        compose.TransformedTargetRegressor(
            linear_model.Ridge(), transformer=preprocessing.StandardScaler()
        ),
        TARGETS,
    ),
    "target of a function": (
        compose.TransformedTargetRegressor(linear_model.Ridge(), func=np.exp, inverse_func=np.log),
        NUMBERS / 8.0,
    ),
    "side by side": (
        pipeline.FeatureUnion(
            [("a", preprocessing.StandardScaler()), ("b", "drop"), ("c", decomposition.PCA(2)),
             ("d", "passthrough")],
            transformer_weights={"c": 3.0},
        ),
        None,
    ),
    "best by F": (feature_selection.SelectKBest(k=2), THREE),
    "a share by correlation": (
        feature_selection.SelectPercentile(feature_selection.f_regression, percentile=40), NUMBERS
    ),
    "significant": (feature_selection.SelectFdr(alpha=0.2), THREE),
    "significant by another": (
        feature_selection.GenericUnivariateSelect(mode="fwe", param=0.3), THREE
    ),
    "varying": (feature_selection.VarianceThreshold(0.95), None),
    "selected by a model": (
        feature_selection.SelectFromModel(linear_model.Lasso(0.1), max_features=2), NUMBERS
    ),
    "eliminated": (
        feature_selection.RFE(linear_model.LogisticRegression(), n_features_to_select=2), THREE
    ),
    "singular vectors": (decomposition.TruncatedSVD(3, random_state=0), None),
    "mixture": (mixture.GaussianMixture(2, random_state=0), None),
    "mixture, tied": (mixture.GaussianMixture(2, covariance_type="tied", random_state=0), None),
    "mixture of columns": (
        mixture.GaussianMixture(3, covariance_type="diag", random_state=0), None
    ),
    "mixture of balls": (
        mixture.GaussianMixture(3, covariance_type="spherical", random_state=0), None
    ),
    "isolation": (ensemble.IsolationForest(**SEVEN_TREES, max_samples=64), None),
    "isolation of columns": (
        ensemble.IsolationForest(
            **SEVEN_TREES, max_features=2, bootstrap=True, contamination=0.1
        ),
        None,
    ),
    "kernel ridge": (kernel_ridge.KernelRidge(alpha=0.5, kernel="rbf"), TARGETS),
    "kernel ridge of lines": (kernel_ridge.KernelRidge(alpha=0.5), NUMBERS),
    "kernel ridge of a polynomial": (
        kernel_ridge.KernelRidge(alpha=0.5, kernel="poly", degree=2, coef0=0.5), NUMBERS
    ),
    "kernel ridge, laplacian": (
        kernel_ridge.KernelRidge(alpha=0.5, kernel="laplacian", gamma=0.3), NUMBERS
    ),
    "pipeline": (
        pipeline.make_pipeline(
            preprocessing.StandardScaler(), "passthrough", decomposition.PCA(3),
            linear_model.LogisticRegression(),
        ),
        THREE,
    ),
    "plain pipeline": (
        pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()),
        TWO,
    ),
    "columns": (
        compose.ColumnTransformer(
            [("a", preprocessing.StandardScaler(), [0, 2]), ("b", "drop", [1])],
            remainder="passthrough",
        ),
        None,
    ),
}  # fmt: skip
OF_COUNTS = ("counts", "complements", "categories")
OF_GAPS = ("boosting of", "forest", "tree", "imputed")


def rows_of(name):
    """The rows that a model of the table is fitted to, and those that it is asked."""
    if name in OF_COUNTS:
        return COUNTS, NEW_COUNTS
    if name.startswith(OF_GAPS):
        return GAPS, NEW_GAPS
    return X, NEW


FITTED = {}


def quietly_fitted(model, target):
    """Older versions of scikit-learn pass scipy options that it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, target)


def fitted(name):
    if name not in FITTED:
        model, target = MODELS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            FITTED[name] = model.fit(rows_of(name)[0], target)
    return FITTED[name]


def assert_same(first, second, rows, rtol=1e-12):
    """All that both answer."""
    asked = 0
    if hasattr(first, "score_samples") and hasattr(first, "estimators_features_"):
        np.testing.assert_allclose(second.score_samples(rows), first.score_samples(rows), rtol)
    for method in METHODS:
        if not (hasattr(first, method) and hasattr(second, method)):
            continue
        if method == "inverse_transform" and hasattr(first, "statistics_"):
            continue  # which needs add_indicator
        if method == "inverse_transform":
            argument = first.transform(rows)
        elif method == "score_samples" and not hasattr(first, "support_"):
            continue
        else:
            argument = rows
        try:
            want = getattr(first, method)(argument)
        except (AttributeError, NotImplementedError):
            continue
        got = getattr(second, method)(argument)
        several = isinstance(want, list | tuple)
        for a, b in zip(want if several else [want], got if several else [got], strict=True):
            a, b = (v.toarray() if hasattr(v, "toarray") else np.asarray(v) for v in (a, b))
            assert a.shape == b.shape, method
            if a.dtype.kind == "f":
                scale = np.abs(a[np.isfinite(a)]).max(initial=0.0)
                np.testing.assert_allclose(b, a, rtol, rtol * scale, err_msg=method)
            else:
                np.testing.assert_array_equal(a, b, err_msg=method)
            asked += 1
    assert asked


@pytest.mark.parametrize("name", MODELS)
def test_models_of_scikit_learn_answer_the_same(name):
    model, (_, new) = fitted(name), rows_of(name)
    converted = from_sklearn(model)
    assert type(converted).__module__.startswith("statfast.")
    assert_same(model, converted, new)
    assert_same(model, load_again(converted), new)
    assert converted.n_features_in_ == 5


@pytest.mark.parametrize("name", MODELS)
def test_the_way_back_answers_the_same(name):
    model, (_, new) = fitted(name), rows_of(name)
    converted = from_sklearn(model)
    back = to_sklearn(converted)
    assert type(back).__module__.startswith("sklearn.")
    assert_same(model, back, new)
    assert_same(converted, from_sklearn(back), new)


@pytest.mark.parametrize("name", MODELS)
def test_models_of_statfast_go_out_and_come_back(name):
    """Fitted here: rows of float32, of which trees of both libraries tell the same."""
    model, target = MODELS[name]
    rows, new = (part.astype(np.float32).astype(np.float64) for part in rows_of(name))
    ours = statfast_twin(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(rows, target)
    assert_same(ours, to_sklearn(ours), new, 1e-11)
    assert_same(ours, from_sklearn(to_sklearn(ours)), new, 1e-11)


def statfast_twin(model):
    """The same estimator, unfitted, of statfast."""
    return copied(from_sklearn(fitted_of(model)))


def fitted_of(model):
    return next(fitted(name) for name, (known, _) in MODELS.items() if known is model)


def load_again(model):
    import io

    file = io.BytesIO()
    save(model, file)
    return load(file)


# ------------------------------------------------------------------ rounding of trees
def test_rows_at_thresholds_go_the_same_way():
    """scikit-learn rounds rows to float32: next to a threshold this decides."""
    for name in ("tree", "forest of numbers", "random trees"):
        model = fitted(name)
        members = getattr(model, "estimators_", [model])
        thresholds = np.concatenate([member.tree_.threshold for member in np.ravel(members)])
        near = np.nextafter(thresholds.astype(np.float32), np.float32(np.inf)).astype(np.float64)
        candidates = np.concatenate([thresholds, near, (thresholds + near) / 2.0])
        candidates = candidates[np.isfinite(candidates)]
        candidates = np.concatenate(
            [candidates, np.nextafter(candidates, np.inf), np.nextafter(candidates, -np.inf)]
        )
        rows = RNG.choice(candidates, (4000, 5))
        assert_same(model, from_sklearn(model), rows)
        assert_same(model, from_sklearn(model), rows.astype(np.float32))


def test_probabilities_of_machines():
    """libsvm, which scikit-learn calls, stops before it has coupled those of the pairs."""
    for target in (TWO, THREE):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = svm.SVC(probability=True, random_state=0).fit(X, target)
            converted = from_sklearn(model)
            want, back = model.predict_proba(NEW), to_sklearn(converted).predict_proba(NEW)
        np.testing.assert_allclose(back, want, 1e-12)
        np.testing.assert_allclose(converted.predict_proba(NEW), want, atol=5e-3)


def test_models_of_files_in_pipelines_of_bags():
    """A loaded model is part of others, fitted again and asked as the one that was written."""
    tree_of_file = load_again(statfast.DecisionTreeClassifier(max_depth=4).fit(X, THREE))
    scaler_of_file = load_again(statfast.StandardScaler().fit(X))
    plain = statfast.make_pipeline(
        statfast.StandardScaler(),
        statfast.BaggingClassifier(
            statfast.DecisionTreeClassifier(max_depth=4), n_estimators=4, random_state=0
        ),
    ).fit(X, THREE)
    loaded = statfast.make_pipeline(
        scaler_of_file, statfast.BaggingClassifier(tree_of_file, n_estimators=4, random_state=0)
    ).fit(X, THREE)
    for model in (loaded, load_again(loaded), load_again(plain)):
        np.testing.assert_array_equal(model.predict_proba(NEW), plain.predict_proba(NEW))
    again = load_again(plain).fit(X, THREE)
    np.testing.assert_array_equal(again.predict_proba(NEW), plain.predict_proba(NEW))


# ------------------------------------------------------------------ tables
@pytest.fixture
def table():
    pd = pytest.importorskip("pandas")
    words = np.array(["red", "green", "blue", None], dtype=object)[RNG.integers(0, 4, 120)]
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["color"] = pd.Series(words, dtype=object)
    frame["size"] = RNG.integers(0, 3, 120)
    return frame


def test_pipelines_of_tables(table):
    columns = compose.ColumnTransformer(
        [
            ("numbers", preprocessing.StandardScaler(), ["a", "b"]),
            (
                "words",
                pipeline.make_pipeline(
                    impute.SimpleImputer(strategy="most_frequent", missing_values=None),
                    preprocessing.OneHotEncoder(drop="first", handle_unknown="ignore"),
                ),
                ["color"],
            ),
            ("ranks", preprocessing.OrdinalEncoder(), ["size"]),
        ]
    )
    model = pipeline.make_pipeline(columns, ensemble.RandomForestClassifier(**SEVEN_TREES)).fit(
        table, THREE
    )
    converted = from_sklearn(model)
    assert_same(model, converted, table)
    assert converted.feature_names_in_.tolist() == table.columns.tolist()
    assert_same(model, to_sklearn(converted), table)
    assert_same(model, load_again(converted), table)


def test_output_is_that_which_was_set(table):
    frame = table[["a", "b"]]
    model = preprocessing.StandardScaler().set_output(transform="pandas").fit(frame)
    for other in (from_sklearn(model), to_sklearn(from_sklearn(model))):
        assert other.transform(frame).equals(model.transform(frame))
        assert other.get_feature_names_out().tolist() == ["a", "b"]


@pytest.mark.parametrize("target", [TWO, THREE])
def test_boosting_with_columns_of_categories(table, target):
    table = table[["a", "color", "b", "size"]].copy()
    table["color"] = table["color"].astype("category")
    kind, columns = ensemble.HistGradientBoostingClassifier, ["color", "size"]
    model = kind(max_iter=9, categorical_features=columns).fit(table, target)
    converted = from_sklearn(model)
    assert_same(model, converted, table)
    assert_same(model, to_sklearn(converted), table)
    ours = statfast.HistGradientBoostingClassifier(max_iter=9, categorical_features=columns)
    rows = table.astype({"color": object})
    rows.loc[rows.index[:3], "color"] = "unknown"  # a category that the fit has not seen
    ours.fit(table, target)
    for other in (to_sklearn(ours), from_sklearn(to_sklearn(ours))):
        assert_same(ours, other, table, 1e-11)
        assert_same(ours, other, rows, 1e-11)


def test_boosting_with_codes_of_categories():
    rows = np.column_stack([COUNTS[:, :2] * 3.0, X[:, 2:]])
    rows[::9, 0] = np.nan
    new = np.column_stack([NEW_COUNTS[:, :2] * 3.0 + (NEW[:, :2] > 2.0), NEW[:, 2:]])
    ours = statfast.HistGradientBoostingRegressor(max_iter=9, categorical_features=[0, 1])
    ours.fit(rows, NUMBERS + rows[:, 1] % 2)
    for other in (to_sklearn(ours), from_sklearn(to_sklearn(ours))):
        assert_same(ours, other, new, 1e-11)


def rare_table():
    words = np.array(["a", "b", "c", "d", "e", "f"], dtype=object)
    table = np.empty((120, 2), dtype=object)
    table[:, 0] = RNG.choice(words, 120, p=[0.4, 0.3, 0.2, 0.05, 0.03, 0.02])
    table[:, 1] = RNG.choice(words[:3], 120)
    return table


UNSEEN = np.array([["a", "b"], ["f", "c"], ["z", "z"]], dtype=object)


@pytest.mark.parametrize(
    "limits",
    [{"min_frequency": 8}, {"min_frequency": 0.1}, {"max_categories": 3}, {"max_categories": 1},
     {"min_frequency": 4, "max_categories": 4}],
)  # fmt: skip
@pytest.mark.parametrize("drop", [None, "first", "if_binary", "words"])
def test_rare_categories_in_columns(limits, drop):
    table = rare_table()
    if drop == "words":  # the most frequent: no library leaves out a rare one
        drop = [max("abcdef", key=column.tolist().count) for column in table.T]
        if limits == {"max_categories": 1}:
            return
    settings = {"handle_unknown": "infrequent_if_exist", "drop": drop, **limits}
    model = preprocessing.OneHotEncoder(**settings).fit(table)
    ours = statfast.OneHotEncoder(**settings).fit(table)
    for rows in (table, UNSEEN):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of unknown categories
            for other in (from_sklearn(model), to_sklearn(from_sklearn(model)), to_sklearn(ours),
                          ours, load_again(from_sklearn(model))):  # fmt: skip
                want, got = (m.transform(rows).toarray() for m in (model, other))
                np.testing.assert_array_equal(want, got)
                assert list(model.get_feature_names_out()) == list(other.get_feature_names_out())
    with pytest.raises(ValueError, match="keeps none"):
        from_sklearn(model).partial_fit(table)


@pytest.mark.parametrize("gap", [False, True])
def test_rare_categories_by_number(gap):
    table = rare_table()
    if gap:
        table[::11, 0] = np.nan
    settings = {
        "min_frequency": 8, "handle_unknown": "use_encoded_value", "unknown_value": -1,
        "encoded_missing_value": -2,
    }  # fmt: skip
    model = preprocessing.OrdinalEncoder(**settings).fit(table)
    ours = statfast.OrdinalEncoder(**settings).fit(table)
    for other in (from_sklearn(model), to_sklearn(from_sklearn(model)), to_sklearn(ours), ours):
        for rows in (table, UNSEEN):
            np.testing.assert_array_equal(model.transform(rows), other.transform(rows))


def test_none_is_a_category_there_and_missing_here():
    table = np.array([["a"], [None], ["b"]], dtype=object)
    for model, convert in (
        (preprocessing.OrdinalEncoder().fit(table), from_sklearn),
        (statfast.OrdinalEncoder().fit(table), to_sklearn),
    ):
        with pytest.raises(TypeError, match="None among its categories"):
            convert(model)
    model = preprocessing.OneHotEncoder().fit(table)  # which takes it for a category in both
    assert_same(model, from_sklearn(model), table)


def test_a_model_for_each_class_is_another_class():
    for kind in (statfast.LogisticRegression, statfast.LogisticRegressionCV):
        ours = kind(multi_class="ovr").fit(X, THREE)
        theirs = to_sklearn(ours)
        assert type(theirs).__name__ == "OneVsRestClassifier"
        assert_same(ours, theirs, NEW)
        assert_same(ours, from_sklearn(theirs), NEW)


def test_machines_of_sparse_rows():
    rows = sparse.csr_matrix(np.where(RNG.random(X.shape) < 0.5, X, 0.0))
    new = sparse.csr_matrix(np.where(RNG.random(NEW.shape) < 0.5, NEW, 0.0))
    cases = [
        (svm.SVC(), TWO), (svm.SVC(kernel="linear"), THREE), (svm.NuSVC(kernel="poly"), THREE),
        (svm.SVR(), NUMBERS), (svm.NuSVR(kernel="linear"), NUMBERS), (svm.OneClassSVM(), None),
    ]  # fmt: skip
    for model, target in cases:
        model.fit(rows, target)
        converted = from_sklearn(model)
        ours = statfast_copy(converted).fit(rows, target)
        for asked in (new, new.toarray()):
            assert_same(model, converted, asked)
            assert_same(model, to_sklearn(converted), asked)
            assert_same(ours, to_sklearn(ours), asked, 1e-11)
            assert_same(ours, from_sklearn(to_sklearn(ours)), asked, 1e-11)
        if getattr(model, "kernel", "") == "linear":
            np.testing.assert_allclose(
                to_sklearn(converted).coef_.toarray(), model.coef_.toarray(), 1e-12
            )


def statfast_copy(model):
    return copied(model)


@pytest.mark.parametrize("priors", [[0.2, 0.3, 0.5], None])
def test_priors(priors):
    weights = RNG.integers(1, 4, 120) * 1.0
    cases = [
        (naive_bayes.GaussianNB(priors=priors), X, NEW),
        (naive_bayes.MultinomialNB(class_prior=priors), COUNTS, NEW_COUNTS),
        (naive_bayes.MultinomialNB(fit_prior=False), COUNTS, NEW_COUNTS),
        (naive_bayes.BernoulliNB(class_prior=priors, fit_prior=False), X, NEW),
        (naive_bayes.ComplementNB(class_prior=priors), COUNTS, NEW_COUNTS),
        (naive_bayes.CategoricalNB(class_prior=priors), COUNTS, NEW_COUNTS),
        (discriminant_analysis.LinearDiscriminantAnalysis(priors=priors), X, NEW),
        (discriminant_analysis.QuadraticDiscriminantAnalysis(priors=priors), X, NEW),
    ]
    for model, rows, new in cases:
        by_name = type(model).__name__
        weighted = {} if by_name.endswith("Analysis") else {"sample_weight": weights}
        model.fit(rows, THREE, **weighted)
        converted = from_sklearn(model)
        ours = copied(converted).fit(rows, THREE, **weighted)
        assert_same(model, converted, new)
        assert_same(model, to_sklearn(converted), new)
        assert_same(ours, to_sklearn(ours), new, 1e-11)
        assert_same(ours, from_sklearn(to_sklearn(ours)), new, 1e-11)
    for word in ("laplace",):
        for kind, rows, new in (
            (statfast.GaussianNB, X, NEW), (statfast.MultinomialNB, COUNTS, NEW_COUNTS)
        ):  # fmt: skip
            name = "priors" if kind is statfast.GaussianNB else "class_prior"
            ours = kind(**{name: word}).fit(rows, THREE)
            assert_same(ours, to_sklearn(ours), new, 1e-11)


def test_documents():
    documents = ["the cat sat on the mat", "a dog ran", "the dog sat down", "cats and dogs"]
    new = ["the cat ran", "nobody", "the the the dog"]
    cases = [
        text.CountVectorizer(), text.CountVectorizer(binary=True, stop_words="english"),
        text.CountVectorizer(analyzer="char_wb", ngram_range=(2, 3), max_features=20),
        text.CountVectorizer(vocabulary=["dog", "cat"]), text.TfidfVectorizer(),
        text.TfidfVectorizer(use_idf=False, norm="l1", sublinear_tf=True, dtype=np.float32),
        text.TfidfVectorizer(token_pattern=r"[a-z]+", min_df=2, smooth_idf=False),
    ]  # fmt: skip
    for model in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(documents)
        converted = from_sklearn(model)
        for other in (converted, to_sklearn(converted), load_again(converted)):
            want, got = (m.transform(new) for m in (model, other))
            assert want.dtype == got.dtype
            np.testing.assert_allclose(got.toarray(), want.toarray(), 1e-6)
            if want.dtype == np.float64:
                np.testing.assert_allclose(got.toarray(), want.toarray(), 1e-12)
            assert list(model.get_feature_names_out()) == list(other.get_feature_names_out())
    counts = text.CountVectorizer().fit_transform(documents)
    for settings in ({}, {"use_idf": False}, {"norm": None, "sublinear_tf": True}):
        model = text.TfidfTransformer(**settings).fit(counts)
        converted = from_sklearn(model)
        for other in (converted, to_sklearn(converted)):
            np.testing.assert_allclose(
                other.transform(counts).toarray(), model.transform(counts).toarray(), 1e-12
            )
    model = pipeline.make_pipeline(
        pipeline.FeatureUnion([("w", text.TfidfVectorizer()), ("c", text.CountVectorizer())]),
        naive_bayes.MultinomialNB(),
    ).fit(documents, ["cat", "dog", "dog", "cat"])
    converted = from_sklearn(model)
    for other in (converted, to_sklearn(converted), load_again(converted)):
        np.testing.assert_allclose(other.predict_proba(new), model.predict_proba(new), 1e-10)


def test_labels():
    for model, labels in (
        (preprocessing.LabelEncoder(), THREE), (preprocessing.LabelBinarizer(), THREE),
        (preprocessing.LabelBinarizer(neg_label=-1), TWO),
        (preprocessing.LabelBinarizer(sparse_output=True), THREE),
        (preprocessing.MultiLabelBinarizer(), [("a", "b"), ("b",), ()]),
    ):  # fmt: skip
        model.fit(labels)
        converted = from_sklearn(model)
        for other in (converted, to_sklearn(converted), load_again(converted)):
            want, got = (m.transform(labels) for m in (model, other))
            want, got = (v.toarray() if sparse.issparse(v) else v for v in (want, got))
            np.testing.assert_array_equal(want, got)
            assert list(model.inverse_transform(want)) == list(other.inverse_transform(want))


@pytest.mark.parametrize("beyond", ["nan", "clip"])
def test_monotone_functions(beyond):
    for increasing in (True, False, "auto"):
        model = isotonic.IsotonicRegression(increasing=increasing, out_of_bounds=beyond)
        model.fit(X[:, 0], NUMBERS)
        converted = from_sklearn(model)
        for other in (converted, to_sklearn(converted), load_again(converted)):
            np.testing.assert_allclose(other.predict(NEW[:, 0]), model.predict(NEW[:, 0]), 1e-12)
    with pytest.raises(TypeError, match="float32"):
        from_sklearn(isotonic.IsotonicRegression().fit(X[:, 0].astype(np.float32), NUMBERS))


def test_members_that_were_fitted_before():
    """Their labels are those of the program, not places."""
    fitted_before = [(name, quietly_fitted(clone(model), THREE)) for name, model in CLASSIFIERS]
    stack = quietly_fitted(ensemble.StackingClassifier(fitted_before, cv="prefit"), THREE)
    converted = from_sklearn(stack)
    assert_same(stack, converted, NEW)
    assert_same(stack, to_sklearn(converted), NEW)
    numbers = np.digitize(NUMBERS, [-1.0, 1.0]) + 5
    fitted_before = [(name, quietly_fitted(clone(model), numbers)) for name, model in CLASSIFIERS]
    stack = ensemble.StackingClassifier(
        fitted_before, tree.DecisionTreeClassifier(), cv="prefit", stack_method="predict"
    )
    quietly_fitted(stack, numbers)
    with pytest.raises(TypeError, match="fitted to other labels before"):
        from_sklearn(stack)


@pytest.mark.parametrize("name", MODELS)
def test_names_of_columns_go_over(name):
    pd = pytest.importorskip("pandas")
    model, target = MODELS[name]
    rows, new = (pd.DataFrame(part, columns=list("abcde")) for part in rows_of(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(model).fit(rows, target)
    converted = from_sklearn(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for other in (converted, to_sklearn(converted), load_again(converted)):
            assert_same(model, other, new)
            assert list(other.feature_names_in_) == list("abcde")
            if hasattr(other, "predict"):
                with pytest.raises(ValueError, match=r"feature names|names of columns"):
                    other.predict(new.rename(columns={"a": "z"}))


@pytest.mark.parametrize("name", MODELS)
def test_learning_goes_on_or_is_refused(name):
    """Batches add to what scikit-learn keeps; where it keeps nothing, none is added to."""
    model, (rows, new) = copy.deepcopy(fitted(name)), rows_of(name)
    converted = from_sklearn(model)
    if not hasattr(converted, "partial_fit"):
        return
    batch = rows[:40], *(() if MODELS[name][1] is None else (MODELS[name][1][:40],))
    if hasattr(model, "partial_fit"):
        assert_same(model.partial_fit(*batch), converted.partial_fit(*batch), new, 1e-9)
    else:
        with pytest.raises(ValueError, match=r"keeps none|Call fit with all rows"):
            converted.partial_fit(*batch)


def test_scores_of_deviances():
    for name in ("poisson", "gamma", "tweedie", "tweedie, normal with a log"):
        model, target = fitted(name), MODELS[name][1]
        converted = from_sklearn(model)
        for other in (converted, to_sklearn(converted)):
            assert other.score(X, target) == pytest.approx(model.score(X, target), rel=1e-12)
        with pytest.raises(AttributeError, match="keeps no standard errors"):
            converted.conf_int()


def test_learning_goes_on():
    for kind, target in ((naive_bayes.GaussianNB, THREE), (preprocessing.StandardScaler, None)):
        model = kind().fit(X[:60], None if target is None else target[:60])
        converted = from_sklearn(model)
        later = (X[60:],) if target is None else (X[60:], target[60:])
        assert_same(model.partial_fit(*later), converted.partial_fit(*later), NEW, 1e-9)


def test_no_inference_comes_with_coefficients():
    model = from_sklearn(fitted("least squares"))
    with pytest.raises(AttributeError, match="keeps no standard errors"):
        model.conf_int()
    model = from_sklearn(fitted("logistic of three"))
    with pytest.raises(AttributeError, match="keeps no standard errors"):
        model.conf_int()


# ------------------------------------------------------------------ what is refused
class MyRidge(linear_model.Ridge):
    """A subclass of a user's."""


class RidgeOfStatfast(statfast.Ridge):
    """Another subclass of a user's."""


def test_each_twin_is_converted_or_refused_with_a_reason():
    """All classes that both libraries have, and the table of the documents."""
    twins = {cls.__name__ for cls in sklearn_classes() if isinstance(twin_class(cls), type)}
    assert twins - set(conversion.READ) - set(REASONS) == set()
    assert not set(REASONS) & (set(conversion.READ) | set(conversion.WRITE))
    one_way = set(conversion.READ) - set(conversion.WRITE)
    assert one_way == {"ExtraTreeClassifier", "ExtraTreeRegressor"}
    assert set(conversion.WRITE) < set(conversion.READ)
    page = Path(__file__).parents[2] / "docs/howto/models_in_and_out.rst"
    if page.exists():
        words = page.read_text("utf-8")
        section = words[words.index(".. converted") : words.index(".. refused")]
        assert set(re.findall(r"``([A-Z]\w+)``", section)) == set(conversion.READ)
        section = words[words.index(".. refused") : words.index(".. end of refused")]
        assert set(re.findall(r"``([A-Z]\w+)``", section)) == set(REASONS)


def test_what_is_not_converted_says_so():
    cases = [
        (
            linear_model.SGDClassifier().fit(X, TWO),
            "SGDClassifier is not converted.*use LogisticRegression",
        ),
        (cluster.DBSCAN().fit(X), "Keep its labels_"),
        (MyRidge().fit(X, NUMBERS), "derived from a class of scikit-learn"),
        (statfast.Ridge().fit(X, NUMBERS), "statfast already"),
        ("text", "must be a fitted model"),
        (svm.SVC(kernel=lambda a, b: a @ b.T).fit(X, TWO), "a function as its kernel"),
        (impute.SimpleImputer(add_indicator=True).fit(GAPS), "add_indicator"),
        (
            pipeline.make_pipeline(linear_model.SGDClassifier()).fit(X, TWO),
            "SGDClassifier is not converted",
        ),
    ]
    for model, words in cases:
        with pytest.raises(TypeError, match=words):
            from_sklearn(model)
    cases = [
        (statfast.NMF(2).fit(COUNTS), "NMF is not converted. Its answers are minima"),
        (statfast.GammaNB().fit(np.abs(X), TWO), "has no such class"),
        (statfast.GaussianMixture(2, covariance_type="VVI").fit(X), "covariance_type='VVI'"),
        (statfast.TweedieRegressor(power=1.5, link="sqrt").fit(X, COUNTS[:, 0]), "link='sqrt'"),
        (RidgeOfStatfast().fit(X, NUMBERS), "your own class"),
        (statfast.DecisionTreeClassifier(criterion="error").fit(X, TWO), "criterion='error'"),
        (statfast.DecisionTreeClassifier(priors="uniform").fit(X, TWO), "priors"),
        (statfast.DecisionTreeClassifier(missing="surrogate").fit(GAPS, TWO), "surrogates"),
        (statfast.SVC(kernel="laplacian").fit(X, TWO), "Laplacian"),
        (statfast.PCA(correlation=True).fit(X), "scaled columns"),
        (statfast.KNeighborsClassifier(ties="nearest").fit(X, THREE), "ties='lowest'"),
        (statfast.KNeighborsClassifier(metric="gower").fit(X, THREE), "metric"),
    ]
    for model, words in cases:
        with pytest.raises(TypeError, match=words):
            to_sklearn(model)


@pytest.mark.parametrize(
    ("convert", "argument", "words"),
    [
        (from_sklearn, linear_model.Ridge, "got the class Ridge. Pass an instance"),
        (from_sklearn, [linear_model.Ridge()], r"got \[Ridge\(\)\] \(list\)"),
        (to_sklearn, statfast.Ridge, "got the class Ridge. Pass an instance"),
        (to_sklearn, linear_model.Ridge(), "of scikit-learn already. Use it as it is"),
        (to_sklearn, None, r"an estimator of statfast; got None \(NoneType\)"),
    ],
)
def test_what_is_no_model_is_told_apart(convert, argument, words):
    with pytest.raises(TypeError, match=words):
        convert(argument)


def test_functions_that_are_looked_for_as_methods_are_named():
    model = statfast.Ridge().fit(X, NUMBERS)
    for name in ("load", "save", "to_sklearn"):
        with pytest.raises(AttributeError, match=rf"Call statfast\.{name}\("):
            getattr(model, name)


def test_calibration_of_other_scores_is_refused():
    """One library calibrates what the other does not have of the same members."""
    rest = multiclass.OneVsRestClassifier(tree.DecisionTreeClassifier(max_depth=2))
    model = calibration.CalibratedClassifierCV(rest, cv=3).fit(X, THREE)
    with pytest.raises(TypeError, match="decision_function, the other probabilities"):
        from_sklearn(model)
    rest = statfast.OneVsRestClassifier(statfast.DecisionTreeClassifier(max_depth=2))
    model = statfast.CalibratedClassifierCV(rest, cv=3).fit(X, THREE)
    with pytest.raises(TypeError, match="decision_function, the other probabilities"):
        to_sklearn(model)
    rest = multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
    model = quietly_fitted(calibration.CalibratedClassifierCV(rest, cv=3), THREE)
    assert_same(model, from_sklearn(model), NEW)


def wrapped(wrapper, leaf):
    """A classifier in another model, by the name of that."""
    scaler, plain = preprocessing.StandardScaler, naive_bayes.GaussianNB
    return {
        "pipeline": lambda: pipeline.make_pipeline(scaler(), leaf),
        "columns": lambda: pipeline.make_pipeline(
            compose.ColumnTransformer([("some", scaler(), [0, 2])], remainder="passthrough"), leaf
        ),
        "union": lambda: pipeline.make_pipeline(
            pipeline.FeatureUnion([("a", decomposition.PCA(2)), ("b", scaler())]), leaf
        ),
        "selection": lambda: pipeline.make_pipeline(
            feature_selection.SelectFromModel(
                tree.DecisionTreeClassifier(random_state=0), threshold=-np.inf, max_features=4
            ),
            leaf,
        ),
        "bag": lambda: ensemble.BaggingClassifier(leaf, 3, max_features=3, random_state=0),
        "boost": lambda: ensemble.AdaBoostClassifier(leaf, n_estimators=3, random_state=0, **SAMME),
        "vote": lambda: ensemble.VotingClassifier([("a", leaf), ("b", plain())], voting="soft"),
        "stack": lambda: ensemble.StackingClassifier([("a", leaf), ("b", plain())], cv=3),
        "end of a stack": lambda: ensemble.StackingClassifier([("b", plain())], leaf, cv=3),
        "calibrated": lambda: calibration.CalibratedClassifierCV(leaf, cv=3),
    }[wrapper]()


WRAPPERS = (
    "pipeline", "columns", "union", "selection", "bag", "boost", "vote", "stack",
    "end of a stack", "calibrated",
)  # fmt: skip


@pytest.mark.parametrize("inner", WRAPPERS)
@pytest.mark.parametrize("outer", WRAPPERS)
def test_models_in_models_in_models(outer, inner):
    """All pairs, fitted to a table; where scikit-learn fits it, answers are the same."""
    pd = pytest.importorskip("pandas")
    rows, new = (pd.DataFrame(part, columns=list("abcde")) for part in (X, NEW))
    leaf = tree.DecisionTreeClassifier(max_depth=2, random_state=0)
    model = wrapped(outer, wrapped(inner, leaf))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(rows, THREE)
        except (TypeError, ValueError) as error:
            pytest.skip(f"scikit-learn does not fit it: {error}"[:80])
    converted = from_sklearn(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's members miss names that they were told
        assert_same(model, to_sklearn(converted), new)
        assert_same(model, converted, new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        converted.predict(new)
        load_again(converted).predict(new)


def test_settings_that_one_library_alone_has_are_left_at_the_defaults_of_the_other():
    model = statfast.KNeighborsClassifier().fit(X, THREE)
    assert to_sklearn(model).leaf_size == 30
    model = statfast.Ridge(random_state=np.random.default_rng(0)).fit(X, NUMBERS)
    assert to_sklearn(model).random_state is None
    model = statfast.KMeans(3, random_state=np.random.default_rng(0)).fit(X)
    assert to_sklearn(model).random_state is None


def test_only_fitted_models_are_converted():
    with pytest.raises(statfast.NotFittedError):
        from_sklearn(linear_model.Ridge())
    with pytest.raises(statfast.NotFittedError):
        to_sklearn(statfast.Ridge())


# ------------------------------------------------------------------ what reads scikit-learn's
def test_inspection_reads_what_comes_out():
    inspection = pytest.importorskip("sklearn.inspection")
    for name in ("tree of numbers", "boosting of numbers", "forest of numbers"):
        rows, target = rows_of(name)[0], NUMBERS
        model = statfast_twin(MODELS[name][0]).fit(np.nan_to_num(rows), target)
        out = to_sklearn(model)
        found = inspection.partial_dependence(
            out, np.nan_to_num(rows), [0], method="recursion", grid_resolution=5
        )
        assert np.ptp(found["average"]) > 0.1
        importance = inspection.permutation_importance(
            out, np.nan_to_num(rows), target, n_repeats=2, random_state=0
        )
        assert importance["importances_mean"].argmax() in (0, 1)


def test_trees_are_printed_and_drawn():
    model = statfast.DecisionTreeClassifier(max_depth=2).fit(X, THREE)
    text = tree.export_text(to_sklearn(model), class_names=model.classes_.tolist())
    assert text.count("class:") == model.get_n_leaves()
    pytest.importorskip("matplotlib").use("agg")
    assert len(tree.plot_tree(to_sklearn(model))) >= model.tree_.node_count


def test_shap_reads_trees():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    for name in ("tree of numbers", "forest of numbers", "boosting of numbers"):
        rows = np.nan_to_num(rows_of(name)[0])
        model = statfast_twin(MODELS[name][0]).fit(rows, NUMBERS)
        explained = shap.TreeExplainer(to_sklearn(model))
        total = explained.shap_values(rows[:20]).sum(axis=1) + explained.expected_value
        np.testing.assert_allclose(total, model.predict(rows[:20]), rtol=1e-4, atol=1e-4)


# Not boosting by histograms: skl2onnx 1.20 does not write that of scikit-learn 1.9 itself.
ONNX = (
    "least squares", "logistic of three", "forest", "random trees of numbers", "machine of three",
    "plain pipeline", "clusters", "normal columns", "tree of numbers",
)  # fmt: skip


@pytest.mark.parametrize("name", ONNX)
def test_onnx_runs_what_comes_out(name):
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model, target = MODELS[name]
    rows = np.nan_to_num(rows_of(name)[0]).astype(np.float32)
    ours = statfast_twin(model).fit(rows, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on attributes that scikit-learn deprecates
        written = skl2onnx.to_onnx(to_sklearn(ours), rows[:1], target_opset=17)
    session = runtime.InferenceSession(
        written.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    said = session.run(None, {session.get_inputs()[0].name: rows})[0]
    want = ours.predict(rows)
    if want.dtype.kind == "f":
        np.testing.assert_allclose(said.reshape(want.shape), want, rtol=1e-3, atol=1e-3)
    else:
        assert np.mean(said == want) > 0.99
