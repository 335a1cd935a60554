# SPDX-License-Identifier: BSD-3-Clause
"""A ball tree for distances that are Python functions, which are called as seldom as possible.

Uhlmann 1991 (doi:10.1016/0020-0190(91)90074-R): a ball is a row and a radius, as the function may
accept nothing but rows. Two rows far from each other divide the others at the median of the
difference of the distances to them, and the row in their middle is the center. The distances of the
rows of a leaf to its center are kept, which bounds their distances to a query once more. The
function is called from Python, in one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapreplace
from math import inf
from operator import itemgetter
from typing import Any, Self

import numpy as np

from statfast._distance import Metric, by_function, measured
from statfast._engine import checkpoint
from statfast._typing import Array

LEAF_ROWS = 8  # rows of a leaf
TRIANGLE_LOSS = 1e-12  # relative error of a function's distances in the triangle inequality


@dataclass(frozen=True)
class FunctionTree:
    """The rows in the order of the tree, and the balls of its nodes in preorder."""

    metric: Metric
    rows: np.ndarray  # (n, d) float64
    ids: np.ndarray  # (n,) intp, the caller's row at each position of the tree
    to_center: np.ndarray  # (n,) from each row to the center of its leaf
    center: np.ndarray  # (nodes,) intp, positions
    radius: np.ndarray  # (nodes,)
    start: np.ndarray  # (nodes,) intp, positions
    stop: np.ndarray  # (nodes,)
    right: np.ndarray  # (nodes,) intp, the second child; the first follows its parent. -1: a leaf

    @classmethod
    def build(cls, X: np.ndarray, *, metric: Metric, leaf_size: int | None = None) -> Self:
        """The tree of rows, for which four distances are measured for each row and level."""
        n = len(X)
        rows, ids, to_center = np.array(X, np.float64, order="C"), np.arange(n), np.empty(n)
        leaf = max(2, leaf_size or LEAF_ROWS)
        nodes: list = []  # of [center, radius, start, stop, right]; a center as the caller's row
        waiting: list = [(0, n, None)]
        while waiting:
            checkpoint()
            start, stop, parent = waiting.pop()
            if parent is not None:
                nodes[parent][4] = len(nodes)
            span = slice(start, stop)
            from_start = distances(metric, rows[start], rows[span])
            to_pivot_a = distances(metric, rows[start + int(from_start.argmax())], rows[span])
            to_pivot_b = distances(metric, rows[start + int(to_pivot_a.argmax())], rows[span])
            middle = int(np.maximum(to_pivot_a, to_pivot_b).argmin())
            from_middle = distances(metric, rows[start + middle], rows[span])
            nodes.append([int(ids[start + middle]), float(from_middle.max()), start, stop, -1])
            if stop - start <= leaf:
                to_center[span] = from_middle
                continue
            order = start + np.argsort(to_pivot_a - to_pivot_b, kind="stable")
            rows[span], ids[span] = rows[order], ids[order]
            half = (start + stop) // 2
            waiting += [(half, stop, len(nodes) - 1), (start, half, None)]
        columns = [np.array(column) for column in zip(*nodes, strict=True)]
        center, radius, begin, end, right = columns
        position = np.empty(n, np.intp)
        position[ids] = np.arange(n)
        return cls(metric, rows, ids, to_center, position[center], radius, begin, end, right)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(a.nbytes for a in vars(self).values() if isinstance(a, np.ndarray))

    def query(self, Q: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[Array, Array]:
        """Distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        return self._query(Q, k)[:2]

    def self_query(self, k: int, n_jobs: int | None = None) -> Any:
        """The same for the rows themselves, each without itself."""
        nearest, ids, _ = self._query(None, k)
        return nearest, ids

    def visited(self, Q: np.ndarray, k: int, n_jobs: int | None = None) -> float:
        """The number of distances that a query measures, on average."""
        return self._query(Q, k)[2] / len(Q)

    def query_radius(
        self, Q: np.ndarray, r: float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Rows within the radii r: starts (m + 1,), distances and row numbers, of each query
        ordered by (distance, number), or by number."""
        m = len(Q)
        radii = np.broadcast_to(np.asarray(r, np.float64), (m,)).tolist()
        lists = []
        for q, most in zip(np.asarray(Q, np.float64), radii, strict=True):
            checkpoint()
            near: list = []

            def offer(
                to: float, row: int, near: list[tuple[float, int]] = near, most: float = most
            ) -> float:
                near.append((to, row))
                return most

            self._search(q, most, offer)
            lists.append(sorted(near, key=itemgetter(1) if by_row else None))
        starts = np.concatenate([[0], np.cumsum([len(near) for near in lists])]).astype(np.intp)
        flat = [pair for near in lists for pair in near]
        reduced = np.array([to for to, _ in flat], np.float64)
        return starts, reduced, np.array([row for _, row in flat], np.intp)

    def count_radius(self, Q: np.ndarray, r: Any, n_jobs: int | None = None) -> np.ndarray:
        """How many rows are within the radii."""
        return np.diff(self.query_radius(Q, r)[0])

    def points(self, part: slice) -> np.ndarray:
        """Rows in the order of the tree."""
        return self.rows[part]

    def _query(self, Q: Any, k: int) -> tuple[Array, Array, int]:
        of_rows = Q is None
        Q = self.rows if of_rows else np.asarray(Q, np.float64)
        nearest_distances, ids, calls = np.empty((len(Q), k)), np.empty((len(Q), k), np.intp), 0
        for i, q in enumerate(Q):
            checkpoint()
            nearest = [(-inf, -len(self.ids))] * k  # a heap with the farthest on top
            itself = int(self.ids[i]) if of_rows else -1

            def offer(
                to: float,
                row: int,
                nearest: list[tuple[float, int]] = nearest,
                itself: int = itself,
            ) -> float:
                if row != itself and (-to, -row) > nearest[0]:
                    heapreplace(nearest, (-to, -row))
                return -nearest[0][0]

            calls += self._search(q, inf, offer)
            where = itself if of_rows else i
            best = sorted((-to, -row) for to, row in nearest)
            nearest_distances[where], ids[where] = zip(*best, strict=True)
        return nearest_distances, ids, calls

    def _search(self, q: Array, limit: float, offer: Callable[..., Any]) -> int:
        """Offer every row within the limit, which `offer` returns anew; returns the calls made."""
        measured_rows = {}  # by position

        def measured(position: int) -> float:
            if position not in measured_rows:
                measured_rows[position] = distance(self.metric, q, self.rows[position])
            return measured_rows[position]

        waiting = [(-inf, measured(int(self.center[0])), 0)]
        while waiting:
            low, to, node = waiting.pop()
            if low > limit:
                continue
            right = int(self.right[node])
            if right < 0:
                for position in range(int(self.start[node]), int(self.stop[node])):
                    near = float(self.to_center[position])
                    if abs(to - near) - TRIANGLE_LOSS * (to + near) <= limit:
                        row_distance = measured(position)
                        if row_distance <= limit:
                            limit = offer(row_distance, int(self.ids[position]))
                continue
            balls = []
            for below in (node + 1, right):
                to = measured(int(self.center[below]))
                balls.append((bound(to, float(self.radius[below])), to, below))
            balls.sort(key=lambda ball: -ball[1])
            waiting += [ball for ball in balls if ball[0] <= limit]
        return len(measured_rows)


def bound(to: float, radius: float) -> float:
    """A lower bound on distances to a ball's rows, as the triangle inequality nearly holds."""
    return to - radius - TRIANGLE_LOSS * (to + radius)


def distances(metric: Metric, row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The distances from a row to rows, checked."""
    return by_function(metric, row, rows, "two rows")


def distance(metric: Metric, a: np.ndarray, b: np.ndarray) -> float:
    """The distance of two rows by the function, checked."""
    assert metric.function is not None
    return measured(metric.function(a, b), "two rows")
