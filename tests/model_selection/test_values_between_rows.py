# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and distances computed before: the same as of the rows, through every wrapper."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import statfast as sf
from statfast.datasets import load_iris
from statfast.model_selection import bias_variance, bootstrap_error, leave_one_out

IRIS = load_iris()
CHOSEN = np.random.default_rng(0).permutation(150)[:60]
X, Y = IRIS.data[CHOSEN], IRIS.target[CHOSEN]
LABELS = np.array(["a", "b", "c"])[Y]
TARGET = X[:, 0] + X[:, 2] + 0.1 * np.random.default_rng(1).standard_normal(60)
D, K = cdist(X, X), np.exp(-cdist(X, X, "sqeuclidean"))


def _machine(kind, **more):
    return (kind(kernel="rbf", gamma=1.0, **more), kind(kernel="precomputed", **more), K)


CLASSIFIERS = {
    "SVC": _machine(sf.SVC, tol=1e-8),
    "NuSVC": _machine(sf.NuSVC, nu=0.2, tol=1e-8),
    "nearest": (sf.KNeighborsClassifier(3), sf.KNeighborsClassifier(3, metric="precomputed"), D),
    "within a radius": (
        sf.RadiusNeighborsClassifier(2.0, outlier_label="a"),
        sf.RadiusNeighborsClassifier(2.0, metric="precomputed", outlier_label="a"),
        D,
    ),
}
REGRESSORS = {
    "SVR": _machine(sf.SVR, tol=1e-8),
    "NuSVR": _machine(sf.NuSVR, tol=1e-8),
    "kernel ridge": _machine(sf.KernelRidge),
    "nearest": (sf.KNeighborsRegressor(3), sf.KNeighborsRegressor(3, metric="precomputed"), D),
}
WRAPPERS = {
    "nothing": lambda model: model,
    "a pipeline": lambda model: sf.Pipeline([("m", model)]),
    "a step that does nothing": lambda model: sf.Pipeline([("p", "passthrough"), ("m", model)]),
    "pipelines": lambda model: sf.Pipeline([("p", sf.Pipeline([("m", model)]))]),
    "bagging": lambda model: _of_kind(
        model, sf.BaggingClassifier, sf.BaggingRegressor, n_estimators=3, random_state=0
    ),
    "bagging of a part": lambda model: _of_kind(
        model, sf.BaggingClassifier, sf.BaggingRegressor, n_estimators=3, random_state=0,
        max_samples=0.7, bootstrap=False,
    ),
    "a search": lambda model: sf.GridSearchCV(model, {}, cv=2),
    "one against one": lambda model: sf.OneVsOneClassifier(model),
    "one against the rest": lambda model: sf.OneVsRestClassifier(model),
    "output codes": lambda model: sf.OutputCodeClassifier(model, random_state=0),
    "pairs in a pipeline": lambda model: sf.make_pipeline(sf.OneVsOneClassifier(model)),
    "bagging of pairs": lambda model: sf.BaggingClassifier(
        sf.OneVsOneClassifier(model), n_estimators=2, random_state=0
    ),
    "calibration": lambda model: sf.CalibratedClassifierCV(model, cv=3),
    "calibration of one": lambda model: sf.CalibratedClassifierCV(model, cv=3, ensemble=False),
    "costs": lambda model: sf.CostSensitiveClassifier(sf.CalibratedClassifierCV(model, cv=2)),
    "boosting": lambda model: _boosted(model),
}  # fmt: skip
OF_REGRESSORS = [*[*WRAPPERS][:7], "boosting"]


def _of_kind(model, classifier, regressor, **more):
    return (classifier if sf.SVC()._estimator_type == model._estimator_type else regressor)(
        model, **more
    )


def _boosted(model):
    if model._estimator_type == "regressor":
        return sf.AdaBoostRegressor(model, n_estimators=3, random_state=0)
    return sf.AdaBoostClassifier(model, n_estimators=3, method="resample", random_state=0)


def _answers(model, rows, y, between):
    """What cross-validation gives, and fits to two thirds of the rows by themselves."""
    cv = sf.KFold(3)
    train, test = np.arange(20, 60), np.arange(20)
    fitted = model.fit(rows[np.ix_(train, train)] if between else rows[train], y[train])
    asked = rows[np.ix_(test, train)] if between else rows[test]
    answers = [sf.cross_val_predict(model, rows, y, cv=cv), fitted.predict(asked)]
    answers.append(sf.cross_val_score(model, rows, y, cv=cv, error_score="raise"))
    return answers


