# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a kernel matrix: the square of the active points, and a cache of rows.

The solver of the dual asks for the square of the points it works on (`block`), for rows that are
summed (`add`), which are kept in one array, the least recently used giving way, or all of them
where they fit; and, once or twice a fit, for sums in float64 (`exact`), of which nothing is kept.
What is kept is float32. All threads make rows.
"""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from statfast._core.svm import smo
from statfast._engine import aligned, checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import warn_user
from statfast.svm.dual.limits import cache_room

MIN_CACHED_ROWS = 512  # So many rows are kept however little memory is allowed.
# The matrix of so many points is kept too, however little memory is allowed, and allocated at once.
MIN_POINTS_OF_SQUARE = 4096
FLOPS_OF_PIECE = 2e8  # Ctrl-C is looked for between two pieces of this much work.
MAX_KERNEL_VALUE = 1e37  # Sums of a few values must be finite.
CROWDED = (
    "The kernel matrix of {n} points takes {gib:.1f} GiB, over 4 GiB or a quarter of what is free: "
    "{slots} of its rows are kept, others made again. cache_size says how many MB they may take."
)


def round_up_to_lines(n: int, m: int = smo.ROW_MULTIPLE) -> int:
    """n rounded up to a multiple of m."""
    return -(-n // m) * m


def require_float32(largest: float) -> None:
    """Refuse kernel values that float32 does not hold, with room for sums of them."""
    if not largest < MAX_KERNEL_VALUE:
        raise ValueError(
            f"The kernel has values such as {largest:.3g}, beyond float32, in which its matrix is "
            "kept. Scale the columns of X, or choose another kernel."
        )


class Gram:
    """A kernel matrix in float32, and its sums in float64; others say how values are made.

    Parameters
    ----------
    n : int
        Training points.
    diagonal : ndarray of shape (n,)
        The kernel of each with itself, in float64.
    cache_size : float or None
        Megabytes that rows may take; None is a quarter of the free memory, at most 4096.
    away : ndarray of shape (n,), optional
        What is taken off values, a_i + a_j.
    """

    is_complete = False  # Whether the matrix is in memory already, so that blocks cost little.

    def __init__(
        self,
        n: int,
        diagonal: Array,
        cache_size: float | None,
        n_jobs: Jobs = None,
        away: Array | None = None,
    ) -> None:
        self.n, self.n_jobs, self._away = n, n_jobs, away
        self.diagonal = diagonal if away is None else diagonal - 2.0 * away
        self.longest = float(np.abs(diagonal).max())  # squared length of an image
        require_float32(self.longest)
        self._ld = round_up_to_lines(n)
        self._cache_size, self._cache, self._clock, self._has_warned = cache_size, None, 0, False
        self._square = np.empty(0, np.float32)  # The matrix that `block` returned last.

    @cached_property
    def slots(self) -> Any:
        """How many rows the cache has room for."""
        # For so few points the free memory, which is slow to read, does not matter.
        if self.n <= MIN_CACHED_ROWS:
            return self.n
        limit = cache_room(self._cache_size) - self._square.nbytes
        return int(min(self.n, max(limit // (4 * self._ld), MIN_CACHED_ROWS)))

    @cached_property
    def side(self) -> int:
        """Of how many points the square may be kept, beside the cache if there is one."""
        # The matrix is in memory already.
        size = None if self._cache_size == inf else self._cache_size
        if size is None and self.n <= MIN_POINTS_OF_SQUARE:
            return MIN_POINTS_OF_SQUARE
        room = cache_room(size) - (0 if self._cache is None else self._cache.nbytes)
        return max(MIN_POINTS_OF_SQUARE, int((max(room, 0) / 4) ** 0.5) - smo.ROW_MULTIPLE)

    def rows(self, index):
        """Rows of the matrix as a new array, float32 (len(index), n)."""
        out = np.empty((len(index), self.n), np.float32)
        for begin in range(0, len(index), self.slots):
            part = np.asarray(index[begin : begin + self.slots], np.int64)
            slots = self._hold(part)
            out[begin : begin + len(part)] = self._cache[slots, : self.n]
        return out

    def add(self, index: Any, weights: Any, total: Any, at: Any = None) -> None:
        """total[:n] += K[:, index] @ weights, of float32 rows, summed in float64; perhaps only
        where it is asked for, `at` some points."""
        for begin in range(0, len(index), self.slots):
            part = np.asarray(index[begin : begin + self.slots], np.int64)
            slots = self._hold(part)
            w = np.ascontiguousarray(weights[begin : begin + self.slots])

            def task(columns: Any, slots: Any = slots, w: Array = w) -> None:
                width = max(1, columns.stop - columns.start)
                step = max(8, int(FLOPS_OF_PIECE / 4 / width) // 8 * 8)
                for r in range(0, len(slots), step):
                    checkpoint()
                    piece = slice(r, r + step)
                    smo.add(self._cache, slots[piece], w[piece], columns.start, columns.stop, total)

            effort = 2.0 * len(part) * self.n
            each(task, grid(self.n, 1024, parts=8), n_jobs=self.n_jobs, effort=effort)

    def by_rows(self) -> Any:
        """Whether rows are made one by one, and all can be kept: see `hold` and `kept`."""
        return self.slots == self.n

    def hold(self, index: Any) -> None:
        """Have the rows of some points."""
        self._hold(np.asarray(index, np.int64))

    def kept(self) -> Any:
        """The rows there are, (slots, ld), and the slot of each point, -1 if it has none."""
        self._hold(np.empty(0, np.int64))
        return self._cache, self._slot

    def _hold(self, part):
        """The slots of distinct points, no more than there are; their rows are in the cache."""
        if self._cache is None:
            self._slot = np.full(self.n, -1, np.int32)  # The slot of each point, -1 if it has none.
            # The point of each slot, -1 for an empty one.
            self._point = np.full(self.slots, -1, np.int64)
            self._used = np.zeros(self.slots, np.int64)  # When each slot was last used.
            self._cache = aligned((self.slots, self._ld), np.float32)
        self._clock += 1
        slots = self._slot[part]
        missing = part[slots < 0]
        self._used[slots[slots >= 0]] = self._clock
        if len(missing):
            free = self._oldest(len(missing))
            evicted = self._point[free]
            self._slot[evicted[evicted >= 0]] = -1
            if self._cache_size is None and not self._has_warned and (evicted >= 0).any():
                self._has_warned = True
                warn_user(CROWDED.format(n=self.n, slots=self.slots, gib=4 * self.n**2 / 2**30))
            self._point[free], self._slot[missing] = missing, free
            self._used[free] = self._clock
            try:
                self._make(missing, free.astype(np.int32), self._cache, 0, self.n)
            except BaseException:
                self._point[free], self._slot[missing], self._used[free] = -1, -1, 0
                raise
        return self._slot[part]

    def _oldest(self, count: int) -> Any:
        """So many slots, those never used first, then those not used for longest."""
        fresh = np.flatnonzero(self._used == 0)
        if len(fresh) >= count:
            return fresh[:count]
        if count == self.slots:
            return np.arange(count)
        order = np.argpartition(self._used, count)[:count]
        return np.sort(order)

    def block(self, index: Any) -> Any:
        """K[index, index] as float32 with whole cache lines a row, zero beyond; the next call
        takes the same memory."""
        raise NotImplementedError

    def _for_block(self, k: int) -> Array:
        wide = round_up_to_lines(k)
        if self._square.size < k * wide:
            # The old square is freed before a new one is allocated.
            self._square = np.empty(0, np.float32)
            self._square = aligned(max(k, min(self.n, MIN_POINTS_OF_SQUARE)) * wide, np.float32)
        out = self._square[: k * wide].reshape(k, wide)
        out[:, k:] = 0
        return out

    def exact(self, index: Any, weights: Array | None, at: Any = None) -> Any:
        """K[at, index] @ weights in float64 (`at` is all points)."""
        raise NotImplementedError

    def _make(self, index: Any, slots: Any, out: Any, first: Any, stop: int) -> Any:
        raise NotImplementedError
