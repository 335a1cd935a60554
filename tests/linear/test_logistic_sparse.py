# SPDX-License-Identifier: BSD-3-Clause
"""LogisticRegression with l1 and elastic-net penalties: conditions of the minimum, and peers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit, log_softmax, softmax

from statfast import Chunks
from statfast.linear import LogisticRegression
from statfast.linear.glm.matrix_free import SparseProducts
from statfast.linear.logistic.softmax_newton import _Softmax, _SparseLoss
from tests.data import softmax_labels

RATIOS = {"l1": 1.0, "elasticnet": 0.3}


def rows_of(n, d, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.logspace(-1, 1, d) + rng.standard_normal(d)
    scores = (X - X.mean(0)) / X.std(0) @ rng.standard_normal((d, n_classes))
    return X, softmax_labels(scores, rng)


def require_minimum(gradient, coef, C, ratio):
    """KKT: minus the gradient of the loss is in the subgradient of the penalty."""
    pull = -C * gradient - (1 - ratio) * coef
    on = coef != 0
    assert_allclose(pull[on], ratio * np.sign(coef[on]), atol=2e-6 * max(1, C))
    assert (np.abs(pull[~on]) <= ratio + 1e-9).all()


@pytest.mark.parametrize("penalty", RATIOS)
@pytest.mark.parametrize("C", [0.01, 0.1, 3.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_classes(penalty, C, fit_intercept):
    X, y = rows_of(300, 8, 2)
    w = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    model = LogisticRegression(C=C, l1_ratio=RATIOS[penalty], fit_intercept=fit_intercept).fit(
        X, y, w
    )
    assert model.converged_
    apart = w * (expit(model.decision_function(X)) - y)
    require_minimum(X.T @ apart, model.coef_[0], C, RATIOS[penalty])
    if fit_intercept:
        assert abs(apart.sum()) < 1e-6
    else:
        assert model.intercept_[0] == 0.0
    heavy = np.repeat(np.arange(len(X)), w.astype(int))
    other = model.__class__(**model.get_params()).fit(X[heavy], y[heavy])
    assert_allclose(other.coef_, model.coef_, atol=1e-6)


@pytest.mark.parametrize("penalty", RATIOS)
@pytest.mark.parametrize("C", [0.01, 0.1, 3.0])
@pytest.mark.parametrize("K", [3, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_multinomial(penalty, C, K, fit_intercept):
    X, y = rows_of(300, 6, K, seed=K)
    w = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    model = LogisticRegression(C=C, l1_ratio=RATIOS[penalty], fit_intercept=fit_intercept).fit(
        X, y, w
    )
    assert model.converged_
    apart = w[:, None] * (softmax(model.decision_function(X), axis=1) - np.eye(K)[y])
    require_minimum((X.T @ apart).T, model.coef_, C, RATIOS[penalty])
    if fit_intercept:
        assert np.abs(apart.sum(axis=0)).max() < 1e-6
    logs = log_softmax(model.decision_function(X), axis=1)[np.arange(len(X)), y]
    assert_allclose(model.log_likelihood_, w @ logs, rtol=1e-9)
    assert (model.coef_ == 0).any() or penalty == "elasticnet" or C > 0.1
    kept = np.count_nonzero(model.coef_) + np.count_nonzero(model.intercept_)
    assert_allclose(model.df_residual_, (K - 1) * w.sum() - kept)
    assert_allclose(model.df_null_, (K - 1) * (w.sum() - fit_intercept))


def test_one_against_the_rest_is_one_fit_a_class():
    X, y = rows_of(200, 5, 3)
    model = LogisticRegression(C=0.2, l1_ratio=1.0, multi_class="ovr").fit(X, y)
    for k in range(3):
        one = LogisticRegression(C=0.2, l1_ratio=1.0).fit(X, y == k)
        assert_allclose(model.coef_[k], one.coef_[0])
        assert_allclose(model.intercept_[k], one.intercept_[0])
    assert set(model.results_) == {"0", "1", "2"}
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("penalty", RATIOS)
def test_as_scikit_learn(K, penalty):
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = rows_of(150, 5, K)
    X = (X - X.mean(0)) / X.std(0)
    C, ratio = 0.3, RATIOS[penalty]
    peer = linear.LogisticRegression(
        C=C, l1_ratio=ratio, solver="saga", tol=1e-10, max_iter=100_000, random_state=0
    ).fit(X, y)
    model = LogisticRegression(C=C, l1_ratio=ratio).fit(X, y)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert ((model.coef_ == 0) == (peer.coef_ == 0)).all()


def test_ends_of_the_elastic_net():
    X, y = rows_of(150, 5, 3)
    for ratio, near in ((0.0, 1e-9), (1.0, 1 - 1e-9)):
        net = LogisticRegression(l1_ratio=near, C=0.1).fit(X, y)
        one = LogisticRegression(l1_ratio=ratio, C=0.1).fit(X, y)
        assert_allclose(net.coef_, one.coef_, atol=1e-7)


def test_strong_penalties_leave_the_intercept():
    X, y = rows_of(100, 4, 3)
    for kind in ("multinomial", "ovr"):
        model = LogisticRegression(C=1e-6, l1_ratio=1.0, multi_class=kind).fit(X, y)
        assert (model.coef_ == 0).all()
        shares = np.bincount(y) / len(y)
        assert_allclose(model.predict_proba(X), np.tile(shares, (len(X), 1)), atol=1e-7)


def test_more_columns_than_rows_and_sparse_rows():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 120)) * (rng.random((40, 120)) < 0.3)
    y = (X[:, :3].sum(1) + 0.3 * rng.standard_normal(40) > 0).astype(int) + (X[:, 4] > 0.8)
    for kind in ("multinomial", "ovr"):
        model = LogisticRegression(C=0.5, l1_ratio=1.0, multi_class=kind).fit(X, y)
        same = LogisticRegression(C=0.5, l1_ratio=1.0, multi_class=kind).fit(sparse.csr_array(X), y)
        assert 0 < np.count_nonzero(model.coef_) < 120
        assert_allclose(model.coef_, same.coef_, atol=1e-10)


def test_what_is_refused():
    X, y = rows_of(100, 4, 2)
    model = LogisticRegression(C=1.0, l1_ratio=1.0).fit(X, y)
    assert "Coefficients not 0" in str(model.summary())
    for name in ("standard_errors_", "p_values_", "covariance_", "aic_"):
        with pytest.raises(ValueError, match="penalized fit"):
            getattr(model, name)
    with pytest.raises(ValueError, match="offset has no part in a fit with l1_ratio"):
        model.fit(X, y, offset=np.ones(100))
    with pytest.raises(ValueError, match="takes no Chunks"):
        model.fit(Chunks(lambda: iter([X])), y)
    with pytest.raises(ValueError, match="l1_ratio must be at most 1"):
        LogisticRegression(C=1.0, l1_ratio=1.5).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="X contains NaN, first at row 3, column 1"):
        model.fit(X, y)
    X, y = rows_of(100, 4, 3)
    with pytest.raises(ValueError, match="takes no Chunks"):
        model.fit(Chunks(lambda: iter([X])), y)


@pytest.mark.parametrize("K", [2, 3])
def test_same_bits_for_any_number_of_threads(K):
    X, y = rows_of(3000, 6, K)
    first, *others = (
        LogisticRegression(C=0.05, l1_ratio=1.0, n_jobs=jobs).fit(X, y).coef_ for jobs in (1, 2, 7)
    )
    for other in others:
        assert (other == first).all()


@pytest.mark.parametrize("seed", [0, 30])  # 30: all products were spent on what rounding left
def test_columns_that_sum_to_the_intercept_end_the_fit_too(seed):
    """Rounding leaves a term common to all classes in the gradient, which no step may follow."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(3, size=100)
    y = np.where(rng.random(100) < 0.85, kinds, rng.integers(3, size=100))
    dense = LogisticRegression(C=1.0).fit(np.eye(3)[kinds], y)
    rows = LogisticRegression(C=1.0).fit(sparse.csr_array(np.eye(3)[kinds]), y)  # no warning
    assert_allclose(rows.coef_, dense.coef_, atol=1e-7)


