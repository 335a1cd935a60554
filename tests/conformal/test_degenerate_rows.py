# SPDX-License-Identifier: BSD-3-Clause
"""Intervals and sets of rows with ties, copies, constant columns, weights and groups."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import statfast as sf
from statfast.conformal import ConformalClassifier, ConformalRegressor
from tests.reference.conformal import bound

REGRESSORS = {
    "line": sf.LinearRegression(),
    "ridge": sf.Ridge(0.5),
    "kernel": sf.KernelRidge(0.5, kernel="rbf", gamma=0.2),
    "neighbors": sf.KNeighborsRegressor(2),
}


@st.composite
def problems(draw):
    """Rows with weights or None, groups or None, and new rows with groups."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, d, m = draw(st.integers(6, 24)), draw(st.integers(1, 3)), 5
    X, new = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    if draw(st.booleans()):
        X, new = np.round(X), np.round(new)
    y = X[:, 0] + rng.normal(size=n)
    if draw(st.booleans()):
        y = np.round(y)
    for kind in draw(st.lists(st.sampled_from(["constant", "copy", "rows", "same"]), max_size=2)):
        if kind in ("constant", "copy"):
            places = [np.full(len(rows), 3.0) if kind == "constant" else rows[:, 0]
                      for rows in (X, new)]  # fmt: skip
            X, new = (np.column_stack(pair) for pair in zip((X, new), places, strict=True))
        elif kind == "rows":
            half = n // 2
            X[half : 2 * half], y[half : 2 * half] = X[:half], y[:half]
        else:
            y[:] = 1.5
    weights = draw(st.sampled_from([None, "whole", "any"]))
    if weights is not None:
        weights = rng.integers(0, 3, n).astype(float) if weights == "whole" else rng.random(n) + 0.1
        weights[:4] += 1.0
    groups = of_new = None
    if draw(st.booleans()):
        groups, of_new = rng.integers(0, 2, n), rng.integers(0, 3, m)
    return X, y, weights, groups, new, of_new


@given(
    problem=problems(), name=st.sampled_from(list(REGRESSORS)),
    method=st.sampled_from(["jackknife+", "cv+", "split"]),
    level=st.sampled_from([0.3, 0.5, 0.75, 0.9]),
)  # fmt: skip
def test_intervals_are_those_of_refits(problem, name, method, level):
    X, y, weights, groups, new, of_new = problem
    n, estimator = len(y), REGRESSORS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ConformalRegressor(
            estimator, method=method, cv=sf.KFold(3) if method == "cv+" else None, level=level,
            random_state=0,
        ).fit(X, y, weights, categories=groups)  # fmt: skip
        means, ends = model.predict(new, interval="conformal", categories=of_new)
        used = np.arange(n) if weights is None else np.flatnonzero(weights)
        shares = np.ones(n) if weights is None else weights
        if method == "split":
            tests = [used[split_of(len(used))]]
        else:
            tests = [[i] for i in used] if method == "jackknife+" else [
                np.intersect1d(test, used) for _, test in sf.KFold(3).split(X)
            ]  # fmt: skip
        rows, low, high = [], [], []
        for test in tests:
            if len(test) == 0:
                continue
            train = np.setdiff1d(used, test)
            fit = deepcopy(estimator)
            more = () if name == "neighbors" else (shares[train],)
            if weights is None:
                more = ()
            fit.fit(X[train], y[train], *more)
            for i in test:
                error = abs(y[i] - fit.predict(X[i : i + 1])[0])
                at_new = fit.predict(new)
                rows.append(i)
                low.append(at_new - error)
                high.append(at_new + error)
    rows, low, high = np.array(rows), np.array(low), np.array(high)
    for j in range(len(new)):
        mine = slice(None) if groups is None else groups[rows] == of_new[j]
        of_rows = shares[rows][mine]
        expected = -bound(-low[mine, j], level, of_rows), bound(high[mine, j], level, of_rows)
        assert_allclose(ends[j], expected, rtol=1e-6, atol=1e-8)
    assert means.shape == (len(new),)


def split_of(n):
    """The places that a split of 0 holds out, as documented: the first of a drawn order."""
    order = np.random.default_rng(0).permutation(n)
    return np.sort(order[: min(int(np.ceil(0.25 * n)), n - 1)])


@given(
    problem=problems(), method=st.sampled_from(["split", "cv+"]), by_class=st.booleans(),
    score=st.sampled_from(["lac", "aps", "raps"]), level=st.sampled_from([0.3, 0.6, 0.9]),
)  # fmt: skip
def test_sets_are_those_of_the_scores(problem, method, by_class, score, level):
    X, y, weights, groups, new, of_new = problem
    X = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)
    labels = np.array(["b", "a"])[(np.arange(len(y)) % 2)]
    labels[:4] = ["a", "b", "a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ConformalClassifier(
            sf.LogisticRegression(C=1.0), method=method, conformity_score=score, level=level,
            by_class=by_class, randomized=False, random_state=0,
            cv=sf.StratifiedKFold(2) if method == "cv+" else None,
        )  # fmt: skip
        try:
            model.fit(X, labels, weights, categories=groups)
        except ValueError:  # The rows that are fitted have one class.
            reject()
        sets = model.predict_set(new, categories=of_new)
    held, folds = model._held_rows, model._models
    shares = np.ones(len(held.scores)) if held.weights is None else held.weights
    of_new_rows = [model._rule.of_all(fold.answers(new, "predict_proba")) for fold in folds]
    for j in range(len(new)):
        for c in range(2):
            mine = np.ones(len(held.scores), bool) if groups is None else (
                held.categories == of_new[j]
            )  # fmt: skip
            if by_class:
                mine &= held.codes == c
            below = sum(
                shares[i] for i in np.flatnonzero(mine)
                if held.scores[i] < of_new_rows[held.fit_of_row[i]][j, c] - 2e-12
            )  # fmt: skip
            need = level * (shares[mine].sum() + 1.0)
            if abs(below - need) > 1e-9:
                assert sets[j, c] == (below < need)


@pytest.mark.parametrize("method", ["split", "cv+", "jackknife+", "full"])
def test_too_few_rows_are_told_with_their_number(method):
    X, y = np.arange(8.0)[:, None], np.arange(8.0) % 3
    model = ConformalRegressor(method=method, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="level=0.99"):
        ends = model.predict([[1.0]], interval="conformal", level=0.99)[1]
    assert np.isneginf(ends[:, 0]).all()
    assert np.isposinf(ends[:, 1]).all()
