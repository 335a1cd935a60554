# SPDX-License-Identifier: BSD-3-Clause
"""Linear models: coefficients with their intervals, diagnostics, and weights of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import Display, new_axes, shorten_texts
from statfast._typing import Array, ArrayLike, Axes, Rows, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_feature_names,
    shown,
    unusable_model,
    wrong_type,
)
from statfast.linear import NoInferenceError
from statfast.plot.colors import (
    COLORS,
    class_colors,
    gray,
    legend_of_classes,
    paper,
    sizes_of_markers,
)
from statfast.plot.regions import legend_text


def coefficients(
    model: Any,
    *,
    scale: Literal["coefficient", "ratio"] = "coefficient",
    level: float = 0.95,
    intercept: bool = False,
    ax: Axes | None = None,
    intervals: Array | None = None,
    feature_names: Sequence[str] | None = None,
    **style: Any,
) -> Display:
    """Draw the coefficients of a fitted linear model with their intervals.

    Parameters
    ----------
    model : fitted estimator
        With ``coef_``. Intervals are those of ``conf_int``: models without, penalized fits and
        those of several classes, which have a color each, are drawn without intervals.
    scale : {"coefficient", "ratio"}, default="coefficient"
        "ratio" shows exponentials on a logarithmic axis: odds ratios for the logit link, ratios
        of means for the logarithm.
    level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.
    intercept : bool, default=False
        Whether to show the intercept.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    intervals : ndarray of shape (q, 2), optional
        In place of the model's Wald intervals, such as those of
        ``conf_int(method="profile", ...)``; the intercept first.
    feature_names : sequence of str, optional
        Names of the columns; None takes those of the fit.
    **style : object
        Style of the points, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``names``, ``values`` (m,), or (K, m) of several classes, and ``intervals`` (m, 2),
        NaN where there are none. Points are hollow where the interval holds zero, or the ratio one.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the intervals given are not two numbers for each coefficient, or the model is of several
        classes.

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
    if not hasattr(model, "coef_"):
        raise unusable_model(model, "a fitted model with coef_")
    sets, coef_names, kept = _coefficient_sets(model)
    n_columns = int(model.n_features_in_)
    names = coef_names[-n_columns:]
    if feature_names is not None:
        names = as_feature_names(feature_names, model, n_columns)
    names = [*coef_names[: len(coef_names) - n_columns], *names]
    if intervals is None and len(sets) == 1:
        intervals = _wald_intervals(model, level)
    if intervals is not None and len(sets) > 1:
        raise ValueError(
            f"intervals are for one coefficient a column; got a model of {len(sets)} classes. "
            "Leave them out."
        )
    ends = np.full((len(names), 2), np.nan) if intervals is None else _ends(intervals, len(names))
    if len(names) > n_columns and not intercept:
        kept = kept & (np.arange(len(names)) > 0)
    chosen = np.flatnonzero(kept)
    values, ends = np.stack([*sets.values()])[:, chosen], ends[chosen]
    if scale == "ratio":
        with np.errstate(over="ignore"):  # An infinite ratio lies beyond the axis.
            values, ends = np.exp(values), np.exp(ends)
    with_intervals = bool(np.isfinite(ends).any())

    def draw(shown: Display, ax: Any) -> None:
        places = np.arange(len(chosen))[::-1]
        none = 1.0 if scale == "ratio" else 0.0
        ax.axvline(none, color=gray(ax, 0.6), linewidth=1.0, linestyle="--", zorder=1)
        clear = (ends[:, 0] > none) | (ends[:, 1] < none) | ~np.isfinite(ends).any(axis=1)
        offsets = np.linspace(0.25, -0.25, len(values)) if len(values) > 1 else np.zeros(1)
        all_points, limits = [], None
        rows = zip(values, offsets, class_colors(len(values)), sets, strict=True)
        for row, offset, color, label in rows:
            points, lines, limits = interval_lines(row, ends, scale == "ratio")
            all_points += [points, lines.ravel()]
            for marked, face in ((clear, color), (~clear, paper(ax))):
                drawn = marked & np.isfinite(lines).all(axis=1)
                if drawn.any():
                    ax.hlines(places[drawn], *lines[drawn].T, color=color, zorder=2)
                shape = {"marker": "o", "linestyle": "", "markersize": 6, "zorder": 3}
                shape |= {"markeredgecolor": color, "markerfacecolor": face, **style}
                ax.plot(points[marked], places[marked] + offset, **shape)
            if len(values) > 1:
                ax.plot([], [], "o", color=color, label=legend_text(label))
        if scale == "ratio":
            _ratio_axis(ax, np.concatenate(all_points))
        word = "odds ratio, or ratio of means" if scale == "ratio" else "coefficient"
        ax.set_xlabel(word + (f", with {100 * level:g} % intervals" if with_intervals else ""))
        if len(values) > 1:
            legend_of_classes(ax, len(values), 0)
        if limits is not None:
            ax.set_xlim(limits)
        ax.set_yticks(places, shown.names)
        ax.set_ylim(-0.7, len(chosen) - 0.3)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.tick_params(axis="y", length=0)

    names = [names[j] for j in chosen]
    one_or_all = values[0] if len(values) == 1 else values
    return Display(draw, names=names, values=one_or_all, intervals=ends).plot(ax=ax)


