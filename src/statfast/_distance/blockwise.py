# SPDX-License-Identifier: BSD-3-Clause
"""Metrics without a kernel: tables of distances between blocks of rows, by numpy and scipy.

A table function takes float64 rows (m, d) and (n, d) and returns their distances (m, n); a distance
that is not defined is NaN. Each distance depends on its two rows alone, whatever blocks they are
in, unless numbers have to be scaled by a power of two.
"""

from typing import Any, NoReturn

import numpy as np

from statfast._engine import checkpoint
from statfast._linalg import power_of_two
from statfast._typing import Array

ROWS_PER_TABLE, COLUMNS_PER_TABLE = (
    128,
    1024,
)  # a table made at a time: some megabytes of work space
MAX_TERMS = 1 << 22  # differences taken between two checkpoints, so that Ctrl-C is heard
MAX_SQUARABLE, MIN_SQUARABLE = 1e150, 1e-150  # squares of numbers beyond these lose digits


def between(metric: Any, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Distances (m, n) from the rows of X to those of Y by a metric of kind BLOCKWISE.

    Distances that are not defined raise a ValueError.
    """
    X, Y = (np.ascontiguousarray(rows, np.float64) for rows in (X, Y))
    out = np.empty((len(X), len(Y)))
    step = max(
        1, min(ROWS_PER_TABLE, MAX_TERMS // (min(COLUMNS_PER_TABLE, len(Y)) * X.shape[1] + 1))
    )
    for i in range(0, len(X), step):
        for j in range(0, len(Y), COLUMNS_PER_TABLE):
            checkpoint()
            table = metric.function(X[i : i + step], Y[j : j + COLUMNS_PER_TABLE])
            if not np.isfinite(table).all():
                _refuse(metric.name, bool(np.isnan(table).any()))
            out[i : i + step, j : j + COLUMNS_PER_TABLE] = table
    return out


def _refuse(name: str, undefined: bool) -> NoReturn:
    if undefined:
        raise ValueError(
            f"Two rows have no column in which both have a value, so that their {name} distance "
            "is not defined. Impute missing values, or drop rows that have next to none."
        )
    why = "their sums cancel" if name == "braycurtis" else "their differences overflow"
    raise ValueError(
        f"The {name} distance between two rows of X is infinite, as {why}. Drop such rows, scale "
        "the data down, or choose another metric."
    )


def canberra(A: np.ndarray, B: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum of |a - b| / (|a| + |b|), 0 / 0 being 0."""
    from scipy.spatial.distance import cdist

    halved = _column_magnitudes(A, B) > np.finfo(np.float64).max / 2
    if halved.any():  # |a| + |b| would overflow
        half = np.where(halved, 0.5, 1.0)
        A, B = A * half, B * half
    return cdist(A, B, "canberra", w=weights)


def braycurtis(A: np.ndarray, B: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum of |a - b| over the sum of |a + b|, 0 / 0 being 0."""
    from scipy.spatial.distance import cdist

    max_terms = 2.0 * A.shape[1] * (1.0 if weights is None else max(1.0, float(weights.max())))
    if _column_magnitudes(A, B).max() > np.finfo(np.float64).max / (2 * max_terms):
        scale = np.ldexp(1.0, -power_of_two(2 * max_terms))
        A, B = A * scale, B * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = cdist(A, B, "braycurtis", w=weights)
    distances[np.isnan(distances)] = 0.0  # two rows of zeros
    return distances


def nan_euclidean(A: np.ndarray, B: np.ndarray, weights: None = None) -> np.ndarray:
    """Root of d / c times the sum of squares in the c columns in which both rows have a value."""
    largest, scale = float(_column_magnitudes(A, B).max()), 1.0
    if not MIN_SQUARABLE < largest < MAX_SQUARABLE and largest > 0:
        scale = float(np.ldexp(1.0, -power_of_two(largest)))
        A, B = A * scale, B * scale
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        square = np.subtract.outer(a, b)
        square *= square
        if np.isnan(a).any() or np.isnan(b).any():
            square[np.isnan(square)] = 0.0
        total += square
    count = (~np.isnan(A)).astype(np.float64) @ (~np.isnan(B)).T.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.sqrt(total * (A.shape[1] / count)) / scale


def _column_magnitudes(A: Array, B: Array) -> Array:
    """The largest absolute value of each column of both; 0 where all are missing."""
    return np.fmax(_largest(A), _largest(B))


def _largest(A: Array) -> Array:
    return np.fmax.reduce(np.abs(A), axis=0, initial=0.0)


TABLES: dict[str, Any] = {
    "canberra": canberra,
    "braycurtis": braycurtis,
    "nan_euclidean": nan_euclidean,
}
