# SPDX-License-Identifier: BSD-3-Clause
"""What else a fit is told of its rows: groups of a search inside, exposures, offsets."""

import warnings

import numpy as np
import pytest

import statfast as sf
from statfast.decomposition import reconstruction_errors
from statfast.model_selection import compare, nested_cv_interval

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
Y = (X[:, 0] + RNG.standard_normal(60) > 0).astype(int)
GROUPS = np.arange(60) % 6
EXPOSURE = RNG.uniform(0.5, 5.0, 60)
COUNTS = RNG.poisson(EXPOSURE * np.exp(0.5 * X[:, 0]))


def _search(model=None, name="var_smoothing", values=(1e-9, 1.0)):
    model = sf.GaussianNB() if model is None else model
    return sf.GridSearchCV(model, {name: list(values)}, cv=sf.GroupKFold(3))


def _by_hand(make, cv):
    """Scores of searches that are told the groups of their rows."""
    out = []
    for train, test in cv.split(X, Y, GROUPS):
        found = make().fit(X[train], Y[train], groups=GROUPS[train])
        out.append(found.score(X[test], Y[test]))
    return out


@pytest.mark.parametrize("cv", [sf.KFold(3), sf.GroupKFold(2), sf.LeaveOneGroupOut()])
def test_groups_reach_a_search_that_is_validated(cv):
    want = _by_hand(_search, cv)
    for more in ({"groups": GROUPS}, {"params": {"groups": GROUPS}}):
        assert sf.cross_val_score(_search(), X, Y, cv=cv, **more).tolist() == want
        assert sf.cross_validate(_search(), X, Y, cv=cv, **more)["test_score"].tolist() == want


def test_groups_reach_searches_in_other_places():
    want = _by_hand(_search, sf.GroupKFold(2))
    plain = sf.Pipeline([("nothing", "passthrough"), ("search", _search())])
    how = {"groups": GROUPS, "cv": sf.GroupKFold(2)}
    assert sf.cross_val_score(plain, X, Y, **how).tolist() == want
    outer = sf.GridSearchCV(_search(), {"rule": ["min"]}, cv=sf.GroupKFold(2))
    assert outer.fit(X, Y, groups=GROUPS).cv_results_["mean_test_score"][0] == np.mean(want)
    assert outer.best_estimator_.n_splits_ == 3
    predicted = sf.cross_val_predict(_search(), X, Y, **how)
    assert np.mean([(predicted[t] == Y[t]).mean() for _, t in sf.GroupKFold(2).split(X, Y, GROUPS)])
    sizes, *_ = sf.learning_curve(_search(), X, Y, train_sizes=[1.0], **how)
    assert sizes.tolist() == [30]
    _, tests = sf.validation_curve(
        _search(), X, Y, param_name="rule", param_range=["min", "1se"], **how
    )
    assert tests[0].tolist() == want


def test_groups_reach_a_search_of_scikit_learn():
    theirs = pytest.importorskip("sklearn.model_selection")
    naive = pytest.importorskip("sklearn.naive_bayes")

    def search():
        grid = {"var_smoothing": [1e-9, 1.0]}
        return theirs.GridSearchCV(naive.GaussianNB(), grid, cv=theirs.GroupKFold(3))

    want = _by_hand(search, sf.GroupKFold(2))
    got = sf.cross_val_score(search(), X, Y, groups=GROUPS, cv=sf.GroupKFold(2))
    assert got.tolist() == want


def test_groups_twice_are_refused():
    with pytest.raises(ValueError, match="Groups were passed twice, in params and as groups"):
        sf.cross_val_score(sf.GaussianNB(), X, Y, groups=GROUPS, params={"groups": GROUPS})


