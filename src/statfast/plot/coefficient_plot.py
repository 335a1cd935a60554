# SPDX-License-Identifier: BSD-3-Clause
"""Coefficient forest: estimates with their intervals, or odds ratios on a logarithmic axis."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from statfast._estimator import Display
from statfast._typing import Array, Axes
from statfast._validation import as_choice, as_names, unusable_model, wrong_type
from statfast.plot.interval_lines import interval_lines
from statfast.plot.regions import COLORS


def coefficients(
    model: Any,
    *,
    scale: Literal["coefficient", "ratio"] = "coefficient",
    level: float = 0.95,
    intercept: bool = False,
    ax: Axes | None = None,
    intervals: Array | None = None,
    names: Sequence[str] | None = None,
    **style: Any,
) -> Display:
    """Draw the coefficients of a fitted linear model with their intervals.

    Parameters
    ----------
    model : fitted estimator
        With ``coef_names_``, ``coef_`` and ``conf_int``, such as `GeneralizedLinearModel`, or
        `LogisticRegression` of two classes.
    scale : {"coefficient", "ratio"}, default="coefficient"
        "ratio" shows exponentials on a logarithmic axis: odds ratios for the logit link, ratios
        of means for the logarithm.
    level : float, default=0.95
        Of the intervals.
    intercept : bool, default=False
        Whether to show the intercept.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    intervals : ndarray of shape (q, 2), optional
        In place of the model's Wald intervals, such as those of
        ``conf_int(method="profile", ...)``; the intercept first.
    names : sequence of str, optional
        Of the columns; None takes ``coef_names_``.
    **style : object
        Style of the points, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``names``, ``values`` (m,) and ``intervals`` (m, 2). Points are filled where the
        interval does not hold zero, or the ratio one.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the fit was penalized and no intervals are given, these are not two numbers for each
        coefficient, or the model is of several classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LogisticRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import coefficients
    >>> iris = load_iris()
    >>> model = LogisticRegression().fit(iris.data[50:, :2], iris.target[50:])
    >>> shown = coefficients(model, scale="ratio", ax=Figure().subplots())
    >>> shown.values.round(2)
    array([6.7, 1.5])
    """
    as_choice(scale, "scale", ("coefficient", "ratio"))
    if intervals is None and not hasattr(model, "conf_int"):
        raise wrong_type("model", "a linear model with intervals", model)
    if not hasattr(model, "coef_"):
        raise unusable_model(model, "a fitted model with coef_")
    if np.ndim(model.coef_) > 1 and len(model.coef_) > 1:
        raise ValueError(
            f"model must have one coefficient a column; got one for {len(model.coef_)} classes. "
            "Draw its summary().to_frame() instead."
        )
    if not hasattr(
        model, "coef_names_"
    ):  # intervals are the caller's, but terms and their order are not
        raise wrong_type("model", "a linear model whose terms have names (coef_names_)", model)
    own = [str(name) for name in model.coef_names_]
    n_columns = int(model.n_features_in_)
    names = own[-n_columns:] if names is None else as_names(names, "names")
    if len(names) != n_columns:
        raise ValueError(f"names must name the {n_columns} columns; got {len(names)} names.")
    names = [*own[: len(own) - n_columns], *names]
    given = model.conf_int(level=level) if intervals is None else intervals
    ends = _ends(given, len(names))
    has_one = len(names) > model.n_features_in_
    values = np.ravel(model.coef_)
    if has_one:
        values = np.append(np.ravel(model.intercept_), values)
    kept = ~np.asarray(model.aliased_)
    if has_one and not intercept:
        kept = kept & (np.arange(len(names)) > 0)
    chosen = np.flatnonzero(kept)
    values, ends = values[chosen], ends[chosen]
    if scale == "ratio":
        with np.errstate(over="ignore"):  # an infinite ratio is one beyond the axis
            values, ends = np.exp(values), np.exp(ends)

    def draw(shown, ax):
        places = np.arange(len(chosen))[::-1]
        none = 1.0 if scale == "ratio" else 0.0
        ax.axvline(none, color="0.6", linewidth=1.0, linestyle="--", zorder=1)
        clear = (ends[:, 0] > none) | (ends[:, 1] < none)
        points, lines, limits = interval_lines(values, ends, scale == "ratio")
        for some, face in ((clear, COLORS[0]), (~clear, "white")):
            ax.hlines(places[some], lines[some, 0], lines[some, 1], color=COLORS[0], zorder=2)
            given = {"marker": "o", "linestyle": "", "markersize": 6, "markeredgecolor": COLORS[0]}
            given |= {"markerfacecolor": face, "zorder": 3, **style}
            ax.plot(points[some], places[some], **given)
        if scale == "ratio":
            from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

            ax.set_xscale("log")
            # The axis would be full of numbers.
            shown_numbers = np.append(points, lines)
            shown_numbers = shown_numbers[np.isfinite(shown_numbers)]
            wide = len(shown_numbers) and shown_numbers.max() > 500 * shown_numbers.min()
            subs = (1.0,) if wide else (1.0, 2.0, 5.0)
            ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=9))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.set_xlabel(f"odds ratio, or ratio of means, with {100 * level:g} % intervals")
        else:
            ax.set_xlabel(f"coefficient, with {100 * level:g} % intervals")
        if limits is not None:
            ax.set_xlim(limits)
        ax.set_yticks(places, shown.names)
        ax.set_ylim(-0.7, len(chosen) - 0.3)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.tick_params(axis="y", length=0)

    names = [names[j] for j in chosen]
    return Display(draw, names=names, values=values, intervals=ends).plot(ax=ax)


def _ends(intervals, q):
    """The given ends of intervals; NaN for none."""
    try:
        ends = np.asarray(intervals, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type("intervals", "an array of numbers", intervals) from None
    if ends.shape != (q, 2):
        raise ValueError(
            f"intervals must have two ends for each of the {q} coefficients, the intercept first; "
            f"got shape {ends.shape}."
        )
    return ends