def test_the_preconditioner_of_sparse_classes_is_symmetric():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5))
    loss = _Softmax(rng.integers(3, size=30), None)
    objective = _SparseLoss(SparseProducts(X, True), loss, np.array([0.0, 1, 1, 1, 1]), 3)
    solve = objective.rough(objective.point_at(rng.normal(size=15)))
    table = np.array([solve(row) for row in np.eye(15)])
    assert_allclose(table, table.T, rtol=0, atol=1e-12 * np.abs(table).max())
    assert np.linalg.eigvalsh(table)[0] > -1e-12 * np.abs(table).max()


def test_correlated_columns_of_several_classes_do_not_zigzag(monkeypatch):
    from statfast.linear.penalized.coordinate_descent import Descent

    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4)) @ rng.standard_normal((4, 80))
    X += 0.05 * rng.standard_normal(X.shape)
    y = softmax_labels(X[:, :3], rng)
    steps, newton = [], Descent._newton
    monkeypatch.setattr(Descent, "_newton", lambda self, *a: (steps.append(1), newton(self, *a)))
    model = LogisticRegression(C=10.0, l1_ratio=1.0).fit(X, y)
    assert model.converged_
    p = softmax(model.decision_function(X), axis=1)
    p[np.arange(len(y)), y] -= 1.0
    require_minimum((p.T @ X).ravel(), model.coef_.ravel(), 10.0, 1.0)
    assert len(steps) < 800  # 1135 where each step solved its lasso to rounding, at once


