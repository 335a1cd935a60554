# SPDX-License-Identifier: BSD-3-Clause
"""The upper triangle of a dissimilarity matrix, wherever its rows lie, and its nearest neighbors.

A condensed matrix, a square one and the pieces that a round of merging writes are all read in
place: what kernels take is the address of each row (``_core/hierarchy/triangle.pxd``).
"""

from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from statfast._core.hierarchy import linkage
from statfast._core.hierarchy.linkage import extent
from statfast._core.neighbors import brute
from statfast._distance.dissimilarity import finished, function_of, takes_squares
from statfast._distance.metrics import CALLABLE, Metric, as_metric
from statfast._distance.precision import rescaled
from statfast._distance.precomputed import as_matrix, as_triangle, is_triangle
from statfast._engine import checkpoint, each
from statfast._validation import as_rows, refuse_large

PIECE = 1 << 21  # numbers that a task looks at: some milliseconds
PARTS = 16  # tasks, where there is work for them
LEAST = 1 << 15  # numbers: looking at fewer takes no longer than beginning a task
COPY = 0.48  # of the square: the memory that merging takes, a little less than the triangle
INSTEAD = "Cluster a sample of the rows."


@dataclass(frozen=True)
class Triangle:
    """Numbers of the pairs r < c of m rows; row r has those of r + 1, ..., m - 1 in sequence."""

    rows: np.ndarray  # (m,) intp, addresses
    dtype: np.dtype
    owners: Any = None  # arrays whose memory that is

    @classmethod
    def of_condensed(cls, y: np.ndarray, m: int) -> "Triangle":
        """Rows of a contiguous condensed matrix."""
        r = np.arange(m, dtype=np.intp)
        begin = r * (2 * m - r - 1) // 2
        return cls(y.ctypes.data + begin * y.itemsize, y.dtype, y)

    @classmethod
    def of_square(cls, table: np.ndarray) -> "Triangle":
        """Rows of a square matrix whose rows are contiguous, right of its diagonal."""
        r = np.arange(len(table), dtype=np.intp)
        begin = r * table.strides[0] + (r + 1) * table.itemsize
        return cls(table.ctypes.data + begin, table.dtype, table)

    @property
    def m(self) -> int:
        return len(self.rows)


