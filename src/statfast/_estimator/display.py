# SPDX-License-Identifier: BSD-3-Clause
"""What pictures return: their numbers, and the axes that they were drawn on."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._typing import Attributes
from statfast._validation import wrong_type


class Display(Attributes):
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


def new_axes():
    """Axes of a new figure of pyplot."""
    from matplotlib import pyplot

    return pyplot.subplots()[1]
