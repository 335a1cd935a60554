# SPDX-License-Identifier: BSD-3-Clause
"""Subgroups: against all conjunctions, published numbers, ties, weights, missing values, errors."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, ttest_ind

from statfast import Pipeline, RuleListClassifier, SubgroupDiscovery
from statfast._validation import NotFittedError
from statfast.datasets import load_iris
from tests.reference.subgroups import all_subgroups, conditions_of

CATEGORIES = [1]  # of the columns of `tables`


def a_table(seed, n=60):
    """Columns of few values, one of them categories, with missing values; labels and numbers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, 4)).astype(float)
    X[:, 3] = rng.integers(0, 2, size=n)
    y = ((X[:, 0] > 1) & (X[:, 1] == 2) | (rng.random(n) < 0.3)).astype(float)
    numbers = y + 0.4 * X[:, 2] + rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y, numbers


def expected_qualities(X, y, w, most, **options):
    missing, intervals = options.pop("missing", False), options.pop("intervals", "one-sided")
    conditions = conditions_of(X, CATEGORIES, missing, intervals)
    found = [
        (value, rows) for value, _, rows in all_subgroups(conditions, y, w, **options)
        if value is not None and value > 1e-12
    ]  # fmt: skip
    distinct = {rows.tobytes(): value for value, rows in found}
    return sorted(distinct.values(), reverse=True)[:most], sorted(
        (value for value, _ in found), reverse=True
    )[:most]


QUALITIES = ["wracc", "t", "chi2", 0.0, 0.3]


@given(
    seed=st.integers(0, 2**31),
    quality=st.sampled_from(QUALITIES),
    direction=st.sampled_from(["higher", "lower", "both"]),
    nominal=st.booleans(),
    weighted=st.booleans(),
    intervals=st.sampled_from(["one-sided", "bins", "all"]),
    missing=st.booleans(),
    min_size=st.sampled_from([1, 7]),
    depth=st.integers(1, 3),
)
def test_the_best_of_all_conjunctions(
    seed, quality, direction, nominal, weighted, intervals, missing, min_size, depth
):
    X, y, numbers = a_table(seed)
    target = y if nominal else numbers
    if (quality == "chi2" and not nominal) or len(np.unique(target)) < 2:
        return
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    distinct, repeated = expected_qualities(
        X, target, w, 12, quality=quality, direction=direction, nominal=nominal, depth=depth,
        missing=missing, intervals=intervals, min_size=min_size,
    )  # fmt: skip
    for keep, expected in ((True, distinct), (False, repeated)):
        model = SubgroupDiscovery(
            12, quality=quality, direction=direction, max_depth=depth, n_bins=10,
            categorical_features=CATEGORIES, intervals=intervals, min_size=min_size,
            missing="condition" if missing else "unmatched", distinct=keep, n_jobs=1,
            target="nominal" if nominal else "numeric", min_quality=1e-12,
        )  # fmt: skip
        if not expected:
            with pytest.warns(UserWarning, match="no subgroup"):
                model.fit(X, target, w)
            continue
        table = model.fit(X, target, w if weighted else None).subgroups_
        np.testing.assert_allclose(table.quality, expected, rtol=1e-9)
        covers = model.covers(X)
        np.testing.assert_allclose(table.size, w @ covers)
        np.testing.assert_allclose(table.target, (w * target) @ covers / (w @ covers))
        if keep:
            assert len({column.tobytes() for column in covers.T}) == covers.shape[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("target", ["nominal", "numeric"])
def test_a_wide_beam_finds_what_all_conjunctions_hold(seed, target):
    X, y, numbers = a_table(seed)
    options = {"categorical_features": CATEGORIES, "max_depth": 3, "target": target}
    values = y if target == "nominal" else numbers
    exhaustive = SubgroupDiscovery(8, **options).fit(X, values)
    beam = SubgroupDiscovery(8, search="beam", beam_width=3000, **options).fit(X, values)
    assert beam.subgroups_.descriptions == exhaustive.subgroups_.descriptions
    np.testing.assert_array_equal(beam.subgroups_.quality, exhaustive.subgroups_.quality)


def test_a_narrow_beam_goes_on_from_its_best():
    # Each of two bits alone says nothing of their exclusive or, but with a third one.
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 20, float)
    y = np.where(X[:, 2] == 1, 1, (X[:, 0] != X[:, 1]).astype(int))
    options = {"quality": 0.0, "max_depth": 3, "distinct": False}
    narrow = SubgroupDiscovery(3, search="beam", beam_width=1, **options).fit(X, y)
    assert narrow.subgroups_.descriptions[0] == "x2 > 0.5"
    assert all("x2 > 0.5" in text for text in narrow.subgroups_.descriptions)


