# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of sparse rows, with the operations of passes; `DenseRows` has the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._core.kmeans import sparse as kernel
from statfast._core.rows.sparse_rows import squares as squared_lengths
from statfast._distance import Extent
from statfast._engine import checkpoint, fold, grid
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import parts_of
from statfast.cluster.kmeans.dense_rows import DenseFrame

PRODUCTS_PER_CALL = 1 << 25  # multiply-adds between two checkpoints


class SparseFrame:
    """Centers in the form that sparse rows are compared with: transposed, with terms of scores."""

    def __init__(
        self, centers: Array, origin: Array | None = None, scale: float | None = None
    ) -> None:
        k, d = centers.shape
        across = np.zeros((d, -(-k // 8) * 8))
        across[:, :k] = centers.T
        begin = np.zeros(across.shape[1])
        squares = np.einsum("ij,ij->i", centers, centers)
        begin[:k] = -squares / 2
        length = float(np.sqrt(squares.max()) * (1 + 1e-12))  # the greatest norm, rounded up
        self.centers, self.scale = centers, 1.0 if scale is None else scale
        self.view = kernel.Centers(centers, across, begin, length)


class SparseRows:
    """Rows in CSR form, of which slices are blocks.

    Centers stay dense: each nonzero of a row meets all of them. Rows are never made dense but one
    at a time, where scores cannot tell which center is the nearest.

    Parameters
    ----------
    rows : scipy.sparse.csr_array of shape (n, d), as ``as_csr`` returns it
    dtype : numpy.dtype
        Of the rows as the user gave them.
    """

    in_memory, centered = True, False
    frame = SparseFrame  # the form of centers that these rows are compared with

    def __init__(self, rows: Matrix, dtype: np.dtype[Any] | type[Any]) -> None:
        self.shape, self.dtype, self.matrix = rows.shape, np.dtype(dtype), rows
        self._start, self._column, self._value = parts_of(rows)
        self._square = np.empty(rows.shape[0])
        squared_lengths(self._start, self._value, self._square)

    def __getitem__(self, where: Array | slice) -> SparseRows:
        """The rows of a slice, as a view, or of an array of numbers, as a copy."""
        if not isinstance(where, slice):
            return self._copied(np.asarray(where, np.intp))
        part = object.__new__(SparseRows)
        start, stop, _ = where.indices(self.shape[0])
        part.shape, part.dtype, part.matrix = (stop - start, self.shape[1]), self.dtype, None
        part._start, part._square = self._start[start : stop + 1], self._square[start:stop]
        part._column, part._value = self._column, self._value
        return part

    def _copied(self, index: Array) -> SparseRows:
        from scipy.sparse import csr_array

        count = self._start[index + 1] - self._start[index]
        start = np.concatenate([[0], np.cumsum(count)])
        entries = np.repeat(self._start[index] - start[:-1], count) + np.arange(start[-1])
        shape = len(index), self.shape[1]
        return SparseRows(
            csr_array((self._value[entries], self._column[entries], start), shape=shape), self.dtype
        )

    def take(self, index: Array | list[int]) -> Array:
        """Rows as dense ones, (m, d) float64."""
        out = np.zeros((len(index), self.shape[1]))
        for row, i in zip(out, index, strict=True):
            entries = slice(self._start[i], self._start[i + 1])
            row[self._column[entries]] = self._value[entries]
        return out

    def pieces(self, k: int) -> list[slice]:
        """Slices of few enough multiply-adds with k centers."""
        n = self.shape[0]
        most = 1 + (self._start[-1] - self._start[0]) // max(1, n)
        step = max(64, PRODUCTS_PER_CALL // int(most * k))
        return [slice(first, min(n, first + step)) for first in range(0, n, step)]

    def extent(self, n_jobs: Jobs) -> Extent:
        """Sums and extremes of the columns."""
        return Extent(self.shape[0], self.dtype, self.total(), *self.bounds())

    def total(self, weights: Array | None = None, n_jobs: Jobs = None) -> Array:
        """The (weighted) sum of the rows, (d,)."""
        count = np.diff(self._start)
        value = self._value if weights is None else self._value * np.repeat(weights, count)
        total = np.bincount(self._column, value, self.shape[1])
        return total.astype(np.float64, copy=False)  # bincount of no entries is of integers

    def contiguous(self) -> SparseRows:
        """These rows."""
        return self

    @staticmethod
    def framed(frame: DenseFrame) -> SparseFrame:
        """The `SparseFrame` of the centers of any frame."""
        return SparseFrame(frame.centers)

    def little(self, frame: SparseFrame) -> bool:
        """See `DenseRows.little`; sparse rows are always cut into blocks."""
        return False

    def reduce(
        self,
        partial: Callable[..., Any],
        *aligned: Array | None,
        merge: Any,
        n_jobs: Jobs,
        effort: float,
        least: int,
    ) -> Any:
        """As `_engine.reduce`, for blocks that are such rows."""

        def on_block(where: slice) -> Any:
            return partial(where, self[where], *(None if a is None else a[where] for a in aligned))

        blocks = grid(self.shape[0], least)
        return fold(on_block, blocks, merge=merge, n_jobs=n_jobs, effort=effort)

    def step(
        self,
        frame: SparseFrame,
        labels: Array,
        weights: Array | None = None,
        step: Any = None,
        bounds: tuple[Array, Array, Array | None] | None = None,
        changes: bool = False,
        packed: Any = None,
    ) -> int:
        """As `DenseRows.step`; rows are never `packed`."""
        moved = 0
        sums, total_weight = (None, None) if step is None else (step.sums, step.mass)
        upper, lower, motion = (None, None, None) if bounds is None else bounds
        for part in self.pieces(len(frame.centers)):
            checkpoint()
            X = self[part]
            block_weights, up, low = (
                None if a is None else a[part] for a in (weights, upper, lower)
            )
            workspace = np.empty(X.shape[0], np.int32)
            moved += kernel.step(
                X._view(), block_weights, frame.view, frame.scale, labels[part], sums, total_weight,
                changes, up, low, motion, workspace,
            )  # fmt: skip
        return moved

    def add_up(self, labels: Array, weights: Array | None, step: Any) -> None:
        """Add a block to the sums of its labels."""
        count, entries = np.diff(self._start), slice(self._start[0], self._start[-1])
        value = self._value[entries]
        if weights is not None:
            value = value * np.repeat(weights, count)
        np.add.at(step.sums, (np.repeat(labels, count), self._column[entries]), value)
        step.mass += np.bincount(labels, weights, len(step.mass))

    def distances_to_labels(self, frame: SparseFrame, labels: Array) -> Array:
        """Squared distances of a block's rows to their own centers, (n,)."""
        return self._distances(frame, labels, 1)[:, 0]

    def distances_to_all(self, frame: SparseFrame) -> Array:
        """Euclidean distances of a block's rows to all centers, (n, k)."""
        out = self._distances(frame, None, len(frame.centers))
        return np.sqrt(out, out=out)

    def trial(self, frame: Any, weights: Array | None, before: Array, after: Any) -> Array:
        """See `DenseRows.trial`."""
        d2 = np.minimum(self._distances(frame, None, len(frame.centers)).T, before)
        if after is not None:
            after[:] = d2
        return np.array([(d if weights is None else d * weights).sum() for d in d2])

    def _view(self) -> Any:
        """The rows in the form of kernels."""
        return kernel.Rows(self._start, self._column, self._value, self._square)

    def _distances(self, frame: SparseFrame, labels: Array | None, width: int) -> Array:
        out = np.empty((self.shape[0], width))
        kernel.distances(self._view(), frame.view, labels, out)
        return out

    def bounds(self) -> tuple[Array, Array]:
        """The least and the greatest value of each column."""
        n, d = self.shape
        low, high = np.zeros(d), np.zeros(d)
        full = np.bincount(self._column, minlength=d) == n  # no zero in the column
        low[full], high[full] = np.inf, -np.inf
        np.minimum.at(low, self._column, self._value)
        np.maximum.at(high, self._column, self._value)
        return low, high
