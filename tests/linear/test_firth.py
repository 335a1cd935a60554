# SPDX-License-Identifier: BSD-3-Clause
"""Firth's penalized likelihood: exact small cases, a slow optimizer, and separated classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import chdtri

from statfast.datasets import load_wine
from statfast.linear import LogisticRegression
from statfast.linear.logistic.firth import Firth
from tests.reference import multinomial as twin


def sample(n, d, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 2.0 + 5.0
    height = X @ rng.normal(size=(n_classes, d)).T * 0.5
    height += rng.gumbel(size=height.shape)
    return X, (height - height.mean(axis=0)).argmax(axis=1)


@pytest.mark.parametrize("table", [(5, 0, 3, 7), (1, 9, 4, 2), (6, 0, 0, 6), (0, 4, 0, 5)])
def test_a_table_of_four_gains_half_a_row_in_each_cell(table):
    a, b, c, d = table
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1, 0, 1, 0])
    fit = Firth(X, y, np.array(table, float), 2).fit()
    low = np.log((a + 0.5) / (b + 0.5))
    high = np.log((c + 0.5) / (d + 0.5))
    assert fit.converged
    assert_allclose(fit.coef[0], [low, high - low], atol=1e-12)


def test_one_sample_of_several_classes_gains_half_a_row_each():
    counts = np.array([7.0, 0.0, 2.0, 1.0])
    fit = Firth(np.ones((4, 1)), np.arange(4), counts, 4, intercept=False).fit()
    assert_allclose(fit.coef[:, 0], np.log((counts[1:] + 0.5) / (counts[0] + 0.5)), atol=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_coefficients_have_a_higher_penalized_likelihood(n_classes):
    X, y = sample(60, 2, n_classes)
    weights = np.random.default_rng(5).integers(1, 3, 60).astype(float)
    fit = Firth(X, y, weights, n_classes).fit()
    Z = twin.design(X)
    top = twin.penalized_loglik(Z, y, weights, fit.coef)
    assert fit.converged
    assert_allclose(fit.penalized_loglik, top, rtol=1e-12)
    full = np.vstack([np.zeros(3), fit.coef])
    assert_allclose(fit.loglik, -twin.loss(Z, y, weights, full), rtol=1e-12)
    size = fit.coef.size
    info = twin.hessian(Z, weights, full)[1:, :, 1:].reshape(size, size)
    assert_allclose(fit.covariance, np.linalg.inv(info), rtol=1e-7)
    spread = np.sqrt(fit.covariance.diagonal()).reshape(fit.coef.shape)
    for j in range(size):
        for step in (-1e-4, 1e-4):
            moved = fit.coef.copy()
            moved.ravel()[j] += step * spread.ravel()[j]
            assert twin.penalized_loglik(Z, y, weights, moved) < top
        # The gradient, by central differences of the twin.
        ahead, behind = fit.coef.copy(), fit.coef.copy()
        ahead.ravel()[j] += 1e-4 * spread.ravel()[j]
        behind.ravel()[j] -= 1e-4 * spread.ravel()[j]
        rise = twin.penalized_loglik(Z, y, weights, ahead)
        rise -= twin.penalized_loglik(Z, y, weights, behind)
        assert abs(rise) < 1e-10


def is_the_top(Z, y, coef):
    """Whether Firth's modified score (y - p + h (1/2 - p)) z is zero, in units of its spread."""
    p = 1 / (1 + np.exp(-Z @ coef))
    root = np.sqrt(p * (1 - p))
    Q, R = np.linalg.qr(Z * root[:, None])
    score = Z.T @ (y - p + (Q**2).sum(axis=1) * (0.5 - p))
    return np.linalg.norm(np.linalg.solve(R.T, score)) < 1e-6


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("n_columns", [6, 30])
def test_separated_classes_of_many_columns_end_in_some_tens_of_steps(n_columns, scaled):
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(200, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    X = X * np.exp(3 * rng.normal(size=n_columns)) + 10  # of all sizes, correlated
    height = X @ (rng.normal(size=n_columns) / X.std(axis=0))
    y = (height > np.median(height)).astype(int)
    if scaled:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(method="firth").fit(X, y)
    assert model.converged_  # warnings are errors
    assert model.n_iter_[0] <= 40
    Z = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)])
    slopes = model.coef_[0] * X.std(axis=0)
    start = model.intercept_[0] + model.coef_[0] @ X.mean(axis=0)
    assert is_the_top(Z, y, np.append(start, slopes))


