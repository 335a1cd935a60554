# SPDX-License-Identifier: BSD-3-Clause
"""Forests: the importances of columns over trees, and the out-of-bag error tree by tree."""

from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import as_count, as_real, wrong_type
from statfast.plot.regions import COLORS
from statfast.plot.tree_picture import column_names


def importances(
    model: Any,
    *,
    feature_names: ArrayLike | None = None,
    level: float = 0.9,
    most: int = 20,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw impurity importances of a forest, and their variation over trees.

    Parameters
    ----------
    model : random forest or extremely randomized trees
        Fitted.
    feature_names : array-like of str, shape (p,), optional
        None takes those of the fit.
    level : float, default=0.9
        The share of the trees that the intervals hold: from the quantile (1 - level) / 2 of the
        importances of single trees to that of (1 + level) / 2. This is how trees differ, not the
        error of the mean.
    most : int, default=20
        Columns to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the points.

    Returns
    -------
    statfast.plot.Display
        With `names`, `means` (as `feature_importances_`) and `intervals`, of shape (m, 2), of the
        columns drawn.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is no forest.
    ValueError
        If `level` is not between 0 and 1, `most` is less than 1, or names are not one for each
        column.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.ensemble import RandomForestClassifier
    >>> from statfast.plot import importances
    >>> iris = load_iris()
    >>> model = RandomForestClassifier(50, random_state=0).fit(iris.data, iris.target)
    >>> sorted(importances(model, ax=Figure().subplots()).names[:2])
    ['x2', 'x3']
    """
    _forest(model, "tree_importances_")
    trees = model.tree_importances_
    names = column_names(model, feature_names)
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    order = np.argsort(-model.feature_importances_, kind="stable")[: as_count(most, "most")]
    ends = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]

    def draw(display, ax):
        at = np.arange(len(display.means))
        drawn = {"color": COLORS[0], "marker": "o", "linestyle": "none", **style}
        ax.hlines(at, *display.intervals.T, color=drawn["color"], linewidth=1.5, alpha=0.6)
        ax.plot(display.means, at, **drawn)
        ax.set_yticks(at, display.names)
        ax.invert_yaxis()
        ax.set_xlim(left=0.0)
        ax.set_xlabel("importance (decrease of impurity)")

    return Display(
        draw,
        names=[names[j] for j in order],
        means=model.feature_importances_[order],
        intervals=np.quantile(trees[:, order], ends, axis=0).T,
    ).plot(ax=ax)


def out_of_bag(
    model: Any, X: Rows, y: ArrayLike, *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw the out-of-bag error of a forest against the number of trees.

    Parameters
    ----------
    model : random forest, or extremely randomized trees with ``bootstrap=True``
        Fitted.
    X : array-like of shape (n, p)
        The rows of the fit.
    y : array-like of shape (n,) or (n, outputs)
        Their targets.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Of the line.

    Returns
    -------
    statfast.plot.Display
        With `errors`, of shape (n_estimators,), as ``model.out_of_bag_errors(X, y)``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model is no forest.
    ValueError
        If the model was fitted with ``bootstrap=False``, or X has another shape than at fit.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.ensemble import RandomForestClassifier
    >>> from statfast.plot import out_of_bag
    >>> iris = load_iris()
    >>> model = RandomForestClassifier(50, random_state=0).fit(iris.data, iris.target)
    >>> shown = out_of_bag(model, iris.data, iris.target, ax=Figure().subplots())
    >>> float(shown.errors[-1].round(2))
    0.04
    """
    _forest(model, "out_of_bag_errors")
    errors = model.out_of_bag_errors(X, y)

    def draw(display, ax):
        trees = np.arange(1, len(display.errors) + 1)
        ax.plot(trees, display.errors, **{"color": COLORS[0], **style})
        ax.set_xlabel("trees")
        share = hasattr(model, "classes_")
        ax.set_ylabel("out-of-bag error" if share else "out-of-bag mean squared error")
        ax.set_ylim(bottom=0.0)

    return Display(draw, errors=errors).plot(ax=ax)


def _forest(model, needed):
    """Refuse what is no forest; one that is not fitted refuses by itself."""
    if not hasattr(type(model), needed):
        raise wrong_type("model", "a random forest or extremely randomized trees", model)
