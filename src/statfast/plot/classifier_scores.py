# SPDX-License-Identifier: BSD-3-Clause
"""Scores of classifiers: ROC, coverage, precision and recall, costs, calibration, confusion."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._estimator import Display, pooled
from statfast._typing import Array, ArrayLike, Axes, Rows, Seed
from statfast._validation import as_choice, as_count, shown, wrong_type
from statfast.metrics import (
    average_precision_score,
    calibration_curve,
    confusion_matrix,
    cost_curve,
    coverage_curve,
    iso_line,
    precision_recall_curve,
    precision_recall_interpolation,
    roc_auc_score,
    roc_band,
    roc_curve,
    roc_hull,
    score_decomposition,
)
from statfast.metrics.ranking.two_classes import binary_codes
from statfast.plot.clusterings import spread_out
from statfast.plot.colors import COLORS, gray
from statfast.plot.rankings import Ranking, asked, ranking_of, rankings_of

MEASURES = (None, "accuracy", "average_recall", "cost")
ISO_COST_LINES = 9  # The number of lines of equal cost.
# Of several curves: the palette without its yellow, which is too pale for lines.
CURVE_COLORS = (COLORS[0], COLORS[4], COLORS[2], COLORS[3], COLORS[1], COLORS[5], "0.3")
CURVE = "statfast curve"  # the group of lines that are curves
NAME_HEIGHT = 0.05  # The least distance of names of points, as a share of the height.


def hull_style(ax: Any) -> dict[str, Any]:
    """The style of a hull, which is named once in a picture of several calls."""
    named = "convex hull" in ax.get_legend_handles_labels()[1]
    label = "_convex hull" if named else "convex hull"
    return {"color": gray(ax, 0.35), "linestyle": "--", "linewidth": 1, "label": label}


def next_color(ax: Any) -> int:
    """How many curves of these pictures are on the axes already: the next has another color."""
    return sum(line.get_gid() == CURVE for line in ax.lines)


def faint(ax: Any) -> dict[str, Any]:
    """The style of lines in the background."""
    return {"color": gray(ax, 0.8), "linewidth": 0.7, "zorder": 0}


def roc(
    truth: Any,
    scores: Any,
    y: ArrayLike | None = None,
    *,
    hull: bool = True,
    iso: Literal["accuracy", "average_recall", "cost"] | None = None,
    cost: tuple[float, float] = (1.0, 1.0),
    band: float | None = None,
    random_state: Seed = 0,
    pos_label: Any = None,
    name: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw ROC curves, with their convex hull, bands, and iso-performance lines.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier of two classes, or a dict of them
        True labels; or a model, of statfast or any other library, or several by their names.
    scores : array-like of shape (n,), or rows of shape (n, d), or dict of name to scores
        Scores, higher where a row is rather positive, or several by their names; or the rows that
        the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    hull : bool, default=True
        Whether to draw the convex hull, of all curves and points.
    iso : {None, "accuracy", "average_recall", "cost"}, default=None
        Lines of equal worth to draw, of which one touches the hull.
    cost : pair of float, default=(1.0, 1.0)
        Of a false positive and of a false negative, for "cost".
    band : float, optional
        Confidence of a bootstrap band, such as 0.95.
    random_state : int, RandomState, Generator or None, default=0
        Seed or generator of the band; an integer makes the result reproducible.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1; of a model, the
        second of its classes.
    name : str, optional
        What the curve is called in the legend; None takes the class of a model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curves, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``fpr``, ``tpr``, ``thresholds``, ``auc``, ``hull`` (rates and thresholds, or None) and
        ``band`` (a `ROCBand`, or None). Of several curves all but the hull are dicts by name, and
        in place of thresholds the hull has the names of the curves that its corners belong to.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there is not one score, without NaN, for each label, or rows of one class only.

    Notes
    -----
    A classifier without scores, or one of several scores that takes two values, is a point beside
    its name: the rates of its decisions.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import roc
    >>> shown = roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().subplots())
    >>> shown.auc
    0.75
    >>> scores = {"a": [0.1, 0.4, 0.35, 0.8], "b": [0, 1, 1, 1]}
    >>> shown = roc([0, 0, 1, 1], scores, ax=Figure().subplots())
    >>> shown.auc
    {'a': 0.75, 'b': 0.75}
    """
    as_choice(iso, "iso", MEASURES)
    name = name_of_model(name, truth, y)
    ranked = rankings_of(truth, scores, y, pos_label)
    curves = {r.name: roc_curve(r.codes, r.scores) for r in ranked}
    sure = {}
    if band is not None:
        sure = {
            r.name: roc_band(r.codes, r.scores, level=band, random_state=random_state)
            for r in ranked
        }
    shape = _hull_of(ranked, curves) if hull else None
    ones, zeros = int(ranked[0].codes.sum()), int((ranked[0].codes == 0).sum())
    aucs = {r.name: roc_auc_score(r.codes, r.scores) for r in ranked}

    def draw(shown: Display, ax: Any) -> None:
        _lines(ax, _joined(curves), iso, cost, ones, zeros, "roc")
        colors = _colors(len(ranked), next_color(ax))
        for color, part in zip(colors, sure.values(), strict=False):
            ax.fill_between(part.fpr, part.low, part.high, color=color, alpha=0.15, linewidth=0)
        if shape is not None:
            ax.plot(*shape[:2], **hull_style(ax))
        ax.plot([0, 1], [0, 1], color=gray(ax, 0.6), linestyle=":", linewidth=1)
        texts = {r.name: named_value(r.name or name, f"AUC {aucs[r.name]:.3f}") for r in ranked}
        _draw_rankings(ax, ranked, curves, texts, (1.0, 1.0), style)
        _unit(ax, "false positive rate", "true positive rate")
        ax.legend(loc="lower right", frameon=False, fontsize=_legend_size(ranked))

    columns = _by_name(("fpr", "tpr", "thresholds"), curves)
    columns |= {"auc": _one_or_all(aucs), "band": _one_or_all(sure) if sure else None}
    return Display(draw, **columns, hull=shape).plot(ax=ax)


