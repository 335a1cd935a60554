# SPDX-License-Identifier: BSD-3-Clause
"""Factorization of ratings: by definition, its objective, and what is not rated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from scipy.sparse import coo_array, csr_array

from statfast import RatingsFactorization
from statfast.decomposition.ratings import half_steps
from statfast.decomposition.ratings.half_steps import (
    RatingsPenalty,
    balanced,
    half_step,
    lines_of,
    table_of,
)


def drawn_ratings(n=60, m=40, share=0.4, seed=0):
    rng = np.random.default_rng(seed)
    whole = np.outer(rng.normal(2, 1, n), rng.normal(2, 1, m)) + rng.normal(size=(n, m))
    known = rng.random((n, m)) < share
    return sparse_of(whole, known), whole, known


def sparse_of(whole, known):
    return csr_array(coo_array((whole[known], np.nonzero(known)), shape=whole.shape))


@given(st.integers(1, 12), st.integers(1, 60), st.booleans(), st.booleans(), st.integers(0, 999))
def test_half_step_by_definition(k, m, biased, counted, seed):
    rng = np.random.default_rng(seed)
    whole, known = rng.normal(3, 1, (9, m)), rng.random((9, m)) < 0.6
    factors = rng.normal(size=(m, k + biased))
    penalty = RatingsPenalty(0.3, counted)
    lines = lines_of(sparse_of(whole, known))
    got, left = half_step(lines, table_of(factors, k, 3.0, int(biased)), penalty)
    total = 0.0
    for user in range(9):
        Z = factors[known[user], :k]
        t = whole[user, known[user]]
        if biased:
            t = t - 3.0 - factors[known[user], k]
            Z = np.column_stack([Z, np.ones(len(Z))])
        ridge = 0.3 * (len(t) if counted else 1)
        x = np.linalg.solve(Z.T @ Z + ridge * np.eye(Z.shape[1]), Z.T @ t) if len(t) else 0.0
        assert_allclose(got[user], x, atol=1e-8)
        total += ((t - Z @ (x if len(t) else np.zeros(Z.shape[1]))) ** 2).sum()
        total += ridge * np.sum(np.square(x))
    assert_allclose(left, total, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("counted", [True, False])
def test_half_step_in_float32(counted):
    X, _, _ = drawn_ratings(300, 40)
    table = table_of(np.random.default_rng(0).normal(size=(40, 6)), 5, 2.0, 1)
    lines = lines_of(X)
    exact, left = half_step(lines, table, RatingsPenalty(0.3, counted))
    rough, value = half_step(lines, table, RatingsPenalty(0.3, counted), rough=True)
    assert_allclose(rough, exact, rtol=1e-4, atol=1e-5)
    assert_allclose(value, left, rtol=1e-5)
    assert not np.array_equal(rough, exact)
    for jobs in (1, 2, 7):
        again, _ = half_step(lines, table, RatingsPenalty(0.3, counted), jobs, rough=True)
        assert np.array_equal(again, rough)


@pytest.mark.parametrize(("scale", "size"), [(1.0, 1e-6), (1e-25, 1.0), (1e25, 1.0)])
def test_half_step_in_float64_where_float32_would_not_do(scale, size):
    X, _, _ = drawn_ratings()
    table = table_of(np.random.default_rng(0).normal(size=(40, 5)), 5, 0.0, 0)
    lines, penalty = lines_of(X * scale), RatingsPenalty(size, True)
    exact, _ = half_step(lines, table, penalty)
    assert np.array_equal(half_step(lines, table, penalty, rough=True)[0], exact)


@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize("most", [1, 6, 500])
def test_what_is_found_in_float32_and_in_float64(monkeypatch, most):
    X, _, _ = drawn_ratings(200, 60)
    model = RatingsFactorization(4, regularization=0.1, max_iter=most, tol=1e-9).fit(X)
    monkeypatch.setattr(half_steps, "in_single", lambda *_: False)
    exact = RatingsFactorization(4, regularization=0.1, max_iter=most, tol=1e-9).fit(X)
    least = min(model.n_iter_, exact.n_iter_)
    assert_allclose(model.objectives_[:least], exact.objectives_[:least], rtol=1e-5)
    assert_allclose(model.objective_, exact.objective_, rtol=1e-6)
    assert (model.n_iter_ == 1) == (most == 1)
    # The last iteration is not rounded: users of the items, by definition.
    for user in range(0, 200, 23):
        known = X[[user]]
        Z = np.column_stack([model.item_factors_[known.indices], np.ones(known.nnz)])
        t = known.data - model.mean_ - model.item_biases_[known.indices]
        x = np.linalg.solve(Z.T @ Z + 0.1 * len(t) * np.eye(5), Z.T @ t)
        assert_allclose(model.user_factors_[user], x[:4], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("biases", [True, False])
def test_objective(weighted, biases):
    X, whole, known = drawn_ratings()
    model = RatingsFactorization(3, regularization=0.05, weighted=weighted, biases=biases, tol=0.01)
    model.fit(X)
    assert (np.diff(model.objectives_) <= 1e-9 * model.objectives_[:-1]).all()
    said = model.complete(X)
    users = (model.user_factors_**2).sum(1) + model.user_biases_**2
    items = (model.item_factors_**2).sum(1) + model.item_biases_**2
    if weighted:
        users, items = users * known.sum(1), items * known.sum(0)
    value = ((said - whole)[known] ** 2).sum() + 0.05 * (users.sum() + items.sum())
    assert value <= model.objective_ * (1 + 1e-12)  # users were solved for once more
    assert_allclose(value, model.objective_, rtol=0.02)
    u, i = np.nonzero(known)
    assert_allclose(model.ratings(u, i), said[known])


def test_implicit_by_definition():
    X, _, known = drawn_ratings()
    counts = X.copy()
    counts.data = np.ceil(np.abs(counts.data))
    model = RatingsFactorization(3, implicit=True, alpha=2.0, weighted=False, tol=1e-3).fit(counts)
    assert (model.user_biases_ == 0).all()
    confidence = 1 + 2.0 * counts.toarray()
    Y = model.item_factors_
    for user in range(60):
        A = (Y.T * confidence[user]) @ Y + 0.1 * np.eye(3)
        x = np.linalg.solve(A, Y.T @ (confidence[user] * known[user]))
        assert_allclose(model.user_factors_[user], x, atol=1e-10)
    apart = known - model.user_factors_ @ Y.T
    value = (confidence * apart**2).sum()
    value += 0.1 * ((model.user_factors_**2).sum() + (Y**2).sum())
    assert value <= model.objective_ * (1 + 1e-12)
    assert_allclose(value, model.objective_, rtol=1e-3)
    with pytest.raises(ValueError, match="must not be negative"):
        model.fit(-counts)


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_rank_one_is_recovered():
    rng = np.random.default_rng(1)
    whole = np.outer(rng.normal(2, 1, 50), rng.normal(3, 1, 30))
    known = rng.random(whole.shape) < 0.5
    how = {"biases": False, "regularization": 0.0, "max_iter": 300, "tol": 0.0}
    model = RatingsFactorization(1, **how).fit(sparse_of(whole, known))
    assert_allclose(model.user_factors_ @ model.components_, whole, rtol=1e-6, atol=1e-7)


def test_users_and_items_without_ratings():
    X, _, known = drawn_ratings()
    rows = X.toarray()
    rows[7], rows[:, 3] = 0, 0
    known[7], known[:, 3] = False, False
    model = RatingsFactorization(2, tol=0.01).fit(sparse_of(rows, known))
    assert (model.user_factors_[7] == 0).all()
    assert model.user_biases_[7] == 0
    assert (model.item_factors_[3] == 0).all()
    assert_allclose(model.ratings([7], [3]), model.mean_)
    assert_allclose(model.ratings([7], [5]), model.mean_ + model.item_biases_[5])
    items, ratings = model.recommend(csr_array((1, 40)), 40)
    assert sorted(items[0]) == list(range(40))
    assert (np.diff(ratings[0]) <= 0).all()


def test_users_and_items_without_events():
    X, _, _ = drawn_ratings()
    counts = abs(X.toarray())
    counts[7], counts[:, 3] = 0, 0
    model = RatingsFactorization(2, implicit=True, tol=0.01).fit(csr_array(counts))
    assert (model.user_factors_[7] == 0).all()
    assert (model.item_factors_[3] == 0).all()
    others = np.delete(np.arange(60), 7)
    assert model.user_factors_[others].any(axis=1).all()
    assert (model.ratings([7] * 40, np.arange(40)) == 0).all()
    assert model.recommend(csr_array(counts), 3)[0][7].tolist() == [0, 1, 2]  # ties by index


@pytest.mark.parametrize("weighted", [True, False])
def test_a_new_user_by_definition(weighted):
    X, _, _ = drawn_ratings()
    model = RatingsFactorization(3, regularization=0.2, weighted=weighted, tol=0.01).fit(X)
    rng = np.random.default_rng(5)
    rated = np.sort(rng.permutation(40)[:12])
    given = rng.normal(3, 1, 12)
    row = csr_array((given, (np.zeros(12, int), rated)), shape=(1, 40))
    factors, biases = model.fold_in(row)
    Z = np.column_stack([model.item_factors_[rated], np.ones(12)])
    t = given - model.mean_ - model.item_biases_[rated]
    x = np.linalg.solve(Z.T @ Z + 0.2 * (12 if weighted else 1) * np.eye(4), Z.T @ t)
    assert_allclose(np.append(factors[0], biases), x, rtol=1e-9, atol=1e-11)
    whole = model.mean_ + x[3] + model.item_biases_ + model.item_factors_ @ x[:3]
    best = [item for item in np.argsort(-whole) if item not in rated][:4]
    items, ratings = model.recommend(row, 4)
    assert items[0].tolist() == best
    assert_allclose(ratings[0], whole[best], rtol=1e-9)


def test_zeros_that_are_stored_are_ratings():
    X = csr_array(np.ones((4, 3)))
    X.data[:6] = 0.0
    model = RatingsFactorization(1, tol=0.01).fit(X)
    assert model.mean_ == 0.5
    assert_allclose(model.fit(X.toarray()).mean_, 0.5)


def test_folding_in_and_recommending():
    X, _, _ = drawn_ratings()
    model = RatingsFactorization(3, tol=0.01).fit(X)
    assert np.array_equal(model.transform(X), model.user_factors_)
    factors, biases = model.fold_in(X[5:8])
    assert np.array_equal(factors, model.user_factors_[5:8])
    assert np.array_equal(biases, model.user_biases_[5:8])
    said = model.complete(X)
    items, ratings = model.recommend(X, 5)
    for user in range(60):
        rest = said[user].copy()
        rest[X[[user]].indices] = -np.inf
        best = np.argsort(-rest, kind="stable")[:5]
        assert items[user].tolist() == best.tolist()
        assert_allclose(ratings[user], rest[best])
    assert model.recommend(X, 1, rated=True)[0][:, 0].tolist() == said.argmax(1).tolist()
    full = RatingsFactorization(1, tol=0.01).fit(np.arange(12.0).reshape(3, 4))
    assert (full.recommend(np.ones((1, 4)), 2)[0] == -1).all()


def test_held_out_errors():
    X, _, _ = drawn_ratings(share=0.7)
    model = RatingsFactorization(1, regularization=0.05, tol=1e-3)
    errors = model.held_out_errors(X, cv=4)
    spread = RatingsFactorization(1, regularization=1e6, tol=1e-3).held_out_errors(X, cv=4)
    assert errors.shape == (4,)
    assert (errors > 0.9).all()  # the noise has a standard deviation of 1
    assert (errors < 1.35).all()
    assert (spread > 1.5 * errors).all()
    assert np.array_equal(errors, model.held_out_errors(X, cv=4))


def test_same_bits_for_any_number_of_threads(monkeypatch):
    from statfast._engine import blocks

    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, _, _ = drawn_ratings(400, 150)
    for implicit in (False, True):
        rows = abs(X) if implicit else X
        how = {"implicit": implicit, "tol": 0.05}
        models = [RatingsFactorization(5, n_jobs=n, **how).fit(rows) for n in (1, 2, 7)]
        for other in models[1:]:
            assert np.array_equal(models[0].user_factors_, other.user_factors_)
            assert np.array_equal(models[0].objectives_, other.objectives_)


def test_refusals():
    X, _, _ = drawn_ratings()
    with pytest.raises(ValueError, match="X has no ratings"):
        RatingsFactorization().fit(csr_array((3, 4)))
    model = RatingsFactorization(2, tol=0.05).fit(X)
    with pytest.raises(ValueError, match="X has 39 features"):
        model.transform(X[:, :39])
    with pytest.raises(ValueError, match="items must be between 0 and 39"):
        model.ratings([0], [40])
    with pytest.raises(TypeError, match="users must be a list of integers"):
        model.ratings([0.5], [4])
    with pytest.raises(ValueError, match="n must be between 1 and the number of items"):
        model.recommend(X, 41)
    with pytest.raises(ValueError, match="implicit must be False"):
        RatingsFactorization(implicit=True).held_out_errors(abs(X))
    with pytest.warns(UserWarning, match="did not converge in 2"):
        RatingsFactorization(2, max_iter=2, tol=0).fit(X)
    X.data[0] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        model.fit(X)


# ------------------------------------------------------------------ the least penalty at once


@pytest.mark.parametrize("regularization", [1e-6, 1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.filterwarnings("error")
def test_a_small_penalty_takes_few_iterations(regularization, biases, weighted):
    films = [[1, 0, 1, 0], [0, 2, 2, 2], [0, 0, 0, 1], [1, 2, 3, 2], [1, 0, 1, 1], [0, 2, 2, 3]]
    model = RatingsFactorization(
        3, regularization=regularization, biases=biases, weighted=weighted
    ).fit(films)
    assert model.n_iter_ <= 25
    longer = RatingsFactorization(
        3, regularization=regularization, biases=biases, weighted=weighted, tol=1e-12,
        max_iter=3000,
    ).fit(films)  # fmt: skip
    assert model.objective_ <= longer.objective_ * 1.005


@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans(), st.booleans())
def test_balanced_factors_predict_the_same_and_cost_less(seed, k, counted, bounded):
    rng = np.random.default_rng(seed)
    known = rng.random((9, 7)) < 0.6
    known[0, 0] = True
    lines = lines_of(csr_array(known.astype(float)))
    columns = lines_of(csr_array(known.T.astype(float)))
    users, items = rng.normal(size=(9, k + 1)), 10.0 * rng.normal(size=(7, k + 1))
    if bounded:
        users, items = np.abs(users), np.abs(items)
    users[lines.counts == 0], items[columns.counts == 0] = 0.0, 0.0
    penalty = RatingsPenalty(0.1, counted, k if bounded else 0)
    after = balanced(users, items, lines, columns, k, penalty)
    assert (after[columns.counts == 0] == 0.0).all()
    assert not bounded or (after[:, :k] >= 0.0).all()

    def predicted(users, items):
        return users[:, :k] @ items[:, :k].T + users[:, k:] + items[:, k]

    # Users that go with the new items: those of least squares to the same predictions.
    target = predicted(users, items)[:, columns.counts > 0]
    Z = np.column_stack([after[columns.counts > 0, :k], np.ones((columns.counts > 0).sum())])
    fitted = np.linalg.lstsq(Z, (target - after[columns.counts > 0, k]).T, rcond=None)[0].T
    assert_allclose(
        (fitted @ Z.T + after[columns.counts > 0, k])[lines.counts > 0],
        target[lines.counts > 0],
        atol=1e-6 * max(1.0, np.abs(target).max()),
    )

    def cost(users, items):
        return penalty.penalty_of(users, lines.counts) + penalty.penalty_of(items, columns.counts)

    if np.linalg.matrix_rank(Z) == k + 1:
        fitted[lines.counts == 0] = 0.0
        assert cost(fitted, after) <= cost(users, items) * (1 + 1e-6)


# ------------------------------------------------------------------ nonnegative factors


@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_nonnegative_factors(implicit, biases, weighted):
    X, _, _ = drawn_ratings()
    X.data = np.abs(X.data) + 0.1
    model = RatingsFactorization(
        3, nonnegative=True, implicit=implicit, biases=biases, weighted=weighted, tol=0.0,
        max_iter=60,
    ).fit(X)  # fmt: skip
    assert (model.user_factors_ >= 0).all()
    assert (model.item_factors_ >= 0).all()
    assert (model.user_factors_ == 0).any()
    falls = np.diff(model.objectives_)
    assert (falls <= 1e-6 * model.objectives_[:-1]).all()
    assert_allclose(model.transform(X), model.user_factors_, atol=1e-9)


def test_nonnegative_half_step_is_nonnegative_least_squares():
    X, _, known = drawn_ratings()
    whole = X.toarray()
    model = RatingsFactorization(
        3, nonnegative=True, biases=False, regularization=0.05, weighted=False, tol=0.01
    ).fit(X)
    for user in range(60):
        Z = model.item_factors_[known[user]]
        ridge = np.vstack([Z, np.sqrt(0.05) * np.eye(3)])
        want, _ = nnls(ridge, np.concatenate([whole[user, known[user]], np.zeros(3)]))
        assert_allclose(model.user_factors_[user], want, atol=1e-8)


def test_the_objective_of_nonnegative_factors():
    X, whole, known = drawn_ratings()
    model = RatingsFactorization(3, nonnegative=True, regularization=0.05, tol=0.01).fit(X)
    residuals = (model.complete(X) - whole)[known]
    users = ((model.user_factors_**2).sum(1) + model.user_biases_**2) @ known.sum(1)
    items = ((model.item_factors_**2).sum(1) + model.item_biases_**2) @ known.sum(0)
    value = (residuals**2).sum() + 0.05 * (users + items)
    assert value <= model.objective_ * (1 + 1e-9)
    assert_allclose(value, model.objective_, rtol=0.02)


@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize("biases", [False, True])
def test_nonnegative_factors_of_float32_ratings(implicit, biases):
    X, _, _ = drawn_ratings()
    X.data = (np.abs(X.data) + 0.1).astype(np.float32)
    settings = {"nonnegative": True, "implicit": implicit, "biases": biases, "tol": 1e-3}
    single = RatingsFactorization(3, **settings).fit(X)
    double = RatingsFactorization(3, **settings).fit(X.astype(np.float64))
    assert (single.user_factors_ >= 0).all()
    assert (single.item_factors_ >= 0).all()
    assert_allclose(single.objective_, double.objective_, rtol=1e-4)
    assert_allclose(single.complete(X), double.complete(X), rtol=1e-3, atol=1e-3)
    assert single.transform(X).dtype == single.user_factors_.dtype
