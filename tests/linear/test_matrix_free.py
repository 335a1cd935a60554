# SPDX-License-Identifier: BSD-3-Clause
"""Models of many columns, fitted without a matrix of the columns: the optimum of the other way, the
conditions of optimality, and refusals in the place of exhausted memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit, softmax

import statfast as sf
from statfast._validation import memory
from statfast.linear.glm import matrix_free_fit
from statfast.linear.glm.qr_information import independent
from tests.data import softmax_labels


def texts(n, d, seed=0, words=8):
    """Rows like those of tf-idf: few of many columns, some columns far more often than others."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1.0, d + 1.0)
    columns = rng.choice(d, size=(n, words), p=share / share.sum())
    X = sparse.csr_matrix((rng.uniform(0.2, 1.0, n * words), (np.repeat(np.arange(n), words),
                           columns.ravel())), shape=(n, d))  # fmt: skip
    return X, rng


def binary(n=150, d=90, seed=0):
    X, rng = texts(n, d, seed)
    y = rng.random(n) < expit(X @ rng.normal(0.0, 3.0, d))
    return X, y.astype(int)


@pytest.fixture(params=["sparse", "dense"])
def kind(request, monkeypatch):
    """Rows for which products are preferred, whatever their shape."""
    monkeypatch.setattr(matrix_free_fit, "MIN_SPARSE_COLUMNS", 1)
    monkeypatch.setattr(matrix_free_fit, "MIN_DENSE_COLUMNS", 1)
    monkeypatch.setattr(matrix_free_fit, "INFERENCE_COLUMNS", 1)
    return (lambda X: X) if request.param == "sparse" else (lambda X: X.toarray())


def by_information(monkeypatch, fit):
    """The same fit, by steps with the information."""
    with monkeypatch.context() as context:
        context.setattr(matrix_free_fit, "MIN_SPARSE_COLUMNS", np.inf)
        context.setattr(matrix_free_fit, "MIN_DENSE_COLUMNS", np.inf)
        return fit()


@pytest.mark.parametrize("C", [0.1, 10.0, 1e5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_classes_have_the_optimum_of_the_other_way(kind, monkeypatch, C, fit_intercept):
    X, y = binary()
    X, weights = kind(X), np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = sf.LogisticRegression(
        C=C, fit_intercept=fit_intercept, class_weight={0: 1.0, 1: 2.5}, reference=1
    )
    offset = np.linspace(-1.0, 1.0, len(y))
    free = model.fit(X, y, weights, offset).coef_.copy()
    assert model.converged_
    full = by_information(monkeypatch, lambda: model.fit(X, y, weights, offset))
    # Both are within a Newton decrement of tol sqrt(mass), which is at least |b - b*| / sqrt(C).
    mass = float(weights @ np.where(y == 1, 2.5, 1.0))
    assert_allclose(free, full.coef_, rtol=0, atol=2.0 * model.tol * np.sqrt(mass * C))


def test_the_gradient_is_zero_at_the_answer(kind):
    X, y = binary(seed=3)
    model = sf.LogisticRegression(C=10.0).fit(kind(X), y)
    apart = expit(model.decision_function(kind(X))) - y
    gradient = np.append(apart.sum(), X.T @ apart + model.coef_[0] / 10.0)
    assert np.abs(gradient).max() < 1e-8  # of a sum of 150 terms of size 1


@pytest.mark.parametrize("make", [
    lambda: sf.PoissonRegressor(alpha=0.01),
    lambda: sf.GammaRegressor(alpha=0.01),
    lambda: sf.TweedieRegressor(power=1.5, alpha=0.01),
])  # fmt: skip
def test_penalized_means_have_the_optimum_of_the_other_way(kind, monkeypatch, make):
    X, rng = texts(200, 40)
    y = rng.gamma(2.0, np.exp(X @ rng.normal(0.0, 0.5, 40)))
    free = make().fit(kind(X), y)
    assert free.converged_
    full = by_information(monkeypatch, lambda: make().fit(kind(X), y))
    assert_allclose(free.coef_, full.coef_, rtol=0, atol=1e-8)
    assert_allclose(free.intercept_, full.intercept_, rtol=0, atol=1e-8)


def test_maximum_likelihood_has_no_inference_and_says_of_what_size(kind, monkeypatch):
    X, y = binary(400, 12, seed=5)
    model = sf.LogisticRegression().fit(kind(X), y)
    assert model.converged_
    with pytest.raises(ValueError, match=r"information matrix of 13 coefficients \(0.0 GiB\)"):
        _ = model.standard_errors_
    full = by_information(monkeypatch, lambda: sf.LogisticRegression().fit(kind(X), y))
    assert_allclose(model.coef_, full.coef_, rtol=0, atol=1e-8)
    assert_allclose(model.deviance_, full.deviance_, rtol=1e-12)


def test_classes_that_the_estimate_separates_end_the_fit(kind):
    X, rng = texts(40, 90)
    y = rng.integers(0, 2, 40)
    with pytest.warns(UserWarning, match="separated"):
        model = sf.LogisticRegression().fit(kind(X), y)
    assert not model.converged_
    assert model.n_iter_[0] < 30


def test_classes_separated_in_part_end_the_fit(kind):
    X = np.column_stack([np.repeat([0.0, 1.0], 30), np.tile([0.0, 1.0, 2.0], 20)])
    y = np.append(np.tile([0, 1], 15), np.ones(30, int))  # the first column = 1: always 1
    with pytest.warns(UserWarning, match="separated"):
        model = sf.LogisticRegression().fit(kind(sparse.csr_matrix(X)), y)
    assert not model.converged_


def test_dense_rows_have_the_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(matrix_free_fit, "MIN_DENSE_COLUMNS", 1)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 700))
    y = (X[:, :9].sum(axis=1) > 0).astype(int)
    one, two, seven = (
        sf.LogisticRegression(C=1.0, n_jobs=n).fit(X, y).coef_ for n in (1, 2, 7)
    )  # fmt: skip
    assert_array_equal(one, two)
    assert_array_equal(one, seven)


