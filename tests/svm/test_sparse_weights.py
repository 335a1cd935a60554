# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVC with an l1 penalty: the conditions of a minimum, by both ways to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import ConvergenceWarning, LinearSVC
from statfast.svm.linear import sparse_weights

LIMITS_OF_SOLVERS = {"proximal newton": 10**6, "coordinate descent": 0}
each_solver = pytest.mark.parametrize("solver", LIMITS_OF_SOLVERS)


@pytest.fixture
def solved_by(monkeypatch):
    """Have the problem solved by one of the solvers, whatever its size."""
    return lambda solver: monkeypatch.setattr(
        sparse_weights, "MAX_COLUMNS_FOR_PRODUCTS", LIMITS_OF_SOLVERS[solver]
    )


def problem(n=150, d=8, seed=0, zeros=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) >= zeros)
    y = np.where(X[:, 0] - X[:, -1] + 0.7 * rng.normal(size=n) + 0.3 > 0, 1, -1)
    y[:2] = 1, -1
    return X, y, rng.integers(0, 4, n).astype(float)


def parts_of(model, X, y, cost, scale=1.0):
    """Coefficients of the columns, the objective and the gradient of the losses."""
    v = model.coef_[0]
    Z = X
    if model.fit_intercept:
        v, Z = np.append(v, model.intercept_ / scale), np.column_stack([X, np.full(len(X), scale)])
    u = np.maximum(0.0, 1.0 - y * (Z @ v))
    return v, np.abs(v).sum() + cost @ u**2, -2.0 * Z.T @ (cost * y * u)


def assert_optimal(model, X, y, cost, scale=1.0, within=1e-6):
    v, value, gradient = parts_of(model, X, y, cost, scale)
    assert_allclose(model.primal_objective_[0], value, rtol=1e-10)
    assert (np.abs(gradient) <= 1.0 + within).all()
    assert_allclose(gradient[v != 0.0], -np.sign(v[v != 0.0]), atol=within)
    assert -1e-9 * value <= model.dual_gap_[0] <= 1e-6 * value


@given(
    n=st.integers(2, 50), d=st.integers(1, 20), seed=st.integers(0, 99), intercept=st.booleans(),
    C=st.sampled_from([0.03, 1.0, 20.0]), scale=st.sampled_from([1.0, 4.0]), narrow=st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_conditions_of_a_minimum(n, d, seed, intercept, C, scale, narrow):
    X, y, weights = problem(n, d, seed)
    weights += 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_weights, "MAX_COLUMNS_FOR_PRODUCTS", 10**6 if narrow else 0)
        # Of nearly dependent columns, coordinate descent takes very many sweeps to a smaller gap.
        model = LinearSVC(
            penalty="l1", C=C, fit_intercept=intercept, intercept_scaling=scale,
            tol=1e-9 if narrow else 1e-7, max_iter=200_000, random_state=0,
        ).fit(X, y, weights)  # fmt: skip
    assert model.solver_ == ("proximal newton" if narrow else "coordinate descent")
    assert model.converged_
    assert_optimal(model, X, y, C * weights, scale, within=1e-3 if n <= d else 1e-4)


@each_solver
@pytest.mark.parametrize("intercept", [True, False])
def test_of_scikit_learn(solver, intercept, solved_by):
    svm = pytest.importorskip("sklearn.svm")
    solved_by(solver)
    for C in (0.02, 0.3, 5.0):
        X, y, _ = problem(300, 30)
        options = {"penalty": "l1", "dual": False, "C": C, "fit_intercept": intercept}
        ours = LinearSVC(**options, tol=1e-8, max_iter=10_000).fit(X, y)
        theirs = svm.LinearSVC(**options, tol=1e-9, max_iter=100_000, random_state=0).fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4, atol=1e-5)
        assert_array_equal(ours.coef_ == 0.0, theirs.coef_ == 0.0)
        _, least, _ = parts_of(theirs, X, y, np.full(300, C))
        assert ours.primal_objective_[0] <= least * (1 + 1e-9)


@each_solver
def test_classes_threads_layouts_and_kinds_of_rows(solver, solved_by):
    solved_by(solver)
    X, _, weights = problem(400, 12, zeros=0.5)
    X = X.astype(np.float32).astype(float)
    y = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
    model = LinearSVC(penalty="l1", C=0.3, tol=1e-8, max_iter=10_000, random_state=0, n_jobs=1)
    coef = model.fit(X, y, weights).coef_.copy()
    assert coef.shape == (3, 12)
    assert 0 < (coef == 0.0).sum() < coef.size
    for k in range(3):
        alone = LinearSVC(**model.get_params()).fit(X, y == k, weights)
        assert_allclose(alone.coef_[0], coef[k], rtol=1e-6, atol=1e-7)
    for jobs in (2, 7):
        assert_array_equal(model.set_params(n_jobs=jobs).fit(X, y, weights).coef_, coef)
    wide = np.zeros((400, 24))
    wide[:, ::2] = X
    for rows in (
        np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], X.astype(np.float32),
        sparse.csr_array(X), sparse.coo_matrix(X),
    ):  # fmt: skip
        assert_allclose(model.fit(rows, y, weights).coef_, coef, rtol=1e-5, atol=1e-6)
    twice = np.repeat(np.arange(400), weights.astype(int))
    assert_allclose(model.fit(X[twice], y[twice]).coef_, coef, rtol=1e-5, atol=1e-6)


def test_many_columns_by_descent_and_the_certificate():
    rng = np.random.default_rng(3)
    X = sparse.random_array((500, 3000), density=0.02, random_state=rng, format="csr")
    y = np.where(X[:, :20].sum(axis=1) > 0.15, 1, -1)
    model = LinearSVC(penalty="l1", C=3.0, tol=1e-6, max_iter=20_000, random_state=0).fit(X, y)
    assert model.solver_ == "coordinate descent"
    assert 0 < (model.coef_ != 0.0).sum() < 500
    assert_optimal(model, X.toarray(), y, np.full(500, 3.0), within=1e-3)
    reseeded = LinearSVC(**{**model.get_params(), "random_state": 1}).fit(X, y)
    assert_allclose(reseeded.primal_objective_, model.primal_objective_, rtol=1e-7)


@each_solver
def test_a_penalty_that_leaves_nothing(solver, solved_by):
    solved_by(solver)
    X, y, _ = problem()
    model = LinearSVC(penalty="l1", C=1e-6).fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_ == 0.0
    assert model.converged_
    assert_allclose(model.primal_objective_, 1e-6 * len(y))
    assert_allclose(model.dual_gap_, 0.0, atol=1e-18)


@each_solver
def test_limits_warn(solver, solved_by):
    solved_by(solver)
    X, y, _ = problem(200, 60)
    with pytest.warns(ConvergenceWarning, match=r"did not converge in \d iterations"):
        model = LinearSVC(penalty="l1", C=50.0, max_iter=1, tol=1e-6).fit(X, y)
    assert not model.converged_
    assert model.dual_gap_ > 0.0
    with pytest.warns(ConvergenceWarning, match="before time_limit"):
        LinearSVC(penalty="l1", C=50.0, time_limit=0.0).fit(X, y)


def test_what_does_not_go_together():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="penalty='l1' goes with loss='squared_hinge'"):
        LinearSVC(penalty="l1", loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="penalty='l1' has no solver of the dual"):
        LinearSVC(penalty="l1", dual=True).fit(X, y)
    with pytest.raises(ValueError, match="penalty must be"):
        LinearSVC(penalty="l0").fit(X, y)
