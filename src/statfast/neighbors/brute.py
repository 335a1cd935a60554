# SPDX-License-Identifier: BSD-3-Clause
"""Brute force: every row is looked at, most of them only in float32."""

from dataclasses import dataclass

import numpy as np

from statfast._blocks import checkpoint, each, grid, reduce
from statfast._core import brute, tiles
from statfast._core.extent import extent

# A kernel call is held to this many flop (some 20 ms), so that Ctrl-C is heard between two calls.
CALL = 4e9
FEW = 8  # queries: for so few, packing the rows costs more than the differences to all of them
SMALL = 1e6  # differences: below this there is nothing to prepare or to share
QUERIES = 1024  # queries of one task: they amortise the conversion of the rows
CANDIDATES = 1 << 26  # bytes of candidates of one task
FLOAT32_WIDTH = 100_000  # features beyond which the bound on float32 scores is void


@dataclass(frozen=True)
class BruteIndex:
    """The rows as they are, and what the error bound of the float32 scores has to know of them."""

    rows: np.ndarray  # (n, d) float64, float32 or uint8
    origin: np.ndarray  # (d,) float32, about the mean: distances do not change, errors shrink
    scale: float  # a power of two that brings the rows near 1
    norm: np.ndarray  # (n,) float32, at least |row - origin| * scale

    @classmethod
    def build(cls, X: np.ndarray, n_jobs: int | None = None) -> "BruteIndex":
        n, d = X.shape
        rows = X if X.strides[1] == X.itemsize or d == 1 else np.ascontiguousarray(X)

        def partial(_, block):
            part = np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
            extent(block, *part)
            return part

        def merge(one, two):
            return one[0] + two[0], np.minimum(one[1], two[1]), np.maximum(one[2], two[2])

        total, low, high = reduce(partial, rows, merge=merge, n_jobs=n_jobs, effort=n * d * 4)
        origin, scale = frame_of(total / n, low, high)
        norm = np.empty(n, np.float32)
        each(
            lambda block: brute.norms(rows[block], origin, scale, norm[block]),
            grid(n, 1024),
            n_jobs=n_jobs,
            effort=n * d * 4,
        )
        return cls(rows, origin, scale, norm)

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        (m, d), n = Q.shape, self.rows.shape[0]
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        if m * n * d <= SMALL or (m <= FEW and n * d <= SMALL):
            brute.direct(np.ascontiguousarray(Q, np.float64), self.rows, d2, ids)
            return d2, ids

        tasks = self._tasks(m, k)
        parts = each(
            lambda task: self._search(Q[task[0]], task[1], min(k, task[1].stop - task[1].start)),
            tasks,
            n_jobs=n_jobs,
            effort=2.0 * m * n * d,
        )
        for block in dict.fromkeys((t[0].start, t[0].stop) for t in tasks):
            found = [part for t, part in zip(tasks, parts, strict=True) if t[0].start == block[0]]
            d2[slice(*block)], ids[slice(*block)] = _nearest_of(found, k)
        return d2, ids

    def _tasks(self, m, k):
        """Pairs (queries, rows): blocks of queries; where those are few, blocks of rows too."""
        n, d = self.rows.shape
        most = max(32, min(QUERIES, CANDIDATES // (16 * k + 512), (1 << 22) // (4 * d)))
        queries = grid(m, least=min(256, most), most=most, parts=8)
        pieces = max(1, min(8 // len(queries), n * d // int(SMALL)))
        rows = grid(n, least=max(k, -(-n // pieces)), most=n, parts=pieces)
        return [(q, r) for q in queries for r in rows]

    def _search(self, Q, rows, k):
        """The k nearest among some of the rows: scores in float32, then float64, then all exact."""
        m, d = Q.shape
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        Q64 = np.ascontiguousarray(Q, np.float64)
        left = np.arange(m)
        if m > FEW:
            for kind in ("f", "d") if d <= FLOAT32_WIDTH else ("d",):
                some = Q if left.size == m else Q[left]
                decided = self._by_scores(some, rows, k, kind, Q64[left], left, d2, ids)
                left = left[~decided]
                if left.size == 0:
                    break
        for q in left:
            d2[q], ids[q] = self._by_differences(Q64[q : q + 1], rows, k)
        return d2, ids

    def _by_scores(self, Q, rows, k, kind, Q64, where, d2, ids):
        """Answer the queries whose candidates can be told apart; returns which."""
        (m, d), real = Q.shape, np.dtype(kind)
        filled = -(-m // (width := tiles.tile_shape(kind)[1])) * width
        panels = np.empty(filled * d, real)
        norm, slack, level = np.empty((3, filled), real)
        count = np.empty((2, filled), np.int32)
        score = np.empty((filled, 2 * k + 64), real)
        row = np.empty(score.shape, np.int32)
        brute.begin(Q, self.origin, self.scale, k, panels, norm, slack, level, count)
        step = max(256, int(CALL / (2.0 * filled * d)))
        for first in range(rows.start, rows.stop, step):
            checkpoint()
            block = self.rows[first : min(rows.stop, first + step)]
            brute.scan(
                block, first, k, self.origin, self.scale, self.norm,
                panels, norm, slack, level, count, score, row,
            )  # fmt: skip
        decided = count[0, :m] >= 0
        best, at = np.empty((m, k)), np.empty((m, k), np.intp)
        brute.settle(Q64, self.rows, count[0], row, best, at)
        d2[where[decided]], ids[where[decided]] = best[decided], at[decided]
        return decided

    def _by_differences(self, q, rows, k):
        """Answer one query from the distances to all rows."""
        step = max(k, int(CALL / 50) // q.shape[1])
        found = []
        for first in range(rows.start, rows.stop, step):
            checkpoint()
            block = self.rows[first : min(rows.stop, first + step)]
            part = np.empty((1, min(k, len(block)))), np.empty((1, min(k, len(block))), np.intp)
            brute.direct(q, block, *part)
            part[1][:] += first
            found.append(part)
        return _nearest_of(found, k)


def frame_of(mean, low, high) -> tuple[np.ndarray, float]:
    """Origin and power of two that bring rows between `low` and `high` near zero and one."""
    with np.errstate(over="ignore", invalid="ignore"):
        origin = np.nan_to_num(mean.astype(np.float32))
        reach = float(np.maximum(high - origin, origin - low).max())
    if not 0 < reach < np.inf:
        return origin, 1.0
    return origin, float(np.ldexp(1.0, int(np.clip(-np.frexp(reach)[1], -1000, 120))))


def _nearest_of(found, k):
    """The k nearest of several lists of the same queries."""
    if len(found) == 1:
        return found[0]
    d2 = np.concatenate([part[0] for part in found], axis=1)
    ids = np.concatenate([part[1] for part in found], axis=1)
    order = np.lexsort((ids, d2), axis=1)[:, :k]
    return np.take_along_axis(d2, order, axis=1), np.take_along_axis(ids, order, axis=1)
