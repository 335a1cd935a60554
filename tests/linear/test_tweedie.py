# SPDX-License-Identifier: BSD-3-Clause
"""The Tweedie family: a variance that is a power of the mean."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import GeneralizedLinearModel, cross_val_predict
from statfast.metrics import d2_tweedie_score, mean_tweedie_deviance


def amounts(n=300, seed=0):
    """Sums of a Poisson number of gamma amounts, some of them 0; columns, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    counts = rng.poisson(2.0 * np.exp(0.2 + X @ [0.3, -0.1, 0.05]))
    y = np.array([rng.gamma(2.0, 0.5, count).sum() for count in counts])
    return X, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:statsmodels")
@pytest.mark.parametrize("power", [1.0, 1.2, 1.5, 1.9, 2.0, 2.5, 3.0, 0.0])
def test_as_statsmodels(power):
    api = pytest.importorskip("statsmodels.api")
    X, y, weights = amounts()
    y = y + 0.1
    model = GeneralizedLinearModel("tweedie", "log", power=power).fit(X, y, weights)
    family = api.families.Tweedie(api.families.links.Log(), var_power=power)
    theirs = api.GLM(y, api.add_constant(X), family=family, freq_weights=weights)
    theirs = theirs.fit(tol=1e-12, maxiter=200, tol_criterion="params")
    assert_allclose([model.intercept_, *model.coef_], theirs.params, rtol=1e-8)
    assert_allclose(model.standard_errors_, theirs.bse, rtol=1e-8)
    assert_allclose(model.statistics_, theirs.tvalues, rtol=1e-8)
    assert_allclose(model.deviance_, theirs.deviance, rtol=1e-9)
    assert_allclose(model.null_deviance_, theirs.null_deviance, rtol=1e-9)
    assert_allclose(model.dispersion_, theirs.scale, rtol=1e-8)
    residuals = model.residuals(X, y, "deviance", sample_weight=weights)
    assert_allclose(residuals**2 / weights, theirs.resid_deviance**2, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("power", [1.1, 1.5, 1.8])
def test_score_equations_with_zeros_among_the_responses(power):
    X, y, weights = amounts()
    assert (y == 0.0).any()
    model = GeneralizedLinearModel("tweedie", power=power).fit(X, y, weights)
    mu = model.predict(X)
    one = np.column_stack([np.ones(len(X)), X])
    score = one.T @ (weights * (y - mu) * mu ** (1.0 - power))
    assert_allclose(score, 0.0, atol=1e-8 * weights.sum())
    mean = mean_tweedie_deviance(y, mu, power=power, sample_weight=weights)
    assert_allclose(model.deviance_, weights.sum() * mean, rtol=1e-10)
    want = d2_tweedie_score(y, mu, power=power, sample_weight=weights)
    assert_allclose(model.score(X, y, weights), want, rtol=1e-10)


def test_of_scikit_learn_without_a_penalty():
    peers = pytest.importorskip("sklearn.linear_model")
    X, y, weights = amounts()
    theirs = peers.TweedieRegressor(power=1.5, alpha=0.0, tol=1e-10, max_iter=10_000)
    theirs.fit(X, y, weights)
    model = GeneralizedLinearModel("tweedie").fit(X, y, weights)
    assert_allclose(model.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
    assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-4)


@pytest.mark.parametrize(("power", "family"), [(0, "gaussian"), (1, "quasipoisson"), (2, "gamma")])
def test_powers_that_have_a_name(power, family):
    X, y, _ = amounts()
    one = GeneralizedLinearModel("tweedie", "log", power=power).fit(X, y + 1.0)
    two = GeneralizedLinearModel(family, "log").fit(X, y + 1.0)
    assert_allclose(one.coef_, two.coef_, rtol=1e-9)
    assert_allclose(one.standard_errors_, two.standard_errors_, rtol=1e-9)
    assert np.isnan(one.log_likelihood_)


def test_threads_folds_and_tables():
    X, y, weights = amounts(4000)
    model = GeneralizedLinearModel("tweedie", power=1.6, n_jobs=1).fit(X, y, weights)
    coef = model.coef_.copy()
    for jobs in (2, 7):
        assert_array_equal(model.set_params(n_jobs=jobs).fit(X, y, weights).coef_, coef)
    assert_allclose(model.fit(np.asfortranarray(X), y, weights).coef_, coef, rtol=1e-12)
    assert "tweedie" in str(model.fit(X, y, weights).summary())
    ends = np.asarray(model.conf_int())[1:]
    assert ((ends[:, 0] < coef) & (coef < ends[:, 1])).all()
    found = cross_val_predict(model, X[:90], y[:90], cv=3)
    want = np.empty(90)
    for out in np.array_split(np.arange(90), 3):
        kept = np.setdiff1d(np.arange(90), out)
        want[out] = model.fit(X[kept], y[kept]).predict(X[out])
    assert_allclose(found, want, rtol=1e-8)


def test_bad_input():
    X, y, _ = amounts()
    with pytest.raises(ValueError, match=r"y must be not negative in a Tweedie model of power 1.5"):
        GeneralizedLinearModel("tweedie").fit(X, y - 1.0)
    with pytest.raises(ValueError, match=r"y must be positive in a Tweedie model of power 2.2"):
        GeneralizedLinearModel("tweedie", power=2.2).fit(X, y)
    with pytest.raises(ValueError, match="y must not be 0 for all rows"):
        GeneralizedLinearModel("tweedie").fit(X, 0.0 * y)
    with pytest.raises(ValueError, match="y must be between 1e-50 and 1e"):
        GeneralizedLinearModel("tweedie", power=3).fit(X, 1e60 * (y + 1.0))
    for power in (0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match="power must "):
            GeneralizedLinearModel("tweedie", power=power).fit(X, y)
    with pytest.raises(TypeError, match="power must be"):
        GeneralizedLinearModel("tweedie", power="much").fit(X, y)
    with pytest.raises(ValueError, match="power is for 'tweedie'; got family='gamma'"):
        GeneralizedLinearModel("gamma", power=1.5).fit(X, y + 1.0)
    with pytest.raises(ValueError, match="needs a distribution"):
        GeneralizedLinearModel("tweedie").fit(X, y).predict(X, interval="prediction")
