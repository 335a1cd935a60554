# SPDX-License-Identifier: BSD-3-Clause
"""Linear machines where rows or columns are many: rows that drop out, steps without a matrix."""

import signal

import numpy as np
import pytest
from scipy import sparse

from statfast import LinearSVC, LinearSVR
from statfast.svm.linear import dual_descent
from statfast.svm.linear import interior_point as narrowing
from statfast.svm.linear import rows as linear_rows
from statfast.svm.linear.newton import Conjugate
from statfast.svm.linear.objective import Problem
from tests.data import signed_labels
from tests.reference import linear_svm as twin

EPSILON = ["epsilon_insensitive", "squared_epsilon_insensitive"]


def text(n=3_000, d=800, density=0.02, seed=0):
    """Sparse rows of length 1, and labels with some noise."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=density, format="csr", random_state=rng)
    X = sparse.csr_array(X / np.sqrt((X.multiply(X)).sum(axis=1) + 1e-30)[:, None])
    f = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    return X, np.where(f > 0, 1, -1)


def of_all_rows(monkeypatch, model, X, y):
    """The fit by a path on which no row drops out."""
    with monkeypatch.context() as patch:
        patch.setattr(narrowing, "MIN_ROWS", 10**9)
        return model.fit(X, y)


@pytest.mark.parametrize("kind", ["overlapping", "separable", "sorted", "rare", "misleading"])
@pytest.mark.parametrize("C", [0.01, 10.0])
def test_rows_drop_out_of_the_hinge(kind, C, monkeypatch):
    X, y = signed_labels(9_000, 4, noise=0.0 if kind == "separable" else 2.0)
    if kind == "sorted":
        X, y = X[np.argsort(y)], np.sort(y)
    if kind == "rare":  # the sample may have none
        keep = (y < 0) | (np.arange(9_000) % 1_000 == 1)
        X, y = np.vstack([X[keep]] * 2), np.tile(y[keep], 2)
    if kind == "misleading":  # every eighth label is wrong
        y[::8] *= -1
    model = LinearSVC(loss="hinge", C=C).fit(X, y)
    whole = of_all_rows(monkeypatch, LinearSVC(loss="hinge", C=C), X, y)
    value = whole.primal_objective_[0]
    assert model.converged_
    assert whole.converged_
    assert model.primal_objective_[0] == pytest.approx(value, rel=1e-8)
    assert -1e-10 * value <= model.dual_gap_[0] <= 1e-8 * value
    w = np.append(model.coef_[0], model.intercept_[0])
    known = twin.primal(w, twin.with_constant(X), y, np.full(len(X), C), False)
    assert known == pytest.approx(model.primal_objective_[0], rel=1e-11)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_rows_drop_out_of_the_absolute_error(epsilon, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((8_000, 5))
    y = 100.0 * (X @ rng.standard_normal(5) + rng.standard_t(2, 8_000))
    cost = 1.0 + np.arange(8_000) % 3
    given = {"loss": EPSILON[0], "epsilon": 100.0 * epsilon, "C": 0.3}
    model = LinearSVR(**given).fit(X, y, sample_weight=cost)
    with monkeypatch.context() as patch:
        patch.setattr(narrowing, "MIN_ROWS", 10**9)
        whole = LinearSVR(**given).fit(X, y, sample_weight=cost)
    assert model.converged_
    assert model.primal_objective_ == pytest.approx(whole.primal_objective_, rel=1e-8)
    assert -1e-10 <= model.dual_gap_ / model.primal_objective_ <= 1e-8
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-3)


def test_rows_held_at_the_wrong_bound_come_back(monkeypatch):
    X, y = signed_labels(7_000, 6, noise=2.0)
    whole = of_all_rows(monkeypatch, LinearSVC(loss="hinge"), X, y)
    for reach in (1e-3, 0.3):  # far too short
        monkeypatch.setattr(narrowing, "FAR_FROM_MARGIN", reach)
        model = LinearSVC(loss="hinge").fit(X, y)
        assert model.dual_gap_[0] <= 1e-8 * model.primal_objective_[0]
        assert model.primal_objective_[0] == pytest.approx(whole.primal_objective_[0], rel=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_stored_zeros_make_no_difference(loss, dtype):
    """Dense rows that are mostly zeros have the bits of sparse ones."""
    X, y = text(1_500, 100, 0.05)
    X.data = np.round(X.data, 3).astype(np.float32).astype(np.float64)
    dense = X.toarray().astype(dtype)
    for rows in (dense, np.asfortranarray(dense), np.repeat(dense, 2, axis=0)[::2]):
        given = rows.copy()
        model = LinearSVC(loss=loss).fit(rows, y)
        assert model.coef_.tobytes() == LinearSVC(loss=loss).fit(X, y).coef_.tobytes()
        assert np.array_equal(rows, given)
    assert model.decision_function(dense).dtype == dtype


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
def test_many_columns_take_steps_without_a_matrix(stored, intercept):
    if stored:
        X, y = signed_labels(1_300, 1_000, noise=30.0)
    else:
        X, y = text()
    given = {"C": 0.1 if stored else 1.0, "fit_intercept": intercept}
    model = LinearSVC(**given).fit(X, y)
    assert model.solver_ == "newton"
    assert model.converged_
    value = model.primal_objective_[0]
    assert -1e-10 * value <= model.dual_gap_[0] <= 1e-4 * value
    best = LinearSVC(**given, tol=1e-9).fit(X, y)
    assert best.converged_
    assert best.dual_gap_[0] <= 1e-10 * value
    assert value <= best.primal_objective_[0] * (1 + 1e-4)
    descent = LinearSVC(**given, dual=True, tol=1e-7, max_iter=20_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(descent.coef_, best.coef_, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("stored", [True, False])
def test_where_no_row_has_a_loss_the_step_is_to_zero(stored):
    X, y = text(50, 60, 0.2)
    rows = linear_rows.LinearRows(X if stored else X.toarray(), True, 2.0)
    by = Conjugate(Problem(rows, y, np.ones(50), True), None)
    by.on = np.zeros(50, bool)
    v = np.arange(61.0)
    np.testing.assert_array_equal(by.step(rows.ridge * v, 1.0), -v)


@pytest.mark.parametrize("intercept", [True, False])
def test_chosen_rows_are_those_of_a_copy(intercept):
    X, _ = text(40, 30, 0.2)
    rng = np.random.default_rng(0)
    rows, index = linear_rows.LinearRows(X, intercept, 3.0), np.array([30, 2, 2, 39, 7])
    part, copied = rows.part(index), linear_rows.LinearRows(X[index], intercept, 3.0)
    v, w, some = rng.standard_normal(rows.q), rng.random(5), np.array([4, 0, 1])
    for one, two in ((part, copied), (part.part(some), copied.part(some))):
        w = w[: one.n]
        assert (one.n, one.size, one.pairs) == (two.n, two.size, two.pairs)
        assert np.array_equal(one.product(v), two.product(v))
        assert np.array_equal(one.combined(w), two.combined(w))
        assert np.array_equal(one.turned(v, w), two.turned(v, w))
        assert np.array_equal(one.column_squares(w), two.column_squares(w))
        assert np.array_equal(one.squares(), two.squares())
        assert np.array_equal(one.take([1, 2]), two.take([1, 2]))
    dense = np.column_stack([np.ones(5), X[index].toarray()])[:, 1 - rows.n_intercepts :]
    np.testing.assert_allclose(part.column_squares(np.arange(5.0)), np.arange(5.0) @ dense**2)


def test_many_columns_in_regression():
    X, _ = text()
    rng = np.random.default_rng(1)
    y = X @ rng.standard_normal(X.shape[1]) + 0.1 * rng.standard_normal(X.shape[0])
    weights = np.arange(len(y)) % 3
    given = {"loss": EPSILON[1], "epsilon": 0.05, "tol": 1e-8}
    model = LinearSVR(**given).fit(X, y, sample_weight=weights)
    assert model.solver_ == "newton"
    assert model.dual_gap_ <= 1e-9 * model.primal_objective_
    descent = LinearSVR(**given, dual=True, max_iter=20_000, random_state=0)
    descent.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(descent.coef_, model.coef_, rtol=1e-3, atol=1e-5)


def test_no_worse_than_liblinear_on_text():
    svm = pytest.importorskip("sklearn.svm")
    X, y = text(2_000, 700)
    X = sparse.csr_matrix(X)
    peer = svm.LinearSVC(dual=False).fit(X, y)
    w = np.append(peer.coef_[0], peer.intercept_[0])
    value = twin.primal(w, twin.with_constant(X.toarray()), y, np.ones(2_000), True)
    assert LinearSVC().fit(X, y).primal_objective_[0] <= value


@pytest.mark.parametrize("case", ["hinge", "sparse hinge", "text", "text hinge", "several"])
def test_any_number_of_threads_gives_the_same_bits(case):
    loss = "squared_hinge" if case == "text" else "hinge"
    if case.startswith("text"):
        X, y = text(6_000, 1_500)
    elif case == "sparse hinge":
        X, y = text(20_000, 80, 0.1)
    else:
        X, y = signed_labels(20_000, 8, noise=2.0)
    if case == "several":
        y = y + 3 * (X[:, 0] > 0)
    model = LinearSVC(loss=loss, random_state=0)
    found = {model.set_params(n_jobs=jobs).fit(X, y).coef_.tobytes() for jobs in (1, 2, 7)}
    assert len(found) == 1


@pytest.mark.parametrize("case", ["hinge", "squared_hinge", "text", "descent", "several"])
def test_a_signal_ends_a_fit(case, monkeypatch):
    """Ctrl-C between any two kernel calls, in whichever thread."""
    X, y = text(6_000, 1_500) if case == "text" else signed_labels(20_000, 30, noise=2.0)
    if case == "several":
        y = y + 3 * (X[:, 0] > 0)
    loss = "squared_hinge" if case in ("squared_hinge", "text") else "hinge"
    model = LinearSVC(loss=loss, dual=True if case == "descent" else "auto", tol=1e-9)
    module = dual_descent if case == "descent" else linear_rows
    calls, check = [], module.checkpoint

    def checkpoint():
        calls.append(1)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        check()

    with monkeypatch.context() as patch:
        patch.setattr(module, "checkpoint", checkpoint)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    assert not hasattr(model, "coef_")
    assert LinearSVC(random_state=0).fit(X, y).score(X, y) > 0.5
