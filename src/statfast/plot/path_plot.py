# SPDX-License-Identifier: BSD-3-Clause
"""Regularization paths: coefficients against the penalty, with the two rules for choosing it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Axes
from statfast._validation import as_count, wrong_type

if TYPE_CHECKING:
    from statfast.linear.penalized.lasso_cv import ElasticNetCV, LassoCV
    from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.plot.regions import legend_text

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A6D00")
QUIET = "#9A9A9A"  # the lines without a name, the marks of the rules


def regularization_path(
    path: "RegularizationPath",
    *,
    model: "LassoCV | ElasticNetCV | None" = None,
    names: Sequence[str] | None = None,
    n_labels: int = 6,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the coefficients of a path against the penalty.

    Parameters
    ----------
    path : RegularizationPath
        Result of `lasso_path`, `enet_path`, `logistic_path` or `ridge_path`.
    model : LassoCV or ElasticNetCV, optional
        Fitted: dashed lines mark its ``alpha_min_`` and ``alpha_1se_``.
    names : sequence of str, optional
        Of the columns; None calls them x0, x1, ...
    n_labels : int, default=6
        How many lines have names and colors: those that end farthest from zero.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the lines, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``alphas`` (A,), ``coefs`` (d, A) and ``named``, the columns that are. The penalty
        falls from left to right on a log scale; above, the coefficients not zero.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the names are not as many as the columns, no penalty is above 0, or the model has a path
        for each of several classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import lasso_path
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import regularization_path
    >>> wine = load_wine()
    >>> path = lasso_path(wine.data[:, 1:], wine.data[:, 0], standardize=True)
    >>> shown = regularization_path(path, names=wine.feature_names[1:], ax=Figure().subplots())
    >>> shown.coefs.shape
    (12, 100)
    """
    if not hasattr(path, "coefs") or not hasattr(path, "alphas"):
        raise wrong_type("path", "a RegularizationPath", path)
    n_labels = as_count(n_labels, "n_labels", 0)
    some = path.alphas > 0
    if not some.any():
        raise ValueError("path must have a penalty above 0; got none. Draw another path.")
    alphas, coefs = path.alphas[some], path.coefs[:, some]
    if names is None:
        names = [f"x{j}" for j in range(len(coefs))]
    elif len(names) != len(coefs):
        raise ValueError(f"names must have one for each of {len(coefs)} columns; got {len(names)}.")
    last = np.abs(coefs[:, -1])
    named = np.argsort(-last, kind="stable")[:n_labels]
    named = named[last[named] > 0]

    def draw(shown, ax):
        for j in np.setdiff1d(np.arange(len(coefs)), named):
            ax.plot(alphas, coefs[j], color=QUIET, linewidth=0.8, alpha=0.6, zorder=1)
        for k, j in enumerate(named):
            color = COLORS[k % len(COLORS)]
            given = {
                "color": color,
                "linewidth": 1.6,
                "label": legend_text(names[j]),
                "zorder": 2,
                **style,
            }
            ax.plot(alphas, coefs[j], **given)
        ax.set_xscale("log")
        if alphas.max() > alphas.min():
            ax.set_xlim(alphas.max(), alphas.min())
        ax.set_xlabel("penalty")
        ax.set_ylabel("coefficient")
        _count_above(ax, alphas, (coefs != 0).sum(axis=0))
        if model is not None:
            _mark_rules(ax, model)
        if len(named):
            ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))

    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(layout="constrained").subplots()
    return Display(draw, alphas=alphas, coefs=coefs, named=named).plot(ax=ax)


def _count_above(ax, alphas, counts):
    """How many coefficients are not zero, above the picture."""
    if len(alphas) < 2:
        return
    places = np.unique(np.linspace(0, len(alphas) - 1, 6).round().astype(int))
    top = ax.secondary_xaxis("top")
    top.set_xticks(alphas[places], labels=[str(counts[k]) for k in places], minor=False)
    top.minorticks_off()
    top.set_xlabel("coefficients not zero")


def _mark_rules(ax, model):
    marks = (("alpha_min_", "least error"), ("alpha_1se_", "one standard error"))
    for attribute, text in marks:
        alpha = getattr(model, attribute, None)
        if alpha is None:
            raise wrong_type("model", "a fitted model with alpha_min_ and alpha_1se_", model)
        if np.size(alpha) != 1:
            raise ValueError("model must have one path; got one for each class. Leave model out.")
        alpha = float(np.reshape(alpha, -1)[0])
        line = ax.axvline(alpha, color=QUIET, linestyle="--", linewidth=1.0, zorder=0)
        line.set_gid(attribute)
        ax.annotate(
            text, (alpha, 0.02), xycoords=("data", "axes fraction"), rotation=90,
            ha="right", va="bottom", fontsize="small", color="#555555",
        )  # fmt: skip
