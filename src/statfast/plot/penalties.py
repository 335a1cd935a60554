# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients and errors of cross-validation against penalties, and scores over two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import Display, new_axes, shorten_texts
from statfast._typing import Array, Axes
from statfast._validation import as_choice, as_count, not_fitted, wrong_type
from statfast.linear import ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeCV
from statfast.plot.colors import COLORS, gray
from statfast.plot.regions import legend_text

if TYPE_CHECKING:
    from statfast.linear.penalized.lasso_path import RegularizationPath

PATH_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A6D00")
QUIET = "#9A9A9A"  # The color of lines without a name, and of the marks of the rules.


def regularization_path(
    path: RegularizationPath,
    *,
    model: LassoCV | ElasticNetCV | None = None,
    feature_names: Sequence[str] | None = None,
    n_labels: int = 6,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the coefficients of a path against the penalty.

    Of several targets, the lengths of the coefficients of each column over the targets.

    Parameters
    ----------
    path : RegularizationPath
        Result of `lasso_path`, `enet_path`, `logistic_path` or `ridge_path`.
    model : LassoCV or ElasticNetCV, optional
        Fitted: dashed lines mark its ``alpha_min_`` and ``alpha_1se_``.
    feature_names : sequence of str, optional
        Names of the columns; None calls them x0, x1, ...
    n_labels : int, default=6
        How many lines have names and colors: those that end farthest from zero.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the lines, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``alphas`` (A,), ``coefs`` (d, A), what is drawn, and ``named``, the columns that are.
        The penalty falls from left to right on a log scale; above, the coefficients not zero.

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
    >>> names, axes = wine.feature_names[1:], Figure().subplots()
    >>> shown = regularization_path(path, feature_names=names, ax=axes)
    >>> shown.coefs.shape
    (12, 100)
    """
    if not hasattr(path, "coefs") or not hasattr(path, "alphas"):
        raise wrong_type("path", "a RegularizationPath", path)
    n_labels = as_count(n_labels, "n_labels", 0)
    positive = path.alphas > 0
    if not positive.any():
        raise ValueError("path must have a penalty above 0; got none. Draw another path.")
    alphas, coefs = path.alphas[positive], path.coefs[..., positive]
    several = coefs.ndim == 3
    if several:
        coefs = np.linalg.norm(coefs, axis=0)
    names = [f"x{j}" for j in range(len(coefs))] if feature_names is None else feature_names
    if len(names) != len(coefs):
        raise ValueError(
            f"feature_names must have one for each of {len(coefs)} columns; got {len(names)}."
        )
    last = np.abs(coefs[:, -1])
    named = np.argsort(-last, kind="stable")[:n_labels]
    named = named[last[named] > 0]

    def draw(shown: Display, ax: Any) -> None:
        for j in np.setdiff1d(np.arange(len(coefs)), named):
            ax.plot(alphas, coefs[j], color=QUIET, linewidth=0.8, alpha=0.6, zorder=1)
        for k, j in enumerate(named):
            color = PATH_COLORS[k % len(PATH_COLORS)]
            shape = {
                "color": color,
                "linewidth": 1.6,
                "label": legend_text(names[j]),
                "zorder": 2,
                **style,
            }
            ax.plot(alphas, coefs[j], **shape)
        ax.set_xscale("log")
        if alphas.max() > alphas.min():
            ax.set_xlim(alphas.max(), alphas.min())
        ax.set_xlabel("penalty")
        ax.set_ylabel("length of coefficients" if several else "coefficient")
        _count_above(ax, alphas, (coefs != 0).sum(axis=0))
        if model is not None:
            _mark_rules(ax, model)
        if len(named):
            ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))

    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(layout="constrained").subplots()
    return Display(draw, alphas=alphas, coefs=coefs, named=named).plot(ax=ax)


def _count_above(ax: Any, alphas: Array, counts: Array) -> None:
    """How many coefficients are not zero, above the picture."""
    if len(alphas) < 2:
        return
    places = np.unique(np.linspace(0, len(alphas) - 1, 6).round().astype(int))
    top = ax.secondary_xaxis("top")
    top.set_xticks(alphas[places], labels=[str(counts[k]) for k in places], minor=False)
    top.minorticks_off()
    top.set_xlabel("coefficients not zero")


def _mark_rules(ax: Any, model: Any) -> None:
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


if TYPE_CHECKING:
    from statfast.model_selection.search.search import GridSearchCV


RING = {
    "markersize": 12,
    "markerfacecolor": "none",
    "markeredgecolor": "#D55E00",
    "markeredgewidth": 2,
}


def penalty_errors(
    model: LassoCV | ElasticNetCV | RidgeCV | LogisticRegressionCV,
    *,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the cross-validation errors of a penalized model, and the penalty chosen.

    Parameters
    ----------
    model : LassoCV, ElasticNetCV, RidgeCV or LogisticRegressionCV
        Fitted.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.errorbar``.

    Returns
    -------
    Display
        With ``penalties`` (A,), of `LogisticRegressionCV` 1 / C, ``errors`` (A,), their standard
        errors ``se`` (A,), or None of `RidgeCV`, and ``chosen``. Models grow from left to right.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `model` is none of these.
    NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LassoCV
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import penalty_errors
    >>> wine = load_wine()
    >>> model = LassoCV(rule="1se").fit(wine.data[:, 1:], wine.data[:, 0])
    >>> shown = penalty_errors(model, ax=Figure().subplots())
    >>> round(shown.chosen, 2), round(model.alpha_min_, 2)  # within one standard error; the least
    (0.2, 0.16)
    """
    penalties, errors, se, name = _errors(model)
    marks = {getattr(model, "alpha_min_", None): "least error"}
    marks[getattr(model, "alpha_1se_", None)] = "one standard error"
    chosen = float(1.0 / model.C_ if hasattr(model, "C_") else model.alpha_)
    marks.setdefault(chosen, "chosen")
    marks.pop(None, None)

    def draw(shown: Display, ax: Any) -> None:
        shape = {"color": COLORS[0], "ecolor": gray(ax, 0.7), "marker": "o", "markersize": 3}
        shape |= style
        ax.errorbar(penalties, errors, yerr=se, **shape)
        for at, text in marks.items():
            taken = at == chosen
            ax.axvline(
                at, color=COLORS[4] if taken else gray(ax, 0.5), linestyle="--",
                linewidth=1, zorder=0,
                label=f"{text}{', chosen' if taken and text != 'chosen' else ''}: {at:.3g}",
            )  # fmt: skip
        ax.set_xscale("log")
        ax.invert_xaxis()
        ax.set(xlabel="penalty" if hasattr(model, "alpha_") else "penalty, 1 / C", ylabel=name)
        ax.legend(frameon=False, fontsize="small")

    return Display(draw, penalties=penalties, errors=errors, se=se, chosen=chosen).plot(ax=ax)


def _errors(model: Any) -> Any:
    """Penalties above 0, mean errors, their standard errors and name."""
    if not isinstance(model, ElasticNetCV | LassoCV | LogisticRegressionCV | RidgeCV):
        raise wrong_type("model", "a fitted LassoCV, RidgeCV or LogisticRegressionCV", model)
    if isinstance(model, LogisticRegressionCV):
        if not hasattr(model, "scores_"):
            raise not_fitted(model)
        folds = -model.scores_[:, list(model.l1_ratios_).index(model.l1_ratio_), :]
        name = "log loss" if model.scoring is None else f"negative {model.scoring}"
        se = folds.std(axis=0, ddof=1) / np.sqrt(len(folds)) if len(folds) > 1 else None
        return 1.0 / np.asarray(model.Cs_), folds.mean(axis=0), se, f"cross-validated {name}"
    if not hasattr(model, "alphas_"):
        raise not_fitted(model)
    if isinstance(model, RidgeCV):
        kept = np.isfinite(model.errors_) & (model.alphas_ > 0)
        return model.alphas_[kept], model.errors_[kept], None, "cross-validation error"
    alphas = np.atleast_2d(model.alphas_)
    alphas = alphas[list(np.ravel(model.l1_ratio)).index(model.l1_ratio_) if len(alphas) > 1 else 0]
    kept = alphas > 0
    name = "cross-validated squared error"
    return alphas[kept], model.mse_mean_[kept], model.mse_error_[kept], name


def search_scores(search: GridSearchCV, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw the scores of a grid search: a curve of one parameter, or a heat map of two.

    Parameters
    ----------
    search : GridSearchCV
        Fitted, with one or two parameters of more than one value; or scikit-learn's.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curve, passed to ``ax.errorbar``, or of the heat map, passed to ``ax.imshow``.

    Returns
    -------
    Display
        With the ``names`` of the parameters, their ``values``, and ``scores`` (first, second) or
        (first,). What was chosen has a circle.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `search` is not a fitted search.
    ValueError
        If no parameter, or more than two, have several values, or the grid is incomplete.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import SVC, GridSearchCV
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import search_scores
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.01, 0.1]}).fit(X, y)
    >>> search_scores(search, ax=Figure().subplots()).scores.shape
    (3, 2)
    """
    results = getattr(search, "cv_results_", None)
    if not isinstance(results, dict) or "mean_test_score" not in results:
        raise wrong_type("search", "a fitted search with one score", search)
    tried = results["params"]
    values: dict[str, Any] = {}
    for some in tried:
        for name, value in some.items():
            if not any(value is old or value == old for old in values.setdefault(name, [])):
                values[name].append(value)
    values = {name: some for name, some in values.items() if len(some) > 1}
    if not 1 <= len(values) <= 2:
        raise ValueError(
            f"search must have 1 or 2 parameters of several values; got {len(values)}. "
            "Draw the others apart."
        )
    names, shape = list(values), tuple(len(some) for some in values.values())
    if len(tried) != np.prod(shape) or any(name not in some for some in tried for name in names):
        raise ValueError(
            f"search must try all {np.prod(shape)} pairs of values; got a part of them."
        )
    places = tuple(np.array([values[name].index(some[name]) for some in tried]) for name in names)
    scores, se = np.full(shape, np.nan), np.full(shape, np.nan)
    scores[places] = results["mean_test_score"]
    se[places] = results.get("se_test_score", np.nan)
    best = [place[search.best_index_] for place in places]
    labels = [[_short(value) for value in values[name]] for name in names]

    def draw(shown: Display, ax: Any) -> None:
        if len(names) == 1:
            bars = {"color": COLORS[0], "ecolor": gray(ax, 0.7), "marker": "o", "markersize": 4}
            bars |= style
            ax.errorbar(np.arange(shape[0]), scores, yerr=se, **bars)
            ax.set_xticks(np.arange(shape[0]), labels[0])
            ax.plot(best, scores[best], "o", **RING)
            ax.set(xlabel=names[0], ylabel="cross-validated score")
            return
        image = ax.imshow(scores, **{"cmap": "viridis", "aspect": "auto", **style})
        ax.set_xticks(np.arange(shape[1]), labels[1])
        ax.set_yticks(np.arange(shape[0]), labels[0])
        ax.plot(best[1], best[0], "o", **RING)
        ax.set(xlabel=names[1], ylabel=names[0])
        ax.figure.colorbar(image, ax=ax, label="cross-validated score")

    return Display(draw, names=names, values=list(values.values()), scores=scores).plot(ax=ax)


def _short(value: int | str) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)


if TYPE_CHECKING:
    from statfast.generative.discriminant.rda_cv import RegularizedDiscriminantAnalysisCV


@dataclass
class RDAGridDisplay:
    """Display of errors over alpha and gamma, made by `rda_grid`.

    Attributes
    ----------
    values : ndarray of shape (A, G)
        Error or log loss of each pair; NaN where a covariance is singular.
    alphas, gammas : ndarray of shape (A,) and (G,)
        The grid.
    chosen : tuple of float (alpha, gamma)
        The pair with the least error.
    quantity : str
        What is shown.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RegularizedDiscriminantAnalysisCV
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import rda_grid
    >>> wine = load_wine()
    >>> model = RegularizedDiscriminantAnalysisCV().fit(wine.data[:, [0, 6]], wine.target)
    >>> shown = rda_grid(model, ax=Figure().subplots())
    >>> shown.chosen, round(float(shown.values.min()), 3)
    ((0.9, 0.3), 0.062)
    """

    values: NDArray[np.float64]
    alphas: NDArray[np.float64]
    gammas: NDArray[np.float64]
    chosen: tuple[float, float]
    quantity: str
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Self:
        """Draw it on axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style, passed to ``imshow``, such as ``cmap``.

        Returns
        -------
        RDAGridDisplay
            Itself.
        """
        ax = new_axes() if ax is None else ax
        style = {"cmap": "viridis_r", "origin": "lower", "aspect": "auto", **style}
        image = ax.imshow(self.values, **style)
        ax.set_facecolor("0.85")  # The color of pairs of penalties that are singular.
        for axis, grid in ((ax.xaxis, self.gammas), (ax.yaxis, self.alphas)):
            places = np.unique(
                np.linspace(0, len(grid) - 1, min(len(grid), 11)).round().astype(int)
            )
            axis.set_ticks(places, [f"{grid[place]:g}" for place in places])
        i = int(np.flatnonzero(self.alphas == self.chosen[0])[0])
        j = int(np.flatnonzero(self.gammas == self.chosen[1])[0])
        ax.scatter([j], [i], marker="o", s=110.0, facecolors="none", edgecolors="#D55E00",
                   linewidths=2.0, zorder=3)  # fmt: skip
        ax.set_xlabel("gamma (weight of the identity)")
        ax.set_ylabel("alpha (weight of the class covariance)")
        ax.figure.colorbar(image, ax=ax, label=f"leave-one-out {self.quantity}")
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def rda_grid(
    model: RegularizedDiscriminantAnalysisCV,
    *,
    quantity: Literal["error", "log loss"] = "error",
    ax: Axes | None = None,
    **style: Any,
) -> RDAGridDisplay:
    """Draw the leave-one-out errors of regularized discriminant analysis over its grid.

    Parameters
    ----------
    model : RegularizedDiscriminantAnalysisCV
        Fitted.
    quantity : {"error", "log loss"}, default="error"
        What to show.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style, passed to ``imshow``, such as ``cmap``.

    Returns
    -------
    RDAGridDisplay
        The pair that was chosen has a circle; singular ones are gray.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If `quantity` is unknown.
    TypeError
        If the model is not a fitted search.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RegularizedDiscriminantAnalysisCV
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import rda_grid
    >>> wine = load_wine()
    >>> model = RegularizedDiscriminantAnalysisCV().fit(wine.data[:, [0, 6]], wine.target)
    >>> rda_grid(model, ax=Figure().subplots()).values.shape
    (11, 11)
    """
    if not hasattr(model, "log_losses_") or not hasattr(model, "gammas_"):
        raise wrong_type("model", "a fitted RegularizedDiscriminantAnalysisCV", model)
    as_choice(quantity, "quantity", ("error", "log loss"))
    values = model.errors_ if quantity == "error" else model.log_losses_
    chosen = model.alpha_, model.gamma_
    display = RDAGridDisplay(values, model.alphas_, model.gammas_, chosen, quantity)
    return display.plot(ax=ax, **style)
