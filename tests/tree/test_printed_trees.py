# SPDX-License-Identifier: BSD-3-Clause
"""Trees as text."""

import numpy as np
import pytest

from statfast import DecisionTreeClassifier, DecisionTreeRegressor, LogisticRegression
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
    with pytest.raises(ValueError, match="feature_names must name 1 columns; got 2"):
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
