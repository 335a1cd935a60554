# SPDX-License-Identifier: BSD-3-Clause
"""k-means with bounds on sizes: each assignment against scipy's solvers, prices, messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog
from statfast._core.kmeans.sized import SizedAssignment

from statfast import KMeans, KMeansConstrained


def flow(cost, low, high, paths=5):
    """Labels and prices of the least assignment, by the kernel, a few paths at a time."""
    n, k = cost.shape
    labels, price = cost.argmin(axis=1).astype(np.int32), np.empty(k + 1)
    kernel = SizedAssignment(
        cost, labels, price, np.empty(k + 1), np.empty(k + 1, np.intp), np.empty(k + 1, np.intp),
        np.empty(k, np.intp), np.empty(k + 1, np.int8), low, high,
    )  # fmt: skip
    if not kernel.begin():
        for first in range(0, n, 7):
            kernel.fill(first, min(first + 7, n))
        while not kernel.advance(paths):
            pass
    return labels, price[-1] - price[:-1]


def least_cost(cost, low, high):
    """The least cost by linear programming."""
    n, k = cost.shape
    row = np.kron(np.eye(n), np.ones(k))
    column = np.kron(np.ones(n), np.eye(k))
    found = linprog(
        cost.ravel(), A_eq=row, b_eq=np.ones(n), A_ub=np.vstack([column, -column]),
        b_ub=np.r_[np.full(k, high), np.full(k, -low)],
    )  # fmt: skip
    return found.fun


@given(seed=st.integers(0, 10**6), whole=st.booleans())
def test_the_flow_is_the_least_and_its_prices_prove_it(seed, whole):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 25)), int(rng.integers(1, 6))
    cost = rng.integers(0, 5, (n, k)) * 1.0 if whole else rng.exponential(size=(n, k)) ** 3
    low, high = int(rng.integers(0, n // k + 1)), int(rng.integers(-(-n // k), n + 1))
    labels, prices = flow(cost, low, high)
    sizes = np.bincount(labels, minlength=k)
    assert low <= sizes.min()
    assert sizes.max() <= high
    total = cost[np.arange(n), labels].sum()
    np.testing.assert_allclose(total, least_cost(cost, low, high), rtol=1e-7, atol=1e-9)
    bound = (cost + prices).min(axis=1).sum() - np.where(prices > 0, high, low) @ prices
    np.testing.assert_allclose(total, bound, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(prices[(sizes > low) & (sizes < high)], 0.0, atol=1e-9)


@given(seed=st.integers(0, 10**6))
def test_equal_sizes_are_an_assignment_problem(seed):
    rng = np.random.default_rng(seed)
    size, k = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    cost = rng.exponential(size=(size * k, k))
    labels, _ = flow(cost, size, size)
    rows, columns = linear_sum_assignment(np.repeat(cost, size, axis=1))
    best = np.repeat(cost, size, axis=1)[rows, columns].sum()
    np.testing.assert_allclose(cost[np.arange(size * k), labels].sum(), best, rtol=1e-12)


@pytest.mark.parametrize(
    ("low", "high"), [(40, None), (None, 70), (60, 60), (50, 65), (None, None)]
)
def test_a_fit_ends_at_means_and_the_least_assignment(low, high):
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[:200] += 2.0
    model = KMeansConstrained(5, size_min=low, size_max=high, random_state=1, tol=0).fit(X)
    sizes = np.bincount(model.labels_, minlength=5)
    assert (low or 1) <= sizes.min()
    assert sizes.max() <= (high or 300)
    means = [X[model.labels_ == c].mean(axis=0) for c in range(5)]
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-12)
    cost = ((X[:, None] - model.cluster_centers_[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.inertia_, cost[np.arange(300), model.labels_].sum())
    np.testing.assert_allclose(model.inertia_, model.lower_bound_, rtol=1e-11)
    np.testing.assert_allclose(model.inertia_, least_cost(cost, low or 1, high or 300), rtol=1e-7)
    assert (model.predict(X) == cost.argmin(axis=1)).all()
    assert (model.prices_[sizes > (low or 1)] >= 0).all()
    assert (model.prices_[sizes < (high or 300)] <= 0).all()


def test_without_bounds_that_bind_it_is_k_means():
    X = np.random.default_rng(3).normal(size=(500, 2))
    a = KMeansConstrained(4, init=X[:4]).fit(X)
    b = KMeans(4, init=X[:4]).fit(X)
    assert (a.labels_ == b.labels_).all()
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_)
    assert (a.prices_ == 0).all()


def test_equal_rows_are_divided():
    model = KMeansConstrained(3, size_min=2, size_max=2, random_state=0).fit(np.ones((6, 2)))
    assert np.bincount(model.labels_).tolist() == [2, 2, 2]
    assert model.inertia_ == 0


def test_threads_layouts_and_sparse_rows():
    X = np.random.default_rng(5).normal(size=(3000, 6))
    X[X < 0.3] = 0
    start, sizes = X[:4], {"size_min": 700, "size_max": 800}
    models = [
        KMeansConstrained(4, init=start, n_jobs=jobs, **sizes).fit(rows)
        for jobs, rows in (
            (1, X), (2, X), (7, X), (None, np.asfortranarray(X)), (1, sparse.csr_array(X)),
        )
    ]  # fmt: skip
    for model in models[1:4]:
        assert (model.labels_ == models[0].labels_).all()
        assert model.inertia_ == models[0].inertia_
    np.testing.assert_allclose(models[4].inertia_, models[0].inertia_, rtol=1e-9)
    single = KMeansConstrained(4, init=start, **sizes).fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32
    np.testing.assert_allclose(single.inertia_, models[0].inertia_, rtol=1e-3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size_min": 4}, "size_min must be at most 3, as 3 clusters of 4 rows would need 12"),
        ({"size_max": 3}, "size_max must be at least 4, as 3 clusters of 3 rows hold 9"),
        ({"size_min": 0}, "size_min"),
        ({"size_max": 2.5}, "size_max"),
        ({"n_clusters": 11}, "number of rows"),
    ],
)
def test_sizes_that_cannot_be(parameters, message):
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises((ValueError, TypeError), match=message):
        KMeansConstrained(**{"n_clusters": 3, **parameters}).fit(X)
