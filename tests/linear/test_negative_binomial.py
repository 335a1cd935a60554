# SPDX-License-Identifier: BSD-3-Clause
"""Negative binomial regression where theta is large: the limit is Poisson's."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import CollinearityWarning
from statfast.linear import GeneralizedLinearModel
from statfast.linear.glm.families import negative_binomial
from statfast.linear.glm.negative_binomial import _score


def exact(theta, y, mu):
    """Deviance, log-likelihood and its derivative in theta, of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        t, m = Decimal(float(theta)), Decimal(float(mu))
        steps = range(int(y))
        rising = sum((t + k).ln() for k in steps)
        factorial = sum(Decimal(k + 1).ln() for k in steps)
        own = Decimal(y) * (Decimal(y) / m).ln() if y else Decimal(0)
        deviance = 2 * (own - (y + t) * ((y + t) / (m + t)).ln())
        loglik = rising - factorial + t * t.ln() + y * m.ln() - (y + t) * (t + m).ln()
        slope = sum((1 / (t + k) for k in steps), Decimal(0))
        slope += (t / (t + m)).ln() + 1 - (y + t) / (t + m)
        return float(deviance), float(loglik), float(slope)


@pytest.mark.parametrize("theta", [0.5, 30.0, 999.0, 1001.0, 1e6, 1e9, 1e12])
@pytest.mark.parametrize(("y", "mu"), [(0, 1.5), (3, 2.5), (12, 30.0), (700, 650.0)])
def test_no_digits_are_lost_where_theta_is_large(theta, y, mu):
    deviance, loglik, slope = exact(theta, y, mu)
    family, counts, means = negative_binomial(theta), np.array([float(y)]), np.array([mu])
    apart = 1e-15 * abs(y * np.log(max(y, 1) / mu))  # of which the deviance is a difference
    assert_allclose(family.deviance(counts, means)[0], deviance, rtol=1e-11, atol=8 * apart)
    assert_allclose(family.likelihood(counts, means, 1.0, 1.0)[0], loglik, rtol=1e-11)
    first, second = _score(theta, counts, means, None)
    # Below 1000 digamma's difference is that of numbers up to log(theta + y), of 16 digits.
    rounding = 1e-15 * np.log(theta + y + 2) if theta < 1000 else 0.0
    assert_allclose(first, slope, rtol=1e-7, atol=8 * rounding)
    width = 1e-4 * theta
    ends = [exact(theta + sign * width, y, mu)[2] for sign in (1, -1)]
    difference = (ends[0] - ends[1]) / (2 * width)
    assert_allclose(second, difference, rtol=1e-2, atol=8 * rounding / theta)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_that_vary_less_than_poisson_have_its_estimates(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(32, 2))
    y = np.round(np.exp(0.8 + X @ [0.3, -0.2]))
    weights = rng.integers(1, 4, 32).astype(float) if weighted else None
    with pytest.warns(UserWarning, match="theta has no finite estimate") as caught:
        model = GeneralizedLinearModel("negative_binomial").fit(X, y, weights)
    assert len(caught) == 1
    poisson = GeneralizedLinearModel("poisson").fit(X, y, weights)
    assert model.converged_
    assert model.theta_ == np.inf
    assert_allclose(model.coef_, poisson.coef_, rtol=1e-12)
    assert_allclose(model.standard_errors_, poisson.standard_errors_, rtol=1e-12)
    assert_allclose(model.log_likelihood_, poisson.log_likelihood_, rtol=1e-12)
    assert_allclose(model.predict(X), poisson.predict(X), rtol=1e-12)
    assert "inf" in str(model.summary())


def test_a_theta_that_is_large_and_finite():
    y = np.repeat([0.0, 3.0, 5.0], [110, 200, 200])
    x = np.tile([-1.0, 1.0], len(y) // 2)[:, None]  # of no use
    weights, low, high = np.ones(len(y)), 0.0, 2.0
    for _ in range(60):  # weights of the zeros, for a variance just above the mean
        weights[y == 0] = 0.5 * (low + high)
        mean = np.average(y, weights=weights)
        spread = np.average((y - mean) ** 2, weights=weights)
        low, high = (weights[0], high) if spread < mean * (1 + 1e-5) else (low, weights[0])
    model = GeneralizedLinearModel("negative_binomial").fit(x, y, weights)
    assert model.converged_
    assert 1e5 < model.theta_ < 1e6
    slopes = [0.0, 0.0]
    for value in np.unique(y):
        mass = weights[y == value].sum()
        for side, factor in enumerate((0.9, 1.1)):
            slopes[side] += mass * exact(factor * model.theta_, int(value), mean)[2]
    assert slopes[0] > 0 > slopes[1]


def test_collinear_columns_are_told_once():
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    y = rng.negative_binomial(2, 0.4, 60).astype(float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GeneralizedLinearModel("negative_binomial").fit(np.column_stack([x, 2 * x]), y)
    assert [one.category for one in caught] == [CollinearityWarning]


@pytest.mark.once
def test_small_counts_of_mtcars(shared_data):
    table = np.genfromtxt(shared_data("r", "datasets_mtcars.csv"), delimiter=",", names=True)
    names = [name for name in table.dtype.names if np.isfinite(table[name]).all()]
    finite = limits = 0
    for count in ("carb", "cyl", "gear", "vs", "am"):
        for other in names:
            if other == count:
                continue
            X, y = table[other][:, None], table[count]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = GeneralizedLinearModel("negative_binomial").fit(X, y)
            assert model.converged_
            assert len(caught) == (model.theta_ == np.inf)
            finite, limits = finite + (model.theta_ < np.inf), limits + (model.theta_ == np.inf)
    assert limits > 20
