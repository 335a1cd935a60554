# SPDX-License-Identifier: BSD-3-Clause
"""Rows and distances as HDBSCAN takes them: dense, sparse, or of which some are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from statfast._distance import (
    MetricRows,
    Square,
    as_dissimilarities,
    as_metric_rows,
    is_gappy,
    is_precomputed,
)
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import as_csr, as_rows, as_weights, is_sparse, slack_of
from statfast.neighbors.brute.graph import as_graph
from statfast.neighbors.search.algorithms import SearchTask, built
from statfast.neighbors.search.nearest import NearestNeighbors

FLOATS = (np.float64, np.float32)


class SparseDistances:
    """Sparse rows, and distances from some of them to all."""

    def __init__(self, X: Matrix, metric: Any, metric_params: Any, n_jobs: Jobs) -> None:
        search = NearestNeighbors(metric=metric, metric_params=metric_params, n_jobs=n_jobs)
        self.X = X
        self.rows, self.metric = search._metric_rows(X)
        self.n, self.n_jobs = self.rows.shape[0], n_jobs
        self.index = built("brute", SearchTask(self.rows, self.metric, None, n_jobs))

    def made(self, n_jobs: Jobs = None) -> Self:
        """As distances of rows in memory."""
        return self

    def block(self, rows: slice, columns: slice) -> Array:
        """Distances from some rows to all, whatever the columns."""
        starts, reduced, ids = self.index.query_radius(self.rows[rows], np.inf, self.n_jobs)
        table = np.empty((len(starts) - 1, self.n))
        table[np.repeat(np.arange(len(table)), np.diff(starts)), ids] = self.metric.finish(reduced)
        return table


class Table:
    """Distances of the user in memory, of which some may be infinite."""

    def __init__(self, distances: Any) -> None:
        self.distances, self.n = distances, distances.n

    def made(self, n_jobs: Jobs = None) -> Self:
        """As distances of rows in memory."""
        return self

    def block(self, rows: slice, columns: slice) -> Array:
        """Distances from some rows to others."""
        return self.distances.block(rows, columns)

    def divided(self, kept: Array) -> tuple[Table, Array]:
        """The table of the points that are kept, and the distances of the others to them."""
        whole = np.asarray(self.block(slice(0, self.n), slice(0, self.n)))
        return Table(Square(whole[kept][:, kept])), whole[~kept][:, kept]


@dataclass(frozen=True)
class Graph:
    """A sparse graph of distances, whose pairs that are not stored are infinitely far apart.

    The edges (row, ids, distance) are stored both ways and without loops, by row and distance.
    """

    n: int
    row: Array
    ids: Array
    distance: Array

    @classmethod
    def from_matrix(cls, X: Matrix) -> Graph:
        """Check a sparse matrix."""
        graph = as_graph(X)
        n = graph.shape[0]
        if n != graph.shape[1]:
            raise ValueError(
                "X must be a square table of distances where metric is 'precomputed'; got shape "
                f"{graph.shape}. Pass all pairs."
            )
        row = np.repeat(np.arange(n), np.diff(graph.indptr))
        ids, distance = graph.indices.astype(np.intp), graph.data
        off = row != ids
        if distance[~off].any():
            raise ValueError(
                "X must be 0 on its diagonal where metric is 'precomputed', as a row is at no "
                "distance from itself. Set it to 0, or store none of it."
            )
        row, ids, distance = row[off], ids[off], distance[off]
        order = np.lexsort((row, ids))  # that of the transposed graph
        alike = np.array_equal(row, ids[order]) and np.array_equal(ids, row[order])
        if not alike or (np.abs(distance[order] - distance) > slack_of(graph) * distance).any():
            raise ValueError(
                "X must be symmetric where metric is 'precomputed', and store each distance both "
                "ways. Take the larger of X and X.T, for example."
            )
        distance = np.minimum(distance, distance[order])
        order = np.lexsort((distance, row))
        return cls(n, row[order], ids[order], distance[order])

    def divided(self, kept: Array) -> tuple[Graph, Array]:
        """The graph of the points that are kept, and the distances of the others to them."""
        number, count = np.cumsum(kept) - 1, int(kept.sum())
        within = kept[self.row] & kept[self.ids]
        between = Graph(
            count, number[self.row[within]], number[self.ids[within]], self.distance[within]
        )
        number = np.where(kept, number, np.cumsum(~kept) - 1)
        across = ~kept[self.row] & kept[self.ids]
        table = np.full((self.n - count, count), np.inf)
        table[number[self.row[across]], number[self.ids[across]]] = self.distance[across]
        return between, table


@dataclass(frozen=True)
class CheckedRows:
    """Rows, or distances, and which of them are clustered: finite ones that have a weight."""

    source: Any
    weight: Array | None  # of those that are clustered
    n_features: int
    kept: Array | None = None  # marks of the rows that are clustered; None: all
    missing: Any = None  # marks of rows with NaN
    absent: Any = None  # marks of finite rows without weight
    from_absent: Any = None  # these rows, or their distances to those that are clustered

    def spread(self, values: Array, missing: float, infinite: float) -> Array:
        """Values of the rows that are clustered, among those of rows with NaN, and of others."""
        out = np.where(self.missing, missing, infinite).astype(values.dtype)
        out[self.kept] = values
        return out

    def find_from_absent(self, n_jobs: Jobs) -> Callable[[Array, int], tuple[Array, Array]]:
        """The search for the nearest rows of those without weight."""
        if not isinstance(self.source, MetricRows | SparseDistances):
            return find_in_table(self.from_absent)
        metric: Any = self.source.metric
        search = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(self.source.X)
        return lambda part, k: search.kneighbors(self.from_absent[part], k)


def as_checked_rows(
    X: Any, metric: Any, metric_params: Any, sample_weight: Any, n_jobs: Jobs
) -> CheckedRows:
    """Check rows and their metric, or distances, and weights."""
    if is_precomputed(metric):
        return _checked_distances(X, sample_weight)
    rows, finite = X, None
    if not is_sparse(X) and not is_gappy(metric):
        rows = as_rows(X, keep=FLOATS, finite=False)
        finite = np.isfinite(rows).all(axis=1)
        if finite.all() or not finite.any():
            finite = None  # where there is no finite row, checks of rows say so
    elif is_sparse(X):
        rows = as_csr(X)
    else:
        rows, metric = as_metric_rows(X, metric, metric_params=metric_params)
        metric_params = None
    n, d = rows.shape
    weight = as_weights(sample_weight, n)
    kept = np.ones(n, bool) if finite is None else finite
    absent = np.zeros(n, bool) if weight is None else kept & (weight == 0)
    kept = kept & ~absent
    whole = bool(kept.all())
    present = rows if whole or not kept.any() else rows[kept]
    source = (
        SparseDistances(present, metric, metric_params, n_jobs)
        if is_sparse(rows)
        else as_dissimilarities(present, metric, metric_params=metric_params)
    )
    if whole:
        return CheckedRows(source, weight, d)
    of_kept = None if weight is None else weight[kept]
    missing = np.zeros(n, bool) if finite is None else np.isnan(rows).any(axis=1)
    return CheckedRows(source, of_kept, d, kept, missing, absent, rows[absent])


def _checked_distances(X: Any, sample_weight: Any) -> CheckedRows:
    source = Graph.from_matrix(X) if is_sparse(X) else _as_square(X)
    n = source.n
    weight = as_weights(sample_weight, n)
    if weight is None or weight.all():
        return CheckedRows(source, weight, n)
    kept = weight > 0
    between, from_absent = source.divided(kept)
    return CheckedRows(between, weight[kept], n, kept, np.zeros(n, bool), ~kept, from_absent)


def _as_square(X: Any) -> Table:
    """Check distances, of which those that are infinite are missing."""
    table = as_rows(X, keep=FLOATS, finite=False) if np.ndim(X) == 2 else X
    missing = np.isposinf(table) if np.ndim(X) == 2 else np.zeros(0, bool)
    if not missing.any():
        return Table(as_dissimilarities(X, symmetric=True))
    if missing.shape[0] == missing.shape[1] and not np.array_equal(missing, missing.T):
        raise ValueError(
            "X must be symmetric where metric is 'precomputed'; a distance is infinite one way and "
            "not the other. Make both infinite."
        )
    source: Any = as_dissimilarities(np.where(missing, 0.0, table), symmetric=True)
    complete = np.array(source.block(slice(0, source.n), slice(0, source.n)), np.float64)
    complete[missing] = np.inf
    return Table(Square(complete))


def find_in_table(table: Array) -> Callable[[Array, int], tuple[Array, Array]]:
    """The search in a table (m, n) of distances from new points to fitted rows."""

    def find(part: Array, k: int) -> tuple[Array, Array]:
        ids = np.argsort(table[part], axis=1, kind="stable")[:, :k]
        return np.take_along_axis(table[part], ids, axis=1), ids

    return find


def refuse_undefined(table: Array, source: Any) -> None:
    """Refuse distances of rows that are not numbers."""
    rows = isinstance(source, MetricRows | SparseDistances)
    if rows and not np.isfinite(table).all():
        what = "are not defined" if np.isnan(table).any() else "overflow"
        raise ValueError(
            f"Distances between rows of X {what} by the metric {source.metric.name!r}. "
            "Scale X down, or drop rows that share no values."
        )
