# SPDX-License-Identifier: BSD-3-Clause
"""What is accepted, as what; what is refused, in which words."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from statfast._estimator.base import Estimator
from statfast._validation import memory
from statfast._validation.errors import DataConversionWarning, NotFittedError
from statfast._validation.fitted_rows import rows_for
from statfast._validation.memory import refuse_large
from statfast._validation.parameters import as_choice, as_count, as_generator, as_real
from statfast._validation.rows import (
    as_rows,
    column_names,
    explain_nonfinite,
    require_finite,
    to_array,
)
from statfast._validation.sparse import as_csr, as_sparse
from statfast._validation.targets import as_labels, as_targets, as_vector, as_weights

TABLE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
BYTES = (np.float64, np.float32, np.uint8)


def pandas_table(names):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(TABLE, columns=names)


# ---------------------------------------------------------------- rows


def test_rows_in_place():
    for X in (TABLE, TABLE.T, TABLE[:, ::2], TABLE[::-1], TABLE.astype(np.float32)):
        assert as_rows(X) is X
    fixed = TABLE.copy()
    fixed.flags.writeable = False
    assert as_rows(fixed) is fixed
    byte = TABLE.astype(np.uint8)
    assert as_rows(byte, keep=BYTES) is byte


def test_rows_of_a_memory_map_are_not_read(tmp_path):
    X = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=(50, 3))
    rows = as_rows(X)
    assert rows.base is X or np.shares_memory(rows, X)


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", ">f4", "f8", ">f8", "g", "i1", "i8", "u1", "u2", ">i4", "?", "O"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_every_number_type(dtype, order):
    X = TABLE.astype(dtype, order=order)
    before = X.copy()
    rows = as_rows(X)
    assert rows.dtype == (np.float32 if dtype in ("f4", ">f4") else np.float64)
    assert rows.dtype.isnative
    assert np.array_equal(rows, TABLE != 0 if dtype == "?" else TABLE)
    assert np.array_equal(X, before)


def test_rows_of_containers():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(TABLE, columns=["a", "b", "c"])
    for X in (
        TABLE.tolist(),
        tuple(map(tuple, TABLE)),
        list(TABLE),
        TABLE.view(np.matrix),
        np.ma.array(TABLE),
        frame,
        frame.astype("Int64"),
        frame.astype({"a": "float32", "b": "int8"}),
        polars.DataFrame(TABLE, schema=["a", "b", "c"]),
        arrow.table({"a": [1, 4], "b": [2.0, 5.0], "c": [3, 6]}),
        arrow.record_batch({"a": [1, 4], "b": [2.0, 5.0], "c": [3, 6]}),
        memoryview(TABLE),
    ):
        rows = as_rows(X)
        assert type(rows) is np.ndarray
        assert np.array_equal(rows, TABLE)


def test_rows_through_the_arrow_stream_alone():
    arrow = pytest.importorskip("pyarrow")

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.table({"a": [1, 4], "b": [2.0, 5.0]}).__arrow_c_stream__()

    assert np.array_equal(as_rows(Stream()), TABLE[:, :2])


def test_rows_misaligned_are_copied():
    raw = np.zeros(8 * 6 + 1, dtype=np.uint8)
    X = raw[1:].view(np.float64).reshape(2, 3)
    assert not X.flags.aligned
    assert as_rows(X).flags.aligned
    model = Estimator()._publish(TABLE)
    assert rows_for(model, X).flags.aligned


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.arange(3.0), ValueError, r"Expected 2D array, got 1D array instead: X has shape \(3,"),
        (np.arange(3.0), ValueError, r"Reshape your data with X.reshape\(-1, 1\)"),
        (np.zeros((2, 3, 4)), ValueError, r"got 3D array instead: X has shape \(2, 3, 4\)"),
        (np.array(1.0), ValueError, "got scalar array instead"),
        (5, ValueError, "got scalar array instead"),
        (None, TypeError, r"X must be a 2-d array-like of numbers; got None \(NoneType\)"),
        ("abc", TypeError, r"X must be a 2-d array-like of numbers; got 'abc' \(str\)"),
        ({"a": [1]}, TypeError, "X must be a 2-d array-like of numbers; got {'a'"),
        (iter([[1.0]]), TypeError, "X must be a 2-d array-like of numbers; got <list_iterator"),
        (np.zeros((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is"),
        (np.zeros((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
        ([], ValueError, "got 1D array"),
        (
            [[1.0, 2.0], [3.0]],
            ValueError,
            "X should be a 2-d array-like of numbers: .*Give all rows the same length",
        ),
        ([["a", "b"]], ValueError, r"X must hold numbers; got 'a' .* else encode it"),
        ([["1", "2"]], ValueError, r"X must hold numbers; got '1' .*astype\(float\)"),
        (np.array([[b"a"]]), ValueError, "X must hold numbers; got b'a'"),
        (np.array([["a"]], dtype=object), ValueError, "X must hold numbers; got 'a'"),
        (np.array([[{}]], dtype=object), TypeError, "argument must be a string or a real number"),
        (np.array([[None]], dtype=object), ValueError, "X contains NaN"),
        (
            np.array([["2020-01-01"]], "M8[D]"),
            ValueError,
            "X must hold numbers; got dtype datetime",
        ),
        (np.zeros((1,), [("a", "f8")]).reshape(1, 1), ValueError, "X must hold numbers; got dtype"),
        ([[1j]], ValueError, "Complex data not supported: X has dtype complex128"),
        (np.ma.array([[1.0]], mask=True), ValueError, "masked values. Fill or drop"),
        (sparse.csr_array(TABLE), TypeError, r"Sparse data was passed for X.*Pass X.toarray\(\)"),
        (sparse.coo_matrix(TABLE), TypeError, "Sparse data was passed for X"),
        ([[1.0, np.nan]], ValueError, "X contains NaN, first at row 0, column 1. Drop or impute"),
        ([[1.0], [np.inf]], ValueError, "X contains infinity, .* first at row 1, column 0"),
        (np.array([[-np.inf]], np.float32), ValueError, "infinity, .*too large for float32"),
        (np.array([[np.inf]], np.float16), ValueError, "X contains infinity"),
        ([[10**400]], ValueError, "X must hold numbers; a value did not convert: int too large"),
    ],
)
def test_rows_refused(X, error, words):
    with pytest.raises(error, match=words):
        as_rows(X)


def test_rows_refused_under_the_callers_name():
    with pytest.raises(ValueError, match=r"init contains NaN"):
        as_rows([[np.nan]], name="init")
    with pytest.raises(ValueError, match=r"X has 2 sample\(s\).* minimum of 3 is required"):
        as_rows(TABLE, n_min=3)


def test_rows_unchecked_when_asked():
    X = np.array([[np.nan]])
    assert as_rows(X, finite=False) is X
    with pytest.raises(ValueError, match="X contains NaN"):
        require_finite(X)


def test_missing_values_of_tables_are_nan():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    for X in (
        pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")}),
        pandas.DataFrame({"a": [1.0, None]}),
        polars.DataFrame({"a": [1.0, None]}),
        polars.DataFrame({"a": [1, None]}),
    ):
        with pytest.raises(ValueError, match="X contains NaN, first at row 1, column 0"):
            as_rows(X)


@given(
    X=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40)),
    tall=st.booleans(),
    pad=st.sampled_from([1, 3000]),
)
def test_finite_agrees_with_numpy(X, tall, pad):
    X = np.concatenate([np.zeros((pad, X.shape[1])), X])  # beyond the fast path, too
    X = X if tall else X.T
    if np.isfinite(X).all():
        assert as_rows(X) is X
        explain_nonfinite(X)
    else:
        i, j = np.argwhere(~np.isfinite(X))[0]
        with pytest.raises(ValueError, match=f"first at row {i}, column {j}\\b"):
            as_rows(X)


def test_finite_is_searched_in_slices(monkeypatch):
    monkeypatch.setattr("statfast._validation.rows._VALUES_PER_SLICE", 600)
    for view in (np.zeros((2000, 6)), np.zeros((6, 2000)).T, np.zeros((2000, 12))[:, ::2]):
        require_finite(view)
        view[1777, 4] = np.nan
        with pytest.raises(ValueError, match="row 1777, column 4"):
            require_finite(view)


def test_huge_finite_values_are_finite():
    X = np.full((1, 3), 1e300)
    assert as_rows(X) is X
    assert rows_for(Estimator()._publish(X), X) is X


# ---------------------------------------------------------------- rows of a fitted estimator


class Toy(Estimator):
    pass


def test_rows_for_needs_a_fit():
    with pytest.raises(NotFittedError, match="This Toy instance is not fitted yet"):
        rows_for(Toy(), TABLE)


@pytest.mark.parametrize("X", [np.zeros((1, 4)), np.zeros((2000, 4)), [[1, 2, 3, 4]]])
def test_rows_for_needs_the_width(X):
    with pytest.raises(ValueError, match="X has 4 features, but Toy is expecting 3 features as"):
        rows_for(Toy()._publish(TABLE), X)


@pytest.mark.parametrize("n", [1, 5, 3000])
def test_rows_for_gives_rows_and_finds_nan(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    model = Toy()._publish(TABLE)
    assert rows_for(model, X) is X
    assert rows_for(model, X.tolist()).dtype == np.float64
    X[-1, 2] = np.nan
    with pytest.raises(ValueError, match=f"NaN, first at row {n - 1}, column 2"):
        rows_for(model, X)
    assert rows_for(model, X, finite=False) is X


def test_rows_for_refuses_no_rows():
    with pytest.raises(ValueError, match="0 sample"):
        rows_for(Toy()._publish(TABLE), np.zeros((0, 3)))


def test_rows_for_compares_names():
    named = Toy()._publish(pandas_table(["a", "b", "c"]))
    rows_for(named, pandas_table(["a", "b", "c"]))
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        rows_for(named, pandas_table(["b", "a", "c"]))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- d\n.*now missing:\n- c\n"):
        rows_for(named, pandas_table(["a", "b", "d"]))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Toy was"):
        rows_for(named, TABLE)
    with pytest.warns(UserWarning, match="X has feature names, but Toy was fitted without"):
        rows_for(Toy()._publish(TABLE), pandas_table(["a", "b", "c"]))


def test_column_names():
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    assert column_names(TABLE) is None
    assert column_names(TABLE.tolist()) is None
    assert column_names(pandas_table([0, 1, 2])) is None
    assert list(column_names(pandas_table(["a", "b", "c"]))) == ["a", "b", "c"]
    assert list(column_names(polars.DataFrame({"u": [1]}))) == ["u"]
    assert list(column_names(arrow.table({"u": [1], "v": [2]}))) == ["u", "v"]
    for work in (column_names, as_rows):
        with pytest.raises(TypeError, match="only supported if all input features have string"):
            work(pandas_table(["a", 1, 2]))


# ---------------------------------------------------------------- labels


@given(
    y=st.one_of(
        *(
            hnp.arrays(dtype, st.integers(1, 60))
            for dtype in (np.int8, np.int64, np.uint8, np.uint64, bool)
        ),
        hnp.arrays(
            np.float64,
            st.integers(1, 60),
            elements=st.integers(-(2**60), 2**60).map(float),
        ),
        hnp.arrays(np.dtype("U2"), st.integers(1, 60)),
        st.lists(st.text(max_size=2), min_size=1).map(lambda y: np.array(y, dtype=object)),
        st.lists(st.integers(-5, 5), min_size=1).map(lambda y: np.array(y, dtype=object)),
    )
)
def test_labels_agree_with_unique(y):
    before = y.copy()
    classes, codes = as_labels(y, len(y))
    want, inverse = np.unique(y, return_inverse=True)
    assert np.array_equal(classes, want)
    assert np.array_equal(codes, inverse)
    assert codes.dtype == np.intp
    assert classes.dtype == y.dtype or y.dtype == object
    assert np.array_equal(y, before)


def test_labels_of_containers():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    words = ["b", "a", "b"]
    for y in (
        words,
        tuple(words),
        pandas.Series(words),
        pandas.Series(words, dtype="category"),
        pandas.Series(words, dtype="string"),
        pandas.Categorical(words, categories=["c", "b", "a"]),
        polars.Series(words),
        polars.Series(words, dtype=polars.Categorical),
        arrow.array(words),
        np.array(words, dtype=np.dtypes.StringDType()),
    ):
        classes, codes = as_labels(y, 3)
        assert classes.tolist() == ["a", "b"]
        assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize("low", [2.0**53, 2.0**63, -(2.0**64), 1e300])
def test_float_labels_too_large_for_integers(low):
    y = np.array([2 * low, low, 2 * low, low])
    classes, codes = as_labels(y, 4)
    assert np.array_equal(classes, np.unique(y))
    assert np.array_equal(classes[codes], y)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_float_labels_of_every_size(dtype):
    y = np.array([2, -60000, 2, 0], dtype)  # the limit of what is exact is more than float16 holds
    classes, codes = as_labels(y, 4)
    assert classes.dtype == dtype
    assert np.array_equal(classes[codes], y)


def test_labels_in_a_column_warn():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        classes, codes = as_labels(np.array([[3], [1]]), 2)
    assert classes.tolist() == [1, 3]
    assert codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        (None, ValueError, "requires y to be passed, but the target y is None"),
        ([1, 2], ValueError, r"y must have one label per row of X \(3\); got 2"),
        (5, ValueError, "y should be a 1d array, got an array of shape"),
        ("abc", TypeError, "y must be a 1d array-like of labels; got 'abc'"),
        (np.zeros((3, 2)), ValueError, r"y should be a 1d array, got an array of shape \(3, 2\)"),
        ([1, [2], 3], ValueError, "y should be a 1d array-like of labels: setting"),
        ([1.0, np.nan, 2.0], ValueError, "y contains NaN, first at row 1"),
        ([1.0, 2.0, np.inf], ValueError, "y contains infinity, .*first at row 2"),
        ([0.5, 1.0, 2.0], ValueError, "Unknown label type: continuous. .*got 0.5 at row 0"),
        (np.array([0.5, 1, 2], dtype=object), ValueError, "Unknown label type: continuous"),
        (np.array([1, None, 2], dtype=object), ValueError, r"y contains missing labels \(None\)"),
        (np.array(["a", np.nan, "b"], dtype=object), ValueError, "y contains missing labels"),
        (np.array(["a", 1, "b"], dtype=object), TypeError, r"one type, .* got \['int', 'str'\]"),
        (np.array([{}, {}, {}], dtype=object), TypeError, "y must hold class labels; unhashable"),
        ([1j, 2, 3], ValueError, "Complex data not supported: y"),
        (np.zeros(3, "M8[D]"), ValueError, "Unknown label type: y has dtype datetime64"),
        (sparse.csr_array(np.ones((3, 1))), TypeError, "Sparse data was passed for y"),
    ],
)
def test_labels_refused(y, error, words):
    with pytest.raises(error, match=words):
        as_labels(y, 3)


# ---------------------------------------------------------------- weights


def test_weights():
    assert as_weights(None, 3) is None
    for given_weights in ([1, 2, 0], (1.0, 2.0, 0.0), np.array([1, 2, 0], np.uint8)):
        weights = as_weights(given_weights, 3)
        assert weights.dtype == np.float64
        assert weights.tolist() == [1, 2, 0]
    assert as_weights(2, 3).tolist() == [2, 2, 2]
    strided = np.arange(6.0)[::2]
    assert as_weights(strided, 3).flags.c_contiguous
    assert strided.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([1, 2], ValueError, r"sample_weight must have shape \(3,\), .*got \(2,\)"),
        (np.ones((3, 1)), ValueError, r"sample_weight must have shape \(3,\), .*got \(3, 1\)"),
        ([1, -1, 1], ValueError, "sample_weight must not be negative; got -1.0 at row 1"),
        ([1, np.nan, 1], ValueError, "sample_weight contains NaN, first at row 1"),
        ([1, np.inf, 1], ValueError, "sample_weight contains infinity"),
        ([1e308, 1e308, 1e308], ValueError, "sample_weight sums to infinity. Scale it down"),
        ([0, 0, 0], ValueError, "sample_weight is zero for every row. Give at least one row"),
        (0, ValueError, "sample_weight is zero for every row"),
        (["a", "b", "c"], ValueError, "sample_weight must hold numbers; got 'a'"),
        ("balanced", TypeError, "sample_weight must be a 1d array-like of weights; got 'balanced'"),
        ([1j, 1, 1], ValueError, "Complex data not supported: sample_weight"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_weights_refused(weights, error, words):
    with pytest.raises(error, match=words):
        as_weights(weights, 3)


# ---------------------------------------------------------------- parameters


def test_count():
    for value in (3, np.int64(3), np.uint8(3)):
        assert as_count(value, "k") == 3
        assert type(as_count(value, "k")) is int
    assert as_count(5, "k", 0, 5) == 5


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (0, ValueError, r"k must be between 1 and the number of rows \(9\); got 0. Raise k."),
        (10, ValueError, r"k must be between 1 and the number of rows \(9\); got 10. Lower k."),
        (2.0, TypeError, r"k must be an integer; got 2.0 \(float\)"),
        (True, TypeError, "k must be an integer; got True"),
        ("3", TypeError, "k must be an integer; got '3'"),
        (None, TypeError, "k must be an integer; got None"),
        (np.array([3]), TypeError, "k must be an integer; got array"),
    ],
)
def test_count_refused(value, error, words):
    with pytest.raises(error, match=words):
        as_count(value, "k", 1, 9, limit="the number of rows")


def test_count_refused_without_a_top():
    with pytest.raises(ValueError, match=r"k must be at least 1; got -1\. Raise k\."):
        as_count(-1, "k")


def test_real():
    assert as_real(0, "tol", 0) == 0.0
    assert as_real(np.float32(0.5), "tol", 0, 1) == 0.5
    assert type(as_real(1, "tol")) is float


@pytest.mark.parametrize(
    ("value", "bounds", "error", "words"),
    [
        (-1, {"low": 0}, ValueError, "tol must be at least 0; got -1. Raise tol."),
        (0, {"low": 0, "open_low": True}, ValueError, "tol must be greater than 0; got 0."),
        (2, {"low": 0, "high": 1}, ValueError, "tol must be at most 1; got 2. Lower tol."),
        (1, {"high": 1, "open_high": True}, ValueError, "tol must be less than 1; got 1."),
        (np.nan, {"low": 0}, ValueError, "got nan. Give a finite number"),
        (np.inf, {}, ValueError, "tol must be finite; got inf. Give a finite number"),
        ("1", {}, TypeError, r"tol must be a number; got '1' \(str\)"),
        (True, {}, TypeError, "tol must be a number; got True"),
        (1j, {}, TypeError, "tol must be a number; got 1j"),
    ],
)
def test_real_refused(value, bounds, error, words):
    with pytest.raises(error, match=words):
        as_real(value, "tol", **bounds)


def test_choice():
    assert as_choice("a", "kind", ("a", "b")) == "a"
    assert as_choice(None, "kind", ("a", None)) is None
    with pytest.raises(ValueError, match="kind must be 'a' or 'b'; got 'c'"):
        as_choice("c", "kind", ("a", "b"))
    for value in (1, None, ["a"], np.array(["a", "b"])):
        with pytest.raises(TypeError, match="kind must be 'a' or 'b'; got"):
            as_choice(value, "kind", ("a", "b"))


def test_generator():
    kept = np.random.default_rng(1)
    assert as_generator(kept) is kept
    want = np.random.default_rng(5).random(3)
    for seed in (5, np.int32(5), np.random.SeedSequence(5)):
        assert np.array_equal(as_generator(seed).random(3), want)
    old = [as_generator(np.random.RandomState(3)).random() for _ in range(2)]
    assert old[0] == old[1]
    state = np.random.RandomState(3)
    assert as_generator(state).random() != as_generator(state).random()
    assert as_generator(None).random() != as_generator(None).random()


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (-1, ValueError, "random_state must be at least 0; got -1"),
        (1.5, TypeError, "random_state must be None, an integer or a numpy.random.Generator"),
        (True, TypeError, "random_state must be an integer; got True"),
        ("seed", TypeError, "random_state must be"),
    ],
)
def test_generator_refused(value, error, words):
    with pytest.raises(error, match=words):
        as_generator(value)


# ---------------------------------------------------------------- memory


def test_large_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 4 << 30)
    refuse_large(2 << 30, "the distance matrix", "Use less.")
    with pytest.raises(
        MemoryError,
        match=r"the distance matrix needs 3\.0 GiB, more than half of the 4\.0 GiB .* Use less\.",
    ):
        refuse_large(3 << 30, "the distance matrix", "Use less.")


def test_large_is_let_through_where_nothing_is_known(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    refuse_large(1 << 60, "the distance matrix", "Use less.")


def test_free_memory_heeds_the_control_group(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    free = memory.free_memory()
    if free is None:
        pytest.skip("this system does not tell its free memory")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory.free_memory() == 2_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free_memory() > 2_000_000


def test_numbers_beyond_all_floats_are_not_finite():
    for value in (10**400, -(10**400), Fraction(10**400), np.inf, np.nan):
        with pytest.raises(ValueError, match="alpha must be finite"):
            as_real(value, "alpha")
    assert as_real(Fraction(1, 4), "alpha") == 0.25


def test_a_bound_may_be_beyond_the_type_of_a_number():
    assert as_real(np.float16(0.5), "epsilon", 0.0, 1e100) == 0.5


def across_words(values):
    """The same numbers, each across the border of two words."""
    values = np.asarray(values)
    held = np.empty(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    held[...] = values
    assert not held.flags.aligned
    return held


def test_numbers_across_words_are_copied():
    # A processor that reads whole words alone would stop there.
    y = across_words([3, 1, 2])
    assert to_array(y, "y", "labels").flags.aligned
    assert as_weights(across_words([1.0, 2.0]), 2).flags.aligned
    assert as_targets(across_words([1.0, 2.0]), 2)[0].flags.aligned
    assert as_vector(across_words([1.0, 2.0]), "v").flags.aligned
    X = sparse.csr_array(np.eye(3))
    X.data, X.indices = across_words(X.data), across_words(X.indices)
    for rows in (as_csr(X), as_sparse(X)):
        assert rows.data.flags.aligned
        assert rows.indices.flags.aligned
        np.testing.assert_array_equal(rows.toarray(), np.eye(3))
