# SPDX-License-Identifier: BSD-3-Clause
"""The upper triangle of a dissimilarity matrix, wherever its rows lie, and its nearest neighbors.

A condensed matrix, a square one and the pieces that a round of merging writes are all read where
they lie: kernels take the address of each row (``_core/distance/triangle.pyx``).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from statfast._core.distance import triangle as kernel
from statfast._engine import each

NUMBERS_PER_TASK = 1 << 21  # numbers that a task looks at: some milliseconds
MAX_TASKS = 16  # tasks of a call
MIN_NUMBERS_PER_TASK = 1 << 15  # numbers: looking at fewer takes no longer than beginning a task
COPY_SHARE = 0.48  # of the square matrix: memory that merging takes, a little less than a triangle


@dataclass(frozen=True)
class Triangle:
    """Numbers of the pairs r < c of m rows; row r has those of r + 1, ..., m - 1 in sequence."""

    rows: np.ndarray  # (m,) intp, addresses
    dtype: np.dtype
    owners: Any = None  # arrays whose memory that is

    @classmethod
    def of_condensed(cls, y: np.ndarray, m: int) -> Triangle:
        """Rows of a contiguous condensed matrix."""
        r = np.arange(m, dtype=np.intp)
        begin = r * (2 * m - r - 1) // 2
        return cls(y.ctypes.data + begin * y.itemsize, y.dtype, y)

    @classmethod
    def of_square(cls, table: np.ndarray) -> Triangle:
        """Rows of a square matrix whose rows are contiguous, right of its diagonal."""
        r = np.arange(len(table), dtype=np.intp)
        begin = r * table.strides[0] + (r + 1) * table.itemsize
        return cls(table.ctypes.data + begin, table.dtype, table)

    @property
    def m(self) -> int:
        return len(self.rows)


def row_blocks(m: int, most: int = NUMBERS_PER_TASK) -> list[slice]:
    """Cut the rows of a triangle into blocks of about as many numbers: `most`, or a row."""
    total = m * (m - 1) // 2
    size = max(min(most, max(total // MAX_TASKS, MIN_NUMBERS_PER_TASK)), m)
    before = np.arange(m + 1, dtype=np.int64)
    before = before * (2 * m - before - 1) // 2  # numbers above each row
    cuts = [0]
    while cuts[-1] < m:
        stop = int(np.searchsorted(before, before[cuts[-1]] + size, side="right")) - 1
        cuts.append(min(m, max(stop, cuts[-1] + 1)))
    return [slice(*ends) for ends in pairwise(cuts)]


class Minima:
    """The smallest number of each row, in whole: right of the diagonal, and in the columns."""

    def __init__(self, m: int, dtype: np.dtype) -> None:
        self.m, self.dtype = m, dtype
        self.right_low, self.right_who = np.empty(m, dtype), np.empty(m, np.int32)
        self.spare: list[tuple[int, tuple[np.ndarray, np.ndarray]]] = []

    def columns(self, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Minima of the columns for a task: those of a task of earlier rows, or none yet.

        The more rows they cover, the more seldom a number is smaller than them.
        """
        with suppress(IndexError):
            stop, minima = self.spare.pop()
            if stop <= block.start:
                return minima
            self.spare.append((stop, minima))
        return np.full(self.m, np.inf, self.dtype), np.full(self.m, -1, np.int32)

    def keep(self, block: slice, columns: tuple[np.ndarray, np.ndarray]) -> None:
        """Take back the minima of columns when a task is done."""
        self.spare.append((block.stop, columns))

    def joined(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest numbers and the first rows that have them, whichever task looked at which."""
        low, who = self.spare[0][1]
        for _, minima in self.spare[1:]:
            kernel.absorb(*minima, low, who)
        kernel.absorb(self.right_low, self.right_who, low, who)
        return low, who


def neighbors(triangle: Triangle, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Of each row the smallest number, and the first column that has it; -1 if there is none.

    Parameters
    ----------
    triangle : Triangle
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    low : ndarray of shape (m,)
    who : ndarray of shape (m,), int32
    """
    minima = Minima(triangle.m, triangle.dtype)

    def work(block: slice) -> None:
        columns = minima.columns(block)
        kernel.neighbors(
            triangle.rows, block.start, block.stop, *columns,
            minima.right_low, minima.right_who,
        )  # fmt: skip
        minima.keep(block, columns)

    each(work, row_blocks(triangle.m), n_jobs=n_jobs, effort=float(triangle.m) ** 2)
    return minima.joined()
