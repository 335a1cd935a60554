# SPDX-License-Identifier: BSD-3-Clause
"""Means of the target by category, with rows held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import Ridge, TargetEncoder, make_pipeline
from statfast.model_selection import KFold, LeaveOneOut
from statfast.preprocessing.encoding.target_encoder import CategoryMoments

RNG = np.random.default_rng(0)
N = 90
CODES = np.column_stack([RNG.integers(0, 4, N), RNG.integers(0, 20, N)])
TABLES = {
    "integers": CODES,
    "floats": CODES * 0.5,
    "words": np.array(list("abcdefghijklmnopqrst"), dtype=object)[CODES],
    "gaps": np.where(CODES == 2, np.nan, CODES * 1.0),
}
TARGETS = {
    "numbers": RNG.normal(size=N) * 100.0,
    "two": np.array(["no", "yes"])[RNG.integers(0, 2, N)],
    "three": RNG.integers(5, 8, N),
}
TESTS = [np.arange(N)[f::4] for f in range(4)]
FOLDS = [(np.setdiff1d(np.arange(N), test), test) for test in TESTS]


def peer(**params):
    return pytest.importorskip("sklearn.preprocessing").TargetEncoder(**params)


@pytest.mark.parametrize("smooth", ["auto", 0.0, 2.5, 1000])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("table", TABLES)
def test_scikit_learn_gives_the_same(table, target, smooth):
    X, y = TABLES[table], TARGETS[target]
    ours, theirs = (make(smooth=smooth, cv=FOLDS) for make in (TargetEncoder, peer))
    given, wanted = ours.fit_transform(X, y), theirs.fit_transform(X, y)
    np.testing.assert_allclose(given, wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max())
    assert given.dtype == np.float64
    assert ours.target_type_ == theirs.target_type_
    np.testing.assert_allclose(ours.target_mean_, theirs.target_mean_)
    for mine, other in zip(ours.encodings_, theirs.encodings_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-11)
    new = np.roll(X, 1, axis=0)[:7]
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-11)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    if target != "numbers":
        assert ours.classes_.tolist() == theirs.classes_.tolist()


def slowly(X, y, folds, smooth, weights):
    """What each row is given: the definition, a fold and a category at a time."""
    given = np.empty(X.shape)
    for train, test in folds:
        center = np.average(y[train], weights=weights[train])
        spread = np.average((y[train] - center) ** 2, weights=weights[train])
        for i, j in np.ndindex(len(test), X.shape[1]):
            same = train[X[train, j] == X[test[i], j]]
            n = weights[same].sum()
            if n == 0:
                given[test[i], j] = center
                continue
            mean = np.average(y[same], weights=weights[same])
            extra = smooth
            if smooth == "auto":
                extra = np.average((y[same] - mean) ** 2, weights=weights[same]) / spread
            given[test[i], j] = (n * mean + extra * center) / (n + extra)
    return given


@pytest.mark.parametrize("smooth", ["auto", 1.5])
@pytest.mark.parametrize("folds", [FOLDS, [(train[:50], test) for train, test in FOLDS]])
def test_weights_and_folds_that_fit_some_rows(folds, smooth):
    y, weights = TARGETS["numbers"], RNG.integers(0, 3, N) * 0.7
    encoder = TargetEncoder(smooth=smooth, cv=folds)
    given = encoder.fit_transform(CODES, y, sample_weight=weights)
    np.testing.assert_allclose(given, slowly(CODES, y, folds, smooth, weights), rtol=1e-11)


@pytest.mark.parametrize("target", TARGETS)
def test_weights_are_repeated_rows(target):
    X, y, times = TABLES["words"], TARGETS[target], np.arange(N) % 3
    weighted = TargetEncoder().fit(X, y, sample_weight=times)
    repeated = TargetEncoder().fit(X.repeat(times, 0), y.repeat(times))
    for mine, other in zip(weighted.encodings_, repeated.encodings_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    for mine, other in zip(weighted.categories_, repeated.categories_, strict=True):
        assert mine.tolist() == other.tolist()
    plain = TargetEncoder(cv=FOLDS).fit_transform(X, y)
    ones = TargetEncoder(cv=FOLDS).fit_transform(X, y, sample_weight=np.ones(N))
    np.testing.assert_array_equal(plain, ones)


def test_each_row_left_out():
    y = TARGETS["numbers"]
    given = TargetEncoder(smooth=0.0, cv=LeaveOneOut()).fit_transform(CODES, y)
    for i in range(N):
        same = (CODES[:, 0] == CODES[i, 0]) & (np.arange(N) != i)
        np.testing.assert_allclose(given[i, 0], y[same].mean(), rtol=1e-11)


def test_an_outlier_that_is_held_out_takes_no_digits():
    y = TARGETS["numbers"].copy()
    y[0] = 1e200
    given = TargetEncoder(smooth=0.0, cv=FOLDS).fit_transform(CODES, y)
    train, test = FOLDS[0]
    assert 0 in test
    same = train[CODES[train, 0] == CODES[test[1], 0]]
    np.testing.assert_allclose(given[test[1], 0], y[same].mean(), rtol=1e-12)
    encoder = TargetEncoder(target_type="continuous", cv=FOLDS)
    huge = encoder.fit_transform(CODES, TARGETS["numbers"] * 2.0**1000)
    plain = encoder.fit_transform(CODES, TARGETS["numbers"])
    np.testing.assert_array_equal(huge, plain * 2.0**1000)


@given(st.lists(st.lists(st.floats(-10, 10), max_size=6), min_size=1, max_size=5))
def test_moments_merge(parts):
    def moments(values):
        values = np.array(values)
        mean = values.mean() if len(values) else 0.0
        squares = ((values - mean) ** 2).sum()
        return CategoryMoments(
            np.array([len(values) * 1.0]), np.array([[mean]]), np.array([[squares]])
        )

    total = moments(parts[0])
    for part in parts[1:]:
        total = total + moments(part)
    whole = moments([value for part in parts for value in part])
    for name in ("weight", "mean", "squares"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole, name), atol=1e-9)


def test_categories_that_are_passed():
    X, y = np.array([["a"], ["b"], ["c"], ["a"]], dtype=object), [1.5, 2.0, 9.0, 3.5]
    encoder = TargetEncoder(categories=[["a", "b", "z"]], smooth=0.0).fit(X, y)
    assert encoder.encodings_[0].tolist() == [2.5, 2.0, 4.0]
    assert encoder.transform([["c"], ["z"]]).ravel().tolist() == [4.0, 4.0]
    # A row with an unknown category is given the mean of the folds that it is not in.
    folds = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    given = TargetEncoder(categories=[["a", "b"]], smooth=0.0, cv=folds).fit_transform(X, y)
    assert given.ravel().tolist() == [3.5, 6.25, 1.75, 1.5]


def test_draws_of_folds():
    X, y = CODES, TARGETS["numbers"]
    first, again, other = (
        TargetEncoder(random_state=seed).fit_transform(X, y) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
    in_order = TargetEncoder(shuffle=False).fit_transform(X, y)
    np.testing.assert_array_equal(in_order, TargetEncoder(cv=KFold(5)).fit_transform(X, y))
    encoder = TargetEncoder(cv=3, random_state=0)
    assert encoder.fit_transform(X, TARGETS["three"]).shape == (N, 6)


def test_constant_targets_and_one_class():
    X = np.array([[0], [0], [1], [1]])
    assert TargetEncoder().fit(X, [2.5] * 4).encodings_[0].tolist() == [2.5, 2.5]
    only = TargetEncoder().fit(X, ["a"] * 4)
    assert (only.target_type_, only.target_mean_) == ("binary", 0.0)


def test_frames_and_pipelines():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": list("xxyyzz") * 5, "b": np.arange(30) % 4})
    frame["c"] = frame.a.astype("category")
    y = np.arange(30) % 7 + 0.5
    encoder = TargetEncoder(cv=5, shuffle=False).set_output(transform="pandas")
    table = encoder.fit_transform(frame, y)
    assert table.columns.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(table.a, table.c)
    model = make_pipeline(TargetEncoder(shuffle=False), Ridge()).fit(frame, y)
    np.testing.assert_array_equal(model[-1].coef_, Ridge().fit(table.to_numpy(), y).coef_)


@pytest.mark.parametrize(
    ("params", "y", "message"),
    [
        ({}, None, "requires y to be passed"),
        ({}, [[0, 1]] * 4, "y must be of one output"),
        ({}, [0.5, np.nan, 1.0, 2.0], "y contains NaN"),
        ({}, [1.0, 2.0], "one label per row"),
        ({"target_type": "binary"}, [0, 1, 2, 0], "target_type='binary' is for two classes"),
        ({"target_type": "multiclass"}, [0, 0, 0, 0], "y has one"),
        ({"target_type": "ordered"}, [0, 1, 2, 0], "target_type must be"),
        ({"smooth": -1.0}, [0, 1, 1, 0], "smooth must be at least 0"),
        ({"cv": [([0, 1], [2, 3])]}, [0, 1, 1, 0], "row 0 is held out 0 times"),
        ({"cv": 5}, [0.5, 1.0, 1.0, 0.0], "cv must be between 2 and the number of rows"),
        ({"categories": [[0], [1]]}, [0, 1, 1, 0], "Shape mismatch"),
    ],
)
def test_refusals(params, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TargetEncoder(**params).fit_transform([[0], [0], [1], [1]], y)


@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_strings_of_pandas_have_their_categories(kind):
    pandas = pytest.importorskip("pandas")
    words = pandas.Series(["b", None, "a", "b", None, "c"] * 5, dtype="object")
    y = np.arange(30.0)
    made = TargetEncoder(cv=3).fit(words.to_frame("w"), y)
    other = TargetEncoder(cv=3).fit(words.astype(kind).to_frame("w"), y)
    assert other.categories_[0][:3].tolist() == ["a", "b", "c"]
    given = other.transform(words.astype(kind).to_frame("w"))
    np.testing.assert_array_equal(given, made.transform(words.to_frame("w")))
    empty = pandas.DataFrame({"w": pandas.Series([None] * 30, dtype="object").astype(kind)})
    assert len(TargetEncoder(cv=3).fit(empty, y).categories_[0]) == 1
