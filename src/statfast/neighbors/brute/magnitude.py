# SPDX-License-Identifier: BSD-3-Clause
"""Rows so near one another that powers of their differences vanish in float64.

Squares of differences below 1e-162 are 0, and those below 1e-154 lose digits; cubes even earlier.
Such rows are scaled by a power of two, which rounds nothing, and distances are divided by it.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log2
from typing import Any

import numpy as np

from statfast._distance import EUCLIDEAN, HALVED, HAVERSINE, MINKOWSKI, Metric, extent_of
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse
from statfast.neighbors.brute.sparse import prepared

MAX_FALL = 1000  # 2^-1000 keeps its digits, and so does a sum of such numbers
# Differences down to 2^-40 of the width of the rows are to keep their digits; where exponents are
# high, powers of differences down to 2^-400 of the power of the width.
MAX_DIFFERENCE_FALL, MAX_POWER_FALL = 40, 400
POWER_STEP = 128  # scales are in steps of 2^128 of the powers
SAMPLE_ROWS = 256  # rows that mostly suffice to see that nothing vanishes
MIN_SQUARED = 1e-150  # squares of smaller numbers lose digits


def in_range(metric: Metric, X: Any, n_jobs: int | None = None) -> tuple[Metric, Any]:
    """Prepare rows for a metric, which is changed to scale them if their powers would vanish.

    Raises ValueError for haversine between places too near one another, as angles have one scale.
    """
    rows = _prepared(metric, X, n_jobs)
    power = {EUCLIDEAN: 2.0, HAVERSINE: 2.0, MINKOWSKI: metric.p}.get(metric.kind)
    if power is None or metric.name in HALVED or rows.dtype == np.uint8:
        return metric, rows
    least = 2.0 ** (min(MAX_DIFFERENCE_FALL, MAX_POWER_FALL / power) - MAX_FALL / power)
    if not is_sparse(rows) and width_of(rows[:: max(1, len(rows) // SAMPLE_ROWS)]) >= least:
        return metric, rows
    size, origin = _small(rows, least, n_jobs)
    if size == 0.0 or (metric.kind == HAVERSINE and origin is None):
        return metric, rows
    if metric.kind == HAVERSINE:
        raise ValueError(f"{_vanishing('X', size)} Take meters, and metric='euclidean'.")
    # The scale is no larger than needed, so that far queries do not overflow; and it grows in
    # coarse steps, so that trees of different rows of about one size have the same metric.
    step = max(1.0, POWER_STEP // power)
    scale = 2.0 ** min(step * ceil((log2(least) - log2(size)) / step), MAX_FALL)
    if metric.factor is None:
        factor = np.full(rows.shape[1], scale)
        metric = replace(metric, origin=origin, factor=factor, scale=scale)
    elif np.isfinite(metric.factor * scale).all():
        metric = replace(metric, factor=metric.factor * scale, scale=scale)
    return metric, _prepared(metric, X, n_jobs)


def require_size(size: float, name: str = "X") -> None:
    """Refuse rows all of whose squares vanish."""
    if 0.0 < size < MIN_SQUARED:
        raise ValueError(f"{_vanishing(name, size)} Multiply the data by a constant first.")


def size_of(rows: np.ndarray) -> float:
    """The largest absolute value."""
    return max(float(rows.max()), -float(rows.min()))


def width_of(rows: np.ndarray) -> float:
    """The largest range of a column."""
    with np.errstate(over="ignore"):
        return float((rows.max(axis=0).astype(np.float64) - rows.min(axis=0)).max())


def _prepared(metric: Metric, X: Matrix, n_jobs: Jobs) -> Matrix:
    return prepared(metric, X) if is_sparse(X) else metric.prepare(X, n_jobs=n_jobs)


def _small(rows: Matrix, least: float, n_jobs: Jobs) -> tuple[float, Array | None]:
    """The width of the rows, or their size if all are equal, and the values of constant columns;
    a width of 0 if no power vanishes."""
    if is_sparse(rows):
        size = float(np.abs(rows.data).max(initial=0.0))
        return size if size < least else 0.0, None
    extent = extent_of(rows, n_jobs)
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    with np.errstate(over="ignore"):
        width = float((high - low).max())
    size = width or float(np.maximum(high, -low).max())
    return size if size < least else 0.0, np.where(low < high, 0.0, low) if width else None


def _vanishing(name: str, size: float) -> str:
    return (
        f"{name} holds values that differ by at most {size:.3g}, whose squares vanish in float64."
    )
