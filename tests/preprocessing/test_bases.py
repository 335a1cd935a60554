# SPDX-License-Identifier: BSD-3-Clause
"""Polynomial and piecewise linear columns."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from statfast import LinearRegression, PiecewiseLinearFeatures, PolynomialFeatures


@pytest.mark.parametrize("degree", [0, 1, 2, 4, (0, 2), (2, 2), (2, 4), (3, 4)])
@pytest.mark.parametrize("only", [False, True])
def test_scikit_learn_makes_the_same_columns(degree, only):
    sklearn = pytest.importorskip("sklearn.preprocessing")
    X = np.random.default_rng(0).integers(-3, 4, (7, 3)).astype(float)
    ours = PolynomialFeatures(degree, interaction_only=only)
    theirs = sklearn.PolynomialFeatures(degree, interaction_only=only)
    np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("d", "degree"), [(1, 5), (4, 3), (5, 5), (3, 7), (20, 3)])
@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("n", [6, 40])  # laid out by rows, and by columns
def test_terms_are_those_of_itertools(d, degree, only, bias, n, monkeypatch):
    monkeypatch.setattr(
        "statfast.preprocessing.bases.polynomials.ROWS_AT_ONCE", 17
    )  # some rows at a time
    choose = combinations if only else combinations_with_replacement
    terms = [term for k in range(1 - bias, degree + 1) for term in choose(range(d), k)]
    X = np.random.default_rng(0).normal(size=(n, d))
    made = PolynomialFeatures(degree, interaction_only=only, include_bias=bias).fit(X)
    assert made.powers_.tolist() == [[term.count(j) for j in range(d)] for term in terms]
    columns = np.ones((n, len(terms)))
    for column, term in zip(columns.T, terms, strict=True):
        for j in reversed(term):
            column *= X[:, j]
    np.testing.assert_array_equal(made.transform(X), columns)


def test_degrees_of_more_columns_than_memory():
    for d, degree in ((64, 2**15), (20_000, 9)):
        for only in (False, True):
            with pytest.raises(MemoryError, match="A row of the columns made of X needs"):
                PolynomialFeatures(degree, interaction_only=only).fit(np.ones((1, d)))


def test_a_table_of_powers_that_is_not_asked_for_is_not_made(monkeypatch):
    made = PolynomialFeatures(3).fit(np.ones((2, 64)))
    made.transform(np.ones((2, 64)))

    def refuse(nbytes, what, instead):
        assert (nbytes, what) == (8 * 47905 * 64, "The table of powers for X")
        raise MemoryError

    monkeypatch.setattr("statfast.preprocessing.bases.polynomials.refuse_large", refuse)
    with pytest.raises(MemoryError):
        _ = made.powers_
    assert not hasattr(PolynomialFeatures(), "powers_")


def test_no_column_left():
    with pytest.raises(ValueError, match="Raise degree"):
        PolynomialFeatures(0, include_bias=False).fit([[1.0]])


def test_products_that_overflow():
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(2).fit_transform([[1e200]])
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(2).fit_transform(np.array([[1.0, -1e20]], dtype=np.float32))
    near = PolynomialFeatures(2).fit_transform([[1e154, 1.2e154]])  # the last of them is 1.44e308
    assert np.isfinite(near).all()


def test_polynomials_through_four_points():
    x, y = np.array([[1.0], [4.1], [6.1], [7.9]]), np.array([2.0, 3.7, 4.6, 7.0])
    cubic = PolynomialFeatures(3, include_bias=False).fit_transform(x)
    np.testing.assert_allclose(LinearRegression().fit(cubic, y).predict(cubic), y, rtol=1e-12)


def test_broken_line_is_found():
    x = np.linspace(0, 10, 200)
    y = np.interp(x, [0, 2, 7, 10], [1, 5, 0, 3])
    basis = PiecewiseLinearFeatures(knots=[[2.0, 7.0]])
    Z = basis.fit_transform(x[:, None])
    model = LinearRegression().fit(Z, y)
    np.testing.assert_allclose(model.predict(Z), y, atol=1e-12)
    np.testing.assert_allclose(np.cumsum(model.coef_), [2, -1, 1], atol=1e-12)
    assert basis.get_feature_names_out().tolist() == ["x0", "(x0-2)+", "(x0-7)+"]


def test_knots_are_quantiles_and_weights_repetitions():
    rng = np.random.default_rng(1)
    X, w = rng.standard_normal((50, 2)), rng.integers(0, 4, 50)
    basis = PiecewiseLinearFeatures(3).fit(X)
    np.testing.assert_array_equal(basis.knots_[0], np.sort(X[:, 0])[[12, 24, 37]])
    weighted = PiecewiseLinearFeatures(3).fit(X, sample_weight=w)
    repeated = PiecewiseLinearFeatures(3).fit(X.repeat(w, 0))
    for a, b in zip(weighted.knots_, repeated.knots_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_columns_and_their_knots_in_order():
    X = np.random.default_rng(2).normal(size=(20, 3))
    knots = [[-0.5, 0.0, 0.7], [], [0.1]]
    columns = [X[:, 0], *(np.maximum(X[:, 0] - k, 0) for k in knots[0])]
    columns += [X[:, 1], X[:, 2], np.maximum(X[:, 2] - 0.1, 0)]
    made = PiecewiseLinearFeatures(knots=knots).fit_transform(X)
    np.testing.assert_array_equal(made, np.column_stack(columns))


def test_constant_columns_have_no_knots():
    assert PiecewiseLinearFeatures().fit(np.ones((5, 1))).knots_[0].size == 0


@pytest.mark.parametrize("knots", [[[1.0], [2.0]], [[np.nan]]])
def test_knots_that_do_not_fit(knots):
    with pytest.raises(ValueError, match="knots must"):
        PiecewiseLinearFeatures(knots=knots).fit(np.ones((5, 1)))


def test_products_of_infinity_and_zero_do_not_warn():
    X = np.array([[1e300, 0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="A product of columns of X"):
        PolynomialFeatures(3).fit(X).transform(X)


@pytest.mark.parametrize("knots", [[10**400], [[[1.0, 2.0], [3.0]]], [["a"]], 3])
def test_knots_are_lists_of_numbers(knots):
    with pytest.raises(TypeError, match="knots must be a list of lists of numbers"):
        PiecewiseLinearFeatures(knots=knots).fit(np.ones((5, 1)))


def test_knots_beyond_the_type_of_the_rows():
    X = np.array([[1.0], [2.0]], np.float32)
    above = PiecewiseLinearFeatures(knots=[[1e100]]).fit(X).transform(X)
    np.testing.assert_array_equal(above, [[1.0, 0.0], [2.0, 0.0]])
    with pytest.raises(ValueError, match="too large for float32, first at row 0, column 1"):
        PiecewiseLinearFeatures(knots=[[-1e100]]).fit(X).transform(X)
