# SPDX-License-Identifier: BSD-3-Clause
"""Values of parameters that are estimators, or lists: what is a user's own stays as it is."""

import numpy as np
import pytest
from scipy import stats

import statfast as sf
from statfast.model_selection import compare

X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X[:, 0] + np.random.default_rng(1).standard_normal(60) > 0).astype(int)


def _deep(estimator):
    return {
        name: value
        for name, value in estimator.get_params().items()
        if not hasattr(value, "get_params") and not isinstance(value, list)
    }


def test_candidates_that_name_one_estimator_do_not_change_each_other():
    inner = sf.LogisticRegression()
    grid = [{"m": [inner], "m__C": [0.001]}, {"m": [inner], "m__fit_intercept": [False]}]
    how = {"cv": 3, "scoring": "neg_log_loss"}
    search = sf.GridSearchCV(sf.Pipeline([("m", inner)]), grid, **how).fit(X, Y)
    alone = [
        sf.cross_val_score(sf.LogisticRegression(**more), X, Y, **how).mean()
        for more in ({"C": 0.001}, {"fit_intercept": False})
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], alone, rtol=1e-6)
    assert _deep(inner) == _deep(sf.LogisticRegression())
    assert all(params["m"] is inner for params in search.cv_results_["params"])
    assert search.best_params_["m"] is inner
    assert not hasattr(inner, "coef_")
    assert search.best_estimator_.steps_[0][1] is not inner


@pytest.mark.parametrize("kind", ["grid", "drawn", "curve"])
@pytest.mark.parametrize(
    "inner",
    [sf.LogisticRegression(C=1.0), sf.KNeighborsClassifier(), sf.SVC(), sf.GaussianNB()],
    ids=lambda inner: type(inner).__name__,
)
def test_estimators_in_a_grid_are_neither_set_nor_fitted(kind, inner):
    before, wrapper = _deep(inner), sf.OneVsRestClassifier(sf.GaussianNB())
    name = next(iter(set(before) & {"C", "n_neighbors", "var_smoothing"}))
    grid = {"estimator": [inner], f"estimator__{name}": [1, 2]}
    if kind == "curve":
        sf.validation_curve(wrapper, X, Y, param_name="estimator", param_range=[inner], cv=2)
    elif kind == "grid":
        sf.GridSearchCV(wrapper, grid, cv=2).fit(X, Y)
    else:
        sf.RandomizedSearchCV(wrapper, grid, n_iter=1, cv=2, random_state=0).fit(X, Y)
    assert _deep(inner) == before
    assert not inner.__sklearn_is_fitted__()
    assert isinstance(wrapper.estimator, sf.GaussianNB)


WRAPPERS = {
    sf.Pipeline: lambda inner: sf.Pipeline([("scale", sf.StandardScaler()), ("m", inner)]),
    sf.ColumnTransformer: lambda inner: sf.ColumnTransformer([("s", sf.StandardScaler(), [0, 1])]),
    sf.FeatureUnion: lambda inner: sf.FeatureUnion([("s", sf.StandardScaler())]),
    sf.TransformedTargetRegressor: lambda inner: sf.TransformedTargetRegressor(sf.Ridge()),
    sf.GridSearchCV: lambda inner: sf.GridSearchCV(inner, {"C": [0.1, 1.0]}, cv=2, n_jobs=1),
    sf.RandomizedSearchCV: lambda inner: sf.RandomizedSearchCV(
        inner, {"C": stats.uniform(0.1, 1)}, n_iter=2, cv=2, n_jobs=1, random_state=0
    ),
    sf.HalvingGridSearchCV: lambda inner: sf.HalvingGridSearchCV(
        inner, {"C": [0.1, 1.0]}, cv=2, factor=2, min_resources=20, n_jobs=1, random_state=0
    ),
    sf.HalvingRandomSearchCV: lambda inner: sf.HalvingRandomSearchCV(
        inner,
        {"C": stats.uniform(0.1, 1)},
        n_candidates=2,
        cv=2,
        min_resources=20,
        n_jobs=1,
        random_state=0,
    ),
    sf.OneVsOneClassifier: sf.OneVsOneClassifier,
    sf.OneVsRestClassifier: sf.OneVsRestClassifier,
    sf.OutputCodeClassifier: lambda inner: sf.OutputCodeClassifier(inner, random_state=0),
    sf.BaggingClassifier: lambda inner: sf.BaggingClassifier(inner, n_estimators=2, random_state=0),
    sf.BaggingRegressor: lambda inner: sf.BaggingRegressor(
        sf.Ridge(n_jobs=2), n_estimators=2, random_state=0
    ),
    sf.AdaBoostClassifier: lambda inner: sf.AdaBoostClassifier(
        sf.DecisionTreeClassifier(max_depth=1), n_estimators=2
    ),
    sf.AdaBoostRegressor: lambda inner: sf.AdaBoostRegressor(
        sf.DecisionTreeRegressor(max_depth=1), n_estimators=2
    ),
    sf.CalibratedClassifierCV: lambda inner: sf.CalibratedClassifierCV(inner, cv=2),
    sf.ConformalClassifier: sf.ConformalClassifier,
    sf.ConformalRegressor: lambda inner: sf.ConformalRegressor(sf.Ridge(n_jobs=2)),
    sf.CostSensitiveClassifier: sf.CostSensitiveClassifier,
    sf.FixedThresholdClassifier: sf.FixedThresholdClassifier,
    sf.TunedThresholdClassifierCV: lambda inner: sf.TunedThresholdClassifierCV(inner, cv=2),
    sf.RFE: sf.RFE,
    sf.RFECV: lambda inner: sf.RFECV(inner, cv=2),
    sf.SequentialFeatureSelector: lambda inner: sf.SequentialFeatureSelector(inner, cv=2),
    sf.SelectFromModel: sf.SelectFromModel,
    sf.VotingClassifier: lambda inner: sf.VotingClassifier([("m", inner)]),
    sf.VotingRegressor: lambda inner: sf.VotingRegressor([("m", sf.Ridge(n_jobs=2))]),
    sf.StackingClassifier: lambda inner: sf.StackingClassifier([("m", inner)], cv=2),
    sf.StackingRegressor: lambda inner: sf.StackingRegressor([("m", sf.Ridge(n_jobs=2))], cv=2),
    sf.ClassifierChain: sf.ClassifierChain,
    sf.RegressorChain: lambda inner: sf.RegressorChain(sf.Ridge(n_jobs=2)),
    sf.MultiOutputClassifier: sf.MultiOutputClassifier,
    sf.MultiOutputRegressor: lambda inner: sf.MultiOutputRegressor(sf.Ridge(n_jobs=2)),
}
SEVERAL_TARGETS = {
    sf.ClassifierChain, sf.RegressorChain, sf.MultiOutputClassifier, sf.MultiOutputRegressor,
}  # fmt: skip


