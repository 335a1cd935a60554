# SPDX-License-Identifier: BSD-3-Clause
"""Transformers side by side: which columns each gets, what comes out, and cross-validation."""

import numpy as np
import pytest
from scipy import sparse

from statfast import (
    PCA,
    ColumnTransformer,
    CountVectorizer,
    LogisticRegression,
    MinMaxScaler,
    OneHotEncoder,
    Pipeline,
    Ridge,
    SimpleImputer,
    StandardScaler,
    make_column_selector,
    make_column_transformer,
    make_pipeline,
)
from statfast._estimator import copied, sums_of, without_each
from statfast.model_selection import GridSearchCV, cross_validate

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 4)) * [1.0, 10.0, 0.1, 3.0] + [0.0, 5.0, 1.0, -2.0]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
Y = X @ [1.0, 0.1, 5.0, -1.0] + RNG.standard_normal(90)
NAMES = list("abcd")


def frame(kind):
    library = pytest.importorskip(kind)
    towns = [["Delft", "Graz", "Lund"][k] for k in np.arange(90) % 3]
    columns = dict(zip(NAMES, X.T, strict=True)) | {"town": towns}
    return library.table(columns) if kind == "pyarrow" else library.DataFrame(columns)


def scaled(columns, **params):
    return ColumnTransformer([("z", StandardScaler(), columns)], **params)


# ------------------------------------------------------------------ which columns
CHOICES = {
    "places": [0, 2],
    "negative places": [-4, -2],
    "array": np.array([0, 2]),
    "slice": slice(0, 3, 2),
    "mask": [True, False, True, False],
    "mask array": np.array([True, False, True, False]),
    "callable": lambda table: [0, 2],
}


@pytest.mark.parametrize("columns", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("kind", [np.array, np.asfortranarray, np.ndarray.tolist])
def test_columns_of_arrays(columns, kind):
    model = scaled(columns).fit(kind(X))
    np.testing.assert_allclose(model.transform(kind(X)), Z[:, [0, 2]], atol=1e-12)
    assert model.get_feature_names_out().tolist() == ["z__x0", "z__x2"]
    np.testing.assert_allclose(
        scaled(columns, remainder="passthrough").fit_transform(X),
        np.column_stack([Z[:, [0, 2]], X[:, [1, 3]]]), atol=1e-12,
    )  # fmt: skip
    rest = scaled(columns, remainder=MinMaxScaler()).fit(X)
    want = MinMaxScaler().fit_transform(X[:, [1, 3]])
    np.testing.assert_array_equal(rest.transform(X)[:, 2:], want)
    assert rest.transformers_[1][2] == [1, 3]
    assert rest.output_indices_ == {"z": slice(0, 2), "remainder": slice(2, 4)}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "columns", [["a", "c"], [0, 2], slice("a", "c", 2), [True, False, True, False, False],
                lambda table: ["a", "c"]],
    ids=["names", "places", "slice of names", "mask", "callable"],
)  # fmt: skip
def test_columns_of_frames(kind, columns):
    table = frame(kind)
    model = scaled(columns).fit(table)
    np.testing.assert_allclose(model.transform(table), Z[:, [0, 2]], atol=1e-12)
    assert model.get_feature_names_out().tolist() == ["z__a", "z__c"]
    if kind != "pyarrow":  # found by name, wherever they stand
        other = table[["town", "c", "a"]]
        np.testing.assert_array_equal(model.transform(other), model.transform(table))
        with pytest.raises(ValueError, match=r"columns are missing: X lacks \['a'\]"):
            model.transform(table[["c"]])


