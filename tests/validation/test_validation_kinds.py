# SPDX-License-Identifier: BSD-3-Clause
"""What counts as a number is the same in every container, and what does not is refused by name."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

import statfast as sf
from statfast._validation import as_columns, as_rows, as_targets, as_vector, as_weights

pd = pytest.importorskip("pandas")
NUMBERS = [1.0, 2.0, 3.0, 4.0]
DAYS = pd.date_range("2020-01-01", periods=4)
TIMES = {
    "datetime64": DAYS,
    "with time zone": DAYS.tz_localize("Europe/Zurich"),
    "timedelta64": DAYS - DAYS[0],
    "period": DAYS.to_period("D"),
    "objects of dates": [day.date() for day in DAYS],
    "objects of times": [datetime.time(hour) for hour in range(4)],
    "objects of durations": pd.Series([datetime.timedelta(1)] * 4, dtype=object),
    "category of dates": pd.Categorical(DAYS),
    "one missing": pd.Series([None, *DAYS[1:]]),
}
DATES = ["datetime64", "with time zone", "timedelta64", "objects of dates"]
DIGITS = {
    "strings": list("1234"),
    "string dtype": pd.array(list("1234"), dtype="string"),
    "category of strings": pd.Categorical(list("1231")),
    "mixed": [1, "2", 3, 4],
    "bytes": [b"1", b"2", b"3", b"4"],
}


def beside_numbers(values):
    return pd.DataFrame({"size": NUMBERS, "other": values})


@pytest.mark.parametrize("kind", TIMES)
def test_dates_beside_numbers_are_refused_by_the_name_of_their_column(kind):
    X = beside_numbers(TIMES[kind])
    with pytest.raises(ValueError, match=r"X must hold numbers; got .* in column 'other'.*Convert"):
        as_rows(X)
    with pytest.raises(ValueError, match="column 'other'"):
        sf.LinearRegression().fit(X, NUMBERS)
    fitted = sf.LinearRegression().fit(beside_numbers([1.0, 0.0, 0.0, 1.0]), NUMBERS)
    with pytest.raises(ValueError, match="column 'other'"):
        fitted.predict(X)


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
@pytest.mark.parametrize("kind", DATES[::2] + DATES[3:])
def test_dates_of_other_libraries_are_refused_too(container, kind):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    X = pl.DataFrame({"size": NUMBERS}).with_columns(pl.Series("other", list(TIMES[kind])))
    with pytest.raises(ValueError, match=r"X must hold numbers; got dtype .* in column 'other'"):
        as_rows(X if container == "polars" else X.to_arrow())


@pytest.mark.parametrize(
    "value",
    [
        DAYS[0], pd.NaT, np.datetime64("2020"), np.timedelta64(3, "D"), datetime.date(2020, 1, 1),
        datetime.timedelta(1), "1", b"1", np.str_("1"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_one_date_or_string_among_objects_is_refused_where_it_stands(value):
    X = np.full((4, 2), 1.0, dtype=object)
    X[2, 1] = value
    with pytest.raises(ValueError, match=r"X must hold numbers; got .* in column 1, row 2\."):
        as_rows(X)
    with pytest.raises(ValueError, match="X must hold numbers"):
        as_rows(X.tolist())


@pytest.mark.parametrize("kind", DIGITS)
def test_strings_of_digits_are_no_numbers_in_any_container(kind):
    with pytest.raises(ValueError, match=r"X must hold numbers; got .*'.' in column 'other', row "):
        as_rows(beside_numbers(DIGITS[kind]))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([True, False, True, False], [1, 0, 1, 0]),
        (pd.array([True, None, True, False], dtype="boolean"), [1, np.nan, 1, 0]),
        (pd.array([1, None, 2, 3], dtype="Int64"), [1, np.nan, 2, 3]),
        (pd.Series([1, pd.NA, 2.5, None], dtype=object), [1, np.nan, 2.5, np.nan]),
        ([Decimal("1.5"), 2, 3.0, True], [1.5, 2, 3, 1]),
        (pd.Categorical([3, 1, 2, 1]), [3, 1, 2, 1]),
    ],
    ids=["bool", "nullable bool", "nullable int", "objects", "Decimal", "category of numbers"],
)
def test_numbers_are_numbers_in_whatever_type(values, wanted):
    X = beside_numbers(values)
    np.testing.assert_array_equal(as_rows(X, finite=False)[:, 1], wanted)
    np.testing.assert_array_equal(as_rows(X.astype(object), finite=False)[:, 1], wanted)


@pytest.mark.parametrize(
    "kind", ["datetime64", "with time zone", "timedelta64", "objects of dates"]
)
def test_dates_are_no_targets_weights_or_scores(kind):
    y = pd.Series(TIMES[kind])
    for check in (lambda y: as_targets(y, 4), lambda y: as_weights(y, 4, name="y")):
        with pytest.raises(ValueError, match="y must hold numbers"):
            check(y)
    with pytest.raises(ValueError, match="y must hold numbers"):
        as_vector(y, "y")
    with pytest.raises(ValueError, match=r"y must hold numbers; got .*'target'"):
        as_targets(y.to_frame("target"), 4)


@pytest.mark.parametrize(
    "kind", ["datetime64", "with time zone", "timedelta64", "objects of dates"]
)
def test_dates_are_no_categories_before_they_are_strings(kind):
    X = beside_numbers(TIMES[kind])
    with pytest.raises(ValueError, match=r"X must hold numbers or strings; .* column 'other'"):
        as_columns(X)
    levels = sf.OneHotEncoder().fit(X.astype({"other": str})).categories_[1]
    assert all(isinstance(level, str) for level in levels)


@pytest.mark.parametrize("kind", TIMES)
def test_mixed_naive_bayes_guesses_no_density_of_dates(kind):
    X = beside_numbers(TIMES[kind])
    with pytest.raises(
        ValueError, match=r"X must hold numbers or strings; got .* in column 'other'"
    ):
        sf.MixedNB().fit(X, [0, 1, 0, 1])
    dates = sf.MixedNB({"other": "categorical"})
    if X["other"].dtype.kind not in "mM":
        assert dates.fit(X, [0, 1, 0, 1]).densities_ == ["gaussian", "categorical"]


def test_a_tree_with_categories_refuses_dates_beside_them():
    X = beside_numbers(TIMES["datetime64"]).assign(kind=pd.Categorical(list("abab")))
    for model in (sf.DecisionTreeRegressor(), sf.HistGradientBoostingRegressor()):
        with pytest.raises(ValueError, match="column 1, which is not categorical, must hold num"):
            model.fit(X, NUMBERS)


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_a_category_of_nullable_integers_may_have_a_missing_one(missing):
    values = pd.Series(pd.array([1, 2, missing, 1] * 10, dtype="Int64")).astype("category")
    X = pd.DataFrame({"kind": values, "size": np.arange(40.0)})
    y = values.isna().to_numpy().astype(float)
    for model in (
        sf.DecisionTreeRegressor(),
        sf.HistGradientBoostingRegressor(min_samples_leaf=1, learning_rate=1.0),
    ):
        np.testing.assert_allclose(model.fit(X, y).predict(X), y, atol=1e-12)
    assert sf.OneHotEncoder().fit(X[["kind"]]).transform(X[["kind"]]).shape == (40, 3)
