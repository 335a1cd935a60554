# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net of several tasks: a slow twin, the gap, scikit-learn's answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import statfast as sf
from statfast import (
    ElasticNet,
    Lasso,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    enet_path,
    lasso_path,
)
from statfast._engine import blocks
from statfast.linear.design import sparse_columns
from statfast.linear.penalized import block_descent
from tests.data import correlated_columns
from tests.reference.lasso import multi_task_elastic_net, multi_task_gap


def problem(n, p, n_tasks, seed, rho=0.0):
    rng = np.random.default_rng(seed)
    X = correlated_columns(rng, n, p, rho) + rng.standard_normal(p)
    B = np.zeros((n_tasks, p))
    B[:, : max(1, p // 5)] = rng.standard_normal((n_tasks, max(1, p // 5)))
    return X, X @ B.T + rng.standard_normal((n, n_tasks)) + np.arange(n_tasks)


@settings(max_examples=30)
@given(
    n=st.integers(6, 40), p=st.integers(1, 15), n_tasks=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1), ratio=st.sampled_from([1.0, 0.5, 0.0]),
    order=st.sampled_from("FC"), weighted=st.booleans(), intercept=st.booleans(),
)  # fmt: skip
def test_slow_twin(n, p, n_tasks, seed, ratio, order, weighted, intercept):
    X, Y = problem(n, p, n_tasks, seed)
    w = np.random.default_rng(seed).integers(1, 4, n).astype(float) if weighted else None
    want, first = multi_task_elastic_net(X, Y, 0.3, ratio, w, intercept=intercept)
    model = MultiTaskElasticNet(0.3, l1_ratio=ratio, fit_intercept=intercept, tol=1e-14)
    model.fit(np.asarray(X, order=order), np.asarray(Y, order=order), w)
    gap = multi_task_gap(X, Y, model.coef_, 0.3, ratio, w, intercept=intercept)
    assert gap < 1e-12 * (Y**2).sum()
    if n > p + 1 or ratio < 1:  # Else, the solution need not be the only one.
        np.testing.assert_allclose(model.coef_, want, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, first, atol=1e-4)


@pytest.mark.parametrize(("n", "p", "n_tasks"), [(200, 50, 3), (50, 120, 12), (30, 150, 2)])
@pytest.mark.parametrize("rho", [0.0, 0.95])
@pytest.mark.parametrize("ratio", [1.0, 0.6])
def test_gaps_of_a_path(n, p, n_tasks, rho, ratio):
    X, Y = problem(n, p, n_tasks, 1, rho)
    path = enet_path(X, Y, l1_ratio=ratio, alphas=25, eps=1e-2, tol=1e-10)
    assert path.coefs.shape == (n_tasks, p, 25)
    assert path.intercepts.shape == (n_tasks, 25)
    assert (path.coefs[:, :, 0] == 0).all()
    size = ((Y - Y.mean(axis=0)) ** 2).sum()
    for a, alpha in enumerate(path.alphas):
        gap = multi_task_gap(X, Y, path.coefs[:, :, a], alpha, ratio)
        assert n * gap <= 2e-10 * size
        assert gap - path.dual_gaps[a] > -1e-13 * size
        other = path.coefs[:, :, a] != 0
        assert (other.all(axis=0) == other.any(axis=0)).all()  # columns are selected jointly


def test_ways_agree(monkeypatch):
    X, Y = problem(80, 30, 6, 2, 0.5)
    whole = lasso_path(X, Y, tol=1e-13, alphas=30)
    monkeypatch.setattr(sparse_columns, "MAX_COLUMNS_OF_WHOLE_GRAM", 0)
    working = lasso_path(X, Y, tol=1e-13, alphas=30)
    np.testing.assert_allclose(working.coefs, whole.coefs, atol=1e-6)
    monkeypatch.setattr(block_descent, "MIN_COLUMNS_PER_ROW", 0)
    residuals = lasso_path(X, Y, tol=1e-13, alphas=30)
    np.testing.assert_allclose(residuals.coefs, whole.coefs, atol=1e-6)
    sparse_rows = lasso_path(sparse.csr_array(X), Y, tol=1e-13, alphas=30)
    np.testing.assert_allclose(sparse_rows.coefs, whole.coefs, atol=1e-6)
    w = np.random.default_rng(0).integers(0, 3, 80)
    both = []
    for way in (0, 1e9):
        monkeypatch.setattr(block_descent, "MIN_COLUMNS_PER_ROW", way)
        both.append(lasso_path(X, Y, tol=1e-13, alphas=9, sample_weight=w, standardize=True))
    np.testing.assert_allclose(both[0].coefs, both[1].coefs, atol=1e-6)


def test_more_columns_than_rows_are_not_zero():
    X, Y = problem(20, 200, 30, 3)
    model = MultiTaskLasso(0.02, tol=1e-10).fit(X, Y)
    assert (model.coef_[0] != 0).sum() > 2 * 20
    size = ((Y - Y.mean(axis=0)) ** 2).sum()
    assert 20 * multi_task_gap(X, Y, model.coef_, 0.02, 1.0) <= 1.01e-10 * size


@pytest.mark.parametrize("n_tasks", [2, 9])
def test_order_in_memory_and_threads_do_not_change_a_bit(monkeypatch, n_tasks):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    for n, p in ((500, 120), (90, 300)):
        X, Y = problem(n, p, n_tasks, 3, 0.5)
        first, *others = [
            lasso_path(np.asarray(X, order=order), Y, alphas=12, n_jobs=jobs, eps=0.01).coefs
            for order in "FC"
            for jobs in (1, 2, 7)
        ]
        assert all((coefs == first).all() for coefs in others)


def test_one_task_is_the_lasso():
    X, Y = problem(60, 12, 1, 4)
    for many, one in (
        (MultiTaskLasso(0.1), Lasso(0.1)),
        (MultiTaskElasticNet(0.1), ElasticNet(0.1)),
    ):
        one.set_params(tol=1e-13).fit(X, Y[:, 0])
        many.set_params(tol=1e-13).fit(X, Y)
        assert many.coef_.shape == (1, 12)
        assert many.intercept_.shape == (1,)
        assert many.predict(X).shape == (60, 1)
        np.testing.assert_array_equal(many.coef_[0], one.coef_)
        assert many.intercept_[0] == one.intercept_
        flat = many.fit(X, Y[:, 0])
        assert flat.coef_.shape == (12,)
        np.testing.assert_array_equal(flat.coef_, one.coef_)
        assert flat.intercept_ == one.intercept_


def test_attributes():
    X, Y = problem(60, 8, 3, 5)
    model = MultiTaskElasticNet(0.5, l1_ratio=0.9).fit(X, Y)
    assert model.coef_.shape == (3, 8)
    assert model.intercept_.shape == (3,)
    assert isinstance(model.n_iter_, int)
    assert isinstance(model.dual_gap_, float)
    assert model.converged_
    np.testing.assert_array_equal(model.sparse_coef_.toarray(), model.coef_)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_.T + model.intercept_)
    assert 0.5 < model.score(X, Y) < 1
    alphas, coefs, gaps = model.path(X, Y, alphas=[0.5], l1_ratio=0.9)
    assert (alphas.shape, gaps.shape) == ((1,), (1,))
    np.testing.assert_allclose(coefs[:, :, 0], model.coef_, atol=1e-4)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_answers_of_scikit_learn(intercept, ratio):
    peers = pytest.importorskip("sklearn.linear_model")
    for n, p, n_tasks in ((70, 12, 4), (30, 80, 3)):
        X, Y = problem(n, p, n_tasks, 6)
        more = {"l1_ratio": ratio, "fit_intercept": intercept, "tol": 1e-12}
        model = MultiTaskElasticNet(0.3, **more).fit(X, Y)
        peer = peers.MultiTaskElasticNet(0.3, max_iter=100_000, **more).fit(X, Y)
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
        assert model.coef_.shape == peer.coef_.shape
        assert model.dual_gap_ <= model.eps_
        np.testing.assert_allclose(n * model.eps_, peer.eps_, rtol=1e-9)
        path = enet_path(X, Y, l1_ratio=ratio, alphas=[0.9, 0.3], fit_intercept=False, tol=1e-12)
        alphas, coefs, _ = peers.enet_path(
            X, Y, l1_ratio=ratio, alphas=[0.9, 0.3], tol=1e-12, max_iter=100_000
        )
        np.testing.assert_array_equal(path.alphas, alphas)
        np.testing.assert_allclose(path.coefs, coefs, atol=1e-5)