def test_one_column_alone_is_one_dimensional():
    pandas = pytest.importorskip("pandas")
    texts = ["red wine", "white wine", "red"]
    table = pandas.DataFrame({"text": texts, "n": [1.0, 2.0, 3.0]})
    parts = [("words", CountVectorizer(), "text"), ("n", StandardScaler(), ["n"])]
    out = ColumnTransformer(parts, sparse_threshold=0).fit_transform(table)
    np.testing.assert_array_equal(out[:, :3], [[1, 0, 1], [0, 1, 1], [1, 0, 0]])
    assert out.shape == (3, 4)
    by_place = ColumnTransformer([("words", CountVectorizer(), 0)], sparse_threshold=0)
    np.testing.assert_array_equal(by_place.fit_transform(table), out[:, :3])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_selector(kind):
    table = frame(kind)
    numbers = make_column_selector(dtype_include="number")
    assert numbers(table) == NAMES
    assert make_column_selector(dtype_exclude="number")(table) == ["town"]
    assert make_column_selector("a|t", dtype_include="number")(table) == ["a"]
    model = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(), make_column_selector("town")),
        sparse_threshold=0,
    )  # fmt: skip
    out = model.fit_transform(table)
    np.testing.assert_allclose(out[:, :4], Z, atol=1e-12)
    np.testing.assert_array_equal(out[:, 4:], np.tile(np.eye(3), (30, 1)))
    assert model.transformers_[0][2] == NAMES
    with pytest.raises(ValueError, match="dataframes"):
        numbers(X)


# ------------------------------------------------------------------ what comes out
def test_sparse_results_by_their_density():
    table = np.column_stack([np.arange(90) % 30, X[:, 0]])
    parts = [("one_hot", OneHotEncoder(), [0]), ("kept", "passthrough", [1])]
    out = ColumnTransformer(parts).fit(table)
    assert out.sparse_output_
    thin = out.transform(table)
    assert isinstance(thin, sparse.csr_array)
    dense = ColumnTransformer(parts, sparse_threshold=2 / 31).fit(table)
    assert not dense.sparse_output_
    np.testing.assert_array_equal(dense.transform(table), thin.toarray())
    # Sparse rows in: columns that scalers without means keep sparse.
    rows = sparse.csr_array(np.where(np.abs(Z) < 1.5, 0.0, Z))
    scalers = ColumnTransformer([("z", StandardScaler(with_mean=False), [0, 3])], remainder="drop")
    want = StandardScaler(with_mean=False).fit_transform(rows[:, [0, 3]]).toarray()
    np.testing.assert_array_equal(scalers.fit_transform(rows).toarray(), want)


def test_tables_out():
    pandas = pytest.importorskip("pandas")
    table = frame("pandas").set_index(np.arange(90) * 2)
    model = make_column_transformer(
        (StandardScaler(), ["a", "c"]), (OneHotEncoder(sparse_output=False, dtype=int), ["town"]),
        remainder="passthrough", verbose_feature_names_out=False,
    ).set_output(transform="pandas")  # fmt: skip
    out = model.fit_transform(table)
    assert isinstance(out, pandas.DataFrame)
    assert out.columns.tolist() == ["a", "c", "town_Delft", "town_Graz", "town_Lund", "b", "d"]
    assert out.dtypes.iloc[2].kind == "i"  # columns keep their types
    assert out.index.tolist() == table.index.tolist()
    np.testing.assert_allclose(out[["a", "c", "b", "d"]], np.column_stack(
        [Z[:, [0, 2]], X[:, [1, 3]]]), atol=1e-12)  # fmt: skip
    polars = pytest.importorskip("polars")
    assert isinstance(model.set_output(transform="polars").fit_transform(table), polars.DataFrame)


def test_names():
    parts = [("p", StandardScaler(), [0]), ("q", PCA(1), [1, 2]), ("r", "passthrough", [0])]

    def names(style):
        return ColumnTransformer(parts, verbose_feature_names_out=style).fit(X)

    assert names(True).get_feature_names_out().tolist() == ["p__x0", "q__pca0", "r__x0"]
    assert names("{feature_name}@{transformer_name}").get_feature_names_out()[0] == "x0@p"
    assert names(lambda who, what: who + what).get_feature_names_out()[1] == "qpca0"
    with pytest.raises(ValueError, match=r"\['x0'\] are not unique"):
        names(False).get_feature_names_out()
    made = make_column_transformer((PCA(1), [0, 1]), (PCA(1), [2, 3]))
    assert [name for name, *_ in made.transformers] == ["pca-1", "pca-2"]


def test_weights_of_rows_and_of_transformers():
    weights = np.arange(90) % 3
    got = scaled([0, 1], remainder="drop").fit(X, sample_weight=weights)
    want = StandardScaler().fit(X[:, :2], sample_weight=weights)
    np.testing.assert_array_equal(got.transform(X), want.transform(X[:, :2]))
    heavy = scaled([0, 1], transformer_weights={"z": 10.0}).fit_transform(X)
    np.testing.assert_array_equal(heavy, 10.0 * StandardScaler().fit_transform(X[:, :2]))


