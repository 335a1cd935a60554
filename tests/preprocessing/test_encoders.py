# SPDX-License-Identifier: BSD-3-Clause
"""Encoders of categories: against a twin, scikit-learn's answers, frames of all kinds, batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import OneHotEncoder, OrdinalEncoder
from statfast.preprocessing.encoding.categories import numbered
from tests.reference import categories as twin

COLORS = np.array([["red", 1], ["green", 2], ["red", 3], ["blue", 2]], dtype=object)

KINDS = {
    "strings": st.sampled_from("abcd"),
    "gaps": st.one_of(st.sampled_from("ab"), st.none(), st.just(np.nan)),
    "integers": st.integers(-3, 3),
    "far integers": st.sampled_from([-(2**60), 0, 5, 2**60]),
    "floats": st.sampled_from([0.5, -0.0, 2.0, np.nan]),
    "booleans": st.booleans(),
}


@st.composite
def tables(draw, kinds=tuple(KINDS)):
    n = draw(st.integers(1, 12))
    names = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    return [draw(st.lists(KINDS[name], min_size=n, max_size=n)) for name in names]


def as_table(columns):
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table


def assert_same_values(got, want):
    assert np.shape(got) == np.shape(want)
    for a, b in zip(np.ravel(got).tolist(), np.ravel(want).tolist(), strict=True):
        assert twin.same(a, b), (a, b)


# ------------------------------------------------------------------ the twin
@given(tables())
def test_against_the_twin(columns):
    table = as_table(columns)
    known = [twin.categories(column) for column in columns]
    one_hot, ordinal = OneHotEncoder().fit(table), OrdinalEncoder().fit(table)
    for encoder in (one_hot, ordinal):
        for values, wanted in zip(encoder.categories_, known, strict=True):
            assert_same_values(values, np.array(wanted, dtype=object))
    coded = one_hot.transform(table)
    np.testing.assert_array_equal(coded.toarray(), twin.one_hot(columns, known))
    numbers = ordinal.transform(table)
    np.testing.assert_array_equal(numbers, twin.ordinal(columns, known))
    np.testing.assert_array_equal(one_hot.fit_transform(table).toarray(), coded.toarray())
    assert_same_values(one_hot.inverse_transform(coded), table)
    if not any(value is None for column in columns for value in column):
        assert_same_values(ordinal.inverse_transform(numbers), table)


@given(tables(("integers", "far integers", "floats", "booleans")))
def test_arrays_of_numbers_are_as_objects(columns):
    for column in columns:
        table = np.array(column)[:, None]
        for kind in (OneHotEncoder(sparse_output=False), OrdinalEncoder()):
            want = kind.fit(table.astype(object)).transform(table.astype(object))
            np.testing.assert_array_equal(kind.fit_transform(table), want)
            assert kind.categories_[0].dtype == table.dtype
            assert_same_values(kind.inverse_transform(want), table)


@given(tables(), st.integers(1, 11))
def test_batches_give_the_categories_of_all_rows(columns, cut):
    table = as_table(columns)
    parts = [part for part in (table[:cut], table[cut:]) if len(part)]
    for make in (OneHotEncoder, OrdinalEncoder):
        whole, by_parts = make(min_frequency=2).fit(table), make(min_frequency=2)
        for part in parts:
            by_parts.partial_fit(part)
        for a, b in zip(by_parts.categories_, whole.categories_, strict=True):
            assert_same_values(a, b)
        a, b = (sparse.csr_array(m.transform(table)).toarray() for m in (by_parts, whole))
        np.testing.assert_array_equal(a, b)


def test_batches_of_numbers_and_of_strings_are_refused_together():
    encoder = OneHotEncoder().partial_fit(np.array([["a"]], dtype=object))
    with pytest.raises(TypeError, match="uniformly strings or numbers"):
        encoder.partial_fit([[1.0]])
    with pytest.raises(ValueError, match="expecting 1 features"):
        encoder.partial_fit([["a", "b"]])


# ------------------------------------------------------------------ scikit-learn's answers
OPTIONS = [
    {},
    {"drop": "first"},
    {"drop": "if_binary", "handle_unknown": "ignore"},
    {"drop": ["b", 1]},
    {"min_frequency": 2},
    {"min_frequency": 0.25, "handle_unknown": "infrequent_if_exist"},
    {"max_categories": 2, "handle_unknown": "warn"},
    {"max_categories": 1, "drop": "first"},
    {"max_categories": 3, "min_frequency": 2},
    {"categories": [["z", "b", "a", "c"], [0, 1, 2, 3]], "dtype": np.int8},
]
ORDINAL = [
    {},
    {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    {"handle_unknown": "use_encoded_value", "unknown_value": np.nan, "min_frequency": 3},
    {"max_categories": 2, "dtype": np.int32},
    {"categories": [["z", "b", "a", "c"], [3, 2, 1, 0]]},
]


@pytest.mark.parametrize("params", OPTIONS, ids=str)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_answers_of_scikit_learn(params):
    peer = pytest.importorskip("sklearn.preprocessing").OneHotEncoder
    compare(peer, OneHotEncoder, params)


@pytest.mark.parametrize("params", ORDINAL, ids=str)
def test_ordinal_answers_of_scikit_learn(params):
    peer = pytest.importorskip("sklearn.preprocessing").OrdinalEncoder
    compare(peer, OrdinalEncoder, params)


def compare(peer, ours, params):
    table = as_table([list("abcabbcaab"), [0, 1, 1, 2, 1, 3, 1, 0, 2, 1]])
    want, got = peer(**params).fit(table), ours(**params).fit(table)
    for a, b in zip(got.categories_, want.categories_, strict=True):
        assert_same_values(a, b)
    assert got.get_feature_names_out().tolist() == want.get_feature_names_out().tolist()
    some = [entry for entry in params if entry in ("min_frequency", "max_categories")]
    for a, b in zip(*(m.infrequent_categories_ if some else [] for m in (got, want)), strict=True):
        assert_same_values([] if a is None else a, [] if b is None else b)
    rows = [table]
    if params.get("handle_unknown", "error") != "error":
        rows.append(as_table([["q", "a", "b"], [1, 9, 0]]))
    for each in rows:
        a, b = got.transform(each), want.transform(each)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(*(sparse.csr_array(part).toarray() for part in (a, b)))
        if not (some and "drop" in params):  # there scikit-learn gives another category back
            assert_same_values(got.inverse_transform(a), want.inverse_transform(b))
    if hasattr(want, "drop_idx_"):
        assert (got.drop_idx_ is None) == (want.drop_idx_ is None)
        assert got.drop_idx_ is None or got.drop_idx_.tolist() == want.drop_idx_.tolist()


def test_what_is_left_out_comes_back_beside_rare_ones():
    table = as_table([list("abbcccdddd")])
    encoder = OneHotEncoder(min_frequency=3, drop=["d"], sparse_output=False).fit(table)
    assert encoder.get_feature_names_out().tolist() == ["x0_c", "x0_infrequent_sklearn"]
    back = encoder.inverse_transform(encoder.transform(table)).ravel().tolist()
    assert back == ["infrequent_sklearn"] * 3 + list("cccdddd")


def test_missing_values_come_back_beside_rare_ones():
    encoder = OrdinalEncoder(min_frequency=2, encoded_missing_value=-1)
    table = as_table([["a", "a", "b", np.nan]])
    assert encoder.fit_transform(table).ravel().tolist() == [0.0, 0.0, 1.0, -1.0]
    back = encoder.inverse_transform([[0], [1], [-1]]).ravel()
    assert_same_values(back, np.array(["a", "infrequent_sklearn", np.nan], dtype=object))


# ------------------------------------------------------------------ frames
def frames():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    color, size = ["red", None, "blue", "red"], [3, 1, 3, 2]
    nullable = pandas.array([3, None, 3, 2], dtype="Int64")
    return {
        "objects": pandas.DataFrame({"c": np.array(color, dtype=object), "s": size}),
        "strings": pandas.DataFrame({"c": pandas.array(color, dtype="string"), "s": size}),
        "categories": pandas.DataFrame({"c": pandas.Categorical(color), "s": size}),
        "nullable": pandas.DataFrame({"c": color, "s": nullable}),
        "polars": polars.DataFrame({"c": color, "s": size}),
        "polars categories": polars.DataFrame(
            {"c": polars.Series(color, dtype=polars.Categorical), "s": size}
        ),
        "polars enum": polars.DataFrame(
            {"c": polars.Series(color, dtype=polars.Enum(["red", "blue"])), "s": size}
        ),
        "pyarrow": polars.DataFrame({"c": color, "s": size}).to_arrow(),
    }


@pytest.mark.parametrize(
    "kind",
    ["objects", "strings", "categories", "nullable", "polars", "polars categories", "polars enum",
     "pyarrow"],
)  # fmt: skip
def test_frames(kind):
    frame = frames()[kind]
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    gap = np.array([0.0, 1, 0, 0]) if kind == "nullable" else None
    want = np.array(
        [[0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 0, 1], [0, 1, 0, 0, 1, 0]]
    )
    if gap is not None:  # its categories are 2, 3 and missing
        want = np.column_stack([want[:, :3], want[:, 4:], gap])
    np.testing.assert_array_equal(encoder.transform(frame), want)
    assert encoder.feature_names_in_.tolist() == ["c", "s"]
    assert encoder.get_feature_names_out()[:2].tolist() == ["c_blue", "c_red"]


def test_tables_out():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": ["u", "v"]}, index=[7, 9])
    out = OneHotEncoder(sparse_output=False).set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["c_u", "c_v"]
    assert out.index.tolist() == [7, 9]
    with pytest.raises(ValueError, match="Pandas output does not support sparse data"):
        OneHotEncoder().set_output(transform="pandas").fit_transform(frame)


# ------------------------------------------------------------------ details
def test_details():
    encoder = OneHotEncoder(feature_name_combiner=lambda name, level: f"{name} is {level}")
    assert encoder.fit(COLORS).get_feature_names_out(["c", "n"])[0] == "c is blue"
    assert isinstance(encoder.transform(COLORS), sparse.csr_array)
    assert OneHotEncoder(dtype=np.float32).fit_transform(COLORS).dtype == np.float32
    ignoring = OneHotEncoder(handle_unknown="ignore").fit(COLORS)
    unknown = ignoring.transform(np.array([["pink", 2]], dtype=object))
    assert unknown.toarray().tolist() == [[0, 0, 0, 0, 1, 0]]
    assert_same_values(ignoring.inverse_transform(unknown), np.array([[None, 2]], dtype=object))
    dropping = OneHotEncoder(handle_unknown="ignore", drop="first").fit(COLORS)
    with pytest.warns(UserWarning, match=r"unknown categories in columns \[0\]"):
        dropping.transform(np.array([["pink", 2]], dtype=object))
    given = np.array([["b"], ["a"]])  # an array of strings keeps its type
    assert OneHotEncoder().fit(given).categories_[0].dtype.kind == "U"
    assert OneHotEncoder(categories=[["b", "a"]]).fit(given).transform(given).toarray()[0, 0] == 1


@pytest.mark.parametrize(
    ("encoder", "X", "message"),
    [
        (OneHotEncoder(), [["a"], [1]], "uniformly strings or numbers"),
        (OneHotEncoder(), [[np.inf]], "X, column 0, contains infinity"),
        (OneHotEncoder(), np.array([["2020-01-01"]], "M8[D]"), "must hold numbers or strings"),
        (OneHotEncoder(), [[1j]], "Complex data"),
        (OneHotEncoder(), sparse.eye_array(3), "Sparse data was passed for X"),
        (OneHotEncoder(categories=[[1]]), [[1, 2]], "Shape mismatch"),
        (OneHotEncoder(categories=[[2, 1]]), [[1]], "Unsorted categories"),
        (OneHotEncoder(categories=[["a", "a"]]), [["a"]], "duplicate elements"),
        (OneHotEncoder(categories=[[np.nan, 1.0]]), [[1.0]], "Nan should be the last"),
        (OneHotEncoder(categories=[["a"]]), [["b"]], r"unknown categories \['b'\] in column 0"),
        (OneHotEncoder(drop=["q"]), [["b"]], "were not found"),
        (OneHotEncoder(drop=["b", "b"]), [["b"]], "each of the 1 columns"),
        (OneHotEncoder(drop=["b"], min_frequency=2), [["b"], ["a"], ["a"]], "is infrequent"),
        (OneHotEncoder(min_frequency=1.5), [["b"]], "min_frequency"),
        (OneHotEncoder(max_categories=0), [["b"]], "max_categories"),
        (OrdinalEncoder(unknown_value=3), [["b"]], "should only be set when"),
        (OrdinalEncoder(handle_unknown="use_encoded_value"), [["b"]], "unknown_value must be"),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=0), [["b"]], "already"),
        (OrdinalEncoder(encoded_missing_value=0), [["b"], [None]], "already used"),
        (OrdinalEncoder(dtype=int), [["b"], [None]], "set encoded_missing_value"),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, dtype=int),
         [["b"]], "which dtype must hold"),
    ],
)  # fmt: skip
def test_refusals(encoder, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        encoder.fit(X)
    assert not encoder.__sklearn_is_fitted__()


def test_refusals_of_rows():
    one_hot, ordinal = OneHotEncoder().fit(COLORS), OrdinalEncoder().fit(COLORS)
    new = np.array([["pink", 2]], dtype=object)
    for encoder in (one_hot, ordinal):
        with pytest.raises(ValueError, match=r"unknown categories \['pink'\] in column 0 during"):
            encoder.transform(new)
        with pytest.raises(ValueError, match="expecting 2 features"):
            encoder.transform(COLORS[:, :1])
        with pytest.raises(ValueError, match="Shape of the passed X data is not correct"):
            encoder.inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="can not be inverted"):
        one_hot.inverse_transform(np.zeros((1, 6)))
    with pytest.raises(ValueError, match="the number of no category"):
        ordinal.inverse_transform([[0.5, 0]])


def test_categories_of_no_list():
    with pytest.raises(TypeError, match=r"categories must be .auto. or a list"):
        OrdinalEncoder(categories=np.array(0.0)).fit([[1.0], [2.0]])


@pytest.mark.parametrize("gone", [None, np.nan])
def test_the_missing_value_that_is_dropped(gone):
    X = np.array([["a"], [None], [np.nan], ["b"]], dtype=object)
    model = OneHotEncoder(drop=[gone], sparse_output=False).fit(X)
    kept = model.get_feature_names_out(["x"]).tolist()
    assert kept == ["x_a", "x_b", "x_nan" if gone is None else "x_None"]


ODD_NUMBERS = [0.0, -0.0, 1.0, 2.5, -3.0, np.nan, np.inf, -np.inf, 2.0**53, 2.0**63, -(2.0**63)]


@pytest.mark.parametrize("known", [[0, 1, 2], [-3, 5, 9], [0, 2**53], [2**63], [0.5, 1], [0, 1e30]])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_are_numbered_as_they_compare(known, missing, dtype):
    """Tables of integers that are stored as floats know no other number, whatever is looked up."""
    values = np.array(known + [np.nan] * missing, dtype)
    column = np.tile(np.array(ODD_NUMBERS + [float(value) for value in known], dtype), 5)
    expected = [
        next((k for k, v in enumerate(values) if v == x or (v != v and x != x)), -1) for x in column
    ]
    np.testing.assert_array_equal(numbered(column, values), expected)
