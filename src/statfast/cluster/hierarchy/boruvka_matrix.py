# SPDX-License-Identifier: BSD-3-Clause
"""The spanning tree of a dissimilarity matrix: Boruvka's rounds, each on the matrix of its parts.

A round joins every part to its nearest one, so at most half are left, most often a third. The
matrix of the smallest numbers between those is a fourth, or a tenth, of the one before: the next
round reads that. Whose number it was is looked up in the matrix before, of the edges only.
"""

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import forest
from statfast.cluster import triangle as triangles
from statfast.cluster.growth import Edges, Growth
from statfast.cluster.triangle import Triangle, neighbours

TILE = 256  # rows and columns that a task joins across the diagonal


def edges_of_triangle(triangle: Triangle, n_jobs: int | None = None) -> Edges:
    """The m - 1 edges of a minimum spanning tree, in the order in which they are found."""
    found: list[Edges] = []
    above: list[tuple[Triangle, np.ndarray, np.ndarray]] = []  # matrices, and the rows of parts
    while triangle.m > 1:
        low, who = neighbours(triangle, n_jobs=n_jobs)
        growth = Growth(triangle.m)
        growth.offer(np.arange(triangle.m, dtype=np.int32), who, low.astype(np.float64))
        several = growth.join()
        one, other, length = (some[: triangle.m - growth.count] for some in growth.edges())
        for matrix, order, start in above[::-1]:
            single = matrix.dtype == np.float32
            forest.trace(matrix.rows, single, order, start, length, one, other)
        found.append((one, other, length))
        if not several:
            break
        order, start = _by_part(growth.parts())
        above.append((triangle, order, start))
        triangle = _between(triangle, order, start, n_jobs)
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    one, other, length = map(np.concatenate, zip(*found, strict=True))
    return one, other, length


def _by_part(part):
    """Rows sorted by their part, rising in each, and where each part begins."""
    order = np.argsort(part, kind="stable").astype(np.int32)
    start = np.flatnonzero(np.diff(part[order], prepend=-1, append=len(part)))
    return order, start


def _between(triangle, order, start, n_jobs):
    """The matrix of the smallest numbers between parts."""
    m, k = triangle.m, len(start) - 1
    part = np.empty(m, np.int32)
    part[order] = np.repeat(np.arange(k), np.diff(start))
    before = np.concatenate([[0], np.cumsum(m - order, dtype=np.int64)])[start]
    size = max(min(triangles.PIECE, int(before[-1]) // triangles.PARTS), 1)  # numbers of a task
    cuts = np.unique(np.searchsorted(before, np.arange(0, before[-1], size)))
    table = np.empty((k, k), triangle.dtype)
    single = triangle.dtype == np.float32

    def gather(parts):
        checkpoint()
        forest.between(triangle.rows, single, part, order, start, *parts, table.ctypes.data)

    def join(tile):
        """Of two numbers across the diagonal, the smaller goes to its right."""
        a, b = tile
        np.minimum(table[a, b], table[b, a].T, out=table[a, b])

    parts = list(zip(cuts, np.append(cuts[1:], k), strict=True))
    each(gather, parts, n_jobs=n_jobs, effort=2.0 * m * m)
    strips = grid(k, TILE, TILE)
    tiles = [(a, b) for i, a in enumerate(strips) for b in strips[i:]]
    each(join, tiles, n_jobs=n_jobs, effort=4.0 * k * k)
    return Triangle.of_square(table)
