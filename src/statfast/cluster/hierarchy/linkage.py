# SPDX-License-Identifier: BSD-3-Clause
"""Hierarchical clustering: from rows, or dissimilarities, to the matrix of merges."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.hierarchy import forest, genie
from statfast._distance import (
    Dissimilarities,
    MetricRows,
    Triangle,
    as_dissimilarities,
    fits,
    scale_of,
)
from statfast._engine import checkpoint, interruptible
from statfast._typing import Array, Jobs
from statfast._validation import as_choice, as_real, warn_user
from statfast.cluster.hierarchy.boruvka_matrix import edges_of_triangle
from statfast.cluster.hierarchy.generic import merged_one_by_one
from statfast.cluster.hierarchy.point_linkage import centroid_of_rows, ward_of_rows
from statfast.cluster.hierarchy.reciprocal import Merging
from statfast.cluster.hierarchy.spanning_tree import edges_of_rows, rising

# In the order in which kernels number them (_core/hierarchy/lance_williams.pxd).
METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
LINKAGES = (*METHODS, "genie")
SQUARED = ("centroid", "median", "ward")  # their rules take squared distances
INVERTING = ("centroid", "median")  # their heights may fall from one merge to the next
# Up to so many columns, distances are computed sooner than they are read from a matrix.
MAX_COLUMNS_OF_POINTS = 128
# Up to so many rows, Ward's method is quicker from their matrix, as it needs no rounds in Python.
MAX_ROWS_OF_WARD_MATRIX = 400
GENIE_MERGES_PER_CALL = 1 << 16  # merges between checkpoints: some 20 ms


def linkage(
    X: Any,
    method: str = "single",
    metric: Any = "euclidean",
    *,
    metric_params: dict | None = None,
    gini_threshold: float = 0.3,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Agglomerative hierarchical clustering; returns scipy's linkage matrix.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n (n - 1) / 2,)
        Rows; or, 1-d, the dissimilarities of all pairs of rows in the order of scipy's ``pdist``
        (condensed); or, with ``metric="precomputed"``, a square matrix of them.
    method : str, default="single"
        The dissimilarity of two clusters: "single", that of their nearest points; "complete", of
        their farthest; "average", the mean over all pairs; "weighted", the mean of those of the
        two parts of a cluster, whatever their sizes; "centroid", the distance of the means;
        "median", of midpoints of midpoints; "ward", the root of twice the growth of the sum of
        squares within clusters. "genie" is "single" that keeps sizes of clusters balanced: while
        their Gini index is above `gini_threshold`, only clusters of the least size are merged, with
        the nearest along the minimum spanning tree.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a
        function of two samples, or "precomputed" for a square matrix. Not used where X is
        condensed. "centroid", "median" and "ward" are defined by Euclidean distance and take no
        other.
    metric_params : dict, optional
        Further parameters of the metric.
    gini_threshold : float, default=0.3
        Of "genie", from 0 to 1: how unequal sizes may be. 1 is single linkage.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    Z : ndarray of shape (n - 1, 4)
        A row for each merge, by height: the two clusters (rows are 0, ..., n - 1, the cluster of
        merge i is n + i, the lower first), their dissimilarity (the height), and the number of
        points of their union. Merges by "centroid", "median" and "genie" are in the order in which
        they are made, and their heights may fall.

    Raises
    ------
    ValueError
        If X has fewer than two rows; is a condensed matrix of a length that none has; holds NaN,
        infinity, or negative dissimilarities; is not square, not symmetric or not zero on the
        diagonal where it is precomputed; the method or the metric is not known; or
        `gini_threshold` is not from 0 to 1.
    TypeError
        If X holds no numbers.
    MemoryError
        If the matrix of rows, or the copy of one, would take more than half the free memory.

    Notes
    -----
    **Exact**: heights are those of the float64 algorithm, up to the rounding of its sums; a
    condensed or square matrix of float32 is worked on in float32, at half the memory. **Ties**:
    where several pairs are at the smallest distance their order decides, and dendrograms may
    differ; here the lowest rows are preferred. Equal heights are ordered by the time of the merge.

    **Cost**. From a matrix O(n^2) time in practice, memory for one copy of what is left of it after
    the first merges: less than the condensed matrix, or 24 MB where that is more. It is more, up to
    two copies more, where rounds of merges begin and then find next to no nearest pairs; and for
    "centroid" and "median", which take a square copy. "single" takes memory for half the
    condensed matrix at most. Rows are turned into a condensed matrix first, but not for "ward" (of
    more than 400 rows), "centroid" and "median" (for the latter two: in up to 128 columns, or where
    the matrix would be too large), which take O(n^2 d) time and O(n d) memory; nor for "single"
    and "genie" with Euclidean distance, which take O(n d) memory and, in few dimensions,
    O(n log n) time (see `minimum_spanning_tree`).

    The Gini index of the sizes of k clusters of n points is the sum of the differences of two
    sizes, over all pairs, divided by n (k - 1): 0 for equal sizes, 1 for k - 1 empty ones. The
    height of a merge by "genie" is the length of its edge.

    References
    ----------
    Lance, G. N. and Williams, W. T. (1967). A general theory of classificatory sorting strategies.
    The Computer Journal 9, 373-380. doi:10.1093/comjnl/9.4.373

    Murtagh, F. (1983). A survey of recent advances in hierarchical clustering algorithms. The
    Computer Journal 26, 354-359. doi:10.1093/comjnl/26.4.354

    Gagolewski, M., Bartoszuk, M. and Cena, A. (2016). Genie: a new, fast, and outlier-resistant
    hierarchical clustering algorithm. Information Sciences 363, 8-23.
    doi:10.1016/j.ins.2016.05.003

    Muellner, D. (2011). Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378

    Examples
    --------
    >>> from statfast.cluster import linkage
    >>> linkage([[0.0], [1.0], [5.0], [7.0]], "average")
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 2. , 2. ],
           [4. , 5. , 5.5, 4. ]])
    """
    as_choice(method, "method", LINKAGES)
    threshold = as_real(gini_threshold, "gini_threshold", 0.0, 1.0)
    source = as_linkage_source(X, method, metric, metric_params)
    return tree_of(source, method, n_jobs, threshold)