def test_parameters_by_name():
    model = ColumnTransformer([("z", StandardScaler(), [0]), ("k", "drop", [1])])
    assert model.get_params()["z__with_mean"] is True
    model.set_params(z__with_mean=False, k="passthrough", remainder=MinMaxScaler())
    assert model.set_params(remainder__clip=True).remainder.clip
    fitted = copied(model).fit(X)
    assert not hasattr(model.transformers[0][1], "scale_")  # fitted are copies
    assert fitted["z"] is fitted.named_transformers_.z
    assert fitted["z"].scale_[0] == pytest.approx(X[:, 0].std())
    with pytest.raises(ValueError, match="Invalid parameter 'q' for estimator ColumnTransformer"):
        model.set_params(q=1)


def test_answers_of_scikit_learn():
    compose = pytest.importorskip("sklearn.compose")
    pandas = pytest.importorskip("pandas")
    table = frame("pandas")
    table.iloc[::7, 1] = np.nan
    table["town"] = pandas.Categorical(table["town"])
    parts = [
        ("filled", make_pipeline(SimpleImputer(), StandardScaler()), ["b", "a"]),
        ("town", OneHotEncoder(drop="first"), ["town"]),
    ]
    for remainder in ("drop", "passthrough", MinMaxScaler()):
        got = ColumnTransformer(parts, remainder=remainder)
        want = compose.ColumnTransformer(parts, remainder=remainder)
        np.testing.assert_array_equal(*(m.fit_transform(table) for m in (got, want)))
        np.testing.assert_array_equal(*(m.get_feature_names_out() for m in (got, want)))


# ------------------------------------------------------------------ cross-validation
def model_of(columns):
    parts = [("z", StandardScaler(), columns[:2]), ("kept", "passthrough", columns[2:])]
    return make_pipeline(ColumnTransformer(parts), StandardScaler(with_std=False), Ridge(3.0))


@pytest.mark.parametrize("kind", ["array", "pandas", "polars"])
def test_merged_statistics_are_refits(kind):
    table = X if kind == "array" else frame(kind)
    model = model_of([2, 0, 3] if kind == "array" else ["c", "a", "d"])
    found = cross_validate(model, table, Y, return_estimator=True)
    assert found.path == "merged statistics"
    for k, fitted in enumerate(found["estimator"]):
        rows = np.setdiff1d(np.arange(90), np.arange(18 * k, 18 * k + 18))
        part = table[rows] if kind != "pandas" else table.iloc[rows]
        again = copied(model).fit(part, Y[rows])
        np.testing.assert_allclose(fitted.predict(table), again.predict(table), rtol=1e-9)
        np.testing.assert_allclose(fitted[0]["z"].mean_, again[0]["z"].mean_, atol=1e-12)
        assert found["test_score"][k] == pytest.approx(again.score(
            table[18 * k : 18 * k + 18], Y[18 * k : 18 * k + 18]), rel=1e-9)  # fmt: skip


def test_merged_statistics_leave_an_outlier_out():
    far = X.copy()
    far[5] += 1e9
    model = model_of([2, 0, 3])
    columns, state = model._prepare(far, Y, None)
    parts = np.array_split(np.arange(90), 3)
    without = next(without_each(sums_of(model._statistics, columns, state, parts)))
    again = copied(model).fit(X[30:], Y[30:])
    got = copied(model)._solve(without, state).predict(X)
    np.testing.assert_allclose(got, again.predict(X), rtol=1e-9)


