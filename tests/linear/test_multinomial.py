# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic fits: R's values, the conditions of a maximum, and adversarial columns."""

import csv
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import LogisticRegression
from statfast.datasets import load_digits, load_iris
from statfast.linear.logistic.multinomial import fit_multinomial
from tests.data import softmax_labels
from tests.reference import multinomial as twin


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "multinom.json").read_text("utf-8"))


def problem(n, d, n_classes, seed=0, strength=1.5, dtype=float):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    height = X @ (rng.normal(size=(n_classes, d)) * strength / np.sqrt(d)).T
    return X.astype(dtype), softmax_labels(height, rng)


def table(path):
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, skipinitialspace=True))


def iris(column):
    def rows(shared_data):
        data = load_iris()
        return data.data[:, [column]], data.target, None

    return rows


def vowel(shared_data):
    found = table(shared_data("esl", "vowel.train.csv"))
    X = np.array([[float(row["x.1"]), float(row["x.2"])] for row in found])
    return X, np.array([int(row["y"]) for row in found]) - 1, None


def birthwt(shared_data):
    found = table(shared_data("r", "MASS_birthwt.csv"))
    X = np.array([[float(row[name]) for name in ("age", "lwt", "smoke")] for row in found])
    return X, np.array([int(row["race"]) for row in found]) - 1, None


def housing(shared_data):
    found = table(shared_data("r", "MASS_housing.csv"))
    orders = [("Infl", ["Medium", "High"]), ("Type", ["Apartment", "Atrium", "Terrace"])]
    orders.append(("Cont", ["High"]))
    X = np.array(
        [
            [float(row[name] == level) for name, levels in orders for level in levels]
            for row in found
        ]
    )
    y = np.array([["Low", "Medium", "High"].index(row["Sat"]) for row in found])
    return X, y, np.array([float(row["Freq"]) for row in found])


MODELS = {
    "iris_sepal_length": iris(0),
    "iris_sepal_width": iris(1),
    "vowel_x1_x2": vowel,
    "birthwt_race": birthwt,
    "housing": housing,
}


@pytest.mark.parametrize("name", MODELS)
def test_against_r(name, reference, shared_data):
    X, y, weights = MODELS[name](shared_data)
    expected = reference["newton_refined"][name]
    fit = fit_multinomial(np.ascontiguousarray(X), y.astype(np.intp), weights, y.max() + 1)
    coef, covariance = fit.relative_to(0)
    errors = np.sqrt(covariance.diagonal()).reshape(coef.shape)
    assert fit.minimum.converged
    assert fit.separation() is None
    assert_allclose(coef, expected["coef"], rtol=1e-10, atol=1e-10)
    assert_allclose(errors, expected["se"], rtol=1e-9)
    assert_allclose(-2.0 * fit.loglik, expected["deviance"], rtol=1e-13)
    if "vcov" in reference[name]:
        # That of nnet is taken where its BFGS stopped; errors at the maximum are held above.
        assert_allclose(covariance, reference[name]["vcov"], rtol=2e-3, atol=1e-5)


def test_two_classes_are_a_binomial_logit(reference):
    data = load_iris()
    rows = data.target > 0
    fit = fit_multinomial(data.data[rows], data.target[rows] - 1, None, 2)
    expected = reference["iris_versicolor_virginica"]
    assert_allclose(fit.relative_to(0)[0][0], expected["glm_coef"], rtol=1e-11)
    assert_allclose(-2.0 * fit.loglik, expected["glm_deviance"], rtol=1e-13)


# Large enough that curvature is of a part of the rows, and small, with Newton's method.
@pytest.mark.parametrize(("n", "d", "n_classes"), [(300, 3, 3), (6000, 25, 8)])
@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_gradient_is_zero(n, d, n_classes, ridge, intercept):
    X, y = problem(n, d, n_classes)
    weights = np.random.default_rng(1).integers(0, 3, n).astype(float)
    fit = fit_multinomial(X, y, weights, n_classes, ridge=ridge, intercept=intercept)
    Z = twin.design(X, intercept)
    gradient = twin.gradient(Z, y, weights, fit.coef)
    gradient[:, int(intercept) :] += ridge * fit.coef[:, int(intercept) :]
    assert fit.minimum.converged
    assert_allclose(gradient, 0.0, atol=1e-8 * n)
    assert_allclose(fit.coef.sum(axis=0), 0.0, atol=1e-12)
    assert_allclose(fit.loglik, -twin.loss(Z, y, weights, fit.coef), rtol=1e-12)
    if ridge == 0.0:
        hessian = twin.hessian(Z, weights, fit.coef)[1:, :, 1:]
        size = (n_classes - 1) * Z.shape[1]
        inverse = np.linalg.inv(hessian.reshape(size, size))
        assert_allclose(fit.relative_to(0)[1], inverse, rtol=1e-6, atol=1e-9)


def test_like_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    X, y = problem(2000, 8, 4)
    fit = fit_multinomial(X, y, None, 4, ridge=2.0)
    theirs = LogisticRegression(C=0.5, solver="newton-cholesky", tol=1e-12).fit(X, y)
    assert_allclose(fit.coef[:, 1:], theirs.coef_, atol=1e-9)
    assert_allclose(fit.coef[:, 0], theirs.intercept_ - theirs.intercept_.mean(), atol=1e-9)


