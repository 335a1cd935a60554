# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of models and profile-likelihood intervals."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import chdtrc, fdtrc

from statfast import CollinearityWarning
from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    add1,
    anova,
    drop1,
    step,
)
from tests.linear.test_glm import data
from tests.linear.test_glm_reference import pima, saheart, swiss

NAMES = "sbp tobacco ldl famhist obesity alcohol age"


def test_anova_of_known_and_unknown_dispersion():
    for family, test in (("poisson", "chi2"), ("gamma", "F")):
        X, y = data(family, "log")
        small = GeneralizedLinearModel(family, "log").fit(X[:, :1], y)
        large = GeneralizedLinearModel(family, "log").fit(X, y)
        columns = anova(small, large).columns
        fall = small.deviance_ - large.deviance_
        assert_allclose(columns["Deviance"][1], fall)
        if test == "chi2":
            assert_allclose(columns["P>|Chi2|"][1], chdtrc(2, fall))
        else:
            ratio = fall / 2 / large.dispersion_
            assert_allclose(columns["F"][1], ratio)
            assert_allclose(columns["P>|F|"][1], fdtrc(2, large.df_residual_, ratio))
        turned = anova(large, small).columns
        assert_allclose(turned["Df"][1], -2)
        assert_allclose(turned[next(n for n in turned if n.startswith("P"))][1],
                        columns[next(n for n in columns if n.startswith("P"))][1])  # fmt: skip


def test_anova_refuses():
    X, y = data("poisson", None)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    with pytest.raises(ValueError, match="models keep no rows"):
        anova(model)
    with pytest.raises(ValueError, match="got none"):
        anova()
    with pytest.raises(ValueError, match="fitted to the same rows"):
        anova(model, GeneralizedLinearModel("poisson").fit(X[1:], y[1:]))
    with pytest.raises(ValueError, match="penalized"):
        anova(*[LogisticRegression(C=1.0).fit(X, y > 2)] * 2)


def test_drop1_is_a_test_of_each_term():
    X, y = data("binomial", None)
    table = drop1(LogisticRegression(), X, y)
    without = LogisticRegression().fit(X[:, [0, 2]], y)
    whole = LogisticRegression().fit(X, y)
    assert list(table.names) == ["(none)", "x0", "x1", "x2"]
    assert_allclose(table.columns["AIC"][[0, 2]], [whole.aic_, without.aic_])
    rise = without.deviance_ - whole.deviance_
    assert_allclose(table.columns["LRT"][2], rise)
    assert_allclose(table.columns["P>|Chi2|"][2], chdtrc(1, rise))
    grouped = drop1(LogisticRegression(), X, y, groups={"pair": [0, 1], "last": [2]})
    assert_array_equal(grouped.columns["Df"][1:], [2, 1])
    with pytest.raises(ValueError, match="groups must name columns from 0 to 2"):
        drop1(LogisticRegression(), X, y, groups={"a": [3]})


def test_stepwise_of_south_african_heart_disease(shared_data):
    """The Elements of Statistical Learning, Table 4.3: tobacco, ldl, famhist and age are left."""
    X, y, _ = saheart(shared_data, names=NAMES)
    groups = {name: [j] for j, name in enumerate(NAMES.split())}
    found = step(LogisticRegression(), X, y, groups=groups, direction="backward")
    assert found.terms == ("tobacco", "ldl", "famhist", "age")
    assert_array_equal(found.columns, [1, 2, 3, 6])
    assert_allclose(found.model.intercept_, -4.204, atol=1e-3)
    assert np.all(np.diff(found.path.columns["AIC"]) < 0)
    forward = step(LogisticRegression(), X, y, groups=groups, start="none")
    assert set(forward.terms) == set(found.terms)


def test_stepwise_of_a_gaussian_model_as_r(shared_data):
    """R: step(lm(Fertility ~ ., swiss)) drops Examination."""
    X, y, _ = swiss(shared_data)
    found = step(GeneralizedLinearModel(), X, y)
    assert found.terms == ("x0", "x2", "x3", "x4")


def test_nothing_is_chosen_where_nothing_helps():
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.standard_normal((30, 2)), 2, axis=0), np.tile([0, 1], 30)
    found = step(LogisticRegression(), X, y)
    assert len(found.columns) == 0
    assert_allclose(found.model.aic_, 120 * np.log(2) + 2)


@pytest.mark.parametrize(
    ("family", "link"),
    [("binomial", None), ("poisson", None), ("gamma", "log"), ("gaussian", None)],
)
def test_profile_intervals_are_where_the_deviance_has_risen(family, link):
    X, y = data(family, link, n=120)
    X[:, 1] += 50  # the intercept is that of rows as they are
    model = GeneralizedLinearModel(family, link).fit(X, y)
    ends = model.conf_int(level=0.9, method="profile", X=X, y=y)
    rise = model.dispersion_ * model._result.quantile(0.9) ** 2
    for j, (low, high) in enumerate(ends):
        for end in (low, high):
            others = np.delete(X, j - 1, axis=1) if j else X
            fixed = end * (X[:, j - 1] if j else np.ones(len(y)))
            held = GeneralizedLinearModel(family, link, fit_intercept=j > 0)
            found = held.fit(others, y, offset=fixed)
            assert_allclose(found.deviance_ - model.deviance_, rise, rtol=1e-6)
        coef = np.append(model.intercept_, model.coef_)[j]
        assert low < coef < high
    if family == "gaussian":
        assert_allclose(ends, model.conf_int(level=0.9), rtol=1e-7)


