# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of many columns: stems that show which are zero, and their histogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Array, ArrayLike, Axes
from statfast._validation import as_count, as_feature_names, as_vector, unusable_model, wrong_type
from statfast.plot.classifier_scores import CURVE_COLORS
from statfast.plot.colors import gray
from statfast.plot.regions import equal_bins, legend_text

MAX_NAMES = 30  # The most columns that have their names on the axis.
LETTER, LINE = 6.0, 11.0  # Points that a letter of a name is wide, and a turned name.
SIDE = 0.6  # The share of a place that the stems of several models take.


def coefficient_stems(
    model: Any,
    *,
    truth: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the coefficients of linear models as stems, those that are exactly zero as hollow dots.

    Parameters
    ----------
    model : fitted linear model, or dict of name to model
        With ``coef_``, one coefficient for each column, such as `Lasso`, `ElasticNet`, `Ridge`,
        `LogisticRegression` or `LinearSVC` of two classes; or the coefficients (d,) themselves.
        Those of several models are drawn side by side.
    truth : array-like of shape (d,), optional
        The coefficients that the data were made with, drawn as crosses.
    feature_names : sequence of str, optional
        Names of the columns; None takes those of the fit. More than 30 columns, or more than have
        room, are numbered.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the dots, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``coefs`` (d,) and ``n_nonzero``, or dicts of them by the names of the models.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If a model is not fitted.
    TypeError
        If a model has no coefficients.
    ValueError
        If a model has more than one coefficient a column, models have different numbers of columns,
        or `truth` or `feature_names` are not one for each.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import Lasso
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import coefficient_stems
    >>> wine = load_wine()
    >>> model = Lasso(alpha=0.1).fit(wine.data[:, 1:], wine.data[:, 0])
    >>> coefficient_stems(model, ax=Figure().subplots()).n_nonzero
    4
    """
    coefs = coefficients_of(model)
    d = len(next(iter(coefs.values())))
    if any(len(values) != d for values in coefs.values()):
        sizes = [len(values) for values in coefs.values()]
        raise ValueError(f"model must have as many columns each; got {sizes}.")
    true = None if truth is None else as_vector(truth, "truth")
    if true is not None and len(true) != d:
        raise ValueError(f"truth must have a coefficient for each of {d} columns; got {len(true)}.")
    first = next(iter(model.values())) if isinstance(model, Mapping) else model
    labels = as_feature_names(feature_names, first, d)

    def draw(shown: Display, ax: Any) -> None:
        step = SIDE / len(coefs)
        ax.axhline(0.0, color=gray(ax, 0.4), linewidth=0.8, zorder=1)
        for number, (name, values) in enumerate(coefs.items()):
            places = np.arange(d) + (number - 0.5 * (len(coefs) - 1)) * step
            color = CURVE_COLORS[number % len(CURVE_COLORS)]
            ax.vlines(places, 0.0, values, color=color, linewidth=1.4, zorder=2)
            text = f"{np.count_nonzero(values)} of {d} not zero"
            text = text if name is None else f"{name} ({text})"
            for kept, face in ((values != 0.0, color), (values == 0.0, gray(ax, 1.0))):
                dots = {"color": color, "marker": "o", "linestyle": "none", "markersize": 4.5}
                dots |= {"markerfacecolor": face, "zorder": 3}
                shown_text = text if face == color else "_zeros"
                ax.plot(places[kept], values[kept], **dots | {"label": shown_text} | style)
        if true is not None:
            cross = {"color": gray(ax, 0.15), "markersize": 6, "label": "truth", "zorder": 4}
            ax.plot(np.arange(d), true, "x", **cross)
        place = ax.bbox.width * 72.0 / ax.figure.dpi / d  # points for the name of a column
        if d <= MAX_NAMES and place > LINE:
            turned = LETTER * (max(map(len, labels)) + 1) > place
            turn = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if turned else {}
            ax.set_xticks(range(d), labels, **turn)
        else:
            ax.set_xlabel("column")
        ax.set_xlim(-0.7, d - 0.3)
        ax.set_ylabel("coefficient")
        low, high = ax.get_ylim()
        lines = len(coefs) + (true is not None)
        ax.set_ylim(low, high + 0.09 * lines * (high - low))  # The legend's place.
        ax.legend(frameon=False, fontsize="small", loc="upper right")

    counts = {name: int(np.count_nonzero(values)) for name, values in coefs.items()}
    numbers = (coefs[None], counts[None]) if None in coefs else (coefs, counts)
    return Display(draw, coefs=numbers[0], n_nonzero=numbers[1]).plot(ax=ax)


def coefficient_histogram(
    model: Any, *, bins: int = 30, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw the histogram of the coefficients of linear models.

    Parameters
    ----------
    model : fitted linear model, or dict of name to model
        With ``coef_``, as those of `coefficient_stems`; or the coefficients (d,) themselves.
    bins : int, default=30
        Intervals of equal width, the same for all models.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the histograms, passed to ``ax.stairs``.

    Returns
    -------
    Display
        With ``edges`` (bins + 1,), ``counts`` (bins,) and ``n_zero``, how many are exactly 0; the
        last two are dicts by the names of several models.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If a model is not fitted.
    TypeError
        If a model has no coefficients.
    ValueError
        If a model has more than one coefficient a column, or `bins` is out of range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import Lasso, Ridge
    >>> from statfast.datasets import load_digits
    >>> from statfast.plot import coefficient_histogram
    >>> digits = load_digits()
    >>> X, y = digits.data, digits.target == 3
    >>> models = {"lasso": Lasso(alpha=0.1).fit(X, y), "ridge": Ridge().fit(X, y)}
    >>> shown = coefficient_histogram(models, ax=Figure().subplots())
    >>> shown.n_zero  # of 64 pixels
    {'lasso': 47, 'ridge': 0}
    """
    bins = as_count(bins, "bins", 1, 10_000)
    coefs = coefficients_of(model)
    edges = equal_bins(np.concatenate(list(coefs.values())), bins)
    counts = {name: np.histogram(values, edges)[0] for name, values in coefs.items()}
    zeros = {name: int(np.sum(values == 0.0)) for name, values in coefs.items()}

    def draw(shown: Display, ax: Any) -> None:
        for number, (name, heights) in enumerate(counts.items()):
            color = CURVE_COLORS[number % len(CURVE_COLORS)]
            text = f"{zeros[name]} of {heights.sum()} zero"
            text = text if name is None else f"{name} ({text})"
            ax.stairs(heights, edges, fill=True, color=color, alpha=0.25)
            ax.stairs(heights, edges, **{"color": color, "linewidth": 1.5, "label": text, **style})
        ax.axvline(0.0, color=gray(ax, 0.6), linewidth=1.0, linestyle="--", zorder=0)
        ax.set_xlabel("coefficient")
        ax.set_ylabel("columns")
        ax.legend(frameon=False, fontsize="small")

    several = None not in counts
    return Display(
        draw, edges=edges, counts=counts if several else counts[None],
        n_zero=zeros if several else zeros[None],
    ).plot(ax=ax)  # fmt: skip


def coefficients_of(model: Any) -> dict[Any, Array]:
    """Coefficients by the names of models; of a single one by None."""
    models = model if isinstance(model, Mapping) else {None: model}
    if not models:
        raise wrong_type("model", "a fitted linear model, or a dict of one or more", model)
    return {
        name if name is None else legend_text(name): _coefficients(one)
        for name, one in models.items()
    }


def _coefficients(model: Any) -> Array:
    """One coefficient for each column."""
    values = getattr(model, "coef_", None)
    if values is None:
        if isinstance(model, np.ndarray | list | tuple):
            return as_vector(model, "model")
        raise unusable_model(model, "a fitted linear model with coef_")
    if hasattr(values, "toarray"):
        values = values.toarray()
    values = np.asarray(values, dtype=np.float64)
    if values.ndim > 1 and 1 not in values.shape[:-1]:
        raise ValueError(
            f"model must have one coefficient a column; got shape {values.shape}. Pass the rows of "
            "coef_ in a dict."
        )
    return as_vector(values.ravel(), "model")