def test_folds_do_not_leak():
    """A category of one row, and a missing value, are unknown to the fold that holds them out."""
    pandas = pytest.importorskip("pandas")
    table = frame("pandas")
    table.loc[40, "town"] = "Oslo"
    table.loc[::9, "b"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    towns = OneHotEncoder(handle_unknown="ignore")
    model = make_pipeline(make_column_transformer((numbers, NAMES), (towns, ["town"])), Ridge())
    found = cross_validate(model, table, Y, cv=3, return_estimator=True)
    assert found.path == "refit"
    categories = [m[0]["onehotencoder"].categories_[0].tolist() for m in found["estimator"]]
    assert ["Oslo" in some for some in categories] == [True, False, True]
    for k, fitted in enumerate(found["estimator"]):
        rows = np.r_[0 : 30 * k, 30 * k + 30 : 90]
        filled = fitted[0]["pipeline"][0].statistics_[1]
        assert filled == pytest.approx(np.nanmean(table["b"].to_numpy()[rows]), rel=1e-14)
    assert isinstance(table, pandas.DataFrame)


def test_search_over_nested_parameters():
    model = Pipeline([("columns", scaled([0, 1], remainder="passthrough")),
                      ("logit", LogisticRegression(C=1.0))])  # fmt: skip
    grid = {"columns__z__with_mean": [True, False], "columns__remainder": ["drop", "passthrough"]}
    search = GridSearchCV(model, grid, cv=3).fit(X, X[:, 3] > 0)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_params_["columns__remainder"] == "passthrough"  # the column that tells


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_scalers_in_cross_validation(scaler):
    found = cross_validate(make_pipeline(scaler, Ridge()), X, Y, cv=3)
    for k, score in enumerate(found["test_score"]):
        held = slice(30 * k, 30 * k + 30)
        rest = np.r_[0 : 30 * k, 30 * k + 30 : 90]
        model = make_pipeline(scaler, Ridge()).fit(X[rest], Y[rest])
        assert score == pytest.approx(model.score(X[held], Y[held]), rel=1e-9)


# ------------------------------------------------------------------ refusals
@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (None, "must be a list of triples"),
        ([], "must be a list of triples"),
        ([("a", StandardScaler())], "must hold triples"),
        ([("a", StandardScaler(), [0]), ("a", StandardScaler(), [1])], "must differ"),
        ([("a__b", StandardScaler(), [0])], "hold no '__'"),
        ([("remainder", StandardScaler(), [0])], "be no parameters"),
        ([("a", Ridge(), [0])], "'a' must be a transformer"),
        ([("a", StandardScaler, [0])], "'a' must be a transformer"),
        ([("a", "keep", [0])], "'a' must be a transformer"),
        ([("a", StandardScaler(), [4])], "X has 4 columns, but transformers asks for column 4"),
        ([("a", StandardScaler(), ["x"])], "only supported for dataframes"),
        ([("a", StandardScaler(), [1.5])], "must be names, places"),
        ([("a", StandardScaler(), None)], "must be names, places"),
        ([("a", StandardScaler(), [True])], "an entry for each of the 4 columns"),
    ],
)
def test_refusals(parts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ColumnTransformer(parts).fit(X)


def test_more_refusals():
    with pytest.raises(ValueError, match="not a column of the dataframe X: 'zzz'"):
        scaled(["zzz"]).fit(frame("pandas"))
    with pytest.raises(TypeError, match="remainder must be a transformer"):
        scaled([0], remainder=Ridge()).fit(X)
    with pytest.raises(ValueError, match="expecting 4 features"):
        scaled([0]).fit(X).transform(X[:, :2])
    with pytest.raises(ValueError, match="'z' transformer should be 2D"):
        ColumnTransformer([("z", Flat(), [0])]).fit(X)
    with pytest.raises(TypeError, match="pairs"):
        make_column_transformer(StandardScaler())
    none = ColumnTransformer([("a", "drop", [0]), ("b", StandardScaler(), [])]).fit(X)
    assert none.transform(X).shape == (90, 0)


class Flat:
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.ravel(X)


def test_the_transformers_given_give_frames_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    inner = StandardScaler()
    ColumnTransformer([("s", inner, ["a"])]).set_output(transform="pandas")
    assert isinstance(inner.fit_transform(frame), pandas.DataFrame)


def test_columns_of_polars_types():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1.0], "b": [1], "c": ["x"]})
    selectors = polars.selectors
    for kinds in (polars.Float64, selectors.float()):
        assert make_column_selector(dtype_include=kinds)(frame) == ["a"]
        assert make_column_selector(dtype_exclude=kinds)(frame) == ["b", "c"]


def test_a_column_named_twice_of_a_frame_of_polars_is_refused():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    with pytest.raises(ValueError, match=r"columns must differ in a frame of polars.*\[1, 1\]"):
        ColumnTransformer([("s", StandardScaler(), [1, 1])]).fit(frame)