def test_profile_intervals_need_rows_and_may_be_infinite(shared_data):
    X, y, _ = pima(shared_data)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="models keep no rows"):
        model.conf_int(method="profile")
    profile = np.asarray(model.conf_int(method="profile", X=X, y=y))
    apart = np.abs(profile - np.asarray(model.conf_int())) / model.standard_errors_[:, None]
    assert 0.01 < apart.max() < 0.3
    turned = LogisticRegression(reference=True).fit(X, y)
    assert_allclose(turned.conf_int(method="profile", X=X, y=y), -profile[:, ::-1], rtol=1e-6)


def test_a_model_without_aic_has_no_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    with pytest.raises(ValueError, match="must have an AIC"):
        step(GeneralizedLinearModel("quasipoisson"), X, rng.poisson(3, 50))


def test_terms_of_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = X[:, 0] + rng.normal(size=50)
    model, same = LinearRegression(), GeneralizedLinearModel()
    assert_allclose(
        drop1(model, X, y).to_frame()["AIC"].diff().to_numpy()[1:],
        drop1(same, X, y).to_frame()["AIC"].diff().to_numpy()[1:],
        rtol=1e-8,
    )


def test_models_of_different_families_are_not_compared():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.poisson(3, 50)
    poisson = GeneralizedLinearModel("poisson").fit(X, y)
    with pytest.raises(ValueError, match=r"of one family and link; got gaussian .*, poisson"):
        anova(LinearRegression().fit(X[:, :1], y), poisson)
    with pytest.raises(TypeError, match="models must be fitted linear models"):
        anova(poisson, "another")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_searches_keep_the_names_of_columns(library):
    module = pytest.importorskip(library)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 3))
    y = 2 * X[:, 0] + rng.standard_normal(80)
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    found = step(GeneralizedLinearModel(), table, y)
    assert found.terms[0] == "a"
    assert list(found.model.feature_names_in_) == list(found.terms)
    assert list(found.model.coef_names_) == ["(Intercept)", *found.terms]
    assert list(drop1(GeneralizedLinearModel(), table, y).names) == ["(none)", "a", "b", "c"]


def test_searches_want_a_model_and_no_offset_of_least_squares():
    X, y = data("poisson", "log")
    for search in (drop1, step):
        with pytest.raises(TypeError, match="model must be an estimator that has a summary"):
            search(3, X, y)
        with pytest.raises(ValueError, match="offset must be None for a LinearRegression"):
            search(LinearRegression(), X, y, offset=np.ones(len(y)))


@pytest.mark.filterwarnings("ignore:X has columns that depend")
def test_a_perfect_fit_tests_nothing():
    table = drop1(LinearRegression(), np.array([[1.0, 2.0]]), [3.0])
    assert np.isnan(table.columns["LRT"]).all()


@pytest.mark.parametrize(
    "model",
    [LinearRegression(), GeneralizedLinearModel("gaussian"), LogisticRegression()],
)
def test_collinear_columns_are_told_by_fit_and_not_again_by_each_step(model):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.ones(80)])
    y = X[:, 0] + rng.normal(size=80)
    if isinstance(model, LogisticRegression):
        y = y > 0
    with pytest.warns(CollinearityWarning, match=r"depend on those before them.*: x3, x4\."):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = drop1(model, X, y)
        step(model, X, y)
        step(model, rng.normal(size=(80, 2)), y)  # down to no column at all, perhaps
    assert table.columns["Df"][-1] == 0  # without the constant column the fit is the same


def test_a_start_that_names_no_terms():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    with pytest.raises(TypeError, match="start must be names of terms"):
        add1(LinearRegression(), X, y, start=len)


@pytest.mark.parametrize("model", [LinearRegression(), GeneralizedLinearModel("poisson")])
def test_step_removes_what_others_determine_first_as_r(model):
    """R's step takes the last of the terms of 0 degrees of freedom before it looks at AIC."""
    X, y = data("poisson", None)
    doubled = np.column_stack([X, X[:, 0] + X[:, 1], 3.0 - X[:, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollinearityWarning)
        table = drop1(model, doubled, y)
        found = step(model, doubled, y)
        upward = step(model, doubled, y, start="none")
        forward = step(model, doubled, y, direction="forward")
    assert_array_equal(table.columns["Df"][1:], 0.0)
    assert_allclose(table.columns["AIC"], table.columns["AIC"][0], rtol=1e-9)
    assert np.isnan(next(v for n, v in table.columns.items() if n.startswith("P>"))).all()
    assert list(found.path.names)[:3] == ["Start", "- x4", "- x3"]
    assert not found.model.aliased_.any()
    plain = step(model, X, y)
    assert found.terms == plain.terms
    assert list(found.path.names)[3:] == list(plain.path.names)[1:]
    assert not upward.model.aliased_.any()
    assert forward.terms == ("x0", "x1", "x2", "x3", "x4")  # nothing is removed


def test_a_group_of_which_others_determine_a_part_has_the_freedom_of_the_rest():
    X, y = data("gaussian", None)
    doubled = np.column_stack([X, X[:, 0]])
    with pytest.warns(CollinearityWarning):
        LinearRegression().fit(doubled, y)
    groups = {"a": [0], "b": [1, 3], "c": [2]}
    table = drop1(LinearRegression(), doubled, y, groups=groups)
    assert_array_equal(table.columns["Df"][1:], [0, 1, 1])


def test_a_search_that_meets_a_perfect_fit_ends():
    # The model of the intercept alone fits a constant, and has no likelihood to compare.
    rng = np.random.default_rng(0)
    X = 5 * rng.normal(size=(41, 1)) + 1
    model = LinearRegression().fit(X, rng.normal(size=41))
    for direction in ("both", "backward"):
        with pytest.raises(ValueError, match="model must have an AIC, with and without its terms"):
            step(model, X, np.ones(41), direction=direction)