def as_linkage_source(
    X: Any, method: str, metric: Any, metric_params: dict | None = None, *, vectors: bool = True
) -> Dissimilarities:
    """Check rows or a matrix of dissimilarities for a method."""
    source = as_dissimilarities(
        X, metric, metric_params=metric_params, vectors=vectors, symmetric=True, n_min=2
    )
    if not isinstance(source, MetricRows):
        return source
    rows, measure = source
    n, d = rows.shape
    if method in SQUARED and measure.name != "euclidean":
        raise ValueError(
            f"The method {method!r} is defined by Euclidean distance; got metric {metric!r}. "
            "Choose another method, or pass a matrix of dissimilarities."
        )
    if n == d and not rows.diagonal().any() and rows.min() >= 0 and np.array_equal(rows, rows.T):
        warn_user(
            "X looks like a square matrix of dissimilarities but is taken as rows. Pass "
            'metric="precomputed" if it is one.'
        )
    return source


def tree_of(
    source: Dissimilarities, method: str, n_jobs: int | None = None, gini_threshold: float = 0.3
) -> np.ndarray:
    """The linkage matrix of checked rows or dissimilarities."""
    if method == "genie":
        return _genie(source, gini_threshold, n_jobs)
    if isinstance(source, MetricRows):
        if method == "single":
            return merges(*edges_of_rows(source, n_jobs), by_height=True)
        n, d = source.X.shape
        if method == "ward" and n > MAX_ROWS_OF_WARD_MATRIX:
            return merges(*ward_of_rows(_prepared_rows(source, n_jobs), n_jobs), by_height=True)
        if method in INVERTING and (d <= MAX_COLUMNS_OF_POINTS or not fits(12 * n * n)):
            rows = _prepared_rows(source, n_jobs)
            return merges(*centroid_of_rows(rows, method == "median", n_jobs), by_height=False)
    triangle, high = source.condensed(n_jobs)
    return _merge_triangle(triangle, high, method, n_jobs)


def _genie(source: Dissimilarities, gini_threshold: float, n_jobs: Jobs) -> Array:
    """The merges along the spanning tree, in their order."""
    if isinstance(source, MetricRows):
        return balanced_merges(*edges_of_rows(source, n_jobs), gini_threshold)
    return balanced_merges(*edges_of_triangle(source.condensed(n_jobs)[0], n_jobs), gini_threshold)


def balanced_merges(u: Array, v: Array, length: Array, gini_threshold: float) -> Array:
    """The merges by Genie along the edges of a spanning tree, in their order."""
    rise = rising(length, np.maximum(u, v), np.minimum(u, v))
    u, v = (ends[rise].astype(np.int32, copy=False) for ends in (u, v))
    n = len(u) + 1
    forest_state = (
        np.empty((2, n - 1), np.int32), np.empty(n, np.int32), np.empty(n, np.int32),
        np.empty((2, n + 1), np.int64), np.empty(n + 1, np.int32),
        np.empty(genie.N_STATES, np.int64),
    )  # fmt: skip
    order = np.empty(n - 1, np.intp)
    genie.begin(*forest_state)
    for start in range(0, n - 1, GENIE_MERGES_PER_CALL):
        checkpoint()
        steps = min(GENIE_MERGES_PER_CALL, n - 1 - start)
        genie.merge(u, v, gini_threshold, steps, *forest_state, order)
    return merges(u[order], v[order], length[rise][order], by_height=False)


def _prepared_rows(source: MetricRows, n_jobs: Jobs) -> Array:
    """Rows between which the metric is Euclidean distance without weights."""
    return source.metric.prepare(source.X, n_jobs=n_jobs)


def _merge_triangle(triangle: Triangle, high: Any, method: str, n_jobs: Jobs) -> Array:
    """The merges of a matrix whose largest number is `high`."""
    if method == "single":
        return merges(*edges_of_triangle(triangle, n_jobs), by_height=True)
    scale = 0.0
    if method in SQUARED:
        # In this range, float32 holds the squares.
        scale = 1.0 if 1e-15 < high < 1e15 else scale_of(high)
    rule = METHODS.index(method)
    if method in INVERTING:
        a, b, height = merged_one_by_one(triangle, rule, scale, n_jobs)
    else:
        a, b, height = Merging(triangle, rule, scale, n_jobs).run()
    height = height.astype(np.float64)
    if scale:
        with np.errstate(over="ignore"):
            height = np.sqrt(np.maximum(height, 0.0)) / scale
        if not np.isfinite(height).all():
            raise ValueError("Heights of merges overflow. Scale X down.")
    return merges(a, b, height, by_height=method not in INVERTING)


def merges(a: np.ndarray, b: np.ndarray, height: np.ndarray, *, by_height: bool) -> Array:
    """The linkage matrix of merges: of the clusters of points a and b at a height."""
    count = len(a)
    every = np.arange(count)
    order = rising(height, every) if by_height else every
    Z = np.empty((count, 4))
    interruptible(forest.label, order, a, b, height, np.empty(2 * count + 1, np.int32), Z)
    return Z
