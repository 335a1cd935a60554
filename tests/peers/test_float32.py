# SPDX-License-Identifier: BSD-3-Clause
"""Answers about float32 rows are float32 wherever scikit-learn's are, for all twins."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import statfast

pytest.importorskip("sklearn")
from sklearn.base import is_classifier
from sklearn.utils import all_estimators

METHODS = (
    "predict", "transform", "decision_function", "predict_proba", "predict_log_proba",
    "score_samples",
)  # fmt: skip
# A row of docs/howto/scikit_learn.rst says so.
FLOAT64 = {
    ("DummyRegressor", "predict"),
    ("KNeighborsRegressor", "predict"),
    ("PCA", "score_samples"),
    ("RadiusNeighborsRegressor", "predict"),
}

# As the table of docs/howto/scikit_learn.rst says: coefficients, and rows and centers of them.
COEFFICIENTS = {"coef_", "intercept_", "sparse_coef_", "components_", "scalings_"}
OF_ROWS = {
    "BisectingKMeans": {"cluster_centers_"},
    "IncrementalPCA": {"components_"},  # those of `PCA`
    "LogisticRegressionCV": {"coef_", "intercept_"},  # and of `LogisticRegression`
    "DBSCAN": {"components_"},
    "KMeans": {"cluster_centers_"},
    "KernelRidge": {"X_fit_"},
    "MiniBatchKMeans": {"cluster_centers_"},
    "NMF": {"components_"},
    **{key: {"support_vectors_"} for key in ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")},
}


def twins():
    pairs = []
    for name, peer in all_estimators():
        try:
            ours = getattr(statfast, name)
        except (AttributeError, ImportError):
            continue
        signature = inspect.signature(peer).parameters.values()
        if all(p.default is not p.empty or p.kind is p.VAR_KEYWORD for p in signature):
            pairs.append((name, peer, ours))
    return pairs


TWINS = twins()


def rows():
    rng = np.random.default_rng(0)
    X = (np.abs(rng.normal(size=(60, 4))) + 0.1).astype(np.float32)
    numbers = (X @ [1.0, 2.0, 0.5, 1.0] + 0.3 * rng.random(60)).astype(np.float32)
    return X, numbers, (numbers > np.median(numbers)).astype(int)


def fitted_model(cls, X, numbers, labels):
    """A model of default settings, or None if it does not take the rows."""
    known = inspect.signature(cls).parameters
    model = cls(**({"random_state": 0} if "random_state" in known else {}))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return model.fit(X, labels if is_classifier(model) else numbers)
        except Exception:
            return None


def dtypes_of(cls, X, numbers, labels):
    """Types of the answers of a fitted model that are arrays of real numbers."""
    model, out = fitted_model(cls, X, numbers, labels), {}
    if model is None:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name in METHODS:
            try:
                answer = getattr(model, name)(X)
            except Exception:
                continue
            if getattr(getattr(answer, "dtype", None), "kind", "") == "f":
                out[name] = answer.dtype
    return out


@pytest.mark.parametrize(("name", "peer", "ours"), TWINS, ids=[name for name, *_ in TWINS])
def test_answers_keep_float32(name, peer, ours):
    data = rows()
    wanted, found = dtypes_of(peer, *data), dtypes_of(ours, *data)
    if wanted is None or found is None:
        pytest.skip("does not fit such rows")
    lost = {
        method
        for method, dtype in wanted.items()
        if dtype == np.float32 and found.get(method, dtype) != np.float32
    }
    assert {(name, method) for method in lost} == {key for key in FLOAT64 if key[0] == name}


def singles(model):
    """Names of the arrays of a fitted model that are float32."""
    out = set()
    for name in dir(model):
        if name.endswith("_") and name[0] != "_":
            value = getattr(model, name, None)
            if getattr(value, "dtype", None) == np.float32 and np.ndim(value):
                out.add(name)
    return out


@pytest.mark.parametrize(("name", "peer", "ours"), TWINS, ids=[name for name, *_ in TWINS])
def test_coefficients_keep_float32(name, peer, ours):
    data = rows()
    other, model = fitted_model(peer, *data), fitted_model(ours, *data)
    if other is None or model is None:
        pytest.skip("does not fit such rows")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = COEFFICIENTS & singles(other)
    if name == "QuadraticDiscriminantAnalysis":  # They are variances.
        wanted = set()
    assert singles(model) == wanted | OF_ROWS.get(name, set())


LINEAR = (
    "ElasticNet", "ElasticNetCV", "GeneralizedLinearModel", "Lasso", "LassoCV",
    "LeastSquaresClassifier", "LinearDiscriminantAnalysis", "LinearRegression",
    "LogisticRegression", "LogisticRegressionCV", "MultiTaskElasticNet", "MultiTaskLasso", "PCA",
    "PoissonRegressor", "PrincipalComponentRegression", "Ridge", "RidgeCV", "RidgeClassifier",
    "RidgeClassifierCV", "TruncatedSVD",
)  # fmt: skip


def fits(name):
    """Models of rows in float32 and of the same in float64, and both kinds of rows."""
    X, numbers, labels = rows()
    labels[::7] = 1 - labels[::7]
    y = labels if is_classifier(getattr(statfast, name)()) else numbers
    y = np.column_stack([y, y**2]) if name.startswith("MultiTask") else y
    X[:, 0] += 100.0  # Its terms and the intercept cancel.
    return [(getattr(statfast, name)().fit(table, y), table) for table in (X, X.astype(float))]


@pytest.mark.parametrize("name", LINEAR)
def test_what_is_read_is_rounded_and_predictions_are_not(name):
    (single, X), (double, wide) = fits(name)
    checked = 0
    for key in COEFFICIENTS & set(vars(double)):
        value, digits = getattr(single, key), vars(single)[key]
        np.testing.assert_allclose(digits, vars(double)[key], rtol=1e-6, atol=1e-9)
        if np.ndim(value):
            checked += 1
            assert value.dtype == np.float32
            np.testing.assert_array_equal(value, np.float32(digits))
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0.0
    assert checked
    method = "transform" if hasattr(single, "transform") else "predict"
    method = "decision_function" if is_classifier(single) else method
    found = getattr(single, method)(X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, getattr(double, method)(wide), rtol=1e-5, atol=1e-5)


def test_the_type_is_that_of_the_last_fit():
    X, y, _ = rows()
    model = statfast.Ridge().fit(X, y)
    assert model.coef_.dtype == np.float32
    assert model.fit(X.astype(float), y).coef_.dtype == np.float64
    for table in (pickle.loads(pickle.dumps(model.fit(X, y))), copy.deepcopy(model)):
        assert table.coef_.dtype == np.float32
    model.coef_ = np.zeros(4)
    assert not (model.predict(X) - model.intercept_).any()
    with pytest.raises(AttributeError, match="call fit first"):
        statfast.Ridge().coef_  # noqa: B018
    assert not hasattr(statfast.Ridge, "coef_")


def test_data_frames_and_sparse_rows_keep_float32():
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    X, y, _ = rows()
    for table in (pandas.DataFrame(X), sparse.csr_array(X), np.asfortranarray(X)):
        assert statfast.Ridge().fit(table, y).coef_.dtype == np.float32
    mixed = pandas.DataFrame(X).astype({0: float})
    assert statfast.Ridge().fit(mixed, y).coef_.dtype == np.float64
    logistic = statfast.LogisticRegression(C=1.0).fit(X, y > y.mean()).sparsify()
    assert logistic.coef_.dtype == np.float32
    assert logistic.densify().coef_.dtype == np.float32
    assert statfast.PCA().fit_transform(X).dtype == np.float32
