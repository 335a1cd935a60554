# SPDX-License-Identifier: BSD-3-Clause
"""All pictures keep one convention: ``ax=``, more arguments to matplotlib, a Display returned."""

import inspect

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from statfast import GeneralizedLinearModel, linkage, plot
from statfast.datasets import load_iris

FUNCTIONS = [name for name in plot.__all__ if inspect.isfunction(getattr(plot, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_keeps_the_convention(name):
    function = getattr(plot, name)
    parameters = inspect.signature(function).parameters
    assert parameters["ax"].default is None
    assert parameters["ax"].kind == inspect.Parameter.KEYWORD_ONLY
    assert any(p.kind == inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    returns = inspect.getdoc(function).partition("Returns\n-------\n")[2]
    assert returns.partition("\n")[0].endswith("Display")


def test_a_display_is_drawn_again_elsewhere():
    shown = plot.dendrogram(linkage(load_iris().data), ax=Figure().subplots(), linestyles="dotted")
    first, other = shown.ax_, Figure().subplots()
    assert first.collections[0].get_linestyles()[0][1] is not None
    assert shown.plot(ax=other) is shown
    assert shown.ax_ is other
    assert shown.figure_ is other.figure
    lines = [ax.collections[0].get_segments() for ax in (first, other)]
    assert (lines[0][0] == lines[1][0]).all()


def test_diagnostics_divide_one_place():
    iris = load_iris()
    model = GeneralizedLinearModel().fit(iris.data[:, 1:], iris.data[:, 0])
    figure = Figure()
    ax = figure.subplots(1, 2)[1]
    shown = plot.diagnostics(model, iris.data[:, 1:], iris.data[:, 0], ax=ax)
    assert len(shown.ax_) == 4
    assert shown.figure_ is figure
    assert ax not in figure.axes
    assert len(figure.axes) == 5
    with pytest.raises(ValueError, match="ax must be 1 or 4 axes; got 2"):
        plot.diagnostics(model, iris.data[:, 1:], iris.data[:, 0], ax=Figure().subplots(2))
    placed = Figure().add_axes((0, 0, 1, 1))
    with pytest.raises(TypeError, match="ax must be axes of a grid of subplots"):
        plot.diagnostics(model, iris.data[:, 1:], iris.data[:, 0], ax=placed)
