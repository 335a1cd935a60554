# SPDX-License-Identifier: BSD-3-Clause
"""Separation: found when it is there, named, and not looked for in ordinary fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._validation.errors import SeparationWarning
from statfast.datasets import load_iris
from statfast.linear import GeneralizedLinearModel, LogisticRegression
from statfast.linear.glm import separation as module
from statfast.linear.glm.separation import find_separation, maximum_exists, warn_separated
from statfast.linear.logistic.multinomial import fit_multinomial


def separation(X, y, weights=None):
    X = np.ascontiguousarray(X, dtype=float)
    return fit_multinomial(X, np.asarray(y), weights, int(np.max(y)) + 1).separation()


def test_ordinary_fits_solve_no_program(monkeypatch):
    monkeypatch.setattr(module, "find_separation", None)
    data = load_iris()
    rows = data.target > 0
    assert separation(data.data[rows], data.target[rows] - 1) is None
    assert separation(data.data[:, [0]], data.target) is None


def test_complete():
    x = np.arange(10.0)
    answer = separation(np.column_stack([x, np.cos(7 * x)]), (x > 4).astype(int))
    assert answer.complete
    assert 1 in answer.columns


def test_quasi_complete_by_one_column():
    # All rows with the mark are of class 1; the other column tells nothing for certain.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.random(200) < 0.1])
    y = np.where(X[:, 1] == 1, 1, rng.integers(0, 2, 200))
    answer = separation(X, y)
    assert not answer.complete
    assert answer.columns.tolist() == [2]


def test_iris_has_no_estimates():
    data = load_iris()
    answer = separation(data.data[:, :2], data.target)
    assert answer is not None
    assert not answer.complete


def test_separated_only_by_rows_of_weight_zero():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    y = np.array([0, 1, 0, 1, 1, 1])
    assert separation(x[:, None], y) is None
    answer = separation(x[:, None], y, np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0]))
    assert answer.complete


def test_touching_is_quasi_complete():
    answer = separation([[0.0], [1.0], [2.0], [2.0], [3.0]], [0, 0, 0, 1, 1])
    assert answer is not None
    assert not answer.complete


@given(
    n=st.integers(4, 14),
    d=st.integers(1, 3),
    n_classes=st.integers(2, 3),
    seed=st.integers(0, 2**32),
)
def test_like_a_whole_program(n, d, n_classes, seed):
    """Small whole numbers, among which all kinds of separation are common."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)) / 2.0
    codes = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    Z = np.column_stack([np.ones(n), X])
    rows = []
    for i in range(n):
        for k in set(range(n_classes)) - {int(codes[i])}:
            row = np.zeros((n_classes, d + 1))
            row[codes[i]], row[k] = Z[i], -Z[i]
            rows.append(row[1:].ravel())
    rows = np.array(rows)
    whole = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    strict = linprog(
        np.append(np.zeros(rows.shape[1]), -1.0), A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)), bounds=(-1, 1),
    )  # fmt: skip
    answer = find_separation(lambda where: Z[where], codes, n_classes)
    assert (answer is not None) == (-whole.fun > 1e-6)
    if answer is not None:
        assert answer.complete == (-strict.fun > 1e-6)
        margins = rows @ answer.direction[1:].ravel()
        assert margins.min() > -1e-8
        assert margins.max() > 1e-6


def test_many_rows_take_part_of_the_program(monkeypatch):
    monkeypatch.setattr(module, "CONSTRAINTS_AT_FIRST", 4)
    rng = np.random.default_rng(3)
    Z = np.column_stack([np.ones(3000), rng.uniform(-1, 1, (3000, 3))])
    codes = (Z[:, 1] + Z[:, 2] > 0.3).astype(np.intp)
    answer = find_separation(lambda where: Z[where], codes, 2)
    assert answer.complete
    codes[0] = 1 - codes[0]
    assert find_separation(lambda where: Z[where], codes, 2) is None


