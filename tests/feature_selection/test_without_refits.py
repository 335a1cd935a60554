# SPDX-License-Identifier: BSD-3-Clause
"""Sequential and recursive selection by merged statistics equal those by refits."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import statfast as sf
from statfast.feature_selection import RFECV, SequentialFeatureSelector
from statfast.feature_selection.subset_scores import SubsetScores
from statfast.model_selection.evaluation.scoring import plan_of_fits


def clone_with(model, **params):
    """A copy of a model with some other parameters."""
    return type(model)(**model.get_params(deep=False) | params)


def refitted(estimator):
    """The same estimator, of a class whose fit is its own: each fold is a fit of it."""

    class Refitted(type(estimator)):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y, sample_weight)

    return Refitted(**estimator.get_params(deep=False))


REGRESSORS = (
    sf.LinearRegression(),
    sf.LinearRegression(fit_intercept=False),
    sf.Ridge(0.7),
    sf.Ridge(2.0, fit_intercept=False),
)
NORMAL_CLASSES = (
    sf.LinearDiscriminantAnalysis(),
    sf.LinearDiscriminantAnalysis(solver="lsqr", method="mle"),
    sf.LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.3, 0.5]),
    sf.QuadraticDiscriminantAnalysis(),
    sf.QuadraticDiscriminantAnalysis(method="moment", priors=[0.2, 0.3, 0.5]),
    sf.RegularizedDiscriminantAnalysis(0.3),
    sf.GaussianNB(),
    sf.GaussianNB(var_smoothing=0.1, priors=[0.2, 0.3, 0.5]),
    sf.GaussianNB(var_smoothing=0.0),
)
CLASSIFIERS = (
    *NORMAL_CLASSES,
    sf.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    sf.QuadraticDiscriminantAnalysis(reg_param=0.2),
    sf.RidgeClassifier(),
    sf.LeastSquaresClassifier(),
)


@st.composite
def problems(draw):
    """Designs with copies, sums and constants among the columns, weights and groups."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    d, n = draw(st.integers(2, 6)), draw(st.integers(30, 60))
    X = rng.normal(size=(n, d)) + rng.normal(size=d) * draw(st.sampled_from([0.0, 10.0]))
    if draw(st.booleans()):
        X = np.round(X)
    for kind in draw(st.lists(st.sampled_from(["copy", "constant", "sum", "rare"]), max_size=2)):
        column = {
            "copy": X[:, 0],
            "constant": np.full(n, 3.0),
            "sum": X[:, 0] - X[:, 1],
            "rare": (np.arange(n) == 1).astype(float),  # constant where its fold is held out
        }[kind]
        X = np.insert(X, rng.integers(X.shape[1] + 1), column, axis=1)
    y = X[:, 0] - 0.5 * X[:, -1] + rng.normal(size=n)
    weights = draw(st.sampled_from([None, "random", "whole"]))
    if weights is not None:
        whole = rng.integers(0, 3, n) + (rng.random(n) < 0.1)
        weights = whole.astype(float) if weights == "whole" else rng.random(n) + 0.1
    groups = rng.integers(0, 8, n)
    cv = draw(st.sampled_from([sf.KFold(4), sf.KFold(3, shuffle=True, random_state=0), "groups"]))
    if cv == "groups":
        cv = list(sf.GroupKFold(3).split(X, y, groups))
    return X, y, weights, cv


