# SPDX-License-Identifier: BSD-3-Clause
"""Merged statistics of folds: those of all rows but each fold's, as a fit on these rows has them.

A fit from them has the digits that the rows' condition leaves, however far away a row lies that
another fold holds.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast
from statfast import (
    PCA,
    ElasticNet,
    Lasso,
    LeastSquaresClassifier,
    LinearRegression,
    MultiTaskElasticNet,
    MultiTaskLasso,
    NearestCentroid,
    Ridge,
    RidgeClassifier,
)
from statfast._estimator import (
    Classifier,
    SumFit,
    copied,
    runs,
    stratified_runs,
    summed,
    sums_of,
    without_each,
)
from statfast.feature_selection import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
)
from statfast.generative import LinearDiscriminantAnalysis


def count(columns, state):
    """Statistics of which each row is seen: a set of their numbers."""
    return Seen(tuple(np.asarray(columns[1]).tolist()))


class Seen:
    def __init__(self, rows):
        self.rows = rows

    def __add__(self, other):
        return Seen(self.rows + other.rows)


@given(st.integers(2, 700), st.integers(1, 9), st.booleans(), st.integers(0, 2**32))
def test_each_row_counts_once(n, k, shuffle, seed):
    k = min(k, n)
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n)
    parts = [np.sort(order[part]) for part in runs(n, k)]
    columns = np.zeros((n, 3)), np.arange(n), None
    sums = sums_of(count, columns, None, parts)
    assert [sorted(s.rows) for s in sums] == [part.tolist() for part in parts]
    for part, others in zip(parts, without_each(sums), strict=True):
        rest = np.setdiff1d(np.arange(n), part).tolist()
        assert (others is None and k == 1) or sorted(others.rows) == rest
    assert summed(count, columns, None).rows == tuple(range(n))


def test_sparse_rows_are_summed_in_blocks():
    X = sparse.random_array(
        (1000, 4), density=0.5, format="csr", random_state=np.random.default_rng(0)
    )

    def total(columns, state):
        return columns[0].sum(axis=0) * state

    np.testing.assert_allclose(summed(total, (X, None), 2.0), 2.0 * X.sum(axis=0))
    parts = [np.arange(0, 1000, 2), np.arange(1, 1000, 2)]
    for part, found in zip(parts, sums_of(total, (X, None), 1.0, parts), strict=True):
        np.testing.assert_allclose(found, X[part].sum(axis=0))


@pytest.mark.parametrize("far", [0.0, 1e9])
def test_an_outlier_takes_no_digits_of_other_folds(far):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 4)), rng.integers(0, 3, 300)
    X[7] += far
    parts = stratified_runs(y, 5)
    model = LinearDiscriminantAnalysis()
    columns, state = model._prepare(X, y, None)
    for part, rest in zip(
        parts, without_each(sums_of(model._statistics, columns, state, parts)), strict=True
    ):
        if far and 7 not in part:
            continue  # the outlier is among the rows fitted
        train = np.setdiff1d(np.arange(300), part)
        merged = LinearDiscriminantAnalysis()._solve(rest, state)
        alone = LinearDiscriminantAnalysis().fit(X[train], y[train])
        np.testing.assert_allclose(merged.coef_, alone.coef_, rtol=1e-11)
        np.testing.assert_allclose(merged.intercept_, alone.intercept_, rtol=1e-11)


def test_a_class_that_no_row_has_is_left_out():
    X = np.array([[0.0], [1.0], [3.0], [4.0], [9.0]])
    y = np.array(["a", "a", "b", "b", "c"])
    model = LinearDiscriminantAnalysis()
    columns, state = model._prepare(X, y, None)
    rest = list(
        without_each(sums_of(model._statistics, columns, state, [*np.split(np.arange(5), [4])]))
    )
    model._solve(rest[1], state)
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(model.coef_, model.fit(X[:4], y[:4]).coef_)
    with pytest.raises(ValueError, match="got one class, 'c'"):
        LinearDiscriminantAnalysis()._solve(rest[0], state)


# ------------------------------------------------------------------ better ways of one matrix
LOCAL = [
    PCA(),
    PCA(2, correlation=True),
    PCA(svd_solver="randomized"),
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    LinearRegression(positive=True),
    Ridge(0.5),
    Ridge(0.5, fit_intercept=False),
    Ridge(0.5, positive=True),
    ElasticNet(0.05, tol=1e-14),
    Lasso(0.05, tol=1e-14, standardize=True),
    MultiTaskElasticNet(0.05, tol=1e-14),
    MultiTaskLasso(0.05, tol=1e-14, fit_intercept=False),
    LeastSquaresClassifier(),
    NearestCentroid(shrink_threshold=0.5),
    RidgeClassifier(),
    SelectKBest(k=2),
    SelectPercentile(),
    SelectFpr(),
    SelectFdr(),
    SelectFwe(),
    GenericUnivariateSelect(),
]
NOT_OF_THE_ANSWER = {"dual_gap_", "n_iter_", "condition_number_"}


def with_a_better_way():
    """Classes of which one matrix is not fitted by the sum of its blocks."""
    public = (getattr(statfast, name) for name in statfast.__all__)
    kinds = {kind for kind in public if isinstance(kind, type) and issubclass(kind, SumFit)}
    return {kind for kind in kinds if kind._fit_local is not SumFit._fit_local}


def test_all_classes_with_a_better_way_are_compared():
    assert {type(model) for model in LOCAL} == with_a_better_way()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", LOCAL, ids=str)
def test_a_better_way_has_the_answer_of_the_sum(model, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 5)) @ rng.standard_normal((5, 5)) + rng.normal(0.0, 9.0, 5)
    y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + rng.standard_normal(3000)
    if isinstance(model, Classifier) or hasattr(model, "score_func"):
        y = np.digitize(y, [-5.0, 5.0])
    w = rng.integers(0, 3, 3000).astype(float) if weighted else None
    better = copied(model).fit(X, y, sample_weight=w)
    monkeypatch.setattr(type(model), "_fit_local", SumFit._fit_local)
    totals, total = [], type(model)._total
    monkeypatch.setattr(
        type(model),
        "_total",
        lambda self, *given: totals.append(total(self, *given)) or totals[0],
    )
    summed_up = copied(model).fit(X, y, sample_weight=w)
    assert len(totals) == 1
    compared = 0
    for name in better._fitted:
        known, found = getattr(better, name), getattr(summed_up, name)
        if name.endswith("_") and name not in NOT_OF_THE_ANSWER and not isinstance(known, list):
            if known is None or isinstance(known, str):
                assert known == found, name
            else:
                np.testing.assert_allclose(found, known, 1e-9, 1e-11, err_msg=name)
                compared += 1
    assert compared >= 2
