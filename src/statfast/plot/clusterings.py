# SPDX-License-Identifier: BSD-3-Clause
"""Clustered rows in the plane, silhouettes, and scores against the number of clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Array, ArrayLike, Axes, Rows
from statfast._validation import (
    as_choice,
    as_count,
    as_labels,
    as_real,
    as_rows,
    column_names,
    unusable_model,
    wrong_type,
)
from statfast.cluster import GapStatisticResult, NClustersResult
from statfast.metrics import silhouette_samples
from statfast.metrics.clustering.checked_labels import is_noise
from statfast.neighbors import NearestNeighbors
from statfast.plot.colors import (
    COLORS,
    chosen_colors,
    gray,
    legend_of_classes,
    scatter_classes,
)
from statfast.plot.regions import legend_text

MAX_CLUSTERS_NAMED = 30  # in the legend
# In square typographic points, so that centers are seen among the smallest points, too.
MIN_CENTER_AREA = 60.0


def clusters(
    X: Rows,
    labels: Any,
    *,
    centers: ArrayLike | None = None,
    columns: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    point_size: float = 14.0,
    noise_label: Any = -1,
    **style: Any,
) -> Display:
    """Draw samples in two features, colored by cluster, those of noise in gray, and the centers.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite rows of at least two columns.
    labels : array-like of shape (n,), or a fitted clusterer
        The cluster of each row; of a clusterer its ``labels_``, and its ``cluster_centers_`` unless
        other centers are given.
    centers : array-like of shape (k, d), optional
        Drawn as crosses.
    columns : (int, int), default=(0, 1)
        Which columns: across and up.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each cluster, noise is none, in ascending order of labels; None takes a palette of
        seven that repeats, with another shape of points each time.
    point_size : float, default=14.0
        Area of the points in square typographic points; less for noise.
    noise_label : label, default=-1
        The label of samples that are in no cluster: they are gray, below the others, and the legend
        says noise. None counts each label as a cluster.
    **style : object
        Style of the points, passed to ``ax.scatter``.

    Returns
    -------
    Display
        With ``labels`` (n,) and ``centers`` (k, d) or None.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If `labels` is a clusterer that is not fitted.
    ValueError
        If X is not finite, `labels` has not one for each row, a column does not exist, or there are
        fewer colors than clusters.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KMedoids
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import clusters
    >>> X = load_iris().data
    >>> shown = clusters(X, KMedoids(3).fit(X), columns=(2, 3), ax=Figure().subplots())
    >>> shown.centers.shape
    (3, 4)
    """
    rows = as_rows(X)
    if centers is None:
        centers = getattr(labels, "cluster_centers_", None)
    classes, codes = as_labels(labels_of(labels), len(rows), name="labels")
    try:
        across, up = columns
    except (TypeError, ValueError) as error:
        raise wrong_type("columns", "a pair of column numbers", columns) from error
    last = rows.shape[1] - 1
    across, up = (as_count(j, "columns", 0, last, limit="the last column") for j in (across, up))
    point_size = as_real(point_size, "point_size", 0.0)
    noise = is_noise(classes, noise_label)
    names_of_clusters = classes[~noise]
    palette = chosen_colors(colors, len(names_of_clusters))
    points = None if centers is None else as_rows(centers, name="centers")
    if points is not None and points.shape[1] != rows.shape[1]:
        raise ValueError(
            f"centers must have {rows.shape[1]} columns, as X; got {points.shape[1]}. Pass the "
            "same columns of both."
        )
    names = column_names(X)
    if names is None:
        names = [f"feature {j}" for j in range(rows.shape[1])]

    def draw(shown: Display, ax: Any) -> None:
        dots = {"linewidths": 0, "alpha": 0.8, **style}
        plane = rows[:, [across, up]]
        outside = noise[codes]
        if outside.any():
            color = np.array([[0.55] * 3])
            of_noise = {"s": 0.7 * point_size, **dots, "marker": "o"}
            none = np.zeros(outside.sum(), dtype=int)
            scatter_classes(ax, plane[outside], none, color, ["noise"], of_noise)
        members = np.searchsorted(names_of_clusters, classes[codes[~outside]])
        texts = [legend_text(label) for label in names_of_clusters]
        scatter_classes(ax, plane[~outside], members, palette, texts, {"s": point_size, **dots})
        if points is not None:
            ax.scatter(
                points[:, across], points[:, up], s=max(6 * point_size, MIN_CENTER_AREA),
                marker="X",
                color=gray(ax, 0.0), edgecolors=gray(ax, 1.0), linewidths=1.0, label="centers",
                zorder=3,
            )  # fmt: skip
        ax.set_xlabel(names[across])
        ax.set_ylabel(names[up])
        if len(names_of_clusters) <= MAX_CLUSTERS_NAMED:
            legend_of_classes(ax, len(names_of_clusters) + 1, len(rows))

    return Display(draw, labels=classes[codes], centers=points).plot(ax=ax)


def labels_of(clustering: Array) -> Array:
    """Labels, or those of a fitted clusterer."""
    if hasattr(clustering, "labels_"):
        return clustering.labels_
    if hasattr(clustering, "fit"):
        raise unusable_model(clustering, "labels, or a fitted clusterer with labels_", "labels")
    return clustering


# The sizes of texts in points; texts that would have to be smaller are left out.
MAX_TEXT_SIZE, MIN_TEXT_SIZE = 8.0, 4.0
# The width of a letter and the height of a line, relative to the size of the text.
LETTER, LINE = 0.6, 1.2


def silhouette(
    X: Rows,
    labels: Any,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    noise_label: Any = None,
    n_jobs: int | None = None,
    **style: Any,
) -> Display:
    """Draw the silhouette width of each sample, sorted within clusters, and the mean.

    Parameters
    ----------
    X : array-like of shape (n, d), or dissimilarities if precomputed
        Finite rows, or the dissimilarities between them: those of row i, from which its width is
        made, stand in row i.
    labels : array-like of shape (n,), or a fitted clusterer
        The cluster of each row; of a clusterer its ``labels_``.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, a function of two rows, taken as symmetric, or
        "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each cluster in ascending order of labels; None takes a palette that repeats.
    noise_label : label, optional
        The label of samples that are in no cluster, such as -1: they are left out, and the title
        says how many. None counts their label as a cluster, as `silhouette_score` does.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    **style : object
        Style of the areas, passed to ``ax.fill_betweenx``.

    Returns
    -------
    Display
        With ``widths`` (n,), NaN for noise, and of the others their ``mean`` and the share that is
        ``negative``. One filled area for
        each cluster, the first on top, with its label, rows and mean beside it (where there are not
        too many to be read); a dashed line at the mean of all; and in the title the mean and the
        share of negative widths, whose rows are nearer to another cluster.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    NotFittedError
        If `labels` is a clusterer that is not fitted.
    ValueError
        As `silhouette_samples`, or if there are fewer colors than clusters.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import KMedoids
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import silhouette
    >>> X = load_iris().data
    >>> shown = silhouette(X, KMedoids(3).fit(X).labels_, ax=Figure().subplots())
    >>> round(shown.mean, 2), shown.negative
    (0.55, 0.0)
    """
    labels = labels_of(labels)
    widths = silhouette_samples(
        X,
        labels,
        metric=metric,
        p=p,
        metric_params=metric_params,
        noise_label=noise_label,
        n_jobs=n_jobs,
    )
    classes, codes = as_labels(labels, len(widths), name="labels")
    noise = is_noise(classes, noise_label)
    clustered = ~noise[codes]
    classes, codes = classes[~noise], (np.cumsum(~noise) - 1)[codes[clustered]]
    palette = chosen_colors(colors, len(classes))
    inside = widths[clustered]
    mean, negative = float(inside.mean()), float((inside < 0).mean())
    left_out = f"\n{1 - clustered.mean():.1%} noise left out" if noise.any() else ""

    def draw(shown: Display, ax: Any) -> None:
        gap = max(1.0, 0.02 * len(inside))
        below, middles, texts = 0.0, [], []
        for code, label in enumerate(classes):
            sorted_widths = -np.sort(-inside[codes == code])
            edges = np.repeat(below + np.arange(len(sorted_widths) + 1.0), 2)[1:-1]
            shape = {"color": palette[code], "linewidth": 0, **style}
            ax.fill_betweenx(edges, 0, np.repeat(sorted_widths, 2), **shape)
            middles.append(below + len(sorted_widths) / 2)
            texts.append(f"{label}: {len(sorted_widths)} samples, {sorted_widths.mean():.2f}")
            below += len(sorted_widths) + gap
        low = min(0.0, float(inside.min())) - 0.02
        box = ax.get_window_extent()
        across, down = (size * 72 / ax.figure.dpi for size in (box.width, box.height))
        size = min(MAX_TEXT_SIZE, down / (LINE * (len(texts) + 1)))
        share = 0.0  # The share of the axes that the texts take, if they can be read.
        if size >= MIN_TEXT_SIZE:
            share = min(0.6, LETTER * size * max(map(len, texts)) / across)
            line = LINE * size * (below + gap) / down
            for at, text in zip(spread_out(middles, line, below - line / 2), texts, strict=True):
                ax.text(1.02, at, text, va="center", fontsize=size)
        ax.axvline(mean, color=gray(ax, 0.25), linestyle="--", linewidth=1)
        ax.axvline(0, color=gray(ax, 0.25), linewidth=0.8)
        ax.set_xlim(low, 1.02 + share / (1 - share) * (1.02 - low))
        ax.set_xticks([at for at in np.linspace(-1, 1, 11).round(1) if at >= low])
        ax.set_ylim(below, -gap)
        ax.set_yticks([])
        ax.set_xlabel("silhouette width")
        ax.set_ylabel("samples by cluster")
        ax.set_title(f"mean silhouette {mean:.2f}, {negative:.1%} negative{left_out}")

    return Display(draw, widths=widths, mean=mean, negative=negative).plot(ax=ax)


def spread_out(places: Array | list[float], distance: float, stop: float) -> list[float]:
    """Rising places moved apart to at least that distance, up to `stop`, if there is room."""
    moved = list(places)
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + distance)
    limit = stop
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - distance
    return moved


def neighbor_distances(
    X: Rows,
    min_samples: int = 5,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    eps: float | None = None,
    ax: Axes | None = None,
    n_jobs: int | None = None,
    **style: Any,
) -> Display:
    """Draw the radius at which each sample has enough neighbors, sorted: for the choice of eps.

    `DBSCAN` makes a core row of each sample whose radius is at most eps. A good eps is where the
    curve begins to rise steeply: what is to the right is noise, or at the border of a cluster.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or (n, n) if precomputed
        The samples, or distances between them.
    min_samples : int, default=5
        Samples within the radius, the sample itself among them, as in `DBSCAN`; from 1 to n.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, a function of two samples, or "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    eps : float, optional
        Where to draw a line across, not negative; its text says how many samples are core rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    **style : object
        Style of the curve, passed to ``ax.plot``.

    Returns
    -------
    Display
        With the ``distances`` (n,), rising, ``eps``, and the share of core rows ``core`` or None.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If X or its metric is refused by `NearestNeighbors`, or a parameter is out of its range.

    References
    ----------
    M. Ester, H.-P. Kriegel, J. Sander, X. Xu (1996). A density-based algorithm for discovering
    clusters in large spatial databases with noise. KDD-96, 226-231.
    https://cdn.aaai.org/KDD/1996/KDD96-037.pdf

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import neighbor_distances
    >>> X = load_iris().data
    >>> shown = neighbor_distances(X, 5, eps=0.6, ax=Figure().subplots())
    >>> print(f"{shown.core:.0%}")
    88%
    """
    search = NearestNeighbors(metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    count = as_count(
        min_samples, "min_samples", high=search.n_samples_fit_, limit="the number of rows"
    )
    distances = np.sort(search.kneighbors(X, count)[0][:, -1])
    radius = None if eps is None else as_real(eps, "eps", 0.0)
    core = None if radius is None else float((distances <= radius).mean())

    def draw(shown: Display, ax: Any) -> None:
        ranks = np.arange(1, len(distances) + 1)
        ax.plot(ranks, distances, **{"color": COLORS[0], **style})
        if radius is not None:
            text = f"eps = {radius:.3g}: {core:.1%} core rows"
            ax.axhline(radius, color=gray(ax, 0.4), linestyle="--", linewidth=1, label=text)
            ax.legend(loc="upper left", fontsize="small")
        ax.set_xlim(0, len(distances) + 1)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("samples, by that distance")
        ax.set_ylabel(f"distance within which there are {count} samples")

    return Display(draw, distances=distances, eps=radius, core=core).plot(ax=ax)


NAMES = {"within": "sum within clusters"}


def gap(
    result: GapStatisticResult, *, rule: str = "firstSEmax", ax: Axes | None = None, **style: Any
) -> Display:
    """Draw gap statistics with standard errors, and the number a rule chooses.

    Parameters
    ----------
    result : statfast.cluster.GapStatisticResult
        What `gap_statistic` returned, or a `NClustersResult` that has one.
    rule : str, default="firstSEmax"
        Rule of R's ``maxSE``: "firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax" or
        "globalmax".
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.errorbar``.

    Returns
    -------
    Display
        With ``k``, ``gap``, ``se`` and ``best``.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `result` is not a GapStatisticResult, nor an NClustersResult that has one.
    ValueError
        If the rule is unknown.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import gap_statistic
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import gap
    >>> result = gap_statistic(load_iris().data, k_max=4, n_boot=10, random_state=0)
    >>> gap(result, ax=Figure().subplots()).best
    4
    """
    if isinstance(result, NClustersResult) and result.gap is None:
        raise TypeError(
            "result must be a NClustersResult that has a gap statistic; got one by "
            f"{result.criterion!r}. Call choose_n_clusters with criterion='gap', or draw its "
            "scores with elbow."
        )
    result = result.gap if isinstance(result, NClustersResult) else result
    if not isinstance(result, GapStatisticResult):
        raise wrong_type("result", "what gap_statistic returned", result)
    best = result.best(rule)

    def draw(shown: Display, ax: Any) -> None:
        shape = {"color": COLORS[0], "marker": "o", "capsize": 3, **style}
        ax.errorbar(shown.k, shown.gap, yerr=shown.se, **shape)
        _mark(ax, shown, rule)
        ax.set_ylabel("gap statistic, with standard error")

    return Display(draw, k=result.k, gap=result.gap, se=result.se, best=best).plot(ax=ax)


def elbow(
    choice: NClustersResult, score: str = "within", *, ax: Axes | None = None, **style: Any
) -> Display:
    """Draw a score against the number of clusters, and mark the one recommended.

    Parameters
    ----------
    choice : statfast.cluster.NClustersResult
        What `choose_n_clusters` returned.
    score : str, default="within"
        One of ``choice.scores``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the line, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``k``, ``scores`` and ``best``, the number recommended.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `choice` is not an NClustersResult, or `score` is not a string.
    ValueError
        If there is no such score.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.cluster import choose_n_clusters
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import elbow
    >>> result = choose_n_clusters(load_iris().data, ks=range(1, 6), random_state=0)
    >>> elbow(result, ax=Figure().subplots()).best
    2
    """
    if not isinstance(choice, NClustersResult):
        raise wrong_type("choice", "what choose_n_clusters returned", choice)
    as_choice(score, "score", choice.scores)

    def draw(shown: Display, ax: Any) -> None:
        ax.plot(shown.k, shown.scores, **{"color": COLORS[0], "marker": "o", **style})
        _mark(ax, shown, choice.criterion)
        ax.set_ylabel(NAMES.get(score, score.replace("_", " ")))

    best = choice.recommended
    return Display(draw, k=choice.k, scores=choice.scores[score], best=best).plot(ax=ax)


def _mark(ax: Any, shown: Display, rule: str) -> None:
    """A line at the number chosen, and an axis of whole numbers."""
    label = f"{shown.best}, chosen by {rule}"
    ax.axvline(shown.best, color=COLORS[1], linestyle="--", linewidth=1, zorder=0, label=label)
    ax.legend(frameon=False)
    ax.set_xlabel("number of clusters")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(min(shown.k) - 0.5, max(shown.k) + 0.5)
