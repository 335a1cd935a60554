# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of model selection: curves of scores, models compared, and the target of bias and
variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import Display, new_axes, shorten_texts
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import as_generator, wrong_type
from statfast.feature_selection import SizeScores
from statfast.model_selection import (
    BiasVariance,
    Comparison,
    learning_curve,
    validation_curve,
)
from statfast.plot.colors import COLORS, gray


@dataclass
class CurveDisplay:
    """Display of training and test scores along a curve.

    Attributes
    ----------
    x : ndarray of shape (T,)
        What is varied.
    train_scores : ndarray of shape (T, folds)
        Scores on the training samples.
    test_scores : ndarray of shape (T, folds)
        nan where a fit or a score fails; means over folds are then not drawn.
    label : str
        Of the x axis.
    ax_ : matplotlib.axes.Axes
        Axes drawn on.
    figure_ : matplotlib.figure.Figure
        Figure drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KNeighborsClassifier
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import validation_curves
    >>> iris, ks = load_iris(), [1, 5, 25]
    >>> model, axes = KNeighborsClassifier(), Figure().subplots()
    >>> shown = validation_curves(
    ...     model, iris.data, iris.target, param_name="n_neighbors", param_range=ks, ax=axes
    ... )
    >>> shown.x, shown.test_scores.mean(axis=1).round(3)
    (array([ 1,  5, 25]), array([0.96 , 0.973, 0.96 ]))
    """

    x: NDArray
    train_scores: NDArray
    test_scores: NDArray
    label: str
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Self:
        """Draw the mean scores, with bands of one standard deviation over the folds.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the lines.

        Returns
        -------
        self
        """
        ax = new_axes() if ax is None else ax
        named = ("training", "validation")
        for name, color, scores in zip(
            named, COLORS, (self.train_scores, self.test_scores), strict=False
        ):
            mean, sd = scores.mean(axis=1), scores.std(axis=1)
            ax.plot(self.x, mean, **{"color": color, "marker": "o", "label": name, **style})
            ax.fill_between(self.x, mean - sd, mean + sd, color=color, alpha=0.15, linewidth=0)
        x = np.asarray(self.x, dtype=float)
        if (x > 0).all() and x.max() > 50 * x.min():
            ax.set_xscale("log")
        ax.set_xlabel(self.label)
        ax.set_ylabel("score")
        ax.legend(frameon=False)
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def learning_curves(
    estimator: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    style: dict[Any, Any] | None = None,
    **arguments: Any,
) -> CurveDisplay:
    """Draw training and test scores against the number of training samples.

    Parameters
    ----------
    estimator : estimator or tuple
        Estimator to fit, of which copies are used; or what `learning_curve` has returned already,
        which is drawn without X and y.
    X : array-like of shape (n, d), optional
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    style : dict, optional
        Of the lines.
    **arguments : object
        Of `learning_curve`.

    Returns
    -------
    CurveDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As `learning_curve`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import learning_curves
    >>> wine = load_wine()
    >>> ax = Figure().subplots()
    >>> shown = learning_curves(
    ...     LinearDiscriminantAnalysis(), wine.data, wine.target, ax=ax, shuffle=True,
    ...     random_state=0, train_sizes=[40, 80, 120],
    ... )
    >>> shown.x
    array([ 40,  80, 120])
    """
    arrays = _arrays_of_results(estimator, X, y, arguments, 3)
    if X is not None:
        arrays = learning_curve(estimator, X, y, **arguments)
    sizes, train, test = arrays[:3]
    return CurveDisplay(sizes, train, test, "training samples").plot(ax=ax, **(style or {}))


def validation_curves(
    estimator: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    *,
    param_name: str,
    param_range: ArrayLike,
    ax: Axes | None = None,
    style: dict[Any, Any] | None = None,
    **arguments: Any,
) -> CurveDisplay:
    """Draw training and test scores against the values of a parameter.

    Parameters
    ----------
    estimator : estimator or tuple
        Estimator to fit, of which copies are used; or what `validation_curve` has returned already,
        which is drawn without X and y.
    X : array-like of shape (n, d), optional
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    param_name : str
        Name of the parameter to vary.
    param_range : array-like of shape (A,)
        Values of the parameter.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    style : dict, optional
        Of the lines.
    **arguments : object
        Of `validation_curve`.

    Returns
    -------
    CurveDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As `validation_curve`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import Ridge
    >>> from statfast.plot import validation_curves
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> shown = validation_curves(
    ...     Ridge(), X, y, param_name="alpha", param_range=[0.1, 1.0], cv=2, ax=Figure().subplots()
    ... )
    >>> shown.ax_.get_xlabel()
    'alpha'
    """
    arrays = _arrays_of_results(estimator, X, y, arguments, 2)
    if X is not None:
        arguments |= {"param_name": param_name, "param_range": param_range}
        arrays = validation_curve(estimator, X, y, **arguments)
    train, test = arrays
    shown = CurveDisplay(np.asarray(param_range), train, test, param_name)
    return shown.plot(ax=ax, **(style or {}))