@pytest.mark.parametrize("scaled", [False, True])
def test_three_classes_of_wine_end_in_some_tens_of_steps(scaled):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) if scaled else X
    fit = Firth(X, y, None, 3).fit()
    assert fit.converged
    assert fit.n_iter <= 40
    # A quasi-Newton method that sees the values of the twin alone finds nothing higher.
    Z, size, ones = twin.design(X), np.sqrt(fit.covariance.diagonal()), np.ones(len(X))

    def loss(steps):
        return -twin.penalized_loglik(Z, y, ones, fit.coef + (size * steps).reshape(fit.coef.shape))

    rng = np.random.default_rng(0)
    top = loss(np.zeros(len(size)))
    assert_allclose(-fit.penalized_loglik, top, rtol=1e-9)
    for _ in range(40):
        way = rng.normal(size=len(size))
        ahead, behind = loss(1e-4 * way), loss(-1e-4 * way)
        assert min(ahead, behind) > top
        assert abs(ahead - behind) < 1e-3 * (ahead + behind - 2 * top)


@pytest.mark.once
def test_spambase_ends(shared_data):
    rows = np.loadtxt(shared_data("spam", "spambase.data.gz"), delimiter=",")
    X, y = rows[:, :-1], rows[:, -1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(method="firth").fit(X, y)
    assert model.n_iter_[0] <= 50
    Z = np.column_stack([np.ones(len(X)), X])
    assert is_the_top(Z, y, np.append(model.intercept_, model.coef_))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separated_classes_have_finite_estimates(n_classes):
    x = np.arange(6.0 * n_classes)
    fit = Firth(x[:, None], np.repeat(np.arange(n_classes), 6), None, n_classes).fit()
    assert fit.converged
    assert np.isfinite(fit.coef).all()
    assert np.isfinite(fit.covariance).all()


def test_intervals_and_tests_are_of_the_profile():
    from scipy.optimize import minimize

    X, y = sample(40, 1, 2, seed=2)
    model = Firth(X, y, None, 2)
    fit = model.fit()
    intervals, tests = model.profile(fit, 0.05)
    Z, ones = twin.design(X), np.ones(40)

    def fall(index, value):
        def minus(free_coefficients):
            coef = np.insert(free_coefficients, index, value)[None]
            return -twin.penalized_loglik(Z, y, ones, coef)

        best = minimize(minus, np.delete(fit.coef[0], index), method="Nelder-Mead",
                        options={"xatol": 1e-9, "fatol": 1e-13})  # fmt: skip
        return 2.0 * (fit.penalized_loglik + best.fun)

    for j in range(2):
        assert_allclose(
            [fall(j, bound) for bound in intervals[j]], float(chdtri(1, 0.05)), rtol=1e-7
        )
        assert_allclose(chdtri(1, tests[j]), fall(j, 0.0), rtol=1e-7)


def test_one_coefficient_has_a_profile_too():
    fit_rows = np.ones((4, 1)), np.array([0, 1, 1, 1])
    model = Firth(*fit_rows, None, 2, intercept=False)
    intervals, _ = model.profile(model.fit(), 0.1)
    assert intervals[0, 0] < np.log(3.5 / 1.5) < intervals[0, 1]


def test_the_same_bits_for_any_number_of_threads():
    X, y = sample(5000, 4, 3)
    coefs = [Firth(X, y, None, 3, n_jobs=jobs).fit().coef for jobs in (1, 2, 7)]
    assert np.array_equal(coefs[0], coefs[1])
    assert np.array_equal(coefs[0], coefs[2])


def test_dependent_columns_are_refused():
    X, y = sample(30, 2, 2)
    with pytest.raises(ValueError, match="linear combinations of others"):
        Firth(np.column_stack([X, X[:, 0]]), y, None, 2).fit()
