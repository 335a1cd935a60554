# SPDX-License-Identifier: BSD-3-Clause
"""Colors of classes and curves, grays for light and dark axes, and points of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import wrong_type

# Distinct to color-blind eyes too: the palette of M. Okabe and K. Ito without its black, and three
# colors more, so that ten classes differ.
COLORS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442",
    "#6A51C7", "#8C564B", "#7FBC41",
)  # fmt: skip
MAX_DOTS = 3000  # points; more are drawn smaller, fainter, and in random order
MIN_ALPHA = 0.25


def gray(ax: Any, level: float) -> str:
    """A gray between ink (0) and paper (1): on dark axes, dark and light are exchanged."""
    return f"{level if is_light(ax) else 1.0 - level:g}"


def is_light(ax: Any) -> bool:
    """Whether axes have a light background."""
    return float(paper(ax) @ (0.299, 0.587, 0.114)) >= 0.5


def paper(ax: Any) -> Array:
    """Red, green and blue of the background of axes; of axes that have none, of the figure."""
    from matplotlib.colors import to_rgb, to_rgba

    face = ax.get_facecolor()
    return np.array(to_rgb(face if to_rgba(face)[3] else ax.figure.get_facecolor()))


def class_colors(count: int) -> list[Any]:
    """A color for each class: of the palette or, for more classes than that has, of a rainbow."""
    if count <= len(COLORS):
        return list(COLORS[:count])
    from matplotlib import colormaps

    return [colormaps["turbo"](0.06 + 0.86 * k / (count - 1))[:3] for k in range(count)]


def chosen_colors(colors: Any, count: int) -> np.ndarray:
    """Red, green and blue of each class, (count, 3)."""
    from matplotlib.colors import to_rgb

    if colors is None:
        colors = class_colors(count)
    if not isinstance(colors, Sequence | np.ndarray) or getattr(colors, "ndim", 1) == 0:
        raise wrong_type("colors", "a list of colors", colors)
    if len(colors) < count:
        raise ValueError(f"colors must hold one for each of {count} classes; got {len(colors)}.")
    return np.array([to_rgb(color) for color in colors[:count]])


def scatter_classes(
    ax: Any, points: Array, codes: Array, palette: Any, labels: Sequence[Any], style: dict[str, Any]
) -> None:
    """Points of the plane in the colors of their classes; ``labels`` are those of a legend.

    Of many points, those drawn last would hide the others: all are drawn in random order.
    """
    if len(points) <= MAX_DOTS:
        for code, label in enumerate(labels):
            shape = {"color": [palette[code]], "label": label, **style}
            ax.scatter(*points[codes == code].T, **shape)
        return
    order = np.random.default_rng(0).permutation(len(points))
    colors = {"color": np.asarray(palette)[codes[order]], "edgecolors": "none"}
    ax.scatter(*points[order].T, **{**style, **colors, **smaller(len(points), style)})
    for code, label in enumerate(labels):
        ax.scatter([], [], **{"color": [palette[code]], "label": label, **style})


def smaller(n: int, style: dict[str, Any]) -> dict[str, Any]:
    """Size and opacity of n points, which fall with their number."""
    crowd = max(1.0, n / MAX_DOTS)
    size = max(2.0, float(np.max(style.get("s", 18.0))) / crowd**0.5)
    return {"s": size, "alpha": max(MIN_ALPHA, (style.get("alpha") or 1.0) / crowd**0.3)}


def sizes_of_markers(n: int) -> dict[str, Any]:
    """The same of markers that are drawn by ``plot``."""
    look = smaller(n, {"s": 16.0, "alpha": 0.6})
    return {"markersize": look["s"] ** 0.5, "alpha": look["alpha"]}


def legend_of_classes(ax: Any, count: int, n: int, **style: Any) -> None:
    """A legend that many classes divide into columns; of many points it takes a corner, as the
    search for the best place would take seconds."""
    place = "best" if n <= MAX_DOTS else "upper right"
    columns = 1 + (count - 1) // 10
    ax.legend(**{"loc": place, "ncols": columns, "fontsize": "small", "framealpha": 0.8, **style})