def test_known_numbers_of_a_small_table():
    # 3 of 4 rows of "a" are of the class, 1 of 4 of "b": base 1 / 2.
    X = np.array([["a"], ["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["b"]], object)
    y = ["yes", "yes", "yes", "no", "no", "no", "no", "yes"]
    options = {"categorical_features": [0], "max_depth": 1}
    table = SubgroupDiscovery(**options).fit(X, y).subgroups_
    assert table.descriptions == ["x0 = a"]
    assert table.label == "yes"
    assert table.quality.tolist() == [0.125]  # 4 / 8 (3 / 4 - 1 / 2)
    assert (table.size[0], table.share[0], table.target[0]) == (4.0, 0.5, 0.75)
    assert (table.recall[0], table.lift[0], table.base) == (0.75, 1.5, 0.5)
    t = SubgroupDiscovery(quality="t", **options).fit(X, y).subgroups_
    assert t.quality[0] == pytest.approx(2 * 0.25 / 0.5)
    chi2 = SubgroupDiscovery(quality="chi2", **options).fit(X, y).subgroups_
    assert chi2.quality[0] == pytest.approx(2.0)
    numbers = SubgroupDiscovery(**options).fit(X, [2.5, 3, 2, 2.5, 0, 1, 0, 1]).subgroups_
    assert numbers.quality[0] == pytest.approx(0.5 * (2.5 - 1.5))
    both = SubgroupDiscovery(direction="both", **options).fit(X, y).subgroups_
    assert both.descriptions == ["x0 = a", "x0 = b"]  # of equal quality, in order


def test_p_values_are_those_of_the_tests_of_scipy():
    data = load_iris()
    table = SubgroupDiscovery(6).fit(data.data, data.target == 1).subgroups_
    model = SubgroupDiscovery(6).fit(data.data, data.target == 1)
    for cover, p in zip(model.covers(data.data).T, table.p_values, strict=True):
        counts = [[(part & (data.target == 1)).sum(), (part & (data.target != 1)).sum()]
                  for part in (cover, ~cover)]  # fmt: skip
        assert p == pytest.approx(chi2_contingency(counts, correction=False).pvalue, rel=1e-9)
    model = SubgroupDiscovery(6).fit(data.data[:, :3], data.data[:, 3])
    for cover, p in zip(model.covers(data.data[:, :3]).T, model.subgroups_.p_values, strict=True):
        values = data.data[:, 3]
        welch = ttest_ind(values[cover], values[~cover], equal_var=False)
        assert p == pytest.approx(welch.pvalue, rel=1e-6)
    assert model.n_conjunctions_ == sum_of_products([4] * 6, 3)
    np.testing.assert_array_equal(
        model.subgroups_.adjusted,
        np.minimum(1.0, model.subgroups_.p_values * model.n_conjunctions_),
    )


def sum_of_products(sizes, depth):
    return sum(
        np.prod(chosen) for size in range(1, depth + 1) for chosen in combinations(sizes, size)
    )


@pytest.mark.parametrize("options", [{}, {"quality": "t"}, {"quality": "chi2"}, {"search": "beam"}])
@pytest.mark.parametrize("numeric", [False, True])
def test_weights_are_repeated_rows(options, numeric):
    X, y, numbers = a_table(3)
    values = numbers if numeric else y
    if numeric and options.get("quality") == "chi2":
        return
    times = np.random.default_rng(0).integers(0, 4, len(X))
    model = SubgroupDiscovery(categorical_features=CATEGORIES, **options)
    weighted = model.fit(X, values, times).subgroups_
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(values, times)).subgroups_
    np.testing.assert_allclose(weighted.quality, repeated.quality, rtol=1e-10)
    np.testing.assert_allclose(weighted.p_values, repeated.p_values, rtol=1e-6)
    if not numeric:  # whose sums round apart
        assert weighted.descriptions == repeated.descriptions


def test_weights_of_one_are_none_and_their_unit_is_that_of_rows():
    X, y, _ = a_table(5)
    plain = SubgroupDiscovery().fit(X, y).subgroups_
    ones = SubgroupDiscovery().fit(X, y, np.ones(len(X))).subgroups_
    thrice = SubgroupDiscovery().fit(X, y, np.full(len(X), 3.0)).subgroups_
    assert plain.descriptions == ones.descriptions == thrice.descriptions
    np.testing.assert_array_equal(plain.quality, ones.quality)
    np.testing.assert_allclose(plain.quality, thrice.quality)
    statistics = [SubgroupDiscovery(quality="chi2").fit(X, y, w).subgroups_.quality[0]
                  for w in (None, np.full(len(X), 3.0))]  # fmt: skip
    assert statistics[1] == pytest.approx(3.0 * statistics[0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("numeric", [False, True])
def test_same_bits_for_any_number_of_threads(weighted, numeric):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 12))
    values = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=4000)
    y = values if numeric else values > 0.7
    w = rng.random(4000) if weighted else None
    tables = [
        SubgroupDiscovery(20, quality="t", n_jobs=jobs).fit(X, y, w).subgroups_
        for jobs in (1, 2, 7)
    ]
    for table in tables[1:]:
        assert table.descriptions == tables[0].descriptions
        np.testing.assert_array_equal(table.quality, tables[0].quality)


def test_float32_rows_are_divided_as_their_values():
    X = load_iris().data.astype(np.float32)
    y = load_iris().target == 2
    single, double = SubgroupDiscovery().fit(X, y), SubgroupDiscovery().fit(X.astype(float), y)
    assert single.subgroups_.descriptions == double.subgroups_.descriptions
    assert single.transform(X).dtype == np.float32
    np.testing.assert_array_equal(single.covers(X), double.covers(X.astype(float)))


def test_cuts_are_near_quantiles_of_the_weight():
    X, y = np.arange(100.0)[:, None], np.arange(100) >= 60
    table = SubgroupDiscovery(1, n_bins=4).fit(X, y).subgroups_
    assert table.descriptions == ["x0 > 49.5"]
    heavy = np.where(np.arange(100) >= 90, 19.0, 1.0)  # half of the weight is above 85
    table = SubgroupDiscovery(1, n_bins=2).fit(X, y, heavy).subgroups_
    assert table.descriptions == ["x0 > 92.5"]


def test_missing_values():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    y = [0, 0, 1, 1]
    with pytest.warns(UserWarning, match="no subgroup has a quality above"):
        assert len(SubgroupDiscovery().fit(X, y).subgroups_) == 0
    model = SubgroupDiscovery(missing="condition").fit(X, y)
    assert model.subgroups_.descriptions == ["x0 is missing"]
    assert model.transform([[5.0], [np.nan]]).tolist() == [[0.0], [1.0]]
    assert str(model.subgroups_).splitlines()[1].startswith("x0 is missing")


def test_categories_of_a_frame_name_themselves():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "color": pandas.Categorical(["red", "red", "blue", "blue", "green", "green"] * 5),
        "size": np.arange(30.0),
    })  # fmt: skip
    y = (frame["color"] == "red").to_numpy() & (np.arange(30) < 15)
    model = SubgroupDiscovery(2, pos_label=True).fit(frame, y)
    assert model.subgroups_.descriptions[0] == "color = red and size <= 17.5"
    assert model.get_feature_names_out()[0] == "color = red and size <= 17.5"
    out = model.set_output(transform="pandas").transform(frame)
    assert out.columns[0] == "color = red and size <= 17.5"
    unseen = pandas.DataFrame({"color": ["black"], "size": [1.0]})
    assert model.covers(unseen).tolist() == [[False, False]]
    full = model.subgroups_.to_frame()
    assert list(full.index) == model.subgroups_.descriptions
    assert {"size", "share", "target", "lift", "recall", "quality"} <= set(full.columns)


