# SPDX-License-Identifier: BSD-3-Clause
"""All strategies of cross-validation give what refits give, and say which one it was."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import (
    ElasticNet,
    GaussianNB,
    KNeighborsRegressor,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    StandardScaler,
    make_pipeline,
)
from statfast._estimator import copied
from statfast.linear.penalized import column_products
from statfast.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    bias_variance,
    bootstrap_error,
    compare,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    external_validation,
    learning_curve,
    leave_one_out,
    nested_cv_interval,
    train_test_split,
)
from tests.reference import refits

CLASSIFIERS = {
    "LDA": LinearDiscriminantAnalysis(),
    "LDA mle": LinearDiscriminantAnalysis(method="mle"),
    "scaled LDA": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "QDA": QuadraticDiscriminantAnalysis(),
    "least squares": LeastSquaresClassifier(),
    "scaled least squares": make_pipeline(StandardScaler(), LeastSquaresClassifier()),
}
REGRESSORS = {
    "least squares": LinearRegression(),
    "least squares through 0": LinearRegression(fit_intercept=False),
    "ridge": Ridge(0.1),
    "ridge through 0": Ridge(0.1, fit_intercept=False),
    "scaled ridge": make_pipeline(StandardScaler(), Ridge(2.0)),
    "lasso": Lasso(0.05, tol=1e-13),
    "lasso through 0": Lasso(0.05, fit_intercept=False, tol=1e-13),
    "elastic net": ElasticNet(0.05, standardize=True, tol=1e-13),
}


def design(seed, n, d, outlier=False, constant=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.integers(-3, 4, d)
    if constant:
        X[:, rng.integers(d)] = 0.7
    if outlier:
        X[rng.integers(n)] += 1e9
    return X, rng


def condition(X, train, codes=None):
    """Of the centered columns of the rows fitted, or of each class of them, of length one each."""
    if codes is not None:
        return max(condition(X, train[codes[train] == c]) for c in np.unique(codes[train]))
    Z = X[train] - X[train].mean(axis=0)
    length = np.sqrt((Z**2).sum(axis=0))
    used = length > 1e-9 * np.abs(X[train]).max()
    Z, length = Z[:, used] / length[used], length[used]
    if not len(length):
        return 1.0
    return np.linalg.cond(Z) * max(1.0, np.abs(X[train]).max() / length.min())


@st.composite
def problems(draw):
    n, d = draw(st.integers(14, 50)), draw(st.integers(1, 4))
    k = draw(st.sampled_from([2, 3, 7, n]))
    seed, outlier, constant = draw(st.integers(0, 2**32)), draw(st.booleans()), draw(st.booleans())
    weighted, grouped = draw(st.booleans()), draw(st.booleans())
    X, rng = design(seed, n, d, outlier, constant)
    codes = rng.integers(0, 3, n)
    codes[np.flatnonzero(codes == 2)[1:]] = 0  # a class of one row: a fold loses it
    groups = rng.integers(0, max(2, k), n) if grouped else None
    weights = rng.integers(0, 3, n).astype(float) if weighted else None
    return X, codes, weights, groups, (LeaveOneGroupOut() if grouped else KFold(k)), rng


def check(model, X, y, weights, groups, cv, method, *, tight, codes=None):
    """Compare with refits, to the digits that the condition of the rows fitted leaves."""
    pairs = list(cv.split(X, y, groups))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = refits.answers(model, X, y, pairs, method, weights)
        if any(said is None for said in want):
            return None
        if len({np.shape(said) for said in want}) > 1:
            return None  # some fold has fewer classes: its columns are others
        got = cross_val_predict(
            model, X, y, cv=cv, groups=groups, sample_weight=weights, method=method
        )
    if np.shape(got[0]) != np.shape(want[0]):
        return None  # no fold has rows of some class
    for train, test in pairs:
        worst = condition(X, train, codes)
        if worst > 1e7:  # whether columns depend on others is then decided by rounding
            continue
        scale = max(1.0, np.abs(np.array([want[row] for row in test])).max())
        for row in test:
            np.testing.assert_allclose(
                got[row], want[row], rtol=0, atol=tight * worst**2 * scale, err_msg=str(row)
            )
    return got


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSIFIERS)
@given(problems())
def test_classifiers_are_refits(name, problem):
    X, codes, weights, groups, cv, _ = problem
    model = CLASSIFIERS[name]
    if len(np.unique(groups)) < 2 and groups is not None:
        return
    if "least" in name:
        check(model, X, codes, weights, groups, cv, "decision_function", tight=1e-11)
        return
    check(model, X, codes, weights, groups, cv, "predict_proba", tight=1e-11, codes=codes)


@pytest.mark.once
@pytest.mark.parametrize("name", REGRESSORS)
@settings(max_examples=25)
@given(problems(), st.booleans())
def test_regressors_are_refits(name, problem, several):
    X, _, weights, groups, cv, rng = problem
    if len(np.unique(groups)) < 2 and groups is not None:
        return
    y = X[:, 0] / np.abs(X).max() + rng.standard_normal(len(X))
    if several:
        y = np.column_stack([y, rng.standard_normal(len(X))])
    if isinstance(REGRESSORS[name], ElasticNet):  # to a duality gap: half its digits
        check(REGRESSORS[name], X, y[:, 0] if several else y, weights, groups, cv, "predict",
              tight=1e-6)  # fmt: skip
        return
    check(REGRESSORS[name], X, y, weights, groups, cv, "predict", tight=1e-12)


def test_names_of_the_ways():
    X, rng = design(0, 40, 3)
    y = rng.integers(0, 2, 40)
    model = LinearDiscriminantAnalysis()

    def strategy(cv, model=model, **more):
        return cross_validate(model, X, y, cv=cv, scoring="accuracy", **more).path

    assert strategy(5) == strategy(RepeatedKFold(n_splits=3, n_repeats=2)) == "merged statistics"
    assert strategy(TimeSeriesSplit(3)) == "merged statistics"
    assert strategy(LeaveOneOut()) == strategy(KFold(40)) == "closed form"
    assert strategy(LeaveOneOut(), return_estimator=True) == "merged statistics"
    assert strategy(ShuffleSplit(10, test_size=0.5, random_state=0)) == "refit"
    assert strategy(5, refits.Plain(model)) == "refit"
    assert strategy(LeaveOneOut(), refits.Plain(model)) == "refit"


@pytest.mark.parametrize("cv", [5, TimeSeriesSplit(4, gap=2), RepeatedKFold(n_splits=4), KFold(3)])
@pytest.mark.parametrize("scoring", [None, "accuracy", ["accuracy", "f1_macro"]])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scores_are_those_of_refits(cv, scoring):
    X, rng = design(3, 60, 3)
    y = np.array(["no", "so", "yes"])[rng.integers(0, 3, 60)]
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    if isinstance(cv, RepeatedKFold):
        cv.random_state = 0
    got = cross_validate(model, X, y, cv=cv, scoring=scoring, return_train_score=True)
    plain = refits.Plain(model)
    folds = StratifiedKFold(5) if cv == 5 else cv
    want = cross_validate(plain, X, y, cv=folds, scoring=scoring, return_train_score=True)
    assert got.path == "merged statistics"
    assert want.path == "refit"
    for key, values in want.items():
        if key.startswith(("test", "train")):
            np.testing.assert_allclose(got[key], values, rtol=1e-12)


def test_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    X, rng = design(1, 30, 2)
    y = rng.integers(0, 2, 30)
    frame = pandas.DataFrame(X, columns=["u", "v"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = cross_validate(LinearDiscriminantAnalysis(), frame, pandas.Series(y), cv=3)
        kept = cross_validate(LinearDiscriminantAnalysis(), frame, y, cv=3, return_estimator=True)
    want = cross_validate(LinearDiscriminantAnalysis(), X, y, cv=3)
    np.testing.assert_array_equal(got["test_score"], want["test_score"])
    assert got.path == kept.path == "merged statistics"
    assert kept["estimator"][0].feature_names_in_.tolist() == ["u", "v"]


def test_a_fold_that_loses_all_classes_but_one_fails_alone():
    X, _ = design(2, 12, 2)
    y = np.repeat([0, 1], 6)
    for model in (LinearDiscriminantAnalysis(), refits.Plain(LinearDiscriminantAnalysis())):
        cv = [(np.arange(6), np.arange(6, 12)), (np.arange(2, 12), np.arange(2))]
        with pytest.warns(RuntimeWarning, match="1 fits failed out of a total of 2.*one class"):
            scores = cross_val_score(model, X, y, cv=cv)
        assert np.isnan(scores).tolist() == [True, False]
        with pytest.raises(ValueError, match="got one class"):
            cross_val_score(model, X, y, cv=cv, error_score="raise")
        with pytest.raises(ValueError, match="All the 1 fits failed"):
            cross_val_score(model, X, y, cv=cv[:1])


def test_a_row_that_is_no_number_fails_as_in_refits():
    X, rng = design(2, 30, 2)
    y = rng.integers(0, 2, 30)
    X[3, 1] = np.nan
    with (
        pytest.warns(RuntimeWarning, match="2 fits failed out of a total of 3"),
        pytest.warns(UserWarning, match=r"Scoring failed.*X contains NaN"),
    ):
        scores = cross_val_score(LinearDiscriminantAnalysis(), X, y, cv=KFold(3))
    assert np.isnan(scores).all()


def broken(estimator, X, y):
    raise RuntimeError("no score today")


def test_scorers_that_raise_are_told():
    X, rng = design(2, 30, 2)
    y = rng.integers(0, 2, 30)
    both = {"a": broken, "b": "accuracy"}
    with pytest.warns(UserWarning, match="Scoring failed.*RuntimeError: no score today"):
        got = cross_validate(LinearDiscriminantAnalysis(), X, y, scoring=both)
    assert np.isnan(got["test_a"]).all()
    assert not np.isnan(got["test_b"]).any()
    with pytest.raises(RuntimeError, match="no score today"):
        cross_val_score(LinearDiscriminantAnalysis(), X, y, scoring=broken, error_score="raise")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scoring": "accuracyy"}, "scoring must be one of the names"),
        ({"scoring": 3}, "scoring must be a name, a function"),
        ({"scoring": []}, "scoring must name at least one"),
        ({"scoring": ["accuracy", "accuracy"]}, "names a score twice"),
        ({"cv": 31}, "cv must be between 2 and the number of rows"),
        ({"cv": "three"}, "cv must be an integer, a splitter"),
        ({"error_score": "nan"}, "error_score must be a number or 'raise'"),
        ({"groups": [1, 2]}, "groups must have one group for each of the 30 rows"),
        ({"sample_weight": [-1.0] * 30}, "sample_weight must not be negative"),
        (
            {"params": {"C": 1}},
            "params names 'C', which LinearDiscriminantAnalysis.fit does not take",
        ),
        ({"cv": LeaveOneGroupOut()}, "'groups' parameter should not be None"),
    ],
)
def test_bad_arguments(more, message):
    X, rng = design(2, 30, 2)
    with pytest.raises((TypeError, ValueError), match=message):
        cross_validate(LinearDiscriminantAnalysis(), X, rng.integers(0, 2, 30), **more)


def test_what_is_no_estimator_and_no_partition():
    X, rng = design(2, 30, 2)
    y = rng.integers(0, 2, 30)
    with pytest.raises(TypeError, match="estimator must be an estimator with fit"):
        cross_validate(LinearDiscriminantAnalysis, X, y)
    with pytest.raises(ValueError, match="only works for partitions"):
        cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=ShuffleSplit())
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        cross_validate(LinearDiscriminantAnalysis(), X, y[:-1])
    with pytest.raises(TypeError, match="Call cross_validate for several"):
        cross_val_score(LinearDiscriminantAnalysis(), X, y, scoring=["accuracy"])
    with pytest.raises(TypeError, match="fit does not take it"):
        cross_validate(Weightless(), X, y, sample_weight=np.ones(30))


class Weightless:
    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        return self

    def score(self, X, y):
        return 1.0


def test_scikit_learn_scores_the_same():
    theirs = pytest.importorskip("sklearn.model_selection")
    from sklearn.neighbors import KNeighborsClassifier

    X, rng = design(5, 50, 3)
    y = np.array(["a", "b"])[rng.integers(0, 2, 50)]
    for scoring in ("accuracy", "f1_macro"):
        np.testing.assert_allclose(
            cross_val_score(KNeighborsClassifier(3), X, y, scoring=scoring),
            theirs.cross_val_score(KNeighborsClassifier(3), X, y, scoring=scoring),
        )
    got = cross_val_predict(KNeighborsClassifier(3), X, y, method="predict_proba")
    want = theirs.cross_val_predict(KNeighborsClassifier(3), X, y, method="predict_proba")
    np.testing.assert_array_equal(got, want)


def test_copies_are_fitted():
    X, rng = design(2, 30, 2)
    model = LinearDiscriminantAnalysis()
    before = vars(copied(model))
    cross_validate(model, X, rng.integers(0, 2, 30))
    assert vars(model) == before


def damaged():
    S = sparse.csr_array(np.eye(12))
    S.indptr = S.indptr.copy()
    S.indptr[5] = 10**6
    return S


def test_damaged_sparse_rows_are_refused_before_any_is_taken():
    y = np.arange(12) % 2
    for call in (
        lambda: cross_val_score(LinearDiscriminantAnalysis(), damaged(), y, cv=2),
        lambda: cross_val_predict(LinearDiscriminantAnalysis(), damaged(), y, cv=2),
        lambda: train_test_split(damaged(), y),
        lambda: bootstrap_error(LinearDiscriminantAnalysis(), damaged(), y),
        lambda: bias_variance(LinearDiscriminantAnalysis(), damaged(), y),
        lambda: nested_cv_interval(LinearDiscriminantAnalysis(), damaged(), y),
    ):
        with pytest.raises(ValueError, match="is a damaged sparse matrix"):
            call()


def test_a_fit_that_needs_targets():
    X = np.eye(4)
    for call in (cross_validate, cross_val_predict, cross_val_score, leave_one_out, learning_curve):
        with pytest.raises(
            ValueError, match="Ridge requires y to be passed, but the target y is None"
        ):
            call(Ridge(), X)


def test_methods_that_an_estimator_has_not():
    X, y = np.eye(6), np.arange(6) % 2
    for call in (
        lambda: cross_val_predict(Ridge(), X, y, cv=2, method="predict_proba"),
        lambda: leave_one_out(KNeighborsRegressor(1), X, y, method="predict_log_proba"),
    ):
        with pytest.raises(AttributeError, match=r"for predict_(log_)?proba, which it has not"):
            call()
    with pytest.raises(TypeError, match="estimator must be an estimator with fit"):
        leave_one_out(3, X, y)


@pytest.mark.parametrize("model", [Ridge(), GaussianNB(), LinearDiscriminantAnalysis()])
def test_folds_without_a_row_of_weight(model):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(8, 2)), np.arange(8) % 2, np.eye(8)[0]
    for call in (
        lambda: leave_one_out(model, X, y, sample_weight=weights),
        lambda: cross_val_score(
            model, X, y, cv=KFold(4), sample_weight=weights, error_score="raise"
        ),
    ):
        with pytest.raises(ValueError, match=r"X has (no rows to fit|0 sample)"):
            call()


def test_comparisons_need_scores_and_rows_to_fit():
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12.0)
    with pytest.raises(ValueError, match="must leave rows to fit"):
        compare([Ridge(), Ridge(2.0)], X, y, cv=[([], [0, 1]), ([], [2, 3])])
    with (
        pytest.warns(UserWarning, match="not well-defined"),
        pytest.raises(ValueError, match="Scores to be compared must"),
    ):
        compare([Ridge(), Ridge(2.0)], X, y, cv=LeaveOneOut())
    with pytest.raises(TypeError, match="models must be estimators with fit"):
        compare([Ridge(), 3], X, y)


def test_estimates_of_far_targets_and_other_columns():
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12.0)
    with pytest.raises(ValueError, match="Errors can be averaged of values up to"):
        bootstrap_error(Ridge(), X, 1e200 * y)
    with pytest.raises(ValueError, match="X and X_new must have the same columns"):
        external_validation(Ridge(), X, y, X[:, :1], y, select_on_all=True)
    with pytest.raises(TypeError, match="does not take it"):
        nested_cv_interval(KNeighborsRegressor(), X, y, sample_weight=np.ones(12))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "more", [{}, {"standardize": True}, {"fit_intercept": False}, {"positive": True}]
)
def test_lasso_and_its_choice_are_refits(weighted, more):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((400, 12)) * 10.0 ** rng.integers(-1, 2, 12) + 3.0
    y = X[:, 0] + 2 * X[:, 1] + rng.standard_normal(400)
    w = rng.integers(0, 3, 400).astype(float) if weighted else None
    cv = KFold(7, shuffle=True, random_state=0)
    model = Lasso(0.1, tol=1e-12, **more)
    got = cross_validate(model, X, y, cv=cv, sample_weight=w, scoring="neg_mean_squared_error")
    assert got.path == "merged statistics"
    plain = refits.Plain(model)
    want = cross_val_score(plain, X, y, cv=cv, sample_weight=w, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(got["test_score"], want, rtol=1e-8)
    alphas = [0.5, 0.1, 0.02]
    found = LassoCV(alphas=alphas, cv=cv, tol=1e-12, **more).fit(X, y, sample_weight=w)
    for k, (train, test) in enumerate(cv.split(X)):
        for a, alpha in enumerate(alphas):
            one = Lasso(alpha, tol=1e-12, **more)
            one.fit(X[train], y[train], None if w is None else w[train])
            share = None if w is None else w[test]
            error = np.average((y[test] - one.predict(X[test])) ** 2, weights=share)
            assert found.mse_path_[a, k] == pytest.approx(error, rel=1e-8)


@pytest.mark.parametrize("noise", [1.0, 1e-1, 1e-3, 1e-7])
@pytest.mark.parametrize("intercept", [True, False])
def test_errors_of_a_path_are_those_of_its_predictions(noise, intercept, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 8)) + 1.0
    y = X @ rng.standard_normal(8) + noise * rng.standard_normal(300)
    w = rng.uniform(0.0, 2.0, 300)
    model = LassoCV(alphas=[1.0, 1e-2, 1e-9], cv=3, fit_intercept=intercept)
    found = model.fit(X, y, w).mse_path_
    monkeypatch.setattr(column_products, "MIN_SQUARES_LEFT", 2.0)
    want = model.fit(X, y, w).mse_path_
    assert (found == want).all() == (noise < 1e-2)  # where products would lose digits
    np.testing.assert_allclose(found, want, rtol=1e-11)


@pytest.mark.parametrize("kind", ["plain", "weighted", "far", "exact", "constant", "float32"])
@pytest.mark.parametrize("intercept", [True, False])
def test_scores_of_many_penalties_are_those_of_predictions(kind, intercept, monkeypatch):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((120, 5)) * [1.0, 10.0, 0.1, 1.0, 1.0] + 1.0
    noise = {"far": 1e-4, "exact": 0.0}.get(kind, 0.5)
    y = X @ rng.standard_normal(5) + noise * rng.standard_normal(120)
    if kind == "far":
        X[:, 0] += 1e7
    if kind == "constant":
        y[:40] = 3.0
    X = X.astype(np.float32) if kind == "float32" else X
    w = rng.integers(0, 3, 120).astype(float) if kind == "weighted" else None
    params = [{"alpha": [1e-12, 0.1, 10.0, 1e5]}, {"alpha": [3.0], "positive": [True]}]
    names = ["neg_mean_squared_error", "neg_root_mean_squared_error", "r2"]
    model = Ridge(fit_intercept=intercept)
    for scoring, refit in ((names, False), (None, True)):
        search = GridSearchCV(model, params, cv=KFold(3), scoring=scoring, refit=refit)
        got = search.fit(X, y, sample_weight=w).cv_results_
        assert search.path_ == "merged statistics"
        with monkeypatch.context() as patch:
            patch.setattr(Ridge, "_mean_squares", staticmethod(lambda models, held: None))
            want = search.fit(X, y, sample_weight=w).cv_results_
        for key in want:
            if "test_" in key and "rank" not in key:
                np.testing.assert_allclose(got[key], want[key], rtol=1e-10, atol=1e-13)
        same = all((got[key] == want[key]).all() for key in want if "split" in key)
        assert kind == "far" or same == (kind in ("exact", "float32"))  # else of products alone


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_that_a_fold_loses(name):
    X, rng = design(7, 60, 2)
    codes = rng.integers(0, 2, 60)
    codes[:20:2] = 2  # all in the first of three folds
    pairs = list(KFold(3).split(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = cross_val_predict(CLASSIFIERS[name], X, codes, cv=KFold(3))
        want = refits.answers(CLASSIFIERS[name], X, codes, pairs, "predict")
    np.testing.assert_array_equal(got, want)
