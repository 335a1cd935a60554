# SPDX-License-Identifier: BSD-3-Clause
"""Minimum spanning trees by Boruvka's rounds, of a dissimilarity matrix and of points.

Each round joins every part of the forest to its nearest one, so that at most half of the parts
remain. For a matrix, see cluster/hierarchy/boruvka_matrix.py. For points, fewer search in each
round: in few dimensions in a k-d tree; in many dimensions among all points, where each lists
several neighbors at once, so that most need not search again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._distance import (
    EUCLIDEAN,
    MetricRows,
    as_dissimilarities,
    rescaled,
)
from statfast._engine import interruptible
from statfast.cluster.hierarchy.boruvka_matrix import Edges, edges_of_triangle
from statfast.cluster.hierarchy.boruvka_points import edges_by_tree
from statfast.cluster.hierarchy.boruvka_rows import edges_by_comparing
from statfast.neighbors.brute.brute import BruteIndex

MAX_TREE_COLUMNS = 10  # columns up to which a k-d tree is quicker


def minimum_spanning_tree(
    X: Any, metric: Any = "euclidean", *, metric_params: dict | None = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Minimum spanning tree of the samples under a metric.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n (n - 1) / 2,)
        Rows; condensed dissimilarities; or with ``metric="precomputed"`` a square matrix.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a
        function of two samples, or "precomputed".
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    edges : ndarray of shape (n - 1, 2), intp
        The two rows of each edge, the lower first; by length, then by rows.
    lengths : ndarray of shape (n - 1,)
        Their lengths, rising.

    Raises
    ------
    ValueError
        If X is not valid: see `linkage`.
    MemoryError
        If a matrix of dissimilarities would take more than half the free memory.

    Notes
    -----
    **Exact**: lengths are float64 differences of rows. **Ties**: of trees of the same length one is
    found, the same for any number of threads.

    By Boruvka's rounds. From rows, for Euclidean distance and metrics that are Euclidean distance
    after scaling: in up to ten columns O(n log n) time where that is few for the data, on a k-d
    tree; in more columns O(n^2 d) time, where rows are compared in float32 and those that may be
    nearest measured in float64; O(n d) memory in both cases. From a matrix the first round reads it
    twice and leaves one of a fourth of its square at most, on which the next works. By other
    metrics the matrix of rows is made first.

    References
    ----------
    March, W. B., Ram, P. and Gray, A. G. (2010). Fast Euclidean minimum spanning tree: algorithm,
    analysis, and applications. KDD 2010, 603-612. doi:10.1145/1835804.1835882

    Examples
    --------
    >>> from statfast.cluster import minimum_spanning_tree
    >>> edges, lengths = minimum_spanning_tree([[0.0], [7.0], [1.0], [5.0]])
    >>> edges.tolist(), lengths.tolist()
    ([[0, 2], [1, 3], [2, 3]], [1.0, 2.0, 4.0])
    """
    source = as_dissimilarities(
        X, metric, metric_params=metric_params, vectors=True, symmetric=True
    )
    if isinstance(source, MetricRows):
        u, v, length = edges_of_rows(source, n_jobs)
    else:
        u, v, length = edges_of_triangle(source.condensed(n_jobs)[0], n_jobs)
    low, high = np.minimum(u, v), np.maximum(u, v)
    order = rising(length, high, low)
    edges = np.empty((len(order), 2), np.intp)
    edges[:, 0], edges[:, 1] = low[order], high[order]
    return edges, length[order]


def rising(values: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """The order of numbers; ties are broken by keys, the last of which counts first, as in lexsort.

    Ties are rare, and a sort that need not break them is several times as fast.
    """
    order = interruptible(np.argsort, values)
    arranged = values[order]
    same = np.concatenate([[False], arranged[1:] == arranged[:-1], [False]])
    tied = np.flatnonzero(same[1:] | same[:-1])
    rows = order[tied]
    order[tied] = rows[np.lexsort((*(key[rows] for key in keys), arranged[tied]))]
    return order


def edges_of_rows(source: MetricRows, n_jobs: int | None = None) -> Edges:
    """The edges of checked rows by a metric."""
    X, metric = source
    if metric.kind != EUCLIDEAN:
        return edges_of_triangle(source.condensed(n_jobs)[0], n_jobs)
    rows = metric.prepare(X, n_jobs=n_jobs)
    rows, scale = rescaled(rows.astype(np.float64, copy=False), n_jobs)
    if rows.shape[1] <= MAX_TREE_COLUMNS:
        u, v, squares = edges_by_tree(rows, n_jobs)
    else:
        u, v, squares = edges_by_comparing(BruteIndex.build(rows, n_jobs), n_jobs)
    with np.errstate(over="ignore"):
        length = metric.finish(squares) / scale
        if metric.name == "sqeuclidean":
            length /= scale
    if not np.isfinite(length).all():
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return u, v, length
