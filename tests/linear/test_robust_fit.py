# SPDX-License-Identifier: BSD-3-Clause
"""fit(cov_type=): all tables have the covariance asked for.

Answers of R 4.2.2 (sandwich 3.0-2) and of statsmodels.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import fdtrc, stdtr

from statfast import Chunks
from statfast.linear import GeneralizedLinearModel, LinearRegression, LogisticRegression, anova, vif
from tests.linear.test_glm import data
from tests.linear.test_hypotheses import CARB
from tests.linear.test_terms import cars, looms

TYPES = ["HC0", "HC1", "HC2", "HC3", "cluster"]


def clusters(cov_type, n):
    return np.arange(n) % 9 if cov_type == "cluster" else None


def test_errors_of_least_squares_as_sandwich():
    """vcovHC(lm(mpg ~ wt + hp + factor(cyl)), "HC3"), and vcovCL(.., cluster = ~ carb)."""
    X, y, _ = cars()
    known = [7.34821163156965, 0.654597073448184, 0.000159201977685965, 1.90935333995957]
    model = LinearRegression().fit(X, y, cov_type="HC3")
    assert_allclose(model.standard_errors_[:4] ** 2, known, rtol=1e-8)
    known = [4.59918595668284, 0.600764686351932, 9.64695491217055e-05, 0.733380843569277]
    model = LinearRegression().fit(X, y, cov_type="cluster", groups=CARB)
    assert_allclose(model.standard_errors_[:4] ** 2, known, rtol=1e-8)


@pytest.mark.parametrize("cov_type", TYPES)
def test_all_tables_have_it(cov_type):
    X, y = data("gaussian", None)
    groups = clusters(cov_type, len(y))
    model = LinearRegression().fit(X, y, cov_type=cov_type, groups=groups)
    plain = LinearRegression().fit(X, y)
    V = plain.robust_covariance(X, y, None if groups is not None else cov_type, groups=groups)
    df = 8 if groups is not None else plain.df_residual_
    b, errors = np.append(model.intercept_, model.coef_), np.sqrt(V.diagonal())
    assert_allclose(model.covariance_, V, rtol=1e-12)
    assert_allclose(model.summary().table.columns["Std. error"], errors)
    p = 2 * stdtr(df, -np.abs(b / errors))
    assert_allclose(model.p_values_, p, rtol=1e-10)
    assert_allclose(model.summary().table.columns["P>|t|"], p, rtol=1e-10)
    tested = model.t_test(np.eye(len(b)))
    assert_allclose(tested.columns["P>|t|"], p, rtol=1e-10)
    assert_allclose(np.asarray(tested)[:, 4:], np.asarray(model.conf_int()))
    assert_allclose(np.asarray(model.conf_int()).mean(axis=1), b)
    f = b[1:] @ np.linalg.solve(V[1:, 1:], b[1:]) / (len(b) - 1)
    p = fdtrc(len(b) - 1, df, f)
    assert_allclose(model.f_test_, [f, len(b) - 1, df, p], rtol=1e-9)
    assert_allclose(model.wald_test(np.eye(len(b))[1:]).columns["F"], f, rtol=1e-9)
    assert dict(model.summary().facts)["F statistic"].startswith(f"{f:.5g}")
    Z = np.insert(X[:5], 0, 1.0, axis=1)
    _, se, ends = model.predict(X[:5], se=True, interval="prediction")
    assert_allclose(se**2, np.einsum("ij,jk,ik->i", Z, V, Z), rtol=1e-9)
    ratio = (ends[:, 1] - ends[:, 0]) / np.sqrt(se**2 + model.dispersion_)
    assert_allclose(ratio, ratio[0])
    # What is of the likelihood stays.
    assert model.aic_ == plain.aic_
    assert_array_equal(np.asarray(anova(model)), np.asarray(anova(plain)))
    assert_array_equal(vif(model).columns["GVIF"], vif(plain).columns["GVIF"])
    assert_array_equal(
        model.conf_int(method="profile", X=X, y=y), plain.conf_int(method="profile", X=X, y=y)
    )


@pytest.mark.parametrize("cov_type", TYPES)
def test_least_squares_agree_with_statsmodels(cov_type):
    sm = pytest.importorskip("statsmodels.api")
    X, y, _ = cars()
    groups = CARB if cov_type == "cluster" else None
    theirs = sm.OLS(y, sm.add_constant(X)).fit(
        cov_type=cov_type, use_t=True, cov_kwds=None if groups is None else {"groups": groups}
    )
    ours = LinearRegression().fit(X, y, cov_type=cov_type, groups=groups)
    assert_allclose(ours.standard_errors_, theirs.bse, rtol=1e-8)
    assert_allclose(ours.p_values_, theirs.pvalues, rtol=1e-7)
    assert_allclose(ours.conf_int(), theirs.conf_int(), rtol=1e-7)
    assert_allclose(ours.f_test_[0], theirs.fvalue, rtol=1e-7)
    seen = theirs.get_prediction(sm.add_constant(X)[:4])
    assert_allclose(ours.predict(X[:4], se=True)[1], seen.se_mean, rtol=1e-8)


@pytest.mark.parametrize("cov_type", ["HC0", "cluster"])
def test_counts_agree_with_statsmodels(cov_type):
    sm = pytest.importorskip("statsmodels.api")
    X, y, _ = looms()
    groups = clusters(cov_type, len(y))
    theirs = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit(
        cov_type=cov_type, cov_kwds=None if groups is None else {"groups": groups}
    )
    ours = GeneralizedLinearModel("poisson").fit(X, y, cov_type=cov_type, groups=groups)
    assert_allclose(ours.standard_errors_, theirs.bse, rtol=1e-6)
    assert_allclose(ours.conf_int(), theirs.conf_int(), rtol=1e-5)


def test_offset_exposure_and_weights_are_those_of_the_fit():
    X, y = data("poisson", None)
    n = len(y)
    rng = np.random.default_rng(0)
    weights, offset, exposure = rng.integers(0, 3, n), rng.normal(size=n), rng.uniform(1, 2, n)
    model = GeneralizedLinearModel("poisson")
    robust = model.fit(X, y, weights, offset, exposure, cov_type="HC2").covariance_
    total = offset + np.log(exposure)
    plain = GeneralizedLinearModel("poisson").fit(X, y, weights, total)
    assert_allclose(robust, plain.robust_covariance(X, y, "HC2", weights, total), rtol=1e-9)
    assert_allclose(model.predict(X, total), plain.predict(X, total), rtol=1e-12)


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
@pytest.mark.parametrize("K", [2, 3])
def test_classes(K, multi_class):
    X, y = data("gaussian", None)
    y = np.digitize(y, np.quantile(y, [0.5] if K == 2 else [0.3, 0.7]))
    plain = LogisticRegression(multi_class=multi_class).fit(X, y)
    V = plain.robust_covariance(X, y, "HC1")
    model = LogisticRegression(multi_class=multi_class).fit(X, y, cov_type="HC1")
    summary = model.summary()
    tables = [summary.table] if K == 2 or multi_class == "multinomial" else summary.table.values()
    errors = np.concatenate([table.columns["Std. error"] for table in tables])
    assert_allclose(errors**2, V.diagonal(), rtol=1e-10)
    assert ("Covariance", "HC1") in summary.facts
    ours = model.predict_proba(X[:5], se=True, interval="confidence")
    theirs = plain.predict_proba(X[:5], se=True, interval="confidence", covariance=V)
    for one, other in zip(ours, theirs, strict=True):
        assert_allclose(one, other, rtol=1e-8)
    assert_array_equal(
        model.conf_int(method="profile", X=X, y=y), plain.conf_int(method="profile", X=X, y=y)
    )


def test_refuses():
    X, y = data("gaussian", None)
    model = LinearRegression().fit(X, y)
    before = model.coef_.copy()
    for more, said in [
        ({"cov_type": "HC4"}, "cov_type must be"),
        ({"cov_type": "cluster"}, "groups are the labels of clusters"),
        ({"groups": y}, "groups are the labels of clusters"),
        ({"cov_type": "cluster", "groups": np.zeros(len(y))}, "at least 2 clusters"),
        ({"cov_type": "cluster", "groups": [1, 2]}, "groups"),
    ]:
        with pytest.raises(ValueError, match=said):
            model.fit(X[:, :1], y, **more)
    with pytest.raises(ValueError, match="got Chunks"):
        model.fit(Chunks(lambda: iter([X])), y, cov_type="HC0")
    with pytest.raises(ValueError, match="several targets"):
        model.fit(X, np.column_stack([y, y]), cov_type="HC0")
    with pytest.raises(ValueError, match="penalized"):
        LogisticRegression(C=1.0).fit(X, y > np.median(y), cov_type="HC0")
    assert_array_equal(model.coef_, before)  # a fit that fails leaves the model as it was


def test_a_later_fit_has_its_own_errors():
    X, y = data("gaussian", None)
    plain = LinearRegression().fit(X, y)
    model = LinearRegression().fit(X, y, cov_type="HC3").fit(X, y)
    assert_array_equal(model.covariance_, plain.covariance_)
    assert str(model.summary()) == str(plain.summary())


def test_formulas_name_clusters():
    pytest.importorskip("formulaic")
    pandas = pytest.importorskip("pandas")
    X, y, _ = cars()
    table = pandas.DataFrame({"y": y, "a": X[:, 0], "b": X[:, 1], "carb": CARB})
    table.loc[4, "a"] = np.nan
    kept = np.delete(np.arange(32), 4)
    same = LinearRegression().fit(
        X[kept, :2], y[kept], cov_type="cluster", groups=np.array(CARB)[kept]
    )
    for groups in ("carb", CARB):
        model = LinearRegression.from_formula("y ~ a + b", table, cov_type="cluster", groups=groups)
        assert_allclose(model.standard_errors_, same.standard_errors_, rtol=1e-9)
        again = model.robust_covariance(table, groups=groups)
        assert_allclose(again, same.covariance_, rtol=1e-9)
    with pytest.raises(ValueError, match="groups must name a column"):
        LinearRegression.from_formula("y ~ a", table, cov_type="cluster", groups="firm")
    with pytest.raises(ValueError, match="a label for each of the 32 rows"):
        LinearRegression.from_formula("y ~ a", table, cov_type="cluster", groups=[1, 2])
