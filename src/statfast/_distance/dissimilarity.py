# SPDX-License-Identifier: BSD-3-Clause
"""Dissimilarities between rows: as a matrix, as its upper triangle, or computed from the rows.

This is a foundation, because medoids and silhouettes read dissimilarities in the same way: by
`block`, a rectangle of the matrix. `Square` cuts it out, `Condensed` unfolds it, and `OfRows`
computes it from the rows each time. Where the rows have few columns, that takes no longer than
reading it from memory, and it needs no memory.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import Any, Self

import numpy as np

from statfast._core.distance import dissimilarity, pairwise
from statfast._core.distance.triangle import extent
from statfast._distance.blockwise import between
from statfast._distance.condensed import Triangle, row_blocks
from statfast._distance.metrics import (
    BLOCKWISE,
    CALLABLE,
    CHEBYSHEV,
    EUCLIDEAN,
    HALVED,
    MANHATTAN,
    MINKOWSKI,
    Metric,
    as_metric,
    measured,
)
from statfast._distance.precision import MAX_SQUARABLE, MIN_SQUARABLE, rescaled, scale_of
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast._validation import as_real, refuse_large

TILED = (EUCLIDEAN, MANHATTAN, CHEBYSHEV)  # kinds that distance/dissimilarity.pyx computes
MIN_POWER = 1e-290  # p-th powers below have lost digits
MIN_FLOAT32 = 1e-35  # float32 dissimilarities that are all smaller have lost digits
ROWS_AT_A_TIME = 16  # rows of a triangle that are computed at a time
NUMBERS_PER_TASK = 1 << 24  # numbers of rows that a task looks at
# Rows of a rectangle computed or unfolded at a time: with 64 columns, half of a level-2 cache.
ROWS_PER_STRIP = 1024
PRECOMPUTED = "precomputed"


class Square:
    """A square matrix in memory: row i, column j, from point i to point j.

    `mirrored` says that it is known to be symmetric, to the last bit.
    """

    def __init__(
        self, matrix: np.ndarray, mirrored: bool = False, high: float | None = None
    ) -> None:
        self.matrix, self.n, self.strip = matrix, len(matrix), len(matrix)
        self.mirrored, self.high = mirrored, high

    def made(self, n_jobs: int | None = None) -> Self:
        return self

    def condensed(self, n_jobs: int | None = None) -> tuple[Triangle, float | None]:
        """The triangle, where it lies, and the largest number if that is known."""
        return Triangle.of_square(self.matrix), self.high

    def block(self, rows: slice, columns: slice | Array, workspace: Array | None = None) -> Array:
        """The dissimilarities from a slice of points to others, a slice or an array of numbers.

        `workspace`, where given, is memory that the answer may lie in.
        """
        values = self.matrix[rows, columns]
        return values if isinstance(columns, slice) else np.ascontiguousarray(values)

    def between(self, rows: Array, columns: Array) -> Array:
        """From each point of `rows` to each of `columns`, both arrays of numbers; float64."""
        return self.matrix[np.ix_(rows, columns)].astype(np.float64, copy=False)

    def toward(self, columns: Array) -> Callable[[int], Array]:
        """A function of the number of a point: from it to each of `columns`, gathered once."""
        return lambda row: self.matrix[row, columns].astype(np.float64, copy=False)


class Condensed:
    """The upper triangle of a symmetric matrix, row by row, as scipy's ``pdist`` gives it."""

    def __init__(self, values: np.ndarray, n: int, high: float | None = None) -> None:
        self.values, self.n, self.strip, self.high = values, n, ROWS_PER_STRIP, high

    def made(self, n_jobs: int | None = None) -> Self:
        return self

    def condensed(self, n_jobs: int | None = None) -> tuple[Triangle, float | None]:
        return Triangle.of_condensed(self.values, self.n), self.high

    def unfolded(self) -> Array:
        """The square matrix."""
        n, dtype = self.n, self.values.dtype
        refuse_large(dtype.itemsize * n * n, f"The square matrix of {n} rows", "Cluster a sample.")
        table: np.ndarray = np.empty((n, n), dtype)
        for start in range(0, n, self.strip):
            checkpoint()
            strip = slice(start, min(n, start + self.strip))
            table[strip] = self.block(strip, slice(None))
        return table

    def block(self, rows: slice, columns: slice | Array, workspace: Array | None = None) -> Array:
        if not isinstance(columns, slice):
            return self.between(np.arange(self.n)[rows], columns)
        start, stop, _ = rows.indices(self.n)
        first, last, _ = columns.indices(self.n)
        out = np.empty((stop - start, last - first), self.values.dtype)
        dissimilarity.unfold(self.values, self.n, start, first, out)
        return out

    def between(self, rows: Array, columns: Array) -> Array:
        low = np.minimum.outer(rows, columns)
        high = np.maximum.outer(rows, columns)
        places = low * (2 * self.n - low - 1) // 2 + high - low - 1
        same = low == high
        places[same] = 0
        values = (
            self.values[places].astype(np.float64, copy=False) if len(self.values) else places * 0.0
        )
        values[same] = 0.0
        return values

    def toward(self, columns: Array) -> Callable[[int], Array]:
        return lambda row: self.between(np.array([row]), columns)[0]


