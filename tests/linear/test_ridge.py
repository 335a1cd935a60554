# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression beside its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import KFold, LinearRegression, Ridge, RidgeCV, cross_validate, ridge_path


def problem(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 2
    return X, X[:, 0] + rng.standard_normal(n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("shape", [(40, 6), (6, 40)])
@pytest.mark.parametrize("intercept", [True, False])
def test_normal_equations(shape, intercept):
    X, y, w = problem(*shape, 0)
    for alpha in (1e-3, 1.0, 1e3):
        model = Ridge(alpha, fit_intercept=intercept).fit(X, y, w)
        r = w * (y - X @ model.coef_ - model.intercept_)
        np.testing.assert_allclose(X.T @ r, alpha * model.coef_, rtol=1e-8, atol=1e-9)
        if intercept:
            assert abs(r.sum()) < 1e-10


def test_path_is_single_fits_and_zero_is_least_squares():
    X, y, w = problem(50, 4, 1)
    path = ridge_path(X, y, [10.0, 0.0, 1.0], sample_weight=w)
    np.testing.assert_array_equal(path.alphas, [10.0, 1.0, 0.0])
    for alpha, b, b0 in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        model = Ridge(alpha).fit(X, y, w)
        np.testing.assert_allclose([model.intercept_, *model.coef_], [b0, *b], rtol=1e-12)
    least = LinearRegression().fit(X, y, w)
    np.testing.assert_allclose(path.coefs[:, -1], least.coef_, rtol=1e-10)


def test_collinear_columns_without_penalty_give_the_shortest_solution():
    X, y, _ = problem(20, 3, 2)
    X = np.column_stack([X, X[:, 0]])
    Z = X - X.mean(0)
    want = np.linalg.pinv(Z, rcond=1e-10) @ (y - y.mean())
    np.testing.assert_allclose(Ridge(0.0).fit(X, y).coef_, want, rtol=1e-9)


@pytest.mark.parametrize("shape", [(30, 4), (12, 20)])
def test_leave_one_out_is_leaving_out(shape):
    X, y, w = problem(*shape, 3)
    alphas = [0.1, 10.0, 1000.0]
    model = RidgeCV(alphas).fit(X, y, w)
    errors = []
    for alpha in model.alphas_:
        left = []
        for i in range(len(y)):
            v = w.copy()
            v[i] = 0.0  # with all of its weight
            kept = Ridge(alpha).fit(X, y, v)
            left.append(w[i] * (y[i] - kept.predict(X[i : i + 1])[0]) ** 2)
        errors.append(sum(left) / w.sum())
    np.testing.assert_allclose(model.errors_, errors, rtol=1e-8)
    assert model.alpha_ == model.alphas_[int(np.argmin(errors))]


def test_generalized_cross_validation():
    X, y, _ = problem(30, 4, 4)
    model = RidgeCV([0.1, 1.0, 10.0], criterion="gcv").fit(X, y)
    for alpha, error in zip(model.alphas_, model.errors_, strict=True):
        one = Ridge(alpha).fit(X, y)
        rss = ((y - one.predict(X)) ** 2).sum()
        np.testing.assert_allclose(error, rss / 30 / (1 - one.df_ / 30) ** 2, rtol=1e-9)


def test_several_targets():
    X, y, _ = problem(30, 4, 5)
    Y = np.column_stack([y, -2 * y + 1])
    model = Ridge(3.0).fit(X, Y)
    np.testing.assert_allclose(model.coef_[1], -2 * model.coef_[0], rtol=1e-11)
    assert RidgeCV([0.1, 1.0]).fit(X, Y).coef_.shape == (2, 4)


def test_a_penalty_for_each_target():
    X, y, _ = problem(30, 4, 5)
    Y = np.column_stack([y, y**2, np.abs(y)])
    model = Ridge([0.1, 3.0, 0.0]).fit(X, Y)
    parts = [Ridge(alpha).fit(X, y) for alpha, y in zip([0.1, 3.0, 0.0], Y.T, strict=True)]
    np.testing.assert_allclose(model.coef_, [part.coef_ for part in parts], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(model.intercept_, [part.intercept_ for part in parts], rtol=1e-12)
    assert model.df_ == pytest.approx(np.mean([part.df_ for part in parts]))
    path = cross_validate(Ridge([0.1, 3.0, 0.0]), X, Y, cv=3)
    by_hand = [
        Ridge([0.1, 3.0, 0.0]).fit(X[a], Y[a]).score(X[b], Y[b]) for a, b in KFold(3).split(X)
    ]
    np.testing.assert_allclose(path["test_score"], by_hand)
    with pytest.raises(ValueError, match=r"one for each target \(3\)"):
        Ridge([0.1, 3.0]).fit(X, Y)
    with pytest.raises(ValueError, match="one for each target"):
        Ridge([0.1, 3.0, -1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="positive=True takes one alpha"):
        Ridge([0.1, 3.0, 1.0], positive=True).fit(X, Y)


@pytest.mark.parametrize("kind", [Ridge, RidgeCV])
def test_a_column_is_one_target(kind):
    X, y, _ = problem(30, 4, 5)
    column, flat = kind().fit(X, y[:, None]), kind().fit(X, y)
    assert column.coef_.shape == (4,)
    np.testing.assert_array_equal(column.predict(X), flat.predict(X))


def test_bad_penalties():
    X, y, _ = problem(10, 2, 6)
    with pytest.raises(ValueError, match="alpha must be at least 0"):
        Ridge(-1.0).fit(X, y)
    with pytest.raises(ValueError, match="alphas must be finite and not negative"):
        RidgeCV([1.0, -1.0]).fit(X, y)
    for wrong in ("many", 3, None):
        with pytest.raises(TypeError, match="alphas must be a list of penalties"):
            ridge_path(X, y, wrong)


def test_a_constant_column_has_no_coefficient():
    rng = np.random.default_rng(0)
    X, one = rng.normal(size=(50, 2)), np.full((50, 1), 1100.0)
    y = X @ [1.0, 2.0] + rng.normal(size=50)
    assert RidgeCV().fit(one, y).coef_ == [0.0]
    with_it = Ridge(1e-8).fit(np.hstack([X, one]), y).coef_
    np.testing.assert_allclose(with_it, [*Ridge(1e-8).fit(X, y).coef_, 0.0], rtol=1e-10)


def test_errors_of_left_out_rows_do_not_depend_on_the_unit_of_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=30)
    alphas = np.geomspace(1e-3, 1e2, 5)
    light = RidgeCV(alphas / 30).fit(X, y, np.full(30, 1 / 30)).errors_
    np.testing.assert_allclose(light, RidgeCV(alphas).fit(X, y).errors_, rtol=1e-10)


def test_a_path_is_of_given_penalties():
    with pytest.raises(TypeError, match="alphas must be a list of penalties; got 3"):
        ridge_path(np.eye(3), np.arange(3.0), 3)


@pytest.mark.parametrize("intercept", [True, False])
def test_generalized_errors_of_tiny_penalties_of_wide_rows_are_no_rounding(intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 60))
    y = X[:, 0] + rng.normal(size=30)
    alphas = [1.0, 1e-3, 1e-6, 1e-9]
    moved, rest = (X - X.mean(0), y - y.mean()) if intercept else (X, y)
    squares, U = np.linalg.eigh(moved @ moved.T)
    squares, U = squares[int(intercept) :], U[:, int(intercept) :]  # less the constant's
    shares = np.array(alphas)[:, None] / (squares + np.array(alphas)[:, None])
    right = 30 * (shares**2 @ (U.T @ rest) ** 2) / shares.sum(1) ** 2
    model = RidgeCV(alphas, criterion="gcv", fit_intercept=intercept).fit(X, y)
    assert_allclose(model.errors_, right, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:X has columns that depend")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("model", [Ridge, LinearRegression])
def test_folds_of_more_columns_than_rows_are_merged(intercept, model):
    X, y, w = problem(24, 40, 12)
    model = model(fit_intercept=intercept)
    scores = cross_validate(model, X, y, cv=KFold(4), sample_weight=w, return_estimator=True)
    assert scores.path == "merged statistics"
    for (train, test), found in zip(KFold(4).split(X), scores["estimator"], strict=True):
        want = type(model)(fit_intercept=intercept).fit(X[train], y[train], w[train])
        np.testing.assert_allclose(found.predict(X[test]), want.predict(X[test]), rtol=1e-6)
    if isinstance(model, LinearRegression):
        return
    assert found.df_ == pytest.approx(want.df_)
    positive = Ridge(fit_intercept=intercept, positive=True)
    found = cross_validate(positive, X, y, cv=KFold(4))["test_score"]
    for score, (train, test) in zip(found, KFold(4).split(X), strict=True):
        want = positive.fit(X[train], y[train]).score(X[test], y[test])
        assert score == pytest.approx(want, rel=1e-6)
