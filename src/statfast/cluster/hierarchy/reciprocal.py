# SPDX-License-Identifier: BSD-3-Clause
"""Merging the clusters of a dissimilarity matrix until one is left.

By a reducible rule, all pairs of reciprocal nearest neighbors are merged at once, in rounds. A
round writes the matrix of the remaining clusters into the memory of rows that are no longer needed,
so that the next round reads its rows in sequence. Where few pairs are reciprocal, or few clusters
remain, merges follow the chain of nearest neighbors in a square matrix. Rules that are not
reducible are in cluster/hierarchy/generic.py.
"""

from __future__ import annotations

from math import inf
from operator import itemgetter
from threading import Lock
from typing import Any

import numpy as np

from statfast._core.hierarchy import linkage
from statfast._core.hierarchy.clusters import Clusters
from statfast._distance import COPY_SHARE, Minima, Triangle, neighbors, row_blocks
from statfast._engine import checkpoint, each, usable_threads
from statfast._validation import refuse_large
from statfast.cluster.hierarchy.generic import square_of_triangle

PADDING = 64  # numbers that kernels may write beyond the end
MAX_CHAIN_CLUSTERS = 1024  # clusters up to which a chain is cheaper than rounds
MIN_MERGED_SHARE = 0.04  # of the clusters merged: a round that merges less costs more than a chain
MIN_MERGED_SHARE_OF_ROWS = 0.01  # the same where whole rows take more memory than a copy
COMPACT_BELOW_SHARE = 0.7  # of clusters alive: with fewer, rows of the merged ones are left out
NUMBERS_PER_CALL = 1 << 24  # numbers looked at between checkpoints
MAX_PIECE_NUMBERS = 1 << 21  # numbers of a piece of memory
MIN_PIECE_ROWS = 12  # rows of a piece: at the end of each, less than a row stays empty
MAX_SPARE_PIECES = 16  # pieces in the memory that the rows of the first round leave
BLOCKS_AHEAD = 8  # blocks that may be begun before those in front of them are done
NOTHING = np.empty(0, np.intp)


