# SPDX-License-Identifier: BSD-3-Clause
"""What pictures return: their numbers, and the axes that they were drawn on."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from statfast._validation import wrong_type


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
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the numbers

    def __init__(self, draw: Callable[..., Any], **numbers: Any) -> None:
        if not callable(draw):
            raise wrong_type("draw", "a function of (display, ax)", draw)
        self._draw = draw
        self.__dict__.update(numbers)

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
        self.figure_ = np.array(self.ax_, dtype=object).flat[0].figure
        return self


class Drawn(Protocol):
    """What pictures return: a `Display`, or a class of its own with the same interface."""

    ax_: Any
    figure_: Any

    def plot(self, *, ax: Any = None) -> Self: ...


def new_axes() -> Any:
    """Axes of a new figure of pyplot."""
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def picture(name: str) -> Callable[..., Any]:
    """The function of `statfast.plot` that draws a result, for the result's ``plot``.

    Pictures are built on everything public, and results know how they are drawn: this import is
    the one that goes up. It happens when something is drawn.
    """
    return getattr(import_module("statfast.plot"), name)
