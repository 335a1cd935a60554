# SPDX-License-Identifier: BSD-3-Clause
"""Lists of rules: CN2 against its definition, RIPPER by known answers, printed rules, errors."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import RuleListClassifier, cross_val_score
from statfast._validation import NotFittedError
from statfast.datasets import load_iris, load_wine
from statfast.patterns.rule_lists.description_length import Exceptions, exception_bits, rule_bits
from tests.reference import rule_lists as twin

WEATHER = """
sunny    hot  high   no  no
sunny    hot  high   yes no
overcast hot  high   no  yes
rain     mild high   no  yes
rain     cool normal no  yes
rain     cool normal yes no
overcast cool normal yes yes
sunny    mild high   no  no
sunny    cool normal no  yes
rain     mild normal no  yes
sunny    mild normal yes yes
overcast mild high   yes yes
overcast hot  normal no  yes
rain     mild high   yes no
"""


def weather():
    """Quinlan's table of days on which golf is played."""
    pandas = pytest.importorskip("pandas")
    cells = np.array([line.split() for line in WEATHER.strip().splitlines()])
    names = ["outlook", "temperature", "humidity", "wind"]
    frame = pandas.DataFrame({
        name: pandas.Categorical(column) for name, column in zip(names, cells.T, strict=False)
    })  # fmt: skip
    return frame, cells[:, 4]


def a_table(seed, n=50, K=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n, 3)).astype(float)
    y = np.where(X[:, 0] > 2, 0, np.where(X[:, 1] == 2, 1, K - 1))
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, K, n), y)


# ------------------------------------------------------------------ CN2
@given(
    seed=st.integers(0, 2**31),
    K=st.sampled_from([2, 3]),
    beam_width=st.sampled_from([1, 3, 5]),
    level=st.sampled_from([1.0, 0.05]),
    categorical=st.booleans(),
    weighted=st.booleans(),
)
def test_rules_are_those_of_the_definition(seed, K, beam_width, level, categorical, weighted):
    X, y = a_table(seed, 30, K)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        return
    w = np.random.default_rng(seed).integers(1, 4, len(X)) if weighted else np.ones(len(X))
    columns = [1] if categorical else []
    model = RuleListClassifier(
        beam_width=beam_width, significance_level=level, categorical_features=columns or None
    ).fit(X, y, w if weighted else None)
    rules = twin.cn2(X, codes, w.astype(float), len(classes), columns, beam_width, level)
    assert len(model.rules_) == len(rules)
    for rule, (_, counts) in zip(model.rules_.rules, rules, strict=True):
        np.testing.assert_array_equal(rule.counts, counts)
    met = np.full(len(X), len(rules) - 1)
    conditions = twin.conditions_on(X, columns)
    for place in range(len(rules) - 2, -1, -1):
        rows = [twin.rows_of(conditions, *condition) for condition in rules[place][0]]
        met[np.all(rows, axis=0)] = place
    np.testing.assert_array_equal(model.apply(X), met)


def test_cn2_on_the_weather_by_hand():
    X, y = weather()
    model = RuleListClassifier(significance_level=1.0).fit(X, y)
    # Laplace: overcast, 4 of 4, is 5 / 6 and covers as many as normal humidity without wind, of two
    # conditions. Of the others, rain without wind and sunny with high humidity are 4 / 5: rain is
    # the first category. Then high humidity is 4 of 4, and sunny 2 of 2.
    assert str(model.rules_) == (
        "if outlook = overcast then yes (odds = inf, counts = 0 / 4)\n"
        "else if outlook = rain and wind = no then yes (odds = inf, counts = 0 / 3)\n"
        "else if humidity = high then no (odds = inf, counts = 4 / 0)\n"
        "else if outlook = sunny then yes (odds = inf, counts = 0 / 2)\n"
        "else no (odds = inf, counts = 1 / 0)"
    )
    assert model.score(X, y) == 1.0
    np.testing.assert_allclose(model.predict_proba(X.iloc[[2, 0, 10]]),
                               [[1 / 6, 5 / 6], [5 / 6, 1 / 6], [1 / 4, 3 / 4]])  # fmt: skip
    # Overcast is not significant at 5 %: 2 4 log(14 / 9) = 3.53, where 3.84 is needed; 3 no of 3,
    # 2 3 log(14 / 5) = 6.18, are.
    significant = RuleListClassifier(beam_width=20).fit(X, y)
    assert significant.rules_.descriptions[0] == "outlook = sunny and humidity = high"
    # The p value of 3.53 is 0.060.
    assert RuleListClassifier(significance_level=0.061).fit(X, y).rules_.descriptions[0] == (
        "outlook = overcast"
    )