def test_shifted_float32_and_strided_rows(kind):
    X, y = binary(seed=7)
    wide = np.asfortranarray(X.toarray() + 100.0)
    fit = sf.LogisticRegression(C=1.0).fit
    near, far = fit(kind(X), y), sf.LogisticRegression(C=1.0).fit(wide, y)
    assert_allclose(near.coef_, far.coef_, rtol=0, atol=1e-8)
    small = X.toarray().astype(np.float32)
    again = sf.LogisticRegression(C=1.0)
    assert_allclose(again.fit(small, y).coef_, fit(small.astype(float), y).coef_, atol=1e-8)


def test_an_information_matrix_that_memory_does_not_hold_is_refused(monkeypatch):
    monkeypatch.setattr("statfast._validation.memory.free_memory", lambda: 1 << 28)
    X = np.zeros((2100, 2000))
    X[np.arange(2000), np.arange(2000)] = 1.0
    y = np.arange(2100) % 2
    with pytest.raises(MemoryError, match="information matrix of 2001 columns needs"):
        sf.LogisticRegression(C=1.0).fit(X, y)
    assert memory.free_memory() == 1 << 28


def naive_independent(R, floor):
    """Column by column."""
    basis, kept = [], []
    for j, column in enumerate(R.T):
        left = column
        for _ in range(2):
            for b in basis:
                left = left - b * (b @ left)
        size = np.linalg.norm(left)
        kept.append(size > max(1e-11 * np.linalg.norm(column), floor[j]))
        if kept[-1]:
            basis.append(left / size)
    return np.array(kept)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_depend_on_any_before_them_are_found_block_by_block(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((220, 200)) * np.logspace(-5, 5, 200)[rng.permutation(200)]
    for j in (1, 63, 64, 65, 130, 199):  # of one before, of many, and nearly
        A[:, j] = A[:, :j] @ (rng.random(j) < 0.2) + A[:, j - 1]
    A[:, 70] = 0.0
    A[:, 150] = A[:, 20] + 1e-7 * np.linalg.norm(A[:, 20]) * rng.standard_normal(220)
    R, floor = np.linalg.qr(A, mode="r"), np.zeros(200)
    assert_array_equal(independent(R, floor), naive_independent(R, floor))
    floor[[5, 100]] = 1e9
    assert_array_equal(independent(R, floor), naive_independent(R, floor))
    assert independent(R, floor)[[5, 100]].sum() == 0


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_several_classes_of_sparse_rows_are_not_filled_in(monkeypatch, C, fit_intercept):
    X, rng = texts(200, 30, seed=11)
    y = softmax_labels(X @ rng.normal(0.0, 1.0, (30, 4)), rng)
    weights = rng.integers(1, 4, 200) * (np.arange(200) % 7 > 0).astype(float)
    how = {"C": C, "fit_intercept": fit_intercept, "class_weight": "balanced"}
    full = sf.LogisticRegression(**how).fit(X.toarray(), y, weights)
    monkeypatch.setattr(sparse.csr_matrix, "toarray", None)
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    free = sf.LogisticRegression(**how).fit(X, y, weights)
    assert free.converged_
    assert_allclose(free.coef_, full.coef_, rtol=0, atol=1e-8)
    assert_allclose(free.intercept_, full.intercept_, rtol=0, atol=1e-8)
    # The gradient of the deviance is that of the penalty: it follows the error of coefficients.
    slope = 2.0 * np.abs(full.coef_).sum() / C
    assert_allclose(free.deviance_, full.deviance_, rtol=1e-12, atol=1e-8 * slope)
    assert str(free.summary()) == str(full.summary())


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_penalized_results_hold_no_table_of_all_coefficients(ratio):
    X, rng = texts(60, 40)
    for y in (rng.integers(0, 2, 60), rng.integers(0, 3, 60)):
        model = sf.LogisticRegression(C=0.5, l1_ratio=ratio).fit(X, y)
        assert model._result.unscaled is None
        assert "penalized" in str(model.summary())
        with pytest.raises(ValueError, match="penalized fit has no standard errors"):
            _ = model.standard_errors_


def images(n=120, d=60, K=5, seed=2):
    """Classes of smooth images, which are separated but for a few."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).cumsum(axis=1)
    y = (X[:, ::3] @ rng.standard_normal((-(-d // 3), K)) + 4.0 * rng.gumbel(size=(n, K))).argmax(1)
    return X / X.std(), y


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_quasi_newton_steps_that_do_not_end_are_followed_by_newton_steps(monkeypatch, C):
    from statfast.linear.logistic import multinomial

    X, y = images()
    monkeypatch.setattr(multinomial.Objective, "cost", np.inf)  # of any curvature
    monkeypatch.setattr(multinomial, "STEPS_BEFORE_NEWTON", 3)
    model = sf.LogisticRegression(C=C).fit(X, y)
    assert model.converged_
    p = softmax(model.decision_function(X), axis=1)
    p[np.arange(len(y)), y] -= 1.0
    assert np.abs(p.T @ X + model.coef_ / C).max() < 1e-7  # of sums of 120 terms up to 5
    assert np.abs(p.sum(axis=0)).max() < 1e-7


def test_iterations_are_not_quasi_newton_steps():
    X, y = images(300, 80, 6)
    model = sf.LogisticRegression(C=1.0).fit(X, y)
    assert model.converged_
    assert model.n_iter_[0] < 30
