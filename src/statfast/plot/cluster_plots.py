# SPDX-License-Identifier: BSD-3-Clause
"""Clustered rows in two of their columns, with centers or medoids."""

from collections.abc import Sequence
from typing import Any

from statfast._estimator import Display
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import (
    as_count,
    as_labels,
    as_real,
    as_rows,
    column_names,
    unusable_model,
    wrong_type,
)
from statfast.plot.regions import COLORS, chosen_colors, legend_text

MARKERS = "os^Dv"  # of as many clusters as there are colors each
LEAST = 60.0  # square typographic points: centers are seen among the smallest points, too


def clusters(
    X: Rows,
    labels: Any,
    *,
    centers: ArrayLike | None = None,
    columns: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    point_size: float = 14.0,
    **style: Any,
) -> Display:
    """Draw samples in two features, colored by cluster, and the centers.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite rows of at least two columns.
    labels : array-like of shape (n,), or a fitted clusterer
        The cluster of each row; of a clusterer its ``labels_``, and its ``cluster_centers_`` unless
        other centers are given.
    centers : array-like of shape (k, d), optional
        Drawn as crosses.
    columns : (int, int), default=(0, 1)
        Which columns: across and up.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each cluster in ascending order of labels; None takes a palette of seven that
        repeats, with another shape of points each time.
    point_size : float, default=14.0
        Area of the points in square typographic points.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``labels`` (n,) and ``centers`` (k, d) or None.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If `labels` is a clusterer that is not fitted.
    ValueError
        If X is not finite, `labels` has not one for each row, a column does not exist, or there are
        fewer colors than clusters.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KMedoids
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import clusters
    >>> X = load_iris().data
    >>> shown = clusters(X, KMedoids(3).fit(X), columns=(2, 3), ax=Figure().subplots())
    >>> shown.centers.shape
    (3, 4)
    """
    rows = as_rows(X)
    if centers is None:
        centers = getattr(labels, "cluster_centers_", None)
    classes, codes = as_labels(labels_of(labels), len(rows), name="labels")
    try:
        across, up = columns
    except (TypeError, ValueError) as error:
        raise wrong_type("columns", "a pair of column numbers", columns) from error
    last = rows.shape[1] - 1
    across, up = (as_count(j, "columns", 0, last, limit="the last column") for j in (across, up))
    point_size = as_real(point_size, "point_size", 0.0)
    palette = chosen_colors(colors, len(classes))
    points = None if centers is None else as_rows(centers, name="centers")
    if points is not None and points.shape[1] != rows.shape[1]:
        raise ValueError(
            f"centers must have {rows.shape[1]} columns, as X; got {points.shape[1]}. Pass the "
            "same columns of both."
        )
    names = column_names(X)
    if names is None:
        names = [f"feature {j}" for j in range(rows.shape[1])]

    def draw(shown, ax):
        for code, label in enumerate(classes):
            some = rows[codes == code]
            marker = MARKERS[code // len(COLORS) % len(MARKERS)]
            given = {"s": point_size, "linewidths": 0, "alpha": 0.8, "marker": marker, **style}
            given = {"color": [palette[code]], "label": legend_text(label), **given}
            ax.scatter(some[:, across], some[:, up], **given)
        if points is not None:
            ax.scatter(
                points[:, across], points[:, up], s=max(6 * point_size, LEAST), marker="X",
                color="black", edgecolors="white", linewidths=1.0, label="centers", zorder=3,
            )  # fmt: skip
        ax.set_xlabel(names[across])
        ax.set_ylabel(names[up])
        if len(classes) <= len(COLORS):
            ax.legend(fontsize="small")

    return Display(draw, labels=classes[codes], centers=points).plot(ax=ax)


def labels_of(given):
    """Labels, or those of a fitted clusterer."""
    if hasattr(given, "labels_"):
        return given.labels_
    if hasattr(given, "fit"):
        raise unusable_model(given, "labels, or a fitted clusterer with labels_", "labels")
    return given
