# SPDX-License-Identifier: BSD-3-Clause
"""The centroid and median methods from a matrix: one merge of the nearest pair after the other.

A union may be nearer to a third cluster than its parts were, so pairs cannot be merged in rounds.
"""

from __future__ import annotations

import numpy as np

from statfast._core.hierarchy import linkage
from statfast._core.hierarchy.clusters import Clusters
from statfast._distance import Triangle, neighbors
from statfast._engine import checkpoint, each, grid
from statfast._validation import refuse_large

COMPACT_BELOW_SHARE = 0.7  # of clusters alive: with fewer, rows of the merged ones are left out
NUMBERS_PER_CALL = 1 << 24  # numbers looked at between checkpoints
ROWS_PER_TASK = 64  # rows of a whole matrix that a task writes

Merges = tuple[np.ndarray, np.ndarray, np.ndarray]  # points a and b (int32), heights


def merged_one_by_one(
    triangle: Triangle, rule: int, scale: float, n_jobs: int | None = None
) -> Merges:
    """The merges of the triangle of (scale x)^2, in the order in which they are made."""
    m, dtype = triangle.m, triangle.dtype
    nbytes = m * m * dtype.itemsize
    refuse_large(nbytes, f"The square matrix of {m} rows", "Pass rows, or choose another method.")
    low, who = neighbors(triangle, n_jobs=n_jobs)
    low = np.square(low * dtype.type(scale))
    matrix = square_of_triangle(triangle, scale, n_jobs)
    gone, notes = np.zeros(m, dtype), np.zeros((5, m), np.int32)
    point, size = np.arange(m, dtype=np.int32), np.ones(m, dtype)
    a, b, height = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, dtype)
    state = np.array([m, 0, m, 0], np.intp)
    clusters = Clusters(size, gone, point)
    while state[0] > 1:
        checkpoint()
        linkage.generic(
            matrix, rule, clusters, low, who, notes, state, a, b, height,
            COMPACT_BELOW_SHARE, NUMBERS_PER_CALL,
        )  # fmt: skip
    return a[: m - 1], b[: m - 1], height[: m - 1]


def square_of_triangle(
    triangle: Triangle, scale: float, n_jobs: int | None, memory: np.ndarray | None = None
) -> np.ndarray:
    """The whole matrix of a triangle, (m^2,), of (scale x)^2 if the scale is not 0."""
    m = triangle.m
    matrix = np.empty(m * m, triangle.dtype) if memory is None else memory

    def write(strip: slice) -> None:
        linkage.unfold(triangle.rows, scale, strip.start, strip.stop, matrix)

    each(write, grid(m, ROWS_PER_TASK, ROWS_PER_TASK), n_jobs=n_jobs, effort=float(m) ** 2)
    return matrix