def _every(estimator):
    """All estimators inside, lists of them too, by the names of their places."""
    inside = {}
    for name, value in estimator.get_params(deep=False).items():
        for place, member in enumerate(value if isinstance(value, list) else [value]):
            for part in member if isinstance(member, tuple) else [member]:
                if hasattr(part, "get_params"):
                    inside[name, place] = part
                    inside |= {(name, place, *key): v for key, v in _every(part).items()}
    return inside


@pytest.mark.parametrize("kind", WRAPPERS, ids=lambda kind: kind.__name__)
def test_fits_of_estimators_that_hold_others_leave_these_alone(kind):
    model = WRAPPERS[kind](sf.LogisticRegression(C=1.0, n_jobs=2))
    inside = _every(model)
    before = [(_deep(one), set(vars(one))) for one in inside.values()]
    model.fit(X, np.column_stack([Y, 1 - Y]) if kind in SEVERAL_TARGETS else Y)
    after = _every(model)
    assert len(after) == len(inside)
    for one, other in zip(after.values(), inside.values(), strict=True):
        assert one is other
    assert [(_deep(one), set(vars(one))) for one in inside.values()] == before


def test_every_estimator_that_holds_others_is_tried_here():
    holding = {
        kind
        for name in sf.__all__
        if isinstance(kind := getattr(sf, name), type)
        and hasattr(kind, "get_params")
        and {"estimator", "estimators", "steps", "transformers"}
        & set(
            kind().get_params()
            if kind.__init__ is object.__init__
            else kind.__init__.__annotations__
        )
    }
    assert holding <= {*WRAPPERS}


@pytest.mark.parametrize("kind", ["grid", "drawn"])
def test_grids_of_lists_of_unequal_shape(kind):
    values = [None, [0.3, 0.7], (0.5, 0.5)]
    grid = {"priors": values}
    model = sf.LinearDiscriminantAnalysis()
    if kind == "grid":
        search = sf.GridSearchCV(model, grid, cv=3).fit(X, Y)
    else:
        search = sf.RandomizedSearchCV(model, grid, n_iter=3, cv=3, random_state=0).fit(X, Y)
    assert [params["priors"] for params in search.cv_results_["params"]] == values
    assert search.cv_results_["param_priors"].tolist() == values
    alone = [
        sf.cross_val_score(sf.LinearDiscriminantAnalysis(priors=value), X, Y, cv=3).mean()
        for value in values
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], alone)
    tests = sf.validation_curve(model, X, Y, param_name="priors", param_range=values, cv=3)[1]
    np.testing.assert_allclose(tests.mean(axis=1), alone)


@pytest.mark.parametrize("values", ["a", {"a": 1}, {1, 2}, np.float64(3), 3, sf.Pipeline([])])
def test_values_of_a_grid_that_are_no_list_are_refused(values):
    with pytest.raises(TypeError, match="must be a list or an array"):
        sf.GridSearchCV(sf.LinearDiscriminantAnalysis(), {"priors": values}).fit(X, Y)


def test_long_arrays_whose_text_is_the_same_are_candidates_of_their_own():
    y = np.repeat(np.arange(1500), 2)
    rows = np.random.default_rng(0).standard_normal((3000, 1)) + y[:, None]
    first, second = np.full(1500, 1 / 1500), np.full(1500, 1 / 1500)
    second[800:1200:2] *= 1e-3
    second[801:1200:2] *= 1.999
    assert repr(first) == repr(second)
    grid = {"priors": [first, second]}
    cv = [(np.arange(3000), np.arange(1600, 3000))]
    found = sf.GridSearchCV(sf.GaussianNB(), grid, cv=cv, refit=False).fit(rows, y)
    alone = [
        sf.GaussianNB(priors=value).fit(rows, y).score(rows[1600:], y[1600:])
        for value in grid["priors"]
    ]
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], alone)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], [1.0, 2.0]])
def test_classifiers_of_any_two_labels_are_compared(labels):
    want = compare([sf.GaussianNB(), sf.LinearDiscriminantAnalysis()], X, Y, cv=3)
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[Y]
    got = compare([sf.GaussianNB(), sf.LinearDiscriminantAnalysis()], X, y, cv=3)
    np.testing.assert_allclose(got.scores, want.scores)
    (one,), (other,) = got.delong.values(), want.delong.values()
    assert one.p_value == other.p_value
    assert 0.0 < one.p_value <= 1.0
