# SPDX-License-Identifier: BSD-3-Clause
"""Decision regions: which class a classifier gives to each point of a line or of the plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_labels,
    as_real,
    as_rows,
    column_names,
    refuse_large,
    shown,
    wrong_type,
)
from statfast.plot.colors import (
    chosen_colors,
    gray,
    legend_of_classes,
    paper,
    scatter_classes,
)

TINT = 0.22  # The share of the class's color in its region; the rest is the background.
# Shares that are tied are moved from 1/2 by this distance, to the side that `predict` has chosen.
TIE_MARGIN = 1e-9
HALVINGS = 40  # They narrow a step of the grid to the last digits that a picture could show.
DASHES = ((0, (5, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (10, 3)))  # of other models


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
    reference: Any = None,
    legend: bool = True,
    **style: Any,
) -> Display:
    """Draw the decision regions of a fitted classifier, and labeled samples.

    Of two columns regions are areas of the plane; of one, intervals of a line, above which each
    class has a row for its samples.

    Parameters
    ----------
    model : classifier
        Fitted to one or two columns, with ``predict``, of statfast or of any other library. Of two
        classes and columns the boundary is where ``predict_proba``, if there is one, passes 1/2,
        which is smooth where that is.
    X : array-like of shape (n, 2) or (n, 1)
        Rows to show, finite; the picture extends a little beyond them.
    y : array-like of shape (n,)
        Their labels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    resolution : int, default=300
        Points at which the model is asked, along each side: it predicts resolution^2 rows of two
        columns.
    margin : float, default=0.05
        How far the picture extends beyond the rows, as a share of their range.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order of labels; None takes a palette of seven that
        repeats.
    point_size : float, default=18.0
        Area of the points in square typographic points; 0 draws none.
    reference : classifier, or dict of name to classifier, optional
        Others whose boundaries are drawn as broken lines, such as the `BayesClassifier` of the
        densities that the samples were drawn from. ``ax.legend()`` shows their names; without
        one it is "reference".
    legend : bool, default=True
        Whether to name the classes of a plane, and the other models.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``across`` and ``up``, the coordinates asked, and ``response`` (up, across), the label
        at each. Of one column ``up`` is None, ``response`` is (across,), and ``boundaries`` has the
        places where the decision changes.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If X does not have one or two columns or is not finite, if y is not one label for each row,
        if a parameter is out of its range, or if there are fewer colors than classes.

    Notes
    -----
    Regions are those of `predict` at the points asked; what lies between them is interpolated, and
    the boundaries of one column are found by halving the steps between them.
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
    rows, references = _rows_to_show(model, X), named_models(reference)
    shown_labels, shown_codes = as_labels(y, len(rows))
    resolution = as_count(resolution, "resolution", 2, MAX_REPEATS)
    refuse_large(
        24 * resolution ** rows.shape[1], f"A picture of resolution={resolution}", "Lower it."
    )
    margin = as_real(margin, "margin", 0.0)
    style = {"s": as_real(point_size, "point_size", 0.0), **style}
    sides = [side(column, margin, resolution) for column in rows.T]

    points = rows_like(X, np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, len(sides)))
    predicted, codes = as_labels(model.predict(points), len(points), name="model.predict(X)")
    labels = np.union1d(np.union1d(shown_labels, predicted), getattr(model, "classes_", predicted))
    palette = chosen_colors(colors, len(labels))
    region = np.searchsorted(labels, predicted)[codes].reshape([resolution] * len(sides))
    codes = np.searchsorted(labels, shown_labels)[shown_codes]
    names = names_of_columns(model, X, len(sides))
    classes = Classes(labels, palette)
    picture = _intervals if len(sides) == 1 else _areas
    numbers, paint = picture(model, X, sides, region, references, classes)

    def draw(shown: Display, ax: Any) -> None:
        paint(ax)
        for number, name in enumerate(references):  # for the legend
            line = {"linestyle": DASHES[number % len(DASHES)], "linewidth": 1.8}
            ax.plot([], [], label=name, color=gray(ax, 0.0), **line)
        if style["s"]:
            seen, places = np.unique(codes, return_inverse=True)
            up = rows[:, 1] if len(sides) == 2 else codes + spread_within(codes)
            scatter_classes(
                ax, np.column_stack([rows[:, 0], up]), places, palette[seen],
                [legend_text(labels[code]) for code in seen],
                {"edgecolors": gray(ax, 1.0), "linewidths": 0.5, "zorder": 3, **style},
            )  # fmt: skip
        ax.set_xlim(sides[0][0], sides[0][-1])
        ax.set_xlabel(names[0])
        if len(sides) == 2:
            ax.set_ylim(sides[1][0], sides[1][-1])
            ax.set_ylabel(names[1])
        else:
            ax.set_ylim(-0.6, len(labels) - 0.4)
            ax.set_yticks(range(len(labels)), [str(label) for label in labels])
            ax.set_ylabel("class")
        if legend and ax.get_legend_handles_labels()[0] and (len(sides) == 2 or references):
            legend_of_classes(ax, len(labels) + len(references), len(rows))

    return Display(draw, across=sides[0], response=labels[region], **numbers).plot(ax=ax)