def _require_same(got, want):
    for one, other in zip(got, want, strict=True):
        if other.dtype.kind == "f":  # kernels are rounded apart, and iterations end within tol
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
        else:
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, wrapper):
    by_rows, before, matrix = CLASSIFIERS[name]
    if name == "within a radius" and wrapper not in ("nothing", "a pipeline", "a search"):
        pytest.skip("others hand on labels of their own")
    if name == "NuSVC" and wrapper == "boosting":
        pytest.skip("nu is not feasible for some samples")
    want = _answers(WRAPPERS[wrapper](by_rows), X, LABELS, False)
    _require_same(_answers(WRAPPERS[wrapper](before), matrix, LABELS, True), want)


@pytest.mark.parametrize("wrapper", OF_REGRESSORS)
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name, wrapper):
    by_rows, before, matrix = REGRESSORS[name]
    want = _answers(WRAPPERS[wrapper](by_rows), X, TARGET, False)
    _require_same(_answers(WRAPPERS[wrapper](before), matrix, TARGET, True), want)


@pytest.mark.parametrize("name", ["SVC", "nearest"])
def test_searches_of_parameters_share_what_they_share(name):
    by_rows, before, matrix = CLASSIFIERS[name]
    grid = {"C": [0.1, 1.0]} if name == "SVC" else {"n_neighbors": [1, 5]}
    in_steps = {f"m__{key}": values for key, values in grid.items()}
    want = sf.GridSearchCV(by_rows, grid, cv=3).fit(X, LABELS).cv_results_["mean_test_score"]
    for model, values in ((before, grid), (sf.Pipeline([("m", before)]), in_steps)):
        for rows in (matrix, matrix.tolist()):
            got = sf.GridSearchCV(model, values, cv=3).fit(rows, LABELS)
            assert got.cv_results_["mean_test_score"].tolist() == want.tolist()


@pytest.mark.parametrize("name", ["SVC", "nearest", "kernel ridge"])
def test_other_functions_of_model_selection(name):
    by_rows, before, matrix = CLASSIFIERS.get(name) or REGRESSORS[name]
    y = LABELS if name in CLASSIFIERS else TARGET

    def answers(model, rows):
        return [
            leave_one_out(model, rows, y).answers,
            np.array(bootstrap_error(model, rows, y, n_bootstraps=3, random_state=0).error),
            np.array(bias_variance(model, rows, y, n_rounds=3, random_state=0).variance),
            sf.learning_curve(model, rows, y, cv=3, train_sizes=[0.8, 1.0])[2],
            sf.cross_validate(model, rows, y, cv=3, return_train_score=True)["train_score"],
        ]

    _require_same(answers(before, matrix), answers(by_rows, X))


@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow", "sparse"])
@pytest.mark.parametrize("wrapper", ["nothing", "one against one", "bagging", "calibration"])
def test_matrices_in_any_container(wrapper, container):
    _, before, matrix = CLASSIFIERS["nearest" if container == "sparse" else "SVC"]
    columns = {f"r{j}": matrix[:, j] for j in range(60)}
    if container == "sparse":
        rows = pytest.importorskip("scipy.sparse").csr_array(matrix)
    elif container == "pyarrow":
        rows = pytest.importorskip("pyarrow").table(columns)
    else:
        rows = pytest.importorskip(container).DataFrame(columns)
    model = WRAPPERS[wrapper](before)
    want = sf.cross_val_predict(model, matrix, LABELS, cv=3)
    assert sf.cross_val_predict(model, rows, LABELS, cv=3).tolist() == want.tolist()


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_a_row_that_is_drawn_twice_has_its_column_twice(container):
    _, before, matrix = REGRESSORS["kernel ridge"]
    columns = {f"r{j}": matrix[:, j] for j in range(60)}
    rows = pytest.importorskip(container).DataFrame(columns)
    models = [sf.AdaBoostRegressor(before, n_estimators=2, random_state=0) for _ in range(2)]
    want = models[0].fit(matrix, TARGET).predict(matrix)
    assert models[1].fit(rows, TARGET).predict(rows).tolist() == want.tolist()