def test_marks_of_subgroups_are_columns_of_a_model():
    data = load_iris()
    steps = [("subgroups", SubgroupDiscovery(5)), ("rules", RuleListClassifier())]
    model = Pipeline(steps).fit(data.data, data.target == 2)
    assert model.score(data.data, data.target == 2) > 0.9


def test_columns_of_one_value_give_nothing():
    X = np.column_stack([np.ones(10), np.arange(10.0)])
    model = SubgroupDiscovery().fit(X, np.arange(10) > 6)
    assert all("x0" not in text for text in model.subgroups_.descriptions)
    with pytest.warns(UserWarning, match="no subgroup"):
        empty = SubgroupDiscovery().fit(X[:, :1], np.arange(10) > 6)
    assert empty.transform(X[:, :1]).shape == (10, 0)
    assert str(empty.subgroups_) == "no subgroup is better than all rows"
    assert empty.n_conjunctions_ == 0.0


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"pos_label": 3}, [0, 1, 1], r"pos_label must be one of \[0, 1\]; got 3"),
        ({}, [1, 1, 1], "y must hold at least 2 classes; got one class, 1"),
        ({}, [0.5, 0.5, 0.5], "y must hold different numbers; got 0.5"),
        ({"quality": "chi2"}, [0.5, 1.0, 0.1], "quality='chi2' needs a nominal target"),
        ({"target": "numeric", "pos_label": 1}, [0, 1, 1], "pos_label must be None for a numeric"),
        ({"target": "numeric"}, [0.0, 1.0], "y must hold one target for each row of X"),
        ({}, [0, 1], "y must have one label per row of X"),
        ({"quality": 1.5}, [0, 1, 1], "quality must be at most 1|quality must be between 0 and 1"),
        ({"max_depth": 33}, [0, 1, 1], "max_depth must be between 1 and 32; got 33"),
        ({"n_bins": 1}, [0, 1, 1], "n_bins must be at least 2; got 1"),
        ({}, None, "requires y to be passed"),
    ],
)
def test_what_is_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        SubgroupDiscovery(**options).fit([[0.0], [1.0], [2.0]], y)


def test_what_else_is_refused():
    model = SubgroupDiscovery()
    with pytest.raises(NotFittedError):
        model.transform([[0.0]])
    with pytest.raises(ValueError, match="infin"):
        model.fit([[0.0], [np.inf], [1.0]], [0, 1, 1])
    model.fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="X has 2 features"):
        model.transform([[0.0, 1.0]])
    huge = SubgroupDiscovery(100_000, max_depth=1)
    rows = np.zeros((3, 1))
    rows[1:] = 1.0
    assert len(huge.fit(rows, [0, 1, 1]).subgroups_) == 1
