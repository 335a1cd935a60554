# SPDX-License-Identifier: BSD-3-Clause
"""Terms added one by one, BIC and variance inflation: answers of R 4.2.2 (stats, car 3.1-1)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import chdtrc, fdtrc

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    add1,
    anova,
    step,
    vif,
)
from tests.linear.test_glm import data

# R's mtcars and warpbreaks.
MPG = [
    21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4,
    14.7, 32.4, 30.4, 33.9, 21.5, 15.5, 15.2, 13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4,
]  # fmt: skip
WT = [
    2.62, 2.875, 2.32, 3.215, 3.44, 3.46, 3.57, 3.19, 3.15, 3.44, 3.44, 4.07, 3.73, 3.78, 5.25,
    5.424, 5.345, 2.2, 1.615, 1.835, 2.465, 3.52, 3.435, 3.84, 3.845, 1.935, 2.14, 1.513, 3.17,
    2.77, 3.57, 2.78,
]  # fmt: skip
HP = [
    110, 110, 93, 110, 175, 105, 245, 62, 95, 123, 123, 180, 180, 180, 205, 215, 230, 66, 52, 65,
    97, 150, 150, 245, 175, 66, 91, 113, 264, 175, 335, 109,
]  # fmt: skip
CYL = np.array([
    6, 6, 4, 6, 8, 6, 8, 4, 4, 6, 6, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 4, 8, 6, 8, 4,
])  # fmt: skip
BREAKS = [
    26, 30, 54, 25, 70, 52, 51, 26, 67, 18, 21, 29, 17, 12, 18, 35, 30, 36, 36, 21, 24, 18, 10, 43,
    28, 15, 26, 27, 14, 29, 19, 29, 31, 41, 20, 44, 42, 26, 19, 16, 39, 28, 21, 39, 29, 20, 21, 24,
    17, 13, 15, 15, 16, 28,
]  # fmt: skip


def cars():
    X = np.column_stack([WT, HP, CYL == 6, CYL == 8]).astype(float)
    return X, np.array(MPG), {"wt": [0], "hp": [1], "cyl": [2, 3]}


def looms():
    wool, tension = np.repeat([0.0, 1.0], 27), np.tile(np.repeat([0, 1, 2], 9), 2)
    m, h = tension == 1, tension == 2
    X = np.column_stack([wool, m, h, wool * m, wool * h])
    return X, np.array(BREAKS), {"wool": [0], "tension": [1, 2], "both": [3, 4]}


def test_anova_of_least_squares_as_r():
    """anova(lm(mpg ~ wt + hp + factor(cyl), mtcars))."""
    X, y, groups = cars()
    for model in (LinearRegression(), GeneralizedLinearModel()):
        table = anova(model.fit(X, y), groups=groups)
        assert list(table.names) == ["wt", "hp", "cyl", "Residuals"]
        columns = table.columns
        assert_allclose(columns["Df"], [1, 1, 2, 27])
        sums = [847.725249956657, 83.2741828018771, 34.2701207568139, 160.777633984653]
        assert_allclose(columns["Sum Sq"], sums, rtol=1e-9)
        assert_allclose(columns["Mean Sq"][3], 5.95472718461676, rtol=1e-9)
        f = [142.361727695375, 13.984550462195, 2.87755590594865, np.nan]
        assert_allclose(columns["F"], f, rtol=1e-9)
        p = [2.82849164659697e-12, 0.000877736103828807, 0.0736449805084618, np.nan]
        assert_allclose(columns["P>|F|"], p, rtol=1e-8)


def test_anova_of_counts_as_r():
    """anova(glm(breaks ~ wool * tension, poisson, warpbreaks), test = "Chisq")."""
    X, y, groups = looms()
    model = GeneralizedLinearModel("poisson").fit(X, y)
    table = anova(model, X=X, y=y, groups=groups)
    assert list(table.names) == ["(null)", "wool", "tension", "both"]
    columns = table.columns
    left = [297.372211804605, 281.333459270497, 210.391888762454, 182.305131285847]
    assert_allclose(columns["Resid. dev"], left, rtol=1e-9)
    assert_allclose(columns["Resid. df"], [53, 52, 50, 48])
    assert_allclose(columns["Df"], [np.nan, 1, 2, 2])
    p = [np.nan, 6.20591732033891e-05, 3.93761903136602e-16, 7.96229211582483e-07]
    assert_allclose(columns["P>|Chi2|"], p, rtol=1e-6)
    f = anova(model, X=X, y=y, groups=groups, test="F").columns["F"]
    assert_allclose(f[1:] * [1, 2, 2], -np.diff(left), rtol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_sums_of_squares_are_falls_of_the_deviance(intercept, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) * [1, 1e5, 1e-5, 1] + [5, 0, 0, 3]
    X[:, 2] = 3 * X[:, 0] + X[:, 1] * 1e-5  # depends on those before it
    y = X[:, 0] + X[:, 3] + rng.normal(size=40)
    weights = rng.integers(1, 4, 40) if weighted else None
    with pytest.warns(UserWarning, match="depend on those before"):
        model = LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    columns = anova(model).columns
    assert_allclose(columns["Df"][:4], [1, 1, 0, 1])
    left = []
    for k in (1, 2, 4):
        kept = X[:, [0, 1, 3][: k if k < 4 else 3]]
        left.append(LinearRegression(fit_intercept=intercept).fit(kept, y, weights).deviance_)
    assert_allclose(columns["Sum Sq"][[1, 3]], -np.diff(left), rtol=1e-6)
    assert columns["Sum Sq"][2] == 0
    assert np.isnan(columns["F"][2])
    total = columns["Sum Sq"].sum()
    assert_allclose(total, model.null_deviance_, rtol=1e-9)


def test_anova_by_another_order():
    X, y, _ = cars()
    model = LinearRegression().fit(X, y)
    turned = LinearRegression().fit(X[:, ::-1], y)
    groups = {name: [3 - j] for j, name in enumerate("abcd")}
    assert_allclose(anova(model, groups=groups), np.asarray(anova(turned)), rtol=1e-8)


def test_anova_of_one_model_refuses():
    X, y, groups = looms()
    model = GeneralizedLinearModel("poisson").fit(X, y)
    with pytest.raises(ValueError, match=r"X and y must be those of the fit, whose deviance is"):
        anova(model, X=X, y=np.roll(y, 3))
    with pytest.raises(ValueError, match=r"groups must hold each of the 5 columns once"):
        anova(model, X=X, y=y, groups={"wool": [0]})
    with pytest.raises(ValueError, match=r"groups must hold each of the 4 columns once"):
        anova(LinearRegression().fit(X[:, :4], y), groups={"a": [0, 0, 1, 2]})
    with pytest.raises(ValueError, match=r"X, y and groups are for a single model"):
        anova(model, model, groups=groups)
    with pytest.raises(ValueError, match="test must be"):
        anova(model, test="t")


def test_add1_is_a_test_of_two_models():
    X, y = data("binomial", None)
    table = add1(LogisticRegression(), X, y, start=["x1"])
    assert list(table.names) == ["(none)", "x0", "x2"]
    small = LogisticRegression().fit(X[:, [1]], y)
    large = LogisticRegression().fit(X[:, [1, 2]], y)
    assert_allclose(table.columns["AIC"][[0, 2]], [small.aic_, large.aic_])
    fall = small.deviance_ - large.deviance_
    assert_allclose(table.columns["LRT"][2], fall)
    assert_allclose(table.columns["P>|Chi2|"][2], chdtrc(1, fall))
    with pytest.raises(ValueError, match="start must name terms, of x0, x1, x2"):
        add1(LogisticRegression(), X, y, start="x9")


def test_add1_of_least_squares_as_r():
    """add1(lm(mpg ~ wt + hp, mtcars), ~ . + factor(cyl), test = "F"): as the last row of anova."""
    X, y, groups = cars()
    table = add1(LinearRegression(), X, y, groups=groups, start=["wt", "hp"])
    assert_allclose(table.columns["F"][1], 2.87755590594865, rtol=1e-9)
    assert_allclose(table.columns["P>|F|"][1], 0.0736449805084618, rtol=1e-8)
    alone = add1(LinearRegression(), X, y, groups=groups)
    large = LinearRegression().fit(X[:, 2:], y)
    ratio = (large.null_deviance_ - large.deviance_) / 2 / large.dispersion_
    assert_allclose(alone.columns["F"][3], ratio)
    assert_allclose(alone.columns["P>|F|"][3], fdtrc(2, 29, ratio))


def test_steps_by_bic():
    X, y, groups = looms()
    found = step(GeneralizedLinearModel("poisson"), X, y, groups=groups, k="log")
    assert found.terms == ("wool", "tension", "both")  # R: step(k = log(54))
    assert_allclose(found.path.columns["BIC"][-1], found.model.bic_)
    same = step(GeneralizedLinearModel("poisson"), X, y, groups=groups, k=np.log(54))
    assert same.terms == found.terms
    dear = step(GeneralizedLinearModel("poisson"), X, y, groups=groups, k=1e3)
    assert dear.terms == ()
    assert "Criterion" in dear.path.columns
    with pytest.raises(ValueError, match="k must be"):
        step(GeneralizedLinearModel("poisson"), X, y, k="bic")
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(200, 12))
    z = Z[:, 0] + rng.normal(size=200)
    few = step(LinearRegression(), Z, z, k="log").terms
    assert set(few) < set(step(LinearRegression(), Z, z, k=0.5).terms)
    assert "x0" in few


def test_inflation_as_car():
    """car::vif(lm(mpg ~ wt + hp + factor(cyl), mtcars))."""
    X, y, groups = cars()
    table = vif(LinearRegression().fit(X, y), groups=groups)
    assert list(table.names) == ["wt", "hp", "cyl"]
    expected = [
        [2.58087651731643, 1, 1.60651066517357],
        [3.49601426610763, 1, 1.86976315775759],
        [5.10581136966271, 2, 1.50319800780659],
    ]
    assert_allclose(np.asarray(table), expected, rtol=1e-9)


def test_inflation_is_one_over_what_other_columns_leave():
    X, y, _ = cars()
    found = vif(LinearRegression().fit(X * [1, 1e-6, 1, 1e6], y)).columns["GVIF"]
    for j in range(4):
        others = LinearRegression().fit(np.delete(X, j, axis=1), X[:, j])
        assert_allclose(found[j], 1 / (1 - others.r_squared_), rtol=1e-7)
    with pytest.warns(UserWarning, match="depend"):
        model = LinearRegression().fit(X[:, [0, 0]], y)
    with pytest.raises(ValueError, match="Columns depend on others: x1"):
        vif(model)
    with pytest.raises(TypeError, match="model must be a fitted linear model"):
        vif(3)
