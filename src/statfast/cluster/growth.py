# SPDX-License-Identifier: BSD-3-Clause
"""A forest that grows until it is a tree: what Boruvka's rounds have in common."""

from collections.abc import Callable

import numpy as np

from statfast._core import forest

Edges = tuple[np.ndarray, np.ndarray, np.ndarray]  # one row, the other (int32), the length


class Growth:
    """The parts of a forest, the shortest edge that leaves each, and the edges taken so far.

    Parameters
    ----------
    n : int
        Rows.
    empty : callable, optional
        In the place of ``np.empty``.

    Attributes
    ----------
    count : int
        Parts left.
    parent : ndarray of shape (n,), int32
        Of each row that was the root of a part the root of what it was joined to; -1 at roots.
    best : ndarray of shape (n,)
        Of each root its shortest edge on offer; infinite where there is none.
    largest : float
        The root of the largest part; -1 before any was joined.
    """

    def __init__(self, n: int, empty: Callable = np.empty):
        self.count = n
        self.parent, self._size, self._roots = empty((3, n), np.int32)
        self.parent[:], self._size[:], self._roots[:] = -1, 1, np.arange(n)
        self.largest = -1.0
        self.best, self._ends = empty(n, float), empty((2, n), np.int32)
        self.best[:] = np.inf
        self._one, self._other = empty((2, n - 1), np.int32)
        self._length = empty(n - 1, float)

    def parts(self) -> np.ndarray:
        """Of every row the root of its part."""
        part = np.empty(len(self.parent), np.int32)
        forest.name(self.parent, part)
        return part

    def offer(self, one: np.ndarray, other: np.ndarray, length: np.ndarray) -> None:
        """Take note of edges that leave parts; of each part, the shortest must come."""
        forest.weigh(one, other, length, self.parent, self.best, self._ends)

    def join(self) -> bool:
        """Take of those what joins parts. Whether there are several left."""
        if self.count == 1:
            return False
        at = len(self.parent) - self.count
        edges = self._one[at:], self._other[at:], self._length[at:]
        some, largest = forest.join(
            self._roots, self.count, self.parent, self._size, self.best, self._ends, *edges
        )
        if not some:
            raise ValueError("Distances between rows of X overflow. Scale X down.")
        self.count -= some
        self.largest = float(largest)
        return self.count > 1

    def edges(self) -> Edges:
        """All that were taken."""
        return self._one, self._other, self._length
