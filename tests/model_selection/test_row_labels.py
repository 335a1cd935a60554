# SPDX-License-Identifier: BSD-3-Clause
"""Rows are counted by their places: what an index says of them means nothing."""

import warnings

import numpy as np
import pytest

import statfast as sf
from statfast.inspection import permutation_importance
from statfast.model_selection import (
    bias_variance,
    bootstrap_error,
    compare,
    leave_one_out,
    nested_cv_interval,
)

pd = pytest.importorskip("pandas")

N = 48
ORDER = np.random.default_rng(5).permutation(N)
INDICES = {
    "permuted": pd.Index(ORDER),
    "gapped": pd.Index(3 * np.arange(N) + 7),
    "duplicated": pd.Index(ORDER // 4),
    "dates": pd.date_range("2020-01-01", periods=N)[ORDER],
    "several levels": pd.MultiIndex.from_arrays([ORDER % 2, ORDER // 2]),
}
CONTAINERS = ["permuted", "duplicated", "several levels", "categorical", "polars", "pyarrow"]


def _rows(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 2))
    y = np.where(X[:, 0] + 0.4 * rng.standard_normal(N) > 0, "yes", "no").astype(object)
    t = X @ np.array([1.0, -2.0]) + 0.1 * rng.standard_normal(N)
    return X, y, t


def targets_as(kind, y):
    """Targets, of one column or two, in a container that is no array."""
    if kind == "polars":
        polars = pytest.importorskip("polars")
        return polars.Series(y.tolist()) if y.ndim == 1 else polars.DataFrame(y)
    if kind == "pyarrow":
        arrow = pytest.importorskip("pyarrow")
        columns = [column.tolist() for column in y.T] if y.ndim > 1 else []
        return (
            arrow.table(columns, names=list("uv")) if columns else arrow.chunked_array([y.tolist()])
        )
    if kind == "categorical":
        return pd.Series(pd.Categorical(y), index=INDICES["permuted"])
    return (pd.Series if y.ndim == 1 else pd.DataFrame)(y, index=INDICES[kind])


def rows_as(kind, X):
    """Rows in a container that is no array."""
    columns = {name: X[:, j] for j, name in enumerate("ab")}
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    if kind == "pyarrow":
        return pytest.importorskip("pyarrow").table(columns)
    return pd.DataFrame(columns, index=INDICES["permuted" if kind == "categorical" else kind])


CLASSIFIERS = {  # with a parameter whose values a search has to choose from
    "logistic": (sf.LogisticRegression(C=1.0), "C", [0.01, 1.0]),
    "few steps": (sf.LogisticRegression(C=1.0, max_iter=5), "C", [0.01, 1.0]),
    "scaled logistic": (
        sf.make_pipeline(sf.StandardScaler(), sf.LogisticRegression(C=1.0)),
        "logisticregression__C",
        [0.01, 1.0],
    ),
    "nearest": (sf.KNeighborsClassifier(3), "n_neighbors", [1, 5]),
    "one against the rest": (
        sf.OneVsRestClassifier(sf.LogisticRegression(C=1.0)),
        "estimator__C",
        [0.01, 1.0],
    ),
    "one against one": (
        sf.OneVsOneClassifier(sf.KNeighborsClassifier()),
        "estimator__n_neighbors",
        [1, 5],
    ),
    "discriminant": (sf.LinearDiscriminantAnalysis(), "priors", [None, [0.9, 0.1]]),
    "quadratic": (sf.QuadraticDiscriminantAnalysis(), "reg_param", [0.0, 0.5]),
    "Bayes": (sf.GaussianNB(), "var_smoothing", [1e-9, 1.0]),
    "tree": (sf.DecisionTreeClassifier(max_depth=2), "max_depth", [1, 2]),
    "machine": (sf.SVC(), "C", [0.1, 1.0]),
    "bagging": (sf.BaggingClassifier(n_estimators=2, random_state=0), "n_estimators", [1, 2]),
    "calibrated": (sf.CalibratedClassifierCV(sf.GaussianNB(), cv=3), "cv", [2, 3]),
}
REGRESSORS = {
    "least squares": (sf.LinearRegression(), "fit_intercept", [True, False]),
    "ridge": (sf.Ridge(), "alpha", [0.1, 10.0]),
    "kernel ridge": (sf.KernelRidge(kernel="rbf", gamma=0.5), "alpha", [0.1, 10.0]),
    "nearest": (sf.KNeighborsRegressor(3), "n_neighbors", [1, 5]),
    "lasso": (sf.Lasso(alpha=0.1), "alpha", [0.1, 1.0]),
    "tree": (sf.DecisionTreeRegressor(max_depth=2), "max_depth", [1, 2]),
    "machine": (sf.SVR(), "C", [0.1, 1.0]),
    "GLM": (sf.GeneralizedLinearModel("gaussian"), "fit_intercept", [True, False]),
}


def _by_folds(estimator, name, values, X, y, weights=None):
    """What functions of model selection give that cut the rows in folds."""
    more = {} if weights is None else {"sample_weight": weights}
    how = {"cv": 3, "param_name": name, "param_range": values} | more
    search = sf.GridSearchCV(estimator, {name: values}, cv=3).fit(X, y, **more)
    return [
        sf.cross_val_score(estimator, X, y, cv=3, **more),
        sf.cross_validate(estimator, X, y, cv=3, return_train_score=True, **more)["train_score"],
        sf.cross_val_predict(estimator, X, y, cv=sf.KFold(3), **more),
        search.cv_results_["mean_test_score"],
        *sf.validation_curve(estimator, X, y, **how),
        *sf.learning_curve(estimator, X, y, cv=2, train_sizes=[0.7, 1.0], **more)[1:],
    ]


def _in_other_ways(estimator, X, y):
    """What other functions give that cut rows."""
    found = [
        bootstrap_error(estimator, X, y, n_bootstraps=3, random_state=0).error,
        nested_cv_interval(estimator, X, y, n_splits=3, n_repeats=1, random_state=0).error,
        bias_variance(estimator, X, y, n_rounds=2, random_state=0).variance,
        compare([estimator, estimator], X, y, cv=3).scores,
        permutation_importance(estimator.fit(X, y), X, y, n_repeats=1, random_state=0).importances,
    ]
    return [np.asarray(one) for one in [*found, leave_one_out(estimator, X, y).answers]]


def require_same(got, want):
    for one, other in zip(got, want, strict=True):
        if other.dtype.kind == "f":  # another order of sums where frames lie by columns
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)
        else:
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_in_any_container_are_those_of_an_array(name):
    X, y, _ = _rows()
    want = _by_folds(*CLASSIFIERS[name], X, y)
    for kind in CONTAINERS:
        require_same(_by_folds(*CLASSIFIERS[name], X, targets_as(kind, y)), want)
    require_same(
        _by_folds(*CLASSIFIERS[name], rows_as("permuted", X), targets_as("dates", y)), want
    )


@pytest.mark.parametrize("name", REGRESSORS)
def test_targets_in_any_container_are_those_of_an_array(name):
    X, _, t = _rows()
    want = _by_folds(*REGRESSORS[name], X, t)
    for kind in CONTAINERS:
        if kind != "categorical":
            require_same(_by_folds(*REGRESSORS[name], X, targets_as(kind, t)), want)
    frame = rows_as("permuted", X)
    require_same(_by_folds(*REGRESSORS[name], frame, targets_as("dates", t)), want)


@pytest.mark.parametrize("name", ["least squares", "ridge", "kernel ridge", "nearest", "tree"])
def test_two_columns_of_targets_in_any_frame(name):
    X, _, t = _rows()
    Y = np.column_stack([t, -t[::-1]])
    want = _by_folds(*REGRESSORS[name], X, Y)
    for kind in CONTAINERS:
        if kind != "categorical":
            require_same(_by_folds(*REGRESSORS[name], X, targets_as(kind, Y)), want)


@pytest.mark.parametrize("name", ["logistic", "discriminant", "Bayes", "tree", "machine"])
def test_weights_in_any_series(name):
    X, y, _ = _rows()
    weights = 0.5 + np.arange(N) % 3
    want = _by_folds(*CLASSIFIERS[name], X, y, weights)
    for kind in ("permuted", "dates", "polars"):
        given = targets_as(kind, weights)
        require_same(_by_folds(*CLASSIFIERS[name], X, targets_as("gapped", y), given), want)


@pytest.mark.parametrize("kind", ["permuted", "gapped", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ["nearest", "Bayes", "logistic", "GLM", "ridge", "kernel ridge"])
def test_other_functions_that_cut_rows(name, kind):
    X, y, t = _rows()
    estimator = (CLASSIFIERS.get(name) or REGRESSORS[name])[0]
    y = y if name in CLASSIFIERS else t
    want = _in_other_ways(estimator, X, y)
    require_same(_in_other_ways(estimator, X, targets_as(kind, y)), want)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        require_same(_in_other_ways(estimator, rows_as(kind, X), targets_as(kind, y)), want)


def test_folds_that_are_separated_are_fitted_to_their_own_rows():
    X, y, _ = _rows()
    y = np.where(X[:, 0] > 0, "yes", "no")  # so that each fold is left to a fit by itself
    with pytest.warns(sf.SeparationWarning):
        want = sf.cross_val_predict(sf.LogisticRegression(), X, y, cv=3)
    with pytest.warns(sf.SeparationWarning):
        got = sf.cross_val_predict(sf.LogisticRegression(), X, targets_as("permuted", y), cv=3)
    assert got.tolist() == want.tolist()


def test_groups_in_any_series():
    X, y, _ = _rows()
    groups = ORDER % 6
    want = sf.cross_val_score(sf.GaussianNB(), X, y, groups=groups, cv=sf.GroupKFold(3))
    for kind in ("permuted", "gapped", "dates", "polars", "pyarrow"):
        given = targets_as(kind, groups)
        got = sf.cross_val_score(sf.GaussianNB(), X, y, groups=given, cv=sf.GroupKFold(3))
        assert got.tolist() == want.tolist()


def test_parts_of_train_test_split_keep_their_index():
    X, y, _ = _rows()
    want = sf.train_test_split(X, y, random_state=0, stratify=y)
    for kind in INDICES:
        labels = targets_as(kind, y)
        got = sf.train_test_split(rows_as(kind, X), labels, random_state=0, stratify=labels)
        for one, other in zip(got, want, strict=True):
            assert np.asarray(one).tolist() == other.tolist()
            assert not isinstance(one.index, pd.RangeIndex)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "kind", ["datetime64", "time zone", "period", "dates", "list", "duration", "category"]
)
def test_rows_are_grouped_by_days(kind, missing):
    days = pd.Series(pd.date_range("2020-01-01", periods=6).repeat(5))
    if missing:
        days[7] = pd.NaT
    groups = {
        "datetime64": lambda: days.to_numpy(),
        "time zone": lambda: days.dt.tz_localize("Europe/Zurich"),
        "period": lambda: days.dt.to_period("D"),
        "dates": lambda: days.dt.date,
        "list": lambda: days.dt.date.tolist(),
        "duration": lambda: days - days[0],
        "category": lambda: pd.Categorical(days),
    }[kind]()
    X = np.zeros((30, 1))
    if missing:
        with pytest.raises(ValueError, match="groups must name a group for each row; row 7 has"):
            list(sf.GroupKFold(3).split(X, None, groups))
        return
    for cv in (sf.GroupKFold(3), sf.LeaveOneGroupOut()):
        found = [test.tolist() for _, test in cv.split(X, None, groups)]
        codes = np.repeat(np.arange(6), 5)
        assert found == [test.tolist() for _, test in cv.split(X, None, codes)]
