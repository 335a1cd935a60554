# SPDX-License-Identifier: BSD-3-Clause
"""Trees as text."""

import numpy as np
import pytest

from statfast import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LogisticRegression,
    RandomForestClassifier,
)
from statfast._validation import NotFittedError
from statfast.datasets import load_iris
from statfast.tree import export_text, tree_rules


@pytest.mark.parametrize("options", [{}, {"max_depth": 1}, {"decimals": 4, "spacing": 5}])
def test_text_is_scikit_learns(options):
    theirs = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(size=300)
    for ours, other, target in (
        (DecisionTreeRegressor, theirs.DecisionTreeRegressor, y),
        (DecisionTreeClassifier, theirs.DecisionTreeClassifier, np.digitize(y, [-1, 1])),
    ):
        model = ours(max_depth=4, min_samples_leaf=20).fit(X, target)
        twin = other(max_depth=4, min_samples_leaf=20, random_state=0).fit(X, target)
        assert export_text(model, **options) == theirs.export_text(twin, **options)


def test_rules_hold_for_their_rows():
    data = load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(data.data, data.target)
    rules = tree_rules(model, feature_names=list("abcd"))
    assert len(rules) == model.get_n_leaves()
    total = 0
    for rule in rules:
        conditions, said, rest = rule.split(": ")
        inside = np.ones(150, bool)
        for condition in conditions.split(" and "):
            condition = condition.replace(" < ", " < ").split()
            if len(condition) == 5:
                low, _, name, _, high = condition
                x = data.data[:, "abcd".index(name)]
                inside &= (x > float(low)) & (x <= float(high))
            else:
                name, sign, cut = condition
                x = data.data[:, "abcd".index(name)]
                inside &= x <= float(cut) if sign == "<=" else x > float(cut)
        assert f"(n = {inside.sum()})" in rule
        assert said == "class"
        assert set(model.predict(data.data[inside]).astype(str)) == {rest.split(" (")[0]}
        total += inside.sum()
    assert total == 150


def test_what_cannot_be_printed():
    with pytest.raises(NotFittedError):
        export_text(DecisionTreeClassifier())
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="feature_names must name the 1 columns; got 2"):
        tree_rules(model, feature_names=["a", "b"])
    assert tree_rules(DecisionTreeClassifier().fit([[0.0]], [7])) == ["always: class: 7 (n = 1)"]
    for wrong in (None, 3, LogisticRegression(), DecisionTreeClassifier):
        with pytest.raises(TypeError, match="decision_tree must be a DecisionTreeClassifier or"):
            export_text(wrong)
        with pytest.raises(TypeError, match="decision_tree must be a DecisionTreeClassifier or"):
            tree_rules(wrong)
    for names in ("a", 3.0, {"a": 1}):
        with pytest.raises(TypeError, match="feature_names must be a list of names"):
            export_text(model, feature_names=names)


# x <= 0.5: weights 3 of "a" and 1 of "b"; beyond: 1 of "a" and 5 of "b", of 2 rows each
WEIGHTED = ([[0.0], [0.0], [1.0], [1.0]], ["a", "b", "a", "b"], [3.0, 1.0, 1.0, 5.0])


@pytest.mark.parametrize(
    ("options", "left", "right"),
    [
        ({}, "class: a (n = 4)", "class: b (n = 6)"),
        ({"weighted": False}, "class: a (n = 2)", "class: b (n = 2)"),
        ({"show": "odds"}, "class: a (odds = 3.000, n = 4)", "class: b (odds = 5.000, n = 6)"),
        (
            {"show": "odds", "weighted": False, "decimals": 1},
            "class: a (odds = 3.0, n = 2)",
            "class: b (odds = 5.0, n = 2)",
        ),
        ({"show": "proba"}, "class: a (p = 0.750, n = 4)", "class: b (p = 0.833, n = 6)"),
        (
            {"show": "counts"},
            "class: a (counts = 3 / 1, n = 4)",
            "class: b (counts = 1 / 5, n = 6)",
        ),
        (
            {"show": "counts", "class_names": ["no", "yes"]},
            "class: no (counts = 3 / 1, n = 4)",
            "class: yes (counts = 1 / 5, n = 6)",
        ),
    ],
)
def test_rules_show_weights(options, left, right):
    model = DecisionTreeClassifier().fit(*WEIGHTED)
    rules = tree_rules(model, feature_names=["x"], **options)
    assert rules == [f"x <= 0.5: {left}", f"x > 0.5: {right}"]


