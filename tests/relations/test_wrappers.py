# SPDX-License-Identifier: BSD-3-Clause
"""An estimator inside another that does nothing more is the estimator itself."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import statfast as sf
from tests.contract import test_contract as contract
from tests.relations.problems import agree, answers, bells, distances, problem, products

KINDS = {cls: cls().__sklearn_tags__().estimator_type for cls in contract.ESTIMATORS}
CLASSIFIERS = [cls for cls, kind in KINDS.items() if kind == "classifier"]
REGRESSORS = [cls for cls, kind in KINDS.items() if kind == "regressor"]
SEARCHES = {
    "GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "RandomizedSearchCV",
}  # fmt: skip
# Their members get seeds of the ensemble, and seeds decide.
# Its predictions are the nearest, and its decision values in units of deviations.
NOT_THE_LIKELIEST = {"NearestCentroid"}
SEEDED = {
    "AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "OutputCodeClassifier", "RandomForestClassifier",
    "RandomForestRegressor", *SEARCHES,
}  # fmt: skip


def those(classes, but=()):
    found = [cls for cls in classes if cls.__name__ not in but]
    return pytest.mark.parametrize("cls", found, ids=lambda cls: cls.__name__)


def dressed(X, y):
    """A frame and a series with indexes that do not agree."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X, index=rng.permutation(len(X)), columns=["a", "b", "c", "d"])
    return frame, pd.Series(y, index=rng.permutation(len(X)))


