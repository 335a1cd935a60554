# SPDX-License-Identifier: BSD-3-Clause
"""The margin of a support vector classifier in the plane, with its support vectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import MANY, as_count, as_labels, as_real, as_rows, not_fitted, wrong_type
from statfast.plot.regions import decision_regions, side
from statfast.svm import SVC, NuSVC

RING = 3.2  # area of a ring, in those of the points


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
    resolution = as_count(resolution, "resolution", 2, MANY)
    margin = as_real(margin, "margin", 0.0)
    point_size = as_real(point_size, "point_size", 0.0)
    if rows.shape[1] == 2 and len(rows) != model.shape_fit_[0]:
        raise ValueError(
            f"X must be the {model.shape_fit_[0]} rows that the model was fitted to; got "
            f"{len(rows)}. Pass those, or use decision_regions."
        )
    bound = np.unique(np.concatenate([some.bound for some in model.multipliers_]))
    free = np.setdiff1d(np.concatenate([some.free for some in model.multipliers_]), bound)

    def draw(shown, ax):
        decision_regions(
            model, X, y, ax=ax, resolution=resolution, margin=margin, colors=colors,
            point_size=point_size, **style,
        )  # fmt: skip
        if len(model.classes_) == 2:
            across, down = (side(rows[:, j], margin, resolution) for j in (0, 1))
            points = rows_like(X, np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2))
            values = model.decision_function(points).reshape(resolution, resolution)
            if values.min() < 1.0 and values.max() > -1.0:
                ax.contour(
                    across, down, values, levels=[-1.0, 1.0], colors="0.25", linewidths=1.0,
                    linestyles="dashed", zorder=2,
                )  # fmt: skip
        for index, line, label in ((free, "-", "on the margin"), (bound, ":", "within the margin")):
            if len(index) and point_size:
                ax.scatter(
                    rows[index, 0], rows[index, 1], s=RING * point_size, facecolors="none",
                    edgecolors="0.15", linewidths=0.9, linestyle=line, label=label, zorder=4,
                )  # fmt: skip
        found = f"{len(model.support_)} support vectors"
        if len(model.classes_) == 2 and np.isfinite(model.margin_[0]):
            found = f"margin {model.margin_[0]:.3g}, {found}"
        ax.set_title(found)

    return Display(draw, free=free, bound=bound).plot(ax=ax)
