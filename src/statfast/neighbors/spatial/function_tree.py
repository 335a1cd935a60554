# SPDX-License-Identifier: BSD-3-Clause
"""A ball tree for distances that are Python functions: what counts is how often they are called.

Uhlmann 1991 (doi:10.1016/0020-0190(91)90074-R): a ball is a row and a radius, as only rows are
known to be what the function takes. Two rows far from each other part the others, at the median of
the difference of the distances to them; the row in their middle is the center. In a leaf the
distances of rows to the center are kept, and bound those to a query once more. The function is
called from Python, in one thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapreplace
from math import inf
from typing import Any, Self

import numpy as np

from statfast._distance import Metric, by_function, measured
from statfast._engine import checkpoint
from statfast._typing import Array

LEAF_ROWS = 8  # rows of a leaf
TRIANGLE_LOSS = (
    1e-12  # by which a function's distances may be off, relatively, and break the triangle
)


@dataclass(frozen=True)
class FunctionTree:
    """The rows in the order of the tree, and the balls of its nodes in preorder."""

    metric: Metric
    rows: np.ndarray  # (n, d) float64
    ids: np.ndarray  # (n,) intp, the caller's row at each position of the tree
    apart: np.ndarray  # (n,) from each row to the center of its leaf
    center: np.ndarray  # (nodes,) intp, positions
    radius: np.ndarray  # (nodes,)
    start: np.ndarray  # (nodes,) intp, positions
    stop: np.ndarray  # (nodes,)
    right: np.ndarray  # (nodes,) intp, the second child; the first follows its parent. -1: a leaf

    @classmethod
    def build(cls, X: np.ndarray, *, metric: Metric, leaf_size: int | None = None) -> Self:
        """The tree of rows; four distances a row and level."""
        n = len(X)
        rows, ids, apart = np.array(X, np.float64, order="C"), np.arange(n), np.empty(n)
        leaf = max(2, leaf_size or LEAF_ROWS)
        nodes: list = []  # of [center, radius, start, stop, right]; a center as the caller's row
        waiting: list = [(0, n, None)]
        while waiting:
            checkpoint()
            start, stop, parent = waiting.pop()
            if parent is not None:
                nodes[parent][4] = len(nodes)
            here = slice(start, stop)
            first = distances(metric, rows[start], rows[here])
            one = distances(metric, rows[start + int(first.argmax())], rows[here])
            other = distances(metric, rows[start + int(one.argmax())], rows[here])
            middle = int(np.maximum(one, other).argmin())
            to = distances(metric, rows[start + middle], rows[here])
            nodes.append([int(ids[start + middle]), float(to.max()), start, stop, -1])
            if stop - start <= leaf:
                apart[here] = to
                continue
            order = start + np.argsort(one - other, kind="stable")
            rows[here], ids[here] = rows[order], ids[order]
            half = (start + stop) // 2
            waiting += [(half, stop, len(nodes) - 1), (start, half, None)]
        columns = [np.array(column) for column in zip(*nodes, strict=True)]
        center, radius, begin, end, right = columns
        position = np.empty(n, np.intp)
        position[ids] = np.arange(n)
        return cls(metric, rows, ids, apart, position[center], radius, begin, end, right)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(a.nbytes for a in vars(self).values() if isinstance(a, np.ndarray))

    def query(self, Q: np.ndarray, k: int, n_jobs: int | None = None) -> tuple[Array, Array]:
        """Distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        return self._query(Q, k)[:2]

    def self_query(self, k: int, n_jobs: int | None = None) -> Any:
        """The same for the rows themselves, each without itself."""
        found, ids, _ = self._query(None, k)
        return found, ids

    def visited(self, Q: np.ndarray, k: int, n_jobs: int | None = None) -> float:
        """How many distances a query measures, on average."""
        return self._query(Q, k)[2] / len(Q)

    def query_radius(
        self, Q: np.ndarray, r: float, n_jobs: int | None = None
    ) -> tuple[Array, Array, Array]:
        """Rows within the radii r: starts (m + 1,), distances and row numbers, of each query
        ordered by (distance, number)."""
        m = len(Q)
        radii = np.broadcast_to(np.asarray(r, np.float64), (m,)).tolist()
        found = []
        for q, most in zip(np.asarray(Q, np.float64), radii, strict=True):
            checkpoint()
            near: list = []

            def offer(
                to: float, row: int, near: list[tuple[float, int]] = near, most: float = most
            ) -> float:
                near.append((to, row))
                return most

            self._search(q, most, offer)
            found.append(sorted(near))
        starts = np.concatenate([[0], np.cumsum([len(near) for near in found])]).astype(np.intp)
        flat = [pair for near in found for pair in near]
        reduced = np.array([to for to, _ in flat], np.float64)
        return starts, reduced, np.array([row for _, row in flat], np.intp)

    def count_radius(self, Q: np.ndarray, r: Any, n_jobs: int | None = None) -> np.ndarray:
        """How many rows are within the radii."""
        return np.diff(self.query_radius(Q, r)[0])

    def points(self, part: slice) -> np.ndarray:
        """Rows in the order of the tree."""
        return self.rows[part]

    def _query(self, Q: Any, k: int) -> tuple[Array, Array, int]:
        own = Q is None
        Q = self.rows if own else np.asarray(Q, np.float64)
        found, ids, calls = np.empty((len(Q), k)), np.empty((len(Q), k), np.intp), 0
        for i, q in enumerate(Q):
            checkpoint()
            nearest = [(-inf, -len(self.ids))] * k  # a heap with the farthest on top
            itself = int(self.ids[i]) if own else -1

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
            where = itself if own else i
            best = sorted((-to, -row) for to, row in nearest)
            found[where], ids[where] = zip(*best, strict=True)
        return found, ids, calls

    def _search(self, q: Array, reach: float, offer: Callable[..., Any]) -> int:
        """Offer every row within reach, which `offer` returns anew; returns how many calls."""
        known = {}  # by position

        def measured(at: int) -> float:
            if at not in known:
                known[at] = distance(self.metric, q, self.rows[at])
            return known[at]

        waiting = [(-inf, measured(int(self.center[0])), 0)]
        while waiting:
            low, to, node = waiting.pop()
            if low > reach:
                continue
            right = int(self.right[node])
            if right < 0:
                for at in range(int(self.start[node]), int(self.stop[node])):
                    near = float(self.apart[at])
                    if abs(to - near) - TRIANGLE_LOSS * (to + near) <= reach:
                        found = measured(at)
                        if found <= reach:
                            reach = offer(found, int(self.ids[at]))
                continue
            balls = []
            for below in (node + 1, right):
                to = measured(int(self.center[below]))
                balls.append((bound(to, float(self.radius[below])), to, below))
            balls.sort(key=lambda ball: -ball[1])
            waiting += [ball for ball in balls if ball[0] <= reach]
        return len(known)


def bound(to: float, radius: float) -> float:
    """No row of a ball is nearer, if the triangle inequality holds up to TRIANGLE_LOSS."""
    return to - radius - TRIANGLE_LOSS * (to + radius)


def distances(metric: Metric, row: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The distances of a row to others."""
    return by_function(metric, row, rows, "two rows")


def distance(metric: Metric, one: np.ndarray, other: np.ndarray) -> float:
    """What the function says, checked."""
    assert metric.function is not None
    return measured(metric.function(one, other), "two rows")
