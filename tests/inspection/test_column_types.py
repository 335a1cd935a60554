# SPDX-License-Identifier: BSD-3-Clause
"""Inspection of data frames sets columns of every type to values that they can hold."""

import numpy as np
import pytest

import statfast as sf
from statfast.inspection import partial_dependence, permutation_importance, shap_values

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 40
FLAG = RNG.permutation(np.arange(N) % 2 == 0)
SIZE = RNG.normal(size=N)
LOST = np.arange(N) % 10 == 9
Y = 2.0 * FLAG + SIZE
GAPS = pd.Series(FLAG, dtype="boolean").where(~LOST)
NUMBERS = pd.Series(FLAG * 3, dtype="Int64").where(~LOST)
COLUMNS = {
    "bool": pd.Series(FLAG),
    "boolean": pd.Series(FLAG, dtype="boolean"),
    "boolean, one missing": GAPS,
    "objects of bool": pd.Series(FLAG, dtype=object),
    "category of bool": pd.Series(FLAG).astype("category"),
    "category of boolean, missing": GAPS.astype("category"),
    "Int64": pd.Series(FLAG * 3, dtype="Int64"),
    "Int64, one missing": NUMBERS,
    "category of Int64, missing": NUMBERS.astype("category"),
    "uint8": pd.Series(FLAG * 3, dtype="uint8"),
    "category of strings": pd.Series(np.where(FLAG, "yes", "no")).astype("category"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_partial_dependence_of_columns_of_every_type(kind):
    X = pd.DataFrame({"size": SIZE, "flag": COLUMNS[kind]})
    before = X.copy()
    model = sf.DecisionTreeRegressor(max_depth=4).fit(X, Y)
    found = partial_dependence(model, X, "flag", method="brute")
    assert len(found.grid_values[0]) == 2
    levels = COLUMNS[kind].dropna().unique()
    for value, average in zip(found.grid_values[0], found.average[0], strict=True):
        level = next(one for one in levels if one == value)
        X_at = X.assign(flag=pd.Series([level] * N, dtype=X["flag"].dtype))
        np.testing.assert_allclose(average, model.predict(X_at).mean(), rtol=1e-12)
    both = partial_dependence(model, X, ["flag", "size"], method="brute", grid_resolution=3)
    assert both.average.shape == (1, 2, 3)
    pd.testing.assert_frame_equal(X, before)
    assert permutation_importance(model, X, Y, random_state=0).importances_mean[1] > 0.0


def test_the_grid_of_truth_values_is_of_truth_values():
    X = pd.DataFrame({"size": SIZE, "flag": FLAG})
    model = sf.LinearRegression().fit(X, Y)
    found = partial_dependence(model, X, "flag")
    assert found.grid_values[0].tolist() == [False, True]
    assert found.grid_values[0].dtype == bool
    np.testing.assert_allclose(np.diff(found.average[0]), model.coef_[1], rtol=1e-9)


@pytest.mark.parametrize("kind", ["int64", "Int64", "bool"])
def test_values_between_those_that_a_column_can_hold(kind):
    X = pd.DataFrame({"size": SIZE, "many": pd.Series(np.arange(N) % (2 if kind == "bool" else N))})
    X["many"] = X["many"].astype(kind)
    model = sf.LinearRegression().fit(X, Y)
    found = partial_dependence(model, X, "many", custom_values={"many": [0.0, 0.25, 1.0]})
    np.testing.assert_allclose(np.diff(found.average[0]), model.coef_[1] * np.array([0.25, 0.75]))


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_frames_of_other_libraries_keep_their_names(container):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    X = pl.DataFrame({"size": SIZE, "flag": FLAG})
    X = X if container == "polars" else X.to_arrow()
    model = sf.LinearRegression().fit(X, Y)
    found = partial_dependence(model, X, "flag")  # without a warning of names
    np.testing.assert_allclose(np.diff(found.average[0]), model.coef_[1], rtol=1e-9)
    for share in (1.0, 0.5):
        one = permutation_importance(model, X, Y, random_state=0, max_samples=share)
        assert one.importances_mean.shape == (2,)


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
def test_strings_in_frames_of_other_libraries(container):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    words = np.array(["low", "high", "middle"], dtype=object)[np.arange(N) % 3]
    words[5] = None
    plain = pd.DataFrame({"size": SIZE, "word": words})
    X = pl.DataFrame({"size": SIZE, "word": words.tolist()})
    X = X if container == "polars" else X.to_arrow()
    encode = sf.make_column_transformer(
        (sf.OneHotEncoder(handle_unknown="ignore"), ["word"]), remainder="passthrough"
    )
    model = sf.make_pipeline(encode, sf.DecisionTreeRegressor(max_depth=4))
    model.fit(plain, Y + (words == "high"))
    rows = X[:6] if container == "polars" else X.slice(0, 6)
    got, want = shap_values(model, rows, X), shap_values(model, plain[:6], plain)
    np.testing.assert_allclose(got.values, want.values, atol=1e-12)
    for column in ("size", "word"):
        got, want = (partial_dependence(model, rows, column) for rows in (X, plain))
        np.testing.assert_allclose(got.average, want.average, rtol=1e-12)
        assert got.grid_values[0].tolist() == want.grid_values[0].tolist()
    got, want = (
        permutation_importance(model, rows, Y, random_state=0, n_repeats=3) for rows in (X, plain)
    )
    np.testing.assert_allclose(got.importances, want.importances, rtol=1e-12)