@those(contract.ESTIMATORS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_pipeline_of_one_step_is_the_step(cls, weighted):
    if weighted and not contract.takes(cls, "sample_weight"):
        pytest.skip("takes no weights")
    frame, y = dressed(*problem(cls, 2))
    weights = {"sample_weight": 1.0 + np.arange(len(y)) % 3} if weighted else {}
    model = contract.make(cls).fit(frame, y, **weights)
    chain = sf.Pipeline([("only", contract.make(cls))]).fit(frame, y, **weights)
    assert dict(answers(chain, frame)).keys() == dict(of_all_chains(answers(model, frame))).keys()
    agree(answers(chain, frame), of_all_chains(answers(model, frame)), 0)


def of_all_chains(answers):
    """Answers of methods that a pipeline has."""
    of_one = ("kneighbors", "mahalanobis")  # which only some estimators have
    return [(name, array) for name, array in answers if not name.startswith(of_one)]


@those([*CLASSIFIERS, *REGRESSORS], SEARCHES)
def test_a_search_with_one_candidate_is_the_fit(cls):
    frame, y = dressed(*problem(cls, 3))
    model = contract.make(cls).fit(frame, y)
    search = sf.GridSearchCV(contract.make(cls), {}, cv=2, error_score="raise").fit(frame, y)
    agree(answers(search.best_estimator_, frame), answers(model, frame), 0)
    np.testing.assert_array_equal(search.predict(frame), model.predict(frame))


@those(CLASSIFIERS, NOT_THE_LIKELIEST)
def test_one_against_the_rest_of_two_classes_is_the_binary_model(cls):
    frame, y = dressed(*problem(cls, 4, n_classes=2))
    model = contract.make(cls).fit(frame, y)
    rest = sf.OneVsRestClassifier(contract.make(cls)).fit(frame, y)
    np.testing.assert_array_equal(rest.classes_, model.classes_)
    np.testing.assert_array_equal(rest.predict(frame), model.predict(frame))


@those([*CLASSIFIERS, *REGRESSORS], SEEDED | NOT_THE_LIKELIEST)
def test_bagging_of_one_member_of_all_rows_and_columns_is_the_member(cls):
    frame, y = dressed(*problem(cls, 5))
    ensemble = sf.BaggingRegressor if cls in REGRESSORS else sf.BaggingClassifier
    # A bag decides by the mean of probabilities, and these machines by what is without Platt's.
    some = {"probability": False} if "probability" in cls().get_params() else {}
    model = contract.make(cls, **some).fit(frame, y)
    bag = ensemble(contract.make(cls, **some), 1, bootstrap=False, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(bag.predict(frame), model.predict(frame))
    if hasattr(model, "predict_proba"):
        agree([("", bag.predict_proba(frame))], [("", model.predict_proba(frame))], 1e-12)


# ------------------------------------------------------------------ calibration by hand


def scores_of(model, X):
    """A column of scores for each class, or one for the second of two."""
    if hasattr(model, "decision_function"):
        found = model.decision_function(X)
        return found[:, None] if found.ndim == 1 else found
    found = model.predict_proba(X)
    return found[:, 1:] if found.shape[1] == 2 else found


def platt(score, is_class, new):
    """Platt's sigmoid: the likelihood of targets drawn in from 0 and 1."""
    n_in, n_out = is_class.sum(), (~is_class).sum()
    target = np.where(is_class, (n_in + 1) / (n_in + 2), 1 / (n_out + 2))
    size = np.abs(score).max() or 1.0

    def loss(ab):
        z = ab[0] * score / size + ab[1]
        return (np.logaddexp(0, z) - target * z).sum()

    a, b = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
    return 1 / (1 + np.exp(-(a * new / size + b)))


def isotonic(score, is_class, new):
    model = sf.IsotonicRegression(out_of_bounds="clip").fit(score, is_class.astype(float))
    return model.predict(new)


@those([cls for cls in CLASSIFIERS if cls.__name__ not in SEARCHES])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_calibration_of_a_fitted_model_is_that_by_hand(cls, method, n_classes):
    if n_classes > 2 and cls.__name__ in contract.BINARY:
        pytest.skip("is of two classes")
    frame, y = dressed(*problem(cls, 6, n_classes=n_classes))
    y = y.to_numpy()
    model = contract.make(cls).fit(frame[:30], y[:30])
    found = sf.CalibratedClassifierCV(model, method=method, cv="prefit").fit(frame[12:], y[12:])
    scores, new = scores_of(model, frame[12:]), scores_of(model, frame)
    curve = platt if method == "sigmoid" else isotonic
    labels = model.classes_[-scores.shape[1] :]
    want = np.column_stack(
        [curve(s, y[12:] == label, t) for s, label, t in zip(scores.T, labels, new.T, strict=True)]
    )
    if n_classes == 2:
        want = np.column_stack([1 - want, want])
    else:
        total = want.sum(1, keepdims=True)
        want = np.where(total > 0, want / np.where(total > 0, total, 1), 1 / n_classes)
    # The minimum above is found to a gradient of 1e-9 at best, from differences of the loss: 1e-6.
    np.testing.assert_allclose(found.predict_proba(frame), want, atol=1e-5)


# ------------------------------------------------------------------ matrices in place of rows
# An estimator of a matrix, the same of rows, and what makes the matrix of them.
OF_MATRICES = {
    "k-NN": (sf.KNeighborsClassifier, {"metric": "precomputed"}, {}, distances),
    "NuSVC": (sf.NuSVC, {"kernel": "precomputed", "nu": 0.2},
              {"kernel": "rbf", "gamma": 0.5, "nu": 0.2}, bells),
    "SVC": (sf.SVC, {"kernel": "precomputed"}, {"kernel": "linear"}, products),
    "k-NN of numbers": (sf.KNeighborsRegressor, {"metric": "precomputed"}, {}, distances),
    "KernelRidge": (sf.KernelRidge, {"kernel": "precomputed"}, {"kernel": "linear"}, products),
    "SVR": (sf.SVR, {"kernel": "precomputed"}, {"kernel": "linear"}, products),
}  # fmt: skip
OF_CLASSES = {
    "one against the rest": lambda model: sf.OneVsRestClassifier(model),
    "one against one": lambda model: sf.OneVsOneClassifier(model),
    "codes": lambda model: sf.OutputCodeClassifier(model, code="one_vs_one", random_state=0),
    "calibrated": lambda model: sf.CalibratedClassifierCV(model, cv=3),
    "calibrated, one model": lambda model: sf.CalibratedClassifierCV(model, cv=3, ensemble=False),
    "bagging": lambda model: sf.BaggingClassifier(model, 3, random_state=0),
    "boosted": lambda model: sf.AdaBoostClassifier(
        model, n_estimators=3, method="resample", random_state=0
    ),
}
OF_NUMBERS = {
    "bagging": lambda model: sf.BaggingRegressor(model, 3, random_state=0),
    "boosted": lambda model: sf.AdaBoostRegressor(model, n_estimators=3, random_state=0),
}
OF_ALL = {
    "itself": lambda model: model,
    "pipeline": lambda model: sf.Pipeline([("pass", "passthrough"), ("last", model)]),
    "search": lambda model: sf.GridSearchCV(model, {}, cv=3, error_score="raise"),
    "pipeline in a search": lambda model: sf.GridSearchCV(
        sf.Pipeline([("last", model)]), {}, cv=3, error_score="raise"
    ),
}


def matrix_problem(name):
    cls, of_matrix, of_rows, table = OF_MATRICES[name]
    X, y = problem(cls, 8)
    exact = {"tol": 1e-9} if "tol" in cls().get_params() else {}
    return cls(**of_matrix, **exact), cls(**of_rows, **exact), X, y, table(X, X)


def wrapped():
    for name, (cls, *_) in OF_MATRICES.items():
        more = OF_NUMBERS if contract.regresses(cls) else OF_CLASSES
        for wrapper, wrap in (OF_ALL | more).items():
            yield pytest.param(name, wrap, id=f"{wrapper}-{name}")


@pytest.mark.parametrize(("name", "wrap"), list(wrapped()))
@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_a_matrix_computed_before_is_that_of_the_rows(name, wrap, container):
    of_matrix, of_rows, X, y, table = matrix_problem(name)
    first = wrap(of_rows).fit(X, y).predict(X)
    second = wrap(of_matrix).fit(container(table), y).predict(container(table))
    if first.dtype.kind == "f":
        np.testing.assert_allclose(second, first, rtol=1e-6)
    else:
        np.testing.assert_array_equal(second, first)


@pytest.mark.parametrize("name", OF_MATRICES)
def test_folds_cut_a_matrix_by_rows_and_columns(name):
    of_matrix, of_rows, X, y, table = matrix_problem(name)
    index = np.random.default_rng(1).permutation(len(y))
    frame, target = pd.DataFrame(table, index=index), pd.Series(y, index=index[::-1])
    want = sf.cross_val_score(of_rows, X, y, cv=4)
    np.testing.assert_allclose(sf.cross_val_score(of_matrix, table, y, cv=4), want, rtol=1e-6)
    np.testing.assert_allclose(sf.cross_val_score(of_matrix, frame, target, cv=4), want, rtol=1e-6)