def test_weights_are_repetitions():
    X, Y = problem(50, 8, 3, 7)
    w = np.random.default_rng(5).integers(0, 4, 50)
    more = {"alphas": [0.5, 0.05], "tol": 1e-14, "standardize": True, "l1_ratio": 0.8}
    weighted = enet_path(X, Y, sample_weight=w, **more)
    repeated = enet_path(X.repeat(w, 0), Y.repeat(w, 0), **more)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-7)
    np.testing.assert_allclose(weighted.intercepts, repeated.intercepts, atol=1e-7)
    scaled = enet_path(X, Y, sample_weight=3.0 * w, **more)
    np.testing.assert_allclose(scaled.coefs, weighted.coefs, atol=1e-7)


def test_tasks_and_columns_may_be_permuted_and_turned():
    X, Y = problem(60, 10, 4, 8)
    rng = np.random.default_rng(0)
    model = MultiTaskLasso(0.2, tol=1e-14).fit(X, Y)
    columns, tasks = rng.permutation(10), rng.permutation(4)
    other = MultiTaskLasso(0.2, tol=1e-14).fit(X[:, columns], Y[:, tasks])
    np.testing.assert_allclose(other.coef_, model.coef_[tasks][:, columns], atol=1e-6)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]  # The penalty does not know the axes.
    other = MultiTaskLasso(0.2, tol=1e-14).fit(X, Y @ turn)
    np.testing.assert_allclose(other.coef_, turn.T @ model.coef_, atol=1e-6)


