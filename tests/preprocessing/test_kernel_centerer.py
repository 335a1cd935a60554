# SPDX-License-Identifier: BSD-3-Clause
"""KernelCenterer against scikit-learn, exact fractions and the samples that are centered."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from statfast import SVC, GridSearchCV, KernelCenterer, KernelRidge, KFold, Pipeline
from statfast.model_selection import cross_val_predict
from tests.contract.test_contract import SAME_NUMBERS

RNG = np.random.default_rng(5)
X, NEW = RNG.integers(-9, 10, (40, 3)).astype(float), RNG.integers(-9, 10, (7, 3)).astype(float)
K, CROSS = (X @ X.T + 1.0) ** 2, (NEW @ X.T + 1.0) ** 2


EXPECTED = {
    "check_estimators_nan_inf": "passes NaN in rows that are not as wide as the fitted matrix",
    "check_n_features_in_after_fitting": "looks for X in a sentence about K",
}


def checks():
    generator = pytest.importorskip("sklearn.utils.estimator_checks").estimator_checks_generator
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not inherit from")
        found = [check for _, check in generator(KernelCenterer())]
    names = [check.func.__name__ for check in found]
    return [
        pytest.param(
            check,
            id=name,
            marks=[pytest.mark.xfail(reason=EXPECTED[name], strict=True)]
            if name in EXPECTED
            else [],
        )
        for check, name in zip(found, names, strict=True)
    ]


@pytest.mark.once
@pytest.mark.parametrize("check", checks())
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_check(check):
    check(KernelCenterer())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_like_scikit_learn(dtype):
    theirs = pytest.importorskip("sklearn.preprocessing").KernelCenterer().fit(K)
    model = KernelCenterer().fit(K.astype(dtype))
    rtol = 1e-12 if dtype == np.float64 else 1e-6
    size = np.abs(K).max()
    np.testing.assert_allclose(model.K_fit_rows_, theirs.K_fit_rows_, rtol)
    np.testing.assert_allclose(model.K_fit_all_, theirs.K_fit_all_, rtol)
    for values in (K, CROSS):
        got = model.transform(values.astype(dtype), copy=False)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, theirs.transform(values), atol=rtol * size)


def test_products_of_samples_are_those_of_samples_less_their_mean():
    mean = X.mean(axis=0)
    model = KernelCenterer().fit(X @ X.T)
    np.testing.assert_allclose(
        model.transform(NEW @ X.T), (NEW - mean) @ (X - mean).T, atol=1e-11
    )  # fmt: skip


def test_exact_fractions():
    n, values = len(K), [[Fraction(int(v)) for v in row] for row in K]
    columns = [sum(column) / n for column in zip(*values, strict=True)]
    mean = sum(columns) / n
    want = [
        [v - c - sum(row) / n + mean for v, c in zip(row, columns, strict=True)] for row in values
    ]
    got = KernelCenterer().fit_transform(K)
    np.testing.assert_allclose(got, np.array(want, dtype=float), atol=1e-12 * K.max())


@pytest.mark.parametrize("n", [1, 2, 40, 300])
def test_centered_columns_and_rows_have_mean_zero(n):
    Z = np.random.default_rng(n).normal(size=(n, 4))
    once = KernelCenterer().fit_transform(Z @ Z.T + 5.0)
    np.testing.assert_allclose(once.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(once.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(KernelCenterer().fit_transform(once), once, atol=1e-12)


def test_a_constant_matrix_is_zero():
    np.testing.assert_array_equal(KernelCenterer().fit_transform(np.full((5, 5), 3.0)), 0.0)


def test_order_of_the_samples_says_nothing():
    order = RNG.permutation(len(K))
    got = KernelCenterer().fit_transform(K[np.ix_(order, order)])
    want = KernelCenterer().fit_transform(K)[np.ix_(order, order)]
    np.testing.assert_allclose(got, want, atol=1e-12 * K.max())


@pytest.mark.parametrize("kind", SAME_NUMBERS)
def test_same_bits_from_any_container(kind, tmp_path):
    given = SAME_NUMBERS[kind](K, tmp_path)
    first, second = KernelCenterer().fit(K), KernelCenterer().fit(given)
    assert first.K_fit_rows_.tobytes() == second.K_fit_rows_.tobytes()
    kept = K.copy()
    assert first.transform(K).tobytes() == second.transform(given, copy=False).tobytes()
    np.testing.assert_array_equal(K, kept)


def test_names_and_tables():
    frames = pytest.importorskip("pandas")
    frame = frames.DataFrame(K[:3, :3], columns=["a", "b", "c"], index=[5, 6, 9])
    model = KernelCenterer().set_output(transform="pandas")
    got = model.fit_transform(frame)
    names = ["kernelcenterer0", "kernelcenterer1", "kernelcenterer2"]
    assert list(model.get_feature_names_out()) == list(got.columns) == names
    assert list(got.index) == [5, 6, 9]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (CROSS, r"K should be a square matrix.*got shape \(7, 40\)"),
        (np.where(K[3, 4] == K, np.nan, K), "K .*NaN"),
        (np.where(K[3, 4] == K, np.inf, K), "K .*inf"),
        (np.full((3, 3), 1.7e308), "sums overflow"),
        (np.array([[1e308, -1e308] * 2] * 4) * 1.7, "sums overflow"),
    ],
    ids=["cross", "NaN", "infinite", "large", "large of both signs"],
)
def test_refused(values, message):
    with pytest.raises(ValueError, match=message):
        KernelCenterer().fit(values)


def test_later_samples_that_are_refused():
    model = KernelCenterer().fit(np.eye(3))
    with pytest.raises(ValueError, match="features"):
        model.transform(np.eye(4))
    with pytest.raises(ValueError, match="sums overflow"):
        model.transform(np.full((1, 3), 1.7e308))
    with pytest.raises(ValueError, match="not fitted"):
        KernelCenterer().transform(np.eye(3))


# ------------------------------------------------------------------ rows and columns are cut


def test_it_is_pairwise():
    pytest.importorskip("sklearn")
    piped = Pipeline([("center", KernelCenterer()), ("svc", SVC(kernel="precomputed"))])
    for model in (KernelCenterer(), piped):
        assert model._is_pairwise
        assert model.__sklearn_tags__().input_tags.pairwise


def of_samples_by_folds(y, folds):
    out = np.empty(len(y))
    for train, test in folds.split(X):
        mean = X[train].mean(axis=0)
        ridge = KernelRidge(kernel="linear").fit(X[train] - mean, y[train])
        out[test] = ridge.predict(X[test] - mean)
    return out


@pytest.mark.parametrize("alone", [False, True], ids=["by the pipeline", "by scikit-learn"])
def test_cross_validation_of_a_pipeline(alone):
    y, folds = X[:, 0] * X[:, 1] + X[:, 2], KFold(4)
    piped = Pipeline([("center", KernelCenterer()), ("ridge", KernelRidge(kernel="precomputed"))])
    predict = cross_val_predict
    if alone:
        predict = pytest.importorskip("sklearn.model_selection").cross_val_predict
    got = predict(piped, X @ X.T, y, cv=folds)
    np.testing.assert_allclose(got, of_samples_by_folds(y, folds), atol=1e-8)


def test_search_through_a_pipeline():
    y, folds = X[:, 0] + X[:, 2], KFold(4)
    piped = Pipeline([("center", KernelCenterer()), ("ridge", KernelRidge(kernel="precomputed"))])
    search = GridSearchCV(piped, {"ridge__alpha": [0.1, 10.0]}, cv=folds, error_score="raise")
    search.fit(X @ X.T, y)
    assert search.predict(NEW @ X.T).shape == (7,)
    scores = [
        np.mean([
            piped.set_params(ridge__alpha=alpha)
            .fit((X @ X.T)[np.ix_(train, train)], y[train])
            .score((X @ X.T)[np.ix_(test, train)], y[test])
            for train, test in folds.split(X)
        ])
        for alpha in (0.1, 10.0)
    ]  # fmt: skip
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores, atol=1e-9)