def row_blocks(m: int, most: int = PIECE) -> list[slice]:
    """Cut the rows of a triangle into blocks of about as many numbers: `most`, or a row."""
    total = m * (m - 1) // 2
    size = max(min(most, max(total // PARTS, LEAST)), m)
    before = np.arange(m + 1, dtype=np.int64)
    before = before * (2 * m - before - 1) // 2  # numbers above each row
    cuts = [0]
    while cuts[-1] < m:
        stop = int(np.searchsorted(before, before[cuts[-1]] + size, side="right")) - 1
        cuts.append(min(m, max(stop, cuts[-1] + 1)))
    return [slice(*ends) for ends in pairwise(cuts)]


class Minima:
    """The smallest number of each row, in whole: right of the diagonal, and in the columns."""

    def __init__(self, m: int, dtype: np.dtype):
        self.m, self.dtype = m, dtype
        self.right_low, self.right_who = np.empty(m, dtype), np.empty(m, np.int32)
        self.spare: list[tuple[int, tuple[np.ndarray, np.ndarray]]] = []

    def columns(self, block: slice) -> tuple[np.ndarray, np.ndarray]:
        """Of the columns, for a task: what a task of earlier rows has found, or nothing yet.

        The more rows they know of, the seldomer a number is new to them.
        """
        with suppress(IndexError):
            stop, found = self.spare.pop()
            if stop <= block.start:
                return found
            self.spare.append((stop, found))
        return np.full(self.m, np.inf, self.dtype), np.full(self.m, -1, np.int32)

    def keep(self, block: slice, columns: tuple[np.ndarray, np.ndarray]) -> None:
        """Take back what a task was given."""
        self.spare.append((block.stop, columns))

    def joined(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest numbers and the first rows that have them, whichever task looked at which."""
        low, who = self.spare[0][1]
        for _, part in self.spare[1:]:
            linkage.absorb(*part, low, who)
        linkage.absorb(self.right_low, self.right_who, low, who)
        return low, who


def neighbors(triangle: Triangle, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Of each row the smallest number, and the first column that has it; -1 if there is none.

    Parameters
    ----------
    triangle : Triangle
    n_jobs : int, optional
        Threads.

    Returns
    -------
    low : ndarray of shape (m,)
    who : ndarray of shape (m,), int32
    """
    minima = Minima(triangle.m, triangle.dtype)

    def work(block):
        columns = minima.columns(block)
        linkage.neighbors(
            triangle.rows, block.start, block.stop, *columns,
            minima.right_low, minima.right_who,
        )  # fmt: skip
        minima.keep(block, columns)

    each(work, row_blocks(triangle.m), n_jobs=n_jobs, effort=float(triangle.m) ** 2)
    return minima.joined()


# ---------- Matrices of dissimilarities as triangles: those the user brings, and those made from
# rows
def as_condensed(y, name: str = "X") -> tuple[Triangle, float]:
    """Check a condensed matrix; its triangle, of float32 or float64, and its largest number."""
    values, n, high = as_triangle(y, name)
    return Triangle.of_condensed(values, n), high


def as_square(table, name: str = "X", n_min: int = 2) -> tuple[Triangle, float]:
    """Check a square, symmetric matrix; its upper triangle, and its largest number."""
    table, high = as_matrix(table, name, n_min=n_min)
    return Triangle.of_square(table), high


def between_rows(
    X: np.ndarray, metric: Metric, *, what: str, instead: str = INSTEAD, n_jobs: int | None = None
) -> tuple[Triangle, float]:
    """The dissimilarities of checked rows X (n, d), condensed, in float64; and the largest.

    `what` names the caller's argument, `instead` says what to do if memory is short.
    """
    n = len(X)
    refuse_large(8 * n * (n - 1), f"The matrix of {n} rows of {what}, with work space,", instead)
    rows, scale = metric.prepare(X, name=what, n_jobs=n_jobs), 1.0
    if takes_squares(metric):
        rows, scale = rescaled(rows, n_jobs)
    y = np.empty(n * (n - 1) // 2)
    pair = function_of(metric) if metric.kind == CALLABLE else None
    if pair or rows.strides[1] != rows.itemsize:
        rows = np.array(rows, np.float64, order="C")
        rows.flags.writeable = False

    def work(block):
        high = 0.0
        for row in range(block.start, block.stop):
            checkpoint()
            begin = row * (2 * n - row - 1) // 2
            out = y[begin : begin + n - row - 1]
            if pair is not None:
                out[:] = [pair(rows[row], other, row) for other in rows[row + 1 :]]
            elif len(out):
                point = rows[row].astype(np.float64)
                brute.distances(point, rows[row + 1 :], metric.kind, metric.p, out)
                finished(metric, point[None], rows[row + 1 :], out[None])
                if scale != 1.0:
                    with np.errstate(over="ignore"):  # 1 / scale may be infinite
                        out /= scale
                        if metric.name == "sqeuclidean":
                            out /= scale
            if len(out):
                low, top, finite = extent(out)
                if not finite or low < 0:
                    raise ValueError(
                        f"A distance between rows of {what} by the metric {metric.name!r} is "
                        f"{nan if np.isnan(out).any() else low if low < 0 else top}. Scale "
                        f"{what} down, or choose a metric that is finite and not negative."
                    )
                high = max(high, top)
        return high

    effort = 1.0 * n * n * (X.shape[1] + 4)
    threads = 1 if pair else n_jobs
    return Triangle.of_condensed(y, n), max(each(work, _parts(n), n_jobs=threads, effort=effort))


def _parts(n):
    """Blocks of rows with about as many pairs, some for each thread."""
    cuts = np.unique(np.round(n * (1 - np.sqrt(np.linspace(1, 0, 65)))).astype(int))
    return [slice(int(a), int(b)) for a, b in pairwise(cuts)]


def condensed_of(X, metric, metric_params, n: int, n_jobs: int | None = None) -> np.ndarray:
    """The condensed dissimilarities of n rows, given as rows, condensed or square."""
    if is_triangle(X):
        m, y = as_condensed(X)[0].m, np.ascontiguousarray(np.asarray(X), np.float64)
    elif isinstance(metric, str) and metric == "precomputed":
        table = as_square(X)[0].owners
        m = len(table)
        refuse_large(4 * m * m, "A condensed copy of X", "Pass it condensed.")
        y = np.concatenate([table[i, i + 1 :] for i in range(m)], dtype=np.float64)
    else:
        rows = as_rows(X, n_min=2)
        measure = as_metric(metric, metric_params=metric_params, d=rows.shape[1], X=rows)
        m, y = len(rows), between_rows(rows, measure, what="X", n_jobs=n_jobs)[0].owners
    if m != n:
        raise ValueError(
            f"X must be of as many rows as Z has leaves ({n}); got {m}. Pass what Z was made of."
        )
    return y