@pytest.mark.parametrize("kind", [np.asarray, list, "series"])
def test_exposures_are_those_of_the_rows_of_each_fold(kind):
    if kind == "series":
        pandas = pytest.importorskip("pandas")
        given = pandas.Series(EXPOSURE, index=np.random.default_rng(1).permutation(60))
    else:
        given = kind(EXPOSURE)
    want, means = [], np.zeros(60)
    for train, test in sf.KFold(3).split(X):
        model = sf.GeneralizedLinearModel("poisson")
        model.fit(X[train], COUNTS[train], exposure=EXPOSURE[train])
        want.append(model.score(X[test], COUNTS[test], exposure=EXPOSURE[test]))
        means[test] = model.predict(X[test], exposure=EXPOSURE[test])
    model, more = sf.GeneralizedLinearModel("poisson"), {"params": {"exposure": given}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none is forgotten where it is asked for
        got = sf.cross_validate(model, X, COUNTS, cv=sf.KFold(3), return_train_score=True, **more)
        mse = sf.cross_val_score(
            model, X, COUNTS, cv=sf.KFold(3), scoring="neg_mean_squared_error", **more
        )
        predicted = sf.cross_val_predict(model, X, COUNTS, cv=sf.KFold(3), **more)
        search = sf.GridSearchCV(model, {"fit_intercept": [True]}, cv=sf.KFold(3))
        search.fit(X, COUNTS, exposure=given)
    np.testing.assert_allclose(got["test_score"], want, rtol=1e-9)
    np.testing.assert_allclose(predicted, means, rtol=1e-9)
    assert mse.mean() == pytest.approx(-((COUNTS - means) ** 2).mean())
    assert search.best_score_ == pytest.approx(np.mean(want))
    alone = sf.GeneralizedLinearModel("poisson").fit(X, COUNTS, exposure=EXPOSURE)
    np.testing.assert_array_equal(search.best_estimator_.coef_, alone.coef_)


def test_arguments_of_the_steps_of_a_pipeline():
    model = sf.make_pipeline(sf.StandardScaler(), sf.GeneralizedLinearModel("poisson"))
    params = {"generalizedlinearmodel__exposure": EXPOSURE}
    got = sf.cross_validate(model, X, COUNTS, cv=3, params=params, return_estimator=True)
    train = np.r_[20:60]
    want = sf.make_pipeline(sf.StandardScaler(), sf.GeneralizedLinearModel("poisson")).fit(
        X[train], COUNTS[train], generalizedlinearmodel__exposure=EXPOSURE[train]
    )
    np.testing.assert_array_equal(got["estimator"][0][-1].coef_, want[-1].coef_)
    held = X[:20], COUNTS[:20]
    assert got["test_score"][0] == want.score(*held, exposure=EXPOSURE[:20])


def test_arguments_that_no_fit_takes_are_refused_by_name():
    with pytest.raises(TypeError, match=r"params names 'exposure', which GaussianNB\.fit does not"):
        sf.cross_validate(sf.GaussianNB(), X, Y, params={"exposure": EXPOSURE})


def test_weights_in_params_are_of_fits_alone():
    weights = 0.5 + np.arange(60) % 3
    got = sf.cross_validate(
        sf.GaussianNB(), X, Y, cv=3, params={"sample_weight": weights}, return_train_score=True
    )
    for k, (train, test) in enumerate(sf.StratifiedKFold(3).split(X, Y)):
        model = sf.GaussianNB().fit(X[train], Y[train], sample_weight=weights[train])
        assert got["test_score"][k] == model.score(X[test], Y[test])
        assert got["train_score"][k] == model.score(X[train], Y[train])


@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.LinearDiscriminantAnalysis()])
def test_all_values_of_cross_validate_are_arrays(model):
    ways = set()
    for cv in (3, sf.LeaveOneOut()):
        for more in ({}, {"return_train_score": True}):
            found = sf.cross_validate(model, X, Y, cv=cv, scoring="accuracy", **more)
            assert all(isinstance(value, np.ndarray) for value in found.values())
            assert len({len(value) for value in found.values()}) == 1
            ways.add(found.path)
    assert ways == {"merged statistics", "closed form"} or ways == {"merged statistics"}


def test_nested_intervals_keep_groups_together():
    rows = np.repeat(np.random.default_rng(3).standard_normal((20, 2)), 3, axis=0)
    labels = np.random.default_rng(4).integers(0, 2, 20).repeat(3)  # nothing can be learnt
    groups = np.array([f"g{k}" for k in np.arange(20).repeat(3)])
    model = sf.KNeighborsClassifier(1)
    how = {"n_splits": 4, "n_repeats": 3, "random_state": 0}
    known = nested_cv_interval(model, rows, labels, groups=groups, **how)
    unknown = nested_cv_interval(model, rows, labels, **how)
    assert unknown.cv_error < 0.2  # another row of the group tells
    assert known.cv_error > 0.3
    found = nested_cv_interval(_search(), X, Y, groups=GROUPS, **how | {"n_splits": 6})
    assert 0.0 < found.cv_error < 0.6
    with pytest.raises(ValueError, match="n_splits must be between 3 and the number of groups"):
        nested_cv_interval(model, rows[:6], labels[:6], groups=groups[:6], n_splits=3)


def test_exposures_reach_the_best_model_of_a_search_that_is_validated():
    def search(scoring):
        model = sf.GeneralizedLinearModel("poisson")
        return sf.GridSearchCV(model, {"fit_intercept": [True, False]}, scoring=scoring, cv=3)

    for scoring in (None, "neg_mean_poisson_deviance"):
        got = sf.cross_val_score(
            search(scoring), X, COUNTS, cv=sf.KFold(3), params={"exposure": EXPOSURE}
        )
        best = []
        for train, test in sf.KFold(3).split(X):
            found = search(scoring).fit(X[train], COUNTS[train], exposure=EXPOSURE[train])
            model, held = found.best_estimator_, EXPOSURE[test]
            if scoring is None:
                best.append(model.score(X[test], COUNTS[test], exposure=held))
            else:
                means = model.predict(X[test], exposure=held)
                best.append(-sf.metrics.mean_poisson_deviance(COUNTS[test], means))
        np.testing.assert_allclose(got, best, rtol=1e-12)


