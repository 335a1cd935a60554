# SPDX-License-Identifier: BSD-3-Clause
"""Silhouettes drawn as bars, cluster by cluster."""

import numpy as np

from statfast._validation import as_labels
from statfast.metrics import silhouette_samples
from statfast.plot.regions import chosen_colors, new_axes


def silhouette_plot(X, labels, *, metric="euclidean", ax=None, colors=None, n_jobs=None):
    """Draw the silhouette width of each row, sorted within its cluster, and the mean.

    Parameters
    ----------
    X : array-like of shape (n, d), or dissimilarities if precomputed
        As in `silhouette_samples`.
    labels : array-like of shape (n,)
        The cluster of each row.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colours, optional
        One for each cluster in ascending order of labels; None takes a palette that repeats.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ax : matplotlib.axes.Axes
        One filled area for each cluster, the first on top, with its label, rows and mean beside it;
        a dashed line at the mean of all; and in the title the mean and the share of negative
        widths, whose rows are nearer to another cluster.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        As `silhouette_samples`, or if there are fewer colours than clusters.

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
    widths = silhouette_samples(X, labels, metric=metric, n_jobs=n_jobs)
    classes, codes = as_labels(labels, len(widths), name="labels")
    palette = chosen_colors(colors, len(classes))
    if ax is None:
        ax = new_axes()
        ax.figure.subplots_adjust(right=0.72)  # room for what is said of each cluster
    gap = max(1.0, 0.02 * len(widths))
    below = 0.0
    for code, label in enumerate(classes):
        some = -np.sort(-widths[codes == code])
        edges = np.repeat(below + np.arange(len(some) + 1.0), 2)[1:-1]
        ax.fill_betweenx(edges, 0, np.repeat(some, 2), color=palette[code], linewidth=0)
        text = f"{label}: {len(some)} rows, {some.mean():.2f}"
        ax.text(
            1.02, below + len(some) / 2, text, transform=ax.get_yaxis_transform(), va="center",
            fontsize="small",
        )  # fmt: skip
        below += len(some) + gap
    mean, negative = float(widths.mean()), float((widths < 0).mean())
    ax.axvline(mean, color="0.25", linestyle="--", linewidth=1)
    ax.axvline(0, color="0.25", linewidth=0.8)
    ax.set_xlim(min(0.0, float(widths.min())) - 0.02, 1.0)
    ax.set_ylim(below, -gap)
    ax.set_yticks([])
    ax.set_xlabel("silhouette width")
    ax.set_ylabel("rows by cluster")
    ax.set_title(f"mean silhouette {mean:.2f}, {negative:.1%} negative")
    return ax
