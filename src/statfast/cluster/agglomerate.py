# SPDX-License-Identifier: BSD-3-Clause
"""Merging the clusters of a dissimilarity matrix until one is left.

By a reducible rule, all pairs of reciprocal nearest neighbours are merged at once, in rounds. A
round writes the matrix of what is left, so that the next reads whole rows in sequence; it takes
memory of rows that are no longer needed for that. Where few pairs are reciprocal, or few clusters
are left, merges follow the chain of nearest neighbours in a matrix that has whole rows. Rules that
are not reducible: one_by_one.py.
"""

from bisect import bisect_right
from threading import Lock

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import linkage
from statfast.cluster.one_by_one import merged_one_by_one
from statfast.cluster.triangle import Minima, Triangle, neighbours, spans

SLACK = 64  # numbers: kernels may write so many beyond the end
SMALL = 1024  # clusters: a chain of so many is cheaper than rounds
FEW = 0.04  # of the clusters merged: a round that merges less costs more than a chain
RARE = 0.01  # the same for the generic algorithm, where whole rows take too much memory
SHRUNK = 0.7  # of the clusters left: time to leave out the others
BUDGET = 1 << 24  # numbers looked at between checkpoints
ROOM = 1 << 21  # numbers of a piece of memory
SLAB = 1 << 23  # numbers of memory that is asked for at once: huge pages are had for much only
STRIP = 64  # rows of a whole matrix that a task writes
NOTHING = np.empty(0, np.intp)


class Merging:
    """Clusters by their lowest point, their matrix, and the merges so far."""

    def __init__(self, triangle: Triangle, rule: int, scale: float, n_jobs: int | None):
        m = triangle.m
        self.triangle, self.rule, self.scale, self.n_jobs = triangle, rule, scale, n_jobs
        self.size = np.ones(m, triangle.dtype)
        self.point = np.arange(m, dtype=np.int32)  # the lowest of each cluster
        self.merges: list[tuple] = []  # of points, points and heights
        self.room: Room | None = None
        self.most = m * (m - 1) // 2  # numbers of a copy

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Merge all; a point of each of the two clusters, and the reduced height, of each merge."""
        self._merge()
        one, other, height = (np.concatenate(parts) for parts in zip(*self.merges, strict=True))
        return one, other, height

    def _merge(self):
        low, who = NOTHING, NOTHING
        if self.triangle.m > SMALL:
            low, who = neighbours(self.triangle, n_jobs=self.n_jobs)
            if self.scale:
                low = (low * low.dtype.type(self.scale)) ** 2
        while (m := self.triangle.m) > SMALL:
            i = np.flatnonzero(who[who] == np.arange(m))
            i = i[i < who[i]]
            if len(i) < FEW * m and self._fits():
                break
            if len(i) < RARE * m:
                self._one_by_one()
                return
            low, who = self._round(i, who[i], low[i])
        if self.triangle.m > 1:
            self._by_chain()

    def _fits(self):
        """Whether there is memory for the whole matrix, in a copy less what rounds have taken."""
        m = self.triangle.m
        return m * m + (self.room.held if self.room else 0) <= self.most

    def _by_chain(self):
        """Merge along the chain of nearest neighbours, in whole rows."""
        m, dtype, triangle = self.triangle.m, self.size.dtype, self.triangle
        matrix = np.empty(m * m, dtype)

        def write(strip):
            linkage.unfold(triangle.rows, self.scale, strip.start, strip.stop, matrix)

        each(write, grid(m, STRIP, STRIP), n_jobs=self.n_jobs, effort=float(m) ** 2)
        gone, notes = np.zeros(m, dtype), np.zeros((6, m), np.int32)
        one, other, height = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, dtype)
        state = np.array([m, 0, 0, m, 0], np.intp)
        while state[0] > 1:
            checkpoint()
            linkage.follow(
                matrix, self.rule, self.size, gone, self.point, notes, state, one, other, height,
                SHRUNK, BUDGET,
            )  # fmt: skip
        self.merges.append((one[: m - 1], other[: m - 1], height[: m - 1]))

    def _one_by_one(self):
        """Merge the nearest two, by the algorithm for all rules."""
        one, other, height = merged_one_by_one(
            self.triangle, self.rule, self.scale, self.n_jobs, self.size
        )
        self.merges.append((self.point[one], self.point[other], height))

    def _round(self, i, j, height):
        """Merge the pairs i < j; the smallest numbers after that, and where they are."""
        m, old = self.triangle.m, self.triangle
        stays = np.zeros(-(-(m + 1) // 64) * 64, bool)
        stays[:m] = True
        stays[j] = False
        first = np.flatnonzero(stays).astype(np.int32)
        k = len(first)
        second, heights = np.full(k, -1, np.int32), np.zeros(k, self.size.dtype)
        pairs = np.searchsorted(first, i).astype(np.int32)
        second[pairs], heights[pairs] = j, height
        keep = np.packbits(stays, bitorder="little").view(np.uint64)
        if self.room is None:
            self.room = Room(k, self.most - k * (k - 1) // 2, old.dtype)
        room = self.room
        blocks = spans(k, room.most)
        minima, places = Minima(k, old.dtype), np.empty(k, np.intp)
        leaving = room.turn(k, [first[b.stop - 1] for b in blocks])

        def work(task):
            number, block = task
            checkpoint()
            columns = minima.columns(block)
            linkage.contract(
                old.rows, first, second, pairs, keep, self.size, heights, self.rule, self.scale,
                block.start, block.stop, room.take(block), places, *columns,
                minima.right_low, minima.right_who,
            )  # fmt: skip
            leaving(number)
            minima.keep(block, columns)

        each(work, list(enumerate(blocks)), n_jobs=self.n_jobs, effort=float(m) ** 2)
        self.merges.append((self.point[i], self.point[j], height))
        self.size[i] += self.size[j]
        self.triangle = Triangle(places, old.dtype, room)
        self.size, self.point, self.scale = self.size[first], self.point[first], 0.0
        return minima.joined()


class Room:
    """Memory for the rows of one round after the other, taken again when it is not needed.

    New rows need the rows from their own on: what is written first reads most, and leaves the rows
    before it behind.
    """

    def __init__(self, k: int, spare: int, dtype: np.dtype):
        # Until rows are left behind, some blocks need memory beside that of the k rows.
        self.most = max(k, min(ROOM, k * k // 64, spare // 8))
        self.dtype, self.lock = dtype, Lock()
        self.made = self.held = 0  # numbers in all pieces, and in all that were in use at a time
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
            if not self.free:
                pieces = max(1, SLAB // (self.most + SLACK))
                self.free += list(np.empty((pieces, self.most + SLACK), self.dtype))
                self.made += pieces * (self.most + SLACK)
            memory = self.free.pop()
            in_use = self.made - len(self.free) * (self.most + SLACK)
            self.held = max(self.held, in_use)
            self.next.append((block.stop - 1, memory))
        return memory
