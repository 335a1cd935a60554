# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of margins, and of losses of margins."""

import numpy as np
import pytest

from statfast import SVC, KNeighborsClassifier, NotFittedError, NuSVC, plot
from statfast.datasets import load_iris
from statfast.metrics import margin_loss
from statfast.plot import svm_margin

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def iris():
    table = load_iris()
    return table.data[:, :2], table.target


def lines(ax, level):
    """The points of the contour at a level of f."""
    drawn = [one for one in ax.collections if level in getattr(one, "levels", ())]
    paths = drawn[-1].get_paths()
    return paths[list(drawn[-1].levels).index(level)].vertices


def rings(ax, label):
    handles, labels = ax.get_legend_handles_labels()
    return handles[labels.index(label)].get_offsets()


def test_the_lines_are_where_f_is_one(ax, iris):
    X, y = iris[0][:100], iris[1][:100]
    model = SVC(kernel="linear", C=10.0, tol=1e-8).fit(X, y)
    svm_margin(model, X, y, ax=ax, resolution=40)
    for level in (-1.0, 1.0):
        np.testing.assert_allclose(model.decision_function(lines(ax, level)), level, atol=1e-6)
    assert "margin" in ax.get_title()


def test_rings_are_the_groups_of_multipliers(ax, iris):
    X, y = iris[0][50:], iris[1][50:]
    model = SVC(C=1.0).fit(X, y)
    svm_margin(model, X, y, ax=ax, resolution=20)
    groups = model.multipliers_[0]
    np.testing.assert_array_equal(rings(ax, "on the margin"), X[groups.free])
    np.testing.assert_array_equal(rings(ax, "within the margin"), X[groups.bound])


def test_three_classes_have_rings_and_no_lines(ax, iris):
    X, y = iris
    model = NuSVC(nu=0.6).fit(X, y)
    svm_margin(model, X, y, ax=ax, resolution=20)
    many = len(rings(ax, "on the margin")) + len(rings(ax, "within the margin"))
    assert many == len(model.support_)
    assert ax.get_title() == f"{many} support vectors"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"X": np.ones((150, 3))}, ValueError, "X must have 2 columns, .* got 3"),
        ({"X": np.ones((3, 2)), "y": [0, 1, 2]}, ValueError, "X must be the 150 rows .* got 3"),
        ({"model": KNeighborsClassifier()}, TypeError, "model must be a fitted SVC or NuSVC"),
        ({"model": SVC()}, NotFittedError, "This SVC instance is not fitted yet"),
        ({"resolution": 1}, ValueError, "resolution must be at least 2"),
    ],
)
def test_arguments_refused(iris, ax, change, error, words):
    X, y = iris
    given = {"model": SVC().fit(X, y), "X": X, "y": y, "ax": ax, "resolution": 10, **change}
    with pytest.raises(error, match=words):
        svm_margin(**given)


# ------------------------------------------------------------------ losses of margins
def test_losses_are_those_of_the_metric(ax):
    shown = plot.margin_losses(ax=ax)
    assert list(shown.losses) == ["zero_one", "hinge", "logistic", "exponential", "squared"]
    for name, line in zip(shown.losses, ax.lines, strict=True):
        np.testing.assert_array_equal(shown.losses[name], margin_loss(shown.margins, name))
        np.testing.assert_array_equal(
            line.get_xydata(), np.column_stack([shown.margins, shown.losses[name]])
        )
        assert (shown.losses[name] >= shown.losses["zero_one"]).all()
    falls = np.flatnonzero(np.diff(shown.losses["zero_one"]))
    assert shown.margins[falls].tolist() == [0.0]  # a margin of 0 is an error
    assert ax.get_ylim()[1] < 5
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("margin y f(x)", "loss")


def test_some_losses_within_limits(ax):
    shown = plot.margin_losses(["hinge"], limits=(0.5, 2), resolution=4, ax=ax, color="red")
    np.testing.assert_array_equal(shown.margins, [0.5, 1.0, 1.5, 2.0])
    np.testing.assert_array_equal(shown.losses["hinge"], [0.5, 0.0, 0.0, 0.0])
    assert ax.lines[0].get_color() == "red"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"losses": "hinge"}, TypeError, "losses must be a list of names of losses"),
        ({"losses": []}, ValueError, "losses must name one or more"),
        ({"losses": ["huber"]}, ValueError, "losses must be 'zero_one', 'hinge'"),
        ({"limits": (1, 1)}, ValueError, "limits must be a lower and a higher number"),
        ({"limits": (0, 1e9)}, ValueError, "limits must be at most 500"),
        ({"limits": 3}, TypeError, "limits must be a pair of numbers"),
        ({"resolution": 1}, ValueError, "resolution must be at least 2"),
    ],
)
def test_losses_refused(ax, arguments, error, words):
    with pytest.raises(error, match=words):
        plot.margin_losses(**arguments, ax=ax)
