# SPDX-License-Identifier: BSD-3-Clause
"""Stability of clusters under resampling of the rows: bootstrap Jaccard similarities.

Hennig 2007, doi:10.1016/j.csda.2006.11.025.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._distance import PRECOMPUTED
from statfast._engine import each, usable_threads
from statfast._estimator import Columned, Display, picture
from statfast._typing import Array, Axes, DataFrame, Rows, Seed
from statfast._validation import MAX_REPEATS, as_count, as_generator, refuse_large
from statfast.cluster.n_clusters.data import as_points
from statfast.cluster.n_clusters.methods import as_family, threads_of, with_noise

RECOVERED, DISSOLVED = 0.75, 0.5


@dataclass(frozen=True, repr=False)
class StabilityResult(Columned):
    """Result of `cluster_stability`.

    Attributes
    ----------
    labels : ndarray
        The clusters of the rows themselves: (n,); -1 for noise.
    jaccard : ndarray
        Similarity of each cluster to the most similar one of each bootstrap set: (n_boot, k).
    mean : ndarray
        Its mean over the sets: (k,). Above 0.85 a cluster is very stable, below 0.6 hardly one.
    recovered : ndarray
        How often it was more than 0.75: (k,).
    dissolved : ndarray
        How often it was at most 0.5: (k,).

    Examples
    --------
    >>> from statfast.cluster import cluster_stability
    >>> from statfast.datasets import load_iris
    >>> result = cluster_stability(load_iris().data, 3, n_boot=20, random_state=0)
    >>> result.mean.round(2), result.recovered
    (array([0.93, 1.  , 0.91]), array([17, 20, 17]))
    """

    labels: np.ndarray
    jaccard: np.ndarray
    mean: np.ndarray
    recovered: np.ndarray
    dissolved: np.ndarray

    def to_frame(self) -> DataFrame:
        """Return the numbers as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each cluster.
        """
        import pandas

        columns = {"rows": self._sizes(), "jaccard": self.mean}
        columns |= {"recovered": self.recovered, "dissolved": self.dissolved}
        return pandas.DataFrame(columns).rename_axis("cluster")

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw it: `statfast.plot.stability`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("stability")(self, ax=ax, **style)

    def _sizes(self) -> Array:
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.mean))

    def _cells(self) -> list[list[str]]:
        columns = zip(self._sizes(), self.mean, self.recovered, self.dissolved, strict=True)
        cells = [["cluster", "rows", "Jaccard", "recovered", "dissolved"]]
        for cluster, (rows, mean, *counts) in enumerate(columns):
            cells.append([str(cluster), str(rows), f"{mean:.3f}", *map(str, counts)])
        return cells

    def _widths(self) -> list[int]:
        return [8, 8, 8, 10, 10]


def cluster_stability(
    X: Rows,
    n_clusters: int,
    *,
    method: str | Callable[..., Any] = "kmeans",
    metric: str | Callable[..., Any] = "euclidean",
    metric_params: dict[Any, Any] | None = None,
    n_boot: int = 100,
    noise_label: Any = None,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> StabilityResult:
    """Stability of clusters under bootstrap resampling (Hennig 2007).

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite rows, or the dissimilarities between them.
    n_clusters : int
        Number of clusters, k.
    method : str or callable, default="kmeans"
        Clustering method: "kmeans", from five restarts; "kmedoids"; a method of `linkage`, such as
        "ward", whose dendrogram is cut; or a function of samples (of the square matrix, if
        precomputed) and a number of clusters that returns labels.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, a function of two samples, taken as symmetric,
        or "precomputed". "kmeans" takes Euclidean distance only, also after scaling; "ward",
        "centroid" and "median" that, or "precomputed".
    metric_params : dict, optional
        Further parameters of the metric.
    n_boot : int, default=100
        Bootstrap sets. Of rows drawn several times one is kept.
    noise_label : label, optional
        The label that a callable `method` gives to rows in no cluster, such as -1: noise
        is not a cluster whose stability is asked for. None counts each label as a cluster.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws and starts; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number. A callable `method` is called in one.

    Returns
    -------
    StabilityResult
        With `labels`, `jaccard`, `mean`, `recovered` and `dissolved`.

    Raises
    ------
    ValueError
        If X is not finite, has fewer rows than clusters, the metric is none of the method, or a
        parameter is out of its range.
    MemoryError
        If the dissimilarities of the rows that threads draw would take more than half the free
        memory.

    Notes
    -----
    The similarity of two sets of rows is the size of their intersection over that of their union,
    both among the rows drawn. A cluster of which no row was drawn counts as not found, 0.

    Cost: n_boot + 1 clusterings.

    References
    ----------
    Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics & Data
    Analysis 52, 258-271. doi:10.1016/j.csda.2006.11.025

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import cluster_stability
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[:30] += 9
    >>> cluster_stability(X, 2, n_boot=20, random_state=0).mean
    array([1., 1.])
    """
    family = with_noise(as_family(method, metric), noise_label)
    points = as_points(X, metric, metric_params, n_jobs=n_jobs)
    n = points.n
    k = as_count(n_clusters, "n_clusters", 1, n, limit="the number of rows")
    n_boot = as_count(n_boot, "n_boot", high=MAX_REPEATS)
    rng = as_generator(random_state)
    labels, n_labels = _numbered(family(points, [k], int(rng.integers(2**32)))[0])
    if n_labels == 0:
        raise ValueError("method must find a cluster; got noise alone. Choose another one.")
    draws = [(np.unique(rng.integers(n, size=n)), int(rng.integers(2**32))) for _ in range(n_boot)]

    def work(draw: tuple[Array, int]) -> Array:
        drawn, seed = draw
        fewer = [min(k, len(drawn))]  # few distinct rows may be drawn
        again, n_again = _numbered(family(points.take(drawn), fewer, seed)[0])
        shared = np.zeros((n_labels + 1, n_again + 1))  # the last are those of noise, -1
        np.add.at(shared, (labels[drawn], again), 1)
        union = shared.sum(axis=1)[:, None] + shared.sum(axis=0) - shared
        similarity = shared / np.maximum(union, 1)
        return similarity[:-1, :-1].max(axis=1, initial=0.0)

    threads = threads_of(family, n_jobs)
    if points.metric == PRECOMPUTED:
        most = max(len(drawn) for drawn, _ in draws)
        nbytes = points.X.itemsize * most * most * min(n_boot, usable_threads(threads))
        refuse_large(nbytes, "What threads draw of the matrix", "Lower n_jobs.")
    jaccard = np.array(each(work, draws, n_jobs=threads))
    return StabilityResult(
        labels,
        jaccard,
        jaccard.mean(axis=0),
        (jaccard > RECOVERED).sum(axis=0),
        (jaccard <= DISSOLVED).sum(axis=0),
    )


def _numbered(labels: Array) -> tuple[Array, int]:
    """Labels from 0 on, except for noise, which is -1; and how many there are."""
    classes, codes = np.unique(labels, return_inverse=True)
    noise = int(np.count_nonzero(classes < 0))
    return codes - noise, len(classes) - noise
