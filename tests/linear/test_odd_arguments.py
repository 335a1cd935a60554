# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and responses at the edge of what is taken: answers, or a sentence."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import Chunks
from statfast.generative import LinearDiscriminantAnalysis
from statfast.linear import (
    GeneralizedLinearModel,
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = RNG.gamma(2.0, size=60)
CODES = np.arange(60) % 3


@pytest.mark.parametrize("model", [LinearRegression(), GeneralizedLinearModel()])
def test_chunks_without_responses(model):
    rows = Chunks(lambda: iter([X]))
    for y, said in (
        (None, "y to be passed"), (3, "single value"), ("a", "single value"),
        ([], "minimum of 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            model.fit(rows, y)


def test_a_level_may_be_any_real():
    model = LogisticRegression().fit(X, CODES > 0)
    exact, plain = model.odds_ratios(Fraction(1, 2)), model.odds_ratios(0.5)
    assert list(exact.columns) == list(plain.columns)
    assert_allclose(exact.columns["25 %"], plain.columns["25 %"])
    with pytest.raises(ValueError, match="level must be less than"):
        model.odds_ratios(1.5)


@pytest.mark.parametrize("label", [np.array([1, 2]), np.array([]), [1], {}])
@pytest.mark.parametrize("y", [CODES, CODES > 0])
def test_a_reference_is_one_label(label, y):
    with pytest.raises(ValueError, match="reference must be one of the classes"):
        LogisticRegression(reference=label).fit(X, y)


def test_a_reference_may_be_an_array_of_one_number():
    model = LogisticRegression(reference=np.array(2)).fit(X, CODES)
    assert_allclose(model.coef_[2], 0.0)


def test_links_that_are_numbers():
    with pytest.raises(ValueError, match="link must be finite"):
        GeneralizedLinearModel("gamma", 10**400).fit(X, Y)
    with pytest.raises(TypeError, match="link must be a name, or a number"):
        GeneralizedLinearModel("gamma", np.complex128(1)).fit(X, Y)
    half = GeneralizedLinearModel("gamma", Fraction(1, 2)).fit(X, Y)
    assert_allclose(half.coef_, GeneralizedLinearModel("gamma", 0.5).fit(X, Y).coef_)


def test_predictions_have_all_digits_of_the_power():
    power = 1 / 3
    model = GeneralizedLinearModel("gamma", power).fit(X, Y)
    eta = model.intercept_ + X @ model.coef_
    assert_allclose(model.predict(X), eta**3, rtol=1e-13)


def test_responses_whose_squares_are_no_numbers():
    tiny = LinearRegression().fit(X, Y * 1e-170)
    assert_allclose(tiny.coef_ * 1e170, LinearRegression().fit(X, Y).coef_)
    with pytest.raises(ValueError, match="squares of residuals vanish"):
        tiny.aic_  # noqa: B018 (it is a property)
    with pytest.raises(ValueError, match="squares overflow"):
        LinearRegression().fit(X, Y * 1e200)
    for size in (1e-170, 1e200):
        with pytest.raises(ValueError, match="so that its squares are numbers"):
            GeneralizedLinearModel().fit(X, Y * size)
    for model in (LinearRegression(), GeneralizedLinearModel()):
        near = model.fit(X, Y * 1e-130)
        assert np.isfinite([near.log_likelihood_, near.aic_]).all()
        assert (near.standard_errors_ > 0).all()


def test_responses_that_are_all_zero_are_no_small_ones():
    model = LinearRegression().fit(X, np.zeros(60))
    assert_allclose(model.coef_, 0.0)


@pytest.mark.parametrize("tol", [0.0, 1e-4])
@pytest.mark.parametrize("rows", [np.ones((60, 2)), np.eye(3)[CODES]])
def test_discriminants_of_constant_columns(rows, tol):
    with pytest.raises(ValueError, match="No column of X varies within the classes"):
        LinearDiscriminantAnalysis(tol=tol).fit(rows, CODES)


def test_means_beyond_the_type_of_the_rows():
    model = GeneralizedLinearModel().fit(X * 1e-154, Y)
    with pytest.raises(ValueError, match=r"The prediction .* too large for float32"):
        model.predict(np.ones((1, 2), np.float32))
    assert np.isfinite(model.predict(np.ones((1, 2)))).all()


@pytest.mark.parametrize("link", ["log", None])
@pytest.mark.parametrize("power", [-100, 50, 100, 160])
def test_an_inverse_gaussian_has_no_unit(link, power):
    plain, other = (
        GeneralizedLinearModel("inverse_gaussian", link).fit(X, Y * size)
        for size in (1, 2.0**power)
    )
    assert_allclose(other.dispersion_ * 2.0**power, plain.dispersion_, rtol=1e-7)
    assert_allclose(other.predict(X) * 2.0**-power, plain.predict(X), rtol=1e-7)


def test_responses_whose_cubes_are_no_numbers():
    for size in (1e-60, 1e60):
        with pytest.raises(ValueError, match="so that its powers are numbers"):
            GeneralizedLinearModel("inverse_gaussian").fit(X, Y * size)


@pytest.mark.parametrize(("size", "unit"), [(1e80, 1e-90), (1e-100, 1e100)])
@pytest.mark.parametrize("kind", [LinearRegression, GeneralizedLinearModel])
def test_errors_whose_squares_are_no_numbers(kind, size, unit):
    plain, other = kind().fit(X, Y), kind().fit(X * size, Y * unit)
    assert_allclose(other.standard_errors_[1:] * size / unit, plain.standard_errors_[1:])
    assert_allclose(other.conf_int()[1:] * size / unit, plain.conf_int()[1:])
    if kind is GeneralizedLinearModel:
        profile = other.conf_int(method="profile", X=X * size, y=Y * unit)
        assert_allclose(profile[1:] * size / unit, plain.conf_int()[1:])
    with pytest.raises(ValueError, match="A variance of the coefficients is beyond float64"):
        other.covariance_  # noqa: B018 (it is a property)


@pytest.mark.parametrize("family", ["gaussian", "gamma", "inverse_gaussian"])
@pytest.mark.parametrize("link", [None, "log"])
def test_predictions_of_a_perfect_fit_have_no_width(family, link):
    model = GeneralizedLinearModel(family, link).fit(X, np.full(60, 2.5))
    assert_allclose(model.predict(X, interval="prediction")[1], 2.5)


@pytest.mark.parametrize(
    ("family", "link", "near", "far"),
    [
        ("gaussian", "log", 1e70, 1e-100),
        ("gaussian", "inverse", 1e-35, 1e-60),
        ("gamma", -2.0, 1e-35, 1e-70),
    ],
)
def test_responses_whose_information_vanishes(family, link, near, far):
    plain, other = (GeneralizedLinearModel(family, link).fit(X, Y * size) for size in (1, near))
    assert_allclose(other.predict(X) / near, plain.predict(X), rtol=1e-7)
    assert_allclose(other.p_values_[1:], plain.p_values_[1:], rtol=1e-5)
    for size in (far, 1 / far):
        with pytest.raises(ValueError, match="so that squares of the information are numbers"):
            GeneralizedLinearModel(family, link).fit(X, Y * size)


@pytest.mark.filterwarnings("ignore:X has columns that depend")
def test_equal_columns_with_a_tolerance_below_rounding():
    """What a matrix of 1e+-162 leaves of their pivots has squares beyond float64.

    On some processors rounding leaves nothing, and the columns are dropped with a warning.
    """
    X, y = np.full((11, 10), 0.1), 1e-162 * np.linspace(2.0, 3.0, 11)
    model = LinearRegression(tol=5e-324).fit(X, y)
    for ask in ("standard_errors_", "covariance_"):
        with pytest.raises(ValueError, match=r"float64|small"):
            getattr(model, ask)


def test_a_linear_predictor_without_a_mean():
    """A power link knows means of positive linear predictors alone."""
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = GeneralizedLinearModel(link=2.0, fit_intercept=False).fit(x, np.sqrt(x[:, 0]))
    assert_allclose(model.predict(x), np.sqrt(x[:, 0]))
    for call in (model.predict, lambda X: model.score(X, np.ones(2))):
        with pytest.raises(ValueError, match=r"of row 1 is -2, of which the link 'power\(2\)'"):
            call(np.array([[1.0], [-2.0]]))


@pytest.mark.parametrize("size", [2e-162, 2.3e-162, 2.6e-162, 3e-162])
def test_a_residual_sum_of_squares_below_all_normal_numbers(size):
    X = np.random.default_rng(0).normal(size=(40, 1))
    y = np.zeros(40)
    y[0] = size
    LinearRegression().fit(X, y)  # whose likelihood has the logarithm of the sum, not of a share


def test_huber_coefficients_beyond_float64_are_refused():
    X = 1e-100 * np.array([[0.0], [1.0], [2.0], [4.0]])
    with pytest.raises(ValueError, match="coefficients overflow float64"):
        HuberRegressor(alpha=0.0).fit(X, np.array([0.0, 1e250, 2e250, 4e250]))
