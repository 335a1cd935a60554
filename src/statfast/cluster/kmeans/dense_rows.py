# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of dense rows, with the operations of passes; `SparseRows` has the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import iadd
from typing import Any

import numpy as np

from statfast._core.kmeans import differences
from statfast._core.kmeans import lloyd as kernel
from statfast._core.kmeans.yinyang import add_up
from statfast._distance import Extent, extent_of, origin_of, scale_of
from statfast._engine import Chunks, checkpoint, reduce
from statfast._typing import Array, Jobs
from statfast._validation import require_finite

# Multiply-adds between two checkpoints: well under 0.1 s.
PRODUCTS_PER_CALL = 1 << 27
MAX_UNCUT_ROWS = 1024  # rows that are one block
MAX_UNCUT_PRODUCTS = 1 << 21  # multiply-adds of rows that are one block: see `DenseRows.little`
PANEL_ROWS = 64  # rows of a panel: blocks and pieces begin at multiples of this


class DenseFrame:
    """Centers in the form that dense rows are compared with: about an origin, scaled to about 1.

    The origin is best near the mean of the rows; another choice changes the time, not the result.
    The form is made when first asked for: `differences` need the centers alone.
    """

    def __init__(
        self, centers: Array, origin: Array | None = None, scale: float | None = None
    ) -> None:
        self.centers, self._origin, self._scale = centers, origin, scale

    @cached_property
    def packed(self) -> tuple[Array, ...]:
        """What ``lloyd.frame`` makes of the centers."""
        origin, scale = self._origin, self._scale
        if origin is None:
            origin = origin_of(self.centers.mean(axis=0))
        if scale is None:
            scale = scale_of(float(np.abs(self.centers - origin).max()))
        return kernel.frame(self.centers, origin, scale)


