# SPDX-License-Identifier: BSD-3-Clause
"""Tables of three fits of R 4.2.2 (stats, car 3.1-1, sandwich 3.0-2), every number of them."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    anova,
    step,
    vif,
)

pytest.importorskip("formulaic")
pandas = pytest.importorskip("pandas")


@pytest.fixture
def answers_of_r(shared_data):
    return json.loads(shared_data("..", "reference", "linear_more.json").read_text("utf-8"))


@pytest.fixture
def cars(answers_of_r):
    return pandas.DataFrame(answers_of_r["data"]["mtcars"])


@pytest.fixture
def looms(answers_of_r):
    table = pandas.DataFrame(answers_of_r["data"]["warpbreaks"])
    return table.assign(tension=pandas.Categorical(table["tension"], ["L", "M", "H"]))


def same(table, answers_of_r, names):
    """Columns of a table, each by R's name; what R leaves out is nan."""
    for ours, theirs in names.items():
        expected = np.array(answers_of_r[theirs], dtype=float)
        assert_allclose(table.columns[ours], expected, rtol=1e-7, err_msg=theirs)


def same_coefficients(model, answers_of_r):
    """R's `glm` has the weights of its last step but one: six digits of its errors are right."""
    assert_allclose(np.append(model.intercept_, model.coef_), answers_of_r["coef"], rtol=1e-8)
    digits = 1e-9 if isinstance(model, LinearRegression) else 3e-6
    assert_allclose(model.standard_errors_, answers_of_r["se"], rtol=digits)


# Columns of tables here, and in R.
F = {"Sum Sq": "Sum Sq", "Df": "Df", "F": "F value", "P>|F|": "Pr(>F)"}
CHI2 = {"Df": "Df", "Resid. df": "Resid. Df", "Resid. dev": "Resid. Dev", "P>|Chi2|": "Pr(>Chi)"}
TYPE_2 = {"Df": "Df", "LRT": "LR Chisq", "P>|Chi2|": "Pr(>Chisq)"}


def test_least_squares(answers_of_r, cars):
    want = answers_of_r["lm"]
    model = LinearRegression.from_formula("mpg ~ wt + hp + C(cyl)", cars)
    same_coefficients(model, want)
    assert_allclose(np.asarray(vif(model)), want["vif"], rtol=1e-9)
    same(anova(model), want["anova"], {"Mean Sq": "Mean Sq", **F})
    same(anova(model, type=2), want["Anova2"], F)
    same(anova(model, type=3), want["Anova3"], F)
    for R, value, name in (
        ("wt", -3, "hypothesis_wt_equals_minus3"),
        (["C(cyl)[T.6]", "C(cyl)[T.8]"], 0, "hypothesis_cyl"),
    ):
        found = {key: column[0] for key, column in model.wald_test(R, value).columns.items()}
        last = {key: column[1] for key, column in want[name].items()}
        got = [found["Df"], found["Resid. df"], found["F"], found["P>|F|"]]
        assert_allclose(got, [last[key] for key in ("Df", "Res.Df", "F", "Pr(>F)")], rtol=1e-7)
        assert_allclose(found["F"] * found["Df"] * model.dispersion_, last["Sum of Sq"], rtol=1e-7)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_covariances_of_least_squares(answers_of_r, cars, kind):
    want = answers_of_r["lm"]
    formula = "mpg ~ wt + hp + C(cyl)"
    model = LinearRegression.from_formula(formula, cars, cov_type=kind)
    assert_allclose(model.covariance_, want["vcovHC"][kind], rtol=1e-7)
    if f"vcovCL_{kind}" in want:
        plain = LinearRegression.from_formula(formula, cars)
        found = plain.robust_covariance(cars, kind=kind, groups=cars["carb"])
        assert_allclose(found, want[f"vcovCL_{kind}"], rtol=1e-7)


def test_two_classes(answers_of_r, cars):
    want = answers_of_r["logit"]
    model = LogisticRegression.from_formula("am ~ mpg + disp", cars)
    same_coefficients(model, want)
    table = model.conf_int()
    assert table.names == tuple(want["names"])
    assert list(table.columns) == ["2.5 %", "97.5 %"]
    assert_allclose(np.asarray(table), want["confint_wald"], rtol=3e-6)
    assert_allclose(table["disp"], want["confint_wald"][2], rtol=3e-6)
    same(anova(model, X=cars), want["anova_chisq"], CHI2)
    found = model.robust_covariance(cars, kind="HC0", groups=cars["carb"])
    assert_allclose(found, want["vcovCL_HC0"], rtol=3e-6)


def test_counts(answers_of_r, looms):
    want = answers_of_r["poisson"]
    formula = "breaks ~ wool * tension"
    model = GeneralizedLinearModel.from_formula(formula, looms, family="poisson")
    same_coefficients(model, want)
    same(anova(model, X=looms), want["anova_chisq"], CHI2)
    same(anova(model, X=looms, type=2), want["Anova2"], TYPE_2)
    found = step(model, looms, k="log").model.coef_names_
    assert [name.replace("[T.", "").replace("]", "") for name in found] == want["step_bic"]
