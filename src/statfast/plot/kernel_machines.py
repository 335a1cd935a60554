# SPDX-License-Identifier: BSD-3-Clause
"""The margin of a support vector classifier, losses of margins, and kernel matrices."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_labels,
    as_pair,
    as_real,
    as_rows,
    not_fitted,
    wrong_type,
)
from statfast.kernels.named import kernel_for
from statfast.metrics import margin_loss
from statfast.plot.colors import COLORS, gray, legend_of_classes
from statfast.plot.regions import decision_regions, side
from statfast.svm import SVC, NuSVC

RING = 3.2  # The area of a ring, relative to that of the points.


def svm_margin(
    model: SVC | NuSVC,
    X: Rows,
    y: ArrayLike,
    *,
    ax: Axes | None = None,
    resolution: int = 300,
    margin: float = 0.05,
    colors: Sequence[Any] | None = None,
    point_size: float = 18.0,
    **style: Any,
) -> Display:
    """Draw the regions of a support vector classifier, its margin and support vectors.

    Parameters
    ----------
    model : SVC or NuSVC
        Fitted to two columns.
    X : array-like of shape (n, 2)
        Its training rows.
    y : array-like of shape (n,)
        Their labels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    resolution : int, default=300
        Points at which the model is asked, along each side.
    margin : float, default=0.05
        How far the picture extends beyond the rows, as a share of their range.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order of labels.
    point_size : float, default=18.0
        Area of the points in square typographic points.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``free`` and ``bound``, the numbers of the support vectors. Support vectors on the
        margin (0 < a < C) have a solid ring, those within it or on the wrong side (a = C) a dotted
        one. Of two classes the lines f = -1 and f = 1 are dashed, and the title gives the width of
        the margin. ``ax.legend()`` names the classes and the rings.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the model is neither an SVC nor a NuSVC.
    ValueError
        If X does not have two columns, is not finite, or is not as many rows as the model was
        fitted to, if y is not one label for each row, or if a parameter is out of its range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import svm_margin
    >>> from statfast.svm import SVC
    >>> iris = load_iris()
    >>> X, y = iris.data[:100, :2], iris.target[:100]
    >>> model = SVC(kernel="linear", C=10).fit(X, y)
    >>> shown = svm_margin(model, X, y, ax=Figure().subplots(), resolution=50)
    >>> len(shown.free), len(shown.bound)
    (4, 2)
    """
    if not isinstance(model, SVC | NuSVC):
        raise wrong_type("model", "a fitted SVC or NuSVC", model)
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    rows = as_rows(X)
    as_labels(y, len(rows))
    resolution = as_count(resolution, "resolution", 2, MAX_REPEATS)
    margin = as_real(margin, "margin", 0.0)
    point_size = as_real(point_size, "point_size", 0.0)
    if rows.shape[1] == 2 and len(rows) != model.shape_fit_[0]:
        raise ValueError(
            f"X must be the {model.shape_fit_[0]} rows that the model was fitted to; got "
            f"{len(rows)}. Pass those, or use decision_regions."
        )
    bound = np.unique(np.concatenate([multipliers.bound for multipliers in model.multipliers_]))
    free = np.setdiff1d(
        np.concatenate([multipliers.free for multipliers in model.multipliers_]), bound
    )

    def draw(shown: Display, ax: Any) -> None:
        decision_regions(
            model, X, y, ax=ax, resolution=resolution, margin=margin, colors=colors,
            point_size=point_size, legend=False, **style,
        )  # fmt: skip
        if len(model.classes_) == 2:
            across, down = (side(rows[:, j], margin, resolution) for j in (0, 1))
            points = rows_like(X, np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2))
            values = model.decision_function(points).reshape(resolution, resolution)
            if values.min() < 1.0 and values.max() > -1.0:
                ax.contour(
                    across, down, values, levels=[-1.0, 1.0], colors=gray(ax, 0.25), linewidths=1.0,
                    linestyles="dashed", zorder=2,
                )  # fmt: skip
        for index, line, label in ((free, "-", "on the margin"), (bound, ":", "within the margin")):
            if len(index) and point_size:
                ax.scatter(
                    rows[index, 0], rows[index, 1], s=RING * point_size, facecolors="none",
                    edgecolors=gray(ax, 0.15), linewidths=0.9, linestyle=line, label=label,
                    zorder=4,
                )  # fmt: skip
        if rows.shape[1] == 2 and point_size:
            legend_of_classes(ax, len(model.classes_) + 2, len(rows))
        title = f"{len(model.support_)} support vectors"
        if len(model.classes_) == 2 and np.isfinite(model.margin_[0]):
            title = f"margin {model.margin_[0]:.3g}, {title}"
        ax.set_title(title)

    return Display(draw, free=free, bound=bound).plot(ax=ax)


LOSS_STYLES: dict[str, tuple[str, str | None, Any]] = {  # told apart without colors, too
    "zero_one": ("0-1", None, "-"),  # in the color of text
    "hinge": ("hinge", COLORS[0], "--"),
    "logistic": ("logistic, base 2", COLORS[4], "-."),
    "exponential": ("exponential", COLORS[2], ":"),
    "squared": ("squared", COLORS[3], (0, (8, 2))),
}
HIGHEST_LOSS = 4.0  # Of the picture: beyond, the exponential and the squared leave no room.


def margin_losses(
    losses: Sequence[str] = ("zero_one", "hinge", "logistic", "exponential", "squared"),
    *,
    limits: tuple[float, float] = (-2.0, 3.0),
    resolution: int = 501,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw losses of the margin z = y f(x), with classes -1 and 1.

    Parameters
    ----------
    losses : sequence of str, default=("zero_one", "hinge", "logistic", "exponential", "squared")
        Which of `statfast.metrics.margin_loss` to draw.
    limits : pair of float, default=(-2.0, 3.0)
        The range of margins.
    resolution : int, default=501
        Margins at which the losses are evaluated, 0 and the next number besides.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curves, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``margins`` (m,) and ``losses``, a dict of (m,) by name. The picture ends at a loss of
        4, unless all are less.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If a loss is unknown, or the limits are not a lower and a higher number.

    Notes
    -----
    A margin of 0 counts as an error. All others bound the 0-1 loss from above, the logistic one
    because its logarithm has base 2: what minimizes them keeps errors few.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import margin_losses
    >>> shown = margin_losses(ax=Figure().subplots())
    >>> {name: round(float(loss[0]), 1) for name, loss in shown.losses.items()}  # of margin -2
    {'zero_one': 1.0, 'hinge': 3.0, 'logistic': 3.1, 'exponential': 7.4, 'squared': 9.0}
    """
    if isinstance(losses, str) or not isinstance(losses, Sequence):
        raise wrong_type("losses", "a list of names of losses", losses)
    if not losses:
        raise ValueError("losses must name one or more; got none.")
    names = [as_choice(name, "losses", tuple(LOSS_STYLES)) for name in losses]
    low, high = as_pair(limits, "limits", -500.0, 500.0)
    if low >= high:
        raise ValueError(f"limits must be a lower and a higher number; got ({low}, {high}).")
    margins = np.linspace(low, high, as_count(resolution, "resolution", 2, MAX_REPEATS))
    step = np.array([0.0, np.nextafter(0.0, 1.0)])  # The 0-1 loss falls between these.
    margins = np.unique(np.concatenate([margins, step[(step > low) & (step < high)]]))
    values = {name: margin_loss(margins, name) for name in names}

    def draw(shown: Display, ax: Any) -> None:
        for name, heights in values.items():
            label, color, line = LOSS_STYLES[name]
            ink = color or gray(ax, 0.15)
            shape = {"color": ink, "linestyle": line, "linewidth": 1.8, "label": label}
            ax.plot(margins, heights, **shape | style)
        ax.set_xlim(low, high)
        top = max(float(heights.max()) for heights in values.values())
        ax.set_ylim(-0.05, 1.05 * min(top, HIGHEST_LOSS) or 1.0)
        ax.set_xlabel("margin y f(x)")
        ax.set_ylabel("loss")
        ax.legend(frameon=False, loc="upper right")

    return Display(draw, margins=margins, losses=values).plot(ax=ax)