class Classes(NamedTuple):
    """The labels of a picture, ascending, and a color of each."""

    labels: Array
    palette: Array


def _rows_to_show(model: Any, X: Any) -> Array:
    """Rows of one or two columns, for a model that predicts."""
    if not callable(getattr(model, "predict", None)):
        raise wrong_type("model", "a fitted classifier", model)
    rows = as_rows(X)
    if rows.shape[1] not in (1, 2):
        raise ValueError(
            f"X must have 2 columns, the axes of the picture, or 1; got {rows.shape[1]}. Fit the "
            "model to two columns and pass those."
        )
    return rows


def named_models(models: Any, name: str = "reference", method: str = "predict") -> dict[str, Any]:
    """Models by their names: of a mapping, or of one model that has the name of the argument."""
    if models is None:
        return {}
    named = models if isinstance(models, Mapping) else {name: models}
    for model in named.values():
        if isinstance(model, type) or not callable(getattr(model, method, None)):
            raise wrong_type(name, f"a fitted model with {method}, or a dict of them", model)
    return {legend_text(key): model for key, model in named.items()}


def _areas(
    model: Any, X: Any, sides: Any, region: Array, references: Any, classes: Classes
) -> tuple[dict[str, Any], Callable[..., None]]:
    """The numbers of regions of the plane, and what paints them."""
    across, down = sides
    points = rows_like(X, np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2))
    fields = list(boundaries(model, points, classes.labels, region))
    others = []
    for other in references.values():
        predicted, codes = as_labels(other.predict(points), len(points), name="reference")
        labels = np.union1d(predicted, getattr(other, "classes_", predicted))
        other_region = np.searchsorted(labels, predicted)[codes].reshape(region.shape)
        others.append(list(boundaries(other, points, labels, other_region, once=True)))

    def draw(ax: Any) -> None:
        paint(ax, across, down, region, classes.palette)
        for field in fields:
            line = {"colors": gray(ax, 0.25), "linewidths": 1.0, "zorder": 2}
            ax.contour(across, down, field, levels=[0.0], **line)
        for number, other in enumerate(others):
            line = {"linestyles": [DASHES[number % len(DASHES)]], "linewidths": 1.8}
            line |= {"colors": gray(ax, 0.0), "zorder": 2.5}
            for field in other:
                ax.contour(across, down, field, levels=[0.0], **line)

    return {"up": down}, draw


def _intervals(
    model: Any, X: Any, sides: Any, region: Array, references: Any, classes: Classes
) -> tuple[dict[str, Any], Callable[..., None]]:
    """The numbers of regions of a line, and what paints them."""
    across = sides[0]

    def boundary_places(classifier: Any) -> Array:
        return switches(
            lambda at: np.asarray(classifier.predict(rows_like(X, at[:, None]))), across
        )

    ends = boundary_places(model)
    others = [boundary_places(other) for other in references.values()]

    def draw(ax: Any) -> None:
        edges = np.concatenate([across[:1], ends, across[-1:]])
        starts = np.concatenate([[0], np.flatnonzero(np.diff(region)) + 1])
        for low, high, code in zip(edges[:-1], edges[1:], region[starts], strict=True):
            tint = paper(ax) + TINT * (classes.palette[code] - paper(ax))
            ax.axvspan(low, high, facecolor=tint, edgecolor="none", zorder=0)
        for at in ends:
            ax.axvline(at, color=gray(ax, 0.25), linewidth=1.0, zorder=2)
        for number, other in enumerate(others):
            for at in other:
                dashes = DASHES[number % len(DASHES)]
                ax.axvline(at, color=gray(ax, 0.0), linestyle=dashes, linewidth=1.8, zorder=2.5)

    return {"up": None, "boundaries": ends}, draw


