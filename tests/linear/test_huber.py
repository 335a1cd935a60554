# SPDX-License-Identifier: BSD-3-Clause
"""Huber's regression: the least of its objective, outliers, scikit-learn's answers."""

import warnings

import numpy as np
import pytest

from statfast import HuberRegressor, LinearRegression
from statfast.linear.least_squares.huber import _Huber


def problem(seed, n=80, p=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 1
    y = X @ np.arange(p) + rng.standard_normal(n) + 2
    y[:8] += 40 * rng.standard_normal(8)
    return X, y, rng.integers(1, 4, n).astype(float)


def objective(v, X, y, w, epsilon, alpha):
    b, b0, s = v[:-2], v[-2], v[-1]
    z = np.abs(y - X @ b - b0) / s
    h = np.where(z <= epsilon, z**2, 2 * epsilon * z - epsilon**2)
    return w @ (s + h * s) + alpha * b @ b


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("epsilon", [1.05, 1.35, 3.0])
def test_gradient_is_zero(seed, epsilon):
    X, y, w = problem(seed)
    model = HuberRegressor(epsilon=epsilon, alpha=0.1).fit(X, y, w)
    at = np.array([*model.coef_, model.intercept_, model.scale_])
    value = objective(at, X, y, w, epsilon, 0.1)
    for k in range(len(at)):
        for step in (1e-3, -1e-3):
            moved = at.copy()
            moved[k] += step * max(1.0, abs(at[k]))
            assert objective(moved, X, y, w, epsilon, 0.1) > value


def line(seed, noise):
    """A line, and every fifth response far from it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    x = rng.uniform(-3, 3, n)
    y = 1 + 2 * x + noise * rng.normal(size=n)
    away = rng.choice(n, n // 5, replace=False)
    y[away] += np.sign(rng.normal(size=len(away))) * rng.uniform(1, 40, len(away))
    return x[:, None], y, away, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e-9, 1e12])
@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_a_line_with_outliers_is_that_line(weighted, size, shift):
    for seed in range(20):
        X, y, away, w = line(seed, 0.0)
        model = HuberRegressor(alpha=1e-4 / size)
        model.fit(X + shift, y * size, w if weighted else None)  # warnings are errors
        assert model.converged_
        assert abs(model.coef_[0] / size - 2) < 1e-10
        assert model.scale_ == 0
        assert np.flatnonzero(model.outliers_).tolist() == sorted(away)


@pytest.mark.parametrize("noise", [1e-12, 1e-9, 1e-6, 1e-3, 0.3])
def test_a_line_with_outliers_and_little_noise(noise):
    for seed in range(20):
        X, y, _, w = line(seed, noise)
        model = HuberRegressor().fit(X, y, w)
        assert model.converged_
        assert abs(model.coef_[0] - 2) < 4 * noise + 1e-10
        if noise < 1e-9:  # what follows is rounding
            continue
        assert 0 < model.scale_ < 10 * noise
        r, epsilon = y - model.predict(X), model.epsilon
        inside = np.abs(r) <= epsilon * model.scale_
        pull = w * np.where(inside, r / model.scale_, epsilon * np.sign(r))
        tolerance = 1e-5 * w.sum()
        assert abs(pull.sum()) < tolerance
        assert abs(pull @ X[:, 0] - model.alpha * model.coef_[0]) < 3 * tolerance
        left = w.sum() - epsilon**2 * w[~inside].sum()
        assert abs(w[inside] @ (r[inside] / model.scale_) ** 2 - left) < tolerance


def test_outliers_that_are_too_many_for_a_scale_of_zero():
    x = np.arange(-10.0, 11.0)
    y = 2 * x
    y[::2] += np.tile([7.0, -5.0, 11.0], 4)[:11]  # eleven of 21
    model = HuberRegressor(epsilon=1.5).fit(x[:, None], y)
    assert model.converged_
    at = np.array([*model.coef_, model.intercept_, model.scale_])
    value = objective(at, x[:, None], y, np.ones(21), 1.5, 1e-4)
    assert model.scale_ > 0.1
    for way in np.random.default_rng(0).normal(size=(30, 3)):
        assert objective(at + 1e-4 * way, x[:, None], y, np.ones(21), 1.5, 1e-4) > value


def test_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y, w = problem(9)
    theirs = linear_model.HuberRegressor(max_iter=10_000, tol=1e-9).fit(X, y, w)
    ours = HuberRegressor().fit(X, y, w)
    best, other = (
        objective(np.array([*m.coef_, m.intercept_, m.scale_]), X, y, w, 1.35, 1e-4)
        for m in (ours, theirs)
    )
    assert best <= other * (1 + 1e-14)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=3e-4)
    np.testing.assert_allclose(ours.scale_, theirs.scale_, rtol=3e-4)
    np.testing.assert_array_equal(ours.outliers_, theirs.outliers_)


def test_weights_are_repetitions():
    X, y, w = problem(10)
    counts = w.astype(int)
    weighted = HuberRegressor().fit(X, y, w)
    repeated = HuberRegressor().fit(X.repeat(counts, 0), y.repeat(counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_large_epsilon_is_least_squares():
    X, y, _ = problem(11)
    model = HuberRegressor(epsilon=1e6, alpha=0.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_the_scale_of_the_least_objective(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    r = rng.standard_cauchy(n) if seed % 2 else rng.integers(-3, 4, n).astype(float)  # ties, zeros
    w, epsilon = rng.integers(0, 3, n).astype(float), 1.0 + rng.exponential()
    w[0] = 1.0
    scale = _Huber(np.ones((n, 1)), r, w, epsilon, np.zeros(0), 1)._scale(r)
    if epsilon**2 * w[r != 0].sum() <= w.sum():
        assert scale == 0.0
    else:
        each = np.minimum(epsilon**2, (r / scale) ** 2)
        np.testing.assert_allclose(w @ each, w.sum(), rtol=1e-12)


def test_a_perfect_fit_has_no_scale():
    X, _, _ = problem(12)
    model = HuberRegressor(alpha=0.0).fit(X, X @ [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(model.coef_, [1, 2, 3, 4], rtol=1e-9)


def test_epsilon_of_one():
    with pytest.raises(ValueError, match="epsilon must be greater than 1"):
        HuberRegressor(epsilon=1.0).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize(
    ("shift", "size"), [(1e6, [1, 1, 1]), (0, [1e12, 1, 1]), (0, [1e5, 1e-5, 1])]
)
def test_columns_far_away_and_of_all_sizes(shift, size):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.standard_t(2, size=50)
    plain = HuberRegressor(alpha=0).fit(X, y).coef_
    coef = HuberRegressor(alpha=0).fit(X * size + shift, y).coef_ * size
    np.testing.assert_allclose(coef, plain, rtol=1e-7)


@pytest.mark.parametrize("size", [2.0**-520, 2.0**520])
def test_y_of_any_size(size):
    X, y, w = problem(3)
    plain = HuberRegressor(alpha=0).fit(X, y, w)
    other = HuberRegressor(alpha=0).fit(X, y * size, w)
    assert np.array_equal(other.coef_, plain.coef_ * size)
    assert other.scale_ == plain.scale_ * size
    assert np.array_equal(other.outliers_, plain.outliers_)


def test_an_epsilon_that_no_residual_reaches():
    X, y, w = problem(4)
    far, beyond = (HuberRegressor(epsilon=e).fit(X, y, w) for e in (1e100, 1e300))
    assert np.array_equal(far.coef_, beyond.coef_)


def test_a_penalty_that_overflows_in_the_units_of_y():
    X, y, w = problem(5)
    model = HuberRegressor(alpha=1.0).fit(X * 1e-9, y * 1e300, w)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(HuberRegressor(alpha=1e300).fit(X * 1e-150, y, w).coef_).all()


def test_a_penalty_whose_square_overflows_warns_of_nothing():
    X = [[0.1, 2.0], [-1.2, 0.7], [1.1, -1.9]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = HuberRegressor(epsilon=1e200).fit(X, [1e200, -0.5, -0.8])
    assert np.isfinite(model.coef_).all()