def test_unordered_rules_add_up_their_counts():
    X, y = weather()
    model = RuleListClassifier(ordered=False, significance_level=1.0).fit(X, y)
    assert model.rules_.text(show="counts").splitlines()[0] == (
        "if outlook = sunny and humidity = high then no (counts = 3 / 0)"
    )
    assert model.score(X, y) == 1.0
    for kind in ({"algorithm": "ripper"}, {"evaluation": "entropy"}):
        with pytest.raises(ValueError, match="ordered=False goes with algorithm='cn2' and"):
            RuleListClassifier(ordered=False, **kind).fit(X, y)


def test_counts_of_all_rules_that_are_met_are_added_up():
    X, y = a_table(1, 120)
    model = RuleListClassifier(ordered=False).fit(X, y)
    met = np.array([
        np.all([(X[:, c.column] > c.low) & (X[:, c.column] <= c.high) for c in rule.conditions],
               axis=0)
        for rule in model.rules_.rules[:-1]
    ])  # fmt: skip
    assert (met.sum(axis=0) > 1).any()
    counts = met.T.astype(float) @ np.array([rule.counts for rule in model.rules_.rules[:-1]])
    counts[~met.any(axis=0)] = model.rules_[len(met)].counts
    np.testing.assert_allclose(
        model.predict_proba(X), (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    )
    for rule, rows in zip(model.rules_.rules, met, strict=False):
        np.testing.assert_array_equal(rule.counts, np.bincount(y[rows], minlength=3))


def test_entropy_prefers_pure_rules_that_cover_most():
    X, y = weather()
    model = RuleListClassifier(evaluation="entropy", significance_level=1.0).fit(X, y)
    assert model.rules_.descriptions[0] == "outlook = overcast"
    assert model.score(X, y) == 1.0


# ------------------------------------------------------------------ RIPPER
def test_ripper_finds_the_rule_that_labels_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    y = np.where((X[:, 0] > 0.5) & (X[:, 1] <= 0.0), "in", "out")
    for seed in range(3):
        model = RuleListClassifier("ripper", random_state=seed).fit(X, y)
        assert len(model.rules_) == 2
        assert {condition.column for condition in model.rules_[0].conditions} == {0, 1}
        assert model.score(X, y) > 0.99
    noisy = np.where(rng.random(800) < 0.1, "out", y)
    model = RuleListClassifier("ripper", random_state=0).fit(X, noisy)
    assert len(model.rules_) <= 3  # noise is not told by heart
    assert model.score(X, y) > 0.97


def test_ripper_has_the_least_frequent_class_first_and_the_most_frequent_as_default():
    data = load_iris()
    kept = np.r_[0:50, 50:90, 100:130]
    model = RuleListClassifier("ripper", random_state=0).fit(data.data[kept], data.target[kept])
    labels = [rule.label for rule in model.rules_.rules]
    assert labels[0] == 2
    assert labels[-1] == 0
    assert labels == sorted(labels, reverse=True)


def test_description_lengths_by_hand():
    # 2 of 8 conditions: half of log2(2) + 2 log2(4) + 6 log2(4 / 3).
    assert rule_bits(2, 8) == pytest.approx(0.5 * (1 + 2 * 2 + 6 * log2(4 / 3)))
    assert rule_bits(0, 8) == 0.0
    # 4 rows covered, one wrongly; 12 others, of which 3 are missed. The others are more: their
    # errors are expected to be half of 4 in 12, those of the covered rows are told by their number.
    bits = exception_bits(Exceptions(4.0, 12.0, 1.0, 3.0), 0.5)
    inside = log2(4) + 3 * log2(4 / 3)
    outside = 3 * log2(6) + 9 * log2(6 / 5)
    assert bits == pytest.approx(log2(17) + inside + outside)
    # The covered ones are more: half of 2 errors in 12.
    bits = exception_bits(Exceptions(12.0, 4.0, 0.0, 2.0), 0.5)
    assert bits == pytest.approx(log2(17) + 12 * log2(12 / 11) + 4 * log2(2))
    assert exception_bits(Exceptions(4.0, 12.0, 0.0, 0.0), 0.3) == pytest.approx(log2(17))


def test_draws_depend_on_the_seed_alone():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=300) > 0.5).astype(int)
    first, again, other = (
        str(RuleListClassifier("ripper", random_state=seed).fit(X, y).rules_) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


# ------------------------------------------------------------------ both
@pytest.mark.parametrize(
    ("options", "iris", "wine"),
    [
        ({}, 0.92, 0.88),
        ({"ordered": False}, 0.92, 0.88),
        ({"algorithm": "ripper", "random_state": 0}, 0.9, 0.83),
    ],
)
def test_accuracy_on_rows_held_out(options, iris, wine):
    for data, least in ((load_iris(), iris), (load_wine(), wine)):
        scores = cross_val_score(RuleListClassifier(**options), data.data, data.target, cv=10)
        assert np.mean(scores) > least


@pytest.mark.parametrize("options", [{}, {"evaluation": "entropy"}, {"ordered": False}])
def test_weights_are_repeated_rows(options):
    X, y = a_table(4, 80)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    model = RuleListClassifier(**options)
    weighted = model.fit(X, y, times).rules_
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).rules_
    assert str(weighted) == str(repeated)


