# SPDX-License-Identifier: BSD-3-Clause
"""Errors of cross-validation against a penalty, and scores over a grid of two parameters."""

from typing import TYPE_CHECKING, Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Axes
from statfast._validation import not_fitted, wrong_type
from statfast.linear import ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeCV
from statfast.plot.regions import COLORS

if TYPE_CHECKING:
    from statfast.model_selection.search import GridSearchCV


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
    >>> shown.chosen == model.alpha_
    True
    """
    penalties, errors, se, name = _errors(model)
    marks = {getattr(model, "alpha_min_", None): "least error"}
    marks[getattr(model, "alpha_1se_", None)] = "one standard error"
    chosen = float(1.0 / model.C_ if hasattr(model, "C_") else model.alpha_)
    marks.setdefault(chosen, "chosen")
    marks.pop(None, None)

    def draw(shown, ax):
        given = {"color": COLORS[0], "ecolor": "0.7", "marker": "o", "markersize": 3, **style}
        ax.errorbar(penalties, errors, yerr=se, **given)
        for at, text in marks.items():
            taken = at == chosen
            ax.axvline(
                at, color=COLORS[4] if taken else "0.5", linestyle="--", linewidth=1, zorder=0,
                label=f"{text}{', chosen' if taken and text != 'chosen' else ''}: {at:.3g}",
            )  # fmt: skip
        ax.set_xscale("log")
        ax.invert_xaxis()
        ax.set(xlabel="penalty" if hasattr(model, "alpha_") else "penalty, 1 / C", ylabel=name)
        ax.legend(frameon=False, fontsize="small")

    return Display(draw, penalties=penalties, errors=errors, se=se, chosen=chosen).plot(ax=ax)


def _errors(model):
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
        some = np.isfinite(model.errors_) & (model.alphas_ > 0)
        return model.alphas_[some], model.errors_[some], None, "cross-validation error"
    alphas = np.atleast_2d(model.alphas_)
    alphas = alphas[list(np.ravel(model.l1_ratio)).index(model.l1_ratio_) if len(alphas) > 1 else 0]
    some = alphas > 0
    name = "cross-validated squared error"
    return alphas[some], model.mse_mean_[some], model.mse_error_[some], name


def search_scores(search: "GridSearchCV", *, ax: Axes | None = None, **style: Any) -> Display:
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
    found = getattr(search, "cv_results_", None)
    if not isinstance(found, dict) or "mean_test_score" not in found:
        raise wrong_type("search", "a fitted search with one score", search)
    tried = found["params"]
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
    scores[places] = found["mean_test_score"]
    se[places] = found.get("se_test_score", np.nan)
    best = [place[search.best_index_] for place in places]
    labels = [[_short(value) for value in values[name]] for name in names]

    def draw(shown, ax):
        if len(names) == 1:
            given = {"color": COLORS[0], "ecolor": "0.7", "marker": "o", "markersize": 4, **style}
            ax.errorbar(np.arange(shape[0]), scores, yerr=se, **given)
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


def _short(value):
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
