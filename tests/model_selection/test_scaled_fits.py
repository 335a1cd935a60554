# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines of a scaler and a logistic regression: folds fitted together are those of refits."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import LogisticRegression
from statfast.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from statfast.pipeline import Pipeline, make_pipeline
from statfast.preprocessing import MinMaxScaler, StandardScaler


def data(seed, n=90, p=4, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.gamma(1.0, 1.0, (n, 1))
    y = np.argmax(X[:, :classes] + 2.0 * rng.gumbel(size=(n, classes)), axis=1)
    return X * 10.0 ** rng.integers(-3, 4, p) + rng.integers(-5, 6, p), y, rng


def both(model, X, y, **more):
    """Scores of the folds, and of refits, for which models are asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of folds that can score nothing
        one = cross_validate(model, X, y, scoring="neg_log_loss", **more)
        other = cross_validate(model, X, y, scoring="neg_log_loss", return_estimator=True, **more)
    assert other.path == "refit"
    np.testing.assert_allclose(one["test_score"], other["test_score"], rtol=1e-8, atol=1e-9)
    return one.path


CUTS = [KFold(2), KFold(7), StratifiedKFold(3), GroupKFold(4), ShuffleSplit(3, random_state=0)]


@settings(max_examples=30)
@given(
    st.integers(0, 2**32), st.sampled_from([2, 3]), st.sampled_from([np.inf, 100.0, 0.5, 1e-3]),
    st.sampled_from(["multinomial", "ovr"]), st.booleans(), st.booleans(),
    st.sampled_from(["none", "counts", "real"]),
    st.sampled_from(CUTS),
    st.sampled_from(["plain", "constant", "outlier"]),
)  # fmt: skip
def test_equal_refits(seed, classes, C, how, centers, spreads, weighted, cv, kind):
    X, y, rng = data(seed, classes=classes)
    if kind == "constant":
        X[:, -1] = 7.0
        X[0, -1] = rng.choice([7.0, 8.0])  # in one fold
    elif kind == "outlier":
        X[rng.integers(len(X)), 0] = 1e9
    n = len(X)
    weights = {"none": None, "counts": rng.integers(0, 3, n) * 1.0, "real": rng.random(n) + 0.1}
    scaler = StandardScaler(with_mean=centers, with_std=spreads)
    last = LogisticRegression(C=C, tol=1e-12, multi_class=how, n_jobs=1)
    both(
        Pipeline([("scale", scaler), ("skipped", "passthrough"), ("model", last)]), X, y, cv=cv,
        sample_weight=weights[weighted], groups=rng.integers(0, 9, n),
    )  # fmt: skip


@pytest.mark.parametrize("classes", [2, 3])
def test_which_way(classes):
    X, y, _ = data(1, classes=classes)
    ridge = LogisticRegression(C=0.5, tol=1e-12)
    assert both(make_pipeline(StandardScaler(), ridge), X, y, cv=4) == "shared structure"
    plain = LogisticRegression(tol=1e-12)
    assert both(make_pipeline(StandardScaler(), plain), X, y, cv=4) == "shared structure"
    for other in (
        make_pipeline(StandardScaler(), LogisticRegression(C=0.5, fit_intercept=False)),
        make_pipeline(MinMaxScaler(), ridge),
        make_pipeline(StandardScaler(), StandardScaler(), ridge),
        make_pipeline(StandardScaler(), LogisticRegression(C=1.0, class_weight="balanced")),
    ):
        assert both(other, X, y, cv=4) == "refit"
    assert both(make_pipeline(StandardScaler(), ridge), X.astype(np.float32), y, cv=4) == "refit"


def test_search_and_predictions():
    pd = pytest.importorskip("pandas")
    X, y, _ = data(2)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-12))
    grid = {"logisticregression__C": [1e-3, 0.1, 10.0, -1.0]}
    for rows in (X, frame):
        search = GridSearchCV(model, grid, scoring="neg_log_loss", cv=5, refit=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the last candidate
            search.fit(rows, y)
        means = search.cv_results_["mean_test_score"]
        assert np.isfinite(means).tolist() == [True, True, True, False]
        for C, mean in zip([1e-3, 0.1, 10.0], means, strict=False):
            own = model.set_params(logisticregression__C=C)
            refitted = cross_validate(
                own, rows, y, cv=5, scoring="neg_log_loss", return_estimator=True
            )
            assert mean == pytest.approx(refitted["test_score"].mean(), rel=1e-9)
    said = cross_val_predict(model, frame, y, cv=5, method="predict_proba")
    folds = StratifiedKFold(5).split(X, y)
    for train, test in folds:
        fitted = model.fit(X[train], y[train])
        np.testing.assert_allclose(said[test], fitted.predict_proba(X[test]), rtol=1e-8)


def test_a_class_that_a_fold_lacks():
    X, y, _ = data(3, classes=3)
    y[:] = np.where(np.arange(len(y)) < 30, 2, y % 2)  # of the first fold alone
    assert both(make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-12)), X, y,
                cv=KFold(5)) == "shared structure"  # fmt: skip
