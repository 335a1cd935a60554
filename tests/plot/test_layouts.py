# SPDX-License-Identifier: BSD-3-Clause
"""No text of a picture is cut by the edge, and none covers another, on hard data, too."""

import inspect

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import statfast as sf
from statfast import plot
from statfast.plot.colors import COLORS, MAX_DOTS, class_colors, gray
from tests.plot.layouts import CASES, crowd, dim_faults, layout_faults


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_every_function_has_a_case():
    functions = {name for name in plot.__all__ if inspect.isfunction(getattr(plot, name))}
    assert functions == {name.partition("/")[0] for name in CASES}


@pytest.mark.once
@pytest.mark.parametrize("name", CASES)
def test_texts_are_whole_and_apart(name):
    with plt.rc_context({"backend": "agg"}):
        shown = CASES[name]()
        assert not list(layout_faults(shown.figure_))


@pytest.mark.once
@pytest.mark.parametrize("name", CASES)
def test_texts_are_whole_and_apart_in_a_subplot(name):
    """One of four pictures of a figure, for which the caller asked for room, in a dark theme."""
    with plt.style.context("dark_background"), plt.rc_context({"backend": "agg"}):
        shown = CASES[name]()
        if isinstance(shown.ax_, np.ndarray):
            return  # a picture of several axes has them beside one another
        figure = Figure(figsize=(12, 9), layout="constrained")
        axes = figure.subplots(2, 2)
        shown.plot(ax=axes[0, 1])
        assert shown.figure_ is figure
        assert not list(layout_faults(figure))
        if not name.startswith(("confusion", "tree")):  # texts in boxes of a color
            assert not list(dim_faults(figure))


def test_faults_of_layouts_are_found():
    figure = Figure(figsize=(2, 2))
    figure.text(0.9, 0.5, "a long text that is cut")
    figure.text(0.1, 0.2, "one above")
    figure.text(0.12, 0.21, "the other")
    found = list(layout_faults(figure))
    assert len(found) == 2
    assert "cut by the edge" in found[0]
    assert "overlap" in found[1]


@pytest.mark.parametrize("dpi", [50, 300])
def test_a_key_below_an_axis_is_apart_from_its_label(dpi):
    """At any resolution that a picture is saved in."""
    shown = CASES["subgroups/long"]()
    shown.figure_.set_dpi(dpi)
    assert not list(layout_faults(shown.figure_))


def test_many_points_of_a_regression_are_small_and_light():
    ax = CASES["regression_curve/many"]().ax_
    dots = max(ax.lines, key=lambda line: len(line.get_xdata()))
    assert dots.get_markersize() < 2
    assert dots.get_alpha() < 0.3


def test_ten_classes_have_ten_colors():
    assert len(set(COLORS)) == 10
    assert class_colors(10) == list(COLORS)
    colors = np.array(class_colors(30), dtype=float)
    assert (np.abs(colors[:, None] - colors).sum(axis=-1) + np.eye(30) > 0.05).all()


def test_many_points_are_drawn_in_random_order():
    X, y = crowd()
    model = sf.LinearDiscriminantAnalysis().fit(X, y)
    ax = plot.decision_regions(model, X, y, resolution=9, ax=Figure().subplots()).ax_
    dots = next(c for c in ax.collections if len(c.get_offsets()) > MAX_DOTS)
    drawn = np.asarray(dots.get_offsets())
    assert not np.array_equal(drawn, X)
    np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(X, axis=0))
    assert len(np.unique(dots.get_facecolors()[-1000:, :3], axis=0)) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]


@pytest.mark.parametrize(("face", "ink"), [("white", "0.25"), ("black", "0.75")])
def test_lines_are_seen_on_light_and_dark_axes(face, ink):
    ax = Figure().subplots()
    ax.set_facecolor(face)
    assert gray(ax, 0.25) == ink


def test_two_calls_on_the_same_axes_differ():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    X[:, 0] += y
    ax = Figure().subplots()
    plot.roc(sf.LogisticRegression().fit(X, y), X, y, ax=ax)
    plot.roc(sf.GaussianNB().fit(X, y), X, y, name="naive Bayes", ax=ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "convex hull"
    assert texts[1].startswith("LogisticRegression (AUC 0.")
    assert texts[2].startswith("naive Bayes (AUC 0.")
    curves = [line for line in ax.lines if "AUC" in line.get_label()]
    assert curves[0].get_color() != curves[1].get_color()
    with pytest.raises(TypeError, match="name must be a string"):
        plot.roc(y, X[:, 0], name=3)


def test_a_display_says_what_it_shows():
    shown = plot.roc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], ax=Figure().subplots())
    assert repr(shown).startswith("<Display of fpr, tpr, thresholds, auc")


def test_a_deep_tree_has_a_figure_in_which_it_can_be_read():
    shown = CASES["tree/deep"]()
    sizes = [text.get_fontsize() for text in shown.ax_.texts]
    assert min(sizes) >= 6.0
    assert shown.figure_.get_size_inches()[0] > 12
