# SPDX-License-Identifier: BSD-3-Clause
"""The kernel matrix of the training points, as the solver of the dual asks for it.

Steps of the solver leave the sum of b = s a as it is, so that K b moves by a constant alone if
a_i + a_j is taken off K_ij. Where images lie far from 0, values are made so that they lie about 0,
before they are rounded to float32; `exact` sums are of the kernel itself.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from statfast._core.distance.pairwise import mirror
from statfast._core.svm import gram as tiles
from statfast._distance import Extent, extent_of, origin_of
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.kernels import Precomputed
from statfast.kernels.points import MATRIX
from statfast.svm.dual.gram_cache import (
    FLOPS_OF_PIECE,
    MIN_POINTS_OF_SQUARE,
    Gram,
    require_float32,
    round_up_to_lines,
)
from statfast.svm.dual.precision import away_of, is_far, tile_shape, tile_type

SPARE_ROWS = 16  # Tiles may read so many rows beyond the last.
# The least operations of a task, as a task costs some 20 microseconds by itself.
MIN_OPERATIONS_OF_TASK = 4e6
ROWS_OF_STRIP = 256  # Rows of the matrix that are made at a time.
# Rows of the matrix between points of no more features are made anew whenever they are needed.
MAX_FEATURES_REMADE = 300


class TileGram(Gram):
    """Linear, polynomial, sigmoid and Gaussian kernels of rows, made by the register tiles.

    The linear kernel of rows far from 0 is made of the rows less their mean. Values are made in
    `dtype`, and kept in float32.
    """

    def __init__(
        self,
        X: Any,
        extent: Extent,
        kind: int,
        gamma: Any,
        degree: Any,
        coef0: Any,
        cache_size: float | None,
        n_jobs: Jobs = None,
        dtype: type[Any] = np.float32,
    ) -> None:
        n, d = X.shape
        self.X, self._dtype = np.ascontiguousarray(X, np.float64), np.dtype(dtype)
        self._kernel = (kind, float(gamma), int(degree), float(coef0))
        self.origin = np.zeros(d, np.float32)
        if kind == tiles.RBF or (kind == tiles.LINEAR and is_far(extent)):
            self.origin = origin_of(extent.mean)
        self._panels: Any = None
        super().__init__(n, self._diagonal(), cache_size, n_jobs)
        self.longest += float(np.square(self.origin.astype(np.float64)).sum())

    def _diagonal(self) -> Array:
        kind, gamma, degree, coef0 = self._kernel
        if kind == tiles.RBF:
            return np.ones(len(self.X))
        square = np.empty(len(self.X))
        for begin in range(0, len(square), ROWS_OF_STRIP):
            piece = slice(begin, begin + ROWS_OF_STRIP)
            rows = self.X[piece] - self.origin.astype(np.float64)
            np.einsum("ij,ij->i", rows, rows, out=square[piece])
        if kind == tiles.LINEAR:
            return square
        inner = gamma * square + coef0
        return np.tanh(inner) if kind == tiles.SIGMOID else inner**degree

    def _laid(self, index: Array, dtype: type[Any] | None = None) -> tuple[Array, Array]:
        """Rows as the tiles take them, and half their squared lengths."""
        count, d, dtype = len(index), self.X.shape[1], dtype or self._dtype
        rows = np.zeros(
            (round_up_to_lines(count, SPARE_ROWS) + SPARE_ROWS, tiles.row_stride(d)), dtype
        )
        start = np.zeros(len(rows), dtype)
        tiles.lay(self.X, index, self.origin, rows, start)
        return rows, start

    def _pack(self, rows: Array, count: int) -> Array:
        """Panels of all rows."""
        d, wide = self.X.shape[1], tiles.columns(rows.dtype == np.float32)
        panels = np.empty(round_up_to_lines(count, wide) * max(d, 1), rows.dtype)
        tiles.pack(rows, count, d, panels)
        return panels

    def _make(self, index, slots, out, first, stop):
        if self._panels is None:
            rows, across = self._laid(np.arange(self.n))
            self._panels = self._pack(rows, self.n), across
        self._store(index, slots, *self._panels, self.n, out)

    def _store(
        self, index: Any, slots: Any, panels: Any, across: Array, n: int, out: Array
    ) -> None:
        rows, start = self._laid(index)
        count, d = len(index), self.X.shape[1]
        step = max(112, int(FLOPS_OF_PIECE / (2 * (d + 16) * 1024)) // 112 * 112)

        def task(columns: Any) -> None:
            for r in range(0, count, step):
                checkpoint()
                tiles.store(
                    self._kernel, rows[r:], start[r:], min(step, count - r), d, panels, across,
                    columns.start, columns.stop, slots[r:], out,
                )  # fmt: skip

        effort = 2.0 * count * n * (d + 16)
        each(task, grid(n, 256, 1024, parts=16), n_jobs=self.n_jobs, effort=effort)

    def block(self, index: Array) -> Array:
        k = len(index)
        out = self._for_block(k)
        d = self.X.shape[1]
        rows, start = self._laid(index)
        panels = self._pack(rows, k)
        every = np.arange(k, dtype=np.int32)
        step = max(112, int(FLOPS_OF_PIECE / (2 * (d + 16) * 1024)) // 112 * 112)

        def half(columns: slice) -> None:
            for r in range(0, columns.stop, step):
                checkpoint()
                tiles.store(
                    self._kernel, rows[r:], start[r:], min(step, columns.stop - r), d, panels,
                    start, columns.start, columns.stop, every[r:], out,
                )  # fmt: skip
            mirror(out, 0, columns.start, columns.start, columns.stop)

        each(half, grid(k, 128, 256), n_jobs=self.n_jobs, effort=1.0 * k * k * (d + 16))
        np.einsum("ii->i", out[:, :k])[:] = self.diagonal[index]
        return out

    def add(self, index: Any, weights: Array | None, total: Any, at: Any = None) -> None:
        # With few features, computing a value again takes less time than writing it to new memory.
        if self.X.shape[1] > MAX_FEATURES_REMADE:
            super().add(index, weights, total, at)
        elif at is None:
            self._weigh(index, weights, np.arange(self.n), total[: self.n], self._dtype)
        else:
            sums = total[at]
            self._weigh(index, weights, at, sums, self._dtype)
            total[at] = sums

    def exact(self, index: Array, weights: Any, at: Array | None = None) -> Array:
        at = np.arange(self.n) if at is None else np.asarray(at, np.intp)
        out = np.zeros(len(at))
        self._weigh(index, weights, at, out, np.float64)
        if self._kernel[0] == tiles.LINEAR and self.origin.any():
            self._restore(index, weights, at, out)
        return out

    def _restore(self, index: Any, weights: Any, at: Any, out: Array) -> None:
        """What the linear kernel lacks that was made about the origin o, u = x - o:
        x_i.x_j - u_i.u_j = u_i.o + u_j.o + o.o."""
        origin = self.origin.astype(np.float64)
        total, across = float(np.sum(weights)), 0.0
        for begin in range(0, len(index), ROWS_OF_STRIP):
            piece = slice(begin, begin + ROWS_OF_STRIP)
            across += float(weights[piece] @ ((self.X[index[piece]] - origin) @ origin))
        out += across + total * float(origin @ origin)
        if total != 0.0:
            for begin in range(0, len(at), ROWS_OF_STRIP):
                piece = slice(begin, begin + ROWS_OF_STRIP)
                out[piece] += total * ((self.X[at[piece]] - origin) @ origin)

    def _weigh(self, index: Array, weights: Any, at: Array, out: Array, dtype: Any) -> None:
        """out += K[at, index] @ weights, of values in `dtype`, none of which is kept."""
        d = self.X.shape[1]
        step = max(112, (1 << 23) // tiles.row_stride(d) // 112 * 112)
        for begin in range(0, len(index), step):
            chosen = np.asarray(index[begin : begin + step], np.intp)
            w = np.ascontiguousarray(weights[begin : begin + step], np.float64)
            rows, start = self._laid(chosen, dtype)

            def task(block: slice, rows: Array = rows, start: Array = start, w: Array = w) -> None:
                checkpoint()
                tiles.weigh(
                    self._kernel, rows, start, w, self.X, at[block], self.origin, out[block]
                )

            each_at = 2.0 * len(chosen) * (d + 32)
            effort = each_at * len(at)
            most = max(64, int(FLOPS_OF_PIECE / each_at) // 64 * 64)
            parts = int(np.clip(effort / MIN_OPERATIONS_OF_TASK, 4, 64))
            each(task, grid(len(at), 64, most, parts), n_jobs=self.n_jobs, effort=effort)


class KernelGram(Gram):
    """Any kernel: its float64 values, rounded to float32 where they are kept."""

    def __init__(self, kernel: Any, X: Any, cache_size: Any, n_jobs: Any = None) -> None:
        self.kernel, self.X, self.n_jobs = kernel, X, n_jobs
        diagonal = np.asarray(kernel._diagonal(X), np.float64)
        middle = len(X) // 2
        row = self._values(np.array([middle]), X, np.float64)[0]
        away = away_of(diagonal, row, middle)
        super().__init__(len(X), diagonal, cache_size, n_jobs, away)

    def _points(self, index: Array) -> Array | list[str]:
        return self.X[index] if isinstance(self.X, np.ndarray) else [self.X[i] for i in index]

    def _values(self, index: Array, at: Array | list[str], dtype: type[Any]) -> Array:
        return self.kernel._matrix(self._points(index), at, dtype, self.n_jobs)

    def _make(self, index: Any, slots: Any, out: Array, first: Any, stop: int) -> None:
        dtype = np.float32 if self._away is None else np.float64
        for begin in range(0, len(index), ROWS_OF_STRIP):
            part = slice(begin, begin + ROWS_OF_STRIP)
            values = self._values(index[part], self.X, dtype)
            if self._away is not None:
                values -= np.add.outer(self._away[index[part]], self._away)
            out[slots[part], : self.n] = values

    def block(self, index: Array) -> Array:
        k = len(index)
        out = self._for_block(k)
        points = self._points(index)
        # For so few points a copy costs little.
        if self._away is None and k <= MIN_POINTS_OF_SQUARE:
            out[:, :k] = self.kernel._matrix(points, points, np.float32, self.n_jobs)
            return out
        for begin in range(0, k, ROWS_OF_STRIP):
            part = index[begin : begin + ROWS_OF_STRIP]
            values = self._values(part, points, np.float32 if self._away is None else np.float64)
            if self._away is not None:
                values -= np.add.outer(self._away[part], self._away[index])
            out[begin : begin + ROWS_OF_STRIP, :k] = values
        return out

    def exact(self, index: Array, weights: Any, at: Array | None = None) -> Array:
        points = self.X if at is None else self._points(at)
        out = np.zeros(len(points))
        for begin in range(0, len(index), ROWS_OF_STRIP):
            part = slice(begin, begin + ROWS_OF_STRIP)
            out += weights[part] @ self._values(index[part], points, np.float64)
        return out


class MatrixGram(Gram):
    """A kernel matrix that the caller has: rows are taken from it, nothing is made."""

    def __init__(self, matrix: Any, n_jobs: Jobs = None) -> None:
        self.matrix = matrix
        require_float32(max(float(matrix.max()), -float(matrix.min())))
        diagonal, middle = matrix.diagonal().astype(np.float64), len(matrix) // 2
        away = away_of(diagonal, matrix[middle].astype(np.float64), middle)
        super().__init__(len(matrix), diagonal, inf, n_jobs, away)

    def by_rows(self) -> Any:
        return False  # No row has to be made, as all are in memory.

    def rows(self, index: Any) -> Any:
        return self.matrix[index].astype(np.float32)

    def add(self, index: Any, weights: Array | None, total: Any, at: Any = None) -> None:
        total[: self.n] += self.exact(index, weights)

    def block(self, index: Array) -> Array:
        k = len(index)
        out = self._for_block(k)
        for begin in range(0, k, ROWS_OF_STRIP):
            part = index[begin : begin + ROWS_OF_STRIP]
            values = self.matrix[np.ix_(part, index)]
            if self._away is not None:
                values = values - np.add.outer(self._away[part], self._away[index])
            out[begin : begin + ROWS_OF_STRIP, :k] = values
        return out

    def exact(self, index: Array, weights: Any, at: Array | None = None) -> Array:
        where = slice(None) if at is None else at
        out = np.zeros(self.n if at is None else len(at))
        for begin in range(0, len(index), 256):
            places = index[begin : begin + 256]
            out += self.matrix[places][:, where].T.astype(np.float64) @ weights[begin : begin + 256]
        return out


def gram_of(kernel: Any, X: Any, *, cache_size: Any = None, n_jobs: Any = None) -> Gram:
    """The kernel matrix of checked points, for `solve`.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : ndarray of shape (n, d), list of strings, or ndarray of shape (n, n)
        The points as the kernel checks them; for `Precomputed`, the matrix.
    cache_size : float, optional
        Megabytes that rows may take; by default a quarter of the free memory, at most 4096.
    n_jobs : int, optional

    Returns
    -------
    Gram
    """
    if isinstance(kernel, Precomputed):
        return MatrixGram(X, n_jobs)
    if kernel.domain == MATRIX:
        return MatrixGram(kernel._matrix(X, X, np.float64, n_jobs), n_jobs)
    kind, gamma, degree, coef0 = tile_shape(kernel)
    if kind is not None:
        extent = extent_of(X, n_jobs)
        dtype = tile_type(extent, kind, gamma, degree, coef0)
        if dtype is not None:
            return TileGram(X, extent, kind, gamma, degree, coef0, cache_size, n_jobs, dtype)
    return KernelGram(kernel, X, cache_size, n_jobs)
