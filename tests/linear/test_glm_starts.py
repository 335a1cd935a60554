# SPDX-License-Identifier: BSD-3-Clause
"""Where iterations may begin: responses for which no start, or no end, gives finite means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast.linear import GeneralizedLinearModel

NO_START = "y such that no start gives finite means"


def problem(seed):
    """Responses of both signs, as half of the links cannot have them for means."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.choice([8, 12, 17, 30])), 2))
    return X, rng.normal(size=len(X))


@pytest.mark.filterwarnings("ignore:The likelihood has no finite maximum")
@pytest.mark.filterwarnings("ignore::statfast.ConvergenceWarning")
@pytest.mark.parametrize("link", ["log", "inverse", "sqrt"])
def test_a_fit_is_finite_or_refused(link):
    refused = fitted = 0
    for seed in range(40):
        X, y = problem(seed)
        try:
            model = GeneralizedLinearModel("gaussian", link).fit(X, y)
        except ValueError as error:
            assert NO_START in str(error)  # noqa: PT017 (most fits have none)
            assert y.mean() < 0  # else that is a start
            assert link != "inverse"
            refused += 1
            continue
        assert np.isfinite([*model.coef_, model.intercept_, model.deviance_]).all()
        fitted += 1
    assert fitted > 10
    assert refused > 10 or link == "inverse"


def test_a_valid_start_is_used_though_some_responses_are_negative():
    X, y = problem(0)
    y = np.exp(0.3 * X[:, 0] + 1.0) + 0.1 * y
    y[X[:, 0].argmin()] = -0.1
    model = GeneralizedLinearModel("gaussian", "log").fit(X, y)
    mu = model.predict(X)
    assert model.converged_
    assert_allclose(((y - mu) * mu) @ np.column_stack([X, np.ones(len(X))]), 0.0, atol=1e-8)


@pytest.mark.parametrize("sizes", [1.0, [1e-200, 1.0]])
@pytest.mark.parametrize("link", ["probit", "logit", "cloglog"])
def test_links_of_shares_refuse_other_responses(link, sizes):
    X, y = problem(1)
    model = GeneralizedLinearModel("gaussian", link)
    with pytest.raises(ValueError, match=NO_START):
        model.fit(X * sizes, y - 10.0)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("family", ["gamma", "inverse_gaussian", "poisson", "negative_binomial"])
def test_no_coefficients_give_valid_means(family):
    X = np.array([[1.0], [-1.0], [2.0], [-3.0]])  # and no intercept: means of either sign
    with pytest.raises(ValueError, match=NO_START):
        GeneralizedLinearModel(family, "identity", fit_intercept=False).fit(X, [1.0, 2, 3, 5])


@pytest.mark.parametrize("family", ["gamma", "inverse_gaussian", "gaussian"])
def test_the_null_model_of_no_intercept_may_have_no_mean(family):
    X = np.linspace(1, 2, 9)[:, None]  # warnings are errors
    model = GeneralizedLinearModel(family, "inverse", fit_intercept=False).fit(X, 1 / X[:, 0])
    assert_allclose(model.coef_, [1.0])
    assert not np.isfinite(model.null_deviance_)


def test_an_offset_of_zeros_is_none():
    rng = np.random.default_rng(1)
    X = np.abs(rng.normal(size=(8, 2))) + 1
    y = np.arange(8.0) + 1
    plain = GeneralizedLinearModel("inverse_gaussian", "identity").fit(X, y)
    offset = GeneralizedLinearModel("inverse_gaussian", "identity").fit(X, y, offset=np.zeros(8))
    assert_allclose(offset.coef_, plain.coef_, rtol=1e-7)
    assert_allclose(offset.deviance_, plain.deviance_, rtol=1e-10)
