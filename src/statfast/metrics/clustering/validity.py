# SPDX-License-Identifier: BSD-3-Clause
"""How compact clusters are, and how far apart: from their means, and from their nearest rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._distance import extent_of, rescaled
from statfast._engine import Chunks, checkpoint, reduce
from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import as_rows, as_weights
from statfast.metrics.clustering.checked_labels import (
    as_clusters,
    require_clusters,
    require_fewer_clusters,
)
from statfast.metrics.clustering.cluster_distances import (
    MAXIMUM,
    MINIMUM,
    ClusteredTable,
    as_clustered_table,
    gather,
)


@dataclass(frozen=True, repr=False)
class ScatterDecomposition(Tabled):
    """Result of `scatter_decomposition`: sums of squares of clustered samples.

    Attributes
    ----------
    total : float
        About the mean of all samples.
    within : float
        About the means of the clusters.
    between : float
        Of the means of the clusters, each as often as it has samples, about that of all.
    within_clusters : ndarray
        The parts of `within`: shape (k,), in the order of the sorted labels.
    sizes : ndarray
        Samples, or their weight, of each cluster: shape (k,).
    centers : ndarray
        The means: shape (k, d).

    Examples
    --------
    >>> from statfast.metrics import scatter_decomposition
    >>> scatter_decomposition([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
               Size  Sum Sq    Share
    cluster 0     2       2  0.01923
    cluster 1     2       2  0.01923
    within        4       4  0.03846
    between       4     100  0.96154
    total         4     104  1.00000
    """

    total: float
    within: float
    between: float
    within_clusters: np.ndarray
    sizes: np.ndarray
    centers: np.ndarray

    def table(self) -> CoefficientTable:
        """Return the sums of squares within each cluster, between them, and in total.

        Returns
        -------
        CoefficientTable
            With the size, sum of squares and fraction of the total in each row.
        """
        names = [f"cluster {c}" for c in range(len(self.sizes))]
        total = float(np.sum(self.sizes))
        sums = np.array([*self.within_clusters, self.within, self.between, self.total])
        with np.errstate(invalid="ignore"):  # Shares of an infinite total are NaN.
            share = sums / self.total if self.total > 0 else np.full(len(sums), np.nan)
        sizes = np.array([*self.sizes, total, total, total], dtype=float)
        columns = {"Size": sizes, "Sum Sq": sums, "Share": share}
        return CoefficientTable([*names, "within", "between", "total"], columns)


def scatter_decomposition(
    X: Rows,
    labels: ArrayLike,
    sample_weight: Weights = None,
    *,
    noise_label: Any = None,
    n_jobs: int | None = None,
) -> ScatterDecomposition:
    """Decomposition of the total sum of squares into those within and between clusters.

    Parameters
    ----------
    X : array-like of shape (n, d), or Chunks
        Finite samples.
    labels : array-like of shape (n,)
        The cluster of each row.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples, not negative; None is 1 for all.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ScatterDecomposition
        With `total`, `within`, `between`, `within_clusters`, `sizes` and `centers`; sums of
        squares beyond 1.8e308 are infinite.

    Raises
    ------
    ValueError
        If X is not finite, or `labels` or `sample_weight` has not one entry for each row.

    Examples
    --------
    >>> from statfast.metrics import scatter_decomposition
    >>> parts = scatter_decomposition([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    >>> parts.within, parts.between, parts.total
    (4.0, 100.0, 104.0)
    """
    original, codes, k = _clustered(X, labels, noise_label)
    weights = as_weights(sample_weight, len(codes))
    if weights is not None and codes.min() < 0:
        as_weights(weights[codes >= 0], int(np.count_nonzero(codes >= 0)))
    rows, scale = rescaled(original, n_jobs, _marks(codes))
    scatter = _scatter(rows, codes, k, weights, n_jobs)
    if scale == 1.0:
        return scatter
    extent = extent_of(original, n_jobs, _marks(codes))
    with np.errstate(over="ignore"):
        total, within, between = (
            part / scale / scale for part in (scatter.total, scatter.within, scatter.between)
        )
        return ScatterDecomposition(
            total,
            within,
            between,
            scatter.within_clusters / scale / scale,
            scatter.sizes,
            np.where(extent.low == extent.high, extent.low, scatter.centers / scale),
        )


def calinski_harabasz_score(
    X: Rows, labels: ArrayLike, *, noise_label: Any = None, n_jobs: int | None = None
) -> float:
    """Calinski-Harabasz index (variance ratio): (between / (k - 1)) / (within / (n - k)).

    Parameters
    ----------
    X : array-like of shape (n, d), or Chunks
        Finite samples.
    labels : array-like of shape (n,)
        The cluster of each row; from 2 to n - 1 different ones.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster, as scikit-learn does.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    float
        Higher is better; 1 where all samples lie on the means of their clusters.

    Raises
    ------
    ValueError
        If X is not finite, or there are fewer than 2 or more than n - 1 different labels.

    References
    ----------
    Calinski, T. and Harabasz, J. (1974). A dendrite method for cluster analysis. Communications in
    Statistics 3, 1-27. doi:10.1080/03610927408827101

    Examples
    --------
    >>> from statfast.metrics import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    50.0
    """
    rows, codes, k, n = _scaled_clusters(X, labels, noise_label, n_jobs)
    parts = _scatter(rows, codes, k, None, n_jobs)
    if parts.within == 0:
        return 1.0
    return float(parts.between * (n - k) / (parts.within * (k - 1)))


def davies_bouldin_score(
    X: Rows, labels: ArrayLike, *, noise_label: Any = None, n_jobs: int | None = None
) -> float:
    """Davies-Bouldin index: mean over clusters of the worst ``(s_i + s_j) / |m_i - m_j|``.

    Here m are the means of clusters and s the mean distance of their rows to them.

    Parameters
    ----------
    X : array-like of shape (n, d), or Chunks
        Finite samples.
    labels : array-like of shape (n,)
        The cluster of each row; from 2 to n - 1 different ones.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster, as scikit-learn does.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    float
        Lower is better, 0 the least. Pairs of clusters with the same mean count as 0.

    Raises
    ------
    ValueError
        If X is not finite, or there are fewer than 2 or more than n - 1 different labels.

    References
    ----------
    Davies, D. L. and Bouldin, D. W. (1979). A cluster separation measure. IEEE Transactions on
    Pattern Analysis and Machine Intelligence 1, 224-227. doi:10.1109/TPAMI.1979.4766909

    Examples
    --------
    >>> from statfast.metrics import davies_bouldin_score
    >>> davies_bouldin_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.2
    """
    rows, codes, k, _ = _scaled_clusters(X, labels, noise_label, n_jobs)
    parts = _scatter(rows, codes, k, None, n_jobs)

    def partial(_: slice, block: Array, codes: Array) -> Array:
        block, codes, _weights = _without_noise(block, codes)
        distances = np.sqrt(np.square(block - parts.centers[codes]).sum(axis=1))
        return np.bincount(codes, distances, k)

    spread = reduce(partial, rows, codes, merge=np.add, n_jobs=n_jobs) / parts.sizes
    worst = np.empty(k)
    for i in range(k):
        checkpoint()
        distances = np.sqrt(np.square(parts.centers - parts.centers[i]).sum(axis=1))
        ratio = np.divide(spread + spread[i], distances, out=np.zeros(k), where=distances > 0)
        worst[i] = ratio.max()
    return float(worst.mean())


def dunn_index(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    noise_label: Any = None,
    n_jobs: int | None = None,
) -> float:
    """Dunn index: least distance between clusters over the largest diameter.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite samples, or the dissimilarities between them.
    labels : array-like of shape (n,)
        The cluster of each row; at least 2 different ones.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, a function of two samples, taken as symmetric,
        or "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    float
        Higher is better; infinity where all samples of each cluster are the same.

    Raises
    ------
    ValueError
        If X is not finite, dissimilarities are negative, or there is one label only.

    Notes
    -----
    Cost: O(n^2 d). Memory: O(n d).

    References
    ----------
    Dunn, J. C. (1974). Well-separated clusters and optimal fuzzy partitions. Journal of Cybernetics
    4, 95-104. doi:10.1080/01969727408546059

    Examples
    --------
    >>> from statfast.metrics import dunn_index
    >>> dunn_index([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    4.0
    """
    table = as_clustered_table(X, labels, noise_label, metric, p, metric_params, n_jobs)
    diameter, separation = _extremes(table, n_jobs)
    require_clusters(len(diameter))
    with np.errstate(divide="ignore"):
        return float(separation.min() / diameter.max()) if separation.min() > 0 else 0.0


def cluster_diameter_separation(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    noise_label: Any = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """Diameter and separation of each cluster, as in R's ``pam`` (``clusinfo``).

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
    noise_label : label, optional
        The label of rows that are in no cluster, such as -1: they are left out, as if X did not
        hold them. None counts their label as a cluster.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    diameter : ndarray of shape (k,)
        Largest dissimilarity between two of its rows, in the order of the sorted labels.
    separation : ndarray of shape (k,)
        Least dissimilarity between one of its samples and one of another cluster; infinity where
        there is no other.

    Raises
    ------
    ValueError
        If X is not finite, or dissimilarities are negative.

    Examples
    --------
    >>> from statfast.metrics import cluster_diameter_separation
    >>> cluster_diameter_separation([[0.0], [2.0], [10.0], [13.0]], [0, 0, 1, 1])
    (array([2., 3.]), array([8., 8.]))
    """
    table = as_clustered_table(X, labels, noise_label, metric, p, metric_params, n_jobs)
    diameter, separation = _extremes(table, n_jobs)
    return table.back(diameter), table.back(separation)


def _extremes(table: ClusteredTable, n_jobs: Jobs) -> tuple[Array, Array]:
    """Diameter and separation of each cluster, in the units of the source."""
    source, codes, k = table.source, table.codes, len(table.classes)
    widest, nearest = np.empty(source.n), np.empty(source.n)

    def use(rows: Array, least: Array, most: Array) -> None:
        at, cluster = np.arange(len(rows)), codes[rows]
        widest[rows] = most[at, cluster]
        least = np.array(least)
        least[at, cluster] = np.inf
        nearest[rows] = least.min(axis=1)

    gather(source, codes, k, (MINIMUM, MAXIMUM), use, n_jobs)
    diameter, separation = np.zeros(k), np.full(k, np.inf)
    np.maximum.at(diameter, codes, widest)
    np.minimum.at(separation, codes, nearest)
    return diameter, separation


def _clustered(X: Any, labels: Any, noise_label: Any) -> tuple[Any, Array, int]:
    """Checked rows, or chunks of them, the cluster of each (-1: noise), and their number."""
    rows: Any = X if isinstance(X, Chunks) else as_rows(X)
    n = np.size(labels) if isinstance(X, Chunks) else len(rows)
    classes, codes, kept = as_clusters(labels, n, noise_label)
    if kept is not None:
        of_kept, codes = codes, np.full(n, -1)
        codes[kept] = of_kept
    return rows, codes, len(classes)


def _scaled_clusters(
    X: Any, labels: Any, noise_label: Any, n_jobs: Jobs
) -> tuple[Any, Array, int, int]:
    """The same, rows scaled to where squares neither overflow nor vanish, and the number of those
    in clusters, of which there are fewer, and two or more."""
    rows, codes, k = _clustered(X, labels, noise_label)
    n = int(np.count_nonzero(codes >= 0))
    require_fewer_clusters(k, n)
    return rescaled(rows, n_jobs, _marks(codes))[0], codes, k, n


def _marks(codes: Array) -> Array | None:
    """1 for rows in clusters, 0 for noise; None where there is none."""
    return (codes >= 0).astype(np.float64) if codes.min() < 0 else None


def _without_noise(
    block: Array, codes: Array, weights: Array | None = None
) -> tuple[Array, Array, Array | None]:
    """The rows of a block that are in clusters."""
    kept = codes >= 0
    if kept.all():
        return block, codes, weights
    return block[kept], codes[kept], None if weights is None else weights[kept]


def _scatter(
    rows: Array | Chunks, codes: Array, k: int, weights: Array | None, n_jobs: Jobs
) -> ScatterDecomposition:
    """Sums about the means, which are made first: nothing cancels far from the origin."""

    def sums(_: Any, block: Array, codes: Array, weights: Array | None) -> Array:
        block, codes, weights = _without_noise(block, codes, weights)
        d, sizes = block.shape[1], np.bincount(codes, weights, k)
        out = np.empty((k, d + 1))
        out[:, d] = sizes
        for j in range(d):
            column = block[:, j].astype(np.float64)
            out[:, j] = np.bincount(codes, column if weights is None else column * weights, k)
        return out

    def squares(_: slice, block: Array, codes: Array, weights: Array | None) -> Array:
        block, codes, weights = _without_noise(block, codes, weights)
        d2 = np.square(block - centers[codes]).sum(axis=1)
        return np.bincount(codes, d2 if weights is None else d2 * weights, k)

    totals = reduce(sums, rows, codes, weights, merge=np.add, n_jobs=n_jobs)
    sizes = totals[:, -1].copy()
    held = np.where(sizes > 0, sizes, 1.0)
    centers = totals[:, :-1] / held[:, None]
    within = reduce(squares, rows, codes, weights, merge=np.add, n_jobs=n_jobs)
    middle = sizes @ centers / sizes.sum()
    between = float(sizes @ np.square(centers - middle).sum(axis=1))
    return ScatterDecomposition(
        float(within.sum()) + between, float(within.sum()), between, within, sizes, centers
    )
