# SPDX-License-Identifier: BSD-3-Clause
"""Decision regions: which class a classifier gives to each point of the plane."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_labels,
    as_real,
    as_rows,
    refuse_large,
    wrong_type,
)

# Distinct to color-blind eyes too: the palette of M. Okabe and K. Ito without its black.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442")
TINT = 0.22  # The share of the class's color in its region; the rest is white.
# Shares that are tied are moved from 1/2 by this distance, to the side that `predict` has chosen.
TIE_MARGIN = 1e-9


def decision_regions(
    model: Any,
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
    """Draw the decision regions of a fitted classifier, and labeled samples.

    Parameters
    ----------
    model : classifier
        Fitted to two columns, with ``predict``, of statfast or of any other library. Of two
        classes the boundary is where ``predict_proba``, if there is one, passes 1/2, which is
        smooth where that is.
    X : array-like of shape (n, 2)
        Rows to show, finite; the picture extends a little beyond them.
    y : array-like of shape (n,)
        Their labels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    resolution : int, default=300
        Points at which the model is asked, along each side: it predicts resolution^2 rows.
    margin : float, default=0.05
        How far the picture extends beyond the rows, as a share of their range.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order of labels; None takes a palette of seven that
        repeats.
    point_size : float, default=18.0
        Area of the points in square typographic points; 0 draws none.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``across`` and ``up``, the coordinates asked, and ``response`` (up, across), the label
        at each.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If X does not have two columns or is not finite, if y is not one label for each row, if a
        parameter is out of its range, or if there are fewer colors than classes.

    Notes
    -----
    Regions are those of `predict` at the points asked; what lies between them is interpolated.
    Cost: one prediction of resolution^2 rows; memory 24 bytes for each and what the model takes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KNeighborsClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import decision_regions
    >>> iris = load_iris()
    >>> X, y = iris.data[:, 2:], iris.target
    >>> model = KNeighborsClassifier(15).fit(X, y)
    >>> shown = decision_regions(model, X, y, ax=Figure().subplots(), resolution=50)
    >>> shown.response.shape
    (50, 50)
    """
    if not callable(getattr(model, "predict", None)):
        raise wrong_type("model", "a fitted classifier", model)
    rows = as_rows(X)
    if rows.shape[1] != 2:
        raise ValueError(
            f"X must have 2 columns, the axes of the picture; got {rows.shape[1]}. Fit the model "
            "to two columns and pass those."
        )
    shown_labels, shown_codes = as_labels(y, len(rows))
    resolution = as_count(resolution, "resolution", 2, MAX_REPEATS)
    refuse_large(24 * resolution**2, f"A picture of resolution={resolution}", "Lower it.")
    margin = as_real(margin, "margin", 0.0)
    point_size = as_real(point_size, "point_size", 0.0)
    across, down = (side(rows[:, j], margin, resolution) for j in (0, 1))

    points = rows_like(X, np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2))
    predicted, codes = as_labels(model.predict(points), resolution**2, name="model.predict(X)")
    labels = np.union1d(np.union1d(shown_labels, predicted), getattr(model, "classes_", predicted))
    palette = chosen_colors(colors, len(labels))
    region = np.searchsorted(labels, predicted)[codes].reshape(resolution, resolution)
    fields = list(boundaries(model, points, labels, region))

    def draw(shown: Display, ax: Any) -> None:
        paint(ax, across, down, region, palette)
        for field in fields:
            ax.contour(across, down, field, levels=[0.0], colors="0.25", linewidths=1.0, zorder=2)
        for code, label in enumerate(shown_labels):
            members = rows[shown_codes == code]
            color = palette[np.searchsorted(labels, label)]
            if point_size:
                shape = {
                    "s": point_size,
                    "color": [color],
                    "edgecolors": "white",
                    "linewidths": 0.5,
                }
                shape |= {"label": legend_text(label), "zorder": 3, **style}
                ax.scatter(members[:, 0], members[:, 1], **shape)
        ax.set_xlim(across[0], across[-1])
        ax.set_ylim(down[0], down[-1])
        names = getattr(model, "feature_names_in_", ["feature 0", "feature 1"])
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])

    return Display(draw, across=across, up=down, response=labels[region]).plot(ax=ax)


def side(values: np.ndarray, margin: float, resolution: int) -> np.ndarray:
    """The coordinates asked along one side."""
    low, high = float(values.min()), float(values.max())
    beyond = margin * (high - low) or 0.5  # A column with a single value gets a width too.
    return np.linspace(low - beyond, high + beyond, resolution)


def legend_text(label: float | str) -> str:
    """A label as a legend shows it: matplotlib leaves out those that are empty or begin with _."""
    text = str(label)
    return repr(label) if not text or text.startswith("_") else text


def chosen_colors(colors: Any, count: int) -> np.ndarray:
    """Red, green and blue of each class, (count, 3)."""
    from matplotlib.colors import to_rgb

    if colors is None:
        colors = [COLORS[i % len(COLORS)] for i in range(count)]
    if not isinstance(colors, Sequence | np.ndarray) or getattr(colors, "ndim", 1) == 0:
        raise wrong_type("colors", "a list of colors", colors)
    if len(colors) < count:
        raise ValueError(f"colors must hold one for each of {count} classes; got {len(colors)}.")
    return np.array([to_rgb(color) for color in colors[:count]])


def paint(ax: Any, across: Array, down: Array, region: Array, palette: Array) -> None:
    """Fill the regions with light colors."""
    half = [0.5 * (line[1] - line[0]) for line in (across, down)]
    ends = (across[0] - half[0], across[-1] + half[0], down[0] - half[1], down[-1] + half[1])
    tints = 1.0 - TINT * (1.0 - palette)
    ax.imshow(
        tints[region], extent=ends, origin="lower", aspect="auto", interpolation="nearest", zorder=0
    )


def boundaries(model: Any, points: Array, labels: Array, region: Array) -> Iterator[Any]:
    """Fields over the plane whose zero lines are the boundaries of the regions."""
    if len(labels) == 2 and hasattr(model, "predict_proba"):
        second = np.asarray(model.predict_proba(points))[:, -1].reshape(region.shape) - 0.5
        # Where shares are tied, as with an even number of neighbors, the line follows `predict`.
        yield np.where(region == 1, np.maximum(second, TIE_MARGIN), np.minimum(second, -TIE_MARGIN))
        return
    for code in range(len(labels)):
        inside = region == code
        if inside.any() and not inside.all():
            yield inside - 0.5
