# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net: conditions of optimality, the slow twin, glmnet's values."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from statfast import (
    ConvergenceWarning,
    ElasticNet,
    ElasticNetCV,
    GridSearchCV,
    Lasso,
    LassoCV,
    enet_path,
    lasso_path,
)
from statfast._engine import blocks
from statfast._estimator.regressor import r_squared
from statfast.linear.design import sparse_columns
from tests.data import correlated_columns
from tests.reference.lasso import elastic_net, kkt_residual


def problem(n, p, seed, rho=0.0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = correlated_columns(rng, n, p, rho) + rng.standard_normal(p)
    y = X[:, : max(1, p // 5)].sum(1) + rng.standard_normal(n) + 3
    return X.astype(dtype), y


@settings(max_examples=40)
@given(
    n=st.integers(5, 60), p=st.integers(1, 40), seed=st.integers(0, 2**32 - 1),
    rho=st.sampled_from([0.0, 0.9]), ratio=st.sampled_from([1.0, 0.7, 0.05]),
    share=st.sampled_from([0.9, 0.3, 0.05]), intercept=st.booleans(), weighted=st.booleans(),
)  # fmt: skip
def test_conditions_of_optimality(n, p, seed, rho, ratio, share, intercept, weighted):
    X, y = problem(n, p, seed, rho)
    w = np.random.default_rng(seed).integers(1, 4, n).astype(float) if weighted else None
    top = enet_path(
        X, y, l1_ratio=ratio, alphas=1, fit_intercept=intercept, sample_weight=w
    ).alphas[0]
    model = ElasticNet(share * top, l1_ratio=ratio, fit_intercept=intercept, tol=1e-14).fit(X, y, w)
    off = kkt_residual(X, y, model.coef_, model.intercept_, share * top, ratio, w)
    assert off < 1e-5, off
    if intercept:
        assert abs(np.average(y - model.predict(X), weights=w)) < 1e-12 * np.abs(y).max()


@settings(max_examples=20)
@given(
    n=st.integers(10, 40), p=st.integers(1, 12), seed=st.integers(0, 2**32 - 1),
    positive=st.booleans(), ratio=st.sampled_from([1.0, 0.5, 0.0]), order=st.sampled_from("FC"),
)  # fmt: skip
def test_slow_twin(n, p, seed, positive, ratio, order):
    X, y = problem(n, p, seed)
    alpha = 0.1
    want, first = elastic_net(X, y, alpha, ratio, positive=positive)
    rows = np.asarray(X, order=order)
    model = ElasticNet(alpha, l1_ratio=ratio, positive=positive, tol=1e-14).fit(rows, y)
    np.testing.assert_allclose(model.coef_, want, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, first, atol=1e-5)


@pytest.mark.parametrize(("n", "p"), [(60, 200), (200, 60)])
@pytest.mark.parametrize("rho", [0.0, 0.95])
def test_gaps_of_a_path(n, p, rho):
    X, y = problem(n, p, 1, rho)
    path = lasso_path(X, y, alphas=40, tol=1e-12)
    assert (path.coefs[:, 0] == 0).all()
    Z, left = X - X.mean(0), y - y.mean()
    whole = left @ left
    for alpha, b, gap in zip(path.alphas, path.coefs.T, path.dual_gaps, strict=True):
        r = left - Z @ b
        theta = r * min(1.0, n * alpha / np.abs(Z.T @ r).max())
        primal = 0.5 * r @ r + n * alpha * np.abs(b).sum()
        exact = primal - (0.5 * whole - 0.5 * (left - theta) @ (left - theta))
        assert exact <= 2e-12 * whole
        assert abs(exact / n - gap) < 1e-13 * whole


def test_whole_and_working_set_agree(monkeypatch):
    X, y = problem(80, 30, 2, 0.5)
    whole = lasso_path(X, y, tol=1e-14)
    monkeypatch.setattr(sparse_columns, "MAX_COLUMNS_OF_WHOLE_GRAM", 0)
    working = lasso_path(X, y, tol=1e-14)
    np.testing.assert_allclose(working.coefs, whole.coefs, atol=1e-9)


def test_order_in_memory_and_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, y = problem(700, 300, 3, 0.5)
    first, *others = [
        lasso_path(np.asarray(X, order=order), y, alphas=20, n_jobs=jobs).coefs
        for order in "FC"
        for jobs in (1, 2, 7)
    ]
    assert all((coefs == first).all() for coefs in others)


def test_float32_columns_are_not_rounded_further():
    X, y = problem(100, 20, 4, dtype=np.float32)
    single, double = lasso_path(X, y), lasso_path(X.astype(float), y)
    np.testing.assert_allclose(single.coefs, double.coefs, rtol=1e-9, atol=1e-12)


def test_weights_are_repetitions():
    X, y = problem(50, 8, 5)
    w = np.random.default_rng(5).integers(0, 4, 50)
    weighted = enet_path(X, y, alphas=[0.3, 0.05], sample_weight=w, tol=1e-14, standardize=True)
    repeated = enet_path(X.repeat(w, 0), y.repeat(w), alphas=[0.3, 0.05], tol=1e-14,
                         standardize=True)  # fmt: skip
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-9)


def test_standardize_is_scaling_the_columns():
    X, y = problem(50, 8, 6)
    X *= np.geomspace(1, 100, 8)
    s = X.std(0)
    inside = lasso_path(X, y, standardize=True, alphas=10, tol=1e-14)
    outside = lasso_path(X / s, y, alphas=10, tol=1e-14)
    np.testing.assert_allclose(inside.coefs, outside.coefs / s[:, None], atol=1e-9)


def test_equal_and_constant_columns():
    X, y = problem(40, 3, 7)
    X = np.column_stack([X[:, :2], X[:, 0], np.full(40, 1e6)])
    model = Lasso(0.1).fit(X, y)
    assert model.coef_[3] == 0.0
    assert kkt_residual(X, y, model.coef_, model.intercept_, 0.1, 1.0) < 1e-6


def test_alpha_zero_is_least_squares():
    X, y = problem(60, 5, 8)
    model = Lasso(0.0, tol=1e-14).fit(X, y)
    A = np.column_stack([np.ones(60), X])
    np.testing.assert_allclose(
        [model.intercept_, *model.coef_], np.linalg.lstsq(A, y)[0], rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("tol", [1e-14, 0.0])
def test_iterations_that_do_not_suffice_are_told(tol):
    X, y = problem(30, 60, 9, 0.95)
    with pytest.warns(ConvergenceWarning, match="did not converge in"):
        assert not Lasso(1e-4, max_iter=2, tol=tol).fit(X, y).converged_
    assert Lasso(0.1, tol=tol).fit(X, y).converged_
    assert Lasso(0.1, max_iter=1, tol=tol).fit(X, np.ones(30)).converged_
    assert Lasso(1e-4).fit(X, y).converged_
    with pytest.warns(ConvergenceWarning, match="LassoCV did not converge in 2 iterations"):
        assert not LassoCV(alphas=[1e-4], cv=2, max_iter=2, tol=tol).fit(X, y).converged_


# ------------------------------------------------------------------ glmnet
@pytest.fixture(scope="module")
def glmnet(shared_data):
    return json.loads(shared_data("..", "reference", "glmnet.json").read_text())


@pytest.fixture(scope="module")
def training_rows(shared_data, glmnet):
    import csv

    with shared_data("esl", "prostate.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["train"].strip() in ("T", "TRUE")]
    names = glmnet["prostate_lasso"]["features"]
    return np.array([[float(r[k]) for k in names] for r in rows]), np.array(
        [float(r["lpsa"]) for r in rows]
    )


@pytest.mark.parametrize(
    ("name", "ratio"),
    [
        ("prostate_lasso", 1.0), ("prostate_enet", 0.5), ("prostate_ridge", 0.0),
        ("prostate_lasso_nostd", 1.0), ("prostate_lasso_fixed", 1.0),
    ],
)  # fmt: skip
def test_glmnet(name, ratio, glmnet, training_rows):
    """Its ridge part is divided by the deviation of y: see the note in glmnet.json."""
    X, y = training_rows
    want = glmnet[name]
    for k, lam in enumerate(want["lambda"]):
        ridge = lam * (1 - ratio) / want["sd_n_y"]
        alpha = lam * ratio + ridge
        model = ElasticNet(
            alpha, l1_ratio=lam * ratio / alpha, standardize="nostd" not in name, tol=1e-15
        ).fit(X, y)
        got = np.array([model.intercept_, *model.coef_])
        beta = np.array([row[k] for row in want["beta_refined"]])
        refined = np.array([want["intercept_refined"][k], *beta])
        np.testing.assert_allclose(got, refined, rtol=1e-8, atol=1e-10)


def test_the_elastic_net_of_glmnet_is_that_of_scaled_targets(glmnet, training_rows):
    """As the docstring of `enet_path` has it."""
    X, y = training_rows
    want, k, s = glmnet["prostate_enet"], 7, y.std()
    alphas = [want["lambda"][k] / s]
    path = enet_path(X, y / s, l1_ratio=0.5, alphas=alphas, standardize=True, tol=1e-15)
    refined = [row[k] for row in want["beta_refined"]]
    np.testing.assert_allclose(s * path.coefs[:, 0], refined, rtol=1e-8, atol=1e-10)


# ------------------------------------------------------------------ cross-validation
def test_cross_validation_by_hand():
    X, y = problem(60, 10, 10)
    model = LassoCV(alphas=20, cv=4).fit(X, y)
    errors = np.empty((20, 4))
    for k, held in enumerate(np.array_split(np.arange(60), 4)):
        kept = np.setdiff1d(np.arange(60), held)
        path = lasso_path(X[kept], y[kept], alphas=model.alphas_)
        errors[:, k] = ((y[held, None] - path.predict(X[held])) ** 2).mean(0)
    np.testing.assert_allclose(model.mse_path_, errors, rtol=1e-6)
    mean, spread = errors.mean(1), errors.std(1, ddof=1) / np.sqrt(4)
    best = mean.argmin()
    assert model.alpha_ == model.alpha_min_ == model.alphas_[best]
    one = np.flatnonzero(mean <= mean[best] + spread[best])[0]
    assert model.alpha_1se_ == model.alphas_[one]
    simpler = LassoCV(alphas=20, cv=4, rule="1se").fit(X, y)
    assert simpler.alpha_ == model.alpha_1se_
    np.testing.assert_allclose(simpler.coef_, Lasso(simpler.alpha_).fit(X, y).coef_, atol=1e-6)


def test_cross_validation_of_l1_ratio_and_fold_arguments():
    X, y = problem(40, 6, 11)
    folds = [(np.arange(0, 20), np.arange(20, 40)), (np.arange(20, 40), np.arange(0, 20))]
    model = ElasticNetCV(l1_ratio=[0.2, 1.0], alphas=10, cv=folds).fit(X, y)
    alone = [ElasticNetCV(l1_ratio=r, alphas=10, cv=folds).fit(X, y) for r in (0.2, 1.0)]
    best = min(alone, key=lambda m: m.mse_mean_.min())
    assert model.l1_ratio_ == best.l1_ratio_
    assert model.alpha_ == best.alpha_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": -1.0}, "alpha must be at least 0"),
        ({"l1_ratio": 2.0}, "l1_ratio must be at most 1"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": np.inf}, "tol must be finite"),
    ],
)
def test_bad_parameters(change, message):
    X, y = problem(20, 3, 12)
    with pytest.raises(ValueError, match=message):
        ElasticNet(**change).fit(X, y)


@pytest.mark.parametrize("eps", [0.0, -0.1, 1.1, np.nan])
def test_penalties_end_above_zero(eps):
    with pytest.raises(ValueError, match="eps must be"):
        lasso_path(*problem(20, 3, 12), eps=eps)


def test_two_targets_of_a_cross_validation_are_refused():
    X, y = problem(20, 3, 13)
    with pytest.raises(ValueError, match="1d array"):
        LassoCV().fit(X, np.column_stack([y, y]))


def test_a_path_predicts_rows_of_its_width():
    path = lasso_path(np.eye(4), np.arange(4.0), alphas=3)
    with pytest.raises(ValueError, match="X must have 4 columns, as many as the path; got 3"):
        path.predict(np.eye(3))


def test_folds_may_be_masks():
    X, y = np.random.default_rng(0).normal(size=(2, 12, 3))
    first = np.arange(12) < 5
    places, masks = (
        LassoCV(alphas=4, cv=cv).fit(X, y[:, 0])
        for cv in ([(range(5), range(5, 12))], [(first, ~first)])
    )
    np.testing.assert_array_equal(masks.mse_path_, places.mse_path_)


@pytest.mark.parametrize(
    "cv", [[([0, 1], [12])], [([-13], [0])], [([0.5], [1])], [([0], [[1, 2], [3]])], b"x", [True]]
)
def test_what_are_no_folds(cv):
    X, y = np.random.default_rng(0).normal(size=(2, 12, 3))
    with pytest.raises((TypeError, ValueError), match="cv must"):
        LassoCV(alphas=4, cv=cv).fit(X, y[:, 0])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("cls", [Lasso, ElasticNet])
def test_several_targets_are_fitted_one_by_one(cls, kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 6)) * (rng.random((50, 6)) < 0.5)
    Y = X[:, :3] @ rng.normal(size=(3, 3)) + rng.normal(size=(50, 3)) + [0.0, 4.0, -2.0]
    weights = rng.integers(0, 3, 50)
    rows = csr_array(X) if kind == "sparse" else X
    model = cls(0.1).fit(rows, Y, weights)
    assert model.coef_.shape == (3, 6)
    assert model.intercept_.shape == model.dual_gap_.shape == (3,)
    for t in range(3):
        one = cls(0.1).fit(rows, Y[:, t], weights)
        np.testing.assert_array_equal(model.coef_[t], one.coef_)
        assert (model.intercept_[t], model.n_iter_[t]) == (one.intercept_, one.n_iter_)
        np.testing.assert_allclose(model.predict(rows)[:, t], one.predict(rows), rtol=1e-12)
    np.testing.assert_array_equal(model.sparse_coef_.toarray(), model.coef_)
    assert one.sparse_coef_.shape == (1, 6)
    scores = [r_squared(Y[:, t], model.predict(X)[:, t], None) for t in range(3)]
    np.testing.assert_allclose(model.score(X, Y), np.mean(scores))


def test_several_targets_as_those_of_scikit_learn():
    peers = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 5))
    Y = X[:, :2] @ rng.normal(size=(2, 2)) + rng.normal(size=(40, 2))
    model = ElasticNet(0.2, l1_ratio=0.7).fit(X, Y)
    peer = peers.ElasticNet(0.2, l1_ratio=0.7, tol=1e-12, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-4)
    alphas, coefs, _ = Lasso.path(X, Y[:, 0], l1_ratio=1.0, alphas=[0.1])
    np.testing.assert_allclose(coefs[:, 0], Lasso(0.1).fit(X, Y[:, 0]).coef_, atol=1e-6)
    assert alphas.tolist() == [0.1]


def test_searches_over_several_targets():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 4))
    Y = X[:, :2] + 0.1 * rng.normal(size=(60, 2))
    found = GridSearchCV(Lasso(), {"alpha": [1e-3, 1.0]}, cv=3).fit(X, Y)
    assert found.best_params_ == {"alpha": 1e-3}
    assert found.best_score_ > 0.9


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_rows_are_checked_whatever_check_input_says(kind):
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30.0)
    plain = kind(alpha=0.1).fit(X, y)
    for flag in (True, False):
        np.testing.assert_array_equal(
            kind(alpha=0.1).fit(X, y, check_input=flag).coef_, plain.coef_
        )
        with pytest.raises(ValueError, match="NaN"):
            kind().fit(np.where(X > 1, np.nan, X), y, check_input=flag)
    with pytest.raises(ValueError, match="check_input"):
        kind().fit(X, y, check_input="yes")
    with pytest.warns(UserWarning, match="precompute holds products of columns that are not cent"):
        gram = kind(alpha=0.1, precompute=X.T @ X).fit(X, y)
    np.testing.assert_allclose(gram.coef_, plain.coef_, atol=1e-6)
