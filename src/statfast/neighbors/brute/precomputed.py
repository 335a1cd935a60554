# SPDX-License-Identifier: BSD-3-Clause
"""Distances that the user computed: the search among the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.neighbors import brute
from statfast._distance import CALLABLE, Metric, between
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import is_sparse, slack_of
from statfast.neighbors.brute.graph import nearest_stored, stored_within
from statfast.neighbors.brute.radius import joined

NUMBERS_PER_TASK = 1 << 22  # numbers that a task reads


class PrecomputedMetric(Metric):
    """Precomputed distances, which are their own reduced distances."""

    def prepare(self, rows: Array, *, name: str = "X", n_jobs: Jobs = None) -> Array:
        """Check rows of distances; rounding errors below 0 become 0."""
        if rows.dtype.kind != "f" or rows.min() >= 0.0:
            return rows
        wrong = rows < -slack_of(rows) * rows.max()
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"{name} must hold distances, which are not negative; got {rows[row, column]} at "
                f"row {row}, column {column}. Turn similarities into distances first."
            )
        return np.maximum(rows, 0.0)


PRECOMPUTED_METRIC = PrecomputedMetric("precomputed", CALLABLE)


@dataclass(frozen=True)
class PrecomputedIndex:
    """A table of distances between the fitted rows; a query is a row of distances to them.

    Either may be a sparse graph, of which only stored entries are neighbors.
    """

    table: Any  # (n, n) float64, float32 or uint8, or a graph

    @classmethod
    def build(cls, X: Any) -> PrecomputedIndex:
        """The index of a square table."""
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "X must be a square table of distances between the fitted rows where metric is "
                f"'precomputed'; got shape {X.shape}. Pass all pairs."
            )
        return cls(X)

    def query(self, Q: Array, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The k smallest distances of each row and their columns, by (distance, column)."""
        return self._smallest(Q, k, n_jobs, itself=False)

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same for the rows of the table, each without its own column."""
        return self._smallest(self.table, k, n_jobs, itself=True)

    def _distances(self, Q: Array, block: slice) -> Array:
        """A copy of the distances of a block of queries to all rows, float64."""
        return np.array(Q[block], np.float64, order="C")

    def _smallest(self, Q: Array, k: int, n_jobs: Jobs, itself: bool) -> tuple[Array, Array]:
        if is_sparse(Q):
            return nearest_stored(Q, k, itself)
        m, n = len(Q), self.table.shape[0]
        distances, ids = np.empty((m, k)), np.empty((m, k), np.intp)

        def work(block: slice) -> None:
            for i, row in zip(
                range(block.start, block.stop), self._distances(Q, block), strict=True
            ):
                if itself:
                    row[i] = np.inf  # comes last, as all others are finite
                brute.nearest(row, distances[i], ids[i])

        blocks = grid(m, least=1, most=max(1, NUMBERS_PER_TASK // n))
        each(work, blocks, n_jobs=n_jobs, effort=2.0 * m * n)
        return distances, ids

    def query_radius(
        self, Q: Array, r: float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """The columns of distances up to r in each row: starts, distances, columns."""
        if is_sparse(Q):
            return stored_within(Q, r, by_row)
        m, n = len(Q), self.table.shape[0]
        radii = np.broadcast_to(np.asarray(r, np.float64), m)

        def work(block: slice) -> tuple[Array, Array, Array]:
            checkpoint()
            table = self._distances(Q, block)
            rows, ids = np.nonzero(table <= radii[block, None])
            distances = table[rows, ids]
            starts = np.searchsorted(rows, np.arange(len(table) + 1))
            if by_row:
                return (
                    starts,
                    distances,
                    np.ascontiguousarray(ids),
                )
            order = np.lexsort((ids, distances, rows))
            return starts, distances[order], ids[order]

        blocks = grid(m, least=1, most=max(1, NUMBERS_PER_TASK // n))
        return joined(each(work, blocks, n_jobs=n_jobs, effort=2.0 * m * n))


@dataclass(frozen=True)
class BlockwiseIndex(PrecomputedIndex):
    """Rows in place of the table, and a metric that computes blocks of it: memory O(n d)."""

    table: np.ndarray  # (n, d) the rows
    metric: Metric

    def _distances(self, Q: Array, block: slice) -> Array:
        return between(self.metric, Q[block], self.table)


# ---------- The neighbors of indexed rows, each without itself
def without_self(
    reduced: np.ndarray, ids: np.ndarray, self_ids: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Drop each row's own id from its k + 1 neighbors.

    If more than k duplicates of smaller index come first, the row's own id is not among them: all
    k + 1 are then at distance 0, and the last is dropped.
    """
    drop = ids == self_ids[:, None]
    drop[:, -1] |= ~drop.any(axis=1)
    shape = ids.shape[0], ids.shape[1] - 1
    return reduced[~drop].reshape(shape), ids[~drop].reshape(shape)


def without_self_within(
    starts: np.ndarray, reduced: np.ndarray | None, ids: np.ndarray, first: int
) -> tuple[Array, Any, Array]:
    """Drop each row's own id, from `first` up, from its neighbors within a radius."""
    m = len(starts) - 1
    kept = ids != np.repeat(np.arange(first, first + m), np.diff(starts))
    starts_of_kept = np.concatenate([[0], np.cumsum(kept)])
    return starts_of_kept[starts], None if reduced is None else reduced[kept], ids[kept]
