# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of classifiers: reliability of probabilities, and the confusion matrix."""

from typing import Any, Literal

import numpy as np

from statfast._estimator import Display, pooled
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import (
    as_choice,
    as_count,
    shown,
)
from statfast.metrics import calibration_curve, confusion_matrix, score_decomposition
from statfast.metrics.ranking.two_classes import binary_codes
from statfast.plot.ranking_plots import asked
from statfast.plot.regions import COLORS


def calibration(
    truth: Any,
    scores: ArrayLike | Rows,
    y: ArrayLike | None = None,
    *,
    strategy: Literal["isotonic", "uniform", "quantile"] = "isotonic",
    n_bins: int = 10,
    histogram: bool = True,
    pos_label: Any = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a calibration curve: observed frequencies against predicted probabilities.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier of two classes
        True labels; or a model with ``predict_proba``, of statfast or any other library.
    scores : array-like of shape (n,), or rows of shape (n, d)
        Probabilities of the positive class; or the rows that the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    strategy : {"isotonic", "uniform", "quantile"}, default="isotonic"
        The rising function that is nearest to the labels (CORP), which needs no bins; or bins of
        equal width, or of equal numbers of rows.
    n_bins : int, default=10
        Bins, unless isotonic.
    histogram : bool, default=True
        Whether to show below how many rows have which probability.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1; of a model, the
        second of its classes.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curve, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``prob_pred``, ``prob_true`` (places and heights of the curve) and ``parts``, the
        `ScoreParts` of the Brier score, which are written into the picture.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there is not one probability between 0 and 1 for each label.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import calibration
    >>> shown = calibration([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9], ax=Figure().subplots())
    >>> shown.prob_true
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    as_choice(strategy, "strategy", ("isotonic", "uniform", "quantile"))
    n_bins = as_count(n_bins, "n_bins")
    if y is not None:
        codes, shares = asked(truth, scores, y, pos_label)
    else:
        codes, shares = binary_codes(truth, pos_label), np.asarray(scores, dtype=float)
    prob_true, prob_pred = calibration_curve(
        codes, shares, pos_label=1, n_bins=n_bins, strategy=strategy
    )
    if strategy == "isotonic":
        prob_pred, prob_true = _steps(codes, shares)
    parts = score_decomposition(codes, shares)

    def draw(shown, ax):
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1)
        if histogram:
            counts, edges = np.histogram(shares, 20, (0, 1))
            heights = 0.15 * counts / counts.max()
            ax.bar(edges[:-1], heights, width=0.05, align="edge", color="0.88", zorder=0)
        marker = "" if strategy == "isotonic" else "o"
        ax.plot(prob_pred, prob_true, **{"color": COLORS[0], "marker": marker, **style})
        text = (
            f"miscalibration {parts.miscalibration:.4f}\n"
            f"discrimination {parts.discrimination:.4f}\n"
            f"uncertainty {parts.uncertainty:.4f}"
        )
        ax.text(0.03, 0.97, text, transform=ax.transAxes, va="top", fontsize="small")
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        ax.set_aspect("equal")
        ax.set_xlabel("predicted probability")
        ax.set_ylabel("fraction of positives")

    return Display(draw, prob_pred=prob_pred, prob_true=prob_true, parts=parts).plot(ax=ax)


def _steps(codes, shares):
    """Both ends of each block of the isotonic function."""
    places, at, counts = np.unique(shares, return_inverse=True, return_counts=True)
    target = np.bincount(at, codes) / counts
    levels, ends = pooled(target, counts.astype(float))
    edges = np.column_stack([np.concatenate([[0], ends[:-1]]), ends - 1]).ravel()
    kept = np.concatenate([[True], np.diff(edges) > 0])
    return places[edges][kept], np.repeat(levels, 2)[kept]


def confusion(
    truth: Any,
    predicted: Any,
    y: ArrayLike | None = None,
    *,
    labels: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a confusion matrix: true classes down, predicted classes across.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier
        True labels; or a model, of statfast or any other library.
    predicted : array-like of shape (n,), or rows of shape (n, d)
        Predicted labels; or the rows that the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    labels : array-like of shape (K,), optional
        Which classes, in this order; None takes all, sorted.
    normalize : {None, "true", "pred", "all"}, default=None
        Numbers as shares of those of their row, of their column, or of all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the picture, passed to ``ax.imshow``.

    Returns
    -------
    Display
        With ``matrix`` and ``labels``. Shades are by row, so that a rare class can be seen.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As `confusion_matrix`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import confusion
    >>> shown = confusion(["a", "b", "b"], ["a", "b", "a"], ax=Figure().subplots())
    >>> shown.matrix
    array([[1, 0],
           [1, 1]])
    """
    if y is not None:
        if isinstance(truth, type) or not hasattr(truth, "predict"):
            raise TypeError(
                f"truth must be a fitted classifier where y is passed; got {shown(truth)}. Leave y "
                "out, or pass a model."
            )
        truth, predicted = y, truth.predict(predicted)  # type: ignore[union-attr]
    matrix = confusion_matrix(truth, predicted, labels=labels, normalize=normalize)
    if labels is None:
        labels = np.unique(np.concatenate([np.ravel(truth), np.ravel(predicted)]))
    named = [str(label) for label in labels]

    def draw(shown, ax):
        mass = matrix.sum(axis=1, keepdims=True)
        shade = matrix / np.where(mass > 0, mass, 1)
        ax.imshow(shade, **{"cmap": "Blues", "vmin": 0, "vmax": 1, **style})
        if len(named) <= 30:
            for (i, j), value in np.ndenumerate(matrix):
                text = f"{value:d}" if matrix.dtype.kind == "i" else f"{value:.2f}"
                color = "white" if shade[i, j] > 0.6 else "0.15"
                ax.text(j, i, text, ha="center", va="center", color=color, fontsize="small")
            places = range(len(named))
            turned = 45 if max(map(len, named)) > 6 else 0
            ax.set_xticks(places, named, rotation=turned, ha="right" if turned else "center")
            ax.set_yticks(places, named)
        ax.set_xlabel("predicted class")
        ax.set_ylabel("true class")

    return Display(draw, matrix=matrix, labels=labels).plot(ax=ax)
