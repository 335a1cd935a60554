# SPDX-License-Identifier: BSD-3-Clause
"""Minimum spanning trees of a dissimilarity matrix, by Boruvka's rounds.

Each round reads the matrix once, for the nearest point of another part of each point, and joins
each part to its nearest other one; so parts are at least halved, and nothing is copied.
"""

import numpy as np

from statfast._core import forest
from statfast.cluster.triangle import Triangle, neighbours


def spanning_edges(
    triangle: Triangle, n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two rows (int32) and the length (float64) of each of the m - 1 edges."""
    m = triangle.m
    parent, part = np.full(m, -1, np.int32), np.arange(m, dtype=np.int32)
    edges = np.empty(m, np.int32)
    found: list[tuple] = []
    missing = m - 1
    while missing:
        labels = part.astype(triangle.dtype) if found else None
        low, who = neighbours(triangle, labels, n_jobs)
        count = forest.forest(np.argsort(low, kind="stable"), who, part, parent, edges)
        rows = edges[:count].copy()
        found.append((rows, who[rows], low[rows].astype(np.float64)))
        forest.roots(parent, part)
        missing -= count
    one, other, length = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return one, other, length
