# SPDX-License-Identifier: BSD-3-Clause
"""Predictions along one column: means or probabilities, of several models, with their bands."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display, rows_like
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_labels,
    as_real,
    as_rows,
    as_vector,
    shown,
    wrong_type,
)
from statfast.plot.classifier_scores import CURVE_COLORS
from statfast.plot.colors import gray, sizes_of_markers
from statfast.plot.regions import as_feature, named_models, names_of_columns

KINDS = ("confidence", "prediction", "conformal")
SHADES = {"confidence": 0.28, "prediction": 0.12, "conformal": 0.16}  # of the bands


def regression_curve(
    model: Any,
    X: Rows,
    y: ArrayLike,
    *,
    feature: int | str = 0,
    intervals: Sequence[Any] | None = None,
    level: float = 0.95,
    resolution: int = 300,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw predictions along one column, of one model or several, with their intervals.

    Parameters
    ----------
    model : fitted model, or dict of name to model
        Regressors, or classifiers of two classes, whose probability of the second is drawn, or
        their decision where they have no probabilities. Of statfast or of any other library.
    X : array-like of shape (n, d)
        Samples to show.
    y : array-like of shape (n,)
        Their targets or labels. Where classifiers and regressors are drawn together, 0 and 1.
    feature : int or str, default=0
        The column, by its number or its name; others stay at their means.
    intervals : sequence of {"confidence", "prediction", "conformal"}, optional
        Of the mean, and of new observations, by the model's distribution or whatever that is. None
        draws those that the models have: all of a single one, of several not the second kind.
    level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.
    resolution : int, default=300
        Points at which the models are asked.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the lines, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``x`` (m,), ``curves``, a dict of (m,) by the names of the models, and ``ends``, a dict
        by the names of a dict of (m, 2) for each interval. A single model is called by its class.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If a model cannot predict, or intervals are asked for that no model has.
    ValueError
        If X or y do not fit the models, a classifier has not two classes, or a parameter is out of
        its range.

    Notes
    -----
    Intervals are those of ``predict(..., interval=)``, as `LinearRegression`,
    `GeneralizedLinearModel`, `KNeighborsRegressor` and `ConformalRegressor` have them, and of
    ``predict_proba(..., interval=)`` of `LogisticRegression` without a penalty.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KNeighborsRegressor, LinearRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import regression_curve
    >>> data = load_iris().data
    >>> X, y = data[:, 2:3], data[:, 3]
    >>> models = {"line": LinearRegression().fit(X, y), "9-NN": KNeighborsRegressor(9).fit(X, y)}
    >>> shown = regression_curve(models, X, y, ax=Figure().subplots())
    >>> {name: list(ends) for name, ends in shown.ends.items()}
    {'line': ['confidence'], '9-NN': ['conformal']}
    """
    several = isinstance(model, Mapping)
    models = named_models(model if several else {type(model).__name__: model}, "model")
    if not models:
        raise wrong_type("model", "a fitted model, or a dict of one or more", model)
    kinds = _intervals(intervals, several)
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    resolution = as_count(resolution, "resolution", 2, MAX_REPEATS)
    rows = as_rows(X)
    classes = _classes(models)
    target = as_vector(y, "y") if classes is None else _codes(y, len(rows), classes, models)
    if len(target) != len(rows):
        raise ValueError(f"y must have {len(rows)} targets, as X; got {len(target)}.")
    names = names_of_columns(next(iter(models.values())), X, rows.shape[1])
    j = as_feature(feature, names)
    x = np.linspace(rows[:, j].min(), rows[:, j].max(), resolution)
    grid = np.tile(rows.mean(axis=0), (resolution, 1))
    grid[:, j] = x
    grid = rows_like(X, grid)
    curves = {name: _means(one, grid) for name, one in models.items()}
    ends = {name: _ends(one, grid, kinds, level, intervals) for name, one in models.items()}
    if intervals is not None and kinds and not any(ends.values()):
        raise wrong_type("model", "a model with intervals, such as LinearRegression", model)

    def draw(display: Display, ax: Any) -> None:
        _draw_rows(ax, rows[:, j], target, classes)
        for number, (name, heights) in enumerate(curves.items()):
            color = CURVE_COLORS[number % len(CURVE_COLORS)]
            texts = {kind: f"{100 * level:g} % {kind}" for kind in ends[name]}
            for kind, band in ends[name].items():
                shape = {"color": color, "alpha": SHADES[kind], "linewidth": 0, "zorder": 1}
                named = {} if several else {"label": texts[kind]}
                ax.fill_between(x, band[:, 0], band[:, 1], **shape, **named)
            text = ", ".join([name, *texts.values()]) if several else name
            line = {"color": color, "linewidth": 1.8, "zorder": 3, "label": text}
            ax.plot(x, heights, **line | style)
        ax.set_xlabel(names[j])
        ax.set_ylabel("target" if classes is None else f"probability of {classes[1]}")
        ax.legend(frameon=False, fontsize="small")

    return Display(draw, x=x, curves=curves, ends=ends).plot(ax=ax)