def test_counts_are_weights_of_rows_that_a_rule_decides_on():
    X, y = a_table(9, 80)
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    for options in ({}, {"algorithm": "ripper", "random_state": 0}):
        model = RuleListClassifier(**options).fit(X, y, w)
        first = model.apply(X)
        for place, rule in enumerate(model.rules_.rules):
            if (first == place).any():
                counts = np.bincount(y[first == place], w[first == place], 3)
                np.testing.assert_allclose(rule.counts, counts)
                assert rule.label == counts.argmax()
                np.testing.assert_allclose(rule.probability, counts.max() / counts.sum())


def test_class_weights_are_weights_of_rows():
    X, y = a_table(2, 80)
    named = RuleListClassifier(class_weight={0: 3.0, 1: 1.0, 2: 1.0}).fit(X, y)
    passed = RuleListClassifier().fit(X, y, np.where(y == 0, 3.0, 1.0))
    assert str(named.rules_) == str(passed.rules_)


@pytest.mark.parametrize("algorithm", ["cn2", "ripper"])
def test_limits_of_rules(algorithm):
    data = load_iris()
    full = RuleListClassifier(algorithm, random_state=0).fit(data.data, data.target)
    model = RuleListClassifier(algorithm, max_rules=1, random_state=0)
    assert len(model.fit(data.data, data.target).rules_) == 2
    model = RuleListClassifier(algorithm, max_depth=1, random_state=0).fit(data.data, data.target)
    assert max(len(rule.conditions) for rule in model.rules_.rules) == 1
    model = RuleListClassifier(algorithm, min_size=40, random_state=0).fit(data.data, data.target)
    if algorithm == "cn2":
        assert min(rule.counts.sum() for rule in model.rules_.rules[:-1]) >= 40
    binned = RuleListClassifier(algorithm, n_bins=4, random_state=0).fit(data.data, data.target)
    cuts = {c.high for rule in binned.rules_.rules for c in rule.conditions if c.column == 2}
    assert len(cuts - {np.inf}) <= 3
    assert len(full.rules_) > 2


