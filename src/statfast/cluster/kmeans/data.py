# SPDX-License-Identifier: BSD-3-Clause
"""The data of a k-means fit: the rows, and their shape, means and extremes from a first pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from statfast._core.kmeans import lloyd as kernel
from statfast._distance import origin_of, scale_of
from statfast._engine import each, grid
from statfast._typing import Array, Jobs, Matrix, Weights
from statfast._validation import as_count, as_weights
from statfast.cluster.kmeans.block_passes import inertia, place
from statfast.cluster.kmeans.dense_rows import PANEL_ROWS, DenseFrame, DenseRows, rows_of
from statfast.cluster.kmeans.sparse_rows import SparseRows

MIN_WIDTH = 1e-150  # squares of such differences lose digits in float64
# Rows of these types are not converted; those of others become float64.
NATIVE_DTYPES = (np.float64, np.float32, np.uint8)
MAX_PRODUCTS_OF_ONE_CALL = 1 << 17  # multiply-adds: 30 microseconds
MAX_PANEL_NUMBERS = 1 << 26  # numbers of rows that are kept as panels: 256 MB
MIN_HALVED_BYTES = 1 << 24  # of float32 panels: smaller ones stay in a cache
MIN_HALVED_COLUMNS = 32  # with fewer, what is done once for a row takes longer
MAX_HALVED_CENTERS = 40  # with more, products take longer than reading the rows


class Panels:
    """Rows in memory as panels about an origin, made when first asked for: of float32, or of
    float16 where few products wait for many rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d), or Chunks
    origin : ndarray of shape (d,), float32
    n_jobs : int, optional
    """

    def __init__(self, rows: Matrix, origin: Array, n_jobs: Jobs) -> None:
        self._rows, self._origin, self._n_jobs = rows, origin, n_jobs
        self._kind: Any = None
        self._made: Any = None

    @property
    def possible(self) -> bool:
        """Whether the rows are dense and in one piece, and their panels not too large."""
        rows = self._rows
        return isinstance(rows, np.ndarray) and self._filled() * rows.shape[1] <= MAX_PANEL_NUMBERS

    def halves_pay(self, k: int) -> bool:
        """Whether comparing the rows with k centers waits for memory so long that float16 pays."""
        if not self.possible or k > MAX_HALVED_CENTERS or not kernel.has_halves():
            return False
        n, d = self._rows.shape
        return d >= MIN_HALVED_COLUMNS and 4 * n * d >= MIN_HALVED_BYTES

    def scaled(self, scale: float, halves: bool = False) -> Any:
        """Panels (n' d,) and norms (n',), n' = n filled up to whole panels; or twice None where
        they are not `possible`."""
        if self._kind != (scale, halves):  # all starts among the rows have the same scale
            self._made = None  # the old panels are freed before there are new ones
            self._made, self._kind = self._pack(scale, halves), (scale, halves)
        return self._made

    def _pack(self, scale: float, halves: bool) -> tuple[Array | None, Array | None]:
        if not self.possible:
            return None, None
        filled, (n, d) = self._filled(), self._rows.shape
        panels = np.empty(filled * d, np.float16 if halves else np.float32)
        norms = np.empty(filled, np.float32)

        def pack(part: slice) -> None:
            X, start = np.ascontiguousarray(self._rows[part]), part.start
            if halves:
                to = panels.view(np.uint16)[start * d :]
                kernel.pack_halves(X, self._origin, scale, to, norms[start:])
            else:
                kernel.pack_rows(X, self._origin, scale, panels[start * d :], norms[start:])

        each(pack, grid(n), n_jobs=self._n_jobs, effort=4.0 * n * d)
        return panels, norms

    def _filled(self) -> int:
        return -(-self._rows.shape[0] // PANEL_ROWS) * PANEL_ROWS


@dataclass(frozen=True)
class KMeansData:
    """The rows of a fit, with statistics of a first pass; for rows in parts see `PartsData`."""

    rows: DenseRows | SparseRows
    weights: np.ndarray | None  # (n,) float64
    n_jobs: int | None
    shape: tuple[int, int]
    dtype: np.dtype  # of the centers
    mean: np.ndarray  # (d,) unweighted
    low: np.ndarray  # (d,) least value of each column
    high: np.ndarray  # (d,) greatest value
    origin: np.ndarray  # (d,) float32, about the mean
    radius: float  # greatest distance from it in any column
    panels: Panels
    algorithm: str = "auto"  # `KMeans.algorithm`: which bounds are used

    @property
    def total_weight(self) -> float:
        return self.shape[0] if self.weights is None else self.weights.sum()

    @property
    def weighted_rows(self) -> Any:
        """How many rows have weight."""
        return self.shape[0] if self.weights is None else np.count_nonzero(self.weights)

    @property
    def max_weight(self) -> float:
        return 1.0 if self.weights is None else self.weights.max()

    @property
    def scale(self) -> float:
        """The power of two that brings the rows to about 1."""
        return scale_of(self.radius)

    def center(self) -> Array:
        """The weighted mean of the rows, (d,)."""
        if self.weights is None:
            return self.mean
        return self.rows.total(self.weights, self.n_jobs) / self.total_weight

    def scatter(self) -> float:
        """The sum of weight * squared distance to the mean."""
        return self.scatter_about(self.center())

    def scatter_about(self, center: Array) -> float:
        """The sum of weight * squared distance to a point (d,)."""
        labels = np.zeros(self.shape[0], np.int32)
        frame = self.rows.frame(center[None])
        return inertia(self.rows, self.weights, frame, labels, self.n_jobs)

    def frame(self, centers: Array) -> DenseFrame:
        """The frame of centers for dense rows, about the mean of these rows."""
        radius = max(self.radius, float(np.abs(centers - self.origin).max()))
        return DenseRows.frame(centers, self.origin, scale_of(radius))

    def fits_one_call(self, k: int) -> bool:
        """Whether comparing all rows with k centers takes less time than the calls around it."""
        return fits_one_call(self.rows, k)

    def float64(self) -> Array:
        """Rows in memory as float64, in one piece."""
        return np.ascontiguousarray(self.rows.matrix, dtype=np.float64)

    def rounded(self, centers: Array) -> Array:
        """The centers as float64 numbers that `dtype` can hold."""
        return centers.astype(self.dtype, copy=False).astype(np.float64, copy=False)

    def take(self, index: Array | list[int]) -> Array:
        """The rows of these indices, (m, d) float64."""
        return self.rows.take(index)

    def draw_index(self, rng: np.random.Generator) -> int:
        """The index of a row drawn in proportion to weight."""
        if self.weights is None:
            return min(int(rng.random() * self.shape[0]), self.shape[0] - 1)
        return place(np.cumsum(self.weights), rng.random())

    def draw_row(self, rng: np.random.Generator) -> Array:
        """A row drawn in proportion to weight, (1, d) float64."""
        return self.take([self.draw_index(rng)])


def fits_one_call(rows: Any, k: int) -> bool:
    """Whether comparing all rows with k centers takes less time than the calls around it."""
    if not isinstance(rows.matrix, np.ndarray):
        return False
    n, d = rows.shape
    return n * k * (d + 8) <= MAX_PRODUCTS_OF_ONE_CALL


def survey_rows(rows: Any, sample_weight: Weights, n_jobs: Jobs, algorithm: str = "auto") -> Any:
    """The data of rows, in one pass; refuses NaN, infinity, and values whose squares overflow."""
    rows = rows if hasattr(rows, "reduce") else rows_of(rows)
    extent = rows.extent(n_jobs)
    weights = as_weights(sample_weight, extent.n)
    if weights is not None and (weights == 1.0).all():
        weights = None
    low, high, mean = extent.low, extent.high, extent.mean
    # Of rows that are not moved to their mean, squares are those of distances from 0.
    ends = (low, high) if rows.centered else (np.minimum(low, 0.0), np.maximum(high, 0.0))
    require_range(*ends, extent.n if weights is None else weights.sum(), "X")
    origin = origin_of(mean) * rows.centered
    radius = extent.radius(origin)
    dtype = np.dtype(np.float32 if extent.dtype == np.float32 else np.float64)
    shape = extent.n, len(low)
    panels = Panels(rows.matrix, origin, n_jobs)
    return KMeansData(
        rows, weights, n_jobs, shape, dtype, mean, low, high, origin, radius, panels, algorithm
    )


def require_enough(data: Any, k: int) -> None:
    """Refuse more clusters than there are rows that count."""
    limit = "the number of rows"
    if data.weights is not None:
        limit += " of positive weight"
    as_count(k, "n_clusters", high=data.weighted_rows, limit=limit)


def require_spread(data: Any, k: int) -> None:
    """Refuse columns so narrow, or weights so small, that all squared distances vanish."""
    width = float((data.high - data.low).max())
    if k == 1 or width == 0:
        return
    if width < MIN_WIDTH:
        raise ValueError(
            f"X holds values that differ by {width:.3g} at most, whose squares vanish in float64. "
            "Multiply the data by a constant first."
        )
    heaviest = data.max_weight
    if data.weights is not None and heaviest * min(width * width, 1.0) < MIN_WIDTH**2:
        raise ValueError(
            f"sample_weight holds {heaviest:.3g} at most, and weighted squares of X "
            "vanish in float64. Multiply the weights by a constant first."
        )


def require_range(low: Array, high: Array, total_weight: float, name: str) -> None:
    """Refuse columns whose sums, or whose sums of squared distances, could overflow."""
    value = max(-low.min(), high.max())
    with np.errstate(over="ignore"):
        largest = total_weight * (value + np.square(high - low).sum())
    if not isfinite(largest):
        raise ValueError(
            f"{name} holds values as large as {value:.3g}, whose squared distances overflow "
            "float64 when they are summed. Divide the data by a constant first."
        )


def contiguous(X: Array) -> bool:
    """Whether the numbers of a row lie side by side."""
    return X.strides[1] == X.itemsize