def _intervals(intervals: Any, several: bool) -> tuple[Any, ...]:
    if intervals is None:
        return KINDS[::2] if several else KINDS
    if not isinstance(intervals, tuple | list):
        raise wrong_type(
            "intervals", "a list of 'confidence', 'prediction' and 'conformal'", intervals
        )
    return tuple(as_choice(kind, "intervals", KINDS) for kind in intervals)


def _classes(models: Any) -> Any:
    """The two classes of the classifiers; None of regressors."""
    classes = None
    for model in models.values():
        own = getattr(model, "classes_", None)
        if own is None:
            continue
        if len(own) != 2:
            raise ValueError(f"model must have two classes to be a curve; got {len(own)}.")
        if classes is not None and not np.array_equal(own, classes):
            raise ValueError(
                f"model must have the same two classes each; got {shown(list(classes))} and "
                f"{shown(list(own))}."
            )
        classes = own
    return classes


def _codes(y: Any, n: int, classes: Any, models: Any) -> Array:
    """Labels as 0 and 1."""
    labels, codes = as_labels(y, n)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise ValueError(
            f"y must hold the classes of the model, {shown(list(classes))}; got "
            f"{shown(labels[unknown].tolist())}."
        )
    regressors = [name for name, model in models.items() if not hasattr(model, "classes_")]
    if regressors and not np.array_equal(np.asarray(classes, dtype=object), [0, 1]):
        raise ValueError(
            f"y must be 0 and 1 where regressors ({regressors[0]}) are drawn beside classifiers; "
            f"got {shown(list(classes))}."
        )
    return (labels == classes[1])[codes].astype(float)


def _means(model: Any, grid: Any) -> Array:
    """Predictions, probabilities of the second class, or decisions as 0 and 1."""
    if not hasattr(model, "classes_"):
        means = np.asarray(model.predict(grid), np.float64)
        if means.shape == (len(means), 1):
            means = means[:, 0]
        if means.ndim != 1:
            raise ValueError(f"model must have one target; got {means.shape[1]}. Fit it to one.")
        return means
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(grid), np.float64)[:, 1]
    return (np.asarray(model.predict(grid)) == model.classes_[1]).astype(float)


def _ends(model: Any, grid: Any, kinds: Any, level: float, intervals: Any) -> dict[str, Array]:
    """The intervals that a model has, of these kinds."""
    classifies = hasattr(model, "classes_")
    predict = getattr(model, "predict_proba" if classifies else "predict", None)
    if predict is None or "interval" not in inspect.signature(predict).parameters:
        return {}
    ends = {}
    for kind in kinds:
        if classifies and kind != "confidence":
            continue
        try:
            band = np.asarray(predict(grid, interval=kind, level=level)[1], np.float64)
        except ValueError as error:  # Of a penalized fit, or one without a maximum, none are.
            if intervals is not None and "interval must be" not in str(error):
                raise
            continue
        if intervals is not None or not np.isinf(band).any():
            ends[kind] = band[:, 1] if classifies else band
    return ends


def _draw_rows(ax: Any, values: Array, target: Array, classes: Any) -> None:
    dots = {"linestyle": "none", "marker": "o", "markersize": 4, "zorder": 2}
    if classes is None:
        dots |= sizes_of_markers(len(target))
        ax.plot(values, target, color=gray(ax, 0.45), markeredgewidth=0, **dots)
        return
    for code, face in ((0, gray(ax, 1.0)), (1, gray(ax, 0.35))):
        chosen = target == code
        shape = {"color": gray(ax, 0.35), "markerfacecolor": face, "label": str(classes[code])}
        ax.plot(values[chosen], target[chosen], **dots | shape)
