# SPDX-License-Identifier: BSD-3-Clause
"""Silhouettes drawn as bars, cluster by cluster."""

import numpy as np

from statfast._validation import as_labels
from statfast.metrics import silhouette_samples
from statfast.plot.clusters import labels_of
from statfast.plot.regions import chosen_colors, new_axes

SIZE, LEAST = 8.0, 4.0  # points, of the texts: smaller ones could not be read
LETTER, LINE = 0.6, 1.2  # the width of a letter and the height of a line, by that


def silhouette_plot(
    X, labels, *, metric="euclidean", p=2, metric_params=None, ax=None, colors=None, n_jobs=None
):
    """Draw the silhouette width of each row, sorted within its cluster, and the mean.

    Parameters
    ----------
    X : array-like of shape (n, d), or dissimilarities if precomputed
        As in `silhouette_samples`.
    labels : array-like of shape (n,), or a fitted clusterer
        The cluster of each row; of a clusterer its ``labels_``.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
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

    Returns
    -------
    ax : matplotlib.axes.Axes
        One filled area for each cluster, the first on top, with its label, rows and mean beside it
        (where there are not too many to be read);
        a dashed line at the mean of all; and in the title the mean and the share of negative
        widths, whose rows are nearer to another cluster.

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
    >>> from statfast.plot import silhouette_plot
    >>> X = load_iris().data
    >>> ax = silhouette_plot(X, KMedoids(3).fit(X).labels_, ax=Figure().subplots())
    >>> ax.get_title()
    'mean silhouette 0.55, 0.0% negative'
    """
    labels = labels_of(labels)
    widths = silhouette_samples(
        X, labels, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
    )
    classes, codes = as_labels(labels, len(widths), name="labels")
    palette = chosen_colors(colors, len(classes))
    ax = new_axes() if ax is None else ax
    gap = max(1.0, 0.02 * len(widths))
    below, middles, texts = 0.0, [], []
    for code, label in enumerate(classes):
        some = -np.sort(-widths[codes == code])
        edges = np.repeat(below + np.arange(len(some) + 1.0), 2)[1:-1]
        ax.fill_betweenx(edges, 0, np.repeat(some, 2), color=palette[code], linewidth=0)
        middles.append(below + len(some) / 2)
        texts.append(f"{label}: {len(some)} rows, {some.mean():.2f}")
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
    mean, negative = float(widths.mean()), float((widths < 0).mean())
    ax.axvline(mean, color="0.25", linestyle="--", linewidth=1)
    ax.axvline(0, color="0.25", linewidth=0.8)
    ax.set_xlim(low, 1.02 + share / (1 - share) * (1.02 - low))
    ax.set_xticks([at for at in np.linspace(-1, 1, 11).round(1) if at >= low])
    ax.set_ylim(below, -gap)
    ax.set_yticks([])
    ax.set_xlabel("silhouette width")
    ax.set_ylabel("rows by cluster")
    ax.set_title(f"mean silhouette {mean:.2f}, {negative:.1%} negative")
    return ax


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