def test_the_warning_names_the_columns():
    answer = separation(np.arange(8.0)[:, None], [0] * 4 + [1] * 4)
    with pytest.warns(SeparationWarning, match="completely separated by the intercept, dose: the"):
        warn_separated(answer, ["the intercept", "dose"], "The classes are")


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
@pytest.mark.parametrize("family", ["binomial", "quasibinomial"])
def test_generalized_linear_models_name_the_columns_and_firths_method(family, link):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.random(200) < 0.1])
    y = np.where(X[:, 1] == 1, 1.0, rng.integers(0, 2, 200))
    model = GeneralizedLinearModel(family, link)
    words = "failures are quasi-completely separated by x1: .*Firth's method, whose estimates are"
    with pytest.warns(SeparationWarning, match=words):
        model.fit(X, y)
    with pytest.warns(SeparationWarning, match="quasi-completely separated by x1:"):
        model.fit(X, y, offset=rng.normal(size=200))
    # Shares are of both kinds: a row of the group that has failures, too, ends the separation.
    trials = np.full(200, 10.0)
    y[np.flatnonzero(X[:, 1])[0]] = 0.9
    assert model.fit(X, y, trials).converged_
    y[:] = np.where(X[:, 1] == 1, 1.0, 0.3)
    with pytest.warns(SeparationWarning, match="quasi-completely separated by x1:"):
        model.fit(X, y, trials)


def test_rows_of_weight_zero_and_offsets_change_no_separation():
    x, y = np.arange(10.0)[:, None], (np.arange(10) > 4).astype(float)
    weights = np.ones(10)
    y[0], weights[0] = 1.0, 0.0
    with pytest.warns(SeparationWarning, match="completely separated by"):
        GeneralizedLinearModel("binomial").fit(x, y, weights)
    with pytest.warns(SeparationWarning, match="The classes are completely separated by"):
        LogisticRegression().fit(x, y, weights, offset=np.sin(x[:, 0]))


def test_responses_of_one_kind_are_not_called_separated():
    with pytest.warns(UserWarning, match="at an end of their range"):
        GeneralizedLinearModel("binomial").fit(np.arange(10.0)[:, None], np.ones(10))


@pytest.mark.parametrize("seed", range(6))
def test_a_small_decrement_tells_that_the_maximum_exists(seed):
    """Of self-concordance: the decrement times the most that a difference of two scores varies."""
    rng = np.random.default_rng(seed)
    k, q = 3, 2
    A = rng.normal(size=(k * q, k * q))
    covariance, scores = A @ A.T, np.vstack([np.zeros(k), np.eye(k)])
    apart = [np.kron(a - b, np.eye(q)) for a in scores for b in scores]
    reach = max(np.abs(D @ covariance @ D.T).sum() for D in apart)
    g = rng.normal(size=k * q)
    g *= 0.5 / np.sqrt(reach * (g @ covariance @ g))
    inverse = covariance.reshape(k, q, k, q)
    assert maximum_exists((0.99 * g).reshape(k, q), inverse, 1.0)
    assert not maximum_exists((1.01 * g).reshape(k, q), inverse, 1.0)


def test_one_class_apart_from_the_rest_is_named():
    x = np.arange(60.0)
    X = np.column_stack([x, np.cos(7 * x)])
    codes = np.where(x > 40, 2, x.astype(int) % 2)
    with pytest.warns(SeparationWarning) as caught:
        LogisticRegression(multi_class="ovr").fit(X, codes)
    assert [str(w.message).split(" are ")[0] for w in caught] == ["Class 2 and the rest"]


def partly_separated(n=400, q=30, k=3):
    """Rows of which those with a mark are of one class, and all others of any."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, q))
    X[:, -1] = rng.random(n) < 0.1
    y = rng.integers(0, k, n)
    y[X[:, -1] == 1] = 0
    return X, y


@pytest.mark.parametrize("limit", ["MAX_NUMBERS_OF_STEPS", "MAX_NUMBERS_OF_PROGRAM"])
@pytest.mark.parametrize("k", [2, 3])
def test_work_is_bounded_and_what_is_not_decided_is_told(limit, k, monkeypatch):
    X, y = partly_separated(k=k)
    with pytest.warns(SeparationWarning, match="quasi-completely separated by x29"):
        LogisticRegression().fit(X, y)
    monkeypatch.setattr(
        module, limit, {"MAX_NUMBERS_OF_STEPS": 1e5, "MAX_NUMBERS_OF_PROGRAM": 1000}[limit]
    )
    with pytest.warns(UserWarning, match="completely or in part"):
        LogisticRegression().fit(X, y)
    if k == 3:
        with pytest.raises(module.Undecided):
            separation(X, y)


def test_whether_separation_is_complete_may_be_left_open(monkeypatch):
    X, y = partly_separated()
    plain, calls = module._Margins.solve, []

    def solve(self, chosen, strict):
        calls.append(strict)
        if strict:
            raise module.Undecided
        return plain(self, chosen, strict)

    monkeypatch.setattr(module._Margins, "solve", solve)
    assert separation(X, y).complete is None
    assert calls == [False, True]
    with pytest.warns(SeparationWarning, match="are completely or in part separated by x29"):
        LogisticRegression().fit(X, y)
