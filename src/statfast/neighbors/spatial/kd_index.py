# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree as a search index, whose queries are sorted and divided among threads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.kdtree import order as kdorder
from statfast._core.kdtree import search as kdsearch
from statfast._core.kdtree.tree import TreeView
from statfast._distance import LANES, MAX_LEAF_POINTS, PLAIN, KDArrays, Metric, with_contiguous_rows
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.neighbors.spatial import kd_radius

LEAF_POINTS = 32  # points of a leaf: fewer mean more boxes to test, more mean needless distances
COORDINATES_PER_CALL = 2e7  # coordinates read between checkpoints: some 20 ms
MAX_QUERIES_PER_TASK = 4096
MAX_QUERIES_OF_ONE_CALL = 16  # searched in one call, without tasks
MIN_QUERIES_PER_TASK = 1024  # in few dimensions; fewer in many
MAX_UNORDERED_BYTES = 1 << 22  # bytes of points that fit the caches, whatever the order of queries
MORTON_BITS = 22  # bits of a Morton code
SAMPLE_POINTS = 512  # points whose quantiles are the frame of Morton codes


@dataclass(frozen=True)
class KDTreeIndex:
    """A tree of prepared rows and the metric they are prepared for."""

    arrays: KDArrays
    metric: Metric = PLAIN

    @classmethod
    def build(
        cls, X: np.ndarray, n_jobs: int | None = None, *, metric: Metric = PLAIN,
        leaf_size: int | None = None,
    ) -> KDTreeIndex:  # fmt: skip
        """The tree of rows X (n, d) of float64 or float32, or of bytes, which become float32."""
        rows = X.astype(np.float32) if X.dtype == np.uint8 else X
        leaf = min(MAX_LEAF_POINTS, -(-(leaf_size or LEAF_POINTS) // LANES) * LANES)
        return cls(KDArrays.build(rows, leaf, n_jobs), metric)

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        return self._search(Q, k, n_jobs)[:2]

    def nearest_to_one(self, q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Euclidean distances (k,) and row numbers (k,) of the nearest to one query in one call;
        None of what the general way has to look at: other metrics, types, widths and numbers."""
        arrays, metric = self.arrays, self.metric
        if (
            q.dtype != np.float64
            or q.shape != arrays.blocks.shape[1:2]
            or type(k) is not int
            or not 1 <= k <= arrays.n
            or metric.name != "euclidean"
            or metric.prepares
        ):
            return None
        distances, ids = np.empty(k), np.empty(k, np.intp)
        return (distances, ids) if kdsearch.query(self.view, q, distances, ids) else None

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same of the indexed rows, each without itself."""
        return self._search(None, k, n_jobs)[:2]

    def query_radius(
        self, Q: np.ndarray, r: Array | float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> kd_radius.Within:  # fmt: skip
        """Rows within reduced radii r (a number, or one each): starts (m + 1,), reduced distances
        and row numbers, of each query ordered by (distance, number), or by number."""
        Q, order = self.ordered_queries(Q, n_jobs)
        distances = distances or not by_row
        return kd_radius.rows_within(
            self.view, Q, order, r, n_jobs, by_row=by_row, distances=distances
        )

    def count_radius(self, Q: np.ndarray, r: Any, n_jobs: int | None = None) -> np.ndarray:
        """How many rows are within the reduced radii."""
        Q, order = self.ordered_queries(Q, n_jobs)
        return kd_radius.count_within(self.view, Q, order, r, n_jobs)

    def points(self, part: slice) -> np.ndarray:
        """Rows in the order of the tree, as queries."""
        _, d, leaf = self.arrays.blocks.shape
        first = part.start // leaf
        rows = self.arrays.blocks[first : -(-part.stop // leaf)].transpose(0, 2, 1).reshape(-1, d)
        return rows[part.start - first * leaf : part.stop - first * leaf]

    @property
    def ids(self) -> np.ndarray:
        """The caller's row at each position of the tree, (n,)."""
        return self.arrays.ids.ravel()[: self.arrays.n]

    def visited(self, Q: np.ndarray, k: int) -> float:
        """The number of points that a query visits, on average."""
        return self._search(Q, k, None)[2] / len(Q)

    @cached_property
    def view(self) -> TreeView:
        """The arrays in the form of kernels; not pickled."""
        return TreeView(*self.arrays.fields, self.metric.kind, self.metric.p)

    @property
    def nbytes(self) -> int:
        return self.arrays.nbytes

    def __reduce__(self) -> Any:
        return KDTreeIndex, (self.arrays, self.metric)

    def _search(self, Q: Array | None, k: int, n_jobs: Jobs) -> tuple[Array, Array, int]:
        """Distances, numbers, and how many points were visited in all."""
        arrays, view = self.arrays, self.view
        d, order = arrays.blocks.shape[1], None
        m = arrays.n if Q is None else len(Q)
        distances, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        effort = m * d * (k + 32.0) * 16
        if Q is not None:
            Q, order = self.ordered_queries(Q, n_jobs)

        pace = max(
            1, min(MAX_QUERIES_PER_TASK, int(COORDINATES_PER_CALL / (arrays.n * (d + 8))))
        )  # at worst: all points
        if m <= min(pace, MAX_QUERIES_OF_ONE_CALL):
            return distances, ids, kdsearch.search(view, Q, order, 0, m, distances, ids)

        def work(block: slice) -> int:
            nonlocal pace
            visited, start = 0, block.start
            while start < block.stop:
                checkpoint()
                stop = min(start + pace, block.stop)
                seen_points = kdsearch.search(view, Q, order, start, stop, distances, ids)
                each_costs = (seen_points + 1) * (d + 8) / (stop - start)
                visited, start = visited + seen_points, stop
                pace = max(
                    1, min(8 * pace, MAX_QUERIES_PER_TASK, int(COORDINATES_PER_CALL / each_costs))
                )
            return visited

        least = max(16, (MIN_QUERIES_PER_TASK >> min(max(d - 3, 0), 6)) // (1 + k // 16))
        blocks = grid(m, least=least, most=MAX_QUERIES_PER_TASK)
        return distances, ids, sum(each(work, blocks, n_jobs=n_jobs, effort=effort))

    def ordered_queries(self, Q: Array, n_jobs: Jobs) -> tuple[Array, None]:
        """Queries in the form of kernels, and the order to search them in, or None."""
        Q = self._rows(Q)
        large = len(Q) > MAX_QUERIES_PER_TASK and self.arrays.blocks.nbytes > MAX_UNORDERED_BYTES
        return Q, self._order(Q, n_jobs) if large else None

    def _rows(self, Q: Array) -> Array:
        """Queries in the form of kernels: contiguous rows of float64 or float32."""
        if Q.dtype == np.uint8:
            return np.ascontiguousarray(Q, np.float32)
        return with_contiguous_rows(Q)

    def _order(self, Q: Any, n_jobs: Jobs) -> Any:
        """An order of the queries in which neighbors in space are near one another."""
        m, blocks = len(Q), self.arrays.blocks
        axes = min(blocks.shape[1], 8)
        bits = MORTON_BITS // axes
        # The frame holds most points, but no outliers: these would leave all others in one cell.
        sample = blocks[:: max(1, len(blocks) // SAMPLE_POINTS), :axes, 0].astype(np.float64)
        low, high = np.quantile(sample, (0.02, 0.98), axis=0)
        with np.errstate(over="ignore", divide="ignore"):
            scale = np.where(high > low, 2.0**bits / (high - low), 0.0)
        code, order, work = np.empty(m, np.uint32), np.empty(m, np.int32), np.empty(m, np.int32)
        each(
            lambda block: kdorder.encode(Q, block.start, block.stop, low, scale, bits, code),
            grid(m),
            n_jobs=n_jobs,
        )
        kdorder.sort(code, work, order)
        return order