class DenseRows:
    """Rows in an array or a memory map, of which slices are blocks."""

    in_memory = True  # rows can be taken by their numbers
    centered = True  # frames are about the mean of the rows
    frame = DenseFrame  # the form of centers that these rows are compared with

    def __init__(self, matrix: Array) -> None:
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

    def __getitem__(self, where: Array | slice) -> DenseRows:
        return DenseRows(self.matrix[where])

    def take(self, index: Array | list[int]) -> Array:
        """Rows of these numbers, (m, d) float64."""
        return self.matrix[index].astype(np.float64)

    def extent(self, n_jobs: Jobs) -> Extent:
        """Sums and extremes of the columns; refuses NaN and infinity."""
        extent = extent_of(self.matrix, n_jobs)
        if not np.isfinite(extent.total).all():
            require_finite(self.matrix)
        return extent

    def total(self, weights: Array, n_jobs: Jobs) -> Array:
        """The weighted sum of the rows, (d,)."""

        def partial(where: slice, X: Array, weights: Array) -> Array:
            return np.einsum("i,ij->j", weights, X)  # not BLAS, whose threads change the bits

        return reduce(partial, self.matrix, weights, merge=np.add, n_jobs=n_jobs)

    @staticmethod
    def framed(frame: DenseFrame) -> DenseFrame:
        """The `DenseFrame` in the form that these rows are compared with."""
        return frame

    def little(self, frame: DenseFrame) -> bool:
        """Whether comparing all rows at once takes less than cutting them into blocks."""
        X = self.matrix
        return type(X) is np.ndarray and X.shape[0] * frame.centers.size <= MAX_UNCUT_PRODUCTS

    def contiguous(self) -> DenseRows:
        """These rows in one piece of memory."""
        return DenseRows(np.ascontiguousarray(self.matrix))

    def reduce(
        self,
        partial: Callable[..., Any],
        *aligned: Array | None,
        merge: Callable[..., Any],
        n_jobs: Jobs,
        effort: float,
        least: int,
    ) -> Any:
        """As `_engine.reduce`, for blocks that are such rows."""
        X = self.matrix
        if type(X) is np.ndarray and X.shape[0] <= min(least, MAX_UNCUT_ROWS):
            return partial(slice(0, X.shape[0]), self.contiguous(), *aligned)

        def of_block(where: slice, X: Array, *aligned: Array | None) -> float | list[Array]:
            return partial(where, DenseRows(X), *aligned)

        return reduce(of_block, X, *aligned, merge=merge, n_jobs=n_jobs, effort=effort, least=least)

    def step(
        self,
        frame: DenseFrame,
        labels: Array,
        weights: Array | None = None,
        step: Any = None,
        bounds: tuple[Array, Array, Array | None] | None = None,
        changes: bool = False,
        packed: tuple[Array, Array, Array] | None = None,
    ) -> int:
        """``lloyd.step`` for a block of any size; returns how many labels changed.

        Parameters
        ----------
        frame : DenseFrame
        labels : ndarray of shape (n,), int32
        weights : ndarray of shape (n,), optional
        step : KMeansStatistics, optional
            Where the rows are added up.
        bounds : tuple of ndarray, optional
            Upper and lower bounds, (n,) each, and the motion of the centers or None.
        changes : bool
            Add up only the rows that change their center.
        packed : tuple of ndarray, optional
            Panels and norms of these rows, and (1,) int64, to which the number of those that
            panels of float16 leave open is added.
        """
        X, centers = np.ascontiguousarray(self.matrix), frame.centers
        (n, d), moved = X.shape, 0
        sums, total_weight = (None, None) if step is None else (step.sums, step.mass)
        frames = centers, frame.packed
        if n * centers.size <= PRODUCTS_PER_CALL:
            return kernel.step(
                X, weights, *frames, labels, sums, total_weight, changes, bounds, packed
            )
        for part in pieces(n, centers.size):
            block_weights = None if weights is None else weights[part]
            block_bounds = None if bounds is None else (bounds[0][part], bounds[1][part], bounds[2])
            block_packed = None
            if packed is not None:
                panels, norms, undecided = packed
                block_packed = panels[part.start * d :], norms[part], undecided
            moved += kernel.step(
                X[part], block_weights, *frames, labels[part], sums, total_weight, changes,
                block_bounds, block_packed,
            )  # fmt: skip
        return moved

    def add_up(self, labels: Array, weights: Array | None, step: Any) -> None:
        """Add a block to the sums of its labels."""
        add_up(np.ascontiguousarray(self.matrix), weights, labels, step.sums, step.mass)

    def distances_to_labels(self, frame: DenseFrame, labels: Array) -> Array:
        """Squared distances of a block's rows to their own centers, (n,)."""
        d2 = np.empty(self.shape[0])
        for part in pieces(*self.shape):
            differences.distances(self.matrix[part], frame.centers, labels[part], d2[part])
        return d2

    def distances_to_all(self, frame: DenseFrame) -> Array:
        """Euclidean distances of a block's rows to all centers, (n, k)."""
        out = np.empty((self.shape[0], len(frame.centers)))
        for part in pieces(self.shape[0], frame.centers.size):
            differences.transform(self.matrix[part], frame.centers, out[part])
        return out

    def trial(self, frame: Any, weights: Array | None, before: Array, after: Any) -> Array:
        """What each center would leave of a block's potential, (k,).

        `before` (n,) are squared distances to the centers so far, `after` (k, n) becomes the same
        with each center added, if it is not None.
        """
        potential = np.zeros(len(frame.centers))
        for part in pieces(self.shape[0], frame.centers.size):
            block_weights = None if weights is None else weights[part]
            nearer = None if after is None else after[:, part]
            differences.trial(
                self.matrix[part], block_weights, frame.centers, before[part], nearer, potential
            )
        return potential


class StreamedRows(DenseRows):
    """Rows that come as `Chunks`, whose shape is known after a pass."""

    in_memory = False

    def __init__(self, chunks: Any) -> None:
        self.matrix = chunks

    @property
    def shape(self) -> Any:
        return self.matrix.shape

    @property
    def dtype(self) -> Any:
        return self.matrix.dtype

    def take(self, index: Any) -> Any:
        """See `DenseRows.take`: a pass over the chunks."""
        index = np.asarray(index)
        if not len(index):
            return np.empty((0, self.shape[1]))

        def partial(where: slice, X: Any) -> Any:
            here = np.flatnonzero((where.start <= index) & (index < where.stop))
            return [(here, X[index[here] - where.start].astype(np.float64))]

        out = np.empty((len(index), self.shape[1]))
        for here, rows in reduce(partial, self.matrix, merge=iadd, n_jobs=1):
            out[here] = rows
        return out

    def extent(self, n_jobs: Jobs) -> Any:
        """See `DenseRows.extent`; chunks are checked as they are read."""
        return extent_of(self.matrix, n_jobs)


def rows_of(X: Array) -> DenseRows:
    """Checked rows, an array or `Chunks`, in the form that passes take."""
    return StreamedRows(X) if isinstance(X, Chunks) else DenseRows(X)


def pieces(n: int, size: int) -> Iterator[slice]:
    """Slices of n rows between checkpoints; all centers together have `size` numbers."""
    step = max(PANEL_ROWS, PRODUCTS_PER_CALL // size // PANEL_ROWS * PANEL_ROWS)
    yield slice(0, min(n, step))
    for start in range(step, n, step):
        checkpoint()
        yield slice(start, min(n, start + step))
