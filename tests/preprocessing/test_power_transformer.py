# SPDX-License-Identifier: BSD-3-Clause
"""Powers of columns: likelihood, curves and the way back, at sizes where powers overflow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import boxcox_llf, yeojohnson_llf

from statfast import PowerTransformer
from statfast.preprocessing import power_transform


def peer(**params):
    return pytest.importorskip("sklearn.preprocessing").PowerTransformer(**params)


def samples(n=150):
    rng = np.random.default_rng(0)
    return np.column_stack([
        rng.normal(size=n), rng.exponential(size=n), rng.integers(0, 6, n), -rng.lognormal(size=n),
        rng.gamma(2.0, size=n) - 1.0,
    ])  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_scikit_learn_makes_the_same(method, standardize, dtype):
    X = samples()
    X = (np.abs(X) + 0.5 if method == "box-cox" else X).astype(dtype)
    X[3, 0] = X[8] = np.nan
    params = {"method": method, "standardize": standardize}
    ours = PowerTransformer(**params).fit(X)
    theirs = peer(**params).fit(X.astype(np.float64))
    # scikit-learn looks for the largest likelihood, which is flat there.
    np.testing.assert_allclose(ours.lambdas_, theirs.lambdas_, atol=1e-6)
    new = (X[::-1] * 0.9 + 0.2).astype(dtype)
    for rows in (X, new):
        made, wanted = ours.transform(rows), theirs.transform(rows.astype(np.float64))
        assert made.dtype == dtype
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-5)
        near = 1e-12 if dtype == np.float64 else 1e-4
        np.testing.assert_allclose(ours.inverse_transform(made), rows, rtol=near, atol=near)


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_no_power_near_is_likelier(method):
    X = samples()
    likelihood = yeojohnson_llf
    if method == "box-cox":
        X, likelihood = np.abs(X) + 0.5, boxcox_llf
    for power, column in zip(PowerTransformer(method).fit(X).lambdas_, X.T, strict=True):
        best = likelihood(power, column)
        for step in (-1e-3, 1e-3):
            assert likelihood(power + step, column) < best


@given(st.lists(st.integers(1, 30), min_size=2, max_size=20), st.floats(0.01, 100))
def test_units_leave_the_power_of_box_and_cox(values, unit):
    x = np.array(values, dtype=float)[:, None]
    if np.ptp(x) == 0:
        x[0] += 1.0
    model, other = PowerTransformer("box-cox").fit(x), PowerTransformer("box-cox").fit(x * unit)
    np.testing.assert_allclose(other.lambdas_, model.lambdas_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.transform(x * unit), model.transform(x), atol=1e-6)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 3)), min_size=2, max_size=20))
def test_weights_are_repeated_rows_and_signs_are_mirrored(pairs):
    x, times = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    x, times = x[:, None], np.maximum(times, np.arange(len(times)) < 2)
    weighted = PowerTransformer().fit(x, sample_weight=times)
    repeated = PowerTransformer().fit(x.repeat(times.astype(int), axis=0))
    np.testing.assert_allclose(weighted.lambdas_, repeated.lambdas_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(weighted.transform(x), repeated.transform(x), rtol=1e-5, atol=1e-5)
    mirrored = PowerTransformer().fit(-x, sample_weight=times)
    if np.ptp(x[times > 0]) > 0:
        np.testing.assert_allclose(mirrored.lambdas_, 2.0 - weighted.lambdas_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(mirrored.transform(-x), -weighted.transform(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_columns_far_from_zero_have_large_powers(method):
    rng = np.random.default_rng(1)
    spread = rng.exponential(size=300)
    X = np.column_stack([spread + 1e6, spread + 1e9, 1e9 - spread, 1e300 * spread + 1.0])
    model = PowerTransformer(method).fit(X)
    assert np.abs(model.lambdas_[:3]).min() > 1e5
    made = model.transform(X)
    np.testing.assert_allclose(made.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(made.std(axis=0), 1.0)
    np.testing.assert_allclose(model.inverse_transform(made), X, rtol=1e-12)
    # exp(p x) of x, as far from zero as it will be.
    skewed = (made[:, 0] ** 3).mean()
    assert abs(skewed) < 0.5 < ((spread - spread.mean()) ** 3).mean() / spread.std() ** 3
    np.testing.assert_allclose(made[:, 2], -made[:, 1], atol=1e-4)


def test_least_numbers_and_both_signs_of_huge_ones():
    rng = np.random.default_rng(2)
    x = rng.exponential(size=(200, 1))
    X = np.hstack(
        [x * 1e-300, rng.normal(size=(200, 1)) * 1e300, rng.normal(size=(200, 1)) * 1e-12]
    )
    model = PowerTransformer().fit(X)
    made = model.transform(X)
    assert np.isfinite(model.lambdas_).all()
    np.testing.assert_allclose(made.std(axis=0), 1.0)
    np.testing.assert_allclose(model.inverse_transform(made), X, rtol=1e-10)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_constant_columns_and_columns_without_values(method, standardize):
    X = np.array([[3.0, np.nan], [3.0, np.nan]])
    model = PowerTransformer(method, standardize=standardize).fit(X)
    assert model.lambdas_[0] == 1.0
    assert np.isnan(model.lambdas_[1])
    made = model.transform([[3.0, 1.0], [4.0, np.nan]])
    start = 0.0 if standardize else 3.0 - (method == "box-cox")
    np.testing.assert_allclose(made, [[start, np.nan], [start + 1.0, np.nan]])
    if method == "yeo-johnson":
        assert PowerTransformer().fit([[-3.0], [-3.0]]).transform([[-3.0]])[0, 0] == 0.0


def test_signs_that_were_not_there():
    x = np.random.default_rng(3).exponential(size=(80, 1))
    for sign in (1.0, -1.0):
        measured, plain = (
            PowerTransformer(standardize=standardize).fit(sign * x) for standardize in (True, False)
        )
        rows = np.linspace(-2, 2, 9)[:, None]
        heights = plain.transform(sign * x)
        wanted = (plain.transform(rows) - heights.mean()) / heights.std()
        np.testing.assert_allclose(measured.transform(rows), wanted, rtol=1e-9, atol=1e-9)
        for model in (measured, plain):
            np.testing.assert_allclose(
                model.inverse_transform(model.transform(rows)), rows, atol=1e-15
            )


def test_what_no_value_is_mapped_to_is_missing():
    x = np.random.default_rng(4).lognormal(sigma=2.0, size=(60, 1))
    model = PowerTransformer().fit(x)
    assert model.lambdas_[0] < 0
    assert np.isnan(model.inverse_transform([[1e6]])[0, 0])


def test_refusals():
    with pytest.raises(ValueError, match=r"strictly positive data; X holds -1\.0 in column 1"):
        PowerTransformer("box-cox").fit([[1.0, -1.0], [2.0, 3.0]])
    model = PowerTransformer("box-cox").fit([[1.0], [2.0], [4.0]])
    with pytest.raises(ValueError, match=r"strictly positive data; X holds 0\.0 in column 0"):
        model.transform([[0.0]])
    with pytest.raises(ValueError, match="X contains infinity"):
        PowerTransformer().fit([[np.inf], [1.0]])
    far = 1e6 + np.random.default_rng(5).beta(4.0, 1.0, (200, 1))
    model = PowerTransformer(standardize=False).fit(far)
    with pytest.raises(ValueError, match="X transformed contains infinity"):
        model.transform(far)


def test_the_function_is_the_class():
    X = np.abs(samples()) + 0.5
    for method in ("yeo-johnson", "box-cox"):
        made = power_transform(X, method, standardize=False)
        model = PowerTransformer(method, standardize=False)
        np.testing.assert_array_equal(made, model.fit_transform(X))
