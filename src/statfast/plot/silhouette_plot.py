# SPDX-License-Identifier: BSD-3-Clause
"""Silhouettes drawn as bars, cluster by cluster."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from statfast._estimator import Display
from statfast._typing import Axes, Rows
from statfast._validation import as_labels
from statfast.metrics import silhouette_samples
from statfast.plot.cluster_plots import labels_of
from statfast.plot.regions import chosen_colors

SIZE, LEAST = 8.0, 4.0  # points, of the texts: smaller ones could not be read
LETTER, LINE = 0.6, 1.2  # the width of a letter and the height of a line, by that


def silhouette(
    X: Rows,
    labels: Any,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
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
        A name known to `NearestNeighbors`, a function of two rows, taken as symmetric, or
        "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Other parameters of the metric.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each cluster in ascending order of labels; None takes a palette that repeats.
    n_jobs : int, optional
        Threads.
    **style : object
        Style of the areas, passed to ``ax.fill_betweenx``.

    Returns
    -------
    Display
        With ``widths`` (n,), their ``mean`` and the share that is ``negative``. One filled area for
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
        X, labels, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
    )
    classes, codes = as_labels(labels, len(widths), name="labels")
    palette = chosen_colors(colors, len(classes))
    mean, negative = float(widths.mean()), float((widths < 0).mean())

    def draw(shown, ax):
        gap = max(1.0, 0.02 * len(widths))
        below, middles, texts = 0.0, [], []
        for code, label in enumerate(classes):
            some = -np.sort(-widths[codes == code])
            edges = np.repeat(below + np.arange(len(some) + 1.0), 2)[1:-1]
            given = {"color": palette[code], "linewidth": 0, **style}
            ax.fill_betweenx(edges, 0, np.repeat(some, 2), **given)
            middles.append(below + len(some) / 2)
            texts.append(f"{label}: {len(some)} samples, {some.mean():.2f}")
            below += len(some) + gap
        low = min(0.0, float(widths.min())) - 0.02
        box = ax.get_window_extent()
        across, down = (size * 72 / ax.figure.dpi for size in (box.width, box.height))
        size = min(SIZE, down / (LINE * (len(texts) + 1)))
        share = 0.0  # of the axes, for the texts, where these could be read
        if size >= LEAST:
            share = min(0.6, LETTER * size * max(map(len, texts)) / across)
            line = LINE * size * (below + gap) / down
            for at, text in zip(apart(middles, line, below - line / 2), texts, strict=True):
                ax.text(1.02, at, text, va="center", fontsize=size)
        ax.axvline(mean, color="0.25", linestyle="--", linewidth=1)
        ax.axvline(0, color="0.25", linewidth=0.8)
        ax.set_xlim(low, 1.02 + share / (1 - share) * (1.02 - low))
        ax.set_xticks([at for at in np.linspace(-1, 1, 11).round(1) if at >= low])
        ax.set_ylim(below, -gap)
        ax.set_yticks([])
        ax.set_xlabel("silhouette width")
        ax.set_ylabel("samples by cluster")
        ax.set_title(f"mean silhouette {mean:.2f}, {negative:.1%} negative")

    return Display(draw, widths=widths, mean=mean, negative=negative).plot(ax=ax)


def apart(places, least, stop):
    """Rising places moved apart to at least that distance, up to `stop`, if there is room."""
    moved = list(places)
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + least)
    limit = stop
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - least
    return moved
