# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees of points in few dimensions: Boruvka's rounds on a k-d tree.

In the first round every point lists its nearest neighbors. In later rounds these lists hold an edge
to another part for most parts (`recall`); then only the points that may have a shorter edge search
again.
"""

from __future__ import annotations

from itertools import count
from threading import Lock
from typing import Any

import numpy as np

from statfast._core.hierarchy import boruvka
from statfast._core.hierarchy.boruvka import LEAF_POINTS, NEIGHBORS
from statfast._core.kdtree.tree import TreeView
from statfast._distance import LANES, PLAIN, KDArrays, Metric
from statfast._engine import aligned, checkpoint, each, grid, usable_threads
from statfast._typing import Array
from statfast.cluster.hierarchy.boruvka_matrix import Edges, Growth

LEAVES_PER_CALL = 1 << 16  # leaves visited between checkpoints: some 10 ms
MAX_TASKS = 32  # tasks of a search
MIN_POINTS_PER_TASK = 1 << 11
MIN_BLOCK_LEAVES = 1 << 9  # leaves of a block at least
MAX_THREADS_WITH_MEMORY = 8  # threads that have memory in the arena
# Floating-point operations of a point in each step, about; those of a search are for each axis.
ARRANGED, MARKED, RECALLED, SEARCHED = 60.0, 24.0, 80.0, 100.0
PAGE_BYTES = 1 << 21  # bytes: a large page, where the system has them


def edges_by_tree(X: np.ndarray, n_jobs: int | None = None) -> Edges:
    """The n - 1 edges of a minimum spanning tree of rows X (n, d), float64, d at most 16, with
    squared Euclidean lengths."""
    rounds = Rounds(KDArrays.build(X, LEAF_POINTS, n_jobs), n_jobs)
    rounds.run()
    return rounds.edges()


class Rounds:
    """The rounds of Boruvka's algorithm; a point is known by its place in the tree.

    With `core` (leaves * leaf,), by place, edges are mutual reachability distances: no less than
    the core of either point. Then the first edges are listed already, as `low` and `near`, and the
    metric may be another than the Euclidean one.
    """

    def __init__(
        self, tree: KDArrays, n_jobs: int | None, core: Array | None = None, metric: Metric = PLAIN
    ) -> None:
        self.tree, self.n_jobs = tree, n_jobs
        self.n, self.d = tree.n, tree.blocks.shape[1]
        n = self.n
        self.leaves = leaves = len(self.tree.blocks)
        threads = min(usable_threads(n_jobs), MAX_THREADS_WITH_MEMORY)
        self.empty = empty = Arena(n * (100 + 12 * NEIGHBORS + 24 * threads)).empty
        self.growth = Growth(n, empty)

        part = empty(leaves * LEAF_POINTS, float)  # written to by one thread: see Arena
        part[:] = np.arange(leaves * LEAF_POINTS)
        same = np.full((len(self.tree.boxes), LANES), -1.0)
        low, near = empty((n, NEIGHBORS), float), empty((n, NEIGHBORS), np.int32)
        low[:], near[:] = 0.0, -1
        self.part, self.same, self.low, self.near = part, same, low, near
        self.view = TreeView(*self.tree.fields, metric.kind, metric.p)
        self.forest = boruvka.Forest(part, same, low, near, self.growth.best, core)
        self.floor = np.zeros(leaves)
        self.lost = empty(n, np.int32)  # points whose lists hold no other part
        self.lost[:] = np.arange(n)
        self.searching = self.lost
        self.blocks = grid(leaves, least=MIN_BLOCK_LEAVES, most=leaves, parts=MAX_TASKS)
        self.stamps = count(1)
        self.spaces: list[tuple] = []  # work space of tasks, taken by turns
        self.lock = Lock()

    def run(self) -> None:
        """Join parts until one is left."""
        growth = self.growth
        each(self._arrange, self.blocks, n_jobs=self.n_jobs, effort=ARRANGED * self.n)
        self._search_all()
        growth.offer(self.lost, self.near[:, 0], self.low[:, 0])
        self.go_on()

    def run_listed(self) -> None:
        """The same from edges that are listed: of some points the shortest, and of the others a
        lower bound."""
        self._search_beyond_lists()
        searched = self.searching
        self.growth.offer(searched, self.near[searched, 0], self.low[searched, 0])
        self.go_on()

    def go_on(self) -> None:
        """Join parts until one is left, from the edges on offer."""
        growth = self.growth
        while growth.join():
            each(self._mark, self.blocks, n_jobs=self.n_jobs, effort=MARKED * self.n)
            boruvka.enclose(self.tree.first, self.leaves, self.same)
            self._search_beyond_lists()

    def _search_beyond_lists(self) -> None:
        """Offer listed edges, and those of points that may have a shorter one than their part."""
        growth = self.growth
        recalled = self._run_stamped(self._recall, self.blocks, RECALLED * self.n)
        for edges, _ in recalled:
            growth.offer(*edges)
        self.searching = np.concatenate([those for _, those in recalled])
        for edges in self._search_all():
            growth.offer(*edges)

    def edges(self) -> Edges:
        """The edges between rows."""
        u, v, length = self.growth.edges()
        return self.tree.ids[u], self.tree.ids[v], length

    def _run_stamped(self, work: Any, pieces: list[slice], effort: float) -> list[tuple[Any, ...]]:
        """Do the work for each piece, each time with a new stamp."""
        tasks = zip(pieces, self.stamps, strict=False)
        return each(work, tasks, n_jobs=self.n_jobs, effort=effort)

    def _search_all(self) -> list[tuple[Array, Array, Array]]:
        m = len(self.searching)
        pieces = grid(m, least=MIN_POINTS_PER_TASK, most=self.n, parts=MAX_TASKS)
        return self._run_stamped(self._search, pieces, SEARCHED * m * self.d)

    def _arrange(self, block: slice) -> None:
        full = min(block.stop, self.n // LEAF_POINTS)
        boruvka.arrange(self.tree.blocks, self.tree.ids, block.start, full)

    def _mark(self, block: slice) -> None:
        boruvka.mark(
            self.growth.parent, self.part, self.n, self.tree.first[0], block.start, block.stop,
            self.same,
        )  # fmt: skip

    def _recall(self, task: tuple[slice, int]) -> tuple[tuple[Array, Array, Array], Array]:
        block, stamp = task
        space = self._space()
        n_edges, lost = boruvka.recall(
            self.forest, *space, stamp, self.growth.largest, self.floor, self.lost,
            self.tree.first[0], block.start, block.stop,
        )  # fmt: skip
        return self._release_edges(space, n_edges), self.lost[LEAF_POINTS * block.start :][:lost]

    def _search(self, task: tuple[slice, int]) -> tuple[Array, Array, Array]:
        rows, stamp = task
        space = self._space()
        start, n_edges = rows.start, 0
        while start < rows.stop:
            checkpoint()
            start, n_edges = boruvka.search(
                self.view, self.forest, *space, stamp, n_edges, self.searching, start, rows.stop,
                LEAVES_PER_CALL, self.growth.count == self.n,
            )  # fmt: skip
        return self._release_edges(space, n_edges)

    def _space(self) -> tuple[Array, Array]:
        """Work space that no other task has."""
        with self.lock:
            if self.spaces:
                return self.spaces.pop()
        best, work = self.empty(self.n, float), self.empty((4, self.n), np.int32)
        work[2] = 0  # stamps
        return best, work

    def _release_edges(
        self, space: tuple[Array, Array], n_edges: int
    ) -> tuple[Array, Array, Array]:
        """The edges in a work space, which is returned to the other tasks."""
        best, work = space
        parts = work[3, :n_edges]
        edges = work[0][parts], work[1][parts], best[parts]
        with self.lock:
            self.spaces.append(space)
        return edges


# ------------------------------------------------------------------ Memory for many arrays at once
class Arena:
    """Arrays out of one block of memory, in large pages.

    The first touch of a small page takes microseconds, and longer where two threads touch new
    pages together: they wait for each other, more than they work.

    Parameters
    ----------
    nbytes : int
        How much the arrays take; those beyond that, and few, have memory of their own.
    """

    def __init__(self, nbytes: int) -> None:
        size = -(-nbytes // PAGE_BYTES) * PAGE_BYTES if nbytes > PAGE_BYTES else 0
        self._unused = aligned(size, np.uint8, PAGE_BYTES) if size else np.empty(0, np.uint8)
        self._lock = Lock()

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array like one of ``np.empty``."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with self._lock:
            if size > len(self._unused):
                return np.empty(shape, dtype)
            taken, self._unused = self._unused[:size], self._unused[-(-size // 64) * 64 :]
        return taken.view(dtype).reshape(shape)
