# SPDX-License-Identifier: BSD-3-Clause
"""The centroid and median methods from a matrix: the nearest pair is merged, one after the other.

Their unions may be nearer to others than their parts were, so there are no rounds. The triangle is
read where it lies and never changed. A union has a row of its own, with its distances to all that
came before, so that a merge reads two rows and writes one, in sequence; what has to be picked out
of columns is what rows of the triangle have left of the diagonal, and what came later. Rows that
will be merged soon are made beforehand, by all threads. When so many clusters are left that their
square matrix takes no more memory than the triangle, it takes its place.
"""

import numpy as np

from statfast._core.hierarchy import linkage
from statfast._distance import COPY, Triangle
from statfast._engine import checkpoint, each

SMALL = 1024  # clusters: their matrix is in the cache
SHRUNK = 0.48  # of the clusters left: time to leave out the others. Two rows fit into one
AHEAD = 3  # one cluster in so many: for their pairs, rows are made at a time
BUDGET = 1 << 24  # numbers looked at between checkpoints
TASK = 1 << 20  # numbers looked at by a task: a millisecond
ROOM = 1 << 21  # numbers of a piece of memory
PICKED = 8  # a number picked out of a column takes the time of so many in sequence
FIRST, LATER, MERGES, VACANT = range(4)  # in `state`

Merges = tuple[np.ndarray, np.ndarray, np.ndarray]  # one point, the other (int32), the height


def merged_one_by_one(
    triangle: Triangle, rule: int, scale: float, n_jobs: int | None = None,
    size: np.ndarray | None = None,
) -> Merges:  # fmt: skip
    """The merges of the triangle of (scale x)^2, in the order in which they are made.

    `size`, of its type, are the points of its clusters; each has one if it is not given.
    """
    clusters = ActiveClusters(triangle, rule, scale, n_jobs)
    if size is not None:
        clusters.size = size.copy()
    while True:
        m = clusters.m
        until = 1 if m <= SMALL else int(SHRUNK * m)
        clusters.merge(until)
        if until == 1:
            break
        clusters.pack()
    one, other, height = (np.concatenate(parts) for parts in zip(*clusters.merges, strict=True))
    return one, other, height


