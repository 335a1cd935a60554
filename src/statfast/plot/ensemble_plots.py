# SPDX-License-Identifier: BSD-3-Clause
"""Boosting round by round, margins, partial dependence and importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import as_count, as_labels, as_real, unusable_model, wrong_type
from statfast.inspection import PartialDependence, PermutationImportance
from statfast.inspection import partial_dependence as dependence_of
from statfast.plot.colors import COLORS, gray

if TYPE_CHECKING:
    from statfast.ensemble.adaboost.classifier import AdaBoostClassifier


def boosting_errors(
    model: AdaBoostClassifier,
    X: Rows | None = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the training error of AdaBoost by round, its bound, and the test error.

    Parameters
    ----------
    model : AdaBoostClassifier
        Fitted.
    X : array-like of shape (m, d), optional
        Other rows, with their labels `y`.
    y : array-like of shape (m,), optional
        Class labels or target values.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the line of the training error.

    Returns
    -------
    statfast.plot.Display
        With `training`, `bound` and `test` (None without rows), each of shape (T,).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    ValueError
        If X comes without y.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_wine
    >>> from statfast.ensemble import AdaBoostClassifier
    >>> from statfast.plot import boosting_errors
    >>> wine = load_wine()
    >>> model = AdaBoostClassifier(n_estimators=5).fit(wine.data, wine.target)
    >>> boosting_errors(model, ax=Figure().subplots()).training.shape
    (5,)
    """
    if not hasattr(model, "error_bounds_"):
        raise unusable_model(model, "an AdaBoostClassifier")
    if (X is None) != (y is None):
        raise ValueError("X and y must be passed together; got one. Pass both, or none.")
    test = None if X is None else 1.0 - np.array(list(model.staged_score(X, y)))

    def draw(display: Display, ax: Any) -> None:
        rounds = np.arange(1, len(display.training) + 1)
        ax.plot(rounds, display.bound, color=gray(ax, 0.6), linestyle="--", label="bound")
        ax.plot(rounds, display.training, **{"color": COLORS[0], "label": "training", **style})
        if display.test is not None:
            ax.plot(rounds, display.test, color=COLORS[4], label="test")
        ax.set_xlabel("rounds")
        ax.set_ylabel("error")
        ax.set_ylim(bottom=0.0)
        ax.legend()

    numbers = {"training": model.training_errors_, "bound": model.error_bounds_, "test": test}
    return Display(draw, **numbers).plot(ax=ax)


