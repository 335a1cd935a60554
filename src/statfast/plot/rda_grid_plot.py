# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out errors over the grid of regularized discriminant analysis."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import new_axes
from statfast._typing import Axes
from statfast._validation import as_choice, wrong_type

if TYPE_CHECKING:
    from statfast.generative.discriminant.rda_cv import RegularizedDiscriminantAnalysisCV


@dataclass
class RDAGridDisplay:
    """Display of errors over alpha and gamma, made by `rda_grid`.

    Attributes
    ----------
    values : ndarray of shape (A, G)
        Error or log loss of each pair; NaN where a covariance is singular.
    alphas, gammas : ndarray of shape (A,) and (G,)
        The grid.
    chosen : tuple of float (alpha, gamma)
        The pair with the least error.
    quantity : str
        What is shown.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.
    """

    values: NDArray[np.float64]
    alphas: NDArray[np.float64]
    gammas: NDArray[np.float64]
    chosen: tuple[float, float]
    quantity: str
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Self:
        """Draw it on axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            None draws on a new figure of pyplot.
        **style : object
            Style, passed to ``imshow``, such as ``cmap``.

        Returns
        -------
        RDAGridDisplay
            Itself.
        """
        ax = new_axes() if ax is None else ax
        style = {"cmap": "viridis_r", "origin": "lower", "aspect": "auto", **style}
        image = ax.imshow(self.values, **style)
        ax.set_facecolor("0.85")  # of pairs that are singular
        for axis, grid in ((ax.xaxis, self.gammas), (ax.yaxis, self.alphas)):
            places = np.unique(
                np.linspace(0, len(grid) - 1, min(len(grid), 11)).round().astype(int)
            )
            axis.set_ticks(places, [f"{grid[place]:g}" for place in places])
        i = int(np.flatnonzero(self.alphas == self.chosen[0])[0])
        j = int(np.flatnonzero(self.gammas == self.chosen[1])[0])
        ax.scatter([j], [i], marker="o", s=110.0, facecolors="none", edgecolors="#D55E00",
                   linewidths=2.0, zorder=3)  # fmt: skip
        ax.set_xlabel("gamma (weight of the identity)")
        ax.set_ylabel("alpha (weight of the class covariance)")
        ax.figure.colorbar(image, ax=ax, label=f"leave-one-out {self.quantity}")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def rda_grid(
    model: "RegularizedDiscriminantAnalysisCV",
    *,
    quantity: Literal["error", "log loss"] = "error",
    ax: Axes | None = None,
    **style: Any,
) -> "RDAGridDisplay":
    """Draw the leave-one-out errors of regularized discriminant analysis over its grid.

    Parameters
    ----------
    model : RegularizedDiscriminantAnalysisCV
        Fitted.
    quantity : {"error", "log loss"}, default="error"
        What to show.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style, passed to ``imshow``, such as ``cmap``.

    Returns
    -------
    RDAGridDisplay
        The pair that was chosen has a circle; singular ones are gray.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If `quantity` is unknown.
    TypeError
        If the model is no fitted search.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RegularizedDiscriminantAnalysisCV
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import rda_grid
    >>> wine = load_wine()
    >>> model = RegularizedDiscriminantAnalysisCV().fit(wine.data[:, [0, 6]], wine.target)
    >>> rda_grid(model, ax=Figure().subplots()).values.shape
    (11, 11)
    """
    if not hasattr(model, "log_losses_") or not hasattr(model, "gammas_"):
        raise wrong_type("model", "a fitted RegularizedDiscriminantAnalysisCV", model)
    as_choice(quantity, "quantity", ("error", "log loss"))
    values = model.errors_ if quantity == "error" else model.log_losses_
    chosen = model.alpha_, model.gamma_
    display = RDAGridDisplay(values, model.alphas_, model.gammas_, chosen, quantity)
    return display.plot(ax=ax, **style)
