# SPDX-License-Identifier: BSD-3-Clause
"""Least squares and ridge regression of sparse rows: the answers of the same rows, dense."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import CollinearityWarning, ConvergenceWarning, Ridge, RidgeCV
from statfast._estimator import copied
from statfast.linear import LeastSquaresClassifier, LinearRegression, NoInferenceError
from statfast.linear.least_squares.qr import triangle_of


def problem(n, d, seed=0, targets=2):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.05, random_state=rng, format="csr")
    Y = X[:, :3] @ rng.normal(size=(3, targets)) + rng.normal(size=(n, targets)) + 5.0
    return X, Y, rng.integers(0, 3, n) * 1.0


each_size = pytest.mark.parametrize(("n", "d"), [(60, 5), (2500, 90), (150, 1500)])
each_intercept = pytest.mark.parametrize("intercept", [True, False])


@each_size
@each_intercept
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_ridge(n, d, intercept, weighted, kind):
    X, Y, weights = problem(n, d)
    weights = weights if weighted else None
    dense, given = X.toarray(), X.asformat(kind)
    for model in (Ridge(2.0, fit_intercept=intercept), RidgeCV(fit_intercept=intercept)):
        one = model.fit(dense, Y, weights)
        coef, constant = one.coef_.copy(), one.intercept_.copy()
        means = one.predict(dense)
        two = model.fit(given, Y, weights)
        assert_allclose(two.coef_, coef, rtol=1e-9, atol=1e-11)
        assert_allclose(two.intercept_, constant, rtol=1e-9)
        assert_allclose(two.predict(given), means, rtol=1e-9)
        assert two.solver_ == ("cg" if type(model) is Ridge and d >= 500 else "svd")
        assert (two.n_iter_ is None) == (two.solver_ == "svd")


@pytest.mark.parametrize("criterion", ["loo", "gcv"])
def test_ridge_errors(criterion):
    X, Y, weights = problem(2500, 90)
    one = RidgeCV(alphas=9, criterion=criterion).fit(X.toarray(), Y, weights)
    two = RidgeCV(alphas=9, criterion=criterion).fit(X, Y, weights)
    assert_allclose(two.errors_, one.errors_, rtol=1e-9)
    assert two.best_score_ == -two.errors_.min()


@each_intercept
@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_and_its_inference(intercept, weighted):
    X, Y, weights = problem(2500, 90)
    weights, y = weights if weighted else None, Y[:, 0]
    assert not triangle_of(X, Y, weights, intercept).exact  # from products of the nonzeros
    one = LinearRegression(fit_intercept=intercept).fit(X.toarray(), y, weights)
    two = LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    for name in ("coef_", "intercept_", "rss_", "r_squared_", "standard_errors_", "p_values_",
                 "log_likelihood_", "singular_"):  # fmt: skip
        assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-8, atol=1e-12)
    assert two.rank_ == one.rank_
    for ours, theirs in zip(
        two.predict(X[:9], se=True, interval="prediction"),
        one.predict(X[:9].toarray(), se=True, interval="prediction"),
        strict=True,
    ):
        assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_dependent_columns_are_those_of_dense_rows(shift):
    X, Y, _ = problem(2500, 90)
    full = sparse.csr_array(np.full((2500, 1), 1.0 + shift))
    X = sparse.hstack([X, X[:, :2] * 2 + X[:, 3:5], full, X[:, :1] * 3]).tocsr()
    y = Y[:, 0]
    models = []
    for rows in (X.toarray(), X, X.tocsc()):
        with pytest.warns(CollinearityWarning, match="x90, x91, x92"):
            models.append(LinearRegression().fit(rows, y))
    for model in models[1:]:
        assert_array_equal(model.aliased_, models[0].aliased_)
        assert model.rank_ == models[0].rank_
        assert_allclose(model.coef_, models[0].coef_, rtol=1e-8, atol=1e-10)


def test_columns_far_from_zero_keep_their_digits():
    X, _, _ = problem(2500, 90)
    moved = X.toarray()
    moved[:, 0] += 1e7
    truth = np.arange(90.0)
    y = moved @ truth
    model = LinearRegression().fit(sparse.csr_array(moved), y)
    assert_allclose(model.coef_, truth, atol=1e-6)


def test_wide_rows_that_no_memory_holds_are_refused():
    X = sparse.csr_array(([1.0, 2.0], ([0, 199_999], [5, 999_999])), shape=(200_000, 1_000_000))
    for model in (RidgeCV(), LinearRegression(positive=True), Ridge(positive=True)):
        with pytest.raises((MemoryError, ValueError), match="fewer columns"):
            model.fit(X, np.arange(200_000.0))
    for alpha, solver in ((1.0, "cg"), (0.0, "lsmr")):  # which make no matrix
        assert Ridge(alpha).fit(X, np.arange(200_000.0)).solver_ == solver


def test_singular_values():
    X, Y, _ = problem(60, 5)
    dense = X.toarray()
    model = LinearRegression().fit(X, Y)
    assert_allclose(
        model.singular_, np.linalg.svd(dense - dense.mean(0), compute_uv=False), rtol=1e-10
    )
    assert not hasattr(LinearRegression(), "singular_")


def test_classifiers_by_least_squares_predict_sparse_rows():
    X, Y, _ = problem(60, 5)
    model = LeastSquaresClassifier().fit(X.toarray(), Y[:, 0] > 5)
    assert_array_equal(model.predict(X), model.predict(X.toarray()))


@pytest.fixture
def by_products(monkeypatch):
    from statfast.linear.design import design
    from statfast.linear.least_squares import ridge

    monkeypatch.setattr(ridge, "MIN_COLUMNS_FOR_PRODUCTS", 1)
    monkeypatch.setattr(design, "MAX_FILLED", 0)  # no sparse rows are filled in


@each_intercept
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("shape", [(260, 80), (90, 300)])
def test_ridge_by_products_has_the_optimum_of_the_factor(by_products, intercept, targets, shape):
    n, d = shape
    X, Y, weights = problem(n, d, seed=4, targets=targets)
    X = sparse.csr_array(X * np.append(1e3, np.ones(d - 1)))  # a column far larger than others
    alpha = 0.1 if targets == 1 else [0.1, 1.0, 30.0]
    dense = Ridge(alpha, fit_intercept=intercept).fit(X.toarray(), Y, weights)
    model = Ridge(alpha, fit_intercept=intercept).fit(X, Y, weights)
    assert (dense.solver_, model.solver_) == ("svd", "cg")
    assert model.n_iter_ > 1
    assert np.isnan(model.df_)
    assert model.coef_.shape == dense.coef_.shape
    assert_allclose(model.coef_, dense.coef_, rtol=0, atol=1e-10)
    assert_allclose(model.intercept_, dense.intercept_, rtol=1e-10)
    for n_jobs in (1, 2, 7):
        one = Ridge(alpha, fit_intercept=intercept, n_jobs=n_jobs).fit(X, Y, weights)
        assert_array_equal(one.coef_, model.coef_)


@pytest.mark.parametrize("alpha", [0.0, 1e-9])
def test_penalties_too_small_for_normal_equations_take_the_factor(by_products, alpha):
    X, Y, _ = problem(260, 80)
    model = Ridge(alpha).fit(X, Y)
    assert model.solver_ == "svd"
    assert_allclose(model.coef_, Ridge(alpha).fit(X.toarray(), Y).coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    "model", [RidgeCV(), LinearRegression(positive=True), Ridge(positive=True)]
)
def test_decompositions_of_sparse_rows_that_take_minutes_are_refused(model):
    X = sparse.eye_array(7000, 7500, format="csr")
    with pytest.raises(ValueError, match=r"7000 x 7500 values, too many .* fewer columns"):
        model.fit(X, np.arange(7000.0))


@each_intercept
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["loo", "gcv"])
@pytest.mark.parametrize("alphas", [7, (0.1, 1.0, 10.0), (1e-9, 1.0)])
def test_penalties_of_wide_sparse_rows_are_chosen_as_of_dense_ones(
    by_products, intercept, weighted, criterion, alphas
):
    X, Y, weights = problem(90, 300, seed=6)
    weights = weights if weighted else None
    model = RidgeCV(alphas, criterion=criterion, fit_intercept=intercept)
    dense = copied(model).fit(X.toarray(), Y, weights)
    for rows in (X, X.astype(np.float32).tocsc()):
        same = rows.dtype == np.float64
        wide = model.fit(rows, Y, weights)
        tol = 1e-8 if same else 1e-4
        assert_allclose(wide.alphas_, dense.alphas_, rtol=tol)
        assert_allclose(wide.errors_, dense.errors_, rtol=tol, atol=tol * dense.errors_.max())
        assert_allclose(wide.coef_, dense.coef_, rtol=0, atol=tol)
        assert_allclose(wide.intercept_, dense.intercept_, rtol=0, atol=10 * tol)
        assert_allclose(wide.df_, dense.df_, rtol=tol)


@pytest.fixture
def of_any_width(monkeypatch, by_products):
    from statfast.linear.least_squares import linear_regression, ridge

    for module in (linear_regression, ridge):
        monkeypatch.setattr(module, "INFERENCE_COLUMNS", 1)


@each_intercept
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("shape", [(260, 80), (90, 300)])
def test_many_sparse_columns_have_the_shortest_solution(
    of_any_width, intercept, weighted, targets, shape
):
    X, Y, weights = problem(*shape, seed=5, targets=targets)
    X = sparse.hstack([X, X[:, :4], sparse.csr_array((shape[0], 1))], format="csr")  # rank lacks
    dense, w = X.toarray(), weights if weighted else np.ones(shape[0])
    mean, middle = np.average(dense, axis=0, weights=w), np.average(Y, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    right = np.linalg.lstsq(
        root * (dense - intercept * mean), root * (Y - intercept * middle), rcond=1e-12
    )[0].T
    given = weights if weighted else None
    model = LinearRegression(fit_intercept=intercept).fit(X, Y, given)
    ridge = Ridge(0.0, fit_intercept=intercept).fit(X, Y, given)
    for fitted in (model, ridge):
        assert_allclose(fitted.coef_.reshape(right.shape), right, rtol=0, atol=1e-9)
        constants = intercept * (middle - right @ mean)
        assert_allclose(np.ravel(fitted.intercept_), constants, rtol=0, atol=1e-9)
        assert fitted.n_iter_ > 1
    assert ridge.solver_ == "lsmr"
    left = w @ (Y - dense @ right.T - intercept * (middle - right @ mean)) ** 2
    assert_allclose(model.rss_, left if Y.shape[1] > 1 else left[0], rtol=1e-8, atol=1e-16)


def test_inference_of_many_sparse_columns_is_refused_with_its_size(of_any_width):
    X, Y, _ = problem(260, 80)
    model = LinearRegression().fit(X, Y[:, 0])
    assert np.isnan(model.rank_)
    assert np.isnan(model.condition_number_)
    for name in ("p_values_", "standard_errors_", "r_squared_", "singular_", "aic_"):
        with pytest.raises(NoInferenceError, match="of 81 coefficients"):
            getattr(model, name)
    with pytest.raises(NoInferenceError, match="of 81 coefficients"):
        model.predict(X, se=True)
    assert "81 coefficients" in str(model.summary())


def test_tiny_penalties_of_many_sparse_columns_have_the_optimum_of_the_factor(of_any_width):
    X, Y, _ = problem(260, 80)
    dense = Ridge(1e-8).fit(X.toarray(), Y)
    model = Ridge(1e-8).fit(X, Y)
    assert (dense.solver_, model.solver_) == ("svd", "lsmr")
    assert_allclose(model.coef_, dense.coef_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(0.0)])
def test_iterations_for_sparse_columns_that_do_not_end_are_told(of_any_width, model, monkeypatch):
    monkeypatch.setattr("statfast.linear.least_squares.bidiagonal.MAX_ITER", 3)
    X, Y, _ = problem(260, 80)
    with pytest.warns(ConvergenceWarning, match="in 3 iterations"):
        model.fit(X, Y)
    assert model.n_iter_ == 3


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_many_sparse_columns_whose_squares_are_no_numbers_are_refused(of_any_width, size):
    X, Y, _ = problem(260, 80)
    with pytest.raises(ValueError, match="Divide"):
        LinearRegression().fit(X * size, Y)


@pytest.mark.parametrize("model", [LinearRegression(), RidgeCV()])
def test_a_factor_that_memory_does_not_hold_is_refused(monkeypatch, model):
    monkeypatch.setattr("statfast._validation.memory.free_memory", lambda: 1 << 27)
    X = sparse.eye_array(2100, 2000, format="csr")
    with pytest.raises(MemoryError, match="triangular factor of 2000 columns needs"):
        model.fit(X, np.arange(2100) % 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_columns_that_nearly_depend(weighted, monkeypatch):
    # The solution is corrected by residuals of twice the precision, over blocks filled in.
    from statfast.linear.design import design

    monkeypatch.setattr(design, "MAX_FILLED", 0)
    X, Y, weights = problem(3000, 6, targets=1)
    X = X.toarray()
    X[:, 5] = X[:, 4] + 1e-2 * X[:, 5]
    y, w = Y[:, 0], weights if weighted else None
    models = [LinearRegression().fit(rows, y, w) for rows in (X, sparse.csr_array(X))]
    assert_allclose(models[1].coef_, models[0].coef_, rtol=1e-7)
    assert_allclose(models[1].covariance_, models[0].covariance_, rtol=1e-6)
