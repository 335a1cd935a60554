# SPDX-License-Identifier: BSD-3-Clause
"""The nearest rows of other parts of a partition, by brute force.

The rows are sorted by their part. Queries that are many of one part are compared with the rows
before and behind it; those of small parts are searched together, and a row of a query's own part is
no candidate.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from statfast._core.neighbors import brute
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.neighbors.brute.brute import (
    DIFFERENCES_PER_CALL,
    BruteIndex,
    Float32Scores,
    Float64Scores,
)

MIN_QUERIES_OF_PART = 256  # queries of one part from which on its rows are passed over
MAX_QUERIES_PER_TASK = 1024
MIN_QUERIES_PER_TASK = 64


class OtherParts:
    """The rows of an index, sorted by their part.

    Parameters
    ----------
    index : BruteIndex
    part : ndarray of shape (n,), int32
        A number from 0 to n - 1 for the part of each row.
    """

    def __init__(self, index: BruteIndex, part: Array) -> None:
        self.order = np.argsort(part, kind="stable").astype(np.int32)
        self.part = np.ascontiguousarray(part[self.order], np.int32)
        self.place = np.empty(len(part), np.int32)
        self.place[self.order] = np.arange(len(part), dtype=np.int32)
        self.size = np.bincount(part, minlength=len(part))
        rows = index.rows[self.order]
        points = rows if index.points is index.rows else index.points[self.order]
        self.index = replace(
            index, rows=rows, points=points, norm=index.norm[self.order], bytes=None
        )

    def nearest(self, query: Array, k: int, n_jobs: Jobs = None) -> tuple[Array, Array, Array]:
        """Reduced distances (m, k) and numbers (m, k) of the nearest rows of other parts, rising;
        infinity and -1 where there are no more. The third are marks of queries with too many rows
        at nearly one distance, which are not answered."""
        order = np.argsort(self.place[query])
        places = self.place[query][order]
        distances, ids = np.empty((len(query), k)), np.empty((len(query), k), np.int32)
        failed = np.zeros(len(query), bool)

        def work(block: slice) -> None:
            to = order[block]
            distances[to], ids[to], failed[to] = self._search(places[block], k)

        n, d = self.index.rows.shape
        effort = 2.0 * len(query) * n * d * self.index.costs[0]
        each(work, self._blocks(places, k), n_jobs=n_jobs, effort=effort)
        return distances, ids, failed

    def _blocks(self, places: Array, k: int) -> list[slice]:
        """Queries in the order of places, in blocks of one large part, or of several small ones,
        outside of each of which there are k rows."""
        starts = np.flatnonzero(np.diff(self.part[places], prepend=-1))
        stops = np.append(starts[1:], len(places))
        large = stops - starts >= MIN_QUERIES_OF_PART
        large |= self.size[self.part[places[starts]]] > len(self.part) - k
        cuts = np.unique(np.concatenate([[0, len(places)], starts[large], stops[large]])).tolist()
        blocks = []
        for start, stop in pairwise(cuts):
            for block in grid(
                stop - start, least=MIN_QUERIES_PER_TASK, most=MAX_QUERIES_PER_TASK, parts=4
            ):
                blocks.append(slice(start + block.start, start + block.stop))
        return blocks

    def _search(self, places: Array, k: int) -> tuple[Array, Array, Array]:
        """The answers to some queries, by the cheapest scores that decide."""
        m, parts = len(places), self.part[places]
        distances, ids = np.full((m, k), np.inf), np.full((m, k), -1, np.int32)
        k = min(k, len(self.part) - int(self.size[parts].max()))
        left, failed = np.arange(m), np.zeros(m, bool)
        scores = tuple(self.index.scores(None))
        for kind in (Float32Scores, Float64Scores):
            if k and len(left) and kind in scores:
                best, near, done = self._by_scores(kind, places[left], k)
                distances[left[done], :k], ids[left[done], :k] = best[done], self.order[near[done]]
                left = left[~done]
        failed[left] = k > 0
        return distances, ids, failed

    def _by_scores(self, kind: Any, places: Array, k: int) -> tuple[Array, Array, Array]:
        """Distances and places of the k nearest, and marks of the queries that are answered."""
        index, n, m, parts = self.index, len(self.part), len(places), self.part[places]
        scan = kind(index, index.points[places], k)
        own = np.full(len(scan.row), -1, np.int32)
        own[:m] = parts
        scan.state.exclude_same_part(own, self.part)
        ranges = [(0, n)]
        if parts[0] == parts[-1]:
            start, stop = np.searchsorted(self.part, [parts[0], parts[0] + 1]).tolist()
            ranges = [(0, start), (stop, n)]
        for start, stop in ranges:
            for rows in index.calls(start, stop, m):
                checkpoint()
                scan.scan(rows.start, rows.stop)
        count, row = scan.count[0, :m], scan.row
        best, near = np.empty((m, k)), np.empty((m, k), np.intp)
        Q = index.rows[places].astype(np.float64)
        step = max(1, int(DIFFERENCES_PER_CALL / (row.shape[1] * (Q.shape[1] + 64))))
        for first in range(0, m, step):
            checkpoint()
            some = slice(first, first + step)
            brute.recheck(
                Q[some], index.rows, count[some], row[some], *index.measure, best[some], near[some]
            )
        return best, near, count >= k