if TYPE_CHECKING:
    from statfast.kernels.kernel import Kernel


def kernel_matrix(
    kernel: str | Kernel | Callable[..., Any],
    X: Any,
    y: ArrayLike | None = None,
    *,
    gamma: Literal["scale", "auto"] | float = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    colorbar: bool = True,
    ax: Axes | None = None,
    n_jobs: int | None = None,
    **style: Any,
) -> Display:
    """Draw a kernel matrix, ordered by class.

    A kernel that suits the classes has large values in the squares along the diagonal, and small
    ones outside.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A name ("linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum", "precomputed"), a
        kernel object, or a function of two arrays of samples.
    X : array-like of shape (n, d), list of n strings, or matrix of shape (n, n) if precomputed
        Points.
    y : array-like of shape (n,), optional
        Their classes; None keeps the points in their order.
    gamma : {"scale", "auto"} or float, default="scale"
        For a named kernel: 1 / (d var), with the variance of all values of X; 1 / d; or a number.
    degree : int, default=3
        Degree of "poly", and the length of the substrings of "spectrum".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    colorbar : bool, default=True
        Whether to draw one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    **style : object
        Style, passed to ``ax.imshow``. The default ``cmap`` is "viridis", or "RdBu_r" with white at
        0 where values are negative.

    Returns
    -------
    Display
        With ``values`` (n, n), and ``order``, the numbers of its rows. The image, the first point
        on top; lines between the classes, and their labels at the left.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As in `statfast.kernels.kernel_matrix`, or if y has not one label a point.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import kernel_matrix
    >>> iris = load_iris()
    >>> shown = kernel_matrix("rbf", iris.data, iris.target, ax=Figure().subplots())
    >>> [label.get_text() for label in shown.ax_.get_yticklabels()]
    ['0', '1', '2']
    """
    chosen = kernel_for(kernel, gamma, degree, coef0, X)
    values = chosen.matrix(X, n_jobs=n_jobs)
    order = np.arange(len(values))
    if y is not None:
        classes, codes = as_labels(y, len(values))
        order = np.argsort(codes, kind="stable")
        values = values[np.ix_(order, order)]

    def draw(shown: Display, ax: Any) -> None:
        low, high = float(values.min()), float(values.max())
        colors = {"cmap": "viridis"}
        if low < 0:
            limit = max(-low, high)
            colors = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
        image = ax.imshow(values, **{"interpolation": "nearest", **colors, **style})
        if colorbar:
            ax.figure.colorbar(image, ax=ax, label="kernel value", fraction=0.046, pad=0.04)
        if y is None:
            ax.set(xlabel="sample", ylabel="sample")
        else:
            counts = np.bincount(codes)
            ends = np.cumsum(counts)
            for end in ends[:-1] - 0.5:
                ax.axhline(end, color="white", linewidth=0.8)
                ax.axvline(end, color="white", linewidth=0.8)
            ax.set_xticks([])
            ax.set_yticks(ends - counts / 2 - 0.5, [str(label) for label in classes])
            ax.tick_params(left=False)
            ax.set(xlabel="samples by class", ylabel="samples by class")
        title = re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.4g}", str(chosen))
        ax.set_title(title if len(title) <= 60 else "kernel matrix")

    return Display(draw, values=values, order=order).plot(ax=ax)