def _coefficient_sets(model: Any) -> tuple[dict[Any, Array], list[str], Array]:
    """The coefficients of each class, or of the one model, the intercept first if there is one;
    their names; and which are estimated."""
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=float))
    d = coef.shape[1]
    # Those of several classes are named by class and column.
    names = getattr(model, "coef_names_", None) if len(coef) == 1 else None
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    names = [f"x{j}" for j in range(d)] if names is None else [str(name) for name in names]
    if len(names) == d and getattr(model, "fit_intercept", False):
        names = ["(Intercept)", *names]
    if len(names) > d:
        start = np.broadcast_to(np.ravel(model.intercept_), len(coef))
        coef = np.column_stack([start, coef])
    classes = getattr(model, "classes_", range(len(coef)))
    classes = [None] if len(coef) == 1 else list(classes)[-len(coef) :]
    aliased = getattr(model, "aliased_", None)
    kept = np.ones(coef.shape[1], dtype=bool)
    if aliased is not None:
        flags: Any = np.reshape(aliased, (-1, coef.shape[1]))
        kept = ~flags.all(axis=0)
    return dict(zip(classes, coef, strict=True)), names, kept


def _wald_intervals(model: Any, level: float) -> Any:
    """Intervals of the model; None of a penalized fit, which has none."""
    try:
        return model.conf_int(level=level) if hasattr(model, "conf_int") else None
    except NoInferenceError:
        return None


def _ratio_axis(ax: Any, numbers: Array) -> None:
    """A logarithmic axis with at most seven numbers, and with three where it is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    numbers = numbers[np.isfinite(numbers) & (numbers > 0.0)]
    span = np.log10(numbers.max() / numbers.min()) if len(numbers) else 1.0
    # With all labels, a wide axis would be full of numbers; a narrow one needs those between.
    subs = (
        [1.0] if span > 2.5 else [1.0, 2.0, 5.0] if span > 0.6 else [0.5 * k for k in range(2, 20)]
    )
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=7))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _ends(intervals: Any, q: Any) -> Any:
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


MAX_FINITE = 1e300  # The sums that matplotlib makes of larger numbers overflow.


def interval_lines(values: Array, ends: Array, ratio: bool) -> Any:
    """Return points, the ends of lines, and limits of the axis; None for matplotlib's own.

    Lines without an end reach to the edge, and points that lie at infinity are left out; on the
    logarithmic axis of ratios zero is such an end, too.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at, to = (np.log(values), np.log(ends)) if ratio else (values, ends)
    seen = np.concatenate([at, to.ravel()])
    finite = seen[np.abs(seen) < MAX_FINITE]
    if len(finite) == np.sum(~np.isnan(seen)):
        return values, ends, None
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    margin = 0.1 * (high - low) or 1.0
    limits = np.array([low - margin, high + margin])
    limits = (
        np.clip(limits, -600, 600) if ratio else limits
    )  # Matplotlib takes powers of 10 of these values.
    at, to = np.where(np.abs(at) < MAX_FINITE, at, np.nan), np.clip(to, *limits)
    return (np.exp(at), np.exp(to), np.exp(limits)) if ratio else (at, to, limits)


