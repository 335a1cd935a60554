# SPDX-License-Identifier: BSD-3-Clause
"""Silhouettes: how much nearer each row is to its own cluster than to the next."""

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._distance import PRECOMPUTED, Condensed, OfRows
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import as_count, as_flag, as_generator, as_labels, refuse_large
from statfast.metrics.clustering.cluster_distances import SUM, as_table, gather


def silhouette_samples(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    return_neighbors: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Silhouette width of each sample: (b - a) / max(a, b).

    Here a is the mean dissimilarity to the other rows of its cluster, and b the least mean
    dissimilarity to the rows of another cluster. A row alone in its cluster has width 0.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite rows, or the dissimilarities between them: those of row i, from which its width is
        made, stand in row i.
    labels : array-like of shape (n,)
        The cluster of each row; from 2 to n - 1 different ones.
    metric : str or callable, default="euclidean"
        A name known to `NearestNeighbors`, a function of two samples, taken as symmetric, or
        "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Other parameters of the metric.
    return_neighbors : bool, default=False
        Also return the label of the other cluster that is nearest, the first in order on ties.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores.

    Returns
    -------
    widths : ndarray of shape (n,), float64
        Between -1 and 1.
    neighbors : ndarray of shape (n,)
        Only if `return_neighbors`.

    Raises
    ------
    ValueError
        If X is not finite, dissimilarities are negative, of the wrong shape or so large that their
        sums overflow, `labels` has not one label for each row, or there are fewer than 2 or more
        than n - 1 different ones.

    Notes
    -----
    Exact; sums are float64. Cost: O(n^2 d), without a matrix. Memory: O(n d), and 32 k numbers a
    thread; of a function of two rows its matrix.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis. Journal of Computational and Applied Mathematics 20, 53-65.
    doi:10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> from statfast.metrics import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1]).round(3)
    array([0.909, 0.9  , 0.789, 0.826])
    """
    both = as_flag(return_neighbors, "return_neighbors")
    source, _ = as_table(X, metric, p, metric_params, n_jobs)
    classes, codes = _clusters(labels, source.n)
    widths, neighbors = _silhouettes(source, codes, len(classes), n_jobs)
    return (widths, classes[neighbors]) if both else widths


def silhouette_score(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    sample_size: int | None = None,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> float:
    """Mean silhouette width.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite samples, or the dissimilarities between them.
    labels : array-like of shape (n,)
        The cluster of each row.
    metric : str or callable, default="euclidean"
        A name known to `NearestNeighbors`, a function of two samples, taken as symmetric, or
        "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Other parameters of the metric.
    sample_size : int, optional
        Use so many samples, drawn without replacement; None uses all, exactly. Not for a triangle.
    random_state : int, numpy.random.Generator, RandomState or SeedSequence, optional
        Source of the draw.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    float
        Between -1 and 1; higher is better.

    Raises
    ------
    ValueError
        As `silhouette_samples`.

    Examples
    --------
    >>> from statfast.metrics import silhouette_score
    >>> round(silhouette_score([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1]), 3)
    0.856
    """
    if sample_size is not None:
        rng = as_generator(random_state)
        table, _ = as_table(X, metric, p, metric_params, n_jobs)
        if isinstance(table, Condensed):
            raise ValueError(
                "sample_size must be None where X is the triangle of a matrix. Pass the square."
            )
        size = as_count(sample_size, "sample_size", 1, table.n, limit="the number of rows")
        refuse_large(8 * size * size, "The matrix of the sample", "Lower sample_size.")
        drawn = np.sort(rng.choice(table.n, size, replace=False))
        as_labels(labels, table.n, name="labels")
        labels, X = np.asarray(labels)[drawn], table.between(drawn, drawn)
        metric = PRECOMPUTED
    source, _ = as_table(X, metric, p, metric_params, n_jobs)
    classes, codes = _clusters(labels, source.n)
    return float(_silhouettes(source, codes, len(classes), n_jobs)[0].mean())


def _clusters(labels: Any, n: int) -> tuple[Array, Array]:
    """Checked labels of which there are enough, and not too many."""
    classes, codes = as_labels(labels, n, name="labels")
    if not 2 <= len(classes) <= n - 1:
        raise ValueError(
            f"Number of labels is {len(classes)}. Valid values are 2 to n_samples - 1 (inclusive): "
            f"{n - 1}. Cluster into another number."
        )
    return classes, codes


def _silhouettes(source: OfRows, codes: Array, k: int, n_jobs: Jobs = None) -> tuple[Array, Array]:
    """Widths, and the code of the nearest other cluster, of checked input."""
    sizes = np.bincount(codes, minlength=k)
    widths, neighbors = np.empty(source.n), np.empty(source.n, np.intp)

    def use(rows: Array, sums: Array) -> None:
        cluster = codes[rows]
        at = np.arange(len(rows))
        means = sums / sizes
        inside = sums[at, cluster] / np.maximum(sizes[cluster] - 1, 1)
        means[at, cluster] = np.inf
        nearest = means.argmin(axis=1)
        outside = means[at, nearest]
        larger = np.maximum(inside, outside)
        if not np.isfinite(larger).all():
            raise ValueError(
                "X holds dissimilarities that overflow float64 when they are summed. Divide them "
                "by a constant first."
            )
        width = np.zeros(len(rows))
        np.divide(outside - inside, larger, out=width, where=(larger > 0) & (sizes[cluster] > 1))
        widths[rows], neighbors[rows] = width, nearest

    gather(source, codes, k, (SUM,), use, n_jobs)
    return widths, neighbors