class ActiveClusters:
    """Clusters by their lowest point, their rows, and the merges so far; see
    _core/hierarchy/generic.pxd."""

    def __init__(self, triangle: Triangle, rule: int, scale: float, n_jobs: int | None):
        m = triangle.m
        self.rule, self.n_jobs = rule, n_jobs
        self.size = np.ones(m, triangle.dtype)
        self.point = np.arange(m, dtype=np.int32)  # the lowest of each cluster
        self.merges: list[tuple] = []  # of points, points and heights
        self.memory: list[np.ndarray] = []  # of rows
        self.spare = int(COPY * m * m)  # numbers that it may have yet
        self.room = np.empty(3 * m + 4, np.intp)
        self._begin(triangle.rows, scale, np.zeros(m, np.intp))
        self._more()

    def _begin(self, rows, scale, own):
        """Clusters whose matrix is a triangle, and the nearest of each to its right."""
        m = self.m = len(rows)
        self.scale = scale  # 0: numbers stay as they are
        dtype = self.size.dtype
        self.own, self.time = own, np.zeros((3, m), np.int32)
        self.gone = np.zeros((2, m), dtype)
        self.low, self.who = np.empty(m, dtype), np.empty(m, np.int32)
        self.state = np.array([m, 0, 0, 0], np.intp)
        left = np.tile(np.arange(m, dtype=np.int32), (2, 1))
        self.shared = (
            rows, scale, own, self.time, left, self.gone, self.low, self.who, self.state,
        )  # fmt: skip
        self.done = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, dtype)
        self._renew(left[0].copy(), None, m)

    def merge(self, until: int) -> None:
        """Merge the nearest pairs until so many clusters are left."""
        few = -(-self.m // AHEAD)
        while (left := self._left()) > until:
            stop = until
            if self.m > SMALL and self.scale:
                self._make_ahead(few)
                stop = max(until, left - few)
            while self._left() > stop:
                checkpoint()
                if self.state[VACANT] < 2:
                    self._more()
                linkage.generic(
                    *self.shared, self.rule, self.size, self.room, *self.done, stop, BUDGET
                )
        one, other, height = (part[: self.state[MERGES]] for part in self.done)
        self.merges.append((self.point[one], self.point[other], height))

    def _left(self):
        return int(self.state[FIRST] + self.state[LATER])

    def pack(self) -> None:
        """Leave out the clusters that are no more; the matrix is square after that."""
        m, alive = self.m, np.flatnonzero(self.gone[0] == 0).astype(np.int32)
        stays = np.zeros(-(-(m + 1) // 64) * 64, bool)
        stays[alive] = True
        keep = np.packbits(stays, bitorder="little").view(np.uint64)
        place = np.cumsum(stays[:m], dtype=np.int32) - np.int32(1)
        made = self.own[alive] != 0
        rows = self._packed_rows(np.count_nonzero(~made), len(alive))
        self._renew(alive[~made], rows, m + 2 * len(alive), keep, place)
        alive_made = alive[made]
        rows = self.own[alive_made]
        self._renew(alive_made, rows, m + PICKED * len(alive))
        self._renew(alive_made, rows, m, keep, place)
        own, item = self.own[alive], self.size.itemsize
        self.size, self.point = self.size[alive], self.point[alive]
        vacant = self.state[VACANT]
        self._begin(own + np.arange(1, len(own) + 1) * item, 0.0, own)
        self.state[VACANT] = vacant

    def _make_ahead(self, few):
        """Find the neighbors that some of the nearest have lost, and make the rows of pairs."""
        near = np.argpartition(self.low, few)[:few].astype(np.int32)
        near = near[self.low[near] < np.inf]
        born, _, asked = self.time
        self._renew(near[born[self.who[near]] > asked[near]], None, self.m)
        some = np.union1d(near, self.who[near])
        some = some[self.gone[0, some] == 0]
        to = self.own[some]
        some = some[(to != 0) | (np.cumsum(to == 0) <= self.state[VACANT] + self._affordable() - 2)]
        to = self.own[some]
        bare = to == 0
        count = np.count_nonzero(bare)
        while self.state[VACANT] < count + 2:
            self._more()
        vacant = self.state[VACANT]
        to[bare] = self.room[vacant - count : vacant]
        self.state[VACANT] -= count
        self._renew(some[bare], to[bare], self.m + PICKED * int(self.state[FIRST]))
        self._renew(some[~bare], to[~bare], self.m)

    def _renew(self, some, to, numbers, keep=None, place=None):
        """See the kernel: each of some clusters takes looking at so many numbers."""
        step = max(1, TASK // numbers)
        blocks = [slice(at, min(at + step, len(some))) for at in range(0, len(some), step)]

        def work(block):
            checkpoint()
            linkage.renew(*self.shared, some, to, block.start, block.stop, keep, place)

        each(work, blocks, n_jobs=self.n_jobs, effort=float(numbers) * len(some))

    def _more(self):
        """More memory for rows that are not made yet."""
        count = max(4, min(self.m // 2 + 2, ROOM // self.m, self._affordable()))
        vacant = self.state[VACANT]
        self.room[vacant : vacant + count] = self._rows(count, self.m)[::-1]
        self.state[VACANT] += count

    def _affordable(self):
        """How many rows there is memory for, beside those that are vacant."""
        return self.spare * self.size.itemsize // self._step(self.m)

    def _packed_rows(self, count, m):
        """Addresses of memory for so many rows of m clusters, side by side in vacant rows first."""
        step = self._step(m)
        vacant = self.room[2 : self.state[VACANT]]
        beside = step * np.arange(self._step(self.m) // step)
        self.state[VACANT] = 2
        rows = np.add.outer(vacant, beside).ravel()[:count]
        return np.concatenate([rows, self._rows(count - len(rows), m)])

    def _rows(self, count, m):
        """Addresses of new memory for so many rows of m clusters."""
        step, item = self._step(m), self.size.itemsize
        memory = np.empty(count * step // item + 64, self.size.dtype)
        self.memory.append(memory)
        self.spare -= len(memory)
        begin = -(-memory.ctypes.data // 64) * 64
        return begin + step * np.arange(count, dtype=np.intp)

    def _step(self, m):
        """How many bytes rows of m clusters are apart: an odd number of cache lines.

        Otherwise columns would lie in few sets of a cache. Kernels may read up to a multiple of 64
        numbers.
        """
        return -(-m // 64) * 64 * self.size.itemsize + 64
