# SPDX-License-Identifier: BSD-3-Clause
"""Targets that are far from 0 and near each other: nothing of their differences is lost."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import statfast as sf


def deviance_left(y, w, left):
    """What a split leaves of half the Poisson deviance, but for a constant, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        total = Decimal(0)
        for side in (left, ~left):
            sums = [Decimal(float(v)) for v in w[side]], [Decimal(float(v)) for v in y[side]]
            mass = sum(sums[0])
            mean = sum(a * b for a, b in zip(*sums, strict=True)) / mass
            total -= mass * mean * mean.ln() if mean else 0
        return total


@pytest.mark.parametrize("least", [0.0, 1.0, 1e7, 1e12])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_far_from_zero_are_parted_where_the_deviance_is_least(least, weighted):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 24
        X = np.arange(float(n))[:, None]
        y = least + rng.poisson(2, n) * 1.0
        w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
        tree = sf.DecisionTreeRegressor(criterion="poisson", max_depth=1)
        at = tree.fit(X, y, w if weighted else None).tree_.threshold[0]
        cuts = X[:-1, 0] + 0.5
        left = [deviance_left(y, w, X[:, 0] <= cut) for cut in cuts]
        allowed = [y[X[:, 0] <= cut].sum() > 0 < y[X[:, 0] > cut].sum() for cut in cuts]
        assert at == min(zip(left, cuts, allowed, strict=True), key=lambda z: (not z[2], z[0]))[1]


def test_a_step_of_one_among_ten_million():
    rng = np.random.default_rng(0)
    X = np.arange(30.0)[:, None]
    y = 1e7 + (X[:, 0] > 22.5) + 0.01 * rng.normal(size=30)
    for criterion in ("squared_error", "friedman_mse", "absolute_error", "poisson"):
        tree = sf.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X, y)
        assert tree.tree_.threshold[0] == 22.5
        forest = sf.RandomForestRegressor(1, criterion=criterion, max_depth=1, bootstrap=False)
        assert forest.fit(X, y).estimators_[0].tree_.threshold[0] == 22.5


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_lie_between_the_extremes_of_their_leaf(criterion, weighted):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 400))
        X = rng.integers(0, 3, (n, 1)).astype(float)
        y = 1e15 + rng.integers(0, 3, n) / 8
        w = rng.uniform(0.1, 2, n) if weighted else None
        said = sf.DecisionTreeRegressor(criterion=criterion).fit(X, y, w).predict(X)
        for value in np.unique(X):
            own = y[X[:, 0] == value]
            assert own.min() <= said[X[:, 0] == value][0] <= own.max()


def test_the_mean_is_that_of_the_differences():
    rng = np.random.default_rng(1)
    small = rng.integers(0, 8, 1000) / 8
    tree = sf.DecisionTreeRegressor().fit(np.zeros((1000, 1)), 2.0**49 + small)
    assert abs(tree.predict([[0.0]])[0] - 2.0**49 - small.mean()) <= 2.0**-4  # half a unit


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_means_far_from_zero(sign):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = 1e15 + rng.integers(0, 8, 200) / 8
    tree = sf.DecisionTreeRegressor(monotonic_cst=[sign, 0]).fit(X, y)
    line = np.column_stack([np.linspace(-3, 3, 200), np.zeros(200)])
    said = tree.predict(line)
    assert (sign * np.diff(said) >= 0).all()
    assert y.min() <= said.min() <= said.max() <= y.max()


def test_the_impurity_of_counts_far_from_zero():
    y = 1e9 + np.arange(5.0)
    tree = sf.DecisionTreeRegressor(criterion="poisson").fit(np.zeros((5, 1)), y).tree_
    # y log(y / m) summed is ((y - m)^2 / 2 m) summed, up to a part in 1e9.
    np.testing.assert_allclose(tree.impurity[0], 2.0 / 2 / (1e9 + 2), rtol=1e-8)


@pytest.mark.parametrize("kind", [sf.RandomForestRegressor, sf.ExtraTreesRegressor])
def test_means_of_trees_lie_between_the_extremes(kind):
    X, far = np.arange(6.0)[:, None], 1e15 + np.arange(8) / 8
    for value in far:  # a sum of many rounds to more than their differences
        np.testing.assert_array_equal(kind(30).fit(X, np.full(6, value)).predict(X), value)
    y = np.column_stack([far[[3, 3, 4, 4, 3, 4]], far[[6, 7, 6, 7, 6, 7]]])
    said = kind(30, random_state=0).fit(X, y).predict(X)
    assert (said >= y.min(axis=0)).all()
    assert (said <= y.max(axis=0)).all()
