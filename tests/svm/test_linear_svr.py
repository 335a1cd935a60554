# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVR: optimality, peers' answers, known lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import ConvergenceWarning, LinearSVR, Ridge
from tests.reference import linear_svm as twin

LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]


def line(n=100, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 1.0 + 0.5 * rng.standard_t(3, n)


@given(
    n=st.integers(1, 30), d=st.integers(1, 5), squared=st.booleans(),
    epsilon=st.sampled_from([0.0, 0.2, 2.0]), C=st.sampled_from([0.1, 3]), seed=st.integers(0, 99),
)  # fmt: skip
@settings(max_examples=25)
def test_objective_is_the_twins(n, d, squared, epsilon, C, seed):
    X, y = line(n, d, seed)
    Z, cost = twin.with_constant(X), np.full(n, float(C))
    w, _ = twin.solve_dual(Z, y, cost, squared, epsilon, sweeps=300)
    best = twin.primal(w, Z, y, cost, squared, epsilon)
    for dual in (False, True):
        model = LinearSVR(
            loss=LOSSES[squared], epsilon=epsilon, C=C, dual=dual, random_state=0,
            tol=1e-6 if dual else 1e-4, max_iter=20_000,
        ).fit(X, y)  # fmt: skip
        w = np.append(model.coef_, model.intercept_)
        value = twin.primal(w, Z, y, cost, squared, epsilon)
        assert value == pytest.approx(model.primal_objective_, rel=1e-9, abs=1e-12)
        assert value <= best * (1 + (1e-3 if dual else 1e-9)) + 1e-12
        assert model.dual_gap_ >= -1e-10 * value
        assert model.dual_gap_ <= (1e-2 if dual else 1e-8) * value + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_no_worse_than_liblinear(loss):
    svm = pytest.importorskip("sklearn.svm")
    X, y = line(300, 6)
    Z, cost, squared = twin.with_constant(X), np.full(300, 2.0), loss == LOSSES[1]
    peer = svm.LinearSVR(
        loss=loss, epsilon=0.3, C=2.0, tol=1e-9, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    model = LinearSVR(loss=loss, epsilon=0.3, C=2.0).fit(X, y)
    value = twin.primal(np.append(peer.coef_, peer.intercept_), Z, y, cost, squared, 0.3)
    assert model.primal_objective_ <= value * (1 + 1e-12)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5, atol=1e-5)


def test_squares_without_a_tube_are_ridge_regression():
    X, y = line()
    model = LinearSVR(loss=LOSSES[1], C=0.5, fit_intercept=False).fit(X, y)
    ridge = Ridge(alpha=1.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-10)


def test_the_median_of_a_constant_column():
    """Without slopes the absolute error's fit is the median, but for the penalty."""
    y = np.array([3.0, 1.0, 4.0, 1.5, 9.0])
    model = LinearSVR(C=10.0, intercept_scaling=100.0).fit(np.zeros((5, 1)), y)
    assert model.intercept_[0] == pytest.approx(3.0, abs=1e-9)
    assert model.predict(np.zeros((2, 1))) == pytest.approx([3.0, 3.0])


@pytest.mark.parametrize("dual", [False, True])
def test_sparse_float32_and_weights(dual):
    X, y = line(200, 5)
    X = np.where(np.abs(X) < 0.6, 0.0, np.round(X, 3).astype(np.float32))
    given = {"epsilon": 0.1, "dual": dual, "tol": 1e-9, "max_iter": 50_000, "random_state": 0}
    dense = LinearSVR(**given).fit(X, y)
    for other in (sparse.csr_matrix(X), X.astype(np.float32)):
        model = LinearSVR(**given).fit(other, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-5, atol=1e-6)
    weights = np.arange(200) % 3
    weighted = LinearSVR(**given).fit(X, y, sample_weight=weights)
    repeated = LinearSVR(**given).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-5 if dual else 1e-9)


def test_large_targets():
    X, y = line(400)
    near, far = LinearSVR(C=50.0).fit(X, y), LinearSVR(C=50.0).fit(X, 1e8 * y)
    assert far.dual_gap_ <= 1e-8 * far.primal_objective_
    assert near.dual_gap_ <= 1e-8 * near.primal_objective_


def test_limits_and_refusals():
    X, y = line()
    with pytest.warns(ConvergenceWarning, match="at most .* above the least"):
        LinearSVR(max_iter=1).fit(X, y)
    with pytest.raises(ValueError, match="epsilon must be at least 0"):
        LinearSVR(epsilon=-1).fit(X, y)
    with pytest.raises(ValueError, match="y must be one number for each row"):
        LinearSVR().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="loss must be"):
        LinearSVR(loss="huber").fit(X, y)


def test_squares_beyond_float64_are_refused():
    X, y = np.ones((3, 1)), [1.0, 2.0, 1e200]
    with pytest.raises(ValueError, match=r"y must be within 1e\+100 of 0"):
        LinearSVR().fit(X, y)
    with pytest.raises(ValueError, match=r"epsilon must be at most 1e\+100"):
        LinearSVR(epsilon=1e300).fit(X, [1.0, 2.0, 3.0])


def test_a_tolerance_whose_square_overflows():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = X @ [1.0, 2.0]
    wide, wider = (LinearSVR(tol=tol).fit(X, y) for tol in (1.0, 1e300))
    assert np.array_equal(wide.coef_, wider.coef_)