@pytest.mark.parametrize("order", [1, -1])
def test_groups_reach_the_searches_among_models_that_are_compared(order):
    models = dict([("search", _search()), ("plain", sf.GaussianNB())][::order])
    cv = sf.GroupKFold(2)
    found = compare(models, X, Y, cv=cv, groups=GROUPS)
    assert found.scores[found.names.index("search")].tolist() == _by_hand(_search, cv)
    plain = sf.cross_val_score(sf.GaussianNB(), X, Y, groups=GROUPS, cv=cv)
    assert found.scores[found.names.index("plain")].tolist() == plain.tolist()
    assert len(found.mcnemar) == 1
    assert len(found.delong) == 1


CHOOSING = {
    "lasso": (sf.LassoCV(alphas=[0.3, 0.1], cv=sf.GroupKFold(3)), "mse_path_"),
    "elastic net": (sf.ElasticNetCV(alphas=[0.3, 0.1], cv=sf.GroupKFold(3)), "mse_path_"),
    "logistic": (sf.LogisticRegressionCV(Cs=[0.1, 1.0], cv=sf.GroupKFold(3)), "scores_"),
}


def clone(model, **changed):
    return type(model)(**(model.get_params(deep=False) | changed))


@pytest.mark.parametrize("kind", CHOOSING)
def test_groups_are_kept_together_by_the_folds_of_a_fit(kind):
    model, scores = CHOOSING[kind]
    pairs = list(sf.GroupKFold(3).split(X, Y, GROUPS))
    want = clone(model, cv=pairs).fit(X, Y)
    got = clone(model).fit(X, Y, groups=GROUPS.tolist())
    np.testing.assert_array_equal(getattr(got, scores), getattr(want, scores))
    np.testing.assert_array_equal(got.coef_, want.coef_)
    with pytest.raises(ValueError, match="groups must have one group for each of the 60 rows"):
        clone(model, cv=3).fit(X, Y, groups=GROUPS[:50])
    with pytest.raises(ValueError, match="groups"):
        clone(model).fit(X, Y)


@pytest.mark.parametrize("ensemble", [True, False])
def test_groups_are_kept_together_by_calibration(ensemble):
    model = sf.CalibratedClassifierCV(sf.GaussianNB(), cv=sf.GroupKFold(3), ensemble=ensemble)
    pairs = list(sf.GroupKFold(3).split(X, Y, GROUPS))
    want = clone(model, cv=pairs).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, Y, groups=GROUPS).predict_proba(X), want)
    scores = sf.cross_val_score(model, X, Y, groups=GROUPS, cv=sf.GroupKFold(2))
    by_hand = []
    for train, test in sf.GroupKFold(2).split(X, Y, GROUPS):
        one = clone(model).fit(X[train], Y[train], groups=GROUPS[train])
        by_hand.append(one.score(X[test], Y[test]))
    assert scores.tolist() == by_hand


@pytest.mark.parametrize("kind", CHOOSING)
def test_groups_reach_the_folds_of_fits_that_are_validated(kind):
    model, _ = CHOOSING[kind]
    cv = sf.GroupKFold(2)
    want = _by_hand(lambda: clone(model), cv)
    assert sf.cross_val_score(model, X, Y, groups=GROUPS, cv=cv).tolist() == want
    scaled = sf.make_pipeline(sf.StandardScaler(), model)
    assert np.isfinite(sf.cross_val_score(scaled, X, Y, groups=GROUPS, cv=cv)).all()


def test_groups_of_reconstruction_errors():
    pairs = list(sf.GroupKFold(3).split(X, Y, GROUPS))
    got = reconstruction_errors(X, cv=sf.GroupKFold(3), groups=GROUPS)
    want = reconstruction_errors(X, cv=pairs)
    np.testing.assert_allclose(got.errors, want.errors, rtol=1e-12, atol=1e-14)


