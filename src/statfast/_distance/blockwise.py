# SPDX-License-Identifier: BSD-3-Clause
"""Metrics without a kernel: tables of distances between blocks of rows, by numpy and scipy.

A table function takes float64 rows (m, d) and (n, d) and returns their distances (m, n); a distance
that is not defined is NaN. Each distance depends on its two rows alone, whatever blocks they are
in, unless numbers have to be scaled by a power of two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    if undefined and name != "nan_euclidean" and name != "gower":
        raise ValueError(
            f"The {name} distance between two rows of X is not a number, as their terms overflow. "
            "Scale the data down, or choose another metric."
        )
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


def minkowski(A: np.ndarray, B: np.ndarray, weights: np.ndarray | None, p: float) -> np.ndarray:
    """The 1 / p-th power of the sum of |a - b|^p, for p below 1, where it is not a metric."""
    from scipy.spatial.distance import cdist

    with np.errstate(over="ignore", under="ignore"):
        return cdist(A, B, "minkowski", p=p, w=weights)


def jensenshannon(
    A: np.ndarray, B: np.ndarray, weights: None = None, base: float | None = None
) -> np.ndarray:
    """Root of the Jensen-Shannon divergence of rows divided by their sums, by logarithms of `base`.

    Of shares a and b with sum s and t = (a - b) / s a column adds a term that is never negative,
    s ((1 + t) log(1 + t) + (1 - t) log(1 - t)) / 4, so that nothing cancels between columns.
    """
    total = np.zeros((len(A), len(B)))
    for a, b in zip(_shares(A).T, _shares(B).T, strict=True):
        sums = np.add.outer(a, b)
        t = np.abs(np.subtract.outer(a, b))
        np.divide(t, sums, out=t, where=sums > 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.log1p(-t * t) + 2.0 * t * np.arctanh(t)
        terms[t >= 1.0] = 2.0 * np.log(2.0)
        total += 0.25 * sums * np.maximum(terms, 0.0)
    return np.sqrt(total if base is None else total / np.log(base))


def _shares(rows: Array) -> Array:
    """Rows divided by their sums; refuses numbers below 0, and rows of zeros."""
    largest = rows.max(axis=1, keepdims=True)
    if rows.min() < 0.0 or not largest.all():
        what = "a negative number" if rows.min() < 0.0 else "a row of zeros"
        raise ValueError(
            "The metric 'jensenshannon' takes rows of shares or counts, which are not negative and "
            f"not all 0; X has {what}. Drop such rows, or choose another metric."
        )
    scaled = rows / largest
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def of_sets(
    A: np.ndarray, B: np.ndarray, weights: None = None, *, formula: Callable[..., Any]
) -> np.ndarray:
    """Distances of rows taken as sets of the columns that are not 0.

    `formula` makes distances of the numbers of columns that both have, that one alone has, and that
    neither has. These are whole, so that they are exact in any order of summation; 0 / 0 is 0.
    """
    a, b = (A != 0.0).astype(np.float64), (B != 0.0).astype(np.float64)
    both = a @ b.T
    first = a.sum(axis=1)[:, None] - both
    second = b.sum(axis=1) - both
    above, below = formula(both, first, second, A.shape[1] - both - first - second)
    return np.divide(above, below, out=np.zeros_like(both), where=below != 0.0)


# Numerator and denominator; a fitted model holds such a function, and is pickled by its name.
def dice(both: Array, a: Array, b: Array, none: Array) -> tuple[Array, Array]:
    return a + b, 2 * both + a + b


def yule(both: Array, a: Array, b: Array, none: Array) -> tuple[Array, Array]:
    return 2 * a * b, both * none + a * b


def russellrao(both: Array, a: Array, b: Array, none: Array) -> tuple[Array, Array]:
    return a + b + none, both + a + b + none


def rogerstanimoto(both: Array, a: Array, b: Array, none: Array) -> tuple[Array, Array]:
    return 2 * (a + b), both + none + 2 * (a + b)


def sokalsneath(both: Array, a: Array, b: Array, none: Array) -> tuple[Array, Array]:
    return 2 * (a + b), both + 2 * (a + b)


def _column_magnitudes(A: Array, B: Array) -> Array:
    """The largest absolute value of each column of both; 0 where all are missing."""
    return np.fmax(_largest(A), _largest(B))


def _largest(A: Array) -> Array:
    return np.fmax.reduce(np.abs(A), axis=0, initial=0.0)


TABLES: dict[str, Any] = {
    "canberra": canberra,
    "braycurtis": braycurtis,
    "nan_euclidean": nan_euclidean,
    "jensenshannon": jensenshannon,
    "dice": partial(of_sets, formula=dice),
    "yule": partial(of_sets, formula=yule),
    "russellrao": partial(of_sets, formula=russellrao),
    "rogerstanimoto": partial(of_sets, formula=rogerstanimoto),
    "sokalmichener": partial(of_sets, formula=rogerstanimoto),  # two names of one distance
    "sokalsneath": partial(of_sets, formula=sokalsneath),
}
