# SPDX-License-Identifier: BSD-3-Clause
"""Polynomial and piecewise linear columns."""

import numpy as np
import pytest

from statfast import LinearRegression, PiecewiseLinear, PolynomialFeatures


@pytest.mark.parametrize("degree", [0, 1, 2, 4])
@pytest.mark.parametrize("only", [False, True])
def test_scikit_learn_makes_the_same_columns(degree, only):
    sklearn = pytest.importorskip("sklearn.preprocessing")
    X = np.random.default_rng(0).integers(-3, 4, (7, 3)).astype(float)
    ours = PolynomialFeatures(degree, interaction_only=only)
    theirs = sklearn.PolynomialFeatures(degree, interaction_only=only)
    np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_no_column_left():
    with pytest.raises(ValueError, match="Raise degree"):
        PolynomialFeatures(0, include_bias=False).fit([[1.0]])


def test_products_that_overflow():
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(2).fit_transform([[1e200]])


def test_polynomials_through_four_points():
    x, y = np.array([[1.0], [4.1], [6.1], [7.9]]), np.array([2.0, 3.7, 4.6, 7.0])
    cubic = PolynomialFeatures(3, include_bias=False).fit_transform(x)
    np.testing.assert_allclose(LinearRegression().fit(cubic, y).predict(cubic), y, rtol=1e-12)


def test_broken_line_is_found():
    x = np.linspace(0, 10, 200)
    y = np.interp(x, [0, 2, 7, 10], [1, 5, 0, 3])
    basis = PiecewiseLinear(knots=[[2.0, 7.0]])
    Z = basis.fit_transform(x[:, None])
    model = LinearRegression().fit(Z, y)
    np.testing.assert_allclose(model.predict(Z), y, atol=1e-12)
    np.testing.assert_allclose(np.cumsum(model.coef_), [2, -1, 1], atol=1e-12)
    assert basis.get_feature_names_out().tolist() == ["x0", "(x0-2)+", "(x0-7)+"]


def test_knots_are_quantiles_and_weights_repetitions():
    rng = np.random.default_rng(1)
    X, w = rng.standard_normal((50, 2)), rng.integers(0, 4, 50)
    basis = PiecewiseLinear(3).fit(X)
    np.testing.assert_array_equal(basis.knots_[0], np.sort(X[:, 0])[[12, 24, 37]])
    weighted = PiecewiseLinear(3).fit(X, sample_weight=w)
    repeated = PiecewiseLinear(3).fit(X.repeat(w, 0))
    for a, b in zip(weighted.knots_, repeated.knots_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_constant_columns_have_no_knots():
    assert PiecewiseLinear().fit(np.ones((5, 1))).knots_[0].size == 0


@pytest.mark.parametrize("knots", [[[1.0], [2.0]], [[np.nan]]])
def test_knots_that_do_not_fit(knots):
    with pytest.raises(ValueError, match="knots must"):
        PiecewiseLinear(knots=knots).fit(np.ones((5, 1)))