def coverage(
    truth: Any,
    scores: Any,
    y: ArrayLike | None = None,
    *,
    hull: bool = True,
    iso: Literal["accuracy", "average_recall", "cost"] | None = "accuracy",
    cost: tuple[float, float] = (1.0, 1.0),
    pos_label: Any = None,
    name: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw coverage curves: numbers of positives against negatives, as scores fall.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier of two classes, or a dict of them
        True labels; or a model, of statfast or any other library, or several by their names.
    scores : array-like of shape (n,), or rows of shape (n, d), or dict of name to scores
        Scores, higher where a row is rather positive, or several by their names; or the rows that
        the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    hull : bool, default=True
        Whether to draw the convex hull, of all curves and points.
    iso : {None, "accuracy", "average_recall", "cost"}, default="accuracy"
        Lines of equal worth to draw, of which one touches the hull.
    cost : pair of float, default=(1.0, 1.0)
        Of a false positive and of a false negative, for "cost".
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1; of a model, the
        second of its classes.
    name : str, optional
        What the curve is called in the legend; None takes the class of a model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curves, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``negatives``, ``positives``, ``thresholds`` and ``hull`` (numbers and thresholds, or
        None). Of several curves all but the hull are dicts by name, and in place of thresholds the
        hull has the names of the curves that its corners belong to.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there is not one score, without NaN, for each label, or rows of one class only.

    Notes
    -----
    A classifier without scores, or one of several scores that takes two values, is a point beside
    its name: the numbers of its true and false positives.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import coverage
    >>> shown = coverage([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().subplots())
    >>> shown.positives
    array([0, 1, 1, 2, 2])
    """
    as_choice(iso, "iso", MEASURES)
    name = name_of_model(name, truth, y)
    ranked = rankings_of(truth, scores, y, pos_label)
    curves = {r.name: coverage_curve(r.codes, r.scores) for r in ranked}
    ones, zeros = int(ranked[0].codes.sum()), int((ranked[0].codes == 0).sum())
    shape = None
    if hull:
        fpr, tpr, at = _hull_of(ranked, {r.name: roc_curve(r.codes, r.scores) for r in ranked})
        shape = fpr * zeros, tpr * ones, at

    def draw(shown: Display, ax: Any) -> None:
        _lines(ax, _joined(curves), iso, cost, ones, zeros, "coverage")
        if shape is not None:
            ax.plot(*shape[:2], **hull_style(ax))
        ax.plot([0, zeros], [0, ones], color=gray(ax, 0.6), linestyle=":", linewidth=1)
        texts = {r.name: r.name or name for r in ranked}
        _draw_rankings(ax, ranked, curves, texts, (zeros, ones), style)
        ax.set_xlim(0, zeros)
        ax.set_ylim(0, ones)
        ax.set_aspect("equal" if max(zeros, ones) < 5 * min(zeros, ones) else "auto")
        ax.set_xlabel(f"negatives ({zeros})")
        ax.set_ylabel(f"positives ({ones})")
        if ranked[0].name is not None or name is not None:
            ax.legend(loc="lower right", frameon=False, fontsize=_legend_size(ranked))

    columns = _by_name(("negatives", "positives", "thresholds"), curves)
    return Display(draw, **columns, hull=shape).plot(ax=ax)


def precision_recall(
    truth: Any,
    scores: Any,
    y: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    name: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the precision-recall curve, interpolated correctly between thresholds.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier of two classes
        True labels; or a model, of statfast or any other library.
    scores : array-like of shape (n,), or rows of shape (n, d)
        Scores, higher where a row is rather positive; or the rows that the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1; of a model, the
        second of its classes.
    name : str, optional
        What the curve is called in the legend; None takes the class of a model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curve, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``precision``, ``recall``, ``thresholds``, ``average_precision``, ``area`` (under the
        curve drawn) and ``prevalence`` (the dotted line, of a ranking at random).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there is not one score, without NaN, for each label, or rows of one class only.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import precision_recall
    >>> shown = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().subplots())
    >>> round(shown.average_precision, 4)
    0.8333
    """
    name = name_of_model(name, truth, y)
    codes, scores = ranking_of(truth, scores, y, pos_label)
    precision, recall, thresholds = precision_recall_curve(codes, scores)
    at, height, area = precision_recall_interpolation(codes, scores)
    share = float(codes.mean())

    def draw(shown: Display, ax: Any) -> None:
        ax.axhline(share, color=gray(ax, 0.6), linestyle=":", linewidth=1)
        label = named_value(name, f"AP {shown.average_precision:.3f}")
        (color,) = _colors(1, next_color(ax))
        ax.plot(at, height, **{"color": color, "label": label, "gid": CURVE, **style})
        shows_points = len(recall) <= 60
        if shows_points:
            ax.plot(recall[:-1], precision[:-1], ".", color=color, markersize=5)
        _unit(ax, "recall", "precision")
        ax.legend(loc="lower left", frameon=False)

    return Display(
        draw, precision=precision, recall=recall, thresholds=thresholds, area=area,
        average_precision=average_precision_score(codes, scores), prevalence=share,
    ).plot(ax=ax)  # fmt: skip


def cost_curves(
    truth: Any,
    scores: Any,
    y: ArrayLike | None = None,
    *,
    lines: bool = True,
    pos_label: Any = None,
    name: str | None = None,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw a cost curve: least expected cost against cost ratio and class proportion.

    Parameters
    ----------
    truth : array-like of shape (n,), or a fitted classifier of two classes
        True labels; or a model, of statfast or any other library.
    scores : array-like of shape (n,), or rows of shape (n, d)
        Scores, higher where a row is rather positive; or the rows that the model is asked about.
    y : array-like of shape (n,), optional
        True labels of the rows, if a model is given.
    lines : bool, default=True
        Whether to draw the line of each threshold of the hull, whose lower envelope the curve is.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1; of a model, the
        second of its classes.
    name : str, optional
        What the curve is called in the legend; None takes the class of a model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the curve, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``probability_cost``, ``cost`` and ``thresholds``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there is not one score, without NaN, for each label, or rows of one class only.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.plot import cost_curves
    >>> shown = cost_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=Figure().subplots())
    >>> round(float(shown.cost.max()), 4)
    0.25
    """
    name = name_of_model(name, truth, y)
    codes, scores = ranking_of(truth, scores, y, pos_label)
    at, cost, thresholds = cost_curve(codes, scores)
    fpr, tpr, _ = roc_hull(codes, scores)

    def draw(shown: Display, ax: Any) -> None:
        if lines:
            ax.plot([0, 1], [fpr, 1 - tpr], **faint(ax))
        ax.plot([0, 0.5, 1], [0, 0.5, 0], color=gray(ax, 0.6), linestyle=":", linewidth=1)
        (color,) = _colors(1, next_color(ax))
        ax.plot(at, cost, **{"color": color, "label": name, "gid": CURVE, **style})
        if name is not None:
            ax.legend(loc="upper left", fontsize="small", framealpha=0.8)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 0.52)
        ax.set_xlabel("probability cost of the positive class")
        ax.set_ylabel("normalized expected cost")

    return Display(draw, probability_cost=at, cost=cost, thresholds=thresholds).plot(ax=ax)


def _lines(ax, points, iso, cost, ones, zeros, space):
    """Lines of equal worth; the darker one is the best that the hull touches."""
    if iso is None:
        return
    wide, high = (1, 1) if space == "roc" else (zeros, ones)
    x, h = points
    slope = iso_line(0.5, ones, zeros, measure=iso, space=space, cost=cost).slope
    best = float((h - slope * x).max())
    for intercept in np.linspace(-slope * wide, high, ISO_COST_LINES + 2)[1:-1]:
        ax.plot([0, wide], [intercept, intercept + slope * wide], **faint(ax))
    ax.plot([0, wide], [best, best + slope * wide], color=gray(ax, 0.45), linewidth=1, zorder=1)


# ------------------------------------------------------------------ one curve, or several by name
def _hull_of(ranked: list[Ranking], curves: Any) -> Any:
    """The upper hull of all curves, its corners and their thresholds, or names of curves."""
    if ranked[0].name is None:
        return roc_hull(ranked[0].codes, ranked[0].scores)
    names = np.concatenate([[name] * len(curve[0]) for name, curve in curves.items()])
    x, h = _joined(curves)
    order = np.lexsort((-h, x))
    kept: list[int] = []
    for i in order.tolist():
        if kept and h[i] <= h[kept[-1]]:
            continue
        while len(kept) > 1:
            a, b = kept[-2:]
            if (x[b] - x[a]) * (h[i] - h[a]) < (h[b] - h[a]) * (x[i] - x[a]):
                break
            kept.pop()
        kept.append(i)
    # All curves begin at (0, 0) and end where everything is positive.
    first = [0] if (x[kept[0]], h[kept[0]]) != (0.0, 0.0) else []
    last = [len(x) - 1] if x[kept[-1]] < x.max() else []
    kept = first + kept + last
    return x[kept], h[kept], names[kept].astype(object)


def _joined(curves: Any) -> Any:
    return tuple(np.concatenate([curve[i] for curve in curves.values()]) for i in (0, 1))


def _one_or_all(values: dict[Any, Any]) -> Any:
    """The value of the only curve without a name, or all by their names."""
    return values.get(None, values)


def _by_name(columns: tuple[str, ...], curves: dict[Any, Any]) -> dict[str, Any]:
    return {
        column: _one_or_all({name: curve[i] for name, curve in curves.items()})
        for i, column in enumerate(columns)
    }


def _colors(n: int, first: int = 0) -> list[str]:
    return [CURVE_COLORS[i % len(CURVE_COLORS)] for i in range(first, first + n)]


def named_value(name: str | None, value: str) -> str:
    """The text of a legend: a name with a value, or the value alone."""
    return value if name is None else f"{name} ({value})"


def name_of_model(name: Any, model: Any, y: Any) -> str | None:
    """The name of a curve: as given, or the class of a model."""
    if name is not None and not isinstance(name, str):
        raise wrong_type("name", "a string", name)
    of_model = y is not None and hasattr(model, "predict")
    return name or (type(model).__name__ if of_model else None)


def _legend_size(ranked: list[Ranking]) -> str:
    return "medium" if ranked[0].name is None else "small"


def _draw_rankings(
    ax: Any, ranked: list[Ranking], curves: Any, texts: Any, sides: tuple[float, float], style: Any
) -> None:
    """Curves, and points with names of what only decides."""
    points = []
    colors = _colors(len(ranked), next_color(ax))
    for color, ranking in zip(colors, ranked, strict=True):
        shape = {"color": color, "label": texts[ranking.name], "gid": CURVE, **style}
        if not ranking.crisp:
            ax.plot(*curves[ranking.name][:2], **shape)
            continue
        del shape["label"]
        rates = ranking.decision_rates()
        x, h = rates[0] * sides[0], rates[1] * sides[1]
        ax.plot(
            [x], [h], **{"marker": "o", "markersize": 7, "clip_on": False, "zorder": 4, **shape}
        )
        points.append((x, h, ranking.name or "decisions"))
    points.sort(key=lambda point: point[1])
    heights = spread_out([h for _, h, _ in points], NAME_HEIGHT * sides[1], sides[1])
    for (x, h, name), height in zip(points, heights, strict=True):
        right = x < 0.6 * sides[0]
        ax.annotate(
            name, (x, h), (x + (0.035 if right else -0.035) * sides[0], height), zorder=4,
            ha="left" if right else "right", va="center", fontsize="small",
            bbox={"boxstyle": "square,pad=0.1", "fc": gray(ax, 1.0), "ec": "none", "alpha": 0.7},
        )  # fmt: skip


def _unit(ax: Any, across: Any, up: Any) -> None:
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_aspect("equal")
    ax.set_xlabel(across)
    ax.set_ylabel(up)


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

    def draw(shown: Display, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=gray(ax, 0.6), linestyle=":", linewidth=1)
        if histogram:
            counts, edges = np.histogram(shares, 20, (0, 1))
            heights = 0.15 * counts / counts.max()
            ax.bar(edges[:-1], heights, width=0.05, align="edge", color=gray(ax, 0.88), zorder=0)
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


def _steps(codes: Array, shares: Array) -> Any:
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

    def draw(shown: Display, ax: Any) -> None:
        totals = matrix.sum(axis=1, keepdims=True)
        shade = matrix / np.where(totals > 0, totals, 1)
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
