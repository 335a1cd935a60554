# SPDX-License-Identifier: BSD-3-Clause
"""Answers about float32 rows are float32 wherever scikit-learn's are, for all twins."""

import inspect
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

# Rows and centers of them, as the table says; all else that is fitted is float64.
FITTED_FLOAT32 = {
    "BisectingKMeans": {"cluster_centers_"},
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


@pytest.mark.parametrize(("name", "ours"), [(name, ours) for name, _, ours in TWINS])
def test_what_is_fitted_is_float64_but_for_rows(name, ours):
    model = fitted_model(ours, *rows())
    if model is None:
        pytest.skip("does not fit such rows")
    attributes = (key for key in dir(model) if key.endswith("_") and not key.startswith("_"))
    singles = {
        key for key in attributes if getattr(getattr(model, key, None), "dtype", None) == np.float32
    }
    assert singles == FITTED_FLOAT32.get(name, set())


@pytest.mark.parametrize(
    ("name", "attribute"), [("Ridge", "coef_"), ("Lasso", "coef_"), ("PCA", "components_")]
)
def test_fitted_attributes_have_the_digits_of_their_sums(name, attribute):
    X, numbers, _ = rows()
    fits = [getattr(statfast, name)().fit(table, numbers) for table in (X, X.astype(float))]
    first, second = (np.abs(getattr(fit, attribute)) for fit in fits)
    assert first.dtype == np.float64
    np.testing.assert_allclose(first, second, rtol=1e-9)
