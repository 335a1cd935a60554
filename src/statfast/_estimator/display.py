# SPDX-License-Identifier: BSD-3-Clause
"""What pictures return: their numbers, and the axes that they were drawn on."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from statfast._validation import wrong_type

MAX_NAME = 30  # characters of a name at a tick
MAX_LABEL = 34  # characters of a line of an axis's label, and of an entry of a legend


class Display:
    """A plot, its numbers, and where it was drawn.

    The numbers are attributes; which, the function that drew it says.

    Parameters
    ----------
    draw : callable
        ``draw(display, ax)`` draws it.
    **numbers : object
        What is drawn.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes, or ndarray of several
        Where it was drawn last.
    figure_ : matplotlib.figure.Figure
        Its figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import calibration
    >>> axes = Figure().subplots()
    >>> shown = calibration([0, 1, 0, 1], [0.1, 0.8, 0.3, 0.7], ax=axes)
    >>> shown
    <Display of prob_pred, prob_true, parts>
    >>> shown.ax_.get_ylabel()
    'fraction of positives'
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the numbers

    def __init__(self, draw: Callable[..., Any], **numbers: Any) -> None:
        if not callable(draw):
            raise wrong_type("draw", "a function of (display, ax)", draw)
        self._draw = draw
        self.__dict__.update(numbers)

    def __repr__(self) -> str:
        numbers = [name for name in vars(self) if not name.startswith("_") and name[-1] != "_"]
        return f"<Display of {', '.join(numbers)}>" if numbers else "<Display>"

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the plot, on these axes or on new ones.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.

        Returns
        -------
        self
        """
        self.ax_ = new_axes() if ax is None else ax
        self._draw(self, self.ax_)
        shorten_texts(self.ax_)
        self.figure_ = np.array(self.ax_, dtype=object).flat[0].figure
        return self


class Drawn(Protocol):
    """What pictures return: a `Display`, or a class of its own with the same interface."""

    ax_: Any
    figure_: Any

    def plot(self, *, ax: Any = None) -> Self: ...


def new_axes() -> Any:
    """Axes of a new figure of pyplot."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib. Install it: pip install 'statfast[plot]'."
        ) from error

    return pyplot.subplots(layout="constrained")[1]


def shorten_texts(axes: Any) -> None:
    """Leave room for a picture: long names at ticks and in legends are cut in the middle, and long
    labels of axes are written in several lines."""
    for ax in np.ravel(np.array(axes, dtype=object)):
        for axis in (ax.xaxis, ax.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if max(map(len, names), default=0) > MAX_NAME:
                axis.set_ticks(axis.get_ticklocs(), [shortened(name) for name in names])
            axis.label.set_text("\n".join(wrap(axis.label.get_text(), MAX_LABEL)))
        legend = ax.get_legend()
        for text in legend.get_texts() if legend else ():
            text.set_text(shortened(text.get_text(), MAX_LABEL))


def shortened(name: Any, most: int = MAX_NAME) -> str:
    """A name of at most so many characters, its middle left out."""
    name = str(name)
    if len(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1]}\N{HORIZONTAL ELLIPSIS}{name[-tail:]}"


def picture(name: str) -> Callable[..., Any]:
    """The function of `statfast.plot` that draws a result, for the result's ``plot``.

    Pictures are built on everything public, and results know how they are drawn: this import is
    the one that goes up. It happens when something is drawn.
    """
    return getattr(import_module("statfast.plot"), name)
