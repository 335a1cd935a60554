# SPDX-License-Identifier: BSD-3-Clause
"""The four diagnostic plots of a linear model, as R's ``plot.lm`` draws them."""

from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import ArrayLike, Rows, Weights
from statfast._validation import as_count, wrong_type
from statfast.plot.regions import COLORS

CONTOURS = (0.5, 1.0)  # of Cook's distance
FEW = 4  # distinct residuals at a place: no line is drawn through fewer rows


def diagnostics(
    model: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    ax: Any = None,
    n_labels: int = 3,
    **style: Any,
) -> Display:
    """Draw residuals against fit, normal quantiles, scale against location, and leverage.

    Parameters
    ----------
    model : fitted estimator
        With ``influence``, such as `GeneralizedLinearModel`, or `LogisticRegression` of two
        classes.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values; found in X, if that is the data frame of a formula.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        All as given to ``fit``.
    ax : matplotlib.axes.Axes or sequence of 4, optional
        Where to draw; one gives its place to four. None draws on a new figure of pyplot.
    n_labels : int, default=3
        How many rows to number in each picture: those with the largest residuals, or with the
        largest Cook's distance in the last.
    **style : object
        Style of the points, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``residuals``, ``standardized``, ``standardized_pearson``, ``linear_predictor``,
        ``leverage`` and ``cooks_distance`` (n,); ``ax_`` holds four axes.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the fit was penalized, or had weights, an offset or an exposure that are not given, or
        the model is of several classes.

    Notes
    -----
    Residuals are deviance residuals, standardized in the second and third picture, and
    standardized Pearson residuals in the last, with lines of Cook's distance 0.5 and 1. The red
    line is a running mean over a sixth of the rows on each side.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import GeneralizedLinearModel
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import diagnostics
    >>> iris = load_iris()
    >>> X, y = iris.data[:, 1:], iris.data[:, 0]
    >>> model = GeneralizedLinearModel().fit(X, y)
    >>> shown = diagnostics(model, X, y, ax=Figure().subplots(2, 2))
    >>> round(float(shown.leverage.sum()), 6)
    4.0
    """
    from scipy.special import ndtri

    n_labels = as_count(n_labels, "n_labels", 0)
    if not hasattr(model, "influence"):
        raise wrong_type("model", "a linear model with influence", model)
    found = model.influence(X, y, sample_weight, offset, exposure)
    residuals = model.residuals(X, y, "deviance", sample_weight, offset, exposure)
    if residuals.ndim > 1:
        raise ValueError(
            f"model must have one residual a row; got {residuals.shape[1]}, one for each class. "
            "Draw that of one class against the rest."
        )
    standard, eta = found.standardized, found.linear_predictor
    pearson, leverage = found.standardized_pearson, found.leverage
    ok = np.isfinite(standard)

    def draw(shown, ax):
        shown.ax_ = axes = _four(ax)
        _scatter(axes[0], eta, residuals, np.abs(residuals), n_labels, style)
        axes[0].axhline(0, color="0.6", linewidth=1.0, linestyle="--")
        _trend(axes[0], eta, residuals)
        axes[0].set(
            title="Residuals and fit", xlabel="linear predictor", ylabel="deviance residuals"
        )

        order = np.argsort(np.where(ok, standard, np.inf), kind="stable")[: ok.sum()]
        share = (np.arange(len(order)) + 0.5) / max(len(order), 1)
        normal = np.full(len(standard), np.nan)
        normal[order] = ndtri(share)
        _scatter(axes[1], normal, standard, np.abs(standard), n_labels, style)
        quartiles = np.nanquantile(standard[ok], [0.25, 0.75]) if ok.any() else np.zeros(2)
        slope = (quartiles[1] - quartiles[0]) / (2 * ndtri(0.75))
        axes[1].axline(
            (0, quartiles.mean()), slope=slope, color="0.6", linewidth=1.0, linestyle="--"
        )
        axes[1].set(
            title="Normal quantiles", xlabel="normal quantiles", ylabel="standardized residuals"
        )

        root = np.sqrt(np.abs(standard))
        _scatter(axes[2], eta, root, root, n_labels, style)
        _trend(axes[2], eta[ok], root[ok])
        axes[2].set(
            title="Scale and location",
            xlabel="linear predictor",
            ylabel="root of |standardized residuals|",
        )

        _scatter(axes[3], leverage, pearson, found.cooks_distance, n_labels, style)
        axes[3].axhline(0, color="0.6", linewidth=1.0, linestyle="--")
        rank = max(leverage.sum(), 1e-300)
        bottom, top = axes[3].get_ylim()
        most = min(1.05 * leverage.max(), 0.999)
        line = np.linspace(most / 200, most, 200)
        for distance in CONTOURS:
            height = np.sqrt(distance * rank * (1 - line) / line)
            for sign in (1, -1):
                axes[3].plot(line, sign * height, color=COLORS[1], linewidth=1.0, linestyle=":")
        axes[3].set(
            title="Leverage, with Cook's distance 0.5 and 1", xlabel="leverage", ylim=(bottom, top),
            ylabel="standardized Pearson residuals", xlim=(0, 1.05 * leverage.max()),
        )  # fmt: skip

    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(2, 2, figsize=(9, 8), layout="constrained")[1]
    return Display(
        draw, residuals=residuals, standardized=standard, standardized_pearson=pearson,
        linear_predictor=eta, leverage=leverage, cooks_distance=found.cooks_distance,
    ).plot(ax=ax)  # fmt: skip


def _four(ax):
    """Four axes, or one that gives its place to four."""
    axes = np.ravel(ax)
    if len(axes) == 1:
        place = axes[0].get_subplotspec()
        if place is None:
            raise wrong_type("ax", "axes of a grid of subplots", ax)
        axes[0].remove()
        axes = place.subgridspec(2, 2).subplots().ravel()
    if len(axes) != 4:
        raise ValueError(
            f"ax must be 1 or 4 axes; got {len(axes)}. Pass a figure's subplots(2, 2)."
        )
    return axes


def _scatter(ax, x, y, size, n_labels, style):
    given = {"color": COLORS[0], "alpha": 0.6, "markersize": 4, "markeredgewidth": 0, **style}
    ax.plot(x, y, "o", **given)
    ok = np.isfinite(x) & np.isfinite(y) & np.isfinite(size)
    rows = np.argsort(np.where(ok, -size, np.inf), kind="stable")[: min(n_labels, ok.sum())]
    middle = (np.min(x[ok]) + np.max(x[ok])) / 2 if ok.any() else 0.0
    for row in rows:
        right = x[row] > middle  # the number stands on the side that has room
        ax.annotate(
            str(row), (x[row], y[row]), xytext=(-4 if right else 4, 2), fontsize=8,
            textcoords="offset points", ha="right" if right else "left",
        )  # fmt: skip


def _trend(ax, x, y):
    """A running mean over the rows in the order of x."""
    order = np.argsort(x, kind="stable")
    half = max(len(x) // 6, FEW)
    if len(x) < 2 * FEW:
        return
    total = np.concatenate([[0.0], np.cumsum(y[order])])
    index = np.arange(len(x))
    low, high = np.maximum(index - half, 0), np.minimum(index + half + 1, len(x))
    ax.plot(x[order], (total[high] - total[low]) / (high - low), color=COLORS[4], linewidth=1.5)