def test_missing_values():
    X = np.array([[1.0], [1.0], [2.0], [2.0], [np.nan], [np.nan], [np.nan]] * 4)
    y = np.array([0, 0, 1, 1, 2, 2, 2] * 4)
    model = RuleListClassifier().fit(X, y)
    assert all("missing" not in words for words in model.rules_.descriptions)
    assert model.predict([[np.nan]]).tolist() == [2]  # no condition is met: the default rule
    model = RuleListClassifier(missing="condition").fit(X, y)
    assert model.rules_.descriptions[0] == "x0 is missing"
    assert model.predict([[np.nan], [0.0], [3.0]]).tolist() == [2, 0, 1]


def test_categories_that_the_fit_has_not_seen_meet_no_condition():
    pandas = pytest.importorskip("pandas")
    X, y = weather()
    model = RuleListClassifier(significance_level=1.0).fit(X, y)
    row = pandas.DataFrame({
        "outlook": ["snow"], "temperature": ["hot"], "humidity": ["low"], "wind": ["breeze"]
    })  # fmt: skip
    assert model.apply(row).tolist() == [len(model.rules_) - 1]
    row["humidity"] = "high"
    assert model.apply(row).tolist() == [model.rules_.descriptions.index("humidity = high")]


def test_text_and_frame():
    data = load_iris()
    model = RuleListClassifier(max_rules=1).fit(data.data, data.target, np.full(150, 0.5))
    rules = model.rules_
    names = data.target_names
    assert rules.text(show="label", class_names=names) == (
        "if x2 <= 2.45 then setosa\nelse versicolor"
    )
    assert rules.text(show="odds", decimals=1) == (
        "if x2 <= 2.45 then 0 (odds = inf)\nelse 1 (odds = 1.0)"
    )
    assert rules.text(show="proba").endswith("else 1 (p = 0.50)")
    assert rules.text(show="counts").endswith("else 1 (counts = 0 / 25 / 25)")
    assert rules._repr_html_().startswith("<pre>if x2 &lt;= 2.45")
    frame = rules.to_frame()
    assert frame["rule"].tolist() == ["x2 <= 2.45", "always"]
    assert frame[0].tolist() == [25.0, 0.0]
    with pytest.raises(ValueError, match="class_names must name 3 classes; got 2 names"):
        rules.text(class_names=["a", "b"])
    with pytest.raises(ValueError, match="show must be"):
        rules.text(show="all of it")
    constant = RuleListClassifier().fit(data.data[:, :1] * 0.0, data.target)
    assert str(constant.rules_) == "always 0 (odds = 0.50, counts = 50 / 50 / 50)"


def test_float32_rows_have_the_rules_of_their_values():
    X = load_iris().data.astype(np.float32)
    y = load_iris().target
    for algorithm in ("cn2", "ripper"):
        single = RuleListClassifier(algorithm, random_state=0).fit(X, y)
        double = RuleListClassifier(algorithm, random_state=0).fit(X.astype(float), y)
        assert str(single.rules_) == str(double.rules_)
        np.testing.assert_array_equal(single.predict(X), double.predict(X.astype(float)))


def test_what_is_refused():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    with pytest.raises(NotFittedError):
        RuleListClassifier().predict(X)
    with pytest.raises(NotFittedError):
        RuleListClassifier().apply(X)
    with pytest.raises(ValueError, match="algorithm must be 'cn2' or 'ripper'; got 'c45'"):
        RuleListClassifier("c45").fit(X, y)
    with pytest.raises(ValueError, match="prune_fraction must"):
        RuleListClassifier("ripper", prune_fraction=1.0).fit(X, y)
    with pytest.raises(ValueError, match="significance_level must"):
        RuleListClassifier(significance_level=0.0).fit(X, y)
    with pytest.raises(ValueError, match="infin"):
        RuleListClassifier().fit([[0.0], [np.inf], [2.0]], y)
    with pytest.raises(ValueError, match="y must have one label per row"):
        RuleListClassifier().fit(X, [0, 1])
    with pytest.raises(ValueError, match="X has 2 features"):
        RuleListClassifier().fit(X, y).predict([[0.0, 1.0]])
