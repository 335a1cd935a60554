# SPDX-License-Identifier: BSD-3-Clause
"""Column means and extremes of rows, and the frame in which float32 is precise enough.

Kernels that decide in float32, and in float64 where that leaves a doubt, first move the rows to an
origin near their mean, and scale them by a power of two to about 1. Neither changes which row is
nearest; both keep float32 far from cancellation, overflow and underflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import Any

import numpy as np

from statfast._core.rows.extent import extent
from statfast._engine import Chunks, reduce
from statfast._linalg import power_of_two
from statfast._typing import Array

FLOAT32_MAX = float(np.finfo(np.float32).max)
FLOAT32_SCALE = 2.0**126  # the largest factor of float32 numbers, about
MIN_SQUARABLE, MAX_SQUARABLE = 1e-120, 1e120  # differences whose squares keep their digits
NUMBERS_PER_BLOCK = 1 << 17  # numbers: reading fewer takes no longer than the call


@dataclass(frozen=True)
class Extent:
    """Sums and extremes of columns: the statistics of one pass over rows."""

    n: int
    dtype: np.dtype
    total: np.ndarray  # (d,) column sums; not finite if a number of the column is not
    low: np.ndarray  # (d,) column minima
    high: np.ndarray  # (d,) column maxima

    def __add__(self, other: Extent) -> Extent:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Extent(self.n + other.n, self.dtype, self.total + other.total, low, high)

    @property
    def mean(self) -> np.ndarray:
        """Column means, which rounding must not put outside their columns."""
        return np.clip(self.total / self.n, self.low, self.high)

    def radius(self, origin: np.ndarray) -> float:
        """The largest difference of a number from that of the origin in its column."""
        return float(np.maximum(self.high - origin, origin - self.low).max())


@dataclass(frozen=True)
class Float32Frame:
    """The frame in which float32 sees rows: x becomes (x - origin) scale."""

    origin: np.ndarray  # (d,) float32
    scale: float

    @classmethod
    def from_extent(cls, extent: Extent) -> Float32Frame:
        """The frame of rows about their mean, which brings them to about 1; float32 rows that
        would overflow by being moved stay about 0."""
        origin = origin_of(extent.mean)
        single = extent.dtype == np.float32
        if single and extent.radius(origin) > FLOAT32_MAX:
            origin = np.zeros_like(origin)
        scale = scale_of(extent.radius(origin))
        return cls(origin, min(scale, FLOAT32_SCALE) if single else scale)


def extent_of(
    rows: np.ndarray | Chunks, n_jobs: int | None = None, weights: np.ndarray | None = None
) -> Extent:
    """The extent of rows, in one pass over them; rows of weight 0 are left out."""

    def partial(where: slice, X: Array, weights: Array | None) -> Extent:
        if weights is not None and not weights.all():
            X = X[weights > 0.0]
        d = X.shape[1]
        statistics = np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
        extent(X, *statistics)
        return Extent(len(X), X.dtype, *statistics)

    effort, least = np.inf, 256
    if isinstance(rows, np.ndarray):
        effort, least = 4.0 * rows.size, max(256, NUMBERS_PER_BLOCK // max(rows.shape[1], 1))
    with np.errstate(over="ignore", invalid="ignore"):
        return reduce(partial, rows, weights, merge=add, n_jobs=n_jobs, effort=effort, least=least)


def near_mean(X: Array, weights: Array | None, most: int) -> Array:
    """A point (d,) from which rows are so near that squares of their differences keep digits.

    It is the weighted mean of `most` rows or up to twice as many, spread evenly over those of
    positive weight: a row that is left out by its weight may lie anywhere.
    """
    if weights is not None and weights.any():
        used = np.flatnonzero(weights)
        used = used[:: max(1, len(used) // most)]
        share = weights[used] / weights[used].max()
        rows = np.ascontiguousarray(X[used], dtype=np.float64)
        return (share[:, None] * rows).sum(axis=0) / share.sum()
    # The rows are made contiguous, as the order of numpy's sums depends on that of the memory.
    rows = np.ascontiguousarray(X[:: max(1, len(X) // most)])
    return rows.mean(axis=0, dtype=np.float64)


def with_contiguous_rows(rows: np.ndarray) -> np.ndarray:
    """The rows, copied unless the numbers of each lie side by side, as kernels need them to."""
    laid_out = rows.strides[1] == rows.itemsize or rows.shape[1] == 1
    return rows if laid_out else np.ascontiguousarray(rows)


def origin_of(mean: np.ndarray) -> np.ndarray:
    """The point to move rows to: their mean, as float32 so that rows of all types move alike."""
    return np.where(mean == mean, mean, 0.0).clip(-FLOAT32_MAX, FLOAT32_MAX).astype(np.float32)


def scale_of(radius: float) -> float:
    """The power of two that brings numbers up to `radius` to between 1/2 and 1."""
    if not 0 < radius < np.inf:
        return 1.0
    return float(np.ldexp(1.0, min(-power_of_two(radius), 1000)))


def rescaled(
    rows: Any, n_jobs: int | None = None, weights: np.ndarray | None = None
) -> tuple[Any, float]:
    """The rows, or chunks of them, times a power of two where the squares of their differences
    would overflow or vanish, in float64 then, and with zeros in columns of one value; and that
    factor. Rows of weight 0 do not count."""
    extent = extent_of(rows, n_jobs, weights)
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    with np.errstate(over="ignore"):
        width = float((high - low).max())
    size, varies = np.maximum(high, -low), low < high
    if MIN_SQUARABLE < width < MAX_SQUARABLE or (width == 0.0 and size.max() < MAX_SQUARABLE):
        return rows, 1.0
    scale = scale_of(float(size[varies].max() if width else size.max()))
    shift = np.where(varies, 0.0, low)

    def scaled(block: Array) -> Array:
        with np.errstate(over="ignore"):  # of rows that do not count
            return (block.astype(np.float64) - shift) * scale

    if isinstance(rows, Chunks):
        return Chunks(lambda: map(scaled, rows)), scale
    return scaled(rows), scale
