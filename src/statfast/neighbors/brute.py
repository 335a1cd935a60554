# SPDX-License-Identifier: BSD-3-Clause
"""Brute force: every row is looked at, most of them only in bytes or in float32."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import brute, bytewise, tiles
from statfast._extent import FLOAT32_MAX, extent_of, origin_of, scale_of
from statfast.neighbors.bytecode import ByteCode
from statfast.neighbors.scores import ByteScores, Float32Scores, Float64Scores

# A kernel call is held to this many flop, so that Ctrl-C is heard between two calls: tens of
# milliseconds, as larger tiles are those of faster machines.
CALL = min(4e9, 2e7 * prod(tiles.tile_shape("f")))
DIFFERENCES = CALL / 50  # that many take as long
FEW = 8  # queries: for so few, packing the rows costs more than the differences to all of them
SMALL = 1e6  # differences: below this there is nothing to prepare or to share
QUERIES = 1024  # queries of one task: they amortise the conversion of the rows
CANDIDATES = 1 << 26  # bytes of candidates of one task
ENCODED = 1 << 24  # numbers measured and rounded to bytes in one task
FLOAT32_SCALE = 2.0**126  # about the most that float32 numbers can be multiplied by
FLOAT32_WIDTH = 100_000  # features beyond which the bound on float32 scores is void


@dataclass(frozen=True)
class BruteIndex:
    """The rows as they are, and what the error bounds of the scores have to know of them."""

    rows: np.ndarray  # (n, d) float64, float32 or uint8
    origin: np.ndarray  # (d,) float32, about the mean: distances do not change, errors shrink
    scale: float  # a power of two that brings the rows near 1
    norm: np.ndarray  # (n,) float32, at least |y| of the rows y so moved and scaled
    bytes: "ByteCode | None"

    @classmethod
    def build(cls, X: np.ndarray, n_jobs: int | None = None) -> "BruteIndex":
        n, d = X.shape
        rows = X if X.strides[1] == X.itemsize or d == 1 else np.ascontiguousarray(X)
        found = extent_of(rows, n_jobs)
        origin = origin_of(found.mean)
        reach = reach_of(found, origin)
        single = rows.dtype == np.float32
        if single and reach > FLOAT32_MAX:  # moving the rows would overflow
            origin = np.zeros_like(origin)
            reach = reach_of(found, origin)
        scale = min(scale_of(reach), FLOAT32_SCALE if single else np.inf)
        step, code = ByteCode.step_of(rows, reach * scale)
        if step == 1.0:
            origin, scale = np.full(d, 128, np.float32), 1.0
        norm = np.empty(n, np.float32)
        start = None if code is None else np.empty(n, np.float32)

        def encode(block):
            part = None if code is None or code is rows else code[block]
            half = None if start is None else start[block]
            return bytewise.encode(rows[block], origin, scale, step, part, half, norm[block])

        most = min(16384, max(64, ENCODED // d))
        blocks = grid(n, least=min(1024, most), most=most)
        left = max(each(encode, blocks, n_jobs=n_jobs, effort=n * d * 8.0))
        index = cls(rows, origin, scale, norm, None)
        if code is None:
            return index
        return replace(index, bytes=ByteCode.of(index, code, start, step, left))

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
            d2[slice(*block)], ids[slice(*block)] = nearest_of(found, k)
        return d2, ids

    def _tasks(self, m, k):
        """Pairs (queries, rows): blocks of queries; where those are few, blocks of rows too."""
        n, d = self.rows.shape
        most = max(32, min(QUERIES, CANDIDATES // (64 * k + 4096), (1 << 22) // (4 * d)))
        queries = grid(m, least=min(256, most), most=most, parts=8)
        pieces = max(1, min(8 // len(queries), n * d // int(SMALL)))
        rows = grid(n, least=max(k, -(-n // pieces)), most=n, parts=pieces)
        return [(q, r) for q in queries for r in rows]

    def _search(self, Q, rows, k):
        """The k nearest among some of the rows, by the cheapest scores that decide."""
        m, d = Q.shape
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        Q64 = np.ascontiguousarray(Q, np.float64)
        left = np.arange(m)
        for scores in self._scores(k, d):
            if left.size <= FEW:
                break
            some = Q if left.size == m else Q[left]
            decided = self._by_scores(scores, some, rows, k, Q64[left], left, d2, ids)
            left = left[~decided]
        for q in left:
            d2[q], ids[q] = self._by_differences(Q64[q], rows, k)
        return d2, ids

    def _scores(self, k, d):
        """The types of score to try, the cheapest first."""
        if self.bytes is not None and self.bytes.pays(k):
            yield ByteScores
        if d <= FLOAT32_WIDTH:
            yield Float32Scores
        yield Float64Scores

    def _by_scores(self, scores, Q, rows, k, Q64, where, d2, ids):
        """Answer the queries whose candidates can be told apart; returns which."""
        m, d = Q.shape
        state = scores(self, Q, k)
        step = max(64, int(CALL / (2.0 * m * d)))
        for first in range(rows.start, rows.stop, step):
            checkpoint()
            state.scan(first, min(rows.stop, first + step))
        count, row = state.count[0, :m], state.row
        decided = count >= k  # those given up count -1
        best, at = np.empty((m, k)), np.empty((m, k), np.intp)
        step = max(1, int(DIFFERENCES / (row.shape[1] * (d + 64))))
        for first in range(0, m, step):
            checkpoint()
            part = slice(first, first + step)
            brute.settle(Q64[part], self.rows, count[part], row[part], best[part], at[part])
        d2[where[decided]], ids[where[decided]] = best[decided], at[decided]
        return decided

    def _by_differences(self, q, rows, k):
        """Answer one query from the distances to all rows, picking from at least k at a time."""
        step = max(1, int(DIFFERENCES) // q.shape[0])
        held = np.empty(min(rows.stop - rows.start, max(k, step)))
        found = []
        for start in range(rows.start, rows.stop, len(held)):
            stop = min(rows.stop, start + len(held))
            for first in range(start, stop, step):
                checkpoint()
                block = self.rows[first : min(stop, first + step)]
                brute.distances(q, block, held[first - start :])
            part = np.empty((1, min(k, stop - start))), np.empty((1, min(k, stop - start)), np.intp)
            brute.nearest(held[: stop - start], part[0][0], part[1][0])
            part[1][:] += start
            found.append(part)
        return nearest_of(found, k)


def reach_of(found, origin):
    """The farthest that any number lies from the origin's."""
    return float(np.maximum(found.high - origin, origin - found.low).max())


def nearest_of(found, k):
    """The k nearest of several lists of the same queries."""
    if len(found) == 1:
        return found[0]
    d2 = np.concatenate([part[0] for part in found], axis=1)
    ids = np.concatenate([part[1] for part in found], axis=1)
    order = np.lexsort((ids, d2), axis=1)[:, :k]
    return np.take_along_axis(d2, order, axis=1), np.take_along_axis(ids, order, axis=1)