class Merging:
    """Clusters, known by their lowest points; their matrix; and the merges so far."""

    def __init__(self, triangle: Triangle, rule: int, scale: float, n_jobs: int | None) -> None:
        m = triangle.m
        self.triangle, self.rule, self.scale, self.n_jobs = triangle, rule, scale, n_jobs
        self.size = np.ones(m, triangle.dtype)
        self.point = np.arange(m, dtype=np.int32)  # the lowest point of each cluster
        self.merges: list[tuple] = []  # points a, points b, heights
        self.workspace: Workspace | None = None
        # Numbers that memory may hold.
        self.most = max(int(COPY_SHARE * m * m), 3 * MAX_CHAIN_CLUSTERS * MAX_CHAIN_CLUSTERS)

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All merges: points a and b of the two clusters, and reduced heights."""
        self._merge()
        a, b, height = (np.concatenate(parts) for parts in zip(*self.merges, strict=True))
        return a, b, height

    def _merge(self) -> None:
        low, who = NOTHING, NOTHING
        if self.triangle.m > MAX_CHAIN_CLUSTERS:
            low, who = neighbors(self.triangle, n_jobs=self.n_jobs)
            if self.scale:
                low = (low * low.dtype.type(self.scale)) ** 2
        while (m := self.triangle.m) > MAX_CHAIN_CLUSTERS or (m > 1 and not self._fits()):
            i = np.flatnonzero(who[who] == np.arange(m))
            i = i[i < who[i]]
            if len(i) < (MIN_MERGED_SHARE if self._fits() else MIN_MERGED_SHARE_OF_ROWS) * m:
                break
            low, who = self._round(i, who[i], low[i])
        if m > 1:
            self._by_chain()

    def _fits(self) -> bool:
        """Whether there is memory for the whole matrix."""
        m, workspace = self.triangle.m, self.workspace
        if workspace is None:
            return m * m <= self.most
        return (
            len(workspace.workspace_memory) + (m * (m - 1) // 2 if workspace.holds(m) else m * m)
            <= self.most
        )

    def _by_chain(self) -> None:
        """Merge along the chain of nearest neighbors, in whole rows."""
        m, dtype, triangle = self.triangle.m, self.size.dtype, self.triangle
        memory = None
        if self.workspace and self.workspace.holds(m):
            triangle, memory = self.workspace.last_rows(m)
        elif not self._fits():
            nbytes = m * m * dtype.itemsize
            refuse_large(nbytes, f"The square matrix of {m} clusters", "Cluster a sample.")
        matrix = square_of_triangle(triangle, self.scale, self.n_jobs, memory)
        gone, notes = np.zeros(m, dtype), np.zeros((6, m), np.int32)
        a, b, height = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, dtype)
        state = np.array([m, 0, 0, m, 0], np.intp)
        clusters = Clusters(self.size, gone, self.point)
        while state[0] > 1:
            checkpoint()
            linkage.follow(
                matrix, self.rule, clusters, notes, state, a, b, height,
                COMPACT_BELOW_SHARE, NUMBERS_PER_CALL,
            )  # fmt: skip
        self.merges.append((a[: m - 1], b[: m - 1], height[: m - 1]))

    def _round(self, i: Any, j: Any, height: Any) -> Any:
        """Merge the pairs i < j; returns the new smallest numbers of rows, and their columns."""
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
        if self.workspace is None:
            self.workspace = Workspace(k, self.most - k * (k - 1) // 2, old.dtype)
        workspace, minima, places = self.workspace, Minima(k, old.dtype), np.empty(k, np.intp)
        threads = min(usable_threads(self.n_jobs), BLOCKS_AHEAD)
        blocks = workspace.turn(k, first)

        unions = linkage.Unions(
            old.rows, first, second, pairs, keep, self.size, heights, self.rule, self.scale
        )

        def work(block: Any) -> None:
            checkpoint()
            columns = minima.columns(block)
            linkage.contract(
                unions, block.start, block.stop, workspace.take(block), places, *columns,
                minima.right_low, minima.right_who,
            )  # fmt: skip
            workspace.leave(block)
            minima.keep(block, columns)

        each(work, blocks, n_jobs=threads, effort=float(m) ** 2, ahead=BLOCKS_AHEAD // threads)
        self.merges.append((self.point[i], self.point[j], height))
        self.size[i] += self.size[j]
        self.triangle = Triangle(places, old.dtype, workspace)
        self.size, self.point, self.scale = self.size[first], self.point[first], 0.0
        return minima.joined()


class Workspace:
    """Memory for the rows of one round after the other, used again when rows are not needed.

    New rows need the rows from their own on: what is written first reads most, and leaves the rows
    before it behind. So little more is needed than the first round writes, in pieces of which each
    is large enough for any block of a later one.
    """

    def __init__(self, k: int, spare: int, dtype: np.dtype) -> None:
        self.most = max(
            MIN_PIECE_ROWS * k, min(MAX_PIECE_NUMBERS, k * k // 64, spare // MAX_SPARE_PIECES)
        )
        self.least = self.most - k  # numbers of a piece
        self.dtype, self.lock = dtype, Lock()
        # All memory is allocated at once: for large blocks there are huge pages.
        self.workspace_memory = np.empty(0, dtype)
        self.free: list[np.ndarray] = []
        self.kept: dict[int, np.ndarray] = {}  # for blocks of the first round
        self.rows: list[tuple[int, int, np.ndarray]] = []  # begin, end, memory
        self.old = self.rows  # rows of the round before that are still needed
        self.done: dict[int, int] = {}  # of blocks written before their turn
        self.stop = 0  # all rows before this one are written

    def turn(self, k: int, first: np.ndarray) -> list[slice]:
        """Begin a round of k rows, `first` in the round before; returns their blocks."""
        fresh = not len(self.workspace_memory)
        blocks = row_blocks(k, self.most if fresh else self.least)
        if fresh:
            sizes = [max(numbers(k, b.start, b.stop), self.least) + PADDING for b in blocks]
            sizes += [self.least + PADDING] * (BLOCKS_AHEAD + 2)
            self.workspace_memory = np.empty(sum(sizes), self.dtype)
            pieces = np.split(self.workspace_memory, np.cumsum(sizes[:-1]))
            self.free = pieces[len(blocks) :]
            self.kept = {b.start: piece for b, piece in zip(blocks, pieces, strict=False)}
        self.old, self.rows = self._in_order(), []
        self.first, self.done, self.stop = first, {}, 0
        return blocks

    def take(self, block: slice) -> np.ndarray:
        """Memory for a block of new rows."""
        with self.lock:
            memory = self.kept.pop(block.start, None)
            if memory is None:
                if not self.free:  # rounds that merge few pairs need a little more
                    self.free.append(np.empty(self.least + PADDING, self.dtype))
                memory = self.free.pop()
            self.rows.append((block.start, block.stop, memory))
            return memory

    def leave(self, block: slice) -> None:
        """Note that a block of new rows is written, and free old rows that no block needs."""
        with self.lock:
            self.done[block.start] = block.stop
            while self.stop in self.done:
                self.stop = self.done.pop(self.stop)
            complete = self.stop == len(self.first)
            needed = inf if complete else self.first[self.stop]
            while self.old and self.old[0][1] <= needed:
                self.free.append(self.old.pop(0)[2])

    def holds(self, m: int) -> bool:
        """Whether there is memory for a whole matrix in place of the rows."""
        return m * m <= len(self.workspace_memory)

    def last_rows(self, m: int) -> tuple[Triangle, np.ndarray]:
        """A copy of the m rows of the last round, and memory for their matrix."""
        rows = [piece[: numbers(m, start, stop)] for start, stop, piece in self._in_order()]
        return Triangle.of_condensed(np.concatenate(rows), m), self.workspace_memory[: m * m]

    def _in_order(self) -> Any:
        return sorted(self.rows, key=itemgetter(0))


def numbers(m: int, start: Any, stop: int) -> Any:
    """How many numbers the rows from start to stop of a triangle hold."""
    return (stop - start) * (2 * m - start - stop - 1) // 2
