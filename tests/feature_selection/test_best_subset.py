# SPDX-License-Identifier: BSD-3-Clause
"""Best subsets are those of trying all of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import random_array

import statfast as sf
from statfast.feature_selection import best_subset


def squares_left(X, y, columns, weights, intercept):
    root = np.sqrt(weights)
    table = np.column_stack([np.ones((len(X), int(intercept))), X[:, list(columns)]])
    b = np.linalg.lstsq(table * root[:, None], y * root, rcond=None)[0]
    return float(weights @ (y - table @ b) ** 2)


@given(
    seed=st.integers(0, 10**6), d=st.integers(2, 7), n_best=st.integers(1, 3),
    intercept=st.booleans(), weighted=st.booleans(), offset=st.sampled_from([0.0, 100.0]),
)  # fmt: skip
def test_sets_are_the_best_of_all(seed, d, n_best, intercept, weighted, offset):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, d)) @ rng.normal(size=(d, d)) + offset
    y = X[:, 0] + rng.normal(size=30)
    weights = rng.integers(0, 3, 30).astype(float) if weighted else np.ones(30)
    result = best_subset(
        X, y, weights if weighted else None, n_best=n_best, fit_intercept=intercept
    )
    assert result.sizes[0] == 0
    for size in range(1, d + 1):
        every = sorted(
            (squares_left(X, y, columns, weights, intercept), columns)
            for columns in combinations(range(d), size)
        )
        places = np.flatnonzero(result.sizes == size)
        assert len(places) == min(n_best, len(every))
        for place, (rss, columns) in zip(places, every, strict=False):
            np.testing.assert_allclose(result.rss[place], rss, rtol=1e-8)
            assert tuple(result.sets[place]) == columns


def test_criteria_are_those_of_the_fits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5))
    y = X[:, 2] - X[:, 4] + rng.normal(size=60)
    result = best_subset(X, y)
    whole = sf.LinearRegression().fit(X, y)
    for size, columns in enumerate(result.sets):
        assert len(columns) == size
        if not size:
            continue
        fit = sf.LinearRegression().fit(X[:, columns], y)
        np.testing.assert_allclose(result.r_squared[size], fit.r_squared_)
        np.testing.assert_allclose(result.adjusted_r_squared[size], fit.adjusted_r_squared_)
        cp = fit.rss_ / whole.sigma_**2 - 60 + 2 * (size + 1)
        np.testing.assert_allclose(result.cp[size], cp, atol=1e-9)
        bic = 60 * np.log(fit.rss_ / 60) + np.log(60) * (size + 1)
        np.testing.assert_allclose(result.bic[size], bic)
        np.testing.assert_allclose(result.aic[size] - result.bic[size],
                                   (2 - np.log(60)) * (size + 1))  # fmt: skip
    assert result.choose("bic").tolist() == [2, 4]
    assert result.choose("cp").tolist() == result.sets[np.argmin(result.cp)].tolist()
    best = result.adjusted_r_squared.argmax()
    assert result.choose("adjusted_r_squared").tolist() == result.sets[best].tolist()
    assert "2: x2, x4" in str(result)
    assert len(result.to_frame()) == 6


def test_scores_are_of_searches_in_the_rows_of_each_fold():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 5))
    y = X[:, 1] + 0.3 * X[:, 3] + rng.normal(size=50)
    weights, folds = rng.integers(1, 3, 50).astype(float), sf.KFold(5)
    sizes = best_subset(X, y, weights, cv=folds).size_scores
    for k, (train, test) in enumerate(folds.split(X)):
        inside = best_subset(X[train], y[train], weights[train])
        for size, columns in enumerate(inside.sets[1:]):
            model = sf.LinearRegression().fit(X[train][:, columns], y[train], weights[train])
            score = model.score(X[test][:, columns], y[test], weights[test])
            np.testing.assert_allclose(sizes.scores[size, k], score, rtol=1e-9, atol=1e-10)


def test_forty_columns_hold_the_best_sets_of_a_search_among_those_that_matter():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 40))
    y = 2.0 * X[:, :8].sum(axis=1) + rng.normal(size=300)
    result = best_subset(X, y, max_features=9)
    few = best_subset(X[:, :8], y)
    for size in range(1, 9):
        assert result.columns(size).tolist() == few.columns(size).tolist()
    assert result.n_nodes > 0


def test_threads_change_no_bit(monkeypatch):
    """Of rows that are read by several threads, with sets that are nearly as good as each other."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40_000, 12)) + 2.0 * rng.standard_normal((40_000, 1))
    y = X[:, :4].sum(axis=1) + 8.0 * rng.standard_normal(40_000)
    results = []
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("STATFAST_NUM_THREADS", threads)
        results.append(best_subset(X, y, n_best=3, cv=4))
    first, *others = results
    for result in others:
        assert [list(columns) for columns in result.sets] == [list(c) for c in first.sets]
        assert_array_equal(result.rss, first.rss)
        assert_array_equal(result.size_scores.scores, first.size_scores.scores)


def test_columns_that_depend_on_others_are_in_no_set():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(40, 7.0), X[:, 2]])
    result = best_subset(X, X[:, 0] + rng.normal(size=40))
    assert result.sizes.max() == 3
    assert set(np.concatenate(result.sets)) == {0, 1, 2}
    one = best_subset(np.column_stack([np.ones(40), X[:, 0]]), X[:, 1])
    assert [columns.tolist() for columns in one.sets] == [[], [1]]
    none = best_subset(np.ones((10, 2)), np.arange(10.0))
    assert [columns.tolist() for columns in none.sets] == [[]]


def test_order_of_columns_weights_and_types():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 6))
    y = X[:, 2] - X[:, 4] + rng.normal(size=60)
    base = best_subset(X, y)
    order = rng.permutation(6)
    for size, columns in enumerate(best_subset(X[:, order], y).sets):
        assert sorted(order[columns]) == base.sets[size].tolist()
    twice = best_subset(np.vstack([X, X]), np.append(y, y))
    weighted = best_subset(X, y, np.full(60, 2.0))
    np.testing.assert_allclose(twice.bic, weighted.bic)
    single = best_subset(np.asfortranarray(X.astype(np.float32)), y)
    assert all((a == b).all() for a, b in zip(single.sets, base.sets, strict=True))


def test_what_is_refused():
    X, y = np.random.default_rng(0).normal(size=(100, 70)), np.arange(100.0)
    with pytest.raises(ValueError, match="at most 64 independent columns"):
        best_subset(X, y)
    with pytest.raises(ValueError, match="y must be one target"):
        best_subset(X[:, :3], X[:, :2])
    with pytest.raises(ValueError, match="max_features must be"):
        best_subset(X[:, :3], y, max_features=4)
    wide = random_array((3000, 1500), density=0.01, rng=0)
    with pytest.raises(TypeError, match="X must be dense"):
        best_subset(wide, np.zeros(3000))
    with pytest.raises(ValueError, match="NaN"):
        best_subset(np.full((9, 2), np.nan), np.arange(9.0))
    result = best_subset(X[:, :3], y)
    with pytest.raises(ValueError, match="needs scores on rows held out"):
        result.choose("1se")
    with pytest.raises(ValueError, match="size and rank must name"):
        result.columns(2, rank=1)
