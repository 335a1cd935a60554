# SPDX-License-Identifier: BSD-3-Clause
"""Intervals for new observations of generalized linear models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast.linear import GeneralizedLinearModel, LinearRegression
from statfast.linear.glm.families import FAMILIES, negative_binomial
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.prediction_intervals import prediction_ends

LEVEL = 0.9


def draws_of(family, rng, mu):
    return {
        "gaussian": lambda: rng.normal(mu, 0.7),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: rng.gamma(3.0, mu / 3.0),
        "inverse_gaussian": lambda: rng.wald(mu, 4.0),
        "negative_binomial": lambda: rng.negative_binomial(2.5, 2.5 / (2.5 + mu)).astype(float),
    }[family]()


def fitted(family, n, seed=0, link="log"):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    mu = np.exp(1.2 + X @ [0.8, -0.5])
    y = draws_of(family, rng, mu)
    return GeneralizedLinearModel(family, link).fit(X, y), rng


@pytest.mark.once
@pytest.mark.parametrize(
    "family", ["gaussian", "poisson", "gamma", "inverse_gaussian", "negative_binomial"]
)
def test_new_observations_are_inside_as_often_as_said(family):
    inside, total, ties = 0, 0, 0
    for seed in range(8):
        model, rng = fitted(family, 120, seed)
        X = rng.uniform(-1, 1, (150, 2))
        y = draws_of(family, rng, np.exp(1.2 + X @ [0.8, -0.5]))
        _, ends = model.predict(X, interval="prediction", level=LEVEL)
        assert (ends[:, 0] <= ends[:, 1]).all()
        inside += int(((y >= ends[:, 0]) & (y <= ends[:, 1])).sum())
        ties += int(((y == ends[:, 0]) | (y == ends[:, 1])).sum())
        total += len(y)
    share = inside / total
    # Counts are inside a little more often, by at most those that are at an end.
    assert LEVEL - 0.03 <= share <= LEVEL + 0.03 + ties / total


def test_gaussian_as_least_squares():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.standard_normal(30)
    new = rng.standard_normal((5, 3))
    ours = GeneralizedLinearModel().fit(X, y).predict(new, se=True, interval="prediction")
    theirs = LinearRegression().fit(X, y).predict(new, se=True, interval="prediction")
    for one, other in zip(ours, theirs, strict=True):
        assert_allclose(one, other, rtol=1e-10)


def test_known_parameters_give_the_quantiles_of_the_family():
    # Of many rows the linear predictor is known: what is left are quantiles.
    stats = pytest.importorskip("scipy.stats")
    for family in ("poisson", "gamma", "inverse_gaussian", "negative_binomial"):
        model, _ = fitted(family, 200_000)
        X = np.array([[0.0, 0.0], [0.5, -0.5], [-1.0, 1.0]])
        means, ends = model.predict(X, interval="prediction", level=0.8)
        d = model.dispersion_
        law = {
            "poisson": lambda mu: stats.poisson(mu),
            "gamma": lambda mu, d=d: stats.gamma(1 / d, scale=mu * d),
            "inverse_gaussian": lambda mu, d=d: stats.invgauss(mu * d, scale=1 / d),
            "negative_binomial": lambda mu, th=model.theta_: stats.nbinom(th, th / (th + mu)),
        }[family]
        for mu, (low, high) in zip(means, ends, strict=True):
            # The small errors of the means widen intervals by their squares, those of counts not.
            assert_allclose([low, high], law(mu).ppf([0.1, 0.9]), rtol=1e-4, atol=1e-9)


def test_counts_of_a_large_theta_are_those_of_poisson():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 1))
    mu = np.exp(1 + X[:, 0])
    y = np.round(mu)  # less spread than Poisson's counts: theta is infinite
    with pytest.warns(UserWarning, match="theta has no finite estimate"):
        counts = GeneralizedLinearModel(family="negative_binomial").fit(X, y)
    poisson = GeneralizedLinearModel(family="poisson").fit(X, y)
    ends = poisson.predict(X, interval="prediction")[1]
    assert_allclose(counts.predict(X, interval="prediction")[1], ends, rtol=1e-6)
    eta = np.log(mu)
    more = (LINKS["log"], eta, np.full(len(eta), 0.1), 1.0, 0.9, 1.645)
    wanted = prediction_ends(FAMILIES["poisson"], *more)
    for theta in (1e12, 1e18, np.inf):
        assert_allclose(prediction_ends(negative_binomial(theta), *more), wanted, rtol=1e-9)


def test_an_unsure_predictor_widens_the_interval():
    stats = pytest.importorskip("scipy.stats")
    model, _ = fitted("gamma", 20)
    X = np.array([[0.0, 0.0], [3.0, -3.0]])
    _, ends = model.predict(X, interval="prediction")
    _, near = model.predict(X, interval="confidence")
    assert (ends[:, 0] < near[:, 0]).all()
    assert (ends[:, 1] > near[:, 1]).all()
    # And past the quantiles of the family where the mean is what it is estimated to be.
    d = model.dispersion_
    for mu, (low, high), wider in zip(model.predict(X), ends, (1.01, 1.1), strict=True):
        sure = stats.gamma.ppf([0.025, 0.975], 1 / d, scale=mu * d)
        assert low < sure[0] / wider
        assert high > sure[1] * wider


def test_binomial_observations_are_0_or_1():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 1))
    y = (X[:, 0] * 3 + rng.logistic(size=300) > 0).astype(float)
    model = GeneralizedLinearModel("binomial").fit(X, y)
    _, ends = model.predict([[-5.0], [0.0], [5.0]], interval="prediction")
    assert ends.tolist() == [[0, 0], [0, 1], [1, 1]]


def test_inverse_links_keep_their_side():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 1, (40, 1))
    y = rng.gamma(5.0, 1 / (0.5 + X[:, 0]) / 5.0)
    model = GeneralizedLinearModel("gamma").fit(X, y)
    _, ends = model.predict([[0.0], [1.0], [-0.45]], interval="prediction")
    assert (ends > 0).all()
    assert np.isfinite(ends).all()


@pytest.mark.parametrize("family", ["quasi", "quasipoisson", "quasibinomial"])
def test_no_distribution_no_prediction(family):
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((50, 2)), rng.uniform(0.2, 0.8, 50)
    model = GeneralizedLinearModel(family).fit(X, y)
    with pytest.raises(ValueError, match="needs a distribution"):
        model.predict(X, interval="prediction")
