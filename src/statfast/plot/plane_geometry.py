# SPDX-License-Identifier: BSD-3-Clause
"""Geometry of points in the plane: their projection on a line, and the neighbors of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    as_count,
    as_flag,
    as_labels,
    as_real,
    as_rows,
    as_vector,
    not_fitted,
    unusable_model,
    wrong_type,
)
from statfast.plot.colors import chosen_colors, gray, scatter_classes
from statfast.plot.regions import (
    equal_bins,
    legend_text,
    names_of_columns,
    room_beside,
)

MAX_RATIO = 6.0  # The most that one side of axes of equal scale may be longer than the other.
STRIP_SHARE = 0.24  # The share of the height that the strip of the projections takes.
STRIP_BINS = 24
OUTLINE_POINTS = 361
NORMS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0,
         "l1": 1.0, "chebyshev": np.inf, "infinity": np.inf}  # fmt: skip


def projection(
    X: Rows,
    y: ArrayLike | None,
    direction: Any,
    *,
    component: int = 0,
    feet: bool = True,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    point_size: float = 18.0,
    **style: Any,
) -> Display:
    """Draw points of the plane, their feet on a line, and a strip with the projections.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Points.
    y : array-like of shape (n,) or None
        Their classes, shown by color.
    direction : array-like of shape (2,), or fitted model
        Of the line, not zero; or a model of two columns with ``scalings_`` (Fisher's direction of
        `LinearDiscriminantAnalysis`), ``components_`` (`PCA`) or ``coef_`` (of a linear classifier
        the direction across its boundary).
    component : int, default=0
        Which direction of a model that has several.
    feet : bool, default=True
        Whether to draw lines from the points to their feet.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order; None takes a palette of seven that repeats.
    point_size : float, default=18.0
        Area of the points in square typographic points.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``direction`` (2,), of length 1 and to the right, ``center`` (2,), the mean of the
        points, ``scores`` (n,), the coordinates along the line from the center, and ``feet``
        (n, 2). The strip at the top has the histograms of the scores, and their means.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If a model is not fitted.
    TypeError
        If `direction` is neither numbers nor a model with a direction.
    ValueError
        If X does not have two columns, the direction is zero or not of two numbers, there is no
        such component, or a parameter is out of its range.

    Notes
    -----
    Both axes have the same scale, so that lines to the feet stand at right angles, unless one
    column has more than six times the range of the other.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import projection
    >>> X = [[0.0, 0.0], [2.0, 0.0], [2.0, 4.0]]
    >>> shown = projection(X, [0, 0, 1], [1.0, 1.0], ax=Figure().subplots())
    >>> shown.feet[2].round(6)  # of the point (2, 4), on the line through the mean (4/3, 4/3)
    array([3., 3.])
    """
    rows = _plane(X)
    with_feet = as_flag(feet, "feet")
    point_size = as_real(point_size, "point_size", 0.0)
    labels, codes = (np.array([""]), np.zeros(len(rows), np.intp))
    if y is not None:
        labels, codes = as_labels(y, len(rows))
    palette = chosen_colors(colors, len(labels))
    unit = _direction(direction, component)
    center = rows.mean(axis=0)
    scores = (rows - center) @ unit
    places = center + scores[:, None] * unit
    names = names_of_columns(direction, X, 2)

    def draw(shown: Display, ax: Any) -> None:
        low, high = np.min([rows, places], axis=(0, 1)), np.max([rows, places], axis=(0, 1))
        reach = 1.05 * np.abs(scores).max() * np.array([[-1.0], [1.0]])
        ax.plot(*(center + reach * unit).T, color=gray(ax, 0.2), linewidth=1.2, zorder=1)
        for code in range(len(labels)):
            members = codes == code
            color = palette[code] if y is not None else np.array([0.35, 0.35, 0.35])
            if with_feet:
                lines = np.stack([rows[members], places[members]], axis=1)
                _segments(ax, lines, color=[*color, 0.35], linewidth=0.7, zorder=1)
            ax.scatter(*places[members].T, marker="|", s=30.0, color=[color], zorder=2)
        dots = {"s": point_size, "edgecolors": gray(ax, 1.0), "linewidths": 0.5, "zorder": 3}
        named = [legend_text(label) if y is not None else "_points" for label in labels]
        shades = palette if y is not None else np.full((len(labels), 3), 0.35)
        scatter_classes(ax, rows, codes, shades, named, dots | style)
        margin = np.array([room_beside(*ends) for ends in zip(low, high, strict=True)])
        _frame(ax, low - margin, high + margin, top=STRIP_SHARE)
        _draw_strip(ax, scores, codes, palette if y is not None else np.full((1, 3), 0.35))
        ticks = ax.get_yticks()  # None beside the strip.
        ax.set_yticks(ticks[(ticks >= low[1] - margin[1]) & (ticks <= high[1] + margin[1])])
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])
        if y is not None:
            ax.legend(frameon=True, framealpha=0.8, fontsize="small", loc="lower right")

    return Display(draw, direction=unit, center=center, scores=scores, feet=places).plot(ax=ax)


def _plane(X: Any, name: str = "X") -> Array:
    rows = as_rows(X, name=name).astype(np.float64)
    if rows.shape[1] != 2:
        raise ValueError(
            f"{name} must have 2 columns, the axes of the picture; got {rows.shape[1]}. Choose two."
        )
    return rows


def _direction(direction: Any, component: Any) -> Array:
    """The direction as a vector of length 1 to the right."""
    sources = (("scalings_", 1), ("components_", 0), ("coef_", 0))
    table = next(
        ((getattr(direction, a), axis) for a, axis in sources if hasattr(direction, a)), None
    )
    if table is not None and not isinstance(direction, type):
        vectors = np.atleast_2d(np.asarray(table[0], dtype=np.float64))
        vectors = vectors.T if table[1] else vectors
        most = len(vectors) - 1
        vector = vectors[as_count(component, "component", 0, most, limit="the last direction")]
    elif hasattr(direction, "fit"):
        raise unusable_model(direction, "numbers or a model with components_", "direction")
    else:
        vector = as_vector(direction, "direction")
    if vector.shape != (2,):
        raise ValueError(f"direction must have 2 numbers, as X has columns; got {len(vector)}.")
    size = np.abs(vector).max()
    if not 0.0 < size < np.inf:
        raise ValueError("direction must not be zero. Give the direction of a line.")
    vector = vector / size
    unit = vector / np.sqrt(vector @ vector)
    return -unit if unit[0] < 0.0 or (unit[0] == 0.0 and unit[1] < 0.0) else unit + 0.0


def _segments(ax: Any, lines: Array, **style: Any) -> None:
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(list(lines), **style), autolim=False)


def _frame(ax: Any, low: Array, high: Array, top: float = 0.0) -> None:
    """Limits of the axes, with room above, and equal scales where these are usable."""
    height = (high[1] - low[1]) / (1.0 - top)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], low[1] + height)
    ratio = height / (high[0] - low[0])
    ax.set_aspect("equal" if 1.0 / MAX_RATIO < ratio < MAX_RATIO else "auto", adjustable="box")


def _draw_strip(ax: Any, scores: Array, codes: Array, palette: Array) -> None:
    """Histograms of the projections, in the room at the top of the axes."""
    inset = ax.inset_axes([0.0, 1.0 - 0.9 * STRIP_SHARE, 1.0, 0.9 * STRIP_SHARE])
    inset.set_gid("strip")
    edges = equal_bins(scores, STRIP_BINS)
    for code, color in enumerate(palette):
        members = scores[codes == code]
        if len(members):
            counts = np.histogram(members, edges)[0]
            inset.stairs(counts, edges, fill=True, color=color, alpha=0.35)
            inset.axvline(members.mean(), color=color, linewidth=1.4)
    inset.set_ylim(0.0, 1.5 * inset.get_ylim()[1])  # The words stand above the bars.
    inset.set_xticks([])
    inset.set_yticks([])
    inset.text(0.01, 0.94, "along the line", transform=inset.transAxes, va="top", fontsize="small")


def nearest(
    model: Any,
    X: Rows,
    y: ArrayLike | None,
    query: ArrayLike,
    *,
    n_neighbors: int | None = None,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    point_size: float = 18.0,
    **style: Any,
) -> Display:
    """Draw queries in the plane, their nearest neighbors, and the balls that hold these.

    Parameters
    ----------
    model : nearest-neighbor model
        Fitted to two columns, with ``kneighbors``: `KNeighborsClassifier`, `KNeighborsRegressor` or
        `NearestNeighbors`. A classifier's query has the color of its prediction.
    X : array-like of shape (n, 2)
        The rows that the model was fitted to.
    y : array-like of shape (n,) or None
        Their classes, or the targets of a regressor, shown by color.
    query : array-like of shape (2,) or (m, 2)
        Points whose neighbors are looked for.
    n_neighbors : int, optional
        How many; None takes those of the model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order; None takes a palette of seven that repeats.
    point_size : float, default=18.0
        Area of the points in square typographic points.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``indices`` and ``distances`` (m, k), ``radii`` (m,), the distance of the last
        neighbor, ``predictions`` (m,), or None, and ``outlines``, of the balls with these radii:
        circles, diamonds or squares by the metric, none of metrics that are not norms.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model has no ``kneighbors``.
    ValueError
        If X or query does not have two columns, X is not as many rows as the model was fitted to, y
        is not one for each, or `n_neighbors` is out of range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KNeighborsClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import nearest
    >>> iris = load_iris()
    >>> X, y = iris.data[:, 2:], iris.target
    >>> model = KNeighborsClassifier(3).fit(X, y)
    >>> shown = nearest(model, X, y, [4.9, 1.65], ax=Figure().subplots())
    >>> shown.radii.round(3), shown.predictions
    (array([0.15]), array([1]))
    """
    if not callable(getattr(model, "kneighbors", None)) or isinstance(model, type):
        raise wrong_type("model", "a fitted nearest-neighbor model", model)
    if not hasattr(model, "n_samples_fit_"):
        raise not_fitted(model)
    rows, asked = _plane(X), np.asarray(query, dtype=object)
    points = _plane([query] if asked.ndim == 1 else query, "query")
    if len(rows) != model.n_samples_fit_:
        raise ValueError(
            f"X must be the {model.n_samples_fit_} rows that the model was fitted to; got "
            f"{len(rows)}. Pass those."
        )
    point_size = as_real(point_size, "point_size", 0.0)
    distances, indices = model.kneighbors(rows_like(X, points), n_neighbors)
    predictions = None
    if hasattr(model, "predict") and n_neighbors in (None, model.n_neighbors):
        predictions = np.asarray(model.predict(rows_like(X, points)))
    shades, labels = _shades(model, y, len(rows), predictions, colors)
    unit = _unit_outline(model)
    outlines = (
        []
        if unit is None
        else [q + r * unit for q, r in zip(points, distances[:, -1], strict=True)]
    )
    names = names_of_columns(model, X, 2)

    def draw(shown: Display, ax: Any) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        row_shades, query_shades = shades
        shape = {"s": point_size, "edgecolors": gray(ax, 1.0), "linewidths": 0.5}
        shape |= {"zorder": 3, **style}
        ax.scatter(*rows.T, **{"c": row_shades, **shape})
        for label, color in labels:
            ax.scatter([], [], **shape | {"color": [color], "label": label})
        for q, ids in zip(points, indices, strict=True):
            lines = np.stack([np.broadcast_to(q, (len(ids), 2)), rows[ids]], axis=1)
            _segments(ax, lines, color=gray(ax, 0.45), linewidth=0.8, zorder=2)
        chosen = rows[np.unique(indices)]
        ring = {"facecolors": "none", "edgecolors": gray(ax, 0.15), "linewidths": 1.0, "zorder": 4}
        ax.scatter(*chosen.T, s=3.2 * point_size, **ring)
        for outline in outlines:
            ax.plot(*outline.T, color=gray(ax, 0.15), linewidth=1.2, zorder=2)
        star = {"marker": "*", "s": 7.0 * point_size, "linewidths": 0.9}
        star |= {"edgecolors": gray(ax, 0.1)}
        ax.scatter(*points.T, c=query_shades, label="query", zorder=5, **star)
        shown_points = np.concatenate([rows, points, *outlines])
        low, high = shown_points.min(axis=0), shown_points.max(axis=0)
        margin = np.array([room_beside(*ends) for ends in zip(low, high, strict=True)])
        _frame(ax, low - margin, high + margin)
        ax.set_xlabel(names[0])
        ax.set_ylabel(names[1])
        ax.legend(frameon=True, framealpha=0.8, fontsize="small")
        if y is not None and not labels:
            key = ScalarMappable(Normalize(np.min(y), np.max(y)), "viridis")
            ax.figure.colorbar(key, ax=ax, label="target", fraction=0.04, pad=0.02)

    return Display(
        draw, indices=indices, distances=distances, radii=distances[:, -1],
        predictions=predictions, outlines=outlines,
    ).plot(ax=ax)  # fmt: skip


def _shades(model: Any, y: Any, n: int, predictions: Any, colors: Any) -> Any:
    """Colors of the rows and of the queries, and the classes with theirs."""
    plain = np.array([[0.45, 0.45, 0.45]])
    if y is None:
        return (plain, np.ones((1, 3))), []
    if hasattr(model, "predict") and not hasattr(model, "classes_"):
        from matplotlib import colormaps

        targets = as_vector(y, "y")
        if len(targets) != n:
            raise ValueError(f"y must have {n} targets, as X; got {len(targets)}.")
        low, width = targets.min(), np.ptp(targets) or 1.0
        shades = colormaps["viridis"]((targets - low) / width)
        if predictions is None or predictions.ndim > 1:
            return (shades, np.ones((1, 3))), []
        return (shades, colormaps["viridis"]((predictions - low) / width)), []
    labels, codes = as_labels(y, n)
    palette = chosen_colors(colors, len(labels))
    named = [(legend_text(label), color) for label, color in zip(labels, palette, strict=True)]
    if predictions is None or not np.isin(predictions, labels).all():
        return (palette[codes], np.ones((1, 3))), named
    return (palette[codes], palette[np.searchsorted(labels, predictions)]), named


def _unit_outline(model: Any) -> Array | None:
    """The points at distance 1 from zero; None where the metric is not a norm."""
    metric = getattr(model, "metric", "minkowski")
    params = getattr(model, "metric_params", None) or {}
    turn = np.linspace(0.0, 2.0 * np.pi, OUTLINE_POINTS)
    around = np.column_stack([np.cos(turn), np.sin(turn)])
    if metric == "mahalanobis" and "V" in params:
        values, vectors = np.linalg.eigh(np.asarray(params["V"], dtype=np.float64))
        return (around * np.sqrt(values)) @ vectors.T
    if not isinstance(metric, str) or (metric not in NORMS and metric != "minkowski"):
        return None
    if metric == "minkowski" and params.get("w") is not None:
        return None
    p = NORMS.get(metric, params.get("p", getattr(model, "p", 2)))
    corner = np.abs(around).max(axis=1, keepdims=True)
    size = (
        corner
        if p == np.inf
        else corner * ((np.abs(around) / corner) ** p).sum(axis=1, keepdims=True) ** (1.0 / p)
    )
    return around / size
