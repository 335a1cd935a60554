# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models with an l1 or elastic-net penalty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize

from statfast import (
    ElasticNet,
    GammaRegressor,
    GeneralizedLinearModel,
    GridSearchCV,
    LogisticRegression,
    PoissonRegressor,
    TweedieRegressor,
    glm_path,
)
from statfast._engine import Chunks
from statfast._validation import ConvergenceWarning
from statfast.linear import NoInferenceError
from statfast.linear.glm.families import as_family, negative_binomial, tweedie
from statfast.linear.glm.links import as_link

GLM = GeneralizedLinearModel
MODELS = [
    PoissonRegressor(alpha=0.05, l1_ratio=1.0),
    PoissonRegressor(alpha=0.1, l1_ratio=0.3, fit_intercept=False),
    GammaRegressor(alpha=0.05, l1_ratio=0.7),
    TweedieRegressor(power=1.5, alpha=0.05, l1_ratio=1.0),
    TweedieRegressor(power=3, alpha=0.02, l1_ratio=0.5),
    TweedieRegressor(power=0, alpha=0.3, l1_ratio=1.0),
    TweedieRegressor(power=0, link="log", alpha=0.3, l1_ratio=0.5),
    TweedieRegressor(power=1, link="identity", alpha=0.02, l1_ratio=0.5),
    GLM("gaussian", alpha=0.2, l1_ratio=1.0),
    GLM("binomial", alpha=0.02, l1_ratio=1.0),
    GLM("binomial", "probit", alpha=0.05, l1_ratio=0.5),
    GLM("gamma", alpha=0.02, l1_ratio=0.5),
    GLM("negative_binomial", theta=2.0, alpha=0.1, l1_ratio=1.0),
    GLM("quasipoisson", "sqrt", alpha=0.05, l1_ratio=0.5),
]


