# SPDX-License-Identifier: BSD-3-Clause
"""Tweedie, Poisson and gamma regression with a ridge penalty."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize

from statfast import (
    GammaRegressor,
    GeneralizedLinearModel,
    PoissonRegressor,
    TweedieRegressor,
    cross_val_score,
)
from statfast.linear.inference.inference import NoInferenceError
from statfast.metrics import mean_tweedie_deviance


def data(n=240, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.poisson(2.0 * np.exp(X[:, :2] @ [0.3, -0.2])) + rng.choice([0.25, 1.0], n)
    return X, y, rng.integers(1, 4, n).astype(float)


MODELS = [
    TweedieRegressor(),
    TweedieRegressor(power=0, link="log", alpha=0.01),
    TweedieRegressor(power=1.5, alpha=0.1, fit_intercept=False),
    TweedieRegressor(power=3, alpha=2.0),
    PoissonRegressor(),
    PoissonRegressor(alpha=0.03, fit_intercept=False),
    GammaRegressor(),
    GammaRegressor(alpha=50.0),
]


def objective(model, X, y, weights):
    """What is minimized, as a function of intercept and coefficients: the definition."""
    power = model.power
    link = "identity" if power == 0 and model.link == "auto" else "log"

    def value(b):
        eta = X @ b[1:] + (b[0] if model.fit_intercept else 0.0)
        mu = eta if link == "identity" else np.exp(eta)
        half = 0.5 * mean_tweedie_deviance(y, mu, power=power, sample_weight=weights)
        return half + 0.5 * model.alpha * b[1:] @ b[1:]

    return value


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_least_of_the_definition(model):
    X, y, weights = data()
    model.fit(X, y, weights)
    value = objective(model, X, y, weights)
    found = np.append(model.intercept_, model.coef_)
    twin = minimize(value, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert_allclose(found[int(not model.fit_intercept) :], twin.x[int(not model.fit_intercept) :],
                    atol=2e-5)  # fmt: skip
    least = value(found)
    for step in np.eye(5)[int(not model.fit_intercept) :] * 1e-3:
        assert value(found + step) > least
        assert value(found - step) > least


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_as_scikit_learn(model):
    peers = pytest.importorskip("sklearn.linear_model")
    X, y, weights = data()
    own = ("n_jobs", "tol", "max_iter", "l1_ratio")
    params = {k: v for k, v in model.get_params().items() if k not in own}
    theirs = getattr(peers, type(model).__name__)(**params, tol=1e-9, max_iter=10_000)
    theirs.fit(X, y, weights)
    model.fit(X, y, weights)
    assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(model.intercept_, theirs.intercept_, atol=1e-6)
    assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-5)
    assert_allclose(model.score(X, y, weights), theirs.score(X, y, weights), atol=1e-8)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weights_threads_layouts_and_sparse_rows(model):
    X, y, weights = data(n=6000)  # some blocks
    plain = model.fit(X, y, weights).coef_
    repeats = np.repeat(np.arange(len(y)), weights.astype(int))
    assert_allclose(model.fit(X[repeats], y[repeats]).coef_, plain, rtol=1e-6, atol=1e-9)
    for layout in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1].copy()[::-1]):
        for n_jobs in (1, 2, 7):
            model.set_params(n_jobs=n_jobs)
            assert_array_equal(model.fit(layout, y, weights).coef_, plain)
    model.set_params(n_jobs=None)
    assert_allclose(model.fit(sparse.csr_array(X), y, weights).coef_, plain, rtol=1e-6, atol=1e-9)


def test_without_a_penalty_there_is_inference():
    X, y, weights = data()
    model = PoissonRegressor(alpha=0).fit(X, y, weights)
    same = GeneralizedLinearModel("quasipoisson").fit(X, y, weights)
    assert_allclose(model.standard_errors_, same.standard_errors_)
    assert_allclose(model.coef_, same.coef_)
    penalized = PoissonRegressor(alpha=1e-3).fit(X, y)
    with pytest.raises(NoInferenceError, match="Fit with alpha=0 for inference"):
        penalized.conf_int()
    assert not hasattr(model, "odds_ratios")
    assert not hasattr(GammaRegressor, "odds_ratios")
    with pytest.raises(AttributeError, match=r"its link is not the logit\. Ask for rate_ratios"):
        _ = model.odds_ratios
    assert re.search(r"alpha: +0.001\b", str(penalized.summary()))
    assert re.search(r"Family: +tweedie, power 1\b", str(model.summary()))


def test_a_warm_start_is_one_pass_at_the_solution():
    X, y, _ = data()
    cold = GammaRegressor().fit(X, y)
    warm = GammaRegressor(warm_start=True).fit(X, y)
    assert warm.n_iter_ == cold.n_iter_ > 1
    again = warm.fit(X, y)
    assert again.n_iter_ == 1
    assert_allclose(again.coef_, cold.coef_, rtol=1e-9)
    assert_allclose(again.fit(X[:, :2], y).coef_, GammaRegressor().fit(X[:, :2], y).coef_)


def test_steps_that_shrink_slowly_are_corrected():
    X, y, _ = data(2000)
    model = GammaRegressor().fit(X, y)  # Fisher's steps alone take 12
    assert model.n_iter_ <= 4
    excess = y / model.predict(X) - 1
    assert abs(excess.mean()) < 1e-9
    assert_allclose(X.T @ excess / len(X), model.coef_, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "d", "alpha"), [(3000, 80, 1e-6), (3000, 80, 0.1), (12_000, 90, 1e-3)]
)
def test_many_columns_end_by_their_scores(n, d, alpha):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d)) * np.exp(rng.normal(size=d))
    y = rng.poisson(np.exp(0.1 * X @ rng.normal(size=d))).astype(float)
    model = PoissonRegressor(alpha=alpha).fit(X, y)
    mu = model.predict(X)
    score = X.T @ (y - mu) / n - alpha * model.coef_
    information = (X.T * mu) @ X / n + alpha * np.eye(d)
    assert model.converged_
    assert score @ np.linalg.solve(information, score) < 1e-20  # tol^2
    assert abs((y - mu).mean()) < 1e-10


def test_rates_with_weights_are_counts_with_exposures():
    rng = np.random.default_rng(3)
    X, time = rng.normal(size=(300, 2)), rng.uniform(0.5, 4.0, 300)
    counts = rng.poisson(time * np.exp(0.2 + X @ [0.4, -0.1]))
    rates = PoissonRegressor(alpha=0).fit(X, counts / time, time)
    exposed = PoissonRegressor(alpha=0).fit(X, counts, exposure=time)
    assert_allclose(rates.coef_, exposed.coef_, rtol=1e-8)


def test_each_fold_has_its_own_sum_of_weights():
    X, y, _ = data(n=60)
    scores = cross_val_score(PoissonRegressor(alpha=0.5), X, y, cv=3)
    rows = np.arange(60).reshape(3, 20)
    for score, out in zip(scores, rows, strict=True):
        kept = np.setdiff1d(np.arange(60), out)
        alone = PoissonRegressor(alpha=0.5).fit(X[kept], y[kept])
        assert_allclose(score, alone.score(X[out], y[out]), rtol=1e-9)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"power": 0.5}, "power must not lie between 0 and 1"),
        ({"power": 1e-9}, "power must not lie between 0 and 1"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"alpha": np.nan}, "alpha must be"),
        ({"link": "nonsense"}, "link must be one of"),
        ({"solver": "nonsense"}, "takes solver from scikit-learn's parameters only as"),
    ],
)
def test_odd_parameters(params, message):
    X, y, _ = data(n=30)
    with pytest.raises(ValueError, match=message):
        TweedieRegressor(**params).fit(X, y)


def test_responses_out_of_range():
    X, y, _ = data(n=30)
    with pytest.raises(ValueError, match="y must be positive"):
        GammaRegressor().fit(X, y - y.min())
    with pytest.raises(ValueError, match="y must be not negative"):
        PoissonRegressor().fit(X, y - 5)


@pytest.mark.parametrize("power", [-2.0, -0.5, 2.5, 5.0, 8.0])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_powers_of_other_stable_distributions(power, alpha):
    peers = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.gamma(3.0, np.exp(0.3 * X[:, 0] + 1.0) / 3.0) - (1.0 if power < 0 else 0.0)
    how = {"power": power, "alpha": alpha, "link": "log"}
    peer = peers.TweedieRegressor(**how, tol=1e-9, max_iter=10_000).fit(X, y)
    model = TweedieRegressor(**how).fit(X, y)
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert_allclose(model.score(X, y), peer.score(X, y), atol=1e-7)
    sparser = TweedieRegressor(power=power, alpha=0.1, l1_ratio=1.0, link="log").fit(X, y)
    assert sparser.converged_
    with pytest.raises(ValueError, match="y must be between"):
        TweedieRegressor(**how).fit(X, np.append(y[1:], 1e120))