def test_equal_tasks_are_the_lasso_of_one():
    X, Y = problem(60, 10, 1, 9)
    model = MultiTaskLasso(0.2, tol=1e-14).fit(X, np.repeat(Y, 4, axis=1))
    one = Lasso(0.2 / np.sqrt(4), tol=1e-14).fit(X, Y[:, 0])
    np.testing.assert_allclose(model.coef_, np.tile(one.coef_, (4, 1)), atol=1e-6)


def test_columns_are_selected_jointly_where_the_lasso_misses_them():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 20))
    B = np.zeros((20, 20))
    B[:, :4] = rng.uniform(0.2, 0.6, (20, 4))
    Y = X @ B.T + rng.standard_normal((100, 20))
    joint = MultiTaskLassoCV(rule="1se").fit(X, Y).coef_ != 0
    assert (joint == joint[0]).all()
    assert np.flatnonzero(joint[0]).tolist() == [0, 1, 2, 3]
    alone = Lasso(0.2).fit(X, Y).coef_ != 0
    assert not (alone == alone[0]).all()


@pytest.mark.parametrize("size", [1e-140, 1e-30, 1.0, 1e30, 1e140])
def test_targets_and_columns_of_any_size(size):
    X, Y = problem(40, 6, 3, 10)
    want = MultiTaskLasso(0.3, tol=1e-12).fit(X, Y)
    large = MultiTaskLasso(0.3 * size, tol=1e-12).fit(X, Y * size)
    np.testing.assert_allclose(large.coef_ / size, want.coef_, atol=1e-6)
    columns = MultiTaskLasso(0.3 * size, tol=1e-12).fit(X * size, Y)
    np.testing.assert_allclose(columns.coef_ * size, want.coef_, atol=1e-6)
    path = lasso_path(X * size, Y, standardize=True, alphas=[0.3], tol=1e-12)
    plain = lasso_path(X, Y, standardize=True, alphas=[0.3], tol=1e-12)
    np.testing.assert_allclose(path.coefs * size, plain.coefs, atol=1e-6)


def test_float32_and_read_only_rows():
    X, Y = problem(100, 20, 3, 11)
    X = X.astype(np.float32)
    X.flags.writeable = Y.flags.writeable = False
    single = lasso_path(X, Y, alphas=20)
    double = lasso_path(X.astype(float), Y, alphas=20)
    np.testing.assert_allclose(single.coefs, double.coefs, rtol=1e-6, atol=1e-9)
    assert MultiTaskLasso(0.1).fit(X, Y).predict(X).dtype == np.float32


