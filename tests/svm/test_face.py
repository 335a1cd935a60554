# SPDX-License-Identifier: BSD-3-Clause
"""Leaps between sweeps of descent: they lower the dual, within bounds, and spare sweeps."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import LinearSVC, LinearSVR
from statfast._core.svm import dual_descent as kernel
from statfast.svm.linear import dual_descent
from statfast.svm.linear.dual_descent import DescentVariables, descend, leap
from statfast.svm.linear.objective import Clock, Problem
from statfast.svm.linear.rows import LinearRows
from tests.reference import linear_svm as twin
from tests.svm.test_linear_many import text

CLOCK = Clock(10_000, None, time.monotonic)


def problem(seed, n, d, scale, squared, epsilon):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.3, format="csr", random_state=rng)
    target = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    if epsilon is None:
        target = np.where(target > 0, 1.0, -1.0)
    rows = LinearRows(X, scale > 0, scale or 1.0, 1)
    return Problem(rows, target, rng.uniform(0.1, 2.0, n), squared, epsilon), X.toarray()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), d=st.integers(1, 70),
    scale=st.sampled_from([0.0, 1.0, 3.0]), squared=st.booleans(),
    epsilon=st.sampled_from([None, 0.0, 0.2]), sweeps=st.integers(1, 4),
)  # fmt: skip
def test_a_leap_lowers_the_dual(seed, n, d, scale, squared, epsilon, sweeps):
    made, X = problem(seed, n, d, scale, squared, epsilon)
    Z = twin.with_constant(X, scale)
    dual, v = DescentVariables(made), np.zeros(1 + d)
    assert dual.state.ctypes.data % 64 == 0
    order = np.arange(n, dtype=np.int32)
    view = kernel.RowsView(None, None, *made.rows.parts)
    for _ in range(sweeps):
        kernel.sweep(
            view, scale**2, dual.state, epsilon or 0.0, np.inf, v, order, 0, n, 0, np.zeros(3)
        )
    before = dual.state.copy()
    target, low, high, old = before.T[[0, 3, 4, 5]]
    some = np.flatnonzero(np.random.default_rng(seed).random(n) < 0.8).astype(np.int32)
    moved = leap(dual, some, v, CLOCK)
    assert np.array_equal(np.delete(dual.state, 5, axis=1), np.delete(before, 5, axis=1))
    known = [twin.dual(b, Z, target, made.cost, squared, epsilon) for b in (old, dual.beta)]
    assert known[1] >= known[0] - 1e-12 * abs(known[0])
    assert ((low <= dual.beta) & (dual.beta <= high)).all()
    held = (old <= low) | (old >= high) | ((old == 0.0) & bool(epsilon))
    held[np.delete(np.arange(n), some)] = True
    assert np.array_equal(dual.beta[held], old[held])
    assert moved or np.array_equal(dual.beta, old)
    np.testing.assert_allclose(v, np.append(scale * (Z.T @ dual.beta)[-1], X.T @ dual.beta),
                               rtol=1e-9, atol=1e-11)  # fmt: skip


def test_a_leap_within_the_bounds_ends_at_the_lowest_point():
    made, X = problem(0, 20, 60, 1.0, True, 0.0)
    dual, v = DescentVariables(made), np.zeros(61)
    dual.beta[:] = 1e-3  # of a squared loss no bound but infinity
    v[:] = made.rows.combined(dual.beta.copy())
    for _ in range(40):
        leap(dual, np.arange(20, dtype=np.int32), v, CLOCK)
    Z = twin.with_constant(X)
    best = np.linalg.solve(Z @ Z.T + np.diag(0.5 / made.cost), made.target)
    np.testing.assert_allclose(dual.beta, best, rtol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_leaps_spare_sweeps(loss, monkeypatch):
    X, y = text(2_000, 1_500, 0.02)
    if loss == "hinge":
        model = LinearSVC(loss=loss, random_state=0, tol=1e-5)
    else:
        model = LinearSVR(loss=loss, epsilon=0.1, random_state=0, tol=1e-5)
    few = model.fit(X, y)
    assert few.solver_ == "descent"
    iterations, value, gap = few.n_iter_, few.primal_objective_, few.dual_gap_
    monkeypatch.setattr(dual_descent, "SWEEPS_BEFORE_LEAPS", 10**9)
    many = model.fit(X, y)
    assert 2 * iterations < many.n_iter_
    assert value == pytest.approx(many.primal_objective_, rel=1e-5)
    assert -1e-12 <= gap / value <= 1e-5


def test_a_time_limit_is_heard_in_a_leap(monkeypatch):
    monkeypatch.setattr(dual_descent, "SWEEPS_BEFORE_LEAPS", 1)
    made, _ = problem(0, 40, 60, 1.0, False, None)
    over = Clock(10_000, 0.0, lambda: 1.0)
    found = descend(made, 1e-4, over, np.random.default_rng(0))
    assert not found.converged
    assert found.reason == "before time_limit"