def boosting_margins(
    model: AdaBoostClassifier,
    X: Rows,
    y: ArrayLike,
    *,
    rounds: Sequence[int] | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the cumulative distribution of the margins of AdaBoost.

    Parameters
    ----------
    model : AdaBoostClassifier
        Fitted.
    X : array-like of shape (m, d)
        Samples.
    y : array-like of shape (m,)
        Labels of the classes of the fit.
    rounds : sequence of int, optional
        After which rounds; None takes 5, 20 and all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the lines.

    Returns
    -------
    statfast.plot.Display
        With `rounds` and `margins`, of shape (len(rounds), m), ascending.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    ValueError
        If there are no such rounds.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_wine
    >>> from statfast.ensemble import AdaBoostClassifier
    >>> from statfast.plot import boosting_margins
    >>> wine = load_wine()
    >>> model = AdaBoostClassifier(n_estimators=9).fit(wine.data, wine.target)
    >>> boosting_margins(model, wine.data, wine.target, ax=Figure().subplots()).rounds
    [5, 9]
    """
    if not (hasattr(model, "estimators_") and hasattr(model, "margins")):
        raise unusable_model(model, "an AdaBoostClassifier")
    total = len(model.estimators_)
    if not (rounds is None or hasattr(rounds, "__len__")) or isinstance(rounds, str | dict):
        raise wrong_type("rounds", "a list of rounds", rounds)
    wanted = [t for t in (5, 20, total) if t <= total] if rounds is None else list(rounds)
    wanted = sorted({as_count(t, "rounds", 1, total) for t in wanted})
    if not wanted:
        raise ValueError(f"rounds must be from 1 to {total}; got none. Name one.")
    margins = np.array([np.sort(_margins(model, X, y, t)) for t in wanted])

    def draw(display: Display, ax: Any) -> None:
        share = np.arange(1, display.margins.shape[1] + 1) / display.margins.shape[1]
        for i, (t, values) in enumerate(zip(display.rounds, display.margins, strict=True)):
            shape = {"color": COLORS[i % len(COLORS)], "label": f"{t} rounds", **style}
            ax.step(values, share, where="post", **shape)
        ax.axvline(0.0, color=gray(ax, 0.25), linewidth=0.8)
        ax.set_xlabel("margin")
        ax.set_ylabel("cumulative fraction of samples")
        ax.set_ylim(0.0, 1.0)
        ax.legend()

    return Display(draw, rounds=wanted, margins=margins).plot(ax=ax)


def _margins(model: Any, X: Any, y: Any, t: float) -> Any:
    """Of the first t members: a model of these alone."""
    part = type(model)(**model.get_params(deep=False))
    part.__dict__.update(vars(model))
    part.estimators_ = model.estimators_[:t]
    part.estimator_weights_ = model.estimator_weights_[:t]
    as_labels(y, np.size(y))
    return part.margins(X, y)


def partial_dependence(
    model: Any,
    X: Rows | None = None,
    features: int | str | tuple[int, int] | None = None,
    *,
    output: int = 0,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the partial dependence of a model on one or two features.

    Parameters
    ----------
    model : estimator or statfast.inspection.PartialDependence
        Fitted; with X and features, as `statfast.inspection.partial_dependence`.
    X : array-like of shape (n, d), optional
        Training samples, where they are needed.
    features : int, str, or a pair of them, optional
        One feature, or a pair.
    output : int, default=0
        Which class or output.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the line, or of the filled contours.

    Returns
    -------
    statfast.plot.Display
        With `dependence`, a `PartialDependence`. One column: a line, over those of up to 50 rows if
        these are there; categories as points. Two columns: filled contours.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there are more than two columns, or no such output.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import partial_dependence
    >>> wine = load_wine()
    >>> model = LinearDiscriminantAnalysis().fit(wine.data, wine.target)
    >>> shown = partial_dependence(model, wine.data, 6, output=2, ax=Figure().subplots())
    >>> shown.dependence.average.shape
    (3, 100)
    """
    dependence = model
    if not isinstance(model, PartialDependence):
        if X is None or features is None:
            raise wrong_type("features", "one or two columns, with X", features)
        dependence = dependence_of(model, X, features)
    if len(dependence.grid_values) > 2:
        raise ValueError(f"features must be one or two to draw; got {len(dependence.grid_values)}.")
    outputs = len(dependence.labels)
    if isinstance(output, bool) or not isinstance(output, int) or not 0 <= output < outputs:
        raise ValueError(f"output must be from 0 to {outputs - 1}; got {output!r}.")

    def draw(display: Display, ax: Any) -> None:
        (_draw_line if len(dependence.grid_values) == 1 else _draw_surface)(
            dependence, output, ax, style
        )

    return Display(draw, dependence=dependence).plot(ax=ax)


AVERAGES = {
    "predict": "mean prediction",
    "predict_proba": "mean probability",
    "decision_function": "mean decision function",
    "raw": "mean raw prediction, less the first",
}


def _axis_label(dependence: PartialDependence, output: int) -> str:
    label, words = dependence.labels[output], AVERAGES[dependence.response]
    return words if label is None else f"{words}, class {label}"


def _draw_line(dependence: PartialDependence, output: int, ax: Any, style: dict[Any, Any]) -> None:
    values = dependence.grid_values[0]
    named = values.dtype.kind not in "fiub"
    at = np.arange(len(values)) if named else values
    if dependence.individual is not None:
        for row in dependence.individual[output][:50]:
            ax.plot(at, row, color=gray(ax, 0.8), linewidth=0.7, zorder=1)
    if dependence.average is not None:
        marker = {"marker": "o", "linestyle": "none"} if named else {}
        ax.plot(at, dependence.average[output], **{"color": COLORS[0], **marker, **style})
    if named:
        ax.set_xticks(at, [str(value) for value in values])
    ax.set_xlabel(dependence.names[0])
    ax.set_ylabel(_axis_label(dependence, output))


def _draw_surface(dependence: PartialDependence, output: int, ax: Any, style: Any) -> None:
    if dependence.average is None:
        raise ValueError("kind must be 'average' or 'both' to draw two columns; got 'individual'.")
    across, up = dependence.grid_values
    if min(len(across), len(up)) < 2:
        raise ValueError("X must have two values or more in each of two columns that are drawn.")
    drawn = ax.contourf(across, up, dependence.average[output].T, **{"levels": 12, **style})
    ax.figure.colorbar(drawn, ax=ax, label=_axis_label(dependence, output))
    ax.set_xlabel(dependence.names[0])
    ax.set_ylabel(dependence.names[1])


def permutation_importances(
    result: PermutationImportance,
    *,
    level: float = 0.95,
    most: int = 20,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw permutation importances with intervals, the largest on top.

    Parameters
    ----------
    result : statfast.inspection.PermutationImportance
        Result of `statfast.inspection.permutation_importance`.
    level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.
    most : int, default=20
        Columns to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `names`, `means` and `intervals` of the columns drawn.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is no such result.
    ValueError
        If `level` is not between 0 and 1, or there was one repeat alone.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.inspection import permutation_importance
    >>> from statfast.plot import permutation_importances
    >>> wine = load_wine()
    >>> model = LinearDiscriminantAnalysis().fit(wine.data, wine.target)
    >>> result = permutation_importance(model, wine.data, wine.target, random_state=0)
    >>> permutation_importances(result, most=3, ax=Figure().subplots()).names[0]
    'x6'
    """
    if not isinstance(result, PermutationImportance):
        raise wrong_type("result", "a PermutationImportance", result)
    as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    most = as_count(most, "most")
    order = np.argsort(-result.importances_mean, kind="stable")[:most]

    def draw(display: Display, ax: Any) -> None:
        at = np.arange(len(display.means))
        errors = np.abs(display.intervals.T - display.means)
        ax.errorbar(display.means, at, xerr=errors, **{"fmt": "o", "color": COLORS[0], **style})
        ax.axvline(0.0, color=gray(ax, 0.25), linewidth=0.8)
        ax.set_yticks(at, display.names)
        ax.invert_yaxis()
        ax.set_xlabel("fall of the score when permuted")

    return Display(
        draw,
        names=[result.names[j] for j in order],
        means=result.importances_mean[order],
        intervals=result.interval(level)[order],
    ).plot(ax=ax)