class OfRows:
    """Rows, and the metric between them; memory O(n d).

    The rows may have been multiplied by a `scale`, by which dissimilarities are divided.
    """

    def __init__(self, rows: np.ndarray, metric: Metric, scale: float = 1.0) -> None:
        n, d = rows.shape
        self.n, self.metric, self.strip, self.scale = n, metric, ROWS_PER_STRIP, scale
        self.rows = np.zeros((n + dissimilarity.SPARE_ROWS, d))
        self.rows[:n] = rows
        if metric.name in HALVED:
            self.finish = dissimilarity.HALF
        elif metric.kind == EUCLIDEAN and metric.name != "sqeuclidean":
            self.finish = dissimilarity.ROOT
        else:
            self.finish = dissimilarity.PLAIN

    @property
    def tiled(self) -> bool:
        """Whether dissimilarities come from the register tile."""
        return self.metric.kind in TILED

    def across(self, rows: Array) -> Array:
        """From each of these rows, prepared for the metric, to each of the points."""
        if not takes_squares(self.metric):
            return self._across(rows)
        points = self.rows[: self.n]
        largest = np.maximum(np.abs(rows).max(axis=1), np.abs(points).max()).astype(np.float64)
        extreme = ((largest < MIN_SQUARABLE) | (largest > MAX_SQUARABLE)) & (largest > 0)
        if not extreme.any():
            return self._across(rows)
        rows, out = rows.astype(np.float64), np.empty((len(rows), self.n))
        out[~extreme] = self._across(rows[~extreme])
        exponents = np.frexp(largest)[1]
        for exponent in np.unique(exponents[extreme]):
            alike = extreme & (exponents == exponent)
            scale = scale_of(float(largest[alike].max()))
            out[alike] = OfRows(points * scale, self.metric, scale)._across(rows[alike] * scale)
        return out

    def _across(self, rows: Array) -> Array:
        rows = np.asarray(rows, np.float64)
        padded = np.zeros((len(rows) + dissimilarity.SPARE_ROWS, rows.shape[1]))
        padded[: len(rows)] = rows
        return self._distances(padded, len(rows), self.rows[: self.n])

    def back(self, values: Array) -> Array:
        """Dissimilarities between these rows as those before they were scaled, in place."""
        if self.scale == 1.0:
            return values
        with np.errstate(over="ignore"):
            values /= self.scale
            if self.metric.name == "sqeuclidean":
                values /= self.scale
        return values

    def require_range(self) -> None:
        """Refuse rows whose dissimilarities, or the sums of n of them, could overflow."""
        if self.metric.kind not in (*TILED, MINKOWSKI) or self.metric.name in HALVED:
            return
        rows = self.rows[: self.n]
        corners = np.zeros((2 + dissimilarity.SPARE_ROWS, rows.shape[1]))
        corners[0], corners[1] = rows.min(axis=0), rows.max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            across = float(self._distances(corners, 2, corners[:2])[0, 1])
        if not isfinite(4.0 * self.n * across):
            value = np.abs(rows).max() / self.scale
            raise ValueError(
                f"X holds values as large as {value:.3g}, whose dissimilarities "
                "overflow float64 when they are summed. Divide the data by a constant first."
            )

    def block(self, rows: slice, columns: slice | Array, workspace: Array | None = None) -> Array:
        start, stop, _ = rows.indices(self.n)
        return self._distances(
            self.rows[start:], stop - start, self.rows[: self.n][columns], workspace
        )

    def between(self, rows: Array, columns: Array) -> Array:
        padded = np.zeros((len(rows) + dissimilarity.SPARE_ROWS, self.rows.shape[1]))
        padded[: len(rows)] = self.rows[rows]
        return self._distances(padded, len(rows), self.rows[columns])

    def toward(self, columns: Array) -> Callable[[int], Array]:
        if not self.tiled:
            return lambda row: self.between(np.array([row]), columns)[0]
        panels, out = packed(self.rows[columns]), np.empty((1, len(columns)))

        def distances_from(row: int) -> Array:
            dissimilarity.store(self.rows[row:], 1, panels, self.metric.kind, self.finish, out)
            return self.back(out[0].copy())

        return distances_from

    def _distances(
        self, padded: Array, m: int, targets: Array, workspace: Array | None = None
    ) -> Array:
        """From the first m rows of an array with spare rows to each of the targets."""
        if workspace is not None and self.tiled:
            out = workspace[:m, : len(targets)]
        else:
            out = np.empty((m, len(targets)))
        if not out.size:
            return out
        if self.tiled:
            dissimilarity.store(padded, m, packed(targets), self.metric.kind, self.finish, out)
        elif self.metric.kind == BLOCKWISE:
            out[:] = between(self.metric, padded[:m], targets)
        else:
            targets = np.ascontiguousarray(targets)
            for row, distances in zip(padded[:m], out, strict=True):
                pairwise.distances(row, targets, self.metric.kind, self.metric.p, distances)
            finished(self.metric, padded[:m], targets, out)
        return self.back(out)

    def condensed(self, n_jobs: int | None = None) -> tuple[Triangle, float]:
        """The upper triangle, in float64, and the largest of it."""
        n = self.n
        y = np.empty(n * (n - 1) // 2)

        def work(block: slice) -> float:
            high = 0.0
            for start in range(block.start, block.stop, ROWS_AT_A_TIME):
                checkpoint()
                stop = min(start + ROWS_AT_A_TIME, block.stop)
                strip = self.block(slice(start, stop), slice(start, n))
                for row in range(start, stop):
                    begin = row * (2 * n - row - 1) // 2
                    out = y[begin : begin + n - row - 1]
                    out[:] = strip[row - start, row - start + 1 :]
                    high = max(high, self._largest(out))
            return high

        depth = self.rows.shape[1] + 4
        blocks = row_blocks(n, most=max(n, NUMBERS_PER_TASK // depth))
        return Triangle.of_condensed(y, n), max(
            each(work, blocks, n_jobs=n_jobs, effort=1.0 * n * n * depth)
        )

    def _largest(self, distances: Array) -> float:
        if not len(distances):
            return 0.0
        low, high, finite = extent(distances)
        if finite and low >= 0:
            return high
        wrong = np.nan if np.isnan(distances).any() else low if low < 0 else high
        raise ValueError(
            f"A distance between rows of X by the metric {self.metric.name!r} is {wrong}. Scale X "
            "down, or choose a metric that is finite and not negative."
        )


def takes_squares(metric: Metric) -> bool:
    """Whether dissimilarities are made of squares of differences of the rows' own numbers."""
    return metric.kind == EUCLIDEAN and metric.name not in HALVED


def finished(metric: Metric, X: np.ndarray, Y: np.ndarray, reduced: np.ndarray) -> None:
    """Turn reduced distances (m, n) between rows of X and Y into distances: see `Metric.finish`.

    Minkowski distances are computed anew where p-th powers have overflowed or vanished.
    """
    if metric.kind != MINKOWSKI:
        metric.finish(reduced, reduced)
        return
    lost = ~((reduced >= MIN_POWER) & (reduced < inf))
    metric.finish(reduced, reduced)
    for i in np.flatnonzero(lost.any(axis=1)):
        columns = np.flatnonzero(lost[i])
        with np.errstate(over="ignore"):
            differences = np.abs(Y[columns] - X[i])
        largest = differences.max(axis=1)
        scalable = (largest > 0) & (largest < inf)
        scaled_differences = differences[scalable] / largest[scalable, None]
        reduced[i, columns] = largest
        with np.errstate(over="ignore", under="ignore"):
            reduced[i, columns[scalable]] *= (scaled_differences**metric.p).sum(axis=1) ** (
                1 / metric.p
            )


def metric_of(
    metric: Any, p: Any, metric_params: dict[str, Any] | None, rows: np.ndarray
) -> Metric:
    """Check a metric, its parameters, and p even where the metric does not use it."""
    if not (isinstance(p, float | np.floating) and p == inf):
        as_real(p, "p", 0, open_low=True)
    return as_metric(metric, p=p, metric_params=metric_params, d=rows.shape[1], X=rows)


def made_of(rows: np.ndarray, metric: Metric, n_jobs: int | None = None) -> OfRows:
    """Rows, prepared for a metric whose values, and sums of these, they do not overflow."""
    made = scaled(rows, metric, n_jobs)
    made.require_range()
    return made


def scaled(rows: np.ndarray, metric: Metric, n_jobs: int | None = None) -> OfRows:
    """Rows, prepared for a metric, and scaled where squares would overflow or vanish."""
    rows, scale = metric.prepare(rows, n_jobs=n_jobs), 1.0
    if takes_squares(metric):
        rows, scale = rescaled(rows, n_jobs)
    return OfRows(rows, metric, scale)


def packed(rows: np.ndarray) -> np.ndarray:
    """Rows in panels of `dissimilarity.PANEL_POINTS` points, feature by feature."""
    panels = np.empty(
        (-(-len(rows) // dissimilarity.PANEL_POINTS), rows.shape[1], dissimilarity.PANEL_POINTS)
    )
    dissimilarity.lay(np.ascontiguousarray(rows), panels)
    return panels


def store(
    made: OfRows, dtype: type, n_jobs: int | None, instead: str = "Pass matrix_free=True."
) -> Square:
    """The matrix of all dissimilarities; `instead` ends the message if memory is short."""
    n = made.n
    nbytes = n * n * np.dtype(dtype).itemsize
    refuse_large(nbytes, f"The {n} x {n} matrix of dissimilarities", instead)
    matrix: np.ndarray = np.empty((n, n), dtype)
    # A strip is as many rows as take the kernels some milliseconds.
    terms = max(1, n * made.rows.shape[1])

    def fill(strip: slice) -> None:
        matrix[strip] = made.block(strip, slice(None))

    with np.errstate(over="ignore"):
        blocks = grid(n, least=64, most=max(64, (1 << 24) // terms))
        each(fill, blocks, n_jobs=n_jobs, effort=n * terms)
    return Square(
        require_float32_range(matrix, "X", lambda: made.rows[:n] != made.rows[0]), made.tiled
    )


def require_float32_range(
    values: np.ndarray, name: str, different: Callable[[], Any]
) -> np.ndarray:
    """Refuse float32 dissimilarities that have overflowed or vanished; returns the others.

    `different` says, where all became 0, which of them should not be.
    """
    if values.dtype != np.float32:
        return values
    high = values.max(initial=0.0)
    if np.isinf(high):
        raise ValueError(f"{name} has dissimilarities too large for float32. Pass dtype='float64'.")
    if 0 < high < MIN_FLOAT32 or (high == 0 and np.any(different())):
        raise ValueError(f"{name} has dissimilarities too small for float32. Pass dtype='float64'.")
    return values


def by_function(
    metric: Metric, row: np.ndarray, points: np.ndarray, where: str, number: int = 0,
    finite: bool = True,
) -> np.ndarray:  # fmt: skip
    """Distances from a row to points by the user's function, checked.

    Messages name the row by its `number` in the sentence `where`.
    """
    function: Any = metric.function
    distances = np.empty(len(points))
    for j, point in enumerate(points):
        checkpoint()
        distances[j] = measured(function(row, point), where, number, j, finite=finite)
    return distances


def of_function(rows: np.ndarray, metric: Metric, dtype: type) -> Square:
    """The matrix of a Python function, which is called once for each pair of rows."""
    n = len(rows)
    nbytes = n * n * np.dtype(dtype).itemsize
    refuse_large(nbytes, f"The {n} x {n} matrix of dissimilarities", "Choose a named metric.")
    rows = read_only(rows)
    matrix: np.ndarray = np.zeros((n, n), dtype)
    largest = 0.0
    with np.errstate(over="ignore"):  # in float32
        for i in range(n):
            distances = by_function(metric, rows[i], rows[i + 1 :], "row {} and one after it", i)
            matrix[i, i + 1 :] = matrix[i + 1 :, i] = distances
            largest = max(largest, float(distances.max(initial=0.0)))
    return Square(require_float32_range(matrix, "X", lambda: largest), True, largest)


def read_only(rows: np.ndarray) -> np.ndarray:
    """Rows as float64, which a function of the user's cannot change."""
    rows = np.ascontiguousarray(rows, np.float64).view()
    rows.flags.writeable = False
    return rows


def typed(values: np.ndarray, dtype: Any, name: str) -> np.ndarray:
    """Checked dissimilarities as a type that holds them."""
    if dtype is None or values.dtype == dtype:
        return values
    nbytes = values.size * np.dtype(dtype).itemsize
    refuse_large(nbytes, f"{name} as {np.dtype(dtype).name}", "Pass that type.")
    with np.errstate(over="ignore"):
        return require_float32_range(values.astype(dtype), name, lambda: values)


def fits(nbytes: int) -> bool:
    """Whether `refuse_large` would let so many bytes pass."""
    try:
        refuse_large(nbytes, "", "")
    except MemoryError:
        return False
    return True


def is_callable(metric: Metric) -> bool:
    """Whether a metric is a Python function."""
    return metric.kind == CALLABLE
