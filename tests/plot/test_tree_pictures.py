# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of trees and forests: what is drawn is what the model says."""

import numpy as np
import pytest

from statfast.datasets import load_iris
from statfast.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor

figure = pytest.importorskip("matplotlib.figure")
plot = pytest.importorskip("statfast.plot")

IRIS = load_iris()


def axes():
    return figure.Figure().subplots()


def boxes(shown):
    return [text.get_text() for text in shown.ax_.texts if text.get_bbox_patch() is not None]


def test_tree_of_classes():
    model = DecisionTreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    shown = plot.tree(model, feature_names=["sl", "sw", "pl", "pw"], class_names="abc", ax=axes())
    assert shown.nodes.tolist() == [0, 1, 2, 3, 4]
    assert shown.texts == [
        "pl \u2264 2.45\na\n50 / 50 / 50", "a\n50 / 0 / 0", "pw \u2264 1.75\nb\n0 / 50 / 50",
        "b\n0 / 49 / 5", "c\n0 / 1 / 45",
    ]  # fmt: skip
    assert boxes(shown) == shown.texts
    assert shown.positions.tolist() == [[0.75, 0], [0, -1], [1.5, -1], [1, -2], [2, -2]]
    colors = np.array([t.get_bbox_patch().get_facecolor()[:3] for t in shown.ax_.texts[:5]])
    assert len(np.unique(colors, axis=0)) == 5
    assert {text.get_text().strip() for text in shown.ax_.texts[5:]} == {"yes", "no"}


def test_depth_limit_and_style():
    model = DecisionTreeClassifier().fit(IRIS.data, IRIS.target)
    shown = plot.tree(model, max_depth=1, ax=axes(), fontsize=7, color="C3")
    assert len(shown.nodes) == 3
    assert [t.get_bbox_patch().get_linestyle() for t in shown.ax_.texts[:3]] == ["-", "-", "--"]
    assert shown.ax_.texts[0].get_fontsize() == 7
    assert len(plot.tree(model, max_depth=0, ax=axes()).texts) == 1
    assert len(plot.tree(model, ax=axes()).nodes) == model.tree_.node_count


def test_tree_of_numbers_and_weights():
    X, y = np.arange(4.0)[:, None], np.array([1.0, 1.0, 3.0, 4.0])
    model = DecisionTreeRegressor(max_depth=1).fit(X, y, [1.0, 1.0, 0.25, 0.25])
    shown = plot.tree(model, ax=axes(), decimals=1)
    assert shown.texts == ["x0 \u2264 1.5\n1.5\nn = 2.5", "1.0\nn = 2", "3.5\nn = 0.5"]
    constant = DecisionTreeRegressor().fit(X, np.ones(4))
    assert plot.tree(constant, ax=axes()).texts == ["1.00\nn = 4"]
    both = DecisionTreeRegressor(max_depth=1).fit(X, np.column_stack([y, -y]))
    assert plot.tree(both, ax=axes()).texts[1] == "1.00, -1.00\nn = 2"


def test_many_classes_outputs_and_one_class():
    X, y = np.arange(6.0)[:, None], np.arange(6)
    shown = plot.tree(DecisionTreeClassifier().fit(X, y), ax=axes())
    assert shown.texts[0].endswith("0\n0.17 of 6")
    two = DecisionTreeClassifier().fit(X, np.column_stack([y > 2, y > 2]))
    assert plot.tree(two, ax=axes()).texts[1] == "False, False\n1.00, 1.00 of 3"
    one = DecisionTreeClassifier().fit(X, np.zeros(6, int))
    assert plot.tree(one, ax=axes()).texts == ["0\n6"]


def test_members_of_forests():
    forest = RandomForestClassifier(2, random_state=0).fit(IRIS.data, IRIS.target)
    shown = plot.tree(forest.estimators_[0], ax=axes())
    assert boxes(shown) == shown.texts
    assert shown.texts[0].count("\n") == 2


def test_importances():
    model = RandomForestClassifier(40, random_state=0).fit(IRIS.data, IRIS.target)
    shown = plot.importances(
        model, feature_names=list("abcd"), level=0.8, most=3, ax=axes(), marker="s"
    )
    order = np.argsort(-model.feature_importances_)[:3]
    assert shown.names == ["abcd"[j] for j in order]
    np.testing.assert_array_equal(shown.means, model.feature_importances_[order])
    inside = np.quantile(model.tree_importances_[:, order], [0.1, 0.9], axis=0).T
    np.testing.assert_allclose(shown.intervals, inside, rtol=1e-12)
    assert shown.ax_.lines[0].get_marker() == "s"
    np.testing.assert_array_equal(shown.ax_.lines[0].get_xdata(), shown.means)
    assert [t.get_text() for t in shown.ax_.get_yticklabels()] == shown.names


