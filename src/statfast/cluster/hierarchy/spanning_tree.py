# SPDX-License-Identifier: BSD-3-Clause
"""Minimum spanning trees by Boruvka's rounds, of a dissimilarity matrix and of points.

Each round joins every part of the forest to its nearest other one, so there are at least half as
many left. Of a matrix, see cluster/hierarchy/boruvka_matrix.py. Of points a round is a search, of
which less is left each time: in few dimensions in a k-d tree, in many among all points, which then
find several neighbors at once, so that most need not search again.
"""

from typing import Any

import numpy as np

from statfast._distance import (
    EUCLIDEAN,
    MetricRows,
    as_dissimilarities,
    rescaled,
)
from statfast._typing import Array
from statfast.cluster.hierarchy.boruvka_matrix import Edges, Growth, edges_of_triangle
from statfast.cluster.hierarchy.boruvka_points import edges_by_tree
from statfast.cluster.hierarchy.point_linkage import columns_of, nearest

MAX_TREE_COLUMNS = 10  # columns: up to so many a k-d tree spares more than it costs
NEIGHBORS_AT_ONCE = 8  # neighbors found at once where all points are compared
WAVES_PER_ROUND = 4  # of searches in a round, each with the edges that those before it found


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
        Distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a function
        of two samples, or "precomputed".
    metric_params : dict, optional
        Parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

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
    tree; in more columns O(n^2 d) time; O(n d) memory in both cases. From a matrix the
    first round reads it twice and leaves one of a fourth of its square at most, on which the next
    works. By other metrics the matrix of rows is made first.

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
    given = as_dissimilarities(X, metric, metric_params=metric_params, vectors=True, symmetric=True)
    if isinstance(given, MetricRows):
        found = edges_of_rows(given, n_jobs)
    else:
        found = edges_of_triangle(given.condensed(n_jobs)[0], n_jobs)
    one, other, length = found
    low, high = np.minimum(one, other), np.maximum(one, other)
    order = rising(length, high, low)
    edges = np.empty((len(order), 2), np.intp)
    edges[:, 0], edges[:, 1] = low[order], high[order]
    return edges, length[order]


def rising(values: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """The order of numbers; of equal ones by keys, the last of which counts first, as in lexsort.

    Most often no two are equal: a sort that need not heed that is several times as fast.
    """
    order = np.argsort(values)
    arranged = values[order]
    same = np.concatenate([[False], arranged[1:] == arranged[:-1], [False]])
    tied = np.flatnonzero(same[1:] | same[:-1])
    some = order[tied]
    order[tied] = some[np.lexsort((*(key[some] for key in keys), arranged[tied]))]
    return order


def edges_of_rows(given: MetricRows, n_jobs: int | None = None) -> Edges:
    """The edges of checked rows by a metric."""
    X, metric = given
    if metric.kind != EUCLIDEAN:
        return edges_of_triangle(given.condensed(n_jobs)[0], n_jobs)
    rows = metric.prepare(X, n_jobs=n_jobs)
    rows, scale = rescaled(rows.astype(np.float64, copy=False), n_jobs)
    find = edges_by_tree if rows.shape[1] <= MAX_TREE_COLUMNS else edges_by_comparing
    one, other, square = find(rows, n_jobs)
    with np.errstate(over="ignore"):
        length = metric.finish(square) / scale
        if metric.name == "sqeuclidean":
            length /= scale
    if not np.isfinite(length).all():
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return one, other, length


def edges_by_comparing(X: np.ndarray, n_jobs: int | None = None) -> Edges:
    """The same, by comparing rows with all others."""
    n = len(X)
    columns, growth = columns_of(X), Growth(n)
    low, who = (
        np.empty((n, NEIGHBORS_AT_ONCE)),
        np.empty((n, NEIGHBORS_AT_ONCE), np.int32),
    )  # the nearest of other parts
    rows = every = np.arange(n, dtype=np.int32)

    def search(query: Array) -> None:
        low[query], who[query] = nearest(columns, part, query, k=NEIGHBORS_AT_ONCE, n_jobs=n_jobs)

    def known(query: Array) -> tuple[Array, Array]:
        """The nearest of another part on the lists; infinite where none is."""
        apart = np.where(
            (part[who[query]] != part[query][:, None]) & (who[query] >= 0), low[query], np.inf
        )
        first = apart.argmin(axis=1)
        at = np.arange(len(query)), first
        return apart[at], np.where(np.isinf(apart[at]), np.int32(-1), who[query][at])

    part = rows
    search(every)
    while growth.count > 1:
        apart, near = known(rows)
        best = np.full(n, np.inf)  # of each part, of what is known
        np.minimum.at(best, part[rows], apart)
        beyond = low[rows, -1]  # what is not on the list is not nearer
        lost = np.flatnonzero(np.isinf(apart))
        lost = lost[np.argsort(beyond[lost], kind="stable")]
        for wave in np.array_split(lost, WAVES_PER_ROUND):
            these = wave[beyond[wave] < best[part[rows[wave]]]]
            if len(these):
                search(rows[these])
                apart[these], near[these] = known(rows[these])
                np.minimum.at(best, part[rows[these]], apart[these])
        growth.offer(rows, near, apart)
        growth.join()
        part = growth.parts()
        rows = np.flatnonzero(part != growth.largest).astype(np.int32)
    return growth.edges()
