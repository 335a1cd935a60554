# SPDX-License-Identifier: BSD-3-Clause
"""Brute force by any metric: the choice of its index, and that of a user's function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.neighbors import brute
from statfast._distance import (
    BLOCKWISE,
    CALLABLE,
    HAMMING,
    JACCARD,
    Metric,
    by_function,
    read_only,
)
from statfast._typing import Array
from statfast._validation import is_sparse
from statfast.neighbors.brute.binary import BinaryIndex
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.precomputed import BlockwiseIndex
from statfast.neighbors.brute.radius import Within, gathered
from statfast.neighbors.brute.sparse import SparseIndex


def build_brute(rows: Any, metric: Metric, n_jobs: int | None = None) -> Any:
    """The index for brute force among checked rows, dense or CSR, prepared for the metric."""
    if is_sparse(rows):
        return SparseIndex.build(rows, n_jobs, metric=metric)
    if metric.kind == CALLABLE:
        return FunctionIndex.build(rows, n_jobs, metric=metric)
    if metric.kind == BLOCKWISE:
        return BlockwiseIndex(rows, metric)
    if metric.kind in (HAMMING, JACCARD) and BinaryIndex.takes(rows, metric):
        return BinaryIndex.build(rows, n_jobs, metric=metric)
    return BruteIndex.build(rows, n_jobs, metric=metric)


@dataclass(frozen=True)
class FunctionIndex:
    """Rows and a function of two of them, called for each pair in one thread.

    The function need not be symmetric or obey the triangle inequality. It takes the query first,
    and both rows as read-only float64.
    """

    rows: np.ndarray
    metric: Metric

    @classmethod
    def build(cls, X: np.ndarray, n_jobs: int | None = None, *, metric: Metric) -> FunctionIndex:
        """The index of rows."""
        return cls(read_only(X), metric)

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        distances, ids = np.empty((len(Q), k)), np.empty((len(Q), k), np.intp)
        for number, q in enumerate(read_only(Q)):
            brute.nearest(self._to_all(q, number), distances[number], ids[number])
        return distances, ids

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same of the indexed rows, each without itself."""
        distances, ids = np.empty((len(self.rows), k)), np.empty((len(self.rows), k), np.intp)
        for number, q in enumerate(self.rows):
            to_others = np.delete(self._to_all(q, number), number)
            brute.nearest(to_others, distances[number], ids[number])
            ids[number] += ids[number] >= number
        return distances, ids

    def query_radius(
        self, Q: np.ndarray, r: float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> Within:  # fmt: skip
        """All rows within distance r: starts (m + 1,), distances and ids, by (distance, id) or by
        id."""
        limit = np.broadcast_to(np.asarray(r, np.float64), len(Q))
        matches = []
        for number, q in enumerate(read_only(Q)):
            distances = self._to_all(q, number)
            row = np.flatnonzero(distances <= limit[number])
            matches.append((np.full(len(row), number), distances[row], row))
        return gathered(matches, len(Q), len(self.rows), by_row)

    def _to_all(self, q: Array, number: int) -> Array:
        where = "query {} and row {}"
        return by_function(self.metric, q, self.rows, where, number, finite=False)