def fit(selector, *rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(*rows)


def require_same(fast, slow, tolerance):
    assert fast.path_ == "merged statistics"
    assert slow.path_ == "refit"
    a, b = fast.size_scores_, slow.size_scores_
    assert (a.n_features == b.n_features).all()
    np.testing.assert_allclose(a.scores, b.scores, rtol=1e-8, atol=tolerance)
    assert (fast.support_ == slow.support_).all()


@given(
    problem=problems(), model=st.sampled_from(REGRESSORS), floating=st.booleans(),
    direction=st.sampled_from(["forward", "backward"]),
    scoring=st.sampled_from([None, "neg_mean_squared_error", "neg_mean_absolute_error"]),
)  # fmt: skip
def test_steps_of_regressions_are_those_of_refits(problem, model, floating, direction, scoring):
    X, y, weights, cv = problem
    arguments = {
        "n_features_to_select": "best", "direction": direction, "cv": cv, "scoring": scoring,
        "floating": floating,
    }  # fmt: skip
    fast = fit(SequentialFeatureSelector(model, **arguments), X, y, weights)
    slow = fit(SequentialFeatureSelector(refitted(model), **arguments), X, y, weights)
    require_same(fast, slow, 1e-10 * np.linalg.cond(X - X.mean(0) + 1e-9) ** 0.5)


@given(
    problem=problems(), model=st.sampled_from(CLASSIFIERS),
    direction=st.sampled_from(["forward", "backward"]), floating=st.booleans(),
    scoring=st.sampled_from([None, "accuracy", "balanced_accuracy"]),
)  # fmt: skip
def test_steps_of_classifiers_are_those_of_refits(problem, model, direction, floating, scoring):
    X, y, weights, cv = problem
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # No column is constant.
    arguments = {
        "n_features_to_select": 1, "direction": direction, "cv": cv, "floating": floating,
        "scoring": scoring,
    }  # fmt: skip
    labels = np.digitize(y, np.quantile(y, [0.4, 0.7]))
    fast = fit(SequentialFeatureSelector(model, **arguments), X, labels, weights)
    slow = fit(SequentialFeatureSelector(refitted(model), **arguments), X, labels, weights)
    require_same(fast, slow, 1e-10)


@given(
    problem=problems(), model=st.sampled_from(NORMAL_CLASSES), n_selected=st.integers(0, 5),
    n_classes=st.sampled_from([2, 3]), is_float32=st.booleans(),
)  # fmt: skip
def test_terms_of_columns_are_the_accuracies_of_fits(
    problem, model, n_selected, n_classes, is_float32
):
    X, y, weights, cv = problem
    X = X.astype(np.float32) if is_float32 else X
    cuts = [0.4, 0.7] if n_classes == 3 else [0.5]
    if n_classes == 2 and model.priors is not None:
        model = clone_with(model, priors=[0.4, 0.6])
    labels = np.array(["b", "c", "a"])[np.digitize(y, np.quantile(y, cuts))]
    scorer = sf.metrics.get_scorer("accuracy")
    folds = plan_of_fits(model, X, labels, cv, None, {}, weights, {"score": scorer})
    scores = SubsetScores(model, folds, scorer)
    places = np.random.default_rng(n_selected).permutation(X.shape[1]).tolist()
    selected, rest = places[:n_selected], places[n_selected:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if scores.sweeps is None:  # A fold lacks a class, or has no weight.
            return
        if rest:
            steps = scores.sweeps.with_each(selected, rest)
            require_accuracies(scores, *steps, [[*selected, j] for j in rest])
        if len(selected) > 1:
            steps = scores.sweeps.without_each(selected)
            require_accuracies(scores, *steps, [[i for i in selected if i != j] for j in selected])


def require_accuracies(scores, values, certain, sets):
    """What is certain is the accuracy of the fit of a set; in the other folds that may fail."""
    for j, columns in enumerate(sets):
        if certain[:, j].any():
            known = scores.scores_of(columns)
            np.testing.assert_allclose(values[certain[:, j], j], known[certain[:, j]], atol=1e-12)


@pytest.mark.parametrize("model", NORMAL_CLASSES)
def test_steps_of_normal_classes_fit_nothing(model, monkeypatch):
    X, y = data(n=200)
    labels = np.digitize(y, np.quantile(y, [0.4, 0.7]))
    X[:, 2] *= 3.0  # The largest variance, by which naive Bayes smooths.
    scorer = sf.metrics.get_scorer("accuracy")
    folds = plan_of_fits(model, X, labels, 4, None, {}, None, {"score": scorer})
    scores = SubsetScores(model, folds, scorer)
    monkeypatch.setattr(SubsetScores, "scores_of", None)
    assert scores.with_each([], [2]).shape == (1, 4)
    assert scores.with_each([2, 0], [1, 3, 4]).shape == (3, 4)
    assert scores.sweeps.without_each([0, 1, 3, 2])[1][:, :3].all()
    one, several = (
        SubsetScores(clone_with(model, n_jobs=n), folds, scorer).with_each([2, 0], [1, 3, 4])
        for n in (1, 7)
    )
    assert (one == several).all()


@pytest.mark.parametrize("model", NORMAL_CLASSES[:4])
def test_copies_and_constant_columns_are_left_to_fits(model):
    X, y = data(n=200)
    labels = np.digitize(y, np.quantile(y, [0.4, 0.7]))
    X = np.column_stack([X, X[:, 0], np.full(200, 7.0)])
    scorer = sf.metrics.get_scorer("accuracy")
    folds = plan_of_fits(model, X, labels, 4, None, {}, None, {"score": scorer})
    sweeps = SubsetScores(model, folds, scorer).sweeps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, certain = sweeps.with_each([0, 1], [2, 6, 7])
    assert certain[:, 0].all()
    assert not certain[:, 1:].any()
    assert not sweeps.with_each([0, 7], [2])[1].any()
    assert not sweeps.without_each([0, 6])[1].any()


def test_accuracies_of_mixed_weights_are_those_of_fits():
    """Rows of a fold that are far from the origin, and in blocks of the largest size."""
    X, y = data(n=3000)
    X = X + 1e6
    labels = np.digitize(y, np.quantile(y, [0.4, 0.7]))
    weights = np.random.default_rng(0).random(3000)
    for model in NORMAL_CLASSES[:4:3]:
        fast = fit(SequentialFeatureSelector(model, cv=3), X, labels, weights)
        slow = fit(SequentialFeatureSelector(refitted(model), cv=3), X, labels, weights)
        require_same(fast, slow, 1e-9)


@given(problem=problems(), model=st.sampled_from(REGRESSORS), step=st.sampled_from([1, 2, 0.4]))
def test_eliminations_are_those_of_refits(problem, model, step):
    X, y, weights, cv = problem
    # Copies have coefficients that rounding decides upon.
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    fast = fit(RFECV(model, step=step, cv=cv), X, y, weights)
    slow = fit(RFECV(refitted(model), step=step, cv=cv), X, y, weights)
    require_same(fast, slow, 1e-9)
    for name, values in slow.cv_results_.items():
        np.testing.assert_allclose(fast.cv_results_[name], values, rtol=1e-8, atol=1e-9)
    assert (fast.ranking_ == slow.ranking_).all()
    np.testing.assert_allclose(fast.estimator_.coef_, slow.estimator_.coef_, rtol=1e-9)


def data(n=80, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 1] - 0.7 * X[:, 4] + rng.normal(size=n)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("model", [sf.LinearRegression(), sf.Ridge(2.0)])
def test_sets_are_those_of_scikit_learn(model, direction):
    selection = pytest.importorskip("sklearn.feature_selection")
    X, y = data()
    peer = getattr(pytest.importorskip("sklearn.linear_model"), type(model).__name__)
    theirs = peer(**({"alpha": 2.0} if isinstance(model, sf.Ridge) else {}))
    for settings in ({"n_features_to_select": 2}, {"tol": 0.01}, {}, {"n_features_to_select": 0.9}):
        ours = SequentialFeatureSelector(model, direction=direction, **settings).fit(X, y)
        known = selection.SequentialFeatureSelector(theirs, direction=direction, **settings)
        assert (ours.support_ == known.fit(X, y).support_).all()
    ours, known = RFECV(model, step=2).fit(X, y), selection.RFECV(theirs, step=2).fit(X, y)
    assert (ours.ranking_ == known.ranking_).all()
    for name, values in known.cv_results_.items():
        np.testing.assert_allclose(ours.cv_results_[name], values, atol=1e-10)


def test_nested_scores_are_of_selections_without_the_rows_of_the_fold():
    X, y = data()
    weights, folds = np.random.default_rng(1).integers(0, 3, 80).astype(float), sf.KFold(4)
    for make in (
        lambda cv, nested: SequentialFeatureSelector(
            sf.LinearRegression(), n_features_to_select="best", cv=cv, nested=nested
        ),
        lambda cv, nested: RFECV(sf.LinearRegression(), cv=cv, nested=nested),
    ):
        sizes = make(folds, True).fit(X, y, weights).size_scores_
        for k, (train, test) in enumerate(folds.split(X)):
            place = np.full(80, -1)
            place[train] = np.arange(len(train))
            inner = [
                (place[np.setdiff1d(train, held)], place[held])
                for j, (_, held) in enumerate(folds.split(X)) if j != k
            ]  # fmt: skip
            inside = make(inner, False).fit(X[train], y[train], weights[train])
            columns = inside.get_support(indices=True)
            model = sf.LinearRegression().fit(X[train][:, columns], y[train], weights[train])
            score = model.score(X[test][:, columns], y[test], weights[test])
            np.testing.assert_allclose(sizes.nested[k], score, rtol=1e-8)
        mean, error = sizes.nested_score
        np.testing.assert_allclose(mean, sizes.nested.mean())
        np.testing.assert_allclose(error, sizes.nested.std(ddof=1) / 2.0)
    with pytest.raises(ValueError, match="nested=True needs two other folds"):
        make(2, True).fit(X, y)


def test_rules_choose_the_number_of_columns():
    X, y = data()
    for make in (
        lambda rule: SequentialFeatureSelector(
            sf.LinearRegression(), n_features_to_select="best", rule=rule
        ),
        lambda rule: RFECV(sf.LinearRegression(), rule=rule),
    ):
        best, within = make("min").fit(X, y), make("1se").fit(X, y)
        sizes = best.size_scores_
        assert best.support_.sum() == sizes.best == sizes.n_features[sizes.means.argmax()]
        limit = sizes.means.max() - sizes.errors[sizes.means.argmax()]
        assert within.support_.sum() == sizes.n_features[np.flatnonzero(sizes.means >= limit)[0]]
        assert within.size_scores_.selected == sizes.within_error
        text = str(within.summary())
        assert "merged statistics" in text
        assert "1se size" in text


def test_equal_columns_are_taken_by_the_lowest_index():
    X, y = data()
    X = np.column_stack([X[:, 0], X[:, 1], X[:, 1], X[:, 4], X[:, 1]])
    for model in (sf.LinearRegression(), refitted(sf.LinearRegression())):
        selector = fit(SequentialFeatureSelector(model, n_features_to_select=2), X, y)
        assert selector.get_support(indices=True).tolist() == [1, 3]


def test_other_estimators_are_cross_validated_anew():
    iris = sf.datasets.load_iris()
    knn = SequentialFeatureSelector(sf.KNeighborsClassifier(3), n_features_to_select=3)
    knn.fit(iris.data, iris.target)
    assert knn.get_support().tolist() == [True, False, True, True]
    assert knn.path_ != "merged statistics"
    columns = knn.get_support(indices=True)
    known = sf.cross_val_score(sf.KNeighborsClassifier(3), iris.data[:, columns], iris.target)
    np.testing.assert_allclose(knn.size_scores_.scores[-1], known)
    tree = RFECV(sf.DecisionTreeClassifier(random_state=0), cv=3).fit(iris.data, iris.target)
    assert tree.path_ == "refit"
    assert tree.n_features_ == len(tree.estimator_.feature_importances_)


def test_frames_floats_and_read_only_rows():
    pandas = pytest.importorskip("pandas")
    X, y = data()
    known = SequentialFeatureSelector(sf.LinearRegression(), n_features_to_select=2).fit(X, y)
    locked = np.asfortranarray(X)
    locked.flags.writeable = False
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    for rows in (locked, X.astype(np.float32), X.tolist(), frame):
        again = SequentialFeatureSelector(sf.LinearRegression(), n_features_to_select=2)
        assert (again.fit(rows, y).support_ == known.support_).all()
        assert again.path_ == "merged statistics"
    assert again.get_feature_names_out().tolist() == ["b", "e"]
    named = RFECV(sf.Ridge(), n_jobs=2).fit(frame, y)
    assert named.score(frame, y) == sf.metrics.r2_score(y, named.predict(frame))


def test_what_is_refused():
    X, y = data()
    line = sf.LinearRegression()
    with pytest.raises(ValueError, match="must be < n_features"):
        SequentialFeatureSelector(line, n_features_to_select=6).fit(X, y)
    with pytest.raises(ValueError, match="tol must be strictly positive"):
        SequentialFeatureSelector(line, tol=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="'auto' or 'best'"):
        SequentialFeatureSelector(line, n_features_to_select="all").fit(X, y)
    for selector in (SequentialFeatureSelector(line), RFECV(line)):
        with pytest.raises(ValueError, match="minimum of 2 is required"):
            selector.fit(X[:, :1], y)
        with pytest.raises(ValueError, match="NaN"):
            selector.fit(np.where(X > 2.0, np.nan, X), y)
        with pytest.raises(ValueError, match="cv must be"):
            type(selector)(line, cv=1).fit(X, y)
    with pytest.warns(UserWarning, match="all of them are selected"):
        assert RFECV(line, min_features_to_select=9).fit(X, y).n_features_ == 6
