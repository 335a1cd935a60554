# SPDX-License-Identifier: BSD-3-Clause
"""Least squares and ridge with no coefficient below zero: the conditions of a minimum."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import (
    Chunks,
    GridSearchCV,
    Lasso,
    LinearRegression,
    Ridge,
    anova,
    cross_val_predict,
    drop1,
)
from statfast.linear import ElasticNet


def problem(n=80, p=9, seed=0, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    size = (n,) if targets is None else (n, targets)
    coef = rng.normal(size=(p, *size[1:]))
    return X, X @ coef + rng.normal(size=size) + 3.0, rng.integers(0, 4, n).astype(float)


def assert_optimal(model, X, y, weights=None, alpha=0.0):
    """Slopes of at least zero, and a gradient of zero above it and none downhill at it."""
    w = np.ones(len(y)) if weights is None else weights
    r = w * (y - X @ model.coef_ - model.intercept_)
    downhill = X.T @ r - alpha * model.coef_
    size = np.sqrt((w[:, None] * X**2).sum(0)) * np.sqrt((w * y**2).sum())
    assert (model.coef_ >= 0).all()
    assert (downhill <= 1e-11 * size).all()
    assert (np.abs(downhill[model.coef_ > 0]) <= 1e-11 * size[model.coef_ > 0]).all()
    if model.fit_intercept:
        assert abs(r.sum()) <= 1e-11 * np.sqrt(w.sum() * (w * y**2).sum())


@given(
    st.integers(1, 40), st.integers(1, 12), st.integers(0, 9), st.booleans(), st.booleans(),
    st.sampled_from([0.0, 0.01, 1.0, 1e4]),
)  # fmt: skip
def test_conditions_of_a_minimum(n, p, seed, intercept, weighted, alpha):
    X, y, w = problem(n, p, seed)
    w = w + (w.sum() == 0) if weighted else None
    model = LinearRegression(positive=True, fit_intercept=intercept).fit(X, y, w)
    assert_optimal(model, X, y, w)
    fit = w if weighted else np.ones(n)
    assert_allclose(model.rss_, fit @ (y - model.predict(X)) ** 2, rtol=1e-9, atol=1e-20 * (y @ y))
    assert_optimal(
        Ridge(alpha, positive=True, fit_intercept=intercept).fit(X, y, w), X, y, w, alpha
    )


@pytest.mark.parametrize("intercept", [True, False])
def test_of_scikit_learn(intercept):
    peers = pytest.importorskip("sklearn.linear_model")
    X, y, w = problem(targets=3)
    ours = LinearRegression(positive=True, fit_intercept=intercept).fit(X, y, w)
    theirs = peers.LinearRegression(positive=True, fit_intercept=intercept).fit(X, y, w)
    assert 0 < (ours.coef_ == 0).sum() < ours.coef_.size
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    ours = Ridge(2.0, positive=True, fit_intercept=intercept).fit(X, y[:, 0], w)
    theirs = peers.Ridge(2.0, positive=True, fit_intercept=intercept, tol=1e-12).fit(X, y[:, 0], w)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    assert ours.solver_ == "nnls"


def test_is_the_lasso_without_penalty_and_the_elastic_net_with_ridge_alone():
    X, y, _ = problem(seed=4)
    want = LinearRegression(positive=True).fit(X, y).coef_
    assert_allclose(Lasso(0.0, positive=True, tol=1e-14).fit(X, y).coef_, want, rtol=1e-6)
    want = Ridge(8.0, positive=True).fit(X, y).coef_
    twin = ElasticNet(8.0 / len(y), l1_ratio=0.0, positive=True, tol=1e-14).fit(X, y)
    assert_allclose(twin.coef_, want, rtol=1e-6)


@pytest.mark.parametrize("model", [LinearRegression(positive=True), Ridge(3.0, positive=True)])
def test_many_rows_threads_layouts_and_kinds_of_rows(model):
    X, y, w = problem(30_000, 9)
    want = model.set_params(n_jobs=1).fit(X, y, w).coef_.copy()
    assert_optimal(model, X, y, w, getattr(model, "alpha", 0.0))
    for jobs in (2, 7):
        assert_array_equal(model.set_params(n_jobs=jobs).fit(X, y, w).coef_, want)
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    for rows in (np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], sparse.csr_array(X)):
        assert_allclose(model.fit(rows, y, w).coef_, want, rtol=1e-9, atol=1e-12)
    half = X.astype(np.float32)
    assert_allclose(model.fit(half, y, w).coef_, model.fit(half.astype(float), y, w).coef_)
    if isinstance(model, LinearRegression):
        parts = Chunks(lambda: (X[i : i + 7000] for i in range(0, len(X), 7000)))
        assert_allclose(model.fit(parts, y, w).coef_, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", [LinearRegression(positive=True), Ridge(3.0, positive=True)])
@pytest.mark.parametrize("intercept", [True, False])
def test_folds_are_the_fits_of_their_rows(model, intercept):
    X, y, _ = problem(60, 5, seed=2)
    model.set_params(fit_intercept=intercept)
    for cv in (5, len(y)):
        folds = np.array_split(np.arange(len(y)), cv)
        want = np.empty(len(y))
        for out in folds:
            kept = np.setdiff1d(np.arange(len(y)), out)
            want[out] = type(model)(**model.get_params()).fit(X[kept], y[kept]).predict(X[out])
        assert_allclose(cross_val_predict(model, X, y, cv=cv), want, rtol=1e-9)
    search = GridSearchCV(model, {"positive": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_ == {"positive": False}


def test_columns_that_depend_on_each_other():
    x = np.arange(10.0)
    X, y = np.column_stack([x, -x, np.ones(10)]), 4.0 - 2.0 * x
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearRegression(positive=True).fit(X, y)
    assert_allclose(model.coef_, [0.0, 2.0, 0.0], atol=1e-12)
    assert_allclose(model.predict(X), y, atol=1e-12)
    assert not model.aliased_.any()
    down = LinearRegression(positive=True).fit(x[:, None], y)
    assert down.coef_[0] == 0.0
    assert_allclose(down.intercept_, y.mean())


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_scales(size):
    X, y, _ = problem()
    want = LinearRegression(positive=True).fit(X, y).coef_
    scale = size ** np.linspace(-1, 1, X.shape[1])
    got = LinearRegression(positive=True).fit(X * scale, y * size).coef_
    assert_allclose(got, want / scale * size, rtol=1e-10)


def test_ridge_degrees_of_freedom_are_those_of_the_columns_above_zero():
    X, y, _ = problem()
    model = Ridge(3.0, positive=True).fit(X, y)
    some = model.coef_ > 0
    assert_allclose(model.df_, Ridge(3.0).fit(X[:, some], y).df_)


def test_no_inference():
    X, y, _ = problem()
    model = LinearRegression(positive=True).fit(X, y)
    for name in ("standard_errors_", "p_values_", "covariance_", "aic_", "f_test_", "r_squared_"):
        with pytest.raises(ValueError, match="no standard errors of coefficients that were held"):
            getattr(model, name)
    for ask in (
        model.conf_int,
        lambda: model.predict(X, se=True),
        lambda: model.robust_covariance(X, y),
        lambda: anova(model, LinearRegression(positive=True).fit(X[:, :3], y)),
        lambda: drop1(model, X, y),
    ):
        with pytest.raises(ValueError, match="no standard errors of coefficients that were held"):
            ask()
    assert "held at zero" in str(model.summary())
    assert_array_equal(model.predict(X).shape, y.shape)
    with pytest.raises((TypeError, ValueError), match="positive must be"):
        LinearRegression(positive="yes").fit(X, y)
    with pytest.raises((TypeError, ValueError), match="positive must be"):
        Ridge(positive=3).fit(X, y)