@pytest.mark.parametrize("penalty", RATIOS)
def test_sparse_rows_of_two_classes_are_not_filled_in(monkeypatch, penalty):
    from statfast.linear.design import design

    rng = np.random.default_rng(0)
    X = sparse.random_array((150, 300), density=0.03, random_state=rng, format="csr")
    y = (X[:, :20].sum(axis=1) + 0.3 * rng.standard_normal(150) > 0.3).astype(int)
    how = {"C": 5.0, "l1_ratio": RATIOS[penalty]}
    full = LogisticRegression(**how).fit(X.toarray(), y)
    monkeypatch.setattr(design, "MAX_FILLED", 0)
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    monkeypatch.setattr(sparse.csc_array, "toarray", None)
    free = LogisticRegression(**how).fit(X, y)
    assert free.converged_
    assert_allclose(free.coef_, full.coef_, rtol=0, atol=1e-6)  # of gaps of 1e-10 of the loss
    apart = expit(free.decision_function(X)) - y
    require_minimum(X.T @ apart, free.coef_[0], 5.0, RATIOS[penalty])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.5, 50.0])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_words_meet_the_conditions_of_optimality(intercept, C, far):
    """Of sparse columns some far more frequent than others, and one far from zero in all rows."""
    rng = np.random.default_rng(7)
    share = 1.0 / np.arange(1, 401)
    column = rng.choice(400, 12 * 300, p=share / share.sum())
    X = sparse.coo_array(
        (rng.exponential(size=3600), (np.repeat(np.arange(300), 12), column)), shape=(300, 400)
    ).tocsr()
    X = sparse.csr_array(sparse.hstack([X, (far + rng.standard_normal(300))[:, None]]))
    y = (X[:, :30] @ rng.standard_normal(30) + rng.logistic(size=300) > 0).astype(float)
    how = {"C": C, "l1_ratio": 1.0, "fit_intercept": intercept}
    fits = [LogisticRegression(**how, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 7)]
    for other in fits[1:]:
        assert_array_equal(other.coef_, fits[0].coef_)
    model = fits[0]
    assert model.converged_
    apart = expit(model.decision_function(X)) - y
    if intercept:
        assert abs(apart.sum()) <= 1e-7 * (1.0 + far)
    gradient = (X - X.mean(axis=0)).T @ apart if intercept else X.T @ apart
    pull, on = -C * np.asarray(gradient).ravel(), model.coef_[0] != 0
    scale = np.ones(401)
    scale[-1] += far
    bound = 1e-4 * max(1.0, C) * scale
    assert (np.abs(pull[on] - np.sign(model.coef_[0][on])) <= bound[on]).all()
    assert (np.abs(pull) <= 1.0 + bound).all()