def switches(decide: Callable[[Array], Array], across: Array) -> Array:
    """Where decisions along a line change: between points asked, to the last digits."""
    decisions = decide(across)
    at = np.flatnonzero(decisions[1:] != decisions[:-1])
    low, high, before = across[at], across[at + 1], decisions[at]
    if not len(at):
        return low
    for _ in range(HALVINGS):
        middle = low + 0.5 * (high - low)
        same = decide(middle) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low + 0.5 * (high - low)


def spread_within(codes: Array) -> Array:
    """`spread` of the rows of each class."""
    offsets = np.empty(len(codes))
    for code in np.unique(codes):
        offsets[codes == code] = spread(int((codes == code).sum()))
    return offsets


def spread(n: int) -> Array:
    """Offsets within a quarter of a row, which keep equal values of a column apart."""
    return ((np.arange(1, n + 1) * 0.6180339887498949) % 1.0 - 0.5) * 0.5


def names_of_columns(model: Any, X: Any, d: int) -> list[str]:
    """What columns are called: as at the fit, as in a data frame, or by their numbers."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = column_names(X)
    return [f"feature {j}" for j in range(d)] if names is None else [str(name) for name in names]


def as_feature(feature: Any, names: list[str]) -> int:
    """The number of a column that is given by its number or by its name."""
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"feature must be one of {shown(names)}; got {feature!r}.")
        return names.index(feature)
    return as_count(feature, "feature", 0, len(names) - 1, limit="the last column")


def side(values: np.ndarray, margin: float, resolution: int) -> np.ndarray:
    """The coordinates asked along one side."""
    low, high = float(values.min()), float(values.max())
    beyond = room_beside(low, high, margin)
    return np.linspace(low - beyond, high + beyond, resolution)


def room_beside(low: float, high: float, margin: float = 0.05) -> float:
    """How far axes reach beyond values; a column with a single value gets a width too."""
    return margin * (high - low) or max(0.5, 1e-6 * abs(low))


def equal_bins(values: Array, bins: int) -> Array:
    """Edges of intervals of equal width that hold the values, also where these are all the same."""
    low, high = float(values.min()), float(values.max())
    edges = np.linspace(low, high, bins + 1)
    if (edges[1:] > edges[:-1]).all():
        return edges
    beyond = room_beside(low, low)
    return np.linspace(low - beyond, high + beyond, bins + 1)


def legend_text(label: float | str) -> str:
    """A label as a legend shows it: matplotlib leaves out those that are empty or begin with _."""
    text = str(label)
    return repr(label) if not text or text.startswith("_") else text


def paint(ax: Any, across: Array, down: Array, region: Array, palette: Array) -> None:
    """Fill the regions with light colors."""
    half = [0.5 * (line[1] - line[0]) for line in (across, down)]
    ends = (across[0] - half[0], across[-1] + half[0], down[0] - half[1], down[-1] + half[1])
    background = paper(ax)
    tints = background + TINT * (palette - background)
    ax.imshow(
        tints[region], extent=ends, origin="lower", aspect="auto", interpolation="nearest", zorder=0
    )


def boundaries(
    model: Any, points: Array, labels: Array, region: Array, *, once: bool = False
) -> Iterator[Any]:
    """Fields over the plane whose zero lines are the boundaries of the regions.

    A line between two of more regions is that of both, but with ``once``, as broken lines need.
    """
    if len(labels) == 2 and hasattr(model, "predict_proba"):
        second = np.asarray(model.predict_proba(points))[:, -1].reshape(region.shape) - 0.5
        # Where shares are tied, as with an even number of neighbors, the line follows `predict`.
        yield np.where(region == 1, np.maximum(second, TIE_MARGIN), np.minimum(second, -TIE_MARGIN))
        return
    for code in range(len(labels)):
        inside = region == code
        if inside.any() and not inside.all():
            yield np.ma.masked_array(inside - 0.5, region < code) if once else inside - 0.5