def test_a_weight_is_a_repeated_row():
    X, y = problem(200, 4, 3)
    weights = np.random.default_rng(0).integers(0, 4, 200)
    weighted = fit_multinomial(X, y, weights.astype(float), 3)
    repeated = fit_multinomial(np.repeat(X, weights, axis=0), np.repeat(y, weights), None, 3)
    assert_allclose(weighted.coef, repeated.coef, rtol=1e-9, atol=1e-11)
    assert_allclose(weighted.relative_to(0)[1], repeated.relative_to(0)[1], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_the_same_bits_for_any_number_of_threads(ridge):
    X, y = problem(20000, 12, 5)
    fits = [fit_multinomial(X, y, None, 5, ridge=ridge, n_jobs=jobs) for jobs in (1, 2, 7)]
    for fit in fits[1:]:
        assert np.array_equal(fit.coef, fits[0].coef)
        assert fit.loglik == fits[0].loglik


def test_columns_far_from_zero_lose_no_digits():
    X, y = problem(500, 3, 3)
    near = fit_multinomial(X, y, None, 3)
    move, size = np.array([1e6, -3e5, 0.0]), np.array([1.0, 1e-6, 1e9])
    far = fit_multinomial((X + move) * size, y, None, 3)
    assert_allclose(far.coef[:, 1:] * size, near.coef[:, 1:], rtol=1e-8)
    errors = np.sqrt(near.relative_to(0)[1].diagonal().reshape(2, 4)[:, 1:])
    moved = np.sqrt(far.relative_to(0)[1].diagonal().reshape(2, 4)[:, 1:])
    assert_allclose(moved * size, errors, rtol=1e-8)


def test_float32_rows_are_those_numbers():
    X, y = problem(400, 3, 3, dtype=np.float32)
    fit = fit_multinomial(X, y, None, 3)
    assert_allclose(fit.coef, fit_multinomial(X.astype(float), y, None, 3).coef, rtol=1e-12)


def test_columns_that_others_determine_are_left_out():
    X, y = problem(300, 3, 3)
    wide = np.column_stack([X[:, 0], np.full(300, 7.0), X[:, 1], X[:, 0] - 2 * X[:, 1], X[:, 2]])
    fit, alone = fit_multinomial(wide, y, None, 3), fit_multinomial(X, y, None, 3)
    assert fit.kept.tolist() == [0, 1, 3, 5]
    assert_allclose(fit.coef[:, [0, 1, 3, 5]], alone.coef, rtol=1e-9, atol=1e-12)
    assert (fit.coef[:, [2, 4]] == 0.0).all()
    covariance = fit.relative_to(0)[1].reshape(2, 6, 2, 6)
    assert np.isnan(covariance[:, 2]).all()
    assert_allclose(
        covariance[:, [0, 1, 3, 5]][..., [0, 1, 3, 5]].reshape(8, 8), alone.relative_to(0)[1],
        rtol=1e-8, atol=1e-12,
    )  # fmt: skip


def test_ridge_with_more_columns_than_rows():
    X, y = problem(30, 80, 3)
    fit = fit_multinomial(X, y, None, 3, ridge=1.0)
    gradient = twin.gradient(twin.design(X), y, np.ones(30), fit.coef)
    gradient[:, 1:] += fit.coef[:, 1:]
    assert_allclose(gradient, 0.0, atol=1e-9)


def test_more_coefficients_than_a_hessian_takes(monkeypatch):
    monkeypatch.setattr("statfast.linear.logistic.multinomial.MAX_COEFFICIENTS_FACTORED", 10)
    X, y = problem(2000, 10, 4)
    fit = fit_multinomial(X, y, None, 4, ridge=1.0)
    monkeypatch.undo()
    assert fit.minimum.converged
    assert_allclose(fit.coef, fit_multinomial(X, y, None, 4, ridge=1.0).coef, atol=1e-8)


def test_a_reference_class_changes_only_the_telling():
    X, y = problem(400, 3, 4)
    fit = fit_multinomial(X, y, None, 4)
    first, last = fit.relative_to(0)[0], fit.relative_to(3)[0]
    assert_allclose(last[1:], first[:2] - first[2], atol=1e-12)
    assert_allclose(last[0], -first[2], atol=1e-12)
    spread = fit.relative_to(0)[1].reshape(3, 4, 3, 4)[2, :, 2]
    assert_allclose(fit.relative_to(3)[1].reshape(3, 4, 3, 4)[0, :, 0], spread, rtol=1e-8)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("unit", [1.0, 16.0])
def test_nearly_separated_classes_take_few_iterations(C, unit):
    """Hessians there are small beside that of the start, of which each has a share."""
    digits = load_digits()
    X, y = digits.data / unit, digits.target
    model = LogisticRegression(C=C).fit(X, y)  # a warning would be an error
    assert model.n_iter_[0] < 90
    pull = (np.eye(10)[y] - model.predict_proba(X)).T @ X
    assert_allclose(model.coef_ / C, pull, atol=1e-6)
