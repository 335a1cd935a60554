# SPDX-License-Identifier: BSD-3-Clause
"""Points in columns, compared with all others without a matrix: O(n d) memory.

The points are rows, or the means of clusters of them. In few dimensions a k-d tree looks at fewer;
in many, or where sizes weigh, all have to be looked at, and that is work for vectors.
"""

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import means
from statfast._extent import extent_of, scale_of

COLUMNS = 64  # their number is a multiple of it
WORK = 1 << 28  # numbers looked at between checkpoints: some 20 ms


def centred(X: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, float]:
    """Rows around their mean, times a power of two that keeps squares in range; and that."""
    extent = extent_of(X, n_jobs)
    with np.errstate(over="ignore"):
        width = float((extent.high - extent.low).max())
    scale = 1.0 if 1e-100 < width < 1e100 else scale_of(width)
    if scale == 0 or not np.isfinite(width):
        raise ValueError("Distances between rows of X overflow. Scale X down.")
    return (X - extent.mean) * scale, scale


def as_heights(squares: np.ndarray, scale: float) -> np.ndarray:
    """The roots of squared distances between rows that were scaled."""
    with np.errstate(over="ignore"):
        height = np.sqrt(squares) / scale
    if not np.isfinite(height).all():
        raise ValueError("Heights of merges overflow. Scale X down.")
    return height


def columns_of(rows: np.ndarray, room: int = 0) -> np.ndarray:
    """Rows (n, d) as columns, with room for some more, which are at infinity."""
    n, d = rows.shape
    columns = np.full((d, -(-(n + room) // COLUMNS) * COLUMNS), np.inf)
    columns[:, :n] = rows.T
    return columns


def nearest(
    columns: np.ndarray, part: np.ndarray, query: np.ndarray, *, size: np.ndarray | None = None,
    k: int = 1, before: bool = False, n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Squared distances and numbers of the nearest points of other parts.

    Parameters
    ----------
    columns : ndarray of shape (d, ld)
    part : ndarray of shape (n,)
        A number for the part that each of the first n columns is in.
    query : ndarray of int32, shape (m,)
        The points to start from.
    size : ndarray of shape (n,), optional
        The points that each stands for, which weigh distances as Ward's rule has it.
    k : int
        How many to find.
    before : bool
        All columns are queries, and only those before each need be looked at.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    low : ndarray of shape (m, k)
    who : ndarray of shape (m, k), int32
    """
    n, (d, ld) = len(part), columns.shape
    parts, sizes, smallest = np.zeros(ld), None, 1.0
    parts[:n] = part
    if size is not None:
        sizes, smallest = np.ones(ld), float(size.min())
        sizes[:n] = size
    low, who = np.empty((len(query), k)), np.empty((len(query), k), np.int32)

    def work(block):
        checkpoint()
        last = -(-(block.stop if before else n) // COLUMNS) * COLUMNS
        means.nearest(
            columns, sizes, smallest, parts, query, block.start, block.stop, last, low, who
        )

    blocks = grid(len(query), least=64, most=max(64, WORK // (n * d)))
    each(work, blocks, n_jobs=n_jobs, effort=3.0 * len(query) * n * d)
    return low, who
