# SPDX-License-Identifier: BSD-3-Clause
"""Linkage of points that are compared with all others, without a matrix: O(n d) memory.

The points are rows, or the means of clusters of them. In few dimensions a k-d tree compares fewer.
In many dimensions, or where distances depend on sizes of clusters, all have to be compared, and
vector code does it: points lie in columns for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.hierarchy import centroids
from statfast._distance import extent_of, scale_of
from statfast._engine import checkpoint, each, grid

COLUMN_MULTIPLE = 64  # the number of columns is a multiple of this
NUMBERS_PER_CHAIN_CALL = 1 << 28  # numbers looked at between checkpoints: some 20 ms
Merges = tuple[np.ndarray, np.ndarray, np.ndarray]  # points a and b (int32), heights
NUMBERS_PER_CALL = 1 << 26  # numbers looked at between checkpoints: some 20 ms
CLUSTERS_PER_FREE_COLUMN = 8  # clusters for each free column
MIN_FREE_COLUMNS = 64  # free columns at least


def centered(X: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, float]:
    """Rows minus their mean, times a power of two that keeps squares in range; and that factor."""
    extent = extent_of(X, n_jobs)
    with np.errstate(over="ignore"):
        width = float((extent.high - extent.low).max())
    scale = 1.0 if 1e-100 < width < 1e100 else scale_of(width)
    if scale == 0 or not np.isfinite(width):
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return (X - extent.mean) * scale, scale


def as_heights(squares: np.ndarray, scale: float) -> np.ndarray:
    """The roots of squared distances between rows that were scaled."""
    with np.errstate(over="ignore"):
        height = np.sqrt(squares) / scale
    if not np.isfinite(height).all():
        raise ValueError("Heights of merges overflow. Scale X down.")
    return height


def columns_of(rows: np.ndarray, spare: int = 0) -> np.ndarray:
    """Rows (n, d) as columns, and at least `spare` more columns, which are at infinity."""
    n, d = rows.shape
    columns = np.full((d, -(-(n + spare) // COLUMN_MULTIPLE) * COLUMN_MULTIPLE), np.inf)
    columns[:, :n] = rows.T
    return columns


def nearest(
    columns: np.ndarray, n: int, query: np.ndarray, *, size: np.ndarray | None = None,
    before: bool = False, n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Squared distances and numbers of the nearest other points.

    Parameters
    ----------
    columns : ndarray of shape (d, ld)
    n : int
        How many points there are, in the first columns.
    query : ndarray of int32, shape (m,)
        The points to start from.
    size : ndarray of shape (n,), optional
        The points that each stands for, which weigh distances as Ward's rule has it.
    before : bool
        All columns are queries, and only those before each need be looked at.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    low : ndarray of shape (m,)
    who : ndarray of shape (m,), int32
    """
    d, ld = columns.shape
    sizes, smallest = None, 1.0
    if size is not None:
        sizes, smallest = np.ones(ld), float(size.min())
        sizes[:n] = size
    low, who = np.empty(len(query)), np.empty(len(query), np.int32)

    def work(block: slice) -> None:
        checkpoint()
        last = -(-(block.stop if before else n) // COLUMN_MULTIPLE) * COLUMN_MULTIPLE
        centroids.nearest(columns, sizes, smallest, query, block.start, block.stop, last, low, who)

    blocks = grid(len(query), least=64, most=max(64, NUMBERS_PER_CHAIN_CALL // (n * d)))
    each(work, blocks, n_jobs=n_jobs, effort=3.0 * len(query) * n * d)
    return low, who


# ---------- Ward's method from rows, without their matrix
# Ward's rule is reducible: all pairs of reciprocal nearest neighbors are merged in a round, and a
# cluster whose nearest neighbor was not merged keeps it. So only new clusters, and those that have
# lost their nearest one, are compared with all others.
def ward_of_rows(X: np.ndarray, n_jobs: int | None = None) -> Merges:
    """The merges of checked rows (n, d), in the order in which they are made."""
    mean, scale = centered(X, n_jobs)
    clusters = CentroidClusters(mean, n_jobs)
    low, who = clusters.nearest(np.arange(len(X), dtype=np.int32))
    if (low == 0).any():  # equal rows are joined at once; else a round would merge one pair of them
        clusters.join_equal()
        low, who = clusters.nearest(np.arange(clusters.m, dtype=np.int32))
    while clusters.m > 1:
        i = np.flatnonzero(who[who] == np.arange(clusters.m))
        i = i[i < who[i]]
        if len(i) == 0:  # distances are equal: with the first neighbors of all there is a pair
            low, who = clusters.nearest(np.arange(clusters.m, dtype=np.int32))
            continue
        low, who = clusters.merge(i, who[i], low, who)
    a, b, height = (np.concatenate(parts) for parts in zip(*clusters.merges, strict=True))
    return a, b, as_heights(height, scale)


class CentroidClusters:
    """Means and sizes of clusters, each of which is known by its first point."""

    def __init__(self, mean: np.ndarray, n_jobs: int | None) -> None:
        self.n_jobs, self.mean = n_jobs, mean
        self.m = len(mean)
        self.size = np.ones(self.m)
        self.point = np.arange(self.m, dtype=np.int32)
        self.merges: list[Merges] = []

    def nearest(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the nearest clusters of those in `query`."""
        columns = columns_of(self.mean)
        return nearest(columns, self.m, query, size=self.size, n_jobs=self.n_jobs)

    def merge(self, i: Any, j: Any, low: Any, who: Any) -> Any:
        """Merge the pairs i < j; the nearest neighbors after that."""
        m, d = self.m, self.mean.shape[1]
        self.merges.append((self.point[i], self.point[j], low[i]))
        share = (self.size[j] / (self.size[i] + self.size[j]))[:, None]
        self.mean[i] += share * (self.mean[j] - self.mean[i])
        self.size[i] += self.size[j]
        changed = np.zeros(m, bool)
        changed[i] = changed[j] = True
        stays = np.ones(m, bool)
        stays[j] = False
        rank = np.cumsum(stays, dtype=np.int32) - 1
        query = rank[stays & (changed | changed[who])].astype(np.int32)
        self.mean, self.size = self.mean[stays].reshape(-1, d), self.size[stays]
        self.point, self.m = self.point[stays], int(stays.sum())
        low, who = low[stays], rank[who[stays]].astype(np.int32)
        if self.m > 1:
            low[query], who[query] = self.nearest(query)
        return low, who

    def join_equal(self) -> None:
        """Merge equal rows, at height 0."""
        _, first, group = np.unique(self.mean, axis=0, return_index=True, return_inverse=True)
        group = group.reshape(-1)
        repeated = np.flatnonzero(first[group] != np.arange(self.m)).astype(np.int32)
        zeros = np.zeros(len(repeated))
        self.merges.append((first[group[repeated]].astype(np.int32), repeated, zeros))
        distinct = np.sort(first)
        self.size = np.bincount(group).astype(float)[np.argsort(first)]
        self.mean, self.m = self.mean[distinct], len(distinct)
        self.point = distinct.astype(np.int32)


# ---------- The centroid and median methods from rows, without their matrix A union may be nearer
# to a third cluster than its parts were, so the nearest pair of all is merged, one after the other.
# Each cluster is a column, with the nearest of the clusters before it, or a lower bound on the
# distance of that. A union is a new column, and the columns of merged clusters are left out from
# time to time.
def centroid_of_rows(X: np.ndarray, halves: bool, n_jobs: int | None = None) -> Merges:
    """The merges of checked rows (n, d), in the order in which they are made.

    `halves` says that a union lies midway between two clusters, whatever their sizes.
    """
    rows, scale = centered(X, n_jobs)
    n = m = len(rows)
    mean, size, point = rows.T, np.ones(n), np.arange(n, dtype=np.int32)
    low, who = nearest(columns_of(rows), n, point, before=True, n_jobs=n_jobs)
    who[who >= point] = -1  # in the same block and not before it: a bound without a neighbor
    a, b, height = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32), np.empty(n - 1)
    state = np.array([0, 0, 0], np.intp)
    while state[2] < n - 1:
        spare = max(MIN_FREE_COLUMNS, m // CLUSTERS_PER_FREE_COLUMN)
        columns = columns_of(mean.T, spare)
        size, point, low, who = (grown(v, columns.shape[1]) for v in (size, point, low, who))
        heap = grown(np.argsort(low[:m], kind="stable").astype(np.int32), columns.shape[1])
        state[:2] = m
        while state[2] < n - 1 and state[0] < columns.shape[1]:
            checkpoint()
            centroids.merge(
                columns, size, halves, point, low, who, heap, state, a, b, height,
                NUMBERS_PER_CALL,
            )  # fmt: skip
        alive = np.flatnonzero(columns[0] < np.inf)
        rank = np.full(columns.shape[1] + 1, -1, np.int32)  # the last is the rank of -1
        m, rank[alive] = len(alive), np.arange(len(alive))
        mean, size, point = columns[:, alive], size[alive], point[alive]
        low, who = low[alive], rank[who[alive]]
    return a, b, as_heights(height, scale)


def grown(values: np.ndarray, size: int) -> np.ndarray:
    """Values of columns, with room for those of free columns behind."""
    out = np.empty(size, values.dtype)
    out[: len(values)] = values
    return out
