# SPDX-License-Identifier: BSD-3-Clause
"""Likelihoods, intervals and tests against their formulas, written out here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast.linear import GeneralizedLinearModel, LinearRegression, LogisticRegression, drop1
from statfast.linear.glm.links import as_link
from statfast.linear.glm.prediction_intervals import _InverseGaussian
from statfast.linear.glm.profile import end_of
from tests.linear.test_glm import data
from tests.linear.test_prediction_intervals import fitted


@pytest.mark.parametrize("model", [LinearRegression, GeneralizedLinearModel])
@pytest.mark.parametrize("zeros", [0, 3])
def test_weighted_gaussian_likelihood_as_r(model, zeros):
    """logLik and AIC of R's ``lm(weights = w)``: rows of weight 0 are none."""
    X, y = data("gaussian", None)
    w = np.random.default_rng(5).uniform(0.1, 7.0, len(y))
    w[:zeros] = 0.0
    fit = model(weight_type="analytic").fit(X, y, sample_weight=w)
    squares = w @ (y - fit.predict(X)) ** 2
    n = len(y) - zeros
    scale = np.log(2 * np.pi) + 1 - np.log(n) + np.log(squares)
    expected = 0.5 * (np.log(w[zeros:]).sum() - n * scale)
    assert_allclose(fit.log_likelihood_, expected, rtol=1e-12)
    assert_allclose(fit.aic_, -2 * expected + 2 * (X.shape[1] + 2), rtol=1e-12)


def test_a_profile_interval_with_an_end_far_away():
    """One failure in thirty trials: the likelihood is as skew as can be."""
    y = np.r_[0.0, np.ones(29)]
    X, level = np.ones((30, 1)), 0.9999
    model = LogisticRegression(fit_intercept=False).fit(X, y)
    low, high = model.conf_int(level=level, method="profile", X=X, y=y)[0]
    best = np.log(29.0)

    def deviance(b):
        return 2 * (b * (30 - 29) + 30 * np.log1p(np.exp(-b)))

    rise = model._result.quantile(level) ** 2
    for end in (low, high):
        assert_allclose(deviance(end) - deviance(best), rise, rtol=1e-6)
    assert low < best < high
    assert high - best > 6.0 * model.standard_errors_[0]


def test_the_inverse_gaussian_distribution():
    stats = pytest.importorskip("scipy.stats")
    y = np.geomspace(0.05, 30.0, 40)
    for mean in (0.3, 1.0, 5.0):
        for dispersion in (0.02, 0.5, 4.0):
            law = stats.invgauss(mean * dispersion, scale=1 / dispersion)
            ours = _InverseGaussian(None, dispersion)(y, np.full(40, mean))
            assert_allclose(ours, law.cdf(y), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("family", ["gamma", "inverse_gaussian", "gaussian"])
def test_prediction_intervals_of_few_rows_are_widened_as_t_is(family):
    """The mixture over the linear predictor, its error times t over z, holds what it says."""
    stats = pytest.importorskip("scipy.stats")
    model, _ = fitted(family, 8, seed=3)
    X, level = np.array([[0.2, -0.1], [0.5, 0.5]]), 0.9
    _, ends = model.predict(X, interval="prediction", level=level)
    d, rest = model.dispersion_, model.df_residual_
    laws = {
        "gamma": lambda mu: stats.gamma(1 / d, scale=mu * d),
        "inverse_gaussian": lambda mu: stats.invgauss(mu * d, scale=1 / d),
        "gaussian": lambda mu: stats.norm(mu, np.sqrt(d)),
    }
    Z = np.column_stack([np.ones(2), X])
    error = np.sqrt(np.einsum("ij,jk,ik->i", Z, model.covariance_, Z))
    wider = stats.t(rest).ppf(0.95) / stats.norm.ppf(0.95)
    assert wider > 1.2
    nodes = np.linspace(-8, 8, 4001)
    density = stats.norm.pdf(nodes) / stats.norm.pdf(nodes).sum()
    for eta, own, two in zip(Z @ np.r_[model.intercept_, model.coef_], error, ends, strict=True):
        for times, right in ((wider, True), (1.0, False)):
            law = laws[family](as_link("log").mean(eta + times * own * nodes))
            held = [float(density @ law.cdf(end)) for end in two]
            near = np.abs(np.subtract(held, [0.05, 0.95])).max()
            assert near < 1e-6 if right else near > 1e-4


@pytest.mark.parametrize(
    ("model", "family"),
    [
        (GeneralizedLinearModel("gamma", "log"), "gamma"),
        (GeneralizedLinearModel(), "gaussian"),
        (LinearRegression(), "gaussian"),
    ],
)
def test_drop1_measures_in_units_of_the_dispersion(model, family):
    X, y = data(family, "log" if family == "gamma" else None)
    y = 3.0 * y  # a dispersion that is not 1
    table = drop1(model, X, y)
    whole = type(model)(**model.get_params()).fit(X, y)
    dispersion = whole._result.dispersion
    assert abs(dispersion - 1.0) > 0.1
    for j in range(X.shape[1]):
        less = type(model)(**model.get_params()).fit(np.delete(X, j, axis=1), y)
        rise = less._result.deviance - whole._result.deviance
        assert_allclose(table.columns["LRT"][j + 1], rise / dispersion, rtol=1e-8)
        assert_allclose(table.columns["F"][j + 1], rise / dispersion, rtol=1e-8)  # one column


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("slope", [0.5, 0.8, 1.5])
def test_the_end_of_an_interval_along_a_straight_line_takes_two_fits(sign, slope):
    tried = []

    def root(value, start):
        tried.append(value)
        return slope * abs(value - 3.0) / 0.2 - 1.96, start

    assert_allclose(end_of(root, 3.0, None, sign * 0.2, 1.96), 3.0 + sign * 0.2 * 1.96 / slope)
    assert len(tried) == 2
