# SPDX-License-Identifier: BSD-3-Clause
"""Splines of columns: those of scipy and scikit-learn, knots, and what is refused."""

import numpy as np
import pytest

from statfast import LinearRegression, SplineTransformer

BEYOND = ["constant", "linear", "continue", "periodic", "error"]


def peer(**params):
    return pytest.importorskip("sklearn.preprocessing").SplineTransformer(**params)


def samples(n=83):
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=n), rng.exponential(size=n), rng.uniform(size=n) - 2])


def dense(table):
    return table.toarray() if hasattr(table, "toarray") else table


KNOT_TABLE = np.array([[-1.0, 0.0, -3.0], [0.0, 0.3, -1.0], [0.5, 2.0, 0.0], [1.0, 2.5, 1.0]])


@pytest.mark.parametrize("sparse_output", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("extrapolation", BEYOND)
@pytest.mark.parametrize("knots", ["uniform", "quantile", KNOT_TABLE])
def test_scikit_learn_makes_the_same(knots, extrapolation, degree, include_bias, sparse_output):
    X = samples()
    params = {
        "n_knots": 4, "degree": degree, "knots": knots, "extrapolation": extrapolation,
        "include_bias": include_bias, "sparse_output": sparse_output,
    }  # fmt: skip
    # Quantiles of scikit-learn have the middle of a step with weights alone.
    weights = np.ones(len(X)) if isinstance(knots, str) and knots == "quantile" else None
    ours, theirs = SplineTransformer(**params).fit(X), peer(**params).fit(X, sample_weight=weights)
    assert ours.n_features_out_ == theirs.n_features_out_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    for mine, other in zip(ours.bsplines_, theirs.bsplines_, strict=True):
        np.testing.assert_allclose(mine.t, other.t, atol=1e-14)
        np.testing.assert_array_equal(mine.c, other.c)
    inside = np.clip(X, *(KNOT_TABLE[[0, -1]] if weights is None and len(knots) == 4 else (-9, 9)))
    for rows in (inside, X * 1.5 + 0.1):
        if extrapolation == "error" and rows is not inside:
            with pytest.raises(ValueError, match="`X` contains values beyond"):
                ours.transform(rows)
            continue
        made, wanted = dense(ours.transform(rows)), dense(theirs.transform(rows))
        np.testing.assert_allclose(made, wanted, atol=1e-11, rtol=1e-9)


@pytest.mark.parametrize("extrapolation", ["continue", "periodic", "error"])
@pytest.mark.parametrize("degree", [0, 1, 3, 4])
def test_scipy_makes_the_same(extrapolation, degree):
    X = samples()
    model = SplineTransformer(6, degree, extrapolation=extrapolation).fit(X)
    rows = X if extrapolation == "error" else 2.0 * X
    wanted = [spline(column) for spline, column in zip(model.bsplines_, rows.T, strict=True)]
    np.testing.assert_allclose(model.transform(rows), np.hstack(wanted), atol=1e-11, rtol=1e-9)


@pytest.mark.parametrize("extrapolation", BEYOND[:4])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_splines_of_a_feature_add_up_to_one(degree, extrapolation):
    X = samples()
    model = SplineTransformer(5, degree, extrapolation=extrapolation).fit(X)
    made = model.transform(1.7 * X - 0.3).reshape(len(X), 3, -1)
    np.testing.assert_allclose(made.sum(axis=2), 1.0, atol=1e-10)


def test_lines_of_several_features_go_on_straight():
    # Lines are what splines of degree 1 go on by anyway.
    X = samples()
    straight, further = (
        SplineTransformer(4, 1, extrapolation=way).fit(X).transform(2.0 * X)
        for way in ("linear", "continue")
    )
    np.testing.assert_allclose(straight, further, atol=1e-12)


def test_a_cubic_is_a_sum_of_cubic_splines():
    x = np.linspace(-2.0, 3.0, 40)[:, None]
    y = (x**3 - 2 * x)[:, 0]
    basis = SplineTransformer(4, extrapolation="continue").fit(x)
    model = LinearRegression(fit_intercept=False).fit(basis.transform(x), y)
    far = np.array([[-5.0], [6.0]])
    np.testing.assert_allclose(model.predict(basis.transform(far)), [-115.0, 204.0], rtol=1e-8)


@pytest.mark.parametrize("knots", ["uniform", "quantile"])
def test_weights_are_repeated_rows(knots):
    X, times = samples(), np.random.default_rng(1).integers(0, 4, 83)
    weighted = SplineTransformer(knots=knots).fit(X, sample_weight=times)
    repeated = SplineTransformer(knots=knots).fit(X.repeat(times, axis=0))
    for mine, other in zip(weighted.bsplines_, repeated.bsplines_, strict=True):
        np.testing.assert_allclose(mine.t, other.t, rtol=1e-13, atol=1e-13)
    plain = SplineTransformer(knots=knots).fit(X).transform(X)
    ones = SplineTransformer(knots=knots).fit(X, sample_weight=np.full(83, 2.5)).transform(X)
    np.testing.assert_array_equal(plain, ones)


def test_missing_values_are_zeros():
    X = samples()
    X[3, 0] = X[7] = np.nan
    whole = SplineTransformer(handle_missing="zeros").fit(X)
    made = whole.transform(X)
    wanted = peer(handle_missing="zeros").fit(X).transform(X)
    np.testing.assert_allclose(made, wanted, atol=1e-12)
    assert not made[7].any()
    assert made[3, 7:].any()
    listed = SplineTransformer(handle_missing="zeros", sparse_output=True).fit_transform(X)
    np.testing.assert_array_equal(listed.toarray(), made)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_and_layouts(dtype, order, monkeypatch):
    monkeypatch.setattr("statfast.preprocessing.bases.splines.NUMBERS_AT_ONCE", 50)
    X = samples().astype(dtype)
    made = SplineTransformer(order=order).fit_transform(X)
    assert made.dtype == dtype
    assert made.flags.c_contiguous == (order == "C")
    wanted = SplineTransformer().fit_transform(X.astype(np.float64))
    np.testing.assert_allclose(made, wanted, atol=1e-6 if dtype == np.float32 else 1e-15)
    listed = SplineTransformer(sparse_output=True).fit_transform(X)
    assert listed.dtype == dtype
    np.testing.assert_array_equal(listed.toarray(), made)


def test_quantiles_that_are_equal_and_a_constant_feature():
    X = np.array([[0.0, 7.0]] * 5 + [[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
    made = SplineTransformer(4, knots="quantile").fit_transform(X)
    np.testing.assert_allclose(made[:, :6].sum(axis=1), 1.0)
    assert not made[:, 6:].any()


@pytest.mark.parametrize(
    ("params", "X", "message"),
    [
        ({"knots": "many"}, [[1.0], [2.0]], "knots must be 'uniform' or 'quantile'"),
        ({"knots": [[1.0]]}, [[1.0], [2.0]], "Number of knots, .* must be >= 2"),
        ({"knots": [[1.0], [1.0]]}, [[1.0], [2.0]], "knots must be sorted without duplicates"),
        ({"knots": [[1.0, 2.0], [2.0, 3.0]]}, [[1.0]], "knots.shape.1. == n_features is violated"),
        ({"n_knots": 3, "extrapolation": "periodic"}, [[1.0]], "require degree < n_knots"),
        ({}, [[np.nan], [1.0]], "X contains NaN, and SplineTransformer is configured to error"),
        ({"handle_missing": "zeros"}, [[np.nan], [np.nan]], "X holds no value in column 0"),
        ({"handle_missing": "zeros"}, [[np.inf], [1.0]], "X contains infinity"),
        ({}, [[-1.7e308], [1.7e308]], "so far apart that their difference overflows"),
    ],
)
def test_refusals(params, X, message):
    with pytest.raises(ValueError, match=message):
        SplineTransformer(**params).fit(X)


def test_a_spline_that_overflows_is_refused():
    model = SplineTransformer(extrapolation="continue").fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="A spline of X contains"):
        model.transform([[1e150]])
    with pytest.raises(AttributeError, match="bsplines_ is known after fit"):
        _ = SplineTransformer().bsplines_