def test_arguments_of_the_fits_of_curves():
    weights = RNG.integers(1, 4, 60).astype(float)
    model, curve = sf.LogisticRegression(C=1.0), {"param_name": "C", "param_range": [0.1, 1.0]}
    folds = sf.KFold(3)
    for params in ({"sample_weight": weights}, {"sample_weight": weights.tolist()}):
        train, test = sf.validation_curve(model, X, Y, cv=folds, params=params, **curve)
        sizes, grown, held = sf.learning_curve(
            model, X, Y, cv=folds, params=params, train_sizes=[40]
        )
        assert sizes.tolist() == [40]
        for k, (rows, out) in enumerate(folds.split(X)):
            for c, C in enumerate((0.1, 1.0)):
                one = sf.LogisticRegression(C=C).fit(X[rows], Y[rows], sample_weight=weights[rows])
                assert train[c, k] == one.score(X[rows], Y[rows])  # without weights
                assert test[c, k] == one.score(X[out], Y[out])
            assert (grown[0, k], held[0, k]) == (train[1, k], test[1, k])
    with pytest.raises(ValueError, match="Weights were passed twice"):
        sf.validation_curve(
            model, X, Y, params={"sample_weight": weights}, sample_weight=weights, **curve
        )


def test_groups_and_exposures_among_the_arguments_of_curves():
    cv = sf.GroupKFold(2)
    how = {"param_name": "rule", "param_range": ["min", "1se"]}
    by_name = {"params": {"groups": GROUPS}, "cv": cv}
    for one, two in zip(
        sf.validation_curve(_search(), X, Y, **how, **by_name),
        sf.validation_curve(_search(), X, Y, groups=GROUPS, cv=cv, **how),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    sizes, _, held = sf.learning_curve(_search(), X, Y, train_sizes=[1.0], **by_name)
    assert sizes.tolist() == [30]
    assert held[0].tolist() == _by_hand(_search, cv)
    _, _, held = sf.learning_curve(
        sf.GeneralizedLinearModel("poisson"), X, COUNTS, cv=sf.KFold(3), train_sizes=[1.0],
        params={"exposure": EXPOSURE},
    )  # fmt: skip
    want = sf.cross_val_score(
        sf.GeneralizedLinearModel("poisson"), X, COUNTS, cv=sf.KFold(3),
        params={"exposure": EXPOSURE},
    )  # fmt: skip
    np.testing.assert_allclose(held[0], want, rtol=1e-12)
    for curve in (sf.learning_curve, lambda *a, **m: sf.validation_curve(*a, **m, **how)):
        with pytest.raises(TypeError, match="params must be a dict"):
            curve(_search(), X, Y, params=[("groups", GROUPS)])


@pytest.mark.parametrize("scoring", ["f1", "precision", "neg_brier_score", "average_precision"])
@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_positive_label_of_a_comparison(scoring, positive):
    labels = np.where(Y == 1, "yes", "no")
    models = {"bayes": sf.GaussianNB(), "logistic": sf.LogisticRegression(C=1.0)}
    found = compare(models, X, labels, cv=sf.KFold(3), scoring=scoring, pos_label=positive)
    codes = (labels == positive).astype(int)
    want = compare(models, X, codes, cv=sf.KFold(3), scoring=scoring)
    np.testing.assert_allclose(found.scores, want.scores, rtol=1e-9)
    assert found.delong["bayes", "logistic"].p_value == pytest.approx(
        want.delong["bayes", "logistic"].p_value
    )


def test_a_positive_label_that_cannot_be():
    labels = np.where(Y == 1, "yes", "no")
    models = [sf.GaussianNB(), sf.LogisticRegression(C=1.0)]
    for wrong in ("maybe", 1):
        with pytest.raises(ValueError, match="pos_label must be one of two labels of y"):
            compare(models, X, labels, cv=3, scoring="f1", pos_label=wrong)
    for wrong in (["yes"], np.array(["yes", "no"])):
        with pytest.raises((TypeError, ValueError), match="pos_label must be"):
            compare(models, X, labels, cv=3, scoring="f1", pos_label=wrong)
    with pytest.raises(TypeError, match="pos_label is for scores by name"):
        compare(models, X, labels, cv=3, scoring=lambda m, X, y: 0.5, pos_label="yes")
    with pytest.raises(ValueError, match="pos_label is for classifiers"):
        compare([sf.Ridge(), sf.Lasso()], X, X[:, 0], cv=3, pos_label=1)
    plain = compare(models, X, labels, cv=sf.KFold(3), pos_label="no")
    assert plain.scores.tolist() == compare(models, X, labels, cv=sf.KFold(3)).scores.tolist()


def test_models_are_compared_on_the_rows_that_folds_fit():
    """Folds need not fit all rows that they do not hold out."""
    pairs = [(np.arange(10, 20), np.arange(5)), (np.arange(12), np.arange(20, 25))]
    models = {"ridge": sf.Ridge(), "least squares": sf.LinearRegression()}
    X, y = np.random.default_rng(0).standard_normal((25, 2)), np.arange(25.0)
    got = compare(models, X, y, cv=pairs)
    want = [sf.cross_val_score(model, X, y, cv=pairs) for model in models.values()]
    np.testing.assert_array_equal(got.scores, want)
