# SPDX-License-Identifier: BSD-3-Clause
"""The spanning tree of a dissimilarity matrix by Boruvka's rounds, each on a smaller matrix.

A round joins every part of the forest to its nearest one, so that at most half of the parts remain,
and most often a third. The matrix of the smallest dissimilarities between them has a fourth or a
tenth of the numbers of the one before, and the next round reads that. Which rows a number is of is
looked up in the matrix before, for the edges only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from statfast._core.hierarchy import forest
from statfast._distance import MAX_TASKS, NUMBERS_PER_TASK, Triangle, neighbors
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs

TILE_ROWS = 256  # rows and columns that a task joins across the diagonal
Edges = tuple[np.ndarray, np.ndarray, np.ndarray]  # rows u and v (int32), lengths


def edges_of_triangle(triangle: Triangle, n_jobs: int | None = None) -> Edges:
    """The m - 1 edges of a minimum spanning tree, in the order in which they are found."""
    edges: list[Edges] = []
    # The matrices of earlier rounds, with the rows of each part.
    contracted: list[tuple[Triangle, np.ndarray, np.ndarray]] = []
    while triangle.m > 1:
        low, who = neighbors(triangle, n_jobs=n_jobs)
        growth = Growth(triangle.m)
        growth.offer(np.arange(triangle.m, dtype=np.int32), who, low.astype(np.float64))
        several = growth.join()
        u, v, length = (ends[: triangle.m - growth.count] for ends in growth.edges())
        for matrix, order, start in contracted[::-1]:
            single = matrix.dtype == np.float32
            forest.trace(matrix.rows, single, order, start, length, u, v)
        edges.append((u, v, length))
        if not several:
            break
        order, start = _by_part(growth.parts())
        contracted.append((triangle, order, start))
        triangle = _between(triangle, order, start, n_jobs)
    if not edges:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    u, v, length = map(np.concatenate, zip(*edges, strict=True))
    return u, v, length


def _by_part(part: Array) -> tuple[Array, Array]:
    """Rows sorted by their part, rising in each, and where each part begins."""
    order = np.argsort(part, kind="stable").astype(np.int32)
    start = np.flatnonzero(np.diff(part[order], prepend=-1, append=len(part)))
    return order, start


def _between(triangle: Triangle, order: Array, start: Array, n_jobs: Jobs) -> Triangle:
    """The matrix of the smallest numbers between parts."""
    m, k = triangle.m, len(start) - 1
    part = np.empty(m, np.int32)
    part[order] = np.repeat(np.arange(k), np.diff(start))
    before = np.concatenate([[0], np.cumsum(m - order, dtype=np.int64)])[start]
    size = max(min(NUMBERS_PER_TASK, int(before[-1]) // MAX_TASKS), 1)  # numbers of a task
    cuts = np.unique(np.searchsorted(before, np.arange(0, before[-1], size)))
    table = np.empty((k, k), triangle.dtype)
    single = triangle.dtype == np.float32

    def gather(parts: tuple[int, int]) -> None:
        checkpoint()
        forest.between(triangle.rows, single, part, order, start, *parts, table.ctypes.data)

    def join(tile: tuple[slice, slice]) -> None:
        """Of two numbers that mirror each other, keep the smaller right of the diagonal."""
        a, b = tile
        np.minimum(table[a, b], table[b, a].T, out=table[a, b])

    parts = list(zip(cuts, np.append(cuts[1:], k), strict=True))
    each(gather, parts, n_jobs=n_jobs, effort=2.0 * m * m)
    strips = grid(k, TILE_ROWS, TILE_ROWS)
    tiles = [(a, b) for i, a in enumerate(strips) for b in strips[i:]]
    each(join, tiles, n_jobs=n_jobs, effort=4.0 * k * k)
    return Triangle.of_square(table)


# ---------- The forest of Boruvka's rounds, which grows until it is a tree
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

    def __init__(self, n: int, empty: Callable = np.empty) -> None:
        self.count = n
        self.parent, self._size, self._roots = empty((3, n), np.int32)
        self.parent[:], self._size[:], self._roots[:] = -1, 1, np.arange(n)
        self.largest = -1.0
        self.best, self._ends = empty(n, float), empty((2, n), np.int32)
        self.best[:] = np.inf
        self._u, self._v = empty((2, n - 1), np.int32)
        self._length = empty(n - 1, float)

    def parts(self) -> np.ndarray:
        """Of every row the root of its part."""
        part = np.empty(len(self.parent), np.int32)
        forest.name(self.parent, part)
        return part

    def offer(self, u: np.ndarray, v: np.ndarray, length: np.ndarray) -> None:
        """Consider edges (u, v) that leave parts; the shortest of each part must be among them."""
        forest.weigh(u, v, length, self.parent, self.best, self._ends)

    def join(self) -> bool:
        """Join each part along its shortest edge; returns whether several parts remain."""
        if self.count == 1:
            return False
        start = len(self.parent) - self.count
        edges = self._u[start:], self._v[start:], self._length[start:]
        taken, largest = forest.join(
            self._roots, self.count, self.parent, self._size, self.best, self._ends, *edges
        )
        if not taken:
            raise ValueError("Distances between rows of X overflow. Scale X down.")
        self.count -= taken
        self.largest = float(largest)
        return self.count > 1

    def edges(self) -> Edges:
        """All edges taken so far."""
        return self._u, self._v, self._length