def test_weights_of_zero_leave_out_rows_and_their_columns():
    weights = np.ones(60)
    weights[::7] = 0.0
    by_rows, before, matrix = CLASSIFIERS["SVC"]
    for wrapper in ("nothing", "one against one", "calibration"):
        models = WRAPPERS[wrapper](by_rows), WRAPPERS[wrapper](before)
        want, got = (
            sf.cross_val_predict(model, rows, LABELS, cv=3, sample_weight=weights)
            for model, rows in zip(models, (X, matrix), strict=True)
        )
        assert got.tolist() == want.tolist()


def test_pipelines_take_a_matrix_where_their_first_steps_keep_its_columns():
    last = sf.SVC(kernel="precomputed")
    for first, wanted in (
        (sf.StandardScaler(), True), (sf.MinMaxScaler(), True), ("passthrough", True),
        (sf.PCA(2), False), (sf.OneHotEncoder(), False),
    ):  # fmt: skip
        model = sf.Pipeline([("first", first), ("last", last)])
        assert model.__sklearn_tags__().input_tags.pairwise is wanted
    same = sf.StandardScaler(with_mean=False, with_std=False)
    scaled = sf.Pipeline([("scale", same), ("m", sf.SVC(kernel="precomputed"))])
    train, test = np.arange(20, 60), np.arange(20)
    alone = scaled.fit(K[np.ix_(train, train)], LABELS[train]).predict(K[np.ix_(test, train)])
    got = sf.cross_val_predict(scaled, K, LABELS, cv=sf.KFold(3))
    assert got[:20].tolist() == alone.tolist()


@pytest.mark.parametrize("wrapper", ["nothing", "one against one", "bagging", "calibration",
                                     "boosting", "a search"])  # fmt: skip
def test_rows_are_refused_where_a_matrix_is_wanted(wrapper):
    model = WRAPPERS[wrapper](CLASSIFIERS["nearest"][1])
    with pytest.raises(ValueError, match="square"):
        model.fit(X, LABELS)
    with pytest.raises(ValueError, match=r"X should be a square matrix .* got shape \(60, 4\)"):
        sf.cross_val_score(model, X, LABELS, cv=3)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_have_the_tag_of_what_they_wrap(wrapper):
    pytest.importorskip("sklearn")
    by_rows, before, _ = CLASSIFIERS["SVC"]
    for model, wanted in ((by_rows, False), (before, True)):
        assert WRAPPERS[wrapper](model).__sklearn_tags__().input_tags.pairwise is wanted


def test_wrappers_take_weights_where_what_they_wrap_does():
    model = sf.BaggingClassifier(
        sf.OneVsOneClassifier(sf.KNeighborsClassifier()), n_estimators=2, random_state=0
    )
    assert model.fit(X, LABELS).score(X, LABELS) > 0.8


def test_clusterers():
    models = [sf.KMedoids(3, random_state=0), sf.KMedoids(3, metric="precomputed", random_state=0)]
    want, got = (
        sf.cross_val_predict(model, rows, cv=3) for model, rows in zip(models, (X, D), strict=True)
    )
    assert got.tolist() == want.tolist()
    pipeline = sf.make_pipeline(models[1])
    assert sf.cross_val_predict(pipeline, D, cv=3).tolist() == want.tolist()


def test_values_that_a_search_itself_asks_for():
    """The kernel or the distance is a candidate's own parameter, or its estimator's."""
    right = sf.cross_val_score(sf.KNeighborsClassifier(3), X, LABELS, cv=3)
    named = sf.GridSearchCV(
        sf.KNeighborsClassifier(3), {"metric": ["precomputed"], "n_neighbors": [3]}, cv=3
    ).fit(D, LABELS)
    assert named.best_score_ == right.mean()
    chosen = sf.GridSearchCV(
        sf.Pipeline([("m", sf.GaussianNB())]),
        {"m": [sf.KNeighborsClassifier(3, metric="precomputed"), sf.KNeighborsClassifier(3)]},
        cv=3,
    ).fit(D, LABELS)  # the second takes distances for columns, all of them
    rows = sf.cross_val_score(sf.KNeighborsClassifier(3), D, LABELS, cv=3)
    np.testing.assert_array_equal(
        chosen.cv_results_["mean_test_score"], [right.mean(), rows.mean()]
    )
    _, test = sf.validation_curve(
        sf.KernelRidge(kernel="rbf", gamma=1.0), K, TARGET, cv=3,
        param_name="kernel", param_range=["precomputed"],
    )  # fmt: skip
    right = sf.cross_val_score(sf.KernelRidge(kernel="rbf", gamma=1.0), X, TARGET, cv=3)
    np.testing.assert_allclose(test[0], right, rtol=1e-9)
