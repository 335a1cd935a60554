# SPDX-License-Identifier: BSD-3-Clause
"""Metrics without a kernel: tables of distances between blocks of rows, by numpy and scipy.

A table function takes float64 rows (m, d) and (n, d) and gives their distances (m, n); NaN is one
that is not defined. Each distance depends on its two rows alone, whatever blocks they are in, but
for rows whose numbers have to be scaled by a power of two.
"""

from typing import Any, NoReturn

import numpy as np

from statfast._engine import checkpoint
from statfast._linalg import power_of_two
from statfast._typing import Array

ROWS, COLUMNS = 128, 1024  # of a table made at a time: some megabytes of work space
MAX_TERMS = 1 << 22  # and at most so many differences, so that Ctrl-C is heard
LARGE, LITTLE = 1e150, 1e-150  # squares of such numbers are out of range


def between(metric: Any, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Distances (m, n) by a metric of kind BLOCKWISE; refuses those that are not defined."""
    rows, others = (np.ascontiguousarray(part, np.float64) for part in (rows, others))
    out = np.empty((len(rows), len(others)))
    step = max(1, min(ROWS, MAX_TERMS // (min(COLUMNS, len(others)) * rows.shape[1] + 1)))
    for i in range(0, len(rows), step):
        for j in range(0, len(others), COLUMNS):
            checkpoint()
            part = metric.function(rows[i : i + step], others[j : j + COLUMNS])
            if not np.isfinite(part).all():
                _refuse(metric.name, bool(np.isnan(part).any()))
            out[i : i + step, j : j + COLUMNS] = part
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

    halved = _reach(A, B) > np.finfo(np.float64).max / 2
    if halved.any():  # |a| + |b| would overflow
        half = np.where(halved, 0.5, 1.0)
        A, B = A * half, B * half
    return cdist(A, B, "canberra", w=weights)


def braycurtis(A: np.ndarray, B: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum of |a - b| over the sum of |a + b|, 0 / 0 being 0."""
    from scipy.spatial.distance import cdist

    most = 2.0 * A.shape[1] * (1.0 if weights is None else max(1.0, float(weights.max())))
    if _reach(A, B).max() > np.finfo(np.float64).max / (2 * most):
        scale = np.ldexp(1.0, -power_of_two(2 * most))
        A, B = A * scale, B * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        found = cdist(A, B, "braycurtis", w=weights)
    found[np.isnan(found)] = 0.0  # two rows of zeros
    return found


def nan_euclidean(A: np.ndarray, B: np.ndarray, weights: None = None) -> np.ndarray:
    """Root of d / c times the sum of squares in the c columns in which both rows have a value."""
    reach, scale = float(_reach(A, B).max()), 1.0
    if not LITTLE < reach < LARGE and reach > 0:
        scale = float(np.ldexp(1.0, -power_of_two(reach)))
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


def _reach(A: Array, B: Array) -> Array:
    """The largest number of each column, without its sign; 0 where all are missing."""
    return np.fmax(_largest(A), _largest(B))


def _largest(A: Array) -> Array:
    return np.fmax.reduce(np.abs(A), axis=0, initial=0.0)


TABLES: dict[str, Any] = {
    "canberra": canberra,
    "braycurtis": braycurtis,
    "nan_euclidean": nan_euclidean,
}