def _arrays_of_results(
    results: Any, X: Any, y: Any, arguments: dict[Any, Any], n_arrays: int
) -> Any:
    """Results that are given in place of an estimator, as arrays; None if it is one."""
    if not isinstance(results, tuple | list):
        if X is None:
            raise TypeError(
                "X and y must be passed with an estimator; got None. Pass them, or the results of "
                "the curve in place of the estimator."
            )
        return None
    if X is not None or y is not None or arguments:
        raise TypeError(
            "estimator holds results already, which need no X, y or other arguments. Leave them "
            "out."
        )
    arrays = [np.asarray(array) for array in results]
    scores = arrays[n_arrays - 2 : n_arrays]
    if len(arrays) < n_arrays or len({array.shape for array in scores}) != 1 or scores[0].ndim != 2:
        raise ValueError(
            "estimator must be an estimator, or the arrays that the curve returned; got "
            f"{len(arrays)} of shapes {[array.shape for array in arrays]}. Pass them as they are."
        )
    return arrays


def selection_path(result: Any, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw cross-validated scores by the number of features, and the numbers that rules choose.

    Parameters
    ----------
    result : SizeScores, or what holds them
        ``size_scores_`` of a fitted `SequentialFeatureSelector` or `RFECV`, such a selector, or
        what `best_subset` returned with `cv`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the line.

    Returns
    -------
    Display
        Numbers of features `n_features`, the mean scores `means` and their standard `errors`, all
        (S,); lines at the highest mean and at the least number within a standard error of it; and
        `nested`, the mean of the honest scores, drawn across, which is NaN if it was not asked for.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` holds no such scores.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import RFECV, Ridge
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import selection_path
    >>> wine = load_wine()
    >>> selector = RFECV(Ridge()).fit(wine.data[:, 1:], wine.data[:, 0])
    >>> selection_path(selector, ax=Figure().subplots()).ax_.get_xlabel()
    'features'
    """
    for name in ("size_scores_", "size_scores"):
        result = getattr(result, name, result)
    if not isinstance(result, SizeScores):
        raise wrong_type("result", "SizeScores, or a fitted selector that has them", result)

    def draw(display: Display, ax: Any) -> None:
        ax.errorbar(
            display.n_features, display.means, yerr=display.errors,
            **{"color": COLORS[0], "marker": "o", "capsize": 2, "label": "score", **style},
        )  # fmt: skip
        ax.axvline(display.best, color=gray(ax, 0.5), ls=":", label="best")
        if display.within_error != display.best:
            within = {"ls": "--", "label": "one standard error"}
            ax.axvline(display.within_error, color=gray(ax, 0.5), **within)
        if np.isfinite(display.nested):
            ax.axhline(display.nested, color=COLORS[1], label="nested")
        ax.set_xlabel("features")
        ax.set_ylabel("score")
        ax.legend(frameon=False)

    return Display(
        draw, n_features=result.n_features, means=result.means, errors=result.errors,
        best=result.best, within_error=result.within_error, nested=result.nested_score[0],
    ).plot(ax=ax)  # fmt: skip


@dataclass
class ComparisonDisplay:
    """Display of compared models, with intervals of their mean scores.

    Attributes
    ----------
    comparison : statfast.model_selection.Comparison
        The comparison drawn.
    ax_ : matplotlib.axes.Axes
        Axes drawn on.
    figure_ : matplotlib.figure.Figure
        Figure drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KNeighborsClassifier, LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.model_selection import compare
    >>> from statfast.plot import comparison
    >>> wine = load_wine()
    >>> models = {"LDA": LinearDiscriminantAnalysis(), "3-NN": KNeighborsClassifier(3)}
    >>> shown = comparison(compare(models, wine.data, wine.target), ax=Figure().subplots())
    >>> shown.comparison.names
    ['LDA', '3-NN']
    """

    comparison: Comparison
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Self:
        """Draw a line for each model, the first on top.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the points.

        Returns
        -------
        self
        """
        ax = new_axes() if ax is None else ax
        comparison = self.comparison
        place = np.arange(len(comparison.names))[::-1]
        for scores, at in zip(comparison.scores, place, strict=True):
            ax.plot(scores, np.full(len(scores), at), "|", color=gray(ax, 0.75), zorder=0)
        ends = np.abs(comparison.intervals.T - comparison.means)
        ax.errorbar(
            comparison.means, place, xerr=ends,
            **{"fmt": "o", "color": COLORS[0], "capsize": 3, **style},
        )  # fmt: skip
        ax.set_yticks(place, comparison.names)
        ax.set_ylim(-0.5, len(place) - 0.5)
        ax.set_xlabel("score")
        ax.set_ylabel("model")
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def comparison(result: Comparison, *, ax: Axes | None = None, **style: Any) -> ComparisonDisplay:
    """Draw the mean scores of models with corrected intervals, and the scores of single folds.

    Parameters
    ----------
    result : statfast.model_selection.Comparison
        What `compare` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    ComparisonDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not a Comparison.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearRegression, Ridge
    >>> from statfast.model_selection import compare
    >>> from statfast.plot import comparison
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> result = compare([LinearRegression(), Ridge()], X, y, cv=2)
    >>> comparison(result, ax=Figure().subplots()).ax_.get_xlabel()
    'score'
    """
    if not isinstance(result, Comparison):
        raise wrong_type("result", "what compare returned", result)
    return ComparisonDisplay(result).plot(ax=ax, **style)


@dataclass
class TargetDisplay:
    """Display of bias and variance as shots at a target.

    Attributes
    ----------
    names : list of str
        Names of the models.
    shots : list of ndarray of shape (R, 2)
        Each at the distance of its bias, about which it varies.
    ax_ : ndarray of matplotlib.axes.Axes
        Axes drawn on.
    figure_ : matplotlib.figure.Figure
        Figure drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import Ridge
    >>> from statfast.model_selection import bias_variance
    >>> from statfast.plot import bias_variance_target
    >>> X = [[float(i)] for i in range(20)]
    >>> result = bias_variance(Ridge(), X, [x[0] ** 2 for x in X], n_rounds=20, random_state=0)
    >>> shown = bias_variance_target(result, ax=[Figure().subplots()])
    >>> shown.names, shown.shots[0].shape
    (['Bias and variance'], (20, 2))
    """

    names: list
    shots: list
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(self, *, ax: Any = None, **style: Any) -> Self:
        """Draw a target for each model, on one scale.

        Parameters
        ----------
        ax : sequence of matplotlib.axes.Axes, optional
            One for each model.
        **style : object
            Of the shots.

        Returns
        -------
        self
        """
        if ax is None:
            figure = new_axes().figure
            figure.clear()
            ax = figure.subplots(1, len(self.names), squeeze=False)[0]
        ax = np.atleast_1d(ax)
        radius = 1.1 * max(float(np.abs(s).max()) for s in self.shots) or 1.0
        circle = np.linspace(0.0, 2.0 * np.pi, 200)
        for target_ax, name, shots in zip(ax, self.names, self.shots, strict=True):
            for part in (0.25, 0.5, 0.75, 1.0):
                target_ax.plot(
                    part * radius * np.cos(circle), part * radius * np.sin(circle),
                    color=gray(target_ax, 0.85),
                    zorder=0,
                )  # fmt: skip
            target_ax.plot(
                *shots.T, **{"color": COLORS[0], "marker": ".", "ls": "", "ms": 4, **style}
            )
            target_ax.plot(*shots.mean(axis=0), marker="x", color=COLORS[1], ms=8)
            target_ax.set_aspect("equal")
            target_ax.set_xlabel(name)
            target_ax.set_ylabel("")
            target_ax.set_xticks([])
            target_ax.set_yticks([])
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax[0].figure
        return self


def bias_variance_target(
    result: BiasVariance | dict[str, Any], *, ax: Sequence[Axes] | None = None, **style: Any
) -> TargetDisplay:
    """Draw bias and variance as shots at a target, whose center is the truth.

    Parameters
    ----------
    result : BiasVariance or dict of str to BiasVariance
        What `bias_variance` returned, of one model or of several by name.
    ax : sequence of matplotlib.axes.Axes, optional
        One for each model.
    **style : object
        Of the shots.

    Returns
    -------
    TargetDisplay
        A shot for each round: the mean of all lies at the root of the bias (of 0-1 losses, of its
        part of the loss) from the center, and their mean squared distance from it is the variance.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not a BiasVariance.
    ValueError
        If `result` is an empty dict.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import Ridge
    >>> from statfast.model_selection import bias_variance
    >>> from statfast.plot import bias_variance_target
    >>> X = [[float(i)] for i in range(20)]
    >>> result = bias_variance(Ridge(), X, [x[0] ** 2 for x in X], n_rounds=20, random_state=0)
    >>> bias_variance_target(result, ax=Figure().subplots()).names
    ['Bias and variance']
    """
    named = result if isinstance(result, dict) else {"Bias and variance": result}
    if not named:
        raise ValueError("result must hold one result at least; got an empty dict.")
    shots = []
    for target_result in named.values():
        if not isinstance(target_result, BiasVariance):
            raise wrong_type("result", "what bias_variance returned", target_result)
        R = len(target_result.predictions)
        z = as_generator(0).standard_normal((R, 2))
        z -= z.mean(axis=0)
        spread = np.sqrt(max(target_result.variance, 0.0) / (z**2).sum(axis=1).mean())
        shots.append(z * spread + np.array([np.sqrt(max(target_result.bias, 0.0)), 0.0]))
    return TargetDisplay([str(name) for name in named], shots).plot(ax=ax, **style)