def test_rules_count_weights_as_repeated_rows():
    X, y, weight = WEIGHTED
    times = [int(w) for w in weight]
    repeated = DecisionTreeClassifier().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    model = DecisionTreeClassifier().fit(X, y, weight)
    for show in ("label", "odds", "proba", "counts"):
        assert tree_rules(model, show=show) == tree_rules(repeated, show=show)
    assert export_text(model, show_weights=True) == export_text(repeated, show_weights=True)
    halves = DecisionTreeClassifier().fit(X, y, np.array(weight) / 8.0)
    assert tree_rules(halves, show="counts", decimals=2) == [
        "feature_0 <= 0.5: class: a (counts = 0.38 / 0.12, n = 0.50)",
        "feature_0 > 0.5: class: b (counts = 0.12 / 0.62, n = 0.75)",
    ]


def test_rules_of_pure_leaves_of_class_weights_and_of_regressions():
    X, y = [[0.0], [1.0], [1.0]], [0, 1, 1]
    model = DecisionTreeClassifier(class_weight={0: 4.0, 1: 1.0}).fit(X, y)
    assert tree_rules(model, show="odds") == [
        "feature_0 <= 0.5: class: 0 (odds = inf, n = 4)",
        "feature_0 > 0.5: class: 1 (odds = inf, n = 2)",
    ]
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0, 4.0], [1.0, 3.0, 1.0])
    assert tree_rules(model) == [
        "feature_0 <= 0.5: value: [1.000000] (n = 1)",
        "feature_0 > 0.5: value: [2.500000] (n = 4)",
    ]


def test_rules_of_priors_show_what_the_priors_imply():
    X, y = np.repeat([[0.0], [0.0], [1.0]], [6, 2, 2], axis=0), np.repeat([0, 1, 1], [6, 2, 2])
    # A row of class 0 counts 0.5 * 10 / 6, of class 1 0.5 * 10 / 4: the left leaf has 5 and 2.5.
    model = DecisionTreeClassifier(priors=[0.5, 0.5]).fit(X, y)
    assert (
        tree_rules(model, show="odds")[0] == "feature_0 <= 0.5: class: 0 (odds = 2.000, n = 7.500)"
    )
    assert tree_rules(model, show="proba")[0] == "feature_0 <= 0.5: class: 0 (p = 0.667, n = 7.500)"
    # An error on class 1 costs 4: the leaf says 1, of probability 1 / 3.
    costly = DecisionTreeClassifier(priors=[0.5, 0.5], cost=[[0, 1], [4, 0]]).fit(X, y)
    assert (
        tree_rules(costly, show="odds")[0] == "feature_0 <= 0.5: class: 1 (odds = 0.500, n = 7.500)"
    )


def test_rules_of_several_outputs():
    X, y = [[0.0], [0.0], [1.0]], [[0, 5], [0, 6], [1, 7]]
    model = DecisionTreeClassifier(max_depth=1).fit(X, y, [3.0, 1.0, 2.0])
    assert tree_rules(model, show="counts") == [
        "feature_0 <= 0.5: class: 0, 5 (counts = 4 / 0, 3 / 1 / 0, n = 4)",
        "feature_0 > 0.5: class: 1, 7 (counts = 0 / 2, 0 / 0 / 2, n = 2)",
    ]
    assert "(odds = inf, 3.000, n = 4)" in tree_rules(model, show="odds")[0]


def test_rules_of_members_of_a_forest():
    data = load_iris()
    forest = RandomForestClassifier(1, max_depth=2, random_state=0).fit(data.data, data.target)
    rows = forest.estimators_samples_[0]
    alone = forest.estimators_[0]
    for show in ("label", "odds", "proba", "counts"):
        rules = tree_rules(alone, show=show)
        sizes = [int(rule.rpartition("n = ")[2].rstrip(")")) for rule in rules]
        assert sum(sizes) == len(rows)


def test_what_rules_cannot_show():
    model = DecisionTreeClassifier().fit(*WEIGHTED)
    with pytest.raises(ValueError, match="weighted must be True for show='counts'"):
        tree_rules(model, show="counts", weighted=False)
    with pytest.raises(ValueError, match="show must be 'label', 'odds', 'proba' or 'counts'; got"):
        tree_rules(model, show="weights")
    with pytest.raises(ValueError, match="class_names must name each of the classes"):
        tree_rules(model, class_names=["only"])
    for weighted in (None, "yes", 2):
        with pytest.raises(TypeError, match="weighted must be"):
            tree_rules(model, weighted=weighted)
    regression = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="show must be 'label' for a regression; got 'odds'"):
        tree_rules(regression, show="odds")
    with pytest.raises(ValueError, match="class_names must be None for a regression"):
        tree_rules(regression, class_names=["a", "b"])