CONTOURS = (0.5, 1.0)  # The contours of Cook's distance.
# A smooth line is drawn only where there are at least so many distinct residuals.
MIN_DISTINCT_RESIDUALS = 4


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
    influence = model.influence(X, y, sample_weight, offset, exposure)
    residuals = model.residuals(X, y, "deviance", sample_weight, offset, exposure)
    if residuals.ndim > 1:
        raise ValueError(
            f"model must have one residual a row; got {residuals.shape[1]}, one for each class. "
            "Draw that of one class against the rest."
        )
    standard, eta = influence.standardized, influence.linear_predictor
    pearson, leverage = influence.standardized_pearson, influence.leverage
    ok = np.isfinite(standard)

    def draw(shown: Display, ax: Any) -> None:
        shown.ax_ = axes = _four(ax)
        _scatter(axes[0], eta, residuals, np.abs(residuals), n_labels, style)
        dashed = {"color": gray(axes[0], 0.6), "linewidth": 1.0, "linestyle": "--"}
        axes[0].axhline(0, **dashed)
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
        axes[1].axline((0, quartiles.mean()), slope=slope, **dashed)
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

        _scatter(axes[3], leverage, pearson, influence.cooks_distance, n_labels, style)
        axes[3].axhline(0, **dashed)
        bottom, top = axes[3].get_ylim()
        _lines_of_cooks_distance(axes[3], leverage)
        axes[3].set(
            title="Leverage and Cook's distance", xlabel="leverage", ylim=(bottom, top),
            ylabel="standardized Pearson residuals", xlim=(0, 1.05 * leverage.max()),
        )  # fmt: skip
        _write_small(axes if np.size(ax) == 1 else ())

    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(2, 2, figsize=(9, 8), layout="constrained")[1]
    return Display(
        draw, residuals=residuals, standardized=standard, standardized_pearson=pearson,
        linear_predictor=eta, leverage=leverage, cooks_distance=influence.cooks_distance,
    ).plot(ax=ax)  # fmt: skip


def _lines_of_cooks_distance(ax: Any, leverage: Any) -> None:
    """Where Cook's distance has one value, over the leverage."""
    rank = max(leverage.sum(), 1e-300)
    most = min(1.05 * leverage.max(), 0.999)
    line = np.linspace(most / 200, most, 200)
    for distance in CONTOURS:
        height = np.sqrt(distance * rank * (1 - line) / line)
        for sign in (1, -1):
            ax.plot(line, sign * height, color=COLORS[1], linewidth=1.0, linestyle=":")


def _four(ax: Any) -> Any:
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


def _write_small(axes: Any) -> None:
    """Have the titles and labels of four axes fit into the place of one."""
    for ax in axes:
        for text in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts):
            text.set_fontsize("x-small")
        ax.tick_params(labelsize="x-small")


def _scatter(ax: Any, x: Any, y: Any, size: Any, n_labels: int, style: Any) -> None:
    look = {"color": COLORS[0], "markeredgewidth": 0, **sizes_of_markers(len(x))}
    shape = {**look, **style}
    ax.plot(x, y, "o", **shape)
    ok = np.isfinite(x) & np.isfinite(y) & np.isfinite(size)
    rows = np.argsort(np.where(ok, -size, np.inf), kind="stable")[: min(n_labels, ok.sum())]
    middle = (np.min(x[ok]) + np.max(x[ok])) / 2 if ok.any() else 0.0
    for row in rows:
        right = x[row] > middle  # The number stands on the side that has more room.
        ax.annotate(
            str(row), (x[row], y[row]), xytext=(-4 if right else 4, 2), fontsize=8,
            textcoords="offset points", ha="right" if right else "left",
        )  # fmt: skip


