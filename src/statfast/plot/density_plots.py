# SPDX-License-Identifier: BSD-3-Clause
"""Densities: of one column with what classifiers decide by it, and of two as a surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import Display, NamedRows, log_sum_exp, rows_like
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    MAX_REPEATS,
    as_columns,
    as_count,
    as_flag,
    as_labels,
    as_pair,
    as_real,
    as_rows,
    not_fitted,
    refuse_large,
    shown,
    unusable_model,
    wrong_type,
)
from statfast.generative import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GammaNB,
    MixedNB,
    MultinomialNB,
    MultivariateNormal,
    PoissonNB,
)
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.mixture import GaussianMixture
from statfast.plot.colors import chosen_colors, gray
from statfast.plot.normal_plots import normals_of
from statfast.plot.regions import (
    as_feature,
    equal_bins,
    legend_text,
    names_of_columns,
    side,
    switches,
)

ROWS_DRAWN = 2000  # The rows drawn of a model, to see where its densities are.
STRIP = 0.06  # The height of the strip of decisions, as a share of the highest curve.
LEGEND_COLUMNS = 3
# Points: the height of a line, and the widths of a handle with its gaps and of a letter.
LEGEND_LINE, LEGEND_HANDLE, LETTER = 10.5, 42.0, 4.8
KINDS = {
    BernoulliNB: "bernoulli",
    CategoricalNB: "categorical",
    GammaNB: "gamma",
    PoissonNB: "poisson",
}
FILLS = {"gamma": 1.0}  # A value that columns of a kind may have; those of others may be 0.
DISCRETE = ("bernoulli", "categorical", "poisson")


@dataclass(frozen=True)
class ColumnDensities:
    """Densities of one column: of each class, of each component, or a single one.

    ``logs`` gives the logarithms (m, K) at values (m,). A discrete column has a ``kind`` among
    `DISCRETE`, and the ``levels`` of a categorical one stand for 0, 1, ...
    """

    logs: Callable[[Array], Array]
    priors: Array
    labels: list[Any]
    classes: Array | None = None
    kind: str = "continuous"
    levels: list[Any] | None = None
    threshold: float | None = None


def densities(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    *,
    feature: int | str = 0,
    prior: bool = True,
    bins: int = 30,
    resolution: int = 500,
    margin: float = 0.1,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    **style: Any,
) -> Display:
    """Draw the densities of one column: a histogram, those of the classes, and decisions.

    Parameters
    ----------
    model : classifier, mixture or density
        Fitted: a naive Bayes model, a discriminant, `BayesClassifier`, `GaussianMixture`, whose
        components are shown, or `MultivariateNormal`; of one column, all that have
        ``predict_joint_log_proba`` or ``score_samples``, such as kernel densities, or models of
        other libraries.
    X : array-like of shape (n, d), optional
        Rows whose histograms are drawn; None draws none.
    y : array-like of shape (n,), optional
        Their classes, where the model is a classifier. None draws one histogram of all.
    feature : int or str, default=0
        The column, by its number or its name.
    prior : bool, default=True
        Whether the density of a class is multiplied by its prior probability, as Bayes' rule does:
        the highest curve is then that of the decision. False draws densities that each have area 1.
    bins : int, default=30
        Intervals of the histograms, of equal width.
    resolution : int, default=500
        Points at which the densities are evaluated.
    margin : float, default=0.1
        How far the picture extends beyond the rows, as a share of their range.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each class; None takes a palette of seven that repeats.
    **style : object
        Style of the curves, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``x`` (m,), ``densities`` (K, m), ``total`` (m,), their sum with the priors, ``labels``
        and ``priors`` (K,), ``boundaries``, where decisions change, and ``intervals``, a list of
        (low, high, label).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model has no densities.
    ValueError
        If the model does not say how one of its several columns is distributed, there is no such
        column, X or y do not fit the model, or a parameter is out of its range.

    Notes
    -----
    Of several columns the picture shows the marginal density of one, and decisions by it alone; of
    one column, those of ``predict``. A histogram has the area of the prior of its class, or 1.
    Probabilities of counts and categories are points over bars of their shares. Without X, 2000
    rows drawn of the model show where its densities are.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import densities
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X[:, 2:3], y)
    >>> shown = densities(model, X[:, 2:3], y, ax=Figure().subplots())
    >>> shown.boundaries.round(3)  # half way between the means: 1.462, 4.26 and 5.552
    array([2.861, 4.906])
    """
    by_prior = as_flag(prior, "prior")
    bins, resolution = (
        as_count(bins, "bins", 1, 10_000),
        as_count(resolution, "resolution", 2, MAX_REPEATS),
    )
    margin = as_real(margin, "margin", 0.0)
    names = _columns_of(model, X)
    j = as_feature(feature, names)
    column = column_densities(model, j, len(names), X)
    values, codes = _values_of(column, j, X, y)
    refuse_large(32 * resolution * len(column.labels), f"resolution={resolution}", "Lower it.")
    x = _places(model, column, j, values, resolution, margin)
    joint = np.exp(np.minimum(column.logs(x), 690.0)).T
    total, weights = column.priors @ joint, column.priors if by_prior else np.ones(len(joint))
    palette = chosen_colors(colors, len(column.labels))
    ends, intervals = _decisions(model, column, x, len(names), X)
    heights = _histograms(column, values, codes, weights, x, bins)

    def draw(display: Display, ax: Any) -> None:
        _draw_histograms(ax, column, heights, palette, x)
        _draw_curves(ax, column, display, palette, style)
        _draw_decisions(ax, column, display, palette)
        ax.set_xlabel(names[j])
        discrete = column.kind in DISCRETE
        quantity = "probability" if discrete else "density"
        several = by_prior and column.classes is not None
        ax.set_ylabel(f"prior \N{MULTIPLICATION SIGN} {quantity}" if several else quantity)

    numbers = {"x": x, "densities": joint * weights[:, None], "total": total}
    numbers |= {"labels": column.labels, "priors": column.priors}
    return Display(draw, **numbers, boundaries=ends, intervals=intervals).plot(ax=ax)


# ------------------------------------------------------------------ what models say of a column
def _columns_of(model: Any, X: Any) -> list[str]:
    if isinstance(model, type) or not (
        hasattr(model, "predict_joint_log_proba") or hasattr(model, "score_samples")
        or isinstance(model, MultivariateNormal | GaussianMixture)
    ):  # fmt: skip
        raise wrong_type("model", "a fitted classifier or mixture with densities", model)
    if hasattr(model, "__sklearn_is_fitted__") and not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    if not hasattr(model, "n_features_in_") or hasattr(model, "offset_"):
        raise unusable_model(model, "a fitted classifier or mixture with densities")
    return names_of_columns(model, X, int(model.n_features_in_))


def column_densities(model: Any, j: int, d: int, X: Any) -> ColumnDensities:
    """The densities of column j of the d of a model, which is asked about rows of the kind of X."""
    if isinstance(model, NaiveBayesModel):
        return _of_naive_bayes(model, j, d)
    if isinstance(model, MultivariateNormal | GaussianMixture) or d > 1:
        return _of_normals(model, j)
    classes = getattr(model, "classes_", None)
    if hasattr(model, "predict_joint_log_proba") and classes is not None:
        logs = np.log(_priors(model))

        def class_logs(values: Array) -> Array:
            with np.errstate(invalid="ignore"):
                joint = (
                    np.asarray(model.predict_joint_log_proba(_named(model, X, values[:, None])))
                    - logs
                )
            return np.where(np.isnan(joint), -np.inf, joint)

        labels = [str(label) for label in classes]
        return ColumnDensities(class_logs, np.exp(logs), labels, np.asarray(classes))

    def all_logs(values: Array) -> Array:
        return np.asarray(model.score_samples(_named(model, X, values[:, None])), np.float64)[
            :, None
        ]

    return ColumnDensities(all_logs, np.ones(1), [""])


def _named(model: Any, X: Any, rows: Array) -> Any:
    """Rows of the kind of X, or without it with the names that the model was fitted with."""
    names = getattr(model, "feature_names_in_", None)
    if X is not None or names is None:
        return rows_like(X, rows)
    return NamedRows(rows, np.asarray(names, dtype=object))


def _priors(model: Any) -> Array:
    for name in ("priors_", "class_prior_"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name), np.float64)
    if hasattr(model, "class_log_prior_"):
        return np.exp(np.asarray(model.class_log_prior_, np.float64))
    raise wrong_type("model", "a classifier with the priors of its classes", model)


def _of_normals(model: Any, j: int) -> ColumnDensities:
    """Marginals of normal densities."""
    try:
        means, covariances, labels = normals_of(model)
    except TypeError:
        raise ValueError(
            f"model must have one column, or say how each of its columns is distributed; got "
            f"{shown(model)} of {model.n_features_in_} columns. Fit it to the column alone."
        ) from None
    mean, variance = means[:, j], np.array([covariance[j, j] for covariance in covariances])
    if not (variance > 0).all():
        raise ValueError(f"model must have a density; feature {j} has variance 0. Draw another.")

    def logs(values: Array) -> Array:
        squares = (values[:, None] - mean) ** 2 / variance
        return -0.5 * (squares + np.log(2.0 * np.pi * variance))

    if isinstance(model, GaussianMixture):
        return ColumnDensities(logs, np.asarray(model._components().weights), labels)
    classes = getattr(model, "classes_", None)
    priors = np.ones(1) if classes is None else _priors(model)
    return ColumnDensities(logs, priors, labels, None if classes is None else np.asarray(classes))


def _of_naive_bayes(model: Any, j: int, d: int) -> ColumnDensities:
    """The density of a column within the classes, as naive Bayes has them."""
    if isinstance(model, MultinomialNB | ComplementNB):
        raise ValueError(
            f"model must have a density for each column; got {shown(model)}, which has one for "
            "all counts of a row. Draw its word_weights."
        )
    fitted, log_priors = model._joint
    kind, levels, place, width = KINDS.get(type(model), "continuous"), None, j, d
    if isinstance(model, MixedNB):
        number = next(i for i, at in enumerate(fitted.density.places) if j in at)
        kind, places = fitted.density.kinds[number], fitted.density.places[number]
        if kind == "multinomial":
            raise ValueError(f"feature must not be a count of a multinomial; got {j}.")
        fitted, place, width = fitted.parts[number], places.index(j), len(places)
        levels = model.categories_.get(j)

    def logs(values: Array) -> Array:
        rows = np.full((len(values), width), FILLS.get(kind, 0.0))
        inside = values > 0.0 if kind == "gamma" else np.ones(len(values), dtype=bool)
        rows[inside, place] = values[inside]
        terms = np.asarray(fitted.terms(rows)[:, :, place], np.float64)
        terms[~inside] = -np.inf
        if kind == "poisson":
            from scipy.special import gammaln

            terms = terms - gammaln(values + 1.0)[:, None]
        return terms

    if kind == "categorical" and levels is None:
        levels = list(range(int(model.n_categories_[j])))
    drawn = kind if kind in DISCRETE else "continuous"
    threshold = getattr(model, "binarize", None) if kind == "bernoulli" else None
    labels = [str(label) for label in model.classes_]
    priors = np.exp(log_priors) / np.exp(log_priors).sum()
    return ColumnDensities(logs, priors, labels, model.classes_, drawn, levels, threshold)


# ------------------------------------------------------------------ what is drawn
def _values_of(column: ColumnDensities, j: int, X: Any, y: Any) -> Any:
    """The values of a column of X, and the codes of their classes; None without X."""
    if X is None:
        if y is not None:
            raise ValueError("y must come with X; got y alone. Pass both, or none.")
        return None, None
    if column.levels is not None and column.kind == "categorical":
        table = as_columns(X)[j]
        order = {level: code for code, level in enumerate(column.levels)}
        values = np.array([order.get(value, np.nan) for value in table.tolist()], np.float64)
        if np.isnan(values).any():
            raise ValueError(
                f"X must hold categories of the fit in column {j}: {shown(column.levels)}."
            )
    else:
        values = as_rows(as_columns(X)[j][:, None]).astype(np.float64)[:, 0]
    if column.threshold is not None:
        values = (values > column.threshold).astype(np.float64)
    codes = np.zeros(len(values), np.intp)
    if y is None or column.classes is None:
        return values, codes
    labels, label_codes = as_labels(y, len(values))
    unknown = ~np.isin(labels, column.classes)
    if unknown.any():
        raise ValueError(
            f"y must hold classes of the model, {shown(column.labels)}; got "
            f"{shown(labels[unknown].tolist())}."
        )
    return values, np.searchsorted(column.classes, labels)[label_codes] + 1


def _places(model: Any, column: Any, j: int, values: Any, resolution: int, margin: float) -> Any:
    """Where the densities are evaluated."""
    if column.kind == "categorical":
        return np.arange(len(column.levels), dtype=float)
    if column.kind == "bernoulli":
        return np.array([0.0, 1.0])
    if values is None:
        if not callable(getattr(model, "sample", None)):
            raise ValueError("X must be passed with a model that cannot be sampled; got None.")
        drawn = model.sample(ROWS_DRAWN, random_state=0)
        drawn = drawn[0] if isinstance(drawn, tuple) else drawn
        values = np.asarray(drawn[:, j], dtype=np.float64)
    if column.kind == "poisson":
        most = int(min(values.max(initial=0.0), MAX_REPEATS))
        return np.arange(max(most, 1) + 1, dtype=float)
    return side(values, margin, resolution)


def _decisions(model: Any, column: Any, x: Any, d: int, X: Any) -> Any:
    """Where decisions change, and the intervals between, with their labels."""
    if len(column.labels) < 2:
        return np.empty(0), []
    labels = np.array(column.labels, dtype=object)
    with np.errstate(divide="ignore"):
        log_priors = np.log(column.priors)

    def decide(values: Array) -> Array:
        if d == 1 and column.classes is not None and column.kind == "continuous":
            return np.array(
                [str(label) for label in model.predict(_named(model, X, values[:, None]))]
            )
        joint = column.logs(values) + log_priors
        return labels[joint.argmax(axis=1)].astype(str)

    if column.kind in DISCRETE:
        decisions = decide(x)
        ends = x[:-1][decisions[1:] != decisions[:-1]] + 0.5
        edges = np.concatenate([[x[0] - 0.5], ends, [x[-1] + 0.5]])
    else:
        ends = switches(decide, x)
        edges = np.concatenate([x[:1], ends, x[-1:]])
    starts = np.concatenate([[0], np.flatnonzero(np.diff(np.searchsorted(ends, x))) + 1])
    decisions = decide(x[starts]) if len(starts) == len(edges) - 1 else decide(edges[:-1])
    return ends, list(zip(edges[:-1].tolist(), edges[1:].tolist(), decisions.tolist(), strict=True))


def _histograms(column: Any, values: Any, codes: Any, weights: Any, x: Any, bins: int) -> Any:
    """Edges and the heights of each class, by its number; -1 is all rows. None without rows."""
    if values is None:
        return None
    discrete = column.kind in DISCRETE
    edges = np.append(x - 0.5, x[-1] + 0.5) if discrete else equal_bins(values, bins)
    heights = {}
    for code in np.unique(codes).tolist():
        members = values[codes == code]
        counts = np.histogram(members, edges)[0] / len(members) / np.diff(edges)
        heights[code - 1] = counts * (weights[code - 1] if code else 1.0)
    return edges, heights


def _draw_histograms(ax: Any, column: Any, histograms: Any, palette: Any, x: Any) -> None:
    if histograms is None:
        return
    edges, heights = histograms
    width = 0.8 / len(heights)
    for number, (code, height) in enumerate(heights.items()):
        color = gray(ax, 0.6) if code < 0 else palette[code]
        if column.kind in DISCRETE:
            places = x + (number - 0.5 * (len(heights) - 1)) * width
            ax.bar(places, height, width=width, color=[color], alpha=0.35, zorder=1)
        else:
            ax.stairs(height, edges, fill=True, color=color, alpha=0.3, zorder=1)


def _draw_curves(ax: Any, column: Any, display: Any, palette: Any, style: Any) -> None:
    n_curves = len(column.labels)
    discrete = column.kind in DISCRETE
    width = 0.8 / n_curves
    for k, (heights, label, color) in enumerate(
        zip(display.densities, column.labels, palette, strict=True)
    ):
        place = display.x + (k - 0.5 * (n_curves - 1)) * width if discrete else display.x
        line = {"color": color, "linewidth": 1.8, "zorder": 3}
        if discrete:
            line |= {"linestyle": "none", "marker": "o", "markersize": 6}
        if column.classes is not None or n_curves > 1:
            line["label"] = legend_text(label)
        ax.plot(place, heights, **line | style)
    if column.classes is None and n_curves > 1:
        line = {"color": gray(ax, 0.15), "linewidth": 1.2, "label": "mixture", "zorder": 2}
        ax.plot(display.x, display.total, **line)
    if column.levels is not None:
        ax.set_xticks(display.x, [str(level) for level in column.levels])
    elif column.kind == "bernoulli":
        ax.set_xticks([0, 1])
    half = 0.5 if discrete else 0.0
    ax.set_xlim(display.x[0] - half, display.x[-1] + half)
    if n_curves > 1:  # The legend has a place of its own above the curves.
        wide, high = (72.0 / ax.figure.dpi * size for size in ax.bbox.size)
        texts = ax.get_legend_handles_labels()[1]
        ncols = wide / (LEGEND_HANDLE + LETTER * max(map(len, texts)))
        ncols = int(np.clip(ncols, 1, min(len(texts), LEGEND_COLUMNS)))
        room = min(LEGEND_LINE * (1 - (-len(texts) // ncols)) / high, 0.5)
        ax.set_ylim(0.0, ax.get_ylim()[1] / (1.0 - room))
        ax.legend(frameon=False, fontsize="small", loc="upper center", ncols=ncols)


def _draw_decisions(ax: Any, column: Any, display: Any, palette: Any) -> None:
    """A strip below the curves, with the color of what is decided there."""
    top = ax.get_ylim()[1]
    if not display.intervals:
        ax.set_ylim(0.0, top)
        return
    colors = dict(zip(column.labels, palette, strict=True))
    for low, high, label in display.intervals:
        ax.barh(-STRIP * top, high - low, left=low, height=STRIP * top,
                color=[colors.get(label, "0.8")], edgecolor="white", linewidth=1.0)  # fmt: skip
    for at in display.boundaries:
        ax.plot([at, at], [0.0, top], color=gray(ax, 0.5), linestyle=":", linewidth=1.0, zorder=1)
    ax.axhline(0.0, color=gray(ax, 0.3), linewidth=0.8)
    ticks = ax.get_yticks()
    ax.set_yticks(ticks[(ticks >= 0.0) & (ticks <= top)])
    ax.set_ylim(-1.6 * STRIP * top, top)


# ------------------------------------------------------------------ surfaces
def density_surface(
    model: Any,
    X: Rows | None = None,
    *,
    limits: Sequence[Any] | None = None,
    resolution: int = 80,
    contours: bool = True,
    ax: Axes | None = None,
    **style: Any,
) -> Display:
    """Draw the density of two columns as a surface, above its contours.

    Parameters
    ----------
    model : density, mixture or classifier
        Fitted to two columns, with ``score_samples`` that gives log densities, or
        ``predict_joint_log_proba``: `MultivariateNormal`, `GaussianMixture`, kernel densities,
        discriminants, naive Bayes and `BayesClassifier`, of which it is the mixture of the classes.
    X : array-like of shape (n, 2), optional
        Rows whose range is drawn; None draws 2000 rows of the model to see its range.
    limits : pair of pairs of float, optional
        ((low, high), (low, high)) of the two columns, in place of the range of X.
    resolution : int, default=80
        Points along each side at which the density is evaluated.
    contours : bool, default=True
        Whether to draw lines of equal density on the floor.
    ax : matplotlib.axes.Axes, optional
        Where to draw: three-dimensional axes (``projection="3d"``), or others in a grid of
        subplots, which they replace. None draws on a new figure of pyplot.
    **style : object
        Style of the surface, passed to ``ax.plot_surface``, such as ``cmap``.

    Returns
    -------
    Display
        With ``across`` and ``up``, the coordinates, and ``density`` (up, across).

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If the model is not fitted.
    TypeError
        If the model has no density, or the axes cannot be replaced by three-dimensional ones.
    ValueError
        If the model or X does not have two columns, or a parameter is out of its range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultivariateNormal
    >>> from statfast.plot import density_surface
    >>> normal = MultivariateNormal.of([0.0, 0.0], [[2.0, 1.0], [1.0, 1.0]])
    >>> shown = density_surface(normal, limits=((-4, 4), (-3, 3)), resolution=81,
    ...                         ax=Figure().add_subplot(projection="3d"))
    >>> round(float(shown.density.max() * 2 * 3.141592653589793), 6)  # 1 / root of det = 1
    1.0
    """
    resolution = as_count(resolution, "resolution", 2, MAX_REPEATS)
    refuse_large(32 * resolution**2, f"A surface of resolution={resolution}", "Lower it.")
    contours = as_flag(contours, "contours")
    names = _columns_of(model, X)
    if len(names) != 2:
        raise ValueError(
            f"model must have 2 columns, the floor of the picture; got {len(names)}. Fit it to two."
        )
    (left, right), (low, high) = _limits(model, X, limits)
    across, up = np.linspace(left, right, resolution), np.linspace(low, high, resolution)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    rows = _named(model, X, grid)
    if hasattr(model, "score_samples"):
        logs = np.asarray(model.score_samples(rows), np.float64)
    else:
        logs = log_sum_exp(np.asarray(model.predict_joint_log_proba(rows), np.float64))
    density = np.exp(np.minimum(logs, 690.0)).reshape(resolution, resolution)

    def draw(display: Display, ax: Any) -> None:
        display.ax_ = ax = _three_dimensional(ax)
        shape = {
            "cmap": "viridis",
            "linewidth": 0.0,
            "rcount": 80,
            "ccount": 80,
            "antialiased": False,
        }
        wide, deep = np.meshgrid(across, up)
        ax.plot_surface(wide, deep, density, **shape | style)
        if contours and density.max() > density.min():
            floor = -0.35 * density.max()
            ax.contour(wide, deep, density, zdir="z", offset=floor, levels=8, cmap="viridis")
            ax.set_zlim(floor, density.max())
            ticks = ax.get_zticks()
            ax.set_zticks(ticks[(ticks >= 0.0) & (ticks <= density.max())])
        ax.set(xlabel=names[0], ylabel=names[1], zlabel="density")
        ax.set_box_aspect(
            None, zoom=0.82
        )  # Layouts leave no room for the labels of the third axis.

    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure().add_subplot(projection="3d")
    return Display(draw, across=across, up=up, density=density).plot(ax=ax)


def _limits(model: Any, X: Any, limits: Any) -> Any:
    """The ranges of the two columns."""
    rows = None if X is None else as_rows(X)
    if rows is not None and rows.shape[1] != 2:
        raise ValueError(f"X must have 2 columns; got {rows.shape[1]}. Pass those of model.")
    if limits is not None:
        if not isinstance(limits, list | tuple) or len(limits) != 2:
            raise wrong_type("limits", "a pair of pairs of numbers", limits)
        pairs = [as_pair(pair, "limits") for pair in limits]
        if any(low >= high for low, high in pairs):
            raise ValueError(f"limits must be a lower and a higher number each; got {pairs}.")
        return pairs
    if rows is None:
        if not callable(getattr(model, "sample", None)):
            raise ValueError("X or limits must be passed with a model that cannot be sampled.")
        drawn = model.sample(ROWS_DRAWN, random_state=0)
        rows = np.asarray(drawn[0] if isinstance(drawn, tuple) else drawn, np.float64)
    return [side(column, 0.05, 2) for column in rows.T]


def _three_dimensional(ax: Any) -> Any:
    """Axes with three dimensions, in place of these if they have two."""
    if hasattr(ax, "plot_surface"):
        return ax
    place = ax.get_subplotspec() if hasattr(ax, "get_subplotspec") else None
    if place is None:
        raise wrong_type("ax", "axes with projection='3d', or of a grid of subplots", ax)
    figure = ax.figure
    ax.remove()
    return figure.add_subplot(place, projection="3d")
