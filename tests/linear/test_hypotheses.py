# SPDX-License-Identifier: BSD-3-Clause
"""Linear hypotheses and covariances of clusters: answers of R 4.2.2 (car 3.1-1, sandwich 3.0-2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import chdtrc

from statfast.linear import GeneralizedLinearModel, LinearRegression, LogisticRegression
from tests.linear.test_glm import data
from tests.linear.test_terms import cars, looms

CARB = [
    4, 4, 1, 1, 2, 1, 4, 2, 2, 4, 4, 3, 3, 3, 4, 4, 4, 1, 2, 1, 1, 2, 2, 4, 2, 1, 2, 2, 4, 6, 8, 2,
]  # fmt: skip


def test_hypotheses_of_least_squares_as_car():
    """linearHypothesis(lm(mpg ~ wt + hp + factor(cyl)), "wt = -3") and of both levels of cyl."""
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    columns = model.wald_test([0, 1, 0, 0, 0], -3).columns
    assert_allclose([columns["F"], columns["P>|F|"]], [[0.0635492490276735], [0.802880781221075]])
    one = model.t_test("x0", -3).columns
    assert_allclose(one["t value"] ** 2, 0.0635492490276735, rtol=1e-6)
    assert_allclose(one["P>|t|"], 0.802880781221075, rtol=1e-7)
    for both in (["x2", "x3"], np.eye(5)[3:], [[0, 0, 0, 1, 1], [0, 0, 0, 1, -2]]):
        columns = model.wald_test(both).columns
        assert_allclose(columns["F"], 2.87755590594865, rtol=1e-9)
        assert_allclose(columns["P>|F|"], 0.0736449805084618, rtol=1e-8)
        assert_allclose([columns["Df"][0], columns["Resid. df"][0]], [2, 27])


def test_hypotheses_are_those_of_the_summary():
    X, y = data("poisson", None)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    table = model.t_test(list(model.coef_names_), level=0.9)
    assert list(table.names) == list(model.coef_names_)
    assert_allclose(table.columns["z value"], model.statistics_)
    assert_allclose(table.columns["P>|z|"], model.p_values_)
    assert_allclose(np.asarray(table)[:, 4:], np.asarray(model.conf_int(level=0.9)))
    b, V = np.append(model.intercept_, model.coef_), model.covariance_
    R = np.array([[0, 1, -1, 0], [1, 0, 0, 2.0]])
    found = model.wald_test(R, [0.1, -0.2]).columns
    apart = R @ b - [0.1, -0.2]
    chi2 = apart @ np.linalg.inv(R @ V @ R.T) @ apart
    assert_allclose(found["Chi2"], chi2)
    assert_allclose(found["P>|Chi2|"], chdtrc(2, chi2))
    assert_allclose(
        model.t_test(R, [0.1, -0.2]).columns["Std. error"], np.sqrt((R @ V @ R.T).diagonal())
    )


def test_hypotheses_about_classes():
    X, y = data("gaussian", None)
    y = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    model = LogisticRegression().fit(X, y)
    found = model.wald_test(list(model.coef_names_[1:4])).columns
    b, V = model._result.coef[1:4], model.covariance_[1:4, 1:4]
    assert_allclose(found["Chi2"], b @ np.linalg.inv(V) @ b)


def test_hypotheses_that_cannot_be():
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="must have 5 columns, one for each of coef_names_"):
        model.t_test([1, 2])
    with pytest.raises(ValueError, match="got 'x9'"):
        model.wald_test("x9")
    with pytest.raises(ValueError, match="R must have independent rows; got 2"):
        model.wald_test([[0, 1, 0, 0, 0], [0, 2, 0, 0, 0]])
    with pytest.raises(ValueError, match="must be a finite number, or 1 of them"):
        model.wald_test("x0", [1, 2])
    with pytest.raises(ValueError, match="covariance must be"):
        model.t_test("x0", covariance=np.eye(3))
    with pytest.raises(ValueError, match="penalized"):
        LogisticRegression(C=1.0).fit(X, y > 20).t_test("x0")
    with pytest.warns(UserWarning, match="depend"):
        aliased = LinearRegression().fit(np.column_stack([X, X[:, 0]]), y)
    assert np.isnan(np.asarray(aliased.t_test("x4"))).all()
    assert_allclose(np.asarray(aliased.t_test("x1")), np.asarray(model.t_test("x1")), rtol=1e-7)
    with pytest.raises(ValueError, match="R weighs aliased coefficients"):
        aliased.wald_test(["x1", "x4"])


def test_covariances_are_taken():
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    V = model.robust_covariance(X, y, "HC3")
    error = model.t_test("x0", covariance=V).columns["Std. error"]
    assert_allclose(error**2, 0.654597073448184, rtol=1e-8)  # sandwich::vcovHC
    chi2 = model.wald_test(["x2", "x3"], covariance=V).columns["F"] * 2
    b = model.coef_[2:]
    assert_allclose(chi2, b @ np.linalg.inv(V[3:, 3:]) @ b)


def test_covariance_of_clusters_as_sandwich():
    """vcovCL(lm(mpg ~ wt + hp + factor(cyl)), cluster = ~ carb)."""
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    hc0 = model.robust_covariance(X, y, "HC0", groups=CARB)
    variances = [4.00574260743344, 0.523246662306521, 8.40218653640661e-05, 0.638751057302273]
    assert_allclose(hc0.diagonal()[:4], variances, rtol=1e-8)
    assert_allclose(hc0[3, 4], 1.17081188641642, rtol=1e-8)
    hc1 = model.robust_covariance(X, y, groups=CARB)
    variances = [4.59918595668284, 0.600764686351932, 9.64695491217055e-05, 0.733380843569277]
    assert_allclose(hc1.diagonal()[:4], variances, rtol=1e-8)
    assert_allclose(model.summary(covariance=hc1).table.columns["Std. error"] ** 2, hc1.diagonal())


@pytest.mark.parametrize("labels", [2, 3])
def test_clusters_of_one_row_are_rows(labels):
    X, y = data("gaussian", None)
    y = np.digitize(y, np.quantile(y, [0.3, 0.7][: labels - 1]))
    model, n = LogisticRegression().fit(X, y), len(y)
    alone = model.robust_covariance(X, y, "HC0", groups=np.arange(n))
    assert_allclose(alone, model.robust_covariance(X, y, "HC0") * n / (n - 1), rtol=1e-9)
    alone = model.robust_covariance(X, y, groups=np.arange(n))
    assert_allclose(alone, model.robust_covariance(X, y, "HC1"), rtol=1e-9)


def test_clusters_are_sums_of_scores():
    X, y, _ = looms()
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, 9, len(y)), rng.integers(1, 4, len(y))
    model = GeneralizedLinearModel("poisson").fit(X, y, weights)
    Z = np.column_stack([np.ones(len(y)), X])
    scores = (weights * (y - model.predict(X)))[:, None] * Z
    sums = np.array([scores[codes == g].sum(axis=0) for g in range(9)])
    bread = model.covariance_
    expected = bread @ sums.T @ sums @ bread * 9 / 8
    found = model.robust_covariance(X, y, "HC0", weights, groups=codes)
    assert_allclose(found, expected, rtol=1e-7)
    repeated = [np.repeat(part, weights, axis=0) for part in (X, y, codes)]
    again = model.robust_covariance(
        *repeated[:2], sample_weight=1.0, groups=repeated[2].astype(str)
    )
    assert_allclose(model.robust_covariance(X, y, None, weights, groups=codes), again, rtol=1e-7)


def test_clusters_that_cannot_be():
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="at least 2 clusters; got 1"):
        model.robust_covariance(X, y, groups=np.zeros(32, int))
    with pytest.raises(ValueError, match="kind must be 'HC0' or 'HC1'"):
        model.robust_covariance(X, y, "HC3", groups=CARB)
    with pytest.raises(ValueError, match="groups must have one label per row"):
        model.robust_covariance(X, y, groups=[1, 2])


def test_hypotheses_that_are_no_numbers():
    model = LinearRegression().fit(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0))
    with pytest.raises(ValueError, match="same length"):
        model.t_test([[1.0, 2.0], [3.0]])
    for value in ([1.0, 2.0], np.nan, 1j):
        with pytest.raises(ValueError, match="The value must be a finite number"):
            model.t_test([0.0, 1.0, 0.0], value)
