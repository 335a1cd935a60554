# SPDX-License-Identifier: BSD-3-Clause
"""Brute force among sparse rows, which stay sparse; see _core/neighbors/sparse.pyx."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.neighbors import sparse as kernel
from statfast._distance import EUCLIDEAN, MANHATTAN, PLAIN, Metric, refuse_empty, scale_of
from statfast._engine import checkpoint, each
from statfast._typing import Array, Matrix
from statfast._validation import parts_of
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.brute.radius import Within, gathered, joined

NUMBERS_PER_CALL = 1e7  # numbers added and compared in one kernel call: tens of milliseconds
MAX_TASKS = 16  # tasks of a call, of about equal work


@dataclass(frozen=True)
class SparseIndex:
    """The rows, and their columns scaled to about 1.

    For Euclidean and Manhattan distance; rows and queries are canonical CSR arrays (`as_csr`),
    prepared for the metric.
    """

    rows: Any  # (n, d) csr_array float64
    scale: float  # a power of two
    columns: tuple[np.ndarray, np.ndarray, np.ndarray]  # starts (d + 1,), row numbers, values
    size: np.ndarray  # (n,) sum of squares or lengths of the scaled rows
    longest: int  # the most nonzeros of a row
    metric: Metric

    @classmethod
    def build(cls, X: Matrix, n_jobs: int | None = None, *, metric: Metric = PLAIN) -> SparseIndex:
        """Transpose the rows."""
        scale = scale_of(float(np.abs(X.data).max(initial=0.0)))
        columns = (X * scale).tocsc()
        columns.sort_indices()
        size = np.empty(X.shape[0])
        start, column, value = parts_of(X)
        kernel.sizes(start, column, value * scale, X.shape[1], metric.kind, size)
        return cls(X, scale, parts_of(columns), size, int(np.diff(X.indptr).max()), metric)

    def query(self, Q: Matrix, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m = Q.shape[0]
        reduced, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        queries, work, view = parts_of(Q), self._work(Q), self.view

        def search(block: slice) -> None:
            for part in cut(work[block], NUMBERS_PER_CALL, block.start):
                checkpoint()
                arrays = queries[0][part.start : part.stop + 1], *queries[1:]
                kernel.nearest(*arrays, view, reduced[part], ids[part])

        blocks = cut(work, work.sum() / MAX_TASKS)
        each(search, blocks, n_jobs=n_jobs, effort=2.0 * work.sum())
        return reduced, ids

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same of the indexed rows, each without itself."""
        nearest = self.query(self.rows, k + 1, n_jobs)
        return without_self(*nearest, np.arange(self.rows.shape[0]))

    def query_radius(
        self, Q: Matrix, r: float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> Within:  # fmt: skip
        """All rows within reduced radii r: starts (m + 1,), reduced distances and ids."""
        m, n = Q.shape[0], self.rows.shape[0]
        limit = np.broadcast_to(np.asarray(r, np.float64), m)
        queries, work, view = parts_of(Q), self._work(Q), self.view

        def search(block: slice) -> tuple[Array, Array, Array]:
            workspace, distances, row = np.empty(n), np.empty(n), np.empty(n, np.intp)
            matches = []
            for number, q in enumerate(range(block.start, block.stop)):
                checkpoint()
                count = kernel.within(*queries, view, q, limit[q], workspace, distances, row)
                matches.append(
                    (np.full(count, number), distances[:count].copy(), row[:count].copy())
                )
            return gathered(matches, len(matches), n, by_row)

        blocks = cut(work, work.sum() / MAX_TASKS, most=1 << 15)
        return joined(each(search, blocks, n_jobs=n_jobs, effort=2.0 * work.sum()))

    @cached_property
    def view(self) -> kernel.SparseView:
        """The arrays in the form of kernels; not pickled."""
        n = self.rows.nnz and self.longest
        lost = 2.0**-1074 * (self.scale * self.scale if self.metric.kind == EUCLIDEAN else 0.0)
        tau = 1e-290 + 2 * (n + 1) * lost
        return kernel.SparseView(
            *parts_of(self.rows), *self.columns, self.size, self.longest, self.scale, tau,
            self.metric.kind,
        )  # fmt: skip

    def __reduce__(self) -> Any:
        return SparseIndex, tuple(getattr(self, field.name) for field in fields(self))

    def _work(self, Q: Matrix) -> Array:
        """The numbers that are added and compared for each query."""
        count = np.diff(self.columns[0]).astype(np.float64)
        shared = np.concatenate([[0.0], np.cumsum(count[Q.indices])])[Q.indptr]
        return np.diff(shared) + 4.0 * self.rows.shape[0]


def cut(work: Array, most_work: float, first: int = 0, most: int | None = None) -> list[slice]:
    """Slices of consecutive queries of about `most_work` each; the first query is number
    `first`."""
    if len(work) == 0:
        return []
    part = ((np.cumsum(work) - work) // max(most_work, 1.0)).astype(np.intp)
    edges = np.flatnonzero(np.diff(part, prepend=part[0] - 1)).tolist()
    blocks = []
    for start, stop in zip(edges, [*edges[1:], len(work)], strict=True):
        step = most or stop - start
        for a in range(start, stop, step):
            blocks.append(slice(first + a, first + min(stop, a + step)))
    return blocks


def prepared(metric: Metric, rows: Matrix, *, name: str = "X") -> Matrix:
    """`Metric.prepare` for checked sparse rows; the numbers are the same as those of dense rows.

    Raises ValueError if the metric does not keep zeros, as Euclidean, squared Euclidean and
    Manhattan distance (weighted or not) and cosine do; and for cosine if a row is zero.
    """
    from scipy.sparse import csr_array

    factor = metric.factor
    if metric.kind not in (EUCLIDEAN, MANHATTAN) or (factor is not None and factor.ndim == 2):
        sparse = False
    else:
        sparse = metric.name != "correlation"
    if not sparse:
        raise ValueError(
            f"The metric {metric.name!r} takes dense rows; {name} is sparse. Choose 'euclidean', "
            f"'manhattan' or 'cosine', or pass {name}.toarray()."
        )
    if metric.name != "cosine" and factor is None:
        return rows
    start, column, value = parts_of(rows)
    if metric.name == "cosine":
        count = np.diff(start)
        refuse_empty(count == 0, "of zeros", "cosine", name)
        row = np.repeat(np.arange(len(count)), count)
        largest = np.maximum.reduceat(np.abs(value), start[:-1])
        value = np.ldexp(value, -np.frexp(largest)[1][row])
        squares = np.empty(len(count))
        kernel.sizes(start, column, value, rows.shape[1], EUCLIDEAN, squares)
        value = value / np.sqrt(squares)[row]
    elif factor is not None:
        value = value * factor[column]
    image = csr_array((value, rows.indices, rows.indptr), shape=rows.shape)
    if not value.all():  # there was underflow, or a column has weight 0
        image = image.copy()
        image.eliminate_zeros()
    return image