def data(model, n=300, d=6, seed=0):
    """Rows, responses in the range of the family, weights of which some are 0, and an offset."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    mu = 3.0 * np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1])
    family = model.family
    if family == "binomial":
        y = (rng.random(n) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    elif family in ("gamma", "gaussian") or model.power in (0, 2.0, 3):
        y = rng.gamma(3.0, mu / 3.0)
    else:
        y = rng.poisson(mu).astype(float)
    return X, y, rng.integers(0, 4, n).astype(float), rng.normal(size=n) * 0.1


def formulas(model):
    if model.family == "tweedie":
        family = tweedie(model.power)
    elif model.family == "negative_binomial":
        family = negative_binomial(model.theta)
    else:
        family = as_family(model.family)
    link = model.link
    return family, as_link(family.link if link in (None, "auto") else link)


def misfit(model, X, y, weights=None, offset=0.0):
    """How far from a subgradient of 0 the objective is, in units of the l1 penalty."""
    weights = np.ones(len(y)) if weights is None else weights
    family, link = formulas(model)
    b = model.coef_
    eta = X @ b + model.intercept_ + offset
    mu = link.mean(eta)
    score = weights * (y - mu) * link.slope(eta, mu) / family.variance(mu) / weights.sum()
    l1, l2 = model.alpha * model.l1_ratio, model.alpha * (1 - model.l1_ratio)
    g = X.T @ score - l2 * b
    off = np.where(b == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g - l1 * np.sign(b)))
    intercept = abs(score.sum()) if model.fit_intercept else 0.0
    return max(off.max(), intercept) / l1


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("shape", [(300, 6), (60, 90)])
def test_conditions_of_optimality(model, shape):
    if model.link == "identity" and shape[0] < shape[1]:
        pytest.skip("Means of rows reach 0, the end of their range.")
    X, y, weights, offset = data(model, *shape)
    model.set_params(tol=1e-14, max_iter=500)
    model.fit(X, y, weights, offset)
    assert model.converged_
    assert misfit(model, X, y, weights, offset) < 2e-5
    dense = model.coef_
    assert shape[0] > shape[1] or (dense == 0.0).mean() > 0.3
    model.fit(sparse.csr_array(X), y, weights, offset)
    assert misfit(model, X, y, weights, offset) < 2e-5
    if shape[0] > shape[1]:
        assert_allclose(model.coef_, dense, atol=1e-5)
    # The end has all digits asked for, with the usual tolerance too.
    model.set_params(tol=1e-10).fit(X, y, weights, offset)
    assert misfit(model, X, y, weights, offset) < 2e-3


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_least_of_the_definition(model):
    """The optimum in halves of both signs, which are bounded by 0, as scipy finds it."""
    X, y, weights, _ = data(model, n=120, d=4, seed=3)
    family, link = formulas(model)
    model.set_params(tol=1e-13, max_iter=500).fit(X, y, weights)
    d, share = X.shape[1], weights / weights.sum()
    l1, l2 = model.alpha * model.l1_ratio, model.alpha * (1 - model.l1_ratio)
    used = weights > 0

    def value(halves):
        b = halves[1 : d + 1] - halves[d + 1 :]
        mu = link.mean(X @ b + halves[0])
        if not family.inside(mu):
            return 1e9
        loss = 0.5 * share[used] @ family.deviance(y[used], mu[used])
        return loss + l1 * halves[1:].sum() + 0.5 * l2 * b @ b

    def point():
        b = model.coef_
        return np.concatenate([[model.intercept_], np.maximum(b, 0), np.maximum(-b, 0)])

    start = np.zeros(2 * d + 1)
    start[0] = float(link.link(np.average(y, weights=weights))) if model.fit_intercept else 0.0
    free = (None, None) if model.fit_intercept else (0.0, 0.0)
    bounds = [free] + [(0, None)] * (2 * d)
    end = minimize(value, start, method="L-BFGS-B", bounds=bounds,
                   options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000})  # fmt: skip
    assert value(point()) <= end.fun * (1 + 1e-9)
    assert value(point()) >= end.fun * (1 - 1e-5)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weights_are_rows_and_threads_change_nothing(model):
    X, y, weights, offset = data(model, n=200)
    model.set_params(tol=1e-14, max_iter=500)
    want = model.fit(X, y, weights, offset).coef_
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    assert_allclose(model.fit(X[again], y[again], offset=offset[again]).coef_, want, atol=1e-6)
    assert_allclose(model.fit(X, y, 7.0 * weights, offset).coef_, want, atol=1e-6)
    assert_allclose(model.fit(X[:, ::-1], y, weights, offset).coef_[::-1], want, atol=1e-6)
    for n_jobs in (1, 2, 7):
        model.set_params(n_jobs=n_jobs)
        assert_array_equal(model.fit(np.asfortranarray(X), y, weights, offset).coef_,
                           model.fit(X, y, weights, offset).coef_)  # fmt: skip
    model.set_params(n_jobs=None)
    assert_allclose(model.fit(X.astype(np.float32), y, weights, offset).coef_, want, atol=1e-4)


def test_the_gaussian_family_is_the_elastic_net():
    model = GLM("gaussian", alpha=0.2, l1_ratio=0.6, tol=1e-14)
    X, y, weights, _ = data(model)
    net = ElasticNet(alpha=0.2, l1_ratio=0.6, tol=1e-14).fit(X, y, weights)
    model.fit(X, y, weights)
    assert_allclose(model.coef_, net.coef_, atol=1e-7)
    assert_allclose(model.intercept_, net.intercept_, atol=1e-7)


def test_the_binomial_family_is_logistic_regression():
    model = GLM("binomial", alpha=0.02, l1_ratio=0.6, tol=1e-14)
    X, y, _, _ = data(model)
    other = LogisticRegression(
        penalty="elasticnet", l1_ratio=0.6, C=1 / (0.02 * len(y)), tol=1e-14
    ).fit(X, y)
    assert_allclose(model.fit(X, y).coef_, other.coef_[0], atol=1e-6)


def test_exposures_are_offsets_of_logarithms():
    model = PoissonRegressor(alpha=0.05, l1_ratio=1.0)
    X, y, _, offset = data(model)
    want = model.fit(X, y, offset=offset).coef_
    assert_allclose(model.fit(X, y, exposure=np.exp(offset)).coef_, want, atol=1e-7)


def test_a_ratio_near_0_is_the_ridge_penalty():
    model = GammaRegressor(alpha=0.3)
    X, y, weights, _ = data(model)
    want = model.fit(X, y, weights).coef_
    near = GammaRegressor(alpha=0.3, l1_ratio=1e-9, tol=1e-14).fit(X, y, weights)
    assert_allclose(near.coef_, want, atol=1e-6)
    plain = GammaRegressor(alpha=0.0, l1_ratio=1.0).fit(X, y, weights)
    assert_allclose(plain.coef_, GLM("gamma", "log").fit(X, y, weights).coef_, atol=1e-8)
    assert plain.standard_errors_.shape == (7,)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_warm_start_goes_on(model):
    X, y, weights, _ = data(model)
    model.set_params(tol=1e-12, warm_start=True, max_iter=500).fit(X, y, weights)
    coefs, first = model.coef_, model.n_iter_
    model.fit(X, y, weights)
    assert model.n_iter_ <= max(2, first // 2)
    assert_allclose(model.coef_, coefs, atol=1e-5)
    model.set_params(alpha=model.alpha / 2).fit(X, y, weights)
    cold = model.__sklearn_clone__() if hasattr(model, "__sklearn_clone__") else model
    assert misfit(cold, X, y, weights) < 1e-3
    model.fit(X[:, :3], y, weights)
    assert model.coef_.shape == (3,)


@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma", "binomial"])
def test_a_warm_start_without_a_penalty(family):
    model = GLM(family, "log" if family == "gamma" else None, warm_start=True)
    X, y, _, _ = data(model)
    want, first = model.fit(X, y).coef_, model.n_iter_
    assert model.fit(X, y).n_iter_ <= max(first - 1, 1)
    assert_allclose(model.coef_, want, rtol=1e-7)


# ---------- paths
@settings(max_examples=20)
@given(
    n=st.integers(20, 80), d=st.integers(1, 40), seed=st.integers(0, 2**32 - 1),
    ratio=st.sampled_from([1.0, 0.5]), intercept=st.booleans(),
    family=st.sampled_from(["poisson", "gamma", "tweedie", "gaussian"]), offsets=st.booleans(),
)  # fmt: skip
def test_paths_are_optimal(n, d, seed, ratio, intercept, family, offsets):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 0.5
    mu = np.exp(0.4 * X[:, 0])
    y = rng.gamma(2.0, mu) if family in ("gamma", "gaussian") else rng.poisson(mu) + 0.0
    y[0] = y[0] or 1.0
    link = "log" if family == "gamma" else None
    w = rng.integers(1, 4, n).astype(float)
    offset = rng.normal(size=n) * 0.3 if offsets else None
    path = glm_path(
        X, y, family=family, link=link, l1_ratio=ratio, alphas=6, eps=0.05, sample_weight=w,
        fit_intercept=intercept, offset=offset, tol=1e-14,
    )  # fmt: skip
    assert not path.coefs[:, 0].any()
    for alpha, b, b0 in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        model = GLM(family, link, alpha=alpha, l1_ratio=ratio, fit_intercept=intercept)
        model.power = 1.5 if family == "tweedie" else None
        model.coef_, model.intercept_ = b, b0
        assert misfit(model, X, y, w, 0.0 if offset is None else offset) < 1e-4


def test_a_fit_is_a_point_of_the_path():
    X, y, weights, _ = data(PoissonRegressor())
    path = glm_path(X, y, alphas=[0.2, 0.05], sample_weight=weights, tol=1e-13)
    model = PoissonRegressor(alpha=0.05, l1_ratio=1.0, tol=1e-13).fit(X, y, weights)
    assert_allclose(path.coefs[:, 1], model.coef_, atol=1e-7)
    assert_allclose(path.intercepts[1], model.intercept_, atol=1e-7)
    assert_allclose(path.predict(X)[:, 1], np.log(model.predict(X)), atol=1e-7)


def test_standardized_columns_have_one_penalty():
    X, y, _, _ = data(PoissonRegressor())
    scale = np.array([1.0, 10.0, 0.1, 3.0, 1e4, 1e-4])
    want = glm_path(X / X.std(axis=0), y, alphas=[0.05], tol=1e-13).coefs
    found = glm_path(X * scale, y, alphas=[0.05], standardize=True, tol=1e-13).coefs
    assert_allclose(found[:, 0] * X.std(axis=0) * scale, want[:, 0], atol=1e-7)
    without = glm_path(X * scale, y, alphas=[0.05], standardize=True, fit_intercept=False)
    assert without.intercepts[0] == 0.0


def test_folds_follow_the_path():
    X, y, _, _ = data(PoissonRegressor(), n=200, d=20)
    alphas = [0.01, 0.3, 0.1, 0.03]
    grid = {"alpha": alphas, "l1_ratio": [1.0, 0.5]}
    search = GridSearchCV(PoissonRegressor(l1_ratio=1.0, tol=1e-13), grid, cv=3).fit(X, y)
    for params, mean in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        model = PoissonRegressor(tol=1e-13, **params)
        folds = np.array_split(np.arange(len(y)), 3)
        scores = []
        for fold in folds:
            train = np.setdiff1d(np.arange(len(y)), fold)
            scores.append(model.fit(X[train], y[train]).score(X[fold], y[fold]))
        assert_allclose(mean, np.mean(scores), atol=1e-7)
    mixed = GridSearchCV(PoissonRegressor(), {"l1_ratio": [0.0, 1.0]}, cv=3).fit(X, y)
    assert set(mixed.best_params_) == {"l1_ratio"}


# ---------- words
def test_what_is_said_of_a_fit():
    model = PoissonRegressor(alpha=0.3, l1_ratio=1.0)
    X, y, _, _ = data(model)
    text = str(model.fit(X, y).summary())
    assert "l1_ratio" in text
    assert "Coefficients not 0" in text
    with pytest.raises(NoInferenceError, match="Fit with alpha=0 for inference"):
        model.conf_int()


def test_errors():
    X, y, _, _ = data(PoissonRegressor())
    with pytest.raises(ValueError, match=r"l1_ratio must be at most 1; got 1\.5"):
        PoissonRegressor(l1_ratio=1.5).fit(X, y)
    with pytest.raises(ValueError, match="X must lie in memory for l1_ratio > 0"):
        PoissonRegressor(l1_ratio=1.0).fit(Chunks(lambda: iter([X])), y)
    with pytest.raises(ValueError, match="NaN"):
        PoissonRegressor(l1_ratio=1.0).fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="theta must be a number for a path"):
        glm_path(X, y, family="negative_binomial")
    with pytest.raises(ValueError, match="y must not be negative"):
        glm_path(X, -y)
    with pytest.raises(ValueError, match="exposure goes with the link 'log'"):
        glm_path(X, y, family="gaussian", exposure=np.ones(len(y)))
    with pytest.warns(ConvergenceWarning, match="glm_path did not converge in 1 iterations"):
        path = glm_path(X, y, max_iter=1)
    assert not path.n_iters.all()
    with pytest.warns(ConvergenceWarning, match="PoissonRegressor did not converge in"):
        PoissonRegressor(l1_ratio=1.0, alpha=1e-3, max_iter=1).fit(X, y)