def _trend(ax: Any, x: Any, y: Any) -> None:
    """A running mean over the rows in the order of x."""
    order = np.argsort(x, kind="stable")
    half = max(len(x) // 6, MIN_DISTINCT_RESIDUALS)
    if len(x) < 2 * MIN_DISTINCT_RESIDUALS:
        return
    total = np.concatenate([[0.0], np.cumsum(y[order])])
    index = np.arange(len(x))
    low, high = np.maximum(index - half, 0), np.minimum(index + half + 1, len(x))
    ax.plot(x[order], (total[high] - total[low]) / (high - low), color=COLORS[4], linewidth=1.5)


@dataclass
class WordWeightsDisplay:
    """Display of word weights, made by `word_weights`.

    Attributes
    ----------
    words : ndarray of shape (m,)
        The words drawn, from that which says most for `against` to that which says most for `of`.
    weights : ndarray of shape (m,)
        What each occurrence of them adds to the log odds, or to the decision value.
    of, against : label
        The two classes.
    adds_to : str, default="log odds"
        What the weights add to.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultinomialNB
    >>> from statfast.plot import word_weights
    >>> model = MultinomialNB().fit([[3, 0, 1], [0, 2, 1]], ["ham", "spam"])
    >>> words = ["hello", "prize", "you"]
    >>> shown = word_weights(model, words, n_words=1, ax=Figure().subplots())
    >>> shown.words, shown.weights.round(2)
    (array(['hello', 'prize'], dtype=object), array([-1.23,  1.25]))
    """

    words: NDArray[Any]
    weights: NDArray[np.float64]
    of: Any
    against: Any
    adds_to: str = "log odds"
    ax_: Any = None
    figure_: Any = None

    def plot(self, ax: Axes | None = None, **style: Any) -> Self:
        """Draw the weights as bars.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Passed to ``ax.barh``.

        Returns
        -------
        self : WordWeightsDisplay
        """
        self.ax_ = new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        color = [COLORS[0] if weight > 0.0 else COLORS[1] for weight in self.weights]
        place = np.arange(len(self.words))
        self.ax_.barh(place, self.weights, **{"color": color, **style})
        self.ax_.axvline(0.0, color=gray(self.ax_, 0.3), linewidth=0.8)
        self.ax_.set_yticks(place, [str(word) for word in self.words])
        self.ax_.set_xlabel(f"{self.adds_to} of {self.of} against {self.against}, by occurrence")
        shorten_texts(self.ax_)
        return self


def word_weights(
    model: Any,
    feature_names: Any = None,
    *,
    of: Any = None,
    against: Any = None,
    n_words: int = 10,
    ax: Axes | None = None,
    **style: Any,
) -> WordWeightsDisplay:
    """Draw the words with the largest weights for one class and for another.

    Parameters
    ----------
    model : classifier
        Fitted: `MultinomialNB`, `ComplementNB` or `BernoulliNB`; or a linear one with ``coef_`` of
        the classes, such as `LogisticRegression` or `LinearSVC`.
    feature_names : sequence of str of length d, or CountVectorizer, optional
        Names of the columns; None takes those of the fit. Or the fitted vectorizer that made the
        columns.
    of, against : label, optional
        Two classes. None takes the last and the first.
    n_words : int, default=10
        Words of each class.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Passed to ``ax.barh``.

    Returns
    -------
    WordWeightsDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the model is not fitted, or has no such class, or `feature_names` are not one for each
        column.
    TypeError
        If the model has no weights of columns for its classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultinomialNB
    >>> from statfast.plot import word_weights
    >>> model = MultinomialNB().fit([[3, 0, 1], [0, 2, 1]], ["ham", "spam"])
    >>> shown = word_weights(model, ["hello", "prize", "you"], n_words=1, ax=Figure().subplots())
    >>> shown.words.tolist()
    ['hello', 'prize']
    """
    by_class, adds_to = _weights_of_classes(model)
    n = as_count(n_words, "n_words")
    classes = model.classes_
    of = classes[-1] if of is None else of
    against = classes[0] if against is None else against
    first, second = (np.flatnonzero(classes == label) for label in (of, against))
    if len(first) != 1 or len(second) != 1 or first[0] == second[0]:
        raise ValueError(
            f"of and against must be two of the classes ({shown(classes.tolist())}); got "
            f"{shown(of)} and {shown(against)}."
        )
    names = feature_names
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(by_class.shape[1])])
    elif hasattr(names, "get_feature_names_out"):
        names = names.get_feature_names_out()
    names = np.asarray(names, dtype=object)
    if names.shape != (by_class.shape[1],):
        raise ValueError(
            f"feature_names must have {by_class.shape[1]}, one for each column; got shape "
            f"{names.shape}."
        )
    weights = by_class[first[0]] - by_class[second[0]]
    order = np.argsort(weights, kind="stable")
    n = min(n, len(order) // 2 or 1)
    chosen = np.unique(np.concatenate([order[:n], order[len(order) - n :]]))
    chosen = chosen[np.argsort(weights[chosen], kind="stable")]
    shown_words = WordWeightsDisplay(names[chosen], weights[chosen], of, against, adds_to)
    return shown_words.plot(ax, **style)


def _weights_of_classes(model):
    """What an occurrence of each word adds for each class, (K, d), and to what."""
    logs, classes = getattr(model, "feature_log_prob_", None), getattr(model, "classes_", ())
    if logs is not None:
        return logs, "log odds"
    rows = getattr(model, "coef_", None)
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    by_class = np.zeros((0, 0)) if rows is None else np.atleast_2d(np.asarray(rows, np.float64))
    if len(classes) == 2 and len(by_class) == 1:
        by_class = np.concatenate([np.zeros_like(by_class), by_class])
    # A machine of several classes has coefficients for pairs of classes.
    pairs = len(classes) > 2 and hasattr(model, "support_")
    if len(classes) < 2 or len(by_class) != len(classes) or pairs:
        raise unusable_model(
            model, "a naive Bayes model of words, or a linear classifier with coef_"
        )
    odds = hasattr(model, "predict_proba") and not hasattr(model, "support_")
    return by_class, "log odds" if odds else "decision value"
