# SPDX-License-Identifier: BSD-3-Clause
"""Newey and West's covariance of rows in order of time: statsmodels' numbers, and the sum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import GeneralizedLinearModel, LinearRegression, LogisticRegression


def series(n=2500, seed=0):
    rng = np.random.default_rng(seed)
    X = 0.1 * rng.normal(size=(n, 3)).cumsum(axis=0)
    return X, X @ [1.0, -1.0, 0.5] + np.convolve(rng.normal(size=n + 5), np.ones(6), "valid")


def twin(X, s, bread, lags):
    """The definition: a loop over pairs of rows."""
    g = s[:, None] * np.column_stack([np.ones(len(X)), X])
    meat = np.zeros_like(bread)
    for i in range(len(X)):
        for j in range(max(0, i - lags), min(len(X), i + lags + 1)):
            meat += (1 - abs(i - j) / (lags + 1)) * np.outer(g[i], g[j])
    return bread @ meat @ bread


@pytest.mark.parametrize("lags", [0, 1, 5, 39])
def test_of_the_definition(lags):
    X, y = series(n=40)
    model = LinearRegression().fit(X, y, cov_type="HAC", maxlags=lags)
    one = np.column_stack([np.ones(len(X)), X])
    want = twin(X, y - model.predict(X), np.linalg.inv(one.T @ one), lags)
    assert_allclose(model.covariance_, want, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("lags", [0, 1, 4, 1500])
def test_as_statsmodels(lags):
    api = pytest.importorskip("statsmodels.api")
    X, y = series()
    one = api.add_constant(X)
    robust = {"cov_type": "HAC", "cov_kwds": {"maxlags": lags}}
    model = LinearRegression().fit(X, y, cov_type="HAC", maxlags=lags)
    assert_allclose(model.standard_errors_, api.OLS(y, one).fit(**robust).bse, rtol=1e-9)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    weighed = LinearRegression(weight_type="analytic")
    weighed.fit(X, y, weights, cov_type="HAC", maxlags=lags)
    assert_allclose(weighed.standard_errors_, api.WLS(y, one, weights).fit(**robust).bse, rtol=1e-9)
    counts = np.random.default_rng(2).poisson(np.exp(0.1 * X[:, 0]))
    counted = GeneralizedLinearModel("poisson").fit(X, counts, cov_type="HAC", maxlags=lags)
    theirs = api.GLM(counts, one, family=api.families.Poisson()).fit(tol=1e-12, **robust)
    assert_allclose(counted.standard_errors_, theirs.bse, rtol=1e-6)
    marks = counts > 0
    logit = LogisticRegression().fit(X, marks, cov_type="HAC", maxlags=lags)
    theirs = api.Logit(marks.astype(float), one).fit(disp=0, tol=1e-12, **robust)
    assert_allclose(logit.standard_errors_, theirs.bse, rtol=1e-6)


def test_without_lags_it_is_hc0():
    X, y = series(n=3000)
    model = LinearRegression().fit(X, y)
    plain = model.robust_covariance(X, y, "HC0")
    assert_allclose(model.robust_covariance(X, y, "HAC", maxlags=0), plain, rtol=1e-12)
    codes = np.random.default_rng(0).integers(0, 3, len(y))
    several = LogisticRegression().fit(X, codes)
    found = several.robust_covariance(X, codes, "HAC", maxlags=0)
    assert_allclose(found, several.robust_covariance(X, codes, "HC0"), rtol=1e-10, atol=1e-16)


def test_how_many_lags():
    X, y = series(n=200)
    model = LinearRegression().fit(X, y, cov_type="HAC")
    same = LinearRegression().fit(X, y, cov_type="HAC", maxlags=int(4 * 2 ** (2 / 9)))
    assert_array_equal(model.covariance_, same.covariance_)
    assert "HAC, 4 lags" in str(model.summary())
    assert_allclose(model.predict(X[:2], se=True)[1], same.predict(X[:2], se=True)[1])


def test_layouts_threads_and_sparse_rows():
    X, y = series()
    plain = LinearRegression(n_jobs=1).fit(X, y, cov_type="HAC", maxlags=3).covariance_
    for n_jobs in (2, 7):
        model = LinearRegression(n_jobs=n_jobs).fit(X, y, cov_type="HAC", maxlags=3)
        assert_array_equal(model.covariance_, plain)
    for layout in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1].copy()[::-1]):
        model = LinearRegression().fit(layout, y, cov_type="HAC", maxlags=3)
        assert_allclose(model.covariance_, plain, rtol=1e-12)
    model = LinearRegression().fit(sparse.csr_array(X), y, cov_type="HAC", maxlags=3)
    assert_allclose(model.covariance_, plain, rtol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cov_type": "HAC", "maxlags": -1}, "maxlags must be between 0 and 29"),
        ({"cov_type": "HAC", "maxlags": 30}, "maxlags must be between 0 and 29"),
        ({"cov_type": "HC0", "maxlags": 2}, "maxlags is of cov_type='HAC'"),
        ({"cov_type": "HAC", "groups": np.arange(30)}, "groups are the labels of clusters"),
        ({"cov_type": "HAC", "sample_weight": np.ones(30)}, "weights that are numbers of rows"),
    ],
)
def test_refuses(options, message):
    X, y = series(n=30)
    with pytest.raises(ValueError, match=message):
        LinearRegression().fit(X, y, **options)


def test_of_a_formula():
    pytest.importorskip("formulaic")
    X, y = series(n=60)
    data = {"y": y, "a": X[:, 0]}
    model = LinearRegression.from_formula("y ~ a", data, cov_type="HAC", maxlags=2)
    plain = LinearRegression().fit(X[:, :1], y, cov_type="HAC", maxlags=2)
    assert_allclose(model.standard_errors_, plain.standard_errors_)