def test_constant_and_equal_columns_and_targets():
    X, Y = problem(40, 4, 3, 12)
    X[:, 1], X[:, 3] = X[:, 0], 1e6
    model = MultiTaskLasso(0.1).fit(X, Y)
    assert (model.coef_[:, 3] == 0.0).all()
    assert (model.coef_[:, 1] == 0.0).all()  # Of equal columns, the first is used.
    Y[:, 1] = 5.0
    model = MultiTaskLasso(0.1).fit(X, Y)
    np.testing.assert_allclose(model.coef_[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[1], 5.0, atol=1e-12)
    model = MultiTaskLasso(0.1).fit(X, np.full((40, 2), 3.0))
    assert (model.coef_ == 0.0).all()
    np.testing.assert_array_equal(model.intercept_, [3.0, 3.0])


def test_alpha_zero_is_least_squares():
    X, Y = problem(60, 5, 3, 13)
    model = MultiTaskLasso(0.0, tol=1e-14).fit(X, Y)
    want = sf.LinearRegression().fit(X, Y)
    np.testing.assert_allclose(model.coef_, want.coef_, atol=1e-6)


def test_a_warm_start_takes_fewer_sweeps():
    for n, p in ((60, 20), (40, 90)):
        X, Y = problem(n, p, 3, 14, 0.9)
        model = MultiTaskLasso(0.05, warm_start=True, tol=1e-10).fit(X, Y)
        coef, rounds = model.coef_, model.n_iter_
        model.fit(X, Y)
        assert model.n_iter_ <= 5 < rounds
        np.testing.assert_allclose(model.coef_, coef, atol=1e-4)
        other = model.fit(X, Y[:, :2]).coef_  # of other targets: from scratch
        np.testing.assert_array_equal(other, MultiTaskLasso(0.05, tol=1e-10).fit(X, Y[:, :2]).coef_)


def test_products_that_are_known():
    for n, p in ((60, 20), (20, 40)):
        X, Y = problem(n, p, 3, 15)
        Z = X - X.mean(axis=0)
        plain = MultiTaskLasso(0.1, tol=1e-13).fit(X, Y)
        known = MultiTaskLasso(0.1, tol=1e-13, precompute=Z.T @ Z).fit(X, Y)
        np.testing.assert_allclose(known.coef_, plain.coef_, atol=1e-5)
        with pytest.raises(ValueError, match="precompute must be False"):
            MultiTaskLasso(0.1, precompute=2 * Z.T @ Z).fit(X, Y)


@pytest.mark.parametrize("tol", [1e-14, 0.0])
def test_iterations_that_do_not_suffice_are_told(tol):
    X, Y = problem(30, 60, 3, 16, 0.95)
    with pytest.warns(sf.ConvergenceWarning, match="MultiTaskLasso did not converge in"):
        assert not MultiTaskLasso(1e-3, max_iter=2, tol=tol).fit(X, Y).converged_
    assert MultiTaskLasso(0.5, tol=tol).fit(X, Y).converged_


# ------------------------------------------------------------------ cross-validation
@pytest.mark.parametrize("shape", [(60, 10), (40, 60)])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_validation_by_hand(shape, weighted):
    n, p = shape
    X, Y = problem(n, p, 3, 17)
    w = np.random.default_rng(0).integers(1, 4, n).astype(float) if weighted else np.ones(n)
    model = MultiTaskLassoCV(alphas=12, cv=4, eps=0.05, tol=1e-12).fit(X, Y, w)
    errors, masses = np.empty((12, 4)), np.empty(4)
    for k, held in enumerate(np.array_split(np.arange(n), 4)):
        kept = np.setdiff1d(np.arange(n), held)
        path = lasso_path(X[kept], Y[kept], alphas=model.alphas_, sample_weight=w[kept], tol=1e-12)
        squares = ((Y[held, :, None] - path.predict(X[held])) ** 2).mean(axis=1)
        errors[:, k] = np.average(squares, axis=0, weights=w[held])
        masses[k] = w[held].sum()
    np.testing.assert_allclose(model.mse_path_, errors, rtol=1e-4)
    mean = errors @ masses / masses.sum()
    np.testing.assert_allclose(model.mse_mean_, mean, rtol=1e-4)
    assert model.alpha_ == model.alpha_min_ == model.alphas_[model.mse_mean_.argmin()]
    assert model.alpha_1se_ >= model.alpha_
    again = MultiTaskLasso(model.alpha_, tol=1e-12).fit(X, Y, w)
    np.testing.assert_allclose(model.coef_, again.coef_, atol=1e-4)
    assert model.coef_.shape == (3, p)
    simpler = MultiTaskLassoCV(alphas=12, cv=4, eps=0.05, rule="1se").fit(X, Y, w)
    assert simpler.alpha_ == model.alpha_1se_


def test_cross_validation_of_l1_ratio():
    X, Y = problem(60, 6, 2, 18)
    model = MultiTaskElasticNetCV(l1_ratio=[0.2, 1.0], alphas=8, cv=3).fit(X, Y)
    alone = [MultiTaskElasticNetCV(l1_ratio=r, alphas=8, cv=3).fit(X, Y) for r in (0.2, 1.0)]
    best = min(alone, key=lambda m: m.mse_mean_.min())
    assert (model.l1_ratio_, model.alpha_) == (best.l1_ratio_, best.alpha_)
    assert model.mse_path_.shape == (2, 8, 3)
    assert model.alphas_.shape == (2, 8)
    np.testing.assert_array_equal(MultiTaskLassoCV(alphas=8, cv=3).fit(X, Y).coef_, alone[1].coef_)


def test_cross_validation_of_scikit_learn():
    peers = pytest.importorskip("sklearn.linear_model")
    X, Y = problem(80, 8, 3, 19)
    more = {"cv": 4, "alphas": np.geomspace(2.0, 0.02, 9), "tol": 1e-10}
    peer = peers.MultiTaskElasticNetCV(l1_ratio=0.7, max_iter=100_000, **more).fit(X, Y)
    model = MultiTaskElasticNetCV(l1_ratio=0.7, **more).fit(X, Y)
    np.testing.assert_allclose(model.mse_path_, peer.mse_path_, rtol=1e-4)
    assert model.alpha_ == peer.alpha_
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)


