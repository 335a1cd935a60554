# SPDX-License-Identifier: BSD-3-Clause
"""Merging the clusters of a dissimilarity matrix until one is left.

By a reducible rule, all pairs of reciprocal nearest neighbours are merged at once, in rounds. A
round writes the matrix of what is left, so that the next reads whole rows in sequence; it takes
memory of rows that are no longer needed for that. Where few pairs are reciprocal, merges follow a
chain of nearest neighbours in place until there is something to leave out. Where
the rule is not reducible, one_by_one.py.
"""

from bisect import bisect_right
from threading import Lock

import numpy as np

from statfast._blocks import checkpoint, each
from statfast._core import linkage
from statfast.cluster.triangle import Minima, Triangle, neighbours, spans

SLACK = 64  # numbers: kernels may write so many beyond the end
SMALL = 1024  # clusters: a chain of so many is cheaper than rounds
FEW = 0.015  # of the clusters merged: a round that merges less costs more than a chain
SHRUNK = 0.7  # of the clusters left: time to leave out the others
BUDGET = 1 << 24  # numbers looked at between checkpoints
ROOM = 1 << 21  # numbers of a piece of memory
NOTHING = np.empty(0, np.intp)


class Merging:
    """Clusters by their lowest point, their matrix, and the merges so far."""

    def __init__(self, triangle: Triangle, rule: int, scale: float, n_jobs: int | None):
        m = triangle.m
        self.triangle, self.rule, self.scale, self.n_jobs = triangle, rule, scale, n_jobs
        self.size = np.ones(m, triangle.dtype)
        self.point = np.arange(m, dtype=np.int32)  # the lowest of each cluster
        self.merges: list[tuple] = []  # of points, points and heights
        self.room = Room(m, triangle.dtype)
        self.minima: Minima  # of the matrix as it is

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Merge all; a point of each of the two clusters, and the reduced height, of each merge."""
        self._by_rounds()
        one, other, height = (np.concatenate(parts) for parts in zip(*self.merges, strict=True))
        return one, other, height

    def _by_rounds(self):
        low, who = neighbours(self.triangle, n_jobs=self.n_jobs)
        if self.scale:
            low = (low * low.dtype.type(self.scale)) ** 2
        while self.triangle.m > 1:
            m = self.triangle.m
            i = np.flatnonzero(who[who] == np.arange(m))
            i = i[i < who[i]]
            if m > SMALL and len(i) > FEW * m:
                low, who = self.contract(np.arange(m), i, who[i], low[i])
                continue
            if self.triangle.owners is not self.room:
                self.contract(np.arange(m))
            alive = self._in_place(
                linkage.chain, 1 if m <= SMALL else int(SHRUNK * m), np.empty(m, np.int32)
            )
            if len(alive) == 1:
                break
            low, who = self.contract(alive)

    def contract(self, alive, i=NOTHING, j=NOTHING, height=NOTHING):
        """Merge the pairs i < j, leave out what is not alive; the nearest neighbours after that."""
        m, old = self.triangle.m, self.triangle
        stays = np.zeros(-(-(m + 1) // 64) * 64, bool)
        stays[alive] = True
        stays[j] = False
        first = np.flatnonzero(stays).astype(np.int32)
        k = len(first)
        second, heights = np.full(k, -1, np.int32), np.zeros(k, self.size.dtype)
        pairs = np.searchsorted(first, i).astype(np.int32)
        second[pairs], heights[pairs] = j, height
        keep = np.packbits(stays, bitorder="little").view(np.uint64)
        blocks = spans(k, self.room.most)
        minima, places = Minima(k, old.dtype), np.empty(k, np.intp)
        leaving = self.room.turn(k, [first[b.stop - 1] for b in blocks])

        def work(task):
            number, block = task
            checkpoint()
            columns = minima.columns()
            linkage.contract(
                old.rows, first, second, pairs, keep, self.size, heights, self.rule, self.scale,
                block.start, block.stop, self.room.take(block), places, *columns,
                minima.right_low, minima.right_who,
            )  # fmt: skip
            leaving(number)
            return columns

        parts = each(work, list(enumerate(blocks)), n_jobs=self.n_jobs, effort=float(m) ** 2)
        if len(i):
            self.merges.append((self.point[i], self.point[j], height))
            self.size[i] += self.size[j]
        self.triangle = Triangle(places, old.dtype, self.room)
        self.size, self.point, self.scale = self.size[first], self.point[first], 0.0
        self.minima = minima
        return minima.joined(parts)

    def _in_place(self, kernel, until, *more):
        """Merge in the matrix as it is until so many clusters are left; those."""
        m, dtype = self.triangle.m, self.size.dtype
        gone, alive = np.zeros(m, dtype), np.arange(m, dtype=np.int32)
        state = np.array([m, 0, 0], np.intp)
        one, other = np.empty(m, np.int32), np.empty(m, np.int32)
        height = np.empty(m, dtype)
        while state[0] > until:
            checkpoint()
            kernel(
                self.triangle.rows, self.rule, self.size, gone, alive, state, one, other, height,
                until, BUDGET, *more,
            )  # fmt: skip
        done = state[2]
        self.merges.append((self.point[one[:done]], self.point[other[:done]], height[:done]))
        return alive[: state[0]]


class Room:
    """Memory for the rows of one round after the other, taken again when it is not needed.

    New rows need the rows from their own on: what is written first reads most, and leaves the rows
    before it behind.
    """

    def __init__(self, m: int, dtype: np.dtype):
        self.most = max(m, min(ROOM, m * m // 64))
        self.dtype, self.lock = dtype, Lock()
        self.free: list[np.ndarray] = []
        self.next: list[tuple[int, np.ndarray]] = []  # last row, memory

    def turn(self, k, last):
        """Begin a round of blocks that need no row up to last[b] once they and all before are done.

        Returns what is to be called with the number of each block that is done.
        """
        old, done = sorted(self.next, key=lambda piece: piece[0]), [False] * len(last)
        self.next = []
        state = [0]  # blocks done without a gap

        def leaving(number):
            with self.lock:
                done[number] = True
                while state[0] < len(done) and done[state[0]]:
                    state[0] += 1
                if state[0]:
                    row = last[state[0] - 1] if state[0] < len(done) else np.inf
                    count = bisect_right([piece[0] for piece in old], row)
                    self.free += [memory for _, memory in old[:count]]
                    del old[:count]

        return leaving

    def take(self, block):
        """Memory for a block of new rows."""
        with self.lock:
            memory = self.free.pop() if self.free else None
        if memory is None:
            memory = np.empty(self.most + SLACK, self.dtype)
        with self.lock:
            self.next.append((block.stop - 1, memory))
        return memory