@pytest.mark.parametrize("numbers", [False, True])
def test_out_of_bag(numbers):
    X, y = IRIS.data[:, :3], IRIS.data[:, 3] if numbers else IRIS.target
    kind = RandomForestRegressor if numbers else RandomForestClassifier
    model = kind(30, oob_score=True, random_state=1).fit(X, y)
    shown = plot.out_of_bag(model, X, y, ax=axes(), linewidth=3)
    want, seen = [], [np.isin(np.arange(150), rows) for rows in model.estimators_samples_]
    said = [tree.predict(X) if numbers else tree.predict_proba(X) for tree in model.estimators_]
    for count in range(1, 31):
        out = ~np.array(seen[:count])
        known = out.any(axis=0)
        mean = np.einsum("tn,tn...->n...", out.astype(float), np.array(said[:count]))[known]
        mean = (mean.T / out.sum(axis=0)[known]).T
        truth = y[known]
        error = (mean - truth) ** 2 if numbers else mean.argmax(axis=1) != truth
        want.append(error.mean())
    np.testing.assert_allclose(shown.errors, want, rtol=1e-10)
    np.testing.assert_array_equal(shown.ax_.lines[0].get_ydata(), shown.errors)
    assert shown.ax_.lines[0].get_linewidth() == 3
    if not numbers:
        assert shown.errors[-1] == pytest.approx(1 - model.oob_score_)


def test_refusals():
    X, y = IRIS.data, IRIS.target
    single, forest = DecisionTreeClassifier().fit(X, y), RandomForestClassifier(3).fit(X, y)
    for draw in (plot.tree, plot.importances):
        with pytest.raises(ValueError, match="feature_names must name the 4"):
            draw(single if draw is plot.tree else forest, feature_names=["a"], ax=axes())
    with pytest.raises(TypeError, match="model must be a DecisionTree"):
        plot.tree(forest)
    with pytest.raises(TypeError, match="model must be a random forest"):
        plot.importances(single)
    with pytest.raises(TypeError, match="model must be a random forest"):
        plot.out_of_bag(single, X, y)
    with pytest.raises(ValueError, match="class_names must be 3 names"):
        plot.tree(single, class_names=["a"])
    with pytest.raises(ValueError, match="class_names must be None"):
        plot.tree(DecisionTreeRegressor().fit(X, y), class_names=["a"])
    for draw in (plot.importances, lambda model: plot.out_of_bag(model, X, y)):
        with pytest.raises(ValueError, match="not fitted"):
            draw(RandomForestClassifier())
    with pytest.raises(ValueError, match="not fitted"):
        plot.tree(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="bootstrap=False"):
        plot.out_of_bag(ExtraTreesClassifier(3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="rows of the fit"):
        plot.out_of_bag(forest, X[:9], y[:9])
    with pytest.raises(ValueError, match="level"):
        plot.importances(forest, level=1.0)


# ------------------------------------------------------------------ what boxes say of classes
@pytest.fixture(scope="module")
def spam():
    """A tree whose leaves hold 20 of 25, 10 of 15 and 20 of 60 positives."""
    X = np.repeat([[1, 0], [0, 1], [0, 0]], [25, 15, 60], axis=0)
    y = np.repeat(["spam", "ham"] * 3, [20, 5, 10, 5, 20, 40])
    return DecisionTreeClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("show", "leaves"),
    [
        ("label", ["ham", "spam", "spam"]),
        ("proba", ["0.67 / 0.33", "0.33 / 0.67", "0.20 / 0.80"]),
        ("score", ["\u22121.00", "+1.00", "+2.00"]),  # the book's scoring tree
        ("counts", ["40 / 20", "5 / 10", "5 / 20"]),
        (None, ["ham\n40 / 20", "spam\n5 / 10", "spam\n5 / 20"]),
    ],
)
def test_boxes_say_what_is_asked(spam, show, leaves):
    shown = plot.tree(spam, show=show, ax=axes())
    assert [text for text in shown.texts if "\u2264" not in text] == leaves
    assert shown.texts[0].startswith("x0 \u2264 0.50\n")
    assert boxes(shown) == shown.texts


def test_scores_of_pure_leaves_are_infinite():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    shown = plot.tree(model, show="score", ax=axes(), decimals=1)
    assert shown.texts == ["x0 \u2264 0.5\n+0.0", "\u2212\u221e", "+\u221e"]


def test_counts_are_weights():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1], [1.5, 2.0])
    shown = plot.tree(model, show="counts", ax=axes())
    assert shown.texts[1:] == ["1.50 / 0", "0 / 2"]


def test_shows_refused(spam):
    with pytest.raises(ValueError, match="show must be None, 'label', 'proba', 'score' or"):
        plot.tree(spam, show="votes", ax=axes())
    three = DecisionTreeClassifier().fit(IRIS.data, IRIS.target)
    with pytest.raises(ValueError, match="show='score' needs a tree of two classes; got 3"):
        plot.tree(three, show="score", ax=axes())
    numbers = DecisionTreeRegressor(max_depth=1).fit(IRIS.data, IRIS.target)
    with pytest.raises(ValueError, match="show must be None for a tree of a regression"):
        plot.tree(numbers, show="label", ax=axes())
    both = DecisionTreeClassifier(max_depth=1).fit(IRIS.data, np.column_stack([IRIS.target] * 2))
    with pytest.raises(ValueError, match="show must be None for a tree of several outputs"):
        plot.tree(both, show="proba", ax=axes())
