# SPDX-License-Identifier: BSD-3-Clause
"""Silhouettes: how much nearer each row is to its own cluster than to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._distance import Condensed, Square
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import as_count, as_flag, as_generator, refuse_large
from statfast.metrics.clustering.checked_labels import require_fewer_clusters
from statfast.metrics.clustering.cluster_distances import (
    SUM,
    ClusteredTable,
    as_clustered_table,
    gather,
)


def silhouette_samples(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    return_neighbors: bool = False,
    noise_label: Any = None,
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
        The distance: a name of `NearestNeighbors`, a function of two samples, taken as symmetric,
        or "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    return_neighbors : bool, default=False
        Also return the label of the other cluster that is nearest, the first in order on ties.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster, as scikit-learn does.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    widths : ndarray of shape (n,), float64
        Between -1 and 1; NaN for noise.
    neighbors : ndarray of shape (n,)
        Only if `return_neighbors`. Noise is its own neighbor.

    Raises
    ------
    ValueError
        If X is not finite, dissimilarities are negative, of the wrong shape or so large that their
        sums overflow, `labels` has not one label for each row, or the rows that are not left out
        have fewer than 2 different ones, or each its own.

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
    table = as_clustered_table(X, labels, noise_label, metric, p, metric_params, n_jobs)
    widths, neighbors = _silhouettes(table, n_jobs)
    nearest = table.classes[neighbors]
    if table.kept is not None:
        all_widths, all_nearest = np.full(table.n, np.nan), np.full(table.n, noise_label)
        all_nearest = all_nearest.astype(np.result_type(all_nearest, nearest))
        all_widths[table.kept], all_nearest[table.kept] = widths, nearest
        widths, nearest = all_widths, all_nearest
    return (widths, nearest) if both else widths


def silhouette_score(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    sample_size: int | None = None,
    random_state: Seed = None,
    noise_label: Any = None,
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
        The distance: a name of `NearestNeighbors`, a function of two samples, taken as symmetric,
        or "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    sample_size : int, optional
        Use so many samples, drawn without replacement; None uses all, exactly. Not for a triangle.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster, as scikit-learn does. The more rows are
        left out, the better the rest seems: report their share beside the score.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

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
    table = as_clustered_table(X, labels, noise_label, metric, p, metric_params, n_jobs)
    if sample_size is not None:
        table = _drawn(table, sample_size, as_generator(random_state))
    return float(_silhouettes(table, n_jobs)[0].mean())


def _drawn(table: ClusteredTable, sample_size: Any, rng: np.random.Generator) -> ClusteredTable:
    """Some rows, drawn without replacement."""
    source = table.source
    if isinstance(source, Condensed):
        raise ValueError(
            "sample_size must be None where X is the triangle of a matrix. Pass the square."
        )
    size = as_count(sample_size, "sample_size", 1, source.n, limit="the number of rows")
    refuse_large(8 * size * size, "The matrix of the sample", "Lower sample_size.")
    rows = np.sort(rng.choice(source.n, size, replace=False))
    classes, codes = np.unique(table.codes[rows], return_inverse=True)
    square = Square(source.between(rows, rows))
    return table._replace(source=square, classes=table.classes[classes], codes=codes, kept=rows)


def _silhouettes(table: ClusteredTable, n_jobs: Jobs = None) -> tuple[Array, Array]:
    """Widths, and the code of the nearest other cluster, of checked input."""
    source, codes, k = table.source, table.codes, len(table.classes)
    require_fewer_clusters(k, source.n)
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
