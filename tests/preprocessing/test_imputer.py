# SPDX-License-Identifier: BSD-3-Clause
"""Missing values of strings, objects and sparse rows: scikit-learn's answers, and what it lacks."""

import numpy as np
import pytest
from scipy import sparse

from statfast import SimpleImputer

OBJECTS = np.array(
    [["x", 1.0, np.nan], ["y", np.nan, np.nan], [np.nan, 2.0, np.nan], ["y", 2.0, np.nan]],
    dtype=object,
)
DENSE = np.array([[0, np.nan, 3.0], [np.nan, 0, 3], [0, 0, 3], [5, 0, 0], [5, 1, 2]])


def peer(**params):
    return pytest.importorskip("sklearn.impute").SimpleImputer(**params)


@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("indicator", [False, True])
@pytest.mark.filterwarnings("ignore:Left out", "ignore:Skipping features")
def test_objects(strategy, keep, indicator):
    params = {"strategy": strategy, "keep_empty_features": keep, "add_indicator": indicator}
    got, want = SimpleImputer(**params).fit(OBJECTS), peer(**params).fit(OBJECTS)
    assert got.transform(OBJECTS).tolist() == want.transform(OBJECTS).tolist()
    assert got.get_feature_names_out().tolist() == want.get_feature_names_out().tolist()


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("indicator", [False, True])
@pytest.mark.parametrize("kind", [sparse.csc_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse(strategy, indicator, kind):
    X = kind(DENSE)
    params = {"strategy": strategy, "add_indicator": indicator}
    got, want = SimpleImputer(**params).fit(X), peer(**params).fit(sparse.csc_matrix(DENSE))
    np.testing.assert_allclose(got.statistics_, want.statistics_, rtol=1e-15)
    out = got.transform(X)
    assert isinstance(out, sparse.csc_array)
    np.testing.assert_allclose(out.toarray(), SimpleImputer(**params).fit(DENSE).transform(DENSE))
    assert got.transform(kind(DENSE.astype(np.float32))).dtype == np.float32
    np.testing.assert_array_equal(X.toarray(), DENSE)  # is not modified


@pytest.mark.filterwarnings("ignore:Left out", "ignore:Skipping features")
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("indicator", [False, True])
@pytest.mark.parametrize("value", [np.nan, -1.0])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_as_they_come(strategy, keep, indicator, value, index):
    """Unsorted and repeated entries and stored zeros: the answers of dense rows, and the peer's."""
    rng = np.random.default_rng(0)
    n, d = 23, 12
    for density in (0.2, 0.5, 0.9):
        X = np.where(rng.random((n, d)) < density, rng.integers(-4, 5, (n, d)), 0.0)
        X[X == -1.0] = 2.0
        X[rng.random((n, d)) < 0.1] = value
        X[:, 3] = value  # empty
        rows = sparse.coo_array(X)
        extra = rng.integers(0, n, 9), rng.integers(4, d, 9)
        there = np.isfinite(X[extra]) & (X[extra] != value)
        extra = tuple(place[there].repeat(2) for place in extra)
        halves = np.tile([0.5, -0.5], there.sum())
        order = rng.permutation(rows.nnz + len(halves))
        data = np.append(rows.data, halves)[order]
        row = np.append(rows.row, extra[0]).astype(index)[order]
        column = np.append(rows.col, extra[1]).astype(index)[order]
        start = np.append(0, np.cumsum(np.bincount(row, minlength=n))).astype(index)
        order = np.argsort(row, kind="stable")
        rows = sparse.csr_array((data[order], column[order], start), shape=(n, d))
        params = {"missing_values": value, "strategy": strategy, "add_indicator": indicator}
        params["keep_empty_features"] = keep
        dense = SimpleImputer(**params).fit(X)
        model, want = SimpleImputer(**params).fit(rows), peer(**params)
        np.testing.assert_allclose(model.statistics_, dense.statistics_, rtol=1e-13)
        out = model.transform(rows)
        np.testing.assert_allclose(out.toarray(), dense.transform(X), rtol=1e-13)
        canonical = rows.copy()
        canonical.sum_duplicates()
        want = want.fit_transform(sparse.csc_matrix(canonical))
        np.testing.assert_allclose(out.toarray(), want.toarray(), rtol=1e-13)
        assert not rows.has_sorted_indices  # nor are the rows modified


@pytest.mark.filterwarnings("ignore:Left out")
def test_constants_of_columns_that_store_nothing():
    """They are columns of zeros, of which none is missing."""
    X = np.array([[0.0, np.nan], [0.0, 1.0]])
    model = SimpleImputer(strategy="constant", fill_value=7.0).fit(sparse.csr_array(X))
    assert model.statistics_.tolist() == [7.0, 7.0]
    later = sparse.csr_array(np.array([[np.nan, 0.0], [0.0, np.nan]]))
    assert model.transform(later).toarray().tolist() == [[7.0, 0.0], [0.0, 7.0]]


@pytest.mark.parametrize("values", [[], [3.0], [-2.0, 5.0], [-1.0, -1.0, 4.0, 1e308], [1e307] * 5])
@pytest.mark.parametrize("zeros", [1, 2, 3, 4, 5, 50])
def test_medians_with_zeros(values, zeros):
    column = np.append(np.nan, np.append(values, np.zeros(zeros)))[:, None]
    model = SimpleImputer(strategy="median").fit(sparse.csr_array(column))
    assert model.statistics_[0] == np.median(column[1:])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_medians_that_overflow(form):
    with pytest.raises(ValueError, match="so large that their sum overflows"):
        SimpleImputer(strategy="median").fit(form([[1.7e308]] * 5 + [[0.0]]))


def test_sparse_rows_are_not_taken_back():
    rows = sparse.csr_array(DENSE)
    model = SimpleImputer(add_indicator=True).fit(rows)
    with pytest.raises(TypeError, match=r"dense data is required. Pass X\.toarray"):
        model.inverse_transform(model.transform(rows))


@pytest.mark.filterwarnings("ignore:Left out")
def test_sparse_columns_left_out_and_numbers_that_are_missing():
    X = sparse.csc_array(np.array([[np.nan, 1.0], [np.nan, 0.0]]))
    assert SimpleImputer().fit_transform(X).toarray().tolist() == [[1.0], [0.0]]
    assert SimpleImputer(keep_empty_features=True).fit_transform(X).shape == (2, 2)
    threes = sparse.csc_array(np.array([[3.0, 1], [0, 1], [5, 3]]))
    assert SimpleImputer(missing_values=3).fit(threes).statistics_.tolist() == [2.5, 1.0]
    with pytest.raises(ValueError, match="Imputation not possible when missing_values == 0"):
        SimpleImputer(missing_values=0).fit(threes)


def test_none_nan_and_na_are_all_missing():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    names = ["x", None, "x"]
    frames = [
        np.array(names, dtype=object)[:, None],
        pandas.DataFrame({"a": names}),
        pandas.DataFrame({"a": pandas.array(names, dtype="string")}),
        pandas.DataFrame({"a": np.array(["x", pandas.NA, "x"], dtype=object)}),
        pandas.DataFrame({"a": pandas.Categorical(names)}),
        polars.DataFrame({"a": names}),
    ]
    for missing in (np.nan, None):
        for frame in frames:
            model = SimpleImputer(strategy="most_frequent", missing_values=missing)
            assert model.fit_transform(frame).ravel().tolist() == ["x"] * 3


def test_other_words_for_missing():
    given = np.array([["a"], ["?"], ["b"], ["b"]])
    model = SimpleImputer(missing_values="?", strategy="most_frequent")
    assert model.fit_transform(given).ravel().tolist() == list("abbb")
    with pytest.raises(ValueError, match="X contains NaN or None"):
        model.fit(np.array([["a"], [None]], dtype=object))
    constant = SimpleImputer(missing_values="?", strategy="constant", fill_value="none")
    assert constant.fit_transform(given)[1, 0] == "none"


def test_a_function_as_strategy_and_back():
    X = np.array([[1.0, np.nan], [4.0, 2.0], [np.nan, 3.0]])
    model = SimpleImputer(strategy=np.max, add_indicator=True).fit(X)
    assert model.statistics_.tolist() == [4.0, 3.0]
    np.testing.assert_array_equal(model.inverse_transform(model.transform(X)), X)
    names = np.array([["x"], [np.nan], ["x"]], dtype=object)
    modes = SimpleImputer(strategy="most_frequent", add_indicator=True).fit(names)
    back = modes.inverse_transform(modes.transform(names))
    assert back.ravel().tolist()[::2] == ["x", "x"]
    assert back[1, 0] != back[1, 0]
    with pytest.raises(ValueError, match="add_indicator=True"):
        SimpleImputer().fit(X).inverse_transform(X)


@pytest.mark.parametrize(
    ("params", "X", "message"),
    [
        ({}, OBJECTS, "X must hold numbers"),
        ({"strategy": "median"}, [["a"]], "X must hold numbers"),
        ({"strategy": "constant", "fill_value": "q"}, [[1.0]], "fill_value must be a number"),
        ({"strategy": "constant", "fill_value": [1]}, [["a"]], "fill_value must be"),
        ({"strategy": "most_frequent", "missing_values": "?"}, [[1.0]], "missing_values must be"),
        ({"strategy": "most_frequent"}, [[np.inf, 1.0]], "infinity"),
        ({}, sparse.csr_array([[np.inf, 1.0]]), "infinity"),
    ],
)
def test_refusals(params, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SimpleImputer(**params).fit(X)


def test_sparse_rows_that_store_nothing():
    rows = sparse.csc_array((4, 6))
    model = SimpleImputer(missing_values=2.0).fit(rows)
    assert model.transform(rows).shape == (4, 6)
    np.testing.assert_array_equal(model.statistics_, np.zeros(6))
