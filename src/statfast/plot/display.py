# SPDX-License-Identifier: BSD-3-Clause
"""What pictures return: their numbers, and the axes that they were drawn on."""

from statfast._validation import wrong_type
from statfast.plot.regions import new_axes


class Display:
    """A picture, its numbers, and where it was drawn.

    The numbers are attributes; which, the function that drew it says.

    Parameters
    ----------
    draw : callable
        ``draw(display, ax)`` draws it.
    **numbers : object
        What is drawn.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn last.
    figure_ : matplotlib.figure.Figure
        Its figure.
    """

    def __init__(self, draw, **numbers):
        if not callable(draw):
            raise wrong_type("draw", "a function of (display, ax)", draw)
        self._draw = draw
        self.__dict__.update(numbers)

    def plot(self, *, ax=None):
        """Draw it, perhaps once more elsewhere.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.

        Returns
        -------
        self
        """
        self.ax_ = new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self, self.ax_)
        return self
