# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of Shapley values: of all rows, of one, and of one column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from statfast._estimator import Display, shortened
from statfast._typing import Array, Axes
from statfast._validation import as_count, wrong_type
from statfast.inspection import ShapExplanation
from statfast.plot.colors import COLORS, gray

LOW_TO_HIGH = ["#2a7fd1", "#8a5bb5", "#d6405f"]  # to be seen on white and on black
BINS = 120  # of a swarm, along its axis
MIN_POINTS_FOR_PIXELS = 2000  # from here on points are small, and pixels in vector graphics


def shap_beeswarm(
    explanation: ShapExplanation,
    *,
    output: int | str | None = None,
    most: int = 10,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the Shapley values of all rows, column by column, colored by the values of the data.

    Parameters
    ----------
    explanation : statfast.inspection.ShapExplanation
        Of several rows.
    output : int or str, optional
        Which class or output; None is the last.
    most : int, default=10
        Columns drawn, those of the largest mean size.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `names`, `values` of shape (n, m) and `data` of the columns drawn, the largest first.
        Colors go from the least to the largest value between the 5 % quantiles; missing values and
        words are unknown.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the explanation is none.
    ValueError
        If it is of one row, or has no such output.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RandomForestRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> from statfast.plot import shap_beeswarm
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> model = RandomForestRegressor(random_state=0).fit(X, width)
    >>> explanation = shap_values(model, X[::3])
    >>> shap_beeswarm(explanation, most=2, ax=Figure().subplots()).values.shape
    (50, 2)
    """
    part = _of_rows(explanation, output)
    order = _largest(part, most)

    def draw(display: Display, ax: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colors = LinearSegmentedColormap.from_list("low to high", LOW_TO_HIGH)
        few = len(display.values) < MIN_POINTS_FOR_PIXELS
        look = {"s": 14 if few else 4, "linewidths": 0, "rasterized": not few, **style}
        ax.axvline(0.0, color=gray(ax, 0.5), linewidth=0.8, zorder=0)
        for place, (x, data) in enumerate(zip(display.values.T, display.data.T, strict=True)):
            shade = _shades(data)
            heights = place + 0.42 * _swarm(x)
            unknown = np.isnan(shade)
            ax.scatter(x[unknown], heights[unknown], **{"color": gray(ax, 0.6), **look})
            shown = {"c": shade[~unknown], "cmap": colors, "vmin": 0.0, "vmax": 1.0, **look}
            ax.scatter(x[~unknown], heights[~unknown], **shown)
        _name_rows(ax, [shortened(name) for name in display.names])
        ax.set_xlabel(_label(part))
        _show_colors(ax, colors, "value of the column")

    return Display(
        draw,
        names=[part.feature_names[j] for j in order],
        values=part.values[:, order],
        data=np.asarray(part.data)[:, order],
    ).plot(ax=ax)


def shap_bar(
    explanation: ShapExplanation,
    *,
    output: int | str | None = None,
    most: int = 10,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the mean sizes of the Shapley values of each column.

    Parameters
    ----------
    explanation : statfast.inspection.ShapExplanation
        Of one row or more.
    output : int or str, optional
        Which class or output; None draws all, one after the other.
    most : int, default=10
        Columns drawn, those of the largest mean size.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the bars.

    Returns
    -------
    statfast.plot.Display
        With `names`, and `sizes` of shape (m, outputs) of the columns drawn, the largest first.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the explanation is none.
    ValueError
        If it has no such output.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RandomForestRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> from statfast.plot import shap_bar
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> model = RandomForestRegressor(random_state=0).fit(X, width)
    >>> explanation = shap_values(model, X[::3])
    >>> shap_bar(explanation, ax=Figure().subplots()).names[0]
    'x2'
    """
    _require(explanation)
    outputs = explanation.output_names
    if output is not None or not isinstance(outputs, list):
        parts = [_of_output(explanation, output)]
    else:
        parts = [_of_output(explanation, k) for k in range(len(outputs))]
    sizes = np.column_stack([np.abs(_by_row(part)).mean(axis=0) for part in parts])
    order = np.argsort(-sizes.sum(axis=1), kind="stable")[: as_count(most, "most")]

    def draw(display: Display, ax: Any) -> None:
        at, begin = np.arange(len(display.names)), np.zeros(len(display.names))
        for k, size in enumerate(display.sizes.T):
            name = {"label": str(outputs[k])} if len(parts) > 1 else {}
            ax.barh(at, size, left=begin, **{"color": COLORS[k % len(COLORS)], **name, **style})
            begin = begin + size
        _name_rows(ax, [shortened(name) for name in display.names])
        if len(parts) > 1:
            ax.legend(loc="lower right")
        ax.set_xlabel("mean |SHAP value|" if len(parts) > 1 else f"mean |{_label(parts[0])}|")

    names = [explanation.feature_names[j] for j in order]
    return Display(draw, names=names, sizes=sizes[order]).plot(ax=ax)


def shap_waterfall(
    explanation: ShapExplanation,
    row: int = 0,
    *,
    output: int | str | None = None,
    most: int = 10,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw how the Shapley values of a row lead from the mean answer to that for the row.

    Parameters
    ----------
    explanation : statfast.inspection.ShapExplanation
        Of one row or more.
    row : int, default=0
        Which row.
    output : int or str, optional
        Which class or output; None is the last.
    most : int, default=10
        Bars drawn; the smallest values are one bar together.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the bars.

    Returns
    -------
    statfast.plot.Display
        With `names`, `values` and `ends`, where bars end, from the top; and `base` and `answer`.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the explanation is none.
    ValueError
        If it has no such row or output.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RandomForestRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> from statfast.plot import shap_waterfall
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> model = RandomForestRegressor(random_state=0).fit(X, width)
    >>> explanation = shap_values(model, X[:5])
    >>> shown = shap_waterfall(explanation, 2, ax=Figure().subplots())
    >>> round(float(shown.answer), 2), model.predict(X[2:3]).round(2)
    (0.2, array([0.2]))
    """
    part = _of_output(explanation, output)
    values, data, base = _by_row(part), np.atleast_2d(part.data), np.atleast_1d(part.base_values)
    number = as_count(row, "row", low=0, high=len(values) - 1, limit="the last row")
    values, data, base = values[number], data[number], float(base[number])
    bars = as_count(most, "most")
    order = np.argsort(-np.abs(values), kind="stable")
    names = [f"{shortened(part.feature_names[j])} = {_shown(data[j])}" for j in order]
    sizes = values[order]
    if len(order) > bars:
        names = [*names[: bars - 1], f"{len(order) - bars + 1} other columns"]
        sizes = np.append(sizes[: bars - 1], sizes[bars - 1 :].sum())
    ends = base + np.cumsum(sizes[::-1])[::-1]

    def draw(display: Display, ax: Any) -> None:
        at = np.arange(len(display.values))
        colors = [LOW_TO_HIGH[2] if v > 0 else LOW_TO_HIGH[0] for v in display.values]
        begin = display.ends - display.values
        ax.barh(at, display.values, left=begin, **{"color": colors, "height": 0.7, **style})
        span = max(np.ptp([*begin, *display.ends]), 1e-300)
        for place, (start, value) in enumerate(zip(begin, display.values, strict=True)):
            right = max(start, start + value)
            ax.text(right + 0.01 * span, place, f"{value:+.3g}", va="center", fontsize="small")
        for place in at[:-1]:
            line = [begin[place]] * 2, [place - 0.35, place + 1.35]
            ax.plot(*line, color=gray(ax, 0.5), linewidth=0.8)
        ax.axvline(display.base, color=gray(ax, 0.5), linewidth=0.8, linestyle=":")
        ax.axvline(display.answer, color=gray(ax, 0.5), linewidth=0.8, linestyle="--")
        ax.margins(x=0.12)
        _name_rows(ax, display.names)
        ax.set_xlabel(f"from {display.base:.4g} (mean) to {display.answer:.4g} (this row)")

    answer = float(base + values.sum())
    return Display(draw, names=names, values=sizes, ends=ends, base=base, answer=answer).plot(ax=ax)


def shap_dependence(
    explanation: ShapExplanation,
    feature: int | str = 0,
    *,
    color: int | str | None = None,
    output: int | str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the Shapley values of a column over its values.

    Parameters
    ----------
    explanation : statfast.inspection.ShapExplanation
        Of several rows.
    feature : int or str, default=0
        The column, by number or name.
    color : int or str, optional
        Another column, whose values color the points.
    output : int or str, optional
        Which class or output; None is the last.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `data` and `values` of the column, missing values left out, and `shades`, between 0 and
        1, or None.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the explanation is none.
    ValueError
        If it is of one row, or has no such column or output.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RandomForestRegressor
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> from statfast.plot import shap_dependence
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> model = RandomForestRegressor(random_state=0).fit(X, width)
    >>> explanation = shap_values(model, X[::3])
    >>> shap_dependence(explanation, "x2", color="x0", ax=Figure().subplots()).values.shape
    (50,)
    """
    part = _of_rows(explanation, output)
    j = _column(part, feature, "feature")
    data, values = np.asarray(part.data)[:, j], part.values[:, j]
    known = np.array([not _is_missing(x) for x in data.tolist()], bool)
    data, values = data[known], values[known]
    shades, color_name = None, ""
    if color is not None:
        other = _column(part, color, "color")
        shades = _shades(np.asarray(part.data)[known, other])
        color_name = shortened(part.feature_names[other])

    def draw(display: Display, ax: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        few = len(display.values) < MIN_POINTS_FOR_PIXELS
        look = {"s": 14 if few else 4, "linewidths": 0, "rasterized": not few, **style}
        x, y = display.data, display.values
        if x.dtype.kind not in "fiub":
            words, x = np.unique(x.astype(str), return_inverse=True)
            ax.set_xticks(range(len(words)), [shortened(word) for word in words])
        ax.axhline(0.0, color=gray(ax, 0.5), linewidth=0.8, zorder=0)
        if display.shades is None:
            ax.scatter(x, y, **{"color": COLORS[0], **look})
        else:
            colors = LinearSegmentedColormap.from_list("low to high", LOW_TO_HIGH)
            unknown = np.isnan(display.shades)
            ax.scatter(x[unknown], y[unknown], **{"color": gray(ax, 0.6), **look})
            shown = {
                "c": display.shades[~unknown],
                "cmap": colors,
                "vmin": 0.0,
                "vmax": 1.0,
                **look,
            }
            ax.scatter(x[~unknown], y[~unknown], **shown)
            _show_colors(ax, colors, color_name)
        ax.set_xlabel(part.feature_names[j])
        ax.set_ylabel(_label(part))

    return Display(draw, data=data, values=values, shades=shades).plot(ax=ax)


# ---------------------------------------------------------------- parts
def _require(explanation: Any) -> None:
    if not isinstance(explanation, ShapExplanation):
        raise wrong_type("explanation", "what shap_values returns", explanation)


def _of_output(explanation: Any, output: int | str | None) -> ShapExplanation:
    """The values of one output, interactions summed."""
    _require(explanation)
    names = explanation.output_names
    several = isinstance(names, list)
    number = output
    if isinstance(output, str):
        known = names if several else [names]
        number = known.index(output) if output in known else -1
    count = len(names) if several else 1
    number = count - 1 if number is None else number
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
        raise ValueError(
            f"output must be from 0 to {count - 1}, or one of {names}; got {output!r}. Choose one."
        )
    return explanation[..., number] if several else explanation


def _by_row(part: ShapExplanation) -> Array:
    """Values (n, p) of columns."""
    values = part.values if np.ndim(part.data) == 2 else part.values[None]
    return values.sum(axis=2) if part.has_interactions else values


def _of_rows(explanation: Any, output: int | str | None) -> ShapExplanation:
    """The values of one output for several rows, (n, p)."""
    part = _of_output(explanation, output)
    if np.ndim(part.data) != 2:
        raise ValueError(
            f"explanation must be of several rows; got values of shape {part.shape}. Draw "
            "shap_waterfall, or pass several."
        )
    return replace(part, values=_by_row(part))


def _largest(part: ShapExplanation, most: int) -> Array:
    """The columns of the largest mean sizes."""
    sizes = np.abs(part.values).mean(axis=0)
    return np.argsort(-sizes, kind="stable")[: as_count(most, "most")]


def _column(part: ShapExplanation, feature: Any, argument: str) -> int:
    names = part.feature_names
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if isinstance(feature, bool) or not isinstance(feature, int | np.integer):
        raise ValueError(f"{argument} must be a column of the explanation; got {feature!r}.")
    return as_count(feature, argument, low=0, high=len(names) - 1, limit="the last column")


# ---------------------------------------------------------------- drawing
def _swarm(x: Array) -> Array:
    """Heights between -1 and 1 at which points that are close do not hide each other."""
    span = np.ptp(x) if len(x) else 0.0
    bins = np.zeros(len(x), np.intp)
    if span > 0:
        bins = np.minimum(((x - x.min()) / span * BINS).astype(np.intp), BINS - 1)
    order = np.argsort(bins, kind="stable")
    counts = np.bincount(bins, minlength=1)
    rank = np.arange(len(x)) - np.repeat(np.cumsum(counts) - counts, counts)
    heights = np.empty(len(x))
    heights[order] = (rank + 1) // 2 * np.where(rank % 2, 1.0, -1.0)
    return heights / max(counts.max() / 2.0, 8.0)


def _shades(data: Array) -> Array:
    """Numbers between 0 and 1 for values; NaN for missing ones and words."""
    if data.dtype.kind not in "fiub":
        try:
            data = np.array([np.nan if _is_missing(x) else float(x) for x in data.tolist()])
        except ValueError:
            return np.full(len(data), np.nan)
    data = data.astype(np.float64)
    known = data[~np.isnan(data)]
    if not len(known):
        return data
    low, high = np.quantile(known, [0.05, 0.95])
    if low == high:
        low, high = known.min(), known.max()
    return np.clip((data - low) / (high - low), 0.0, 1.0) if high > low else data * 0.0 + 0.5


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _show_colors(ax: Any, colors: Any, label: str) -> None:
    from matplotlib.cm import ScalarMappable

    bar = ax.figure.colorbar(ScalarMappable(cmap=colors), ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.set_label(label, labelpad=-8)
    bar.outline.set_visible(False)


def _name_rows(ax: Any, names: list[str]) -> None:
    ax.set_yticks(np.arange(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)


def _shown(value: Any) -> str:
    if isinstance(value, float | np.floating | int | np.integer) and not isinstance(value, bool):
        return f"{value:.4g}"
    return shortened(value)


def _label(part: ShapExplanation) -> str:
    name = part.output_names
    return "SHAP value" if name is None else f"SHAP value for {shortened(name)}"
