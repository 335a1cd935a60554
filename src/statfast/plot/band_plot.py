# SPDX-License-Identifier: BSD-3-Clause
"""A regression along one of its columns, with intervals of the mean and of new observations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import as_count, as_rows, as_vector, wrong_type
from statfast.plot.regions import COLORS

POINTS = 200  # at which the model is asked


def prediction_bands(
    model: Any,
    X: Rows,
    y: ArrayLike,
    *,
    feature: int = 0,
    intervals: Sequence[Any] = ("confidence", "prediction"),
    level: float = 0.95,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw predictions along one feature with their intervals, and the samples.

    Parameters
    ----------
    model : fitted regressor
        Whose ``predict`` has intervals: `LinearRegression` or `GeneralizedLinearModel`.
    X : array-like of shape (n, d)
        Its samples.
    y : array-like of shape (n,)
        Their targets.
    feature : int, default=0
        The column; others stay at their means.
    intervals : sequence of {"confidence", "prediction"}, default=("confidence", "prediction")
        Of the mean, and of new observations.
    level : float, default=0.95
        Of the intervals.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``x`` (200,), ``means`` (200,), and ``ends``, a dict of (200, 2) for each interval.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If the model has no intervals.
    ValueError
        If X or y do not fit the model, or a parameter is out of its range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import prediction_bands
    >>> X = load_iris().data
    >>> model = LinearRegression().fit(X[:, 2:3], X[:, 3])
    >>> shown = prediction_bands(model, X[:, 2:3], X[:, 3], ax=Figure().subplots())
    >>> sorted(shown.ends)
    ['confidence', 'prediction']
    """
    if not hasattr(model, "conf_int") or not hasattr(model, "predict"):
        raise wrong_type("model", "a LinearRegression or GeneralizedLinearModel", model)
    if not isinstance(intervals, tuple | list):
        raise wrong_type("intervals", "a list of 'confidence' and 'prediction'", intervals)
    rows = as_rows(X)
    target = as_vector(y, "y")
    if len(target) != len(rows):
        raise ValueError(f"y must have {len(rows)} targets, as X; got {len(target)}.")
    j = as_count(feature, "feature", 0, rows.shape[1] - 1, limit="the last column")
    x = np.linspace(rows[:, j].min(), rows[:, j].max(), POINTS)
    asked = np.tile(rows.mean(axis=0), (POINTS, 1))
    asked[:, j] = x
    asked = rows_like(X, asked)
    ends = {kind: model.predict(asked, interval=kind, level=level)[1] for kind in intervals}
    means = model.predict(asked)
    name = getattr(model, "feature_names_in_", [f"feature {k}" for k in range(rows.shape[1])])[j]

    def draw(shown, ax):
        ax.plot(rows[:, j], target, "o", markersize=4, color="0.45", alpha=0.6, markeredgewidth=0)
        for kind, band in ends.items():
            wide = kind == "prediction"
            ax.fill_between(
                x, band[:, 0], band[:, 1], color=COLORS[0], alpha=0.12 if wide else 0.3,
                linewidth=0, label=f"{100 * level:g} % {kind}", zorder=1,
            )  # fmt: skip
        ax.plot(x, means, **{"color": COLORS[0], "label": "mean", **style})
        ax.set(xlabel=name, ylabel="target")
        ax.legend(frameon=False, fontsize="small")

    return Display(draw, x=x, means=means, ends=ends).plot(ax=ax)