def test_one_task_cross_validated_is_the_lasso():
    X, Y = problem(60, 7, 1, 20)
    one = sf.LassoCV(alphas=9, cv=3, tol=1e-12).fit(X, Y[:, 0])
    for y in (Y, Y[:, 0]):
        model = MultiTaskLassoCV(alphas=9, cv=3, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(model.alphas_, one.alphas_, rtol=1e-12)
        np.testing.assert_allclose(model.mse_path_, one.mse_path_, rtol=1e-4)
        assert model.coef_.shape == (*y.shape[1:], 7)
        np.testing.assert_allclose(np.ravel(model.coef_), one.coef_, atol=1e-4)


def test_searches_and_folds_from_merged_products():
    X, Y = problem(90, 6, 3, 21)
    found = sf.GridSearchCV(MultiTaskLasso(tol=1e-12), {"alpha": [0.05, 0.5, 50.0]}, cv=3).fit(X, Y)
    scores = []
    for held in np.array_split(np.arange(90), 3):
        kept = np.setdiff1d(np.arange(90), held)
        model = MultiTaskLasso(0.5, tol=1e-12).fit(X[kept], Y[kept])
        scores.append(model.score(X[held], Y[held]))
    np.testing.assert_allclose(found.cv_results_["mean_test_score"][1], np.mean(scores), rtol=1e-5)


def test_sparse_rows():
    rng = np.random.default_rng(22)
    for n, p in ((80, 20), (50, 120)):
        X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.3)
        Y = X[:, :3] @ rng.standard_normal((3, 4)) + 0.3 * rng.standard_normal((n, 4))
        for model in (MultiTaskLasso(0.03), MultiTaskLassoCV(alphas=6, cv=3, eps=0.1)):
            model.set_params(tol=1e-12)
            dense = model.fit(X, Y).coef_
            few = model.fit(sparse.csr_array(X), Y)
            np.testing.assert_allclose(few.coef_, dense, atol=1e-5)
            np.testing.assert_allclose(few.predict(sparse.csr_array(X)), few.predict(X), atol=1e-9)


# ------------------------------------------------------------------ what cannot be fitted
def test_bad_input():
    X, Y = problem(20, 3, 2, 23)
    with pytest.raises(ValueError, match="positive=True takes one target"):
        lasso_path(X, Y, positive=True)
    with pytest.raises(ValueError, match="NaN"):
        MultiTaskLasso().fit(X, np.where(Y > 1, np.nan, Y))
    with pytest.raises(ValueError, match="alpha must be at least 0"):
        MultiTaskLasso(-1.0).fit(X, Y)
    with pytest.raises(TypeError, match="positive"):
        MultiTaskLasso(positive=True)
    with pytest.raises(ValueError, match="y must"):
        MultiTaskLasso().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="overflow"):
        MultiTaskLasso().fit(X, Y * 1e200)


def test_a_path_as_a_table():
    pytest.importorskip("pandas")
    X, Y = problem(30, 4, 2, 24)
    path = lasso_path(X, Y, alphas=3)
    table = path.to_frame()
    assert table.shape == (6, 5)
    assert table.index.names == ["alpha", "target"]
    np.testing.assert_array_equal(table.loc[(path.alphas[2], 1)], [
        path.intercepts[1, 2], *path.coefs[1, :, 2],
    ])  # fmt: skip
    assert "l21 norm" in str(path)
    values = path.predict(X)
    assert values.shape == (30, 2, 3)
    np.testing.assert_allclose(
        values[:, 1, 2], X @ path.coefs[1, :, 2] + path.intercepts[1, 2], atol=1e-12
    )
