# SPDX-License-Identifier: BSD-3-Clause
"""Imputation by near samples, and columns that mark missing values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import KNNImputer, MissingIndicator, SimpleImputer


def peer(name, **params):
    return getattr(pytest.importorskip("sklearn.impute"), name)(**params)


def samples(n, d, gaps=0.3, seed=0, empty=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < gaps] = np.nan
    if empty:
        X[:, 0] = np.nan
    return X


def decaying(distances):
    return np.exp(-distances)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("weights", ["uniform", "distance", decaying])
@pytest.mark.parametrize("k", [1, 4, 1000])
def test_scikit_learn_imputes_the_same(k, weights, keep, empty, dtype):
    X, new = samples(60, 5, empty=empty).astype(dtype), samples(40, 5, seed=1).astype(dtype)
    params = {"n_neighbors": k, "weights": weights, "keep_empty_features": keep}
    params["add_indicator"] = keep
    # In float32, scikit-learn's distances lose digits.
    ours, theirs = KNNImputer(**params).fit(X), peer("KNNImputer", **params).fit(X.astype(float))
    for rows in (X, new):
        given, wanted = ours.transform(rows), theirs.transform(rows.astype(float))
        assert given.dtype == dtype
        np.testing.assert_allclose(given, wanted, rtol=1e-9 if dtype is np.float64 else 1e-6)
    if not (keep and empty):  # scikit-learn forgets the name of the empty column
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def slowly(X, rows, k):
    """The definition, a gap at a time; ties by the order of the samples."""
    out = rows.copy()
    for i, j in np.argwhere(np.isnan(rows)):
        apart = []
        for t, other in enumerate(X):
            both = ~np.isnan(rows[i]) & ~np.isnan(other)
            if both.any() and not np.isnan(other[j]):
                square = ((rows[i] - other)[both] ** 2).sum() * (X.shape[1] / both.sum())
                apart.append((square, t))
        near = [X[t, j] for _, t in sorted(apart)[:k]]
        out[i, j] = np.mean(near) if near else np.nanmean(X[:, j])
    return out


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 80), st.integers(1, 6), st.integers(1, 7), st.floats(0.0, 0.8),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_small_integers_with_many_ties(n, d, k, gaps, seed):
    rng = np.random.default_rng(seed)
    X, new = (rng.integers(0, 4, (m, d)).astype(float) for m in (n, 9))
    X[rng.random((n, d)) < gaps] = np.nan
    X[0] = 1.0  # no column is empty
    new[rng.random((9, d)) < gaps] = np.nan
    given = KNNImputer(n_neighbors=k).fit(X).transform(new)
    np.testing.assert_allclose(given, slowly(X, new, k), rtol=1e-12, atol=1e-12)


def test_distances_lose_no_digits_far_from_zero():
    X = samples(50, 4)
    far = KNNImputer().fit_transform(X + 2.0**30)
    near = KNNImputer().fit_transform(X.round(9))
    np.testing.assert_allclose(far - 2.0**30, near, atol=1e-5)
    for power in (-1000, 1000):
        scaled = KNNImputer(weights="distance").fit_transform(np.ldexp(X, power))
        plain = KNNImputer(weights="distance").fit_transform(X)
        np.testing.assert_array_equal(np.ldexp(scaled, -power), plain)


def test_blocks_of_samples_and_of_gaps(monkeypatch):
    X = samples(150, 6)
    whole = KNNImputer().fit_transform(X)
    monkeypatch.setattr("statfast.preprocessing.imputation.knn_impute.OPERATIONS_A_CALL", 400)
    monkeypatch.setattr("statfast.preprocessing.imputation.knn_impute.MAX_ROWS_A_TASK", 7)
    np.testing.assert_array_equal(KNNImputer().fit_transform(X), whole)


def test_other_values_that_stand_for_what_is_missing():
    X = samples(40, 4)
    marked = np.where(np.isnan(X), -1.0, X)
    ours = KNNImputer(missing_values=-1).fit(marked)
    np.testing.assert_array_equal(ours.transform(marked), KNNImputer().fit_transform(X))
    with pytest.raises(ValueError, match="X contains NaN"):
        ours.fit(X)
    nothing = np.where(np.isnan(X), None, X)
    np.testing.assert_array_equal(
        KNNImputer(missing_values=None).fit_transform(nothing), KNNImputer().fit_transform(X)
    )


def test_a_metric_of_a_function():
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    X = samples(30, 3)

    def nan_euclidean(a, b, missing_values):
        assert np.isnan(missing_values)
        return pairwise.nan_euclidean_distances([a], [b])[0, 0]

    np.testing.assert_allclose(
        KNNImputer(metric=nan_euclidean).fit_transform(X), KNNImputer().fit_transform(X)
    )

    def negative(a, b, missing_values):
        return -1.0

    with pytest.raises(ValueError, match="metric must give distances of at least 0"):
        KNNImputer(metric=negative).fit_transform(X)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros_like, "weights must have a positive and finite sum"),
        (lambda distances: distances[:, 0], "weights must give an array of shape"),
        ("heavy", "weights must be"),
    ],
)
def test_refusals_of_weights(weights, message):
    X = samples(20, 3)
    with pytest.raises((ValueError, TypeError), match=message):
        KNNImputer(weights=weights).fit(X).transform(X)


def test_refusals():
    with pytest.raises(ValueError, match="infinity"):
        KNNImputer().fit([[np.inf, np.nan]])
    with pytest.raises(ValueError, match="n_neighbors must be at least 1"):
        KNNImputer(n_neighbors=0).fit([[1.0]])
    with pytest.raises(TypeError, match="Sparse data was passed"):
        KNNImputer().fit(sparse.eye_array(3))
    model = KNNImputer().fit(samples(5, 3))
    with pytest.raises(ValueError, match="X has 2 features"):
        model.transform([[1.0, np.nan]])


# ---------------------------------------------------------------- marks
@pytest.mark.parametrize("features", ["missing-only", "all"])
@pytest.mark.parametrize("as_sparse", ["auto", True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_scikit_learn_marks_the_same(form, as_sparse, features):
    X = np.array([[np.nan, 1.0, 3.0], [4.0, 0.0, np.nan], [8.0, 1.0, 0.0]])
    params = {"features": features, "sparse": as_sparse}
    ours, theirs = MissingIndicator(**params), peer("MissingIndicator", **params)
    given, wanted = ours.fit_transform(form(X)), theirs.fit_transform(form(X))
    assert sparse.issparse(given) == sparse.issparse(wanted)
    assert given.dtype == bool
    if sparse.issparse(given):
        assert given.format == wanted.format == "csc"
        given, wanted = given.toarray(), wanted.toarray()
    np.testing.assert_array_equal(given, wanted)
    assert ours.features_.tolist() == theirs.features_.tolist()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_marks_of_strings_frames_and_other_values():
    words = np.array([["a", None], ["b", "c"]], dtype=object)
    assert MissingIndicator().fit_transform(words).tolist() == [[True], [False]]
    question = np.array([["?", "a"], ["b", "c"]], dtype=object)
    marks = MissingIndicator(missing_values="?").fit_transform(question)
    assert marks.tolist() == [[True], [False]]
    threes = np.array([[3, 1], [2, 3]])
    assert MissingIndicator(missing_values=3).fit_transform(threes).sum() == 2
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, np.nan], "b": ["x", None], "c": [1, 2]})
    table = MissingIndicator().set_output(transform="pandas").fit_transform(frame)
    assert table.columns.tolist() == ["missingindicator_a", "missingindicator_b"]
    assert table.to_numpy().tolist() == [[False, False], [True, True]]


def test_marks_that_are_new():
    X, new = [[1.0, np.nan]], [[np.nan, 2.0]]
    with pytest.raises(ValueError, match=r"The features \[0\] have missing values in transform"):
        MissingIndicator().fit(X).transform(new)
    assert MissingIndicator(error_on_new=False).fit(X).transform(new).tolist() == [[False]]
    with pytest.raises(ValueError, match="missing_values == 0 and input is sparse"):
        MissingIndicator(missing_values=0).fit(sparse.eye_array(2))


def test_imputers_append_the_same_marks():
    X = samples(20, 4)
    marks = MissingIndicator().fit_transform(X)
    for imputer in (KNNImputer(add_indicator=True), SimpleImputer(add_indicator=True)):
        np.testing.assert_array_equal(imputer.fit_transform(X)[:, 4:], marks)
