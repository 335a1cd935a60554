# SPDX-License-Identifier: BSD-3-Clause
"""The centroid and median methods from rows, without their matrix.

Their unions may be nearer to others than their parts were, so the nearest pair of all is merged,
one after the other. A cluster is a column; it knows the nearest one of those before it, or how near
that may be at most. A union is a new column, and columns of clusters that are no more are left out
from time to time.
"""

import numpy as np

from statfast._blocks import checkpoint
from statfast._core import means
from statfast.cluster.means import COLUMNS, as_heights, centred, columns_of, nearest

BUDGET = 1 << 26  # numbers looked at between checkpoints: some 20 ms
SPARE = 8  # a free column for so many clusters

Merges = tuple[np.ndarray, np.ndarray, np.ndarray]  # one point, the other (int32), the height


def centroid_of_rows(X: np.ndarray, halves: bool, n_jobs: int | None = None) -> Merges:
    """The merges of checked rows (n, d), in the order in which they are made.

    `halves` says that a union lies midway between two clusters, whatever their sizes.
    """
    rows, scale = centred(X, n_jobs)
    n = m = len(rows)
    mean, size, point = rows.T, np.ones(n), np.arange(n, dtype=np.int32)
    low, who = nearest(columns_of(rows), point, point, before=True, n_jobs=n_jobs)
    low, who = low[:, 0], who[:, 0]
    who[who >= point] = -1  # of the same block: a bound, not a pair
    one, other, height = np.empty(n - 1, np.int32), np.empty(n - 1, np.int32), np.empty(n - 1)
    state = np.array([0, 0, 0], np.intp)
    while state[2] < n - 1:
        room = max(COLUMNS, m // SPARE)
        columns = columns_of(mean.T, room)
        size, point, low, who = (grown(a, columns.shape[1]) for a in (size, point, low, who))
        heap = grown(np.argsort(low[:m], kind="stable").astype(np.int32), columns.shape[1])
        state[:2] = m
        while state[2] < n - 1 and state[0] < columns.shape[1]:
            checkpoint()
            means.merge(
                columns, size, halves, point, low, who, heap, state, one, other, height, n - 1,
                BUDGET,
            )  # fmt: skip
        alive = np.flatnonzero(columns[0] < np.inf)
        rank = np.full(columns.shape[1] + 1, -1, np.int32)  # of -1 too
        m, rank[alive] = len(alive), np.arange(len(alive))
        mean, size, point = columns[:, alive], size[alive], point[alive]
        low, who = low[alive], rank[who[alive]]
    return one, other, as_heights(height, scale)


def grown(values: np.ndarray, size: int) -> np.ndarray:
    """The same, and room behind."""
    out = np.empty(size, values.dtype)
    out[: len(values)] = values
    return out
