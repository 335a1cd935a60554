# SPDX-License-Identifier: BSD-3-Clause
"""Folds of iterative models, fitted together, are refits."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import GeneralizedLinearModel, LogisticRegression
from statfast._estimator import copied
from statfast.linear.glm import fold_fits
from statfast.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from tests.reference import refits

CLASSIFIERS = {
    "likelihood": LogisticRegression(tol=1e-12),
    "ridge": LogisticRegression(tol=1e-12, C=0.5),
    "through 0": LogisticRegression(tol=1e-12, C=1.0, fit_intercept=False),
    "against the rest": LogisticRegression(tol=1e-12, C=1.0, multi_class="ovr"),
    "weighted classes": LogisticRegression(tol=1e-12, C=1.0, class_weight={1: 3.0}),
}
MODELS = {
    "poisson": GeneralizedLinearModel(family="poisson", tol=1e-12),
    "gamma": GeneralizedLinearModel(family="gamma", link="log", tol=1e-12),
    "normal": GeneralizedLinearModel(family="gaussian", tol=1e-12, fit_intercept=False),
    "probit": GeneralizedLinearModel(family="binomial", link="probit", tol=1e-12),
}


def alone(*_):
    raise AssertionError("a fold was fitted by itself")


def columns(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.integers(-3, 4, d)


def score_of(X, rng):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Z @ rng.standard_normal(X.shape[1]) / np.sqrt(X.shape[1])


def responses(name, eta, rng):
    if name == "poisson":
        return rng.poisson(np.exp(eta)).astype(float)
    if name == "gamma":
        return rng.gamma(2.0, np.exp(eta))
    if name == "normal":
        return eta + rng.standard_normal(len(eta))
    return (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(float)


def labels(eta, rng, k):
    noisy = eta + rng.logistic(size=len(eta))
    return np.digitize(noisy, [0.0] if k == 2 else [-1.0, 1.0])


def compare(model, X, y, method, weights, cv, groups=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = list(cv.split(X, y, groups))
        try:
            want = refits.answers(model, X, y, pairs, method, weights)
        except ValueError:  # of an outlier held out the mean is infinite
            return
        if any(said is None for said in want) or len({np.shape(said) for said in want}) > 1:
            return  # a fold that cannot be fitted, or whose answers have other columns
        more = {"cv": cv, "groups": groups, "sample_weight": weights, "method": method}
        got = cross_val_predict(model, X, y, **more)
    if np.shape(got[0]) == np.shape(want[0]):
        size = np.maximum(1.0, np.abs(want))
        np.testing.assert_allclose(got / size, want / size, rtol=0, atol=1e-8)


@st.composite
def problems(draw):
    n, d = draw(st.integers(20, 80)), draw(st.integers(1, 4))
    k, seed = draw(st.sampled_from([2, 3, 7, n])), draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    X = columns(rng, n, d)
    eta = score_of(X, rng)
    if draw(st.booleans()):
        X[:, rng.integers(d)] = 0.7
    if draw(st.booleans()):
        X[rng.integers(n)] += 1e9
    groups = rng.integers(0, max(2, k), n) if draw(st.booleans()) else None
    weights = rng.integers(0, 3, n).astype(float) if draw(st.booleans()) else None
    if groups is not None and len(np.unique(groups)) < 2:
        groups = None
    cv = KFold(k) if groups is None else LeaveOneGroupOut()
    return X, eta, weights, groups, cv, rng


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=20)
@given(problems(), st.booleans())
def test_hostile_designs_of_classes(name, problem, rare):
    X, eta, weights, groups, cv, rng = problem
    y = labels(eta, rng, 2 if name in ("through 0", "weighted classes") else 3)
    if rare:
        y[np.flatnonzero(y == y.max())[1:]] = 0  # a class that a fold loses
    compare(CLASSIFIERS[name], X, y, "predict_proba", weights, cv, groups)


@pytest.mark.once
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=20)
@given(problems())
def test_hostile_designs_of_responses(name, problem):
    X, eta, weights, groups, cv, rng = problem
    compare(MODELS[name], X, responses(name, eta, rng), "predict", weights, cv, groups)


FOLDS = [
    KFold(3), KFold(10, shuffle=True, random_state=0), StratifiedKFold(4), TimeSeriesSplit(3),
    LeaveOneOut(), RepeatedKFold(n_splits=4, n_repeats=2, random_state=1),
]  # fmt: skip


@pytest.mark.once
@pytest.mark.parametrize(
    ("cv", "d"),
    [*((cv, 3) for cv in FOLDS), *((cv, 70) for cv in FOLDS if not isinstance(cv, LeaveOneOut))],
    ids=lambda value: value if isinstance(value, int) else type(value).__name__,
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("several", [False, True])
def test_usual_folds_go_together(monkeypatch, cv, d, dtype, several):
    monkeypatch.setattr(fold_fits, "_by_itself", alone)
    rng = np.random.default_rng(d)
    n = 100 if isinstance(cv, LeaveOneOut) else 900 if d == 3 else 4000
    X = columns(rng, n, d).astype(dtype)
    y, w = labels(score_of(X, rng), rng, 3), rng.integers(0, 3, n).astype(float)
    if isinstance(cv, LeaveOneOut):
        w += 1.0  # as a row of weight 0 has no score
    y = np.array(["a", "b", "c"])[y] if several else (y > 0).astype(float)
    C = 1.0 if d > 3 else np.inf
    for multi_class in ("multinomial", "ovr"):
        model = LogisticRegression(tol=1e-12, C=C, multi_class=multi_class)
        for weights in (None, w):
            got = cross_validate(
                model, X, y, cv=cv, sample_weight=weights, scoring="neg_brier_score"
            )
            assert got.path == "shared structure"
            plain = refits.Plain(model)
            want = cross_val_score(
                plain, X, y, cv=cv, sample_weight=weights, scoring="neg_brier_score"
            )
            tight = 1e-9 if dtype is np.float64 else 1e-5
            np.testing.assert_allclose(got["test_score"], want, rtol=0, atol=tight)


@pytest.mark.parametrize("name", MODELS)
def test_usual_responses_go_together(monkeypatch, name):
    monkeypatch.setattr(fold_fits, "_by_itself", alone)
    rng = np.random.default_rng(5)
    X = columns(rng, 9000, 5)
    y = responses(name, score_of(X, rng), rng)
    for cv in (KFold(4), TimeSeriesSplit(3), KFold(4, shuffle=True, random_state=0)):
        got = cross_validate(MODELS[name], X, y, cv=cv, scoring="neg_mean_squared_error")
        assert got.path == "shared structure"
        plain = refits.Plain(MODELS[name])
        want = cross_val_score(plain, X, y, cv=cv, scoring="neg_mean_squared_error")
        np.testing.assert_allclose(got["test_score"], want, rtol=1e-9)


@pytest.mark.parametrize("layout", ["F", "strided", "frame", "integers"])
def test_layouts(layout):
    rng = np.random.default_rng(7)
    X = rng.integers(-5, 6, (500, 4)).astype(float)
    y = labels(score_of(X, rng), rng, 2)
    given_ = X
    if layout == "F":
        given_ = np.asfortranarray(X)
    elif layout == "strided":
        given_ = np.repeat(X, 2, axis=1)[:, ::2]
    elif layout == "integers":
        given_ = X.astype(np.int64)
    else:
        given_ = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd"))
    model = LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = cross_validate(model, given_, y, cv=KFold(5, shuffle=True, random_state=0))
    want = cross_val_score(model, X, y, cv=KFold(5, shuffle=True, random_state=0))
    assert got.path == "shared structure"
    np.testing.assert_array_equal(got["test_score"], want)


def test_the_same_bits_for_any_threads():
    rng = np.random.default_rng(8)
    X = columns(rng, 20_000, 6)
    y = labels(score_of(X, rng), rng, 2)
    first, *others = [
        cross_val_predict(LogisticRegression(n_jobs=k), X, y, cv=4, method="decision_function")
        for k in (1, 2, 7)
    ]
    for said in others:
        np.testing.assert_array_equal(said, first)


def test_candidates_share_folds():
    rng = np.random.default_rng(9)
    X = columns(rng, 400, 5)
    y = labels(score_of(X, rng), rng, 3)
    grid = {"C": [0.01, 1.0, 100.0], "fit_intercept": [True, False]}
    model = LogisticRegression(C=1.0, tol=1e-12)
    plain = {f"estimator__{key}": values for key, values in grid.items()}
    got = GridSearchCV(model, grid, cv=5, scoring="neg_log_loss").fit(X, y)
    want = GridSearchCV(refits.Plain(copied(model)), plain, cv=StratifiedKFold(5),
                        scoring="neg_log_loss").fit(X, y)  # fmt: skip
    assert (got.path_, want.path_) == ("shared structure", "refit")
    key = "mean_test_score"
    np.testing.assert_allclose(got.cv_results_[key], want.cv_results_[key], rtol=1e-8)


def sum_of_errors(model, X, y):
    return float(model.standard_errors_.sum())


def test_what_is_left_to_refits():
    rng = np.random.default_rng(10)
    X = columns(rng, 200, 3)
    y = labels(score_of(X, rng), rng, 2)

    def strategy(model, cv=3, y=y, **more):
        return cross_validate(model, X, y, cv=cv, **more).path

    assert strategy(LogisticRegression()) == "shared structure"
    assert strategy(LogisticRegression(class_weight="balanced")) == "refit"  # of the rows of a fold
    assert strategy(LogisticRegression(C=1.0, l1_ratio=1.0)) == "refit"
    assert strategy(LogisticRegression(max_iter=19)) == "refit"
    assert strategy(LogisticRegression(), ShuffleSplit(40, random_state=0)) == "refit"
    assert (
        strategy(LogisticRegression(), scoring=sum_of_errors) == "refit"
    )  # a model as a user has it
    assert strategy(LogisticRegression(), return_estimator=True) == "refit"
    counts = rng.negative_binomial(2, 0.2, 200)
    assert strategy(GeneralizedLinearModel(family="negative_binomial"), y=counts) == "refit"


def test_a_fold_of_one_class_fails_alone():
    rng = np.random.default_rng(11)
    X = columns(rng, 60, 2)
    y = labels(score_of(X, rng), rng, 2)
    y[:20] = 1
    cv = [(np.arange(20), np.arange(20, 60)), (np.arange(20, 60), np.arange(20))]
    with pytest.warns(RuntimeWarning, match="1 fits failed out of a total of 2.*at least 2 class"):
        got = cross_validate(LogisticRegression(), X, y, cv=cv)
    assert got.path == "shared structure"
    assert np.isnan(got["test_score"]).tolist() == [True, False]


def test_a_class_of_no_fold_leaves_folds_to_refits():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    y[:4] = 3
    cv = [(np.arange(4, 30), np.arange(30, 40)), (np.arange(14, 40), np.arange(4, 14))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = cross_validate(LogisticRegression(), X, y, cv=cv)["test_score"]
    wanted = [LogisticRegression().fit(X[a], y[a]).score(X[b], y[b]) for a, b in cv]
    np.testing.assert_array_equal(got, wanted)


def test_rows_that_are_no_numbers_fail_as_in_refits():
    rng = np.random.default_rng(12)
    X = columns(rng, 60, 2)
    y = labels(score_of(X, rng), rng, 2)
    X[3, 1] = np.nan
    with (
        pytest.warns(RuntimeWarning, match="2 fits failed out of a total of 3"),
        pytest.warns(UserWarning, match=r"Scoring failed.*X contains NaN"),
    ):
        assert np.isnan(cross_val_score(LogisticRegression(), X, y, cv=KFold(3))).all()
